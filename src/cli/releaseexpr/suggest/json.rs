//! A suggested expression for scripts.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::super::past::{Read, heading_json};
use super::{Suggested, why};
use crate::hold_code;
use crate::suggest::{Clause, LongRuns, NoClause, Reason, ReasonEvidence};
use crate::text::to_json_pretty;

/// One object.
pub(super) fn print(read: &Read, suggested: &Suggested, out: &mut dyn Write) -> io::Result<()> {
    let mut object = heading_json(read);
    object["CondorVersion"] = json!(read.version.to_string());
    object["PeriodicRelease"] = json!(suggested.suggestion.expression());
    object["Clauses"] = suggested.suggestion.clauses.iter().map(clause).collect();
    object["NotReleased"] = suggested
        .suggestion
        .left_out
        .iter()
        .map(|left| {
            let mut object = not_released(left.reason, left.holds, word(left.why));
            object["Reason"] = json!(why(left));
            object
        })
        .chain(suggested.unseen.iter().map(|reason| not_released(*reason, 0, "NotInLogs")))
        .collect();
    object["Alternatives"] = suggested
        .alternatives
        .iter()
        .map(|alternative| {
            let reasons: Vec<Value> = alternative.reasons.iter().copied().map(of_reason).collect();
            json!({ "Reasons": reasons, "Lines": alternative.lines, "Why": alternative.why })
        })
        .collect();
    object["LongRuns"] = suggested.long_runs.as_ref().map(long_runs).into();
    writeln!(out, "{}", to_json_pretty(&object)?)
}

fn not_released(reason: Reason, holds: u64, why: &str) -> Value {
    let mut object = of_reason(reason);
    object["Holds"] = json!(holds);
    object["Why"] = json!(why);
    object
}

const fn word(why: NoClause) -> &'static str {
    match why {
        NoClause::Wanted => "Wanted",
        NoClause::TooFew(_) => "TooFew",
        NoClause::NoGain => "NoGain",
        NoClause::NotSure(_) => "NotSure",
    }
}

fn of_reason((code, subcode): Reason) -> Value {
    json!({ "HoldReasonCode": code, "HoldReasonSubCode": subcode, "HoldReasonLabel": hold_code::name(code) })
}

fn clause(clause: &Clause) -> Value {
    json!({
        "Expression": clause.text,
        "DelaySeconds": clause.timing.delay,
        "NumHoldsBelow": clause.timing.bound,
        "Evidence": clause.evidence.iter().map(evidence).collect::<Vec<_>>(),
    })
}

fn evidence(evidence: &ReasonEvidence) -> Value {
    let mut object = of_reason(evidence.reason);
    let [sooner, later] = evidence.success;
    object["Holds"] = json!(evidence.holds);
    object["Clusters"] = json!(evidence.clusters);
    object["Releases"] = json!(evidence.releases.0);
    object["Succeeded"] = json!(evidence.releases.1);
    object["ReleasedSooner"] = json!({ "Clusters": sooner.0, "Success": sooner.1 });
    object["ReleasedLater"] = json!({ "Clusters": later.0, "Success": later.1 });
    object["Gain"] = json!(evidence.gain);
    object
}

fn long_runs(runs: &LongRuns) -> Value {
    json!({
        "LimitSeconds": runs.limit,
        "Lines": runs.lines(),
        "PeriodicRelease": runs.release(),
        "Exited": runs.exited,
        "LongestExitedSeconds": runs.longest_exited,
        "Stuck": runs.stuck,
        "LongestStuckSeconds": runs.longest_stuck,
        "StuckClusters": runs.stuck_clusters,
        "HoursSaved": runs.saved,
        "HoursPerRunAtLeast": runs.gain,
        "RanAgain": runs.ran_again,
        "ExitedAgain": runs.exited_again,
    })
}
