//! Prints advices.
//!
//! `-long`, `-json`, `-jsonl`, `-af` and `-format` all print the same attributes (`attributes.rs`);
//! people read a block, groups or a table.

mod attributes;
mod autoformat;
mod block;
mod commands;
mod decision;
mod groups;
mod json;
mod long;
mod percent;
mod shared_commands;
mod shared_evidence;
mod shared_words;
mod sources;
mod sure;
mod table;
mod times;
mod totals;
mod wrap;

use std::io::{self, Write};

use jiff::tz::TimeZone;

use groups::Groups;
pub(super) use json::{
    element as json_element, end_of_hold as json_end_of_hold, print_end as json_end,
    watched as json_watched,
};
use sources::Sources;
pub(super) use times::{length, minute, second};
pub(super) use wrap::wrap;

use super::output::say;
use super::request::{Output, Style};
use crate::advice::Advice;
use crate::policy::nearest;

pub(crate) use attributes::NAMES as ATTRIBUTE_NAMES;
pub(super) use attributes::attributes;
pub(crate) use json::WATCH_NAMES;

/// What printing needs to know besides the advices.
#[derive(Clone, Debug)]
pub struct Page {
    /// What options say.
    pub style: Style,
    /// The moment judged at, Unix seconds: ages are counted from it.
    pub now: i64,
    /// The zone times are printed in.
    pub zone: TimeZone,
}

/// Prints advices as they are added; groups and tables when all are there.
pub struct Printer<'a> {
    out: &'a mut dyn Write,
    page: &'a Page,
    count: usize,
    form: Form<'a>,
}

/// What is kept while advices are added.
enum Form<'a> {
    Groups(Groups),
    Table(Vec<table::Row>, Sources),
    Totals(totals::Totals),
    Long,
    Json,
    JsonLines,
    AutoFormat(autoformat::Rows<'a>),
    Format(&'a [(String, String)]),
}

impl<'a> Printer<'a> {
    /// Prints to `out` in the form asked for.
    pub fn new(out: &'a mut dyn Write, output: &'a Output, page: &'a Page) -> Self {
        let form = match output {
            Output::Groups => Form::Groups(Groups::default()),
            Output::Table => Form::Table(Vec::new(), Sources::default()),
            Output::Totals => Form::Totals(totals::Totals::default()),
            Output::Long => Form::Long,
            Output::Json => Form::Json,
            Output::JsonLines => Form::JsonLines,
            Output::AutoFormat(letters, names) => {
                Form::AutoFormat(autoformat::Rows::new(letters, names))
            }
            Output::Format(pairs) => Form::Format(pairs),
        };
        unknown_names(output);
        Self { out, page, count: 0, form }
    }

    /// Adds an advice.
    ///
    /// # Errors
    /// Whatever writing gives.
    pub fn add(&mut self, advice: &Advice) -> io::Result<()> {
        let number = self.count;
        self.count += 1;
        match &mut self.form {
            Form::Groups(groups) => groups.add(advice),
            Form::Table(rows, sources) => {
                rows.push(table::row(advice, self.page));
                sources.add(advice);
            }
            Form::Totals(totals) => totals.add(advice),
            Form::Long => long::print(self.out, advice, &self.page.zone)?,
            Form::Json => json::print_element(self.out, advice, &self.page.zone, number)?,
            Form::JsonLines => json::print_line(self.out, advice, &self.page.zone)?,
            Form::AutoFormat(rows) => rows.add(self.out, advice, self.page)?,
            Form::Format(pairs) => percent::print(self.out, advice, &self.page.zone, pairs)?,
        }
        Ok(())
    }

    /// Advices added.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Prints what waited for the last advice; people read `nothing` when there was none.
    ///
    /// # Errors
    /// Whatever writing gives.
    pub fn finish(self, nothing: &str) -> io::Result<()> {
        match self.form {
            Form::Groups(_) | Form::Table(..) | Form::Totals(_) if self.count == 0 => {
                writeln!(self.out, "{nothing}")
            }
            Form::Groups(groups) => groups.print(self.out, self.page),
            Form::Table(rows, sources) => table::print(self.out, rows, &sources, self.page),
            Form::Totals(totals) => totals.print(self.out, self.page),
            Form::Json => json::print_end(self.out, self.count),
            Form::AutoFormat(rows) => rows.finish(self.out),
            Form::Long | Form::JsonLines | Form::Format(_) => Ok(()),
        }
    }
}

/// Says which attributes that are asked for no advice has.
fn unknown_names(output: &Output) {
    let names: Vec<&str> = match output {
        Output::AutoFormat(_, names) => names.iter().map(String::as_str).collect(),
        Output::Format(pairs) => pairs.iter().map(|(_, name)| name.as_str()).collect(),
        _ => return,
    };
    for name in names {
        if !ATTRIBUTE_NAMES.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            let nearest = nearest(name, ATTRIBUTE_NAMES.iter().copied());
            let hint = nearest.map(|nearest| format!("; did you mean {nearest}?"));
            let line = format!("no advice has an attribute {name}{}", hint.unwrap_or_default());
            say("Note", &line);
        }
    }
}

/// Text broken at spaces; see [`wrap`](wrap::wrap).
pub(super) fn wrapped(first: &str, at: usize, text: &str, columns: usize) -> String {
    let out = wrap::wrap(&format!("{}{first}", " ".repeat(at)), at, text, Some(columns));
    out[at..].to_owned()
}

#[cfg(test)]
pub(crate) mod samples;
