//! A suggested expression for scripts.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::super::past::{Heading, Read};
use super::{Suggested, why};
use crate::hold_code;
use crate::print::Versioned;
use crate::suggest::{self, Alternative, Gain, LeftOut, LongRuns, NoClause, ReasonEvidence};
use crate::text::to_json_pretty;

/// A release policy made from what became of holds, and its alternatives.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
#[schemars(rename = "Suggestion")]
pub(in crate::cli::releaseexpr) struct Object<'a> {
    #[serde(flatten)]
    heading: Heading,
    condor_version: String,
    periodic_release: Option<String>,
    clauses: Vec<Clause<'a>>,
    not_released: Vec<NotReleased>,
    alternatives: Vec<Instead<'a>>,
    long_runs: Option<Limit>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Reason {
    hold_reason_code: i32,
    hold_reason_sub_code: i32,
    hold_reason_label: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Clause<'a> {
    expression: &'a str,
    delay_seconds: i64,
    num_holds_below: i64,
    evidence: Vec<Evidence<'a>>,
}

/// What the logs tell of the holds of one reason.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Evidence<'a> {
    #[serde(flatten)]
    of: Reason,
    holds: u64,
    clusters: usize,
    releases: u64,
    succeeded: u64,
    released_sooner: Share,
    released_later: Share,
    gain: &'a Gain,
}

/// Clusters, and the share of their releases that succeeded.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Share {
    clusters: f64,
    success: Option<f64>,
}

/// Holds that no clause releases, and why.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct NotReleased {
    #[serde(flatten)]
    of: Reason,
    holds: u64,
    /// `Wanted`, `TooFew`, `NoGain`, `NotSure` or `NotInLogs`.
    why: &'static str,
    /// The same in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// What does better than a release.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Instead<'a> {
    reasons: Vec<Reason>,
    lines: &'a [String],
    why: &'a str,
}

/// A limit that runs should have.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Limit {
    limit_seconds: i64,
    lines: Vec<String>,
    periodic_release: Option<String>,
    exited: usize,
    longest_exited_seconds: i64,
    stuck: usize,
    longest_stuck_seconds: i64,
    stuck_clusters: usize,
    hours_saved: f64,
    hours_per_run_at_least: f64,
    ran_again: usize,
    exited_again: usize,
}

/// One object.
pub(super) fn print(read: &Read, suggested: &Suggested, out: &mut dyn Write) -> io::Result<()> {
    let suggestion = &suggested.suggestion;
    let unseen = suggested.unseen.iter().map(|reason| NotReleased::of(*reason, 0, "NotInLogs"));
    let object = Object {
        heading: Heading::of(read),
        condor_version: read.version.to_string(),
        periodic_release: suggestion.expression(),
        clauses: suggestion.clauses.iter().map(Clause::of).collect(),
        not_released: suggestion.left_out.iter().map(NotReleased::left).chain(unseen).collect(),
        alternatives: suggested.alternatives.iter().map(Instead::of).collect(),
        long_runs: suggested.long_runs.as_ref().map(Limit::of),
    };
    writeln!(out, "{}", to_json_pretty(&Versioned::of(object))?)
}

impl NotReleased {
    fn of(reason: suggest::Reason, holds: u64, why: &'static str) -> Self {
        Self { of: Reason::of(reason), holds, why, reason: None }
    }

    fn left(left: &LeftOut) -> Self {
        Self { reason: Some(why(left)), ..Self::of(left.reason, left.holds, word(left.why)) }
    }
}

const fn word(why: NoClause) -> &'static str {
    match why {
        NoClause::Wanted => "Wanted",
        NoClause::TooFew(_) => "TooFew",
        NoClause::NoGain => "NoGain",
        NoClause::NotSure(_) => "NotSure",
    }
}

impl Reason {
    fn of((code, subcode): suggest::Reason) -> Self {
        Self {
            hold_reason_code: code,
            hold_reason_sub_code: subcode,
            hold_reason_label: hold_code::name(code),
        }
    }
}

impl<'a> Clause<'a> {
    fn of(clause: &'a suggest::Clause) -> Self {
        Self {
            expression: &clause.text,
            delay_seconds: clause.timing.delay,
            num_holds_below: clause.timing.bound,
            evidence: clause.evidence.iter().map(Evidence::of).collect(),
        }
    }
}

impl<'a> Evidence<'a> {
    fn of(evidence: &'a ReasonEvidence) -> Self {
        let [sooner, later] =
            evidence.success.map(|(clusters, success)| Share { clusters, success });
        Self {
            of: Reason::of(evidence.reason),
            holds: evidence.holds,
            clusters: evidence.clusters,
            releases: evidence.releases.0,
            succeeded: evidence.releases.1,
            released_sooner: sooner,
            released_later: later,
            gain: &evidence.gain,
        }
    }
}

impl<'a> Instead<'a> {
    fn of(Alternative { reasons, lines, why }: &'a Alternative) -> Self {
        Self { reasons: reasons.iter().copied().map(Reason::of).collect(), lines, why }
    }
}

impl Limit {
    fn of(runs: &LongRuns) -> Self {
        Self {
            limit_seconds: runs.limit,
            lines: runs.lines(),
            periodic_release: runs.release(),
            exited: runs.exited,
            longest_exited_seconds: runs.longest_exited,
            stuck: runs.stuck,
            longest_stuck_seconds: runs.longest_stuck,
            stuck_clusters: runs.stuck_clusters,
            hours_saved: runs.saved,
            hours_per_run_at_least: runs.gain,
            ran_again: runs.ran_again,
            exited_again: runs.exited_again,
        }
    }
}
