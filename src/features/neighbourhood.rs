//! The numbers about the other jobs of one scope, for people: the statics hold the same as
//! logarithms.

use std::collections::HashMap;

use super::Scope;
use super::around::{Came, Coded, GroupSeries, Plain};
use super::series::{Both, Results, Series};
use crate::history::Symbol;

/// Holds that are spared, passed over one by one. Assumed: nobody has more but to be in the way.
const MOST_SPARED: usize = 1_000;

/// What one scope's jobs, but for the held one, did and do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbourhood {
    /// What they have in common with the held job.
    pub scope: Scope,
    /// The name of that: the file server, the file, the site, the owner. `None` where others do not
    /// mention it.
    pub name: Option<String>,
    /// How many began to execute since the job went on hold: their input had arrived.
    pub started_since: usize,
    /// How many voices stand behind these: each start of a job of the same owner is one, and each
    /// other owner has four at most, however many jobs of it began; all jobs whose owner is not
    /// known are one together. Counted for file servers, files and hold reasons; 0 in other scopes.
    pub voices_started_since: usize,
    /// Who vouches with these that a file or server is in order. Known likewise.
    pub vouched_since: Vouched,
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
    /// How many voices stand behind these, counted as [`Self::voices_started_since`].
    pub voices_held_after_start: usize,
    /// When the last release from the same code and subcode ended, Unix seconds, and whether in
    /// success.
    pub last_release: Option<(i64, bool)>,
    /// Successes and failures, known since the job went on hold, of releases from the same code and
    /// subcode.
    pub released_since: (usize, usize),
    /// How many voices stand behind these successes and failures, counted likewise.
    pub voices_released_since: (usize, usize),
    /// Such releases got through since the job went on hold: the last one whose outcome is known
    /// succeeded, or those that failed have less than half as many voices.
    pub got_through: bool,
    /// When the first outcome of a release from the same code and subcode was known, before this
    /// hold or since; Unix seconds.
    pub first_outcome: Option<i64>,
    /// Outcomes of such releases are known of which an edit may still become known.
    pub outcomes_pending: bool,
    as_is: (usize, usize),
    changed: (usize, usize),
}

/// What the columns of one scope and [`Neighbourhood`] have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Others<'a> {
    /// The held job has a name in this scope. That others have it too is another matter.
    pub(crate) known: bool,
    /// Something has happened to another job: a scope without other jobs says nothing, and not that
    /// none of them got through.
    pub(crate) any: bool,
    pub(crate) series: Both<'a, GroupSeries>,
    pub(crate) held_code: Both<'a, Series>,
    released: Both<'a, Results>,
    pub(crate) window: Window,
    pub(crate) started_since: usize,
    pub(crate) succeeded_since: usize,
    pub(crate) held_same_code_since: usize,
    pub(crate) held_now_same_code: usize,
    pub(crate) last_started: Option<i64>,
    pub(crate) last_held_same_code: Option<i64>,
    /// When the last release from the same code and subcode ended, and whether in success.
    pub(crate) last_release: Option<(i64, bool)>,
    /// Successes and failures of such releases that were known since the hold.
    pub(crate) released_since: (usize, usize),
    /// Of all such releases as they were, or with nothing known of an edit.
    pub(crate) as_is: (usize, usize),
    /// Of all such releases after an edit.
    pub(crate) changed: (usize, usize),
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

/// Who vouches with jobs that began to execute that their input was there, the least first.
///
/// An ad may name any file, and a plug-in of the job's own fetches what it likes: the jobs of one
/// other owner alone show nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Vouched {
    /// Nobody.
    #[default]
    Nobody,
    /// One other owner; all owners that are not known may be one.
    OneOther,
    /// At least two other owners.
    Others,
    /// The owner of the held job.
    Own,
}

impl Vouched {
    /// Of the jobs that began.
    pub(crate) fn by<T>(jobs: impl Iterator<Item = T>, voice: impl Fn(T) -> Voice) -> Self {
        let (mut vouched, mut first) = (Self::Nobody, None);
        for job in jobs {
            let Voice::Other(owner) = voice(job) else { return Self::Own };
            let is_second = owner.is_some() && first.is_some() && owner != first;
            vouched = vouched.max(if is_second { Self::Others } else { Self::OneOther });
            first = first.or(owner);
        }
        vouched
    }
}

/// The voices of one other owner at most: so many jobs that got through make a release likely,
/// whatever the model says.
const OF_ONE_OWNER: usize = 4;

/// How many voices stand behind what happened to these jobs: the owner's own jobs, and of every
/// other owner a few.
pub(crate) fn voices<T>(jobs: impl Iterator<Item = T>, voice: impl Fn(T) -> Voice) -> usize {
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

/// Jobs of `all` without those of `spared`, each as often as it is there.
pub(super) fn without(
    all: impl Iterator<Item = u32>,
    spared: impl Iterator<Item = u32>,
) -> impl Iterator<Item = u32> {
    let mut left: HashMap<u32, usize> = HashMap::new();
    spared.for_each(|job| *left.entry(job).or_default() += 1);
    all.filter(move |job| match left.get_mut(job).filter(|left| **left > 0) {
        Some(left) => {
            *left -= 1;
            false
        }
        None => true,
    })
}

/// The first of these times, each `next` to the one before, that is not spared.
pub(super) fn not_spared(
    mut time: Option<i64>,
    is_spared: impl Fn(i64) -> bool,
    next: impl Fn(i64) -> Option<i64>,
) -> Option<i64> {
    for _ in 0..MOST_SPARED {
        let Some(at) = time.filter(|at| is_spared(*at)) else { break };
        time = next(at);
    }
    time
}

/// Voices of those that got through outweigh those that failed: a run that was on its way before may
/// still fail after the first has got through.
pub(crate) fn outweighs((through, failed): (usize, usize)) -> bool {
    through > 2 * failed
}

impl Neighbourhood {
    /// Successes and failures of earlier releases from the same code and subcode as they were, or
    /// with nothing known of an edit.
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
        others: &Others<'_>,
        spared: &Others<'_>,
        voice: impl Fn(u32) -> Voice,
    ) -> Self {
        let Others { series, released, .. } = *others;
        let Window { held_at, instant, job, .. } = others.window;
        let key = others.window.key();
        let first = |results: Both<'_, Results>| results.first(instant, job);
        let first_started_since = series.plain(Plain::Started).first(held_at, instant, job);
        let total = |(successes, failures): (usize, usize)| successes + failures;
        let pair = |of: fn(&Others<'_>) -> (usize, usize)| {
            let (all, spared) = (of(others), of(spared));
            (all.0.saturating_sub(spared.0), all.1.saturating_sub(spared.1))
        };
        let number = |of: &dyn Fn(&Others<'_>) -> usize| of(others).saturating_sub(of(spared));
        let all_released = pair(|of| of.released.count(i64::MIN, of.window.instant, of.window.job));
        let (as_is, changed) = (pair(|of| of.as_is), pair(|of| of.changed));
        let last_release =
            others.last_release.filter(|last| spared.last_release.as_ref() != Some(last));
        // Whole access points and sites have many starts, and nobody asks for their voices.
        let has_voices = matches!(scope, Scope::Server | Scope::File | Scope::Reason);
        let began = || series.plain(Plain::Started).jobs(held_at, instant, job);
        let held = |from| others.held_code.jobs(from, instant, job);
        let spared_holds = |from| spared.held_code.jobs(from, instant, job);
        let voices = |jobs: &mut dyn Iterator<Item = u32>,
                      spared: &mut dyn Iterator<Item = u32>| match has_voices {
            true => voices(without(jobs, spared), &voice),
            false => 0,
        };
        let ended = |success| {
            let of = |results: Both<'_, Results>| {
                results.ended(success, held_at, instant, job).collect::<Vec<_>>().into_iter()
            };
            voices(&mut of(released), &mut of(spared.released))
        };
        let voices_released_since = (ended(true), ended(false));
        Self {
            scope,
            name,
            first_started_since,
            held_after_start: first_started_since
                .map_or(0, |started| number(&|of| of.count(of.held_code, started))),
            last_release,
            got_through: last_release.is_some_and(|(at, success)| success && at > held_at)
                || outweighs(voices_released_since),
            first_outcome: first(series.results(Came::AsIs, key))
                .into_iter()
                .chain(first(series.results(Came::Changed, key)))
                .min(),
            started_since: others.started_since,
            voices_started_since: voices(&mut began(), &mut std::iter::empty()),
            voices_held_after_start: first_started_since
                .map_or(0, |started| voices(&mut held(started), &mut spared_holds(started))),
            vouched_since: match has_voices {
                true => Vouched::by(began(), &voice),
                false => Vouched::Nobody,
            },
            voices_released_since,
            succeeded_since: others.succeeded_since,
            held_same_code_since: number(&|of| of.held_same_code_since),
            held_now_same_code: number(&|of| of.held_now_same_code),
            last_started: others.last_started,
            last_held_same_code: others.last_held_but_for(spared),
            released_since: pair(|of| of.released_since),
            outcomes_pending: total(all_released) > total(as_is) + total(changed),
            as_is,
            changed,
        }
    }
}

impl Window {
    /// Code and subcode.
    fn key(&self) -> (i32, i32) {
        (self.code, self.subcode)
    }
}

impl<'a> Others<'a> {
    pub(crate) fn of(known: bool, series: Both<'a, GroupSeries>, window: Window) -> Self {
        let Window { code, held_at, instant, job, .. } = window;
        let key = window.key();
        let count = |series: Both<'_, Series>, from| series.count(from, instant, job);
        let results = |results: Both<'_, Results>, from| results.count(from, instant, job);
        let held_code = series.coded(Coded::Held, code);
        let left_code = series.coded(Coded::Left, code);
        let released = series.results(Came::Any, key);
        Self {
            known,
            any: series.plain(Plain::Any).last(instant, job).is_some(),
            series,
            held_code,
            released,
            window,
            started_since: count(series.plain(Plain::Started), held_at),
            succeeded_since: count(series.plain(Plain::Succeeded), held_at),
            held_same_code_since: count(held_code, held_at),
            held_now_same_code: count(held_code, i64::MIN)
                .saturating_sub(count(left_code, i64::MIN)),
            last_started: series.plain(Plain::Started).last(instant, job),
            last_held_same_code: held_code.last(instant, job),
            last_release: released.last(instant, job),
            released_since: results(released, held_at),
            as_is: results(series.results(Came::AsIs, key), i64::MIN),
            changed: results(series.results(Came::Changed, key), i64::MIN),
        }
    }

    /// How often it happened to them after `from`, up to the decision instant.
    pub(crate) fn count(&self, series: Both<'_, Series>, from: i64) -> usize {
        series.count(from, self.window.instant, self.window.job)
    }

    /// When it last happened to one of them.
    pub(crate) fn last(&self, series: Both<'_, Series>) -> Option<i64> {
        series.last(self.window.instant, self.window.job)
    }

    /// When one of them last went on hold for the same code, but for the holds that are spared.
    fn last_held_but_for(&self, spared: &Self) -> Option<i64> {
        let Window { job, .. } = self.window;
        let is_spared = |at: i64| spared.held_code.last(at, job) == Some(at);
        let before = |at: i64| self.held_code.last(at.saturating_sub(1), job);
        not_spared(self.last_held_same_code, is_spared, before)
    }

    /// When a release from the same code and subcode was last known to have ended in success.
    pub(crate) fn last_success(&self) -> Option<i64> {
        self.released.last_success(self.window.instant, self.window.job)
    }

    /// The last start is later than the hold and than the last hold for the same code.
    pub(crate) fn started_after_held(&self) -> bool {
        self.last_started > self.last_held_same_code.max(Some(self.window.held_at))
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

    #[test]
    fn one_other_owner_vouches_for_nothing_alone() {
        let mut symbols = Symbols::default();
        let (bob, carol) = (symbols.intern("bob"), symbols.intern("carol"));
        let by = |voices: &[Voice]| Vouched::by(voices.iter(), |voice| *voice);
        let [bob, carol, unknown] = [Some(bob), Some(carol), None].map(Voice::Other);
        assert_eq!(by(&[]), Vouched::Nobody);
        for one in [&[bob, bob][..], &[unknown, bob], &[bob, unknown, bob], &[unknown, unknown]] {
            assert_eq!(by(one), Vouched::OneOther, "{one:?}");
        }
        assert_eq!(by(&[bob, carol, bob]), Vouched::Others);
        assert_eq!(by(&[unknown, bob, carol]), Vouched::Others);
        assert_eq!(by(&[bob, Voice::Own]), Vouched::Own);
    }
}
