//! Where runs of a cluster failed alike, and where they got through: whether a machine or a site is at
//! fault.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use eventlog::JobId;

use crate::history::{
    Attempt, AttemptEnd, Exit, History, Hold, JobHistory, Symbol, attempts, reason,
};

/// Seconds before the last failure in which runs are counted: a day.
pub(crate) const LAST_DAY: i64 = 86_400;

/// A share of failures as it is thought of before any run: its mean, and as how many runs that
/// counts. Assumed.
#[derive(Clone, Copy, Debug)]
struct Rate {
    mean: f64,
    runs: f64,
}

/// At a place that is at fault.
const FAULTY: Rate = Rate { mean: 0.85, runs: 4.0 };

/// Elsewhere then.
const SOUND: Rate = Rate { mean: 0.06, runs: 4.0 };

/// Everywhere, where no place is at fault: any share.
const ANY: Rate = Rate { mean: 0.5, runs: 2.0 };

/// How many jobs failed alike, and how many got through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) failed: usize,
    pub(crate) passed: usize,
}

/// The probability of such a count in one order of its runs (beta-binomial), its logarithm.
fn log_probability(Count { failed, passed }: Count, rate: Rate) -> f64 {
    let steps = |n: usize, of: f64| (0..n).map(move |at| (of + at as f64).ln()).sum::<f64>();
    let (fails, passes) = (rate.mean * rate.runs, (1.0 - rate.mean) * rate.runs);
    steps(failed, fails) + steps(passed, passes) - steps(failed + passed, rate.runs)
}

/// Counts at a place, and elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) there: Count,
    pub(crate) elsewhere: Count,
}

impl Table {
    /// Without one that failed there.
    pub(crate) fn but_one(mut self) -> Self {
        self.there.failed = self.there.failed.saturating_sub(1);
        self
    }

    /// How likely the place is at fault, 0 to 1, where that was `prior` before any run was counted.
    /// Else something fails these jobs everywhere, or as often anywhere.
    pub(crate) fn at_fault(self, prior: f64) -> f64 {
        let Self { there, elsewhere } = self;
        let all = Count {
            failed: there.failed + elsewhere.failed,
            passed: there.passed + elsewhere.passed,
        };
        let of_place = log_probability(there, FAULTY) + log_probability(elsewhere, SOUND);
        let others = [FAULTY, ANY].map(|rate| (log_probability(all, rate) - of_place).exp());
        let others = (1.0 - prior) * 0.5 * (others[0] + others[1]);
        prior / (prior + others)
    }
}

/// A machine or a site that is at fault.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceAtFault {
    /// Its name.
    pub name: String,
    /// It is a site.
    pub is_site: bool,
    /// What other jobs of the cluster met there and elsewhere.
    pub(crate) table: Table,
    /// How likely it is at fault, 0 to 1.
    pub probability: f64,
}

/// What shows that a run got through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Passes {
    /// It began to execute: its input had arrived.
    Begins,
    /// It exited with 0.
    Finishes,
}

/// Machine and site of a run.
type Places = [Option<Symbol>; 2];

/// A run of which something is known.
#[derive(Clone, Copy, Debug)]
struct Run {
    job: JobId,
    places: Places,
    began: i64,
    ended: i64,
}

/// What the jobs of a cluster met at machines and sites.
#[derive(Debug)]
pub(crate) struct Attempts<K> {
    failed: HashMap<K, Vec<Run>>,
    /// Runs that began to execute, and those that exited with 0, in the order of their beginnings.
    passed: HashMap<Passes, Vec<Run>>,
}

impl<K> Default for Attempts<K> {
    fn default() -> Self {
        Self { failed: HashMap::new(), passed: HashMap::new() }
    }
}

/// Runs of a kind that are counted at most, the last ones.
const MOST: usize = 1_000;

impl<K: Eq + Hash> Attempts<K> {
    /// Adds what a job met until `now` (Unix seconds); `cause`: what holds for one cause share.
    pub(crate) fn add(
        &mut self,
        history: &History,
        job: &JobHistory,
        now: i64,
        mut cause: impl FnMut(Hold) -> K,
    ) {
        for attempt in attempts(job, now) {
            let Attempt { machine, site, ended, .. } = attempt;
            let run = |machine, began| Run { job: job.job, places: [machine, site], began, ended };
            if let Some(executed) = attempt.executed {
                let passed = run(machine, executed);
                let mut passes =
                    |passes: Passes| self.passed.entry(passes).or_default().push(passed);
                passes(Passes::Begins);
                if attempt.end == AttemptEnd::Exited(Exit::Success) {
                    passes(Passes::Finishes);
                }
            }
            let AttemptEnd::Held(hold) = attempt.end else { continue };
            if !hold.is_by_system() {
                continue;
            }
            // Input that did not arrive: the reason names the place, or nothing does.
            let named = || {
                let host = reason::host(history.symbols.name(hold.reason?))?;
                history.symbols.find(reason::machine(&host))
            };
            let machine = if attempt.executed.is_some() { machine } else { named() };
            let failed = run(machine, attempt.executed.unwrap_or(ended));
            self.failed.entry(cause(hold)).or_default().push(failed);
        }
    }

    /// Once all are added.
    pub(crate) fn settled(mut self) -> Self {
        let all = self.passed.values_mut().chain(self.failed.values_mut());
        all.for_each(|runs| runs.sort_by_key(|run| run.began));
        self
    }

    /// What jobs met at a place and elsewhere: those that failed for this cause, and those that got
    /// through meanwhile. A job counts once at a place: its runs there are not independent.
    pub(crate) fn table(&self, place: Symbol, cause: &K, passes: Passes) -> Table {
        let mut table = Table::default();
        let Some(failed) = self.failed.get(cause) else { return table };
        let failed = &failed[failed.len().saturating_sub(MOST)..];
        let last = failed.iter().map(|run| run.ended).max().unwrap_or(i64::MIN);
        let failed = &failed[failed.partition_point(|run| run.began < last - LAST_DAY)..];
        let Some(first) = failed.first() else { return table };
        let mut met: HashSet<(JobId, bool, bool)> = HashSet::new();
        let mut count = |run: &Run, got_through: bool| {
            let is_there = run.places.contains(&Some(place));
            let is_known = run.places.iter().any(Option::is_some);
            if !is_known || !met.insert((run.job, is_there, got_through)) {
                return;
            }
            let of = if is_there { &mut table.there } else { &mut table.elsewhere };
            *(if got_through { &mut of.passed } else { &mut of.failed }) += 1;
        };
        failed.iter().for_each(|run| count(run, false));
        let passed = self.passed.get(&passes).map_or(&[][..], Vec::as_slice);
        let meanwhile = &passed[..passed.partition_point(|run| run.began <= last)];
        let meanwhile = meanwhile.iter().rev().take(MOST).filter(|run| run.ended >= first.began);
        meanwhile.for_each(|run| count(run, true));
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_fault(there: (usize, usize), elsewhere: (usize, usize)) -> f64 {
        let count = |(failed, passed)| Count { failed, passed };
        Table { there: count(there), elsewhere: count(elsewhere) }.at_fault(0.1)
    }

    #[test]
    fn a_place_is_at_fault_where_runs_fail_there_and_finish_elsewhere() {
        assert!(at_fault((11, 0), (0, 48)) > 0.999);
        assert!(at_fault((1, 0), (0, 4)) > 0.5);
        // It fails everywhere, or nothing is known.
        assert!(at_fault((11, 0), (20, 1)) < 0.05);
        assert!(at_fault((11, 0), (0, 0)) <= 0.2);
        assert!((at_fault((0, 0), (0, 0)) - 0.1).abs() < 1e-9);
        // One run that failed is as well chance.
        assert!(at_fault((0, 0), (0, 3)) < 0.5);
        // Others finish there.
        assert!(at_fault((1, 6), (0, 6)) < 0.1);
    }

    #[test]
    fn the_probability_of_a_count_is_that_of_its_runs_in_one_order() {
        // Of a share that may be anything: 1 of 4 in one order is 1/5 / 4.
        let one = log_probability(Count { failed: 1, passed: 3 }, ANY).exp();
        assert!((one - 0.05).abs() < 1e-12);
    }
}
