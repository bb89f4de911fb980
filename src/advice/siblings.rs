//! What like jobs that finished show about the limit that held a job: whether the run hangs or the
//! limit is too low, whether usage grows with every run or the request is too small.
//!
//! Like jobs are those of the cluster, else those of the owner that run the same program.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;

use super::changes;
use super::figure::{Count, Figure};
use super::job_facts::JobFacts;
use super::own_runs;
use crate::history::{Episode, Exit, History, JobHistory, Step, Symbol, What};
use crate::hold_code::{self, About};
use crate::policy::Measure;
use crate::sizes::{Allocation, Demand, LEAST, NEAR_LIMIT, Resource, Used, finished};

/// A run beyond so many times the longest that finished is stuck, and one that uses so many times
/// the most of them, once raises were used up, leaks. Assumed; on a recorded play with runs of two
/// lengths 3 took four of 55 long runs for stuck ones, 5 none (docs/developing/advice.md).
const STUCK: f64 = 5.0;

/// The next runs may take so many times as long as the longest that finished: slower machines,
/// larger input. Assumed; `suggest/long_runs.rs` has the same.
const SLOWER: f64 = 1.5;

/// Runs in a row, each held with more than the one before, from which on another raise is blind:
/// four of them to twice are 16 times the first request. Assumed.
const LEAST_GROWN: usize = 5;

/// As many are enough where like jobs finished with far less: two raises were used up. Assumed.
const GROWN_BESIDE: usize = 3;

/// Success as it is of a job that has less than like jobs needed, at most: *unlikely*. Assumed.
const TOO_LITTLE: f64 = 0.34;

/// Clusters and programs that are remembered.
const REMEMBERED: usize = 64;

/// Jobs of one program that are looked at, the last ones.
const MOST: usize = 10_000;

/// What like jobs say about a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum LimitFinding {
    /// Like jobs need about as much as it allows, or more, or none finished within it.
    TooLow,
    /// Like jobs finished long before it, or most of those that it held did when they ran again: the
    /// run was stuck.
    Hung,
    /// Each of many runs used up more than the one before, or of a few where like jobs finished with
    /// far less: it leaks, or what it needs is not known.
    Leak,
    /// What is known does not tell.
    Unknown,
}

/// Which jobs were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Like {
    /// Other jobs of the cluster.
    Cluster,
    /// Jobs of the owner that run the same program.
    Program,
}

/// What like jobs that finished needed, beside the limit that held this one.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "Of", rename_all_fields = "PascalCase")]
pub enum LimitSeen {
    /// Of a limit on the length of a run, s.
    RunTime {
        /// What that says of the limit.
        finding: LimitFinding,
        /// Which jobs.
        like: Like,
        /// Of them, those that exited with 0.
        finished: usize,
        /// The shortest and the longest of their runs.
        took: Option<Figure>,
        /// How long this run went on.
        ran: Figure,
        /// What the limit allows.
        limit: Figure,
        /// Of them, those that were held alike.
        held_alike: usize,
        /// Of those, the ones that were released and ran to an end that is known, but for runs that
        /// exited with 0 beyond the limit.
        ran_again: usize,
        /// Of these, those that exited with 0 within it.
        finished_again: usize,
    },
    /// Of memory, MiB, or disk, KiB.
    Usage {
        /// What that says of the request.
        finding: LimitFinding,
        /// Of what.
        resource: Resource,
        /// Which jobs.
        like: Like,
        /// Of them, those that exited with 0 and of which the usage is known.
        finished: usize,
        /// The least and the most that one of them used at its peak.
        peaks: Option<Figure>,
        /// What a job like this one should ask for, by those that needed more than it was given.
        next: Option<Allocation>,
        /// What the last runs of this job used, or were given where that is not known; each was
        /// held alike, the last one now.
        runs: Vec<Count>,
    },
}

impl LimitSeen {
    /// What it says of the limit.
    pub const fn finding(&self) -> LimitFinding {
        match self {
            Self::RunTime { finding, .. } | Self::Usage { finding, .. } => *finding,
        }
    }

    /// A higher limit is no cure.
    pub const fn rules_out_raise(&self) -> bool {
        matches!(self.finding(), LimitFinding::Hung | LimitFinding::Leak)
    }

    /// Raises of the request for this resource were used up again and again.
    pub fn leaks(&self, wanted: Resource) -> bool {
        matches!(self, Self::Usage { finding: LimitFinding::Leak, resource, .. } if *resource == wanted)
    }

    /// What the limit on the length of a run should be, s, where like jobs show it.
    pub fn needed_time(&self) -> Option<f64> {
        match self {
            Self::RunTime { finding: LimitFinding::TooLow, took: Some(took), ran, .. } => {
                Some(SLOWER * took.most.max(ran.most))
            }
            _ => None,
        }
    }

    /// The longest run of those that finished, s.
    pub fn longest(&self) -> Option<f64> {
        match self {
            Self::RunTime { took, .. } => took.map(|took| took.most),
            Self::Usage { .. } => None,
        }
    }

    /// What to request of this resource, where this run was given less than like jobs used, and the
    /// most that one of those used; MiB or KiB.
    pub fn needed(&self, wanted: Resource) -> Option<(Allocation, Figure)> {
        match self {
            Self::Usage {
                finding: LimitFinding::TooLow,
                resource,
                peaks: Some(peaks),
                next: Some(next),
                ..
            } if *resource == wanted => {
                Some((*next, Figure { least: peaks.most, most: peaks.most }))
            }
            _ => None,
        }
    }

    /// The most that success as it is may be, where like jobs needed more than this one has: it meets
    /// its limit again, unless it needs less this time.
    pub const fn most_as_is(&self) -> Option<f64> {
        match self {
            Self::Usage { finding: LimitFinding::TooLow, next: Some(_), .. } => Some(TOO_LITTLE),
            _ => None,
        }
    }

    /// Successes and failures of the next runs of jobs that were stuck like this one.
    pub const fn after_hang(&self) -> Option<(usize, usize)> {
        match self {
            Self::RunTime { finding: LimitFinding::Hung, ran_again, finished_again, .. } => {
                Some((*finished_again, ran_again.saturating_sub(*finished_again)))
            }
            _ => None,
        }
    }
}

/// What was seen of some jobs.
#[derive(Debug, Default)]
struct Summary {
    /// How long the runs took that exited with 0, s.
    took: Range,
    /// What they used, as far as it is known.
    used: HashMap<Resource, Vec<Used>>,
    /// By code and subcode of a hold that ended a run.
    held: HashMap<(i32, i32), Again>,
}

/// Jobs held alike, those of which the next run has ended, and how long that took where it exited
/// with 0, s.
#[derive(Clone, Debug, Default)]
struct Again {
    held: usize,
    ran: usize,
    finished: Vec<i64>,
}

impl Again {
    /// Next runs that ended, but for those that exited with 0 beyond a limit (s), and those that did
    /// within it.
    fn within(&self, limit: f64) -> (usize, usize) {
        let within = self.finished.iter().filter(|took| **took as f64 <= limit).count();
        (self.ran - (self.finished.len() - within), within)
    }
}

/// How many, the least and the most.
#[derive(Clone, Copy, Debug, Default)]
struct Range {
    count: usize,
    figure: Option<Figure>,
}

impl Range {
    fn add(&mut self, value: f64) {
        self.count += 1;
        let one = Figure::from(value);
        self.figure = Some(self.figure.map_or(one, |figure| figure.join(one)));
    }
}

impl Summary {
    fn add(&mut self, job: &JobHistory, now: i64) {
        self.add_holds(job.steps_until(now));
        let Some(finished) = finished(job, now) else { return };
        finished.took.into_iter().for_each(|took| self.took.add(took));
        for resource in Resource::ALL {
            if let Some(peak) = finished.of(resource).used {
                let seconds = finished.took.unwrap_or(0.0);
                self.used.entry(resource).or_default().push(Used { peak, seconds });
            }
        }
    }

    /// Holds that ended a run, and how the next runs ended.
    fn add_holds(&mut self, steps: &[Step]) {
        let mut began: Option<i64> = None;
        let mut held: Option<(i32, i32)> = None;
        for step in steps {
            match step.what {
                What::Executing(_) => began = Some(step.time),
                What::Held(hold) if began.take().is_some() => {
                    if let Some(before) = held.take() {
                        self.held.entry(before).or_default().ran += 1;
                    }
                    held = Some((hold.code, hold.subcode));
                    self.held.entry((hold.code, hold.subcode)).or_default().held += 1;
                }
                What::Terminated(exit) => {
                    if let Some(before) = held.take() {
                        let again = self.held.entry(before).or_default();
                        again.ran += 1;
                        let took = began.map(|began| step.time - began);
                        again.finished.extend(took.filter(|_| exit == Exit::Success));
                    }
                }
                _ => {}
            }
        }
    }
}

/// What jobs have in common that were looked at: a cluster, or a program of an owner.
type Key = (Option<i32>, Option<(Symbol, Symbol)>, i64);

/// What like jobs of the history show, worked out when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct Siblings {
    summaries: Mutex<HashMap<Key, Arc<Summary>>>,
    /// Jobs by owner and program.
    programs: OnceLock<HashMap<(Symbol, Symbol), Vec<u32>>>,
}

impl Siblings {
    /// What like jobs show about the limit that this job is held for at `now`. `None` for other
    /// holds, and where neither they nor its own runs show anything.
    pub(super) fn limit_seen(
        &self,
        history: &History,
        hold: &Episode,
        facts: &JobFacts,
        now: i64,
    ) -> Option<LimitSeen> {
        let parts = changes::JudgedHold::of(hold);
        let resource = [Resource::Memory, Resource::Disk]
            .into_iter()
            .find(|&resource| is_limited(resource, &parts, facts));
        match resource {
            Some(resource) => self.usage(history, hold, facts, resource, now),
            None => self.run_time(history, hold, facts, now),
        }
    }

    fn run_time(
        &self,
        history: &History,
        hold: &Episode,
        facts: &JobFacts,
        now: i64,
    ) -> Option<LimitSeen> {
        let code = hold.identity.code;
        let of_limit = facts.own_limit.as_ref().map(|limit| limit.run_time());
        let (ran, limit) = match of_limit {
            Some(of_limit) => of_limit?,
            // Without an ad the code tells that there was a limit, and the log how long it ran.
            None if matches!(hold_code::about(code), Some(About::Duration { .. })) => {
                let ran = ran(history, hold)? as f64;
                (ran, ran)
            }
            None => return None,
        };
        let alike = (code, hold.identity.subcode);
        let (like, seen) = self.like(history, hold, now, |seen| seen.took.count)?;
        let again = seen.held.get(&alike).cloned().unwrap_or_default();
        let (ran_again, finished_again) = again.within(limit);
        let finding = match seen.took.figure {
            Some(_) if ran_again >= LEAST && 2 * finished_again > ran_again => LimitFinding::Hung,
            Some(took) if seen.took.count >= LEAST => match took.most.max(1.0) {
                most if limit >= STUCK * most => LimitFinding::Hung,
                most if SLOWER * most >= limit => LimitFinding::TooLow,
                _ => LimitFinding::Unknown,
            },
            None if again.held >= LEAST => LimitFinding::TooLow,
            _ => return None,
        };
        Some(LimitSeen::RunTime {
            finding,
            like,
            finished: seen.took.count,
            took: seen.took.figure,
            ran: ran.into(),
            limit: limit.into(),
            held_alike: again.held,
            ran_again,
            finished_again,
        })
    }

    fn usage(
        &self,
        history: &History,
        hold: &Episode,
        facts: &JobFacts,
        resource: Resource,
        now: i64,
    ) -> Option<LimitSeen> {
        let of = |seen: &Summary| seen.used.get(&resource).cloned().unwrap_or_default();
        let runs = own_runs::grown(history, hold, facts, resource, now);
        let like =
            self.like(history, hold, now, |seen| seen.used.get(&resource).map_or(0, Vec::len));
        let (like, used) = match &like {
            Some((like, seen)) => (*like, of(seen)),
            None => (Like::Cluster, Vec::new()),
        };
        let used = if used.len() < LEAST { Vec::new() } else { used };
        let mut peaks = Range::default();
        used.iter().for_each(|used| peaks.add(used.peak));
        // An edit since the hold counts.
        let asked = facts.size(resource).asked;
        let given = own_runs::given(facts, resource).or(runs.last().copied()).max(asked);
        let needs_more = peaks.figure.zip(given).is_some_and(|(peaks, given)| {
            let (part, whole) = NEAR_LIMIT;
            peaks.most * whole as f64 > given as f64 * part as f64
        });
        let next = given.filter(|_| needs_more);
        let next = next.and_then(|given| Demand::above(resource, &used, given));
        let far_beyond = peaks
            .figure
            .zip(runs.last())
            .is_some_and(|(peaks, last)| *last as f64 >= STUCK * peaks.most);
        let least_grown = if far_beyond { GROWN_BESIDE } else { LEAST_GROWN };
        let finding = match () {
            () if needs_more => LimitFinding::TooLow,
            () if runs.len() >= least_grown => LimitFinding::Leak,
            () => LimitFinding::Unknown,
        };
        if finding == LimitFinding::Unknown && peaks.figure.is_none() {
            return None;
        }
        Some(LimitSeen::Usage {
            finding,
            resource,
            like,
            finished: peaks.count,
            peaks: peaks.figure,
            next,
            runs: runs.into_iter().map(Count::from).collect(),
        })
    }

    /// The other jobs of the cluster where enough of them finished, else those of the program.
    fn like(
        &self,
        history: &History,
        hold: &Episode,
        now: i64,
        finished: impl Fn(&Summary) -> usize,
    ) -> Option<(Like, Arc<Summary>)> {
        let cluster = hold.identity.job.cluster;
        let owner = history.owner_of(hold.identity.job);
        let of_cluster = self.summary((Some(cluster), None, now), || {
            let jobs = history.jobs_of(cluster).map(|job| job.job);
            summed(history, jobs.filter_map(|job| history.number_of(job)), owner, now)
        });
        if finished(&of_cluster) >= LEAST {
            return Some((Like::Cluster, of_cluster));
        }
        let of_program = || {
            let ad = history.job(hold.identity.job)?.ad_at(now)?;
            let key = (owner?, ad.program?);
            let of = self.programs.get_or_init(|| by_program(history)).get(&key)?;
            let of_program = self.summary((None, Some(key), now), || {
                let last = &of[of.len().saturating_sub(MOST)..];
                summed(history, last.iter().copied(), owner, now)
            });
            (finished(&of_program) >= LEAST).then_some((Like::Program, of_program))
        };
        of_program().or(Some((Like::Cluster, of_cluster)))
    }

    fn summary(&self, key: Key, make: impl FnOnce() -> Summary) -> Arc<Summary> {
        let known = || self.summaries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(summary) = known().get(&key) {
            return Arc::clone(summary);
        }
        let summary = Arc::new(make());
        let mut known = known();
        if known.len() >= REMEMBERED {
            let any = known.keys().next().copied();
            any.map(|any| known.remove(&any));
        }
        known.insert(key, Arc::clone(&summary));
        summary
    }
}

/// What these jobs show to `owner`.
fn summed(
    history: &History,
    jobs: impl Iterator<Item = u32>,
    owner: Option<Symbol>,
    now: i64,
) -> Summary {
    let mut summary = Summary::default();
    let seen = jobs.filter_map(|number| history.as_seen_by(number, owner));
    seen.for_each(|job| summary.add(job, now));
    summary
}

fn by_program(history: &History) -> HashMap<(Symbol, Symbol), Vec<u32>> {
    let mut of: HashMap<_, Vec<u32>> = HashMap::new();
    for (number, job) in (0..).zip(history.jobs()) {
        let program = job.ads.last().and_then(|ad| ad.program);
        if let Some(key) = history.owner_of(job.job).zip(program) {
            of.entry(key).or_default().push(number);
        }
    }
    of
}

/// The job is held for what a run used of this resource.
fn is_limited(resource: Resource, hold: &changes::JudgedHold<'_>, facts: &JobFacts) -> bool {
    let measured = facts.own_limit.as_ref().map(|limit| limit.measure);
    match (measured, resource) {
        (Some(Measure::Memory), Resource::Memory) | (Some(Measure::Disk), Resource::Disk) => true,
        (Some(Measure::RunTime { .. }), _) => false,
        _ => changes::matters(resource, hold, facts),
    }
}

/// How long the run took that the hold ended, s.
fn ran(history: &History, hold: &Episode) -> Option<i64> {
    let steps = &history.job(hold.identity.job)?.steps[..hold.step?];
    let run = steps.iter().rev().take_while(|step| {
        !matches!(step.what, What::Held(_) | What::Released { .. } | What::Evicted(_))
    });
    let began = run.filter(|step| matches!(step.what, What::Executing(_))).last()?;
    Some(hold.held_at.saturating_sub(began.time)).filter(|ran| *ran > 0)
}

#[cfg(test)]
#[path = "siblings_tests.rs"]
mod tests;
