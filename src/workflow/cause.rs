//! Why a run failed.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::hold_code::{self, HoldCode, VACATE_BASE};
use crate::text::Foreign;

/// Why a run failed, from its events. Sorts by kind, then by number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailureCause {
    /// HTCondor or a policy put the job on hold (012).
    Hold {
        /// HoldReasonCode.
        code: i32,
        /// HoldReasonSubCode; `None` for those of a code together.
        subcode: Option<i32>,
    },
    /// The program exited with another code than 0 (005); `None` for all such codes together.
    Exit(Option<i32>),
    /// The same, with what the program wrote at its end: one line, fit for a terminal.
    ExitSaying(i32, Arc<str>),
    /// The program ended by a signal (005); `None` for all signals together.
    Signal(Option<i32>),
    /// The same, with what the program wrote at its end: one line, fit for a terminal.
    SignalSaying(i32, Arc<str>),
    /// The job left its slot, which would have put it on hold before HTCondor 25.8 (004).
    Vacated {
        /// VacateReasonCode, one of those of holds.
        code: i32,
        /// VacateReasonSubCode; `None` for those of a code together.
        subcode: Option<i32>,
    },
    /// The job lost its slot (004, 024).
    Evicted,
    /// The shadow gave up (007).
    ShadowException,
}

impl Serialize for FailureCause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

impl FailureCause {
    /// What the code of a hold means, a clause; of a kind of cause that says it by its name nothing.
    pub fn meaning(&self) -> Option<&'static str> {
        match self {
            Self::Hold { code, .. } | Self::Vacated { code, .. } => {
                HoldCode::of(*code).map(|code| code.meaning)
            }
            _ => None,
        }
    }

    /// Why a job left its slot, by VacateReasonCode and VacateReasonSubCode where they are known.
    pub fn of_vacate(code: Option<(i32, i32)>) -> Self {
        match code {
            Some((code, subcode)) if (1..VACATE_BASE).contains(&code) => {
                Self::Vacated { code, subcode: Some(subcode) }
            }
            _ => Self::Evicted,
        }
    }

    /// An exit code or a signal with the line that the program wrote; another cause as it is.
    pub fn saying(&self, line: Arc<str>) -> Self {
        match *self {
            Self::Exit(Some(code)) => Self::ExitSaying(code, line),
            Self::Signal(Some(signal)) => Self::SignalSaying(signal, line),
            _ => self.clone(),
        }
    }

    /// The cause without what the program wrote, if it has that.
    pub fn unsaid(&self) -> Option<Self> {
        match *self {
            Self::ExitSaying(code, _) => Some(Self::Exit(Some(code))),
            Self::SignalSaying(signal, _) => Some(Self::Signal(Some(signal))),
            _ => None,
        }
    }

    /// The kind of cause, without what tells causes of a kind apart.
    pub fn kind(&self) -> Self {
        match *self {
            Self::Hold { code, .. } => Self::Hold { code, subcode: None },
            Self::Vacated { code, .. } => Self::Vacated { code, subcode: None },
            Self::Exit(_) | Self::ExitSaying(..) => Self::Exit(None),
            Self::Signal(_) | Self::SignalSaying(..) => Self::Signal(None),
            Self::Evicted | Self::ShadowException => self.clone(),
        }
    }

    /// Its name: `held 13/256 TransferInputError`, `vacated 13/256 TransferInputError`, `exit 75`,
    /// `exit 1: "KeyError: 'x'"`, `signal 9`, `evicted`.
    pub fn name(&self) -> String {
        match *self {
            Self::Hold { code, subcode } => format!("held {}", hold_code::coded(code, subcode)),
            Self::Vacated { code, subcode } => {
                format!("vacated {}", hold_code::coded(code, subcode))
            }
            Self::Exit(Some(code)) => format!("exit {code}"),
            Self::ExitSaying(code, ref line) => format!("exit {code}: {}", quoted(line)),
            Self::Exit(None) => "exit with another code than 0".to_owned(),
            Self::Signal(Some(signal)) => format!("signal {signal}"),
            Self::SignalSaying(signal, ref line) => format!("signal {signal}: {}", quoted(line)),
            Self::Signal(None) => "ended by a signal".to_owned(),
            Self::Evicted => "evicted".to_owned(),
            Self::ShadowException => "shadow exception".to_owned(),
        }
    }
}

/// What a program wrote.
fn quoted(line: &str) -> String {
    Foreign::from(line).quoted(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_kinds() {
        let hold = FailureCause::Hold { code: 13, subcode: Some(256) };
        assert_eq!(hold.name(), "held 13/256 TransferInputError");
        assert_eq!(hold.kind().name(), "held 13 TransferInputError");
        assert_eq!(FailureCause::Hold { code: 99, subcode: None }.name(), "held 99");
        assert_eq!(FailureCause::Exit(Some(75)).kind().name(), "exit with another code than 0");
        assert_eq!(FailureCause::Evicted.kind(), FailureCause::Evicted);
        let vacated = FailureCause::of_vacate(Some((13, 256)));
        assert_eq!(vacated.name(), "vacated 13/256 TransferInputError");
        assert_eq!(vacated.kind().name(), "vacated 13 TransferInputError");
        for no_hold in [None, Some((1009, 0)), Some((0, 0)), Some((-1, 0))] {
            assert_eq!(FailureCause::of_vacate(no_hold), FailureCause::Evicted);
        }
    }
}
