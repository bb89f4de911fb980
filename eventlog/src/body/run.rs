//! Events of a run: start, sizes, contact with the execution point, eviction.

use std::io::{self, Write};

use bounded_static::ToStatic;

use super::super::EventKind;
use super::super::ad::{AdForm, Tidy};
use super::super::text::attributes::attributes;
use super::super::text::lines::{
    Cursor, Lines, after, codes, indented, text, trimmed, unless_blank,
};
use super::super::text::run::{
    Bytes, End, RunLine, USUAL_RESOURCES, amount, bytes, node, trim_space,
};
use super::super::text::table::Table;
use super::super::write::{self, Longest, OneLine};
use super::{CpuUsage, Fields, Resource, Terminated, Text};

/// 001: the job runs.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct Execute<'a> {
    /// Address or name of the execution point.
    pub execute_host: Text<'a>,
    /// `SlotName: ` line.
    pub slot_name: Option<Text<'a>>,
    /// Properties of the slot, `(name, ClassAd expression as written)`, in order.
    pub properties: Vec<(Text<'a>, Text<'a>)>,
}

/// 004: the job left its slot before it finished.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct Evicted<'a> {
    /// It was checkpointed.
    pub checkpointed: bool,
    /// The second line reads `Job was not checkpointed.`, as older versions wrote it, not
    /// `CPU times`.
    pub says_not_checkpointed: bool,
    /// It terminated and was requeued (`on_exit_remove` false).
    pub terminated_and_requeued: bool,
    /// Exit code of a requeued job.
    pub return_value: Option<i32>,
    /// Signal of a requeued job.
    pub signal: Option<i32>,
    /// Why, where said.
    pub reason: Option<Text<'a>>,
    /// The line of the reason lacks `Reason: `, as older versions wrote it.
    pub plain_reason: bool,
    /// `Code` of the header suffix or line.
    pub code: Option<i32>,
    /// `Subcode`.
    pub subcode: Option<i32>,
    /// Core file of a requeued job, where one was written.
    pub core_file: Option<Text<'a>>,
    /// Remote usage of the run.
    pub run_remote: CpuUsage,
    /// Local usage (of the shadow) of the run.
    pub run_local: CpuUsage,
    /// Bytes sent by the run.
    pub bytes_sent: Option<u64>,
    /// Bytes received by the run.
    pub bytes_received: Option<u64>,
    /// Usage table of the run.
    pub resources: Vec<Resource<'a>>,
    /// No blank ends the lines of the table, as versions before 8.8 wrote it.
    pub plain_table: bool,
}

/// 007: the shadow gave up; the job goes back to the queue.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct ShadowException<'a> {
    /// What it said.
    pub message: Text<'a>,
    /// Bytes sent by the run.
    pub bytes_sent: Option<u64>,
    /// Bytes received by the run.
    pub bytes_received: Option<u64>,
}

/// 022: shadow and starter lost contact.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct Disconnected<'a> {
    /// Why.
    pub reason: Text<'a>,
    /// Name of the execution point.
    pub startd_name: Option<Text<'a>>,
    /// Its address.
    pub startd_address: Option<Text<'a>>,
    /// Why contact cannot be regained, as versions before 10.4 wrote it where they did not try.
    pub no_reconnect_reason: Option<Text<'a>>,
}

/// 023: contact again.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct Reconnected<'a> {
    /// Name of the execution point.
    pub startd_name: Text<'a>,
    /// Address of the startd.
    pub startd_address: Option<Text<'a>>,
    /// Address of the starter.
    pub starter_address: Option<Text<'a>>,
}

/// 024: contact not regained, the job goes back to the queue.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct ReconnectFailed<'a> {
    /// Why.
    pub reason: Text<'a>,
    /// Name of the execution point.
    pub startd_name: Option<Text<'a>>,
}

/// 014: a node of a parallel job runs.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct NodeExecute<'a> {
    /// The node, from 0.
    pub node: Option<i32>,
    /// Where and on which slot.
    pub execute: Execute<'a>,
}

/// 015: a node of a parallel job ended.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct NodeTerminated<'a> {
    /// The node, from 0.
    pub node: Option<i32>,
    /// How it ended.
    pub terminated: Terminated<'a>,
}

/// 021: a daemon of the run reports an error.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct RemoteError<'a> {
    /// The first line says `Error`, not `Message` or `Warning`.
    pub critical: bool,
    /// The first line says `Warning`, as versions before 23.4 wrote what is not critical.
    pub says_warning: bool,
    /// The daemon, `starter`.
    pub daemon: Text<'a>,
    /// Name of the execution point.
    pub execute_host: Text<'a>,
    /// What it said. A newline ends a line; behind the last one there need be none.
    pub message: Text<'a>,
    /// HoldReasonCode, where the error holds the job.
    pub code: Option<i32>,
    /// HoldReasonSubCode.
    pub subcode: Option<i32>,
}

/// 006: sizes of the running job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, ToStatic)]
pub struct ImageSize {
    /// ImageSize, KiB.
    pub image_size_kb: Option<i64>,
    /// MemoryUsage, MiB.
    pub memory_usage_mb: Option<i64>,
    /// ResidentSetSize, KiB.
    pub resident_set_size_kb: Option<i64>,
    /// ProportionalSetSize, KiB.
    pub proportional_set_size_kb: Option<i64>,
}

/// 002: the executable cannot run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, ToStatic)]
pub struct ExecutableError {
    /// 0: not executable; 1: not linked for HTCondor.
    pub error_type: Option<i32>,
}

/// 003: the job was checkpointed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, ToStatic)]
pub struct Checkpointed {
    /// Remote usage of the run.
    pub run_remote: CpuUsage,
    /// Local usage of the run.
    pub run_local: CpuUsage,
    /// Bytes of the checkpoint.
    pub bytes_sent: Option<u64>,
}

/// 010: the job was suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, ToStatic)]
pub struct Suspended {
    /// Processes stopped.
    pub processes: Option<i32>,
}

impl<'a> Fields<'a> for Execute<'a> {
    fn read(title: &'a [u8], lines: &'a [u8]) -> Self {
        Self::of(after(title, b"Job executing on host: ").unwrap_or_default(), lines)
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Job executing on host: {}", OneLine(&self.execute_host))?;
        self.write_slot(out)
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.text("ExecuteHost", &mut self.execute_host, Tidy::AsIs);
        form.some("SlotName", &mut self.slot_name, Tidy::Quotes);
        form.nested("ExecuteProps", &mut self.properties);
    }
}

impl<'a> Execute<'a> {
    fn of(execute_host: Text<'a>, lines: &'a [u8]) -> Self {
        let mut execute = Self { execute_host, ..Self::default() };
        execute.properties = attributes(lines, |line| {
            let Some(name) = line.strip_prefix(b"\tSlotName:") else { return false };
            let name = name.trim_ascii();
            let quoted = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\""));
            execute.slot_name = Some(text(quoted.unwrap_or(name)));
            true
        });
        execute
    }

    fn write_slot(&self, out: &mut impl Write) -> io::Result<()> {
        write::labelled(out, "\tSlotName: ", self.slot_name.as_deref())?;
        write::attributes(out, "\t", &self.properties)
    }
}

impl<'a> Fields<'a> for Evicted<'a> {
    fn read(title: &'a [u8], lines: &'a [u8]) -> Self {
        let mut lines = Lines::new(lines);
        let mut evicted = Self::default();
        if let Some((code, subcode)) = title.strip_prefix(b"Job was evicted.").and_then(codes) {
            evicted.code = Some(code);
            evicted.subcode = Some(subcode);
        }
        let mut table: Option<Table> = None;
        if let Some(line) = lines.next() {
            let mut cursor = Cursor(line);
            cursor.0 = trim_space(cursor.0);
            evicted.checkpointed =
                cursor.token(b"(").and_then(|()| cursor.int()).is_some_and(|flag| flag != 0);
            let words = trim_space(cursor.0.strip_prefix(b")").unwrap_or_default());
            evicted.terminated_and_requeued = words.starts_with(b"Job terminated and was requeued");
            evicted.says_not_checkpointed = words.starts_with(b"Job was not checkpointed");
        }
        for line in lines {
            if let Some(table) = &table {
                if let Some(row) = table.row(line) {
                    evicted.resources.push(row);
                }
                continue;
            }
            match RunLine::read(line) {
                RunLine::Usage(times, b"Run Remote Usage") => evicted.run_remote = times,
                RunLine::Usage(times, b"Run Local Usage") => evicted.run_local = times,
                RunLine::Bytes(Bytes::Sent, count) => evicted.bytes_sent = Some(count),
                RunLine::Bytes(Bytes::Received, count) => evicted.bytes_received = Some(count),
                RunLine::End(end) if evicted.terminated_and_requeued => match end {
                    End::Return(value) => evicted.return_value = value,
                    End::Signal(value) => evicted.signal = value,
                    End::Core(file) => evicted.core_file = file,
                },
                RunLine::Table(found) => {
                    evicted.resources.reserve(USUAL_RESOURCES);
                    evicted.plain_table = found.plain;
                    table = Some(found);
                }
                RunLine::Usage(..) | RunLine::Bytes(..) => {}
                _ if evicted.reason.is_none() => {
                    let labelled = line.strip_prefix(b"\tReason: ");
                    evicted.plain_reason = labelled.is_none() && !evicted.terminated_and_requeued;
                    evicted.reason = labelled.map(text).or_else(|| indented(line));
                }
                _ => {}
            }
        }
        evicted
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        write!(out, "Job was evicted.")?;
        if let Some(code) = self.code.filter(|code| *code != 0) {
            write!(out, " Code {code} Subcode {}", self.subcode.unwrap_or(0))?;
        }
        let what = if self.terminated_and_requeued {
            "(0) Job terminated and was requeued"
        } else if self.checkpointed {
            "(1) Job was checkpointed."
        } else if self.says_not_checkpointed {
            "(0) Job was not checkpointed."
        } else {
            "(0) CPU times"
        };
        writeln!(out, "\n\t{what}")?;
        write::usage(out, "Run Remote", self.run_remote)?;
        write::usage(out, "Run Local", self.run_local)?;
        write::bytes(out, "Run Bytes Sent By Job", self.bytes_sent)?;
        write::bytes(out, "Run Bytes Received By Job", self.bytes_received)?;
        if self.terminated_and_requeued {
            write::ending_with_core(out, self.return_value, self.signal, &self.core_file)?;
        }
        if let Some(reason) = &self.reason {
            let label = if self.is_labelled() { "Reason: " } else { "" };
            writeln!(out, "\t{label}{}", OneLine(reason))?;
        }
        write::table(out, &self.resources, self.plain_table)
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.flag("Checkpointed", &mut self.checkpointed);
        form.usage("RunLocalUsage", &mut self.run_local);
        form.usage("RunRemoteUsage", &mut self.run_remote);
        form.bytes("SentBytes", &mut self.bytes_sent);
        form.bytes("ReceivedBytes", &mut self.bytes_received);
        form.flag("TerminatedAndRequeued", &mut self.terminated_and_requeued);
        if form.reads() || self.terminated_and_requeued {
            form.ending(&mut self.return_value, &mut self.signal, false);
        } else {
            // HTCondor says so of every eviction.
            form.put("TerminatedNormally", false);
        }
        let tidy = if self.is_labelled() { Tidy::AsIs } else { Tidy::BothEnds };
        form.some("Reason", &mut self.reason, tidy);
        form.code("ReasonCode", &mut self.code);
        form.code("ReasonSubCode", &mut self.subcode);
        form.some("CoreFile", &mut self.core_file, Tidy::AsIs);
        form.resources(&mut self.resources);
    }
}

impl Evicted<'_> {
    /// `Reason: ` is before the reason.
    const fn is_labelled(&self) -> bool {
        !self.plain_reason && !self.terminated_and_requeued
    }
}

impl<'a> Fields<'a> for ImageSize {
    fn read(title: &'a [u8], lines: &'a [u8]) -> Self {
        let mut size = Self {
            image_size_kb: title
                .strip_prefix(b"Image size of job updated:")
                .and_then(|rest| Cursor(rest).signed()),
            ..Self::default()
        };
        for line in Lines::new(lines) {
            let Some((value, label)) = amount(line) else { break };
            if label.starts_with(b"MemoryUsage") {
                size.memory_usage_mb = Some(value);
            } else if label.starts_with(b"ResidentSetSize") {
                size.resident_set_size_kb = Some(value);
            } else if label.starts_with(b"ProportionalSetSize") {
                size.proportional_set_size_kb = Some(value);
            } else {
                break;
            }
        }
        size
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Image size of job updated: {}", self.image_size_kb.unwrap_or(-1))?;
        for (value, label) in [
            (self.memory_usage_mb, "MemoryUsage of job (MB)"),
            (self.resident_set_size_kb, "ResidentSetSize of job (KB)"),
            (self.proportional_set_size_kb, "ProportionalSetSize of job (KB)"),
        ] {
            if let Some(value) = value {
                writeln!(out, "\t{value}  -  {label}")?;
            }
        }
        Ok(())
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.count("Size", &mut self.image_size_kb);
        form.count("MemoryUsage", &mut self.memory_usage_mb);
        if !form.reads() {
            // HTCondor takes an unknown one for 0.
            self.resident_set_size_kb.get_or_insert(0);
        }
        form.count("ResidentSetSize", &mut self.resident_set_size_kb);
        form.count("ProportionalSetSize", &mut self.proportional_set_size_kb);
    }
}

impl<'a> Fields<'a> for ShadowException<'a> {
    fn read(_: &'a [u8], lines: &'a [u8]) -> Self {
        let mut lines = Lines::new(lines);
        let message = lines.next().and_then(indented).unwrap_or_default();
        let mut exception = Self { message, ..Self::default() };
        for line in lines {
            match bytes(line) {
                Some((Bytes::Sent, count)) => exception.bytes_sent = Some(count),
                Some((Bytes::Received, count)) => exception.bytes_received = Some(count),
                _ => {}
            }
        }
        exception
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Shadow exception!")?;
        writeln!(out, "\t{}", OneLine(&self.message))?;
        write::bytes(out, "Run Bytes Sent By Job", self.bytes_sent)?;
        write::bytes(out, "Run Bytes Received By Job", self.bytes_received)
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.always("Message", &mut self.message, Tidy::BothEnds);
        form.bytes("SentBytes", &mut self.bytes_sent);
        form.bytes("ReceivedBytes", &mut self.bytes_received);
    }
}

impl<'a> Fields<'a> for Disconnected<'a> {
    fn read(_: &'a [u8], lines: &'a [u8]) -> Self {
        let mut disconnected = Self::default();
        for line in Lines::new(lines) {
            if let Some(rest) = line.strip_prefix(b"    Trying to reconnect to ") {
                disconnected.name_and_address(rest);
            } else if let Some(rest) = line.strip_prefix(b"    Can not reconnect to ") {
                disconnected.name_and_address(rest);
                disconnected.no_reconnect_reason = Some(Text::default());
            } else if disconnected.no_reconnect_reason.as_deref() == Some("") {
                disconnected.no_reconnect_reason =
                    Some(text(line.strip_prefix(b"    ").unwrap_or(line)));
            } else if disconnected.reason.is_empty() {
                disconnected.reason = text(line.strip_prefix(b"    ").unwrap_or(line));
            }
        }
        disconnected
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        let what = match self.no_reconnect_reason {
            None => "attempting to",
            Some(_) => "can not",
        };
        writeln!(out, "Job disconnected, {what} reconnect")?;
        writeln!(out, "    {}", Longest(&self.reason))?;
        let name = OneLine(self.startd_name.as_deref().unwrap_or_default());
        let address = OneLine(self.startd_address.as_deref().unwrap_or_default());
        match &self.no_reconnect_reason {
            None => writeln!(out, "    Trying to reconnect to {name} {address}"),
            Some(reason) => {
                writeln!(out, "    Can not reconnect to {name} {address}")?;
                writeln!(out, "    {}\n    Rescheduling job", Longest(reason))
            }
        }
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.some("StartdAddr", &mut self.startd_address, Tidy::AsIs);
        form.some("StartdName", &mut self.startd_name, Tidy::AsIs);
        form.text("DisconnectReason", &mut self.reason, Tidy::AsIs);
        form.put("EventDescription", "Job disconnected, attempting to reconnect");
    }
}

impl<'a> Disconnected<'a> {
    fn name_and_address(&mut self, text: &'a [u8]) {
        let end = memchr::memchr(b' ', text).unwrap_or(text.len());
        self.startd_name = trimmed(&text[..end]);
        self.startd_address = text.get(end + 1..).and_then(unless_blank);
    }
}

impl<'a> Fields<'a> for Reconnected<'a> {
    fn read(title: &'a [u8], lines: &'a [u8]) -> Self {
        let startd_name = after(title, b"Job reconnected to ").unwrap_or_default();
        let mut reconnected = Self { startd_name, ..Self::default() };
        for line in Lines::new(lines) {
            if let Some(address) = line.strip_prefix(b"    startd address: ") {
                reconnected.startd_address = unless_blank(address);
            } else if let Some(address) = line.strip_prefix(b"    starter address: ") {
                reconnected.starter_address = unless_blank(address);
            }
        }
        reconnected
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Job reconnected to {}", OneLine(&self.startd_name))?;
        let startd = OneLine(self.startd_address.as_deref().unwrap_or_default());
        writeln!(out, "    startd address: {startd}")?;
        let starter = OneLine(self.starter_address.as_deref().unwrap_or_default());
        writeln!(out, "    starter address: {starter}")
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.some("StartdAddr", &mut self.startd_address, Tidy::AsIs);
        form.text("StartdName", &mut self.startd_name, Tidy::AsIs);
        form.some("StarterAddr", &mut self.starter_address, Tidy::AsIs);
        form.put("EventDescription", "Job reconnected");
    }
}

impl<'a> Fields<'a> for ReconnectFailed<'a> {
    fn read(_: &'a [u8], lines: &'a [u8]) -> Self {
        let mut failed = Self::default();
        for line in Lines::new(lines) {
            if let Some(rest) = line.strip_prefix(b"    Can not reconnect to ") {
                let end = memchr::memchr(b',', rest).unwrap_or(rest.len());
                failed.startd_name = unless_blank(&rest[..end]);
            } else if failed.reason.is_empty() {
                failed.reason = text(line.strip_prefix(b"    ").unwrap_or(line));
            }
        }
        failed
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Job reconnection failed")?;
        writeln!(out, "    {}", Longest(&self.reason))?;
        let name = OneLine(self.startd_name.as_deref().unwrap_or_default());
        writeln!(out, "    Can not reconnect to {name}, rescheduling job")
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.some("StartdName", &mut self.startd_name, Tidy::AsIs);
        form.text("Reason", &mut self.reason, Tidy::AsIs);
        form.put("EventDescription", "Job reconnect impossible: rescheduling job");
    }
}

impl<'a> Fields<'a> for ExecutableError {
    fn read(title: &'a [u8], _: &'a [u8]) -> Self {
        let mut cursor = Cursor(title);
        Self { error_type: cursor.token(b"(").and_then(|()| cursor.int()) }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        let error_type = self.error_type.unwrap_or(-1);
        let text = match error_type {
            0 => "Job file not executable.",
            1 => "Job not properly linked for Condor.",
            _ => "[Bad error number.]",
        };
        writeln!(out, "({error_type}) {text}")
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.count("ExecuteErrorType", &mut self.error_type);
    }
}

impl<'a> Fields<'a> for Checkpointed {
    fn read(_: &'a [u8], lines: &'a [u8]) -> Self {
        let mut checkpointed = Self::default();
        for line in Lines::new(lines) {
            match RunLine::read(line) {
                RunLine::Usage(times, b"Run Remote Usage") => checkpointed.run_remote = times,
                RunLine::Usage(times, b"Run Local Usage") => checkpointed.run_local = times,
                RunLine::Bytes(Bytes::Sent, count) => checkpointed.bytes_sent = Some(count),
                _ => {}
            }
        }
        checkpointed
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Job was checkpointed.")?;
        // Here HTCondor indents by one tab, elsewhere by two.
        writeln!(out, "\t{}  -  Run Remote Usage", self.run_remote)?;
        writeln!(out, "\t{}  -  Run Local Usage", self.run_local)?;
        write::bytes(out, "Run Bytes Sent By Job For Checkpoint", self.bytes_sent)
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.usage("RunLocalUsage", &mut self.run_local);
        form.usage("RunRemoteUsage", &mut self.run_remote);
        form.bytes("SentBytes", &mut self.bytes_sent);
    }
}

impl<'a> Fields<'a> for Suspended {
    fn read(_: &'a [u8], lines: &'a [u8]) -> Self {
        let processes = Lines::new(lines).next().and_then(|line| {
            let mut cursor = Cursor(line);
            cursor.token(b"Number of processes actually suspended:")?;
            cursor.int()
        });
        Self { processes }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Job was suspended.")?;
        let processes = self.processes.unwrap_or(-1);
        writeln!(out, "\tNumber of processes actually suspended: {processes}")
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.number("NumberOfPIDs", &mut self.processes, Some(-1));
    }
}

impl<'a> Fields<'a> for NodeExecute<'a> {
    fn read(title: &'a [u8], lines: &'a [u8]) -> Self {
        let host = memchr::memchr(b':', title).map_or(&b""[..], |at| &title[at + 1..]);
        Self { node: node(title), execute: Execute::of(text(host.trim_ascii()), lines) }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        let host = OneLine(&self.execute.execute_host);
        writeln!(out, "Node {} executing on host: {host}", self.node.unwrap_or(-1))?;
        self.execute.write_slot(out)
    }

    fn attributes(&mut self, kind: EventKind, form: &mut AdForm<'_, 'a>) {
        self.execute.attributes(kind, form);
        form.number("Node", &mut self.node, Some(-1));
    }
}

impl<'a> Fields<'a> for NodeTerminated<'a> {
    fn read(title: &'a [u8], lines: &'a [u8]) -> Self {
        Self { node: node(title), terminated: Terminated::read(title, lines) }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Node {} terminated.", self.node.unwrap_or(-1))?;
        self.terminated.write_lines(out, "Node")
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        self.terminated.attributes_of(form, true);
        form.count("Node", &mut self.node);
    }
}

impl<'a> Fields<'a> for RemoteError<'a> {
    fn read(title: &'a [u8], lines: &'a [u8]) -> Self {
        let mut error = Self::default();
        let title = title.trim_ascii();
        let (severity, mut rest) = match memchr::memmem::find(title, b" from ") {
            Some(at) => (title[..at].trim_ascii(), title[at + 6..].trim_ascii()),
            None => (&b"Error"[..], title),
        };
        error.critical = !matches!(severity, b"Warning" | b"Message");
        error.says_warning = severity == b"Warning";
        if let Some(at) = memchr::memmem::find(rest, b" on ").filter(|at| *at > 0) {
            error.daemon = text(rest[..at].trim_ascii());
            rest = rest[at + 4..].trim_ascii();
        }
        error.execute_host = text(rest.strip_suffix(b":").unwrap_or(rest));
        let (mut is_first, mut ends_empty) = (true, false);
        for line in Lines::new(lines) {
            let line = line.strip_prefix(b"\t").unwrap_or(line);
            if let Some((code, subcode)) = codes(line).filter(|_| line.starts_with(b"C")) {
                error.code = Some(code);
                error.subcode = Some(subcode);
                break;
            }
            ends_empty = line.is_empty();
            let line = text(line);
            if std::mem::take(&mut is_first) {
                error.message = line;
            } else {
                let message = error.message.to_mut();
                message.push('\n');
                message.push_str(&line);
            }
        }
        // An empty line at the end is one of two newlines.
        if ends_empty {
            error.message.to_mut().push('\n');
        }
        error
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        let severity = match (self.critical, self.says_warning) {
            (true, _) => "Error",
            (false, true) => "Warning",
            (false, false) => "Message",
        };
        let (daemon, host) = (OneLine(&self.daemon), OneLine(&self.execute_host));
        writeln!(out, "{severity} from {daemon} on {host}:")?;
        for line in self.message.split_inclusive('\n') {
            writeln!(out, "\t{}", line.strip_suffix('\n').unwrap_or(line))?;
        }
        write::codes(out, self.code.filter(|code| *code != 0), self.subcode)
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.text("Daemon", &mut self.daemon, Tidy::AsIs);
        form.text("ExecuteHost", &mut self.execute_host, Tidy::AsIs);
        form.text("ErrorMsg", &mut self.message, Tidy::Lines);
        if form.reads() {
            self.critical = form.integer("CriticalError") != Some(0);
        } else if !self.critical {
            form.put("CriticalError", 0);
        }
        if form.reads() || self.code.is_some_and(|code| code != 0) {
            form.number("HoldReasonCode", &mut self.code, None);
            form.number("HoldReasonSubCode", &mut self.subcode, Some(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_may_be_named_on_any_line() {
        let lines = b"\tCpus = 1\n\tSlotName: \"a=b\"\n\tDisk = 2\n";
        let execute = Execute::read(b"Job executing on host: <x>", lines);
        assert_eq!(execute.slot_name.as_deref(), Some("a=b"));
        assert_eq!(execute.properties, [("Cpus".into(), "1".into()), ("Disk".into(), "2".into())]);
    }

    #[test]
    fn white_space_before_the_ending_is_any() {
        for before in ["\t", "    ", "", " \t ", "\x0b", "\x0c\t"] {
            let log = format!(
                "{before}(0)  Job terminated and was requeued\n\
                 {before}(1) Normal termination (return value 7)\n"
            );
            let evicted = Evicted::read(b"Job was evicted.", log.as_bytes());
            assert!(evicted.terminated_and_requeued, "{log:?}");
            assert_eq!(evicted.return_value, Some(7), "{log:?}");
        }
    }
}
