//! The attempts of a job: each start, where it was, and what ended it.

use super::{Exit, Hold, JobHistory, Known, Symbol, What};

/// Seconds between the event that an attempt left its slot and that of the hold which ended it.
/// Assumed.
const JUST_LEFT: i64 = 60;

/// One attempt: from when its input was on its way, or it began to execute, until it left its slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    /// The machine, where the log names it.
    pub(crate) machine: Option<Symbol>,
    /// The site, where the log or an ad has it: noted at the start, or at the end by its ad.
    pub(crate) site: Option<Symbol>,
    /// When it began, Unix seconds.
    pub(crate) began: i64,
    /// When its program was started.
    pub(crate) executed: Option<i64>,
    /// When it ended, or the instant until which it was looked at.
    pub(crate) ended: i64,
    /// What ended it.
    pub(crate) end: AttemptEnd,
}

/// What ended an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum AttemptEnd {
    /// The program did.
    Exited(Exit),
    /// The job was put on hold. An attempt that left its slot just before was ended by that.
    Held(Hold),
    /// The job lost its slot and is idle again, for this code and subcode where the log has them.
    Evicted(Option<(i32, i32)>),
    /// Its shadow failed.
    ShadowException,
    /// The job was removed.
    Removed,
    /// Nothing: it goes on.
    Running,
}

/// The attempts of a job until `now` (Unix seconds), in their order. A hold by HTCondor before any
/// start is one too: its input did not arrive.
pub(crate) fn attempts(job: &JobHistory, now: i64) -> Vec<Attempt> {
    let mut found: Vec<Attempt> = Vec::new();
    let begin = |machine, began, executed| Attempt {
        machine,
        site: None,
        began,
        executed,
        ended: began,
        end: AttemptEnd::Running,
    };
    let mut begun: Option<Attempt> = None;
    for step in job.steps_until(now) {
        let at = step.time;
        let end = match step.what {
            What::InputStarted => {
                begun.get_or_insert(begin(None, at, None));
                continue;
            }
            What::Executing(machine) => {
                begun = Some(begin(machine, begun.map_or(at, |attempt| attempt.began), Some(at)));
                continue;
            }
            What::Terminated(exit) => AttemptEnd::Exited(exit),
            What::Held(hold) => AttemptEnd::Held(hold),
            What::Evicted(code) => AttemptEnd::Evicted(code),
            What::ShadowException => AttemptEnd::ShadowException,
            What::Removed => AttemptEnd::Removed,
            _ => continue,
        };
        let attempt = match (begun.take(), end) {
            (Some(attempt), _) => attempt,
            (None, AttemptEnd::Held(hold)) => {
                let just_left = |last: &mut Attempt| {
                    at - last.ended <= JUST_LEFT
                        && matches!(last.end, AttemptEnd::Evicted(_) | AttemptEnd::ShadowException)
                };
                match found.pop_if(just_left) {
                    Some(last) => last,
                    None if hold.is_by_system() => begin(None, at, None),
                    None => continue,
                }
            }
            (None, _) => continue,
        };
        found.push(Attempt { ended: at, end, ..attempt });
    }
    found.extend(begun.map(|attempt| Attempt { ended: now, ..attempt }));
    for attempt in &mut found {
        attempt.site = Known::last_at(&job.sites, attempt.ended);
    }
    found
}
