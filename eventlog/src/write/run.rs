//! Events of a run.

use std::fmt::Display;
use std::io::{self, Write};

use super::super::body::*;
use super::other::attributes;
use super::{OneLine, codes, labelled, table, toe};

pub(super) fn slot(out: &mut impl Write, execute: &Execute<'_>) -> io::Result<()> {
    labelled(out, "\tSlotName: ", execute.slot_name.as_deref())?;
    attributes(out, "\t", &execute.properties)
}

pub(super) fn executable_error(out: &mut impl Write, error: ExecutableError) -> io::Result<()> {
    let error_type = error.error_type.unwrap_or(-1);
    let text = match error_type {
        0 => "Job file not executable.",
        1 => "Job not properly linked for Condor.",
        _ => "[Bad error number.]",
    };
    writeln!(out, "({error_type}) {text}")
}

pub(super) fn checkpointed(out: &mut impl Write, checkpointed: Checkpointed) -> io::Result<()> {
    writeln!(out, "Job was checkpointed.")?;
    // Here HTCondor indents by one tab, elsewhere by two.
    writeln!(out, "\t{}  -  Run Remote Usage", checkpointed.run_remote)?;
    writeln!(out, "\t{}  -  Run Local Usage", checkpointed.run_local)?;
    bytes(out, "Run Bytes Sent By Job For Checkpoint", checkpointed.bytes_sent)
}

pub(super) fn evicted(out: &mut impl Write, evicted: &Evicted<'_>) -> io::Result<()> {
    write!(out, "Job was evicted.")?;
    if let Some(code) = evicted.code.filter(|code| *code != 0) {
        write!(out, " Code {code} Subcode {}", evicted.subcode.unwrap_or(0))?;
    }
    let what = if evicted.terminated_and_requeued {
        "(0) Job terminated and was requeued"
    } else if evicted.checkpointed {
        "(1) Job was checkpointed."
    } else if evicted.says_not_checkpointed {
        "(0) Job was not checkpointed."
    } else {
        "(0) CPU times"
    };
    writeln!(out, "\n\t{what}")?;
    usage(out, "Run Remote", evicted.run_remote)?;
    usage(out, "Run Local", evicted.run_local)?;
    bytes(out, "Run Bytes Sent By Job", evicted.bytes_sent)?;
    bytes(out, "Run Bytes Received By Job", evicted.bytes_received)?;
    if evicted.terminated_and_requeued {
        ending_with_core(out, evicted.return_value, evicted.signal, &evicted.core_file)?;
    }
    if let Some(reason) = &evicted.reason {
        let plain = evicted.plain_reason || evicted.terminated_and_requeued;
        let label = if plain { "" } else { "Reason: " };
        writeln!(out, "\t{label}{}", OneLine(reason))?;
    }
    table::write(out, &evicted.resources, evicted.plain_table)
}

pub(super) fn terminated(
    out: &mut impl Write,
    terminated: &Terminated<'_>,
    who: &str,
) -> io::Result<()> {
    ending_with_core(out, terminated.return_value, terminated.signal, &terminated.core_file)?;
    usage(out, "Run Remote", terminated.run_remote)?;
    usage(out, "Run Local", terminated.run_local)?;
    usage(out, "Total Remote", terminated.total_remote)?;
    usage(out, "Total Local", terminated.total_local)?;
    bytes(out, format_args!("Run Bytes Sent By {who}"), terminated.bytes_sent)?;
    bytes(out, format_args!("Run Bytes Received By {who}"), terminated.bytes_received)?;
    bytes(out, format_args!("Total Bytes Sent By {who}"), terminated.total_bytes_sent)?;
    bytes(out, format_args!("Total Bytes Received By {who}"), terminated.total_bytes_received)?;
    table::write(out, &terminated.resources, terminated.plain_table)?;
    toe(out, &terminated.toe)
}

/// How it ended, if that is known.
pub(super) fn ending(
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
fn ending_with_core(
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

fn usage(out: &mut impl Write, label: &str, times: CpuUsage) -> io::Result<()> {
    writeln!(out, "\t\t{times}  -  {label} Usage")
}

/// A line of bytes moved, if they are known.
pub(super) fn bytes(
    out: &mut impl Write,
    label: impl Display,
    count: Option<u64>,
) -> io::Result<()> {
    match count {
        Some(count) => writeln!(out, "\t{count}  -  {label}"),
        None => Ok(()),
    }
}

pub(super) fn image_size(out: &mut impl Write, size: ImageSize) -> io::Result<()> {
    writeln!(out, "Image size of job updated: {}", size.image_size_kb.unwrap_or(-1))?;
    for (value, label) in [
        (size.memory_usage_mb, "MemoryUsage of job (MB)"),
        (size.resident_set_size_kb, "ResidentSetSize of job (KB)"),
        (size.proportional_set_size_kb, "ProportionalSetSize of job (KB)"),
    ] {
        if let Some(value) = value {
            writeln!(out, "\t{value}  -  {label}")?;
        }
    }
    Ok(())
}

pub(super) fn remote_error(out: &mut impl Write, error: &RemoteError<'_>) -> io::Result<()> {
    let severity = match (error.critical, error.says_warning) {
        (true, _) => "Error",
        (false, true) => "Warning",
        (false, false) => "Message",
    };
    let (daemon, host) = (OneLine(&error.daemon), OneLine(&error.execute_host));
    writeln!(out, "{severity} from {daemon} on {host}:")?;
    for line in error.message.split_inclusive('\n') {
        writeln!(out, "\t{}", line.strip_suffix('\n').unwrap_or(line))?;
    }
    codes(out, error.code.filter(|code| *code != 0), error.subcode)
}
