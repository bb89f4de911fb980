//! What a model has to beat: predictions from a few counts of the training part. Only releases that
//! happened are counted, not what a simulator says of others.

use std::collections::HashMap;

use holdadvise::history::Action;
use holdadvise::model::CodeStatistics;

use crate::data::dataset::{CENSORED, Dataset, SUCCESS};

/// Rows a prior counts for in the smoothed shares.
const PRIOR_ROWS: f64 = 5.0;

/// Successes among rows.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    rows: f64,
    successes: f64,
}

impl Count {
    fn add(&mut self, success: bool) {
        self.rows += 1.0;
        self.successes += f64::from(u8::from(success));
    }

    fn share(self, prior: f64) -> f64 {
        (self.successes + PRIOR_ROWS * prior) / (self.rows + PRIOR_ROWS)
    }
}

/// The baselines, fitted to the training rows.
#[derive(Clone, Debug)]
pub struct Baselines {
    base: f64,
    by_code: HashMap<i32, Count>,
    by_subcode: HashMap<(i32, i32), Count>,
    /// Shares of success after no known outcome, a failure, a success in the same cluster.
    after: [f64; 3],
}

impl Baselines {
    /// Counts the training rows.
    pub fn fit(dataset: &Dataset, train: &[usize]) -> Self {
        let mut all = Count::default();
        let mut by_code: HashMap<i32, Count> = HashMap::new();
        let mut by_subcode: HashMap<(i32, i32), Count> = HashMap::new();
        let train: Vec<usize> =
            train.iter().copied().filter(|&row| dataset.observed[row] != 0).collect();
        for &row in &train {
            let success = dataset.label[row] == SUCCESS;
            let (code, subcode) = (dataset.code[row], dataset.subcode[row]);
            all.add(success);
            by_code.entry(code).or_default().add(success);
            by_subcode.entry((code, subcode)).or_default().add(success);
        }
        let base = all.share(0.5);
        let mut after = [Count::default(); 3];
        for (&row, last) in train.iter().zip(last_outcomes(dataset, &train)) {
            after[last as usize].add(dataset.label[row] == SUCCESS);
        }
        Self { base, by_code, by_subcode, after: after.map(|count| count.share(base)) }
    }

    /// The share of success in the training part, for every row.
    pub fn constant(&self, rows: &[usize]) -> Vec<f64> {
        vec![self.base; rows.len()]
    }

    /// The share of success of the row's (code, subcode), smoothed towards that of the code, which
    /// is smoothed towards that of all rows.
    pub fn code_table(&self, dataset: &Dataset, rows: &[usize]) -> Vec<f64> {
        let count = |c: Option<&Count>| c.copied().unwrap_or_default();
        rows.iter()
            .map(|&row| {
                let (code, subcode) = (dataset.code[row], dataset.subcode[row]);
                let of_code = count(self.by_code.get(&code)).share(self.base);
                count(self.by_subcode.get(&(code, subcode))).share(of_code)
            })
            .collect()
    }

    /// The share of success after an outcome like the last one known in the row's cluster when its
    /// release was decided.
    pub fn last_outcome(&self, dataset: &Dataset, rows: &[usize]) -> Vec<f64> {
        let last = last_outcomes(dataset, rows);
        last.into_iter().map(|last| self.after[last as usize]).collect()
    }
}

/// Outcomes per (code, subcode) in the training rows, most frequent first: of releases that
/// happened, and of those of companions, each of which has one row without a known action.
pub fn code_statistics(dataset: &Dataset, train: &[usize]) -> Vec<CodeStatistics> {
    let simulated = |row: usize| {
        let action = Action::ALL[usize::from(dataset.action[row])];
        dataset.is_companion(row) && action == Action::Unknown && dataset.delay[row] == 0
    };
    let mut counts: HashMap<(i32, i32), Count> = HashMap::new();
    for &row in train.iter().filter(|&&row| dataset.observed[row] != 0 || simulated(row)) {
        let code = (dataset.code[row], dataset.subcode[row]);
        counts.entry(code).or_default().add(dataset.label[row] == SUCCESS);
    }
    let statistics = |((code, subcode), count): ((i32, i32), Count)| CodeStatistics {
        code,
        subcode,
        releases: count.rows as u64,
        successes: count.successes as u64,
    };
    let mut codes: Vec<CodeStatistics> = counts.into_iter().map(statistics).collect();
    codes.sort_by_key(|c| (std::cmp::Reverse(c.releases), c.code, c.subcode));
    codes
}

/// The last outcome known in a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    None,
    Failure,
    Success,
}

/// For each row the last outcome of a release that happened in its cluster, over all rows of the
/// dataset, that was known at the row's decision instant.
fn last_outcomes(dataset: &Dataset, rows: &[usize]) -> Vec<Last> {
    let mut known: HashMap<i64, Vec<(i64, bool)>> = HashMap::new();
    let counts = |&row: &usize| dataset.label[row] != CENSORED && dataset.observed[row] != 0;
    for row in (0..dataset.len()).filter(counts) {
        let outcome = (dataset.outcome_time[row], dataset.label[row] == SUCCESS);
        known.entry(dataset.cluster[row]).or_default().push(outcome);
    }
    known.values_mut().for_each(|outcomes| outcomes.sort_unstable());
    rows.iter()
        .map(|&row| {
            let Some(outcomes) = known.get(&dataset.cluster[row]) else { return Last::None };
            let instant = dataset.decision_instant[row];
            match outcomes.partition_point(|&(time, _)| time <= instant).checked_sub(1) {
                None => Last::None,
                Some(at) if outcomes[at].1 => Last::Success,
                Some(_) => Last::Failure,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::tests::rows;
    use holdadvise::history::Outcome::{Censored, Failure, Success};

    #[test]
    fn the_last_outcome_is_one_known_at_the_decision() {
        let dataset = rows(
            &[
                (0, 10, 1, Success),  // known at 11
                (5, 10, 1, Failure),  // the first is not known yet
                (20, 30, 1, Success), // both known at 11: the success sorts last
                (40, 50, 1, Censored),
                (60, 70, 1, Failure), // the censored row says nothing
                (80, 90, 1, Success),
                (80, 90, 2, Success), // another cluster
            ],
            0,
        );
        let mut told = dataset.clone();
        told.observed[0] = 0;
        let all: Vec<usize> = (0..7).collect();
        use Last::{Failure as F, None as N, Success as S};
        assert_eq!(last_outcomes(&dataset, &all), [N, N, S, S, S, F, N]);
        assert_eq!(last_outcomes(&told, &all), [N, N, F, S, S, F, N], "only what happened");
    }

    #[test]
    fn shares_are_smoothed_from_subcode_to_code_to_all() {
        let mut dataset = rows(&[(0, 0, 1, Success); 40], 0);
        // Code 13: subcode 1 always fails, 2 always succeeds; code 6 fails.
        for row in 0..40 {
            (dataset.code[row], dataset.subcode[row]) = match row % 4 {
                0 => (13, 1),
                1 => (13, 2),
                _ => (6, 0),
            };
            dataset.label[row] = u8::from(row % 4 == 1);
        }
        let train: Vec<usize> = (0..36).collect();
        let baselines = Baselines::fit(&dataset, &train);
        assert!((baselines.constant(&[0])[0] - (9.0 + 2.5) / 41.0).abs() < 1e-12);
        let p = baselines.code_table(&dataset, &[36, 37, 38]);
        assert!(p[0] < 0.25 && p[1] > 0.7 && p[2] < 0.12, "{p:?}");
        dataset.subcode[39] = 77;
        dataset.code[39] = 13;
        let unseen = baselines.code_table(&dataset, &[39])[0];
        assert!((0.4..0.5).contains(&unseen), "a new subcode takes its code's share: {unseen}");
        let codes = code_statistics(&dataset, &train);
        assert_eq!((codes[0].code, codes[0].releases, codes[0].successes), (6, 18, 0));
        assert_eq!(codes.len(), 3);
        // Of companions as well, which the shares are not of.
        dataset.observed.fill(0);
        dataset.info.add_companions(&[0]);
        assert_eq!(code_statistics(&dataset, &train), codes);
        assert_eq!(Baselines::fit(&dataset, &train).constant(&[0]), [0.5]);
        dataset.action.fill(0);
        assert_eq!(code_statistics(&dataset, &train), []);
    }
}
