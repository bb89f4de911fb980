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

/// What is at fault, the choices with their hours, and which rule decided.
pub(super) fn text(indent: &str, advice: &Advice, columns: Option<usize>) -> String {
    let width = columns.map_or(usize::MAX, |columns| columns.saturating_sub(CELLS).max(20));
    let row = |choice: &Choice| {
        let against = choice.against.as_ref().map(choices::against).unwrap_or_default();
        [
            choices::name(choice).to_owned(),
            choice.hours.map_or_else(|| "-".to_owned(), |hours| format!("{hours:.1}")),
            success(choice, advice),
            wrap("", 0, &against, Some(width)).trim_end().to_owned(),
        ]
    };
    let heading = ["CHOICE", "HOURS", "SUCCESS", "AGAINST IT"];
    let all = &advice.choices.choices;
    let mut out = String::new();
    if let Some(diagnosis) = sentences::diagnosis(&advice.diagnosis) {
        out.push_str(&wrap(&format!("{indent}At fault: "), indent.len() + 2, &diagnosis, columns));
    }
    for line in lines(heading, all.iter().map(row), 2, |index| index == 1) {
        if !all.is_empty() {
            let _ = writeln!(out, "{indent}  {line}");
        }
    }
    let rule = choices::rule(advice.choices.rule);
    out.push_str(&wrap(&format!("{indent}Decided by: "), indent.len() + 2, rule, columns));
    out
}

/// In words while probabilities are.
fn success(choice: &Choice, advice: &Advice) -> String {
    match choice.success {
        None => "-".to_owned(),
        Some(p) if in_percent(advice) => format!("{:.0} %", p * 100.0),
        Some(p) => Band::of(p).words().to_owned(),
    }
}
