//! The action that the hidden cause of failures calls for.

use std::collections::BTreeMap;

use holdadvise_simulate::{Cause, Reach};
use serde::{Deserialize, Serialize};

/// What to do about a workflow whose jobs fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Recovery {
    /// Run the failed jobs again as they are.
    Retry,
    /// Run them at other sites or machines.
    Elsewhere,
    /// Ask for more memory.
    Memory,
    /// Split the work into smaller jobs.
    Split,
    /// Nothing of these helps: the owner has to change the workflow.
    GiveUp,
}

impl Recovery {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 5] =
        [Self::Retry, Self::Elsewhere, Self::Memory, Self::Split, Self::GiveUp];

    /// The word printed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Elsewhere => "elsewhere",
            Self::Memory => "memory",
            Self::Split => "split",
            Self::GiveUp => "give up",
        }
    }

    /// What a cause calls for.
    #[must_use]
    pub fn of(cause: Cause) -> Self {
        match cause {
            // More memory ends both, also where it varies and a retry might do.
            Cause::MemoryTooSmall | Cause::MemoryVaries => Self::Memory,
            // The unit of work is too large for what a site or the access point allows.
            Cause::TooLong | Cause::TooLargeInput | Cause::TooLargeOutput | Cause::DiskTooSmall => {
                Self::Split
            }
            // It stays until a person changes the files, the program or the submit description.
            _ if !cause.is_transient() => Self::GiveUp,
            // It lies in the place.
            _ if matches!(cause.reach(), Reach::Host | Reach::Site) => Self::Elsewhere,
            // It passes by itself.
            _ => Self::Retry,
        }
    }
}

/// The action for a workflow by the hidden causes of its holds, and whether its memory must change:
/// a job among them needs more than it asks for in most runs. `None` where no hold is by the
/// system.
pub(super) fn label(causes: impl Iterator<Item = Cause>) -> Option<(Recovery, bool)> {
    let mut counts: BTreeMap<Cause, usize> = BTreeMap::new();
    for cause in causes.filter(|cause| !matches!(cause, Cause::Person | Cause::Spooling)) {
        *counts.entry(cause).or_default() += 1;
    }
    let (&cause, _) = counts.iter().rev().max_by_key(|(_, count)| **count)?;
    Some((Recovery::of(cause), counts.contains_key(&Cause::MemoryTooSmall)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_calls_for_what_ends_it() {
        for (cause, recovery) in [
            (Cause::ServiceOutage, Recovery::Retry),
            (Cause::Flaky, Recovery::Retry),
            (Cause::NotYetProduced, Recovery::Retry),
            (Cause::BadHost, Recovery::Elsewhere),
            (Cause::SiteLacksSoftware, Recovery::Elsewhere),
            (Cause::MemoryVaries, Recovery::Memory),
            (Cause::TooLong, Recovery::Split),
            (Cause::DiskVaries, Recovery::Retry),
            (Cause::Bug, Recovery::GiveUp),
        ] {
            assert_eq!(Recovery::of(cause), recovery, "{cause:?}");
        }
    }

    #[test]
    fn the_most_frequent_cause_decides_and_persons_do_not_count() {
        let causes = [Cause::Person, Cause::Person, Cause::Bug, Cause::MemoryTooSmall, Cause::Bug];
        assert_eq!(label(causes.into_iter()), Some((Recovery::GiveUp, true)));
        assert_eq!(label([Cause::MemoryVaries].into_iter()), Some((Recovery::Memory, false)));
        assert_eq!(label([Cause::Person].into_iter()), None);
    }
}
