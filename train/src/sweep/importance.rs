//! How much of what decides each parameter explains, over the trials of a sweep.
//!
//! Of each parameter its main effect, the share of the variance of the figure that is that of its
//! mean given the parameter (first-order index, Sobol' 1993), by regression: ranks of the figure on
//! the rank of the parameter and its square, so that a best value in the middle counts, or on the
//! groups of a parameter that is no number. The share is adjusted for the terms (Ezekiel 1930),
//! which makes it 0 on average where there is no effect, and its interval is the jackknife's over
//! trials (Efron and Stein 1981). Effects of two parameters together are in none of the shares.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::results::Results;

/// Trials below which nothing is said. Assumed.
pub const LEAST_TRIALS: usize = 12;

/// Trials beyond the terms of a regression, at least.
const LEAST_LEFT: usize = 6;

/// Half of a 95 % interval in standard errors: Student's t for the fewest trials.
const HALF_WIDTH: f64 = 2.201;

/// How much of what decides a parameter explains.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Importance {
    /// The parameter, or `setting`.
    pub parameter: String,
    /// Share of the variance of the ranks of the figure, 0 to 1.
    pub share: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What parameters explain, the one that explains most first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Importances {
    /// Trials with a figure on the first rung, on which all trained for as long.
    pub trials: usize,
    /// Empty where there are fewer than [`LEAST_TRIALS`], or the figure is the same in all.
    pub parameters: Vec<Importance>,
}

impl Importances {
    /// Of the results so far.
    pub fn of(results: &Results) -> Self {
        let metric = &results.plan.metric.name;
        let (mut figures, mut drawn) = (Vec::new(), Vec::new());
        for trial in &results.trials {
            let first = trial.rungs.get(&1).filter(|result| !result.diverged);
            let figure = first.and_then(|result| result.metrics.get(metric)).copied();
            if let Some(figure) = figure.filter(|figure| figure.is_finite()) {
                let mut parameters = trial.parameters.clone();
                parameters
                    .insert("setting".to_owned(), Value::from(trial.trial.setting.to_string()));
                figures.push(figure);
                drawn.push(parameters);
            }
        }
        Self::among(&drawn, &figures)
    }

    /// Of what trials were given, by name, and the figure of each.
    pub(crate) fn among(drawn: &[BTreeMap<String, Value>], figures: &[f64]) -> Self {
        let mut this = Self { trials: figures.len(), parameters: Vec::new() };
        if this.trials < LEAST_TRIALS {
            return this;
        }
        let names: Vec<&String> = drawn[0].keys().collect();
        this.parameters =
            names.into_iter().filter_map(|name| of_one(name, drawn, figures)).collect();
        this.parameters.sort_by(|a, b| b.share.total_cmp(&a.share));
        this
    }

    /// In words, a line each; nothing where no parameter varies.
    pub fn lines(&self, metric: &str) -> Vec<String> {
        if self.trials < LEAST_TRIALS {
            return vec![format!(
                "What each parameter explains: too few trials, {} with a figure on rung 1 of the \
                 {LEAST_TRIALS} it takes.",
                self.trials
            )];
        }
        if self.parameters.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![format!(
            "Share of the variance of {metric} that each parameter explains by itself, with its \
             95 % interval; n = {} trials on rung 1:",
            self.trials
        )];
        let width = self.parameters.iter().map(|of| of.parameter.chars().count()).max();
        let width = width.unwrap_or(0);
        lines.extend(self.parameters.iter().map(|of| {
            let Importance { parameter, share, low, high } = of;
            format!("  {parameter:<width$}  {share:.2} ({low:.2} to {high:.2})")
        }));
        lines
    }
}

/// `None` where the parameter or the figure does not vary, or there are too few trials.
fn of_one(name: &str, drawn: &[BTreeMap<String, Value>], figures: &[f64]) -> Option<Importance> {
    let values: Option<Vec<&Value>> = drawn.iter().map(|of| of.get(name)).collect();
    let values = values?;
    let numbers: Option<Vec<f64>> = values.iter().map(|value| value.as_f64()).collect();
    let inputs = match numbers {
        Some(numbers) => Inputs::Numbers(numbers),
        None => Inputs::Groups(values.iter().map(|value| value.to_string()).collect()),
    };
    let all: Vec<usize> = (0..figures.len()).collect();
    let share = inputs.explained(figures, &all)?;
    let without: Option<Vec<f64>> = all
        .iter()
        .map(|left_out| {
            let rest: Vec<usize> = all.iter().copied().filter(|at| at != left_out).collect();
            inputs.explained(figures, &rest)
        })
        .collect();
    let without = without?;
    let n = without.len() as f64;
    let mean = without.iter().sum::<f64>() / n;
    let squares = without.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let half = HALF_WIDTH * ((n - 1.0) / n * squares).sqrt();
    let within = |share: f64| share.clamp(0.0, 1.0);
    Some(Importance {
        parameter: name.to_owned(),
        share: within(share),
        low: within(share - half),
        high: within(share + half),
    })
}

/// The values of a parameter.
enum Inputs {
    Numbers(Vec<f64>),
    Groups(Vec<String>),
}

impl Inputs {
    /// The adjusted share of the variance of the figure's ranks that is explained on some trials.
    fn explained(&self, figures: &[f64], trials: &[usize]) -> Option<f64> {
        let of = |values: &[f64]| ranks(&trials.iter().map(|&at| values[at]).collect::<Vec<_>>());
        let columns: Vec<Vec<f64>> = match self {
            Self::Numbers(numbers) => {
                let ranks = of(numbers);
                vec![ranks.clone(), ranks.iter().map(|rank| rank * rank).collect()]
            }
            Self::Groups(groups) => {
                let mut names: Vec<&String> = trials.iter().map(|&at| &groups[at]).collect();
                names.sort_unstable();
                names.dedup();
                let is = |name: &String| {
                    trials.iter().map(|&at| f64::from(u8::from(groups[at] == *name))).collect()
                };
                names.into_iter().map(is).collect()
            }
        };
        let target = of(figures);
        let whole = dot(&target, &target);
        let n = trials.len();
        // Gram-Schmidt: what a column adds to those before it.
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for mut column in columns {
            let mean = column.iter().sum::<f64>() / n as f64;
            column.iter_mut().for_each(|value| *value -= mean);
            let before = dot(&column, &column);
            for other in &basis {
                let along = dot(&column, other);
                column.iter_mut().zip(other).for_each(|(value, other)| *value -= along * other);
            }
            let length = dot(&column, &column);
            if length > 1e-9 * before.max(1.0) {
                column.iter_mut().for_each(|value| *value /= length.sqrt());
                basis.push(column);
            }
        }
        if whole <= 0.0 || basis.is_empty() || n < basis.len() + 1 + LEAST_LEFT {
            return None;
        }
        let explained = basis.iter().map(|one| dot(one, &target).powi(2)).sum::<f64>() / whole;
        let left = (n - 1 - basis.len()) as f64;
        Some(1.0 - (1.0 - explained) * (n - 1) as f64 / left)
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// Ranks, those of equal values their mean, less the mean of all.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = |value: &f64| {
        let below = sorted.partition_point(|other| other < value);
        let to = sorted.partition_point(|other| other <= value);
        (below + to) as f64 / 2.0 - values.len() as f64 / 2.0
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use serde_json::json;

    /// Importance of a parameter over `n` trials whose figure is `of` it and chance.
    fn importance(n: usize, seed: u64, of: impl Fn(&Value, f64) -> f64, words: bool) -> Importance {
        let mut random = Random::new(seed);
        let (mut drawn, mut figures) = (Vec::new(), Vec::new());
        for _ in 0..n {
            let number = random.unit();
            let value = if words { json!(["a", "b", "c"][random.below(3)]) } else { json!(number) };
            figures.push(of(&value, random.unit()));
            drawn.push(BTreeMap::from([("x".to_owned(), value)]));
        }
        of_one("x", &drawn, &figures).unwrap()
    }

    #[test]
    fn a_parameter_that_decides_explains_nearly_all_wherever_its_best_value_is() {
        let number = |value: &Value| value.as_f64().unwrap();
        let monotone = |value: &Value, noise: f64| number(value).powi(3) + 0.01 * noise;
        let middle = |value: &Value, noise: f64| (number(value) - 0.5).abs() + 0.01 * noise;
        let grouped = |value: &Value, noise: f64| f64::from(u8::from(value == "b")) + 0.1 * noise;
        for n in [12, 24, 50] {
            let rising = importance(n, 3, monotone, false);
            assert!(rising.share > 0.95 && rising.low > 0.9, "{rising:?}");
            let middle = importance(n, 4, middle, false);
            assert!(middle.share > 0.7 && middle.high <= 1.0, "{middle:?}");
            let grouped = importance(n, 5, grouped, true);
            assert!(grouped.share > 0.4 && grouped.low > 0.0, "{grouped:?}");
        }
    }

    #[test]
    fn a_parameter_that_decides_nothing_explains_nothing_on_average() {
        for words in [false, true] {
            let found: Vec<Importance> =
                (0..200).map(|seed| importance(24, seed, |_, noise| noise, words)).collect();
            let mean = found.iter().map(|of| of.share).sum::<f64>() / 200.0;
            let sure = found.iter().filter(|of| of.low > 0.0).count();
            assert!(mean < 0.08 && sure <= 20, "{mean}, {sure} of 200");
        }
    }

    #[test]
    fn the_interval_covers_the_share_of_many_trials() {
        let half = |value: &Value, noise: f64| value.as_f64().unwrap() + noise;
        let truth = importance(2_000, 9, half, false).share;
        let covers = |seed: u64| {
            let of = importance(24, seed, half, false);
            of.low <= truth && truth <= of.high
        };
        let covered = (100..300).filter(|&seed| covers(seed)).count();
        assert!((0.4..0.6).contains(&truth) && covered >= 176, "{covered} of 200 of {truth}");
    }

    #[test]
    fn what_does_not_vary_explains_nothing_and_few_trials_are_said() {
        let drawn = vec![BTreeMap::from([("x".to_owned(), json!(1))]); 20];
        let figures: Vec<f64> = (0..20).map(f64::from).collect();
        assert_eq!(of_one("x", &drawn, &figures), None);
        let each = |at: usize| BTreeMap::from([("x".to_owned(), json!(at))]);
        let drawn: Vec<_> = (0..20).map(each).collect();
        assert_eq!(of_one("x", &drawn, &[0.5; 20]), None);
        let few = Importances { trials: 4, parameters: Vec::new() };
        assert!(few.lines("validation_loss")[0].contains("too few trials, 4 with a figure"));
    }
}
