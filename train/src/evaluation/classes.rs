//! How well classes are named, with intervals from a bootstrap over clusters.

use std::collections::BTreeMap;

use holdadvise::metrics::{Estimate, draw_sums};

/// For each cluster how often each of `N` classes (rows) is named as each (columns).
#[derive(Clone, Debug)]
pub(crate) struct Confusion<const N: usize>(Vec<Vec<f64>>);

/// Accuracy and macro F1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named {
    /// Share of rows that are named right.
    pub(crate) accuracy: Estimate,
    /// Mean of F1 over the classes.
    pub(crate) f1: Estimate,
}

impl<const N: usize> Confusion<N> {
    /// `rows`: of each its cluster, the class that is right and the one that is named. Clusters are
    /// drawn in their order.
    pub(crate) fn of<K: Ord>(rows: impl Iterator<Item = (K, usize, usize)>) -> Self {
        let mut counts: BTreeMap<K, Vec<f64>> = BTreeMap::new();
        for (cluster, right, named) in rows {
            counts.entry(cluster).or_insert_with(|| vec![0.0; N * N])[N * right + named] += 1.0;
        }
        Self(counts.into_values().collect())
    }

    /// With intervals of `draws` of clusters.
    pub(crate) fn named(&self, draws: usize, seed: u64) -> Named {
        let sums = draw_sums(&self.0, draws, seed);
        let whole: Vec<f64> = (0..N * N).map(|at| self.0.iter().map(|of| of[at]).sum()).collect();
        let estimate = |figure: fn(&[f64]) -> f64| {
            Estimate::new(figure(&whole), sums.iter().map(|sums| figure(sums)))
        };
        Named { accuracy: estimate(accuracy), f1: estimate(f1) }
    }
}

impl Named {
    /// Cells of a table.
    pub(crate) fn cells(&self) -> String {
        format!("{} | {}", self.accuracy.text(3), self.f1.text(3))
    }
}

/// Classes of a confusion of so many counts.
fn classes(counts: &[f64]) -> usize {
    counts.len().isqrt()
}

fn accuracy(counts: &[f64]) -> f64 {
    let n = classes(counts);
    let right: f64 = (0..n).map(|class| counts[n * class + class]).sum();
    right / counts.iter().sum::<f64>()
}

/// Classes without a row, and never named, are left out.
fn f1(counts: &[f64]) -> f64 {
    let n = classes(counts);
    let of = |class: usize| {
        let is: f64 = counts[n * class..][..n].iter().sum();
        let named: f64 = (0..n).map(|row| counts[n * row + class]).sum();
        let right = counts[n * class + class];
        (is + named > 0.0).then(|| 2.0 * right / (is + named))
    };
    let all: Vec<f64> = (0..n).filter_map(of).collect();
    all.iter().sum::<f64>() / all.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_confusion() {
        let mut counts = [0.0; 16];
        counts[0] = 3.0;
        counts[1] = 1.0;
        counts[5] = 2.0;
        assert!((accuracy(&counts) - 5.0 / 6.0).abs() < 1e-12);
        let expected = f64::midpoint(6.0 / 7.0, 4.0 / 5.0);
        assert!((f1(&counts) - expected).abs() < 1e-12);
    }
}
