//! `holdadvise-simulate`: the simulator without the rest of the training tools.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use holdadvise_simulate::Arguments;

/// Simulate an access point: its job event log, its epoch ads, and the truth behind every hold
#[derive(Parser)]
#[command(version)]
struct Command {
    #[command(flatten)]
    arguments: Arguments,
}

fn main() -> ExitCode {
    match Command::parse().arguments.run(&mut |_| {}) {
        Ok(summary) => {
            // A reader that has seen enough is no error.
            let _ = write!(std::io::stdout(), "{summary}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}
