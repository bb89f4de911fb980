//! How much the trees count beside the network: the mean of two logits, weighted by what fits
//! held-out rows best (stacking: Wolpert 1992, "Stacked Generalization").

use holdadvise::model::Forest;

use crate::training::boosting::Examples;
use holdadvise::model::{cross_entropy, platt};

/// Shares tried, as parts of one.
const SHARES: u32 = 20;

/// The share of the trees, 0 to 1, beside a network whose logits of held-out rows are given.
pub(crate) fn share_of_trees(
    examples: Examples<'_>,
    rows: &[usize],
    network: &[f32],
    trees: &Forest,
) -> f64 {
    let k = examples.k;
    let logit = |&row: &usize| trees.logit(&examples.statics[row * k..(row + 1) * k]) as f32;
    let trees: Vec<f32> = rows.iter().map(logit).collect();
    let of = |values: &[f32]| rows.iter().map(|&row| values[row]).collect::<Vec<f32>>();
    best_share(network, &trees, &of(examples.target), &of(examples.weight))
}

/// The share whose mean of logits, calibrated, has the smallest weighted loss.
fn best_share(network: &[f32], trees: &[f32], outcome: &[f32], weight: &[f32]) -> f64 {
    let loss = |share: f64| -> f64 {
        let logits: Vec<f32> = network
            .iter()
            .zip(trees)
            .map(|(&network, &trees)| mean(share, network.into(), trees.into()) as f32)
            .collect();
        let calibration = platt(&logits, outcome, weight);
        let rows = logits.iter().zip(outcome).zip(weight);
        rows.map(|((&logit, &outcome), &weight)| {
            let z = calibration.a * f64::from(logit) + calibration.b;
            f64::from(weight) * cross_entropy(z, f64::from(outcome))
        })
        .sum()
    };
    let shares = (0..=SHARES).map(|part| f64::from(part) / f64::from(SHARES));
    let losses = shares.map(|share| (loss(share), share));
    losses.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0.0, |(_, share)| share)
}

/// The mean of two logits.
fn mean(share_of_trees: f64, network: f64, trees: f64) -> f64 {
    (1.0 - share_of_trees) * network + share_of_trees * trees
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn each_counts_for_as_much_as_it_knows() {
        let mut random = Random::new(9);
        let noise = |random: &mut Random| (0..6).map(|_| random.unit() - 0.5).sum::<f64>();
        let n = 20_000;
        let (mut truth, mut good, mut poor, mut nothing) = (vec![], vec![], vec![], vec![]);
        for _ in 0..n {
            let logit = 2.0 * noise(&mut random);
            good.push((logit + noise(&mut random)) as f32);
            poor.push((logit + 2.0 * noise(&mut random)) as f32);
            nothing.push(noise(&mut random) as f32);
            truth.push((1.0 / (1.0 + (-logit).exp())) as f32);
        }
        let weight = vec![1.0; n];
        let share = |network: &[f32], trees: &[f32]| best_share(network, trees, &truth, &weight);
        // Of two errors the one of twice the size counts for a quarter as much.
        assert!((share(&good, &poor) - 0.2).abs() < 0.06, "{}", share(&good, &poor));
        assert!((share(&poor, &good) - 0.8).abs() < 0.06, "{}", share(&poor, &good));
        assert!(share(&nothing, &good) > 0.94);
        assert!(share(&good, &nothing) < 0.06);
    }
}
