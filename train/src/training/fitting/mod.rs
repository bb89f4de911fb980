//! Fits the network (AdamW on weighted binary cross-entropy, early stop on validation loss) and the
//! trees beside it, and weighs the two against each other. [`crate::export::train`] measures and
//! completes what comes of it.
//!
//! `options` says how, `fit` does it on the `rows` of a dataset with a `network`, its `replicas`,
//! their `gradient` and its `optimizer`, `stacking` weighs the trees, `describe` writes down what
//! came of it, `validation` says how good it is. A training can be done in pieces (`rung`): it goes
//! on from a `checkpoint` as if it
//! had never stopped, and tells of itself in a `journal`.
//!
//! On the CPU the same dataset, options and seed give the same file, byte for byte, with the same
//! version of libtorch, the same `--threads` and the same kind of processor, in one piece or in
//! many. On a GPU sums are taken in varying order and the last digits differ.

mod checkpoint;
mod describe;
mod device;
mod embedding;
mod error;
mod fit;
mod gradient;
mod journal;
mod loss_weights;
pub mod network;
mod optimizer;
mod options;
mod replicas;
mod rows;
mod rung;
mod stacking;
mod validation;

pub(crate) use describe::describe;
pub use error::TrainError;
pub(crate) use fit::{Ended, Fitted, Task, fit};
pub use options::{FitOptions, Place};
pub(crate) use rung::Clock;
pub use rung::RungOptions;
pub(crate) use validation::Judged;

use holdadvise::model::{Batch, Calibration, Model};

use crate::data::dataset::Dataset;
use crate::split::selection::Blank;
use holdadvise::model::platt;

/// The calibration of a fitted model to the validation part, whose rows count for `weight`.
pub(crate) fn calibrate(
    dataset: &Dataset,
    validation: &[usize],
    model: &Model,
    blank: &Blank,
    targets: &[f32],
    weight: &[f32],
) -> Result<Calibration, TrainError> {
    let (mut states, mut statics) = dataset.gather(validation);
    blank.apply(&mut states, &mut statics);
    let batch = Batch { states: &states, statics: &statics, n: validation.len() };
    let logits = model.engine.logits(&batch)?;
    let outcome: Vec<f32> = validation.iter().map(|&row| targets[row]).collect();
    Ok(platt(&logits, &outcome, weight))
}
