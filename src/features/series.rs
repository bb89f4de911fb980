//! Instants at which something happened to the jobs of a group, counted over windows.

use rayon::prelude::*;

/// Entries of a window up to this many are looked at one by one, so that the job asked about is
/// left out exactly. In larger windows it is one of many and stays in.
const EXACT: usize = 256;

/// Entries from which on they are sorted on all cores.
const MANY: usize = 100_000;

/// There are millions, so the time is in two halves, which need no padding.
#[derive(Clone, Copy, Debug)]
struct Prompt {
    time: [u32; 2],
    job: u32,
}

impl Prompt {
    fn new(time: i64, job: u32) -> Self {
        Self { time: [(time >> 32) as u32, time as u32], job }
    }

    fn time(self) -> i64 {
        i64::from(self.time[0] as i32) << 32 | i64::from(self.time[1])
    }
}

#[derive(Clone, Copy, Debug)]
struct Late {
    time: i64,
    /// When it became known that this job belongs to the group.
    known: i64,
    job: u32,
}

/// Entries of one job in a row that are passed over one by one.
const FEW: usize = 64;

/// For each entry of a list how many are before it up to the last of another job: a job that is
/// held many times is passed over at once. Empty where no job stands more than a few times in a
/// row.
#[derive(Clone, Debug, Default)]
struct Others(Vec<u32>);

impl Others {
    fn of(jobs: impl Iterator<Item = u32> + Clone) -> Self {
        let (mut last, mut times) = (None, 0);
        let is_long = jobs.clone().any(|job| {
            times = if last == Some(job) { times + 1 } else { 1 };
            last = Some(job);
            times > FEW
        });
        if !is_long {
            return Self::default();
        }
        let mut before = Vec::new();
        let (mut last, mut end_of_others) = (None, 0);
        for (at, job) in (0_u32..).zip(jobs) {
            if last != Some(job) {
                end_of_others = at;
            }
            last = Some(job);
            before.push(end_of_others);
        }
        Self(before)
    }

    /// Positions before `end` of entries of jobs other than `job`, the last first.
    fn before<'a>(
        &'a self,
        end: usize,
        job: u32,
        job_at: impl Fn(usize) -> u32 + 'a,
    ) -> impl Iterator<Item = usize> + 'a {
        let mut end = end;
        std::iter::from_fn(move || {
            while end > 0 && job_at(end - 1) == job {
                end = self.0.get(end - 1).map_or(end - 1, |&before| before as usize);
            }
            end = end.checked_sub(1)?;
            Some(end)
        })
    }
}

/// Instants at which one kind of thing happened to the jobs of one group, each with when it was
/// known to belong to the group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series {
    prompt: Vec<Prompt>,
    others: Others,
    late: Vec<Late>,
}

impl Series {
    /// It happened to `job` at `time`; that it belongs to the group was known from `known` on.
    pub(crate) fn push(&mut self, time: i64, known: i64, job: u32) {
        if known <= time {
            self.prompt.push(Prompt::new(time, job));
        } else {
            self.late.push(Late { time, known, job });
        }
    }

    /// Adds what another one has.
    pub(crate) fn join(&mut self, other: Self) {
        self.prompt.extend(other.prompt);
        self.late.extend(other.late);
    }

    /// Sorts. To be called before anything is asked.
    pub(crate) fn settle(&mut self) {
        let key = |entry: &Prompt| (entry.time(), entry.job);
        if self.prompt.len() < MANY {
            self.prompt.sort_unstable_by_key(key);
        } else {
            self.prompt.par_sort_unstable_by_key(key);
        }
        self.prompt.shrink_to_fit();
        self.others = Others::of(self.prompt.iter().map(|entry| entry.job));
        self.late.sort_unstable_by_key(|entry| (entry.time, entry.job));
    }

    /// How often it happened to jobs other than `job` after `from` and not after `to`, as known at
    /// `to`.
    pub(crate) fn count(&self, from: i64, to: i64, job: u32) -> usize {
        let start = self.prompt.partition_point(|entry| entry.time() <= from);
        let end = self.prompt.partition_point(|entry| entry.time() <= to).max(start);
        let prompt = match end - start {
            few if few <= EXACT => {
                self.prompt[start..end].iter().filter(|entry| entry.job != job).count()
            }
            many => many,
        };
        let start = self.late.partition_point(|entry| entry.time <= from);
        let end = self.late.partition_point(|entry| entry.time <= to).max(start);
        let late = self.late[start..end]
            .iter()
            .filter(|entry| entry.known <= to && entry.job != job)
            .count();
        prompt + late
    }

    /// When it last happened to a job other than `job`, not after `to` and as known then.
    pub(crate) fn last(&self, to: i64, job: u32) -> Option<i64> {
        let end = self.prompt.partition_point(|entry| entry.time() <= to);
        let mut others = self.others.before(end, job, |at| self.prompt[at].job);
        let prompt = others.next().map(|at| self.prompt[at].time());
        let end = self.late.partition_point(|entry| entry.time <= to);
        let late = self.late[..end]
            .iter()
            .rev()
            .find(|entry| entry.known <= to && entry.job != job)
            .map(|entry| entry.time);
        prompt.max(late)
    }

    /// When it first happened to a job other than `job` after `from` and not after `to`, as known
    /// at `to`.
    pub(crate) fn first(&self, from: i64, to: i64, job: u32) -> Option<i64> {
        let start = self.prompt.partition_point(|entry| entry.time() <= from);
        let prompt = self.prompt[start..].iter().take_while(|entry| entry.time() <= to);
        let prompt = prompt.filter(|entry| entry.job != job).map(|entry| entry.time()).next();
        let start = self.late.partition_point(|entry| entry.time <= from);
        let late = self.late[start..].iter().take_while(|entry| entry.time <= to);
        let late = late.filter(|entry| entry.known <= to && entry.job != job);
        late.map(|entry| entry.time).next().into_iter().chain(prompt).min()
    }

    /// When and to which jobs it happened, the latest first, not after `to`, of those known to
    /// belong to the group at once.
    fn latest(&self, to: i64) -> impl Iterator<Item = (i64, u32)> {
        let end = self.prompt.partition_point(|entry| entry.time() <= to);
        self.prompt[..end].iter().rev().map(|entry| (entry.time(), entry.job))
    }

    /// The jobs other than `job` to which it happened after `from` and not after `to`, as known at
    /// `to`.
    fn jobs(&self, from: i64, to: i64, job: u32) -> impl Iterator<Item = u32> {
        let start = self.prompt.partition_point(|entry| entry.time() <= from);
        let prompt = self.prompt[start..].iter().take_while(move |entry| entry.time() <= to);
        let start = self.late.partition_point(|entry| entry.time <= from);
        let late = self.late[start..].iter().take_while(move |entry| entry.time <= to);
        let late = late.filter(move |entry| entry.known <= to).map(|entry| entry.job);
        prompt.map(|entry| entry.job).chain(late).filter(move |&other| other != job)
    }
}

/// What all see of a group, and what jobs of one owner see beyond that.
#[derive(Debug)]
pub(crate) struct Both<'a, T> {
    pub(crate) all: Option<&'a T>,
    pub(crate) own: Option<&'a T>,
}

impl<T> Clone for Both<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Both<'_, T> {}

impl<T> Default for Both<'_, T> {
    fn default() -> Self {
        Self { all: None, own: None }
    }
}

impl<'a, T> Both<'a, T> {
    /// A part of each.
    pub(crate) fn part<U>(self, part: impl Fn(&'a T) -> Option<&'a U>) -> Both<'a, U> {
        Both { all: self.all.and_then(&part), own: self.own.and_then(part) }
    }

    /// Something ever happened there.
    pub(crate) fn is_known(self) -> bool {
        self.all.is_some() || self.own.is_some()
    }

    fn each(self) -> impl Iterator<Item = &'a T> {
        self.all.into_iter().chain(self.own)
    }
}

impl<'a> Both<'a, Series> {
    /// [`Series::count`]
    pub(crate) fn count(self, from: i64, to: i64, job: u32) -> usize {
        self.each().map(|series| series.count(from, to, job)).sum()
    }

    /// [`Series::last`]
    pub(crate) fn last(self, to: i64, job: u32) -> Option<i64> {
        self.each().filter_map(|series| series.last(to, job)).max()
    }

    /// [`Series::first`]
    pub(crate) fn first(self, from: i64, to: i64, job: u32) -> Option<i64> {
        self.each().filter_map(|series| series.first(from, to, job)).min()
    }

    /// [`Series::jobs`]
    pub(crate) fn jobs(self, from: i64, to: i64, job: u32) -> impl Iterator<Item = u32> {
        self.each().flat_map(move |series| series.jobs(from, to, job))
    }

    /// The jobs it happened to, the latest first, not after `to`, of those known to belong to the
    /// group at once.
    pub(crate) fn latest(self, to: i64) -> impl Iterator<Item = u32> {
        let [mut all, mut own] = [self.all, self.own]
            .map(|series| series.into_iter().flat_map(move |series| series.latest(to)).peekable());
        std::iter::from_fn(move || if own.peek() > all.peek() { own.next() } else { all.next() })
            .map(|(_, job)| job)
    }
}

impl Both<'_, Results> {
    /// [`Results::count`]
    pub(crate) fn count(self, from: i64, to: i64, job: u32) -> (usize, usize) {
        let counts = self.each().map(|results| results.count(from, to, job));
        counts.fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1))
    }

    /// [`Results::last`]
    pub(crate) fn last(self, to: i64, job: u32) -> Option<(i64, bool)> {
        self.each().filter_map(|results| results.last(to, job)).max_by_key(|last| last.0)
    }

    /// [`Results::first`]
    pub(crate) fn first(self, to: i64, job: u32) -> Option<i64> {
        self.each().filter_map(|results| results.first(to, job)).min()
    }

    /// [`Results::last_success`]
    pub(crate) fn last_success(self, to: i64, job: u32) -> Option<i64> {
        self.each().filter_map(|results| results.last_success(to, job)).max()
    }

    /// The jobs other than `job` of which such an outcome was known after `from` and not after `to`.
    pub(crate) fn ended(
        self,
        success: bool,
        from: i64,
        to: i64,
        job: u32,
    ) -> impl Iterator<Item = u32> {
        let outcomes = self.outcomes(from, to, job);
        outcomes.filter(move |outcome| outcome.2 == success).map(|outcome| outcome.1)
    }

    /// Outcomes of jobs other than `job` that were known after `from` and not after `to`: when, of
    /// which job, whether a success.
    pub(crate) fn outcomes(
        self,
        from: i64,
        to: i64,
        job: u32,
    ) -> impl Iterator<Item = (i64, u32, bool)> {
        self.each().flat_map(move |results| {
            let start = results.entries.partition_point(|&(known, _, _)| known <= from);
            let known = results.entries[start..].iter().take_while(move |entry| entry.0 <= to);
            known.filter(move |entry| entry.1 != job).copied()
        })
    }
}

/// What came of releases: counts of successes and failures up to an instant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Results {
    entries: Vec<(i64, u32, bool)>,
    others: Others,
    /// Where the first entry of another job than the first is.
    first_of_others: usize,
    /// Successes among the first entries.
    successes: Vec<u32>,
}

impl Results {
    /// What came of a release of `job` was known at `known`.
    pub(crate) fn push(&mut self, known: i64, job: u32, success: bool) {
        self.entries.push((known, job, success));
    }

    /// Adds what another one has.
    pub(crate) fn join(&mut self, other: Self) {
        self.entries.extend(other.entries);
    }

    /// Sorts. To be called before anything is asked.
    pub(crate) fn settle(&mut self) {
        self.entries.sort_unstable();
        self.others = Others::of(self.entries.iter().map(|entry| entry.1));
        let first = self.entries.first().map(|entry| entry.1);
        let of_first = self.entries.iter().take_while(|entry| Some(entry.1) == first);
        self.first_of_others = of_first.count();
        let mut sum = 0;
        self.successes = std::iter::once(0)
            .chain(self.entries.iter().map(|&(_, _, success)| {
                sum += u32::from(success);
                sum
            }))
            .collect();
    }

    /// Successes and failures of jobs other than `job` known after `from` and not after `to`.
    pub(crate) fn count(&self, from: i64, to: i64, job: u32) -> (usize, usize) {
        let start = self.entries.partition_point(|&(known, _, _)| known <= from);
        let end = self.entries.partition_point(|&(known, _, _)| known <= to).max(start);
        if end - start <= EXACT {
            let others = self.entries[start..end].iter().filter(|&&(_, other, _)| other != job);
            let successes = others.clone().filter(|&&(_, _, success)| success).count();
            return (successes, others.count() - successes);
        }
        let successes = (self.successes[end] - self.successes[start]) as usize;
        (successes, end - start - successes)
    }

    /// What was last known at `to` of a job other than `job`: when, and whether it was a success.
    pub(crate) fn last(&self, to: i64, job: u32) -> Option<(i64, bool)> {
        self.until(to, job).next()
    }

    /// When the first outcome of a job other than `job` was known, not after `to`.
    pub(crate) fn first(&self, to: i64, job: u32) -> Option<i64> {
        let (_, first, _) = self.entries.first()?;
        // The first run of one job, and what follows it.
        let at = if *first == job { self.first_of_others } else { 0 };
        self.entries.get(at).map(|entry| entry.0).filter(|known| *known <= to)
    }

    /// When a success of a job other than `job` was last known at `to`.
    pub(crate) fn last_success(&self, to: i64, job: u32) -> Option<i64> {
        self.until(to, job).find(|&(_, success)| success).map(|(known, _)| known)
    }

    /// Of jobs other than `job`, the latest first.
    fn until(&self, to: i64, job: u32) -> impl Iterator<Item = (i64, bool)> {
        let end = self.entries.partition_point(|&(known, _, _)| known <= to);
        let others = self.others.before(end, job, |at| self.entries[at].1);
        others.map(|at| (self.entries[at].0, self.entries[at].2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_leave_out_the_job_and_the_future() {
        let mut series = Series::default();
        for (time, known, job) in [(10, 10, 1), (20, 20, 2), (30, 50, 3), (40, 40, 1)] {
            series.push(time, known, job);
        }
        series.settle();
        assert_eq!(series.count(0, 40, 9), 3);
        assert_eq!(series.count(0, 50, 9), 4);
        assert_eq!(series.count(0, 50, 1), 2);
        assert_eq!(series.count(10, 20, 9), 1);
        assert_eq!(series.last(40, 1), Some(20));
        assert_eq!(series.last(50, 1), Some(30));
        assert_eq!(series.last(5, 9), None);
        assert_eq!((series.first(10, 40, 9), series.first(10, 40, 2)), (Some(20), Some(40)));
        assert_eq!((series.first(20, 50, 9), series.first(40, 50, 9)), (Some(30), None));
        assert_eq!(series.latest(35).collect::<Vec<_>>(), [(20, 2), (10, 1)]);
        let mut own = Series::default();
        [(15, 4), (30, 5)].into_iter().for_each(|(time, job)| own.push(time, time, job));
        own.settle();
        let both = Both { all: Some(&series), own: Some(&own) };
        assert_eq!(both.latest(35).collect::<Vec<_>>(), [5, 2, 4, 1]);
        assert_eq!((both.count(0, 50, 1), both.last(40, 9)), (4, Some(40)));
        assert_eq!(both.first(12, 50, 2), Some(15));
        assert_eq!(both.jobs(0, 50, 2).collect::<Vec<_>>(), [1, 1, 3, 4, 5]);
    }

    #[test]
    fn others_are_found_behind_a_long_run_of_one_job() {
        for times in [1, FEW] {
            let mut series = Series::default();
            let mut results = Results::default();
            let jobs = [7, 7, 1, 1, 1, 2, 2, 1, 1];
            let jobs: Vec<u32> =
                jobs.iter().flat_map(|&job| std::iter::repeat_n(job, times)).collect();
            let told = || (0_i64..).zip(jobs.iter().copied());
            for (time, job) in told() {
                series.push(time, time, job);
                results.push(time, job, time % 4 == 1);
            }
            series.settle();
            results.settle();
            assert_eq!(series.others.0.is_empty(), times == 1);
            for job in [1, 2, 7, 9] {
                for to in (-1..jobs.len() as i64 + 1).step_by(times.div_ceil(7)) {
                    let others = told().filter(|&(time, other)| time <= to && other != job);
                    let of_others: Vec<_> = others.collect();
                    let last = of_others.last().map(|last| last.0);
                    assert_eq!(series.last(to, job), last, "{job} {to}");
                    assert_eq!(results.last(to, job).map(|last| last.0), last, "{job} {to}");
                    assert_eq!(results.first(to, job), of_others.first().map(|first| first.0));
                    let success = of_others.into_iter().rfind(|(time, _)| time % 4 == 1);
                    assert_eq!(results.last_success(to, job), success.map(|last| last.0));
                }
            }
        }
    }

    #[test]
    fn an_entry_takes_twelve_bytes_and_any_time() {
        assert_eq!(size_of::<Prompt>(), 12);
        for time in [i64::MIN, -1, 0, 1, 1 << 32, 1_700_000_000, i64::MAX] {
            assert_eq!(Prompt::new(time, 0).time(), time);
        }
    }

    #[test]
    fn results_count_others() {
        let mut results = Results::default();
        results.push(5, 1, true);
        results.push(3, 2, false);
        results.push(9, 3, true);
        results.settle();
        assert_eq!(results.count(i64::MIN, 5, 9), (1, 1));
        assert_eq!(results.count(i64::MIN, 5, 1), (0, 1));
        assert_eq!(results.count(i64::MIN, 100, 2), (2, 0));
        assert_eq!(results.count(3, 100, 9), (2, 0));
        assert_eq!((results.first(9, 9), results.first(9, 2)), (Some(3), Some(5)));
        assert_eq!(results.first(2, 9), None);
        assert_eq!(results.last(4, 9), Some((3, false)));
        assert_eq!(results.last(4, 2), None);
        assert_eq!(results.last_success(8, 9), Some(5));
        assert_eq!(results.last_success(8, 1), None);
    }
}
