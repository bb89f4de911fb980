//! Advice for a program that asks without a command line, as data and as text.

use std::io;

use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::gather::Remarks;
use super::print::{Page, Printer, attributes};
use super::request::{Output, Style};
use super::run::{RunError, gathered, judge_all};
use super::{Config, Request};
use crate::advice::Advice;
use crate::queue::AdText;

/// What was answered.
#[derive(Debug, Default)]
pub struct Answer {
    /// The advice on each held job, in the order of their ids.
    pub advices: Vec<Judged>,
    /// Jobs named that cannot be judged, a line each.
    pub refused: Vec<String>,
    /// Damaged parts of the input, a line each.
    pub faults: Vec<String>,
}

/// An advice.
#[derive(Debug)]
pub struct Judged {
    /// The object of `-json`.
    pub attributes: Map<String, Value>,
    /// The block that is printed for one job.
    pub text: String,
}

/// The advice on the jobs of a request; what it says of printing, and of carrying advice out, is
/// not looked at.
///
/// # Errors
/// [`RunError`] when no jobs can be had at all, and for a setting or model that cannot be used.
pub fn ask(request: &Request, config: &Config) -> Result<Answer, RunError> {
    let now = request.now.unwrap_or_else(|| jiff::Timestamp::now().as_second());
    let request = Request { output: Output::Json, goes_on: true, ..request.clone() };
    let style = Style { colour: false, ..request.style };
    let page = Page { style, now, zone: TimeZone::system() };
    let (gathered, mut remarks) = gathered(&request, config, now)?;
    let mut advices = Vec::new();
    let mut take = |advice: &Advice, _: Option<&AdText>| {
        let attributes = attributes(advice, &page.zone);
        advices.push(Judged { attributes, text: block(advice, &page)? });
        Ok(())
    };
    judge_all(gathered, &mut remarks, &request, config, now, &mut take)?;
    let Remarks { refused, faults, .. } = remarks;
    Ok(Answer { advices, refused, faults })
}

fn block(advice: &Advice, page: &Page) -> io::Result<String> {
    let mut text = Vec::new();
    let mut printer = Printer::new(&mut text, &Output::Groups, page);
    printer.add(advice, None)?;
    printer.finish("")?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
