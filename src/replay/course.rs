//! What a policy would have done with one hold.

use std::ops::AddAssign;

use schemars::JsonSchema;
use serde::Serialize;

use super::advised::{PastAdvice, between};
use super::attribute::ReplayedJob;
use super::expression::ExpressionAnswer;
use super::past::{HoldEnd, PastHold};
use super::success::{Releases, Successes};
use crate::advice::Costs;

/// Failed releases of one hold that are followed.
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
    /// What that costs, hours.
    pub until_cost: f64,
    /// Seconds from a failed release until the job is held again.
    pub again: i64,
    /// Slot hours that a failed release takes.
    pub slot_hours: f64,
}

/// What became of a hold under a policy. Numbers are expected values: a release is followed with
/// the probability that it succeeds, and, where the job is held again for the same cause, with what
/// the policy does then.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Course {
    /// When the policy released it for the first time, Unix seconds.
    pub released_at: Option<i64>,
    /// It depends on what the log does not tell.
    pub unknown: bool,
    /// It is not known, as that takes too many steps of evaluation; `unknown` too.
    pub unfinished: bool,
    /// How its releases went.
    pub sums: Sums,
}

/// How releases went, of one hold or of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Sums {
    /// Releases, those of jobs that were held again counted too.
    pub releases: f64,
    /// Holds that a release got out of; of one hold the probability of that.
    pub successes: f64,
    /// Releases that failed.
    pub failed_releases: f64,
    /// Hours by which jobs left their holds earlier.
    pub hours_saved: f64,
    /// Slot hours of runs that failed.
    pub hours_wasted: f64,
    /// Hours that all of it costs.
    pub cost_hours: f64,
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        self.releases += other.releases;
        self.successes += other.successes;
        self.failed_releases += other.failed_releases;
        self.hours_saved += other.hours_saved;
        self.hours_wasted += other.hours_wasted;
        self.cost_hours += other.cost_hours;
    }
}

/// Follows one hold. `answer` is when the policy releases a job, at ticks before a time;
/// `probability` that a release then succeeds, where those before it did not: it is asked once for
/// each, in their order.
pub fn follow(
    hold: &PastHold,
    outlook: &Outlook,
    costs: &Costs,
    answer: &mut dyn FnMut(&ReplayedJob<'_>, i64) -> ExpressionAnswer,
    probability: &mut dyn FnMut(i64) -> f64,
) -> Course {
    let mut course = Course::default();
    let mut job = ReplayedJob::new(hold);
    // The probability that the job is still on hold.
    let mut left = 1.0;
    for _ in 0..MOST_RELEASES {
        let at = match answer(&job, outlook.until) {
            ExpressionAnswer::Releases(at) => at,
            unknown @ (ExpressionAnswer::Unknown(_) | ExpressionAnswer::Unfinished) => {
                course.unknown = true;
                course.unfinished = unknown == ExpressionAnswer::Unfinished;
                return course;
            }
            ExpressionAnswer::Holds => break,
        };
        course.released_at.get_or_insert(at);
        let success = probability(at).clamp(0.0, 1.0);
        course.sums.releases += left;
        course.sums.successes += left * success;
        course.sums.cost_hours += left * success * hours(at - hold.held_at);
        course.sums.hours_saved += left * success * hours(outlook.until - at);
        left *= 1.0 - success;
        course.sums.failed_releases += left;
        course.sums.hours_wasted += left * outlook.slot_hours;
        course.sums.cost_hours += left * (costs.failed + outlook.slot_hours);
        if left < LEAST {
            return course;
        }
        job = job.again(at.saturating_add(outlook.again.max(1)));
        if job.held_at() >= outlook.until {
            break;
        }
    }
    course.sums.cost_hours += left * outlook.until_cost;
    course
}

/// Seconds as hours.
pub(crate) fn hours(seconds: i64) -> f64 {
    seconds as f64 / HOUR
}

/// What is known of releases of one hold.
#[derive(Clone, Debug)]
pub struct ReleaseCourse<'a> {
    hold: &'a PastHold,
    outlook: Outlook,
    chance: Chance<'a>,
}

/// What the probability of success is taken from.
#[derive(Clone, Debug)]
enum Chance<'a> {
    /// Releases fail.
    None,
    /// A release succeeded; an earlier one is as much less likely to as the releases of such holds
    /// were.
    Succeeded {
        /// When.
        at: i64,
        /// How probable that was.
        then: f64,
        releases: &'a Releases,
        successes: &'a Successes,
    },
    /// What a model says, by time.
    Said(Vec<(i64, f64)>),
}

impl<'a> ReleaseCourse<'a> {
    /// Of a hold that people or policies ended. `None` of the others: what a release would have led
    /// to is not known.
    ///
    /// Who released it by hand would have done so all the same; a policy is what others are
    /// compared with, so that without it somebody looks after `delay` hours, as in [`Costs`]. Who
    /// gave a job more of what it ran out of, or removed it, is taken to have been right: as it was
    /// it would have failed.
    pub fn of(hold: &'a PastHold, successes: &'a Successes, costs: &Costs) -> Option<Self> {
        let (again, ran) = successes.of_failed(hold.code, hold.subcode);
        let typical = |until: i64, until_cost: f64| Outlook {
            until,
            until_cost,
            again,
            slot_hours: hours(ran),
        };
        let look = hold.held_at.saturating_add((costs.delay * HOUR) as i64);
        let releases = successes.best(hold.code, hold.subcode);
        let (chance, outlook) = match hold.hold_end {
            HoldEnd::Success { released_at } => {
                let until = if hold.by_policy { released_at.max(look) } else { released_at };
                let outlook = typical(until, hours(until - hold.held_at));
                let at = released_at;
                let then = successes.probability_of(releases, at - hold.held_at);
                (Chance::Succeeded { at, then, releases, successes }, outlook)
            }
            HoldEnd::Failure { released_at, failed_at } => {
                let until = if hold.by_policy { failed_at } else { released_at };
                let again = failed_at.saturating_sub(released_at);
                let slot_hours = hours(hold.ran);
                (Chance::None, Outlook { until, until_cost: costs.keep, again, slot_hours })
            }
            HoldEnd::Changed { released_at } if hold.resource.is_some() => {
                (Chance::None, typical(released_at, hours(released_at - hold.held_at)))
            }
            HoldEnd::Removed { at } => (Chance::None, typical(at, costs.keep)),
            HoldEnd::Changed { .. } | HoldEnd::Open { .. } | HoldEnd::Held { .. } => return None,
        };
        Some(Self { hold, outlook, chance })
    }

    /// The same where a model was asked: what it says counts, but where the log shows that releases
    /// failed. `None` where it said nothing.
    pub fn by_model(
        hold: &'a PastHold,
        successes: &'a Successes,
        said: &PastAdvice,
        costs: &Costs,
        end: i64,
    ) -> Option<Self> {
        let of_log = Self::of(hold, successes, costs);
        let shows = |judged: &Self| matches!(judged.chance, Chance::None);
        if of_log.as_ref().is_some_and(shows) {
            return of_log;
        }
        let known = said.successes(hold);
        let outlook = match of_log {
            Some(judged) => judged.outlook,
            None => {
                let until = hold.hold_end.left_at().unwrap_or(end);
                let success = between(&known, hold.held_at, until)?;
                let (again, ran) = successes.of_failed(hold.code, hold.subcode);
                let until_cost =
                    success * hours(until - hold.held_at) + (1.0 - success) * costs.keep;
                Outlook { until, until_cost, again, slot_hours: hours(ran) }
            }
        };
        (!known.is_empty()).then_some(Self { hold, outlook, chance: Chance::Said(known) })
    }

    /// The hold.
    pub const fn hold(&self) -> &'a PastHold {
        self.hold
    }

    /// Follows the hold under a policy: `answer` is when it releases a job, at ticks before a time.
    pub fn follow(
        &self,
        costs: &Costs,
        answer: &mut dyn FnMut(&ReplayedJob<'_>, i64) -> ExpressionAnswer,
    ) -> Course {
        follow(self.hold, &self.outlook, costs, answer, &mut self.probabilities())
    }

    /// The probability that the cause has passed at an instant, so that a release succeeds. Where
    /// the release that there was failed, it had not.
    fn passed(&self, at: i64) -> f64 {
        match &self.chance {
            Chance::None => 0.0,
            Chance::Said(known) => between(known, self.hold.held_at, at).unwrap_or(0.0),
            Chance::Succeeded { at: success_at, .. } if at >= *success_at => 1.0,
            Chance::Succeeded { then, releases, successes, .. } => {
                let now = successes.probability_of(releases, at - self.hold.held_at);
                if *then > 0.0 { (now / then).min(1.0) } else { 0.0 }
            }
        }
    }

    /// The probabilities of one release after the other. One that failed shows that the cause had
    /// not passed yet: the next succeeds if it passed in between.
    fn probabilities(&self) -> impl FnMut(i64) -> f64 {
        let mut before = 0.0_f64;
        move |at| {
            let passed = self.passed(at).clamp(before, 1.0);
            let left = 1.0 - before;
            let now = if left > 0.0 { (passed - before) / left } else { 1.0 };
            before = passed;
            now
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::past::tests::hold;
    use super::*;

    #[test]
    fn a_failed_release_says_something_of_the_next() {
        let hold = hold();
        let outlook =
            Outlook { until: hold.held_at + 1_000, until_cost: 0.0, again: 60, slot_hours: 0.0 };
        let known = vec![(hold.held_at + 100, 0.5), (hold.held_at + 900, 0.75)];
        let judged = ReleaseCourse { hold: &hold, outlook, chance: Chance::Said(known) };
        let mut probabilities = judged.probabilities();
        let mut at = |after: i64| probabilities(hold.held_at + after);
        assert_eq!((at(100), at(100), at(900), at(950)), (0.5, 0.0, 0.5, 0.0));
    }

    #[test]
    fn releases_are_followed_until_the_job_is_out() {
        let hold = hold();
        let day = 86_400;
        let outlook =
            Outlook { until: hold.held_at + day, until_cost: 24.0, again: 600, slot_hours: 0.5 };
        let costs = Costs { failed: 8.0, delay: 8.0, keep: 1.0, work: 8.0, person: 1.0 };
        // An hour after each hold, three times; the cause passes after three hours.
        let mut answer = |job: &ReplayedJob<'_>, end: i64| {
            let at = job.held_at() + 3_600;
            if job.failed_releases() < 3 && at < end {
                ExpressionAnswer::Releases(at)
            } else {
                ExpressionAnswer::Holds
            }
        };
        let passes = hold.held_at + 3 * 3_600;
        let mut probability = |at: i64| f64::from(u8::from(at >= passes));
        let course = follow(&hold, &outlook, &costs, &mut answer, &mut probability);
        assert_eq!(
            (course.sums.releases, course.sums.failed_releases, course.sums.successes),
            (3.0, 2.0, 1.0)
        );
        let out = 3.0 + 2.0 / 6.0;
        assert!((course.sums.hours_saved - (24.0 - out)).abs() < 1e-9, "{course:?}");
        assert!((course.sums.cost_hours - (2.0 * 8.5 + out)).abs() < 1e-9, "{course:?}");
        let never = follow(&hold, &outlook, &costs, &mut answer, &mut |_| 0.0);
        assert_eq!((never.sums.failed_releases, never.sums.cost_hours), (3.0, 3.0 * 8.5 + 24.0));
    }
}
