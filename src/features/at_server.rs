//! What jobs met at one file server.

use super::around::GroupSeries;
use super::series::Both;

/// The job of no number: every job is counted.
const NOBODY: u32 = u32::MAX;

/// What all jobs met at the file server of a hold, the held one among them; of holds those for the
/// same code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtServer<'a> {
    pub(super) series: Both<'a, GroupSeries>,
    pub(super) code: i32,
    pub(super) instant: i64,
}

impl AtServer<'_> {
    /// When the first hold began, Unix seconds.
    pub(crate) fn first_held(&self) -> Option<i64> {
        self.series.held_code(self.code).first(i64::MIN, self.instant, NOBODY)
    }

    /// How many holds there were.
    pub(crate) fn holds(&self) -> usize {
        self.series.held_code(self.code).count(i64::MIN, self.instant, NOBODY)
    }

    /// The jobs with a hold after `from` and not after `to`.
    pub(crate) fn held(&self, from: i64, to: i64) -> impl Iterator<Item = u32> {
        self.series.held_code(self.code).jobs(from, to.min(self.instant), NOBODY)
    }

    /// When a job with input from there last began to execute, not after `to`.
    pub(crate) fn last_started(&self, to: i64) -> Option<i64> {
        self.series.started().last(to.min(self.instant), NOBODY)
    }
}
