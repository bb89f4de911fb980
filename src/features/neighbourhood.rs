//! The numbers about the other jobs of one scope, for people: the statics hold the same as logarithms.

use std::collections::HashMap;

use super::Scope;
use super::around::GroupSeries;
use super::series::{Both, Results, Series};
use crate::history::Symbol;

/// What one scope's jobs, but for the held one, did and do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbourhood {
    /// What they have in common with the held job.
    pub scope: Scope,
    /// The name of that: the file server, the file, the site, the owner. `None` where others do not mention it.
    pub name: Option<String>,
    /// How many began to execute since the job went on hold: their input had arrived.
    pub started_since: usize,
    /// How many voices stand behind these: each start of a job of the same owner is one, and each other owner has four at most,
    /// however many jobs of it began; all jobs whose owner is not known are one together. Counted for file servers, files
    /// and hold reasons; 0 in other scopes.
    pub voices_started_since: usize,
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
    /// How many voices stand behind these successes, counted likewise.
    pub voices_released_since: usize,
    /// The last such release to come to an outcome did so since the job went on hold, and succeeded.
    pub got_through: bool,
    /// When the first outcome of a release from the same code and subcode was known, before this hold or since; Unix seconds.
    pub first_outcome: Option<i64>,
    /// Outcomes of such releases are known of which an edit may still become known.
    pub outcomes_pending: bool,
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

/// Who speaks when something happens to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Voice {
    /// The owner of the held job.
    Own,
    /// Another one; `None`: it is not known who.
    Other(Option<Symbol>),
}

/// The voices of one other owner at most: so many jobs that got through make a release likely, whatever the model says.
const OF_ONE_OWNER: usize = 4;

/// How many voices stand behind what happened to these jobs: the owner's own jobs, and of every other owner a few.
pub(crate) fn voices(jobs: impl Iterator<Item = u32>, voice: impl Fn(u32) -> Voice) -> usize {
    let mut own = 0;
    let mut others: HashMap<_, usize> = HashMap::new();
    for job in jobs {
        match voice(job) {
            Voice::Own => own += 1,
            Voice::Other(owner) => *others.entry(owner).or_default() += 1,
        }
    }
    own + others.into_values().map(|jobs| jobs.min(OF_ONE_OWNER)).sum::<usize>()
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
        group: Both<'_, GroupSeries>,
        window: &Window,
        voice: impl Fn(u32) -> Voice,
    ) -> Self {
        let Window { code, subcode, held_at, instant, job } = *window;
        let since = |series: Both<'_, Series>| series.count(held_at, instant, job);
        let key = (code, subcode);
        let held = group.held_code(code);
        let all = |series: Both<'_, Series>| series.count(i64::MIN, instant, job);
        let results = |results: Both<'_, Results>, from: i64| results.count(from, instant, job);
        let first = |results: Both<'_, Results>| results.first(instant, job);
        let last = group.released(key).last(instant, job);
        let first_started_since = group.started().first(held_at, instant, job);
        let held_after = |from| held.count(from, instant, job);
        let total = |(successes, failures): (usize, usize)| successes + failures;
        let as_is = results(group.as_is(key), i64::MIN);
        let changed = results(group.changed(key), i64::MIN);
        let released = results(group.released(key), i64::MIN);
        // Whole access points and sites have many starts, and nobody asks for their voices.
        let has_voices = matches!(scope, Scope::Server | Scope::File | Scope::Reason);
        let (voices_started_since, voices_released_since) = match has_voices {
            true => (
                voices(group.started().jobs(held_at, instant, job), &voice),
                voices(group.released(key).successes(held_at, instant, job), &voice),
            ),
            false => (0, 0),
        };
        Self {
            scope,
            name,
            first_started_since,
            held_after_start: first_started_since.map_or(0, held_after),
            last_release: last,
            got_through: last.is_some_and(|(at, success)| success && at > held_at),
            first_outcome: first(group.as_is(key))
                .into_iter()
                .chain(first(group.changed(key)))
                .min(),
            started_since: since(group.started()),
            voices_started_since,
            voices_released_since,
            succeeded_since: since(group.succeeded()),
            held_same_code_since: since(held),
            held_now_same_code: all(held).saturating_sub(all(group.left_code(code))),
            last_started: group.started().last(instant, job),
            last_held_same_code: held.last(instant, job),
            released_since: results(group.released(key), held_at),
            outcomes_pending: total(released) > total(as_is) + total(changed),
            as_is,
            changed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Symbols;

    #[test]
    fn fifty_starts_of_one_other_user_are_four_voices() {
        let mut symbols = Symbols::default();
        let (bob, carol) = (symbols.intern("bob"), symbols.intern("carol"));
        let of = |job: u32| match job {
            0..50 => Voice::Other(Some(bob)),
            50..53 => Voice::Own,
            53 => Voice::Other(Some(carol)),
            _ => Voice::Other(None),
        };
        assert_eq!(voices(0..50, of), 4);
        assert_eq!(voices(0..53, of), 7);
        assert_eq!(voices(0..54, of), 8);
        assert_eq!(voices(0..90, of), 12);
        assert_eq!(voices(0..0, of), 0);
    }
}
