//! From job event logs to a dataset.
//!
//! - [`companions`]: simulated access points that train beside real ones.
//! - [`dataset`]: the dataset file.
//! - [`episodes`]: `episodes`: prints holds as they are decided.
//! - [`input`]: logs, epoch ads and journals, read into a `History`.
//! - [`instant`]: an instant as people write it.
//! - [`merge`]: `merge`: shards become one file.
//! - [`metadata`]: JSON under one metadata key.
//! - [`peek`]: the two ends of a log.
//! - [`simulation`]: `simulate`: the simulator, and how far it is.
//! - [`tensors`]: `tensors`: rows of holds.
//! - [`truth`]: what a simulation knows besides.

pub mod companions;
pub mod dataset;
pub mod episodes;
pub mod input;
pub mod instant;
pub mod merge;
pub mod metadata;
pub mod peek;
pub mod simulation;
pub mod tensors;
pub mod truth;
