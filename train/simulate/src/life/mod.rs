//! Clusters and jobs, and what happens to one run of a job.
//!
//! [`attempt`] is the whole truth about a run: the simulated access point calls it once for each
//! run, the oracle many times for the same instant.

mod attempt;
mod cluster;
mod execution;
mod run;

pub(crate) use attempt::{ENFILE, Subject, attempt};
pub(crate) use cluster::{Cluster, Edits, Flaw, Traits, draw_flaw, few};
pub(crate) use run::{Ending, Run};
