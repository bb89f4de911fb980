//! Prints advices.
//!
//! `-long`, `-json`, `-jsonl`, `-af` and `-format` all print the same [attributes](attributes); people
//! read a block, groups or a table.

mod attributes;
mod autoformat;
mod block;
mod groups;
mod json;
mod long;
mod percent;
mod sure;
mod table;
mod times;
mod wrap;

use std::io::{self, Write};

use super::request::Output;
use jiff::tz::TimeZone;

use crate::advice::Advice;

pub(crate) use attributes::NAMES as ATTRIBUTE_NAMES;

/// What printing needs to know besides the advices.
#[derive(Clone, Debug)]
pub struct Page {
    /// Columns to fit lines to; none: no limit.
    pub columns: Option<usize>,
    /// The moment judged at, Unix seconds: ages are counted from it.
    pub now: i64,
    /// The zone times are printed in.
    pub zone: TimeZone,
}

/// Prints advices as asked.
///
/// # Errors
/// Whatever writing to `out` gives.
pub fn print(
    out: &mut dyn Write,
    advices: &[Advice],
    output: &Output,
    page: &Page,
) -> io::Result<()> {
    match output {
        Output::Groups => match advices {
            [advice] => block::print(out, advice, page),
            advices => groups::print(out, advices, page),
        },
        Output::Table => table::print(out, advices, page),
        Output::Long => long::print(out, advices),
        Output::Json => json::print_array(out, advices),
        Output::JsonLines => json::print_lines(out, advices),
        Output::AutoFormat(letters, names) => autoformat::print(out, advices, letters, names, page),
        Output::Format(pairs) => percent::print(out, advices, pairs),
    }
}

/// Text broken at spaces; see [`wrap`](wrap::wrap).
pub(super) fn wrapped(first: &str, at: usize, text: &str, columns: usize) -> String {
    let out = wrap::wrap(&format!("{}{first}", " ".repeat(at)), at, text, Some(columns));
    out[at..].to_owned()
}

#[cfg(test)]
pub(crate) mod samples;
