//! The held jobs that are named.

use super::request::Request;
use super::run::RunError;
use crate::cli::Config;
use crate::cli::output::say;
use crate::queue::{
    Found, Projection, QueueJob, Schedd, Selection, held_jobs_of_file, held_jobs_of_text,
};

/// The held jobs named, or all of a file; so many at most. What cannot be had is said.
///
/// # Errors
/// [`RunError`] when the file or the queue cannot be read, or none of the jobs named is held.
pub(super) fn held(
    request: &Request,
    config: &Config,
    most: usize,
    projection: &Projection,
) -> Result<Vec<QueueJob>, RunError> {
    let selection = Selection { jobs: request.jobs.clone(), ..Selection::default() };
    let limit = Some(most + 1);
    let found: Found = match (&request.job_ads, &request.job_ad_text) {
        (Some(name), Some(text)) => {
            held_jobs_of_text(text, name, &selection, &|_| true, limit, projection)?
        }
        (Some(file), None) => held_jobs_of_file(file, &selection, &|_| true, limit, projection)?,
        (None, _) => {
            let schedd = Schedd {
                name: request.schedd.clone(),
                pool: request.pool.clone(),
                timeout: config.timeout()?,
            };
            schedd.held_jobs(&selection, limit, projection)?
        }
    };
    found.faults.iter().for_each(|line| say("Warning", line));
    found.refused.iter().for_each(|line| say("Error", line));
    let mut held = found.held;
    if held.is_empty() && !request.jobs.is_empty() {
        return Err(RunError::NoneHeld);
    }
    if held.len() > most {
        held.truncate(most);
        say("Warning", &format!("only the first {most} held jobs are looked at"));
    }
    Ok(held)
}
