//! `holdadvise-train episodes`: the holds of logs, what was done about them and what came of that.
//!
//! - `stream`: the logs one after the other, each on all cores.
//! - `summary`: holds by code, and what became of them.

mod stream;
mod summary;

use std::io::{self, BufWriter, ErrorKind, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use holdadvise::history::Episode;

use crate::Error;
use crate::data::input::InputOptions;
use crate::data::truth::Truth;
use crate::say::json_line;
use stream::stream;
use summary::{Counts, Summary};

/// Print the holds of job event logs as JSON lines, each as soon as what came of it is known, and a
/// summary on standard error.
#[derive(Clone, Debug, Args)]
#[command(group = clap::ArgGroup::new("from").required(true).multiple(true).args(["logs", "simulation"]))]
pub struct EpisodesOptions {
    #[command(flatten)]
    input: InputOptions,
    /// A folder that `simulate` wrote, or of a recorded pool, in place of logs; repeatable.
    #[arg(long, value_name = "DIR")]
    simulation: Vec<PathBuf>,
}

/// Runs the subcommand.
///
/// # Errors
/// When the input cannot be read, or standard output cannot be written.
pub fn run(options: &EpisodesOptions) -> Result<(), Error> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut summary = Summary::default();
    let printed = print(options, &mut summary, |episode| json_line(&mut out, episode))?;
    match printed.and_then(|()| out.flush()) {
        Ok(()) => eprint!("{summary}"),
        // Whoever reads the lines may have seen enough of them.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        Err(error) => return Err(format!("standard output: {error}").into()),
    }
    Ok(())
}

fn print(
    options: &EpisodesOptions,
    summary: &mut Summary,
    mut write: impl FnMut(&Episode) -> io::Result<()>,
) -> Result<io::Result<()>, Error> {
    let mut inputs = Vec::new();
    if !options.input.logs.is_empty() {
        inputs.push((options.input.clone(), options.input.read_journal()?));
    }
    for folder in &options.simulation {
        inputs.push((options.input.of_simulation(folder)?, Truth::of_folder(folder)?.journal()));
    }
    let mut counts = Counts::default();
    for (input, journal) in inputs {
        let mut failed = None;
        stream(&input, &journal, &mut counts, |episode| {
            summary.add(&episode);
            match write(&episode) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        })?;
        if let Some(error) = failed {
            return Ok(Err(error));
        }
    }
    summary.read = counts;
    Ok(Ok(()))
}
