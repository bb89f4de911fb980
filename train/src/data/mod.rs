//! From job event logs to a dataset.
//!
//! [`input`] reads logs, epoch ads and journals, [`truth`] what a simulation knows besides, and
//! [`peek`] the two ends of a log. [`episodes`] prints the holds, [`tensors`] makes rows of them,
//! [`merge`] makes one [`dataset`] of several. [`companions`] are simulated and train beside
//! real ones.

pub mod companions;
pub mod dataset;
pub mod episodes;
pub mod input;
pub mod instant;
pub mod merge;
pub mod metadata;
pub mod peek;
pub mod tensors;
pub mod truth;
