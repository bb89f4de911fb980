//! Trains, evaluates and exports the model of `holdadvise`.
//!
//! The first five folders stand in the order in which holds pass through them.
//!
//! - [`data`]: makes a dataset of job event logs.
//! - [`split`]: cuts it into parts.
//! - [`training`]: fits a model to one part.
//! - [`engine`]: what runs a model.
//! - [`evaluation`]: says what it is worth on another.
//! - [`export`]: completes the model file.
//! - [`closed_loop`]: lets policies and the advisor decide in running simulations.
//! - [`sweep`]: many trainings of which the best is kept.
//! - [`profiles`]: what binds scripts, from their syntax trees.
//! - [`workflows`]: what to do about workflows, from failed runs by cause and site.
//! - `page`: what pages for browsers are made of.
//! - `manual`: the manual page, of `main.rs`.
//! - [`output`]: where a subcommand writes.
//! - `progress`: how far long work is.
//! - [`say`]: printing that does not mind a closed pipe.

pub mod closed_loop;
pub mod data;
pub mod engine;
pub mod evaluation;
pub mod export;
pub mod output;
mod page;
pub mod profiles;
mod progress;
pub use holdadvise::random;
pub mod say;
pub mod split;
pub mod sweep;
pub mod training;
pub mod workflows;

/// Why something failed, in words for whoever asked for it.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
