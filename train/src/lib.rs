//! Trains, evaluates and exports the model of `holdadvise`.
//!
//! [`data::dataset`] is the file that passes between the steps. [`split`] cuts it, [`split::parts`] keeps the parts, [`training`]
//! (cargo feature `torch`) fits the `network` to it, [`export`] completes the TorchScript archive,
//! [`evaluation::evaluate`] puts the result beside [`training::baselines`] with the figures of [`evaluation::metrics`], and [`evaluation::report`] makes a page of it. [`calibrate`]
//! fits the calibration of a finished model to outcomes of one's own access point.

pub mod calibrate;
pub mod data;
pub mod evaluation;
pub mod export;
pub mod output;
pub mod pickle;
pub mod random;
pub mod say;
pub mod sheet;
pub mod split;
pub mod sweep;
pub mod training;
