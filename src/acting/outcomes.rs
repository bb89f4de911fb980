//! What the releases of a journal came to, beside what was expected of them.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use crate::advice::{Costs, Recommendation};
use crate::journal::{ActStep, Advised, Did, Entry, EntryKind, Result};

/// Releases with one code, version of HTCondor and recommendation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ReleaseFigures {
    /// Releases.
    pub released: usize,
    /// Those whose end is known: success or failure.
    pub ended: usize,
    /// Those that succeeded.
    pub succeeded: usize,
    /// Of the ended ones that had a probability: how many, and its mean, 0 to 1.
    pub expected: Option<f64>,
    /// Their share of successes.
    pub observed: Option<f64>,
    /// Mean squared difference of probability and outcome (Brier 1950), 0 to 1.
    pub brier: Option<f64>,
    /// Hours a hold that failed releases lost.
    pub hours: Option<f64>,
    /// Hours a hold, had these jobs been left held.
    pub hours_left: Option<f64>,
    /// Hours a hold, had all jobs been released that could have been: each release stands for as
    /// many jobs as it was drawn from.
    pub hours_all: Option<f64>,
    #[serde(skip)]
    sums: Sums,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sums {
    with_probability: usize,
    probability: f64,
    succeeded: usize,
    squares: f64,
    /// Releases by the inverse of their chance, and the failed ones among them.
    weight: f64,
    failed_weight: f64,
}

/// What releases are put together by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Group {
    /// HoldReasonCode.
    pub hold_reason_code: Option<i32>,
    /// HoldReasonSubCode.
    pub hold_reason_sub_code: Option<i32>,
    /// CondorVersion of the access point.
    pub condor_version: Option<String>,
    /// The recommendation.
    pub advice: Recommendation,
}

impl ReleaseFigures {
    fn add(&mut self, advised: &Advised, success: Option<bool>) {
        self.released += 1;
        let Some(success) = success else { return };
        self.ended += 1;
        self.succeeded += usize::from(success);
        let weight = 1.0 / advised.chance.clamp(1e-6, 1.0);
        self.sums.weight += weight;
        self.sums.failed_weight += if success { 0.0 } else { weight };
        if let Some(p) = advised.probability {
            let outcome = f64::from(u8::from(success));
            self.sums.with_probability += 1;
            self.sums.probability += p;
            self.sums.succeeded += usize::from(success);
            self.sums.squares += (p - outcome).powi(2);
        }
    }

    fn settled(mut self, costs: &Costs) -> Self {
        let mean = |sum: f64, count: usize| (count > 0).then(|| sum / count as f64);
        let sums = self.sums;
        self.expected = mean(sums.probability, sums.with_probability);
        self.observed = mean(sums.succeeded as f64, sums.with_probability);
        self.brier = mean(sums.squares, sums.with_probability);
        let failed = (self.ended - self.succeeded) as f64;
        self.hours = mean(failed * costs.failed, self.ended);
        self.hours_left = mean(self.succeeded as f64 * costs.delay, self.ended);
        self.hours_all =
            (sums.weight > 0.0).then(|| sums.failed_weight / sums.weight * costs.failed);
        self
    }
}

/// The releases of a journal, by group, and all together. Removals are none: what they cost is not
/// known.
pub fn outcomes(
    entries: &[Entry],
    costs: &Costs,
) -> (BTreeMap<Group, ReleaseFigures>, ReleaseFigures) {
    let mut advised: HashMap<&str, &Advised> = HashMap::new();
    let mut released: BTreeMap<&str, Option<bool>> = BTreeMap::new();
    for Entry { what, .. } in entries {
        match what {
            EntryKind::Advice(advice) => {
                advised.insert(&advice.id, advice);
            }
            EntryKind::Act(act)
                if act.step == ActStep::Done && matches!(act.did, Did::Release | Did::Change) =>
            {
                if let Some(id) = act.id.as_deref() {
                    released.insert(id, None);
                }
            }
            EntryKind::Outcome(ended) => {
                if let Some(known) = released.get_mut(ended.id.as_str()) {
                    match ended.result {
                        Result::Success => *known = Some(true),
                        Result::Failure => *known = Some(false),
                        Result::Through | Result::Censored => {}
                    }
                }
            }
            _ => {}
        }
    }
    let mut groups: BTreeMap<Group, ReleaseFigures> = BTreeMap::new();
    let mut all = ReleaseFigures::default();
    for (id, success) in released {
        let Some(advice) = advised.get(id) else { continue };
        let group = Group {
            hold_reason_code: advice.hold_reason_code,
            hold_reason_sub_code: advice.hold_reason_sub_code,
            condor_version: advice.condor_version.clone(),
            advice: advice.advice,
        };
        groups.entry(group).or_default().add(advice, success);
        all.add(advice, success);
    }
    let groups = groups.into_iter().map(|(group, figures)| (group, figures.settled(costs)));
    (groups.collect(), all.settled(costs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Act, ActOutcome, HoldOf, VERSION};
    use eventlog::JobId;

    fn released(n: i32, probability: f64, chance: f64, result: Option<Result>) -> Vec<Entry> {
        let id = format!("a{n}");
        let hold =
            HoldOf { job: JobId::new(1, n), num_holds: Some(1), entered_current_status: None };
        let advised = Advised {
            probability: Some(probability),
            chance,
            condor_version: Some("25.14.1".to_owned()),
            ..crate::acting::samples::advised(&id, hold)
        };
        let act = Act {
            id: Some(id.clone()),
            hold,
            did: Did::Release,
            step: ActStep::Done,
            action: None,
            edits: Vec::new(),
            detail: None,
        };
        let ended = result.map(|result| ActOutcome {
            id,
            hold,
            result,
            at: 20,
            held_for: None,
            took: None,
        });
        let whats = [
            Some(EntryKind::Advice(advised)),
            Some(EntryKind::Act(act)),
            ended.map(EntryKind::Outcome),
        ];
        whats.into_iter().flatten().map(|what| Entry { version: VERSION, time: 10, what }).collect()
    }

    #[test]
    fn shares_and_hours_are_of_what_ended() {
        let entries = [
            released(0, 0.8, 1.0, Some(Result::Success)),
            released(1, 0.8, 1.0, Some(Result::Success)),
            released(2, 0.4, 0.1, Some(Result::Failure)),
            released(3, 0.9, 1.0, Some(Result::Through)),
            released(4, 0.9, 1.0, None),
            released(5, 0.9, 1.0, Some(Result::Censored)),
        ];
        let costs = Costs { failed: 3.0, delay: 6.0, ..Costs::default() };
        let (groups, all) = outcomes(&entries.concat(), &costs);
        assert_eq!(groups.len(), 1);
        assert_eq!(groups.into_values().next(), Some(all));
        assert_eq!((all.released, all.ended, all.succeeded), (6, 3, 2));
        let near = |value: Option<f64>, expected: f64| (value.unwrap() - expected).abs() < 1e-9;
        assert!(near(all.expected, 2.0 / 3.0) && near(all.observed, 2.0 / 3.0));
        assert!(near(all.brier, (0.04 + 0.04 + 0.16) / 3.0));
        assert!(near(all.hours, 1.0) && near(all.hours_left, 4.0));
        // The one that failed stood for ten.
        assert!(near(all.hours_all, 10.0 / 12.0 * 3.0));
    }
}
