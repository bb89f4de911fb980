//! The action that the hidden cause of failures calls for.

use std::collections::BTreeMap;

use holdadvise::workflow::Recovery;
use holdadvise_simulate::{Cause, Reach};

/// What a cause calls for.
fn of_cause(cause: Cause) -> Recovery {
    match cause {
        // More memory ends both, also where it varies and a retry might do.
        Cause::MemoryTooSmall | Cause::MemoryVaries => Recovery::Memory,
        // The unit of work is too large for what a site or the access point allows.
        Cause::TooLong | Cause::TooLargeInput | Cause::TooLargeOutput | Cause::DiskTooSmall => {
            Recovery::Split
        }
        // It stays until a person changes the files, the program or the submit description.
        _ if !cause.is_transient() => Recovery::GiveUp,
        // It lies in the place.
        _ if matches!(cause.reach(), Reach::Host | Reach::Site) => Recovery::Elsewhere,
        // It passes by itself.
        _ => Recovery::Retry,
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
    Some((of_cause(cause), counts.contains_key(&Cause::MemoryTooSmall)))
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
            assert_eq!(of_cause(cause), recovery, "{cause:?}");
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
