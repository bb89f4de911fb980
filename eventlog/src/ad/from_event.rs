//! Events to attributes.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use classads::Syntax;

use super::super::Event;
use super::super::body::*;
use super::{AdValue, EventAd};

impl<'a> Event<'a> {
    /// The event as HTCondor's attributes. `EventTime` is civil time in `zone`, as HTCondor writes
    /// it.
    ///
    /// An event of an unknown number has its header line in `EventHead`, its `Name = expression`
    /// lines as attributes, and in `EventPayloadLines`, a name that HTCondor keeps free for them,
    /// the others.
    pub fn to_ad(&self, zone: &TimeZone) -> EventAd<'a> {
        let mut ad = EventAd::with_capacity(24);
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
        ad.body(self.body(), self.ad);
        ad
    }
}

/// What an event without a known size of that kind is written with.
const UNSET: i64 = -1;

/// White space to C's `isspace`.
fn is_space(character: char) -> bool {
    character.is_ascii_whitespace() || character == '\x0b'
}

/// A part of a text, borrowed from where the text is.
fn part<'a>(text: Text<'a>, part: impl for<'b> Fn(&'b str) -> &'b str) -> Text<'a> {
    match text {
        Text::Borrowed(text) => Text::Borrowed(part(text)),
        Text::Owned(text) if part(&text).len() == text.len() => Text::Owned(text),
        Text::Owned(text) => Text::Owned(part(&text).to_owned()),
    }
}

/// How HTCondor tidies a text that it reads from the text form; from attributes it takes all texts
/// as they are.
#[derive(Clone, Copy)]
struct Tidy(bool);

impl Tidy {
    fn part<'a>(self, text: Text<'a>, tidied: impl for<'b> Fn(&'b str) -> &'b str) -> Text<'a> {
        if self.0 { part(text, tidied) } else { text }
    }

    fn both_ends<'a>(self, text: Text<'a>) -> Text<'a> {
        self.part(text, |text| text.trim_matches(is_space))
    }

    fn begin<'a>(self, text: Text<'a>) -> Text<'a> {
        self.part(text, |text| text.trim_start_matches(is_space))
    }

    /// A name that may stand in quotation marks.
    fn quotes<'a>(self, text: Text<'a>) -> Text<'a> {
        if text.len() < 2 {
            return text;
        }
        self.part(text, |text| {
            let text = text.strip_prefix('"').unwrap_or(text);
            text.strip_suffix('"').unwrap_or(text)
        })
    }

    /// A message of several lines.
    fn lines<'a>(self, text: Text<'a>) -> Text<'a> {
        self.part(text, |text| {
            let text = text.trim_start_matches('\n');
            text.strip_suffix('\n').unwrap_or(text)
        })
    }
}

impl<'a> EventAd<'a> {
    /// A text that is there and not empty.
    fn some_text(&mut self, name: &'static str, text: impl Into<Option<Text<'a>>>) {
        if let Some(text) = text.into().filter(|text| !text.is_empty()) {
            self.push(name, AdValue::String(text));
        }
    }

    fn described(&mut self, description: &'static str) {
        self.push("EventDescription", AdValue::String(description.into()));
    }

    fn int_value(&mut self, name: &'static str, value: impl Into<i64>) {
        self.push(name, AdValue::Integer(value.into()));
    }

    fn some_int(&mut self, name: &'static str, value: Option<impl Into<i64>>) {
        if let Some(value) = value {
            self.int_value(name, value);
        }
    }

    /// A number that is set: 0 or more.
    fn some_count(&mut self, name: &'static str, value: Option<impl Into<i64>>) {
        if let Some(value) = value.map(Into::into).filter(|value: &i64| *value >= 0) {
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
            ad.expressions(pairs, true);
            if !ad.is_empty() {
                self.push(name, AdValue::Ad(ad));
            }
        }
    }

    /// Sets attributes to expressions of the text form; HTCondor passes over what is no expression.
    /// `replaces`: one that is there already is set too.
    fn expressions(&mut self, pairs: Vec<(Text<'a>, Text<'a>)>, replaces: bool) {
        for (name, value) in pairs {
            if let Some(value) = AdValue::read(&value, Syntax::Old)
                && (replaces || self.get(&name).is_none())
            {
                self.insert(name, value);
            }
        }
    }

    fn resources(&mut self, resources: Vec<Resource<'a>>) {
        for row in resources {
            let name = row.name;
            let [usage, request, allocated] = row.written;
            for (name, value, written) in [
                (format!("{name}Usage"), row.usage, usage),
                (format!("Request{name}"), row.request, request),
                (name.to_string(), row.allocated, allocated),
            ] {
                let value = match (value, written) {
                    (Some(value), _) if value.fract() != 0.0 => Some(AdValue::Real(value)),
                    (_, Some(written)) => AdValue::read(&written, Syntax::Old),
                    (Some(value), None) => Some(AdValue::Integer(value as i64)),
                    (None, None) => None,
                };
                if let Some(value) = value {
                    self.insert(name, value);
                }
            }
            let assigned = row.assigned.map(|cell| (format!("Assigned{name}").into(), cell));
            self.expressions(Vec::from_iter(assigned), true);
        }
    }

    /// `LogNotes` and what they mean.
    fn notes(
        &mut self,
        log_notes: Option<Text<'a>>,
        source: Option<&EventAd<'static>>,
        with_text: bool,
    ) {
        if let Some(ad) = source {
            for name in ["LogNotes", "StructuredNotes"] {
                let value = ad.get(name).filter(|_| with_text || name == "StructuredNotes");
                match value {
                    Some(AdValue::String(text)) if text.is_empty() => {}
                    Some(AdValue::Ad(ad)) if ad.is_empty() => {}
                    Some(value @ (AdValue::String(_) | AdValue::Ad(_))) => {
                        self.push(name, value.clone());
                    }
                    _ => {}
                }
            }
            return;
        }
        let Some(notes) = log_notes.map(|notes| Tidy(true).both_ends(notes)) else { return };
        if with_text {
            self.push("LogNotes", AdValue::String(notes.clone()));
        }
        if let Some(node) = notes.strip_prefix("DAG Node: ") {
            let node = AdValue::String(node.trim_matches(is_space).to_owned().into());
            let ad = [("DAGNodeName", node)].into_iter().collect();
            self.push("StructuredNotes", AdValue::Ad(ad));
        } else if notes.starts_with('[')
            && let Some(ad @ AdValue::Ad(_)) = AdValue::read(&notes, Syntax::New)
        {
            self.push("StructuredNotes", ad);
        }
    }

    /// How a program ended, if that is known.
    fn ending(&mut self, return_value: Option<i32>, signal: Option<i32>) {
        if return_value.is_some() || signal.is_some() {
            self.flag("TerminatedNormally", return_value.is_some());
            self.some_count("ReturnValue", return_value);
            self.some_count("TerminatedBySignal", signal);
        }
    }

    fn terminated(&mut self, terminated: Terminated<'a>, with_unset: bool) {
        self.resources(terminated.resources);
        let (return_value, signal) = (terminated.return_value, terminated.signal);
        if with_unset && (return_value.is_some() || signal.is_some()) {
            self.flag("TerminatedNormally", return_value.is_some());
            self.int_value("ReturnValue", return_value.unwrap_or(-1));
            self.int_value("TerminatedBySignal", signal.unwrap_or(-1));
        } else {
            self.ending(return_value, signal);
        }
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

    fn execute(&mut self, execute: Execute<'a>, source: Option<&EventAd<'static>>) {
        let tidy = Tidy(source.is_none());
        self.some_text("ExecuteHost", execute.execute_host);
        self.some_text("SlotName", execute.slot_name.map(|name| tidy.quotes(name)));
        match source.map(|ad| ad.get("ExecuteProps")) {
            None => self.nested("ExecuteProps", execute.properties),
            Some(Some(AdValue::Ad(ad))) if !ad.is_empty() => {
                self.push("ExecuteProps", AdValue::Ad(ad.clone()));
            }
            Some(_) => {}
        }
    }

    /// `has`: size, reservation, tag.
    fn reuse_file(&mut self, file: ReuseFile<'a>, has: [bool; 3]) {
        let values = [
            ("Size", AdValue::Integer(file.bytes.unwrap_or(0) as i64)),
            ("UUID", AdValue::String(file.uuid.unwrap_or_default())),
            ("Tag", AdValue::String(file.tag.unwrap_or_default())),
        ];
        for ((name, value), _) in values.into_iter().zip(has).filter(|(_, has)| *has) {
            self.push(name, value);
        }
        self.push("Checksum", AdValue::String(file.checksum));
        self.push("ChecksumType", AdValue::String(file.checksum_type));
    }

    /// Attributes of the event's own ad that are not there yet.
    fn merge_ad(&mut self, ad: &EventAd<'static>, known: &[&str]) {
        for (name, value) in ad.iter() {
            let is_known = known.iter().any(|known| known.eq_ignore_ascii_case(name));
            if !is_known && self.get(name).is_none() {
                self.push(name.to_owned(), value.clone());
            }
        }
    }

    fn future(&mut self, future: Future<'a>) {
        self.push("EventHead", AdValue::String(future.head));
        let mut others = String::new();
        for line in future.payload.lines().map(|line| line.trim_matches(is_space)) {
            let pair = line.split_once('=').filter(|_| !line.starts_with('\''));
            let pair = pair.map(|(name, value)| (name.trim_ascii(), value.trim_ascii()));
            let pair = pair.filter(|(name, _)| !name.is_empty()).and_then(|(name, value)| {
                Some((
                    name.to_owned(),
                    AdValue::read(&Text::Borrowed(value), Syntax::Old)?.into_owned(),
                ))
            });
            match pair {
                Some((name, value)) => self.insert(name, value),
                None if line.is_empty() => {}
                None => {
                    if !others.is_empty() {
                        others.push('\n');
                    }
                    others.push_str(line);
                }
            }
        }
        self.some_text("EventPayloadLines", Text::from(others));
    }

    fn body(&mut self, body: Body<'a>, source: Option<&'a EventAd<'static>>) {
        let tidy = Tidy(source.is_none());
        let both_ends = |text: Option<Text<'a>>| text.map(|text| tidy.both_ends(text));
        let begin = |text: Option<Text<'a>>| text.map(|text| tidy.begin(text));
        match body {
            Body::Submit(submit) => {
                self.some_text("SubmitHost", submit.submit_host);
                self.notes(submit.log_notes, source, true);
                self.some_text("UserNotes", both_ends(submit.user_notes));
                self.some_text("Warnings", both_ends(submit.warnings));
            }
            Body::Execute(execute) => self.execute(execute, source),
            Body::ExecutableError(error) => self.some_count("ExecuteErrorType", error.error_type),
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
                if evicted.terminated_and_requeued {
                    self.ending(evicted.return_value, evicted.signal);
                } else {
                    // HTCondor says so of every eviction.
                    self.flag("TerminatedNormally", false);
                }
                let is_labelled = !evicted.plain_reason && !evicted.terminated_and_requeued;
                let reason =
                    evicted.reason.map(|reason| Tidy(tidy.0 && !is_labelled).both_ends(reason));
                self.some_text("Reason", reason);
                self.some_int("ReasonCode", evicted.code.filter(|code| *code != 0));
                self.some_int("ReasonSubCode", evicted.subcode.filter(|code| *code != 0));
                self.some_text("CoreFile", evicted.core_file);
                self.resources(evicted.resources);
            }
            Body::Terminated(terminated) => self.terminated(terminated, false),
            Body::ImageSize(size) => {
                self.some_count("Size", size.image_size_kb);
                self.some_count("MemoryUsage", size.memory_usage_mb);
                // HTCondor takes an unknown one for 0.
                self.some_count("ResidentSetSize", Some(size.resident_set_size_kb.unwrap_or(0)));
                self.some_count("ProportionalSetSize", size.proportional_set_size_kb);
            }
            Body::ShadowException(exception) => {
                self.push("Message", AdValue::String(tidy.both_ends(exception.message)));
                self.bytes("SentBytes", exception.bytes_sent);
                self.bytes("ReceivedBytes", exception.bytes_received);
            }
            Body::Generic(info) => self.some_text("Info", info),
            Body::Aborted(aborted) => self.some_text("Reason", both_ends(aborted.reason)),
            Body::Suspended(suspended) => {
                self.int_value("NumberOfPIDs", suspended.processes.map_or(UNSET, i64::from));
            }
            Body::Held(held) => {
                self.some_text("HoldReason", both_ends(held.reason));
                self.int_value("HoldReasonCode", held.code.unwrap_or(0));
                self.int_value("HoldReasonSubCode", held.subcode.unwrap_or(0));
            }
            Body::Released(released) => self.some_text("Reason", both_ends(released.reason)),
            Body::NodeExecute(node) => {
                self.execute(node.execute, source);
                self.int_value("Node", node.node.map_or(UNSET, i64::from));
            }
            Body::NodeTerminated(node) => {
                self.terminated(node.terminated, true);
                self.some_count("Node", node.node);
            }
            Body::PostScriptTerminated(script) => {
                self.ending(script.return_value, script.signal);
                self.some_text("DAGNodeName", both_ends(script.dag_node));
            }
            Body::RemoteError(error) => {
                self.some_text("Daemon", error.daemon);
                self.some_text("ExecuteHost", error.execute_host);
                self.some_text("ErrorMsg", tidy.lines(error.message));
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
                self.some_text("DisconnectReason", disconnected.reason);
                self.described("Job disconnected, attempting to reconnect");
            }
            Body::Reconnected(reconnected) => {
                self.some_text("StartdAddr", reconnected.startd_address);
                self.some_text("StartdName", reconnected.startd_name);
                self.some_text("StarterAddr", reconnected.starter_address);
                self.described("Job reconnected");
            }
            Body::ReconnectFailed(failed) => {
                self.some_text("StartdName", failed.startd_name);
                self.some_text("Reason", failed.reason);
                self.described("Job reconnect impossible: rescheduling job");
            }
            Body::GridResourceUp(grid) | Body::GridResourceDown(grid) => {
                self.some_text("GridResource", grid.resource);
            }
            Body::GridSubmit(grid) => {
                self.some_text("GridResource", grid.resource);
                self.some_text("GridJobId", grid.job_id);
            }
            Body::JobAdInformation(information) => match source {
                None => self.expressions(information.attributes, false),
                Some(ad) => self.merge_ad(ad, &[]),
            },
            Body::AttributeUpdate(update) => {
                self.push("Attribute", AdValue::String(update.name));
                self.push("Value", AdValue::String(update.value));
            }
            Body::PreSkip(skip) => {
                self.some_text("SkipEventLogNotes", tidy.both_ends(skip.notes));
            }
            Body::ClusterSubmit(submit) => {
                self.some_text("SubmitHost", submit.submit_host);
                // HTCondor makes no attributes of the notes as text.
                self.notes(submit.log_notes, source, false);
            }
            Body::ClusterRemove(remove) => {
                self.some_text("Notes", begin(remove.notes));
                self.int_value("NextProcId", remove.materialized.unwrap_or(0));
                self.int_value("NextRow", remove.items.unwrap_or(0));
                self.int_value("Completion", completion(remove.completion.as_deref()));
            }
            Body::FactoryPaused(paused) => {
                self.some_text("Reason", begin(paused.reason));
                self.int_value("PauseCode", paused.pause_code.unwrap_or(0));
                self.int_value("HoldCode", paused.hold_code.unwrap_or(0));
            }
            Body::FactoryResumed(resumed) => self.some_text("Reason", begin(resumed.reason)),
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
            Body::FileComplete(file) => self.reuse_file(file, [true, true, false]),
            Body::FileUsed(file) => self.reuse_file(file, [false, false, true]),
            Body::FileRemoved(file) => self.reuse_file(file, [true, false, true]),
            Body::DataflowSkipped(skipped) => {
                self.some_text("Reason", both_ends(skipped.reason));
            }
            Body::CommonFiles(files) => self.push("Type", AdValue::String(files.step)),
            Body::ExecutionPoint(point) => {
                match source {
                    None => self.expressions(point.attributes, true),
                    Some(ad) => {
                        let known = ["SlotId", "DSlotId", "EventHead", "EventPayloadLines"];
                        self.merge_ad(ad, &known);
                    }
                }
                self.insert("EventHead", AdValue::String(point.head));
            }
            Body::Future(future) => self.future(future),
            Body::Unsuspended | Body::JobStatusUnknown | Body::JobStatusKnown => {}
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
