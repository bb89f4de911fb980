//! What being wrong costs: what the caller says, settings, and else what the model's thresholds stand for.

use std::str::FromStr;

use super::config::{Config, SettingError};
use crate::advice::Costs;
use crate::model::Thresholds;

/// One of the costs, as `failed=2`: hours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostChange {
    kind: Kind,
    /// Hours.
    hours: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Failed,
    Delay,
    Keep,
    Work,
    Person,
}

/// Each cost with its word and its setting.
const KINDS: [(Kind, &str, &str); 5] = [
    (Kind::Failed, "failed", "HOLDADVISE_COST_FAILED_HOURS"),
    (Kind::Delay, "delay", "HOLDADVISE_COST_DELAY_HOURS"),
    (Kind::Keep, "keep", "HOLDADVISE_COST_KEEP_HOURS"),
    (Kind::Work, "work", "HOLDADVISE_COST_WORK_HOURS"),
    (Kind::Person, "person", "HOLDADVISE_COST_PERSON_HOURS"),
];

/// More hours than this, a thousand years, are a slip.
const MOST_HOURS: f64 = 1e7;

/// A text is no cost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not failed=HOURS, delay=HOURS, keep=HOURS, work=HOURS or person=HOURS with a number of hours \
     from 0 on"
)]
pub struct NoCost;

impl FromStr for CostChange {
    type Err = NoCost;

    fn from_str(text: &str) -> Result<Self, NoCost> {
        let (name, value) = text.split_once('=').ok_or(NoCost)?;
        let kind = KINDS.iter().find(|(_, word, _)| word.eq_ignore_ascii_case(name.trim()));
        let &(kind, ..) = kind.ok_or(NoCost)?;
        Ok(Self { kind, hours: hours(value.trim()).ok_or(NoCost)? })
    }
}

/// A number of hours, 0 or more.
pub(super) fn hours(text: &str) -> Option<f64> {
    text.parse().ok().filter(|hours| (0.0..=MOST_HOURS).contains(hours))
}

/// The costs to decide by: those the model's thresholds stand for, changed by the settings and
/// those by `changes`.
///
/// # Errors
/// [`SettingError`] for a setting that is no number of hours.
pub(crate) fn costs(
    changes: &[CostChange],
    config: &Config,
    thresholds: Thresholds,
) -> Result<Costs, SettingError> {
    let mut set = Vec::new();
    for (kind, _, setting) in KINDS {
        set.extend(config.hours(setting)?.map(|hours| CostChange { kind, hours }));
    }
    Ok(changed(Costs::of(thresholds), set.into_iter().chain(changes.iter().copied())))
}

/// The costs that the settings and the model's thresholds stand for.
///
/// # Errors
/// [`SettingError`] for a setting that is no number of hours.
pub fn costs_of(config: &Config, thresholds: Thresholds) -> Result<Costs, SettingError> {
    costs(&[], config, thresholds)
}

fn changed(mut costs: Costs, changes: impl Iterator<Item = CostChange>) -> Costs {
    for CostChange { kind, hours } in changes {
        *match kind {
            Kind::Failed => &mut costs.failed,
            Kind::Delay => &mut costs.delay,
            Kind::Keep => &mut costs.keep,
            Kind::Work => &mut costs.work,
            Kind::Person => &mut costs.person,
        } = hours;
    }
    costs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn later_changes_win() {
        let read = |words: [&str; 3]| words.map(|word| word.parse::<CostChange>().unwrap());
        let costs =
            changed(Costs::default(), read(["failed=2", "Keep = 0", "failed=0.5"]).into_iter());
        assert_eq!(costs, Costs { failed: 0.5, keep: 0.0, ..Costs::default() });
    }

    #[test]
    fn what_is_no_cost() {
        for text in [
            "failed",
            "failed=",
            "failed=-1",
            "failed=inf",
            "failed=NaN",
            "failed=1e9",
            "slot=1",
            "=1",
        ] {
            assert_eq!(text.parse::<CostChange>(), Err(NoCost), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in any::<String>()) {
            let _ = text.parse::<CostChange>();
        }
    }
}
