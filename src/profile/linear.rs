//! Multinomial logistic regression over standardised columns.

use serde::{Deserialize, Serialize};

use super::binding::Binding;

/// A value weighs as if it were at most so many deviations from the mean: what is rare in training
/// would weigh without bound.
const FAR: f64 = 5.0;

/// Weights over standardised columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Linear {
    /// Of each column.
    pub mean: Vec<f64>,
    /// Of each column, above 0.
    pub deviation: Vec<f64>,
    /// For each of [`Binding::ALL`] a weight for each column, then the intercept.
    pub weights: [Vec<f64>; Binding::ALL.len()],
}

impl Linear {
    /// It is for so many columns, and all its numbers are finite.
    #[must_use]
    pub fn is_for(&self, columns: usize) -> bool {
        let are =
            |numbers: &Vec<f64>, n| numbers.len() == n && numbers.iter().all(|n| n.is_finite());
        are(&self.mean, columns)
            && are(&self.deviation, columns)
            && self.deviation.iter().all(|deviation| *deviation > 0.0)
            && self.weights.iter().all(|weights| are(weights, columns + 1))
    }

    /// Standardised columns, and 1.
    #[must_use]
    pub fn input(&self, columns: &[f32]) -> Vec<f64> {
        let scaled = columns.iter().zip(&self.mean).zip(&self.deviation);
        let scaled =
            scaled.map(|((value, mean), deviation)| (f64::from(*value) - mean) / deviation);
        scaled.map(|value| value.clamp(-FAR, FAR)).chain([1.0]).collect()
    }

    /// How likely each of [`Binding::ALL`] is; the sum is 1.
    #[must_use]
    pub fn probabilities(&self, columns: &[f32]) -> [f64; Binding::ALL.len()] {
        self.of_input(&self.input(columns))
    }

    /// Likewise, of what [`input`](Self::input) gave.
    #[must_use]
    pub fn of_input(&self, input: &[f64]) -> [f64; Binding::ALL.len()] {
        let score = |weights: &Vec<f64>| weights.iter().zip(input).map(|(w, v)| w * v).sum::<f64>();
        let scores = self.weights.each_ref().map(score);
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let powers = scores.map(|score| (score - most).exp());
        let sum: f64 = powers.iter().sum();
        powers.map(|power| power / sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_speaks_for_its_resource() {
        let mut linear = Linear {
            mean: vec![1.0],
            deviation: vec![2.0],
            weights: std::array::from_fn(|_| vec![0.0; 2]),
        };
        assert!(linear.is_for(1) && !linear.is_for(2));
        assert_eq!(linear.probabilities(&[3.0]), [0.25; 4]);
        linear.weights[2][0] = 1.0;
        let odds = linear.probabilities(&[3.0]);
        assert!((odds[2] / odds[0] - 1_f64.exp()).abs() < 1e-12, "{odds:?}");
        // Far is five deviations.
        assert_eq!(linear.probabilities(&[1e9]), linear.probabilities(&[11.0]));
        linear.deviation[0] = 0.0;
        assert!(!linear.is_for(1));
    }
}
