//! How long like jobs wait and run, and how long those of now may still.

use schemars::JsonSchema;
use serde::Serialize;

use super::measured::Duration;

/// Ends that a range needs.
const LEAST: usize = 5;

/// Parts of like jobs that are over by the ends of a range, and by its middle.
const PARTS: [f64; 3] = [0.1, 0.5, 0.9];

/// How long four of five like jobs take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Range {
    /// One of ten takes less, seconds.
    pub low: f64,
    /// Half of them take less, seconds; `None`: more than any that is known.
    pub middle: Option<f64>,
    /// Nine of ten take less, seconds; `None`: more than any that is known.
    pub high: Option<f64>,
    /// Like jobs that took longer than this one has, and whose end is known.
    pub ended: usize,
}

/// How many still go on after some time, by the product-limit estimator (Kaplan and Meier 1958): what
/// goes on, or was broken off, took at least so long.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survival {
    /// Seconds, and the part that goes on behind them; in their order.
    steps: Vec<(f64, f64)>,
    /// Seconds of those that have ended, in their order.
    ends: Vec<f64>,
}

impl Survival {
    /// Of like durations.
    #[must_use]
    pub fn of(durations: impl Iterator<Item = Duration>) -> Self {
        let mut all: Vec<Duration> = durations.collect();
        // What is broken off at an instant was at risk of ending at it.
        all.sort_by(|a, b| a.seconds.total_cmp(&b.seconds).then(b.has_ended.cmp(&a.has_ended)));
        let ends = all.iter().filter(|one| one.has_ended).map(|one| one.seconds).collect();
        let mut part = 1.0;
        let mut steps: Vec<(f64, f64)> = Vec::new();
        for (before, one) in all.iter().enumerate().filter(|(_, one)| one.has_ended) {
            part *= 1.0 - 1.0 / (all.len() - before) as f64;
            match steps.last_mut() {
                Some(last) if last.0 == one.seconds => last.1 = part,
                _ => steps.push((one.seconds, part)),
            }
        }
        Self { steps, ends }
    }

    /// How long one takes that has taken `elapsed` seconds. `None`: fewer than five that took longer
    /// have ended.
    #[must_use]
    pub fn range(&self, elapsed: f64) -> Option<Range> {
        let ended =
            self.ends.len() - self.ends.partition_point(|end| *end <= elapsed && elapsed > 0.0);
        if ended < LEAST {
            return None;
        }
        let goes_on = self.steps.iter().rfind(|step| step.0 <= elapsed).map_or(1.0, |step| step.1);
        if goes_on <= 0.0 {
            return None;
        }
        let by = |part: f64| {
            // A step that is one in theory is one but for rounding.
            let over = |step: &&(f64, f64)| 1.0 - step.1 / goes_on >= part - 1e-9;
            self.steps.iter().find(over).map(|step| step.0)
        };
        let [low, middle, high] = PARTS.map(by);
        Some(Range { low: low?, middle, high, ended })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(seconds: &[(f64, bool)]) -> Survival {
        Survival::of(seconds.iter().map(|&(seconds, has_ended)| Duration { seconds, has_ended }))
    }

    #[test]
    fn ranges_are_quantiles_where_all_have_ended() {
        let all: Vec<(f64, bool)> = (1..=10).map(|i| (f64::from(i), true)).collect();
        let range = of(&all).range(0.0).unwrap();
        assert_eq!((range.low, range.middle, range.high), (1.0, Some(5.0), Some(9.0)));
        // Of those that last for longer than 5: 6 to 10.
        let range = of(&all).range(5.0).unwrap();
        assert_eq!((range.low, range.middle, range.high), (6.0, Some(8.0), Some(10.0)));
        assert_eq!(of(&all).range(10.0), None);
    }

    #[test]
    fn what_goes_on_took_at_least_so_long() {
        let mut all: Vec<(f64, bool)> = (1..=5).map(|i| (f64::from(i), true)).collect();
        all.extend([(100.0, false); 5]);
        let range = of(&all).range(0.0).unwrap();
        assert_eq!((range.low, range.middle, range.high), (1.0, Some(5.0), None));
        // An example of the estimator: 1, 2+, 3, 4+, 5 leave 4/5, 4/5 · 2/3, 0.
        let survival = of(&[(1.0, true), (2.0, false), (3.0, true), (4.0, false), (5.0, true)]);
        let parts: Vec<f64> = survival.steps.iter().map(|step| step.1).collect();
        assert!((parts[1] - 0.8 * 2.0 / 3.0).abs() < 1e-12 && parts[2] == 0.0, "{parts:?}");
    }

    #[test]
    fn a_few_say_nothing() {
        assert_eq!(of(&[(1.0, true); 4]).range(0.0), None);
        assert_eq!(of(&[]).range(0.0), None);
    }
}
