//! What the columns of the held job are computed from.

use std::collections::HashMap;

use eventlog::JobId;

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

/// What the first steps of a job add up to. Rows of one job are asked for one after the other: each
/// goes on where the last one ended.
#[derive(Debug, Default)]
pub(super) struct Tally {
    job: Option<JobId>,
    /// Steps counted.
    steps: usize,
    held: usize,
    starts: usize,
    evictions: usize,
    /// Holds with a code, and releases from it after which the job was held or failed again.
    of_code: HashMap<i32, (usize, usize)>,
    /// The code of the last hold.
    last_held: Option<i32>,
}

impl Tally {
    /// Counts these steps of a job, its first ones.
    fn count(&mut self, job: JobId, steps: &[Step]) {
        if self.job != Some(job) || self.steps > steps.len() {
            // The table is used again for the next job.
            let mut of_code = std::mem::take(&mut self.of_code);
            of_code.clear();
            *self = Self { job: Some(job), of_code, ..Self::default() };
        }
        for step in &steps[self.steps..] {
            self.add(step.what);
        }
        self.steps = steps.len();
    }

    fn add(&mut self, what: What) {
        let last = self.last_held;
        let mut fails = || {
            if let Some(counts) = last.and_then(|code| self.of_code.get_mut(&code)) {
                counts.1 += 1;
            }
        };
        match what {
            What::Held(hold) => {
                if hold.is_by_system() {
                    fails();
                }
                self.of_code.entry(hold.code).or_default().0 += 1;
                self.held += 1;
                self.last_held = Some(hold.code);
            }
            What::Terminated(Exit::Code(_) | Exit::Signal(_)) => fails(),
            What::Executing(_) => self.starts += 1,
            What::Evicted(_) | What::ShadowException => self.evictions += 1,
            _ => {}
        }
    }
}

impl Own {
    /// `steps`: those of the job up to its hold.
    pub(super) fn of(
        hold: &Episode,
        job: &JobHistory,
        steps: &[Step],
        instant: i64,
        tally: &mut Tally,
    ) -> Self {
        tally.count(hold.identity.job, steps);
        let code = hold.identity.code;
        let (same_code, failed_releases) = tally.of_code.get(&code).copied().unwrap_or_default();
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
            holds: beyond(tally.held.max(1), hold.identity.num_holds),
            starts: beyond(tally.starts, ad.and_then(|ad| ad.num_job_starts).unwrap_or(0)),
            holds_same_code: same_code.max(1),
            evictions: tally.evictions,
            failed_releases,
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
    let ended = |step: &&Step| {
        matches!(step.what, What::Held(_) | What::Evicted(_) | What::ShadowException)
    };
    let before = &steps[..steps.len().saturating_sub(1)];
    let with_hold = |step: &&Step| ended(step) && step.time >= held_at - WITH_HOLD;
    let run = before.iter().rev().skip_while(with_hold).take_while(|step| !ended(step));
    run.filter(|step| matches!(step.what, What::Executing(_))).last().map(|step| step.time)
}
