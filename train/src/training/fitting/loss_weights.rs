//! How much each row counts in the loss.

use std::collections::{HashMap, HashSet};

use crate::data::dataset::Dataset;

/// How much a simulated release that happened counts beside a row of the oracle: most are chosen by
/// people who know more than the log, and succeed more often than the same log says.
const HAPPENED: f32 = 0.25;

/// The weights of the dataset; rows a simulator tells of are weighted down, so that a hold asked
/// about at n instants counts for sqrt(n): those are much alike, and jobs that nothing helps are
/// held for longest. A simulated release that happened counts for [`HAPPENED`]; one whose truth is
/// not known passes for a real one.
///
/// All rows of companions among the training rows `train` together weigh the share
/// `companion_weight` of what the training rows weigh.
pub(crate) fn loss_weights(dataset: &Dataset, train: &[usize], companion_weight: f64) -> Vec<f32> {
    let hold = |row: usize| {
        (dataset.cluster[row], dataset.hold_time[row], dataset.code[row], dataset.subcode[row])
    };
    let from_oracle = |row: &usize| {
        dataset.observed[*row] == 0 && (dataset.truth(*row).is_some() || dataset.delay[*row] > 0)
    };
    let mut seen = HashSet::new();
    let mut instants: HashMap<_, f32> = HashMap::new();
    for row in (0..dataset.len()).filter(from_oracle) {
        if seen.insert((hold(row), dataset.decision_instant[row])) {
            *instants.entry(hold(row)).or_default() += 1.0;
        }
    }
    let mut weights: Vec<f32> = (0..dataset.len())
        .map(|row| {
            // With its action, whose truth is known, or once more with the action hidden.
            let simulated = (dataset.observed[row] == 0) != dataset.truth(row).is_some();
            let factor = match from_oracle(&row) {
                true => 1.0 / instants[&hold(row)].sqrt(),
                false if simulated => HAPPENED,
                false => 1.0,
            };
            dataset.weight[row] * factor
        })
        .collect();
    let (companions, home): (Vec<usize>, Vec<usize>) =
        train.iter().partition(|&&row| dataset.is_companion(row));
    let sum = |rows: &[usize]| rows.iter().map(|&row| f64::from(weights[row])).sum::<f64>();
    let (beside, real) = (sum(&companions), sum(&home));
    if beside > 0.0 && real > 0.0 {
        let factor = companion_weight / (1.0 - companion_weight) * real / beside;
        companions.iter().for_each(|&row| weights[row] = (f64::from(weights[row]) * factor) as f32);
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::tests::rows;
    use holdadvise::history::Outcome;

    #[test]
    fn a_hold_asked_about_often_counts_for_the_root_of_it() {
        let success = Outcome::Success;
        let from_oracle = [(100, 110, 1, success), (100, 120, 1, success), (200, 210, 2, success)];
        let mut dataset = rows(&from_oracle, 10);
        dataset.observed = vec![0, 0, 1];
        dataset.truth[..2].fill(0.5);
        dataset.weight = vec![1.0, 0.5, 1.0];
        let root = 2.0_f32.sqrt();
        let loss_weights = |dataset: &Dataset| loss_weights(dataset, &[0, 1, 2], 0.25);
        assert_eq!(loss_weights(&dataset), [1.0 / root, 0.5 / root, 1.0]);
        // A simulated release that happened, then the same with its action hidden.
        let released = [1.0 / root, 0.5 / root, HAPPENED];
        dataset.truth[2] = 0.5;
        assert_eq!(loss_weights(&dataset), released);
        (dataset.truth[2], dataset.observed[2]) = (f32::NAN, 0);
        assert_eq!(loss_weights(&dataset), released);
        dataset.observed[2] = 1;
        dataset.decision_instant = vec![110, 110, 210];
        assert_eq!(loss_weights(&dataset), [1.0, 0.5, 1.0]);
        // One of three is a companion's: a quarter of the weight of the training rows is its.
        dataset.access_point[0] = 2_000_001;
        dataset.info.add_companions(&[2_000_001]);
        assert_eq!(loss_weights(&dataset), [0.5, 0.5, 1.0]);
    }
}
