//! `EventLog` and `Event`.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use eventlog::{
    EventAd, EventKind, EventLogError, EventTime, Follower, JobId, LogReader, LogSet, ReadOptions,
};
use jiff::tz::TimeZone;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMappingProxy};

use crate::errors::{input_error, raised};
use crate::sources::{Batches, Damage, Damaged, Item, Reading};
use crate::values::{event_ad, moment, time_zone};

/// How long is waited between two looks at a log that grows.
const PAUSE: Duration = Duration::from_millis(200);

/// What an event has, read and not borrowed.
#[derive(PartialEq)]
pub(crate) struct Owned {
    number: u16,
    job: JobId,
    subproc: i32,
    time: EventTime,
    offset: u64,
    ad: EventAd<'static>,
}

/// An event of a job event log.
#[pyclass(frozen, eq, module = "holdadvise")]
#[derive(PartialEq)]
pub(crate) struct Event(Owned);

#[pymethods]
impl Event {
    /// The number of the kind, as in the log.
    #[getter]
    fn number(&self) -> u16 {
        self.0.number
    }

    /// The kind, as HTCondor's Python module names it; `UNKNOWN` for others.
    #[getter]
    fn name(&self) -> String {
        match EventKind::from_number(self.0.number) {
            EventKind::Unknown(_) => "UNKNOWN".to_owned(),
            kind => upper_case(&format!("{kind:?}")),
        }
    }

    #[getter]
    fn cluster(&self) -> i32 {
        self.0.job.cluster
    }

    #[getter]
    fn proc(&self) -> i32 {
        self.0.job.proc
    }

    #[getter]
    fn subproc(&self) -> i32 {
        self.0.subproc
    }

    /// In UTC.
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let EventTime { seconds, microseconds } = self.0.time;
        let time = moment(py, seconds, microseconds, 0)?;
        time.ok_or_else(|| input_error(&format!("no year of Python's has the second {seconds}")))
    }

    /// Unix seconds.
    #[getter]
    fn timestamp(&self) -> i64 {
        self.0.time.seconds
    }

    /// The byte of the file that the event begins at.
    #[getter]
    fn offset(&self) -> u64 {
        self.0.offset
    }

    /// Read-only.
    #[getter]
    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyMappingProxy>> {
        let dict: Bound<'py, PyDict> = event_ad(py, &self.0.ad)?;
        Ok(PyMappingProxy::new(py, dict.as_mapping()))
    }

    fn __hash__(&self) -> u64 {
        let Owned { number, job, subproc, time, offset, .. } = &self.0;
        let mut hasher = DefaultHasher::new();
        (number, job, subproc, time.seconds, offset).hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let Owned { number, job, time, .. } = &self.0;
        format!("<Event {number:03} {} of job {job} at {}>", self.name(), time.seconds)
    }
}

/// `JobHeld` is `JOB_HELD`.
fn upper_case(name: &str) -> String {
    let mut out = String::new();
    for sign in name.chars() {
        if sign.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(sign.to_ascii_uppercase());
    }
    out
}

enum Log {
    File(Box<LogReader<File>>, PathBuf),
    Series(Box<LogSet>),
    Growing(Box<Follower>),
}

fn open(
    path: PathBuf,
    options: &ReadOptions,
    rotated: bool,
    is_whole: bool,
) -> Result<Log, EventLogError> {
    Ok(match (is_whole, rotated) {
        (false, _) => Log::Growing(Box::new(eventlog::follow(path, options, None)?)),
        (true, true) => Log::Series(Box::new(eventlog::open_series(path, options)?)),
        (true, false) => Log::File(Box::new(eventlog::open(&path, options)?), path),
    })
}

pub(crate) struct Events {
    log: Log,
    zone: TimeZone,
}

impl Reading for Events {
    type Item = Owned;

    fn read(&mut self) -> Option<(Item<Owned>, usize)> {
        let zone = &self.zone;
        let (path, event) = match &mut self.log {
            Log::File(log, path) => (path.as_path(), log.next_event()?),
            Log::Series(log) => match log.next_event() {
                Some(next) => next,
                // What was not read is said at the end.
                None => return log.unread.pop().map(|error| (Item::Failed(Box::new(error)), 0)),
            },
            Log::Growing(log) => log.next_event()?,
        };
        Some(match event {
            Ok(event) => {
                let size = event.title().len() + event.lines().len();
                let ad = event.to_ad(zone).into_owned();
                let eventlog::Event { number, job, subproc, time, offset, .. } = event;
                (Item::Good(Owned { number, job, subproc, time, offset, ad }), size)
            }
            Err(damaged) if damaged.is_io() => {
                let text = format!("{}: {damaged}", path.display());
                (Item::Failed(Box::new(io::Error::other(text))), 0)
            }
            Err(damaged) => (Item::Damage(Damage::of_log(path, &damaged)), 0),
        })
    }
}

/// The events of a job event log, in their order.
#[pyclass(frozen, module = "holdadvise")]
pub(crate) struct EventLog {
    events: Batches<Events>,
    /// How long events that are not written yet are waited for; `None`: for ever.
    stop_after: Option<Duration>,
}

#[pymethods]
impl EventLog {
    #[new]
    #[pyo3(signature = (
        path, /, *, damaged="raise", stop_after=Some(0.0), rotated=false, time_zone=None
    ), text_signature = "(path, /, *, damaged='raise', stop_after=0.0, rotated=False, time_zone=None)")]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        damaged: &str,
        stop_after: Option<f64>,
        rotated: bool,
        time_zone: Option<&str>,
    ) -> PyResult<Self> {
        let damaged = Damaged::of(damaged)?;
        let seconds = |seconds: f64| {
            Duration::try_from_secs_f64(seconds)
                .map_err(|_| input_error(&format!("stop_after: {seconds} is no number of seconds")))
        };
        let stop_after = stop_after.map(seconds).transpose()?;
        let zone = self::time_zone(time_zone)?;
        let options = ReadOptions::in_zone(zone.clone());
        let log = py.detach(|| open(path, &options, rotated, stop_after == Some(Duration::ZERO)));
        let events = Events { log: log.map_err(|error| raised(&error))?, zone };
        Ok(Self { events: Batches::new(events, damaged), stop_after })
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let started = Instant::now();
        loop {
            let event = |event| Ok(Bound::new(py, Event(event))?.into_any());
            if let Some(event) = self.events.next(py, event)? {
                return Ok(Some(event));
            }
            let left = self.stop_after.map(|most| most.saturating_sub(started.elapsed()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(None);
            }
            py.check_signals()?;
            py.detach(|| std::thread::sleep(left.unwrap_or(PAUSE).min(PAUSE)));
        }
    }
}
