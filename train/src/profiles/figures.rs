//! How often what binds is named right, with intervals from a bootstrap over projects.

use std::collections::BTreeMap;

use holdadvise::profile::Binding;

use super::rows::Row;
use crate::evaluation::metrics::{Estimate, draw_sums};

const SEED: u64 = 1;

/// Classes.
pub(super) const CLASSES: usize = Binding::ALL.len();

/// What a method says of a row: how likely each class is.
pub(super) type Said = [f64; CLASSES];

/// The class said most, the first of equal ones.
pub(super) fn most(said: &Said) -> usize {
    (0..CLASSES).rev().max_by(|&a, &b| said[a].total_cmp(&said[b])).unwrap_or(0)
}

/// The class that is right: of a tie the one that is named.
pub(super) fn right(row: &Row, said: &Said) -> usize {
    let named = most(said);
    if row.is(Binding::ALL[named]) { named } else { row.binding.number() }
}

/// Share of rows named right, and mean of F1 over the classes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figures {
    pub(super) accuracy: Estimate,
    pub(super) f1: Estimate,
}

impl Figures {
    /// `draws` of projects.
    pub(super) fn of(rows: &[&Row], said: &[Said], draws: usize) -> Self {
        let counts = confusion(rows, said);
        let sums = draw_sums(&counts, draws, SEED);
        let sum = |at: usize| counts.iter().map(|of| of[at]).sum();
        let whole: Vec<f64> = (0..CLASSES * CLASSES).map(sum).collect();
        let estimate =
            |of: fn(&[f64]) -> f64| Estimate::new(of(&whole), sums.iter().map(|sums| of(sums)));
        Self { accuracy: estimate(accuracy), f1: estimate(f1) }
    }

    /// Cells of a table.
    pub(super) fn cells(&self) -> String {
        format!("{} | {}", self.accuracy.text(3), self.f1.text(3))
    }
}

/// For each project how often each class (rows) is named as each (columns).
fn confusion(rows: &[&Row], said: &[Said]) -> Vec<Vec<f64>> {
    let mut counts: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (row, said) in rows.iter().zip(said) {
        let of = counts.entry(&row.project).or_insert_with(|| vec![0.0; CLASSES * CLASSES]);
        of[CLASSES * right(row, said) + most(said)] += 1.0;
    }
    counts.into_values().collect()
}

/// All rows, as [`confusion`].
pub(super) fn table(rows: &[&Row], said: &[Said]) -> [[usize; CLASSES]; CLASSES] {
    let mut table = [[0; CLASSES]; CLASSES];
    for (row, said) in rows.iter().zip(said) {
        table[right(row, said)][most(said)] += 1;
    }
    table
}

fn accuracy(counts: &[f64]) -> f64 {
    let right: f64 = (0..CLASSES).map(|class| counts[CLASSES * class + class]).sum();
    right / counts.iter().sum::<f64>()
}

/// Classes without a row, and never named, are left out.
fn f1(counts: &[f64]) -> f64 {
    let of = |class: usize| {
        let is: f64 = counts[CLASSES * class..][..CLASSES].iter().sum();
        let named: f64 = (0..CLASSES).map(|row| counts[CLASSES * row + class]).sum();
        let right = counts[CLASSES * class + class];
        (is + named > 0.0).then(|| 2.0 * right / (is + named))
    };
    let all: Vec<f64> = (0..CLASSES).filter_map(of).collect();
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
