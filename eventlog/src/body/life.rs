//! Events of a job's life outside a run: submission, hold, release, removal, the end.

use std::io::{self, Write};

use bounded_static::ToStatic;

use super::super::EventKind;
use super::super::ad::{AdForm, Tidy};
use super::super::text::lines::{Lines, after, codes, indented, text, trimmed, unless_blank};
use super::super::text::run::{Bytes, End, RunLine, USUAL_RESOURCES, end};
use super::super::text::table::Table;
use super::super::text::{notes, reason, toe};
use super::super::write::{self, Longest, OneLine};
use super::{CpuUsage, Fields, Resource, Text};

/// 000: the job was submitted.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct Submit<'a> {
    /// Address of the schedd, `<ip:port?...>`.
    pub submit_host: Text<'a>,
    /// The first line of notes as written: `submit_event_notes`, `DAG Node: NAME` or a ClassAd
    /// in brackets.
    pub log_notes: Option<Text<'a>>,
    /// The second line of notes (`submit_event_user_notes`).
    pub user_notes: Option<Text<'a>>,
    /// The line of warnings, as written.
    pub warnings: Option<Text<'a>>,
    /// The DAG node of the job, from `DAG Node: NAME` or the attribute `DAGNodeName` of the
    /// notes.
    pub dag_node: Option<Text<'a>>,
}

/// 005: the job completed.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct Terminated<'a> {
    /// Exit code of a normal termination.
    pub return_value: Option<i32>,
    /// Signal of an abnormal termination.
    pub signal: Option<i32>,
    /// Core file, where one was written.
    pub core_file: Option<Text<'a>>,
    /// Remote usage of the last run.
    pub run_remote: CpuUsage,
    /// Local usage (of the shadow) of the last run.
    pub run_local: CpuUsage,
    /// Remote usage of all runs.
    pub total_remote: CpuUsage,
    /// Local usage of all runs.
    pub total_local: CpuUsage,
    /// Bytes sent by the last run.
    pub bytes_sent: Option<u64>,
    /// Bytes received by the last run.
    pub bytes_received: Option<u64>,
    /// Bytes sent by all runs.
    pub total_bytes_sent: Option<u64>,
    /// Bytes received by all runs.
    pub total_bytes_received: Option<u64>,
    /// Usage table.
    pub resources: Vec<Resource<'a>>,
    /// No blank ends the lines of the table, as versions before 8.8 wrote it.
    pub plain_table: bool,
    /// Who ended the job and when, as HTCondor 8.9 to 24 wrote it behind an empty line: `Job
    /// terminated of its own accord at TIME with exit-code N.` or `Job terminated by WHO at TIME
    /// (using method N: HOW).`
    pub toe: Option<Text<'a>>,
}

/// 009: the job was removed.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct Aborted<'a> {
    /// Why (`via condor_rm (by user ...)`, a policy).
    pub reason: Option<Text<'a>>,
    /// The first line reads `Job was aborted by the user.`, as HTCondor before 8.9 wrote it
    /// whoever removed the job.
    pub by_the_user: bool,
    /// As [`Terminated::toe`].
    pub toe: Option<Text<'a>>,
}

/// 012: the job went on hold.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct Held<'a> {
    /// HoldReason, newlines written as `|` by HTCondor. `None` where the log says
    /// `Reason unspecified`.
    pub reason: Option<Text<'a>>,
    /// HoldReasonCode.
    pub code: Option<i32>,
    /// HoldReasonSubCode.
    pub subcode: Option<i32>,
}

/// 013: the job was released.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct Released<'a> {
    /// Why (`via condor_release (by user ...)`, a policy).
    pub reason: Option<Text<'a>>,
}

/// 016: the POST script of a DAG node ended.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct PostScriptTerminated<'a> {
    /// Exit code of a normal termination.
    pub return_value: Option<i32>,
    /// Signal of an abnormal termination.
    pub signal: Option<i32>,
    /// The DAG node.
    pub dag_node: Option<Text<'a>>,
}

/// 034: the PRE script of a DAG node said to skip it.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct PreSkip<'a> {
    /// The line of notes, `DAG Node: NAME`.
    pub notes: Text<'a>,
}

/// 046: the outputs of a dataflow job are newer than its inputs, it was not run.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct DataflowSkipped<'a> {
    /// Why.
    pub reason: Option<Text<'a>>,
    /// As [`Terminated::toe`].
    pub toe: Option<Text<'a>>,
}

impl<'a> Fields<'a> for Submit<'a> {
    fn read(title: &'a [u8], lines: &'a [u8]) -> Self {
        let notes = notes(Lines::new(lines));
        Self {
            submit_host: after(title, b"Job submitted from host: ").unwrap_or_default(),
            log_notes: notes.log,
            user_notes: notes.user,
            warnings: notes.warnings,
            dag_node: notes.dag_node,
        }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Job submitted from host: {}", OneLine(&self.submit_host))?;
        let others = [&self.user_notes, &self.warnings];
        write::notes(out, &self.log_notes, &self.dag_node, &others)
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.text("SubmitHost", &mut self.submit_host, Tidy::AsIs);
        form.notes(&mut self.log_notes, &mut self.dag_node, true);
        form.some("UserNotes", &mut self.user_notes, Tidy::BothEnds);
        form.some("Warnings", &mut self.warnings, Tidy::BothEnds);
    }
}

impl<'a> Fields<'a> for Terminated<'a> {
    fn read(_: &'a [u8], lines: &'a [u8]) -> Self {
        let mut terminated = Self::default();
        let mut table: Option<Table> = None;
        for line in Lines::new(lines) {
            if let Some(open) = &table {
                if let Some(row) = open.row(line) {
                    terminated.resources.push(row);
                    continue;
                }
                table = None;
            }
            match RunLine::read(line) {
                RunLine::Usage(times, label) => match label {
                    b"Run Remote Usage" => terminated.run_remote = times,
                    b"Run Local Usage" => terminated.run_local = times,
                    b"Total Remote Usage" => terminated.total_remote = times,
                    b"Total Local Usage" => terminated.total_local = times,
                    _ => {}
                },
                RunLine::Bytes(kind, count) => {
                    let field = match kind {
                        Bytes::Sent => &mut terminated.bytes_sent,
                        Bytes::Received => &mut terminated.bytes_received,
                        Bytes::TotalSent => &mut terminated.total_bytes_sent,
                        Bytes::TotalReceived => &mut terminated.total_bytes_received,
                    };
                    *field = Some(count);
                }
                RunLine::End(End::Return(value)) => terminated.return_value = value,
                RunLine::End(End::Signal(value)) => terminated.signal = value,
                RunLine::End(End::Core(file)) => terminated.core_file = file,
                RunLine::Table(found) => {
                    terminated.resources.reserve(USUAL_RESOURCES);
                    terminated.plain_table = found.plain;
                    table = Some(found);
                }
                RunLine::Toe(toe) => terminated.toe = Some(toe),
                RunLine::Other => {}
            }
        }
        terminated
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Job terminated.")?;
        self.write_lines(out, "Job")
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        self.attributes_of(form, false);
    }
}

impl<'a> Terminated<'a> {
    /// The lines below the first.
    pub(super) fn write_lines(&self, out: &mut impl Write, who: &str) -> io::Result<()> {
        write::ending_with_core(out, self.return_value, self.signal, &self.core_file)?;
        write::usage(out, "Run Remote", self.run_remote)?;
        write::usage(out, "Run Local", self.run_local)?;
        write::usage(out, "Total Remote", self.total_remote)?;
        write::usage(out, "Total Local", self.total_local)?;
        write::bytes(out, format_args!("Run Bytes Sent By {who}"), self.bytes_sent)?;
        write::bytes(out, format_args!("Run Bytes Received By {who}"), self.bytes_received)?;
        write::bytes(out, format_args!("Total Bytes Sent By {who}"), self.total_bytes_sent)?;
        write::bytes(
            out,
            format_args!("Total Bytes Received By {who}"),
            self.total_bytes_received,
        )?;
        write::table(out, &self.resources, self.plain_table)?;
        write::toe(out, &self.toe)
    }

    /// `with_unset`: of exit code and signal the one that is not known too.
    pub(super) fn attributes_of(&mut self, form: &mut AdForm<'_, 'a>, with_unset: bool) {
        form.resources(&mut self.resources);
        form.ending(&mut self.return_value, &mut self.signal, with_unset);
        form.some("CoreFile", &mut self.core_file, Tidy::AsIs);
        form.usage("RunLocalUsage", &mut self.run_local);
        form.usage("RunRemoteUsage", &mut self.run_remote);
        form.usage("TotalLocalUsage", &mut self.total_local);
        form.usage("TotalRemoteUsage", &mut self.total_remote);
        form.bytes("SentBytes", &mut self.bytes_sent);
        form.bytes("ReceivedBytes", &mut self.bytes_received);
        form.bytes("TotalSentBytes", &mut self.total_bytes_sent);
        form.bytes("TotalReceivedBytes", &mut self.total_bytes_received);
    }
}

impl<'a> Fields<'a> for Aborted<'a> {
    fn read(title: &'a [u8], lines: &'a [u8]) -> Self {
        Self {
            by_the_user: title.starts_with(b"Job was aborted by the user"),
            toe: toe(Lines::new(lines)),
            reason: reason(lines),
        }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        let by = if self.by_the_user { " by the user" } else { "" };
        writeln!(out, "Job was aborted{by}.")?;
        write::reason(out, &self.reason)?;
        write::toe(out, &self.toe)
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.some("Reason", &mut self.reason, Tidy::BothEnds);
    }
}

impl<'a> Fields<'a> for Held<'a> {
    fn read(_: &'a [u8], lines: &'a [u8]) -> Self {
        let mut lines = Lines::new(lines);
        let mut held = Self::default();
        let Some(line) = lines.next() else { return held };
        if line.trim_ascii() != b"Reason unspecified" {
            held.reason = indented(line);
        }
        let Some(second) = lines.next() else { return held };
        let mut found = codes(second);
        if found.is_none() {
            // Old versions wrote newlines of the reason as they are: the codes stand behind all of
            // it.
            let rest: Vec<&[u8]> = std::iter::once(second).chain(lines).collect();
            if let Some((at, last)) =
                rest.iter().enumerate().rev().find_map(|(at, line)| Some((at, codes(line)?)))
            {
                found = Some(last);
                let more = rest[..at].iter().filter_map(|line| trimmed(line));
                let parts: Vec<Text<'_>> = held.reason.take().into_iter().chain(more).collect();
                held.reason = (!parts.is_empty()).then(|| parts.join("|").into());
            }
        }
        (held.code, held.subcode) = (found.map(|codes| codes.0), found.map(|codes| codes.1));
        held
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Job was held.")?;
        let unspecified = self.reason.as_deref().unwrap_or("Reason unspecified");
        writeln!(out, "\t{}", OneLine(unspecified))?;
        write::codes(out, self.code, self.subcode)
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.some("HoldReason", &mut self.reason, Tidy::BothEnds);
        form.number("HoldReasonCode", &mut self.code, Some(0));
        form.number("HoldReasonSubCode", &mut self.subcode, Some(0));
    }
}

impl<'a> Fields<'a> for Released<'a> {
    fn read(_: &'a [u8], lines: &'a [u8]) -> Self {
        Self { reason: reason(lines) }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Job was released.")?;
        write::reason(out, &self.reason)
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.some("Reason", &mut self.reason, Tidy::BothEnds);
    }
}

impl<'a> Fields<'a> for PostScriptTerminated<'a> {
    fn read(_: &'a [u8], lines: &'a [u8]) -> Self {
        let mut script = Self::default();
        for line in Lines::new(lines) {
            match end(line) {
                Some(End::Return(value)) => script.return_value = value,
                Some(End::Signal(signal)) => script.signal = signal,
                Some(End::Core(_)) => {}
                None => {
                    if let Some(node) = line.trim_ascii_start().strip_prefix(b"DAG Node: ") {
                        script.dag_node = unless_blank(node);
                    }
                }
            }
        }
        script
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "POST Script terminated.")?;
        write::ending(out, self.return_value, self.signal)?;
        match &self.dag_node {
            Some(node) => writeln!(out, "    DAG Node: {}", Longest(node)),
            None => Ok(()),
        }
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.ending(&mut self.return_value, &mut self.signal, false);
        form.some("DAGNodeName", &mut self.dag_node, Tidy::BothEnds);
    }
}

impl<'a> Fields<'a> for PreSkip<'a> {
    fn read(_: &'a [u8], lines: &'a [u8]) -> Self {
        let line = Lines::new(lines).next().unwrap_or_default();
        Self { notes: text(line.strip_prefix(b"    ").unwrap_or(line.trim_ascii_start())) }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "PRE script return value is PRE_SKIP value")?;
        writeln!(out, "    {}", Longest(&self.notes))
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.text("SkipEventLogNotes", &mut self.notes, Tidy::BothEnds);
    }
}

impl<'a> Fields<'a> for DataflowSkipped<'a> {
    fn read(_: &'a [u8], lines: &'a [u8]) -> Self {
        Self { toe: toe(Lines::new(lines)), reason: reason(lines) }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Dataflow job was skipped.")?;
        write::reason(out, &self.reason)?;
        write::toe(out, &self.toe)
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.some("Reason", &mut self.reason, Tidy::BothEnds);
    }
}

impl<'a> Fields<'a> for Text<'a> {
    fn read(title: &'a [u8], _: &'a [u8]) -> Self {
        text(title)
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", OneLine(self))
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.text("Info", self, Tidy::AsIs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_script_ends_behind_any_white_space() {
        for before in ["\t", "  ", "", "\x0b"] {
            let lines =
                format!("{before}(1)  Normal termination (return value 2)\n    DAG Node: A\n");
            let script = PostScriptTerminated::read(b"", lines.as_bytes());
            assert_eq!((script.return_value, script.dag_node.as_deref()), (Some(2), Some("A")));
        }
    }

    #[test]
    fn a_reason_of_several_lines_keeps_its_codes() {
        let of = |lines: &'static str| {
            let held = Held::read(b"Job was held.", lines.as_bytes());
            (held.reason, held.code, held.subcode)
        };
        let several = |reason: &'static str| (Some(reason.into()), Some(13), Some(2));
        for (lines, expected) in [
            ("\tone\n\ttwo\n\n\tCode 13 Subcode 2\n", several("one|two")),
            ("\tone\nCode 1 is bad\n\tCode 13 Subcode 2\n", several("one|Code 1 is bad")),
            ("\n\ttwo\n\tCode 13 Subcode 2\n", several("two")),
            // Of several lines of codes behind the reason the last one is HTCondor's.
            (
                "\tone\ntwo\n\tCode 1 Subcode 0\n\tCode 13 Subcode 2\n",
                several("one|two|Code 1 Subcode 0"),
            ),
            // The second line is read as HTCondor does.
            ("\tone\n\tCode 13 Subcode 2\n\tCode 1 Subcode 0\n", several("one")),
            ("\tone\n\ttwo\n", (Some("one".into()), None, None)),
        ] {
            assert_eq!(of(lines), expected, "{lines:?}");
        }
    }

    #[test]
    fn white_space_before_the_ending_is_any() {
        for before in ["\t", "    ", "", " \t ", "\x0b", "\x0c\t"] {
            let log = format!("{before}(1) Normal termination (return value 3)\n");
            let ended = Terminated::read(b"", log.as_bytes());
            assert_eq!((ended.return_value, ended.signal), (Some(3), None), "{log:?}");
            let log = format!(
                "{before}( 0)\tAbnormal  termination(signal 9)\n{before}(1) Corefile in: /c\n"
            );
            let ended = Terminated::read(b"", log.as_bytes());
            assert_eq!((ended.return_value, ended.signal), (None, Some(9)), "{log:?}");
            assert_eq!(ended.core_file.as_deref(), Some("/c"), "{log:?}");
        }
    }
}
