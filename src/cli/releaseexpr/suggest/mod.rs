//! `-suggest`: an expression made from what became of holds.

mod json;
mod text;

use std::collections::BTreeSet;
use std::io::Write;

use super::jobs::held;
use super::past;
use super::request::{Jobs, Request, Suggest};
use super::run::RunError;
use crate::advice::meaning::Resource;
use crate::cli::Config;
use crate::history::HoldInQueue;
use crate::policy::Version;
use crate::queue::Projection;
use crate::suggest::{Beside, LeftOut, Reason, Suggestion, Why, beside, suggest};

/// Held jobs whose reasons are looked at.
const MAX_JOBS: usize = 100_000;

/// Attributes of the jobs' ads that are read.
const ATTRIBUTES: [&str; 5] =
    ["ClusterId", "ProcId", "JobStatus", "HoldReasonCode", "HoldReasonSubCode"];

/// A suggestion and what stands beside it.
#[derive(Debug)]
struct Suggested {
    suggestion: Suggestion,
    beside: Vec<Beside>,
    /// Reasons of the jobs named of which there was no hold in the logs.
    unseen: Vec<Reason>,
}

/// Suggests an expression.
///
/// # Errors
/// [`RunError`] when no log or none of the jobs named can be read.
pub(super) fn answer(
    request: &Request,
    options: &Suggest,
    out: &mut dyn Write,
) -> Result<(), RunError> {
    let reasons = reasons(&options.jobs)?;
    let mut read = past::read(&options.past, Vec::new(), false)?;
    let said = if options.advice { Some(read.ask(options.model.as_ref())?) } else { None };
    let holds = &read.past.holds;
    let suggestion = suggest(holds, &read.successes, said.as_ref(), &read.rules, read.version);
    let suggested = Suggested::of(suggestion, reasons.as_ref(), read.version);
    if request.json {
        json::print(&read, &suggested, out)?;
    } else {
        text::print(&read, &suggested, options, request.columns, out)?;
    }
    Ok(())
}

/// The reasons of the held jobs that were named; `None` where none was.
fn reasons(jobs: &Jobs) -> Result<Option<BTreeSet<Reason>>, RunError> {
    if jobs.are_none() {
        return Ok(None);
    }
    let projection = Projection::new(&ATTRIBUTES, None);
    let held = held(jobs, &Config::of_user(), MAX_JOBS, &projection)?;
    let holds = held.iter().filter_map(|job| HoldInQueue::of(&job.ad.to_classad()));
    let reasons: BTreeSet<Reason> = holds.map(|hold| (hold.code, hold.subcode)).collect();
    if reasons.is_empty() { Err(RunError::NoneHeld) } else { Ok(Some(reasons)) }
}

impl Suggested {
    fn of(suggestion: Suggestion, reasons: Option<&BTreeSet<Reason>>, version: Version) -> Self {
        let (suggestion, unseen) = match reasons {
            None => (suggestion, Vec::new()),
            Some(reasons) => {
                let suggestion = suggestion.only(|reason| reasons.contains(&reason), version);
                let seen = seen(&suggestion);
                let unseen = reasons.iter().copied().filter(|one| !seen.contains(one)).collect();
                (suggestion, unseen)
            }
        };
        let of =
            |(resource, reasons): &(Resource, Vec<Reason>)| beside(*resource, reasons, version);
        let beside = suggestion.resources.iter().flat_map(of).collect();
        Self { suggestion, beside, unseen }
    }
}

/// All reasons that something is said of.
fn seen(suggestion: &Suggestion) -> BTreeSet<Reason> {
    let released = suggestion.clauses.iter().flat_map(|clause| &clause.evidence);
    let left_out = suggestion.left_out.iter().map(|left| left.reason);
    released.map(|evidence| evidence.reason).chain(left_out).collect()
}

/// Why no clause releases holds of a reason.
fn why(left: &LeftOut) -> String {
    match left.why {
        Why::Wanted => "somebody wanted it, and is to end it".to_owned(),
        Why::TooFew(0) => "no end of such holds tells what a release would come to".to_owned(),
        Why::TooFew(1) => "one cluster alone had an end that tells".to_owned(),
        Why::TooFew(clusters) => {
            format!("{clusters} clusters alone had an end that tells, too few to be sure")
        }
        Why::NoGain => "a release costs more than it saves, whenever it is made".to_owned(),
        Why::NotSure(gain) => format!(
            "a release may save {:.1} h a hold, and may cost as much: too few holds to be sure",
            gain.mean
        ),
    }
}
