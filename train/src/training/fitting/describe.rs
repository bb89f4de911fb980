//! What a trained model says of itself, and what its inputs are standardised with.

use holdadvise::model::{
    Calibration, Contract, Dimensions, METADATA_FORMAT, ModelMetadata, Output, Thresholds,
    TrainingSummary,
};
use serde_json::json;

use super::fit::Fitted;
use super::options::FitOptions;
use crate::data::dataset::{Dataset, SUCCESS};
use crate::split::Split;
use crate::split::selection::{Blank, SELECTION_DETAIL};
use crate::training::baselines::code_statistics;

/// Mean and standard deviation of each static column over the training rows; a column that does
/// not vary keeps the scale 1, and so does one that is blanked.
pub(super) fn standard(dataset: &Dataset, train: &[usize], blank: &Blank) -> (Vec<f32>, Vec<f32>) {
    let k = dataset.info.schema.statics.len();
    let n = train.len() as f64;
    // Row by row, as they lie in memory.
    let mean_of = |of: &dyn Fn(usize, f64) -> f64| {
        let mut sums = vec![0.0; k];
        for &row in train {
            let values = dataset.statics[row * k..(row + 1) * k].iter().enumerate();
            values.zip(&mut sums).for_each(|((at, &value), sum)| *sum += of(at, value.into()));
        }
        sums.iter_mut().for_each(|sum| *sum /= n);
        sums
    };
    let means = mean_of(&|_, value| value);
    let variances = mean_of(&|at, value| (value - means[at]).powi(2));
    let column = |at: usize| {
        let deviation = variances[at].sqrt();
        match blank.columns.contains(&at) {
            true => (0.0, 1.0),
            false => (means[at] as f32, if deviation > 1e-6 { deviation as f32 } else { 1.0 }),
        }
    };
    (0..k).map(column).unzip()
}

/// The metadata but for calibration and figures. Nothing of time or place enters: the same
/// training gives the same file.
pub(crate) fn describe(
    dataset: &Dataset,
    split: &Split,
    options: &FitOptions,
    fitted: &Fitted,
) -> ModelMetadata {
    let info = &dataset.info;
    let span = |rows: &[usize]| {
        json!({
            "rows": rows.len(),
            "successes": rows.iter().filter(|&&row| dataset.label[row] == SUCCESS).count(),
        })
    };
    let begun = fitted.begun.as_ref().map(|begun| ("from", json!(begun)));
    let details = [
        ("split", json!(split.cuts)),
        ("train", span(&split.train)),
        ("validation", span(&split.validation)),
        ("test", span(&split.test)),
        ("dropped", json!(split.dropped)),
        (SELECTION_DETAIL, json!(options.selection)),
        ("epochs", json!(fitted.progress.epoch)),
        ("best_epoch", json!(fitted.best.epoch)),
        ("train_loss", json!(fitted.best.train_loss)),
        ("validation_loss", json!(fitted.best.validation_loss)),
        ("trees", json!(fitted.trees)),
        ("share_of_trees", json!(fitted.share_of_trees)),
        ("options", options.described(dataset)),
    ];
    let details = details.into_iter().chain(begun);
    let trained = split
        .train
        .iter()
        .chain(&split.validation)
        .filter(|&&row| dataset.observed[row] != 0)
        .count() as u64;
    ModelMetadata {
        format: METADATA_FORMAT,
        contract: Contract::StatesStatics,
        output: Output::Logit,
        dimensions: Dimensions::of(&info.schema),
        schema: info.schema.clone(),
        tensors: Vec::new(),
        calibration: Calibration::default(),
        thresholds: Thresholds {
            release: options.release_threshold,
            remove: options.remove_threshold,
            ..Thresholds::default()
        },
        training: TrainingSummary {
            trained_on: info.origin.clone(),
            outcomes: if info.real { trained } else { 0 },
            details: details.map(|(key, value)| (key.to_owned(), value)).collect(),
        },
        metrics: serde_json::Value::Null,
        codes: code_statistics(dataset, &split.train),
        actions: dataset.actions_of(&split.train),
        recalibration: None,
        sheet: None,
    }
}
