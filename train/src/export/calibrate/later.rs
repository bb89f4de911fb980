//! What a calibration fitted to the first outcomes of an access point does on all later ones, over
//! many access points.

use std::fmt::Write;
use std::path::PathBuf;

use holdadvise::home::{self, FitOptions, Judged};
use holdadvise::model::{Apart, Calibration, Model};

use super::outcomes::{CheckOptions, judged, usable};
use crate::Error;
use crate::data::dataset::Dataset;
use holdadvise::metrics::{Estimate, NAMES, draw, draw_sums};

/// First outcomes that a calibration is fitted to.
const SIZES: [usize; 5] = [100, 200, 500, 1000, 2000];

/// Outcomes after them that an access point must have.
const LEAST_LATER: usize = 200;

/// One access point with one number of first outcomes.
struct OnLater {
    name: String,
    clusters: usize,
    later: usize,
    /// Mean log loss of the calibration before.
    before: f64,
    /// Log loss of the one fitted less that of the one before.
    fitted: Estimate,
    /// Likewise, where the one fitted is used only if it passes the check on its own newer outcomes.
    accepted: Option<Estimate>,
    calibration: Calibration,
}

/// The table of all access points, as text.
///
/// # Errors
/// When a dataset cannot be read or the model does not take its rows.
pub(super) fn later(
    model: &Model,
    paths: &[PathBuf],
    apart: Apart,
    check: &CheckOptions,
) -> Result<String, Error> {
    let mut all = Vec::new();
    for path in paths {
        let dataset = Dataset::read(path)?;
        model.check_schema(&dataset.info.schema.hash)?;
        let (rows, _) = usable(&dataset, model, &(0..dataset.len()).collect::<Vec<_>>());
        let options = FitOptions { apart, least: 0, ..check.of(&dataset)? };
        all.push((dataset.info.origin.clone(), judged(&dataset, model, &rows)?, options));
    }
    let own = model.metadata.calibration;
    let mut out = format!(
        "Log loss on all later outcomes of other clusters, less that of the calibration before: of \
         the one fitted to the first outcomes, and of the one in use if it has to pass its check. \
         Priors of slope {} and intercept {}; 95 % intervals over clusters, in sums over access \
         points\n",
        apart.slope, apart.intercept
    );
    for size in SIZES {
        let here: Vec<OnLater> = all
            .iter()
            .filter_map(|(name, judged, options)| on_later(name, judged, own, size, options))
            .collect();
        let _ = writeln!(out, "\nfitted to the first {size} outcomes");
        here.iter().for_each(|one| out.push_str(&line(one)));
        for (name, of) in [
            ("fitted", (|one: &OnLater| Some(one.fitted)) as fn(&OnLater) -> Option<Estimate>),
            ("in use", |one: &OnLater| one.accepted),
        ] {
            out.push_str(&sum(name, &here, of, check));
        }
    }
    Ok(out)
}

fn on_later(
    name: &str,
    all: &Judged,
    own: Calibration,
    size: usize,
    options: &FitOptions,
) -> Option<OnLater> {
    if all.len() < size + LEAST_LATER {
        return None;
    }
    let cut = FitOptions { newer_fraction: 1.0 - size as f64 / all.len() as f64, ..*options };
    let (older, later) = all.in_time(&cut).ok()?;
    let (older, later) = (all.some(&older), all.some(&later));
    let calibration = older.fit_near(own, options.apart).unwrap_or(own);
    let passed = home::recalibrate(&older, own, name, 0, options).ok();
    let passed = passed.filter(|made| !made.recalibration.check.is_worse());
    let figure = NAMES.iter().position(|&figure| figure == "log_loss")?;
    let outcomes = later.outcomes();
    let methods = [own, calibration].map(|of| vec![later.scored(&outcomes, of)]);
    let drawn = draw(&methods, outcomes.clusters(), options.draws.max(1), options.seed);
    let fitted = drawn.difference(1, 0, figure);
    Some(OnLater {
        name: name.to_owned(),
        clusters: outcomes.clusters(),
        later: later.len(),
        before: drawn.value[0][figure],
        fitted,
        accepted: passed.map(|_| fitted),
        calibration,
    })
}

fn line(one: &OnLater) -> String {
    let OnLater { name, clusters, later, before, fitted, accepted, calibration } = one;
    let in_use = if accepted.is_some() { "in use" } else { "not in use" };
    format!(
        "  {name:<10} {later:>6} of {clusters:>5} clusters  {before:.3}  {:+.4} ({:+.4} .. {:+.4})  \
         slope {:.2}, intercept {:+.2}, {in_use}\n",
        fitted.value, fitted.low, fitted.high, calibration.a, calibration.b
    )
}

/// The mean over access points, each counting alike; one without a difference counts as 0.
fn sum(
    name: &str,
    here: &[OnLater],
    of: fn(&OnLater) -> Option<Estimate>,
    check: &CheckOptions,
) -> String {
    if here.is_empty() {
        return String::new();
    }
    let value = |one: &OnLater| of(one).map_or(0.0, |estimate| estimate.value);
    let values: Vec<Vec<f64>> = here.iter().map(|one| vec![value(one), 1.0]).collect();
    let drawn = draw_sums(&values, check.draws.max(1), check.seed);
    let mean = here.iter().map(value).sum::<f64>() / here.len() as f64;
    let mean = Estimate::new(mean, drawn.iter().map(|sums| sums[0] / sums[1]));
    let count = |is: fn(&Estimate) -> bool| here.iter().filter_map(of).filter(is).count();
    format!(
        "  {name}: {:+.4} ({:+.4} .. {:+.4}) over {} access points; better on {}, worse on {}, \
         beyond chance better on {}, worse on {}\n",
        mean.value,
        mean.low,
        mean.high,
        here.len(),
        count(|one| one.value < 0.0),
        count(|one| one.value > 0.0),
        count(|one| one.high < 0.0),
        count(|one| one.low > 0.0)
    )
}
