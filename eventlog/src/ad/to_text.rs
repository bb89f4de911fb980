//! Attributes to typed fields (`initFromClassAd` in `condor_event.cpp`), and to the text form for
//! those who ask for it.

use std::borrow::Cow;
use std::io::Write;

use classads::Style;

use super::super::body::*;
use super::super::write::{OneLine, write_body};
use super::{AdValue, EventAd};

/// Writes an event in text form into `out`, or says which attribute is not there.
pub(crate) fn write(ad: &EventAd<'_>, out: &mut Vec<u8>) -> Result<(), String> {
    let number = ad.integer("EventTypeNumber").and_then(|number| u16::try_from(number).ok());
    let number = number.filter(|number| *number < 1000);
    let number = number.ok_or("an attribute EventTypeNumber from 0 to 999")?;
    let time = ad.text("EventTime").ok_or("an attribute EventTime")?;
    let id = |name: &str| ad.integer(name).and_then(|id| i32::try_from(id).ok()).unwrap_or(-1);
    let ids = if (100..200).contains(&number) {
        [id("SlotId"), id("DSlotId"), if number <= 112 { 0 } else { -1 }]
    } else {
        [id("Cluster"), id("Proc"), id("Subproc")]
    };
    let [cluster, proc, subproc] = ids;
    let time = OneLine(time);
    write!(out, "{number:03} ({cluster:03}.{proc:03}.{subproc:03}) {time} ")
        .and_then(|()| match body(number, ad) {
            Body::FileTransfer(FileTransfer { kind: None, .. }) => writeln!(out),
            body => write_body(out, &body),
        })
        .map_err(|error| error.to_string())?;
    out.extend_from_slice(b"...\n");
    Ok(())
}

/// Attributes of every event, which its header line says.
const HEADER: [&str; 6] = ["MyType", "EventTypeNumber", "EventTime", "Cluster", "Proc", "Subproc"];

/// An event without typed fields: its head, its attributes and what were no attributes.
fn future<'a>(number: u16, ad: &'a EventAd<'_>) -> Future<'a> {
    let mut payload = String::new();
    for (name, value) in rest(ad, &["EventHead", "EventPayloadLines"]) {
        payload.push_str(&format!("{} = {}\n", OneLine(&name), OneLine(&value)));
    }
    for line in ad.text("EventPayloadLines").unwrap_or_default().lines() {
        payload.push_str(line);
        payload.push('\n');
    }
    Future { number, head: text(ad, "EventHead"), payload: payload.into() }
}

/// The attributes that neither the header line nor `known` say, as expressions, sorted as HTCondor
/// writes them.
fn rest<'a>(ad: &'a EventAd<'_>, known: &[&str]) -> Vec<(Text<'a>, Text<'a>)> {
    let said =
        |name: &str| HEADER.iter().chain(known).any(|header| header.eq_ignore_ascii_case(name));
    sorted(ad, |name| !said(name))
}

/// The attributes that `keep` keeps, as expressions, sorted as HTCondor writes them.
fn sorted<'a>(ad: &'a EventAd<'_>, keep: impl Fn(&str) -> bool) -> Vec<(Text<'a>, Text<'a>)> {
    let mut pairs: Vec<(Text<'_>, Text<'_>)> = ad
        .iter()
        .filter(|(name, _)| keep(name))
        .map(|(name, value)| (Cow::Borrowed(name), Cow::Owned(value.print(Style::Long))))
        .collect();
    pairs.sort_by_cached_key(|(name, _)| name.to_ascii_lowercase());
    pairs
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
        Some(AdValue::Ad(ad)) => sorted(ad, |_| true),
        _ => Vec::new(),
    }
}

/// The line of notes: as it was, else the structured notes.
fn notes<'a>(ad: &'a EventAd<'_>) -> Option<Text<'a>> {
    some(ad, "LogNotes").or_else(|| match ad.get("StructuredNotes")? {
        notes @ AdValue::Ad(ad) if !ad.is_empty() => Some(Cow::Owned(notes.print(Style::New))),
        _ => None,
    })
}

/// The DAG node that the notes name.
fn dag_node<'a>(ad: &'a EventAd<'_>) -> Option<Text<'a>> {
    match ad.get("StructuredNotes") {
        Some(AdValue::Ad(notes)) => some(notes, "DAGNodeName"),
        _ => ad.text("LogNotes")?.strip_prefix("DAG Node: ").map(|node| node.trim().into()),
    }
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
            let number = ad.number(attribute);
            let written = match (ad.get(attribute), number) {
                (Some(AdValue::Real(real)), _) if real.fract() > 0.0 => {
                    Some(format!("{real:.2}")).filter(|text| text.ends_with(".00"))
                }
                // Digits that a number of 53 bits would lose.
                (Some(AdValue::Integer(value)), _) => {
                    (value.unsigned_abs() >> 53 != 0).then(|| value.to_string())
                }
                (Some(value), None) => Some(value.print(Style::Long)),
                _ => None,
            };
            (number, written.map(Cow::Owned))
        };
        let (usage, usage_written) = cell(&format!("{name}Usage"));
        let (request, request_written) = cell(&format!("Request{name}"));
        let (allocated, allocated_written) = cell(name);
        let assigned = ad.get(&format!("Assigned{name}")).map(|cell| cell.print(Style::Long));
        Resource {
            name: Cow::Borrowed(name),
            unit: unit(name).into(),
            usage,
            request,
            allocated,
            assigned: assigned.map(Cow::Owned),
            written: [usage_written, request_written, allocated_written],
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
    let (return_value, signal) = ending(ad);
    Terminated {
        return_value,
        signal,
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
        plain_table: false,
        toe: None,
    }
}

/// Exit code and signal.
fn ending(ad: &EventAd<'_>) -> (Option<i32>, Option<i32>) {
    let normal = ad.boolean("TerminatedNormally");
    (
        normal.then(|| ad.int("ReturnValue").unwrap_or(-1)),
        ad.int("TerminatedBySignal").filter(|_| !normal),
    )
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

/// The typed fields of event `number`.
pub(crate) fn body<'a>(number: u16, ad: &'a EventAd<'_>) -> Body<'a> {
    match number {
        0 => Body::Submit(Submit {
            submit_host: text(ad, "SubmitHost"),
            log_notes: notes(ad),
            user_notes: some(ad, "UserNotes"),
            warnings: some(ad, "Warnings"),
            dag_node: dag_node(ad),
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
            return_value: ending(ad).0,
            signal: ending(ad).1,
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
            plain_table: false,
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
            return_value: ending(ad).0,
            signal: ending(ad).1,
            dag_node: some(ad, "DAGNodeName"),
        }),
        21 => Body::RemoteError(RemoteError {
            critical: ad.integer("CriticalError") != Some(0),
            says_warning: false,
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
            no_reconnect_reason: None,
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
        _ => other_body(number, ad),
    }
}

fn other_body<'a>(number: u16, ad: &'a EventAd<'_>) -> Body<'a> {
    let grid = || GridResource { resource: text(ad, "GridResource") };
    match number {
        25 => Body::GridResourceUp(grid()),
        26 => Body::GridResourceDown(grid()),
        27 => Body::GridSubmit(GridSubmit {
            resource: text(ad, "GridResource"),
            job_id: text(ad, "GridJobId"),
        }),
        28 => {
            let mut attributes = rest(ad, &[]);
            // Of this event HTCondor sorts the attributes with regard to case.
            attributes.sort();
            let trigger_event = ad.integer("TriggerEventTypeNumber");
            Body::JobAdInformation(JobAdInformation {
                trigger_event: trigger_event.and_then(|number| number.try_into().ok()),
                attributes,
            })
        }
        29 => Body::JobStatusUnknown,
        30 => Body::JobStatusKnown,
        33 => Body::AttributeUpdate(AttributeUpdate {
            name: text(ad, "Attribute"),
            value: text(ad, "Value"),
            old_value: None,
        }),
        34 => Body::PreSkip(PreSkip { notes: text(ad, "SkipEventLogNotes") }),
        35 => Body::ClusterSubmit(ClusterSubmit {
            submit_host: text(ad, "SubmitHost"),
            says_factory: false,
            log_notes: notes(ad),
            user_notes: some(ad, "UserNotes"),
            dag_node: dag_node(ad),
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
            let index =
                ad.integer("Type").and_then(|index| usize::try_from(index.checked_sub(1)?).ok());
            Body::FileTransfer(FileTransfer {
                kind: index.and_then(|index| FileTransferKind::ALL.get(index)).copied(),
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
        100..=112 => Body::ExecutionPoint(ExecutionPoint {
            number,
            head: text(ad, "EventHead"),
            attributes: rest(ad, &["SlotId", "DSlotId", "EventHead", "EventPayloadLines"]),
        }),
        _ => Body::Future(future(number, ad)),
    }
}
