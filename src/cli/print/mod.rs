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

use super::request::{Output, Style};
use crate::advice::Advice;

pub(crate) use attributes::NAMES as ATTRIBUTE_NAMES;
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
            Output::Long => Form::Long,
            Output::Json => Form::Json,
            Output::JsonLines => Form::JsonLines,
            Output::AutoFormat(letters, names) => {
                Form::AutoFormat(autoformat::Rows::new(letters, names))
            }
            Output::Format(pairs) => Form::Format(pairs),
        };
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

    /// Prints what waited for the last advice. People are told when there was none.
    ///
    /// # Errors
    /// Whatever writing gives.
    pub fn finish(self) -> io::Result<()> {
        match self.form {
            Form::Groups(_) | Form::Table(..) if self.count == 0 => {
                writeln!(self.out, "No held jobs.")
            }
            Form::Groups(groups) => groups.print(self.out, self.page),
            Form::Table(rows, sources) => table::print(self.out, rows, &sources, self.page),
            Form::Json => json::print_end(self.out, self.count),
            Form::AutoFormat(rows) => rows.finish(self.out),
            Form::Long | Form::JsonLines | Form::Format(_) => Ok(()),
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
