//! The baseline: how likely a release succeeds so long after a hold, by code.
//!
//! A release at an age of its hold shows whether the cause was over by then: current status data.
//! Turnbull's estimator of the distribution (1976) is then the isotonic regression of the outcomes
//! on the ages (Groeneboom and Wellner 1992).

use std::collections::HashMap;

use holdadvise::history::Action;

use crate::data::dataset::{CENSORED, Dataset, SUCCESS};
use holdadvise::metrics::isotonic;

/// Releases of a code, or of a code and subcode, that have a curve of their own.
const LEAST: usize = 30;

/// The share of causes that are over by an age in seconds: steps, both growing.
#[derive(Clone, Debug, Default, PartialEq)]
struct Steps(Vec<(i64, f64)>);

/// The curves of hold codes.
#[derive(Clone, Debug, Default)]
pub(super) struct Turnbull {
    by_subcode: HashMap<(i32, i32), Steps>,
    by_code: HashMap<i32, Steps>,
    all: Steps,
}

impl Turnbull {
    /// From the releases as they were that happened.
    pub(super) fn fit(dataset: &Dataset) -> Self {
        let as_is = |row: usize| {
            let action = Action::ALL[usize::from(dataset.action[row])];
            matches!(action, Action::AsIs | Action::Unknown)
        };
        let happened = |row: &usize| {
            dataset.observed[*row] != 0 && dataset.label[*row] != CENSORED && as_is(*row)
        };
        let mut by_subcode: HashMap<_, Vec<(i64, bool)>> = HashMap::new();
        let mut by_code: HashMap<_, Vec<(i64, bool)>> = HashMap::new();
        let mut all = Vec::new();
        for row in (0..dataset.len()).filter(happened) {
            let age = dataset.decision_instant[row] - dataset.hold_time[row];
            let release = (age, dataset.label[row] == SUCCESS);
            let (code, subcode) = (dataset.code[row], dataset.subcode[row]);
            by_subcode.entry((code, subcode)).or_default().push(release);
            by_code.entry(code).or_default().push(release);
            all.push(release);
        }
        Self { by_subcode: enough(by_subcode), by_code: enough(by_code), all: Steps::fit(all) }
    }

    /// The probability that a release so many seconds after a hold succeeds.
    pub(super) fn at(&self, (code, subcode): (i32, i32), age: i64) -> f64 {
        let own = self.by_subcode.get(&(code, subcode));
        own.or_else(|| self.by_code.get(&code)).unwrap_or(&self.all).at(age)
    }
}

fn enough<K: std::hash::Hash + Eq>(of: HashMap<K, Vec<(i64, bool)>>) -> HashMap<K, Steps> {
    let enough = of.into_iter().filter(|(_, releases)| releases.len() >= LEAST);
    enough.map(|(key, releases)| (key, Steps::fit(releases))).collect()
}

impl Steps {
    /// Isotonic regression: neighbours whose shares fall are one step.
    fn fit(mut releases: Vec<(i64, bool)>) -> Self {
        releases.sort_unstable();
        let ages: Vec<&[(i64, bool)]> = releases.chunk_by(|one, next| one.0 == next.0).collect();
        let blocks = isotonic(ages.iter().map(|of_age| {
            let successes = of_age.iter().filter(|(_, success)| *success).count();
            (successes as f64, of_age.len() as f64)
        }));
        let mut first = 0;
        let step = |(share, count): (f64, usize)| {
            let age = ages[first][0].0;
            first += count;
            (age, share)
        };
        Self(blocks.into_iter().map(step).collect())
    }

    fn at(&self, age: i64) -> f64 {
        let until = self.0.partition_point(|&(from, _)| from <= age);
        // Before the first release nothing is known: as at the first.
        let step = self.0.get(until.saturating_sub(1));
        step.map_or(0.5, |&(_, share)| share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::tests::rows;
    use holdadvise::history::Outcome::{Failure, Success};

    #[test]
    fn shares_grow_with_the_age() {
        let fitted = Steps::fit(vec![
            (10, false),
            (20, true),
            (30, false),
            (40, true),
            (40, true),
            (50, true),
        ]);
        assert_eq!(fitted, Steps(vec![(10, 0.0), (20, 0.5), (40, 1.0)]));
        let at: Vec<f64> = [0, 10, 19, 20, 39, 40, 1_000].map(|age| fitted.at(age)).to_vec();
        assert_eq!(at, [0.0, 0.0, 0.0, 0.5, 0.5, 1.0, 1.0]);
        assert_eq!(Steps::fit(Vec::new()).at(5), 0.5);
    }

    #[test]
    fn a_code_with_few_releases_has_the_curve_of_all() {
        let mut all: Vec<_> = (0..40).map(|at| (at, at + 100, at, Success)).collect();
        all.extend((40..45).map(|at| (at, at + 100, at, Failure)));
        let mut dataset = rows(&all, 0);
        dataset.code[..40].fill(13);
        dataset.subcode[..40].fill(256);
        dataset.code[40..].fill(12);
        let fitted = Turnbull::fit(&dataset);
        assert_eq!(fitted.at((13, 256), 100), 1.0);
        assert_eq!(fitted.at((13, 1), 100), 1.0);
        assert_eq!(fitted.at((12, 0), 100), 40.0 / 45.0);
        dataset.observed.fill(0);
        assert_eq!(Turnbull::fit(&dataset).at((13, 256), 100), 0.5);
    }
}
