//! Attributes to the text form, from where all forms are read alike (`initFromClassAd` in `condor_event.cpp`).

use std::borrow::Cow;
use std::io::{self, Write};

use super::super::body::*;
use super::super::write::{OneLine, write_body};
use super::{AdValue, EventAd};

/// Writes an event in text form into `out`, or says which attribute is not there.
pub(in crate::userlog) fn write(ad: &EventAd<'_>, out: &mut Vec<u8>) -> Result<(), String> {
    let number = ad.integer("EventTypeNumber").and_then(|number| u16::try_from(number).ok());
    let number = number.filter(|number| *number < 1000);
    let number = number.ok_or("an attribute EventTypeNumber from 0 to 999")?;
    let time = ad.text("EventTime").ok_or("an attribute EventTime")?;
    let id = |name: &str| ad.integer(name).and_then(|id| i32::try_from(id).ok()).unwrap_or(-1);
    let ids = if number >= 100 {
        [id("SlotId"), id("DSlotId"), 0]
    } else {
        [id("Cluster"), id("Proc"), id("Subproc")]
    };
    let [cluster, proc, subproc] = ids;
    let time = OneLine(time);
    write!(out, "{number:03} ({cluster:03}.{proc:03}.{subproc:03}) {time} ")
        .and_then(|()| match body(number, ad) {
            Some(body) => write_body(out, &body),
            None => unknown(ad, out),
        })
        .map_err(|error| error.to_string())?;
    out.extend_from_slice(b"...\n");
    Ok(())
}

/// Attributes of every event, which its header line says.
const HEADER: [&str; 9] = [
    "MyType",
    "TargetType",
    "EventTypeNumber",
    "EventTime",
    "Cluster",
    "Proc",
    "Subproc",
    "EventHead",
    "EventPayloadLines",
];

/// An event without typed fields: its head and its attributes.
fn unknown(ad: &EventAd<'_>, out: &mut Vec<u8>) -> io::Result<()> {
    writeln!(out, "{}", OneLine(ad.text("EventHead").unwrap_or_default()))?;
    for (name, value) in rest(ad, &[]) {
        writeln!(out, "{name} = {}", OneLine(&value))?;
    }
    Ok(())
}

/// The attributes that neither the header line nor `known` say, as expressions.
fn rest<'a>(ad: &'a EventAd<'_>, known: &[&str]) -> Vec<(Text<'a>, Text<'a>)> {
    let said =
        |name: &str| HEADER.iter().chain(known).any(|header| header.eq_ignore_ascii_case(name));
    ad.iter()
        .filter(|(name, _)| !said(name))
        .map(|(name, value)| (Cow::Borrowed(name), Cow::Owned(value.to_expression())))
        .collect()
}

/// A text that is there and not empty.
fn some<'a>(ad: &'a EventAd<'_>, name: &str) -> Option<Text<'a>> {
    ad.text(name).filter(|text| !text.is_empty()).map(Cow::Borrowed)
}

fn text<'a>(ad: &'a EventAd<'_>, name: &str) -> Text<'a> {
    some(ad, name).unwrap_or_default()
}

fn usage(ad: &EventAd<'_>, name: &str) -> CpuUsage {
    ad.text(name).and_then(CpuUsage::parse).unwrap_or_default()
}

/// The pairs of a nested ad.
fn nested<'a>(ad: &'a EventAd<'_>, name: &str) -> Vec<(Text<'a>, Text<'a>)> {
    match ad.get(name) {
        Some(AdValue::Ad(ad)) => rest(ad, &[]),
        _ => Vec::new(),
    }
}

/// The line of notes: as it was, else the structured notes.
fn notes<'a>(ad: &'a EventAd<'_>) -> Option<Text<'a>> {
    some(ad, "LogNotes").or_else(|| match ad.get("StructuredNotes")? {
        notes @ AdValue::Ad(ad) if !ad.is_empty() => Some(Cow::Owned(notes.to_expression())),
        _ => None,
    })
}

/// The rows of the table of resources: what has a request or a usage.
fn resources<'a>(ad: &'a EventAd<'_>) -> Vec<Resource<'a>> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in ad.iter() {
        let requested = name.strip_prefix("Request").filter(|name| ad.get(name).is_some());
        let timed = ["TimeExecute", "TimeSlotBusy"]
            .into_iter()
            .find(|timed| name.strip_suffix("Usage") == Some(timed));
        if let Some(resource) = requested.or(timed) {
            names.push(resource);
        }
    }
    names.sort_by_cached_key(|name| name.to_ascii_lowercase());
    let row = |name: &'a str| {
        let cell = |attribute: &str| {
            let value = ad.number(attribute);
            let is_real = matches!(ad.get(attribute), Some(AdValue::Real(_)));
            let whole = value.is_some_and(|value| (value * 100.0).round() % 100.0 == 0.0);
            let fraction = value.is_some_and(|value| value.fract() > 0.0);
            (value, is_real && whole && fraction)
        };
        let (usage, usage_rounded) = cell(&format!("{name}Usage"));
        let (request, request_rounded) = cell(&format!("Request{name}"));
        let (allocated, allocated_rounded) = cell(name);
        let assigned = ad.get(&format!("Assigned{name}")).map(AdValue::to_expression);
        Resource {
            name: Cow::Borrowed(name),
            unit: unit(name).into(),
            usage,
            request,
            allocated,
            assigned: assigned.map(Cow::Owned),
            rounded: [usage_rounded, request_rounded, allocated_rounded],
        }
    };
    names.into_iter().map(row).collect()
}

/// What HTCondor puts behind the name of a resource.
fn unit(name: &str) -> &'static str {
    match name {
        "Memory" | "GpusMemory" => "MB",
        "Disk" => "KB",
        "Gpus" => "Average",
        "TimeExecute" | "TimeSlotBusy" => "s",
        _ => "",
    }
}

fn terminated<'a>(ad: &'a EventAd<'_>) -> Terminated<'a> {
    let normal = ad.boolean("TerminatedNormally");
    Terminated {
        return_value: ad.int("ReturnValue").filter(|_| normal),
        signal: ad.int("TerminatedBySignal").filter(|_| !normal),
        core_file: some(ad, "CoreFile"),
        run_remote: usage(ad, "RunRemoteUsage"),
        run_local: usage(ad, "RunLocalUsage"),
        total_remote: usage(ad, "TotalRemoteUsage"),
        total_local: usage(ad, "TotalLocalUsage"),
        bytes_sent: ad.count("SentBytes"),
        bytes_received: ad.count("ReceivedBytes"),
        total_bytes_sent: ad.count("TotalSentBytes"),
        total_bytes_received: ad.count("TotalReceivedBytes"),
        resources: resources(ad),
        toe: None,
    }
}

fn execute<'a>(ad: &'a EventAd<'_>) -> Execute<'a> {
    Execute {
        execute_host: text(ad, "ExecuteHost"),
        slot_name: some(ad, "SlotName"),
        properties: nested(ad, "ExecuteProps"),
    }
}

fn reuse_file<'a>(ad: &'a EventAd<'_>) -> ReuseFile<'a> {
    ReuseFile {
        bytes: ad.count("Size"),
        checksum: text(ad, "Checksum"),
        checksum_type: text(ad, "ChecksumType"),
        uuid: some(ad, "UUID"),
        tag: some(ad, "Tag"),
    }
}

/// The typed fields of event `number`; `None` where its attributes have no types.
fn body<'a>(number: u16, ad: &'a EventAd<'_>) -> Option<Body<'a>> {
    Some(match number {
        0 => Body::Submit(Submit {
            submit_host: text(ad, "SubmitHost"),
            log_notes: notes(ad),
            user_notes: some(ad, "UserNotes"),
            warnings: some(ad, "Warnings"),
            dag_node: None,
        }),
        1 => Body::Execute(execute(ad)),
        2 => Body::ExecutableError(ExecutableError { error_type: ad.int("ExecuteErrorType") }),
        3 => Body::Checkpointed(Checkpointed {
            run_remote: usage(ad, "RunRemoteUsage"),
            run_local: usage(ad, "RunLocalUsage"),
            bytes_sent: ad.count("SentBytes"),
        }),
        4 => Body::Evicted(Evicted {
            checkpointed: ad.boolean("Checkpointed"),
            says_not_checkpointed: false,
            terminated_and_requeued: ad.boolean("TerminatedAndRequeued"),
            return_value: ad.int("ReturnValue"),
            signal: ad.int("TerminatedBySignal"),
            reason: some(ad, "Reason"),
            plain_reason: false,
            code: ad.int("ReasonCode"),
            subcode: ad.int("ReasonSubCode"),
            core_file: some(ad, "CoreFile"),
            run_remote: usage(ad, "RunRemoteUsage"),
            run_local: usage(ad, "RunLocalUsage"),
            bytes_sent: ad.count("SentBytes"),
            bytes_received: ad.count("ReceivedBytes"),
            resources: resources(ad),
        }),
        5 => Body::Terminated(terminated(ad)),
        6 => Body::ImageSize(ImageSize {
            image_size_kb: ad.integer("Size"),
            memory_usage_mb: ad.integer("MemoryUsage"),
            resident_set_size_kb: ad.integer("ResidentSetSize"),
            proportional_set_size_kb: ad.integer("ProportionalSetSize"),
        }),
        7 => Body::ShadowException(ShadowException {
            message: text(ad, "Message"),
            bytes_sent: ad.count("SentBytes"),
            bytes_received: ad.count("ReceivedBytes"),
        }),
        8 => Body::Generic(text(ad, "Info")),
        9 => Body::Aborted(Aborted { reason: some(ad, "Reason"), ..Aborted::default() }),
        10 => Body::Suspended(Suspended { processes: ad.int("NumberOfPIDs") }),
        11 => Body::Unsuspended,
        12 => Body::Held(Held {
            reason: some(ad, "HoldReason"),
            code: ad.int("HoldReasonCode"),
            subcode: ad.int("HoldReasonSubCode"),
        }),
        13 => Body::Released(Released { reason: some(ad, "Reason") }),
        14 => Body::NodeExecute(NodeExecute { node: ad.int("Node"), execute: execute(ad) }),
        15 => Body::NodeTerminated(NodeTerminated {
            node: ad.int("Node"),
            terminated: terminated(ad),
        }),
        16 => Body::PostScriptTerminated(PostScriptTerminated {
            return_value: ad.int("ReturnValue"),
            signal: ad.int("TerminatedBySignal"),
            dag_node: some(ad, "DAGNodeName"),
        }),
        21 => Body::RemoteError(RemoteError {
            critical: ad.integer("CriticalError") != Some(0),
            daemon: text(ad, "Daemon"),
            execute_host: text(ad, "ExecuteHost"),
            message: text(ad, "ErrorMsg"),
            code: ad.int("HoldReasonCode"),
            subcode: ad.int("HoldReasonSubCode"),
        }),
        22 => Body::Disconnected(Disconnected {
            reason: text(ad, "DisconnectReason"),
            startd_name: some(ad, "StartdName"),
            startd_address: some(ad, "StartdAddr"),
        }),
        23 => Body::Reconnected(Reconnected {
            startd_name: text(ad, "StartdName"),
            startd_address: some(ad, "StartdAddr"),
            starter_address: some(ad, "StarterAddr"),
        }),
        24 => Body::ReconnectFailed(ReconnectFailed {
            reason: text(ad, "Reason"),
            startd_name: some(ad, "StartdName"),
        }),
        _ => return other_body(number, ad),
    })
}

fn other_body<'a>(number: u16, ad: &'a EventAd<'_>) -> Option<Body<'a>> {
    let grid = || GridResource { resource: text(ad, "GridResource") };
    Some(match number {
        25 => Body::GridResourceUp(grid()),
        26 => Body::GridResourceDown(grid()),
        27 => Body::GridSubmit(GridSubmit {
            resource: text(ad, "GridResource"),
            job_id: text(ad, "GridJobId"),
        }),
        28 => Body::JobAdInformation(JobAdInformation {
            trigger_event: None,
            attributes: rest(ad, &[]),
        }),
        33 => Body::AttributeUpdate(AttributeUpdate {
            name: text(ad, "Attribute"),
            value: text(ad, "Value"),
            old_value: None,
        }),
        34 => Body::PreSkip(PreSkip { notes: text(ad, "SkipEventLogNotes") }),
        35 => Body::ClusterSubmit(ClusterSubmit {
            submit_host: text(ad, "SubmitHost"),
            log_notes: notes(ad),
            user_notes: some(ad, "UserNotes"),
            dag_node: None,
        }),
        36 => Body::ClusterRemove(ClusterRemove {
            materialized: ad.integer("NextProcId"),
            items: ad.integer("NextRow"),
            completion: Some(match ad.integer("Completion").unwrap_or(0) {
                0 => Cow::Borrowed("Incomplete"),
                1 => Cow::Borrowed("Complete"),
                2.. => Cow::Borrowed("Paused"),
                code => Cow::Owned(format!("Error {code}")),
            }),
            notes: some(ad, "Notes"),
        }),
        37 => Body::FactoryPaused(FactoryPaused {
            reason: some(ad, "Reason"),
            pause_code: ad.int("PauseCode").filter(|code| *code != 0),
            hold_code: ad.int("HoldCode").filter(|code| *code != 0),
        }),
        38 => Body::FactoryResumed(FactoryResumed { reason: some(ad, "Reason") }),
        40 => {
            let index = usize::try_from(ad.integer("Type")?).ok()?.checked_sub(1)?;
            Body::FileTransfer(FileTransfer {
                kind: Some(*FileTransferKind::ALL.get(index)?),
                host: some(ad, "Host"),
                seconds_in_queue: ad.count("QueueingDelay"),
            })
        }
        41 => Body::ReserveSpace(ReserveSpace {
            bytes: ad.count("ReservedSpace"),
            expiration: ad.integer("ExpirationTime"),
            uuid: text(ad, "UUID"),
            tag: text(ad, "Tag"),
        }),
        42 => Body::ReleaseSpace(ReleaseSpace { uuid: text(ad, "UUID") }),
        43 => Body::FileComplete(reuse_file(ad)),
        44 => Body::FileUsed(reuse_file(ad)),
        45 => Body::FileRemoved(reuse_file(ad)),
        46 => Body::DataflowSkipped(DataflowSkipped { reason: some(ad, "Reason"), toe: None }),
        47 => Body::CommonFiles(CommonFiles { step: text(ad, "Type") }),
        100..=111 => Body::ExecutionPoint(ExecutionPoint {
            number,
            head: text(ad, "EventHead"),
            attributes: rest(ad, &["SlotId", "DSlotId"]),
        }),
        _ => return None,
    })
}
