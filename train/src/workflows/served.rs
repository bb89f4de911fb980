//! What `condor_holdadvise -workflow` says by a model, and how often that is right.

use std::collections::BTreeMap;

use holdadvise::metrics::Band;
use holdadvise::workflow::{Recovery, RecoveryModel};

use super::Row;
use crate::say::say;
use holdadvise::metrics::{Estimate, draw_sums};

const SEED: u64 = 1;

/// Ends of the probabilities of a table: those of bands, the first and the last band cut once more.
const BINS: [f64; 8] = [0.0, 0.02, 0.1, 0.35, 0.65, 0.9, 0.98, 1.0];

/// Failed runs from which on rows are counted together.
const SIZES: [usize; 4] = [10, 30, 100, 300];

/// Prints what a model says of rows: by action and band, by size, and whether its bands are honest.
pub(super) fn measure(model: &RecoveryModel, rows: &[&Row], draws: usize) {
    let said: Vec<Option<Spoken>> = rows
        .iter()
        .map(|row| row.shown.recovering(model, false).map(|said| (said.action, said.right)))
        .collect();
    let alone: Vec<Option<Spoken>> = rows
        .iter()
        .map(|row| model.say(&row.shown.counts).most())
        .map(|(action, p)| Some((action, Band::of(p))).filter(|(_, band)| *band >= Band::Likely))
        .collect();
    for (name, spoken) in [("what is said", &said), ("what the model alone would say", &alone)] {
        say(format_args!("\n| {name} | rows | share | right |\n|---|---|---|---|\n"));
        let line = |name: &str, is_meant: &dyn Fn(&Row, Spoken) -> bool| {
            let all = || rows.iter().copied().zip(spoken);
            let is = |row: &Row, of: Option<Spoken>| of.is_some_and(|of| is_meant(row, of));
            let shares = share(all().map(|(row, of)| (row.access_point, is(row, *of))), draws);
            let meant = all().filter(|(row, of)| is(row, **of));
            let right = |(row, of): (&Row, &Option<Spoken>)| {
                (row.access_point, of.is_some_and(|(action, _)| action == row.action))
            };
            let rights: Vec<(u64, bool)> = meant.map(right).collect();
            let (n, shares) = (rights.len(), shares.text(3));
            let rights = share(rights.into_iter(), draws).text(3);
            say(format_args!("| {name} | {n} | {shares} | {rights} |\n"));
        };
        line("any action", &|_, _| true);
        for band in [Band::Likely, Band::VeryLikely] {
            line(band.words(), &|_, (_, right)| right == band);
            for action in Recovery::ALL {
                let name = format!("{}, {}", action.name(), band.words());
                line(&name, &|_, of| of == (action, band));
            }
        }
    }
    sizes(rows, &said, draws);
    let scores = |row: &Row| model.say(&row.shown.counts);
    reliability("the likeliest action", rows, draws, |row| {
        let (action, p) = scores(row).most();
        (p, action == row.action)
    });
    for (at, action) in Recovery::ALL.into_iter().enumerate() {
        let of = |row: &Row| (scores(row).actions[at], row.action == action);
        reliability(action.name(), rows, draws, of);
    }
    reliability("memory must change", rows, draws, |row| (scores(row).memory, row.memory));
}

/// An action, and how likely it is right.
type Spoken = (Recovery, Band);

/// Prints how much is said of workflows with so many failed runs.
fn sizes(rows: &[&Row], said: &[Option<Spoken>], draws: usize) {
    say(format_args!("\n| failed runs | rows | said of | right |\n|---|---|---|---|\n"));
    for (at, least) in SIZES.into_iter().enumerate() {
        let most = SIZES.get(at + 1).copied().unwrap_or(usize::MAX);
        let is_meant = |row: &Row| (least..most).contains(&row.shown.counts.failures());
        let here: Vec<(&Row, &Option<Spoken>)> =
            rows.iter().copied().zip(said).filter(|(row, _)| is_meant(row)).collect();
        let spoken = share(here.iter().map(|(row, of)| (row.access_point, of.is_some())), draws);
        let right =
            here.iter().filter_map(|(row, of)| Some((row.access_point, (**of)?.0 == row.action)));
        let right = share(right, draws).text(3);
        let (n, spoken) = (here.len(), spoken.text(3));
        say(format_args!("| from {least} | {n} | {spoken} | {right} |\n"));
    }
}

/// Prints how often what has a probability is so.
fn reliability(name: &str, rows: &[&Row], draws: usize, of: impl Fn(&Row) -> (f64, bool)) {
    say(format_args!("\n| probability of {name} | rows | mean | is so |\n|---|---|---|---|\n"));
    let all: Vec<(u64, f64, bool)> = rows
        .iter()
        .map(|row| (row.access_point, of(row)))
        .map(|(at, (p, is))| (at, p, is))
        .collect();
    for ends in BINS.windows(2) {
        let is_last = ends[1] >= 1.0;
        let within = |p: f64| p >= ends[0] && (p < ends[1] || is_last);
        let here: Vec<_> = all.iter().filter(|(_, p, _)| within(*p)).collect();
        if here.is_empty() {
            continue;
        }
        let mean = here.iter().map(|(_, p, _)| p).sum::<f64>() / here.len() as f64;
        let so = share(here.iter().map(|(at, _, is)| (*at, *is)), draws).text(3);
        say(format_args!("| {} to {} | {} | {mean:.3} | {so} |\n", ends[0], ends[1], here.len()));
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
