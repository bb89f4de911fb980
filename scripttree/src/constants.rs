//! Numbers that a script names, and what is computed of them.

use std::collections::HashMap;

/// Names that are kept, at most.
const NAMES: usize = 4096;

/// Names whose number is known. The last assignment counts.
#[derive(Debug, Default)]
pub(crate) struct Constants {
    known: HashMap<Box<str>, f64>,
}

impl Constants {
    pub(crate) fn of(&self, name: &str) -> Option<f64> {
        self.known.get(name).copied()
    }

    /// A name is assigned something; `None`: no number that is known.
    pub(crate) fn assign(&mut self, name: &str, value: Option<f64>) {
        match value {
            Some(value) if self.known.len() < NAMES || self.known.contains_key(name) => {
                self.known.insert(name.into(), value);
            }
            _ => drop(self.known.remove(name)),
        }
    }
}

/// The value of a binary operator of any of the languages. `None`: not known, or not finite.
pub(crate) fn computed(left: f64, operator: &str, right: f64) -> Option<f64> {
    let value = match operator {
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "/" => left / right,
        "//" => (left / right).floor(),
        "%" | "%%" => left % right,
        "**" | "^" => left.powf(right),
        "<<" => left * 2_f64.powf(right),
        // How many from one to the other.
        ":" | ".." => (right - left).abs() + 1.0,
        _ => return None,
    };
    value.is_finite().then_some(value)
}

/// A number as a literal of any of the languages: `1_000`, `0x10`, `1e6`, `10L`.
pub(crate) fn literal(text: &str) -> Option<f64> {
    let text: String = text.chars().filter(|c| *c != '_').take(64).collect();
    let text = text.trim_end_matches(['L', 'l', 'j', 'J']);
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let value = match hexadecimal {
        Some(digits) => u64::from_str_radix(digits, 16).ok()? as f64,
        None => text.parse().ok()?,
    };
    value.is_finite().then_some(value)
}

/// The number or size in a word of a command: `100`, `10G`, `bs=1M`, `-n100`, `--size=2GiB`. A unit is a
/// power of 1024.
#[must_use]
pub fn word(text: &str) -> Option<f64> {
    let text = text.rsplit('=').next().unwrap_or(text);
    let text = match text.strip_prefix('-') {
        // An option of one letter, and its number.
        Some(option) => option.strip_prefix(|c: char| c.is_ascii_alphabetic())?,
        None => text,
    };
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let digits = text.find(|c| !is_number(c)).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.strip_suffix("iB").or_else(|| unit.strip_suffix('B')).unwrap_or(unit) {
        "" => 1.0,
        "k" | "K" => 1024.0,
        "m" | "M" => 1_048_576.0,
        "g" | "G" => 1_073_741_824.0,
        "t" | "T" => 1_099_511_627_776.0,
        _ => return None,
    };
    literal(number).map(|number| number * factor).filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_language_are_read() {
        assert_eq!(literal("1_000"), Some(1000.0));
        assert_eq!(literal("0x10"), Some(16.0));
        assert_eq!(literal("1e6"), Some(1e6));
        assert_eq!(literal("10L"), Some(10.0));
        assert_eq!(literal("1e999"), None);
        assert_eq!(literal("inf_"), None);
    }

    #[test]
    fn words_of_commands_have_sizes() {
        assert_eq!(word("bs=1M"), Some(1_048_576.0));
        assert_eq!(word("10GiB"), Some(10.0 * 1_073_741_824.0));
        assert_eq!(word("-n100"), Some(100.0));
        assert_eq!(word("--size=2k"), Some(2048.0));
        assert_eq!(word("count=7"), Some(7.0));
        for other in ["a1", "-", "-9", "1x", "1.2.3", "", "=", "-n"] {
            assert_eq!(word(other), None, "{other}");
        }
    }

    #[test]
    fn a_name_has_its_last_number() {
        let mut constants = Constants::default();
        constants.assign("n", Some(3.0));
        constants.assign("n", Some(4.0));
        assert_eq!(constants.of("n"), Some(4.0));
        constants.assign("n", None);
        assert_eq!(constants.of("n"), None);
    }
}
