//! Events to attributes.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::super::body::*;
use super::super::{Event, EventKind};
use super::{AdValue, EventAd};

impl<'a> Event<'a> {
    /// The event as HTCondor's attributes. `EventTime` is civil time in `zone`, as HTCondor writes it.
    pub fn to_ad(&self, zone: &TimeZone) -> EventAd<'a> {
        let mut ad = EventAd::default();
        ad.push("EventTypeNumber", AdValue::Integer(i64::from(self.number)));
        ad.push("MyType", AdValue::String(self.kind().my_type().into()));
        if let Ok(stamp) = Timestamp::from_second(self.time.seconds) {
            let mut time = zone.to_datetime(stamp).strftime("%Y-%m-%dT%H:%M:%S").to_string();
            if self.time.microseconds > 0 {
                time.push_str(&format!(".{:03}", self.time.microseconds / 1000));
            }
            ad.push("EventTime", AdValue::String(time.into()));
        }
        let ids = if self.number >= 100 {
            [("SlotId", self.job.cluster, 1), ("DSlotId", self.job.proc, 1), ("", -1, 0)]
        } else {
            [
                ("Cluster", self.job.cluster, 0),
                ("Proc", self.job.proc, 0),
                ("Subproc", self.subproc, 0),
            ]
        };
        for (name, id, least) in ids {
            if id >= least {
                ad.push(name, AdValue::Integer(i64::from(id)));
            }
        }
        match self.body() {
            Body::Other => {
                ad.text_unless_empty("EventHead", String::from_utf8_lossy(self.title));
                // Lines that are no attributes are not in HTCondor's ad either.
                for (name, value) in super::super::text::body::attributes_of(self.lines) {
                    ad.insert(name, AdValue::parse(value));
                }
            }
            body => ad.body(body),
        }
        ad
    }
}

impl EventKind {
    /// `MyType` of the event as a ClassAd; HTCondor gives events 29 to 32 and 34 the one of unknown kinds.
    pub const fn my_type(self) -> &'static str {
        match self.number() {
            0 => "SubmitEvent",
            1 => "ExecuteEvent",
            2 => "ExecutableErrorEvent",
            3 => "CheckpointedEvent",
            4 => "JobEvictedEvent",
            5 => "JobTerminatedEvent",
            6 => "JobImageSizeEvent",
            7 => "ShadowExceptionEvent",
            8 => "GenericEvent",
            9 => "JobAbortedEvent",
            10 => "JobSuspendedEvent",
            11 => "JobUnsuspendedEvent",
            12 => "JobHeldEvent",
            13 => "JobReleaseEvent",
            14 => "NodeExecuteEvent",
            15 => "NodeTerminatedEvent",
            16 => "PostScriptTerminatedEvent",
            21 => "RemoteErrorEvent",
            22 => "JobDisconnectedEvent",
            23 => "JobReconnectedEvent",
            24 => "JobReconnectFailedEvent",
            25 => "GridResourceUpEvent",
            26 => "GridResourceDownEvent",
            27 => "GridSubmitEvent",
            28 => "JobAdInformationEvent",
            33 => "AttributeUpdateEvent",
            35 => "ClusterSubmitEvent",
            36 => "ClusterRemoveEvent",
            37 => "FactoryPausedEvent",
            38 => "FactoryResumedEvent",
            40 => "FileTransferEvent",
            41 => "ReserveSpaceEvent",
            42 => "ReleaseSpaceEvent",
            43 => "FileCompleteEvent",
            44 => "FileUsedEvent",
            45 => "FileRemovedEvent",
            46 => "DataflowJobSkippedEvent",
            47 => "CommonFilesEvent",
            100 => "EPStartupEvent",
            101 => "EPReadyEvent",
            102 => "EPReconfigEvent",
            103 => "EPShutdownEvent",
            104 => "RequestClaimEvent",
            105 => "ReleaseClaimEvent",
            106 => "ActivateClaimEvent",
            107 => "DeactivateClaimEvent",
            108 => "VacateClaimEvent",
            109 => "DrainEvent",
            110 => "ResourceBreakEvent",
            111 => "ResourceMendEvent",
            _ => "FutureEvent",
        }
    }
}

/// What an event without a known size of that kind is written with.
const UNSET: i64 = -1;

impl<'a> EventAd<'a> {
    fn text_unless_empty(&mut self, name: &'static str, text: Text<'a>) {
        if !text.is_empty() {
            self.push(name, AdValue::String(text));
        }
    }

    fn some_text(&mut self, name: &'static str, text: Option<Text<'a>>) {
        if let Some(text) = text {
            self.text_unless_empty(name, text);
        }
    }

    fn int_value(&mut self, name: &'static str, value: impl Into<i64>) {
        self.push(name, AdValue::Integer(value.into()));
    }

    fn some_int(&mut self, name: &'static str, value: Option<impl Into<i64>>) {
        if let Some(value) = value {
            self.int_value(name, value);
        }
    }

    fn flag(&mut self, name: &'static str, value: bool) {
        self.push(name, AdValue::Boolean(value));
    }

    /// Bytes are real numbers to HTCondor; 0 where a log has none.
    fn bytes(&mut self, name: &'static str, count: Option<u64>) {
        self.push(name, AdValue::Real(count.unwrap_or(0) as f64));
    }

    fn usage(&mut self, name: &'static str, times: CpuUsage) {
        self.push(name, AdValue::String(times.to_string().into()));
    }

    /// A nested ad of `(name, expression)` pairs, if there are any.
    fn nested(&mut self, name: &'static str, pairs: Vec<(Text<'a>, Text<'a>)>) {
        if !pairs.is_empty() {
            let mut ad = EventAd::default();
            for (name, value) in pairs {
                ad.insert(name, AdValue::parse(value));
            }
            self.push(name, AdValue::Ad(ad));
        }
    }

    fn resources(&mut self, resources: Vec<Resource<'a>>) {
        for row in resources {
            let name = row.name;
            for (name, value, rounded) in [
                (format!("{name}Usage"), row.usage, row.rounded[0]),
                (format!("Request{name}"), row.request, row.rounded[1]),
                (name.to_string(), row.allocated, row.rounded[2]),
            ] {
                if let Some(value) = value {
                    let is_real = rounded || value.fract() != 0.0;
                    let value =
                        if is_real { AdValue::Real(value) } else { AdValue::Integer(value as i64) };
                    self.insert(name, value);
                }
            }
            if let Some(assigned) = row.assigned {
                self.insert(format!("Assigned{name}"), AdValue::parse(assigned));
            }
        }
    }

    fn notes(&mut self, log_notes: Option<Text<'a>>, dag_node: Option<Text<'a>>) {
        let structured = log_notes.clone().map(AdValue::parse);
        if let Some(log_notes) = log_notes {
            self.push("LogNotes", AdValue::String(log_notes));
        }
        if let Some(ad @ AdValue::Ad(_)) = structured {
            self.push("StructuredNotes", ad);
        } else if let Some(node) = dag_node {
            let mut ad = EventAd::default();
            ad.push("DAGNodeName", AdValue::String(node));
            self.push("StructuredNotes", AdValue::Ad(ad));
        }
    }

    fn terminated(&mut self, terminated: Terminated<'a>, with_unset: bool) {
        self.resources(terminated.resources);
        self.flag("TerminatedNormally", terminated.return_value.is_some());
        let unset = with_unset.then_some(-1);
        self.some_int("ReturnValue", terminated.return_value.or(unset));
        self.some_int("TerminatedBySignal", terminated.signal.or(unset));
        self.some_text("CoreFile", terminated.core_file);
        self.usage("RunLocalUsage", terminated.run_local);
        self.usage("RunRemoteUsage", terminated.run_remote);
        self.usage("TotalLocalUsage", terminated.total_local);
        self.usage("TotalRemoteUsage", terminated.total_remote);
        self.bytes("SentBytes", terminated.bytes_sent);
        self.bytes("ReceivedBytes", terminated.bytes_received);
        self.bytes("TotalSentBytes", terminated.total_bytes_sent);
        self.bytes("TotalReceivedBytes", terminated.total_bytes_received);
    }

    fn execute(&mut self, execute: Execute<'a>) {
        self.text_unless_empty("ExecuteHost", execute.execute_host);
        self.some_text("SlotName", execute.slot_name);
        self.nested("ExecuteProps", execute.properties);
    }

    fn reuse_file(&mut self, file: ReuseFile<'a>) {
        self.some_int("Size", file.bytes.map(|bytes| bytes as i64));
        self.push("Checksum", AdValue::String(file.checksum));
        self.push("ChecksumType", AdValue::String(file.checksum_type));
        self.some_text("UUID", file.uuid);
        self.some_text("Tag", file.tag);
    }

    /// Attributes that are not there yet.
    fn merge(&mut self, pairs: Vec<(Text<'a>, Text<'a>)>) {
        for (name, value) in pairs {
            if self.get(&name).is_none() {
                self.push(name, AdValue::parse(value));
            }
        }
    }

    fn body(&mut self, body: Body<'a>) {
        match body {
            Body::Submit(submit) => {
                self.text_unless_empty("SubmitHost", submit.submit_host);
                self.notes(submit.log_notes, submit.dag_node);
                self.some_text("UserNotes", submit.user_notes);
                self.some_text("Warnings", submit.warnings);
            }
            Body::Execute(execute) => self.execute(execute),
            Body::ExecutableError(error) => self.some_int("ExecuteErrorType", error.error_type),
            Body::Checkpointed(checkpointed) => {
                self.usage("RunLocalUsage", checkpointed.run_local);
                self.usage("RunRemoteUsage", checkpointed.run_remote);
                self.bytes("SentBytes", checkpointed.bytes_sent);
            }
            Body::Evicted(evicted) => {
                self.flag("Checkpointed", evicted.checkpointed);
                self.usage("RunLocalUsage", evicted.run_local);
                self.usage("RunRemoteUsage", evicted.run_remote);
                self.bytes("SentBytes", evicted.bytes_sent);
                self.bytes("ReceivedBytes", evicted.bytes_received);
                self.flag("TerminatedAndRequeued", evicted.terminated_and_requeued);
                self.flag("TerminatedNormally", evicted.return_value.is_some());
                self.some_int("ReturnValue", evicted.return_value);
                self.some_int("TerminatedBySignal", evicted.signal);
                self.some_text("Reason", evicted.reason);
                self.some_int("ReasonCode", evicted.code.filter(|code| *code != 0));
                self.some_int("ReasonSubCode", evicted.subcode.filter(|code| *code != 0));
                self.some_text("CoreFile", evicted.core_file);
                self.resources(evicted.resources);
            }
            Body::Terminated(terminated) => self.terminated(terminated, false),
            Body::ImageSize(size) => {
                self.some_int("Size", size.image_size_kb.filter(|size| *size >= 0));
                self.some_int("MemoryUsage", size.memory_usage_mb);
                // HTCondor takes an unknown one for 0.
                self.int_value("ResidentSetSize", size.resident_set_size_kb.unwrap_or(0));
                self.some_int("ProportionalSetSize", size.proportional_set_size_kb);
            }
            Body::ShadowException(exception) => {
                self.push("Message", AdValue::String(exception.message));
                self.bytes("SentBytes", exception.bytes_sent);
                self.bytes("ReceivedBytes", exception.bytes_received);
            }
            Body::Generic(info) => self.text_unless_empty("Info", info),
            Body::Aborted(aborted) => self.some_text("Reason", aborted.reason),
            Body::Suspended(suspended) => {
                self.int_value("NumberOfPIDs", suspended.processes.map_or(UNSET, i64::from));
            }
            Body::Held(held) => {
                self.some_text("HoldReason", held.reason);
                self.int_value("HoldReasonCode", held.code.unwrap_or(0));
                self.int_value("HoldReasonSubCode", held.subcode.unwrap_or(0));
            }
            Body::Released(released) => self.some_text("Reason", released.reason),
            Body::NodeExecute(node) => {
                self.execute(node.execute);
                self.int_value("Node", node.node.map_or(UNSET, i64::from));
            }
            Body::NodeTerminated(node) => {
                self.terminated(node.terminated, true);
                self.some_int("Node", node.node.filter(|node| *node >= 0));
            }
            Body::PostScriptTerminated(script) => {
                self.flag("TerminatedNormally", script.return_value.is_some());
                self.some_int("ReturnValue", script.return_value);
                self.some_int("TerminatedBySignal", script.signal);
                self.some_text("DAGNodeName", script.dag_node);
            }
            Body::RemoteError(error) => {
                self.text_unless_empty("Daemon", error.daemon);
                self.text_unless_empty("ExecuteHost", error.execute_host);
                self.text_unless_empty("ErrorMsg", error.message);
                if !error.critical {
                    self.int_value("CriticalError", 0);
                }
                if let Some(code) = error.code.filter(|code| *code != 0) {
                    self.int_value("HoldReasonCode", code);
                    self.int_value("HoldReasonSubCode", error.subcode.unwrap_or(0));
                }
            }
            Body::Disconnected(disconnected) => {
                self.some_text("StartdAddr", disconnected.startd_address);
                self.some_text("StartdName", disconnected.startd_name);
                self.text_unless_empty("DisconnectReason", disconnected.reason);
                let description = "Job disconnected, attempting to reconnect";
                self.text_unless_empty("EventDescription", description.into());
            }
            Body::Reconnected(reconnected) => {
                self.some_text("StartdAddr", reconnected.startd_address);
                self.text_unless_empty("StartdName", reconnected.startd_name);
                self.some_text("StarterAddr", reconnected.starter_address);
                self.text_unless_empty("EventDescription", "Job reconnected".into());
            }
            Body::ReconnectFailed(failed) => {
                self.some_text("StartdName", failed.startd_name);
                self.text_unless_empty("Reason", failed.reason);
                let description = "Job reconnect impossible: rescheduling job";
                self.text_unless_empty("EventDescription", description.into());
            }
            Body::GridResourceUp(grid) | Body::GridResourceDown(grid) => {
                self.text_unless_empty("GridResource", grid.resource);
            }
            Body::GridSubmit(grid) => {
                self.text_unless_empty("GridResource", grid.resource);
                self.text_unless_empty("GridJobId", grid.job_id);
            }
            Body::JobAdInformation(information) => self.merge(information.attributes),
            Body::AttributeUpdate(update) => {
                self.push("Attribute", AdValue::String(update.name));
                self.push("Value", AdValue::String(update.value));
            }
            Body::PreSkip(skip) => self.text_unless_empty("SkipEventLogNotes", skip.notes),
            Body::ClusterSubmit(submit) => {
                self.text_unless_empty("SubmitHost", submit.submit_host);
                self.notes(submit.log_notes, submit.dag_node);
                self.some_text("UserNotes", submit.user_notes);
            }
            Body::ClusterRemove(remove) => {
                self.some_text("Notes", remove.notes);
                self.int_value("NextProcId", remove.materialized.unwrap_or(0));
                self.int_value("NextRow", remove.items.unwrap_or(0));
                self.int_value("Completion", completion(remove.completion.as_deref()));
            }
            Body::FactoryPaused(paused) => {
                self.some_text("Reason", paused.reason);
                self.int_value("PauseCode", paused.pause_code.unwrap_or(0));
                self.int_value("HoldCode", paused.hold_code.unwrap_or(0));
            }
            Body::FactoryResumed(resumed) => self.some_text("Reason", resumed.reason),
            Body::FileTransfer(transfer) => {
                let number =
                    FileTransferKind::ALL.iter().position(|kind| Some(*kind) == transfer.kind);
                self.int_value("Type", number.map_or(0, |index| index as i64 + 1));
                self.some_int("QueueingDelay", transfer.seconds_in_queue.map(|delay| delay as i64));
                self.some_text("Host", transfer.host);
            }
            Body::ReserveSpace(reserve) => {
                self.int_value("ExpirationTime", reserve.expiration.unwrap_or(0));
                self.int_value("ReservedSpace", reserve.bytes.unwrap_or(0) as i64);
                self.push("UUID", AdValue::String(reserve.uuid));
                self.push("Tag", AdValue::String(reserve.tag));
            }
            Body::ReleaseSpace(release) => self.push("UUID", AdValue::String(release.uuid)),
            Body::FileComplete(file) | Body::FileUsed(file) | Body::FileRemoved(file) => {
                self.reuse_file(file);
            }
            Body::DataflowSkipped(skipped) => self.some_text("Reason", skipped.reason),
            Body::CommonFiles(files) => self.push("Type", AdValue::String(files.step)),
            Body::ExecutionPoint(point) => {
                self.merge(point.attributes);
                self.text_unless_empty("EventHead", point.head);
            }
            Body::Unsuspended | Body::Other => {}
        }
    }
}

/// `ClusterRemoveEvent::CompletionCode` of `condor_event.h`.
fn completion(text: Option<&str>) -> i64 {
    match text.unwrap_or_default() {
        "Complete" => 1,
        "Paused" => 2,
        text => match text.strip_prefix("Error") {
            Some(code) => code.trim().parse().ok().filter(|code| *code < 0).unwrap_or(-1),
            None => 0,
        },
    }
}
