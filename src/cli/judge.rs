//! Reads the histories of what was gathered and asks the advisor about each held job.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use jiff::tz::TimeZone;
use rayon::prelude::*;

use super::costs::costs;
use super::gather::Gathered;
use super::policy_time::PolicyTime;
use super::run::RunError;
use super::{Config, Request};
use crate::advice::job_facts::JobFacts;
use crate::advice::{Advice, Advisor, ByItself, Held};
use crate::history::{Coverage, EventLogView, History, HoldInQueue, LogReport};
use crate::model::{Model, ModelError};
use crate::policy::{DagNode, Forecast, Kind, Knobs, LATE_WORK, WORK, forecast, own_limit_within};
use crate::queue::QueueJob;
use crate::userlog::{JobId, ReadOptions};

/// Jobs judged at a time: their advices are in memory at once.
const BATCH: usize = 512;

/// Jobs of a batch judged together on one core.
const TOGETHER: usize = 64;

/// Gives the advice for each held job to `take`, in the order of their ids. Jobs that turn out not to be held
/// are added to those refused.
pub(super) fn judge(
    gathered: &mut Gathered,
    request: &Request,
    config: &Config,
    model: &Model,
    now: i64,
    take: &mut dyn FnMut(&Advice) -> io::Result<()>,
) -> Result<(), RunError> {
    let history = read_histories(gathered, now)?;
    let mut advisor = Advisor::new(history, model, now)?;
    if let Some(counts) = &gathered.hold_counts {
        let mut by_code: HashMap<i32, usize> = HashMap::new();
        for (&(code, _), &count) in counts {
            *by_code.entry(code).or_default() += usize::try_from(count).unwrap_or(usize::MAX);
        }
        advisor.set_held_by_code(by_code);
    }
    advisor.set_costs(costs(&request.costs, config, model.metadata.thresholds)?);
    if gathered.logs_alone {
        return judge_logs(&mut advisor, gathered, request, take);
    }
    if request.prints_inputs(gathered.held.len()) {
        advisor.explain();
    }
    let knobs = knobs(request, config);
    let mut held_in_cluster: HashMap<i32, u64> = HashMap::new();
    for job in &gathered.held {
        *held_in_cluster.entry(job.id.cluster).or_default() += 1;
    }
    let time = PolicyTime::new(config.policy_time()?);
    let judge_jobs = |jobs: &[QueueJob]| {
        let in_cluster = |job: &QueueJob| held_in_cluster.get(&job.id.cluster).copied();
        let held: Vec<Held> = jobs
            .iter()
            .map(|job| held(job, &knobs, in_cluster(job).unwrap_or(0), &time, now))
            .collect();
        advisor.advise_all(&held)
    };
    let jobs = std::mem::take(&mut gathered.held);
    let judged = in_batches(jobs, judge_jobs, |job, advice| match advice {
        Some(mut advice) => {
            advice.missing.extend(not_shown(advice.event_log));
            let missing = gathered.missing_of.remove(&job.id).unwrap_or_default();
            advice.missing.extend(missing.iter().map(|line| line.to_string()));
            advice.missing.extend(gathered.missing.iter().cloned());
            Ok(take(&advice)?)
        }
        None => {
            gathered.refused.push(format!("job {} is not held", job.id));
            Ok(())
        }
    });
    gathered.faults.extend(time.line());
    judged
}

/// What is missing where only logs were named.
const NO_ADS: &str = "job ads and policies: only logs were named";

/// An event log that does not show the hold is as good as none.
fn not_shown(event_log: EventLogView) -> Option<String> {
    let what = match event_log {
        EventLogView::Whole | EventLogView::None => return None,
        EventLogView::BeginsLater => "it begins after this hold",
        EventLogView::WithoutHold => "it does not show this hold",
    };
    Some(format!("event log of the access point: {what}"))
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

fn judge_logs(
    advisor: &mut Advisor<'_>,
    gathered: &mut Gathered,
    request: &Request,
    take: &mut dyn FnMut(&Advice) -> io::Result<()>,
) -> Result<(), RunError> {
    let mut met = vec![false; request.selection.jobs.len()];
    let mut held = advisor.held_in_logs(|job, owner| {
        for (spec, met) in request.selection.jobs.iter().zip(&mut met) {
            *met |= spec.names(job, owner, None);
        }
        request.selection.names(job, owner, None)
    });
    held.truncate(request.limit.unwrap_or(usize::MAX));
    if request.prints_inputs(held.len()) {
        advisor.explain();
    }
    let judge_jobs = |jobs: &[JobId]| {
        let held: Vec<Held> = jobs.iter().copied().map(Held::of_log).collect();
        advisor.advise_all(&held)
    };
    in_batches(held, judge_jobs, |_, advice| {
        let Some(mut advice) = advice else { return Ok(()) };
        advice.missing.push(NO_ADS.to_owned());
        advice.missing.extend(not_shown(advice.event_log));
        advice.missing.extend(gathered.missing.iter().cloned());
        Ok(take(&advice)?)
    })?;
    for (spec, met) in request.selection.jobs.iter().zip(met) {
        if !met {
            gathered.refused.push(format!("{spec} is not held at the end of the log"));
        }
    }
    Ok(())
}

fn read_histories(gathered: &mut Gathered, now: i64) -> Result<History, RunError> {
    let options = ReadOptions::default();
    let mut history = History::new();
    for log in &gathered.event_logs {
        match history.read_series(log, &options) {
            Ok((report, unread)) => {
                gathered.missing.extend(unread.iter().map(ToString::to_string));
                told(&mut gathered.faults, log, &report);
            }
            Err(error) => gathered.missing.push(error.to_string()),
        }
    }
    if is_foreign(&history, &gathered.held) {
        let text = "event log of the access point: it shows none of these holds, and is left out; is it of another \
                    access point?";
        gathered.missing.push(text.to_owned());
        history = History::new();
    }
    for job in &gathered.held {
        let ad = job.ad.part(|name| name.eq_ignore_ascii_case("Owner"));
        if let Some(owner) = ad.string("Owner") {
            history.attest_owner(job.id, &owner);
        }
    }
    let mut failed = None;
    let mut read = 0;
    for log in &gathered.user_logs {
        let report = match gathered.log_owners.get(log) {
            Some(owners) => history.read_log_of(log, owners.iter().map(String::as_str), &options),
            None => history.read_log(log, Coverage::Jobs, &options),
        };
        match report {
            Ok(report) => {
                read += 1;
                told(&mut gathered.faults, log, &report);
            }
            Err(error) => {
                gathered.missing.push(error.to_string());
                failed.get_or_insert(error);
            }
        }
    }
    // Logs alone were asked about and none can be read.
    if let Some(error) = failed.filter(|_| gathered.logs_alone && read == 0) {
        return Err(RunError::Log(error));
    }
    if let Some(file) = &gathered.epoch_file {
        let path = file.clone();
        let error = |source| crate::queue::QueueError::Read { path, source };
        let report = history.read_epochs(BufReader::new(File::open(file).map_err(error)?));
        let place = file.display();
        gathered.faults.extend(report.problems.iter().map(|problem| format!("{place}: {problem}")));
    }
    if gathered.asked_epochs {
        history.note_epochs();
    }
    for ad in gathered.epochs.drain(..) {
        history.add_epoch(&ad.to_classad());
    }
    for job in &gathered.held {
        history.add_ad(&job.ad.to_classad(), now);
    }
    history.settle();
    Ok(history)
}

/// Whether the event log had begun before some of these holds and shows none of them.
fn is_foreign(history: &History, held: &[QueueJob]) -> bool {
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

/// Notes damaged events, one line a log.
fn told(faults: &mut Vec<String>, log: &Path, report: &LogReport) {
    log::info!("{}: {} events", log.display(), report.events);
    if let Some(first) = &report.first_damage {
        let rest = match report.damaged {
            0 | 1 => String::new(),
            count => format!(" ({} more damaged events)", count - 1),
        };
        faults.push(format!("{}: {first}{rest}", log.display()));
    }
}

fn knobs(request: &Request, config: &Config) -> Knobs {
    // Another access point's policies are not in the configuration here.
    let is_here = !request.is_offline() && request.schedd.is_none() && request.pool.is_none();
    if is_here { config.knobs() } else { Knobs::default() }
}

fn held(job: &QueueJob, knobs: &Knobs, held_in_cluster: u64, time: &PolicyTime, now: i64) -> Held {
    let ad = job.ad.to_classad();
    let mut in_queue = HoldInQueue::of(&ad);
    if let Some(hold) = in_queue.as_mut().filter(|_| !ad.contains("EnteredCurrentStatus")) {
        hold.entered_current_status = now;
    }
    let forecast = time.within(|| forecast(&ad, knobs, now));
    let mut htcondor_will = match &forecast {
        Some(forecast) => forecast.sentences(&TimeZone::system()),
        None => vec![format!(
            "Whether HTCondor will release or remove this job is not known: its policies were {}.",
            time.reason()
        )],
    };
    let node = DagNode::of(&ad);
    if let Some(node) = &node {
        htcondor_will.extend(node.removal());
        htcondor_will.extend(node.holds(knobs, held_in_cluster));
    }
    // Without the configuration of its access point the policies there are not known.
    let by_itself = match &forecast {
        Some(Forecast { deed: Some(_), .. }) => ByItself::Acts,
        Some(Forecast { policies, .. })
            if !knobs.is_empty() && !policies.iter().any(|policy| policy.not_known) =>
        {
            ByItself::Nothing
        }
        _ => ByItself::Unknown,
    };
    // The limit that held the job tells whether it is held again: a few steps for it are always left.
    let work = if forecast.is_some() { WORK } else { LATE_WORK };
    let own_limit = own_limit_within(&ad, knobs, now, work);
    let release = forecast.and_then(|all| all.deed).filter(|deed| deed.kind == Kind::Release);
    Held {
        job: job.id,
        in_queue,
        facts: JobFacts { own_limit, ..JobFacts::of_ad(job.id, &ad) },
        dagman_job_id: ad.integer("DAGManJobId").and_then(|id| i32::try_from(id).ok()),
        htcondor_will,
        released_by_policy_at: release.map(|deed| deed.at),
        by_itself,
    }
}
