//! What to do about a workflow whose jobs fail, from counts of failed runs by cause and site.
//!
//! - `label`: the action that the hidden cause of failures calls for.
//! - `rows`: workflows at instants, of simulations.
//! - `figures`: how well actions are named, with intervals.
//! - `fit`: fits the methods, compares them, and writes the model that the program asks.
//! - `served`: what the program says by the model.

mod figures;
mod fit;
mod label;
mod rows;
mod served;

pub use rows::{Row, RowsOptions};

use clap::Subcommand;

use crate::Error;

/// Subcommands of `workflows`.
#[derive(Clone, Debug, Subcommand)]
pub enum WorkflowsCommand {
    /// Makes rows.
    Rows(RowsOptions),
    /// Fits models to rows.
    Fit(fit::FitOptions),
}

impl WorkflowsCommand {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// When a file cannot be read or written, or does not hold what it should.
    pub fn run(&self) -> Result<(), Error> {
        match self {
            Self::Rows(options) => rows::run(options),
            Self::Fit(options) => fit::run(options),
        }
    }
}
