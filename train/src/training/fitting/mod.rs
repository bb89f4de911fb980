//! Fits the network (AdamW on weighted binary cross-entropy, early stop on validation loss) and
//! the trees beside it, and weighs the two against each other. [`crate::export::train`] measures
//! and completes the result.
//!
//! On the CPU the same dataset, options and seed give the same file, byte for byte, with the same
//! version of libtorch, the same `--threads` and the same kind of processor, in one piece or in
//! many. On a GPU sums are taken in varying order and the last digits differ.
//!
//! - `checkpoint`: the file from which a training goes on.
//! - `describe`: what a model says of itself.
//! - `device`: processor or GPU.
//! - `embedding`: the first layer on the CPU.
//! - `error`: why training failed.
//! - `fit`: epochs, early stop, calibration.
//! - `gradient`: the gradient of some rows as one vector.
//! - `graph`: a step as a CUDA graph.
//! - `interrupt`: Ctrl-C in a training.
//! - `journal`: JSON lines of a training that runs.
//! - `loss_weights`: how much each row counts.
//! - [`network`]: the scripted template with parameters of the sizes asked for.
//! - `optimizer`: AdamW.
//! - `options`: how to train.
//! - `replicas`: one network for each thread.
//! - `rows`: the rows as libtorch is given them.
//! - `rung`: a training in pieces, which go on from a checkpoint.
//! - `stacking`: how much the trees count beside the network.
//! - `validation`: the figures on the validation part.

mod checkpoint;
mod describe;
mod device;
mod embedding;
mod error;
mod fit;
mod gradient;
mod graph;
pub(crate) mod interrupt;
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
