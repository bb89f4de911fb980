//! What a sweep has come to so far, read from its folder. Everything may be missing or half-written
//! while it runs.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::folder::read_plan;
use super::halving::better;
use super::plan::{Decision, Fate, Plan, Trial};
use crate::Error;
use crate::training::trial::{Parameters, RungResult};

/// Bytes of a file of the sweep, at most.
const MOST_BYTES: u64 = 64 << 20;

/// A sweep and what it has come to.
#[derive(Clone, Debug)]
pub struct Results {
    /// The plan.
    pub plan: Plan,
    /// The trials, in the order of the plan.
    pub trials: Vec<TrialResults>,
    /// What was decided, by rung.
    pub decisions: BTreeMap<usize, Decision>,
    /// The best trial, where the last rung is decided.
    pub best: Option<usize>,
    /// Files and lines that could not be read.
    pub damaged: usize,
}

/// A trial and what it has come to.
#[derive(Clone, Debug)]
pub struct TrialResults {
    /// The trial.
    pub trial: Trial,
    /// Its parameters, once they are drawn.
    pub parameters: BTreeMap<String, Value>,
    /// Its results, by rung.
    pub rungs: BTreeMap<usize, RungResult>,
    /// What decides, after each epoch.
    pub curve: Vec<Point>,
    /// The last epoch that it has a line of.
    pub epochs: usize,
}

/// The figure that decides, after an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The epoch, from 1.
    pub epoch: f64,
    /// The figure.
    pub figure: f64,
    /// Half of its 95 % interval, where the line has it.
    pub half_width: Option<f64>,
    /// Rows and clusters of the validation part, where the line has them.
    pub of: Option<[u64; 2]>,
}

impl Point {
    /// What a line of metrics says of a figure after an epoch.
    fn of(line: &Map<String, Value>, metric: &str) -> Option<Self> {
        let number = |name: &str| line.get(name)?.as_f64();
        let count = |name| number(name).map(|count| count.max(0.0) as u64);
        let rows = count("validation_rows");
        Some(Self {
            epoch: number("epoch")?,
            figure: number(metric)?,
            half_width: number(&format!("{metric}_half_width")),
            of: rows.zip(count("validation_clusters")).map(|(rows, clusters)| [rows, clusters]),
        })
    }
}

/// How far a sweep is.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Counts {
    /// Trainings of a trial on a rung that are done.
    pub run: usize,
    /// Those that were skipped because the trial had lost.
    pub skipped_lost: usize,
    /// Those that were skipped because the trial had stopped early.
    pub skipped_stopped: usize,
    /// Those that are still to come, as far as is known.
    pub open: usize,
    /// Hours of training.
    pub training_hours: f64,
}

impl Results {
    /// Reads the folder of a sweep.
    ///
    /// # Errors
    /// When there is no plan in it, or one that cannot be used. Anything else that is missing or
    /// damaged is left out, and counted in `damaged`.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let plan = read_plan(folder)?;
        let mut damaged = 0;
        let mut decisions = BTreeMap::new();
        for rung in &plan.rungs {
            let decision =
                json(&folder.join(format!("rungs/rung{}.json", rung.number)), &mut damaged);
            decisions.extend(decision.map(|decision: Decision| (rung.number, decision)));
        }
        let trials = plan.trials.iter().map(|trial| trial_of(folder, &plan, trial, &mut damaged));
        let trials = trials.collect();
        let best: Option<Value> = json(&folder.join("best/trial.json"), &mut damaged);
        let best = best.and_then(|best| usize::try_from(best.get("trial")?.as_u64()?).ok());
        Ok(Self { plan, trials, decisions, best, damaged })
    }

    /// The trials, the best first: as the latest decision about each has it, then those that none
    /// has been made about by rung and metric.
    pub fn ranking(&self) -> Vec<&TrialResults> {
        let decided = self.decisions.values().rev().flat_map(|decision| &decision.fates);
        let mut order: Vec<usize> = self.best.into_iter().collect();
        for &(trial, _) in decided {
            if !order.contains(&trial) {
                order.push(trial);
            }
        }
        let mut trials: Vec<&TrialResults> = self.trials.iter().collect();
        trials.sort_by(|a, b| {
            let place = |of: &TrialResults| {
                order.iter().position(|&trial| trial == of.trial.number).unwrap_or(order.len())
            };
            let rung = |of: &TrialResults| of.last().map_or(0, |result| result.rung);
            place(a)
                .cmp(&place(b))
                .then(rung(b).cmp(&rung(a)))
                .then_with(|| self.better(a, b))
                .then(a.trial.number.cmp(&b.trial.number))
        });
        trials
    }

    fn better(&self, a: &TrialResults, b: &TrialResults) -> Ordering {
        match (self.metric_of(a), self.metric_of(b)) {
            (Some(a), Some(b)) => better(a, b, self.plan.metric.goal),
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    }

    /// What decides, of a trial on its last rung.
    pub fn metric_of(&self, trial: &TrialResults) -> Option<f64> {
        trial.last()?.metrics.get(&self.plan.metric.name).copied().filter(|value| value.is_finite())
    }

    /// What the latest decision before a rung says of a trial, and after which rung it was made.
    pub fn fate_before(&self, trial: usize, rung: usize) -> Option<(usize, Fate)> {
        let earlier = self.decisions.range(..rung).rev();
        let mut fates = earlier.flat_map(|(&after, decision)| {
            decision.fates.iter().map(move |&(of, fate)| (of, after, fate))
        });
        fates.find(|&(of, ..)| of == trial).map(|(_, after, fate)| (after, fate))
    }

    /// How far it is.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for trial in &self.trials {
            for rung in &self.plan.rungs {
                let fate = self.fate_before(trial.trial.number, rung.number).map(|(_, fate)| fate);
                match (trial.rungs.contains_key(&rung.number), fate) {
                    (true, _) => counts.run += 1,
                    (false, Some(Fate::Lost)) => counts.skipped_lost += 1,
                    (false, Some(Fate::Stopped)) => counts.skipped_stopped += 1,
                    (false, _) => counts.open += 1,
                }
            }
            // The seconds of a rung are those of the rungs before as well.
            let seconds = trial.rungs.values().map(|result| result.seconds);
            counts.training_hours += seconds.fold(0.0, f64::max) / 3600.0;
        }
        counts
    }
}

impl TrialResults {
    /// The result of its last rung.
    pub fn last(&self) -> Option<&RungResult> {
        self.rungs.values().next_back()
    }
}

fn trial_of(folder: &Path, plan: &Plan, trial: &Trial, damaged: &mut usize) -> TrialResults {
    let path = folder.join(Plan::trial_folder(trial.number)).join("parameters.json");
    let parameters: Option<Parameters> = json(&path, damaged);
    let (mut rungs, mut curve, mut epochs) = (BTreeMap::new(), BTreeMap::new(), 0);
    for rung in &plan.rungs {
        let here = folder.join(Plan::rung_folder(trial.number, rung.number));
        rungs.extend(
            json::<RungResult>(&here.join("result.json"), damaged).map(|read| (rung.number, read)),
        );
        for line in lines(&here.join("metrics.jsonl"), damaged) {
            let epoch = line.get("epoch").and_then(Value::as_f64);
            epochs = epochs.max(epoch.map_or(0, |epoch| epoch.max(0.0) as usize));
            if let Some(point) = Point::of(&line, &plan.metric.name) {
                // What a training that started again says last, counts.
                curve.insert(point.epoch.max(0.0) as u64, point);
            }
        }
    }
    TrialResults {
        trial: trial.clone(),
        parameters: parameters.map(|read| read.parameters).unwrap_or_default(),
        rungs,
        curve: curve.into_values().collect(),
        epochs,
    }
}

/// The content of a file, if it is there.
fn bytes(path: &Path, damaged: &mut usize) -> Option<Vec<u8>> {
    let there = path.metadata().map_or_else(|error| Err(error.kind()), |found| Ok(found.len()));
    let read = match there {
        Err(io::ErrorKind::NotFound) => return None,
        Ok(..=MOST_BYTES) => fs::read(path).ok(),
        _ => None,
    };
    *damaged += usize::from(read.is_none());
    read
}

fn json<T: DeserializeOwned>(path: &Path, damaged: &mut usize) -> Option<T> {
    let read = serde_json::from_slice(&bytes(path, damaged)?);
    *damaged += usize::from(read.is_err());
    read.ok()
}

/// The lines of metrics that can be read.
fn lines(path: &Path, damaged: &mut usize) -> Vec<Map<String, Value>> {
    let bytes = bytes(path, damaged).unwrap_or_default();
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let read: Vec<Option<_>> = lines.map(|line| serde_json::from_slice(line).ok()).collect();
    *damaged += read.iter().filter(|line| line.is_none()).count();
    read.into_iter().flatten().collect()
}

#[cfg(test)]
pub(super) mod tests;
