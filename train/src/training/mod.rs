//! From the training part of a dataset to a model.
//!
//! `fitting` (cargo feature `torch`) fits the network, cut by `pieces`, and the trees of
//! `boosting`, and leaves sources out by `source_dropout`. `holdadvise::model::platt` makes probabilities of
//! what a model says, [`baselines`] are what it has to beat,
//! [`beginning`] is a model to begin with, and [`trial`] is what a sweep gives a
//! training and hears of it.

pub mod baselines;
pub mod beginning;
#[cfg(feature = "torch")]
mod boosting;
#[cfg(feature = "torch")]
pub mod fitting;
#[cfg(feature = "torch")]
pub mod pieces;
pub mod precision;
#[cfg(feature = "torch")]
mod source_dropout;
pub mod trial;

/// The network as a scripted module with parameters of size one, made by
/// `train/template/make_template.py`.
pub const TEMPLATE: &[u8] = include_bytes!("../../template/hold_lstm.pt");
