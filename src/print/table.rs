//! `-nobatch`: one line for each job, after `condor_q -hold`.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::Page;
use super::card::codes;
use super::colour;
use super::plain_table::lines;
use super::sources::Sources;
use super::sure::chance;
use super::wrap::{cut, wrap};
use crate::advice::{Advice, Recommendation};
use crate::sentences;
use crate::sentences::times::short;
use crate::text::plural;

const HEADINGS: [&str; 8] =
    ["ID", "OWNER", "HELD_SINCE", "CODE", "SUCCESS", "ADVICE", "TO_DO", "HOLD_REASON"];

/// The column of the advice, and those that get what the others leave.
const ADVICE: usize = 5;
const TO_DO: usize = 6;
const HOLD_REASON: usize = 7;

/// The widest an owner is printed without `-wide`, and what to do where the reason stands next to it.
const OWNER: usize = 14;
const WIDEST_TO_DO: usize = 40;

/// The least columns left to the hold reason, and to what to do.
const REASON: usize = 12;

/// One line.
#[derive(Debug)]
pub(super) struct Row {
    cells: [String; HEADINGS.len()],
    recommendation: Recommendation,
}

pub(super) fn print(
    out: &mut dyn Write,
    mut rows: Vec<Row>,
    sources: &Sources,
    page: &Page,
) -> io::Result<()> {
    let count = rows.len();
    let widest = |column: usize| {
        let cells = rows.iter().map(|row| row.cells[column].width());
        cells.chain([HEADINGS[column].len()]).max().unwrap_or(0)
    };
    let before: usize = (0..TO_DO).map(|column| widest(column) + 1).sum();
    let [to_do, reason] = split(page.style.table, before, widest(TO_DO));
    let columns = if reason == Some(0) { HOLD_REASON } else { HEADINGS.len() };
    for row in &mut rows {
        for (column, width) in [(TO_DO, to_do), (HOLD_REASON, reason)] {
            if let Some(width) = width {
                row.cells[column] = cut(&row.cells[column], width);
            }
        }
    }
    let cells = rows.iter().map(|row| &row.cells[..columns]);
    let lines = lines(&HEADINGS[..columns], cells, 1, |index| index == 0);
    for (number, line) in lines.into_iter().enumerate() {
        let row = number.checked_sub(1).and_then(|number| rows.get(number));
        let line = match row.filter(|_| page.style.colour) {
            Some(row) => painted(&line, row),
            None => line,
        };
        writeln!(out, "{line}")?;
    }
    let judged = plural(count, "held job");
    let text =
        format!("{judged} judged; condor_holdadvise with one id says why and has the commands");
    write!(out, "\n{}", wrap("", 2, &text, page.style.columns))?;
    sources.print_missing(out, page)?;
    sources.print_trust(out, page)
}

/// Columns for what to do and for the hold reason, of a page of which the others take so many;
/// none: no limit. A reason that is hardly to be read is left out.
fn split(page: Option<usize>, before: usize, to_do: usize) -> [Option<usize>; 2] {
    let Some(left) = page.map(|page| page.saturating_sub(before)) else { return [None, None] };
    let to_do = to_do.min(WIDEST_TO_DO);
    match left.checked_sub(to_do + 1).filter(|&reason| reason >= REASON) {
        Some(reason) => [Some(to_do), Some(reason)],
        None => [Some(left.max(REASON)), Some(0)],
    }
}

/// The line with its advice in colour; an owner may have the name of an advice.
fn painted(line: &str, row: &Row) -> String {
    let code = &row.cells[3];
    let from = line.find(code.as_str()).map_or(0, |at| at + code.len());
    colour::paint(line, from, &row.cells[ADVICE], row.recommendation)
}

/// The line of an advice; of the reason no more than can be printed.
pub(super) fn row(advice: &Advice, page: &Page) -> Row {
    let held = &advice.held;
    let width = page.style.table.unwrap_or(usize::MAX);
    let reason = held.reason.as_ref().map_or(String::new(), |reason| reason.quoted(width));
    let owner = held.owner.as_ref().map_or("?".to_owned(), |owner| owner.named(width));
    let cells = [
        held.job.to_string(),
        if page.style.table.is_some() { cut(&owner, OWNER) } else { owner },
        short(held.held_since, page.now, &page.zone),
        codes(&advice.held),
        chance(advice),
        advice.recommendation.name().to_owned(),
        sentences::to_do(advice),
        page.style.table.map_or_else(|| reason.clone(), |columns| cut(&reason, columns)),
    ];
    Row { cells, recommendation: advice.recommendation }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::print::Style;
    use crate::print::samples::{self, NOW};

    fn text(table: Option<usize>, colour: bool) -> String {
        let mut long = samples::transfer(1_234_567, 12);
        long.held.owner = Some("somebody-with-a-long-name".into());
        long.held.reason = Some("\u{1b}[31mred\nand long ".repeat(20).into());
        let advices = [samples::transfer(7, 0), samples::memory(7, 1, 2048), long];
        let mut out = Vec::new();
        let style = Style { columns: table, table, colour, ..Style::default() };
        let page = Page { style, now: NOW, zone: TimeZone::UTC, again: None };
        let rows = advices.iter().map(|advice| row(advice, &page)).collect();
        let mut sources = Sources::default();
        advices.iter().for_each(|advice| sources.add(advice));
        print(&mut out, rows, &sources, &page).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_fit_80_columns() {
        let text = text(Some(80), false);
        assert!(text.lines().all(|line| line.width() <= 80), "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_wide_terminal_shows_the_reason_too() {
        let text = text(Some(132), false);
        assert!(text.lines().all(|line| line.width() <= 132), "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn the_advice_is_painted() {
        let text = text(Some(80), true);
        assert_eq!(text.matches("\u{1b}[1;32mrelease\u{1b}[0m").count(), 2, "{text:?}");
        assert_eq!(text.matches("\u{1b}[1;33mchange\u{1b}[0m").count(), 1, "{text:?}");
    }

    #[test]
    fn wide_lines_hold_everything() {
        let text = text(None, false);
        assert!(text.contains("somebody-with-a-long-name") && text.contains("port 443"));
        assert!(!text.contains('\u{1b}'));
    }
}
