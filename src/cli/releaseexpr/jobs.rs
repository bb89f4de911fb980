//! The held jobs that are named.

use super::run::RunError;
use crate::cli::output::say;
use crate::inquiry::{Config, Inquiry, found};
use crate::queue::{Projection, QueueJob};

/// The held jobs named, or all of a file; so many at most. What cannot be had is said.
///
/// # Errors
/// [`RunError`] when the file or the queue cannot be read, or none of the jobs named is held.
pub(super) fn held(
    asked: &Inquiry,
    config: &Config,
    most: usize,
    projection: &Projection,
) -> Result<Vec<QueueJob>, RunError> {
    let inquiry = Inquiry { limit: Some(most + 1), ..asked.clone() };
    let found = found(&inquiry, config, &|_| true, projection)?;
    found.faults.iter().for_each(|line| say("Warning", line));
    found.refused.iter().for_each(|line| say("Error", line));
    let mut held = found.held;
    if held.is_empty() && !asked.selection.jobs.is_empty() {
        return Err(RunError::NoneHeld);
    }
    if held.len() > most {
        held.truncate(most);
        say("Warning", &format!("only the first {most} held jobs are looked at"));
    }
    Ok(held)
}
