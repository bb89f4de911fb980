//! What to do about a workflow whose jobs fail, from counts of failed runs by cause and site.
//!
//! - `label`: the action that the hidden cause of failures calls for.
//! - `rows`: workflows at instants, of simulations.
//! - `matrix`: rows as matrices of numbers.
//! - `figures`: how well actions are named, with intervals.
//! - `network`: dense networks and convolutional ones over the matrix (cargo feature `torch`).
//! - `fit`: fits the methods and compares them (cargo feature `torch`).

#[cfg(feature = "torch")]
mod figures;
#[cfg(feature = "torch")]
mod fit;
mod label;
#[cfg(feature = "torch")]
mod matrix;
#[cfg(feature = "torch")]
mod network;
mod rows;

pub use label::Recovery;
pub use rows::{Cell, Place, Row, RowsOptions};

use clap::Subcommand;

use crate::Error;

/// Subcommands of `workflows`.
#[derive(Clone, Debug, Subcommand)]
pub enum WorkflowsCommand {
    /// Makes rows.
    Rows(RowsOptions),
    /// Fits models to rows.
    #[cfg(feature = "torch")]
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
            #[cfg(feature = "torch")]
            Self::Fit(options) => fit::run(options),
        }
    }
}
