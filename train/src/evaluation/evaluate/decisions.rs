//! What follows from probabilities: which choice is made of each held job, and what that costs.
//!
//! Each method makes the cheapest choice by its own probabilities ([`Costs`]), all with
//! the same costs; the choice is judged by what is true. The advisor's further rules for removals
//! (time on hold, failed releases, kind of cause) are no part of this: it judges the model.

use std::collections::HashMap;
use std::fmt;

use holdadvise::advice::Costs;
use holdadvise::history::Action;
use holdadvise::model::Model;
use serde::{Deserialize, Serialize};

use super::method::predict;
use crate::Error;
use crate::data::dataset::Dataset;
use holdadvise::metrics::{Estimate, draw_sums};

/// From this true probability of its best action on a job is one that an action would finish.
const FINISHES: f64 = 0.5;

/// What is known of the holds that are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Known {
    /// The true probability of every action that makes a difference.
    EveryAction,
    /// The outcome of the release that happened, and of nothing else: the choices are that release
    /// and leaving the job held.
    OneRelease,
}

/// What the decisions of a method come to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodDecisions {
    /// `model`, or what decides in its place.
    pub name: String,
    /// Holds of which it advises to remove the job.
    pub removals: usize,
    /// Of these the ones whose best action succeeds with a probability of 0.5 or more.
    pub harmful_removals: usize,
    /// Releases and changes that it advises.
    pub releases: usize,
    /// How many of them fail; expected, where probabilities are known.
    pub failed_releases: Estimate,
    /// Hours a hold.
    pub cost: Estimate,
}

/// Decisions on holds of the test part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decisions {
    /// What is known of them.
    pub known: Known,
    /// Holds, each at each instant that is known of.
    pub holds: usize,
    /// Different clusters among them.
    pub clusters: usize,
    /// The model first.
    pub methods: Vec<MethodDecisions>,
}

/// A held job at an instant: rows of the dataset, one for each action.
type Situation = Vec<usize>;

/// One that chooses.
enum Chooser<'a> {
    /// By probabilities of the rows, as far as it knows their action.
    Probabilities(&'a HashMap<usize, f64>, &'a dyn Fn(Action) -> bool),
    Release,
    Leave,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Choice {
    /// Releasing after the action of this row.
    Release(usize),
    Leave,
    Remove,
}

/// Both models on the same holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Paired {
    /// Decisions of the challenger, then of the champion.
    pub(crate) decisions: Decisions,
    /// Hours a hold of the challenger less those of the champion.
    pub(crate) cost: Estimate,
}

/// Decisions of a model on test rows, beside releasing all and leaving all. First by every action,
/// where that is known.
///
/// # Errors
/// When the model does not take the rows.
pub(super) fn decisions(
    dataset: &Dataset,
    test: &[usize],
    model: &Model,
    (draws, seed): (usize, u64),
) -> Result<Vec<Decisions>, Error> {
    let mut all = Vec::new();
    for known in [Known::EveryAction, Known::OneRelease] {
        let holds = Holds::new(dataset, test, known);
        if holds.situations.is_empty() {
            continue;
        }
        let said = holds.ask(model)?;
        let truth = holds.truth();
        let knows = |action| model.metadata.knows_action(action);
        let mut choosers = vec![
            ("model", Chooser::Probabilities(&said, &knows)),
            ("release all", Chooser::Release),
            ("leave all", Chooser::Leave),
        ];
        if known == Known::EveryAction {
            choosers.push(("oracle", Chooser::Probabilities(&truth, &|_| true)));
        }
        all.push(holds.judge(&choosers, draws, seed).0);
    }
    Ok(all)
}

/// Decisions of two models on the same test rows: by every action where that is known, else by the
/// releases that happened. `None` where there is neither.
///
/// # Errors
/// When a model does not take the rows.
pub(crate) fn pair(
    dataset: &Dataset,
    test: &[usize],
    [challenger, champion]: [&Model; 2],
    (draws, seed): (usize, u64),
) -> Result<Option<Paired>, Error> {
    let mut holds = Holds::new(dataset, test, Known::EveryAction);
    if holds.situations.is_empty() {
        holds = Holds::new(dataset, test, Known::OneRelease);
    }
    if holds.situations.is_empty() {
        return Ok(None);
    }
    let (first, second) = (holds.ask(challenger)?, holds.ask(champion)?);
    let knows = [challenger, champion].map(|model| |action| model.metadata.knows_action(action));
    let choosers = [
        ("challenger", Chooser::Probabilities(&first, &knows[0])),
        ("model in use", Chooser::Probabilities(&second, &knows[1])),
    ];
    let (decisions, cost) = holds.judge(&choosers, draws, seed);
    Ok(Some(Paired { decisions, cost }))
}

struct Holds<'a> {
    dataset: &'a Dataset,
    known: Known,
    situations: Vec<Situation>,
    costs: Costs,
}

impl<'a> Holds<'a> {
    fn new(dataset: &'a Dataset, test: &[usize], known: Known) -> Self {
        let mut rows = test.to_vec();
        rows.sort_unstable();
        let situations = match known {
            Known::EveryAction => told(dataset, &rows),
            Known::OneRelease => {
                let happened = rows.into_iter().filter(|&row| dataset.observed[row] != 0);
                happened.map(|row| vec![row]).collect()
            }
        };
        Self { dataset, known, situations, costs: Costs::default() }
    }

    fn rows(&self) -> Vec<usize> {
        self.situations.concat()
    }

    fn ask(&self, model: &Model) -> Result<HashMap<usize, f64>, Error> {
        let rows = self.rows();
        let said = predict(model, self.dataset, &rows)?;
        Ok(rows.into_iter().zip(said).collect())
    }

    fn truth(&self) -> HashMap<usize, f64> {
        self.rows().into_iter().map(|row| (row, self.dataset.target(row))).collect()
    }

    fn action(&self, row: usize) -> Action {
        Action::ALL[usize::from(self.dataset.action[row])]
    }

    /// Success of the best action that is known of.
    fn best(&self, situation: &[usize]) -> f64 {
        let successes = situation.iter().map(|&row| self.dataset.target(row));
        successes.fold(0.0, f64::max)
    }

    fn choose(&self, chooser: &Chooser<'_>, situation: &[usize]) -> Choice {
        let Some(&first) = situation.first() else { return Choice::Leave };
        let (said, knows) = match chooser {
            Chooser::Release => return Choice::Release(first),
            Chooser::Leave => return Choice::Leave,
            Chooser::Probabilities(said, knows) => (said, knows),
        };
        let known = |row: &&usize| knows(self.action(**row));
        let best = situation.iter().filter(known).max_by(|a, b| said[a].total_cmp(&said[b]));
        let Some(&best) = best else { return Choice::Leave };
        // The release after the best action is the cheapest one.
        let (costs, p) = (&self.costs, said[&best]);
        let (released, removed) = (costs.released(p), costs.removed(p));
        let mut choice = (Choice::Leave, costs.left(p));
        let every = situation.iter().all(|row| known(&row));
        if self.known == Known::EveryAction && every && removed < choice.1 {
            choice = (Choice::Remove, removed);
        }
        if released < choice.1 {
            choice = (Choice::Release(best), released);
        }
        choice.0
    }

    /// What the choices cost by what is true, hours.
    fn cost(&self, choice: Choice, situation: &[usize]) -> f64 {
        let best = self.best(situation);
        match choice {
            Choice::Release(row) => self.costs.released(self.dataset.target(row)),
            Choice::Leave => self.costs.left(best),
            Choice::Remove => self.costs.removed(best),
        }
    }

    /// The decisions of all, and the cost of the first less that of the second.
    fn judge(
        &self,
        choosers: &[(&str, Chooser<'_>)],
        draws: usize,
        seed: u64,
    ) -> (Decisions, Estimate) {
        let mut numbers = HashMap::new();
        // Of each cluster its weight, and of each method failed releases and hours.
        let mut sums: Vec<Vec<f64>> = Vec::new();
        let mut counts = vec![(0, 0, 0); choosers.len()];
        for situation in &self.situations {
            let row = situation[0];
            let next = numbers.len();
            let cluster = *numbers.entry(self.dataset.cluster[row]).or_insert(next);
            if cluster == sums.len() {
                sums.push(vec![0.0; 1 + 2 * choosers.len()]);
            }
            let (sums, weight) = (&mut sums[cluster], f64::from(self.dataset.weight[row]));
            sums[0] += weight;
            for (at, (_, chooser)) in choosers.iter().enumerate() {
                let choice = self.choose(chooser, situation);
                let (removals, harmful, releases) = &mut counts[at];
                match choice {
                    Choice::Remove => {
                        *removals += 1;
                        *harmful += usize::from(self.best(situation) >= FINISHES);
                    }
                    Choice::Release(row) => {
                        *releases += 1;
                        sums[1 + 2 * at] += weight * (1.0 - self.dataset.target(row));
                    }
                    Choice::Leave => {}
                }
                sums[2 + 2 * at] += weight * self.cost(choice, situation);
            }
        }
        let mut all = vec![0.0; 1 + 2 * choosers.len()];
        for of_cluster in &sums {
            all.iter_mut().zip(of_cluster).for_each(|(all, value)| *all += value);
        }
        let drawn = draw_sums(&sums, draws, seed);
        let estimate =
            |of: &dyn Fn(&[f64]) -> f64| Estimate::new(of(&all), drawn.iter().map(|sums| of(sums)));
        let method = |(at, (name, _)): (usize, &(&str, Chooser<'_>))| {
            let (removals, harmful_removals, releases) = counts[at];
            MethodDecisions {
                name: (*name).to_owned(),
                removals,
                harmful_removals,
                releases,
                failed_releases: estimate(&|sums| sums[1 + 2 * at]),
                cost: estimate(&|sums| sums[2 + 2 * at] / sums[0]),
            }
        };
        let methods = choosers.iter().enumerate().map(method).collect();
        let difference = estimate(&|sums| (sums[2] - sums.get(4).unwrap_or(&0.0)) / sums[0]);
        let (holds, clusters) = (self.situations.len(), sums.len());
        (Decisions { known: self.known, holds, clusters, methods }, difference)
    }
}

/// The rows a simulator tells of, hold by hold and instant by instant: those of one stand behind
/// each other, in the order of [`Action::ALL`].
fn told(dataset: &Dataset, rows: &[usize]) -> Vec<Situation> {
    let key = |row: usize| {
        let when = (dataset.hold_time[row], dataset.decision_instant[row]);
        (dataset.cluster[row], when, dataset.code[row], dataset.subcode[row])
    };
    let mut situations: Vec<Situation> = Vec::new();
    for &row in rows.iter().filter(|&&row| dataset.is_from_oracle(row)) {
        let last = situations.last_mut().filter(|situation| {
            let last = situation[situation.len() - 1];
            last + 1 == row && key(last) == key(row) && dataset.action[last] < dataset.action[row]
        });
        match last {
            Some(situation) => situation.push(row),
            None => situations.push(vec![row]),
        }
    }
    situations
}

impl fmt::Display for Decisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Costs { failed, delay, keep, work, .. } = Costs::default();
        let what = match self.known {
            Known::EveryAction => "holds, by the true probability of each action",
            Known::OneRelease => {
                "releases that happened, by their outcome; what removal or another action would have done is not known"
            }
        };
        let (holds, clusters) = (self.holds, self.clusters);
        let about = "95 % intervals over clusters";
        writeln!(f, "decisions on {holds} {what}; {clusters} clusters, {about}")?;
        writeln!(
            f,
            "hours: {failed:.1} a failed release, {delay:.1} a delay, {keep:.1} keeping a job that fails, {work:.1} doing a removed job again. The \
             advisor's rules for removals (time on hold, failed releases, kind of cause) are not applied: this judges the model."
        )?;
        writeln!(
            f,
            "                removals  an action finishes  releases  of them fail                  \
             hours a hold"
        )?;
        for method in &self.methods {
            let removals = |count: usize| match self.known {
                Known::EveryAction => count.to_string(),
                Known::OneRelease => "-".to_owned(),
            };
            writeln!(
                f,
                "{:<14}{:>10}{:>20}{:>10}  {:<30}{}",
                method.name,
                removals(method.removals),
                removals(method.harmful_removals),
                method.releases,
                method.failed_releases.text(0),
                method.cost.text(2)
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    use holdadvise::history::Outcome;
    use holdadvise::model::{
        ActionStatistics, Batch, DEFAULT_ARCHIVE, Dimensions, Engine, FeatureSchema, LEAST_ROWS,
        ModelError,
    };

    use crate::data::dataset::Row;

    /// Says the logit that stands in the first static of a row.
    #[derive(Debug)]
    struct Reads;

    impl Engine for Reads {
        fn logits(&self, batch: &Batch<'_>) -> Result<Vec<f32>, ModelError> {
            Ok(batch.statics.to_vec())
        }
    }

    /// A model that says what the rows of [`dataset`] tell it to, trained on `rows` rows of each
    /// action but `without`.
    pub(crate) fn model(dataset: &Dataset, without: &[Action]) -> Model {
        let mut metadata = Model::from_bytes(DEFAULT_ARCHIVE).unwrap().metadata;
        metadata.schema = dataset.info.schema.clone();
        metadata.dimensions = Dimensions::of(&metadata.schema);
        metadata.calibration = holdadvise::model::Calibration::default();
        metadata.training.details.clear();
        metadata.actions = Action::ALL
            .into_iter()
            .filter(|action| !without.contains(action))
            .map(|action| ActionStatistics { action, rows: LEAST_ROWS, successes: 0 })
            .collect();
        Model { metadata, engine: Box::new(Reads) }
    }

    /// Held jobs, each with what is true and what is said of a release as it is and after a
    /// correct.
    pub(crate) fn dataset(jobs: &[[(f32, f64); 2]]) -> Dataset {
        let schema = FeatureSchema {
            states: vec!["a".to_owned()],
            statics: vec!["said".to_owned()],
            frame_edges: vec![0, 1],
            slots: 1,
            ..FeatureSchema::default()
        };
        let mut dataset = Dataset::new(schema, "simulated data", false, 0);
        for (job, actions) in jobs.iter().enumerate() {
            for (action, &(truth, said)) in [Action::AsIs, Action::Other].into_iter().zip(actions) {
                let logit = (said / (1.0 - said)).ln() as f32;
                let told = Row {
                    states: &[0],
                    statics: &[logit],
                    action,
                    outcome: if truth >= 0.5 { Outcome::Success } else { Outcome::Failure },
                    observed: false,
                    truth: Some(truth),
                    cluster: job as i64,
                    hold_time: 10 * job as i64,
                    decision_instant: 10 * job as i64 + 1,
                    code: 13,
                    ..Row::default()
                };
                dataset.push(&told).unwrap();
            }
        }
        dataset
    }

    fn of(all: &[Decisions], name: &str) -> (usize, usize, usize) {
        let method = all[0].methods.iter().find(|method| method.name == name).unwrap();
        (method.removals, method.harmful_removals, method.releases)
    }

    #[test]
    fn a_model_that_was_not_taught_a_change_advises_no_removal() {
        // The model sees no chance for any of them; a correct would finish two.
        let jobs =
            [[(0.0, 0.01), (1.0, 0.02)], [(0.1, 0.01), (0.9, 0.02)], [(0.0, 0.01), (0.0, 0.02)]];
        let dataset = dataset(&jobs);
        let test: Vec<usize> = (0..6).collect();
        let decide = |without: &[Action]| {
            decisions(&dataset, &test, &model(&dataset, without), (50, 1)).unwrap()
        };
        let taught = decide(&[]);
        assert_eq!((taught[0].known, taught[0].holds, taught.len()), (Known::EveryAction, 3, 1));
        assert_eq!(of(&taught, "model"), (3, 2, 0));
        assert_eq!(of(&decide(&[Action::Other]), "model"), (0, 0, 0), "left held");
        assert_eq!(
            of(&decide(&[Action::Memory]), "model"),
            (3, 2, 0),
            "no memory is asked for here"
        );
        assert_eq!((of(&taught, "release all"), of(&taught, "leave all")), ((0, 0, 3), (0, 0, 0)));
        assert_eq!(of(&taught, "oracle"), (1, 0, 2));
        let cost = |name: &str| {
            taught[0].methods.iter().find(|method| method.name == name).unwrap().cost.value
        };
        assert!(cost("oracle") < cost("leave all") && cost("leave all") < cost("model"));
        let text = taught[0].to_string();
        assert!(text.contains("are not applied: this judges the model"), "{text}");
    }

    #[test]
    fn of_releases_that_happened_a_removal_is_not_judged() {
        let mut dataset = dataset(&[[(0.0, 0.9), (1.0, 0.9)], [(1.0, 0.01), (1.0, 0.01)]]);
        dataset.observed.fill(1);
        let model = model(&dataset, &[]);
        // One release of each job: the first fails, the second succeeds.
        let all = decisions(&dataset, &[0, 2], &model, (50, 1)).unwrap();
        assert_eq!((all[0].known, all[0].holds, all.len()), (Known::OneRelease, 2, 1));
        assert_eq!(of(&all, "model"), (0, 0, 1));
        assert_eq!(all[0].methods[0].failed_releases.value, 1.0);
        let hours = |name: &str| {
            all[0].methods.iter().find(|method| method.name == name).unwrap().cost.value
        };
        let costs = Costs::default();
        assert!((hours("release all") - (costs.failed + costs.keep) / 2.0).abs() < 1e-9);
        assert!((hours("leave all") - (costs.keep + costs.delay) / 2.0).abs() < 1e-9);
        assert!(all[0].to_string().contains("is not known"));
    }
}
