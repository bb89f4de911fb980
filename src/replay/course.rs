//! What a policy would have come to on one hold.

use super::attribute::HeldJob;
use super::expression::Answer;
use super::past::{Fate, PastHold};
use super::success::{Releases, Successes};
use crate::advice::Costs;

/// Releases in vain of one hold that are followed.
const MOST_RELEASES: u32 = 1_000;

/// What is less likely than this is not followed further.
const LEAST: f64 = 1e-3;

/// Seconds in an hour.
const HOUR: f64 = 3_600.0;

/// What would come of releases of one hold.
#[derive(Clone, Copy, Debug)]
pub struct Outlook {
    /// Without a release by the policy the job leaves the hold then, Unix seconds.
    pub until: i64,
    /// What it costs to come to that, hours.
    pub until_cost: f64,
    /// Seconds from a release in vain until the job is held again.
    pub again: i64,
    /// Slot hours that a release in vain takes.
    pub slot_hours: f64,
}

/// What became of a hold under a policy. Numbers are expected values: a release is followed with the probability that it succeeds,
/// and, where the job is held again for the same cause, with what the policy does then.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Course {
    /// When the policy released it for the first time, Unix seconds.
    pub released_at: Option<i64>,
    /// It depends on what the log does not tell.
    pub unknown: bool,
    /// Releases.
    pub releases: f64,
    /// Of these, in vain.
    pub vain: f64,
    /// Probability that a release by the policy succeeded.
    pub success: f64,
    /// Hours by which the job left the hold earlier.
    pub saved: f64,
    /// Slot hours of runs that failed.
    pub wasted: f64,
    /// What it all costs, hours.
    pub cost: f64,
}

/// Follows one hold. `answer` is when the policy releases a job, at ticks before a time; `probability` that a release then
/// succeeds.
pub fn follow(
    hold: &PastHold,
    outlook: &Outlook,
    costs: &Costs,
    answer: &mut dyn FnMut(&HeldJob<'_>, i64) -> Answer,
    probability: &dyn Fn(i64) -> f64,
) -> Course {
    let mut course = Course::default();
    let mut job = HeldJob::new(hold);
    // The probability that the job is still on hold.
    let mut left = 1.0;
    for _ in 0..MOST_RELEASES {
        let at = match answer(&job, outlook.until) {
            Answer::Releases(at) => at,
            Answer::Unknown(_) => {
                course.unknown = true;
                return course;
            }
            Answer::Holds => break,
        };
        course.released_at.get_or_insert(at);
        let success = probability(at).clamp(0.0, 1.0);
        course.releases += left;
        course.success += left * success;
        course.cost += left * success * hours(at - hold.held_at);
        course.saved += left * success * hours(outlook.until - at);
        left *= 1.0 - success;
        course.vain += left;
        course.wasted += left * outlook.slot_hours;
        course.cost += left * (costs.vain + outlook.slot_hours);
        if left < LEAST {
            return course;
        }
        job = job.again(at.saturating_add(outlook.again.max(1)));
        if job.held_at() >= outlook.until {
            break;
        }
    }
    course.cost += left * outlook.until_cost;
    course
}

fn hours(seconds: i64) -> f64 {
    seconds as f64 / HOUR
}

/// What a log tells of releases of one hold.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    hold: &'a PastHold,
    successes: &'a Successes,
    releases: &'a Releases,
    /// When the release succeeded, and how probable that was.
    success: Option<(i64, f64)>,
    outlook: Outlook,
}

impl<'a> Judged<'a> {
    /// Of a hold that people or policies came to an end with. `None` of the others: what a release would have come to is not known.
    ///
    /// Who released it by hand would have done so all the same; a policy is what others are compared with, so that without it
    /// somebody looks after `delay` hours, as in [`Costs`]. Who changed a job before the release, or removed it, is taken to have
    /// been right: as it was it would have failed.
    pub fn of(hold: &'a PastHold, successes: &'a Successes, costs: &Costs) -> Option<Self> {
        let (again, ran) = successes.of_vain(hold.code, hold.subcode);
        let typical = |until: i64, until_cost: f64| Outlook {
            until,
            until_cost,
            again,
            slot_hours: hours(ran),
        };
        let look = hold.held_at.saturating_add((costs.delay * HOUR) as i64);
        let releases = successes.best(hold.code, hold.subcode);
        let (success_at, outlook) = match hold.fate {
            Fate::Success { released_at } => {
                let until = if hold.by_policy { released_at.max(look) } else { released_at };
                (Some(released_at), typical(until, hours(until - hold.held_at)))
            }
            Fate::Failure { released_at, failed_at } => {
                let until = if hold.by_policy { failed_at } else { released_at };
                let again = failed_at.saturating_sub(released_at);
                let slot_hours = hours(hold.ran);
                (None, Outlook { until, until_cost: costs.keep, again, slot_hours })
            }
            Fate::Changed { released_at } => {
                (None, typical(released_at, hours(released_at - hold.held_at)))
            }
            Fate::Removed { at } => (None, typical(at, costs.keep)),
            Fate::Open { .. } | Fate::Held { .. } => return None,
        };
        let success =
            success_at.map(|at: i64| (at, successes.probability_of(releases, at - hold.held_at)));
        Some(Self { hold, successes, releases, success, outlook })
    }

    /// The hold.
    pub const fn hold(&self) -> &'a PastHold {
        self.hold
    }

    /// What would come of releases.
    pub const fn outlook(&self) -> &Outlook {
        &self.outlook
    }

    /// The probability that a release at an instant succeeds. Where the release that there was failed, none before it did better.
    /// Where it succeeded an earlier one is as much less likely to as the releases of such holds were.
    pub fn probability(&self, at: i64) -> f64 {
        let Some((success_at, then)) = self.success else { return 0.0 };
        if at >= success_at {
            return 1.0;
        }
        let now = self.successes.probability_of(self.releases, at - self.hold.held_at);
        if then > 0.0 { (now / then).min(1.0) } else { 0.0 }
    }
}
