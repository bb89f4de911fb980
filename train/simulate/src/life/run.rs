//! One run of a job, from the match to its end.

use crate::cause::{Cause, Symptom};

/// How a run ends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Ending {
    #[default]
    Success,
    Exit {
        code: i32,
        signal: Option<i32>,
    },
    Held(Cause, Symptom),
    /// Preempted: event 004.
    Evicted,
    /// Event 007.
    ShadowException {
        /// The starter's fault, not the network's.
        starter: bool,
    },
    /// Events 022 and 024.
    ReconnectFailed,
}

/// One run: where, when, how it ends. Times are Unix seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Run {
    pub(crate) site: usize,
    pub(crate) host: usize,
    pub(crate) slot: usize,
    /// The shadow starts.
    pub(crate) start: i64,
    /// Input queued, started, finished.
    pub(crate) input: Option<[i64; 3]>,
    pub(crate) execute: Option<i64>,
    /// Memory as event 006 tells it, MiB.
    pub(crate) sizes: [Option<(i64, i64)>; 3],
    /// Contact lost, and found again.
    pub(crate) lost: Option<(i64, Option<i64>)>,
    pub(crate) output: Option<[i64; 2]>,
    pub(crate) end: i64,
    pub(crate) ending: Ending,
    pub(crate) memory_mb: i64,
    pub(crate) memory_provisioned: i64,
    pub(crate) disk_kb: i64,
    pub(crate) disk_provisioned: i64,
}
