//! The DAGMan job that a DAG was last given to.

use std::fs::File;
use std::path::Path;

use eventlog::{Body, EventKind, EventLogError, LogReader, ReadOptions, input};
use schemars::JsonSchema;
use serde::Serialize;

/// Bytes of `FILE.dagman.log` that are read, the newest. Assumed: a DAGMan job has a few events.
const LONGEST: u64 = 16 << 20;

/// The DAGMan job that a DAG was last given to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Manager {
    /// Its cluster.
    pub cluster: i32,
    /// How far it is.
    pub state: ManagerState,
}

/// How far a DAGMan job is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "Kind", rename_all_fields = "PascalCase")]
pub enum ManagerState {
    /// It waits to start.
    Idle,
    /// It runs.
    Running,
    /// It is on hold.
    Held {
        /// HoldReason; empty: none is known.
        reason: String,
    },
    /// It left the queue.
    Ended {
        /// `None`: it was ended by a signal.
        exit_code: Option<i32>,
    },
    /// It was removed from the queue.
    Removed,
}

impl Manager {
    /// The manager of a DAG file by `FILE.dagman.log` until `now`, Unix seconds; `None` where that
    /// cannot be read.
    pub(super) fn of(dag: &Path, now: i64) -> Option<Self> {
        let mut log = dag.as_os_str().to_owned();
        log.push(".dagman.log");
        let options = ReadOptions::default().newest(LONGEST);
        let mut log = open_log(Path::new(&log), &options).ok()?;
        let mut last: Option<Self> = None;
        while let Some(event) = log.next_event() {
            let Ok(event) = event else { continue };
            if event.time.seconds > now {
                continue;
            }
            let cluster = event.job.cluster;
            let state = match (event.kind(), event.body()) {
                (EventKind::Submit, _) => {
                    last = Some(Self { cluster, state: ManagerState::Idle });
                    continue;
                }
                (EventKind::Execute, _) => ManagerState::Running,
                (_, Body::Held(hold)) => {
                    ManagerState::Held { reason: hold.reason.unwrap_or_default().into_owned() }
                }
                (
                    EventKind::JobReleased | EventKind::JobEvicted | EventKind::ShadowException,
                    _,
                ) => ManagerState::Idle,
                (_, Body::Terminated(ended)) => {
                    ManagerState::Ended { exit_code: ended.return_value }
                }
                (EventKind::JobAborted, _) => ManagerState::Removed,
                _ => continue,
            };
            if let Some(manager) = last.as_mut().filter(|last| last.cluster == cluster) {
                manager.state = state;
            }
        }
        last
    }

    /// It left the queue.
    pub fn has_ended(&self) -> bool {
        matches!(self.state, ManagerState::Ended { .. } | ManagerState::Removed)
    }
}

/// Opens a log that is a regular file: nobody waits for a pipe that a user put in its place.
pub(super) fn open_log(
    path: &Path,
    options: &ReadOptions,
) -> Result<LogReader<File>, EventLogError> {
    input::open_regular(path)
        .map_err(|source| EventLogError::Io { path: path.to_owned(), source })?;
    eventlog::open(path, options)
}
