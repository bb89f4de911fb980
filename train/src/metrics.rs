//! Figures for predicted probabilities, each with an interval from a bootstrap over clusters.
//!
//! Jobs of one cluster tend to fail together, so whole clusters are drawn (Field and Welsh 2007),
//! not rows.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::random::Random;

/// Bins of the expected calibration error, equally wide over 0 to 1.
pub const BINS: usize = 10;

/// Probabilities are held this far from 0 and 1 in the log loss.
const MARGIN: f64 = 1e-6;

/// The figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Area under the receiver operating characteristic: the probability that a success is ranked
    /// above a failure, ties half (Hanley and McNeil 1982). NaN unless both are there.
    pub auroc: f64,
    /// Area under the precision-recall curve as average precision, success being positive. NaN
    /// without a success.
    pub auprc: f64,
    /// Mean squared difference of probability and outcome (Brier 1950).
    pub brier: f64,
    /// Mean negative log-likelihood, natural logarithm.
    pub log_loss: f64,
    /// Expected calibration error over [`BINS`] bins (Naeini et al. 2015).
    pub ece: f64,
}

impl Figures {
    /// Name and value of each figure, in the order printed.
    pub fn named(&self) -> [(&'static str, f64); 5] {
        [
            ("auroc", self.auroc),
            ("auprc", self.auprc),
            ("brier", self.brier),
            ("log_loss", self.log_loss),
            ("ece", self.ece),
        ]
    }
}

/// A figure and its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// On all rows.
    pub value: f64,
    /// 2.5 % of the bootstrap values lie below.
    pub low: f64,
    /// 2.5 % of the bootstrap values lie above.
    pub high: f64,
}

/// One prediction.
#[derive(Clone, Copy, Debug)]
struct ScoredRow {
    probability: f64,
    success: f64,
    weight: f64,
}

/// Predictions with what came of them.
#[derive(Clone, Debug)]
pub struct Scored {
    /// Highest probability first.
    rows: Vec<ScoredRow>,
    /// Cluster of each row, numbered from 0.
    cluster: Vec<usize>,
    clusters: usize,
}

impl Scored {
    /// Puts predictions beside outcomes. The slices must be of one length, the probabilities
    /// within 0 to 1, the weights at least 0. An outcome is 1 for a success, 0 for a failure, or the true
    /// probability p of a success: then the row counts as p of a success and 1 - p of a failure.
    pub fn new(probability: &[f64], success: &[f64], weight: &[f32], cluster: &[i64]) -> Self {
        let n = probability.len();
        assert!(success.len() == n && weight.len() == n && cluster.len() == n);
        let mut order: Vec<usize> = (0..probability.len()).collect();
        order.sort_by(|&a, &b| probability[b].total_cmp(&probability[a]));
        // Numbered in the order of the rows given: a seed then draws the same clusters for any
        // prediction of these rows.
        let mut numbers = HashMap::new();
        let mut numbered = Vec::with_capacity(order.len());
        for cluster in cluster {
            let next = numbers.len();
            numbered.push(*numbers.entry(cluster).or_insert(next));
        }
        Self {
            rows: order
                .iter()
                .map(|&row| ScoredRow {
                    probability: probability[row],
                    success: success[row],
                    weight: weight[row].into(),
                })
                .collect(),
            cluster: order.iter().map(|&row| numbered[row]).collect(),
            clusters: numbers.len(),
        }
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// There are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Different clusters.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// The figures on all rows.
    pub fn figures(&self) -> Figures {
        self.weighted(&vec![1.0; self.clusters])
    }

    /// The figures with each cluster counted `times[cluster]` times.
    fn weighted(&self, times: &[f64]) -> Figures {
        let (mut ranked, mut precision_sum) = (0.0, 0.0);
        let (mut successes, mut failures) = (0.0, 0.0);
        let (mut squares, mut log_loss) = (0.0, 0.0);
        let mut bins = [(0.0, 0.0); BINS];
        let mut at = 0;
        while at < self.rows.len() {
            // Rows of one probability are taken together: no order among them counts.
            let tie = self.rows[at].probability;
            let (mut good, mut bad) = (0.0, 0.0);
            while at < self.rows.len() && self.rows[at].probability == tie {
                let weight = times[self.cluster[at]] * self.rows[at].weight;
                good += weight * self.rows[at].success;
                bad += weight * (1.0 - self.rows[at].success);
                at += 1;
            }
            ranked += bad * (successes + good / 2.0);
            successes += good;
            failures += bad;
            if good > 0.0 {
                precision_sum += good * successes / (successes + failures);
            }
            squares += good * (1.0 - tie).powi(2) + bad * tie.powi(2);
            let p = tie.clamp(MARGIN, 1.0 - MARGIN);
            log_loss -= good * p.ln() + bad * (1.0 - p).ln();
            let bin = &mut bins[((tie * BINS as f64) as usize).min(BINS - 1)];
            bin.0 += (good + bad) * tie;
            bin.1 += good;
        }
        let total = successes + failures;
        let gaps: f64 = bins.iter().map(|(said, came): &(f64, f64)| (said - came).abs()).sum();
        Figures {
            auroc: ranked / (successes * failures),
            auprc: precision_sum / successes,
            brier: squares / total,
            log_loss: log_loss / total,
            ece: gaps / total,
        }
    }

    /// The figures with 95 % percentile intervals from `draws` bootstrap draws of clusters.
    pub fn estimates(&self, draws: usize, seed: u64) -> Vec<(&'static str, Estimate)> {
        let values = self.figures().named();
        intervals(values, self.draws(draws, seed).map(|times| self.weighted(&times).named()))
    }

    /// The figures of `self` less those of `other`, which must be predictions of the same rows in
    /// the same order, with intervals from draws common to both.
    pub fn differences(
        &self,
        other: &Self,
        draws: usize,
        seed: u64,
    ) -> Vec<(&'static str, Estimate)> {
        let less = |a: Figures, b: Figures| {
            let mut values = a.named();
            values.iter_mut().zip(b.named()).for_each(|(a, b)| a.1 -= b.1);
            values
        };
        let drawn = self
            .draws(draws, seed)
            .map(|times| less(self.weighted(&times), other.weighted(&times)));
        intervals(less(self.figures(), other.figures()), drawn)
    }

    /// How often each cluster is in each draw.
    fn draws(&self, draws: usize, seed: u64) -> impl Iterator<Item = Vec<f64>> + use<> {
        let clusters = self.clusters;
        let mut random = Random::new(seed);
        (0..draws).map(move |_| {
            let mut times = vec![0.0; clusters];
            for _ in 0..clusters {
                times[random.below(clusters)] += 1.0;
            }
            times
        })
    }
}

type Named = [(&'static str, f64); 5];

fn intervals(values: Named, drawn: impl Iterator<Item = Named>) -> Vec<(&'static str, Estimate)> {
    let mut columns: [Vec<f64>; 5] = Default::default();
    for named in drawn {
        for (column, (_, value)) in columns.iter_mut().zip(named) {
            // A draw without a success or without a failure has no area under a curve.
            if value.is_finite() {
                column.push(value);
            }
        }
    }
    columns.iter_mut().for_each(|column| column.sort_by(f64::total_cmp));
    let quantile = |column: &[f64], q: f64| {
        let last = column.len().saturating_sub(1);
        column.get((last as f64 * q).round() as usize).copied().unwrap_or(f64::NAN)
    };
    let rows = values.into_iter().zip(&columns);
    rows.map(|((name, value), column)| {
        let (low, high) = (quantile(column, 0.025), quantile(column, 0.975));
        (name, Estimate { value, low, high })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(success: bool) -> f64 {
        f64::from(u8::from(success))
    }

    fn figures(rows: &[(f64, bool)]) -> Figures {
        let (p, s): (Vec<f64>, Vec<f64>) = rows.iter().map(|&(p, s)| (p, number(s))).unzip();
        let clusters: Vec<i64> = (0..rows.len() as i64).collect();
        Scored::new(&p, &s, &vec![1.0; p.len()], &clusters).figures()
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "found {found}, expected {expected}");
    }

    #[test]
    fn figures_of_four_rows_worked_by_hand() {
        let f = figures(&[(0.9, true), (0.8, false), (0.7, true), (0.2, false)]);
        close(f.auroc, 3.0 / 4.0);
        close(f.auprc, (1.0 + 2.0 / 3.0) / 2.0);
        close(f.brier, (0.01 + 0.64 + 0.09 + 0.04) / 4.0);
        let loss = -(0.9_f64.ln() + 0.2_f64.ln() + 0.7_f64.ln() + 0.8_f64.ln()) / 4.0;
        close(f.log_loss, loss);
        close(f.ece, (0.1 + 0.8 + 0.3 + 0.2) / 4.0);
    }

    #[test]
    fn ties_count_half_and_a_constant_ranks_nothing() {
        let f = figures(&[(0.5, true), (0.5, false), (0.5, false), (0.5, true)]);
        close(f.auroc, 0.5);
        close(f.auprc, 0.5);
        close(f.brier, 0.25);
        close(f.ece, 0.0);
    }

    #[test]
    fn a_row_of_weight_two_counts_as_two_rows() {
        let twice = figures(&[(0.9, true), (0.4, false), (0.4, false), (0.3, true)]);
        let weighted = Scored::new(
            &[0.9, 0.4, 0.3, 0.7],
            &[1.0, 0.0, 1.0, 0.0],
            &[1.0, 2.0, 1.0, 0.0],
            &[0, 1, 2, 3],
        );
        for ((_, found), (_, expected)) in weighted.figures().named().iter().zip(twice.named()) {
            close(*found, expected);
        }
    }

    #[test]
    fn one_class_has_no_area_but_a_brier_score() {
        let f = figures(&[(0.9, true), (0.4, true)]);
        assert!(f.auroc.is_nan());
        close(f.auprc, 1.0);
        close(f.brier, (0.01 + 0.36) / 2.0);
        assert!(figures(&[]).brier.is_nan());
    }

    #[test]
    fn intervals_hold_the_value_and_widen_with_fewer_clusters() {
        let mut random = Random::new(4);
        let (p, s): (Vec<f64>, Vec<f64>) = (0..2000)
            .map(|_| (random.unit(), random.unit()))
            .map(|(p, u)| (p, number(u < p)))
            .unzip();
        let width = |clusters: i64| {
            let cluster: Vec<i64> = (0..2000).map(|row| row % clusters).collect();
            let scored = Scored::new(&p, &s, &[1.0; 2000], &cluster);
            assert_eq!(scored.clusters(), clusters as usize);
            let (name, brier) = scored.estimates(400, 1)[2];
            assert_eq!(name, "brier");
            assert!(brier.low <= brier.value && brier.value <= brier.high, "{brier:?}");
            brier.high - brier.low
        };
        // Known: the Brier score of an honest p uniform on 0..1 has mean 1/6.
        assert!(
            (Scored::new(&p, &s, &[1.0; 2000], &[0; 2000]).figures().brier - 1.0 / 6.0).abs()
                < 0.02
        );
        assert!(width(2000) > 0.0);
        // Clusters of like rows: the interval is wider than if the rows were independent.
        let sorted: Vec<i64> = (0..2000).map(|row| row / 100).collect();
        let mut order: Vec<usize> = (0..2000).collect();
        order.sort_by(|&a, &b| (p[a] - s[a]).abs().total_cmp(&(p[b] - s[b]).abs()));
        let (p, s): (Vec<f64>, Vec<f64>) = order.iter().map(|&row| (p[row], s[row])).unzip();
        let grouped = Scored::new(&p, &s, &[1.0; 2000], &sorted).estimates(400, 1)[2].1;
        assert!(grouped.high - grouped.low > 2.0 * width(2000));
    }

    #[test]
    fn a_difference_is_paired() {
        let mut random = Random::new(9);
        let p: Vec<f64> = (0..500).map(|_| random.unit()).collect();
        let s: Vec<f64> = p.iter().map(|&p| number(random.unit() < p)).collect();
        let clusters: Vec<i64> = (0..500).map(|row| row / 5).collect();
        let honest = Scored::new(&p, &s, &[1.0; 500], &clusters);
        let same = honest.differences(&honest, 50, 1);
        assert!(same.iter().all(|(_, d)| (d.value, d.low, d.high) == (0.0, 0.0, 0.0)));
        let constant = Scored::new(&[0.5; 500], &s, &[1.0; 500], &clusters);
        let auroc = honest.differences(&constant, 200, 1)[0].1;
        assert!(auroc.low > 0.2 && auroc.high < 0.5, "{auroc:?}");
    }

    proptest! {
        #[test]
        fn auroc_is_the_share_of_ordered_pairs(
            rows in prop::collection::vec((0..20_u8, any::<bool>()), 2..60)
        ) {
            let rows: Vec<(f64, bool)> =
                rows.into_iter().map(|(p, s)| (f64::from(p) / 20.0, s)).collect();
            let (mut pairs, mut right) = (0.0, 0.0);
            for (p, _) in rows.iter().filter(|row| row.1) {
                for (q, _) in rows.iter().filter(|row| !row.1) {
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
        }
    }
}
