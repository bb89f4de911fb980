//! Why nothing is recommended.

use schemars::JsonSchema;
use serde::Serialize;

use super::never::AgainstRemoval as Against;
use crate::catalogue::Trouble;

/// Why nothing is recommended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "Kind", rename_all_fields = "PascalCase")]
pub enum Undecided {
    /// A log shows that the hold of its ad is over.
    Over,
    /// A person put it on hold.
    HeldByPerson,
    /// The model was trained on too few releases after this code.
    UnknownCode {
        /// Releases that it was trained on.
        releases: u64,
    },
    /// The model is less sure than it must be for a release or a removal.
    Unsure {
        /// What it must be, 0 to 1.
        least: f64,
    },
    /// The model was hardly trained on releases without a change.
    NoReleases,
    /// Releases that ended in a hold like this one speak against another, and nothing else changed.
    FailedBefore {
        /// How many in a row.
        releases: usize,
    },
    /// A change is likely to help, and nothing names it.
    NotNamed,
    /// Its hold reason names what stays until somebody acts.
    Lasting {
        /// What that is.
        trouble: Trouble,
    },
    /// No action is likely to help, and something stands against a removal.
    NotRemoved {
        /// What does.
        against: Against,
    },
    /// Nobody was ever seen to get through to the server of its URL.
    NeverReached {
        /// Its name could not be resolved; else it did not answer.
        unresolved: bool,
        /// How often that failed.
        tries: usize,
        /// Seconds since the first of these.
        seconds: i64,
    },
    /// A release would be likely enough, were the sources at hand that are missing.
    Sources,
    /// No action is likely enough, and none so unlikely that a removal is the cheaper choice.
    Between {
        /// A release is worth it from this probability of success on, 0 to 1.
        release: f64,
        /// A removal is worth it below this one, 0 to 1.
        remove: f64,
    },
}
