//! What was done about a hold, and what came of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was done before a held job was released.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Released as it was.
    AsIs,
    /// RequestMemory was raised.
    Memory,
    /// RequestDisk was raised.
    Disk,
    /// Where it may run was changed (Requirements, site lists).
    Site,
    /// Something else was edited or corrected.
    Other,
    /// Nothing is known of an edit: a log alone does not tell.
    Unknown,
}

impl Action {
    /// All actions, in the order of their column in the statics.
    pub const ALL: [Self; 6] =
        [Self::AsIs, Self::Memory, Self::Disk, Self::Site, Self::Other, Self::Unknown];

    /// The word printed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AsIs => "as-is",
            Self::Memory => "memory",
            Self::Disk => "disk",
            Self::Site => "site",
            Self::Other => "other",
            Self::Unknown => "unknown",
        }
    }
}

/// What the first terminal event after a release was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Terminated with exit code 0.
    Success,
    /// Terminated otherwise, or held again by the system or a policy.
    Failure,
    /// Held again by a person, removed, undecided within the horizon, or the log ends.
    Censored,
}
