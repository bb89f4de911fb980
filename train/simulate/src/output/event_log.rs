//! `EVENT_LOG` of the access point: every event of every job, each followed by event 028 where
//! configured.

use std::path::{Path, PathBuf};

use eventlog::{Body, DateForm, EventHeader, EventKind, EventTime, JobId, write_event, write_text};
use jiff::tz::TimeZone;

use super::ad::Ad;
use super::place::OutFile;
use crate::SimulateError;
use crate::error::Result;

/// What event 028 says of a job (`EVENT_LOG_JOB_AD_INFORMATION_ATTRS`).
#[derive(Clone, Debug, Default)]
pub(crate) struct Information<'a> {
    pub(crate) owner: &'a str,
    pub(crate) request_memory: i64,
    pub(crate) request_disk: i64,
    pub(crate) memory_provisioned: Option<i64>,
    pub(crate) site: Option<&'a str>,
}

/// The log, with its rotations.
pub(crate) struct EventLog {
    out: OutFile,
    date: DateForm,
    information: bool,
    /// Bytes after which the log is rotated; 0: never.
    largest: u64,
    most_rotations: u32,
    written: u64,
    sequence: u32,
    buffer: Vec<u8>,
    lines: String,
    last: i64,
}

impl EventLog {
    pub(crate) fn create(
        path: PathBuf,
        information: bool,
        (largest, most_rotations): (u64, u32),
        start: i64,
    ) -> Result<Self> {
        let out = OutFile::create(path)?;
        let date = DateForm { utc: true, ..DateForm::iso(TimeZone::UTC) };
        let mut log = Self {
            out,
            date,
            information,
            largest,
            most_rotations,
            written: 0,
            sequence: 0,
            buffer: Vec::new(),
            lines: String::new(),
            last: start,
        };
        log.head()?;
        Ok(log)
    }

    /// Writes an event, and 028 behind it. Times must not go back.
    pub(crate) fn write(
        &mut self,
        job: JobId,
        time: i64,
        body: &Body<'_>,
        information: Option<&Information<'_>>,
    ) -> Result<()> {
        debug_assert!(time >= self.last, "{time} after {}", self.last);
        self.last = time;
        self.rotate()?;
        self.buffer.clear();
        let time = EventTime { seconds: time, microseconds: 0 };
        let header = EventHeader { job, subproc: 0, time, date: &self.date };
        let written = write_event(&mut self.buffer, &header, body);
        written.map_err(|source| self.out.failed(source))?;
        if let Some(information) = information.filter(|_| self.information) {
            information_lines(&mut self.lines, job, body, information);
            let title = b"Job ad information event triggered.";
            let written = write_text(&mut self.buffer, &header, 28, title, self.lines.as_bytes());
            written.map_err(|source| self.out.failed(source))?;
        }
        self.flush_buffer()
    }

    /// What was written so far can be read.
    pub(crate) fn flush(&mut self) -> Result<()> {
        self.out.flush()
    }

    /// Ends the log.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.out.flush()
    }

    fn flush_buffer(&mut self) -> Result<()> {
        self.written += self.buffer.len() as u64;
        self.out.write(&self.buffer)
    }

    /// The first event of each file, as `src/condor_utils/user_log_header.cpp` writes it.
    fn head(&mut self) -> Result<()> {
        self.sequence += 1;
        let time = EventTime { seconds: self.last, microseconds: 0 };
        let header = EventHeader { job: JobId::new(-1, -1), subproc: -1, time, date: &self.date };
        let sequence = self.sequence;
        let text = format!(
            "Global JobLog: ctime={time} id=0.1.{time}.0.{sequence}.{time}.0 sequence={sequence} size=0 events=0 offset=0 event_off=0 max_rotation={most} creator_name=<>",
            time = self.last,
            most = self.most_rotations,
        );
        self.buffer.clear();
        let written = write_event(&mut self.buffer, &header, &Body::Generic(text.into()));
        written.map_err(|source| self.out.failed(source))?;
        self.flush_buffer()
    }

    /// Moves a full log to `.1`, `.2`, ..., the oldest with the highest number.
    fn rotate(&mut self) -> Result<()> {
        if self.largest == 0 || self.written < self.largest {
            return Ok(());
        }
        self.out.flush()?;
        let path = self.out.path.clone();
        let name = |number: u32| {
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        };
        let moved = |from: &Path, to: &Path| {
            std::fs::rename(from, to)
                .map_err(|source| SimulateError::Write { path: to.to_owned(), source })
        };
        for number in (1..self.most_rotations).rev() {
            if name(number).exists() {
                moved(&name(number), &name(number + 1))?;
            }
        }
        moved(&path, &name(1))?;
        self.out = OutFile::create(path)?;
        self.written = 0;
        self.head()
    }
}

/// The attributes behind an event, in the order of `WriteUserLog::writeJobAdInfoEvent`: by name.
fn information_lines(out: &mut String, job: JobId, body: &Body<'_>, information: &Information<'_>) {
    out.clear();
    let trigger = body.number();
    let (event, name) = event_names(EventKind::from_number(trigger));
    let mut ad = Ad::new(out);
    ad.integer("Cluster", job.cluster);
    ad.integer("EventTypeNumber", 28);
    if let Body::Held(held) = body {
        if let Some(reason) = &held.reason {
            ad.string("HoldReason", reason);
        }
        ad.integer("HoldReasonCode", held.code.unwrap_or(0));
        ad.integer("HoldReasonSubCode", held.subcode.unwrap_or(0));
    }
    if let Some(site) = information.site {
        ad.string("MachineAttrGLIDEIN_Site0", site);
    }
    if let Some(provisioned) = information.memory_provisioned {
        ad.integer("MemoryProvisioned", provisioned);
    }
    ad.string("MyType", event);
    ad.string("Owner", information.owner);
    ad.integer("Proc", job.proc);
    ad.integer("RequestDisk", information.request_disk);
    ad.integer("RequestMemory", information.request_memory);
    ad.integer("Subproc", 0);
    ad.string("TriggerEventTypeName", name);
    ad.integer("TriggerEventTypeNumber", trigger);
}

/// Class and name of an event (`src/condor_utils/condor_event.cpp`).
fn event_names(kind: EventKind) -> (&'static str, &'static str) {
    match kind {
        EventKind::Submit => ("SubmitEvent", "ULOG_SUBMIT"),
        EventKind::Execute => ("ExecuteEvent", "ULOG_EXECUTE"),
        EventKind::JobEvicted => ("JobEvictedEvent", "ULOG_JOB_EVICTED"),
        EventKind::JobTerminated => ("JobTerminatedEvent", "ULOG_JOB_TERMINATED"),
        EventKind::ImageSize => ("JobImageSizeEvent", "ULOG_IMAGE_SIZE"),
        EventKind::ShadowException => ("ShadowExceptionEvent", "ULOG_SHADOW_EXCEPTION"),
        EventKind::JobAborted => ("JobAbortedEvent", "ULOG_JOB_ABORTED"),
        EventKind::JobHeld => ("JobHeldEvent", "ULOG_JOB_HELD"),
        EventKind::JobReleased => ("JobReleaseEvent", "ULOG_JOB_RELEASED"),
        EventKind::RemoteError => ("RemoteErrorEvent", "ULOG_REMOTE_ERROR"),
        EventKind::JobDisconnected => ("JobDisconnectedEvent", "ULOG_JOB_DISCONNECTED"),
        EventKind::JobReconnected => ("JobReconnectedEvent", "ULOG_JOB_RECONNECTED"),
        EventKind::JobReconnectFailed => ("JobReconnectFailedEvent", "ULOG_JOB_RECONNECT_FAILED"),
        EventKind::FileTransfer => ("FileTransferEvent", "ULOG_FILE_TRANSFER"),
        _ => ("ULogEvent", "ULOG_NONE"),
    }
}
