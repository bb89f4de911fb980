//! Prints advices: for people cards or a table; for scripts one list of attributes in
//! several forms.
//!
//! - `attributes`: the one list of attributes for scripts.
//! - `autoformat`: `-af`.
//! - `card`: what is said of like holds in a few lines.
//! - `changes`: `-watch`.
//! - `colour`: the word of an advice in colour at a terminal.
//! - `columns`: what `-af` and `-format` ask for.
//! - `decision`: the table of `-why`.
//! - `details`: the other lines of `-why`.
//! - `html`: `-html`.
//! - `incident_table`: the table of incidents.
//! - `incidents`: what one thing holds, over users and clusters, and its cards.
//! - `json`: `-json` and `-jsonl`.
//! - `long`: `-long`.
//! - `output`: in which form, and to which columns.
//! - `percent`: `-format`.
//! - `plain_table`: a table without rules.
//! - `shared_commands`: commands that do for several jobs.
//! - `shared_evidence`: what was seen of all jobs of an incident.
//! - `shared_words`: what several hold reasons have in common.
//! - `sizes`: of `-workflow`, what jobs should ask for.
//! - `sources`: what a call was judged without, and by which models.
//! - `sure`: how sure an advice is, in words or per cent.
//! - `table`: `-nobatch`.
//! - `totals`: `-totals`.
//! - `workflow`: `-workflow`.
//! - `workflow_page`: the same on a page.
//! - `wrap`: fits text to a page.

mod attributes;
mod autoformat;
mod card;
mod changes;
mod colour;
mod columns;
mod decision;
mod details;
mod html;
mod incident_table;
mod incidents;
mod json;
mod long;
mod output;
mod percent;
mod plain_table;
mod shared_commands;
mod shared_evidence;
mod shared_words;
mod sizes;
mod sources;
mod sure;
mod table;
mod totals;
mod workflow;
mod workflow_page;
mod wrap;

use std::io::{self, Write};

use jiff::tz::TimeZone;

pub(crate) use changes::Changes;
pub(crate) use html::{Html, is_page};
use incidents::Incidents;
pub(crate) use json::{
    element as json_element, end_of_hold as json_end_of_hold, print_end as json_end,
    watched as json_watched,
};
pub(crate) use plain_table::lines as table_lines;
use sources::Sources;
pub(crate) use workflow::print_thrashing;
pub(crate) use wrap::wrap;

use crate::advice::Advice;
use crate::queue::AdText;
use crate::text::to_json_pretty;
use crate::workflow::View;

pub use attributes::attributes;
pub(crate) use attributes::{
    Attributes, CostHours, NAMES as ATTRIBUTE_NAMES, Versioned, names, output, versioned,
};
pub(crate) use incident_table::Record as IncidentRecord;
pub(crate) use json::{JobOnly, Watched};
pub use output::{PrintForm, Style, TotalsBy};

/// What printing needs to know besides the advices.
#[derive(Clone, Debug)]
pub struct Page {
    /// To which columns, and with what.
    pub style: Style,
    /// The moment judged at, Unix seconds: ages are counted from it.
    pub now: i64,
    /// The zone times are printed in.
    pub zone: TimeZone,
    /// The tool with the words that name the queue, where what is printed can be carried out there:
    /// `condor_holdadvise -name ap`.
    pub again: Option<String>,
}

impl Page {
    /// A page that is read on this machine: times are in its zone.
    pub fn here(style: Style, now: i64) -> Self {
        Self { style, now, zone: eventlog::system_zone(), again: None }
    }
}

/// Prints advices as they are added; incidents and tables when all are there.
pub struct Printer<'a> {
    out: &'a mut dyn Write,
    page: &'a Page,
    count: usize,
    form: Form<'a>,
}

/// What is kept while advices are added.
enum Form<'a> {
    Cards(Incidents),
    Incidents(Incidents, bool),
    Table(Vec<table::Row>, Sources),
    Totals(totals::Totals),
    Long,
    Json,
    JsonLines,
    AutoFormat(autoformat::Rows<'a>),
    Format(percent::Formats<'a>),
}

impl<'a> Printer<'a> {
    /// Prints to `out` in the form asked for.
    pub fn new(out: &'a mut dyn Write, output: &'a PrintForm, page: &'a Page) -> Self {
        let form = match output {
            PrintForm::Cards => Form::Cards(Incidents::default()),
            PrintForm::Incidents { as_json } => Form::Incidents(Incidents::default(), *as_json),
            PrintForm::Table => Form::Table(Vec::new(), Sources::default()),
            PrintForm::Totals(by) => Form::Totals(totals::Totals::new(*by)),
            PrintForm::Long => Form::Long,
            PrintForm::Json => Form::Json,
            PrintForm::JsonLines => Form::JsonLines,
            PrintForm::AutoFormat(letters, names) => {
                Form::AutoFormat(autoformat::Rows::new(letters, names, page.now))
            }
            PrintForm::Format(pairs) => Form::Format(percent::Formats::new(pairs, page.now)),
        };
        Self { out, page, count: 0, form }
    }

    /// Adds an advice, with the ad of its job where there is one.
    ///
    /// # Errors
    /// Whatever writing gives.
    pub fn add(&mut self, advice: &Advice, job: Option<&AdText>) -> io::Result<()> {
        let number = self.count;
        self.count += 1;
        match &mut self.form {
            Form::Cards(incidents) | Form::Incidents(incidents, _) => incidents.add(advice),
            Form::Table(rows, sources) => {
                rows.push(table::row(advice, self.page));
                sources.add(advice);
            }
            Form::Totals(totals) => totals.add(advice),
            Form::Long => long::print(self.out, advice, &self.page.zone)?,
            Form::Json => json::print_element(self.out, advice, &self.page.zone, number)?,
            Form::JsonLines => json::print_line(self.out, advice, &self.page.zone)?,
            Form::AutoFormat(rows) => rows.add(self.out, advice, job, self.page)?,
            Form::Format(formats) => formats.add(self.out, advice, job, self.page)?,
        }
        Ok(())
    }

    /// Advices added.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Prints what waited for the last advice; people read `nothing` when there was none. Returned:
    /// a line for each name that is asked for and that nothing has.
    ///
    /// # Errors
    /// Whatever writing gives.
    pub fn finish(self, nothing: &str) -> io::Result<Vec<String>> {
        let mut unknown = Vec::new();
        match self.form {
            Form::Cards(_) | Form::Incidents(_, false) | Form::Table(..) | Form::Totals(_)
                if self.count == 0 =>
            {
                writeln!(self.out, "{nothing}")?;
            }
            Form::Cards(incidents) => incidents.print(self.out, self.page)?,
            Form::Incidents(incidents, true) => {
                writeln!(
                    self.out,
                    "{}",
                    to_json_pretty(&incident_table::records(&incidents, self.page.now))?
                )?;
            }
            Form::Incidents(incidents, false) => {
                self.out.write_all(incident_table::text(&incidents, None, self.page).as_bytes())?;
            }
            Form::Table(rows, sources) => table::print(self.out, rows, &sources, self.page)?,
            Form::Totals(totals) => totals.print(self.out, self.page)?,
            Form::Json => json::print_end(self.out, self.count)?,
            Form::AutoFormat(rows) => {
                unknown = rows.unknown();
                rows.finish(self.out)?;
            }
            Form::Format(formats) => unknown = formats.unknown(),
            Form::Long | Form::JsonLines => {}
        }
        Ok(unknown)
    }
}

/// Prints what is wrong where, around what is said of the jobs that are held.
///
/// # Errors
/// Whatever writing gives.
pub(crate) fn print_view(
    out: &mut dyn Write,
    view: &View,
    of_jobs: &[u8],
    output: &PrintForm,
    page: &Page,
) -> io::Result<()> {
    if *output == PrintForm::Json {
        out.write_all(attributes::output(view)?.as_bytes())?;
        return out.write_all(of_jobs);
    }
    workflow::print(out, view, page)?;
    if !of_jobs.is_empty() {
        writeln!(out)?;
        out.write_all(of_jobs)?;
    }
    workflow::print_matrix(out, view, page)
}

/// The block that is printed for one job.
pub fn text(advice: &Advice, page: &Page) -> String {
    let mut text = Vec::new();
    let mut incidents = Incidents::default();
    incidents.add(advice);
    // Memory takes whatever is written.
    let _ = incidents.print(&mut text, page);
    String::from_utf8_lossy(&text).into_owned()
}

/// Text broken at spaces; see [`wrap`](wrap::wrap).
pub(crate) fn wrapped(first: &str, at: usize, text: &str, columns: usize) -> String {
    let out = wrap::wrap(&format!("{}{first}", " ".repeat(at)), at, text, Some(columns));
    out[at..].to_owned()
}

#[cfg(test)]
#[path = "samples_tests.rs"]
pub(crate) mod samples;
