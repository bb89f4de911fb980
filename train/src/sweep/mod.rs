//! A sweep: many trainings of which the best is kept, as successive halving over the nodes of a DAG.
//!
//! [`plan`] is what all steps agree on, [`shards`] cuts the data into pieces that are prepared by themselves.

mod peek;
pub mod plan;
pub mod shards;
