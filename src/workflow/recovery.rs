//! What to do about a workflow whose runs fail: what a model says, where the view confirms it.

use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fit::met_limit;
use super::matrix::{place, resolved};
use super::{By, Counts, End, JobRun, RecoveryModel, Suspect};
use crate::history::History;
use crate::metrics::Band;
use crate::sizes::Resource;
use eventlog::JobId;

/// Failed runs of which a model is asked: it was trained on workflows with 10 to 300. That it holds
/// for three times as many is assumed.
pub(super) const FAILED: RangeInclusive<usize> = 10..=1_000;

/// What to do about a workflow whose jobs fail.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema, Deserialize,
)]
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
    /// Nothing of these helps: a person has to change the workflow.
    GiveUp,
}

impl Recovery {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 5] =
        [Self::Retry, Self::Elsewhere, Self::Memory, Self::Split, Self::GiveUp];

    /// The word printed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Elsewhere => "elsewhere",
            Self::Memory => "memory",
            Self::Split => "split",
            Self::GiveUp => "give up",
        }
    }
}

/// The action for a workflow, and how likely it is the right one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Recovering {
    /// What to do.
    pub action: Recovery,
    /// How likely it is the right one; at least [`Band::Likely`].
    pub right: Band,
    /// How likely the request for memory must change; `None` where no job met its limit of memory.
    pub memory: Option<Band>,
    /// What the model was trained on.
    pub trained_on: String,
}

/// What runs show of what to do about them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The runs, counted.
    #[serde(flatten)]
    pub counts: Counts,
    /// Clusters that they are of.
    pub clusters: usize,
    /// Failed runs at suspected places, of what these are suspected for.
    pub there: usize,
    /// Failed runs of jobs that met their limit of memory.
    pub at_memory: usize,
    /// Failed runs of jobs that met their limit of disk.
    pub at_disk: usize,
}

impl Shown {
    /// What these runs show until `now`, Unix seconds. `suspects`: places that they are suspected
    /// at.
    pub fn of(history: &History, runs: &[JobRun], suspects: &[Suspect], by: By, now: i64) -> Self {
        let by = resolved(runs, by);
        let clusters: BTreeSet<i32> = runs.iter().map(|run| run.job.cluster).collect();
        let mut shown =
            Self { counts: Counts::of(runs), clusters: clusters.len(), ..Self::default() };
        // Of others nothing is said.
        if !FAILED.contains(&shown.counts.failures()) {
            return shown;
        }
        let mut met: HashMap<JobId, [bool; 2]> = HashMap::new();
        for run in runs {
            let End::Failed(cause) = &run.end else { continue };
            let [memory, disk] = *met.entry(run.job).or_insert_with(|| {
                let job = history.job(run.job);
                Resource::ALL.map(|of| job.is_some_and(|job| met_limit(history, job, now, of)))
            });
            let at = place(run, by);
            let is_there = |one: &Suspect| one.place == at && one.is_for(cause);
            shown.there += usize::from(suspects.iter().any(is_there));
            shown.at_memory += usize::from(memory);
            shown.at_disk += usize::from(disk);
        }
        shown
    }

    /// What a model says of one workflow, where nothing that is shown speaks against it. `thrashes`:
    /// jobs start and leave their slots again and again by their own fault.
    pub fn recovering(&self, model: &RecoveryModel, thrashes: bool) -> Option<Recovering> {
        let known = model.vocabulary().known_holds(&self.counts);
        let is_known = self.is_most(known) || self.is_most(self.at_memory);
        if !FAILED.contains(&self.counts.failures()) || !is_known {
            return None;
        }
        let said = model.say(&self.counts);
        let (action, probability) = said.most();
        let right = Band::of(probability);
        let is_said = right >= Band::Likely && self.confirms(action, thrashes);
        let memory = (self.at_memory > 0).then(|| Band::of(said.memory));
        let trained_on = model.trained_on().to_owned();
        is_said.then_some(Recovering { action, right, memory, trained_on })
    }

    /// So many of the failed runs are most of them.
    fn is_most(&self, runs: usize) -> bool {
        2 * runs > self.counts.failures()
    }

    /// The view confirms an action. Bad places call for `elsewhere`, limits of memory for `memory`:
    /// where none failed of these, that is not confirmed, and where most did, no other is.
    fn confirms(&self, action: Recovery, thrashes: bool) -> bool {
        let is = |of: Recovery, runs: usize| match action == of {
            true => runs > 0,
            false => !self.is_most(runs),
        };
        is(Recovery::Elsewhere, self.there)
            && is(Recovery::Memory, self.at_memory)
            && !self.is_most(self.at_disk)
            && !(action == Recovery::Retry && thrashes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::counts::{Cell, MatrixLayout, Vocabulary};
    use super::super::recovery_model::tests::always;
    use super::*;

    /// Failed runs of a cause that the model knows.
    fn failed(runs: u32) -> Shown {
        let cell = Cell {
            kind: "held 6".to_owned(),
            cause: "held 6/2".to_owned(),
            site: "A".to_owned(),
            runs,
        };
        let counts = Counts { failed: vec![cell], others: Vec::new() };
        Shown { counts, clusters: 1, ..Shown::default() }
    }

    fn knowing(shown: &Shown) -> Vocabulary {
        let layout = MatrixLayout { grouped: false, named: false };
        Vocabulary::of([&shown.counts].into_iter(), layout)
    }

    /// What is said where the model says this action.
    fn said(shown: &Shown, action: Recovery, logit: f32, thrashes: bool) -> Option<Recovering> {
        let model = always(knowing(&failed(1)), action, logit);
        shown.recovering(&model, thrashes)
    }

    #[test]
    fn what_is_likely_is_said_of_ten_or_more_failed_runs_of_known_causes() {
        let of = |shown: &Shown, logit| said(shown, Recovery::GiveUp, logit, false);
        let give_up = of(&failed(10), 3.0).unwrap();
        assert_eq!((give_up.action, give_up.right), (Recovery::GiveUp, Band::VeryLikely));
        assert_eq!((give_up.memory, give_up.trained_on.as_str()), (None, "tests"));
        assert_eq!(of(&failed(10), 1.0).unwrap().right, Band::Likely);
        assert_eq!(of(&failed(10), 0.5), None);
        assert_eq!(of(&failed(9), 3.0), None);
        assert!(of(&failed(1_000), 3.0).is_some());
        assert_eq!(of(&failed(1_001), 3.0), None);
        let mut unknown = failed(10);
        unknown
            .counts
            .failed
            .push(Cell { cause: "exit 1".to_owned(), ..unknown.counts.failed[0].clone() });
        assert_eq!(of(&unknown, 3.0), None);
        // What is named as lack of memory is known.
        let at_memory = Shown { at_memory: 11, ..unknown };
        assert!(said(&at_memory, Recovery::Memory, 3.0, false).is_some());
    }

    #[test]
    fn places_and_limits_that_are_shown_go_before_what_the_model_says() {
        let shown = |there, at_memory, at_disk| Shown { there, at_memory, at_disk, ..failed(12) };
        let actions = |shown: &Shown| -> Vec<Recovery> {
            let is_said = |action: &Recovery| said(shown, *action, 3.0, false).is_some();
            Recovery::ALL.into_iter().filter(is_said).collect()
        };
        let [retry, elsewhere, memory, split, give_up] = Recovery::ALL;
        assert_eq!(actions(&shown(0, 0, 0)), [retry, split, give_up]);
        assert_eq!(actions(&shown(1, 1, 1)), Recovery::ALL);
        assert_eq!(actions(&shown(6, 6, 6)), Recovery::ALL);
        assert_eq!(actions(&shown(7, 0, 0)), [elsewhere]);
        assert_eq!(actions(&shown(0, 7, 0)), [memory]);
        assert_eq!(actions(&shown(7, 7, 0)), []);
        assert_eq!(actions(&shown(1, 1, 7)), []);
        assert_eq!(said(&shown(0, 0, 0), retry, 3.0, true), None);
        assert!(said(&shown(0, 0, 0), split, 3.0, true).is_some());
        let band = said(&shown(0, 1, 0), split, 3.0, false).unwrap().memory;
        assert_eq!(band, Some(Band::VeryUnlikely));
    }
}
