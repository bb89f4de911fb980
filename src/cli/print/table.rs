//! `-nobatch`: one line for each job, after `condor_q -hold`.

use std::io::{self, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use unicode_width::UnicodeWidthStr;

use super::Page;
use super::block::codes;
use super::sources::Sources;
use super::sure::chance;
use super::times::short;
use super::wrap::cut;
use crate::advice::Advice;
use crate::text::strip_control;

const HEADINGS: [&str; 7] =
    ["ID", "OWNER", "HELD_SINCE", "CODE", "ADVICE", "SUCCESS", "HOLD_REASON"];

/// The widest an owner is printed without `-wide`.
const OWNER: usize = 14;

/// The least columns left to the hold reason.
const REASON: usize = 12;

/// The cells of one line.
pub(super) type Row = [String; 7];

pub(super) fn print(
    out: &mut dyn Write,
    rows: Vec<Row>,
    sources: &Sources,
    page: &Page,
) -> io::Result<()> {
    let count = rows.len();
    // The reason gets what the other columns and the spaces between them leave.
    let others: usize = (0..6)
        .map(|column| {
            let cells = rows.iter().map(|row| row[column].width());
            cells.chain([HEADINGS[column].len()]).max().unwrap_or(0) + 1
        })
        .sum();
    let reason = page.style.columns.map(|columns| columns.saturating_sub(others).max(REASON));
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(HEADINGS);
    for mut row in rows {
        if let Some(columns) = reason {
            row[6] = cut(&row[6], columns);
        }
        table.add_row(row);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if index == 6 { 0 } else { 1 }));
        if index == 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for line in table.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    let plural = if count == 1 { "job" } else { "jobs" };
    writeln!(out, "\n{count} held {plural} judged")?;
    sources.print_missing(out, page)?;
    sources.print_trust(out, page)
}

/// The line of an advice; of the reason no more than can be printed.
pub(super) fn row(advice: &Advice, page: &Page) -> Row {
    let held = &advice.held;
    let reason = strip_control(held.reason.as_deref().unwrap_or(""));
    let owner = strip_control(held.owner.as_deref().unwrap_or("?")).into_owned();
    [
        held.job.to_string(),
        if page.style.columns.is_some() { cut(&owner, OWNER) } else { owner },
        short(held.held_since, &page.zone),
        codes(advice),
        advice.recommendation.name().to_owned(),
        chance(advice),
        page.style.columns.map_or_else(|| reason.to_string(), |columns| cut(&reason, columns)),
    ]
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::cli::print::samples::{self, NOW};
    use crate::cli::request::Style;

    fn text(columns: Option<usize>) -> String {
        let mut long = samples::transfer(1_234_567, 12);
        long.held.owner = Some("somebody-with-a-long-name".to_owned());
        long.held.reason = Some("\u{1b}[31mred\nand long ".repeat(20));
        let advices = [samples::transfer(7, 0), samples::memory(7, 1, 2048), long];
        let mut out = Vec::new();
        let page =
            Page { style: Style { columns, ..Style::default() }, now: NOW, zone: TimeZone::UTC };
        let rows = advices.iter().map(|advice| row(advice, &page)).collect();
        let mut sources = Sources::default();
        advices.iter().for_each(|advice| sources.add(advice));
        print(&mut out, rows, &sources, &page).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_fit_80_columns() {
        let text = text(Some(80));
        assert!(text.lines().all(|line| line.width() <= 80), "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn wide_lines_hold_everything() {
        let text = text(None);
        assert!(text.contains("somebody-with-a-long-name") && text.contains("port 443"));
        assert!(!text.contains('\u{1b}'));
    }
}
