//! Reads the histories of what was gathered and asks the advisor about each held job.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use classads::ClassAd;
use rayon::prelude::*;

use super::accounts::as_owner;
use super::asked::Asked;
use super::config::unpacked;
use super::costs::costs;
use super::gather::{Gathered, Remarks};
use super::local_files::{account, local_files};
use super::pool::Pool;
use super::request::Output;
use super::run::RunError;
use super::said::Outputs;
use super::zones::{self, Zone};
use super::{Config, Request, stuck};
use crate::advice::{Advice, Advisor, Command, Held, Missing, Policies, Since, Target, ask_urls};
use crate::checks::LocalFiles;
use crate::features::Holds;
use crate::history::{
    Coverage, EventLogView, History, HistoryBuilder, HoldInQueue, LogReport, bounded,
    command_digest, description_digest, printed,
};
use crate::hold_code::is_by_system;
use crate::model::{Model, ModelError};
use crate::policy::{Knobs, PolicyTime};
use crate::queue::{AdText, JobSpec, QueueError, QueueJob, display_path, job_status as status};
use crate::text::{Foreign, plural};
use crate::workflow::{
    Asking, FIT_ATTRIBUTES, Question, Thrasher, Thrashing, View, Waiting, fits, keep_off, thrashing,
};
use eventlog::input::{self, Room};
use eventlog::{Damage, EventKind, EventLogError, JobId, LogFiles, ReadOptions};

/// Jobs judged at a time: their advices are in memory at once.
const BATCH: usize = 512;

/// Jobs of a batch judged together on one core.
const TOGETHER: usize = 64;

/// Is given an advice, and the ad of its job where there is one.
pub(super) type Take<'a> = &'a mut dyn FnMut(&Advice, Option<&AdText>) -> io::Result<()>;

/// What the logs have.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Jobs.
    pub(super) jobs: usize,
    /// Of these, on hold by events of the future alone, where logs alone tell of holds.
    pub(super) ahead: usize,
    /// What is wrong where, if that is asked for.
    pub(super) view: Option<View>,
    /// Jobs that start and leave their slots again and again, where there is no view that has them.
    pub(super) thrashing: Vec<Thrashing>,
}

impl Seen {
    fn with_thrashing(mut self, thrashing: Vec<Thrashing>) -> Self {
        match &mut self.view {
            Some(view) => view.thrashing = thrashing,
            None => self.thrashing = thrashing,
        }
        self
    }
}

/// Gives the advice for each held job to `take`, in the order of their ids. Jobs that turn out not
/// to be held are added to those refused.
pub(super) fn judge(
    mut gathered: Gathered,
    remarks: &mut Remarks,
    request: &Request,
    config: &Config,
    model: &Model,
    now: i64,
    take: Take<'_>,
) -> Result<Seen, RunError> {
    let history = read_histories(&gathered, remarks, now)?;
    let newest = remarks.newest.filter(|_| gathered.is_now && gathered.logs_alone).unwrap_or(now);
    // The clock of the access point may be a little ahead of this one.
    let now = newest.clamp(now, now.saturating_add(SAME_CLOCK));
    let pool = Pool::of(request, config)?;
    let (view, thrashers) = match request.workflow {
        true => {
            let (view, thrashers) = view_of(&history, &mut gathered, request, config, &pool, now)?;
            (Some(view), thrashers)
        }
        false => (None, stuck::thrashers(&gathered.others, now)),
    };
    // Of these the view says what to do.
    if let Some(view) = view.as_ref().filter(|view| view.keep_off.iter().any(|one| one.held)) {
        gathered.held.retain(|job| !is_held_there(view, job));
    }
    let mut thrashing = thrashing(&thrashers);
    if !request.workflow {
        let is_named = |job: &&QueueJob| request.selection.jobs.contains(&JobSpec::Job(job.id));
        let named = gathered.others.iter().filter(is_named);
        let rest = named.filter(|job| thrashers.iter().all(|one| one.job() != job.id));
        remarks.refused.extend(rest.map(|job| format!("job {} is not held", job.id)));
    }
    let mut seen = Seen { jobs: history.jobs().len(), view, ..Seen::default() };
    let is_view_alone = request.workflow && request.output == Output::Json;
    if is_view_alone && !thrashing.iter().any(|group| group.is_of_job) {
        return Ok(seen.with_thrashing(thrashing));
    }
    let held = match gathered.logs_alone {
        true => held_in_logs(&history, &mut remarks.refused, request, now),
        false => gathered.held.iter().map(|job| job.id).collect(),
    };
    if newest > now {
        let all = history.held(i64::MAX, |job, owner| request.selection.names(job, owner, None));
        seen.ahead = all.iter().filter(|job| !held.contains(job)).count();
    }
    let asked = held.iter().copied().chain(thrashing.iter().map(|group| group.job));
    let holds = Holds::Clusters(asked.map(|job| job.cluster).collect());
    let mut held_by_code: HashMap<i32, usize> = HashMap::new();
    for (&(code, _), &count) in gathered.hold_counts.iter().flatten() {
        *held_by_code.entry(code).or_default() += usize::try_from(count).unwrap_or(usize::MAX);
    }
    let advisor = Advisor::about(history, model, &holds)?
        .with_held_by_code(held_by_code)
        .with_costs(costs(&request.costs, config, model.metadata.thresholds)?)
        .with_editable(config.editable())
        .explaining(request.prints_inputs(held.len()));
    let (freed, kept);
    let advisor = if request.looks_again() {
        freed = advisor;
        &freed
    } else {
        // The program ends soon, and to free a large history takes a while.
        kept = ManuallyDrop::new(advisor);
        &*kept
    };
    let time = PolicyTime::new(config.policy_time()?);
    if gathered.logs_alone {
        judge_logs(advisor, held, &remarks.missing, now, take)?;
        return Ok(seen);
    }
    let owner = |job: &QueueJob| job.owner.clone().unwrap_or_default();
    let mut policies = Policies {
        knobs: knobs(request, config),
        time: time.among(gathered.held.iter().chain(&gathered.others).map(owner)),
        held_in_cluster: HashMap::new(),
        files: checked_files(request, config, now)?,
    };
    if let Some(files) = &policies.files {
        ask_urls(files, gathered.held.iter().map(|job| job.ad.to_classad()));
    }
    for job in &gathered.held {
        *policies.held_in_cluster.entry(job.id.cluster).or_default() += 1;
    }
    let judging = (&thrashers[..], &gathered.others[..]);
    stuck::judge(&mut thrashing, judging, advisor, &policies, now)?;
    seen = seen.with_thrashing(thrashing);
    if is_view_alone {
        return Ok(seen);
    }
    let judge_jobs = |jobs: &[QueueJob]| {
        let held = |job: &QueueJob| {
            Held::of_ad(job.id, &job.ad.to_classad(), job.lacks_references, &policies, now)
        };
        advisor.advise_all(&jobs.iter().map(held).collect::<Vec<_>>(), now)
    };
    let judged = in_batches(gathered.held, judge_jobs, |job, advice| match advice {
        Some(mut advice) => {
            advice.missing.extend(not_shown(advice.event_log));
            advice.missing.extend(remarks.missing_of.remove(&job.id).unwrap_or_default());
            advice.missing.extend(sources(&remarks.missing));
            let notes = remarks.notes_of.remove(&job.id).unwrap_or_default();
            advice.notes.extend(notes.iter().map(|line| line.to_string()));
            pool.compare(&mut advice, || job.ad.to_classad());
            leave_to_owner(&mut advice);
            Ok(take(&advice, Some(&job.ad))?)
        }
        None => {
            remarks.refused.push(format!("job {} is not held", job.id));
            Ok(())
        }
    });
    remarks.faults.extend(policies.time.line());
    judged.map(|()| seen)
}

/// What is wrong where in the jobs that are asked about, and those of them that thrash. Of a DAG the
/// jobs gathered that are none of its nodes are left out.
fn view_of(
    history: &History,
    gathered: &mut Gathered,
    request: &Request,
    config: &Config,
    pool: &Pool<'_>,
    now: i64,
) -> Result<(View, Vec<Thrasher>), RunError> {
    let selection = &request.selection;
    let asked = Asked::about(gathered, request);
    if let Asked::Dag(jobs) = &asked {
        gathered.held.retain(|job| jobs.contains_key(&job.id));
        gathered.others.retain(|job| jobs.contains_key(&job.id));
    }
    // Looks of their own: the checks of held jobs keep their time.
    let files = checked_files(request, config, now)?;
    let mut outputs = Outputs::of(files, gathered, &asked, request, config);
    let names = |job, owner: Option<&str>| asked.names(job, owner);
    let mut view = View::of(history, now, request.by, names, |run| outputs.says(run));
    view.outputs_left_out = outputs.left_out;
    // Nobody changes all users' jobs for what may be one user's fault.
    let is_meant = !selection.all_users || !selection.jobs.is_empty();
    let is_kept_off = view.has_good_place && is_meant;
    let (mut may_start, mut idle, mut thrashers) = (Vec::new(), Vec::new(), Vec::new());
    if is_kept_off {
        let held = gathered.held.iter().filter(|job| is_held_there(&view, job));
        may_start.extend(held.filter_map(|job| waiting(job.id, &job.ad.to_classad())));
    }
    for job in &gathered.others {
        // Once for all that is to be known of it.
        let ad = job.ad.to_classad();
        if is_kept_off {
            may_start.extend(waiting(job.id, &ad));
        }
        if is_meant {
            idle.extend(asking(job.id, &ad));
        }
        thrashers.extend(Thrasher::of(job.id, &ad, now));
    }
    let editable = config.editable();
    view.keep_off = keep_off(&may_start, &view.suspects, &editable);
    view.sizes = fits(
        history,
        &Question {
            now,
            idle: &idle,
            version: config.knobs().version(),
            names: &names,
            editable: &editable,
            submit_file: &|job| asked.submit_file(job, request),
            room: &|resource, amount| pool.room(resource, amount),
        },
    );
    Ok((view, thrashers))
}

/// The job is still in the hold that its last run ended in at a bad place.
fn is_held_there(view: &View, job: &QueueJob) -> bool {
    let Some(&(code, subcode, since)) = view.held_there.get(&job.id) else { return false };
    let Some(hold) = HoldInQueue::of(&job.ad.to_classad()) else { return false };
    let apart = hold.entered_current_status.abs_diff(since);
    is_by_system(code) && (hold.code, hold.subcode) == (code, subcode) && apart <= SAME_HOLD
}

/// Seconds between the event of a hold and EnteredCurrentStatus of it at most. Assumed.
const SAME_HOLD: u64 = 60;

/// Seconds by which the clock of an access point may be ahead of this one, or events be written
/// while logs are read. Assumed.
const SAME_CLOCK: i64 = 120;

/// Universes whose jobs no execution point takes: scheduler, grid and local.
const WITHOUT_PLACE: [i64; 3] = [7, 9, 12];

/// The job of this ad, if it is idle or on hold.
fn waiting(job: JobId, ad: &ClassAd) -> Option<Waiting> {
    if ad.integer("JobUniverse").is_some_and(|universe| WITHOUT_PLACE.contains(&universe)) {
        return None;
    }
    let number = |name| ad.integer(name).and_then(|number| i32::try_from(number).ok());
    let hold = match ad.integer("JobStatus") {
        Some(status::IDLE) => None,
        Some(status::HELD) => Some(Target {
            job,
            code: number("HoldReasonCode"),
            num_holds: ad.integer("NumHolds"),
            since: bounded(ad, "EnteredCurrentStatus").map(Since::At),
        }),
        _ => return None,
    };
    Some(Waiting { job, requirements: printed(ad, "Requirements"), hold })
}

/// The job of this ad, if it is idle. What an expression asks for, and what HTCondor raises by
/// itself, is left alone.
fn asking(job: JobId, ad: &ClassAd) -> Option<Asking> {
    let is_raised = FIT_ATTRIBUTES.iter().any(|name| ad.contains(name));
    let number = |name: &str| {
        let text = printed(ad, name).filter(|_| !is_raised)?;
        text.trim().parse().ok().filter(|amount| *amount > 0)
    };
    (ad.integer("JobStatus") == Some(status::IDLE)).then(|| Asking {
        job,
        memory: number("RequestMemory"),
        disk: number("RequestDisk"),
        is_new: ad.integer("NumJobStarts").unwrap_or(0) == 0,
        command: command_digest(ad),
        description: description_digest(ad),
    })
}

/// The files of this machine, unless the past is asked about.
fn checked_files(
    request: &Request,
    config: &Config,
    now: i64,
) -> Result<Option<LocalFiles>, RunError> {
    let Some(urls) = config.checks(request.checks.as_deref())?.filter(|_| request.now.is_none())
    else {
        return Ok(None);
    };
    let files = local_files(config, now, request.job_ads.is_none());
    Ok(files.map(|files| files.with_urls(urls)))
}

/// Nobody but its owner, and not root, is given a command that opens or changes a file which a job
/// names: the rest comes after that.
pub(super) fn leave_to_owner(advice: &mut Advice) {
    let opens = advice.commands.iter().any(|command| matches!(command, Command::Run(_)));
    if opens
        && (account().is_none() || account() != advice.held.owner.as_ref().map(Foreign::as_given))
    {
        let rest = std::mem::take(&mut advice.commands);
        let rest = rest.into_iter().filter(|command| !matches!(command, Command::Run(_)));
        advice.commands_after = rest.chain(advice.commands_after.drain(..)).collect();
    }
}

/// What is missing where only logs were named.
const NO_ADS: &str = "job ads and policies: only logs were named";

/// An event log that does not show the hold is as good as none.
fn not_shown(event_log: EventLogView) -> Option<Missing> {
    let what = match event_log {
        EventLogView::Whole | EventLogView::None => return None,
        EventLogView::BeginsLater => "it begins after this hold",
        EventLogView::WithoutHold => "it does not show this hold",
    };
    Some(Missing::Source(format!("event log of the access point: {what}").into()))
}

fn sources(lines: &[String]) -> impl Iterator<Item = Missing> {
    lines.iter().map(|line| Missing::Source(line.as_str().into()))
}

/// Judges jobs, several at a time and on all cores, and hands them on in their order.
fn in_batches<T: Sync>(
    jobs: Vec<T>,
    judge: impl Fn(&[T]) -> Result<Vec<Option<Advice>>, ModelError> + Sync,
    mut take: impl FnMut(&T, Option<Advice>) -> Result<(), RunError>,
) -> Result<(), RunError> {
    let mut jobs = jobs.into_iter();
    loop {
        // What has been judged is dropped.
        let batch: Vec<T> = jobs.by_ref().take(BATCH).collect();
        let advices: Vec<_> = if batch.is_empty() {
            return Ok(());
        } else if batch.len() <= TOGETHER {
            // A few jobs need no threads.
            vec![judge(&batch)?]
        } else {
            batch.par_chunks(TOGETHER).map(&judge).collect::<Result<_, _>>()?
        };
        for (job, advice) in batch.iter().zip(advices.into_iter().flatten()) {
            take(job, advice)?;
        }
    }
}

/// The jobs that were asked about and are held at the end of the logs. Others are refused.
fn held_in_logs(
    history: &History,
    refused: &mut Vec<String>,
    request: &Request,
    now: i64,
) -> Vec<JobId> {
    let mut met = vec![false; request.selection.jobs.len()];
    let mut held = history.held(now, |job, owner| {
        for (spec, met) in request.selection.jobs.iter().zip(&mut met) {
            *met |= spec.names(job, owner, None);
        }
        request.selection.names(job, owner, None)
    });
    for (spec, met) in request.selection.jobs.iter().zip(met) {
        if !met {
            refused.push(format!("{spec} is not held at the end of the log"));
        }
    }
    held.truncate(request.limit.unwrap_or(usize::MAX));
    held
}

fn judge_logs(
    advisor: &Advisor<'_>,
    held: Vec<JobId>,
    missing: &[String],
    now: i64,
    take: Take<'_>,
) -> Result<(), RunError> {
    let judge_jobs = |jobs: &[JobId]| {
        let held: Vec<Held> = jobs.iter().copied().map(Held::of_log).collect();
        advisor.advise_all(&held, now)
    };
    in_batches(held, judge_jobs, |_, advice| {
        let Some(mut advice) = advice else { return Ok(()) };
        advice.missing.push(Missing::Source(NO_ADS.into()));
        advice.missing.extend(not_shown(advice.event_log));
        advice.missing.extend(sources(missing));
        Ok(take(&advice, None)?)
    })
}

/// Logs that were written in another zone than TZ names.
type Zones = BTreeMap<PathBuf, Zone>;

/// The history, and the reasons of holds that the queue shows, where there is a log to find them
/// in.
fn read_histories(
    gathered: &Gathered,
    remarks: &mut Remarks,
    now: i64,
) -> Result<History, RunError> {
    let (mut history, zones, mut read) = read_logs(gathered, &Zones::new(), now)?;
    if !zones.is_empty() {
        (history, _, read) = read_logs(gathered, &zones, now)?;
    }
    remarks.extend(read);
    for zone in zones.into_values() {
        for job in zone.jobs {
            remarks.notes_of.entry(job).or_default().push(Arc::clone(&zone.note));
        }
    }
    for job in &gathered.held {
        history.add_queue_ad(&job.ad.to_classad(), now);
    }
    Ok(history.build())
}

/// Reads the logs, those of `zones` as written there. Returned with the history: logs found to be
/// of another zone, and what is to be said of all.
fn read_logs(
    gathered: &Gathered,
    zones: &Zones,
    now: i64,
) -> Result<(HistoryBuilder, Zones, Remarks), RunError> {
    let mut remarks = Remarks::default();
    let most = gathered.event_log_bytes;
    let room = Room::new(most);
    let options_of = |log: &Path| {
        let zone = zones.get(log).map(|zone| zone.zone.clone());
        let options = zone.map_or_else(ReadOptions::default, ReadOptions::in_zone);
        ReadOptions { room: room.clone(), ..options }
    };
    let mut found = Zones::new();
    let mut history = HistoryBuilder::new();
    for log in &gathered.event_logs {
        match read_event_log(&mut history, log, &options_of(log), most) {
            Ok((report, unread)) => {
                remarks.missing.extend(left_out(
                    log,
                    " and compressed files",
                    report.skipped,
                    most,
                ));
                let again = |history: &mut HistoryBuilder, options: &ReadOptions| {
                    let options = ReadOptions { room: Room::new(most), ..options.clone() };
                    read_event_log(history, log, &options, most).is_ok()
                };
                if let Some(mut zone) = Zone::find(&history, log, &gathered.held, None, now, again)
                {
                    // What goes on around a job counts for jobs that are not in the log too.
                    zone.jobs = gathered.held.iter().map(|job| job.id).collect();
                    found.insert(log.clone(), zone);
                }
                remarks.missing.extend(unread.iter().map(ToString::to_string));
                remarks.note_end(gathered, log, history.end_of_newest(), now);
                note_damage(gathered, &mut remarks, log, &report);
            }
            Err(error) => remarks.missing.push(error.to_string()),
        }
    }
    if is_foreign(&history, &gathered.held) {
        let text = "event log of the access point: it shows none of these holds, and is left out; is it of another \
                    access point?";
        remarks.missing.push(text.to_owned());
        history = HistoryBuilder::new();
    }
    for job in gathered.held.iter().chain(&gathered.others) {
        if let Some(owner) = &job.owner {
            history.attest_owner(job.id, owner);
        }
    }
    read_epochs(&mut history, gathered, &mut remarks.faults)?;
    let mut failed = None;
    let mut read = 0;
    let mut limits = LogLimits::default();
    // A large log, which anybody can make, is not read in the place of many small ones.
    let mut user_logs: Vec<&PathBuf> = gathered.user_logs.iter().collect();
    user_logs.sort_by_cached_key(|log| {
        let length = || log.metadata().map_or(0, |metadata| metadata.len());
        match gathered.log_accounts.get(*log) {
            Some(account) => as_owner(account, length).unwrap_or(0),
            None => length(),
        }
    });
    for log in user_logs {
        let owners = gathered.log_owners.get(log);
        if owners.is_some() && limits.are_met() {
            continue;
        }
        let account = gathered.log_accounts.get(log);
        let read_log = |history: &mut HistoryBuilder, options: &ReadOptions| match owners {
            Some(owners) => {
                let owners = owners.iter().map(String::as_str);
                let account = account.map_or("", String::as_str);
                let read = || history.read_log_of(log, owners, options);
                let failed = |source| EventLogError::Io { path: log.clone(), source };
                as_owner(account, read).map_err(failed)?
            }
            None => history.read_log(log, Coverage::Jobs, options),
        };
        let options = options_of(log);
        let options = match owners {
            Some(_) => limits.options(&options),
            None => ReadOptions { newest: Some(most), ..options },
        };
        match read_log(&mut history, &options) {
            Ok(report) => {
                read += 1;
                let skipped = match owners {
                    Some(_) => limits.take(log, &report),
                    None => left_out(log, "", report.skipped, most)
                        .map(|line| Missing::Source(line.into())),
                };
                let again = |history: &mut HistoryBuilder, other: &ReadOptions| {
                    let newest = options.newest.unwrap_or(most);
                    read_log(history, &other.clone().newest(newest)).is_ok()
                };
                if let Some(zone) = Zone::find(&history, log, &gathered.held, owners, now, again) {
                    found.insert(log.clone(), zone);
                } else if owners.is_none() {
                    remarks.note_end(gathered, log, history.end_of_newest(), now);
                }
                note_damage(gathered, &mut remarks, log, &report);
                if let Some(skipped) = skipped {
                    note_unread(gathered, &mut remarks, log, &skipped);
                }
            }
            Err(error) => {
                let missing = Missing::Source(error.to_string().into());
                note_unread(gathered, &mut remarks, log, &missing);
                failed.get_or_insert(error);
            }
        }
    }
    remarks.missing.extend(limits.left_out());
    if room.left() == 0 {
        remarks.missing.push(unpacked(most));
    }
    remarks.missing.extend(remarks.hidden.iter().cloned());
    // Logs alone were asked about and none can be read.
    if let Some(error) = failed.filter(|_| gathered.logs_alone && read == 0) {
        return Err(RunError::Log(error));
    }
    Ok((history, found, remarks))
}

/// Reads an event log with its rotated files, `most` bytes of it, the newest; what was left out is
/// among the skipped bytes.
fn read_event_log(
    history: &mut HistoryBuilder,
    log: &Path,
    options: &ReadOptions,
    most: u64,
) -> Result<(LogReport, Vec<EventLogError>), EventLogError> {
    let files = LogFiles::open(log)?;
    let left_out = files.bytes().saturating_sub(most);
    let series = match left_out {
        0 => files.whole(options),
        _ => files.window(options, i64::MIN, most),
    };
    let (report, unread) = history.read_open_series(series);
    Ok((LogReport { skipped: left_out, ..report }, unread))
}

pub(super) fn left_out(log: &Path, also: &str, skipped: u64, most: u64) -> Option<String> {
    (skipped > 0).then(|| {
        format!(
            "event log {}: its first {} MiB{also}, its last {} MiB are read \
             (HOLDADVISE_EVENT_LOG_MIB)",
            display_path(log),
            skipped.div_ceil(1 << 20),
            most >> 20
        )
    })
}

/// Ads of earlier runs; they say whose jobs they are of.
fn read_epochs(
    history: &mut HistoryBuilder,
    gathered: &Gathered,
    faults: &mut Vec<String>,
) -> Result<(), RunError> {
    if let Some(file) = &gathered.epoch_file {
        let path = file.clone();
        let error = |source| QueueError::Read { path, source };
        let mut report = history.read_epochs(input::reader(file).map_err(error)?);
        if report.ads == 0 && !report.problems.is_empty() {
            let expected = format!(
                "{}; expected what condor_history -epochs -long or -json writes",
                report.problems.remove(0)
            );
            return Err(QueueError::NotAds { path: file.clone(), expected }.into());
        }
        let place = file.display();
        faults.extend(report.problems.iter().map(|problem| format!("{place}: {problem}")));
    }
    if let Some(epochs) = &gathered.epochs {
        history.note_epochs();
        for ad in epochs {
            history.add_epoch(&ad.to_classad());
        }
    }
    Ok(())
}

/// A log that an ad names concerns the jobs that name it alone.
fn note_unread(gathered: &Gathered, remarks: &mut Remarks, log: &Path, missing: &Missing) {
    if !gathered.log_owners.contains_key(log) {
        remarks.missing.push(missing.to_string());
        return;
    }
    for job in &gathered.held {
        let mut named = [&job.logs.user_log, &job.logs.nodes_log].into_iter().flatten();
        if named.any(|named| gathered.log_names.get(named).is_some_and(|read| read == log)) {
            remarks.missing_of.entry(job.id).or_default().push(missing.clone());
        }
    }
}

/// Bytes that are read of a log that an ad names: its last ones.
const LOG_BYTES: u64 = 64 << 20;

/// Bytes that are read of all such logs of a call.
const LOGS_BYTES: u64 = 512 << 20;

/// How long such logs are read in a call.
const LOGS_TIME: Duration = Duration::from_secs(60);

/// What is left of the limits on logs that ads name: whoever owns a job writes there whatever they
/// like.
struct LogLimits {
    bytes: u64,
    until: Instant,
    left_out: usize,
}

impl Default for LogLimits {
    fn default() -> Self {
        Self { bytes: LOGS_BYTES, until: Instant::now() + LOGS_TIME, left_out: 0 }
    }
}

impl LogLimits {
    /// Nothing more is to be read.
    fn are_met(&mut self) -> bool {
        let met = self.bytes == 0 || Instant::now() >= self.until;
        self.left_out += usize::from(met);
        met
    }

    fn options(&self, options: &ReadOptions) -> ReadOptions {
        let most = LOG_BYTES.min(self.bytes);
        options.clone().newest(most)
    }

    /// Counts what was read. What was left out of the log, if anything.
    fn take(&mut self, log: &Path, report: &LogReport) -> Option<Missing> {
        self.bytes = self.bytes.saturating_sub(report.bytes);
        (report.skipped > 0).then(|| {
            let fault = format!(
                "its first {} MiB, of a log that an ad names the last {} MiB are read",
                report.skipped.div_ceil(1 << 20),
                LOG_BYTES >> 20
            );
            Missing::JobLog { log: display_path(log).into(), fault: fault.into() }
        })
    }

    /// A line for the logs that were not read.
    fn left_out(&self) -> Option<String> {
        (self.left_out > 0).then(|| {
            format!(
                "{} job event logs that ads name: {} MiB or {} s of such logs were read",
                self.left_out,
                LOGS_BYTES >> 20,
                LOGS_TIME.as_secs()
            )
        })
    }
}

/// Whether the event log had begun before some of these holds and shows none of them.
fn is_foreign(history: &HistoryBuilder, held: &[QueueJob]) -> bool {
    let history = history.so_far();
    let mut covers = false;
    for job in held {
        let Some(hold) = HoldInQueue::of(&job.ad.to_classad()) else { continue };
        let at = hold.entered_current_status;
        match history.event_log_view(job.id, at) {
            EventLogView::None => return false,
            EventLogView::BeginsLater => {}
            _ if history.may_show(job.id, at) => return false,
            // A job that is submitted on hold has no event of that.
            _ => covers |= hold.code != 15,
        }
    }
    covers
}

impl Remarks {
    /// Notes how far a log reaches, and that its newest events are of the future.
    fn note_end(&mut self, gathered: &Gathered, log: &Path, end: Option<i64>, now: i64) {
        self.newest = self.newest.max(end);
        let ahead = end.map_or(0, |end| end.saturating_sub(now));
        if gathered.is_now && ahead > SAME_CLOCK {
            self.faults.push(zones::ahead(log, now, ahead));
        }
    }
}

/// Notes damaged events, one line a log, and where logs alone tell of holds that they may hide some.
fn note_damage(gathered: &Gathered, remarks: &mut Remarks, log: &Path, report: &LogReport) {
    log::info!("{}: {} events", log.display(), report.events);
    if let Some(first) = &report.first_damage {
        let rest = match report.damaged {
            0 | 1 => String::new(),
            count => format!(" ({} more damaged events)", count - 1),
        };
        // Of a rotated log, the file that has the byte.
        let log = report.damaged_file.as_deref().unwrap_or(log);
        remarks.faults.push(format!("{}: {first}{rest}", log.display()));
        // An event of another kind is still being written.
        let is_other = first.event.is_some_and(|(number, _)| number != EventKind::JobHeld.number());
        let is_written = report.damaged == 1 && first.damage == Damage::Truncated && is_other;
        if gathered.logs_alone && !is_written {
            let (events, at) = (plural(report.damaged, "damaged event"), first.offset);
            let log = log.display();
            let line =
                format!("{log}: {events}, the first at byte {at}: holds there are not known");
            remarks.hidden.push(line);
        }
    }
}

fn knobs(request: &Request, config: &Config) -> Knobs {
    // Another access point's policies are not in the configuration here.
    let is_here = !request.is_offline() && request.schedd.is_none() && request.pool.is_none();
    if is_here { config.knobs() } else { Knobs::default() }
}
