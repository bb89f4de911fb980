//! Held jobs that share a cause are one question: the model is asked about the first of them.
//!
//! Jobs share a cause if they are of one cluster, are held for the same code, subcode and reason ([`SharedCause`]) at
//! the same place (file server, file or directory, else site), have the same own history in outline, the event log shows
//! as much of their holds, and no job began at that place between these: then nothing but the time on hold tells them
//! apart.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::cause::Trouble;
use super::changes::in_sandbox;
use super::meaning::{SharedCause, code_of_transfer};
use super::seen::reads;
use crate::features::{Sampler, Scope};
use crate::history::{Episode, EventLogView, History, Symbol, What, reason};
use crate::userlog::JobId;

/// Clusters whose causes are remembered.
const REMEMBERED: usize = 64;

/// Failed releases from here on are alike.
const FAILED: usize = 2;

/// What jobs of one cluster and code share.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
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

/// Holds by what they share: when they began, the earliest first.
type Holds = HashMap<Key, Vec<(i64, JobId)>>;

/// The holds of some clusters, codes and instants.
#[derive(Debug, Default)]
pub(super) struct Causes(Mutex<HashMap<(i32, i32, i64), Arc<Holds>>>);

impl Causes {
    /// The first hold that shares the cause of this one at `now`. `None` where that is the hold itself, and where no log
    /// shows it.
    pub(super) fn first(&self, sampler: &Sampler, hold: &Episode, now: i64) -> Option<Episode> {
        let history = sampler.history();
        hold.step?;
        let key = key(history, hold, now);
        let scope = scope(hold);
        let holds = self.of(sampler, hold, now);
        let began = sampler.last_started(hold, scope, now);
        let same_spell = |&&(held_at, _): &&(i64, JobId)| began.is_none_or(|began| held_at > began);
        let &(held_at, job) = holds.get(&key)?.iter().find(same_spell)?;
        (held_at < hold.held_at).then(|| history.held_at(job, None, now)).flatten()
    }

    fn of(&self, sampler: &Sampler, hold: &Episode, now: i64) -> Arc<Holds> {
        let code = hold.identity.code;
        let wanted = (hold.identity.job.cluster, code, now);
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(holds) = known().get(&wanted) {
            return Arc::clone(holds);
        }
        let history = sampler.history();
        let mut holds = Holds::new();
        for job in sampler.held_in_cluster(hold, now) {
            let other = history.held_at(job, None, now);
            if let Some(other) = other.filter(|other| other.identity.code == code) {
                let key = key(history, &other, now);
                holds.entry(key).or_default().push((other.held_at, job));
            }
        }
        for holds in holds.values_mut() {
            holds.sort_unstable();
        }
        let holds = Arc::new(holds);
        let mut known = known();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(wanted, Arc::clone(&holds));
        holds
    }
}

fn key(history: &History, hold: &Episode, now: i64) -> Key {
    let (code, subcode) = (hold.identity.code, hold.identity.subcode);
    let text = hold.reason.as_deref().unwrap_or_default();
    let lasts = Trouble::of(code, subcode, text).is_some_and(Trouble::lasts);
    let place = match reason::file_server(text) {
        Some(server) if !lasts => Some(server),
        _ if reads(code_of_transfer(code, text)) => reason::url_or_file(text),
        // A sandbox is the job's own: what failed there is not told apart by it.
        _ => reason::file_name(text)
            .filter(|path| in_sandbox(path).is_none())
            .and_then(|_| reason::directory(text)),
    };
    let job = history.job(hold.identity.job);
    let until = hold.step.unwrap_or(0);
    let before = job.map_or(&[][..], |job| &job.steps[..until.min(job.steps.len())]);
    Key {
        subcode,
        cause: SharedCause::of(code, subcode, text),
        site: job.filter(|_| place.is_none()).and_then(|job| job.site_at(now)),
        place,
        failed: job.map_or(0, |job| job.failed_releases(until + 1)).min(FAILED),
        began: before.iter().any(|step| matches!(step.what, What::Executing(_))),
        before: trouble_before(history, hold),
        event_log: history.event_log_view(hold.identity.job, hold.held_at),
    }
}

/// The scope in which a job that begins shows something about the cause.
fn scope(hold: &Episode) -> Scope {
    let text = hold.reason.as_deref().unwrap_or_default();
    match reason::file_server(text) {
        Some(_) => Scope::Server,
        None if reads(code_of_transfer(hold.identity.code, text)) => Scope::File,
        None => Scope::Reason,
    }
}

/// The lasting trouble that the last earlier hold of the job for the same file complained of.
pub(super) fn trouble_before(history: &History, hold: &Episode) -> Option<Trouble> {
    let wanted = reason::url_or_file(hold.reason.as_deref()?)?;
    let job = history.job(hold.identity.job)?;
    let steps = &job.steps[..hold.step?.min(job.steps.len())];
    let mut troubles = steps.iter().rev().filter_map(|step| {
        let What::Held(earlier) = step.what else { return None };
        let reason = history.symbols.name(earlier.reason?);
        (reason::url_or_file(reason)? == wanted)
            .then(|| Trouble::of(earlier.code, earlier.subcode, reason))
            .flatten()
    });
    troubles.find(|trouble| trouble.lasts())
}
