//! `-af`: chosen attributes, a line for each advice.
//!
//! What the letters do and where separators stand follows `parse_autoformat_args` and
//! `AttrListPrintMask::display` of HTCondor's `ad_printmask.cpp`.

use std::io::{self, Write};

use jiff::tz::TimeZone;
use serde_json::Value;

use super::Page;
use super::columns::{Cell, Columns};
use super::long::expression;
use crate::advice::Advice;
use crate::queue::AdText;
use crate::sentences::times::{iso, minute};
use crate::text::Foreign;

/// Prints rows; with headings they wait for the last one to be aligned.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    letters: &'a str,
    names: &'a [String],
    columns: Columns,
    /// The headings and the rows that wait.
    waiting: Vec<Vec<String>>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(letters: &'a str, names: &'a [String], now: i64) -> Self {
        let columns = Columns::new(names.iter().map(String::as_str), now);
        let mut rows = Self { letters, names, columns, waiting: Vec::new() };
        if rows.has('h') {
            let id = rows.has('j').then(|| "ID".to_owned());
            rows.waiting.push(id.into_iter().chain(names.iter().cloned()).collect());
        }
        rows
    }

    fn has(&self, letter: char) -> bool {
        self.letters.contains(letter)
    }

    pub(super) fn add(
        &mut self,
        out: &mut dyn Write,
        advice: &Advice,
        job: Option<&AdText>,
        page: &Page,
    ) -> io::Result<()> {
        let raw = self.has('r');
        let cells = self.columns.cells(advice, job, &page.zone, raw);
        let has = |letter| self.has(letter);
        let labelled = |name: &str, text: String| {
            if has('l') { format!("{name} = {text}") } else { text }
        };
        let id = has('j').then(|| labelled("ID", advice.held.job.to_string()));
        let values = self
            .names
            .iter()
            .zip(&cells)
            .map(|(name, cell)| labelled(name, show(cell, name, &has, &page.zone)));
        let row: Vec<String> = id.into_iter().chain(values).collect();
        if has('h') {
            self.waiting.push(row);
            Ok(())
        } else {
            self.print(out, &row)
        }
    }

    /// A line for each name that nothing had.
    pub(super) fn unknown(&self) -> Vec<String> {
        self.columns.unknown()
    }

    pub(super) fn finish(mut self, out: &mut dyn Write) -> io::Result<()> {
        let mut rows = std::mem::take(&mut self.waiting);
        align(&mut rows);
        rows.iter().try_for_each(|row| self.print(out, row))
    }

    fn print(&self, out: &mut dyn Write, row: &[String]) -> io::Result<()> {
        let before_row = if self.has('g') { "\n" } else { "" };
        let before = match () {
            () if self.has('t') => "\t",
            () if self.has('g') => "",
            () => " ",
        };
        let after = match () {
            () if self.has('n') => "\n",
            () if self.has(',') => ",",
            () => "",
        };
        let line = row.join(&format!("{after}{before}"));
        writeln!(out, "{before_row}{}", line.trim_end_matches(' '))
    }
}

/// Attributes of an advice that are times.
const TIMES: [&str; 3] = ["HeldSince", "LookAgain", "WaitUntil"];

fn show(cell: &Cell, name: &str, has: &impl Fn(char) -> bool, zone: &TimeZone) -> String {
    let is_time = TIMES.iter().any(|time| time.eq_ignore_ascii_case(name));
    let value = match cell {
        Cell::Text(text) => return text.clone(),
        Cell::Foreign(text) if has('V') || has('r') => return expression(&text.value().into()),
        Cell::Foreign(text) => return foreign(text),
        Cell::Value(value) => value,
    };
    match value {
        Value::Number(number) if is_time && (has('T') || has('Y')) => {
            let seconds = number.as_i64().unwrap_or_default();
            if has('Y') { iso(seconds, zone) } else { minute(seconds, zone) }
        }
        Value::String(text) if !has('V') && !has('r') => text.clone(),
        value => expression(value),
    }
}

/// A text of others; a plain word in quotation marks of its own stands as it is, like one without.
fn foreign(text: &Foreign) -> String {
    let inside = text.as_given().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let word = inside.map(|inside| Foreign::from(inside).named(usize::MAX));
    match word.filter(|word| !word.starts_with('"')) {
        Some(word) => format!("\"{word}\""),
        None => text.named(usize::MAX),
    }
}

/// Pads the fields of all rows but each row's last one.
fn align(rows: &mut [Vec<String>]) {
    let fields = rows.first().map_or(0, Vec::len);
    for field in 0..fields.saturating_sub(1) {
        let width = rows.iter().map(|row| row[field].chars().count()).max().unwrap_or(0);
        for row in rows.iter_mut() {
            let missing = width - row[field].chars().count();
            row[field].extend(std::iter::repeat_n(' ', missing));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::Style;
    use crate::print::samples;

    fn run(letters: &str, names: &[&str]) -> String {
        let advices = [samples::transfer(12, 0), samples::memory(345, 7, 2048)];
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut out = Vec::new();
        let zone = TimeZone::UTC;
        let page = Page { style: Style::default(), now: samples::NOW, zone, again: None };
        let mut rows = Rows::new(letters, &names, samples::NOW);
        for advice in &advices {
            rows.add(&mut out, advice, None, &page).unwrap();
        }
        rows.finish(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn words_in_quotation_marks_of_their_own_stand_as_they_are() {
        for (text, expected) in [
            ("USER", "USER"),
            ("\"USER\"", "\"USER\""),
            ("a \"USER\"", "\"a \\\"USER\\\"\""),
            ("\"in order. Release it\"", "\"\\\"in order. Release it\\\"\""),
            ("\"\"", "\"\\\"\\\"\""),
            ("\"", "\"\\\"\""),
        ] {
            assert_eq!(foreign(&text.into()), expected);
        }
    }

    #[test]
    fn letters() {
        assert_eq!(
            run("", &["clusterid", "Band", "No"]),
            "12 likely undefined\n345 very likely undefined\n"
        );
        assert_eq!(run("jV", &["Band"]), "12.0 \"likely\"\n345.7 \"very likely\"\n");
        assert_eq!(
            run("l,", &["ProcId", "HoldReasonCode"]),
            "ProcId = 0, HoldReasonCode = 13\nProcId = 7, HoldReasonCode = 34\n"
        );
        assert_eq!(run("t,", &["ProcId", "NumHolds"]), "0,\t2\n7,\t2\n");
        assert_eq!(run("n", &["ProcId", "NumHolds"]), "0\n 2\n7\n 2\n");
        assert_eq!(
            run("jh", &["Recommendation"]),
            "ID    Recommendation\n12.0  release\n345.7 change\n"
        );
        assert_eq!(run("T", &["HeldSince"]), "2026-03-01 09:46\n2026-03-01 09:46\n");
        assert_eq!(run("Y", &["WaitUntil"]), "2026-03-01T12:10:00\nundefined\n");
        assert_eq!(
            run("", &["Missing", "OutcomesHere"]),
            "{ \"event log /var/log/condor/EventLog: permission denied\" } 0\n{  } 5120\n"
        );
    }
}
