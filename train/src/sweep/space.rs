//! What a distribution means: each maps the unit interval, on which its own probability is uniform, to values.
//!
//! A draw is the value at a uniform number, and an estimator over trials works on the unit interval, that is on the
//! parameter's own scale: the logarithm of a log-uniform one, the probability below a normal one.

use serde_json::Value;

use super::normal;
use super::parameters::{self, Kind};
use super::plan::{Distribution, Scale};

/// Significant digits of a number that is not rounded to a multiple.
const DIGITS: usize = 6;

/// Significant digits of a multiple: a product such as 3 * 0.1 has more than anyone asked for.
const DIGITS_OF_MULTIPLES: usize = 12;

/// A parameter and its distribution.
#[derive(Clone, Copy, Debug)]
pub struct Dimension<'a> {
    distribution: &'a Distribution,
    /// Least and greatest value that training takes.
    limits: (f64, f64),
    whole: bool,
}

/// Where a value lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// It is the only one.
    Constant,
    /// Number of one of the values.
    Choice(usize),
    /// A point of the unit interval.
    Point(f64),
    /// The part of the unit interval that comes to this value.
    Cell(f64, f64),
}

impl<'a> Dimension<'a> {
    /// A parameter by its name in the plan.
    pub fn new(name: &str, distribution: &'a Distribution) -> Self {
        let kind = parameters::find(name).map(|parameter| parameter.kind);
        let limits = kind.map_or((f64::NEG_INFINITY, f64::INFINITY), Kind::ends);
        Self { distribution, limits, whole: kind.is_some_and(Kind::is_whole) }
    }

    /// The value at a point of the unit interval.
    pub fn value(&self, unit: f64) -> Value {
        match self.distribution {
            Distribution::Constant { value } => value.clone(),
            Distribution::Categorical { values, .. } => {
                let mut left = unit;
                let chances = self.chances();
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

    /// Where a value lies; `None` for one that this distribution does not come to.
    pub fn place(&self, value: &Value) -> Option<Place> {
        match self.distribution {
            Distribution::Constant { value: constant } => {
                (same(constant, value)).then_some(Place::Constant)
            }
            Distribution::Categorical { values, .. } => {
                values.iter().position(|one| same(one, value)).map(Place::Choice)
            }
            Distribution::IntUniform { min, max } => {
                let number = value.as_i64().filter(|number| (min..=max).contains(&number))?;
                let count = *max as f64 - *min as f64 + 1.0;
                let at = number as f64 - *min as f64;
                Some(Place::Cell(at / count, (at + 1.0) / count))
            }
            &Distribution::Real { q: Some(q), .. } => {
                let number = value.as_f64()?;
                let (first, last) = self.multiples(q);
                let at = (number / q).round();
                if !(first..=last).contains(&at) || (at * q - number).abs() > 1e-6 * q {
                    return None;
                }
                let below = if at == first { 0.0 } else { self.share((at - 0.5) * q) };
                let above = if at == last { 1.0 } else { self.share((at + 0.5) * q) };
                Some(Place::Cell(below, above))
            }
            Distribution::Real { q: None, .. } => {
                let (least, most) = self.ends();
                let number = value.as_f64().filter(|number| (least..=most).contains(number))?;
                Some(Place::Point(self.share(number)))
            }
        }
    }

    /// How likely each of the values is; empty where they are not listed.
    pub fn chances(&self) -> Vec<f64> {
        match self.distribution {
            Distribution::Categorical { values, probabilities } if probabilities.is_empty() => {
                vec![1.0 / values.len() as f64; values.len()]
            }
            Distribution::Categorical { probabilities, .. } => {
                let sum: f64 = probabilities.iter().sum();
                probabilities.iter().map(|chance| chance / sum).collect()
            }
            _ => Vec::new(),
        }
    }

    /// One of the listed values.
    pub fn choice(&self, at: usize) -> Option<&'a Value> {
        match self.distribution {
            Distribution::Categorical { values, .. } => values.get(at),
            _ => None,
        }
    }

    /// How many values there are; `None` where they cannot be counted: continuous ones, and those without ends.
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

    /// The share of the unit interval that comes to less than a number.
    fn share(&self, number: f64) -> f64 {
        let Distribution::Real { scale, min, max, .. } = *self.distribution else { return 0.0 };
        let between =
            |x: f64, min: f64, max: f64| if max > min { (x - min) / (max - min) } else { 0.5 };
        let below = |x: f64| match max > 0.0 {
            true => normal::below((x - min) / max),
            false => 0.5,
        };
        let share = match scale {
            Scale::Uniform => between(number, min, max),
            Scale::LogUniform => between(number.ln(), min.ln(), max.ln()),
            Scale::Normal => below(number),
            Scale::LogNormal => below(number.ln()),
        };
        // The logarithm of nothing or less lies below everything.
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }
}

/// The same value, 1 and 1.0 alike.
fn same(one: &Value, other: &Value) -> bool {
    one == other || (one.is_number() && one.as_f64() == other.as_f64())
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
        fn every_value_lies_where_it_was_drawn(distribution in any_distribution(), unit in 0.0..1.0_f64) {
            let dimension = Dimension::new("anything", &distribution);
            let value = dimension.value(unit);
            match dimension.place(&value) {
                Some(Place::Cell(below, above)) => {
                    prop_assert!(below - 1e-6 <= unit && unit <= above + 1e-6, "{value} {below} {above}");
                }
                // A value has six digits: in a narrow space many units have the same one.
                Some(Place::Point(at)) => prop_assert!(same(&dimension.value(at), &value), "{value} {at}"),
                place => prop_assert!(false, "{value}: {place:?}"),
            }
        }

        #[test]
        fn what_can_be_counted_is_drawn_and_nothing_else(distribution in any_distribution(), unit in 0.0..1.0_f64) {
            let dimension = Dimension::new("anything", &distribution);
            if let Some(count) = dimension.count() {
                let value = dimension.value(unit);
                let values: Vec<Value> = (0..count).filter_map(|at| dimension.nth(at)).collect();
                prop_assert_eq!(values.len() as u64, count);
                prop_assert!(values.iter().any(|one| same(one, &value)), "{} of {:?}", value, values);
            }
        }
    }
}
