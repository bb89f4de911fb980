//! `-outcomes`: what came of the releases that the journal has.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::RunError;
use super::apply::{journal_folder, settled};
use crate::acting::{Group, ReleaseFigures, outcomes};
use crate::inquiry::{Config, Inquiry, costs, open_model};
use crate::journal::Journal;
use crate::print::{Versioned, table_lines, wrap};
use crate::text::{plural, printable, to_json_pretty};

const HEADINGS: [&str; 11] = [
    "CODE", "CONDOR", "ADVICE", "RELEASED", "ENDED", "SUCCESS", "EXPECTED", "BRIER", "LOST",
    "LEFT", "ALL",
];

/// A call with `-outcomes`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcomes {
    /// The schedd, the model and the costs.
    pub(super) inquiry: Inquiry,
    pub(super) as_json: bool,
    /// Columns to fit lines to; none: no limit.
    pub(super) columns: Option<usize>,
}

/// Releases that are counted together.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
#[schemars(rename = "Outcomes")]
pub(super) struct Row<'a> {
    /// What they have in common; `null` for all of them.
    group: Option<&'a Group>,
    figures: &'a ReleaseFigures,
}

/// Prints what came of the releases of the journal.
///
/// # Errors
/// [`RunError`] where the journal or the queue cannot be read.
pub(super) fn print_outcomes(
    asked: &Outcomes,
    config: &Config,
    out: &mut dyn Write,
) -> Result<(), RunError> {
    let Outcomes { inquiry, as_json, columns } = asked;
    let model = open_model::<RunError>(inquiry.model.as_deref(), config)?;
    let folder = journal_folder(config)?;
    if !folder.exists() {
        let folder = folder.display();
        return Err(RunError::failed(format!("{folder}: there is no journal; -apply writes one")));
    }
    let journal = Journal::open(&folder)?;
    let schedd = inquiry.schedd(config)?;
    let entries = settled(&journal.lock()?, &schedd, jiff::Timestamp::now().as_second())?;
    let costs = costs(&inquiry.costs, config, model.metadata.thresholds)?;
    let (groups, all) = outcomes(&entries, &costs);
    if *as_json {
        let rows = groups.iter().map(|(group, figures)| (Some(group), figures));
        let row = |(group, figures)| Versioned::of(Row { group, figures });
        let rows: Vec<_> = rows.chain([(None, &all)]).map(row).collect();
        return Ok(writeln!(out, "{}", to_json_pretty(&rows).map_err(io::Error::from)?)?);
    }
    let rows = groups.iter().map(|(group, figures)| cells(Some(group), figures));
    let sum = (groups.len() > 1).then(|| cells(None, &all));
    for line in table_lines(HEADINGS, rows.chain(sum), 1, |index| index > 2) {
        writeln!(out, "{line}")?;
    }
    let text = format!(
        "{} in {}. Of those that ended: share of successes, mean of what was expected, Brier score. \
         Hours a hold, by the costs of -cost: LOST by failed releases; LEFT if the same jobs had stayed \
         held; ALL if every job that could have been released had been released at once.",
        plural(all.released, "release"),
        printable(&folder.display().to_string())
    );
    write!(out, "\n{}", wrap("", 0, &text, *columns))?;
    Ok(())
}

fn cells(group: Option<&Group>, figures: &ReleaseFigures) -> Vec<String> {
    let number = |code: Option<i32>| code.map_or("?".to_owned(), |code| code.to_string());
    let share = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    let mut cells = match group {
        Some(group) => vec![
            format!("{}/{}", number(group.hold_reason_code), number(group.hold_reason_sub_code)),
            group.condor_version.clone().unwrap_or_else(|| "?".to_owned()),
            group.advice.name().to_owned(),
        ],
        None => vec!["all".to_owned(), String::new(), String::new()],
    };
    let success = (figures.ended > 0).then(|| figures.succeeded as f64 / figures.ended as f64);
    cells.extend([figures.released.to_string(), figures.ended.to_string()]);
    let hours = [figures.hours, figures.hours_left, figures.hours_all];
    cells.extend([success, figures.expected, figures.brier].map(share));
    cells.extend(hours.map(share));
    cells
}
