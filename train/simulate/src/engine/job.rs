//! The state of a job in the queue.

use eventlog::FileTransferKind as Kind;

use crate::cause::{Cause, Symptom};
use crate::life::{Edits, Run, Traits};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Status {
    #[default]
    Idle,
    Running,
    Held,
    Completed,
    Removed,
}

/// What happens in a run, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    Transfer(Kind),
    Execute,
    Size(i64),
    Disconnected,
    Reconnected,
    End,
}

/// A run under way.
#[derive(Clone, Debug)]
pub(crate) struct Underway {
    pub(crate) run: Run,
    pub(crate) moments: Vec<(i64, Moment)>,
    pub(crate) next: usize,
}

impl Underway {
    pub(crate) fn of(run: Run) -> Self {
        let mut moments = Vec::with_capacity(12);
        if let Some([queued, started, finished]) = run.input {
            // Most transfers need not wait.
            if started > queued {
                moments.push((queued, Moment::Transfer(Kind::InputQueued)));
            }
            moments.push((started, Moment::Transfer(Kind::InputStarted)));
            moments.push((finished, Moment::Transfer(Kind::InputFinished)));
        }
        moments.extend(run.execute.map(|time| (time, Moment::Execute)));
        moments.extend(run.sizes.iter().flatten().map(|&(time, size)| (time, Moment::Size(size))));
        if let Some((lost, back)) = run.lost {
            moments.push((lost, Moment::Disconnected));
            moments.extend(back.map(|time| (time, Moment::Reconnected)));
        }
        if let Some([started, finished]) = run.output {
            moments.push((started, Moment::Transfer(Kind::OutputStarted)));
            moments.push((finished, Moment::Transfer(Kind::OutputFinished)));
        }
        // Stable: moments of one second stay in the order of a run.
        moments.sort_by_key(|(time, _)| *time);
        let last = moments.last().map_or(run.end, |(time, _)| run.end.max(*time));
        moments.push((last, Moment::End));
        Self { run, moments, next: 0 }
    }
}

/// The hold a job is in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HoldNow {
    pub(crate) cause: Cause,
    pub(crate) symptom: Symptom,
    pub(crate) code: i32,
    pub(crate) subcode: i32,
    /// Index of its record.
    pub(crate) record: usize,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Job {
    pub(crate) cluster: usize,
    pub(crate) proc: i32,
    pub(crate) traits: Traits,
    pub(crate) edits: Edits,
    pub(crate) status: Status,
    /// Counts up whenever what was planned for the job no longer holds.
    pub(crate) generation: u32,
    pub(crate) underway: Option<Box<Underway>>,
    pub(crate) hold: Option<HoldNow>,
    /// The record of the hold it was last released from, while its outcome is open.
    pub(crate) open_record: Option<usize>,
    /// EnteredCurrentStatus.
    pub(crate) entered: i64,
    /// When its run will have succeeded, once that is planned.
    pub(crate) done_at: Option<i64>,
    pub(crate) num_holds: i64,
    pub(crate) num_shadow_starts: i64,
    pub(crate) num_job_starts: i64,
    pub(crate) memory_usage: i64,
    pub(crate) disk_usage: i64,
    /// Seconds of execution, all runs.
    pub(crate) cpu: i64,
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_received: u64,
    pub(crate) last_site: Option<usize>,
    /// Slot of the run before.
    pub(crate) last_slot: Option<String>,
    /// The hold it was last released from.
    pub(crate) last_hold: Option<HoldNow>,
    /// How often it was released as it is by a person.
    pub(crate) tries: u32,
}
