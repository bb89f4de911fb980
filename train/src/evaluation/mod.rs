//! What models are worth on holds whose outcome is known.
//!
//! - `classes`: how well classes are named.
//! - [`evaluate`]: puts models beside baselines, with the figures of `holdadvise::metrics`.
//! - [`judge`]: advice by the truth of simulations.
//! - [`predict`]: what a model says of each row, as a file.
//! - `queue_ad`: the ad of a held job as the queue has it.
//! - [`report`]: the page of an evaluation.
//! - [`review`]: advice on the past holds of logs.

pub(crate) mod classes;
pub mod evaluate;
pub mod judge;
pub mod predict;
pub(crate) mod queue_ad;
pub mod report;
pub mod review;
