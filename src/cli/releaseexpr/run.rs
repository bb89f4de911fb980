//! From arguments to what is printed and the exit status.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::Value;

use super::options::TOOL;
use super::request::{Given, Work};
use super::{explain, lint, replay, suggest};
use crate::cli::RunError;
use crate::cli::output;
use crate::inquiry::JobAds;

/// Exit status where the tool could not do what it was asked for.
const FAILURE: u8 = 2;

/// Runs the tool: `arguments` are those behind its name. The exit status of `-lint` is 0 for
/// nothing but notes and 1 for warnings or errors, that of all else 0; 2 is failure.
pub fn run(arguments: &[OsString]) -> ExitCode {
    let work = |out: &mut dyn Write| answer(Given::read(arguments)?, out).map(ExitCode::from);
    output::run(work, ExitCode::from(FAILURE))
}

/// Does what is asked for, and gives the exit status.
fn answer(given: Given, out: &mut dyn Write) -> Result<u8, RunError> {
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
