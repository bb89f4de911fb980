//! Clusters and jobs, and what happens to one run of a job.
//!
//! [`attempt`] is the whole truth about a run: the simulated access point calls it once for each
//! run, the oracle many times for the same instant.
//!
//! - `attempt`: the whole truth about one run.
//! - `cluster`: clusters, their flaws and edits.
//! - `execution`: the program of a run.
//! - `run`: one run, from the match to its end.

mod attempt;
mod cluster;
mod execution;
mod run;

pub(crate) use attempt::{ENFILE, Subject, attempt};
pub(crate) use cluster::{Cluster, Edits, Flaw, Traits, draw_flaw, few};
pub(crate) use run::{Ending, Run};
