//! What jobs of a kind asked for and used of memory and disk, and what they should ask for.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::keep_off::constraints;
use crate::advice::{Command, Edit, SlotsFor};
use crate::history::{History, JobHistory, Known, Symbol, What};
use crate::policy::Version;
use crate::sizes::{Again, Allocation, Demand, LEAST, Limited, Resource, Used, finished};
use eventlog::JobId;

/// A request is another one where it saves this part of what jobs are expected to take. Assumed.
const WORTH: f64 = 0.1;

/// The attributes by which a job asks for more by itself (`retry_request_memory`).
pub const ATTRIBUTES: &[&str] =
    &["RetryRequestMemory", "NextRequestMemory", "RetryRequestDisk", "NextRequestDisk"];

/// An idle job of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asking {
    /// The job.
    pub job: JobId,
    /// RequestMemory, MiB, where it is a number.
    pub memory: Option<i64>,
    /// RequestDisk, KiB, where it is a number.
    pub disk: Option<i64>,
    /// It has not been started.
    pub is_new: bool,
}

impl Asking {
    const fn of(&self, resource: Resource) -> Option<i64> {
        match resource {
            Resource::Memory => self.memory,
            Resource::Disk => self.disk,
        }
    }
}

/// Jobs of a kind: of a program, or of a cluster where the program is not known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// What they run; `None`: not known.
    pub program: Option<String>,
    /// The first of their clusters, and how many they are.
    pub clusters: (i32, usize),
    /// Jobs that exited with 0.
    pub finished: usize,
    /// The shortest and the longest of their runs, s.
    pub took: Option<(f64, f64)>,
    /// Resources of which another request is worth it.
    pub sizes: Vec<FitOf>,
}

/// A resource that jobs of a kind ask too much or too little of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FitOf {
    /// Which; figures are MiB of memory or KiB of disk.
    pub resource: Resource,
    /// The least and the most that a job used at its peak.
    pub used: (f64, f64),
    /// The least and the most that a job asked for, where it is known.
    pub asked: Option<(i64, i64)>,
    /// Jobs that were held for it and have not finished since.
    pub limited: usize,
    /// What to ask for; with the largest then where HTCondor runs a job again that needs more.
    pub allocation: Allocation,
    /// Lines of a submit description.
    pub lines: Vec<String>,
    /// Slots of the pool that have as much, where the pool was asked.
    pub slots: Option<SlotsFor>,
    /// Idle jobs that ask for another amount, and what edits them.
    pub edits: Vec<FitEdit>,
}

/// Idle jobs that ask for too much or too little, and the command that edits them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FitEdit {
    /// How many jobs they are.
    pub jobs: usize,
    /// What they ask for.
    pub from: i64,
    /// What they ask for then.
    pub to: i64,
    /// The line to paste into a POSIX shell.
    pub command: String,
}

/// A program of an owner, or a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Program(u32, u32),
    Cluster(i32),
}

/// The programs of clusters, as far as they are known.
struct Kinds<'a> {
    history: &'a History,
    programs: HashMap<i32, Symbol>,
}

impl<'a> Kinds<'a> {
    fn of(history: &'a History) -> Self {
        let mut programs = HashMap::new();
        for job in history.jobs() {
            if let Some(program) = program(job) {
                programs.entry(job.job.cluster).or_insert(program);
            }
        }
        Self { history, programs }
    }

    /// A job without an ad runs what others of its cluster run.
    fn kind(&self, job: JobId) -> Kind {
        let own = self.history.job(job).and_then(program);
        let program = own.or_else(|| self.programs.get(&job.cluster).copied());
        match self.history.owner_of(job).zip(program) {
            Some((owner, program)) => Kind::Program(owner.number(), program.number()),
            None => Kind::Cluster(job.cluster),
        }
    }
}

fn program(job: &JobHistory) -> Option<Symbol> {
    job.ads.last().and_then(|ad| ad.program)
}

/// What is known of jobs of a kind.
#[derive(Default)]
struct Jobs<'a> {
    jobs: Vec<&'a JobHistory>,
    idle: Vec<Asking>,
}

/// What jobs should ask for that `names` is true for, by id and owner, as of `now`, Unix seconds.
/// `idle`: those of them that wait in the queue. Without a version, or with one that does not have
/// `retry_request_memory`, a job that uses more than it asked for is held.
#[must_use]
pub fn fits(
    history: &History,
    now: i64,
    idle: &[Asking],
    version: Option<Version>,
    names: impl Fn(JobId, Option<&str>) -> bool,
) -> Vec<Fit> {
    let kind_of = Kinds::of(history);
    let mut kinds: BTreeMap<Kind, Jobs<'_>> = BTreeMap::new();
    for job in history.jobs() {
        let owner = job.owner_at(now).map(|owner| history.symbols.name(owner));
        if names(job.job, owner) {
            kinds.entry(kind_of.kind(job.job)).or_default().jobs.push(job);
        }
    }
    for asking in idle {
        if let Some(jobs) = kinds.get_mut(&kind_of.kind(asking.job)) {
            jobs.idle.push(*asking);
        }
    }
    let mut found: Vec<Fit> =
        kinds.values().filter_map(|jobs| fit(history, now, jobs, version)).collect();
    found.sort_by_key(|fit| std::cmp::Reverse(fit.finished));
    found
}

fn fit(history: &History, now: i64, jobs: &Jobs<'_>, version: Option<Version>) -> Option<Fit> {
    let ended: Vec<_> = jobs.jobs.iter().filter_map(|job| finished(job, now)).collect();
    if ended.len() < LEAST {
        return None;
    }
    let took = ended.iter().filter_map(|job| job.took);
    let took = took.fold(None, |range, took| Some(wider(range, took)));
    let of = |resource: Resource| {
        let used = ended.iter().filter_map(|job| {
            Some(Used { peak: job.of(resource).used?, seconds: job.took.unwrap_or(0.0) })
        });
        let used: Vec<Used> = used.collect();
        let peaks = used.iter().fold(None, |range, used| Some(wider(range, used.peak)))?;
        if used.len() < LEAST {
            return None;
        }
        let asked = ended.iter().filter_map(|job| job.of(resource).asked);
        let least_asked = asked.clone().reduce(f64::min);
        let limited: Vec<Limited> = jobs
            .jobs
            .iter()
            .filter_map(|job| limited(history, job, now, resource, least_asked))
            .collect();
        let demand = Demand::of(resource, &used, &limited)?;
        let asked = asked.chain(jobs.idle.iter().filter_map(|job| Some(job.of(resource)? as f64)));
        let asked = asked.fold(None, |range, asked| Some(wider(range, asked)));
        let asked = asked.map(|(least, most)| (least as i64, most as i64));
        let is_retried = version.is_some_and(|version| version >= resource.retried_since());
        let again = if is_retried { Again::Retried } else { Again::Held };
        let allocation = if is_retried { demand.allocation(again) } else { demand.enough() };
        let edits = edits(resource, &demand, &jobs.idle);
        let is_worth_it = asked.is_none_or(|(least, most)| {
            [least, most].iter().any(|asked| is_better(&demand, *asked, allocation.first, again))
        });
        let lines = if is_worth_it { lines(resource, allocation, again) } else { Vec::new() };
        (!lines.is_empty() || !edits.is_empty()).then_some(FitOf {
            resource,
            used: peaks,
            asked,
            limited: limited.len(),
            allocation,
            lines,
            slots: None,
            edits,
        })
    };
    let sizes: Vec<FitOf> = Resource::ALL.into_iter().filter_map(of).collect();
    let mut clusters: Vec<i32> = jobs.jobs.iter().map(|job| job.job.cluster).collect();
    clusters.sort_unstable();
    clusters.dedup();
    let program = jobs.jobs.iter().find_map(|job| program(job));
    (!sizes.is_empty()).then(|| Fit {
        program: program.map(|program| history.symbols.name(program).to_owned()),
        clusters: (clusters.first().copied().unwrap_or(0), clusters.len()),
        finished: ended.len(),
        took,
        sizes,
    })
}

/// To ask for `to` in place of `from` is worth it.
fn is_better(demand: &Demand, from: i64, to: i64, again: Again) -> bool {
    let expected = |request| demand.expected(request, again, from.max(to));
    expected(to) < (1.0 - WORTH) * expected(from)
}

fn wider(range: Option<(f64, f64)>, value: f64) -> (f64, f64) {
    range.map_or((value, value), |(least, most)| (least.min(value), most.max(value)))
}

/// What the job had, if it was held for it and did not finish since; `asked` where it is not known.
fn limited(
    history: &History,
    job: &JobHistory,
    now: i64,
    resource: Resource,
    asked: Option<f64>,
) -> Option<Limited> {
    if finished(job, now).is_some() {
        return None;
    }
    let held = job.steps_until(now).iter().rev().find_map(|step| match step.what {
        What::Held(hold) => {
            let reason = hold.reason.map_or("", |reason| history.symbols.name(reason));
            let about = Resource::of_hold(hold.code, Some(hold.subcode), reason);
            (about == Some(resource)).then_some(step.time)
        }
        _ => None,
    })?;
    let ad = job.ad_at(held).or(job.ads.first());
    let of_log = |known: &[Known<i64>]| {
        let until = known.iter().filter(|known| known.since <= held);
        until.map(|known| known.value as f64).reduce(f64::max)
    };
    let had = match resource {
        Resource::Memory => [
            of_log(&job.memory_provisioned),
            of_log(&job.memory_usage),
            ad.and_then(|ad| ad.memory_provisioned.or(ad.request_memory)),
        ],
        Resource::Disk => [None, None, ad.and_then(|ad| ad.disk_provisioned.or(ad.request_disk))],
    };
    let more_than = had.into_iter().flatten().reduce(f64::max).or(asked)?;
    Some(Limited { more_than })
}

/// Lines of a submit description.
fn lines(resource: Resource, allocation: Allocation, again: Again) -> Vec<String> {
    let word = resource.word();
    let unit = match resource {
        Resource::Memory => "MB",
        Resource::Disk => "KB",
    };
    let Allocation { first, largest, .. } = allocation;
    let mut lines = vec![format!("request_{word} = {first} {unit}")];
    if again == Again::Retried && largest > first {
        lines.push(format!("retry_request_{word} = {largest} {unit}"));
    }
    lines
}

/// Edits of idle jobs, by what they ask for. One that was started before is not edited to ask for
/// less: what its run was given and used is not known here.
fn edits(resource: Resource, demand: &Demand, idle: &[Asking]) -> Vec<FitEdit> {
    let to = demand.largest();
    let mut of_asked: BTreeMap<i64, Vec<JobId>> = BTreeMap::new();
    for job in idle {
        if let Some(from) = job.of(resource).filter(|from| *from < to || job.is_new) {
            of_asked.entry(from).or_default().push(job.job);
        }
    }
    of_asked.retain(|from, _| is_better(demand, *from, to, Again::Held));
    let mut found = Vec::new();
    for (from, jobs) in of_asked {
        let name = resource.attribute();
        let edit = Command::Edit(Edit {
            attribute: name.to_owned(),
            old: Some(from.to_string()),
            new: to.to_string(),
        });
        let started = if from > to { " && NumJobStarts == 0" } else { "" };
        for (jobs, constraint) in constraints(&jobs) {
            let command = edit.line(&format!("{constraint} && {name} == {from}{started}"));
            found.push(FitEdit { jobs, from, to, command });
        }
    }
    found
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
