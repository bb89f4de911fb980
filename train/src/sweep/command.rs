//! `holdadvise-train sweep`: the steps of a sweep.

use clap::Subcommand;

use super::steps::{ask, select};

/// Run a step of a sweep.
#[derive(Clone, Debug, clap::Args)]
pub struct SweepOptions {
    #[command(subcommand)]
    step: Step,
}

#[derive(Clone, Debug, Subcommand)]
enum Step {
    Ask(ask::AskOptions),
    Select(select::SelectOptions),
}

/// Runs the step.
///
/// # Errors
/// When it fails.
pub fn run(options: &SweepOptions) -> Result<(), Box<dyn std::error::Error>> {
    match &options.step {
        Step::Ask(options) => ask::run(options).map_err(Into::into),
        Step::Select(options) => select::run(options).map_err(Into::into),
    }
}
