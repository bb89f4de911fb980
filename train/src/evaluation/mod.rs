//! What models and policies are worth on holds whose outcome is known.
//!
//! - `classes`: how well classes are named.
//! - [`evaluate`]: puts models beside baselines, with the figures of `holdadvise::metrics`.
//! - [`judge`]: advice by the truth of simulations.
//! - [`policies`]: release expressions by the truth of simulations and plays.
//! - [`predict`]: what a model says of each row, as a file.
//! - `queue_ad`: the ad of a held job as the queue has it.
//! - [`report`]: the page of an evaluation.
//! - [`review`]: advice on the past holds of logs.
//! - [`when`]: later releases by the truth of simulations.

pub(crate) mod classes;
pub mod evaluate;
pub mod judge;
pub mod policies;
pub mod predict;
pub(crate) mod queue_ad;
pub mod report;
pub mod review;
pub mod when;
