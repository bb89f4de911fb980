//! Values of JobStatus.

use classads::ClassAd;

pub(crate) const IDLE: i64 = 1;
pub(crate) const RUNNING: i64 = 2;
pub(crate) const REMOVED: i64 = 3;
pub(crate) const COMPLETED: i64 = 4;
pub(crate) const HELD: i64 = 5;
pub(crate) const TRANSFERRING_OUTPUT: i64 = 6;
pub(crate) const SUSPENDED: i64 = 7;

/// JobStatus in a word.
pub(crate) fn word(ad: &ClassAd) -> &'static str {
    match ad.integer("JobStatus") {
        Some(IDLE) => "idle",
        Some(RUNNING) => "running",
        Some(REMOVED) => "removed",
        Some(COMPLETED) => "completed",
        Some(HELD) => "held",
        Some(TRANSFERRING_OUTPUT) => "transferring output",
        Some(SUSPENDED) => "suspended",
        _ => "in an unknown state",
    }
}
