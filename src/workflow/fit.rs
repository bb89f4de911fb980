//! What jobs of a kind asked for and used of memory and disk, and what they should ask for.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use super::keep_off::constraints;
use crate::advice::{Command, Editable, SlotsFor};
use crate::history::{History, JobHistory, Known, Symbol, What};
use crate::policy::Version;
use crate::sizes::{
    Again, Allocation, Demand, Finished, LEAST, Limited, Resource, Used, finished, named_memory,
};
use eventlog::JobId;

/// A request is another one where it saves this part of what jobs are expected to take. Assumed.
const WORTH: f64 = 0.1;

/// Usage from this part of a request on is taken for a limit that was met. Assumed, as for holds.
const NEAR: f64 = 0.9;

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
    /// Digests of its command and description ([`crate::history::AdFacts`]).
    pub command: Option<u64>,
    /// See `command`.
    pub description: Option<u64>,
}

impl Asking {
    const fn of(&self, resource: Resource) -> Option<i64> {
        match resource {
            Resource::Memory => self.memory,
            Resource::Disk => self.disk,
        }
    }
}

/// Jobs of a kind: of the same command but for numbers in it, or where that is not known of a submit
/// file of a DAG, or of a cluster.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Fit {
    /// What they run; `None`: not known, or several programs.
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
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct FitOf {
    /// Which; figures are MiB of memory or KiB of disk.
    pub resource: Resource,
    /// Jobs that finished and of which the usage is known.
    pub finished: usize,
    /// The least and the most that one of them used at its peak.
    pub used: (f64, f64),
    /// The least and the most that one of them asked for, where it is known.
    pub asked: Option<(i64, i64)>,
    /// Jobs that met their limit and have not finished since.
    pub limited: usize,
    /// What to ask for; with the largest then where HTCondor runs a job again that needs more.
    pub allocation: Allocation,
    /// The largest is what a job needs that finished; `false`: some need more, and how much is not
    /// known.
    pub is_known: bool,
    /// Lines of a submit description; none where no slot has as much.
    pub lines: Vec<String>,
    /// The second request is what the largest slot has, less than what is wanted.
    pub is_cut: bool,
    /// Slots of the pool that have as much, where the pool was asked.
    pub slots: Option<SlotsFor>,
    /// Idle jobs that ask for another amount, and what edits them.
    pub edits: Vec<FitEdit>,
}

/// Idle jobs that ask for too much or too little, and the command that edits them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
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

/// What is asked about sizes.
pub struct Question<'a> {
    /// Unix seconds.
    pub now: i64,
    /// Jobs that wait in the queue.
    pub idle: &'a [Asking],
    /// Without a version, or with one that does not have `retry_request_memory`, a job that uses
    /// more than it asked for is held.
    pub version: Option<Version>,
    /// Which jobs are asked about, by id and owner.
    pub names: &'a dyn Fn(JobId, Option<&str>) -> bool,
    /// The submit file of a node of a DAG, as a number.
    pub submit_file: &'a dyn Fn(JobId) -> Option<usize>,
    /// What may be edited.
    pub editable: &'a Editable,
    /// The slots that have so much of a resource; `None`: not known.
    pub room: &'a dyn Fn(Resource, i64) -> Option<SlotsFor>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Owner and command.
    Command(u32, u64),
    Submit(usize),
    Cluster(i32),
}

/// What is known of jobs of a kind.
#[derive(Default)]
struct Jobs<'a> {
    jobs: Vec<Ran<'a>>,
    idle: Vec<Asking>,
}

/// A job, and what it used if it exited with 0.
type Ran<'a> = (&'a JobHistory, Option<Finished>);

impl Jobs<'_> {
    fn finished(&self) -> impl Iterator<Item = &Finished> {
        self.jobs.iter().filter_map(|(_, finished)| finished.as_ref())
    }
}

fn command(job: &JobHistory) -> Option<u64> {
    job.ads.last().and_then(|ad| ad.command)
}

/// Sorts jobs into kinds.
struct Kinds<'a> {
    history: &'a History,
    question: &'a Question<'a>,
    /// Commands of each cluster, as far as they are known.
    commands: HashMap<i32, BTreeSet<u64>>,
}

impl Kinds<'_> {
    fn of(&self, job: JobId, command: Option<u64>) -> Kind {
        let owner = self.history.owner_of(job).map_or(u32::MAX, Symbol::number);
        let of_cluster = || {
            let commands = self.commands.get(&job.cluster)?;
            commands.first().copied().filter(|_| commands.len() == 1)
        };
        let known = |command| Kind::Command(owner, command);
        (self.question.submit_file)(job)
            .map(Kind::Submit)
            .or_else(|| command.map(known))
            .or_else(|| of_cluster().map(known))
            .unwrap_or(Kind::Cluster(job.cluster))
    }
}

/// What jobs should ask for, the kinds with most jobs that finished first.
pub fn fits(history: &History, question: &Question<'_>) -> Vec<Fit> {
    let is_asked = |job: &&JobHistory| {
        let owner = history.owner_of(job.job).map(|owner| history.symbols.name(owner));
        (question.names)(job.job, owner)
    };
    let asked = history.jobs().iter().filter(is_asked);
    let asked: Vec<Ran<'_>> = asked.map(|job| (job, finished(job, question.now))).collect();
    let mut commands: HashMap<i32, BTreeSet<u64>> = HashMap::new();
    let of_idle = question.idle.iter().map(|asking| (asking.job, asking.command));
    for (job, command) in asked.iter().map(|(job, _)| (job.job, command(job))).chain(of_idle) {
        if let Some(command) = command {
            commands.entry(job.cluster).or_default().insert(command);
        }
    }
    let kind = Kinds { history, question, commands };
    let mut kinds: BTreeMap<Kind, Jobs<'_>> = BTreeMap::new();
    for ran in asked {
        let job = ran.0;
        kinds.entry(kind.of(job.job, command(job))).or_default().jobs.push(ran);
    }
    // Where every job has a command of its own, its cluster tells more.
    let few = |(kind, jobs): &(Kind, Jobs<'_>)| {
        matches!(kind, Kind::Command(..)) && jobs.finished().count() < LEAST
    };
    let (alone, mut kinds): (Vec<_>, BTreeMap<_, _>) = {
        let (alone, kept): (Vec<_>, Vec<_>) = kinds.into_iter().partition(few);
        (alone, kept.into_iter().collect())
    };
    for ran in alone.into_iter().flat_map(|(_, jobs)| jobs.jobs) {
        kinds.entry(Kind::Cluster(ran.0.job.cluster)).or_default().jobs.push(ran);
    }
    for asking in question.idle {
        let kind_of_job = kind.of(asking.job, asking.command);
        // A job of a command that no other has is like those of its cluster, if that has no other.
        let commands = kind.commands.get(&asking.job.cluster).map_or(0, BTreeSet::len);
        let of_cluster = Kind::Cluster(asking.job.cluster);
        let found = match kinds.contains_key(&kind_of_job) {
            true => Some(kind_of_job),
            false => (commands <= 1).then_some(of_cluster),
        };
        if let Some(jobs) = found.and_then(|kind| kinds.get_mut(&kind)) {
            jobs.idle.push(*asking);
        }
    }
    let mut found: Vec<Fit> =
        kinds.values().filter_map(|jobs| fit(history, question, jobs)).collect();
    found.sort_by_key(|fit| std::cmp::Reverse(fit.finished));
    found
}

fn fit(history: &History, question: &Question<'_>, jobs: &Jobs<'_>) -> Option<Fit> {
    let count = jobs.finished().count();
    if count < LEAST {
        return None;
    }
    let took = range(jobs.finished().filter_map(|job| job.took));
    let runs = Runs::of(jobs);
    let of = |resource| fit_of(history, question, jobs, &runs, resource);
    let sizes: Vec<FitOf> = Resource::ALL.into_iter().filter_map(of).collect();
    let mut clusters: Vec<i32> = jobs.jobs.iter().map(|(job, _)| job.job.cluster).collect();
    clusters.sort_unstable();
    clusters.dedup();
    let programs: BTreeSet<Symbol> =
        jobs.jobs.iter().filter_map(|(job, _)| job.ads.last()?.program).collect();
    let name = |symbol: &Symbol| {
        let program = history.symbols.name(*symbol);
        program.split('\n').next().unwrap_or(program).to_owned()
    };
    let names: BTreeSet<String> = programs.iter().map(name).collect();
    (!sizes.is_empty()).then(|| Fit {
        program: names.first().cloned().filter(|_| names.len() == 1),
        clusters: (clusters.first().copied().unwrap_or(0), clusters.len()),
        finished: count,
        took,
        sizes,
    })
}

fn fit_of(
    history: &History,
    question: &Question<'_>,
    jobs: &Jobs<'_>,
    runs: &Runs,
    resource: Resource,
) -> Option<FitOf> {
    let usage = |job: &Finished| {
        let peak = job.of(resource).used.filter(|peak| *peak <= resource.most() as f64)?;
        Some(Used { peak, seconds: job.took.unwrap_or(0.0) })
    };
    let used: Vec<Used> = jobs.finished().filter_map(usage).collect();
    let peaks = range(used.iter().map(|used| used.peak)).filter(|_| used.len() >= LEAST)?;
    let requests = || jobs.finished().filter_map(|job| job.of(resource).asked);
    let asked = range(requests()).map(|(least, most)| (least as i64, most as i64));
    let unfinished = jobs.jobs.iter().filter(|(_, finished)| finished.is_none());
    let limited: Vec<Limited> = unfinished
        .filter_map(|(job, _)| limited(history, job, question.now, resource, asked))
        .collect();
    let at_limit = limited.iter().filter(|job| job.at_limit).count();
    let demand = Demand::of(resource, &used, &limited)?;
    let is_retried = question.version.is_some_and(|version| version >= resource.retried_since());
    let again = if is_retried { Again::Retried } else { Again::Held };
    let allocation = if is_retried { demand.allocation(again) } else { demand.enough() };
    let first = allocation.first;
    let slots = (question.room)(resource, first);
    let fits = !slots.as_ref().is_some_and(SlotsFor::is_none);
    // More than was enough is asked for only where some needed it.
    let needs_more = |asked: i64| at_limit > 0 || peaks.1 > asked as f64;
    let is_worth_it = |asked: i64| {
        (first < asked || needs_more(asked)) && is_better(&demand, asked, first, again)
    };
    // Jobs that were held would have run again.
    let lines = (is_retried && at_limit > 0)
        || asked.is_none_or(|(least, most)| is_worth_it(least) || is_worth_it(most));
    // What is not known is no request, but for a second run.
    let (lines, is_cut) = match lines && fits && (is_retried || demand.is_known()) {
        true => lines_for(question, resource, &demand, allocation, asked, is_retried),
        false => (Vec::new(), false),
    };
    let to = demand.largest();
    let fits = !(question.room)(resource, to).is_some_and(|slots| slots.is_none());
    let is_meant = |job: &Asking, from: i64| {
        let asks_the_same = || requests().any(|asked| asked as i64 == from);
        match to < from {
            true => job.is_new && runs.are_like(job) && asks_the_same(),
            false => needs_more(from),
        }
    };
    let edits = match fits && demand.is_known() {
        true => edits(resource, &demand, &jobs.idle, question.editable, is_meant),
        false => Vec::new(),
    };
    (!lines.is_empty() || !edits.is_empty()).then_some(FitOf {
        resource,
        finished: used.len(),
        used: peaks,
        asked,
        limited: at_limit,
        allocation,
        is_known: demand.is_known(),
        lines,
        is_cut,
        slots,
        edits,
    })
}

/// What jobs that finished ran, as far as it is known.
struct Runs {
    commands: BTreeSet<u64>,
    descriptions: BTreeSet<u64>,
}

impl Runs {
    fn of(jobs: &Jobs<'_>) -> Self {
        let ended = jobs.jobs.iter().filter(|(_, finished)| finished.is_some());
        Self {
            commands: ended.clone().filter_map(|(job, _)| command(job)).collect(),
            descriptions: ended.filter_map(|(job, _)| job.ads.last()?.description).collect(),
        }
    }

    /// The job is the same, or one of a row of jobs that have numbers of their own.
    fn are_like(&self, job: &Asking) -> bool {
        let is_command = job.command.is_some_and(|command| self.commands.contains(&command));
        let is_same = job.description.is_some_and(|one| self.descriptions.contains(&one));
        is_command && self.commands.len() == 1 && (is_same || self.descriptions.len() >= LEAST)
    }
}

/// To ask for `to` in place of `from` is worth it.
fn is_better(demand: &Demand, from: i64, to: i64, again: Again) -> bool {
    let expected = |request| demand.expected(request, again, from.max(to));
    expected(to) < (1.0 - WORTH) * expected(from)
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, value| {
        Some(range.map_or((value, value), |(least, most): (f64, f64)| {
            (least.min(value), most.max(value))
        }))
    })
}

/// What a job that has not finished had or used, as far as it is known. `asked`: the least and the
/// most that like jobs asked for.
fn limited(
    history: &History,
    job: &JobHistory,
    now: i64,
    resource: Resource,
    asked: Option<(i64, i64)>,
) -> Option<Limited> {
    let held = held_for(history, job, now, resource);
    let until = held.map_or(now, |(at, ..)| at);
    let largest = |known: &[Known<i64>]| {
        let known = known.iter().filter(|known| known.since <= until);
        known.map(|known| known.value as f64).reduce(f64::max)
    };
    let table = job.peaks.as_ref().filter(|peaks| peaks.since <= now).map(|peaks| peaks.value);
    let table = table.unwrap_or_default();
    let ads = &job.ads[..job.ads.partition_point(|ad| ad.known <= until)];
    let of_ads = |of: fn(&crate::history::AdFacts) -> Option<f64>| {
        ads.iter().filter_map(of).reduce(f64::max)
    };
    let (used, had) = match resource {
        Resource::Memory => (
            [
                largest(&job.memory_usage),
                table.memory.map(|size| size as f64),
                of_ads(|ad| ad.memory_usage),
            ],
            [
                largest(&job.memory_provisioned),
                of_ads(|ad| ad.memory_provisioned.or(ad.request_memory)),
            ],
        ),
        Resource::Disk => (
            [None, table.disk.map(|size| size as f64), of_ads(|ad| ad.disk_usage)],
            [None, of_ads(|ad| ad.disk_provisioned.or(ad.request_disk))],
        ),
    };
    let request = match resource {
        Resource::Memory => table.request_memory,
        Resource::Disk => table.request_disk,
    };
    let most = resource.most() as f64;
    let used =
        used.into_iter().flatten().filter(|used| (1.0..=most).contains(used)).reduce(f64::max);
    let had = had.into_iter().flatten().chain(request.map(|size| size as f64)).reduce(f64::max);
    let known = [used, had].map(|size| size.map(|size| size as i64));
    let named = held.and_then(|(_, code, reason)| named_memory(code, reason, &known));
    let named = named.filter(|_| resource == Resource::Memory).map(|size| size as f64);
    let had = had.into_iter().chain(named).reduce(f64::max);
    let had = had.or(asked.map(|(least, _)| least as f64)).filter(|had| (1.0..=most).contains(had));
    let near = used.zip(had).is_some_and(|(used, had)| used >= NEAR * had);
    match held {
        Some(_) => Some(Limited {
            more_than: used.into_iter().chain(had).reduce(f64::max)?,
            at_limit: true,
        }),
        None => Some(Limited { more_than: used?, at_limit: near && has_ended(job, now) }),
    }
}

/// The last hold for lack of a resource until `now`: when, its code and its reason.
fn held_for<'a>(
    history: &'a History,
    job: &JobHistory,
    now: i64,
    resource: Resource,
) -> Option<(i64, i32, &'a str)> {
    job.steps_until(now).iter().rev().find_map(|step| match step.what {
        What::Held(hold) => {
            let reason = hold.reason.map_or("", |reason| history.symbols.name(reason));
            let about = Resource::of_hold(hold.code, Some(hold.subcode), reason);
            (about == Some(resource)).then_some((step.time, hold.code, reason))
        }
        _ => None,
    })
}

/// The job was held for lack of a resource until `now`, or used nearly all that it had.
pub(super) fn met_limit(history: &History, job: &JobHistory, now: i64, resource: Resource) -> bool {
    held_for(history, job, now, resource).is_some()
        || limited(history, job, now, resource, None).is_some_and(|limited| limited.at_limit)
}

/// Its last run is over.
fn has_ended(job: &JobHistory, now: i64) -> bool {
    let last = job.steps_until(now).iter().rev();
    last.map(|step| step.what).find_map(|what| match what {
        What::Executing(_) => Some(false),
        What::Terminated(_) | What::Held(_) | What::Evicted(_) | What::ShadowException => {
            Some(true)
        }
        _ => None,
    }) == Some(true)
}

/// Lines of a submit description. Where HTCondor runs a job again that needs more, it asks then for
/// what was enough for all, and for no less than was asked for before.
fn lines_for(
    question: &Question<'_>,
    resource: Resource,
    demand: &Demand,
    allocation: Allocation,
    asked: Option<(i64, i64)>,
    is_retried: bool,
) -> (Vec<String>, bool) {
    let word = resource.word();
    let unit = match resource {
        Resource::Memory => "MB",
        Resource::Disk => "KB",
    };
    let Allocation { first, largest, .. } = allocation;
    let mut lines = vec![format!("request_{word} = {first} {unit}")];
    let mut is_cut = false;
    if is_retried {
        let most = asked.map_or(largest, |(_, most)| most.max(largest));
        let next = if most > first { most } else { demand.beyond() };
        let most = match (question.room)(resource, next) {
            Some(SlotsFor::NoneNow { most: Some(most), .. }) => Some(most as i64),
            Some(SlotsFor::AboveMost { most, .. }) => Some(most),
            _ => None,
        };
        is_cut = most.is_some();
        let next = most.unwrap_or(next);
        if next > first {
            lines.push(format!("retry_request_{word} = {next} {unit}"));
        }
    }
    (lines, is_cut)
}

/// Edits of idle jobs that are meant, by what they ask for.
fn edits(
    resource: Resource,
    demand: &Demand,
    idle: &[Asking],
    editable: &Editable,
    is_meant: impl Fn(&Asking, i64) -> bool,
) -> Vec<FitEdit> {
    let to = demand.largest();
    let mut of_asked: BTreeMap<i64, Vec<JobId>> = BTreeMap::new();
    for job in idle {
        if let Some(from) = job.of(resource).filter(|from| is_meant(job, *from)) {
            of_asked.entry(from).or_default().push(job.job);
        }
    }
    of_asked.retain(|from, _| is_better(demand, *from, to, Again::Held));
    let mut found = Vec::new();
    for (from, jobs) in of_asked {
        let name = resource.attribute();
        let edit = editable.edit(name, Some(from.to_string()), &to.to_string());
        let Some(edit) = edit.map(Command::Edit) else { continue };
        let started = if from > to { " && NumJobStarts == 0" } else { "" };
        for (jobs, constraint) in constraints(&jobs) {
            let command = edit.line(&format!("{constraint} && {name} == {from}{started}"));
            found.push(FitEdit { jobs, from, to, command });
        }
    }
    found.sort_by_key(|edit| std::cmp::Reverse(edit.jobs));
    found
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
