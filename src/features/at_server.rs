//! What jobs met at one file server.

use super::around::{Coded, GroupSeries, Plain};
use super::neighbourhood::{not_spared, without};
use super::series::Both;

/// The job of no number: every job is counted.
const NOBODY: u32 = u32::MAX;

/// What all jobs met at the file server of a hold, the held one among them; of holds those for the
/// same code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtServer<'a> {
    pub(super) series: Both<'a, GroupSeries>,
    /// What is counted there although it is about another file.
    pub(super) spared: Both<'a, GroupSeries>,
    pub(super) code: i32,
    pub(super) instant: i64,
}

impl AtServer<'_> {
    /// When the first hold began, Unix seconds.
    pub(crate) fn first_held(&self) -> Option<i64> {
        let first = |of: Both<'_, GroupSeries>, from| {
            of.coded(Coded::Held, self.code).first(from, self.instant, NOBODY)
        };
        let is_spared = |at: i64| first(self.spared, at.saturating_sub(1)) == Some(at);
        not_spared(first(self.series, i64::MIN), is_spared, |at| first(self.series, at))
    }

    /// How many holds there were.
    pub(crate) fn holds(&self) -> usize {
        let count = |of: Both<'_, GroupSeries>| {
            of.coded(Coded::Held, self.code).count(i64::MIN, self.instant, NOBODY)
        };
        count(self.series).saturating_sub(count(self.spared))
    }

    /// The jobs with a hold after `from` and not after `to`.
    pub(crate) fn held(&self, from: i64, to: i64) -> impl Iterator<Item = u32> {
        let jobs = |of: Both<'_, GroupSeries>| {
            of.coded(Coded::Held, self.code)
                .jobs(from, to.min(self.instant), NOBODY)
                .collect::<Vec<_>>()
        };
        without(jobs(self.series).into_iter(), jobs(self.spared).into_iter())
    }

    /// When a job with input from there last began to execute, not after `to`.
    pub(crate) fn last_started(&self, to: i64) -> Option<i64> {
        self.series.plain(Plain::Started).last(to.min(self.instant), NOBODY)
    }
}
