//! Predictions beside outcomes, laid out so that the figures of a bootstrap draw take one pass.

use std::collections::HashMap;

use super::{Figures, jackknife};

/// Bins of the expected calibration error. Each holds the same weight of all rows as far as equal
/// probabilities, which stay together, allow; the bins of a bootstrap draw are those of all rows.
pub const BINS: usize = 15;

/// Share of the rows, the most surely decided ones, whose error is a figure.
pub const COVERAGE: f64 = 0.7;

/// Draws that are worked out together: the rows are passed once for all of them.
pub(super) const LANES: usize = 8;

/// Probabilities are held this far from 0 and 1 in the log loss.
const MARGIN: f64 = 1e-6;

/// What came of some rows, for all methods alike.
#[derive(Clone, Debug)]
pub struct Outcomes {
    /// 1 for a success, 0 for a failure, or the true probability p of a success: then the row
    /// counts as p of a success and 1 - p of a failure.
    pub target: Vec<f64>,
    /// How much each row counts, at least 0.
    pub weight: Vec<f64>,
    /// Hours from decision to outcome, where rows have one.
    pub hours: Option<Vec<f64>>,
    /// Cluster of each row, numbered from 0 in the order of the rows.
    cluster: Vec<u32>,
    clusters: usize,
}

impl Outcomes {
    /// The slices must be of one length.
    pub fn new(
        target: Vec<f64>,
        weight: Vec<f64>,
        hours: Option<Vec<f64>>,
        cluster: &[i64],
    ) -> Self {
        assert!(target.len() == weight.len() && target.len() == cluster.len());
        assert!(hours.as_ref().is_none_or(|hours| hours.len() == target.len()));
        let mut numbers = HashMap::new();
        let mut numbered = Vec::with_capacity(cluster.len());
        for cluster in cluster {
            let next = numbers.len() as u32;
            numbered.push(*numbers.entry(cluster).or_insert(next));
        }
        Self { target, weight, hours, cluster: numbered, clusters: numbers.len() }
    }

    /// Those of some rows, each in a cluster of its own: for figures without an interval.
    pub fn some(&self, rows: &[usize]) -> Self {
        let of = |values: &[f64]| rows.iter().map(|&row| values[row]).collect();
        let alone: Vec<i64> = (0..rows.len() as i64).collect();
        Self::new(of(&self.target), of(&self.weight), self.hours.as_deref().map(of), &alone)
    }

    /// Rows of clusters that are not in a group of the jackknife.
    pub(super) fn rows_outside(&self, left_out: usize) -> Vec<usize> {
        let outside = |&row: &usize| jackknife::group(self.cluster[row] as usize) != left_out;
        (0..self.len()).filter(outside).collect()
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.target.len()
    }

    /// There are no rows.
    pub fn is_empty(&self) -> bool {
        self.target.is_empty()
    }

    /// Different clusters.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// Weighted share of success.
    pub fn success(&self) -> f64 {
        let successes: f64 = self.target.iter().zip(&self.weight).map(|(t, w)| t * w).sum();
        successes / self.weight.iter().sum::<f64>()
    }
}

/// One row in the order of a ranking.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    cluster: u32,
    /// Weight of a success; in the ranking by confidence of a wrong decision.
    good: f64,
    /// Weight of a failure; in the ranking by confidence of a right decision.
    bad: f64,
}

/// Rows of one probability: no order among them counts.
#[derive(Clone, Copy, Debug)]
struct Tie {
    /// Behind its last row.
    end: usize,
    probability: f64,
    /// Bin of the calibration error.
    bin: usize,
}

/// Sums over the rows of a cluster, of figures that are means.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    weight: f64,
    squares: f64,
    log_loss: f64,
    burnt: f64,
    waiting: f64,
}

/// Predictions of one method with what came of them.
#[derive(Clone, Debug)]
pub struct Scored {
    /// Highest probability first.
    ranked: Vec<Ranked>,
    ties: Vec<Tie>,
    /// Most surely decided first, and where each group of equally sure ones ends.
    sure: Vec<Ranked>,
    sure_ends: Vec<usize>,
    sums: Vec<Sums>,
    hours: bool,
}

impl Scored {
    /// Puts predictions, within 0 to 1, beside outcomes. A row is released if its probability is at
    /// least `threshold`.
    pub fn new(outcomes: &Outcomes, probability: &[f64], threshold: f64) -> Self {
        assert_eq!(outcomes.len(), probability.len());
        let n = probability.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| probability[b].total_cmp(&probability[a]));
        let rank = |row: usize, good: f64| {
            let (weight, cluster) = (outcomes.weight[row], outcomes.cluster[row]);
            Ranked { cluster, good: weight * good, bad: weight * (1.0 - good) }
        };
        let ranked: Vec<Ranked> =
            order.iter().map(|&row| rank(row, outcomes.target[row])).collect();
        let total: f64 = outcomes.weight.iter().sum();
        let mut ties: Vec<Tie> = Vec::new();
        let mut before = 0.0;
        let mut start = 0;
        for (at, &row) in order.iter().enumerate() {
            if at + 1 == n || probability[order[at + 1]] != probability[row] {
                let here: f64 = ranked[start..=at].iter().map(|row| row.good + row.bad).sum();
                let middle = (before + here / 2.0) / total;
                let bin = ((middle * BINS as f64) as usize).min(BINS - 1);
                ties.push(Tie { end: at + 1, probability: probability[row], bin });
                before += here;
                start = at + 1;
            }
        }
        let sureness = |row: usize| sureness(probability[row], threshold);
        order.sort_by(|&a, &b| sureness(b).total_cmp(&sureness(a)));
        let sure = order.iter().map(|&row| {
            let target = outcomes.target[row];
            rank(row, if probability[row] >= threshold { 1.0 - target } else { target })
        });
        let sure = sure.collect();
        let last = |&at: &usize| at + 1 == n || sureness(order[at + 1]) != sureness(order[at]);
        let sure_ends = (0..n).filter(last).map(|at| at + 1).collect();
        let mut sums = vec![Sums::default(); outcomes.clusters];
        for row in 0..n {
            let (p, target, weight) =
                (probability[row], outcomes.target[row], outcomes.weight[row]);
            let sum = &mut sums[outcomes.cluster[row] as usize];
            sum.weight += weight;
            sum.squares += weight * (target * (1.0 - p).powi(2) + (1.0 - target) * p.powi(2));
            let held = p.clamp(MARGIN, 1.0 - MARGIN);
            sum.log_loss -= weight * (target * held.ln() + (1.0 - target) * (1.0 - held).ln());
            let hours = outcomes.hours.as_ref().map_or(0.0, |hours| hours[row]);
            if p >= threshold {
                sum.burnt += weight * (1.0 - target) * hours;
            } else {
                sum.waiting += weight * target * hours;
            }
        }
        Self { ranked, ties, sure, sure_ends, sums, hours: outcomes.hours.is_some() }
    }

    /// The figures on all rows.
    pub fn figures(&self) -> Figures {
        self.weighted(&vec![[1.0; LANES]; self.sums.len()])[0]
    }

    /// The figures of several draws at once: each cluster counted `times[cluster][draw]` times.
    pub(super) fn weighted(&self, times: &[[f32; LANES]]) -> [Figures; LANES] {
        let mut all = [Sums::default(); LANES];
        for (sum, times) in self.sums.iter().zip(times) {
            for (all, &times) in all.iter_mut().zip(times) {
                let times = f64::from(times);
                all.weight += times * sum.weight;
                all.squares += times * sum.squares;
                all.log_loss += times * sum.log_loss;
                all.burnt += times * sum.burnt;
                all.waiting += times * sum.waiting;
            }
        }
        let (mut ranks, mut precision_sum) = ([0.0; LANES], [0.0; LANES]);
        let (mut successes, mut failures) = ([0.0; LANES], [0.0; LANES]);
        let mut bins = [[0.0_f64; LANES]; BINS];
        let mut at = 0;
        for tie in &self.ties {
            let (good, bad) = counted(&self.ranked[at..tie.end], times);
            at = tie.end;
            let bin = &mut bins[tie.bin];
            for lane in 0..LANES {
                let (good, bad) = (good[lane], bad[lane]);
                ranks[lane] += bad * (successes[lane] + good / 2.0);
                successes[lane] += good;
                failures[lane] += bad;
                let found = (successes[lane] + failures[lane]).max(f64::MIN_POSITIVE);
                precision_sum[lane] += good * successes[lane] / found;
                bin[lane] += (good + bad) * tie.probability - good;
            }
        }
        let error = self.error(times, all.map(|all| all.weight * COVERAGE));
        std::array::from_fn(|lane| {
            let all = all[lane];
            let hundred = if self.hours { 100.0 / all.weight } else { f64::NAN };
            Figures {
                auroc: ranks[lane] / (successes[lane] * failures[lane]),
                auprc: precision_sum[lane] / successes[lane],
                brier: all.squares / all.weight,
                log_loss: all.log_loss / all.weight,
                ece: bins.iter().map(|bin| bin[lane].abs()).sum::<f64>() / all.weight,
                error_at_70: error[lane],
                burnt_hours: all.burnt * hundred,
                waiting_hours: all.waiting * hundred,
                wasted_hours: (all.burnt + all.waiting) * hundred,
            }
        })
    }

    /// Share of wrong decisions among the most surely decided rows of weight `limit` together. Of a
    /// group of equally sure rows that does not fit the share counts that does.
    fn error(&self, times: &[[f32; LANES]], limit: [f64; LANES]) -> [f64; LANES] {
        let (mut wrong, mut weight) = ([0.0_f64; LANES], [0.0_f64; LANES]);
        let mut at = 0;
        for &end in &self.sure_ends {
            let (wrong_here, right_here) = counted(&self.sure[at..end], times);
            at = end;
            let mut full = true;
            for lane in 0..LANES {
                let here = wrong_here[lane] + right_here[lane];
                let fits = here.min(limit[lane] - weight[lane]).max(0.0);
                wrong[lane] += wrong_here[lane] * fits / here.max(f64::MIN_POSITIVE);
                weight[lane] += fits;
                full &= weight[lane] >= limit[lane];
            }
            if full {
                break;
            }
        }
        std::array::from_fn(|lane| wrong[lane] / weight[lane])
    }

    /// Error of the decisions among the most surely decided share of the rows, for each share
    /// given.
    pub fn risk(&self, coverages: &[f64]) -> Vec<f64> {
        let times = vec![[1.0; LANES]; self.sums.len()];
        let weight: f64 = self.sums.iter().map(|sum| sum.weight).sum();
        coverages.iter().map(|coverage| self.error(&times, [weight * coverage; LANES])[0]).collect()
    }

    /// For each probability, highest first: shares of all successes and of all failures at or above
    /// it, and the share of successes among the rows at or above it.
    pub fn operating_points(&self) -> Vec<[f64; 3]> {
        let sum = |part: fn(&Ranked) -> f64| self.ranked.iter().map(part).sum::<f64>();
        let (successes, failures) = (sum(|row| row.good), sum(|row| row.bad));
        let (mut good, mut bad, mut at) = (0.0, 0.0, 0);
        let mut points = Vec::with_capacity(self.ties.len());
        for tie in &self.ties {
            for row in &self.ranked[at..tie.end] {
                good += row.good;
                bad += row.bad;
            }
            at = tie.end;
            points.push([good / successes, bad / failures, good / (good + bad)]);
        }
        points
    }

    /// Mean probability, share of success and weight of each bin of the calibration error that has
    /// rows, lowest first.
    pub fn reliability(&self) -> Vec<[f64; 3]> {
        let mut bins = [[0.0; 3]; BINS];
        let mut at = 0;
        for tie in &self.ties {
            let [said, came, weight] = &mut bins[tie.bin];
            for row in &self.ranked[at..tie.end] {
                *said += (row.good + row.bad) * tie.probability;
                *came += row.good;
                *weight += row.good + row.bad;
            }
            at = tie.end;
        }
        let filled = bins.into_iter().rev().filter(|[_, _, weight]| *weight > 0.0);
        filled.map(|[said, came, weight]| [said / weight, came / weight, weight]).collect()
    }
}

/// Weights of successes and of failures of some rows in each draw.
fn counted(rows: &[Ranked], times: &[[f32; LANES]]) -> ([f64; LANES], [f64; LANES]) {
    let (mut good, mut bad) = ([0.0; LANES], [0.0; LANES]);
    for row in rows {
        let times = &times[row.cluster as usize];
        for lane in 0..LANES {
            let times = f64::from(times[lane]);
            good[lane] += times * row.good;
            bad[lane] += times * row.bad;
        }
    }
    (good, bad)
}

/// How far a probability is from the threshold, as a share of the way to 0 or to 1.
fn sureness(probability: f64, threshold: f64) -> f64 {
    if probability >= threshold {
        (probability - threshold) / (1.0 - threshold).max(f64::MIN_POSITIVE)
    } else {
        (threshold - probability) / threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scored(rows: &[(f64, f64)], weight: Vec<f64>, hours: Option<Vec<f64>>) -> Scored {
        let (p, target): (Vec<f64>, Vec<f64>) = rows.iter().copied().unzip();
        let clusters: Vec<i64> = (0..rows.len() as i64).collect();
        Scored::new(&Outcomes::new(target, weight, hours, &clusters), &p, 0.5)
    }

    fn figures(rows: &[(f64, f64)]) -> Figures {
        scored(rows, vec![1.0; rows.len()], None).figures()
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "found {found}, expected {expected}");
    }

    #[test]
    fn figures_of_four_rows_worked_by_hand() {
        let rows = [(0.9, 1.0), (0.8, 0.0), (0.7, 1.0), (0.2, 0.0)];
        let f = figures(&rows);
        close(f.auroc, 3.0 / 4.0);
        close(f.auprc, (1.0 + 2.0 / 3.0) / 2.0);
        close(f.brier, (0.01 + 0.64 + 0.09 + 0.04) / 4.0);
        let loss = -(0.9_f64.ln() + 0.2_f64.ln() + 0.7_f64.ln() + 0.8_f64.ln()) / 4.0;
        close(f.log_loss, loss);
        // Fewer rows than bins: each has one of its own.
        close(f.ece, (0.1 + 0.8 + 0.3 + 0.2) / 4.0);
        assert!(f.wasted_hours.is_nan());
        let hours = Some(vec![1.0, 3.0, 5.0, 7.0]);
        let f = scored(&[(0.9, 1.0), (0.8, 0.0), (0.3, 1.0), (0.2, 0.0)], vec![1.0; 4], hours);
        let f = f.figures();
        close(f.burnt_hours, 75.0);
        close(f.waiting_hours, 125.0);
        close(f.wasted_hours, 200.0);
    }

    #[test]
    fn figures_of_twelve_rows_are_those_of_scikit_learn() {
        // scikit-learn 1.9.1: roc_auc_score, average_precision_score, brier_score_loss, log_loss
        // with sample_weight.
        let p = [0.1, 0.4, 0.35, 0.8, 0.65, 0.4, 0.9, 0.55, 0.2, 0.75, 0.35, 0.6];
        let t = [0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0];
        let w = vec![1.0, 2.0, 1.0, 1.0, 0.5, 1.0, 3.0, 1.0, 1.0, 1.0, 2.0, 1.0];
        let rows: Vec<(f64, f64)> = p.into_iter().zip(t).collect();
        let f = scored(&rows, w, None).figures();
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
        near(f.auroc, 0.875);
        near(f.auprc, 0.8977920227920227);
        near(f.brier, 0.14217741935483874);
        near(f.log_loss, 0.4412248745828599);
    }

    #[test]
    fn ties_count_half_and_a_constant_ranks_nothing() {
        let f = figures(&[(0.5, 1.0), (0.5, 0.0), (0.5, 0.0), (0.5, 1.0)]);
        close(f.auroc, 0.5);
        close(f.auprc, 0.5);
        close(f.brier, 0.25);
        close(f.ece, 0.0);
        close(f.error_at_70, 0.5);
    }

    #[test]
    fn a_weight_counts_as_rows_and_a_probability_as_two_rows() {
        let rows = [(0.9, 1.0), (0.4, 0.0), (0.4, 0.0), (0.3, 1.0), (0.2, 1.0), (0.2, 0.0)];
        let apart = scored(&rows, vec![1.0, 1.0, 1.0, 1.0, 0.25, 0.75], None).figures();
        let rows = [(0.9, 1.0), (0.4, 0.0), (0.3, 1.0), (0.7, 0.0), (0.2, 0.25)];
        let together = scored(&rows, vec![1.0, 2.0, 1.0, 0.0, 1.0], None).figures();
        for (found, expected) in together.values().into_iter().zip(apart.values()) {
            assert!((found - expected).abs() < 1e-12 || found.is_nan() && expected.is_nan());
        }
    }

    #[test]
    fn one_class_has_no_area_but_a_brier_score() {
        let f = figures(&[(0.9, 1.0), (0.4, 1.0)]);
        assert!(f.auroc.is_nan());
        close(f.auprc, 1.0);
        close(f.brier, (0.01 + 0.36) / 2.0);
        assert!(figures(&[]).brier.is_nan());
    }

    #[test]
    fn bins_hold_equal_weight() {
        let rows: Vec<(f64, f64)> = (0..150).map(|i| (f64::from(i) / 1000.0, 0.0)).collect();
        let scored = scored(&rows, vec![1.0; 150], None);
        let bins = scored.reliability();
        assert_eq!(bins.len(), BINS);
        assert!(bins.iter().all(|[_, came, weight]| (*came, *weight) == (0.0, 10.0)), "{bins:?}");
        assert!(bins.is_sorted_by(|a, b| a[0] < b[0]));
        close(scored.figures().ece, 0.0745);
    }

    #[test]
    fn risk_falls_where_the_sure_decisions_are_right() {
        let rows = [(0.95, 1.0), (0.05, 0.0), (0.9, 1.0), (0.6, 0.0), (0.45, 1.0)];
        let scored = scored(&rows, vec![1.0; 5], None);
        let risk = scored.risk(&[0.2, 0.6, 0.8, 1.0]);
        for (found, expected) in risk.into_iter().zip([0.0, 0.0, 0.25, 0.4]) {
            close(found, expected);
        }
        let points = scored.operating_points();
        assert_eq!(points[0], [1.0 / 3.0, 0.0, 1.0]);
        assert_eq!(points[4], [1.0, 1.0, 0.6]);
    }

    proptest! {
        #[test]
        fn auroc_is_the_share_of_ordered_pairs(
            rows in prop::collection::vec((0..20_u8, any::<bool>()), 2..60)
        ) {
            let rows: Vec<(f64, f64)> = rows
                .into_iter()
                .map(|(p, s)| (f64::from(p) / 20.0, f64::from(u8::from(s))))
                .collect();
            let (mut pairs, mut right) = (0.0, 0.0);
            for (p, _) in rows.iter().filter(|row| row.1 == 1.0) {
                for (q, _) in rows.iter().filter(|row| row.1 == 0.0) {
                    pairs += 1.0;
                    right += if p > q { 1.0 } else if p == q { 0.5 } else { 0.0 };
                }
            }
            let f = figures(&rows);
            if pairs > 0.0 {
                prop_assert!((f.auroc - right / pairs).abs() < 1e-9);
            } else {
                prop_assert!(f.auroc.is_nan());
            }
            prop_assert!((0.0..=1.0).contains(&f.brier));
            prop_assert!((0.0..=1.0).contains(&f.ece));
            prop_assert!((0.0..=1.0).contains(&f.error_at_70));
        }
    }
}
