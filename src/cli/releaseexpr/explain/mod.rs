//! Held jobs, the policies of their access point, and why they are released or not.
//!
//! - `json`: the answer as JSON.
//! - `text`: the answer for people.

mod json;
mod text;

use std::io::{self, Write};

pub(super) use json::Object;

use classads::Budget;
use jiff::tz::TimeZone;

use super::input::read_knobs;
use super::jobs::held;
use super::request::Explain;
use crate::cli::RunError;
use crate::cli::output::say;
use crate::history::HoldInQueue;
use crate::inquiry::{Config, Inquiry};
use crate::policy::{Explanation, Knobs, PolicyTime, explain_in};
use crate::print::{json_element, json_end, versioned};
use crate::queue::{AdProjection, QueueJob};
use eventlog::{JobId, system_zone};

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
    /// Unix seconds.
    pub(super) now: i64,
    /// The zone times are printed in.
    pub(super) zone: TimeZone,
}

/// Explains the jobs named, one after the other.
///
/// # Errors
/// [`RunError`] when jobs or the configuration cannot be had, or none of the jobs named is held.
pub(super) fn answer(asked: &Explain, out: &mut dyn Write) -> Result<(), RunError> {
    let config = Config::of_user();
    let now = asked.now.unwrap_or_else(|| jiff::Timestamp::now().as_second());
    let knobs = knobs(asked, &config)?;
    let held = held(&asked.inquiry, &config, MAX_JOBS, &AdProjection::whole())?;
    let page = Page { columns: asked.print.columns, now, zone: system_zone() };
    let time = PolicyTime::new(config.policy_time()?);
    let owner = |job: &QueueJob| job.owner.clone().unwrap_or_default();
    let time = time.among(held.iter().map(owner));
    let explained = |job: &QueueJob| {
        let steps = |steps: &Budget| explained(job, knobs.as_ref(), now, steps);
        time.within(&owner(job), steps).flatten()
    };
    let jobs = held.iter().filter_map(explained);
    let mut count = 0;
    for job in jobs {
        if asked.print.json {
            json_element(out, &versioned(&Object::of(&job)).map_err(io::Error::from)?, count)?;
        } else {
            let gap = if count == 0 { "" } else { "\n" };
            write!(out, "{gap}{}", page.job(&job))?;
        }
        count += 1;
    }
    let left_out = time.line();
    if let Some(line) = &left_out {
        say("Warning", line);
    }
    if asked.print.json {
        json_end(out, count)?;
    } else if count == 0 && left_out.is_none() {
        writeln!(out, "No held jobs.")?;
    }
    Ok(())
}

/// The knobs of the access point; `None` where they are not known: those here are not those of
/// another access point, nor of a file.
fn knobs(asked: &Explain, config: &Config) -> Result<Option<Knobs>, RunError> {
    if let Some(path) = &asked.config {
        return read_knobs(path).map(Some);
    }
    let Inquiry { job_ads, schedd, pool, .. } = &asked.inquiry;
    let is_about_here = job_ads.is_none() && schedd.is_none() && pool.is_none();
    Ok(is_about_here.then(|| config.knobs()).filter(|knobs| !knobs.is_empty()))
}

fn explained(job: &QueueJob, knobs: Option<&Knobs>, now: i64, steps: &Budget) -> Option<Explained> {
    let ad = job.ad.to_classad();
    Some(Explained {
        id: job.id,
        owner: ad.string("Owner"),
        hold: HoldInQueue::of(&ad)?,
        explanation: explain_in(&ad, knobs, now, steps),
    })
}
