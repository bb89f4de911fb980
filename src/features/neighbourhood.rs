//! The numbers about the other jobs of one scope, for people: the statics hold the same as logarithms.

use std::collections::HashMap;

use super::Scope;
use super::around::GroupSeries;
use super::series::{Results, Series};

/// What one scope's jobs, but for the held one, did and do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbourhood {
    /// What they have in common with the held job.
    pub scope: Scope,
    /// The name of that: the file server, the file, the site, the owner. `None` where others do not mention it.
    pub name: Option<String>,
    /// How many began to execute since the job went on hold: their input had arrived.
    pub started_since: usize,
    /// How many exited with code 0 since then.
    pub succeeded_since: usize,
    /// How many went on hold for the same code since then.
    pub held_same_code_since: usize,
    /// How many are held for the same code now.
    pub held_now_same_code: usize,
    /// When the last one began to execute, Unix seconds.
    pub last_started: Option<i64>,
    /// When the last one went on hold for the same code, Unix seconds.
    pub last_held_same_code: Option<i64>,
    /// When the first one began to execute since the job went on hold, Unix seconds.
    pub first_started_since: Option<i64>,
    /// How many went on hold for the same code after that.
    pub held_after_start: usize,
    /// When the last release from the same code and subcode ended, Unix seconds, and whether in success.
    pub last_release: Option<(i64, bool)>,
    /// Successes and failures, known since the job went on hold, of releases from the same code and subcode.
    pub released_since: (usize, usize),
    /// The last such release to come to an outcome did so since the job went on hold, and succeeded.
    pub got_through: bool,
    /// When the first outcome of a release from the same code and subcode was known, before this hold or since; Unix seconds.
    pub first_outcome: Option<i64>,
    as_is: (usize, usize),
    changed: (usize, usize),
}

/// The hold asked about, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) code: i32,
    pub(crate) subcode: i32,
    pub(crate) held_at: i64,
    pub(crate) instant: i64,
    pub(crate) job: u32,
}

impl Neighbourhood {
    /// Successes and failures of earlier releases from the same code and subcode as they were, or with nothing known of
    /// an edit.
    pub fn as_is(&self) -> (usize, usize) {
        self.as_is
    }

    /// Successes and failures of earlier releases from the same code and subcode after an edit.
    pub fn changed(&self) -> (usize, usize) {
        self.changed
    }

    pub(crate) fn of(
        scope: Scope,
        name: Option<String>,
        series: Option<&GroupSeries>,
        window: &Window,
    ) -> Self {
        let empty = GroupSeries::default();
        let group = series.unwrap_or(&empty);
        let Window { code, subcode, held_at, instant, job } = *window;
        let since = |series: &Series| series.count(held_at, instant, job);
        let held = group.held_code.get(&code);
        let all = |series: Option<&Series>| {
            series.map_or(0, |series| series.count(i64::MIN, instant, job))
        };
        let results = |results: &HashMap<(i32, i32), Results>, from: i64| {
            let results = results.get(&(code, subcode));
            results.map_or((0, 0), |results| results.count(from, instant, job))
        };
        let first = |results: &HashMap<(i32, i32), Results>| {
            results.get(&(code, subcode)).and_then(|results| results.first(instant, job))
        };
        let last = group.released.get(&(code, subcode)).and_then(|of| of.last(instant, job));
        let first_started_since = group.started.first(held_at, instant, job);
        let held_after = |from| held.map_or(0, |held| held.count(from, instant, job));
        Self {
            scope,
            name,
            first_started_since,
            held_after_start: first_started_since.map_or(0, held_after),
            last_release: last,
            got_through: last.is_some_and(|(at, success)| success && at > held_at),
            first_outcome: first(&group.as_is).into_iter().chain(first(&group.changed)).min(),
            started_since: since(&group.started),
            succeeded_since: since(&group.succeeded),
            held_same_code_since: held.map_or(0, since),
            held_now_same_code: all(held).saturating_sub(all(group.left_code.get(&code))),
            last_started: group.started.last(instant, job),
            last_held_same_code: held.and_then(|series| series.last(instant, job)),
            released_since: results(&group.released, held_at),
            as_is: results(&group.as_is, i64::MIN),
            changed: results(&group.changed, i64::MIN),
        }
    }
}
