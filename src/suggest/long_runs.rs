//! Stuck runs that went on for longer than those that ended: a hold after some time does better
//! than waiting for them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::choice::{LEAST_CLUSTERS, SURE, weighted_mean};
use crate::advice::Costs;
use crate::history::{Run, RunEnd};
use crate::replay::hours;
use eventlog::JobId;

/// Limits that people think of, in minutes: 10 minutes to four weeks.
const LIMITS: [i64; 23] = [
    10, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1_080, 1_440, 2_160, 2_880, 4_320, 5_760, 7_200,
    8_640, 10_080, 14_400, 20_160, 30_240, 40_320,
];

/// The next runs may take so many times as long as those of the logs: slower machines, larger
/// input. Assumed.
const SLOWER: f64 = 1.5;

/// A job is started so often before somebody has to look.
const STARTS: u32 = 3;

/// PeriodicHoldSubCode of the hold: that of HTCondor's own for the same is code 47
/// (JobExecuteExceeded).
const SUBCODE: i32 = 47;

/// A hold of jobs that run too long, and what it rests on.
///
/// A run counts as stuck if a hold ended it and a later one of the same job exited, after a shorter
/// time. What was removed, or never exited, might have been long. A limit saves what stuck runs
/// took beyond it. It costs all starts of a job that exits after it; how many do is taken from the
/// runs that exited, each for `SLOWER`, by Laplace's rule of succession. The limit of the
/// greatest gain is taken if that is above 0 with 95 % (normal, by clusters, or by runs where there
/// are less than five clusters).
#[derive(Clone, Debug, PartialEq)]
pub struct LongRuns {
    /// A run is held after more seconds than this.
    pub limit: i64,
    /// Runs that exited.
    pub exited: usize,
    /// The longest of them, s.
    pub longest_exited: i64,
    /// Stuck runs beyond the limit.
    pub stuck: usize,
    /// The longest of them, s.
    pub longest_stuck: i64,
    /// Their clusters.
    pub stuck_clusters: usize,
    /// Slot hours that these took beyond the limit.
    pub saved: f64,
    /// Hours that the limit saves for each run at least, 95 % sure.
    pub gain: f64,
    /// Jobs held in a run beyond the limit that were started again, to an end that tells.
    pub ran_again: usize,
    /// Of these, those that exited within it.
    pub exited_again: usize,
    /// A release costs less than waiting for somebody.
    pub releases: bool,
}

impl LongRuns {
    /// Lines of a submit description.
    ///
    /// JobCurrentStartExecutingDate is that of the run before while the input of the next is
    /// transferred: a hold that did not ask for ShadowBday would hold the job again and again
    /// before it has started.
    pub fn lines(&self) -> Vec<String> {
        let began = "JobCurrentStartExecutingDate";
        let limit = self.limit;
        vec![
            format!(
                "periodic_hold = JobStatus == 2 && {began} >= ShadowBday && time() - {began} > {limit}"
            ),
            format!("periodic_hold_subcode = {SUBCODE}"),
            format!("periodic_hold_reason = \"its program ran for more than {limit} s\""),
        ]
    }

    /// The clause that releases these holds, if they are to be released. NumHolds counts a hold of
    /// a running job several times, so it is bounded by the starts.
    pub fn release(&self) -> Option<String> {
        self.releases.then(|| {
            format!(
                "HoldReasonCode =?= 3 && HoldReasonSubCode =?= {SUBCODE} && NumJobStarts < {STARTS}"
            )
        })
    }
}

/// The limit that runs of jobs alike should have, if it is sure to save something. No limit is
/// shorter than `interval`, at which policies are evaluated, s.
pub fn long_runs(runs: &[Run], costs: &Costs, interval: i64) -> Option<LongRuns> {
    let lengths = Lengths::of(runs);
    let limits = LIMITS.into_iter().map(|minutes| 60 * minutes).filter(|limit| *limit >= interval);
    let (limit, gain) = limits
        .map(|limit| (limit, lengths.gain(limit, costs)))
        .reduce(|best, other| if other.1 > best.1 { other } else { best })?;
    if gain <= 0.0 {
        return None;
    }
    let beyond: Vec<&Run> = lengths.beyond(limit).collect();
    let (ran_again, exited_again) = again(runs, limit);
    Some(LongRuns {
        limit,
        exited: lengths.exited.len(),
        longest_exited: longest(&lengths.exited),
        stuck: beyond.len(),
        longest_stuck: longest(beyond.iter().copied()),
        stuck_clusters: clusters(&beyond),
        saved: beyond.iter().map(|run| hours(run.seconds - limit)).sum(),
        gain,
        ran_again,
        exited_again,
        releases: release_pays(ran_again, exited_again, limit, costs),
    })
}

/// What runs took.
struct Lengths {
    exited: Vec<Run>,
    /// With the seconds of the later run that exited.
    stuck: Vec<(Run, i64)>,
    /// Runs of each cluster, of both kinds.
    clusters: BTreeMap<i32, usize>,
}

impl Lengths {
    fn of(runs: &[Run]) -> Self {
        let mut this = Self { exited: Vec::new(), stuck: Vec::new(), clusters: BTreeMap::new() };
        let mut later: HashMap<JobId, i64> = HashMap::new();
        for run in runs.iter().rev() {
            match (run.end, later.get(&run.job)) {
                (RunEnd::Exited, _) => {
                    later.insert(run.job, run.seconds);
                    this.exited.push(*run);
                }
                (RunEnd::Held, Some(&exited)) => this.stuck.push((*run, exited)),
                _ => continue,
            }
            *this.clusters.entry(run.job.cluster).or_default() += 1;
        }
        this
    }

    /// Stuck runs that a limit would have ended.
    fn beyond(&self, limit: i64) -> impl Iterator<Item = &Run> {
        let is_beyond = move |(run, exited): &&(Run, i64)| run.seconds > limit && *exited <= limit;
        self.stuck.iter().filter(is_beyond).map(|(run, _)| run)
    }

    /// Hours that a limit saves for each run at least.
    fn gain(&self, limit: i64, costs: &Costs) -> f64 {
        let later = |run: &&Run| run.seconds as f64 * SLOWER > limit as f64;
        let (share, deviation) = share(self.exited.iter().filter(later).count(), self.exited.len());
        let all_starts = f64::from(STARTS) * (hours(limit) + costs.failed);
        let (mean, error) = weighted_mean(&self.saved(limit));
        mean - share * all_starts - SURE * error.hypot(deviation * all_starts)
    }

    /// Weight and mean of the hours saved, of each cluster, or of each run.
    fn saved(&self, limit: i64) -> Vec<(f64, f64)> {
        let mut saved: Vec<(i32, f64)> =
            self.beyond(limit).map(|run| (run.job.cluster, hours(run.seconds - limit))).collect();
        if self.clusters.len() < LEAST_CLUSTERS {
            saved.resize(self.exited.len() + self.stuck.len(), (0, 0.0));
            return saved.into_iter().map(|(_, saved)| (1.0, saved)).collect();
        }
        let mut sums: BTreeMap<i32, f64> = BTreeMap::new();
        for (cluster, saved) in saved {
            *sums.entry(cluster).or_default() += saved;
        }
        let mean = |(cluster, &count): (&i32, &usize)| {
            let count = count as f64;
            (count.sqrt(), sums.get(cluster).copied().unwrap_or_default() / count)
        };
        self.clusters.iter().map(mean).collect()
    }
}

/// What became of the next runs of jobs that were held in runs beyond the limit.
fn again(runs: &[Run], limit: i64) -> (usize, usize) {
    let mut held: HashSet<JobId> = HashSet::new();
    let (mut known, mut exited) = (0, 0);
    for run in runs {
        if run.end != RunEnd::Stopped && held.remove(&run.job) {
            known += 1;
            exited += usize::from(run.end == RunEnd::Exited && run.seconds <= limit);
        }
        if run.seconds > limit && run.end == RunEnd::Held {
            held.insert(run.job);
        }
    }
    (known, exited)
}

/// Whether a release at once costs less than somebody who looks later.
fn release_pays(ran_again: usize, exited: usize, limit: i64, costs: &Costs) -> bool {
    let (share, deviation) = share(exited, ran_again);
    let success = share - SURE * deviation;
    success * costs.delay > (1.0 - success) * (costs.failed + hours(limit))
}

/// A share of which a part of so many was seen, by Laplace's rule of succession, and its standard
/// deviation.
fn share(part: usize, all: usize) -> (f64, f64) {
    let count = all as f64 + 2.0;
    let share = (part as f64 + 1.0) / count;
    (share, (share * (1.0 - share) / (count + 1.0)).sqrt())
}

/// Seconds of the longest.
fn longest<'a>(runs: impl IntoIterator<Item = &'a Run>) -> i64 {
    runs.into_iter().map(|run| run.seconds).max().unwrap_or_default()
}

fn clusters(runs: &[&Run]) -> usize {
    runs.iter().map(|run| run.job.cluster).collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
#[path = "long_runs_tests.rs"]
mod tests;
