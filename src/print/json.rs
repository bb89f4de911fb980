//! `-json` and `-jsonl`.

use std::io::{self, Write};

use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;

use super::Page;
use super::attributes::{Versioned, attributes};
use crate::advice::news::{End, News};
use crate::advice::{Advice, Recommendation};
use crate::text::{to_json, to_json_pretty};
use eventlog::JobId;

/// A line of `-watch`: what happened, before an advice or the job alone.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
#[schemars(rename = "Watched{T}")]
pub(crate) struct Watched<T> {
    /// When it was looked, Unix seconds.
    watch_time: i64,
    /// `found`, `held`, `held-again`, `advice`, `detail` or `over`.
    watch_event: &'static str,
    previous_recommendation: Option<Recommendation>,
    /// `released`, `removed`, `finished`, `not-asked` or `gone`.
    hold_end: Option<&'static str>,
    #[serde(flatten)]
    of: T,
}

/// A job whose hold is over.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct JobOnly {
    cluster_id: i32,
    proc_id: i32,
}

/// An advice as one element of an array, `number` counted from 0.
pub(super) fn print_element(
    out: &mut dyn Write,
    advice: &Advice,
    zone: &TimeZone,
    number: usize,
) -> io::Result<()> {
    element(out, &attributes(advice, zone), number)
}

/// One element of an array, `number` counted from 0.
pub(crate) fn element(
    out: &mut dyn Write,
    object: &impl Serialize,
    number: usize,
) -> io::Result<()> {
    out.write_all(if number == 0 { b"[\n" } else { b",\n" })?;
    out.write_all(to_json_pretty(object)?.as_bytes())
}

/// The end of an array of so many elements.
pub(crate) fn print_end(out: &mut dyn Write, elements: usize) -> io::Result<()> {
    out.write_all(if elements == 0 { b"[]\n" } else { b"\n]\n" })
}

pub(super) fn print_line(out: &mut dyn Write, advice: &Advice, zone: &TimeZone) -> io::Result<()> {
    writeln!(out, "{}", to_json(&attributes(advice, zone))?)
}

/// A line of `-watch`: the attributes of an advice behind what happened to it.
pub(crate) fn watched(
    out: &mut dyn Write,
    advice: &Advice,
    page: &Page,
    news: News,
) -> io::Result<()> {
    let (event, was) = match news {
        News::Found => ("found", None),
        News::Held => ("held", None),
        News::HeldAgain => ("held-again", None),
        News::Advice { was } => ("advice", Some(was)),
        News::Detail { was } => ("detail", Some(was)),
    };
    let of = attributes(advice, &page.zone);
    let line = Watched {
        watch_time: page.now,
        watch_event: event,
        previous_recommendation: was,
        hold_end: None,
        of,
    };
    writeln!(out, "{}", to_json(&line)?)
}

/// A line of `-watch`: a hold ended.
pub(crate) fn end_of_hold(
    out: &mut dyn Write,
    job: JobId,
    was: Recommendation,
    end: End,
    now: i64,
) -> io::Result<()> {
    let line = Watched {
        watch_time: now,
        watch_event: "over",
        previous_recommendation: Some(was),
        hold_end: Some(end.name()),
        of: Versioned::of(JobOnly { cluster_id: job.cluster, proc_id: job.proc }),
    };
    writeln!(out, "{}", to_json(&line)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::samples;

    #[test]
    fn an_array_and_lines_say_the_same() {
        let advices = [samples::transfer(1, 0), samples::memory(1, 1, 2048)];
        let (mut array, mut lines) = (Vec::new(), Vec::new());
        for (number, advice) in advices.iter().enumerate() {
            print_element(&mut array, advice, &TimeZone::UTC, number).unwrap();
            print_line(&mut lines, advice, &TimeZone::UTC).unwrap();
        }
        print_end(&mut array, 2).unwrap();
        let array: Vec<serde_json::Value> = serde_json::from_slice(&array).unwrap();
        let lines: Vec<serde_json::Value> = String::from_utf8(lines)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(array, lines);
        insta::assert_snapshot!(serde_json::to_string_pretty(&array[0]).unwrap());
    }

    #[test]
    fn nothing_is_an_empty_array() {
        let mut out = Vec::new();
        print_end(&mut out, 0).unwrap();
        assert_eq!(out, b"[]\n");
    }
}
