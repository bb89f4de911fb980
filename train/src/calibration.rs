//! Platt calibration: the slope and intercept that make a logit a probability (Platt 1999).

use holdadvise::model::Calibration;

/// Rows below which no calibration is fitted.
const LEAST_ROWS: usize = 20;

/// Newton steps; the likelihood is convex in two parameters, a handful suffice.
const STEPS: usize = 100;

/// Fits slope and intercept to logits and outcomes with weights, with Platt's smoothed targets. An outcome is 1 for a
/// success, 0 for a failure, or the true probability of a success.
/// The identity is returned for fewer than 20 rows, for one class only, and where a slope that is
/// not above 0 came out: then the ranking itself is of no use on these rows.
pub fn platt(logits: &[f32], outcome: &[f32], weight: &[f32]) -> Calibration {
    let (mut good, mut bad) = (0.0, 0.0);
    for (&outcome, &weight) in outcome.iter().zip(weight) {
        good += f64::from(weight) * f64::from(outcome);
        bad += f64::from(weight) * (1.0 - f64::from(outcome));
    }
    if logits.len() < LEAST_ROWS || good == 0.0 || bad == 0.0 {
        return Calibration::default();
    }
    let (low, high) = (1.0 / (bad + 2.0), (good + 1.0) / (good + 2.0));
    let rows = || {
        logits.iter().zip(outcome).zip(weight).map(|((&logit, &outcome), &weight)| {
            (f64::from(logit), low + (high - low) * f64::from(outcome), f64::from(weight))
        })
    };
    let loss = |c: Calibration| -> f64 {
        rows()
            .map(|(x, t, w)| {
                let z = c.a * x + c.b;
                // log(1 + e^z) - t z without overflow.
                w * (z.max(0.0) + (-z.abs()).exp().ln_1p() - t * z)
            })
            .sum()
    };
    let mut best = Calibration { a: 1.0, b: ((good + 1.0) / (bad + 1.0)).ln() };
    if loss(Calibration::default()) < loss(best) {
        best = Calibration::default();
    }
    let mut now = loss(best);
    for _ in 0..STEPS {
        let (mut ga, mut gb) = (0.0, 0.0);
        let (mut haa, mut hab, mut hbb) = (1e-9, 0.0, 1e-9);
        for (x, t, w) in rows() {
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
    if usable { best } else { Calibration::default() }
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
        let logits: Vec<f32> = (0..40).map(|i| i as f32 - 20.0).collect();
        let against: Vec<f32> = logits.iter().map(|&l| f32::from(u8::from(l < 0.0))).collect();
        assert_eq!(platt(&logits, &against, &[1.0; 40]), identity);
    }

    #[test]
    fn separable_logits_stay_finite() {
        let logits: Vec<f32> = (0..40).map(|i| (i as f32 - 19.5) * 10.0).collect();
        let outcome: Vec<f32> = logits.iter().map(|&l| f32::from(u8::from(l > 0.0))).collect();
        let found = platt(&logits, &outcome, &[1.0; 40]);
        assert!(found.a > 0.0 && found.a.is_finite() && found.b.abs() < 1.0, "{found:?}");
    }
}
