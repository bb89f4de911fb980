//! Unit letters behind numbers, `7G`, which were part of ClassAds until 23.9.5.

use std::ops::Range;

use classads::{BinaryOperator, Expr, Node, NodeKind};

use super::LintFinding;
use super::parts::replaced;
use super::probe::is_attribute;
use super::rules::NEVER_TRUE;
use crate::policy::Version;

/// The first version that knows none (version history of HTCondor 23.9.6).
pub(super) const GONE: Version = Version::new(23, 9, 6);

/// The letters, each 1024 times the one before (`lexer.cpp` of 23.0).
const LETTERS: [u8; 5] = *b"BKMGT";

/// Attributes in MiB, and in KiB.
const IN_MIB: [&str; 4] = ["MemoryUsage", "RequestMemory", "MemoryProvisioned", "Memory"];
const IN_KIB: [&str; 6] = [
    "DiskUsage",
    "RequestDisk",
    "DiskProvisioned",
    "ResidentSetSize",
    "ProportionalSetSizeKb",
    "ImageSize",
];

/// Bytes of a MiB, and of a KiB.
const MIB: f64 = 1_048_576.0;
const KIB: f64 = 1_024.0;

/// 64 TiB: no machine has as much memory. Assumed.
const MOST_MIB: f64 = 67_108_864.0;

/// A text in which each number stands for itself.
pub(super) struct WrittenOut {
    pub(super) text: String,
    /// Where the numbers stand in it, and where they stood.
    numbers: Vec<(Range<usize>, Range<usize>)>,
}

impl WrittenOut {
    /// Bytes of the text as it was written.
    pub(super) fn origin(&self, span: &Range<usize>) -> Range<usize> {
        let place = |at: usize, is_end: bool| {
            let last = self.numbers.iter().rev().find(|(new, _)| new.start <= at);
            match last {
                None => at,
                Some((new, old)) if at >= new.end => old.end + (at - new.end),
                Some((new, old)) if is_end && at > new.start => old.end,
                Some((_, old)) => old.start,
            }
        };
        place(span.start, false)..place(span.end, true)
    }
}

/// The text with what a letter multiplies; `None` where there is none.
pub(super) fn written_out(text: &str) -> Option<WrittenOut> {
    let mut out = WrittenOut { text: String::with_capacity(text.len()), numbers: Vec::new() };
    let mut from = 0;
    for (span, number) in numbers(text) {
        out.text.push_str(text.get(from..span.start)?);
        let start = out.text.len();
        out.text.push_str(&format!("{number:?}"));
        from = span.end;
        out.numbers.push((start..out.text.len(), span));
    }
    out.text.push_str(text.get(from..)?);
    (!out.numbers.is_empty()).then_some(out)
}

/// The text with numbers in the unit of the attribute that they are compared with.
pub(super) fn converted(text: &str) -> String {
    let Some(written) = written_out(text) else { return text.to_owned() };
    let expr = Expr::parse_old(&written.text).ok();
    let unit = |place: &Range<usize>| {
        let comparisons = expr.iter().flat_map(Expr::nodes).filter(|node| {
            let is_around = node.span().start <= place.start && place.end <= node.span().end;
            matches!(node.kind(), NodeKind::Binary(operator, ..) if operator.is_comparison() && is_around)
        });
        let inner = comparisons.min_by_key(|node| node.span().len());
        let names = |all: &[&str]| {
            let has = |name: &&str| {
                inner
                    .is_some_and(|node| node.to_expr().nodes().any(|node| is_attribute(node, name)))
            };
            all.iter().any(has)
        };
        if names(&IN_MIB) {
            MIB
        } else if names(&IN_KIB) {
            KIB
        } else {
            1.0
        }
    };
    let mut out = written.text.clone();
    for (place, _) in written.numbers.iter().rev() {
        let number = written.text[place.clone()].parse().map_or(0.0, |number: f64| number);
        out.replace_range(place.clone(), &format!("{}", number / unit(place)));
    }
    out
}

/// More memory asked for than there is: bytes where MiB are counted.
pub(super) fn beyond_memory(text: &str, expr: &Expr) -> Vec<LintFinding> {
    let found = |node: Node<'_>| {
        let NodeKind::Binary(operator, left, right) = node.kind() else { return None };
        let (attribute, number) = match operator {
            BinaryOperator::Greater | BinaryOperator::GreaterOrEqual => (left, right),
            BinaryOperator::Less | BinaryOperator::LessOrEqual => (right, left),
            _ => return None,
        };
        let name = IN_MIB.iter().find(|name| is_attribute(attribute, name))?;
        let literal = match number.kind() {
            NodeKind::Literal(value) => value.as_real()?,
            _ => return None,
        };
        let message = format!("{name} is in MiB, and no job has {literal} of them");
        let corrected = replaced(text, &number.span(), &format!("{}", (literal / MIB).ceil()));
        (literal >= MOST_MIB)
            .then(|| LintFinding::new(&NEVER_TRUE, node.span(), message, corrected))
    };
    expr.nodes().filter_map(found).collect()
}

/// Numbers with a letter behind them outside of strings, and what they stand for.
fn numbers(text: &str) -> Vec<(Range<usize>, f64)> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'"' | b'\'' => {
                while bytes.get(at).is_some_and(|&inside| inside != byte) {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'0'..=b'9' => {
                while bytes.get(at).is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.') {
                    at += 1;
                }
                let end = at;
                while bytes.get(at).is_some_and(|&byte| is_word(byte)) {
                    at += 1;
                }
                let letter = text.get(end..at).filter(|word| word.len() == 1);
                let power = letter.and_then(|letter| {
                    let letter = letter.as_bytes()[0].to_ascii_uppercase();
                    LETTERS.iter().position(|known| *known == letter)
                });
                if let Some((power, number)) = power.zip(text[start..end].parse::<f64>().ok()) {
                    out.push((start..at, number * 1024_f64.powi(power as i32)));
                }
            }
            _ if is_word(byte) => {
                while bytes.get(at).is_some_and(|&byte| is_word(byte)) {
                    at += 1;
                }
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::lint::{Role, Setting, lint};

    #[test]
    fn numbers_stand_for_themselves() {
        for (text, expected) in [
            ("MemoryUsage >= 7G", Some("MemoryUsage >= 7516192768.0")),
            ("x > 1.5k && y < 10B", Some("x > 1536.0 && y < 10.0")),
            ("2t * 3", Some("2199023255552.0 * 3")),
            ("x7G > 3 M || y == \"7G\" || 7GB > 1", None),
            ("1e3 > 0x10", None),
        ] {
            assert_eq!(written_out(text).map(|out| out.text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn places_are_those_of_the_text_as_written() {
        let text = "a > 7G && b < 2K && c";
        let out = written_out(text).unwrap();
        for part in ["a", "a > 7G", "7G", "b", "2K", "b < 2K && c", "c"] {
            let at = text.find(part).unwrap();
            let long = written_out(part).map_or(part.to_owned(), |part| part.text);
            let new = out.text.find(&long).unwrap();
            assert_eq!(out.origin(&(new..new + long.len())), at..at + part.len(), "{part}");
        }
    }

    #[test]
    fn numbers_take_the_unit_of_their_attribute() {
        for (text, expected) in [
            ("(JobStatus == 1) && MemoryUsage >= 7G", "(JobStatus == 1) && MemoryUsage >= 7168"),
            (
                "DiskUsage > 2g || 512M < RequestMemory",
                "DiskUsage > 2097152 || 512 < RequestMemory",
            ),
            ("MyLimit > 2K", "MyLimit > 2048"),
        ] {
            assert_eq!(converted(text), expected);
        }
    }

    #[test]
    fn unit_letters_are_known_until_they_went() {
        let text = "JobStatus == 1 && DiskUsage >= 7G && JobStatus == 3";
        let of = |version: &str, role| {
            let setting = Setting { version: version.parse().unwrap(), ..Setting::alone(role) };
            lint(text, &setting)
        };
        for version in ["8.8", "23.0", "23.8.1", "23.9.5"] {
            let found = of(version, Role::Hold);
            let [finding] = &found[..] else { panic!("{found:?}") };
            assert_eq!(
                (finding.rule.name, &text[finding.span.clone()]),
                ("never-true", "JobStatus == 3")
            );
        }
        for version in ["23.9.6", "23.10", "24.0", "25"] {
            let found = of(version, Role::Hold);
            assert_eq!((found.len(), found[0].rule.name), (1, "unparsable"), "{version}");
            let corrected = text.replace("7G", "7340032");
            assert_eq!(found[0].corrected.as_deref(), Some(corrected.as_str()));
        }
    }

    #[test]
    fn bytes_are_not_compared_with_mib() {
        for role in [Role::Hold, Role::Remove, Role::Release] {
            let text = "JobStatus == 5 && MemoryUsage >= 7516192768";
            let found = lint(text, &Setting::alone(role));
            let found =
                found.iter().find(|found| found.message.starts_with("MemoryUsage is in MiB"));
            let corrected = found.and_then(|found| found.corrected.as_deref());
            assert_eq!(corrected, Some("JobStatus == 5 && MemoryUsage >= 7168"), "{role:?}");
            for text in ["MemoryUsage > 2000000", "RequestMemory < 7516192768", "DiskUsage > 1e9"] {
                let found = lint(text, &Setting::alone(role));
                assert!(!found.iter().any(|found| found.message.contains("MiB, and")), "{text}");
            }
        }
    }
}
