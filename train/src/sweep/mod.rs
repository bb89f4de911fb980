//! A sweep: many trainings of which the best is kept, as successive halving over the nodes of a DAG.
//!
//! [`plan`] is what all steps agree on.

pub mod plan;
