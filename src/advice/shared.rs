//! Held jobs that share a cause are one question: the model is asked about the first of them.
//!
//! Jobs share a cause if they are of one cluster, are held for the same code, subcode and reason
//! ([`SharedCause`]) at the same place (file server, file or directory, else site), have the same
//! own history in outline, the event log shows as much of their holds, and no job began at that
//! place between these: then nothing but the time on hold tells them apart. What is counted of
//! other jobs since a hold stays each job's own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::meaning::SharedCause;
use super::seen::reads;
use super::try_one::{Tries, TrySuccess};
use crate::catalogue::Trouble;
use crate::diagnosis::{Attempts, Passes, PlaceAtFault, Said, Table};
use crate::features::{Sampler, Scope};
use crate::history::reason::{code_of_transfer, in_sandbox};
use crate::history::{Episode, EventLogView, History, Hold, JobHistory, Symbol, What, reason};
use eventlog::JobId;

/// Clusters whose causes are remembered.
const REMEMBERED: usize = 64;

/// Failed releases from here on are alike.
const FAILED: usize = 2;

/// Earlier holds of a job that are looked at.
const LOOK_BACK: usize = 16;

/// Holds among which the first one is looked for.
const MOST: usize = 1_000;

/// From which probability on a place is at fault.
const LIKELY_AT_FAULT: f64 = 0.5;

/// What holds of one cluster share.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    of_reason: Arc<OfReason>,
    site: Option<Symbol>,
    /// Failed releases; of a hold that no log shows, earlier holds.
    failed: usize,
    /// It has begun to execute before.
    began: bool,
    /// What an earlier hold complained of about the same file.
    before: Option<Trouble>,
    /// How much of the hold the event log shows.
    event_log: EventLogView,
}

/// What codes and reason of a hold say.
#[derive(Debug, PartialEq, Eq, Hash)]
struct OfReason {
    code: i32,
    subcode: i32,
    cause: SharedCause,
    place: Option<String>,
    /// Where a job that begins shows something about the cause.
    scope: Scope,
}

/// A job on hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OnHold {
    held_at: i64,
    job: JobId,
    /// When something else happened to the job.
    until: i64,
    /// A log shows it.
    is_logged: bool,
}

/// Holds that share a cause and an own history.
#[derive(Debug)]
struct Group {
    of_reason: Arc<OfReason>,
    /// The earliest first.
    holds: Vec<OnHold>,
    /// Of all jobs with holds for that cause.
    tries: Arc<Tries>,
}

/// The holds of one cluster.
#[derive(Debug, Default)]
struct Holds {
    groups: Vec<Group>,
    /// The group of each hold, by job and beginning.
    group_of: HashMap<(JobId, i64), usize>,
    /// Where its runs failed and got through.
    attempts: Attempts<Arc<OfReason>>,
    /// What they met at a place for a cause, as far as it was asked for.
    tables: Mutex<HashMap<Asked, Table>>,
}

/// A cause, a place and what shows that a run got through.
type Asked = (Arc<OfReason>, Symbol, Passes);

/// The holds of some clusters, by ClusterId and the instant asked about.
#[derive(Debug, Default)]
pub(super) struct Causes(Mutex<HashMap<(i32, i64), Arc<Holds>>>);

impl Causes {
    /// The first hold that shares the cause of this one at `now`. `None` where that is the hold
    /// itself.
    pub(super) fn first(&self, sampler: &Sampler, hold: &Episode, now: i64) -> Option<Episode> {
        let history = sampler.history();
        let own = hold.identity.job;
        let holds = self.of(history, own.cluster, now);
        let Group { of_reason, holds: group, .. } =
            &holds.groups[*holds.group_of.get(&(own, hold.held_at))?];
        let began = sampler.last_started(hold, of_reason.scope, now).unwrap_or(i64::MIN);
        let from = group.partition_point(|other| other.held_at <= began);
        let until = group.partition_point(|other| (other.held_at, other.job) < (hold.held_at, own));
        let before = group.get(from..until)?.iter().take(MOST);
        let first = before.filter(|other| other.job != own).find(|other| other.until > now)?;
        let in_queue = history.job(first.job).and_then(|job| history.hold_in_queue(job));
        history.held_at(first.job, in_queue.as_ref().filter(|_| !first.is_logged), now)
    }

    /// The machine or the site of the run that ended in this hold, whichever is likelier at fault,
    /// with what other jobs of its cluster met there. `prior`: how likely it is by the texts.
    pub(super) fn place(
        &self,
        history: &History,
        hold: &Episode,
        prior: f64,
        now: i64,
    ) -> Option<PlaceAtFault> {
        let job = history.job(hold.identity.job)?;
        let holds = self.of(history, hold.identity.job.cluster, now);
        let own = holds.group_of.get(&(hold.identity.job, hold.held_at))?;
        let cause = &holds.groups[*own].of_reason;
        let text = hold.reason.as_deref().unwrap_or_default();
        let passes = match TrySuccess::of(hold.identity.code, text) {
            TrySuccess::Begins => Passes::Begins,
            _ => Passes::Finishes,
        };
        let named = reason::host(text);
        let named = named.and_then(|host| history.symbols.find(reason::machine(&host)));
        let machine = named.or_else(|| job.machine_at(hold.held_at));
        let places = [(true, job.site_at(hold.held_at)), (false, machine)];
        // The failure that is asked about proves nothing.
        let but_own = |table: Table| if hold.step.is_some() { table.but_one() } else { table };
        let at_fault = |(is_site, place): (bool, Option<Symbol>)| {
            let place = place?;
            let mut known = holds.tables.lock().unwrap_or_else(PoisonError::into_inner);
            let table = || holds.attempts.table(place, cause, passes);
            let key = (Arc::clone(cause), place, passes);
            let table = but_own(*known.entry(key).or_insert_with(table));
            let probability = table.at_fault(prior);
            let is_likely = probability >= LIKELY_AT_FAULT && table.elsewhere.passed > 0;
            let name = || history.symbols.name(place).to_owned();
            is_likely.then(|| PlaceAtFault { name: name(), is_site, table, probability })
        };
        // Of a site with one machine the site.
        let likely = places.into_iter().rev().filter_map(at_fault);
        likely.max_by(|one, other| one.probability.total_cmp(&other.probability))
    }

    /// What is known at `now` of releases of jobs of the cluster from this cause.
    pub(super) fn tries(&self, history: &History, hold: &Episode, now: i64) -> Option<Arc<Tries>> {
        let holds = self.of(history, hold.identity.job.cluster, now);
        let own = holds.group_of.get(&(hold.identity.job, hold.held_at))?;
        Some(Arc::clone(&holds.groups[*own].tries))
    }

    fn of(&self, history: &History, cluster: i32, now: i64) -> Arc<Holds> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(holds) = known().get(&(cluster, now)) {
            return Arc::clone(holds);
        }
        let holds = Arc::new(Holds::of(history, cluster, now));
        let mut known = known();
        if known.len() >= REMEMBERED {
            let any = known.keys().next().copied();
            any.map(|any| known.remove(&any));
        }
        known.insert((cluster, now), Arc::clone(&holds));
        holds
    }
}

impl Holds {
    fn of(history: &History, cluster: i32, now: i64) -> Self {
        let mut reasons: HashMap<Hold, Arc<OfReason>> = HashMap::new();
        let mut groups: HashMap<Key, Vec<OnHold>> = HashMap::new();
        let mut tries: HashMap<Arc<OfReason>, Tries> = HashMap::new();
        let mut add = |job: &JobHistory, at: Option<usize>, hold: Hold, on_hold: OnHold| {
            let of_reason = OfReason::remembered(&mut reasons, history, hold);
            let tries = tries.entry(Arc::clone(of_reason)).or_default();
            match at {
                Some(at) => tries.add(history, job, at, (hold, &of_reason.cause), now),
                None => {
                    let text = hold.reason.map_or("", |reason| history.symbols.name(reason));
                    tries.add_unlogged(job.job, on_hold.held_at, hold, text);
                }
            }
            // What is over is asked about no more.
            if on_hold.until <= now {
                return;
            }
            let key = Key::of(history, job, at, hold, on_hold.held_at, Arc::clone(of_reason));
            groups.entry(key).or_default().push(on_hold);
        };
        for job in history.jobs_of(cluster) {
            for (at, step) in job.steps_until(now).iter().enumerate() {
                let What::Held(hold) = step.what else { continue };
                let until = job.steps.get(at + 1).map_or(i64::MAX, |next| next.time);
                let on_hold = OnHold { held_at: step.time, job: job.job, until, is_logged: true };
                add(job, Some(at), hold, on_hold);
            }
            let Some((in_queue, ad)) = history.hold_in_queue(job).zip(job.ads.last()) else {
                continue;
            };
            let held = history.held_at(job.job, Some(&in_queue), i64::MAX);
            if let Some(held) = held.filter(|held| held.step.is_none())
                && let Some(hold) = ad.hold
            {
                let (held_at, until) = (held.held_at, i64::MAX);
                let on_hold = OnHold { held_at, job: job.job, until, is_logged: false };
                add(job, None, hold, on_hold);
            }
        }
        let tries: HashMap<Arc<OfReason>, Arc<Tries>> =
            tries.into_iter().map(|(of, tries)| (of, Arc::new(tries.settled()))).collect();
        let mut attempts = Attempts::default();
        for job in history.jobs_of(cluster) {
            attempts.add(history, job, now, |hold| {
                Arc::clone(OfReason::remembered(&mut reasons, history, hold))
            });
        }
        let mut holds = Self { attempts: attempts.settled(), ..Self::default() };
        for (Key { of_reason, .. }, mut group) in groups {
            group.sort_unstable();
            let number = holds.groups.len();
            holds.group_of.extend(group.iter().map(|hold| ((hold.job, hold.held_at), number)));
            let tries = tries.get(&of_reason).cloned().unwrap_or_default();
            holds.groups.push(Group { of_reason, holds: group, tries });
        }
        holds
    }
}

impl OfReason {
    /// Of a hold, worked out once for all that are alike.
    fn remembered<'a>(
        known: &'a mut HashMap<Hold, Arc<Self>>,
        history: &History,
        hold: Hold,
    ) -> &'a Arc<Self> {
        known.entry(hold).or_insert_with(|| {
            let text = hold.reason.map_or("", |reason| history.symbols.name(reason));
            Arc::new(Self::of(hold.code, hold.subcode, text))
        })
    }

    fn of(code: i32, subcode: i32, text: &str) -> Self {
        let lasts = || Said::of(code, subcode, text).trouble().is_some_and(Trouble::lasts);
        let server = reason::file_server(text);
        let reads = reads(code_of_transfer(code, text));
        let scope = match server {
            Some(_) => Scope::Server,
            None if reads => Scope::File,
            None => Scope::Reason,
        };
        let place = match server {
            Some(server) if !lasts() => Some(server),
            _ if reads => reason::url_or_file(text),
            // Each job has a sandbox of its own, so its path says nothing about the cause.
            _ => reason::file_name(text)
                .filter(|path| in_sandbox(path).is_none())
                .and_then(|_| reason::directory(text)),
        };
        Self { code, subcode, cause: SharedCause::of(code, subcode, text), place, scope }
    }
}

impl Key {
    /// Of the hold that a step of a job is, or its ad of the queue alone.
    fn of(
        history: &History,
        job: &JobHistory,
        step: Option<usize>,
        hold: Hold,
        held_at: i64,
        of_reason: Arc<OfReason>,
    ) -> Self {
        let (failed, began, before) = match step {
            Some(step) => {
                let text = hold.reason.map_or("", |reason| history.symbols.name(reason));
                let before = &job.steps[..step];
                (
                    job.failed_releases(step + 1),
                    before.iter().any(|step| matches!(step.what, What::Executing(_))),
                    of_same_file(history, job, step, text),
                )
            }
            None => {
                let ad = job.ads.last();
                let holds = ad.and_then(|ad| ad.num_holds).unwrap_or(1);
                let starts = ad.and_then(|ad| ad.num_job_starts).unwrap_or(0);
                (usize::try_from(holds - 1).unwrap_or(0), starts > 0, None)
            }
        };
        Self {
            site: if of_reason.place.is_none() { job.site_at(held_at) } else { None },
            of_reason,
            failed: failed.min(FAILED),
            began,
            before,
            event_log: history.event_log_view(job.job, held_at),
        }
    }
}

/// The lasting trouble that the last earlier hold of the job for the same file complained of.
pub(super) fn trouble_before(history: &History, hold: &Episode) -> Option<Trouble> {
    let job = history.job(hold.identity.job)?;
    of_same_file(history, job, hold.step?, hold.reason.as_deref()?)
}

fn of_same_file(history: &History, job: &JobHistory, step: usize, text: &str) -> Option<Trouble> {
    let wanted = reason::url_or_file(text)?;
    let steps = job.steps[..step.min(job.steps.len())].iter().rev();
    let holds = steps.filter_map(|step| match step.what {
        What::Held(earlier) => Some(earlier),
        _ => None,
    });
    let mut troubles = holds.take(LOOK_BACK).filter_map(|earlier| {
        let reason = history.symbols.name(earlier.reason?);
        (reason::url_or_file(reason)? == wanted)
            .then(|| Said::of(earlier.code, earlier.subcode, reason).trouble())
            .flatten()
    });
    troubles.find(|trouble| trouble.lasts())
}
