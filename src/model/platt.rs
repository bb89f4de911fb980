//! Platt calibration: the slope and intercept that make a logit a probability (Platt 1999).

use std::collections::HashMap;

use super::Calibration;

/// Rows below which no calibration is fitted.
const LEAST_ROWS: usize = 20;

/// Newton steps; the likelihood is convex in two parameters, a handful suffice.
const STEPS: usize = 100;

/// Fits slope and intercept to logits and outcomes with weights, with Platt's smoothed targets. An
/// outcome is 1 for a success, 0 for a failure, or the true probability of a success. The identity
/// is returned for fewer than 20 rows, for one class only, and where a slope that is not above 0
/// came out: then the ranking itself is of no use on these rows.
pub fn platt(logits: &[f32], outcome: &[f32], weight: &[f32]) -> Calibration {
    match logits.len() {
        ..LEAST_ROWS => Calibration::default(),
        _ => fit(logits, outcome, weight).unwrap_or_default(),
    }
}

/// As [`platt`], of however few rows; `None` for one class only and for a slope that is not above
/// 0.
pub fn fit(logits: &[f32], outcome: &[f32], weight: &[f32]) -> Option<Calibration> {
    let (good, bad) = sums(outcome, weight)?;
    let (low, high) = (1.0 / (bad + 2.0), (good + 1.0) / (good + 2.0));
    let rows = rows(logits, outcome, weight, 1.0).map(|(x, t, w)| (x, low + (high - low) * t, w));
    let balanced = Calibration { a: 1.0, b: ((good + 1.0) / (bad + 1.0)).ln() };
    minimum(&rows.collect::<Vec<_>>(), &[Calibration::default(), balanced], None)
}

/// How far slope and intercept are expected to lie from those of a model that was calibrated
/// elsewhere: standard deviations of a normal prior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    /// Of the slope.
    pub slope: f64,
    /// Of the intercept.
    pub intercept: f64,
}

impl Default for Apart {
    /// Chosen on simulated access points, and confirmed on others (docs/training/model.md).
    fn default() -> Self {
        Self { slope: 0.25, intercept: 0.5 }
    }
}

/// Fits slope and intercept to outcomes that come in clusters, near a calibration that was there
/// before: the most probable ones under a normal prior around it. All outcomes of a cluster
/// together count as much as one alone, since they tend to be alike: the likelihood is divided by
/// the design effect (Kish 1965) of clusters in which all are. `None` for one class only and for a
/// slope that is not above 0.
pub fn fit_near(
    before: Calibration,
    apart: Apart,
    logits: &[f32],
    outcome: &[f32],
    weight: &[f32],
    cluster: &[i64],
) -> Option<Calibration> {
    let (good, bad) = sums(outcome, weight)?;
    let mut clusters: HashMap<i64, f64> = HashMap::new();
    for (&cluster, &weight) in cluster.iter().zip(weight) {
        *clusters.entry(cluster).or_default() += f64::from(weight);
    }
    let squares: f64 = clusters.values().map(|weight| weight * weight).sum();
    let share = (good + bad) / squares;
    let rows: Vec<_> = rows(logits, outcome, weight, share).collect();
    minimum(&rows, &[before], Some((before, apart)))
}

/// Cross-entropy of a logit where the target is 0 to 1: log(1 + e^z) - t z without overflow.
pub fn cross_entropy(logit: f64, target: f64) -> f64 {
    logit.max(0.0) + (-logit.abs()).exp().ln_1p() - target * logit
}

/// Weights of successes and of failures, where both have some.
fn sums(outcome: &[f32], weight: &[f32]) -> Option<(f64, f64)> {
    let rows = outcome.iter().zip(weight);
    let sums = rows.fold((0.0, 0.0), |(good, bad), (&outcome, &weight)| {
        let (outcome, weight) = (f64::from(outcome), f64::from(weight));
        (good + weight * outcome, bad + weight * (1.0 - outcome))
    });
    Some(sums).filter(|&(good, bad)| good != 0.0 && bad != 0.0)
}

/// Logit, target and weight of each row.
fn rows(
    logits: &[f32],
    outcome: &[f32],
    weight: &[f32],
    share: f64,
) -> impl Iterator<Item = (f64, f64, f64)> {
    let rows = logits.iter().zip(outcome).zip(weight);
    rows.map(move |((&x, &t), &w)| (f64::from(x), f64::from(t), f64::from(w) * share))
}

/// Slope and intercept of the least loss, by Newton's method from the better of some beginnings.
fn minimum(
    rows: &[(f64, f64, f64)],
    beginnings: &[Calibration],
    prior: Option<(Calibration, Apart)>,
) -> Option<Calibration> {
    let (pa, pb) = match prior {
        None => (0.0, 0.0),
        Some((_, apart)) => (apart.slope.powi(-2), apart.intercept.powi(-2)),
    };
    let middle = prior.map_or_else(Calibration::default, |(middle, _)| middle);
    let loss = |c: Calibration| -> f64 {
        let likelihood: f64 =
            rows.iter().map(|&(x, t, w)| w * cross_entropy(c.a * x + c.b, t)).sum();
        likelihood + (pa * (c.a - middle.a).powi(2) + pb * (c.b - middle.b).powi(2)) / 2.0
    };
    let mut best = beginnings.iter().copied().min_by(|&a, &b| loss(a).total_cmp(&loss(b)))?;
    let mut now = loss(best);
    for _ in 0..STEPS {
        let (mut ga, mut gb) = (pa * (best.a - middle.a), pb * (best.b - middle.b));
        let (mut haa, mut hab, mut hbb) = (pa + 1e-9, 0.0, pb + 1e-9);
        for &(x, t, w) in rows {
            let p = 1.0 / (1.0 + (-(best.a * x + best.b)).exp());
            let (g, h) = (w * (p - t), w * p * (1.0 - p));
            ga += g * x;
            gb += g;
            haa += h * x * x;
            hab += h * x;
            hbb += h;
        }
        let det = haa * hbb - hab * hab;
        let (da, db) = ((hbb * ga - hab * gb) / det, (haa * gb - hab * ga) / det);
        // Halve the step until the loss falls (Lin, Lin and Weng 2007).
        let mut step = 1.0;
        let next = loop {
            let candidate = Calibration { a: best.a - step * da, b: best.b - step * db };
            let value = loss(candidate);
            if value < now {
                break Some((candidate, value));
            }
            step /= 2.0;
            if step < 1e-10 {
                break None;
            }
        };
        let Some((candidate, value)) = next else { break };
        let gain = now - value;
        (best, now) = (candidate, value);
        if gain < 1e-10 * now.abs() {
            break;
        }
    }
    let usable = best.a.is_finite() && best.b.is_finite() && best.a > 0.0;
    usable.then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn slope_and_intercept_are_found_again() {
        let mut random = Random::new(5);
        let truth = Calibration { a: 0.4, b: -1.0 };
        let logits: Vec<f32> = (0..20_000).map(|_| (random.unit() * 16.0 - 8.0) as f32).collect();
        let outcome: Vec<f32> = logits
            .iter()
            .map(|&l| f32::from(u8::from(random.unit() < truth.probability(l))))
            .collect();
        let found = platt(&logits, &outcome, &vec![1.0; logits.len()]);
        assert!((found.a - 0.4).abs() < 0.03 && (found.b + 1.0).abs() < 0.08, "{found:?}");
        let told: Vec<f32> = logits.iter().map(|&l| truth.probability(l) as f32).collect();
        let found = platt(&logits, &told, &vec![1.0; logits.len()]);
        assert!((found.a - 0.4).abs() < 0.001 && (found.b + 1.0).abs() < 0.001, "{found:?}");
    }

    #[test]
    fn useless_input_leaves_the_identity() {
        let identity = Calibration::default();
        assert_eq!(platt(&[1.0; 30], &[1.0; 30], &[1.0; 30]), identity);
        assert_eq!(platt(&[1.0, -1.0], &[1.0, 0.0], &[1.0; 2]), identity);
        assert_eq!(fit(&[1.0; 30], &[1.0; 30], &[1.0; 30]), None);
        assert!(fit(&[1.0, -1.0], &[1.0, 0.0], &[1.0; 2]).is_some());
        let logits: Vec<f32> = (0..40).map(|i| i as f32 - 20.0).collect();
        let against: Vec<f32> = logits.iter().map(|&l| f32::from(u8::from(l < 0.0))).collect();
        assert_eq!(platt(&logits, &against, &[1.0; 40]), identity);
        assert_eq!(fit(&logits, &against, &[1.0; 40]), None);
    }

    #[test]
    fn separable_logits_stay_finite() {
        let logits: Vec<f32> = (0..40).map(|i| (i as f32 - 19.5) * 10.0).collect();
        let outcome: Vec<f32> = logits.iter().map(|&l| f32::from(u8::from(l > 0.0))).collect();
        let found = platt(&logits, &outcome, &[1.0; 40]);
        assert!(found.a > 0.0 && found.a.is_finite() && found.b.abs() < 1.0, "{found:?}");
    }

    #[test]
    fn a_cluster_of_like_outcomes_counts_as_one() {
        let before = Calibration { a: 1.2, b: -0.4 };
        let near = |logits: &[f32], outcome: &[f32], cluster: &[i64]| {
            fit_near(before, Apart::default(), logits, outcome, &vec![1.0; logits.len()], cluster)
                .unwrap()
        };
        let logits: Vec<f32> = (0..200).map(|row| (row % 20) as f32 / 4.0 - 2.5).collect();
        let outcome: Vec<f32> = (0..200).map(|row| f32::from(row % 3 == 0)).collect();
        let alone = near(&logits, &outcome, &(0..200).collect::<Vec<_>>());
        let thrice = |values: &[f32]| values.repeat(3);
        let again =
            near(&thrice(&logits), &thrice(&outcome), &(0..200).collect::<Vec<_>>().repeat(3));
        assert!((alone.a - again.a).abs() < 1e-6 && (alone.b - again.b).abs() < 1e-6, "{again:?}");
        let two = near(&logits, &outcome, &(0..200).map(|row| row % 2).collect::<Vec<_>>());
        let far = |c: Calibration| (c.a - before.a).abs() + (c.b - before.b).abs();
        assert!(far(two) * 3.0 < far(alone), "{two:?} {alone:?}");
        assert_eq!(
            fit_near(before, Apart::default(), &[1.0; 9], &[1.0; 9], &[1.0; 9], &[0; 9]),
            None
        );
    }

    #[test]
    fn many_outcomes_outweigh_what_was_before() {
        let mut random = Random::new(6);
        let truth = Calibration { a: 0.4, b: -1.0 };
        let logits: Vec<f32> = (0..20_000).map(|_| (random.unit() * 16.0 - 8.0) as f32).collect();
        let told: Vec<f32> = logits.iter().map(|&l| truth.probability(l) as f32).collect();
        let alone: Vec<i64> = (0..20_000).collect();
        let before = Calibration { a: 1.5, b: 1.0 };
        let found =
            fit_near(before, Apart::default(), &logits, &told, &vec![1.0; logits.len()], &alone)
                .unwrap();
        assert!((found.a - 0.4).abs() < 0.01 && (found.b + 1.0).abs() < 0.02, "{found:?}");
        let few =
            fit_near(before, Apart::default(), &logits[..3], &told[..3], &[1.0; 3], &alone[..3])
                .unwrap();
        assert!((few.a - 1.5).abs() < 0.7, "{few:?}");
    }
}
