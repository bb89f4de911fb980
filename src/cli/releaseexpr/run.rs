//! From arguments to what is printed and the exit status.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::Value;

use super::options::TOOL;
use super::request::{Given, Work};
use super::{explain, lint, replay, suggest};
use crate::cli::ArgumentError;
use crate::cli::output::{self, ToolError};
use crate::inquiry::{InquiryError, JobAds};
use crate::queue::QueueError;
use crate::replay::ReadError;

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
    /// Jobs, a log, a setting or the model cannot be used, or standard output not be written.
    #[error("{}", of_inquiry(.0))]
    Inquiry(InquiryError),
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
}

impl<E> From<E> for RunError
where
    InquiryError: From<E>,
{
    fn from(error: E) -> Self {
        Self::Inquiry(error.into())
    }
}

/// The message, without ways to the jobs that this tool does not have.
fn of_inquiry(error: &InquiryError) -> String {
    match error {
        InquiryError::Queue(QueueError::Start { tool, source }) => {
            format!(
                "cannot run {tool}: {source}; is HTCondor installed and on PATH? Without it use -jobads"
            )
        }
        other => other.to_string(),
    }
}

impl ToolError for RunError {
    fn of_output(&self) -> Option<&io::Error> {
        if let Self::Inquiry(InquiryError::Write(error)) = self { Some(error) } else { None }
    }
}

/// Runs the tool: `arguments` are those behind its name. The exit status of `-lint` is 0 for
/// nothing but notes and 1 for warnings or errors, that of all else 0; 2 is failure.
pub fn run(arguments: &[OsString]) -> ExitCode {
    let work = |out: &mut dyn Write| answer(Given::read(arguments)?, out).map(ExitCode::from);
    output::run(work, ExitCode::from(FAILURE))
}

/// Does what is asked for, and gives the exit status.
pub(in crate::cli) fn answer(given: Given, out: &mut dyn Write) -> Result<u8, RunError> {
    match &given.work()? {
        Work::Help => out.write_all(TOOL.usage().as_bytes())?,
        Work::Version => writeln!(out, "$HoldadviseVersion: {} $", env!("CARGO_PKG_VERSION"))?,
        Work::Rules(columns) => lint::rules(*columns, out)?,
        Work::Lint(asked) => return lint::answer(asked, out),
        Work::Explain(asked) => explain::answer(asked, out)?,
        Work::Replay(asked) => replay::answer(asked, out)?,
        Work::Suggest(asked) => suggest::answer(asked, out)?,
    }
    Ok(0)
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
    let mut given = Given::read(options)?;
    let named = &mut given.inquiry.job_ads;
    if let Some((JobAds::File(name), text)) = named.clone().zip(job_ads) {
        *named = Some(JobAds::Text { name, text });
    }
    let mut text = Vec::new();
    let (result, said) = output::said_by(|| answer(given, &mut text));
    result?;
    let answer = serde_json::from_slice(&text).map_err(io::Error::from)?;
    Ok(Data { answer, said })
}
