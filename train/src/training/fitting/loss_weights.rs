//! How much each row counts in the loss.

use std::collections::{HashMap, HashSet};

use crate::data::dataset::Dataset;

/// The weights of the dataset; rows a simulator tells of are weighted down, so that a hold asked
/// about at n instants counts for sqrt(n): those are much alike, and jobs that nothing helps are
/// held for longest.
pub(crate) fn loss_weights(dataset: &Dataset) -> Vec<f32> {
    let hold = |row: usize| {
        (dataset.cluster[row], dataset.hold_time[row], dataset.code[row], dataset.subcode[row])
    };
    let told = |row: &usize| {
        dataset.observed[*row] == 0 && (dataset.truth(*row).is_some() || dataset.delay[*row] > 0)
    };
    let mut seen = HashSet::new();
    let mut instants: HashMap<_, f32> = HashMap::new();
    for row in (0..dataset.len()).filter(told) {
        if seen.insert((hold(row), dataset.decision_instant[row])) {
            *instants.entry(hold(row)).or_default() += 1.0;
        }
    }
    (0..dataset.len())
        .map(|row| {
            let asked = if told(&row) { instants[&hold(row)] } else { 1.0 };
            dataset.weight[row] / asked.sqrt()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::tests::rows;
    use holdadvise::history::Outcome;

    #[test]
    fn a_hold_asked_about_often_counts_for_the_root_of_it() {
        let success = Outcome::Success;
        let told = [(100, 110, 1, success), (100, 120, 1, success), (200, 210, 2, success)];
        let mut dataset = rows(&told, 10);
        dataset.observed = vec![0, 0, 1];
        dataset.truth[..2].fill(0.5);
        dataset.weight = vec![1.0, 0.5, 1.0];
        let root = 2.0_f32.sqrt();
        assert_eq!(loss_weights(&dataset), [1.0 / root, 0.5 / root, 1.0]);
        dataset.decision_instant = vec![110, 110, 210];
        assert_eq!(loss_weights(&dataset), [1.0, 0.5, 1.0]);
    }
}
