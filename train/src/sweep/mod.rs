//! A sweep: many trainings of which the best is kept, as successive halving over the nodes of a
//! DAG.
//!
//! [`plan`] is what all steps agree on, and [`planning`] makes it of the sweep file, which [`file`]
//! reads. [`shards`] cuts the data into pieces that are prepared by themselves. Trials are drawn by
//! [`draw`] from the distributions of [`space`] over the [`parameters`] of training, and
//! [`halving`] says which of them train on. [`dag`] makes all of it a folder that HTCondor runs,
//! [`steps`] are what its small nodes do, [`command`] calls them, and [`folder`] has the files that
//! pass between them. [`leaderboard`] and [`page`] show [`results`] and
//! the [`importance`] of parameters. [`run`] runs the same steps on
//! one machine.

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
