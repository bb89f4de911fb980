//! `holdadvise-train episodes`: the holds of logs, what was done about them and what came of that.

mod progress;
mod stream;
mod summary;

use std::io::{self, BufWriter, ErrorKind, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use holdadvise::history::Episode;

use crate::data::input::{InputError, InputOptions};
use crate::data::truth::Truth;
use crate::say::json_line;
use stream::stream;
use summary::Summary;

/// Print the holds of job event logs as JSON lines, each as soon as what came of it is known, and a summary on standard error.
#[derive(Clone, Debug, Args)]
#[command(group = clap::ArgGroup::new("from").required(true).multiple(true).args(["logs", "simulation"]))]
pub struct EpisodesOptions {
    #[command(flatten)]
    input: InputOptions,
    /// A folder that `simulate` wrote, or of a recorded pool, in place of logs; repeatable.
    #[arg(long, value_name = "DIR")]
    simulation: Vec<PathBuf>,
}

/// Why episodes cannot be printed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EpisodesError {
    /// The input cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Standard output cannot be written.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

/// Runs the subcommand.
///
/// # Errors
/// [`EpisodesError`].
pub fn run(options: &EpisodesOptions) -> Result<(), EpisodesError> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut summary = Summary::default();
    let printed = print(options, &mut summary, |episode| json_line(&mut out, episode));
    match printed.and_then(|()| Ok(out.flush()?)) {
        // Whoever reads the lines may have seen enough of them.
        Err(EpisodesError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(error),
        Ok(()) => {
            eprint!("{summary}");
            Ok(())
        }
    }
}

fn print(
    options: &EpisodesOptions,
    summary: &mut Summary,
    mut write: impl FnMut(&Episode) -> io::Result<()>,
) -> Result<(), EpisodesError> {
    let mut inputs = Vec::new();
    if !options.input.logs.is_empty() {
        inputs.push((options.input.clone(), options.input.read_journal()?));
    }
    for folder in &options.simulation {
        inputs.push((options.input.of_simulation(folder)?, Truth::of_folder(folder)?.journal()));
    }
    for (input, journal) in inputs {
        let mut failed = None;
        let counts = stream(&input, &journal, |episode| {
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
            return Err(error.into());
        }
        summary.read += counts;
    }
    Ok(())
}
