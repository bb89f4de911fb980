//! Draws of clusters, common to all methods, and the intervals that come of them.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::scored::LANES;
use super::{NAMES, Scored};
use crate::random::Random;

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

impl Estimate {
    /// The value and, in brackets, its interval.
    pub fn text(&self, digits: usize) -> String {
        format!("{:.digits$} ({:.digits$} .. {:.digits$})", self.value, self.low, self.high)
    }

    /// The value with the percentile interval of drawn values. A draw that has no value, such as an
    /// area under a curve where all outcomes are alike, is left out.
    pub fn new(value: f64, drawn: impl Iterator<Item = f64>) -> Self {
        let mut drawn: Vec<f64> = drawn.filter(|value| value.is_finite()).collect();
        drawn.sort_by(f64::total_cmp);
        let quantile = |q: f64| {
            let last = drawn.len().saturating_sub(1);
            drawn.get((last as f64 * q).round() as usize).copied().unwrap_or(f64::NAN)
        };
        Self { value, low: quantile(0.025), high: quantile(0.975) }
    }

    /// Value and interval exist.
    pub fn exists(&self) -> bool {
        self.value.is_finite() && self.low.is_finite() && self.high.is_finite()
    }
}

/// The figures of one method.
type Values = [f64; NAMES.len()];

/// Figures of methods on all rows and in each draw.
#[derive(Clone, Debug)]
pub struct Draws {
    /// For each method its figures on all rows, the mean over its training seeds.
    pub value: Vec<Values>,
    /// The same for each draw.
    drawn: Vec<Vec<Values>>,
}

/// Draws as many clusters as there are, with replacement, `draws` times. A method is one or more
/// predictions of the same rows, one for each training seed. The draws depend on `seed` and the
/// number of clusters alone.
pub fn draw(methods: &[Vec<Scored>], clusters: usize, draws: usize, seed: u64) -> Draws {
    let figures = |times: &[[f32; LANES]]| -> Vec<[Values; LANES]> {
        methods.iter().map(|seeds| mean(seeds, times)).collect()
    };
    let of_lane = |figures: &[[Values; LANES]], lane: usize| -> Vec<Values> {
        figures.iter().map(|lanes| lanes[lane]).collect()
    };
    let drawn: Vec<Vec<Vec<Values>>> = (0..draws.div_ceil(LANES))
        .into_par_iter()
        .map(|batch| {
            let figures = figures(&times(clusters, batch, seed));
            let lanes = LANES.min(draws - batch * LANES);
            (0..lanes).map(|lane| of_lane(&figures, lane)).collect()
        })
        .collect();
    let value = of_lane(&figures(&vec![[1.0; LANES]; clusters]), 0);
    Draws { value, drawn: drawn.into_iter().flatten().collect() }
}

/// How often each cluster is counted in the draws of a batch.
fn times(clusters: usize, batch: usize, seed: u64) -> Vec<[f32; LANES]> {
    let mut times = vec![[0.0_f32; LANES]; clusters];
    let numbers = (1..=LANES as u64).map(|lane| (batch * LANES) as u64 + lane);
    for (lane, number) in numbers.enumerate() {
        let mut random = Random::new(seed ^ number.wrapping_mul(0xD134_2543_DE82_EF95));
        for _ in 0..clusters {
            times[random.below(clusters)][lane] += 1.0;
        }
    }
    times
}

/// The sums of values that each cluster has, over all clusters, in each draw. The draws are those
/// of [`draw`].
pub fn draw_sums(of_clusters: &[Vec<f64>], draws: usize, seed: u64) -> Vec<Vec<f64>> {
    let values = of_clusters.first().map_or(0, Vec::len);
    let batches = (0..draws.div_ceil(LANES)).into_par_iter().map(|batch| {
        let times = times(of_clusters.len(), batch, seed);
        let lanes = 0..LANES.min(draws - batch * LANES);
        let lane = |lane: usize| {
            let mut sums = vec![0.0; values];
            for (of_cluster, times) in of_clusters.iter().zip(&times) {
                let times = f64::from(times[lane]);
                sums.iter_mut().zip(of_cluster).for_each(|(sum, value)| *sum += times * value);
            }
            sums
        };
        lanes.map(lane).collect::<Vec<_>>()
    });
    batches.collect::<Vec<_>>().concat()
}

/// The mean over training seeds, in each draw.
fn mean(seeds: &[Scored], times: &[[f32; LANES]]) -> [Values; LANES] {
    let mut mean = [[0.0; NAMES.len()]; LANES];
    for scored in seeds {
        for (mean, figures) in mean.iter_mut().zip(scored.weighted(times)) {
            let values = figures.values();
            mean.iter_mut()
                .zip(values)
                .for_each(|(mean, value)| *mean += value / seeds.len() as f64);
        }
    }
    mean
}

impl Draws {
    /// A figure of a method.
    pub fn estimate(&self, method: usize, figure: usize) -> Estimate {
        Estimate::new(
            self.value[method][figure],
            self.drawn.iter().map(|draw| draw[method][figure]),
        )
    }

    /// A figure of one method less that of another, from draws common to both.
    pub fn difference(&self, method: usize, less: usize, figure: usize) -> Estimate {
        let of = |draw: &[Values]| draw[method][figure] - draw[less][figure];
        Estimate::new(of(&self.value), self.drawn.iter().map(|draw| of(draw)))
    }

    /// Share of the way from the AUROC of `table` to that of `best` that `own` has gone.
    pub fn gap_closed(&self, own: usize, table: usize, best: usize) -> Estimate {
        let of =
            |draw: &[Values]| (draw[own][0] - draw[table][0]) / (draw[best][0] - draw[table][0]);
        Estimate::new(of(&self.value), self.drawn.iter().map(|draw| of(draw)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Outcomes;
    use super::*;

    fn honest(n: usize) -> (Vec<f64>, Vec<f64>) {
        let mut random = Random::new(4);
        (0..n)
            .map(|_| (random.unit(), random.unit()))
            .map(|(p, u)| (p, f64::from(u8::from(u < p))))
            .unzip()
    }

    fn scored(p: &[f64], target: &[f64], cluster: &[i64]) -> (Scored, usize) {
        let outcomes = Outcomes::new(target.to_vec(), vec![1.0; p.len()], None, cluster);
        (Scored::new(&outcomes, p, 0.5), outcomes.clusters())
    }

    fn brier(p: &[f64], target: &[f64], cluster: &[i64]) -> Estimate {
        let (scored, clusters) = scored(p, target, cluster);
        draw(&[vec![scored]], clusters, 400, 1).estimate(0, 2)
    }

    #[test]
    fn intervals_hold_the_value_and_widen_with_like_rows_in_a_cluster() {
        let (p, target) = honest(2000);
        let alone: Vec<i64> = (0..2000).collect();
        let apart = brier(&p, &target, &alone);
        assert!(apart.low < apart.value && apart.value < apart.high, "{apart:?}");
        // The Brier score of an honest p uniform on 0..1 has mean 1/6.
        assert!((apart.value - 1.0 / 6.0).abs() < 0.02);
        let mut order: Vec<usize> = (0..2000).collect();
        order.sort_by(|&a, &b| (p[a] - target[a]).abs().total_cmp(&(p[b] - target[b]).abs()));
        let (p, target): (Vec<f64>, Vec<f64>) =
            order.iter().map(|&row| (p[row], target[row])).unzip();
        let hundred: Vec<i64> = (0..2000).map(|row| row / 100).collect();
        let like = brier(&p, &target, &hundred);
        assert!(like.high - like.low > 2.0 * (apart.high - apart.low), "{like:?} {apart:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_intervals() {
        let (p, target) = honest(300);
        let cluster: Vec<i64> = (0..300).map(|row| row / 3).collect();
        let (scored, clusters) = scored(&p, &target, &cluster);
        let of = |seed| draw(&[vec![scored.clone()]], clusters, 50, seed).estimate(0, 0);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(one.install(|| of(1)), of(1), "however many threads");
    }

    #[test]
    fn a_difference_is_paired_and_a_gap_is_closed_in_part() {
        let (p, target) = honest(500);
        let cluster: Vec<i64> = (0..500).map(|row| row / 5).collect();
        let vague: Vec<f64> =
            p.iter().enumerate().map(|(at, p)| if at % 2 == 0 { *p } else { 0.5 }).collect();
        let methods: Vec<Vec<Scored>> = [&p, &vague, &vec![0.5; 500]]
            .map(|p| vec![scored(p, &target, &cluster).0])
            .into_iter()
            .chain([vec![scored(&p, &target, &cluster).0, scored(&vague, &target, &cluster).0]])
            .collect();
        let drawn = draw(&methods, 100, 200, 1);
        let none = drawn.difference(0, 0, 0);
        assert_eq!((none.value, none.low, none.high), (0.0, 0.0, 0.0));
        let ahead = drawn.difference(0, 2, 0);
        assert!(ahead.low > 0.2 && ahead.high < 0.5, "{ahead:?}");
        let gap = drawn.gap_closed(1, 2, 0);
        assert!(gap.low > 0.2 && gap.high < 0.95 && gap.value > gap.low, "{gap:?}");
        let mean = (drawn.value[0][0] + drawn.value[1][0]) / 2.0;
        assert!((drawn.value[3][0] - mean).abs() < 1e-12, "training seeds are averaged");
    }
}
