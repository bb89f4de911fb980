//! What the parts of a dataset have in common, counted.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use holdadvise::model::Dimensions;

use crate::data::dataset::Dataset;
use crate::split::Split;

/// What the parts have in common, counted.
pub(super) struct Shared {
    /// Releases that happened in the test part.
    pub(super) test: usize,
    /// Clusters of the test that also train or validate.
    pub(super) clusters: usize,
    /// The same of owners, and how many the test has.
    pub(super) owners: (usize, usize),
    /// The same of access points.
    pub(super) access_points: (usize, usize),
    /// Test releases with the inputs of a row that trained or validated.
    pub(super) alike: usize,
    /// Rows that trained or validated whose outcome may lie after the first hold of the test.
    pub(super) late: usize,
}

impl Shared {
    pub(super) fn of(dataset: &Dataset, split: &Split) -> Self {
        let not_simulated = |row: &usize| !dataset.is_companion(*row);
        let seen = || split.train.iter().chain(&split.validation).copied().filter(not_simulated);
        let test: Vec<usize> =
            split.test.iter().copied().filter(|&row| dataset.observed[row] != 0).collect();
        let first = test.iter().map(|&row| dataset.hold_time[row]).min().unwrap_or(i64::MAX);
        let ends = |row: usize| dataset.decision_instant[row].saturating_add(dataset.info.horizon);
        let shared = |values: &[i64]| {
            let before: HashSet<i64> = seen().map(|row| values[row]).collect();
            let here: HashSet<i64> = test.iter().map(|&row| values[row]).collect();
            (here.intersection(&before).count(), here.len())
        };
        let access_points: Vec<i64> = dataset.access_point.iter().copied().map(i64::from).collect();
        let inputs: HashSet<u64> = seen().map(|row| input(dataset, row)).collect();
        Self {
            clusters: shared(&dataset.cluster).0,
            owners: shared(&dataset.owner),
            access_points: shared(&access_points),
            alike: test.iter().filter(|&&row| inputs.contains(&input(dataset, row))).count(),
            late: seen().filter(|&row| ends(row) >= first).count(),
            test: test.len(),
        }
    }
}

/// Hash of all that the model sees of a row.
fn input(dataset: &Dataset, row: usize) -> u64 {
    let d = Dimensions::of(&dataset.info.schema);
    let size = d.m * d.j;
    let mut hasher = DefaultHasher::new();
    dataset.states[row * size..(row + 1) * size].hash(&mut hasher);
    for value in &dataset.statics[row * d.k..(row + 1) * d.k] {
        value.to_bits().hash(&mut hasher);
    }
    hasher.finish()
}
