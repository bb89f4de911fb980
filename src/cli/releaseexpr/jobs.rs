//! The held jobs that are named.

use crate::cli::RunError;
use crate::cli::output::say;
use crate::cli::run::tell;
use crate::inquiry::{Config, Inquiry, InquiryError, Remarks, ended_in_history, found};
use crate::queue::{AdProjection, Found, QueueError, QueueJob};

/// What is said where none of the jobs named is held, after it was said why.
pub(super) const NONE_HELD: &str = "none of the jobs named is held";

/// The held jobs named, or all of a file; so many at most. What cannot be had is said.
///
/// # Errors
/// [`RunError`] when the file or the queue cannot be read, or none of the jobs named is held.
pub(super) fn held(
    asked: &Inquiry,
    config: &Config,
    most: usize,
    projection: &AdProjection,
) -> Result<Vec<QueueJob>, RunError> {
    let inquiry = Inquiry { limit: Some(most + 1), ..asked.clone() };
    let found = found(&inquiry, config, &|_| true, projection).map_err(|error| match error {
        // Without the ways to the jobs that this tool does not have.
        InquiryError::Queue(QueueError::Start { tool, source }) => RunError::failed(format!(
            "cannot run {tool}: {source}; is HTCondor installed and on PATH? Without it use -jobads"
        )),
        other => other.into(),
    })?;
    let Found { mut held, refused, absent, faults, .. } = found;
    let mut remarks = Remarks { refused, faults, ..Remarks::default() };
    ended_in_history(absent, asked, &asked.schedd(config)?, &mut remarks);
    tell(&remarks);
    if held.is_empty() && !asked.selection.jobs.is_empty() {
        return Err(RunError::failed(NONE_HELD));
    }
    if held.len() > most {
        held.truncate(most);
        say("Warning", &format!("only the first {most} held jobs are looked at"));
    }
    Ok(held)
}
