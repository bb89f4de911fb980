//! What the columns of the held job are computed from.

use super::words::Words;
use crate::history::{Action, Episode, Exit, JobHistory, Known, Step, What};

/// The hold, its job and what is asked.
#[derive(Debug)]
pub(super) struct Facts {
    /// HoldReasonCode, where the sample has a column for it.
    pub(super) code: Option<usize>,
    pub(super) subcode: i32,
    pub(super) reason_given: bool,
    pub(super) words: Words,
    /// Seconds from the hold to the decision instant.
    pub(super) held_for: i64,
    pub(super) own: Own,
    pub(super) usage: Usage,
    /// A log of the whole access point is at hand.
    pub(super) sees_access_point: bool,
    /// Jobs of the access point held now for the same code.
    pub(super) held_same_code: Option<usize>,
    pub(super) action: Action,
}

/// This job's own history up to its hold.
#[derive(Debug, Default)]
pub(super) struct Own {
    /// A log tells of the job.
    pub(super) logged: bool,
    /// The log begins with its submission.
    pub(super) from_submission: bool,
    pub(super) holds: usize,
    pub(super) holds_same_code: usize,
    pub(super) starts: usize,
    pub(super) evictions: usize,
    /// Earlier releases from the same code after which it was held or failed again.
    pub(super) failed_releases: usize,
    /// Seconds from submission to hold.
    pub(super) age: Option<i64>,
    /// Seconds from the last start to the hold; `None` if the hold came before a start.
    pub(super) ran_for: Option<i64>,
}

/// Usage of the last run over what it had been given.
#[derive(Debug, Default)]
pub(super) struct Usage {
    pub(super) memory: Option<f64>,
    pub(super) disk: Option<f64>,
    /// MiB.
    pub(super) memory_provisioned: Option<f64>,
}

/// Seconds before a hold within which an eviction is the same failure.
const WITH_HOLD: i64 = 10;

impl Own {
    /// `steps`: those of the job up to its hold.
    pub(super) fn of(hold: &Episode, job: &JobHistory, steps: &[Step], instant: i64) -> Self {
        let code = hold.identity.code;
        let counted =
            |wanted: fn(What) -> bool| steps.iter().filter(|step| wanted(step.what)).count();
        let for_code = |what: What| matches!(what, What::Held(hold) if hold.code == code);
        let same_code = steps.iter().filter(|step| for_code(step.what)).count();
        let held = counted(|what| matches!(what, What::Held(_))).max(1);
        let starts = counted(|what| matches!(what, What::Executing(_)));
        let from_submission = job.from_submission();
        let submitted = steps.first().filter(|_| from_submission).map(|step| step.time);
        // What the ad counts where the log begins late.
        let beyond = |in_log: usize, in_ad: i64| match from_submission {
            true => in_log,
            false => usize::try_from(in_ad).unwrap_or(0).max(in_log),
        };
        let ad = job.ad_at(instant);
        Self {
            logged: !steps.is_empty(),
            from_submission,
            // NumHolds of the ad may count a hold twice, once by the shadow and once by the schedd.
            holds: beyond(held, hold.identity.num_holds),
            starts: beyond(starts, ad.and_then(|ad| ad.num_job_starts).unwrap_or(0)),
            holds_same_code: same_code.max(1),
            evictions: counted(|what| matches!(what, What::Evicted | What::ShadowException)),
            failed_releases: failed_releases(steps, code),
            age: submitted.map(|submitted| hold.held_at - submitted),
            ran_for: attempt(steps, hold.held_at).map(|began| hold.held_at - began),
        }
    }
}

impl Usage {
    pub(super) fn of(hold: &Episode, job: &JobHistory, instant: i64) -> Self {
        let ad = job.ad_at(instant);
        let last = |facts| Known::last_at(facts, hold.held_at).map(|value: i64| value as f64);
        let provisioned =
            ad.and_then(|ad| ad.memory_provisioned).or_else(|| last(&job.memory_provisioned));
        let used = ad.and_then(|ad| ad.memory_usage).or_else(|| last(&job.memory_usage));
        let ratio = |used: Option<f64>, given: Option<f64>| match (used, given) {
            (Some(used), Some(given)) if given > 0.0 => Some(used / given),
            _ => None,
        };
        Self {
            memory: ratio(used, provisioned),
            disk: ratio(ad.and_then(|ad| ad.disk_usage), ad.and_then(|ad| ad.disk_provisioned)),
            memory_provisioned: provisioned,
        }
    }
}

/// When the run began that the hold ended. The starter's failure writes an eviction right before
/// the hold.
fn attempt(steps: &[Step], held_at: i64) -> Option<i64> {
    let ended =
        |step: &&Step| matches!(step.what, What::Held(_) | What::Evicted | What::ShadowException);
    let before = &steps[..steps.len().saturating_sub(1)];
    let with_hold = |step: &&Step| ended(step) && step.time >= held_at - WITH_HOLD;
    let run = before.iter().rev().skip_while(with_hold).take_while(|step| !ended(step));
    run.filter(|step| matches!(step.what, What::Executing(_))).last().map(|step| step.time)
}

fn failed_releases(steps: &[Step], code: i32) -> usize {
    let mut failed = 0;
    let mut released_from = None;
    for step in steps {
        match step.what {
            What::Held(hold) => {
                if released_from == Some(Some(code)) && hold.is_by_system() {
                    failed += 1;
                }
                released_from = Some(None);
                if hold.code == code {
                    released_from = Some(Some(code));
                }
            }
            What::Terminated(Exit::Code(_) | Exit::Signal(_))
                if released_from == Some(Some(code)) =>
            {
                failed += 1;
            }
            _ => {}
        }
    }
    failed
}
