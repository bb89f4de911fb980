//! `-format`: attributes through printf(3) formats.

use std::io::{self, Write};

use serde_json::Value;

use super::Page;
use super::columns::{Cell, Columns};
use super::long::expression;
use crate::advice::Advice;
use crate::queue::AdText;

/// Widths and precisions beyond this are taken for it.
const WIDEST: usize = 1000;

/// Pairs of format and attribute.
#[derive(Debug)]
pub(super) struct Formats<'a> {
    pairs: &'a [(String, String)],
    columns: Columns,
}

impl<'a> Formats<'a> {
    pub(super) fn new(pairs: &'a [(String, String)], now: i64) -> Self {
        Self { pairs, columns: Columns::new(pairs.iter().map(|(_, name)| name.as_str()), now) }
    }

    pub(super) fn add(
        &mut self,
        out: &mut dyn Write,
        advice: &Advice,
        job: Option<&AdText>,
        page: &Page,
    ) -> io::Result<()> {
        let cells = self.columns.cells(advice, job, &page.zone, false);
        for ((format, _), cell) in self.pairs.iter().zip(cells) {
            let value = match cell {
                Cell::Value(value) => value,
                Cell::Text(text) => text.into(),
                // As a ClassAd it stands in quotation marks anyway.
                Cell::Foreign(text) if is_expressed(format) => text.value().into(),
                Cell::Foreign(text) => text.named(usize::MAX).into(),
            };
            out.write_all(fill(format, &value).as_bytes())?;
        }
        Ok(())
    }

    /// A line for each name that nothing had.
    pub(super) fn unknown(&self) -> Vec<String> {
        self.columns.unknown()
    }
}

/// Whether a format prints strings as expressions.
fn is_expressed(format: &str) -> bool {
    format.match_indices('%').any(|(at, _)| {
        Conversion::read(&format[at + 1..]).is_some_and(|(conversion, _)| conversion.kind == 'V')
    })
}

/// Puts a value in the place of the conversions: `s`, `v`, `V`, `d`, `i`, `f`, `e`, `g`; others
/// stay as they are. Backslash escapes n, t and `\\` are read, as `condor_q -format` does. An
/// undefined value leaves the whole format out unless it is printed as an expression.
fn fill(format: &str, value: &Value) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\\' => {
                let escaped = rest.chars().next();
                let (text, used) = match escaped {
                    Some('n') => ("\n", 1),
                    Some('t') => ("\t", 1),
                    Some('\\') => ("\\", 1),
                    _ => ("\\", 0),
                };
                out.push_str(text);
                rest = &rest[used..];
            }
            '%' if rest.starts_with('%') => {
                out.push('%');
                rest = &rest[1..];
            }
            '%' => match Conversion::read(rest) {
                Some((conversion, after)) => {
                    let expressed = matches!(conversion.kind, 'v' | 'V');
                    if value.is_null() && !expressed {
                        return String::new();
                    }
                    out.push_str(&conversion.apply(value));
                    rest = after;
                }
                None => out.push('%'),
            },
            c => out.push(c),
        }
    }
    out
}

struct Conversion {
    left: bool,
    zeros: bool,
    plus: bool,
    width: usize,
    precision: Option<usize>,
    kind: char,
}

impl Conversion {
    fn read(text: &str) -> Option<(Self, &str)> {
        let flags = text.len() - text.trim_start_matches(['-', '0', '+', ' ', '#']).len();
        let (width, after) = number(&text[flags..]);
        let (precision, after) = match after.strip_prefix('.') {
            Some(after) => {
                let (precision, after) = number(after);
                (Some(precision), after)
            }
            None => (None, after),
        };
        let after = after.trim_start_matches(['l', 'h']);
        let kind = after.chars().next().filter(|kind| "svVdifeg".contains(*kind))?;
        let flags = &text[..flags];
        let conversion = Self {
            left: flags.contains('-'),
            zeros: flags.contains('0'),
            plus: flags.contains('+'),
            width,
            precision,
            kind,
        };
        Some((conversion, &after[1..]))
    }

    fn apply(&self, value: &Value) -> String {
        let mut text = match self.kind {
            'd' | 'i' => format!("{:.0}", real(value).trunc()),
            'f' | 'g' => format!("{:.*}", self.precision.unwrap_or(6), real(value)),
            'e' => format!("{:.*e}", self.precision.unwrap_or(6), real(value)),
            kind => {
                let text = match value {
                    Value::String(text) if kind != 'V' => text.clone(),
                    value => expression(value),
                };
                text.chars().take(self.precision.unwrap_or(usize::MAX)).collect()
            }
        };
        let is_number = !matches!(self.kind, 's' | 'v' | 'V');
        if is_number && self.plus && !text.starts_with('-') {
            text.insert(0, '+');
        }
        let missing = self.width.saturating_sub(text.chars().count());
        if self.left {
            text.extend(std::iter::repeat_n(' ', missing));
        } else if self.zeros && is_number {
            let sign = usize::from(text.starts_with(['-', '+']));
            text.insert_str(sign, &"0".repeat(missing));
        } else {
            text.insert_str(0, &" ".repeat(missing));
        }
        text
    }
}

fn real(value: &Value) -> f64 {
    match value {
        Value::Number(number) => number.as_f64().unwrap_or_default(),
        Value::Bool(true) => 1.0,
        _ => 0.0,
    }
}

/// A whole number and what follows it; 0 where there is none.
fn number(text: &str) -> (usize, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text[..end].parse().unwrap_or(if end == 0 { 0 } else { WIDEST });
    (number.min(WIDEST), &text[end..])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn conversions() {
        assert_eq!(fill("%d\\n", &json!(42)), "42\n");
        assert_eq!(fill("[%-6s]", &json!("ab")), "[ab    ]");
        assert_eq!(fill("[%5.2f]%%", &json!(2.707)), "[ 2.71]%");
        assert_eq!(fill("%05d %V", &json!(-42)), "-0042 -42");
        assert_eq!(fill("%V", &json!("a")), "\"a\"");
        assert_eq!(fill("%v", &Value::Null), "undefined");
        assert_eq!(fill("x %s", &Value::Null), "");
        assert_eq!(fill("100%", &json!(1)), "100%");
        assert_eq!(fill("%q", &json!(1)), "%q");
    }

    proptest! {
        #[test]
        fn any_format_is_read(format in any::<String>(), number in any::<f64>()) {
            fill(&format, &json!(number));
            fill(&format, &json!(format));
        }

        #[test]
        fn formats_of_percents(format in "[%0-9.sdVfe\\\\l-]{0,20}") {
            fill(&format, &json!("text"));
            fill(&format, &json!(-1.5));
        }
    }
}
