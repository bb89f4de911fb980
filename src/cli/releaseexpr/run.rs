//! From arguments to what is printed and the exit status.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use super::explain;
use super::lint::report;
use super::options::TOOL;
use super::print;
use super::request::{Lint, Request, Work};
use crate::cli::ArgumentError;
use crate::cli::arguments::usage;
use crate::cli::output::{self, ToolError};
use crate::policy::lint::Severity;
use crate::queue::QueueError;

/// Exit status where the tool could not do what it was asked for.
const FAILURE: u8 = 2;

/// Why nothing can be said.
#[derive(Debug, thiserror::Error)]
pub(super) enum RunError {
    /// The arguments cannot be read.
    #[error(transparent)]
    Arguments(#[from] ArgumentError),
    /// A file cannot be read.
    #[error("cannot read {file}: {error}")]
    Read {
        /// The file.
        file: String,
        /// Why.
        error: io::Error,
    },
    /// A file is too large to be one of settings.
    #[error("{0} is larger than 16 MiB; a submit description or a configuration file is expected")]
    TooLarge(String),
    /// A file sets no policy.
    #[error(
        "{0} sets no policy: no periodic_release, periodic_hold, periodic_remove, on_exit_hold, on_exit_remove or SYSTEM_PERIODIC_ knob"
    )]
    NoPolicy(String),
    /// A file sets nothing.
    #[error(
        "{0} sets nothing; a configuration file is expected, or what condor_config_val -dump writes"
    )]
    NoSettings(String),
    /// No jobs can be had.
    #[error("{}", of_queue(.0))]
    Queue(#[from] QueueError),
    /// None of the jobs named is held; it was said why.
    #[error("none of the jobs named is held")]
    NothingExplained,
    /// Standard output cannot be written.
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
}

/// The message, without ways to the jobs that this tool does not have.
fn of_queue(error: &QueueError) -> String {
    match error {
        QueueError::Start { tool, source } => {
            format!(
                "cannot run {tool}: {source}; is HTCondor installed and on PATH? Without it use -jobads"
            )
        }
        other => other.to_string(),
    }
}

impl ToolError for RunError {
    fn of_output(&self) -> Option<&io::Error> {
        if let Self::Write(error) = self { Some(error) } else { None }
    }
}

/// Runs the tool: `arguments` are those behind its name. The exit status of `-lint` is 0 for nothing but notes and 1 for warnings
/// or errors, that of `-explain` 0; 2 is failure.
pub fn run(arguments: &[OsString]) -> ExitCode {
    output::run(|out| answer(arguments, out).map(ExitCode::from), ExitCode::from(FAILURE))
}

fn answer(arguments: &[OsString], out: &mut dyn Write) -> Result<u8, RunError> {
    let request = Request::read(arguments)?;
    if request.help {
        out.write_all(usage(&TOOL).as_bytes())?;
    } else if request.version {
        writeln!(out, "$HoldadviseVersion: {} $", env!("CARGO_PKG_VERSION"))?;
    } else if request.rules {
        print::rules(request.columns, out)?;
    }
    match &request.work {
        None => Ok(0),
        Some(Work::Lint(lint)) => check(&request, lint, out),
        Some(Work::Explain(explain)) => explain::answer(&request, explain, out).map(|()| 0),
    }
}

fn check(request: &Request, lint: &Lint, out: &mut dyn Write) -> Result<u8, RunError> {
    let report = report(lint)?;
    if request.json {
        print::json(&report, out)?;
    } else {
        print::text(&report, request.columns, out)?;
    }
    let is_grave = |severity: Severity| severity > Severity::Note;
    Ok(u8::from(report.findings.iter().any(|placed| is_grave(placed.finding.rule.severity))))
}
