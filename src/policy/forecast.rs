//! What the schedd's periodic policies will do with a held job.
//!
//! Follows `UserPolicy::AnalyzePolicy` in `src/condor_utils/user_job_policy.cpp` and
//! `ResponsibleForPeriodicExprs` in `src/condor_schedd.V6/schedd.cpp` of HTCondor 25.

use std::borrow::Cow;
use std::cell::OnceCell;

use classads::{Budget, ClassAd, EvalContext, Expr, Value};
use schemars::JsonSchema;
use serde::Serialize;
use strum::IntoStaticStr;

use super::clauses::clauses;
use super::prospect::{Ahead, HORIZON, Prospect};
use super::{Kind, Knobs, WORK, number, own_limit};
use crate::hold_code::{SPOOLING_INPUT, USER_REQUEST};

/// What an expression is now, as the schedd takes it: a number is true when its whole part is not
/// zero; whatever is no number does not fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub enum Truth {
    /// It fires.
    True,
    /// It does not.
    False,
    /// An attribute it needs is not there; it does not fire.
    Undefined,
    /// It makes no sense on this ad, or is no number; it does not fire.
    Error,
    /// The text is no expression; the schedd leaves it out.
    Unparsable,
}

impl Truth {
    /// Of the value of an expression.
    pub fn of(value: &Value) -> Self {
        match (number::whole(value), value) {
            (Some(0), _) => Self::False,
            (Some(_), _) => Self::True,
            (None, Value::Undefined) => Self::Undefined,
            (None, _) => Self::Error,
        }
    }

    /// The word printed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::Undefined => "undefined",
            Self::Error => "an error",
            Self::Unparsable => "no expression",
        }
    }
}

/// A clause that keeps a policy from firing, whatever the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockingClause {
    /// The clause.
    pub clause: String,
    /// What it is.
    pub value: Truth,
}

/// One policy on this job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// What it does.
    pub kind: Kind,
    /// `PeriodicRelease`, or the knob it stands in.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What it is now. For holds: what it would be were the job released now.
    pub now: Truth,
    /// A hold that is not true right after a release is so as soon as the job runs again.
    pub at_start: bool,
    /// When it first becomes true if nothing but time changes, Unix seconds; now, where it is true
    /// now. Confirmed by evaluation. `None`: not within 30 days. Not looked for in holds.
    pub becomes_true: Option<i64>,
    /// Whether and when it becomes true is not known ([`Prospect::NotKnown`]).
    pub not_known: bool,
    /// The clauses that keep it from firing, where it will not.
    pub blocking: Vec<BlockingClause>,
}

/// What lets the schedd evaluate policies of this held job, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, IntoStaticStr)]
#[serde(tag = "Kind", rename_all_fields = "PascalCase")]
pub enum Gate {
    /// Releases and removals.
    Open,
    /// Code 1: removals only.
    HeldByUser,
    /// NumHolds is not below SYSTEM_MAX_RELEASES: removals only.
    MaxReleases {
        /// NumHolds.
        num_holds: i64,
        /// SYSTEM_MAX_RELEASES.
        limit: i64,
    },
    /// Code 16: nothing until the input is spooled.
    SpoolingInput,
    /// PERIODIC_EXPR_INTERVAL is 0: nothing.
    SwitchedOff,
    /// The job is run by another manager (`Managed = "External"`): nothing by the schedd.
    Managed,
    /// TimerRemove is no number: nothing is evaluated after it.
    TimerUndefined,
    /// The ad is not of a held job.
    NotHeld,
}

impl Policy {
    /// It holds the job again at once, were that released now.
    pub fn holds_again(&self) -> bool {
        self.kind == Kind::Hold && (self.now == Truth::True || self.at_start)
    }
}

impl Gate {
    /// Whether a policy can release the job.
    pub const fn lets_release(self) -> bool {
        matches!(self, Self::Open)
    }

    /// Whether a policy can remove the job.
    pub const fn lets_remove(self) -> bool {
        matches!(self, Self::Open | Self::HeldByUser | Self::MaxReleases { .. })
    }
}

/// What HTCondor will do by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyAction {
    /// Release or removal.
    pub kind: Kind,
    /// The policy: `PeriodicRelease`, `TimerRemove`, a knob.
    pub by: String,
    /// From when it fires, Unix seconds. The schedd looks every PERIODIC_EXPR_INTERVAL or less
    /// often.
    pub at: i64,
}

/// What is known of a held job's future without anybody's doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// The instant it was made for, Unix seconds.
    pub now: i64,
    /// What can be done at all.
    pub gate: Gate,
    /// The first thing to happen, if any within 30 days.
    pub deed: Option<PolicyAction>,
    /// Each policy that is set, in the schedd's order.
    pub policies: Vec<Policy>,
    /// Seconds between two evaluations: at least, at most.
    pub interval: (i64, i64),
}

/// Evaluates the policies of a held job's ad at `now` (Unix seconds).
///
/// The ad must be the queue's (`condor_q -long`), the knobs the schedd's. An expression that cannot
/// be parsed is reported as such; everything else is still evaluated.
pub fn forecast(ad: &ClassAd, knobs: &Knobs, now: i64) -> Forecast {
    forecast_of(ad, policies_set(ad, knobs), knobs, now, &Budget::new(u64::MAX))
}

/// [`forecast`] with the policies that are set, in these steps.
pub(super) fn forecast_of(
    ad: &ClassAd,
    set: Vec<SetPolicy>,
    knobs: &Knobs,
    now: i64,
    steps: &Budget,
) -> Forecast {
    let ad = in_queue(ad);
    let ad = ad.as_ref();
    let context = EvalContext { budget: Some(steps.part(WORK)), ..knobs.context(now) };
    let gate = gate(ad, knobs, &context);
    let interval = (knobs.interval().unwrap_or(60), knobs.longest_interval());
    let (released, started) = (OnceCell::new(), OnceCell::new());
    let mut policies = Vec::new();
    for set in set {
        let expr = set.expr.as_ref();
        let (on, may) = match set.kind {
            // A constant is the same on any ad.
            Kind::Hold if expr.is_none_or(|expr| expr.as_literal().is_some()) => (ad, false),
            Kind::Hold => (released.get_or_init(|| self::released(ad, &context)), false),
            Kind::Release => (ad, gate.lets_release()),
            Kind::Remove => (ad, gate.lets_remove()),
        };
        let expr = set.expr.clone().filter(|expr| expr.as_literal().is_none());
        let mut policy = policy(set, &Ahead::new(on, &context, interval.0, steps), may);
        if let (Kind::Hold, false, Some(expr)) = (policy.kind, policy.holds_again(), expr) {
            let on = started.get_or_init(|| own_limit::started(ad, now));
            let value = Ahead::new(on, &context, interval.0, steps).try_value_now(&expr);
            policy.at_start = value.as_ref().is_some_and(is_true);
        }
        policies.push(policy);
    }
    let deed = first_action(ad, gate, &policies, &context);
    Forecast { now, gate, deed, policies, interval }
}

/// The ad as the schedd has it: the time of its answer, which it adds for `condor_q`, is undefined
/// in the queue.
pub(super) fn in_queue(ad: &ClassAd) -> Cow<'_, ClassAd> {
    const ADDED: &str = "ServerTime";
    let mut ad = Cow::Borrowed(ad);
    if ad.contains(ADDED) {
        ad.to_mut().remove(ADDED);
    }
    ad
}

/// A policy as it is set.
#[derive(Debug)]
pub(super) struct SetPolicy {
    pub(super) kind: Kind,
    /// `PeriodicRelease`, or the knob it stands in.
    pub(super) name: String,
    pub(super) text: String,
    /// `None` where the text is no expression.
    pub(super) expr: Option<Expr>,
}

/// Each policy that is set, in the schedd's order: of each kind the job's, then the system's.
pub(super) fn policies_set(ad: &ClassAd, knobs: &Knobs) -> Vec<SetPolicy> {
    let mut out = Vec::new();
    for kind in Kind::ALL {
        let attribute = kind.attribute();
        if ad.contains(attribute) {
            let expr = ad.get(attribute).cloned();
            let text = expr.as_ref().map(ToString::to_string);
            let text = text.or_else(|| ad.raw(attribute).map(str::to_owned)).unwrap_or_default();
            out.push(SetPolicy { kind, name: attribute.to_owned(), text, expr });
        }
        for (name, text) in knobs.system_policies(kind) {
            // Configuration is read as the schedd does: `ParseClassAdRvalExpr`, the old syntax.
            let expr = Expr::parse_old(text).ok();
            out.push(SetPolicy { kind, name, text: text.to_owned(), expr });
        }
    }
    out
}

pub(super) fn integer(ad: &ClassAd, name: &str, context: &EvalContext<'_>) -> Option<i64> {
    number::int(&ad.evaluate(name, context))
}

fn gate(ad: &ClassAd, knobs: &Knobs, context: &EvalContext<'_>) -> Gate {
    let code = integer(ad, "HoldReasonCode", context);
    let num_holds = integer(ad, "NumHolds", context).unwrap_or(0);
    let managed = ad.evaluate("Managed", context);
    if integer(ad, "JobStatus", context) != Some(5) {
        Gate::NotHeld
    } else if knobs.interval().is_none() {
        Gate::SwitchedOff
    } else if code == Some(SPOOLING_INPUT.into()) {
        Gate::SpoolingInput
    } else if managed.as_str() == Some("External") {
        Gate::Managed
    } else if ad.contains("TimerRemove") && integer(ad, "TimerRemove", context).is_none() {
        Gate::TimerUndefined
    } else if code == Some(USER_REQUEST.into()) {
        Gate::HeldByUser
    } else {
        match knobs.max_releases() {
            Some(limit) if num_holds >= limit => Gate::MaxReleases { num_holds, limit },
            _ => Gate::Open,
        }
    }
}

/// The ad as it would be right after a release: idle since now, the hold's reason gone to
/// `LastHold...`.
pub(super) fn released(ad: &ClassAd, context: &EvalContext<'_>) -> ClassAd {
    let mut ad = ad.clone();
    for name in ["HoldReason", "HoldReasonCode", "HoldReasonSubCode"] {
        if let Some(value) = ad.get(name).cloned() {
            ad.insert(&format!("Last{name}"), value);
            ad.remove(name);
        }
    }
    let status = integer(&ad, "JobStatusOnRelease", context).unwrap_or(1);
    ad.insert_value("LastJobStatus", 5);
    ad.insert_value("JobStatus", status);
    ad.insert_value("EnteredCurrentStatus", context.now);
    ad
}

/// What a policy is. One that `may` fire later is worth looking for when.
fn policy(set: SetPolicy, ahead: &Ahead<'_>, may: bool) -> Policy {
    let mut policy = Policy {
        kind: set.kind,
        name: set.name,
        text: set.text,
        now: Truth::Unparsable,
        at_start: false,
        becomes_true: None,
        not_known: false,
        blocking: Vec::new(),
    };
    let Some(expr) = &set.expr else { return policy };
    let value = ahead.try_value_now(expr);
    policy.not_known = may && value.is_none();
    let value = value.unwrap_or(Value::Error);
    policy.now = Truth::of(&value);
    if may && !policy.not_known {
        let prospect = ahead.prospect(expr, is_true(&value), is_true);
        policy.becomes_true = prospect.from();
        policy.not_known = prospect == Prospect::NotKnown;
    }
    if policy.now != Truth::True && policy.becomes_true.is_none() && !policy.not_known {
        let blocking = |clause: &Expr| blocking(ahead, clause);
        policy.blocking = clauses(expr).iter().filter_map(blocking).collect();
    }
    policy
}

pub(super) fn is_true(value: &Value) -> bool {
    Truth::of(value) == Truth::True
}

/// The clause, if it is not true and time alone will not make it so.
fn blocking(ahead: &Ahead<'_>, clause: &Expr) -> Option<BlockingClause> {
    let value = ahead.try_value_now(clause)?;
    let stays = matches!(
        ahead.prospect(clause, is_true(&value), is_true),
        Prospect::Stays | Prospect::NotWithin
    );
    stays.then(|| BlockingClause { clause: clause.to_string(), value: Truth::of(&value) })
}

/// The first to fire; at one instant TimerRemove, then release, then removal, the job's before the
/// system's.
fn first_action(
    ad: &ClassAd,
    gate: Gate,
    policies: &[Policy],
    context: &EvalContext<'_>,
) -> Option<PolicyAction> {
    if !gate.lets_remove() {
        return None;
    }
    let now = context.now;
    let timer = integer(ad, "TimerRemove", context)
        .filter(|&timer| timer >= 0)
        .map(|timer| PolicyAction {
            kind: Kind::Remove,
            by: "TimerRemove".to_owned(),
            at: timer.saturating_add(1).max(now),
        })
        .filter(|action| action.at <= now.saturating_add(HORIZON));
    let of_policy = |policy: &Policy| {
        Some(PolicyAction { kind: policy.kind, by: policy.name.clone(), at: policy.becomes_true? })
    };
    // `min_by_key` keeps the first of equals, and they stand in the schedd's order.
    timer.into_iter().chain(policies.iter().filter_map(of_policy)).min_by_key(|action| action.at)
}

#[cfg(test)]
#[path = "forecast_tests.rs"]
mod tests;
