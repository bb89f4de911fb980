//! Trains, evaluates and exports the model of `holdadvise`.
//!
//! [`data::dataset`] is the file that passes between the steps. [`split`] cuts it, [`split::parts`] keeps the parts, [`training`]
//! (cargo feature `torch`) fits the `network` to it, [`export`] completes the TorchScript archive,
//! [`evaluate`] puts the result beside [`baselines`] with the figures of [`metrics`], and [`report`] makes a page of it. [`calibrate`]
//! fits the calibration of a finished model to outcomes of one's own access point.

pub mod calibrate;
pub mod data;
pub mod evaluate;
pub mod export;
pub mod metrics;
pub mod output;
pub mod pickle;
pub mod policies;
pub mod predict;
pub mod random;
pub mod report;
pub mod review;
pub mod say;
pub mod sheet;
pub mod split;
pub mod sweep;
pub mod training;
