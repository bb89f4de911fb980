//! From the training part of a dataset to a model. `holdadvise::model::platt` makes probabilities
//! of what a model says.
//!
//! - [`baselines`]: what a model has to beat.
//! - [`beginning`]: the model of a warm start.
//! - [`boosting`]: boosted trees.
//! - `fitting`: fits the network (cargo feature `torch`).
//! - `pieces`: ranges of the statics, cut into pieces.
//! - [`precision`]: the numbers that a network computes with.
//! - `source_dropout`: blanks sources at random.
//! - [`trial`]: what a trial of a sweep is given and says.

pub mod baselines;
pub mod beginning;
pub mod boosting;
#[cfg(feature = "torch")]
pub mod fitting;
#[cfg(feature = "torch")]
pub mod pieces;
pub mod precision;
pub(crate) mod source_dropout;
pub mod trial;

/// The network as a scripted module with parameters of size one, made by
/// `train/template/make_template.py`.
pub const TEMPLATE: &[u8] = include_bytes!("../../template/hold_lstm.pt");
