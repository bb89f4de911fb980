//! Brings together what an advice is made from: held jobs, their logs, ads of earlier runs, counts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use super::ended::ended_in_history;
use super::{Config, Inquiry, InquiryError, JobAds, job_logs};
use crate::advice::Missing;
use crate::catalogue;
use crate::history::{ATTRIBUTES, bounded};
use crate::policy::Version;
use crate::queue::{
    AdProjection, AdText, Filter, Found, QueueError, QueueJob, RecentRuns, Schedd, Selection,
    display_path, held_jobs_of_file, held_jobs_of_text, unreadable,
};
use crate::workflow::{FIT_ATTRIBUTES, THRASHING_ATTRIBUTES};
use eventlog::JobId;
use eventlog::input;

/// Up to this many jobs the ads of earlier runs are asked for: their history is read with care.
const EPOCH_JOBS: usize = 1000;

/// Seconds before a hold whose runs of the same owner are asked for: a day.
const BEFORE_HOLD: i64 = 86_400;

/// Seconds back from now from which on runs are asked for at the earliest: a week.
const LONGEST_AGO: i64 = 7 * 86_400;

/// Owners of the jobs whose ads name a log.
pub(super) type Owners = HashMap<PathBuf, BTreeSet<String>>;

/// What was found before anything is judged.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// Jobs to judge. Without ads (logs alone) the logs tell which jobs are held.
    pub(super) held: Vec<QueueJob>,
    /// Jobs in other states, where these are asked about too, or that may thrash.
    pub(super) others: Vec<QueueJob>,
    /// True when there are no ads and the jobs held at the end of the logs are meant.
    pub(super) logs_alone: bool,
    /// Readable job event logs of users and DAGs.
    pub(super) user_logs: Vec<PathBuf>,
    /// Owners of the jobs whose ads name a log of these; a log without an entry was named by who
    /// asks.
    pub(super) log_owners: Owners,
    /// Of logs that ads name, under which of its names a file is read.
    pub(super) log_names: HashMap<PathBuf, PathBuf>,
    /// The account of one of these owners, with whose rights root opens the log.
    pub(super) log_accounts: HashMap<PathBuf, String>,
    /// Readable event logs of the access point; their rotated siblings stand beside them.
    pub(super) event_logs: Vec<PathBuf>,
    /// Bytes of each that are read, the newest, and that compressed logs have together.
    pub(super) event_log_bytes: u64,
    /// They are judged as of the clock, not of a time that was named.
    pub(super) is_now: bool,
    /// Ads of earlier runs, where they were asked for and there was an answer.
    pub(super) epochs: Option<Vec<AdText>>,
    /// A file of such ads that was named, and can be opened.
    pub(super) epoch_file: Option<PathBuf>,
    /// Ads that the file of `-jobads` held, where none of them is judged.
    pub(super) ads: Option<usize>,
    /// Jobs held in the whole queue by code and subcode, asked for when no event log can be read.
    pub(super) hold_counts: Option<BTreeMap<(i32, i32), u64>>,
}

/// What is to be said of the input.
#[derive(Debug, Default)]
pub struct Remarks {
    /// Jobs named that cannot be judged, a line each.
    pub refused: Vec<String>,
    /// Jobs named that completed or were removed, a sentence each.
    pub ended: Vec<String>,
    /// Damaged parts of the input, a line each.
    pub faults: Vec<String>,
    /// What could not be read for any job, a line each.
    pub missing: Vec<String>,
    /// What could not be read for one job.
    pub missing_of: HashMap<JobId, Vec<Missing>>,
    /// What damage in logs may hide, where they alone tell of holds; a line each, of `missing` too.
    pub hidden: Vec<String>,
    /// The last instant that logs tell of, Unix seconds.
    pub newest: Option<i64>,
    /// URLs that were asked now.
    pub asked_urls: usize,
    /// How logs of a job were read, where not as TZ says.
    pub notes_of: HashMap<JobId, Vec<Arc<str>>>,
}

impl Remarks {
    /// Adds what is to be said of more of the input.
    pub fn extend(&mut self, more: Self) {
        self.refused.extend(more.refused);
        self.ended.extend(more.ended);
        self.faults.extend(more.faults);
        self.missing.extend(more.missing);
        self.hidden.extend(more.hidden);
        self.newest = self.newest.max(more.newest);
        self.asked_urls += more.asked_urls;
        for (job, missing) in more.missing_of {
            self.missing_of.entry(job).or_default().extend(missing);
        }
        for (job, notes) in more.notes_of {
            self.notes_of.entry(job).or_default().extend(notes);
        }
    }
}

/// Reads the queue or the files named, as of `now` (Unix seconds). Of a file only the ads that
/// `filter` lets through count; a queue is sent the constraint.
///
/// # Errors
/// [`InquiryError`] when no jobs can be had at all, and for a timeout that is none.
pub(super) fn gather(
    inquiry: &Inquiry,
    config: &Config,
    filter: Filter<'_>,
    now: i64,
) -> Result<(Gathered, Remarks), InquiryError> {
    let projection = AdProjection::new(ATTRIBUTES, inquiry.selection.constraint.as_deref())
        .following(inquiry.attributes.clone())
        .following(catalogue::current().attributes());
    let projection = match inquiry.places.is_some() {
        true => projection.with(FIT_ATTRIBUTES),
        false => projection,
    };
    let projection = match inquiry.places.is_some() || inquiry.selection.thrashing {
        true => projection.with(THRASHING_ATTRIBUTES),
        false => projection,
    };
    let schedd = inquiry.schedd(config)?;
    check_named(inquiry)?;
    let mut logs_alone = inquiry.job_ads.is_none() && inquiry.is_offline();
    let of_dag = jobs_of_dag(inquiry, &schedd, &projection).filter(|_| logs_alone);
    let found = match of_dag {
        Some(Ok(found)) => {
            logs_alone = false;
            found
        }
        Some(Err(error)) => {
            let fault = format!("jobs of the DAG in the queue: {error}");
            Found { faults: vec![fault], ..Found::default() }
        }
        None if logs_alone => Found::default(),
        None => found(inquiry, config, filter, &projection)?,
    };
    let Found { held, others, refused, absent, faults, ads } = found;
    let mut remarks = Remarks { refused, faults, ..Remarks::default() };
    ended_in_history(absent, inquiry, &schedd, &mut remarks);
    if held.is_empty() && others.is_empty() && !logs_alone && inquiry.places.is_none() {
        return Ok((Gathered { ads, ..Gathered::default() }, remarks));
    }
    let named = job_logs::of(inquiry, config, &held, &others, &mut remarks);
    let event_logs = event_logs(inquiry, config, &mut remarks.missing);
    let (mut epochs, mut hold_counts) = (None, None);
    if !inquiry.is_offline() && inquiry.epochs.is_none() {
        let wanted = Wanted {
            counts: event_logs.is_empty(),
            transfers: config.knobs().version().is_some_and(|version| version >= TELLS_OF_ERRORS),
            all: inquiry.places.is_none(),
        };
        let jobs: Vec<&QueueJob> = held.iter().chain(&others).collect();
        (epochs, hold_counts) = ask(&schedd, &jobs, wanted, &projection, now, &mut remarks.missing);
    } else if inquiry.epochs.is_none() {
        remarks.missing.push("ads of earlier runs: none were named".to_owned());
    }
    let epoch_file = inquiry.epochs.clone();
    let gathered = Gathered {
        held,
        others,
        logs_alone,
        event_logs,
        event_log_bytes: config.event_log_bytes()?,
        is_now: inquiry.now.is_none(),
        epochs,
        epoch_file,
        hold_counts,
        ..named
    };
    Ok((gathered, remarks))
}

/// The jobs selected, in the file that is named, else in the queue.
pub(crate) fn found(
    inquiry: &Inquiry,
    config: &Config,
    filter: Filter<'_>,
    projection: &AdProjection,
) -> Result<Found, InquiryError> {
    let (selection, limit) = (&inquiry.selection, inquiry.limit);
    let found = match &inquiry.job_ads {
        Some(JobAds::Text { name, text }) => {
            held_jobs_of_text(text, name, selection, filter, limit, projection)
        }
        Some(JobAds::File(file)) => held_jobs_of_file(file, selection, filter, limit, projection),
        None => inquiry.schedd(config)?.held_jobs(selection, limit, projection),
    };
    Ok(found?)
}

/// The jobs of the DAG that is asked about, in any state, where its DAGMan is in the queue and the
/// past is not asked about.
fn jobs_of_dag(
    inquiry: &Inquiry,
    schedd: &Schedd,
    projection: &AdProjection,
) -> Option<Result<Found, QueueError>> {
    let dag = inquiry.dag.as_ref().filter(|_| inquiry.now.is_none())?;
    let manager = dag.manager.as_ref().filter(|manager| !manager.has_ended())?;
    let selection = Selection {
        constraint: Some(format!("DAGManJobId == {}", manager.cluster)),
        all_users: true,
        any_state: true,
        ..Selection::default()
    };
    Some(schedd.held_jobs(&selection, inquiry.limit, projection))
}

/// The jobs, one of each cluster and owner by turns: nobody's many clusters keep others' from being
/// asked about.
fn by_turns(held: &[&QueueJob]) -> Vec<JobId> {
    let mut of_owner: BTreeMap<String, BTreeMap<i32, Vec<JobId>>> = BTreeMap::new();
    for job in held {
        let clusters = of_owner.entry(job.owner.clone().unwrap_or_default()).or_default();
        clusters.entry(job.id.cluster).or_default().push(job.id);
    }
    let mut turns: Vec<(usize, Vec<JobId>)> =
        of_owner.into_values().flat_map(|clusters| clusters.into_values().enumerate()).collect();
    turns.sort_by_key(|turn| turn.0);
    turns.into_iter().flat_map(|turn| turn.1).collect()
}

/// What was named must be there and be what it was named as.
fn check_named(inquiry: &Inquiry) -> Result<(), InquiryError> {
    inquiry.event_logs.iter().chain(&inquiry.user_logs).try_for_each(eventlog::check)?;
    if let Some(file) = &inquiry.epochs {
        input::check(file).map_err(|source| QueueError::Read { path: file.to_owned(), source })?;
    }
    Ok(())
}

/// The event logs named, or the configured one.
fn event_logs(inquiry: &Inquiry, config: &Config, missing: &mut Vec<String>) -> Vec<PathBuf> {
    let named: Vec<PathBuf> = if !inquiry.event_logs.is_empty() {
        inquiry.event_logs.clone()
    } else if inquiry.user_logs.is_empty() && inquiry.dag.is_none() {
        let log = config
            .get("HOLDADVISE_EVENT_LOG")
            .or_else(|| config.get_condor("EVENT_LOG"))
            .filter(|_| inquiry.schedd.is_none() && inquiry.pool.is_none());
        log.map(PathBuf::from).into_iter().collect()
    } else {
        // Logs were named: nothing else is read.
        missing.push("event log of the access point: none was named".to_owned());
        return Vec::new();
    };
    if named.is_empty() {
        missing.push("event log of the access point: EVENT_LOG is not set here".to_owned());
    }
    let mut readable = named;
    readable.retain(|log| {
        let fault = unreadable(log);
        let line = |fault| format!("event log {}: {fault}", display_path(log));
        missing.extend(fault.as_ref().map(line));
        fault.is_none()
    });
    readable
}

/// Ads of earlier runs, and counts of holds; `None` where they were not asked for or there was no
/// answer.
type Answers = (Option<Vec<AdText>>, Option<BTreeMap<(i32, i32), u64>>);

/// The first version whose ads of transfers tell of errors; older ones say nothing that is used.
const TELLS_OF_ERRORS: Version = Version::new(24, 9, 0);

/// What is asked for beside ads of earlier runs.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    /// Counts of holds: there is no event log.
    counts: bool,
    /// What file-transfer plug-ins reported.
    transfers: bool,
    /// Of all jobs or of none; else of so many as can be asked for.
    all: bool,
}

/// Asks for ads of earlier runs and for counts of holds, both at once.
fn ask(
    schedd: &Schedd,
    held: &[&QueueJob],
    wanted: Wanted,
    projection: &AdProjection,
    now: i64,
    missing: &mut Vec<String>,
) -> Answers {
    let mut ids = by_turns(held);
    ids.truncate(if wanted.all { usize::MAX } else { EPOCH_JOBS });
    let others = recent_runs(held, now);
    let (epochs, counts) = thread::scope(|scope| {
        let counts = wanted.counts.then(|| scope.spawn(|| schedd.hold_counts()));
        let ask = || schedd.epochs(&ids, &others, projection, wanted.transfers);
        let epochs = (ids.len() <= EPOCH_JOBS).then(ask);
        (epochs, counts.and_then(|counts| counts.join().ok()))
    });
    let epochs = match epochs {
        Some(Ok((ads, left_out))) => {
            missing.extend(left_out);
            Some(ads)
        }
        Some(Err(error)) => {
            missing.push(format!("ads of earlier runs: {error}"));
            None
        }
        None => {
            missing.push(format!("ads of earlier runs: more than {EPOCH_JOBS} jobs"));
            None
        }
    };
    let counts = counts.and_then(|counts| {
        counts.map_err(|error| missing.push(format!("counts of held jobs: {error}"))).ok()
    });
    (epochs, counts)
}

/// Runs of the same owners around the holds. They may be of jobs whose log is read and whose ads
/// are gone.
fn recent_runs(held: &[&QueueJob], now: i64) -> RecentRuns {
    let mut runs = RecentRuns { since: now, submitted: now, ..RecentRuns::default() };
    for job in held.iter().take(EPOCH_JOBS) {
        let ad = job.ad.to_classad();
        runs.owners.extend(ad.string("Owner"));
        let held = bounded(&ad, "EnteredCurrentStatus").unwrap_or(now);
        runs.submitted = runs.submitted.min(bounded(&ad, "QDate").unwrap_or(0));
        runs.since = runs.since.min(held.saturating_sub(BEFORE_HOLD));
    }
    runs.since = runs.since.max(now.saturating_sub(LONGEST_AGO));
    runs
}
