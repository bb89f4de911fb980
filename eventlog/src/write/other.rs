//! Events of grid jobs, job ads, clusters and transfers.

use std::io::{self, Write};

use super::super::body::*;
use super::{Longest, OneLine, labelled, no_text, reason};

pub(super) fn write(out: &mut impl Write, body: &Body<'_>) -> io::Result<()> {
    match body {
        Body::GridResourceUp(grid) => {
            writeln!(out, "Grid Resource Back Up")?;
            writeln!(out, "    GridResource: {}", known(&grid.resource))
        }
        Body::GridResourceDown(grid) => {
            writeln!(out, "Detected Down Grid Resource")?;
            writeln!(out, "    GridResource: {}", known(&grid.resource))
        }
        Body::GridSubmit(grid) => {
            writeln!(out, "Job submitted to grid resource")?;
            writeln!(out, "    GridResource: {}", known(&grid.resource))?;
            writeln!(out, "    GridJobId: {}", known(&grid.job_id))
        }
        Body::JobAdInformation(information) => {
            writeln!(out, "Job ad information event triggered.")?;
            if let Some(number) = information.trigger_event
                && information.get("TriggerEventTypeNumber").is_none()
            {
                writeln!(out, "TriggerEventTypeNumber = {number}")?;
            }
            attributes(out, "", &information.attributes)
        }
        Body::JobStatusUnknown => writeln!(out, "The job's remote status is unknown"),
        Body::JobStatusKnown => writeln!(out, "The job's remote status is known again"),
        Body::Future(future) => {
            writeln!(out, "{}", OneLine(&future.head))?;
            out.write_all(future.payload.as_bytes())?;
            let is_whole = future.payload.is_empty() || future.payload.ends_with('\n');
            if is_whole { Ok(()) } else { writeln!(out) }
        }
        Body::AttributeUpdate(update) => {
            let (name, value) = (OneLine(&update.name), OneLine(&update.value));
            match &update.old_value {
                Some(old) => {
                    let old = OneLine(old);
                    writeln!(out, "Changing job attribute {name} from {old} to {value}")
                }
                None => writeln!(out, "Setting job attribute {name} to {value}"),
            }
        }
        Body::PreSkip(skip) => {
            writeln!(out, "PRE script return value is PRE_SKIP value")?;
            writeln!(out, "    {}", Longest(&skip.notes))
        }
        Body::ClusterRemove(remove) => cluster_remove(out, remove),
        Body::FactoryPaused(paused) => {
            writeln!(out, "Job Materialization Paused")?;
            let codes = [("PauseCode", paused.pause_code), ("HoldCode", paused.hold_code)];
            let codes = codes.map(|(label, code)| (label, code.filter(|code| *code != 0)));
            // HTCondor's reader takes the first line for the reason where there is a pause code.
            match &paused.reason {
                None if codes[0].1.is_some() => writeln!(out, "\t")?,
                _ => reason(out, &paused.reason)?,
            }
            for (label, code) in codes {
                if let Some(code) = code {
                    writeln!(out, "\t{label} {code}")?;
                }
            }
            Ok(())
        }
        Body::FactoryResumed(resumed) => {
            writeln!(out, "Job Materialization Resumed")?;
            reason(out, &resumed.reason)
        }
        Body::FileTransfer(transfer) => file_transfer(out, transfer),
        Body::ReserveSpace(reserve) => {
            // Without bytes the header line goes on with the expiration.
            if let Some(bytes) = reserve.bytes.filter(|bytes| *bytes != 0) {
                writeln!(out, "\n\tBytes reserved: {bytes}")?;
            }
            writeln!(out, "\tReservation Expiration: {}", reserve.expiration.unwrap_or(0))?;
            writeln!(out, "\tReservation UUID: {}", OneLine(&reserve.uuid))?;
            writeln!(out, "\tTag: {}", OneLine(&reserve.tag))
        }
        Body::ReleaseSpace(release) => {
            writeln!(out, "\n\tReservation UUID: {}", OneLine(&release.uuid))
        }
        Body::FileComplete(file) | Body::FileUsed(file) | Body::FileRemoved(file) => {
            reuse_file(out, file)
        }
        Body::CommonFiles(files) => common_files(out, &files.step),
        Body::ExecutionPoint(point) => {
            writeln!(out, "{}", OneLine(&point.head))?;
            attributes(out, "  ", &point.attributes)
        }
        _ => Err(no_text("this body")),
    }
}

/// What HTCondor writes for an empty name.
fn known<'a>(text: &'a Text<'_>) -> Longest<'a> {
    Longest(if text.is_empty() { "UNKNOWN" } else { text })
}

pub(super) fn attributes(
    out: &mut impl Write,
    indent: &str,
    attributes: &[(Text<'_>, Text<'_>)],
) -> io::Result<()> {
    for (name, value) in attributes {
        writeln!(out, "{indent}{} = {}", OneLine(name), OneLine(value))?;
    }
    Ok(())
}

fn cluster_remove(out: &mut impl Write, remove: &ClusterRemove<'_>) -> io::Result<()> {
    writeln!(out, "Cluster removed")?;
    let (materialized, items) = (remove.materialized.unwrap_or(0), remove.items.unwrap_or(0));
    let completion = OneLine(remove.completion.as_deref().unwrap_or("Incomplete"));
    writeln!(out, "\tMaterialized {materialized} jobs from {items} items.\t{completion}")?;
    reason(out, &remove.notes)
}

fn file_transfer(out: &mut impl Write, transfer: &FileTransfer<'_>) -> io::Result<()> {
    let kind = transfer.kind.ok_or_else(|| no_text("a file transfer without a kind"))?;
    writeln!(out, "{}", kind.title())?;
    if let Some(seconds) = transfer.seconds_in_queue {
        writeln!(out, "\tSeconds spent in queue: {seconds}")?;
    }
    labelled(out, "\tTransferring to host: ", transfer.host.as_deref())
}

fn reuse_file(out: &mut impl Write, file: &ReuseFile<'_>) -> io::Result<()> {
    writeln!(out)?;
    if let Some(bytes) = file.bytes {
        writeln!(out, "\tBytes: {bytes}")?;
    }
    writeln!(out, "\tChecksum Value: {}", OneLine(&file.checksum))?;
    writeln!(out, "\tChecksum Type: {}", OneLine(&file.checksum_type))?;
    labelled(out, "\tUUID: ", file.uuid.as_deref())?;
    labelled(out, "\tTag: ", file.tag.as_deref())
}

/// The second line of event 047 for each step, as HTCondor spells it.
const COMMON_FILES_TEXTS: [(&str, &str); 6] = [
    ("None", "NONE"),
    ("TransferQueued", "Entered queue to transfer common files"),
    ("TransferStarted", "Started transferring common files"),
    ("TransferFinished", "Finished transferring common files"),
    ("WaitStarted", "Started waiting for previous job to transfer common files"),
    ("WaitFinished", "Finished waitiing for previous job to transfer common files"),
];

fn common_files(out: &mut impl Write, step: &str) -> io::Result<()> {
    writeln!(out, "Common files event: {}", OneLine(step))?;
    match COMMON_FILES_TEXTS.iter().find(|(name, _)| name.eq_ignore_ascii_case(step)) {
        Some((_, text)) => writeln!(out, "\t{text}"),
        None => Ok(()),
    }
}
