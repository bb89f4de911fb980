//! `-explain-decision`: a table of what was weighed.

use std::fmt::Write as _;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use super::sure::in_percent;
use super::wrap::wrap;
use crate::advice::{Advice, Choice};
use crate::metrics::Band;
use crate::sentences::choices;

/// Columns that the choices, hours and probabilities take.
const CELLS: usize = 33;

/// The choices with their hours, and which rule decided.
pub(super) fn text(indent: &str, advice: &Advice, columns: Option<usize>) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(["CHOICE", "HOURS", "SUCCESS", "AGAINST IT"]);
    for choice in &advice.choices.choices {
        let against = choice.against.as_ref().map(choices::against).unwrap_or_default();
        let width = columns.map_or(usize::MAX, |columns| columns.saturating_sub(CELLS).max(20));
        let against = wrap("", 0, &against, Some(width));
        table.add_row([
            choices::name(choice).to_owned(),
            choice.hours.map_or_else(|| "-".to_owned(), |hours| format!("{hours:.1}")),
            success(choice, advice),
            against.trim_end().to_owned(),
        ]);
    }
    if let Some(column) = table.column_mut(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut out = String::new();
    if !advice.choices.choices.is_empty() {
        for line in table.lines() {
            // No line of a table begins as a command does.
            let _ = writeln!(out, "{indent} {}", line.trim_end());
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
