//! What expressions would have done, for scripts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::super::past::{Heading, Read};
use super::Policy;
use crate::print::Versioned;
use crate::replay::{PastHold, ReleaseCourse, Releaser, Replayed, Tally};
use crate::text::{printable, to_json, to_json_pretty};

/// What policies would have done with the holds of logs.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
#[schemars(rename = "Replay")]
pub(in crate::cli::releaseexpr) struct Object<'a> {
    #[serde(flatten)]
    heading: Heading,
    policies: Vec<OfPolicy<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct OfPolicy<'a> {
    /// A number for an expression, words for what it is compared with.
    policy: &'a str,
    expression: Option<Cow<'a, str>>,
    all: &'a Tally,
    codes: Vec<OfCode<'a>>,
    /// Attributes that no log has, with the number of holds that turned on them.
    unknown: &'a BTreeMap<String, u64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct OfCode<'a> {
    #[serde(flatten)]
    tally: &'a Tally,
    hold_reason_code: i32,
}

/// One object.
pub(super) fn print(
    read: &Read,
    policies: &[Policy],
    replayed: &[Replayed],
    out: &mut dyn Write,
) -> io::Result<()> {
    let code = |(code, tally): (&i32, _)| OfCode { tally, hold_reason_code: *code };
    let policies = policies.iter().zip(replayed).map(|(policy, replayed)| OfPolicy {
        policy: &policy.name,
        expression: policy.text.as_deref().map(printable),
        all: &replayed.all,
        codes: replayed.codes.iter().map(code).collect(),
        unknown: &replayed.unrecorded,
    });
    let object = Object { heading: Heading::of(read), policies: policies.collect() };
    writeln!(out, "{}", to_json_pretty(&Versioned::of(object))?)
}

/// A hold, and when each policy would have released it first.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
#[schemars(rename = "ReplayedHold")]
pub(in crate::cli::releaseexpr) struct Line {
    cluster_id: i32,
    proc_id: i32,
    hold_reason_code: i32,
    hold_reason_sub_code: i32,
    num_holds: Option<i64>,
    held_since: i64,
    left_at: Option<i64>,
    /// `Success`, `Failure`, `Changed`, `Open`, `Removed` or `Held`.
    hold_end: &'static str,
    released_by_policy: bool,
    policies: Vec<Release>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Release {
    policy: String,
    released_at: Option<i64>,
    unknown: bool,
    unfinished: bool,
    releases: f64,
    cost_hours: f64,
}

/// An object for each hold, on a line of its own.
pub(super) fn lines(read: &Read, policies: &mut [Policy], out: &mut dyn Write) -> io::Result<()> {
    Releaser::share(policies.iter_mut().map(|policy| &mut policy.releaser), read.past.holds.len());
    for hold in &read.past.holds {
        let judged = ReleaseCourse::of(hold, &read.successes, &read.rules.costs);
        let release = |Policy { name, releaser, .. }: &mut Policy| {
            let (course, _) = read.rules.course(releaser, hold, judged.as_ref());
            Release {
                policy: name.clone(),
                released_at: course.released_at,
                unknown: course.unknown,
                unfinished: course.unfinished,
                releases: course.sums.releases,
                cost_hours: course.sums.cost_hours,
            }
        };
        let line = Line::of(hold, policies.iter_mut().map(release).collect());
        writeln!(out, "{}", to_json(&Versioned::of(line))?)?;
    }
    Ok(())
}

impl Line {
    fn of(hold: &PastHold, policies: Vec<Release>) -> Self {
        Self {
            cluster_id: hold.job.cluster,
            proc_id: hold.job.proc,
            hold_reason_code: hold.code,
            hold_reason_sub_code: hold.subcode,
            num_holds: hold.num_holds,
            held_since: hold.held_at,
            left_at: hold.hold_end.left_at(),
            hold_end: hold.hold_end.into(),
            released_by_policy: hold.by_policy,
            policies,
        }
    }
}
