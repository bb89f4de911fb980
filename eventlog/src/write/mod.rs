//! Writing the text form, as HTCondor 25 formats it (`ULogEvent::formatEvent`).
//!
//! - `header`: the header line.
//! - `other`: grid jobs, job ads, clusters, transfers.
//! - `run`: events of a run.
//! - `table`: the `Partitionable Resources` table.

mod header;
mod other;
mod run;
mod table;

use std::io::{self, Write};

use super::body::*;

pub use header::{DateForm, EventHeader};

/// The longest line of notes or reasons that HTCondor writes, bytes.
const LONGEST_LINE: usize = 8191;

/// Writes an event with its header line and separator.
///
/// Fields that are `None` are left out. A newline within a text becomes `|`, as HTCondor does with
/// reasons; NUL bytes, which a reader takes for a hole in the file, are left out.
///
/// # Errors
/// `out` fails, or the body is a [`FileTransfer`] without a kind, which has no text:
/// `InvalidInput`.
pub fn write_event(
    out: &mut impl Write,
    header: &EventHeader<'_>,
    body: &Body<'_>,
) -> io::Result<()> {
    let out = &mut WithoutNul(out);
    header.write(out, body.number())?;
    write_body(out, body)?;
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

fn no_text(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("{what} has no text to be written"))
}

pub(super) fn write_body(out: &mut impl Write, body: &Body<'_>) -> io::Result<()> {
    match body {
        Body::Submit(submit) => {
            writeln!(out, "Job submitted from host: {}", OneLine(&submit.submit_host))?;
            let others = [&submit.user_notes, &submit.warnings];
            notes(out, &submit.log_notes, &submit.dag_node, &others)
        }
        Body::Execute(execute) => {
            writeln!(out, "Job executing on host: {}", OneLine(&execute.execute_host))?;
            run::slot(out, execute)
        }
        Body::ExecutableError(error) => run::executable_error(out, *error),
        Body::Checkpointed(checkpointed) => run::checkpointed(out, *checkpointed),
        Body::Evicted(evicted) => run::evicted(out, evicted),
        Body::Terminated(terminated) => {
            writeln!(out, "Job terminated.")?;
            run::terminated(out, terminated, "Job")
        }
        Body::ImageSize(size) => run::image_size(out, *size),
        Body::ShadowException(exception) => {
            writeln!(out, "Shadow exception!")?;
            writeln!(out, "\t{}", OneLine(&exception.message))?;
            run::bytes(out, "Run Bytes Sent By Job", exception.bytes_sent)?;
            run::bytes(out, "Run Bytes Received By Job", exception.bytes_received)
        }
        Body::Generic(info) => writeln!(out, "{}", OneLine(info)),
        Body::Aborted(aborted) => {
            let by = if aborted.by_the_user { " by the user" } else { "" };
            writeln!(out, "Job was aborted{by}.")?;
            reason(out, &aborted.reason)?;
            toe(out, &aborted.toe)
        }
        Body::Suspended(suspended) => {
            writeln!(out, "Job was suspended.")?;
            let processes = suspended.processes.unwrap_or(-1);
            writeln!(out, "\tNumber of processes actually suspended: {processes}")
        }
        Body::Unsuspended => writeln!(out, "Job was unsuspended."),
        Body::Held(held) => {
            writeln!(out, "Job was held.")?;
            let unspecified = held.reason.as_deref().unwrap_or("Reason unspecified");
            writeln!(out, "\t{}", OneLine(unspecified))?;
            codes(out, held.code, held.subcode)
        }
        Body::Released(released) => {
            writeln!(out, "Job was released.")?;
            reason(out, &released.reason)
        }
        Body::NodeExecute(node) => {
            let host = OneLine(&node.execute.execute_host);
            writeln!(out, "Node {} executing on host: {host}", node.node.unwrap_or(-1))?;
            run::slot(out, &node.execute)
        }
        Body::NodeTerminated(node) => {
            writeln!(out, "Node {} terminated.", node.node.unwrap_or(-1))?;
            run::terminated(out, &node.terminated, "Node")
        }
        Body::PostScriptTerminated(script) => {
            writeln!(out, "POST Script terminated.")?;
            run::ending(out, script.return_value, script.signal)?;
            match &script.dag_node {
                Some(node) => writeln!(out, "    DAG Node: {}", Longest(node)),
                None => Ok(()),
            }
        }
        Body::RemoteError(error) => run::remote_error(out, error),
        Body::Disconnected(disconnected) => {
            let what = match disconnected.no_reconnect_reason {
                None => "attempting to",
                Some(_) => "can not",
            };
            writeln!(out, "Job disconnected, {what} reconnect")?;
            writeln!(out, "    {}", Longest(&disconnected.reason))?;
            let name = OneLine(disconnected.startd_name.as_deref().unwrap_or_default());
            let address = OneLine(disconnected.startd_address.as_deref().unwrap_or_default());
            match &disconnected.no_reconnect_reason {
                None => writeln!(out, "    Trying to reconnect to {name} {address}"),
                Some(reason) => {
                    writeln!(out, "    Can not reconnect to {name} {address}")?;
                    writeln!(out, "    {}\n    Rescheduling job", Longest(reason))
                }
            }
        }
        Body::Reconnected(reconnected) => {
            writeln!(out, "Job reconnected to {}", OneLine(&reconnected.startd_name))?;
            let startd = OneLine(reconnected.startd_address.as_deref().unwrap_or_default());
            writeln!(out, "    startd address: {startd}")?;
            let starter = OneLine(reconnected.starter_address.as_deref().unwrap_or_default());
            writeln!(out, "    starter address: {starter}")
        }
        Body::ReconnectFailed(failed) => {
            writeln!(out, "Job reconnection failed")?;
            writeln!(out, "    {}", Longest(&failed.reason))?;
            let name = OneLine(failed.startd_name.as_deref().unwrap_or_default());
            writeln!(out, "    Can not reconnect to {name}, rescheduling job")
        }
        Body::ClusterSubmit(submit) => {
            let what = if submit.says_factory { "Factory" } else { "Cluster" };
            writeln!(out, "{what} submitted from host: {}", OneLine(&submit.submit_host))?;
            notes(out, &submit.log_notes, &submit.dag_node, &[&submit.user_notes])
        }
        Body::DataflowSkipped(skipped) => {
            writeln!(out, "Dataflow job was skipped.")?;
            reason(out, &skipped.reason)?;
            toe(out, &skipped.toe)
        }
        other => other::write(out, other),
    }
}

/// The lines below a submission.
fn notes(
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
fn labelled(out: &mut impl Write, label: &str, text: Option<&str>) -> io::Result<()> {
    match text {
        Some(text) => writeln!(out, "{label}{}", OneLine(text)),
        None => Ok(()),
    }
}

/// A line with a reason, if there is one.
fn reason(out: &mut impl Write, reason: &Option<Text<'_>>) -> io::Result<()> {
    labelled(out, "\t", reason.as_deref())
}

fn codes(out: &mut impl Write, code: Option<i32>, subcode: Option<i32>) -> io::Result<()> {
    match code {
        Some(code) => writeln!(out, "\tCode {code} Subcode {}", subcode.unwrap_or(0)),
        None => Ok(()),
    }
}

fn toe(out: &mut impl Write, toe: &Option<Toe<'_>>) -> io::Result<()> {
    labelled(out, "\n\t", toe.as_ref().map(|toe| &*toe.text))
}

/// A text on one line: newlines become `|`, carriage returns a space
/// (`ULogEvent::set_reason_member`).
pub(super) struct OneLine<'a>(pub(super) &'a str);

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
struct Longest<'a>(&'a str);

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
