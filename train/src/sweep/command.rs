//! `holdadvise-train sweep`: the steps of a sweep, and what can be asked of one that runs.

use clap::Subcommand;

use super::steps::{finish, select, test};
use super::{page, run};
use crate::Error;

/// A step of a sweep.
#[derive(Clone, Debug, Subcommand)]
pub enum SweepCommand {
    /// Decide which trials go on after a rung.
    Select(select::SelectOptions),
    /// Evaluate the best model on the test part, and compare it with the model in use.
    Test(test::TestOptions),
    /// Put results in place and clear away what nobody needs.
    Finish(finish::FinishOptions),
    /// Write sweep.html and the leaderboard, also while the sweep runs.
    Html(page::HtmlOptions),
    /// Run a sweep on this machine, without HTCondor.
    Run(run::RunOptions),
}

impl SweepCommand {
    /// Does it.
    ///
    /// # Errors
    /// Those of the step.
    pub fn run(&self) -> Result<(), Error> {
        match self {
            Self::Select(options) => select::run(options),
            Self::Test(options) => test::run(options),
            Self::Finish(options) => finish::run(options),
            Self::Html(options) => page::run(options),
            Self::Run(options) => run::run(options),
        }
    }
}
