//! What being wrong costs, and from which probability on a release or a removal is the cheaper
//! choice.

use serde::{Deserialize, Serialize};

use super::Spent;
use crate::model::Thresholds;

/// Hours until somebody looks at a held job again: a working day. Assumed.
const LOOK: f64 = 8.0;

/// Hours to submit a removed job again and bring it to where it was, for a job that has not run.
/// Assumed.
const AGAIN: f64 = 8.0;

/// Hours of a person who looks at a job or corrects something. Assumed.
const PERSON: f64 = 1.0;

/// A job that was left so long is left as long again, at most so many times the delay. Assumed.
const LEFT_AGAIN: f64 = 5.0;

/// A threshold of 1 stands for a cost without bound; this near to it is as good.
const NEARLY_ONE: f64 = 1.0 - 1e-6;

/// What being wrong about a held job costs, in hours. An hour of a slot counts as much as an hour
/// that somebody waits for a result: assumed, and the reason why all of them can be set.
///
/// With the probability p that a release as it is succeeds, and that of the best action b:
///
/// | choice | expected cost |
/// |---|---|
/// | release it now | (1 - p) (failed + keep) |
/// | leave it held | b delay + (1 - b) keep |
/// | remove it | b (delay + work) |
///
/// With b = p a release is cheaper than leaving it held from p = failed / (failed + delay) on, and
/// removal is cheaper than leaving it held below b = keep / (keep + work).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// A failed release, besides the slot hours that its run takes: nobody learns of it before the
    /// next look.
    pub failed: f64,
    /// Leaving a job held that would succeed: its result comes later by that.
    pub delay: f64,
    /// Keeping a job held that will not succeed.
    pub keep: f64,
    /// Removing a job that would have succeeded, besides the delay: what it takes to get where it
    /// was.
    pub work: f64,
    /// A person looks at something, or corrects it.
    pub person: f64,
}

impl Costs {
    /// The costs that a model's thresholds stand for. A threshold is a ratio of two costs, so the
    /// delay and the work are assumed (8 hours each: a working day), and the other two follow.
    pub fn of(thresholds: Thresholds) -> Self {
        let odds = |p: f64| p.clamp(0.0, NEARLY_ONE) / (1.0 - p.clamp(0.0, NEARLY_ONE));
        Self {
            failed: LOOK * odds(thresholds.release),
            delay: LOOK,
            keep: AGAIN * odds(thresholds.remove),
            work: AGAIN,
            person: PERSON,
        }
    }

    /// The same for a job that has used slots: a failed release burns what a run takes, a removal
    /// throws away what all took.
    pub fn of_job(self, spent: &Spent) -> Self {
        Self {
            failed: self.failed + spent.run.unwrap_or(0.0),
            work: self.work + spent.total,
            ..self
        }
    }

    /// The same for a job that has been held for so many seconds: whoever left it so long is expected
    /// to leave it as long again.
    pub fn of_hold(self, held_for: i64) -> Self {
        let held = held_for as f64 / 3_600.0;
        Self { delay: held.min(LEFT_AGAIN * self.delay).max(self.delay), ..self }
    }

    /// A release is the cheaper choice from this probability of success on.
    pub fn release_threshold(&self) -> f64 {
        // Where neither costs anything, the likelier outcome decides.
        share(self.failed, self.delay).unwrap_or(0.5)
    }

    /// A removal is the cheaper choice below this probability of success of the best action.
    pub fn remove_threshold(&self) -> f64 {
        // Where neither costs anything, what is final is left.
        share(self.keep, self.work).unwrap_or(0.0)
    }

    /// The expected hours of a release that succeeds with this probability.
    pub fn released(&self, success: f64) -> f64 {
        (1.0 - success) * (self.failed + self.keep)
    }

    /// The expected hours of leaving a job held, of which the best that can be done succeeds with this
    /// probability.
    pub fn left(&self, best: f64) -> f64 {
        best * self.delay + (1.0 - best) * self.keep
    }

    /// The expected hours of removing it.
    pub fn removed(&self, best: f64) -> f64 {
        best * (self.delay + self.work)
    }
}

impl Default for Costs {
    fn default() -> Self {
        Self::of(Thresholds::default())
    }
}

/// `a / (a + b)`. `None` if both are 0.
fn share(a: f64, b: f64) -> Option<f64> {
    (a + b > 0.0).then(|| a / (a + b))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn thresholds_are_kept() {
        let costs = Costs::default();
        assert_eq!((costs.failed, costs.delay, costs.work), (8.0, 8.0, 8.0));
        assert!(costs.keep < 1.0, "nearly nothing: {}", costs.keep);
        for (release, remove) in [(0.5, 0.1), (0.0, 0.0), (0.8, 0.02), (1.0, 1.0)] {
            let costs = Costs::of(Thresholds { release, remove, confidence: None });
            assert!((costs.release_threshold() - release).abs() < 1e-5, "{costs:?}");
            assert!((costs.remove_threshold() - remove).abs() < 1e-5, "{costs:?}");
        }
    }

    #[test]
    fn what_a_job_has_used_counts() {
        let costs = Costs::default();
        let after = |run: f64, total: f64| costs.of_job(&Spent { run: Some(run), total });
        let short = after(30.0 / 3600.0, 30.0 / 3600.0);
        assert!((short.release_threshold() - 0.5).abs() < 0.001);
        let long = after(20.0, 60.0);
        assert!((long.release_threshold() - 28.0 / 36.0).abs() < 1e-9);
        assert!(long.remove_threshold() < 0.02, "{}", long.remove_threshold());
        assert_eq!(costs.of_job(&Spent::default()), costs);
    }

    #[test]
    fn what_was_left_long_is_left_as_long_again() {
        let costs = Costs::default();
        let delay = |hours: i64| costs.of_hold(hours * 3_600).delay;
        assert_eq!([0, 8, 24, 40, 1_000].map(delay), [8.0, 8.0, 24.0, 40.0, 40.0]);
        assert!((costs.of_hold(24 * 3_600).release_threshold() - 0.25).abs() < 1e-9);
        assert_eq!(costs.of_hold(i64::MIN), costs);
    }

    #[test]
    fn costs_of_nothing_have_thresholds() {
        let free = Costs { failed: 0.0, delay: 0.0, keep: 0.0, work: 0.0, person: 0.0 };
        assert_eq!((free.release_threshold(), free.remove_threshold()), (0.5, 0.0));
    }

    proptest! {
        /// The thresholds are where the expected costs cross.
        #[test]
        fn the_cheaper_choice_lies_on_its_side_of_the_threshold(
            failed in 0.01..100.0_f64,
            delay in 0.01..100.0_f64,
            keep in 0.01..100.0_f64,
            work in 0.01..100.0_f64,
            p in 0.0..1.0_f64,
        ) {
            let costs = Costs { failed, delay, keep, work, person: 0.0 };
            let (release, hold) = (costs.released(p), costs.left(p));
            prop_assume!((p - costs.release_threshold()).abs() > 1e-6);
            prop_assert_eq!(release < hold, p > costs.release_threshold());
            prop_assume!((p - costs.remove_threshold()).abs() > 1e-6);
            prop_assert_eq!(costs.removed(p) < hold, p < costs.remove_threshold());
        }
    }
}
