//! The calibration error that a calibration fitted to N outcomes leaves, over N.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use holdadvise::home::Judged;
use holdadvise::model::{Apart, Calibration, Model};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::outcomes::{judged, usable};
use crate::Error;
use crate::data::dataset::Dataset;
use crate::evaluation::report::ExtraTable;
use crate::random::Random;

/// Numbers of outcomes that are tried.
pub const SIZES: [usize; 8] = [10, 20, 50, 100, 200, 500, 1000, 2000];

/// Outcomes that a draw must leave to measure on: twenty for each bin of the calibration error.
const LEAST_LEFT: usize = 300;

/// One draw: clusters drawn, and calibration errors on the others.
struct Repetition {
    clusters: usize,
    /// Of the model as it is.
    before: f64,
    /// With the calibration that `calibrate` fits.
    after: f64,
    /// With slope and intercept as the drawn outcomes alone have them.
    alone: f64,
}

/// Draws whole clusters in random order until they have N outcomes, fits the calibration to them,
/// and measures it on all others; `repetitions` times for each N of [`SIZES`].
///
/// # Errors
/// When the model does not take the rows, or there are too few of them.
pub fn curve(
    dataset: &Dataset,
    model: &Model,
    rows: &[usize],
    repetitions: usize,
    seed: u64,
) -> Result<ExtraTable, Error> {
    let (rows, unknown) = usable(dataset, model, rows);
    if rows.len() < LEAST_LEFT + SIZES[0] || repetitions == 0 {
        return Err(format!(
            "{} outcomes of releases and {repetitions} repetitions: a curve takes {} outcomes and 1 repetition",
            rows.len(),
            LEAST_LEFT + SIZES[0]
        )
        .into());
    }
    let judged = judged(dataset, model, &rows)?;
    let mut clusters: HashMap<i64, Vec<usize>> = HashMap::new();
    for (place, &cluster) in judged.cluster.iter().enumerate() {
        clusters.entry(cluster).or_default().push(place);
    }
    let mut clusters: Vec<Vec<usize>> = clusters.into_values().collect();
    clusters.sort_unstable();
    let own = model.metadata.calibration;
    let columns = [
        "outcomes fitted to",
        "of clusters, mean",
        "calibration error, mean",
        "least",
        "most",
        "draws better than as it is",
        "by these outcomes alone, mean",
        "most, by these alone",
    ];
    let mut as_it_is = vec![Value::Null; columns.len()];
    as_it_is[..3].clone_from_slice(&[json!(0), json!(0), number(error(&judged, own))]);
    let mut table = vec![as_it_is];
    let mut left_out = Vec::new();
    for size in SIZES {
        let draw = |number: u64| {
            let seed = seed ^ (number + 1).wrapping_mul(0xD134_2543_DE82_EF95);
            repetition(&judged, &clusters, own, size, seed)
        };
        let drawn: Option<Vec<Repetition>> =
            (0..repetitions as u64).into_par_iter().map(draw).collect();
        let Some(drawn) = drawn else {
            left_out.push(size.to_string());
            continue;
        };
        let count = drawn.len() as f64;
        let mean = |of: &dyn Fn(&Repetition) -> f64| drawn.iter().map(of).sum::<f64>() / count;
        let most = |of: &dyn Fn(&Repetition) -> f64| {
            number(drawn.iter().map(of).fold(f64::NEG_INFINITY, f64::max))
        };
        let better = drawn.iter().filter(|draw| draw.after < draw.before).count();
        table.push(vec![
            json!(size),
            json!(mean(&|draw| draw.clusters as f64).round() as usize),
            number(mean(&|draw| draw.after)),
            number(drawn.iter().map(|draw| draw.after).fold(f64::INFINITY, f64::min)),
            most(&|draw| draw.after),
            json!(format!("{better} of {}", drawn.len())),
            number(mean(&|draw| draw.alone)),
            most(&|draw| draw.alone),
        ]);
    }
    let mut text = format!(
        "Expected calibration error over 15 bins of equal weight after slope and intercept were fitted to outcomes of {}. Whole \
         clusters are drawn until there are as many outcomes; the error is that on all the others. {repetitions} draws each, of {} \
         releases of {} clusters that came to an outcome{}. The first row is the model as it is, on all of them. By these outcomes alone: \
         without regard to the calibration before and to clusters. A draw that no slope above 0 fits leaves the model as it is.",
        described(dataset),
        rows.len(),
        clusters.len(),
        match unknown {
            0 => String::new(),
            unknown => format!(" (and {unknown} after hold codes that the model does not know)"),
        }
    );
    if !left_out.is_empty() {
        let sizes = left_out.join(", ");
        let _ = write!(text, " {sizes} outcomes leave fewer than {LEAST_LEFT} to measure on.");
    }
    Ok(ExtraTable {
        title: "Calibration error over outcomes of one's own".to_owned(),
        text,
        columns: columns.map(str::to_owned).into(),
        rows: table,
    })
}

/// The origin of a dataset, with the presets where it is simulated.
fn described(dataset: &Dataset) -> String {
    let simulations = dataset.info.simulations.iter();
    let presets: BTreeSet<&str> =
        simulations.filter_map(|simulation| simulation.get("preset")?.as_str()).collect();
    if presets.is_empty() {
        return dataset.info.origin.clone();
    }
    let presets: Vec<&str> = presets.into_iter().collect();
    format!("simulated access points ({})", presets.join(", "))
}

/// `None` where too few outcomes are left to measure on.
fn repetition(
    judged: &Judged,
    clusters: &[Vec<usize>],
    own: Calibration,
    size: usize,
    seed: u64,
) -> Option<Repetition> {
    let mut order: Vec<usize> = (0..clusters.len()).collect();
    Random::new(seed).shuffle(&mut order);
    let (mut drawn, mut count) = (Vec::new(), 0);
    let mut order = order.into_iter();
    while drawn.len() < size {
        drawn.extend_from_slice(&clusters[order.next()?]);
        count += 1;
    }
    let rest: Vec<usize> = order.flat_map(|cluster| &clusters[cluster]).copied().collect();
    if rest.len() < LEAST_LEFT {
        return None;
    }
    let (drawn, rest) = (judged.some(&drawn), judged.some(&rest));
    Some(Repetition {
        clusters: count,
        before: error(&rest, own),
        after: error(&rest, drawn.fit_near(own, Apart::default()).unwrap_or(own)),
        alone: error(&rest, drawn.fit().unwrap_or(own)),
    })
}

fn error(judged: &Judged, calibration: Calibration) -> f64 {
    judged.scored(&judged.outcomes(), calibration).figures().ece
}

/// JSON has no NaN.
fn number(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { Value::Null }
}

/// The table as text.
pub(super) fn text(table: &ExtraTable) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}", table.text);
    let line = |cells: Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:>10}")).collect();
        cells.join("  ") + "\n"
    };
    let headings = ["N", "clusters", "error", "least", "most", "better", "alone", "most"];
    out.push_str(&line(headings.map(str::to_owned).into()));
    for row in &table.rows {
        let cells = row.iter().map(|value| match value {
            Value::Null => "-".to_owned(),
            Value::String(text) => text.clone(),
            Value::Number(number) if number.is_f64() => {
                format!("{:.3}", number.as_f64().unwrap_or_default())
            }
            other => other.to_string(),
        });
        out.push_str(&line(cells.collect()));
    }
    out
}
