//! Held jobs that share a cause are one question: the model is asked about the first of them.
//!
//! Jobs share a cause if they are of one cluster, are held for the same code, subcode and reason
//! ([`SharedCause`]) at the same place (file server, file or directory, else site), have the same
//! own history in outline, the event log shows as much of their holds, and no job began at that
//! place between these: then nothing but the time on hold tells them apart. What is counted of
//! other jobs since a hold stays each job's own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::cause::Trouble;
use super::changes::in_sandbox;
use super::meaning::{SharedCause, code_of_transfer};
use super::seen::reads;
use crate::features::{Sampler, Scope};
use crate::history::{Episode, EventLogView, History, JobHistory, Symbol, What, reason};
use crate::userlog::JobId;

/// Clusters whose causes are remembered.
const REMEMBERED: usize = 64;

/// Failed releases from here on are alike.
const FAILED: usize = 2;

/// Earlier holds of a job that are looked at.
const LOOK_BACK: usize = 16;

/// Holds among which the first one is looked for.
const MOST: usize = 1_000;

/// What holds of one cluster share.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    code: i32,
    subcode: i32,
    cause: SharedCause,
    place: Option<String>,
    site: Option<Symbol>,
    /// Failed releases.
    failed: usize,
    /// It has begun to execute before.
    began: bool,
    /// What an earlier hold complained of about the same file.
    before: Option<Trouble>,
    /// How much of the hold the event log shows.
    event_log: EventLogView,
}

/// A hold that a log shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Logged {
    held_at: i64,
    job: JobId,
    /// When something else happened to the job.
    until: i64,
}

/// Holds of one cluster by what they share, the earliest first.
type Holds = HashMap<Key, Vec<Logged>>;

/// The holds of some clusters.
#[derive(Debug, Default)]
pub(super) struct Causes(Mutex<HashMap<i32, Arc<Holds>>>);

impl Causes {
    /// The first hold that shares the cause of this one at `now`. `None` where that is the hold
    /// itself, and where no log shows it.
    pub(super) fn first(&self, sampler: &Sampler, hold: &Episode, now: i64) -> Option<Episode> {
        let history = sampler.history();
        let own = hold.identity.job;
        let text = hold.reason.as_deref().unwrap_or_default();
        let codes = (hold.identity.code, hold.identity.subcode);
        let key = key(history, history.job(own)?, hold.step?, hold.held_at, codes, text);
        let began = sampler.last_started(hold, scope(codes.0, text), now).unwrap_or(i64::MIN);
        let holds = self.of(history, own.cluster);
        let holds = holds.get(&key)?;
        let from = holds.partition_point(|other| other.held_at <= began);
        let until = holds.partition_point(|other| (other.held_at, other.job) < (hold.held_at, own));
        let before = holds.get(from..until)?.iter().take(MOST);
        let first = before.filter(|other| other.job != own).find(|other| other.until > now)?;
        history.held_at(first.job, None, now)
    }

    fn of(&self, history: &History, cluster: i32) -> Arc<Holds> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(holds) = known().get(&cluster) {
            return Arc::clone(holds);
        }
        let mut holds = Holds::new();
        for job in history.jobs_of(cluster) {
            for (at, step) in job.steps.iter().enumerate() {
                let What::Held(held) = step.what else { continue };
                let text = held.reason.map_or("", |reason| history.symbols.name(reason));
                let key = key(history, job, at, step.time, (held.code, held.subcode), text);
                let until = job.steps.get(at + 1).map_or(i64::MAX, |next| next.time);
                let hold = Logged { held_at: step.time, job: job.job, until };
                holds.entry(key).or_default().push(hold);
            }
        }
        holds.values_mut().for_each(|holds| holds.sort_unstable());
        let holds = Arc::new(holds);
        let mut known = known();
        if known.len() >= REMEMBERED {
            let any = known.keys().next().copied();
            any.map(|any| known.remove(&any));
        }
        known.insert(cluster, Arc::clone(&holds));
        holds
    }
}

/// Of the hold that a step of a job is.
fn key(
    history: &History,
    job: &JobHistory,
    step: usize,
    held_at: i64,
    (code, subcode): (i32, i32),
    text: &str,
) -> Key {
    let lasts = Trouble::of(code, subcode, text).is_some_and(Trouble::lasts);
    let place = match reason::file_server(text) {
        Some(server) if !lasts => Some(server),
        _ if reads(code_of_transfer(code, text)) => reason::url_or_file(text),
        // Each job has a sandbox of its own, so its path says nothing about the cause.
        _ => reason::file_name(text)
            .filter(|path| in_sandbox(path).is_none())
            .and_then(|_| reason::directory(text)),
    };
    let before = &job.steps[..step.min(job.steps.len())];
    Key {
        code,
        subcode,
        cause: SharedCause::of(code, subcode, text),
        site: if place.is_none() { job.site_at(held_at) } else { None },
        place,
        failed: job.failed_releases(step + 1).min(FAILED),
        began: before.iter().any(|step| matches!(step.what, What::Executing(_))),
        before: of_same_file(history, job, step, text),
        event_log: history.event_log_view(job.job, held_at),
    }
}

/// The scope in which a job that begins shows something about the cause.
fn scope(code: i32, text: &str) -> Scope {
    match reason::file_server(text) {
        Some(_) => Scope::Server,
        None if reads(code_of_transfer(code, text)) => Scope::File,
        None => Scope::Reason,
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
            .then(|| Trouble::of(earlier.code, earlier.subcode, reason))
            .flatten()
    });
    troubles.find(|trouble| trouble.lasts())
}
