//! What `condor_holdadvise -workflow` says by a model, and how often that is right.

use std::collections::BTreeMap;
use std::ops::Range;

use holdadvise::metrics::{Band, Estimate, draw_sums};
use holdadvise::workflow::{Recovery, RecoveryModel};

use super::Row;
use crate::say::say;

const SEED: u64 = 1;

/// Failed runs from which on rows are counted together.
const SIZES: [usize; 4] = [10, 30, 100, 300];

/// An action, and how likely it is right.
type Spoken = (Recovery, Band);

/// Prints of how many rows an action is said, and how often it is right: by how sure it is, and by
/// size.
pub(super) fn measure(model: &RecoveryModel, rows: &[&Row], draws: usize) {
    let spoken = |row: &Row| {
        row.shown.recovering(model, false).map(|said| -> Spoken { (said.action, said.right) })
    };
    let said: Vec<(&Row, Option<Spoken>)> = rows.iter().map(|row| (*row, spoken(row))).collect();
    say(format_args!("\n| of rows | rows | said of | right |\n|---|---|---|---|\n"));
    let line = |name: &str, failures: Range<usize>, least: Band| {
        let here: Vec<(u64, Option<bool>)> = said
            .iter()
            .filter(|(row, _)| failures.contains(&row.shown.counts.failures()))
            .map(|(row, of)| {
                let of = of.filter(|(_, right)| *right >= least);
                (row.access_point, of.map(|(action, _)| action == row.action))
            })
            .collect();
        let spoken = share(here.iter().map(|(at, right)| (*at, right.is_some())), draws).text(3);
        let right = here.iter().filter_map(|(at, right)| Some((*at, (*right)?)));
        let (n, right) = (here.len(), share(right, draws).text(3));
        say(format_args!("| {name} | {n} | {spoken} | {right} |\n"));
    };
    line("all", 0..usize::MAX, Band::Likely);
    line("all, very likely", 0..usize::MAX, Band::VeryLikely);
    for (at, least) in SIZES.into_iter().enumerate() {
        let most = SIZES.get(at + 1).copied().unwrap_or(usize::MAX);
        line(&format!("from {least} failed runs"), least..most, Band::Likely);
    }
}

/// The share of what is so, with its interval over access points.
fn share(all: impl Iterator<Item = (u64, bool)>, draws: usize) -> Estimate {
    let mut counts: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (access_point, is) in all {
        let count = counts.entry(access_point).or_insert_with(|| vec![0.0; 2]);
        count[0] += f64::from(u8::from(is));
        count[1] += 1.0;
    }
    if counts.is_empty() {
        return Estimate::new(f64::NAN, std::iter::empty());
    }
    let counts: Vec<Vec<f64>> = counts.into_values().collect();
    let sum = |at: usize| counts.iter().map(|of| of[at]).sum::<f64>();
    let drawn = draw_sums(&counts, draws, SEED);
    Estimate::new(sum(0) / sum(1), drawn.iter().map(|sums| sums[0] / sums[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_has_its_interval() {
        let all = (0..40).map(|at| (at / 4, at % 4 == 0));
        let share = share(all, 50);
        assert_eq!((share.value, share.low, share.high), (0.25, 0.25, 0.25));
    }
}
