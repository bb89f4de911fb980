//! A sweep: many trainings of which the best is kept, as successive halving over the nodes of a
//! DAG.
//!
//! - [`command`]: `sweep`: the steps, and questions to a running sweep.
//! - [`dag`]: the plan as a DAG for HTCondor.
//! - [`draw`]: draws trials.
//! - `file`: the sweep file.
//! - [`folder`]: the files that pass between steps.
//! - [`halving`]: which trials train on.
//! - [`importance`]: how much each parameter explains.
//! - [`leaderboard`]: the trials, the best first.
//! - `normal`: the standard normal distribution.
//! - `page`: `sweep.html`.
//! - [`parameters`]: the parameters that may vary.
//! - [`plan`]: `sweep.json`, on which all steps agree.
//! - [`planning`]: from the sweep file to the plan.
//! - [`results`]: what there is so far, read from the folder.
//! - [`run`]: the same steps on one machine.
//! - [`shards`]: pieces of the data, prepared by themselves.
//! - [`space`]: what values a parameter may have.
//! - [`steps`]: what the small nodes run.
//!
//! HTML of `sweep.html` is in `templates`.

pub mod command;
pub mod dag;
pub mod draw;
pub mod file;
pub mod folder;
pub mod halving;
pub mod importance;
pub mod leaderboard;
mod normal;
pub mod page;
pub mod parameters;
pub mod plan;
pub mod planning;
pub mod results;
pub mod run;
pub mod shards;
pub mod space;
pub mod steps;
