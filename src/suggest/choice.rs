//! The delay and the bound that cost least on the holds of one reason.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::replay::{ExpressionAnswer, ReleaseCourse, ReplayedJob, Rules, TIMES};

/// NumHolds is to be below this: 1, 2, 3, 5 or 10 releases.
const BOUNDS: [i64; 5] = [2, 3, 4, 6, 11];

/// Clusters that must have been held for a reason before anything is said of it: jobs of one
/// cluster share their cause.
pub(super) const LEAST_CLUSTERS: usize = 5;

/// The normal distribution's quantile for 95 % on one side.
pub(super) const SURE: f64 = 1.645;

/// When a policy releases: NumHolds below a bound, so long on hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timing {
    /// More seconds than this.
    pub delay: i64,
    /// NumHolds is below this.
    pub bound: i64,
}

impl Timing {
    /// All that are tried: delays shorter than the interval of evaluation would not be kept.
    pub(super) fn all(rules: &Rules) -> impl Iterator<Item = Self> + use<> {
        let interval = rules.ticks.interval;
        let delays = TIMES.into_iter().filter(move |delay| *delay >= interval);
        delays.flat_map(|delay| BOUNDS.into_iter().map(move |bound| Self { delay, bound }))
    }

    fn answer(self, job: &ReplayedJob<'_>, rules: &Rules, end: i64) -> ExpressionAnswer {
        let holds = job.num_holds().unwrap_or(1 + job.failed_releases());
        let at = rules.ticks.from(job.held_at().saturating_add(self.delay + 1));
        if holds < self.bound && at < end && rules.may_release(job) == Some(true) {
            ExpressionAnswer::Releases(at)
        } else {
            ExpressionAnswer::Holds
        }
    }
}

/// What a timing would have gained on the holds of one reason, beside leaving them to people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Gain {
    /// Hours that it costs less for each hold: clusters count by the root of their holds.
    pub hours_per_hold: f64,
    /// Standard error of that, by clusters.
    pub standard_error: f64,
    /// The least that it gains, 95 % sure.
    pub at_least: f64,
    /// Hours by which jobs would have left their holds earlier, all together.
    pub hours_saved: f64,
    /// Slot hours that stuck runs would have taken, all together.
    pub hours_wasted: f64,
    /// Releases.
    pub releases: f64,
    /// Of these, those that failed.
    pub failed_releases: f64,
}

/// The holds of one reason whose outcome is known, by cluster.
#[derive(Debug, Default)]
pub(super) struct Cases<'a> {
    /// With what leaving a hold to people costs, hours.
    clusters: BTreeMap<i32, Vec<(ReleaseCourse<'a>, f64)>>,
}

impl<'a> Cases<'a> {
    pub(super) fn add(&mut self, judged: ReleaseCourse<'a>, rules: &Rules) {
        let left_alone =
            judged.follow(&rules.costs, &mut |_, _| ExpressionAnswer::Holds).sums.cost_hours;
        let cluster = judged.hold().job.cluster;
        self.clusters.entry(cluster).or_default().push((judged, left_alone));
    }

    pub(super) fn clusters(&self) -> usize {
        self.clusters.len()
    }

    /// What a timing gains.
    pub(super) fn gain(&self, timing: Timing, rules: &Rules) -> Gain {
        let mut gain = Gain::default();
        // Weight and mean of each cluster.
        let mut means = Vec::with_capacity(self.clusters.len());
        for holds in self.clusters.values() {
            let mut sum = 0.0;
            for (judged, left_alone) in holds {
                let mut answer = |job: &ReplayedJob<'_>, end| timing.answer(job, rules, end);
                let with = judged.follow(&rules.costs, &mut answer);
                sum += left_alone - with.sums.cost_hours;
                gain.hours_saved += with.sums.hours_saved;
                gain.hours_wasted += with.sums.hours_wasted;
                gain.releases += with.sums.releases;
                gain.failed_releases += with.sums.failed_releases;
            }
            let count = holds.len() as f64;
            means.push((count.sqrt(), sum / count));
        }
        let (mean, error) = weighted_mean(&means);
        let at_least = mean - SURE * error;
        Gain { hours_per_hold: mean, standard_error: error, at_least, ..gain }
    }
}

/// Mean and its standard error, of pairs of weight and value.
pub(super) fn weighted_mean(values: &[(f64, f64)]) -> (f64, f64) {
    let weights: f64 = values.iter().map(|(weight, _)| weight).sum();
    if weights <= 0.0 {
        return (0.0, f64::INFINITY);
    }
    let mean = values.iter().map(|(weight, value)| weight * value).sum::<f64>() / weights;
    let count = values.len() as f64;
    if count < 2.0 {
        return (mean, f64::INFINITY);
    }
    let squares: f64 = values.iter().map(|(weight, value)| (weight * (value - mean)).powi(2)).sum();
    (mean, (squares * count / (count - 1.0)).sqrt() / weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_equal_weights_is_the_usual_one() {
        let (mean, error) = weighted_mean(&[(2.0, 1.0), (2.0, 2.0), (2.0, 3.0)]);
        assert!((mean - 2.0).abs() < 1e-12);
        assert!((error - (1.0_f64 / 3.0).sqrt()).abs() < 1e-12, "{error}");
        assert!(weighted_mean(&[(1.0, 5.0)]).1.is_infinite());
        assert_eq!(weighted_mean(&[]).0, 0.0);
    }
}
