//! What is wrong where in the jobs of a cluster, an owner or a DAG: causes of failure by place.
//!
//! - `cause`: why a run failed.
//! - `runs`: the runs of jobs: where, for how long, and how each ended.
//! - `dag`: a DAG file, how far its nodes are, and what keeps others waiting.
//! - `matrix`: failed runs by cause and place, grouped where there are many.
//! - `suspects`: places where more runs fail than chance explains, and those that fail them at once.

mod cause;
mod dag;
mod matrix;
mod runs;
mod suspects;

pub use cause::Cause;
pub use dag::{Blocker, Dag, Progress, State};
pub use matrix::{By, Column, Matrix, Row};
pub use runs::{End, Run, runs};
pub use suspects::{Suspect, suspects};
