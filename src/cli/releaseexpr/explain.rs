//! Held jobs, the policies of their access point, and why they are released or not.

use std::io::Write;

use jiff::tz::TimeZone;

use super::input::read_settings;
use super::request::{Explain, Request};
use super::run::RunError;
use super::{explain_json, explain_text};
use crate::cli::Config;
use crate::cli::output::say;
use crate::cli::print::{json_element, json_end};
use crate::history::HoldInQueue;
use crate::policy::{Explanation, Knobs, explain};
use crate::queue::{
    Found, Projection, QueueJob, Schedd, Selection, display_path, held_jobs_of_file,
};
use crate::userlog::JobId;

/// Held jobs explained in one call: whole ads of all of them are in memory.
const MAX_JOBS: usize = 10_000;

/// A held job and what there is to say of it.
#[derive(Debug)]
pub(super) struct Explained {
    pub(super) id: JobId,
    pub(super) owner: Option<String>,
    pub(super) hold: HoldInQueue,
    pub(super) explanation: Explanation,
}

/// What printing needs to know besides.
#[derive(Debug)]
pub(super) struct Page {
    /// Columns to fit lines to; none: no limit.
    pub(super) columns: Option<usize>,
    /// The zone times are printed in.
    pub(super) zone: TimeZone,
}

/// Explains the jobs named, one after the other.
///
/// # Errors
/// [`RunError`] when jobs or the configuration cannot be had, or none of the jobs named is held.
pub(super) fn answer(
    request: &Request,
    explain: &Explain,
    out: &mut dyn Write,
) -> Result<(), RunError> {
    let config = Config::of_user();
    let now = explain.now.unwrap_or_else(|| jiff::Timestamp::now().as_second());
    let knobs = knobs(explain, &config)?;
    let mut found = found(explain, &config)?;
    for line in &found.faults {
        say("Warning", line);
    }
    for line in &found.refused {
        say("Error", line);
    }
    if found.held.is_empty() && !explain.jobs.is_empty() {
        return Err(RunError::NothingExplained);
    }
    if found.held.len() > MAX_JOBS {
        found.held.truncate(MAX_JOBS);
        say("Warning", &format!("only the first {MAX_JOBS} held jobs are explained"));
    }
    let page = Page { columns: request.columns, zone: TimeZone::system() };
    let jobs = found.held.iter().filter_map(|job| explained(job, knobs.as_ref(), now));
    let mut count = 0;
    for job in jobs {
        if request.json {
            json_element(out, &explain_json::object(&job), count)?;
        } else {
            explain_text::print(out, &job, count, &page)?;
        }
        count += 1;
    }
    if request.json {
        json_end(out, count)?;
    } else if count == 0 {
        writeln!(out, "No held jobs.")?;
    }
    Ok(())
}

/// The knobs of the access point; `None` where they are not known: those here are not those of another access point, nor of a file.
fn knobs(explain: &Explain, config: &Config) -> Result<Option<Knobs>, RunError> {
    if let Some(path) = &explain.config {
        let settings = read_settings(path)?;
        if settings.assignments().is_empty() {
            return Err(RunError::NoSettings(display_path(path)));
        }
        let pairs = settings.assignments().iter();
        return Ok(Some(pairs.map(|one| (&one.name, one.value.text.as_str())).collect()));
    }
    let is_here = explain.job_ads.is_none() && explain.schedd.is_none() && explain.pool.is_none();
    Ok(is_here.then(|| config.knobs()).filter(|knobs| !knobs.is_empty()))
}

fn found(explain: &Explain, config: &Config) -> Result<Found, RunError> {
    let selection = Selection { jobs: explain.jobs.clone(), ..Selection::default() };
    let (limit, projection) = (Some(MAX_JOBS + 1), Projection::whole());
    Ok(match &explain.job_ads {
        Some(file) => held_jobs_of_file(file, &selection, &|_| true, limit, &projection)?,
        None => {
            let schedd = Schedd {
                name: explain.schedd.clone(),
                pool: explain.pool.clone(),
                timeout: config.timeout(),
            };
            schedd.held_jobs(&selection, limit, &projection)?
        }
    })
}

fn explained(job: &QueueJob, knobs: Option<&Knobs>, now: i64) -> Option<Explained> {
    let ad = job.ad.to_classad();
    Some(Explained {
        id: job.id,
        owner: ad.string("Owner"),
        hold: HoldInQueue::of(&ad)?,
        explanation: explain(&ad, knobs, now),
    })
}
