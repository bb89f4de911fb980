//! Numbers, words, durations, sizes and instants of the sweep file. Each that is something else is an error that says
//! what was expected.

use std::ops::RangeInclusive;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use super::node::{Content, Node};
use super::problems::Problems;
use super::section::describe;

/// Units of durations, with their seconds.
const DURATIONS: [(&str, u64); 5] =
    [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400), ("w", 604_800)];

/// Units of sizes, with their kilobytes of 1024 bytes.
const SIZES: [(&str, u64); 8] = [
    ("KB", 1),
    ("MB", 1 << 10),
    ("GB", 1 << 20),
    ("TB", 1 << 30),
    ("K", 1),
    ("M", 1 << 10),
    ("G", 1 << 20),
    ("T", 1 << 30),
];

/// Most seconds of a duration: a hundred years.
const MOST_SECONDS: u64 = 100 * 366 * 86_400;

impl Problems {
    fn wrong<T>(&mut self, node: &Node, name: &str, expected: &str) -> Option<T> {
        self.error(node.at, format!("{name}: expected {expected}, not {}", describe(node)));
        None
    }

    /// A word or a line of text.
    pub(super) fn text(&mut self, node: &Node, name: &str) -> Option<String> {
        match &node.content {
            Content::Scalar { text, .. }
                if !text.trim().is_empty() && !text.chars().any(char::is_control) =>
            {
                Some(text.clone())
            }
            _ => self.wrong(node, name, "one line of text"),
        }
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(
        &mut self,
        node: &Node,
        name: &str,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        let found = match &node.content {
            Content::Scalar { text, .. } => words.iter().find(|(word, _)| word == text),
            _ => None,
        };
        if let Some((_, value)) = found {
            return Some(*value);
        }
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.wrong(node, name, &super::section::listed(&words))
    }

    /// `true` or `false`, in the words of YAML 1.1 too.
    pub(super) fn flag(&mut self, node: &Node, name: &str) -> Option<bool> {
        let text = match &node.content {
            Content::Scalar { text, plain: true } => text.to_ascii_lowercase(),
            _ => String::new(),
        };
        match text.as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" => Some(false),
            _ => self.wrong(node, name, "`true` or `false`"),
        }
    }

    /// A whole number.
    pub(super) fn whole(
        &mut self,
        node: &Node,
        name: &str,
        range: RangeInclusive<i64>,
    ) -> Option<i64> {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        match whole(node).filter(|number| range.contains(number)) {
            None => self.wrong(node, name, &expected),
            number => number,
        }
    }

    /// A whole number that counts something.
    pub(super) fn count(
        &mut self,
        node: &Node,
        name: &str,
        range: RangeInclusive<usize>,
    ) -> Option<usize> {
        let bound = |end: &usize| i64::try_from(*end).unwrap_or(i64::MAX);
        let number = self.whole(node, name, bound(range.start())..=bound(range.end()))?;
        usize::try_from(number).ok()
    }

    /// A number.
    pub(super) fn real(
        &mut self,
        node: &Node,
        name: &str,
        range: RangeInclusive<f64>,
    ) -> Option<f64> {
        let (least, most) = (*range.start(), *range.end());
        let expected = match (least.is_finite(), most.is_finite()) {
            (true, true) => format!("a number from {least} to {most}"),
            _ => "a number".to_owned(),
        };
        match real(node).filter(|number| range.contains(number)) {
            None => self.wrong(node, name, &expected),
            number => number,
        }
    }

    /// A duration with its unit, in seconds.
    pub(super) fn seconds(&mut self, node: &Node, name: &str, least: u64) -> Option<i64> {
        let range = least..=MOST_SECONDS;
        let number = scaled(node, &DURATIONS).map(|seconds| seconds.ceil() as u64);
        match number.filter(|seconds| range.contains(seconds)) {
            Some(seconds) => i64::try_from(seconds).ok(),
            None => {
                let expected = format!(
                    "a duration of {least} s or more with its unit (s, m, h, d or w), such as `90d`"
                );
                self.wrong(node, name, &expected)
            }
        }
    }

    /// A size with its unit, in MB of 2^20 bytes.
    pub(super) fn megabytes(&mut self, node: &Node, name: &str) -> Option<u64> {
        let kilobytes = scaled(node, &SIZES).filter(|&kb| kb > 0.0 && kb < (1_u64 << 40) as f64);
        match kilobytes {
            Some(kilobytes) => Some((kilobytes / 1024.0).ceil() as u64),
            None => {
                self.wrong(node, name, "a size with its unit (KB, MB, GB or TB), such as `4GB`")
            }
        }
    }

    /// A date or a time in ISO 8601, UTC unless it says otherwise, in Unix seconds.
    pub(super) fn instant(&mut self, node: &Node, name: &str) -> Option<i64> {
        let read = match &node.content {
            Content::Scalar { text, .. } => instant(text.trim()),
            _ => None,
        };
        match read {
            Some(at) => Some(at.as_second()),
            None => self.wrong(
                node,
                name,
                "a date or a time such as `2026-01-31` or `2026-01-31T06:00:00-06:00`",
            ),
        }
    }

    /// The values of a list, or the one value that stands in place of a list.
    pub(super) fn list<'a>(&mut self, node: &'a Node, name: &str) -> Vec<&'a Node> {
        match &node.content {
            Content::List(items) => items.iter().collect(),
            Content::Scalar { .. } => vec![node],
            Content::Mapping(_) => {
                self.error(node.at, format!("{name}: expected a list, not keys and values"));
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

/// A number and its unit, in the base unit.
fn scaled(node: &Node, units: &[(&str, u64)]) -> Option<f64> {
    let Content::Scalar { text, .. } = &node.content else { return None };
    let text = text.trim();
    let digits = text.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().ok()?;
    let unit = unit.trim_start();
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

    /// What reading `v` of `v: text` gives, and the error where it gives none.
    fn taken<T>(text: &str, take: impl Fn(&mut Problems, &Node) -> Option<T>) -> Result<T, String> {
        let root = read(&format!("v: {text}\n")).unwrap();
        let mut problems = Problems::default();
        take(&mut problems, &root.entries()[0].value)
            .ok_or_else(|| problems.errors.first().map_or(String::new(), ToString::to_string))
    }

    #[test]
    fn durations_have_units() {
        let seconds = |text| taken(text, |problems, node| problems.seconds(node, "v", 1));
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
        let size = |text| taken(text, |problems, node| problems.megabytes(node, "v"));
        assert_eq!((size("4GB"), size("1.5g"), size("500 KB")), (Ok(4096), Ok(1536), Ok(1)));
        assert!(size("4096").unwrap_err().contains("such as `4GB`, not `4096`"));
        assert!(size("0GB").is_err() && size("9999999TB").is_err());
    }

    #[test]
    fn instants_are_utc_unless_they_say_otherwise() {
        let at = |text| taken(text, |problems, node| problems.instant(node, "v"));
        assert_eq!(at("2026-01-31"), Ok(1_769_817_600));
        assert_eq!(at("2026-01-31T06:00:00"), Ok(1_769_817_600 + 21_600));
        assert_eq!(at("2026-01-31 06:00"), Ok(1_769_817_600 + 21_600));
        assert_eq!(at("2026-01-31T06:00:00-06:00"), Ok(1_769_817_600 + 43_200));
        assert!(at("31.1.2026").unwrap_err().contains("not `31.1.2026`"));
    }

    #[test]
    fn numbers_are_plain_and_finite() {
        let whole = |text| taken(text, |problems, node| problems.whole(node, "v", 1..=8));
        assert_eq!((whole("3"), whole("3.0")), (Ok(3), Ok(3)));
        assert_eq!(
            whole("'3'").unwrap_err(),
            "1:4: v: expected a whole number from 1 to 8, not `\"3\"`"
        );
        for bad in ["9", "0", "2.5", "x", "[1]", "99999999999999999999"] {
            assert!(whole(bad).is_err(), "{bad}");
        }
        let real = |text| taken(text, |problems, node| problems.real(node, "v", 0.0..=1.0));
        assert_eq!((real("1e-4"), real(".5")), (Ok(1e-4), Ok(0.5)));
        for bad in ["nan", ".nan", "inf", "2", "1e999"] {
            assert!(real(bad).is_err(), "{bad}");
        }
        let flag = |text| taken(text, |problems, node| problems.flag(node, "v"));
        assert_eq!((flag("True"), flag("off"), flag("1").is_err()), (Ok(true), Ok(false), true));
    }
}
