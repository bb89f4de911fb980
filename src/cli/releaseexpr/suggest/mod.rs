//! `-suggest`: an expression made from what became of holds.
//!
//! - `json`: the answer as JSON.
//! - `text`: the answer for people.

mod json;
mod text;

pub(super) use json::Object;

use std::collections::BTreeSet;
use std::io::Write;

use super::jobs::{NONE_HELD, held};
use super::past;
use super::request::{Form, Suggest, names_no_jobs};
use crate::cli::RunError;
use crate::history::{HoldInQueue, RunsOf};
use crate::inquiry::{Config, Inquiry};
use crate::policy::Version;
use crate::queue::AdProjection;
use crate::replay::{Rules, Sources};
use crate::sizes::Resource;
use crate::suggest::{
    Alternative, LeftOut, LongRuns, NoClause, Reason, Suggestion, alternatives, long_runs, suggest,
};

/// Held jobs whose reasons are looked at.
const MAX_JOBS: usize = 100_000;

/// Attributes of the jobs' ads that are read.
const ATTRIBUTES: [&str; 5] =
    ["ClusterId", "ProcId", "JobStatus", "HoldReasonCode", "HoldReasonSubCode"];

/// A suggestion and what stands beside it.
#[derive(Debug)]
struct Suggested {
    suggestion: Suggestion,
    alternatives: Vec<Alternative>,
    /// A limit that runs should have.
    long_runs: Option<LongRuns>,
    /// Reasons of the jobs named of which there was no hold in the logs.
    unseen: Vec<Reason>,
}

/// Suggests an expression.
///
/// # Errors
/// [`RunError`] when no log or none of the jobs named can be read.
pub(super) fn answer(asked: &Suggest, out: &mut dyn Write) -> Result<(), RunError> {
    let named = Named::of(&asked.inquiry)?;
    let runs = runs_of(named.as_ref(), asked);
    let mut read = past::read(&asked.past, Sources { runs, ..Sources::default() })?;
    let said = read.ask(&asked.past)?;
    let holds = &read.past.holds;
    let suggestion = suggest(holds, &read.successes, said.as_ref(), &read.rules, read.version);
    let Rules { costs, ticks, .. } = &read.rules;
    let long_runs = long_runs(&read.past.runs, costs, ticks.interval);
    let suggested = Suggested::of(suggestion, long_runs, named.as_ref(), read.version);
    if asked.print.json {
        json::print(&read, &suggested, out)?;
    } else {
        text::print(&read, &suggested, asked.form, asked.print.columns, out)?;
    }
    Ok(())
}

/// The held jobs that were named.
#[derive(Debug, Default)]
struct Named {
    reasons: BTreeSet<Reason>,
    clusters: BTreeSet<i32>,
}

impl Named {
    /// `None` where none was named.
    fn of(inquiry: &Inquiry) -> Result<Option<Self>, RunError> {
        if names_no_jobs(inquiry) {
            return Ok(None);
        }
        let projection = AdProjection::new(&ATTRIBUTES, None);
        let mut named = Self::default();
        for job in held(inquiry, &Config::of_user(), MAX_JOBS, &projection)? {
            if let Some(hold) = HoldInQueue::of(&job.ad.to_classad()) {
                named.reasons.insert((hold.code, hold.subcode));
                named.clusters.insert(job.id.cluster);
            }
        }
        if named.reasons.is_empty() { Err(RunError::failed(NONE_HELD)) } else { Ok(Some(named)) }
    }
}

/// Whose runs tell how long such jobs take: those of a user's own logs, of all nodes of a DAG, or
/// of the clusters named. What an access point ran for all of its users has no length in common.
fn runs_of(named: Option<&Named>, asked: &Suggest) -> RunsOf {
    match named {
        _ if asked.form != Form::Submit => RunsOf::None,
        _ if asked.past.event_logs.is_empty() && !asked.past.user_logs.is_empty() => RunsOf::All,
        Some(named) => RunsOf::Clusters(named.clusters.clone()),
        None => RunsOf::None,
    }
}

impl Suggested {
    fn of(
        suggestion: Suggestion,
        long_runs: Option<LongRuns>,
        named: Option<&Named>,
        version: Version,
    ) -> Self {
        let (suggestion, unseen) = match named.map(|named| &named.reasons) {
            None => (suggestion, Vec::new()),
            Some(reasons) => {
                let suggestion = suggestion.only(|reason| reasons.contains(&reason), version);
                let released = suggestion.clauses.iter().flat_map(|clause| &clause.evidence);
                let left_out = suggestion.left_out.iter().map(|left| left.reason);
                let seen: BTreeSet<Reason> =
                    released.map(|evidence| evidence.reason).chain(left_out).collect();
                let unseen = reasons.difference(&seen).copied().collect();
                (suggestion, unseen)
            }
        };
        let of = |(resource, reasons): &(Resource, Vec<Reason>)| {
            alternatives(*resource, reasons, version)
        };
        let alternatives = suggestion.resources.iter().flat_map(of).collect();
        Self { suggestion, alternatives, long_runs, unseen }
    }
}

/// Why no clause releases holds of a reason.
fn why(left: &LeftOut) -> String {
    match left.why {
        NoClause::Wanted => "somebody wanted it, and is to end it".to_owned(),
        NoClause::TooFew(0) => "no such hold ended in a way that can be judged".to_owned(),
        NoClause::TooFew(1) => "only one cluster had a hold that can be judged".to_owned(),
        NoClause::TooFew(clusters) => {
            format!("only {clusters} clusters had holds that can be judged, too few to be sure")
        }
        NoClause::NoGain => "a release costs more than it saves, whenever it is made".to_owned(),
        NoClause::NotSure(gain) => format!(
            "a release may save {:.1} h a hold, and may cost as much: too few holds to be sure",
            gain.hours_per_hold
        ),
    }
}
