//! Writing the text form, as HTCondor 25 formats it (`ULogEvent::formatEvent`).
//!
//! - `header`: the header line.
//! - `table`: the `Partitionable Resources` table.

mod header;
mod table;

use std::fmt::Display;
use std::io::{self, Write};

use super::Body;
use super::body::{CpuUsage, Text};

pub use header::{DateForm, EventHeader};
pub(crate) use table::write as table;

/// The longest line of notes or reasons that HTCondor writes, bytes.
const LONGEST_LINE: usize = 8191;

/// Writes an event with its header line and separator.
///
/// Fields that are `None` are left out. A newline within a text becomes `|`, as HTCondor does with
/// reasons; NUL bytes, which a reader takes for a hole in the file, are left out.
///
/// # Errors
/// `out` fails, or the body is a `FileTransfer` without a kind, which has no text:
/// `InvalidInput`.
pub fn write_event(
    out: &mut impl Write,
    header: &EventHeader<'_>,
    body: &Body<'_>,
) -> io::Result<()> {
    let out = &mut WithoutNul(out);
    header.write(out, body.number())?;
    body.write(out)?;
    out.write_all(b"...\n")
}

/// Writes an event of any number from its text: the header line behind the date, and whole lines.
/// NUL bytes are left out.
///
/// # Errors
/// `out` fails.
pub fn write_text(
    out: &mut impl Write,
    header: &EventHeader<'_>,
    number: u16,
    title: &[u8],
    lines: &[u8],
) -> io::Result<()> {
    let out = &mut WithoutNul(out);
    header.write(out, number)?;
    out.write_all(title)?;
    out.write_all(b"\n")?;
    out.write_all(lines)?;
    out.write_all(b"...\n")
}

/// Passes on what is no NUL byte.
struct WithoutNul<W>(W);

impl<W: Write> Write for WithoutNul<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if memchr::memchr(0, bytes).is_none() {
            return self.0.write_all(bytes);
        }
        bytes.split(|byte| *byte == 0).try_for_each(|part| self.0.write_all(part))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The lines below a submission.
pub(crate) fn notes(
    out: &mut impl Write,
    log: &Option<Text<'_>>,
    dag_node: &Option<Text<'_>>,
    others: &[&Option<Text<'_>>],
) -> io::Result<()> {
    match (log, dag_node) {
        // Structured notes are as long as they are.
        (Some(notes), _) if notes.starts_with('[') => writeln!(out, "    {}", OneLine(notes))?,
        (Some(notes), _) => writeln!(out, "    {}", Longest(notes))?,
        (None, Some(node)) => writeln!(out, "    DAG Node: {}", Longest(node))?,
        (None, None) => {}
    }
    for line in others.iter().copied().flatten() {
        writeln!(out, "    {}", Longest(line))?;
    }
    Ok(())
}

/// A line with a text behind its label, if there is one.
pub(crate) fn labelled(out: &mut impl Write, label: &str, text: Option<&str>) -> io::Result<()> {
    match text {
        Some(text) => writeln!(out, "{label}{}", OneLine(text)),
        None => Ok(()),
    }
}

/// A line with a reason, if there is one.
pub(crate) fn reason(out: &mut impl Write, reason: &Option<Text<'_>>) -> io::Result<()> {
    labelled(out, "\t", reason.as_deref())
}

pub(crate) fn codes(
    out: &mut impl Write,
    code: Option<i32>,
    subcode: Option<i32>,
) -> io::Result<()> {
    match code {
        Some(code) => writeln!(out, "\tCode {code} Subcode {}", subcode.unwrap_or(0)),
        None => Ok(()),
    }
}

pub(crate) fn toe(out: &mut impl Write, toe: &Option<Text<'_>>) -> io::Result<()> {
    labelled(out, "\n\t", toe.as_deref())
}

/// How it ended, if that is known.
pub(crate) fn ending(
    out: &mut impl Write,
    return_value: Option<i32>,
    signal: Option<i32>,
) -> io::Result<()> {
    match (return_value, signal) {
        (Some(value), _) => writeln!(out, "\t(1) Normal termination (return value {value})"),
        (None, Some(signal)) => writeln!(out, "\t(0) Abnormal termination (signal {signal})"),
        (None, None) => Ok(()),
    }
}

/// The same, and whether a signal left a core file.
pub(crate) fn ending_with_core(
    out: &mut impl Write,
    return_value: Option<i32>,
    signal: Option<i32>,
    file: &Option<Text<'_>>,
) -> io::Result<()> {
    ending(out, return_value, signal)?;
    match file {
        _ if return_value.is_some() || signal.is_none() => Ok(()),
        Some(file) => writeln!(out, "\t(1) Corefile in: {}", OneLine(file)),
        None => writeln!(out, "\t(0) No core file"),
    }
}

/// A line of times.
pub(crate) fn usage(out: &mut impl Write, label: &str, times: CpuUsage) -> io::Result<()> {
    writeln!(out, "\t\t{times}  -  {label} Usage")
}

/// A line of bytes moved, if they are known.
pub(crate) fn bytes(
    out: &mut impl Write,
    label: impl Display,
    count: Option<u64>,
) -> io::Result<()> {
    match count {
        Some(count) => writeln!(out, "\t{count}  -  {label}"),
        None => Ok(()),
    }
}

/// A line for each attribute.
pub(crate) fn attributes(
    out: &mut impl Write,
    indent: &str,
    attributes: &[(Text<'_>, Text<'_>)],
) -> io::Result<()> {
    for (name, value) in attributes {
        writeln!(out, "{indent}{} = {}", OneLine(name), OneLine(value))?;
    }
    Ok(())
}

/// A text on one line: newlines become `|`, carriage returns a space
/// (`ULogEvent::set_reason_member`).
pub(crate) struct OneLine<'a>(pub(crate) &'a str);

impl std::fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut rest = self.0;
        while let Some(at) = memchr::memchr2(b'\n', b'\r', rest.as_bytes()) {
            f.write_str(&rest[..at])?;
            f.write_str(if rest.as_bytes()[at] == b'\n' { "|" } else { " " })?;
            rest = &rest[at + 1..];
        }
        f.write_str(rest)
    }
}

/// A text on one line of no more than [`LONGEST_LINE`] bytes.
pub(crate) struct Longest<'a>(pub(crate) &'a str);

impl std::fmt::Display for Longest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        OneLine(&self.0[..self.0.floor_char_boundary(LONGEST_LINE)]).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::super::{EventTime, Events, JobId, Released};
    use super::*;

    #[test]
    fn no_text_makes_a_hole_in_the_log() {
        let date = DateForm::iso(TimeZone::UTC);
        let time = EventTime { seconds: 1_704_164_645, microseconds: 0 };
        let header = EventHeader { job: JobId::new(1, 0), subproc: 0, time, date: &date };
        let body = Body::Released(Released { reason: Some("a\0b\n...\nc".into()) });
        let mut out = Vec::new();
        write_event(&mut out, &header, &body).unwrap();
        let expected = Body::Released(Released { reason: Some("ab|...|c".into()) });
        let read: Vec<_> = Events::new(&out).map(|event| event.unwrap().body()).collect();
        assert_eq!(read, [expected]);
    }
}
