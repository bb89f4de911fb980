//! Numbers, words, durations, sizes and instants of the sweep file. Each that is something else is
//! an error that says what was expected.

use std::fmt::Display;
use std::ops::RangeInclusive;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use super::node::{Content, Node};
use super::section::{Value, describe, listed};

/// Units of durations, with their seconds.
const DURATIONS: [(&str, u64); 5] =
    [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400), ("w", 604_800)];

/// Units of sizes, which may have a B behind them, with their kilobytes of 1024 bytes.
const SIZES: [(&str, u64); 4] = [("K", 1), ("M", 1 << 10), ("G", 1 << 20), ("T", 1 << 30)];

/// Most seconds of a duration: a hundred years.
const MOST_SECONDS: u64 = 100 * 366 * 86_400;

impl Value<'_> {
    /// Tells what was expected in its place.
    pub(super) fn wrong<T>(&self, expected: impl Display) -> Option<T> {
        self.error(format_args!("expected {expected}, not {}", describe(self.node)));
        None
    }

    /// A word or a line of text.
    pub(super) fn text(&self) -> Option<String> {
        match &self.node.content {
            Content::Scalar { text, .. }
                if !text.trim().is_empty() && !text.chars().any(char::is_control) =>
            {
                Some(text.clone())
            }
            _ => self.wrong("one line of text"),
        }
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(&self, words: &[(&'static str, T)]) -> Option<T> {
        let found = match &self.node.content {
            Content::Scalar { text, .. } => words.iter().find(|(word, _)| word == text),
            _ => None,
        };
        if let Some((_, value)) = found {
            return Some(*value);
        }
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.wrong(listed(&words))
    }

    /// `true` or `false`, in the words of YAML 1.1 too.
    pub(super) fn flag(&self) -> Option<bool> {
        let text = match &self.node.content {
            Content::Scalar { text, plain: true } => text.to_ascii_lowercase(),
            _ => String::new(),
        };
        match text.as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" => Some(false),
            _ => self.wrong("`true` or `false`"),
        }
    }

    /// A whole number.
    pub(super) fn whole<N: TryFrom<i64>>(&self, range: RangeInclusive<i64>) -> Option<N> {
        let number = whole(self.node).filter(|number| range.contains(number));
        let number = number.and_then(|number| N::try_from(number).ok());
        let (least, most) = (range.start(), range.end());
        number.or_else(|| self.wrong(format_args!("a whole number from {least} to {most}")))
    }

    /// A number.
    pub(super) fn real(&self, range: RangeInclusive<f64>) -> Option<f64> {
        let (least, most) = (*range.start(), *range.end());
        let number = real(self.node).filter(|number| range.contains(number));
        number.or_else(|| match (least.is_finite(), most.is_finite()) {
            (true, true) => self.wrong(format_args!("a number from {least} to {most}")),
            _ => self.wrong("a number"),
        })
    }

    /// A duration with its unit, in seconds.
    pub(super) fn seconds<N: TryFrom<u64>>(&self, least: u64) -> Option<N> {
        let range = least..=MOST_SECONDS;
        let number = scaled(self.node, &DURATIONS, "").map(|seconds| seconds.ceil() as u64);
        let number = number.filter(|seconds| range.contains(seconds));
        number.and_then(|seconds| N::try_from(seconds).ok()).or_else(|| {
            self.wrong(format_args!(
                "a duration of {least} s or more with its unit (s, m, h, d or w), such as `90d`"
            ))
        })
    }

    /// A size with its unit, in MB of 2^20 bytes.
    pub(super) fn megabytes(&self) -> Option<u64> {
        let kilobytes = scaled(self.node, &SIZES, "B");
        match kilobytes.filter(|&kb| kb > 0.0 && kb < (1_u64 << 40) as f64) {
            Some(kilobytes) => Some((kilobytes / 1024.0).ceil() as u64),
            None => self.wrong("a size with its unit (KB, MB, GB or TB), such as `4GB`"),
        }
    }

    /// A date or a time in ISO 8601, UTC unless it says otherwise, in Unix seconds.
    pub(super) fn instant(&self) -> Option<i64> {
        let read = match &self.node.content {
            Content::Scalar { text, .. } => instant(text.trim()),
            _ => None,
        };
        let expected = "a date or a time such as `2026-01-31` or `2026-01-31T06:00:00-06:00`";
        read.map(Timestamp::as_second).or_else(|| self.wrong(expected))
    }

    /// The values of a list, or the one value that stands in place of a list.
    pub(super) fn list(&self) -> Vec<Self> {
        match &self.node.content {
            Content::List(items) => {
                items.iter().map(|node| Self { node, ..self.clone() }).collect()
            }
            Content::Scalar { .. } => vec![self.clone()],
            Content::Mapping(_) => {
                self.error("expected a list, not keys and values");
                Vec::new()
            }
        }
    }
}

/// A whole number, written with or without a fraction of zeros.
pub(super) fn whole(node: &Node) -> Option<i64> {
    let Content::Scalar { text, plain: true } = &node.content else { return None };
    let exact = |number: &f64| number.fract() == 0.0 && number.abs() < (1_u64 << 53) as f64;
    text.parse().ok().or_else(|| real(node).filter(exact).map(|number| number as i64))
}

/// A finite number.
pub(super) fn real(node: &Node) -> Option<f64> {
    let Content::Scalar { text, plain: true } = &node.content else { return None };
    // Rust reads words such as `inf` and `nan` too.
    let numeric = text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    text.parse().ok().filter(|number: &f64| numeric && number.is_finite())
}

/// A number and its unit, in the base unit; `end` may stand behind the unit.
fn scaled(node: &Node, units: &[(&str, u64)], end: &str) -> Option<f64> {
    let Content::Scalar { text, .. } = &node.content else { return None };
    let text = text.trim();
    let digits = text.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().ok()?;
    let unit = unit.trim_start();
    let unit = unit.to_ascii_uppercase();
    let unit = unit.strip_suffix(end).unwrap_or(&unit);
    let (_, size) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    Some(number * *size as f64)
}

fn instant(text: &str) -> Option<Timestamp> {
    if let Ok(at) = text.parse() {
        return Some(at);
    }
    let date = text.parse::<Date>().ok().filter(|_| text.len() <= 10);
    let at = date.map_or_else(|| text.parse::<DateTime>().ok(), |date| Some(date.at(0, 0, 0, 0)));
    at?.to_zoned(TimeZone::UTC).ok().map(|at| at.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::file::node::read;
    use crate::sweep::file::problems::Problems;

    /// What reading `v` of `v: text` gives, and the error where it gives none.
    fn taken<T>(text: &str, take: impl Fn(&Value<'_>) -> Option<T>) -> Result<T, String> {
        let root = read(&format!("v: {text}\n")).unwrap();
        let problems = Problems::default();
        let (node, name) = (&root.entries()[0].value, "v".to_owned());
        let taken = take(&Value { node, name, problems: &problems });
        let [errors, _] = problems.in_order();
        taken.ok_or_else(|| errors.first().map_or(String::new(), ToString::to_string))
    }

    #[test]
    fn durations_have_units() {
        let seconds = |text| taken(text, |value| value.seconds::<u64>(1));
        assert_eq!(seconds("90d"), Ok(90 * 86_400));
        assert_eq!(seconds("1.5 h"), Ok(5_400));
        assert_eq!(seconds("2W"), Ok(1_209_600));
        let expected = "1:4: v: expected a duration of 1 s or more with its unit (s, m, h, d or w), such as `90d`, not ";
        for bad in ["600", "0s", "-1d", "1y", "999999999w", "d"] {
            assert_eq!(seconds(bad), Err(format!("{expected}`{bad}`")));
        }
    }

    #[test]
    fn sizes_have_units_of_1024() {
        let size = |text| taken(text, |value| value.megabytes());
        assert_eq!((size("4GB"), size("1.5g"), size("500 KB")), (Ok(4096), Ok(1536), Ok(1)));
        assert!(size("4096").unwrap_err().contains("such as `4GB`, not `4096`"));
        assert!(size("0GB").is_err() && size("9999999TB").is_err());
    }

    #[test]
    fn instants_are_utc_unless_they_say_otherwise() {
        let at = |text| taken(text, |value| value.instant());
        assert_eq!(at("2026-01-31"), Ok(1_769_817_600));
        assert_eq!(at("2026-01-31T06:00:00"), Ok(1_769_817_600 + 21_600));
        assert_eq!(at("2026-01-31 06:00"), Ok(1_769_817_600 + 21_600));
        assert_eq!(at("2026-01-31T06:00:00-06:00"), Ok(1_769_817_600 + 43_200));
        assert!(at("31.1.2026").unwrap_err().contains("not `31.1.2026`"));
    }

    #[test]
    fn numbers_are_plain_and_finite() {
        let whole = |text| taken(text, |value| value.whole::<u8>(1..=8));
        assert_eq!((whole("3"), whole("3.0")), (Ok(3), Ok(3)));
        assert_eq!(
            whole("'3'").unwrap_err(),
            "1:4: v: expected a whole number from 1 to 8, not `\"3\"`"
        );
        for bad in ["9", "0", "2.5", "x", "[1]", "99999999999999999999"] {
            assert!(whole(bad).is_err(), "{bad}");
        }
        let real = |text| taken(text, |value| value.real(0.0..=1.0));
        assert_eq!((real("1e-4"), real(".5")), (Ok(1e-4), Ok(0.5)));
        for bad in ["nan", ".nan", "inf", "2", "1e999"] {
            assert!(real(bad).is_err(), "{bad}");
        }
        let flag = |text| taken(text, |value| value.flag());
        assert_eq!((flag("True"), flag("off"), flag("1").is_err()), (Ok(true), Ok(false), true));
    }
}
