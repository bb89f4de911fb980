//! Asks the advisor about each held job of what was gathered.

use std::collections::HashMap;
use std::io;
use std::mem::ManuallyDrop;

use classads::ClassAd;
use eventlog::JobId;

use super::asked::Asked;
use super::costs::costs;
use super::gather::{Gathered, Remarks};
use super::histories::{SAME_CLOCK, read_histories};
use super::local_files::{account, local_files};
use super::pool::Pool;
use super::said::Outputs;
use super::{Config, Inquiry, InquiryError, ended, stuck};
use crate::advice::{Advice, Advisor, Command, Held, Missing, Policies, Since, Target, ask_urls};
use crate::checks::LocalFiles;
use crate::features::Holds;
use crate::history::{
    EventLogView, History, HoldInQueue, bounded, command_digest, description_digest, printed,
};
use crate::hold_code::is_by_system;
use crate::job_status as status;
use crate::model::Model;
use crate::policy::{Knobs, PolicyTime};
use crate::queue::{AdText, JobSpec, QueueJob};
use crate::text::Foreign;
use crate::workflow::{
    Asking, By, FIT_ATTRIBUTES, Question, Thrasher, Thrashing, View, Waiting, fits, keep_off,
    thrashing,
};

/// Is given an advice, and the ad of its job where there is one.
pub type Take<'a> = &'a mut dyn FnMut(&Advice, Option<&AdText>) -> io::Result<()>;

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
    inquiry: &Inquiry,
    config: &Config,
    model: &Model,
    now: i64,
    take: Take<'_>,
) -> Result<Seen, InquiryError> {
    let history = read_histories(&gathered, remarks, now)?;
    let newest = remarks.newest.filter(|_| gathered.is_now && gathered.logs_alone).unwrap_or(now);
    // The clock of the access point may be a little ahead of this one.
    let now = newest.clamp(now, now.saturating_add(SAME_CLOCK));
    let pool = Pool::of(inquiry, config)?;
    let (view, thrashers) = match inquiry.places {
        Some(by) => {
            let (view, thrashers) =
                view_of(&history, &mut gathered, (inquiry, by), config, &pool, now)?;
            (Some(view), thrashers)
        }
        None => (None, stuck::thrashers(&gathered.others, now)),
    };
    // Of these the view says what to do.
    if let Some(view) = view.as_ref().filter(|view| view.keep_off.iter().any(|one| one.held)) {
        gathered.held.retain(|job| !is_held_there(view, job));
    }
    let mut thrashing = thrashing(&thrashers);
    if inquiry.places.is_none() {
        let is_named = |job: &&QueueJob| inquiry.selection.jobs.contains(&JobSpec::Job(job.id));
        let named = gathered.others.iter().filter(is_named);
        let rest = named.filter(|job| thrashers.iter().all(|one| one.job() != job.id));
        remarks.refused.extend(rest.map(|job| format!("job {} is not held", job.id)));
    }
    let mut seen = Seen { jobs: history.jobs().len(), view, ..Seen::default() };
    if inquiry.places_alone && !thrashing.iter().any(|group| group.is_of_job) {
        return Ok(seen.with_thrashing(thrashing));
    }
    let held = match gathered.logs_alone {
        true => held_in_logs(&history, remarks, inquiry, now),
        false => gathered.held.iter().map(|job| job.id).collect(),
    };
    if newest > now {
        let all = history.held(i64::MAX, |job, owner| inquiry.selection.names(job, owner, None));
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
        .with_costs(costs(&inquiry.costs, config, model.metadata.thresholds)?)
        .with_editable(config.editable())
        .explaining(inquiry.inputs.are_wanted(held.len()));
    let (freed, kept);
    let advisor = if inquiry.goes_on {
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
        knobs: knobs(inquiry, config),
        time: time.among(gathered.held.iter().chain(&gathered.others).map(owner)),
        held_in_cluster: HashMap::new(),
        files: checked_files(inquiry, config, now)?,
    };
    if let Some(files) = &policies.files {
        remarks.asked_urls = ask_urls(files, gathered.held.iter().map(|job| job.ad.to_classad()));
    }
    for job in &gathered.held {
        *policies.held_in_cluster.entry(job.id.cluster).or_default() += 1;
    }
    let judging = (&thrashers[..], &gathered.others[..]);
    stuck::judge(&mut thrashing, judging, advisor, &policies, now)?;
    seen = seen.with_thrashing(thrashing);
    if inquiry.places_alone {
        return Ok(seen);
    }
    let held = |job: &QueueJob| {
        Held::of_ad(job.id, &job.ad.to_classad(), job.lacks_references, &policies, now)
    };
    let cluster = |job: &QueueJob| job.id.cluster;
    let judged =
        in_batches(gathered.held, (advisor, now), cluster, held, |job, advice| match advice {
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
    (inquiry, by): (&Inquiry, By),
    config: &Config,
    pool: &Pool<'_>,
    now: i64,
) -> Result<(View, Vec<Thrasher>), InquiryError> {
    let selection = &inquiry.selection;
    let asked = Asked::about(gathered, inquiry);
    if let Asked::Dag(jobs) = &asked {
        gathered.held.retain(|job| jobs.contains_key(&job.id));
        gathered.others.retain(|job| jobs.contains_key(&job.id));
    }
    // Looks of their own: the checks of held jobs keep their time.
    let files = checked_files(inquiry, config, now)?;
    let mut outputs = Outputs::of(files, gathered, &asked, inquiry, config);
    let names = |job, owner: Option<&str>| asked.names(job, owner);
    let mut view = View::of(history, now, by, names, |run| outputs.says(run));
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
            submit_file: &|job| asked.submit_file(job, inquiry),
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
    inquiry: &Inquiry,
    config: &Config,
    now: i64,
) -> Result<Option<LocalFiles>, InquiryError> {
    let Some(urls) = config.checks(inquiry.checks)?.filter(|_| inquiry.now.is_none()) else {
        return Ok(None);
    };
    let files = local_files(config, now, inquiry.job_ads.is_none());
    let keeping = |files: LocalFiles| match Config::state_folder() {
        Some(folder) => files.keeping_asked(folder),
        None => files,
    };
    Ok(files.map(|files| keeping(files.with_urls(urls))))
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

/// Jobs that are judged together at most.
const MOST_TOGETHER: usize = 8 * Advisor::BATCH;

/// Judges jobs, a batch at a time, and hands them on in their order while the next are judged.
fn in_batches<T: Send + Sync>(
    jobs: Vec<T>,
    (advisor, now): (&Advisor<'_>, i64),
    cluster: impl Fn(&T) -> i32 + Send + Sync,
    held: impl Fn(&T) -> Held + Send + Sync,
    mut take: impl FnMut(&T, Option<Advice>) -> Result<(), InquiryError>,
) -> Result<(), InquiryError> {
    let mut left = jobs.len();
    let mut jobs = jobs.into_iter();
    let mut judge = || {
        // What has been judged is dropped. Jobs of a cluster are judged together, as a try is one of
        // them, as far as there is room.
        let next = jobs.as_slice();
        let is_other = |at: usize| cluster(&next[at - 1]) != cluster(&next[at]);
        let least = next.len().min(Advisor::BATCH);
        let most = next.len().min(MOST_TOGETHER);
        let end = (least..most).find(|&at| is_other(at)).unwrap_or(most);
        let batch: Vec<T> = jobs.by_ref().take(end).collect();
        advisor.advise_each(&batch, &held, now).map(|advices| (batch, advices))
    };
    let mut judged = judge()?;
    loop {
        let (batch, advices) = judged;
        left -= batch.len();
        let mut both = batch.iter().zip(advices);
        let mut hand_on = || both.try_for_each(|(job, advice)| take(job, advice));
        // A few jobs need no threads.
        if left == 0 {
            return hand_on();
        }
        let mut next = Ok((Vec::new(), Vec::new()));
        // In the pool of the caller: a process that was forked has no other threads.
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| next = judge());
            hand_on()
        })?;
        judged = next?;
    }
}

/// The jobs that were asked about and are held at the end of the logs. Others are refused.
fn held_in_logs(
    history: &History,
    remarks: &mut Remarks,
    inquiry: &Inquiry,
    now: i64,
) -> Vec<JobId> {
    let mut met = vec![false; inquiry.selection.jobs.len()];
    let mut held = history.held(now, |job, owner| {
        for (spec, met) in inquiry.selection.jobs.iter().zip(&mut met) {
            *met |= spec.names(job, owner, None);
        }
        inquiry.selection.names(job, owner, None)
    });
    for (spec, met) in inquiry.selection.jobs.iter().zip(met) {
        if met {
            continue;
        }
        match ended::in_log(spec, history, now) {
            Some(line) => remarks.ended.push(line),
            None => remarks.refused.push(format!("{spec} is not held at the end of the log")),
        }
    }
    held.truncate(inquiry.limit.unwrap_or(usize::MAX));
    held
}

fn judge_logs(
    advisor: &Advisor<'_>,
    held: Vec<JobId>,
    missing: &[String],
    now: i64,
    take: Take<'_>,
) -> Result<(), InquiryError> {
    let of_log = |job: &JobId| Held::of_log(*job);
    in_batches(
        held,
        (advisor, now),
        |job| job.cluster,
        of_log,
        |_, advice| {
            let Some(mut advice) = advice else { return Ok(()) };
            advice.missing.push(Missing::Source(NO_ADS.into()));
            advice.missing.extend(not_shown(advice.event_log));
            advice.missing.extend(sources(missing));
            Ok(take(&advice, None)?)
        },
    )
}

fn knobs(inquiry: &Inquiry, config: &Config) -> Knobs {
    // Another access point's policies are not in the configuration here.
    let is_here = !inquiry.is_offline() && inquiry.schedd.is_none() && inquiry.pool.is_none();
    if is_here { config.knobs() } else { Knobs::default() }
}
