//! The end of `-why`: what is at fault, and a table of what was weighed.

use std::fmt::Write as _;

use super::plain_table::lines;
use super::sure::in_percent;
use super::wrap::wrap;
use crate::advice::{Advice, Choice};
use crate::metrics::Band;
use crate::sentences::{self, choices};

/// Columns that the choices, hours and probabilities take.
const CELLS: usize = 33;

/// Headings of the table of choices.
pub(super) const HEADINGS: [&str; 4] = ["CHOICE", "HOURS", "SUCCESS", "AGAINST IT"];

/// What is at fault, the choices with their hours, and which rule decided.
pub(super) fn text(indent: &str, advice: &Advice, columns: Option<usize>) -> String {
    let width = columns.map_or(usize::MAX, |columns| columns.saturating_sub(CELLS).max(20));
    let rows = rows(advice).map(|mut row| {
        row[3] = wrap("", 0, &row[3], Some(width)).trim_end().to_owned();
        row
    });
    let mut out = String::new();
    if let Some(diagnosis) = sentences::diagnosis(&advice.diagnosis) {
        out.push_str(&wrap(&format!("{indent}At fault: "), indent.len() + 2, &diagnosis, columns));
    }
    for line in lines(HEADINGS, rows, 2, |index| index == 1) {
        if !advice.choices.choices.is_empty() {
            let _ = writeln!(out, "{indent}  {line}");
        }
    }
    let rule = choices::rule(advice.choices.rule);
    out.push_str(&wrap(&format!("{indent}Decided by: "), indent.len() + 2, rule, columns));
    out
}

/// The choices that were weighed.
pub(super) fn rows(advice: &Advice) -> impl Iterator<Item = [String; HEADINGS.len()]> {
    advice.choices.choices.iter().map(|choice| {
        [
            choices::name(choice).to_owned(),
            choice.hours.map_or_else(|| "-".to_owned(), |hours| format!("{hours:.1}")),
            success(choice, advice),
            choice.against.as_ref().map(choices::against).unwrap_or_default(),
        ]
    })
}

/// In words while probabilities are.
fn success(choice: &Choice, advice: &Advice) -> String {
    match choice.success {
        None => "-".to_owned(),
        Some(p) if in_percent(advice) => format!("{:.0} %", p * 100.0),
        Some(p) => Band::of(p).words().to_owned(),
    }
}
