//! Explanations for scripts.

use classads::Value;
use schemars::JsonSchema;
use serde::Serialize;

use super::Explained;
use super::text::word;
use crate::hold_code::{self, HoldCode, SetBy};
use crate::policy::{
    ExplainedPolicy, Form, Kind, MissingAttribute, Named, Part, PolicyAction, Prospect, Truth,
};
use crate::sentences::with_usual_change;

/// Why policies release or remove a held job, or do not. `null` is what is not known or not there,
/// times are Unix seconds.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
#[schemars(rename = "Explanation")]
pub(in crate::cli::releaseexpr) struct Object<'a> {
    cluster_id: i32,
    proc_id: i32,
    owner: Option<&'a str>,
    hold_reason_code: i32,
    hold_reason_sub_code: i32,
    hold_reason_label: Option<&'static str>,
    hold_reason: Option<&'a str>,
    meaning: String,
    set_by: Option<&'static [SetBy]>,
    num_holds: Option<i64>,
    held_since: Option<i64>,
    now: i64,
    gate: &'static str,
    may_be_released: bool,
    may_be_removed: bool,
    policies_of_access_point: bool,
    periodic_expr_interval: i64,
    max_periodic_expr_interval: i64,
    policy_action: Option<Action<'a>>,
    policies: Vec<OfPolicy<'a>>,
    conclusion: Vec<String>,
}

impl<'a> Object<'a> {
    pub(super) fn of(job: &'a Explained) -> Self {
        let explanation = &job.explanation;
        let forecast = &explanation.forecast;
        let hold = &job.hold;
        let reason = hold.reason.as_deref();
        let (least, most) = forecast.interval;
        let said = reason.unwrap_or_default();
        Self {
            cluster_id: job.id.cluster,
            proc_id: job.id.proc,
            owner: job.owner.as_deref(),
            hold_reason_code: hold.code,
            hold_reason_sub_code: hold.subcode,
            hold_reason_label: hold_code::name(hold.code),
            hold_reason: reason,
            meaning: with_usual_change(Some(hold.code), Some(hold.subcode), said),
            set_by: HoldCode::of(hold.code).map(|code| code.set_by),
            num_holds: hold.num_holds,
            held_since: Some(hold.entered_current_status).filter(|&since| since != 0),
            now: forecast.now,
            gate: forecast.gate.into(),
            may_be_released: forecast.gate.lets_release(),
            may_be_removed: forecast.gate.lets_remove(),
            policies_of_access_point: explanation.knobs_known,
            periodic_expr_interval: least,
            max_periodic_expr_interval: most,
            policy_action: forecast.deed.as_ref().map(Action::of),
            policies: explanation.policies.iter().map(OfPolicy::of).collect(),
            conclusion: explanation.conclusion(&job.id.to_string()),
        }
    }
}

/// What HTCondor will do, and from when.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Action<'a> {
    kind: Kind,
    by: &'a str,
    at: i64,
}

impl<'a> Action<'a> {
    fn of(PolicyAction { kind, by, at }: &'a PolicyAction) -> Self {
        Self { kind: *kind, by, at: *at }
    }
}

/// A policy of the job or of its access point.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct OfPolicy<'a> {
    name: &'a str,
    kind: Kind,
    expression: &'a str,
    value: Option<&'static str>,
    prospect: Option<&'static str>,
    true_from: Option<i64>,
    /// Why it is no expression.
    fault: Option<&'a str>,
    clauses: Option<Clause<'a>>,
    not_in_ad: Vec<Missing<'a>>,
}

impl<'a> OfPolicy<'a> {
    fn of(explained: &'a ExplainedPolicy) -> Self {
        let policy = &explained.policy;
        Self {
            name: &policy.name,
            kind: policy.kind,
            expression: &policy.text,
            value: value(Some(policy.now)),
            prospect: explained.prospect().map(prospect),
            true_from: explained.prospect().and_then(Prospect::from),
            fault: explained.root.as_ref().err().map(String::as_str),
            clauses: explained.root.as_ref().ok().map(Clause::of),
            not_in_ad: explained.missing.iter().map(Missing::of).collect(),
        }
    }
}

fn value(truth: Option<Truth>) -> Option<&'static str> {
    truth.filter(|truth| *truth != Truth::Unparsable).map(word)
}

fn prospect(prospect: Prospect) -> &'static str {
    match prospect {
        Prospect::From(_) => "True",
        Prospect::Stays => "Stays",
        Prospect::NotWithin => "NotWithin30Days",
        Prospect::NotKnown => "NotKnown",
    }
}

/// An attribute that a policy names and the ad does not have.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Missing<'a> {
    name: &'a str,
    known: bool,
    nearest: Option<&'a str>,
}

impl<'a> Missing<'a> {
    fn of(MissingAttribute { name, is_known, nearest }: &'a MissingAttribute) -> Self {
        Self { name, known: *is_known, nearest: nearest.as_deref() }
    }
}

/// An expression, or a part of one.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Clause<'a> {
    form: Form,
    expression: &'a str,
    value: Option<&'static str>,
    blocks: bool,
    nearest: bool,
    prospect: Option<&'static str>,
    true_from: Option<i64>,
    attributes: Vec<Attribute<'a>>,
    parts: Vec<Self>,
    left_out: usize,
}

impl<'a> Clause<'a> {
    fn of(of: &'a Part) -> Self {
        Self {
            form: of.form,
            expression: &of.text,
            value: value(of.value),
            blocks: of.blocks,
            nearest: of.is_nearest,
            prospect: of.prospect.map(prospect),
            true_from: of.prospect.and_then(Prospect::from),
            attributes: of.attributes.iter().map(Attribute::of).collect(),
            parts: of.parts.iter().map(Self::of).collect(),
            left_out: of.left_out,
        }
    }
}

/// An attribute that a clause names.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Attribute<'a> {
    name: &'a str,
    value: Option<Plain<'a>>,
    in_ad: bool,
}

/// A value; one that JSON has none for is its text as a ClassAd expression.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Plain<'a> {
    Boolean(bool),
    Integer(i64),
    Real(f64),
    Text(&'a str),
    Expression(String),
}

impl<'a> Attribute<'a> {
    fn of(named: &'a Named) -> Self {
        let plain = |value: &'a Value| match value {
            Value::Boolean(value) => Some(Plain::Boolean(*value)),
            Value::Integer(value) => Some(Plain::Integer(*value)),
            Value::Real(value) if value.is_finite() => Some(Plain::Real(*value)),
            Value::String(text) => Some(Plain::Text(text)),
            Value::Undefined => None,
            other => Some(Plain::Expression(other.to_string())),
        };
        let value = named.value.as_ref().and_then(plain);
        Self { name: &named.name, value, in_ad: !named.is_missing }
    }
}
