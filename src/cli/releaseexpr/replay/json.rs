//! What expressions would have done, for scripts.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::super::past::{Read, heading_json};
use super::Policy;
use crate::replay::{HoldEnd, PastHold, ReleaseCourse, Releaser, Replayed};
use crate::text::{SCHEMA_VERSION, printable, to_json, to_json_pretty};

/// One object.
pub(super) fn print(
    read: &Read,
    policies: &[Policy],
    replayed: &[Replayed],
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut object = heading_json(read);
    let policy = |(policy, replayed): (&Policy, &Replayed)| {
        let codes: Vec<Value> = replayed
            .codes
            .iter()
            .map(|(code, of_code)| {
                let mut object = json!(of_code);
                object["HoldReasonCode"] = json!(code);
                object
            })
            .collect();
        json!({
            "Policy": policy.name,
            "Expression": policy.text.as_deref().map(printable),
            "All": replayed.all,
            "Codes": codes,
            "Unknown": replayed.unrecorded,
        })
    };
    object["Policies"] = policies.iter().zip(replayed).map(policy).collect();
    writeln!(out, "{}", to_json_pretty(&object)?)
}

/// An object for each hold, on a line of its own: when each policy would have released it first.
pub(super) fn lines(read: &Read, policies: &mut [Policy], out: &mut dyn Write) -> io::Result<()> {
    Releaser::share(policies.iter_mut().map(|policy| &mut policy.releaser), read.past.holds.len());
    for hold in &read.past.holds {
        let judged = ReleaseCourse::of(hold, &read.successes, &read.rules.costs);
        let releases: Vec<Value> = policies
            .iter_mut()
            .map(|policy| {
                let (course, _) = read.rules.course(&mut policy.releaser, hold, judged.as_ref());
                json!({
                    "Policy": policy.name,
                    "ReleasedAt": course.released_at,
                    "Unknown": course.unknown,
                    "Unfinished": course.unfinished,
                    "Releases": course.sums.releases,
                    "CostHours": course.sums.cost_hours,
                })
            })
            .collect();
        let mut object = of_hold(hold);
        object["Policies"] = releases.into();
        writeln!(out, "{}", to_json(&object)?)?;
    }
    Ok(())
}

fn of_hold(hold: &PastHold) -> Value {
    let hold_end = match hold.hold_end {
        HoldEnd::Success { .. } => "Success",
        HoldEnd::Failure { .. } => "Failure",
        HoldEnd::Changed { .. } => "Changed",
        HoldEnd::Open { .. } => "Open",
        HoldEnd::Removed { .. } => "Removed",
        HoldEnd::Held { .. } => "Held",
    };
    json!({
        "SchemaVersion": SCHEMA_VERSION,
        "ClusterId": hold.job.cluster,
        "ProcId": hold.job.proc,
        "HoldReasonCode": hold.code,
        "HoldReasonSubCode": hold.subcode,
        "NumHolds": hold.num_holds,
        "HeldSince": hold.held_at,
        "LeftAt": hold.hold_end.left_at(),
        "HoldEnd": hold_end,
        "ReleasedByPolicy": hold.by_policy,
    })
}
