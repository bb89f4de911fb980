//! The parts of a dataset: by time, by owner, or all of it for the test.
//!
//! By time: train before t1, validation before t2, test after it, by hold time. A cluster lies in
//! one part only, that of its first hold: siblings share executable and input. A hold whose
//! decision is less than the horizon H before a cut is dropped whatever came of it: its outcome
//! may lie beyond the cut, and to keep only those that ended soon would favour failures.
//!
//! Rows of companions train, however the others are cut, and never validate or test.
//!
//! - [`parts`]: the parts file.
//! - [`selection`]: what a training is not to see.

pub mod parts;
pub mod selection;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::data::dataset::{CENSORED, Dataset, SUCCESS};
use crate::random::Random;

/// Where to cut.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct SplitOptions {
    /// Share of the holds, by time, that validation takes.
    #[arg(long, default_value_t = 0.15)]
    pub validation_fraction: f64,
    /// Share of the holds, by time, that the test takes: the newest ones.
    #[arg(long, default_value_t = 0.2)]
    pub test_fraction: f64,
    /// Seconds before a cut from which on holds are dropped; default: the horizon of the dataset.
    #[arg(long)]
    pub horizon: Option<i64>,
}

impl Default for SplitOptions {
    fn default() -> Self {
        Self { validation_fraction: 0.15, test_fraction: 0.2, horizon: None }
    }
}

impl SplitOptions {
    /// What validation and test leave.
    fn train_fraction(&self) -> Result<f64, String> {
        let Self { validation_fraction, test_fraction, .. } = *self;
        let train_fraction = 1.0 - validation_fraction - test_fraction;
        let fractions = [train_fraction, validation_fraction, test_fraction];
        if fractions.iter().any(|f| !(0.0..=1.0).contains(f)) || train_fraction == 0.0 {
            return Err(format!(
                "fractions {validation_fraction} for validation and {test_fraction} for the test leave nothing to train on"
            ));
        }
        Ok(train_fraction)
    }
}

/// The cuts themselves: kept with a model, so that an evaluation uses the same ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cuts {
    /// t1, Unix seconds: holds before it train.
    pub train_end: i64,
    /// t2, Unix seconds: holds from it on test.
    pub validation_end: i64,
    /// H, seconds.
    pub horizon: i64,
}

/// Row numbers of each part, in time order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The cuts used; `None` where the parts are not cut in time.
    pub cuts: Option<Cuts>,
    /// Rows to train on.
    pub train: Vec<usize>,
    /// Rows for early stopping and calibration.
    pub validation: Vec<usize>,
    /// Rows to report figures on.
    pub test: Vec<usize>,
    /// Rows in no part.
    pub dropped: Dropped,
}

/// Why rows are in no part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// The outcome is not known.
    pub censored: usize,
    /// Decided within H before a cut.
    pub near_cut: usize,
    /// Their cluster belongs to an earlier part.
    pub cluster: usize,
    /// Their code is kept from training.
    #[serde(default)]
    pub withheld: usize,
    /// A simulator tells of them, and only releases that happened train.
    #[serde(default)]
    pub oracle: usize,
}

impl Cuts {
    /// Cuts at the quantiles of hold time asked for.
    ///
    /// # Errors
    /// When the fractions leave nothing to train on, or H is below 0.
    pub fn new(dataset: &Dataset, options: &SplitOptions) -> Result<Self, String> {
        let train_fraction = options.train_fraction()?;
        let SplitOptions { validation_fraction, horizon, .. } = *options;
        let horizon = horizon.unwrap_or(dataset.info.horizon);
        if horizon < 0 {
            return Err(format!("horizon {horizon} is below 0"));
        }
        let home = (0..dataset.len()).filter(|&row| !dataset.is_companion(row));
        let mut times: Vec<i64> = home.map(|row| dataset.hold_time[row]).collect();
        times.sort_unstable();
        let quantile = |fraction: f64| {
            let at = (times.len() as f64 * fraction).round() as usize;
            times.get(at).copied().unwrap_or(i64::MAX)
        };
        let train_end = quantile(train_fraction);
        let validation_end = quantile(train_fraction + validation_fraction);
        Ok(Self { train_end, validation_end, horizon })
    }

    /// 0 train, 1 validation, 2 test.
    fn part(self, hold_time: i64) -> usize {
        usize::from(hold_time >= self.train_end) + usize::from(hold_time >= self.validation_end)
    }
}

impl Split {
    /// Whether a model can be trained with these parts.
    ///
    /// # Errors
    /// What is missing, and what to do: both outcomes in the training part, and rows in the
    /// validation part.
    pub fn check_training(&self, dataset: &Dataset) -> Result<(), String> {
        let successes = self.train.iter().filter(|&&row| dataset.label[row] == SUCCESS).count();
        let Dropped { censored, near_cut, cluster, .. } = self.dropped;
        let dropped =
            format!("{censored} rows censored, {near_cut} near a cut, {cluster} of split clusters");
        if successes == 0 || successes == self.train.len() {
            return Err(format!(
                "the training part has {} rows, {successes} of them successes; both outcomes are needed ({dropped}): more data, or a \
                 shorter --horizon",
                self.train.len()
            ));
        }
        if self.validation.is_empty() {
            return Err(format!(
                "the validation part is empty ({dropped}): raise --validation-fraction, more data, or a shorter --horizon"
            ));
        }
        Ok(())
    }

    /// Whether a release that happened lies in the test part.
    pub fn tests_releases(&self, dataset: &Dataset) -> bool {
        self.test.iter().any(|&row| dataset.observed[row] != 0)
    }

    /// Puts every row into its part in time.
    pub fn new(dataset: &Dataset, cuts: Cuts) -> Self {
        let mut part_of_cluster = HashMap::new();
        let mut parts = [Vec::new(), Vec::new(), Vec::new()];
        let mut dropped = Dropped::default();
        for row in in_time_order(dataset) {
            let part = cuts.part(dataset.hold_time[row]);
            let first = *part_of_cluster.entry(dataset.cluster[row]).or_insert(part);
            let end = [cuts.train_end, cuts.validation_end, i64::MAX][part];
            let latest = dataset.decision_instant[row].saturating_add(cuts.horizon);
            if dataset.label[row] == CENSORED {
                dropped.censored += 1;
            } else if dataset.is_companion(row) {
                parts[0].push(row);
            } else if first != part {
                dropped.cluster += 1;
            } else if latest >= end && end != i64::MAX {
                dropped.near_cut += 1;
            } else {
                parts[part].push(row);
            }
        }
        let [train, validation, test] = parts;
        Self { cuts: Some(cuts), train, validation, test, dropped }
    }

    /// Draws owners into parts, by a hash of the owner: the fractions hold for owners, not for
    /// rows. A cluster goes with the owner of its first row. Nothing is dropped for its time: the
    /// parts overlap in time.
    ///
    /// # Errors
    /// When the fractions leave nothing to train on.
    pub fn by_owner(dataset: &Dataset, options: &SplitOptions) -> Result<Self, String> {
        let train = options.train_fraction()?;
        let mut owner_of_cluster = HashMap::new();
        Ok(Self::of(dataset, |row| {
            if dataset.is_companion(row) {
                return Some(0);
            }
            let owner = owner_of_cluster.entry(dataset.cluster[row]).or_insert(dataset.owner[row]);
            let drawn = Random::new(owner.cast_unsigned()).unit();
            Some(
                usize::from(drawn >= train)
                    + usize::from(drawn >= train + options.validation_fraction),
            )
        }))
    }

    /// Every labelled row tests; companions are in no part.
    pub fn all_test(dataset: &Dataset) -> Self {
        Self::of(dataset, |row| (!dataset.is_companion(row)).then_some(2))
    }

    /// Every labelled row in the part that `part` says, in time order.
    pub(crate) fn of(dataset: &Dataset, mut part: impl FnMut(usize) -> Option<usize>) -> Self {
        let mut parts = [Vec::new(), Vec::new(), Vec::new()];
        let mut dropped = Dropped::default();
        for row in in_time_order(dataset) {
            if dataset.label[row] == CENSORED {
                dropped.censored += 1;
            } else if let Some(part) = part(row) {
                parts[part].push(row);
            }
        }
        let [train, validation, test] = parts;
        Self { cuts: None, train, validation, test, dropped }
    }
}

fn in_time_order(dataset: &Dataset) -> Vec<usize> {
    let mut order: Vec<usize> = (0..dataset.len()).collect();
    order.sort_by_key(|&row| (dataset.hold_time[row], row));
    order
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use holdadvise::history::{Action, Outcome};
    use holdadvise::model::FeatureSchema;
    use proptest::prelude::*;

    use crate::data::dataset::Row;

    /// A dataset with rows of (hold time, decision instant, cluster, outcome) and no features to
    /// speak of.
    pub(crate) fn rows(rows: &[(i64, i64, i64, Outcome)], horizon: i64) -> Dataset {
        let schema = FeatureSchema {
            states: vec!["a".to_owned()],
            frame_edges: vec![0, 1],
            slots: 1,
            ..FeatureSchema::default()
        };
        let mut dataset = Dataset::new(schema, "test", false, horizon);
        for &(hold_time, decision_instant, cluster, outcome) in rows {
            let row = Row {
                states: &[0],
                statics: &[],
                action: Action::Unknown,
                outcome,
                cluster,
                hold_time,
                decision_instant,
                outcome_time: decision_instant + 1,
                code: 13,
                ..Row::default()
            };
            dataset.push(&row).unwrap();
        }
        dataset
    }

    #[test]
    fn rows_near_a_cut_of_a_split_cluster_or_without_outcome_are_dropped() {
        use Outcome::{Censored, Failure, Success};
        let dataset = rows(
            &[
                (0, 10, 1, Success),
                (50, 95, 2, Failure),   // decided within 10 of the cut at 100
                (89, 89, 3, Success),   // just outside
                (100, 100, 1, Success), // its cluster trains
                (110, 120, 4, Censored),
                (120, 120, 5, Success),
                (199, 199, 6, Failure), // near the second cut
                (200, 900, 7, Success),
                (300, 300, 5, Success), // its cluster validates
            ],
            10,
        );
        let cuts = Cuts { train_end: 100, validation_end: 200, horizon: 10 };
        let split = Split::new(&dataset, cuts);
        assert_eq!(split.train, [0, 2]);
        assert_eq!(split.validation, [5]);
        assert_eq!(split.test, [7]);
        assert_eq!(
            split.dropped,
            Dropped { censored: 1, near_cut: 2, cluster: 2, ..Dropped::default() }
        );
    }

    #[test]
    fn cuts_lie_at_the_fractions_asked_for() {
        let all: Vec<_> = (0..100).map(|t| (t, t, t, Outcome::Success)).collect();
        let dataset = rows(&all, 3);
        let options = SplitOptions { validation_fraction: 0.2, test_fraction: 0.3, horizon: None };
        let cuts = Cuts::new(&dataset, &options).unwrap();
        assert_eq!(cuts, Cuts { train_end: 50, validation_end: 70, horizon: 3 });
        let none = SplitOptions { test_fraction: 0.9, ..options };
        assert!(Cuts::new(&dataset, &none).unwrap_err().contains("nothing to train on"));
        let below = SplitOptions { horizon: Some(-1), ..options };
        assert!(Cuts::new(&dataset, &below).is_err());
    }

    #[test]
    fn owners_and_their_clusters_lie_in_one_part() {
        use Outcome::{Censored, Success};
        let mut all: Vec<_> = (0..2000).map(|t| (t, t, t / 2, Success)).collect();
        all.push((2000, 2000, 3, Censored));
        let mut dataset = rows(&all, 3);
        dataset.owner = (0..2001_i64).map(|row| row / 4).collect();
        dataset.owner[1] = 499; // of the cluster of row 0
        let split = Split::by_owner(&dataset, &SplitOptions::default()).unwrap();
        let parts = [&split.train, &split.validation, &split.test];
        assert_eq!(parts.map(|part| part.len()).iter().sum::<usize>(), 2000);
        assert_eq!((split.dropped.censored, split.cuts), (1, None));
        for (part, share) in parts.into_iter().zip([0.65, 0.15, 0.2]) {
            assert!((part.len() as f64 / 2000.0 - share).abs() < 0.05, "{}", part.len());
            assert!(part.is_sorted());
            assert_eq!(part.contains(&0), part.contains(&1));
            for rows in part.chunk_by(|a, b| a / 4 == b / 4).skip(1) {
                assert_eq!(rows.len(), 4, "{rows:?}");
            }
        }
        assert_eq!(Split::all_test(&dataset).test.len(), 2000);
        let none = SplitOptions { test_fraction: 0.9, ..SplitOptions::default() };
        assert!(Split::by_owner(&dataset, &none).is_err());
    }

    #[test]
    fn companions_train_whatever_the_cut() {
        let all: Vec<_> = (0..100).map(|t| (t, t, t, Outcome::Success)).collect();
        let mut dataset = rows(&all, 3);
        let options = SplitOptions::default();
        let alone = Cuts::new(&dataset, &options).unwrap();
        for row in 0..50 {
            // Their times are of no meaning: after all others, or before.
            let time = if row % 2 == 0 { 1_000 + row } else { -row };
            let companion = Row {
                states: &[0],
                outcome: if row == 0 { Outcome::Censored } else { Outcome::Failure },
                observed: false,
                access_point: 2_000_001,
                cluster: 500 + row,
                hold_time: time,
                decision_instant: time,
                ..Row::default()
            };
            dataset.push(&companion).unwrap();
        }
        dataset.info.add_companions(&[2_000_001]);
        assert_eq!(Cuts::new(&dataset, &options).unwrap(), alone);
        let by_time = Split::new(&dataset, alone);
        let by_owner = Split::by_owner(&dataset, &options).unwrap();
        for split in [by_time, by_owner] {
            let companions = |rows: &[usize]| rows.iter().filter(|&&row| row >= 100).count();
            assert_eq!(companions(&split.train), 49);
            assert_eq!(companions(&split.validation) + companions(&split.test), 0);
            assert_eq!(split.dropped.censored, 1);
        }
        assert_eq!(Split::all_test(&dataset).test.len(), 100);
    }

    proptest! {
        #[test]
        fn no_outcome_and_no_cluster_crosses_a_cut(
            holds in prop::collection::vec((0..1000_i64, 0..200_i64, 0..40_i64), 1..200),
            horizon in 0..100_i64,
        ) {
            let all: Vec<_> = holds
                .iter()
                .map(|&(hold, later, cluster)| (hold, hold + later, cluster, Outcome::Success))
                .collect();
            let dataset = rows(&all, horizon);
            let cuts = Cuts::new(&dataset, &SplitOptions::default()).unwrap();
            let split = Split::new(&dataset, cuts);
            let parts = [&split.train, &split.validation, &split.test];
            let dropped = split.dropped;
            let count: usize = parts.iter().map(|part| part.len()).sum();
            prop_assert_eq!(
                count + dropped.censored + dropped.near_cut + dropped.cluster,
                dataset.len()
            );
            let mut seen = HashMap::new();
            for (part, rows) in parts.into_iter().enumerate() {
                for &row in rows {
                    prop_assert_eq!(*seen.entry(dataset.cluster[row]).or_insert(part), part);
                }
            }
            for &row in &split.train {
                prop_assert!(dataset.decision_instant[row] + horizon < cuts.train_end);
            }
            for &row in &split.validation {
                prop_assert!(dataset.hold_time[row] >= cuts.train_end);
                prop_assert!(dataset.decision_instant[row] + horizon < cuts.validation_end);
            }
            for &row in &split.test {
                prop_assert!(dataset.hold_time[row] >= cuts.validation_end);
            }
        }
    }
}
