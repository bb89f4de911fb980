//! From arguments to what is printed and the exit status.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::Value;

use super::options::TOOL;
use super::request::{Request, Work};
use super::{explain, lint, replay, suggest};
use crate::cli::ArgumentError;
use crate::cli::arguments::usage;
use crate::cli::output::{self, ToolError};
use crate::cli::piped;
use crate::inquiry::{InquiryError, JobAds, SettingError};
use crate::model::ModelError;
use crate::queue::QueueError;
use crate::replay::ReadError;
use eventlog::EventLogError;

/// Exit status where the tool could not do what it was asked for.
const FAILURE: u8 = 2;

/// Why nothing can be said.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
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
    /// The jobs cannot be read.
    #[error(transparent)]
    Jobs(InquiryError),
    /// None of the jobs named is held; it was said why.
    #[error("none of the jobs named is held")]
    NoneHeld,
    /// There is no log to read holds from.
    #[error(
        "no log to read holds from: give -eventlog or -userlog and a file; EVENT_LOG is not set here"
    )]
    NoLog,
    /// A log or the ads of runs cannot be read.
    #[error(transparent)]
    Past(#[from] ReadError),
    /// A log cannot be read.
    #[error(transparent)]
    Log(#[from] EventLogError),
    /// The model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A setting cannot be used.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A text to replay is no expression.
    #[error("{text} is not an expression: {error}; -lint shows the place")]
    NoExpression {
        /// The text.
        text: String,
        /// Why.
        error: classads::ParseError,
    },
    /// No policy is ever evaluated.
    #[error("PERIODIC_EXPR_INTERVAL is 0: this access point evaluates no policy")]
    SwitchedOff,
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

/// Runs the tool: `arguments` are those behind its name. The exit status of `-lint` is 0 for
/// nothing but notes and 1 for warnings or errors, that of all else 0; 2 is failure.
pub fn run(arguments: &[OsString]) -> ExitCode {
    output::run(|out| answer(arguments, out).map(ExitCode::from), ExitCode::from(FAILURE))
}

/// Does what the arguments ask for, and gives the exit status.
pub(in crate::cli) fn answer(arguments: &[OsString], out: &mut dyn Write) -> Result<u8, RunError> {
    let mut request = Request::read(arguments)?;
    let logs = request.user_logs.iter_mut().chain(&mut request.event_logs);
    let _kept = piped::keep(logs)?;
    work(&request, out)
}

impl From<InquiryError> for RunError {
    fn from(error: InquiryError) -> Self {
        match error {
            InquiryError::Queue(error) => Self::Queue(error),
            InquiryError::Setting(error) => Self::Setting(error),
            other => Self::Jobs(other),
        }
    }
}

/// What a program gets that asks without a command line.
#[derive(Debug)]
pub struct Data {
    /// What `-json` prints.
    pub answer: Value,
    /// What else is to be said, a line each.
    pub said: Vec<String>,
}

/// Does what these options ask for, with `-json` among them. `job_ads`: what stands in the file
/// that follows `-jobads`, which is a name for it then.
///
/// # Errors
/// [`RunError`] as the tool.
pub fn data(options: &[OsString], job_ads: Option<Vec<u8>>) -> Result<Data, RunError> {
    let mut request = Request::read(options)?;
    if let Some((JobAds::File(name), text)) = request.job_ads.clone().zip(job_ads) {
        request.job_ads = Some(JobAds::Text { name, text });
    }
    let mut text = Vec::new();
    let (result, said) = output::said_by(|| work(&request, &mut text));
    result?;
    let answer = serde_json::from_slice(&text).map_err(io::Error::from)?;
    Ok(Data { answer, said })
}

fn work(request: &Request, out: &mut dyn Write) -> Result<u8, RunError> {
    match request.work {
        Work::Help => out.write_all(usage(&TOOL).as_bytes())?,
        Work::Version => writeln!(out, "$HoldadviseVersion: {} $", env!("CARGO_PKG_VERSION"))?,
        Work::Rules => lint::rules(request.columns, out)?,
        Work::Lint => return lint::answer(request, out),
        Work::Explain => explain::answer(request, out)?,
        Work::Replay => replay::answer(request, out)?,
        Work::Suggest => suggest::answer(request, out)?,
    }
    Ok(0)
}

/// Whether the arguments can be read.
#[cfg(test)]
pub(in crate::cli) fn reads(arguments: &[OsString]) -> Result<(), ArgumentError> {
    Request::read(arguments).map(drop)
}
