//! What a parameter may be: each distribution maps the unit interval, on which its own probability
//! is uniform, to values.

use std::collections::BTreeMap;

use serde_json::Value;

use super::normal;
use super::parameters::{self, Kind};
use super::plan::Spread;

/// Significant digits of a number that is not rounded to a multiple.
const DIGITS: usize = 6;

/// Significant digits of a multiple: a product such as 3 * 0.1 has more than anyone asked for.
const DIGITS_OF_MULTIPLES: usize = 12;

/// What each parameter of training may be.
pub type Space = BTreeMap<String, Distribution>;

/// What a parameter may be, in the words of a W&B sweep configuration.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Always the same.
    Constant {
        /// It.
        value: Value,
    },
    /// One of them.
    Categorical {
        /// Them.
        values: Vec<Value>,
        /// How likely each is; empty: all alike.
        probabilities: Vec<f64>,
    },
    /// A whole number, the ends included.
    IntUniform {
        /// Least.
        min: i64,
        /// Greatest.
        max: i64,
    },
    /// A number drawn on some scale, perhaps rounded.
    Real {
        /// The scale.
        scale: Scale,
        /// Least, or the mean of a normal distribution.
        min: f64,
        /// Greatest, or the standard deviation of a normal distribution.
        max: f64,
        /// Rounded to a multiple of it.
        q: Option<f64>,
    },
}

/// The scale on which a number is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Uniform between the ends.
    Uniform,
    /// Its logarithm is uniform; the ends are the values themselves.
    LogUniform,
    /// Normal.
    Normal,
    /// Its logarithm is normal.
    LogNormal,
}

impl Distribution {
    /// How its values lie; `None` where there is one alone.
    pub fn spread(&self) -> Option<Spread> {
        match self {
            Self::Constant { .. } => None,
            Self::Categorical { .. } => Some(Spread::Choices),
            Self::Real { scale: Scale::LogUniform | Scale::LogNormal, .. } => Some(Spread::Log),
            Self::IntUniform { .. } | Self::Real { .. } => Some(Spread::Linear),
        }
    }
}

/// A parameter and its distribution.
#[derive(Clone, Copy, Debug)]
pub struct Dimension<'a> {
    distribution: &'a Distribution,
    /// Least and greatest value that training takes.
    limits: (f64, f64),
    whole: bool,
}

impl<'a> Dimension<'a> {
    /// A parameter by its name in the plan.
    pub fn new(name: &str, distribution: &'a Distribution) -> Self {
        let kind = parameters::find(name).map(|parameter| parameter.kind);
        let any = Kind { whole: false, least: f64::NEG_INFINITY, most: f64::INFINITY };
        let Kind { whole, least, most } = kind.unwrap_or(any);
        Self { distribution, limits: (least, most), whole }
    }

    /// The value at a point of the unit interval.
    pub fn value(&self, unit: f64) -> Value {
        match self.distribution {
            Distribution::Constant { value } => value.clone(),
            Distribution::Categorical { values, probabilities } => {
                let mut left = unit;
                let sum: f64 = probabilities.iter().sum();
                let chances: Vec<f64> = match probabilities.is_empty() {
                    true => vec![1.0 / values.len() as f64; values.len()],
                    false => probabilities.iter().map(|chance| chance / sum).collect(),
                };
                let at = chances.iter().position(|chance| {
                    left -= chance;
                    left < 0.0
                });
                // Behind the last by rounding alone: the last that may come.
                let at = at.or_else(|| chances.iter().rposition(|&chance| chance > 0.0));
                at.and_then(|at| values.get(at)).cloned().unwrap_or(Value::Null)
            }
            Distribution::IntUniform { min, max } => {
                let count = *max as f64 - *min as f64 + 1.0;
                Value::from(min.saturating_add((unit * count) as i64).min(*max))
            }
            &Distribution::Real { q: Some(q), .. } => self.multiple(self.at(unit), q),
            Distribution::Real { q: None, .. } => {
                let (least, most) = self.ends();
                let number = rounded(self.at(unit), DIGITS).clamp(least, most);
                Value::from(number)
            }
        }
    }

    /// How many values there are; `None` where they cannot be counted: continuous ones, and those
    /// without ends.
    pub fn count(&self) -> Option<u64> {
        match self.distribution {
            Distribution::Constant { .. } => Some(1),
            Distribution::Categorical { values, .. } => Some(values.len() as u64),
            Distribution::IntUniform { min, max } => Some(max.abs_diff(*min).saturating_add(1)),
            &Distribution::Real {
                q: Some(q), scale: Scale::Uniform | Scale::LogUniform, ..
            } => {
                let (first, last) = self.multiples(q);
                Some((last - first) as u64 + 1)
            }
            Distribution::Real { .. } => None,
        }
    }

    /// One of the values that can be counted, from 0.
    pub fn nth(&self, at: u64) -> Option<Value> {
        if at >= self.count()? {
            return None;
        }
        match self.distribution {
            Distribution::Constant { value } => Some(value.clone()),
            Distribution::Categorical { values, .. } => {
                values.get(usize::try_from(at).ok()?).cloned()
            }
            Distribution::IntUniform { min, .. } => {
                Some(Value::from(min.checked_add_unsigned(at)?))
            }
            &Distribution::Real { q, .. } => {
                let q = q?;
                Some(self.multiple((self.multiples(q).0 + at as f64) * q, q))
            }
        }
    }

    /// Least and greatest number that a real distribution comes to.
    fn ends(&self) -> (f64, f64) {
        match *self.distribution {
            Distribution::Real { scale: Scale::Uniform | Scale::LogUniform, min, max, .. } => {
                (min, max)
            }
            _ => self.limits,
        }
    }

    /// The first and the last multiple of `q` between the ends, as factors.
    fn multiples(&self, q: f64) -> (f64, f64) {
        let (least, most) = self.ends();
        // A multiple that is an end but for rounding counts.
        let (first, last) = ((least / q - 1e-9).ceil(), (most / q + 1e-9).floor());
        (first, last.max(first))
    }

    fn multiple(&self, number: f64, q: f64) -> Value {
        let (first, last) = self.multiples(q);
        let number = (number / q).round().clamp(first, last) * q;
        if self.whole {
            Value::from(number as i64)
        } else {
            Value::from(rounded(number, DIGITS_OF_MULTIPLES))
        }
    }

    /// The number at a point of the unit interval, before it is rounded.
    fn at(&self, unit: f64) -> f64 {
        let Distribution::Real { scale, min, max, .. } = *self.distribution else { return 0.0 };
        match scale {
            Scale::Uniform => min + unit * (max - min),
            Scale::LogUniform => (min.ln() + unit * (max.ln() - min.ln())).exp(),
            Scale::Normal => min + max * normal::quantile(unit),
            Scale::LogNormal => (min + max * normal::quantile(unit)).exp(),
        }
    }
}

fn rounded(number: f64, digits: usize) -> f64 {
    format!("{number:.*e}", digits - 1).parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn real(scale: Scale, min: f64, max: f64, q: Option<f64>) -> Distribution {
        Distribution::Real { scale, min, max, q }
    }

    #[test]
    fn the_middle_of_each_scale() {
        for (distribution, middle) in [
            (real(Scale::Uniform, 1.0, 4.0, None), json!(2.5)),
            (real(Scale::LogUniform, 1e-4, 1e-2, None), json!(1e-3)),
            (real(Scale::Normal, 0.3, 0.1, None), json!(0.3)),
            (real(Scale::LogNormal, 0.0, 1.0, None), json!(1.0)),
            (real(Scale::LogUniform, 16.0, 64.0, Some(8.0)), json!(32.0)),
            (Distribution::IntUniform { min: 1, max: 3 }, json!(2)),
            (Distribution::Constant { value: json!("x") }, json!("x")),
        ] {
            assert_eq!(Dimension::new("anything", &distribution).value(0.5), middle);
        }
    }

    #[test]
    fn axes_follow_from_distributions() {
        let spread = |scale| real(scale, 0.1, 1.0, None).spread();
        assert_eq!(spread(Scale::LogUniform), Some(Spread::Log));
        assert_eq!(spread(Scale::LogNormal), Some(Spread::Log));
        assert_eq!(spread(Scale::Uniform), Some(Spread::Linear));
        let (values, probabilities) = (vec![json!(1), json!(2)], Vec::new());
        let choices = Distribution::Categorical { values, probabilities };
        assert_eq!(choices.spread(), Some(Spread::Choices));
        assert_eq!(Distribution::Constant { value: json!(1) }.spread(), None);
    }

    #[test]
    fn whole_parameters_are_whole_and_within_their_ends() {
        let batch = real(Scale::LogUniform, 27.0, 256.0, Some(8.0));
        let batch = Dimension::new("batch", &batch);
        assert_eq!((batch.value(0.0), batch.value(1.0)), (json!(32), json!(256)));
        assert_eq!((batch.count(), batch.nth(1)), (Some(29), Some(json!(40))));
        // A normal distribution has no ends, the parameter has.
        let dropout = real(Scale::Normal, 0.1, 0.2, None);
        let dropout = Dimension::new("dropout", &dropout);
        assert_eq!((dropout.value(0.01), dropout.value(1.0)), (json!(0.0), json!(0.99)));
    }

    #[test]
    fn probabilities_decide_and_impossible_values_never_come() {
        let values = vec![json!(1), json!(2), json!(3)];
        let probabilities = vec![0.25, 0.75, 0.0];
        let distribution = Distribution::Categorical { values, probabilities };
        let dimension = Dimension::new("hidden", &distribution);
        let drawn = [0.0, 0.24, 0.26, 0.99, 1.0].map(|unit| dimension.value(unit));
        assert_eq!(drawn, [1, 1, 2, 2, 2].map(Value::from));
    }

    fn any_distribution() -> impl Strategy<Value = Distribution> {
        let ends = (-3.0..3.0_f64, 0.0..4.0_f64);
        let q = proptest::option::of(0.001..0.7_f64);
        prop_oneof![
            (-50..50_i64, 0..60_i64)
                .prop_map(|(min, more)| Distribution::IntUniform { min, max: min + more }),
            (ends, q).prop_map(|((min, more), q)| {
                // At least one multiple lies between the ends.
                let max = min + more.max(q.unwrap_or(0.0));
                real(Scale::Uniform, min, max, q)
            }),
            (0.01..1.0_f64, 1.0..100.0_f64).prop_map(|(min, times)| real(
                Scale::LogUniform,
                min,
                min * times,
                None
            )),
            (-2.0..2.0_f64, 0.1..2.0_f64).prop_map(|(mean, deviation)| real(
                Scale::LogNormal,
                mean,
                deviation,
                Some(0.5)
            )),
        ]
    }

    proptest! {
        #[test]
        fn values_lie_between_the_ends_and_grow_with_the_unit(
            distribution in any_distribution(), units in [0.0..1.0_f64, 0.0..1.0]
        ) {
            let dimension = Dimension::new("anything", &distribution);
            let number = |unit| dimension.value(unit).as_f64().unwrap();
            let (least, most) = (number(0.0), number(1.0));
            let (lower, upper) = (units[0].min(units[1]), units[0].max(units[1]));
            let (lower, upper) = (number(lower), number(upper));
            prop_assert!(least <= lower && lower <= upper && upper <= most, "{lower} {upper}");
            let ends = match distribution {
                Distribution::IntUniform { min, max } => (min as f64, max as f64),
                Distribution::Real { scale: Scale::Uniform | Scale::LogUniform, min, max, .. } => {
                    (min - 1e-9, max + 1e-9)
                }
                _ => (0.0, f64::INFINITY),
            };
            prop_assert!(ends.0 <= least && most <= ends.1, "{least} {most} {ends:?}");
        }

        #[test]
        fn what_can_be_counted_is_drawn_and_nothing_else(distribution in any_distribution(), unit in 0.0..1.0_f64) {
            let dimension = Dimension::new("anything", &distribution);
            if let Some(count) = dimension.count() {
                let value = dimension.value(unit);
                let values: Vec<Value> = (0..count).filter_map(|at| dimension.nth(at)).collect();
                prop_assert_eq!(values.len() as u64, count);
                let found = values.iter().any(|one| one.as_f64() == value.as_f64());
                prop_assert!(found, "{} of {:?}", value, values);
            }
        }
    }
}
