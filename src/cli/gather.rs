//! Brings together what an advice is made from: held jobs, their logs, ads of earlier runs, counts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use super::run::RunError;
use super::{Config, Request};
use crate::history::ATTRIBUTES;
use crate::input;
use crate::queue::{
    AdText, Filter, Found, JobLogs, Projection, QueueError, QueueJob, RecentRuns, Schedd,
    held_jobs_of_file, unreadable,
};
use crate::userlog::{self, JobId};

/// Up to this many jobs the ads of earlier runs are asked for: their history is read with care.
const EPOCH_JOBS: usize = 1000;

/// Seconds before a hold whose runs of the same owner are asked for: a day.
const BEFORE_HOLD: i64 = 86_400;

/// Seconds back from now from which on runs are asked for at the earliest: a week.
const LONGEST_AGO: i64 = 7 * 86_400;

/// What was found before anything is judged.
#[derive(Debug, Default)]
pub struct Gathered {
    /// Jobs to judge. Without ads (logs alone) the logs tell which jobs are held.
    pub held: Vec<QueueJob>,
    /// True when there are no ads and the jobs held at the end of the logs are meant.
    pub logs_alone: bool,
    /// Readable job event logs of users and DAGs.
    pub user_logs: Vec<PathBuf>,
    /// Owners of the jobs whose ads name a log of these; a log without an entry was named by who asks.
    pub log_owners: HashMap<PathBuf, BTreeSet<String>>,
    /// Readable event logs of the access point; their rotated siblings stand beside them.
    pub event_logs: Vec<PathBuf>,
    /// Ads of earlier runs.
    pub epochs: Vec<AdText>,
    /// They were asked for, and there was an answer.
    pub asked_epochs: bool,
    /// A file of such ads that was named, and can be opened.
    pub epoch_file: Option<PathBuf>,
    /// Jobs held in the whole queue by code and subcode, asked for when no event log can be read.
    pub hold_counts: Option<BTreeMap<(i32, i32), u64>>,
    /// Jobs named that cannot be judged, a line each.
    pub refused: Vec<String>,
    /// Damaged parts of the input, a line each.
    pub faults: Vec<String>,
    /// What could not be read for any job, a line each.
    pub missing: Vec<String>,
    /// What could not be read for one job.
    pub missing_of: HashMap<JobId, Vec<Arc<str>>>,
    /// How logs of a job were read, where not as TZ says.
    pub notes_of: HashMap<JobId, Vec<Arc<str>>>,
}

/// Reads the queue or the files named, as of `now` (Unix seconds). Of a file only the ads that `filter` lets through count; a queue
/// is sent the constraint.
///
/// # Errors
/// [`RunError`] when no jobs can be had at all, and for a timeout that is none.
pub fn gather(
    request: &Request,
    config: &Config,
    filter: Filter<'_>,
    now: i64,
) -> Result<Gathered, RunError> {
    let projection = Projection::new(ATTRIBUTES, request.selection.constraint.as_deref());
    let schedd = Schedd {
        name: request.schedd.clone(),
        pool: request.pool.clone(),
        timeout: config.timeout()?,
    };
    check_named(request)?;
    let mut out = Gathered::default();
    let found = match &request.job_ads {
        Some(file) => {
            held_jobs_of_file(file, &request.selection, filter, request.limit, &projection)?
        }
        None if request.is_offline() => {
            out.logs_alone = true;
            Found::default()
        }
        None => schedd.held_jobs(&request.selection, request.limit, &projection)?,
    };
    out.held = found.held;
    out.refused = found.refused;
    out.faults = found.faults;
    if out.held.is_empty() && !out.logs_alone {
        return Ok(out);
    }
    out.find_user_logs(request);
    out.find_event_logs(request, config);
    match &request.epochs {
        Some(file) => {
            out.epoch_file = Some(file.clone());
        }
        None if !request.is_offline() => out.ask(&schedd, &projection, now),
        None => out.missing.push("ads of earlier runs: none were named".to_owned()),
    }
    Ok(out)
}

/// The jobs, one of each cluster and owner by turns: nobody's many clusters keep others' from being asked about.
fn by_turns(held: &[QueueJob]) -> Vec<JobId> {
    let mut of_owner: BTreeMap<String, BTreeMap<i32, Vec<JobId>>> = BTreeMap::new();
    for job in held {
        let clusters = of_owner.entry(job.owner().unwrap_or_default()).or_default();
        clusters.entry(job.id.cluster).or_default().push(job.id);
    }
    let mut turns: Vec<(usize, Vec<JobId>)> =
        of_owner.into_values().flat_map(|clusters| clusters.into_values().enumerate()).collect();
    turns.sort_by_key(|turn| turn.0);
    turns.into_iter().flat_map(|turn| turn.1).collect()
}

/// What was named must be there and be what it was named as.
fn check_named(request: &Request) -> Result<(), RunError> {
    request.event_logs.iter().chain(&request.user_logs).try_for_each(userlog::check)?;
    if let Some(file) = &request.epochs {
        input::check(file).map_err(|source| QueueError::Read { path: file.to_owned(), source })?;
    }
    Ok(())
}

impl Gathered {
    /// The logs named, or those the ads name, which may be others' and closed, or no logs at all.
    fn find_user_logs(&mut self, request: &Request) {
        if !request.user_logs.is_empty() {
            self.user_logs.clone_from(&request.user_logs);
            return;
        }
        let mut state: HashMap<PathBuf, Option<Arc<str>>> = HashMap::new();
        let no_log: Arc<str> = "the job has no event log of its own".into();
        let mut readable = BTreeSet::new();
        let fault =
            |log: &Path| unreadable(log).map(|fault| format!("job event log {fault}").into());
        for job in &self.held {
            let needed = |name: &str| {
                JobLogs::ATTRIBUTES.iter().any(|needed| needed.eq_ignore_ascii_case(name))
            };
            let ad = job.ad.part(|name| needed(name) || name.eq_ignore_ascii_case("Owner"));
            let (logs, owner) = (JobLogs::of(&ad), ad.string("Owner"));
            let mut faults: Vec<Arc<str>> = Vec::new();
            let mut any = false;
            for log in [logs.user_log, logs.nodes_log].into_iter().flatten() {
                match state.entry(log.clone()).or_insert_with(|| fault(&log)) {
                    None => {
                        let owners = self.log_owners.entry(log.clone()).or_default();
                        owners.extend(owner.clone());
                        readable.insert(log);
                        any = true;
                        // The nodes log of a DAG holds less of the same.
                        break;
                    }
                    Some(fault) => faults.push(Arc::clone(fault)),
                }
            }
            if !any && faults.is_empty() {
                faults.push(Arc::clone(&no_log));
            }
            if !faults.is_empty() {
                self.missing_of.insert(job.id, faults);
            }
        }
        self.user_logs = readable.into_iter().collect();
    }

    fn find_event_logs(&mut self, request: &Request, config: &Config) {
        let named: Vec<PathBuf> = if !request.event_logs.is_empty() {
            request.event_logs.clone()
        } else if request.user_logs.is_empty() {
            let log = config
                .get("HOLDADVISE_EVENT_LOG")
                .or_else(|| config.get_condor("EVENT_LOG"))
                .filter(|_| request.schedd.is_none() && request.pool.is_none());
            log.map(PathBuf::from).into_iter().collect()
        } else {
            // Logs were named: nothing else is read.
            self.missing.push("event log of the access point: none was named".to_owned());
            return;
        };
        if named.is_empty() {
            self.missing
                .push("event log of the access point: EVENT_LOG is not set here".to_owned());
        }
        for log in named {
            match unreadable(&log) {
                None => self.event_logs.push(log),
                Some(fault) => self.missing.push(format!("event log {fault}")),
            }
        }
    }

    /// Asks for ads of earlier runs and, without an event log, for counts of holds; both at once.
    fn ask(&mut self, schedd: &Schedd, projection: &Projection, now: i64) {
        let ids = by_turns(&self.held);
        let others = self.recent_runs(now);
        let without_log = self.event_logs.is_empty();
        let (epochs, counts) = thread::scope(|scope| {
            let counts = without_log.then(|| scope.spawn(|| schedd.hold_counts()));
            let epochs =
                (ids.len() <= EPOCH_JOBS).then(|| schedd.epochs(&ids, &others, projection));
            (epochs, counts.and_then(|counts| counts.join().ok()))
        });
        match epochs {
            Some(Ok((ads, left_out))) => {
                self.epochs = ads;
                self.asked_epochs = true;
                self.missing.extend(left_out);
            }
            Some(Err(error)) => self.missing.push(format!("ads of earlier runs: {error}")),
            None => self.missing.push(format!("ads of earlier runs: more than {EPOCH_JOBS} jobs")),
        }
        match counts {
            Some(Ok(counts)) => self.hold_counts = Some(counts),
            Some(Err(error)) => self.missing.push(format!("counts of held jobs: {error}")),
            None => {}
        }
    }

    /// Runs of the same owners around the holds. They may be of jobs whose log is read and whose ads are gone.
    fn recent_runs(&self, now: i64) -> RecentRuns {
        let mut runs = RecentRuns { since: now, submitted: now, ..RecentRuns::default() };
        for job in self.held.iter().take(EPOCH_JOBS) {
            let ad = job.ad.to_classad();
            runs.owners.extend(ad.string("Owner"));
            let held = ad.integer("EnteredCurrentStatus").unwrap_or(now);
            runs.submitted = runs.submitted.min(ad.integer("QDate").unwrap_or(0));
            runs.since = runs.since.min(held.saturating_sub(BEFORE_HOLD));
        }
        runs.since = runs.since.max(now.saturating_sub(LONGEST_AGO));
        runs
    }
}
