//! One step in the life of a job: what an event means for its state.

use super::{Symbol, Symbols, reason};
use crate::hold_code;
use eventlog::{Body, Event, EventKind, FileTransferKind};

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exit {
    /// By itself with code 0.
    Success,
    /// By itself with another code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// The log does not say how.
    Unknown,
}

/// A hold as the log tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hold {
    /// HoldReasonCode; 0 where the log has none, as HTCondor's own reader does.
    pub code: i32,
    /// HoldReasonSubCode; 0 where the log has none.
    pub subcode: i32,
    /// The canonical reason; `None` where the log says `Reason unspecified`.
    pub reason: Option<Symbol>,
}

/// What happened to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// It entered the queue (000).
    Submitted,
    /// Its input waits for a transfer slot (040).
    InputQueued,
    /// Its input is on the way (040).
    InputStarted,
    /// Its input arrived (040).
    InputFinished,
    /// It runs (001), on this execution point where the log names one.
    Executing(Option<Symbol>),
    /// Its output is on the way (040).
    OutputStarted,
    /// Its output arrived (040).
    OutputFinished,
    /// 010
    Suspended,
    /// 011
    Unsuspended,
    /// 022
    Disconnected,
    /// 023
    Reconnected,
    /// It left its slot and is idle again (004, 024), for this code and subcode where the log has
    /// them, as HTCondor 25 writes them.
    Evicted(Option<(i32, i32)>),
    /// The shadow gave up; it is idle again (007).
    ShadowException,
    /// 012
    Held(Hold),
    /// 013; `by_person` when `condor_release` did it, not a policy.
    Released {
        /// A person released it.
        by_person: bool,
    },
    /// 005
    Terminated(Exit),
    /// 009
    Removed,
}

/// What happened, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Unix seconds.
    pub time: i64,
    /// What happened.
    pub what: What,
}

impl What {
    /// What an event means for the state of its job; `None` where it means nothing for it.
    pub fn of(event: &Event<'_>, symbols: &mut Symbols) -> Option<Self> {
        use EventKind as Kind;
        // Asked by number first: bodies are parsed for the kinds that matter alone.
        Some(match event.kind() {
            Kind::Submit => Self::Submitted,
            Kind::JobSuspended => Self::Suspended,
            Kind::JobUnsuspended => Self::Unsuspended,
            Kind::JobDisconnected => Self::Disconnected,
            Kind::JobReconnected => Self::Reconnected,
            Kind::JobReconnectFailed => Self::Evicted(None),
            Kind::ShadowException => Self::ShadowException,
            Kind::JobAborted => Self::Removed,
            Kind::Execute
            | Kind::JobEvicted
            | Kind::FileTransfer
            | Kind::JobTerminated
            | Kind::JobHeld
            | Kind::JobReleased => {
                return Self::of_body(&event.body(), symbols);
            }
            _ => return None,
        })
    }

    /// The same with other symbols.
    pub(super) fn renamed(self, new: impl FnMut(Symbol) -> Symbol) -> Self {
        match self {
            Self::Executing(machine) => Self::Executing(machine.map(new)),
            Self::Held(hold) => Self::Held(Hold { reason: hold.reason.map(new), ..hold }),
            other => other,
        }
    }

    pub(super) fn of_body(body: &Body<'_>, symbols: &mut Symbols) -> Option<Self> {
        Some(match body {
            Body::Execute(execute) => {
                let named = execute.slot_name.as_deref().unwrap_or(&execute.execute_host);
                Self::Executing(machine_of(named).map(|machine| symbols.intern(machine)))
            }
            Body::FileTransfer(transfer) => match transfer.kind? {
                FileTransferKind::InputQueued => Self::InputQueued,
                FileTransferKind::InputStarted => Self::InputStarted,
                FileTransferKind::InputFinished => Self::InputFinished,
                FileTransferKind::OutputStarted => Self::OutputStarted,
                FileTransferKind::OutputFinished => Self::OutputFinished,
                FileTransferKind::OutputQueued => return None,
            },
            Body::Terminated(terminated) => {
                Self::Terminated(match (terminated.return_value, terminated.signal) {
                    (Some(0), _) => Exit::Success,
                    (Some(code), _) => Exit::Code(code),
                    (None, Some(signal)) => Exit::Signal(signal),
                    (None, None) => Exit::Unknown,
                })
            }
            Body::Evicted(evicted) => {
                Self::Evicted(evicted.code.map(|code| (code, evicted.subcode.unwrap_or(0))))
            }
            Body::Held(held) => Self::Held(Hold {
                code: held.code.unwrap_or(0),
                subcode: held.subcode.unwrap_or(0),
                reason: held.reason.as_deref().map(|text| symbols.intern(&reason::canonical(text))),
            }),
            Body::Released(released) => Self::Released {
                // The schedd writes `via condor_release (by user ...)`, or the reason that was given
                // with the user behind it; a policy names its expression.
                by_person: released.reason.as_deref().is_some_and(|text| {
                    text.contains("condor_release") || text.contains(" (by user ")
                }),
            },
            _ => return None,
        })
    }
}

impl Hold {
    /// HTCondor or a policy made it, not a person (1), a submission on hold (15) or spooling (16).
    pub fn is_by_system(&self) -> bool {
        hold_code::is_by_system(self.code)
    }
}

/// The machine of a slot name (`slot1_2@host`), of an address with an alias
/// (`<ip:port?alias=host&...>`) or of a plain address, as events 001 name execution points. The
/// glidein's own prefix (`glidein_123_456@host`) is dropped too.
pub(crate) fn machine_of(name: &str) -> Option<&str> {
    let name = name.trim();
    let machine = if let Some(address) = name.strip_prefix('<') {
        let address = address.trim_end_matches('>');
        match address.split_once("alias=") {
            Some((_, alias)) => alias.split(['&', ';']).next().unwrap_or(alias),
            None => address.split_once('?').map_or(address, |(host, _)| host),
        }
    } else {
        name.rsplit('@').next().unwrap_or(name)
    };
    let machine = machine.split_whitespace().next()?;
    (!machine.is_empty()).then_some(machine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_of_all_forms() {
        assert_eq!(machine_of("slot1_2@e1.example.org"), Some("e1.example.org"));
        assert_eq!(machine_of("slot1_2@glidein_7_8@e1.example.org"), Some("e1.example.org"));
        assert_eq!(
            machine_of("<10.0.0.1:9618?addrs=10.0.0.1-9618&alias=e1.example.org&noUDP>"),
            Some("e1.example.org")
        );
        assert_eq!(machine_of("<10.0.0.1:9618?CCBID=1>"), Some("10.0.0.1:9618"));
        assert_eq!(machine_of(" "), None);
    }
}
