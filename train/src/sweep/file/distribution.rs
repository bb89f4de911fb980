//! What a parameter may be, in the words of a W&B sweep configuration
//! (<https://docs.wandb.ai/models/sweeps/sweep-config-keys>), or one value alone.

use super::node::Content;
use super::scalar::{real, whole};
use super::section::{Value, all, describe, listed, nearest};
use crate::sweep::parameters::{Kind, Parameter};
use crate::sweep::space::{Distribution, Scale};

/// The words for distributions, with their keys and what they are.
///
/// log(1 / x) is uniform where log(x) is: the two ways to say it differ in their ends alone.
const WORDS: [(&str, &[&str], Form); 15] = [
    ("constant", &["value"], Form::Constant),
    ("categorical", &["values", "probabilities"], Form::Categorical),
    ("int_uniform", &["min", "max"], Form::IntUniform),
    ("uniform", &["min", "max"], Form::Between(Scale::Uniform, Ends::Values)),
    ("q_uniform", &["min", "max", "q"], Form::Between(Scale::Uniform, Ends::Values)),
    ("log_uniform", &["min", "max"], Form::Between(Scale::LogUniform, Ends::Exponents)),
    ("q_log_uniform", &["min", "max", "q"], Form::Between(Scale::LogUniform, Ends::Exponents)),
    ("log_uniform_values", &["min", "max"], Form::Between(Scale::LogUniform, Ends::Values)),
    ("q_log_uniform_values", &["min", "max", "q"], Form::Between(Scale::LogUniform, Ends::Values)),
    ("inv_log_uniform", &["min", "max"], Form::Between(Scale::LogUniform, Ends::InverseExponents)),
    ("inv_log_uniform_values", &["min", "max"], Form::Between(Scale::LogUniform, Ends::Values)),
    ("normal", &["mu", "sigma"], Form::Normal(Scale::Normal)),
    ("q_normal", &["mu", "sigma", "q"], Form::Normal(Scale::Normal)),
    ("log_normal", &["mu", "sigma"], Form::Normal(Scale::LogNormal)),
    ("q_log_normal", &["mu", "sigma", "q"], Form::Normal(Scale::LogNormal)),
];

/// What a distribution is.
#[derive(Clone, Copy)]
enum Form {
    Constant,
    Categorical,
    IntUniform,
    /// Numbers between ends.
    Between(Scale, Ends),
    Normal(Scale),
}

/// What `min` and `max` are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// The least and the greatest value.
    Values,
    /// Their logarithms.
    Exponents,
    /// The logarithms of 1 / them.
    InverseExponents,
}

/// How far the sum of probabilities may be from 1.
const SUM: f64 = 1e-3;

/// The keys that some distribution has.
const KEYS: [&str; 8] = ["value", "values", "probabilities", "min", "max", "mu", "sigma", "q"];

/// The keys of a distribution.
struct Keys<'a> {
    value: Value<'a>,
    /// What the parameter may be.
    kind: Kind,
    /// Those that are there, in the order of [`KEYS`].
    given: Vec<(&'static str, Value<'a>)>,
}

/// Reads what a parameter may be.
pub(super) fn distribution(value: Value<'_>, parameter: &Parameter) -> Option<Distribution> {
    let kind = parameter.kind;
    match value.node.content {
        Content::List(_) => {
            value.error("to try each value of a list, `values: [...]`");
            return None;
        }
        Content::Scalar { .. } => {
            return Some(Distribution::Constant { value: one(&value, kind)? });
        }
        Content::Mapping(_) => {}
    }
    let mut section = value.clone().section()?;
    let word = section.take("distribution");
    let given = KEYS.into_iter().filter_map(|key| Some((key, section.take(key)?))).collect();
    let keys = Keys { value, kind, given };
    let word = match word {
        Some(value) => known_word(&value)?,
        None => keys.implied_word()?,
    };
    keys.read(word)
}

/// One value of a parameter.
pub(super) fn one(value: &Value<'_>, kind: Kind) -> Option<serde_json::Value> {
    let Kind { whole, least, most } = kind;
    match whole {
        true => value.whole::<i64>(least as i64..=most as i64).map(Into::into),
        false => value.real(least..=most).map(Into::into),
    }
}

/// The words for all distributions.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|(word, ..)| *word)
}

fn known_word(value: &Value<'_>) -> Option<&'static str> {
    let text = value.text()?;
    // W&B's own name for it inside.
    let text = if text == "categorical_w_probabilities" { "categorical" } else { text.as_str() };
    if let Some(word) = words().find(|word| *word == text) {
        return Some(word);
    }
    let hint = match nearest(text, words()) {
        Some(word) => format!("did you mean `{word}`?"),
        None => format!("expected {}", listed(&words().collect::<Vec<_>>())),
    };
    value.error(format_args!("no distribution {}; {hint}", describe(value.node)));
    None
}

impl<'a> Keys<'a> {
    fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.given.iter().find(|(given, _)| *given == key).map(|(_, value)| value)
    }

    /// The distribution meant where none is named, as W&B has it.
    fn implied_word(&self) -> Option<&'static str> {
        match ["value", "values", "min", "max"].map(|key| self.get(key)) {
            [Some(_), ..] => Some("constant"),
            [None, Some(_), ..] => Some("categorical"),
            [None, None, Some(min), Some(max)] => {
                let whole_ends = [min, max].into_iter().all(|end| {
                    matches!(&end.node.content, Content::Scalar { text, .. } if text.parse::<i64>().is_ok())
                });
                Some(if whole_ends { "int_uniform" } else { "uniform" })
            }
            _ => {
                let text = "expected `value`, `values`, or `min` and `max`, or a `distribution`";
                self.value.error(text);
                None
            }
        }
    }

    fn read(&self, word: &'static str) -> Option<Distribution> {
        let &(_, allowed, form) = WORDS.iter().find(|row| row.0 == word)?;
        for (_, value) in self.given.iter().filter(|(key, _)| !allowed.contains(key)) {
            value.error(format_args!("`{word}` has {} alone", listed(allowed)));
        }
        let rounds = allowed.contains(&"q");
        match form {
            Form::Constant => {
                let value = one(self.need("value", word)?, self.kind)?;
                Some(Distribution::Constant { value })
            }
            Form::Categorical => self.categorical(),
            Form::IntUniform => self.int_uniform(word),
            Form::Between(scale, ends) => self.between(word, scale, ends, rounds),
            Form::Normal(scale) => self.normal(scale, rounds),
        }
    }

    fn need(&self, key: &str, word: &str) -> Option<&Value<'a>> {
        let value = self.get(key);
        if value.is_none() {
            self.value.error(format_args!("`{word}` needs `{key}`"));
        }
        value
    }

    fn categorical(&self) -> Option<Distribution> {
        let value = self.need("values", "categorical")?;
        let values = value.list();
        if values.is_empty() {
            value.error("expected one value or more");
            return None;
        }
        let read = all(values.iter().map(|value| one(value, self.kind)));
        let probabilities = match self.get("probabilities") {
            None => Some(Vec::new()),
            Some(value) => probabilities(value, values.len()),
        };
        Some(Distribution::Categorical { values: read?, probabilities: probabilities? })
    }

    fn int_uniform(&self, word: &str) -> Option<Distribution> {
        let (min, max) = self.need("min", word).zip(self.need("max", word))?;
        let Kind { least, most, .. } = self.kind;
        let range = least.ceil() as i64..=most.floor() as i64;
        let (least, most) = min.whole::<i64>(range.clone()).zip(max.whole(range))?;
        in_order(least as f64, most as f64, max)?;
        Some(Distribution::IntUniform { min: least, max: most })
    }

    fn between(&self, word: &str, scale: Scale, ends: Ends, rounds: bool) -> Option<Distribution> {
        let (min, max) = self.need("min", word).zip(self.need("max", word))?;
        let any = f64::MIN..=f64::MAX;
        let (least, most) = min.real(any.clone()).zip(max.real(any))?;
        in_order(least, most, max)?;
        // Where each end came from, to name it when it is at fault.
        let ((least, min), (most, max)) = match ends {
            Ends::Values => ((least, min), (most, max)),
            Ends::Exponents => ((least.exp(), min), (most.exp(), max)),
            Ends::InverseExponents => (((-most).exp(), max), ((-least).exp(), min)),
        };
        if scale == Scale::LogUniform && least <= 0.0 {
            let found = describe(min.node);
            min.error(match ends {
                Ends::Values => format!("{found} has no logarithm, expected more than 0"),
                _ => format!("e to the power of {found} is 0"),
            });
            return None;
        }
        let kind = self.kind;
        let outside = |(number, _): &(f64, _)| !(kind.least..=kind.most).contains(number);
        let outside: Vec<_> = [(least, min), (most, max)].into_iter().filter(outside).collect();
        for (number, value) in &outside {
            let power = match ends {
                Ends::Values => String::new(),
                _ => format!(" (`{word}` has exponents of e: {number:.3e})"),
            };
            value.error(format_args!("expected {kind}, not {}{power}", describe(value.node)));
        }
        if !outside.is_empty() {
            return None;
        }
        let q = self.q(rounds)?;
        if let Some(q) = q
            && (least / q - 1e-9).ceil() > (most / q + 1e-9).floor()
        {
            let text = format!("no multiple of {q} lies between {least} and {most}");
            self.value.error(text);
            return None;
        }
        Some(Distribution::Real { scale, min: least, max: most, q })
    }

    fn normal(&self, scale: Scale, rounds: bool) -> Option<Distribution> {
        let mu = self.get("mu").map_or(Some(0.0), |value| value.real(f64::MIN..=f64::MAX));
        let sigma = self.get("sigma").map_or(Some(1.0), |value| value.real(0.0..=f64::MAX));
        let (mu, sigma) = (mu?, sigma?);
        let median = if scale == Scale::LogNormal { mu.exp() } else { mu };
        let kind = self.kind;
        let Kind { least, most, .. } = kind;
        if !(least..=most).contains(&median) {
            let node = self.get("mu").map_or(self.value.node, |mu| mu.node);
            let text = format!("half of the values are above {median}, expected {kind}");
            self.value.within("mu", node).error(text);
            return None;
        }
        let q = self.q(rounds)?;
        Some(Distribution::Real { scale, min: mu, max: sigma, q })
    }

    /// What values are rounded to a multiple of; whole parameters are rounded to whole numbers in
    /// any case.
    fn q(&self, rounds: bool) -> Option<Option<f64>> {
        let most = self.kind.most;
        let Some(value) = self.get("q").filter(|_| rounds) else {
            return Some((rounds || self.kind.whole).then_some(1.0));
        };
        let (q, expected) = match self.kind.whole {
            true => {
                let q = whole(value.node).filter(|&q| q >= 1).map(|q| q as f64);
                (q, format!("a whole number from 1 to {most}"))
            }
            false => {
                (real(value.node).filter(|&q| q > 0.0), format!("a number above 0, at most {most}"))
            }
        };
        match q.filter(|&q| q <= most) {
            Some(q) => Some(Some(q)),
            None => value.wrong(expected),
        }
    }
}

fn probabilities(value: &Value<'_>, count: usize) -> Option<Vec<f64>> {
    let read = all(value.list().iter().map(|value| value.real(0.0..=1.0)))?;
    let sum: f64 = read.iter().sum();
    let wrong = if read.len() != count {
        format!("{} for {count} values", read.len())
    } else if (sum - 1.0).abs() > SUM {
        format!("their sum is {sum}, expected 1")
    } else {
        return Some(read);
    };
    value.error(wrong);
    None
}

fn in_order(min: f64, max: f64, value: &Value<'_>) -> Option<()> {
    if min > max {
        value.error(format_args!("{} is below `min`: nothing lies between", describe(value.node)));
    }
    (min <= max).then_some(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sweep::file::node::read;
    use crate::sweep::file::problems::Problems;
    use crate::sweep::parameters::find;

    fn of(parameter: &str, text: &str) -> Result<Distribution, Vec<String>> {
        let root = read(&format!("{parameter}: {text}\n")).unwrap();
        let entry = &root.entries()[0];
        let problems = Problems::default();
        let value = Value { node: &entry.value, name: parameter.to_owned(), problems: &problems };
        let read = distribution(value, find(parameter).unwrap());
        let [errors, _] = problems.in_order();
        match read {
            Some(read) if errors.is_empty() => Ok(read),
            _ => Err(errors.iter().map(ToString::to_string).collect()),
        }
    }

    fn wrong(parameter: &str, text: &str) -> String {
        let errors = of(parameter, text).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:?}");
        errors.into_iter().next().unwrap()
    }

    fn close(distribution: &Distribution, scale: Scale, least: f64, most: f64, q: Option<f64>) {
        match *distribution {
            Distribution::Real { scale: s, min, max, q: r } => {
                assert!((min / least - 1.0).abs() < 1e-12 && (max / most - 1.0).abs() < 1e-12);
                assert_eq!((s, r), (scale, q));
            }
            ref other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_word_of_wandb() {
        use Scale::{LogNormal, LogUniform, Normal, Uniform};
        let e = std::f64::consts::E;
        let rate = |text| of("learning_rate", text).unwrap();
        let real = |scale, min, max, q| Distribution::Real { scale, min, max, q };
        assert_eq!(rate("0.001"), Distribution::Constant { value: json!(0.001) });
        assert_eq!(rate("{value: 1}"), Distribution::Constant { value: json!(1.0) });
        assert_eq!(
            rate("{distribution: constant, value: 1e-3}"),
            Distribution::Constant { value: json!(1e-3) }
        );
        let values = vec![json!(0.1), json!(0.2)];
        assert_eq!(
            rate("{values: [0.1, 0.2]}"),
            Distribution::Categorical { values: values.clone(), probabilities: Vec::new() }
        );
        assert_eq!(
            rate("{distribution: categorical, values: [0.1, 0.2], probabilities: [0.9, 0.1]}"),
            Distribution::Categorical { values, probabilities: vec![0.9, 0.1] }
        );
        assert_eq!(rate("{min: 0.1, max: 1}"), real(Uniform, 0.1, 1.0, None));
        assert_eq!(rate("{min: 0, max: 1}"), Distribution::IntUniform { min: 0, max: 1 });
        assert_eq!(rate("{distribution: uniform, min: 0, max: 1}"), real(Uniform, 0.0, 1.0, None));
        assert_eq!(
            rate("{distribution: q_uniform, min: 0, max: 1, q: 0.1}"),
            real(Uniform, 0.0, 1.0, Some(0.1))
        );
        close(
            &rate("{distribution: log_uniform, min: -3, max: -1}"),
            LogUniform,
            e.powi(-3),
            e.powi(-1),
            None,
        );
        close(
            &rate("{distribution: inv_log_uniform, min: 1, max: 3}"),
            LogUniform,
            e.powi(-3),
            e.powi(-1),
            None,
        );
        assert_eq!(
            rate("{distribution: inv_log_uniform_values, min: 0.01, max: 0.1}"),
            real(LogUniform, 0.01, 0.1, None)
        );
        assert_eq!(
            rate("{distribution: log_uniform_values, min: 0.01, max: 0.1}"),
            real(LogUniform, 0.01, 0.1, None)
        );
        let batch = |text| of("batch", text).unwrap();
        close(
            &batch("{distribution: q_log_uniform, min: 1, max: 3, q: 2}"),
            LogUniform,
            e,
            e.powi(3),
            Some(2.0),
        );
        assert_eq!(
            batch("{distribution: q_log_uniform_values, min: 32, max: 256, q: 8}"),
            real(LogUniform, 32.0, 256.0, Some(8.0))
        );
        assert_eq!(batch("{min: 3, max: 9}"), Distribution::IntUniform { min: 3, max: 9 });
        // Whole numbers all the same.
        assert_eq!(
            batch("{distribution: uniform, min: 3, max: 9.5}"),
            real(Uniform, 3.0, 9.5, Some(1.0))
        );
        let dropout = |text| of("dropout", text).unwrap();
        assert_eq!(
            dropout("{distribution: normal, mu: 0.2, sigma: 0.1}"),
            real(Normal, 0.2, 0.1, None)
        );
        assert_eq!(
            dropout("{distribution: q_normal, mu: 0.2, sigma: 0.1, q: 0.05}"),
            real(Normal, 0.2, 0.1, Some(0.05))
        );
        assert_eq!(dropout("{distribution: log_normal, mu: -2}"), real(LogNormal, -2.0, 1.0, None));
        assert_eq!(
            of("trees", "{distribution: q_log_normal, mu: 4, q: 10}").unwrap(),
            real(LogNormal, 4.0, 1.0, Some(10.0))
        );
    }

    #[test]
    fn what_is_empty_or_out_of_range_is_told_with_its_place() {
        for (parameter, text, expected) in [
            (
                "hidden",
                "{min: 9, max: 3}",
                "1:23: hidden.max: `3` is below `min`: nothing lies between",
            ),
            ("hidden", "{values: []}", "1:18: hidden.values: expected one value or more"),
            (
                "hidden",
                "{values: [32, a]}",
                "1:23: hidden.values: expected a whole number from 1 to 1024, not `a`",
            ),
            ("hidden", "32.5", "1:9: hidden: expected a whole number from 1 to 1024, not `32.5`"),
            (
                "dropout",
                "{min: 0.1, max: 1.5}",
                "1:26: dropout.max: expected a number from 0 to 0.99, not `1.5`",
            ),
            (
                "learning_rate",
                "{distribution: log_uniform_values, min: 0, max: 1}",
                "1:56: learning_rate.min: `0` has no logarithm, expected more than 0",
            ),
            (
                "batch",
                "{distribution: q_uniform, min: 1, max: 9, q: 0}",
                "1:53: batch.q: expected a whole number from 1 to 1048576, not `0`",
            ),
            (
                "batch",
                "{distribution: q_uniform, min: 9, max: 15, q: 8}",
                "1:8: batch: no multiple of 8 lies between 9 and 15",
            ),
            (
                "batch",
                "{distribution: log_uniform, min: 32, max: 256}",
                "1:41: batch.min: expected a whole number from 1 to 1048576, not `32` (`log_uniform` has exponents of e: 7.896e13)",
            ),
            (
                "dropout",
                "{distribution: q_uniform, min: 0, max: 0.5, q: -1}",
                "1:57: dropout.q: expected a number above 0, at most 0.99, not `-1`",
            ),
            (
                "hidden",
                "{values: [1, 2], probabilities: [1]}",
                "1:41: hidden.probabilities: 1 for 2 values",
            ),
            (
                "hidden",
                "{values: [1, 2], probabilities: [0.5, 0.4]}",
                "1:41: hidden.probabilities: their sum is 0.9, expected 1",
            ),
            (
                "hidden",
                "{values: [1, 2], q: 2}",
                "1:29: hidden.q: `categorical` has `values` or `probabilities` alone",
            ),
            (
                "hidden",
                "{min: 1}",
                "1:9: hidden: expected `value`, `values`, or `min` and `max`, or a `distribution`",
            ),
            ("hidden", "{distribution: uniform, min: 1}", "1:9: hidden: `uniform` needs `max`"),
            (
                "hidden",
                "{distribution: log_unifrom, min: 1, max: 2}",
                "1:24: hidden.distribution: no distribution `log_unifrom`; did you mean `log_uniform`?",
            ),
            (
                "hidden",
                "{maks: 1, min: 1, max: 3}",
                "1:10: hidden.maks: unknown key; did you mean `max`?",
            ),
            (
                "hidden",
                "{distribution: normal, mu: -1}",
                "1:36: hidden.mu: half of the values are above -1, expected a whole number from 1 to 1024",
            ),
            ("hidden", "[32, 64]", "1:9: hidden: to try each value of a list, `values: [...]`"),
        ] {
            let told = of(parameter, text).unwrap_err();
            assert!(told.contains(&expected.to_owned()), "{told:?} instead of {expected:?}");
        }
        assert!(
            wrong("hidden", "{distribution: beta}").contains("expected `constant`, `categorical`")
        );
        let both = of("batch", "{distribution: log_uniform, min: 32, max: 256}").unwrap_err();
        assert_eq!(both.len(), 2, "{both:?}");
    }
}
