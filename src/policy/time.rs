//! The time that the policies of all jobs of a call may take, counted in steps of evaluation.
//!
//! What is said depends on the jobs alone, and on no clock: how busy the machine is changes nothing.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use classads::{Budget, ClassAd, Expr};

use super::clauses::{followed, is_cut, is_open, references};
use super::forecast::{Forecast, SetPolicy, forecast_of, policies_set};
use super::{Knobs, LATE_WORK, WORK};
use crate::shares::{left_out, level};

/// Steps that count as a second. Assumed: half of those that a core of 2024 takes.
const STEPS_OF_SECOND: u64 = 20_000_000;

/// Steps of one job at most: each of its policies has [`WORK`].
const MOST: u64 = 16 * WORK;

/// Steps that each job has while there is time at all: policies that people write take less.
const LEAST: u64 = LATE_WORK;

/// Policies remembered, and bytes of what the value of one depends on. Assumed.
const REMEMBERED: usize = 4096;
const LONGEST: usize = 8 << 10;

/// Attributes on which a forecast depends whatever the policies are.
const ALWAYS: [&str; 7] = [
    "JobStatus",
    "HoldReasonCode",
    "HoldReasonSubCode",
    "NumHolds",
    "Managed",
    "TimerRemove",
    "JobStatusOnRelease",
];

/// A time in steps that owners share, and the jobs whose policies it did not suffice for.
#[derive(Debug)]
pub struct PolicyTime {
    limit: Duration,
    /// Steps of one job of each owner; `None`: whoever comes first has them.
    of_job: Option<HashMap<String, u64>>,
    left: Budget,
    left_out: Mutex<BTreeMap<Box<str>, u64>>,
    /// What became of policies, by all that this depends on.
    known: Mutex<HashMap<Box<str>, Option<Forecast>>>,
}

impl PolicyTime {
    /// Ten seconds.
    pub const DEFAULT: Duration = Duration::from_secs(10);

    /// A time of which each job may take what is left.
    pub fn new(limit: Duration) -> Self {
        let steps = limit.as_millis().saturating_mul(u128::from(STEPS_OF_SECOND)) / 1_000;
        Self {
            limit,
            of_job: None,
            left: Budget::new(u64::try_from(steps).unwrap_or(u64::MAX)),
            left_out: Mutex::default(),
            known: Mutex::default(),
        }
    }

    /// The same, of which each of these jobs has a part: the owners share it, and the jobs of each
    /// share alike. Each job is named by its owner.
    #[must_use]
    pub fn among(self, jobs: impl IntoIterator<Item = String>) -> Self {
        let mut counts: HashMap<String, u64> = HashMap::new();
        for owner in jobs {
            *counts.entry(owner).or_default() += 1;
        }
        let level = level(self.left.left(), counts.values().map(|jobs| jobs * MOST));
        let of_job = |jobs: u64| level.min(jobs * MOST) / jobs;
        let least = if self.limit.is_zero() { 0 } else { LEAST };
        let of_job = counts.into_iter().map(|(owner, jobs)| (owner, of_job(jobs).max(least)));
        Self { of_job: Some(of_job.collect()), ..self }
    }

    fn steps(&self, owner: &str) -> u64 {
        match &self.of_job {
            Some(of_job) => of_job.get(owner).copied().unwrap_or(0),
            None => self.left.left().min(MOST),
        }
    }

    /// What `evaluate` makes of the policies of a job of this owner in the steps that there are;
    /// `None`, and the job is counted, where they do not suffice.
    pub fn within<T>(&self, owner: &str, evaluate: impl FnOnce(&Budget) -> T) -> Option<T> {
        let steps = self.steps(owner);
        let budget = Budget::new(steps);
        let value = (steps > 0).then(|| evaluate(&budget));
        let left = budget.left();
        if self.of_job.is_none() {
            self.left.take(steps - left);
        }
        // What takes more than any job may take is not known, however much time there is.
        let value = value.filter(|_| left > 0 || steps >= MOST);
        if value.is_none() {
            self.leave_out(owner);
        }
        value
    }

    fn leave_out(&self, owner: &str) {
        *lock(&self.left_out).entry(owner.into()).or_default() += 1;
    }

    /// What the schedd's policies will do with a held job. Equal policies on which equal attributes
    /// bear are evaluated once.
    ///
    /// # Errors
    /// Why they were left out.
    pub(crate) fn forecast(
        &self,
        ad: &ClassAd,
        knobs: &Knobs,
        now: i64,
    ) -> Result<Forecast, String> {
        let owner = ad.string("Owner").unwrap_or_default();
        let policies = policies_set(ad, knobs);
        let key = key(ad, &policies).map(|key| format!("{now} {} {key}", self.steps(&owner)));
        let key = key.filter(|key| key.len() <= LONGEST && self.of_job.is_some());
        if let Some(known) = key.as_deref().and_then(|key| lock(&self.known).get(key).cloned()) {
            if known.is_none() {
                self.leave_out(&owner);
            }
            return known.ok_or_else(|| self.reason());
        }
        let made = self.within(&owner, |steps| forecast_of(ad, policies, knobs, now, steps));
        if let Some(key) = key {
            let mut known = lock(&self.known);
            if known.len() >= REMEMBERED {
                known.clear();
            }
            known.insert(key.into(), made.clone());
        }
        made.ok_or_else(|| self.reason())
    }

    /// Why policies were left out.
    pub fn reason(&self) -> String {
        let seconds = self.limit.as_secs();
        format!("not evaluated, the time for policies ({seconds} s) was used up")
    }

    /// The line about all jobs that were left out, if there are any.
    pub fn line(&self) -> Option<String> {
        let counts = lock(&self.left_out);
        let sum: u64 = counts.values().sum();
        let jobs = if sum == 1 { "job" } else { "jobs" };
        let owners = counts.iter().map(|(owner, count)| (&**owner, *count));
        let owners = left_out(owners.filter(|(owner, _)| !owner.is_empty()));
        let owners = owners.map(|owners| format!(": {owners}")).unwrap_or_default();
        let reason = self.reason();
        (sum > 0).then(|| {
            format!("policies of {sum} {jobs}: {reason} (HOLDADVISE_POLICY_SECONDS){owners}")
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All of the ad that the policies depend on; `None` where nothing is to be evaluated, or where that
/// is not known.
fn key(ad: &ClassAd, policies: &[SetPolicy]) -> Option<String> {
    let evaluated =
        |policy: &&SetPolicy| policy.expr.as_ref().is_some_and(|expr| expr.as_literal().is_none());
    policies.iter().find(evaluated)?;
    let roots = policies.iter().filter_map(|policy| policy.expr.as_ref());
    let roots = roots.chain(ALWAYS.iter().filter_map(|name| ad.get(name)));
    let roots = roots.filter(|expr| expr.as_literal().is_none());
    let mut names: Vec<String> = ALWAYS.map(str::to_ascii_lowercase).to_vec();
    for root in roots {
        let followed = followed(ad, root);
        if is_cut(&followed) || followed.iter().flat_map(Expr::nodes).any(is_open) {
            return None;
        }
        names.extend(followed.iter().flat_map(references).map(|of| of.name.to_ascii_lowercase()));
    }
    // A release moves it there.
    if names.iter().any(|name| name == "lastholdreason") {
        names.push("holdreason".to_owned());
    }
    names.sort_unstable();
    names.dedup();
    let mut key = String::new();
    for policy in policies {
        key.push_str(&format!("{:?} {} {}\n", policy.kind, policy.name, policy.text));
    }
    for name in names {
        key.push_str(&format!("{name}={:?}\n", ad.raw(&name)));
    }
    Some(key)
}

#[cfg(test)]
#[path = "time_tests.rs"]
mod tests;
