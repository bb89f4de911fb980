//! The states a job slot of the tensor can be in.

use crate::history::{Exit, JobHistory, What};

/// The state of a job slot in a frame: an index below [`State::COUNT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State(u8);

/// States that are not a hold, in the order of their index.
const NAMES: [&str; 16] = [
    "not-observed",
    "not-submitted",
    "idle",
    "input-queued",
    "input-transfer",
    "input-transferred",
    "executing",
    "suspended",
    "disconnected",
    "output-transfer",
    "output-transferred",
    "idle-after-eviction",
    "idle-after-release",
    "exited-0",
    "exited-otherwise",
    "removed",
];

/// Hold reason codes with a state of their own: 0 to this, less one (`condor_holdcodes.h` ends at
/// 49).
const HOLD_CODES: u8 = 50;

impl State {
    /// No log at hand tells of the job at that time, or the slot is empty.
    pub const NOT_OBSERVED: Self = Self(0);
    /// A log at hand tells of the job later, from its submission on.
    pub const NOT_SUBMITTED: Self = Self(1);
    /// e: how many states there are. The last is a hold with a code beyond those HTCondor 25 has.
    pub const COUNT: usize = NAMES.len() + HOLD_CODES as usize + 1;

    /// The state with this index.
    pub const fn index(self) -> u8 {
        self.0
    }

    /// Held for this HoldReasonCode.
    pub fn held(code: i32) -> Self {
        let code = u8::try_from(code).unwrap_or(HOLD_CODES).min(HOLD_CODES);
        Self(NAMES.len() as u8 + code)
    }

    /// The state a job is in behind this step.
    pub fn after(what: What) -> Self {
        match what {
            What::Submitted => Self(2),
            What::InputQueued => Self(3),
            What::InputStarted => Self(4),
            What::InputFinished => Self(5),
            What::Executing(_) | What::Unsuspended | What::Reconnected => Self(6),
            What::Suspended => Self(7),
            What::Disconnected => Self(8),
            What::OutputStarted => Self(9),
            What::OutputFinished => Self(10),
            What::Evicted(_) | What::ShadowException => Self(11),
            What::Released { .. } => Self(12),
            What::Terminated(Exit::Success) => Self(13),
            What::Terminated(Exit::Unknown) => Self::NOT_OBSERVED,
            What::Terminated(_) => Self(14),
            What::Removed => Self(15),
            What::Held(hold) => Self::held(hold.code),
        }
    }

    /// The state `job` is in at `check`, of its first `steps` steps.
    pub fn at(job: &JobHistory, steps: usize, check: i64) -> Self {
        let steps = &job.steps[..steps.min(job.steps.len())];
        match steps[..steps.partition_point(|step| step.time <= check)].last() {
            Some(step) => Self::after(step.what),
            None if steps.first().is_some_and(|step| step.what == What::Submitted) => {
                Self::NOT_SUBMITTED
            }
            None => Self::NOT_OBSERVED,
        }
    }

    /// The names of all states, in the order of their index.
    pub fn names() -> Vec<String> {
        let held = (0..HOLD_CODES).map(|code| format!("held-{code}"));
        let other = std::iter::once("held-other".to_owned());
        NAMES.iter().map(|&name| name.to_owned()).chain(held).chain(other).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_a_name() {
        assert_eq!(State::names().len(), State::COUNT);
        assert_eq!(State::names()[usize::from(State::held(13).index())], "held-13");
        assert_eq!(State::names()[usize::from(State::held(1002).index())], "held-other");
        assert_eq!(State::held(-1), State::held(1000));
        assert!(usize::from(State::held(-1).index()) < State::COUNT);
        assert_eq!(State::names()[usize::from(State::after(What::Removed).index())], "removed");
    }
}
