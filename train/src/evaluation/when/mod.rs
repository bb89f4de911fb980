//! `holdadvise-train when`: how well a model says when a release begins to succeed, beside the true
//! probabilities of a simulation.
//!
//! - `turnbull`: the baseline, by code.

mod turnbull;

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;

use holdadvise::advice::{Curve, DELAYS, Likely};
use holdadvise::features::{Column, RELEASE_DELAY};
use holdadvise::history::Action;
use holdadvise::model::{Batch, EngineKind, Model};
use rayon::prelude::*;
use serde::Serialize;

use crate::Error;
use crate::data::dataset::Dataset;
use crate::data::merge::is_same;
use crate::say::say;
use holdadvise::metrics::{Estimate, draw_sums};
use turnbull::Turnbull;

/// Show how well a model says when a release begins to succeed
#[derive(Clone, Debug, clap::Args)]
pub struct WhenOptions {
    /// Datasets of simulations made with `--when --when-plays N`, by `tensors --delays 99`, each
    /// of other access points, none of which is cut into several. One of them at a time is in memory.
    #[arg(required = true)]
    datasets: Vec<PathBuf>,
    /// The model.
    #[arg(short, long, value_name = "FILE")]
    model: PathBuf,
    /// The dataset from whose releases the baseline is counted: of other access points.
    #[arg(long, value_name = "DATASET")]
    baseline_from: PathBuf,
    /// Bootstrap draws of access points.
    #[arg(long, default_value_t = 1_000)]
    draws: usize,
    /// Seed of the draws.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A hold at an instant, with the true probabilities.
#[derive(Clone, Debug)]
struct Instant {
    /// The row of a release at once.
    row: usize,
    /// By seconds until the release.
    truth: Vec<(i64, f64)>,
}

/// What is said of the curves.
#[derive(Clone, Debug, Serialize)]
struct Report {
    instants: usize,
    access_points: usize,
    /// Integrated Brier scores.
    methods: Vec<Method>,
    /// Of instants at which a time is named: how many, and the share of what passes then that
    /// passes within its range.
    ranges: usize,
    coverage: Estimate,
}

/// One way to predict.
#[derive(Clone, Debug, Serialize)]
struct Method {
    name: &'static str,
    /// Mean over instants of the integrated squared difference, by time.
    integrated: Estimate,
    /// 1 less the ratio to that of the baseline.
    skill: Estimate,
}

/// Runs `when`.
///
/// # Errors
/// When a file cannot be read, they do not belong together, or the dataset has no such rows.
pub fn run(options: &WhenOptions) -> Result<(), Error> {
    let model = Model::open_with(&options.model, EngineKind::Builtin)?;
    let baseline = Turnbull::fit(&Dataset::read(&options.baseline_from)?);
    let mut counts = Counts::default();
    for (number, path) in options.datasets.iter().enumerate() {
        let of = |error: &dyn fmt::Display| format!("{}: {error}", path.display());
        if options.datasets[..number].iter().any(|before| is_same(before, path)) {
            return Err(of(&"it is named twice: name each dataset once").into());
        }
        let dataset = Dataset::read(path)?;
        model.check_schema(&dataset.info.schema.hash).map_err(|error| of(&error))?;
        counts.add(&dataset, &model, &baseline).map_err(|error| of(&error))?;
    }
    let report = counts.report(options.draws, options.seed);
    if options.json {
        say(format_args!("{}\n", serde_json::to_string_pretty(&report)?));
    } else {
        say(format_args!("{report}"));
    }
    Ok(())
}

/// What is counted at each access point.
#[derive(Clone, Debug, Default)]
struct Counts {
    instants: usize,
    ranges: usize,
    /// Of each access point: instants, the integral of each method, what passes within the range
    /// and what passes at all.
    sums: Vec<Vec<f64>>,
}

impl Counts {
    /// Adds the access points of a dataset.
    fn add(&mut self, dataset: &Dataset, model: &Model, baseline: &Turnbull) -> Result<(), Error> {
        let instants = instants(dataset);
        if instants.is_empty() {
            return Err("no instant has true probabilities of later releases: simulate with \
                        `--when --when-plays 24`, and `tensors --delays 99`"
                .into());
        }
        let curves = curves(dataset, model, &instants)?;
        self.instants += instants.len();
        let mut numbers = HashMap::new();
        for (instant, curve) in instants.iter().zip(&curves) {
            let row = instant.row;
            let next = self.sums.len();
            let number = *numbers.entry(dataset.access_point[row]).or_insert(next);
            if number == next {
                self.sums.push(vec![0.0; 6]);
            }
            let sums = &mut self.sums[number];
            let held_for = dataset.decision_instant[row] - dataset.hold_time[row];
            let codes = (dataset.code[row], dataset.subcode[row]);
            let at = |delay: i64| curve.at(delay).unwrap_or(0.5);
            sums[0] += 1.0;
            sums[1] += instant.integrated(at);
            sums[2] += instant.integrated(|_| at(0));
            sums[3] += instant.integrated(|delay| baseline.at(codes, held_for + delay));
            if let Some(likely) = curve.likely() {
                let [within, of] = instant.within(&likely);
                sums[4] += within;
                sums[5] += of;
                self.ranges += 1;
            }
        }
        Ok(())
    }

    fn report(&self, draws: usize, seed: u64) -> Report {
        let mut all = vec![0.0; 6];
        for of_one in &self.sums {
            all.iter_mut().zip(of_one).for_each(|(all, one)| *all += one);
        }
        let drawn = draw_sums(&self.sums, draws, seed);
        let estimate =
            |of: &dyn Fn(&[f64]) -> f64| Estimate::new(of(&all), drawn.iter().map(|sums| of(sums)));
        let method = |(at, name)| Method {
            name,
            integrated: estimate(&|sums| sums[1 + at] / sums[0]),
            skill: estimate(&|sums| 1.0 - sums[1 + at] / sums[3]),
        };
        let names = ["model", "model, its answer about now", "Turnbull by code"];
        Report {
            instants: self.instants,
            access_points: self.sums.len(),
            methods: names.into_iter().enumerate().map(method).collect(),
            ranges: self.ranges,
            coverage: estimate(&|sums| sums[4] / sums[5]),
        }
    }
}

impl Instant {
    /// The mean over time of the squared difference to the truth (trapezoids; Graf et al. 1999).
    fn integrated(&self, said: impl Fn(i64) -> f64) -> f64 {
        let squared = |&(delay, truth): &(i64, f64)| (said(delay) - truth).powi(2);
        let area = |pair: &[(i64, f64)]| {
            (pair[1].0 - pair[0].0) as f64 * (squared(&pair[0]) + squared(&pair[1])) / 2.0
        };
        let length = self.truth.last().map_or(1, |last| last.0).max(1);
        self.truth.windows(2).map(area).sum::<f64>() / length as f64
    }

    /// The true probability that a release begins to succeed within a range, and that it does at
    /// all.
    fn within(&self, likely: &Likely) -> [f64; 2] {
        let truth = Curve::new(self.truth.iter().copied());
        let at = |delay: i64| truth.at(delay).unwrap_or(0.0);
        let last = self.truth.last().map_or(0, |last| last.0);
        [at(likely.latest) - at(likely.earliest), at(last) - at(0)]
    }
}

/// The instants with true probabilities of a release now and later.
fn instants(dataset: &Dataset) -> Vec<Instant> {
    let key = |row: usize| {
        let when = (dataset.hold_time[row], dataset.decision_instant[row]);
        (dataset.cluster[row], when, dataset.code[row], dataset.subcode[row])
    };
    let as_is = |row: &usize| Action::ALL[usize::from(dataset.action[*row])] == Action::AsIs;
    let told = |row: &usize| dataset.observed[*row] == 0 && dataset.truth(*row).is_some();
    let mut all: Vec<Instant> = Vec::new();
    for row in (0..dataset.len()).filter(as_is).filter(told) {
        let (delay, truth) = (dataset.delay[row], dataset.truth(row).unwrap_or(0.0));
        if delay == 0 {
            all.push(Instant { row, truth: vec![(0, truth)] });
        } else if let Some(last) = all.last_mut().filter(|last| key(last.row) == key(row)) {
            last.truth.push((delay, truth));
        }
    }
    all.retain(|instant| instant.truth.len() > 1);
    all
}

/// What the model says of each instant.
fn curves(dataset: &Dataset, model: &Model, instants: &[Instant]) -> Result<Vec<Curve>, Error> {
    let name = RELEASE_DELAY;
    let (Some(at), Some(column)) = (dataset.info.schema.column(name), Column::named(name)) else {
        return Err(
            format!("the model has no column {name}: it does not know of later releases").into()
        );
    };
    let of_chunk = |chunk: &[Instant]| -> Result<Vec<Curve>, Error> {
        let rows: Vec<usize> = chunk
            .iter()
            .flat_map(|instant| std::iter::repeat_n(instant.row, DELAYS.len()))
            .collect();
        let (states, mut statics) = dataset.gather(&rows);
        let k = dataset.info.schema.statics.len();
        for (row, delay) in statics.chunks_exact_mut(k).zip(DELAYS.iter().cycle()) {
            row[at] = column.encode(usize::try_from(*delay).unwrap_or(0));
        }
        let batch = Batch { states: &states, statics: &statics, n: rows.len() };
        let said = model.probabilities(&batch)?;
        let curves = said.chunks(DELAYS.len());
        Ok(curves.map(|said| Curve::new(DELAYS.into_iter().zip(said.iter().copied()))).collect())
    };
    let chunks = instants.par_chunks(256).map(of_chunk).collect::<Result<Vec<_>, Error>>()?;
    Ok(chunks.concat())
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { instants, access_points, ranges, coverage, .. } = self;
        writeln!(
            f,
            "{instants} holds at an instant, {access_points} access points; 95 % intervals over \
             access points"
        )?;
        writeln!(f, "{:<30}{:>28}{:>28}", "", "integrated Brier score", "skill")?;
        for Method { name, integrated, skill } in &self.methods {
            writeln!(f, "{name:<30}{:>28}{:>28}", integrated.text(4), skill.text(3))?;
        }
        writeln!(
            f,
            "a time is named in {ranges}; of what passes then {} does within the range of 80 %",
            coverage.text(3)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrals_are_over_time() {
        let instant = Instant { row: 0, truth: vec![(0, 0.0), (100, 1.0), (300, 1.0)] };
        assert_eq!(instant.integrated(|delay| if delay == 0 { 0.0 } else { 1.0 }), 0.0);
        // Half of the first third.
        assert!((instant.integrated(|_| 1.0) - 1.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn what_passes_within_a_range_is_counted() {
        let instant = Instant { row: 0, truth: vec![(0, 0.2), (60, 0.2), (120, 0.8), (180, 0.9)] };
        let band = holdadvise::metrics::Band::Likely;
        let likely = Likely { band, from: 100, earliest: 60, latest: 120 };
        let [within, of] = instant.within(&likely);
        assert!((within - 0.6).abs() < 1e-9 && (of - 0.7).abs() < 1e-9, "{within} {of}");
    }
}
