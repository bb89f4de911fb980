//! `holdadvise-train`: from job event logs to a model.

mod manual;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use holdadvise_train::Error;
use holdadvise_train::closed_loop;
use holdadvise_train::data::{episodes, merge, simulation, tensors};
use holdadvise_train::evaluation::{evaluate, judge, predict, review};
#[cfg(feature = "torch")]
use holdadvise_train::export::train;
use holdadvise_train::export::{self, calibrate};
use holdadvise_train::profiles::ProfilesCommand;
use holdadvise_train::say::say;
use holdadvise_train::split::parts;
use holdadvise_train::sweep::command::SweepCommand;
use holdadvise_train::sweep::dag::command as dag;
use holdadvise_train::workflows::WorkflowsCommand;

/// Train, evaluate and export the model of holdadvise.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Simulate an access point: its job event log, its epoch ads, and the truth behind every hold
    Simulate(holdadvise_simulate::Arguments),
    Episodes(episodes::EpisodesOptions),
    Tensors(tensors::TensorsOptions),
    Merge(merge::MergeOptions),
    Split(parts::PartsOptions),
    #[cfg(feature = "torch")]
    Train(train::TrainOptions),
    Evaluate(evaluate::EvaluateOptions),
    ClosedLoop(closed_loop::ClosedLoopOptions),
    Predict(predict::PredictOptions),
    Export(export::ExportOptions),
    Calibrate(calibrate::CalibrateOptions),
    Review(review::ReviewOptions),
    Judge(judge::JudgeOptions),
    Dag(dag::DagOptions),
    /// Steps of a sweep, and what can be asked of one that runs
    #[command(subcommand)]
    Sweep(SweepCommand),
    /// What binds scripts, from their syntax trees
    #[command(subcommand)]
    Profiles(ProfilesCommand),
    /// What to do about workflows whose jobs fail, from failed runs by cause and site
    #[command(subcommand)]
    Workflows(WorkflowsCommand),
    /// Print the manual page
    #[command(hide = true)]
    Manual,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result: Result<(), Error> = match &arguments.command {
        #[cfg(feature = "torch")]
        Command::Train(options) => match train::run(options) {
            Ok(status) => return status,
            Err(error) => Err(error.into()),
        },
        Command::Simulate(options) => simulation::run(options),
        Command::Episodes(options) => episodes::run(options),
        Command::Tensors(options) => tensors::run(options),
        Command::Merge(options) => merge::run(options),
        Command::Split(options) => parts::run(options),
        Command::Evaluate(options) => evaluate::run(options),
        Command::ClosedLoop(options) => closed_loop::run(options),
        Command::Predict(options) => predict::run(options),
        Command::Export(options) => export::run(options),
        Command::Calibrate(options) => calibrate::run(options),
        Command::Review(options) => review::run(options),
        Command::Judge(options) => judge::run(options),
        Command::Dag(options) => dag::run(options),
        Command::Sweep(command) => command.run(),
        Command::Profiles(command) => command.run(),
        Command::Workflows(command) => command.run(),
        Command::Manual => manual::page(Arguments::command())
            .map(|page| say(format_args!("{page}")))
            .map_err(Into::into),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}
