//! What binds a script, from its syntax tree: trained on scripts that were run and measured.
//!
//! - `rows`: scripts and what they used.
//! - `linear`: multinomial logistic regression.
//! - `figures`: how often what binds is named right.
//! - `fit`: fits the methods and compares them.

mod figures;
mod fit;
mod linear;
mod rows;

use clap::Subcommand;

use crate::Error;

/// Subcommands of `profiles`.
#[derive(Clone, Debug, Subcommand)]
pub enum ProfilesCommand {
    /// Fits models to scripts.
    Fit(fit::FitOptions),
}

impl ProfilesCommand {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// When a file cannot be read or written, or does not hold what it should.
    pub fn run(&self) -> Result<(), Error> {
        match self {
            Self::Fit(options) => fit::run(options),
        }
    }
}
