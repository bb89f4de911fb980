//! Explanations for scripts.

use classads::Value as Of;
use serde_json::{Value, json};

use super::Explained;
use super::text::word;
use crate::hold_code::{self, HoldCode};
use crate::policy::{
    ExplainedPolicy, Gate, MissingAttribute, Named, Part, PolicyAction, Prospect, Truth,
};
use crate::sentences::with_usual_change;
use crate::text::{SCHEMA_VERSION, printable};

/// What there is to say of one job; times are Unix seconds, `null` is what is not known or not
/// there. All text is fit for a terminal.
pub(super) fn object(job: &Explained) -> Value {
    let explanation = &job.explanation;
    let forecast = &explanation.forecast;
    let hold = &job.hold;
    let reason = hold.reason.as_deref();
    let (least, most) = forecast.interval;
    json!({
        "SchemaVersion": SCHEMA_VERSION,
        "ClusterId": job.id.cluster,
        "ProcId": job.id.proc,
        "Owner": job.owner.as_deref().map(printable),
        "HoldReasonCode": hold.code,
        "HoldReasonSubCode": hold.subcode,
        "HoldReasonLabel": hold_code::name(hold.code),
        "HoldReason": reason.map(printable),
        "Meaning": printable(&with_usual_change(Some(hold.code), Some(hold.subcode), reason.unwrap_or_default())),
        "SetBy": HoldCode::of(hold.code).map(|code| code.set_by),
        "NumHolds": hold.num_holds,
        "HeldSince": Some(hold.entered_current_status).filter(|&since| since != 0),
        "Now": forecast.now,
        "Gate": gate(forecast.gate),
        "MayBeReleased": forecast.gate.lets_release(),
        "MayBeRemoved": forecast.gate.lets_remove(),
        "PoliciesOfAccessPoint": explanation.knobs_known,
        "PeriodicExprInterval": least,
        "MaxPeriodicExprInterval": most,
        "PolicyAction": forecast.deed.as_ref().map(action),
        "Policies": explanation.policies.iter().map(policy).collect::<Vec<_>>(),
        "Conclusion": explanation.conclusion(&job.id.to_string()),
    })
}

fn gate(gate: Gate) -> &'static str {
    match gate {
        Gate::Open => "Open",
        Gate::HeldByUser => "HeldByUser",
        Gate::MaxReleases { .. } => "MaxReleases",
        Gate::SpoolingInput => "SpoolingInput",
        Gate::Switched => "SwitchedOff",
        Gate::Managed => "Managed",
        Gate::TimerUndefined => "TimerUndefined",
        Gate::NotHeld => "NotHeld",
    }
}

fn action(action: &PolicyAction) -> Value {
    json!({ "Kind": action.kind, "By": printable(&action.by), "At": action.at })
}

fn policy(explained: &ExplainedPolicy) -> Value {
    let policy = &explained.policy;
    json!({
        "Name": printable(&policy.name),
        "Kind": policy.kind,
        "Expression": printable(&policy.text),
        "Value": value(Some(policy.now)),
        "Prospect": explained.prospect().map(prospect),
        "TrueFrom": explained.prospect().and_then(Prospect::from),
        "Fault": explained.root.as_ref().err().map(|fault| printable(fault)),
        "Clauses": explained.root.as_ref().ok().map(part),
        "NotInAd": explained.missing.iter().map(missing).collect::<Vec<_>>(),
    })
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

fn missing(missing: &MissingAttribute) -> Value {
    json!({
        "Name": printable(&missing.name),
        "Known": missing.is_known,
        "Nearest": missing.nearest.as_deref().map(printable),
    })
}

fn part(of: &Part) -> Value {
    json!({
        "Form": of.form,
        "Expression": printable(&of.text),
        "Value": value(of.value),
        "Blocks": of.blocks,
        "Nearest": of.is_nearest,
        "Prospect": of.prospect.map(prospect),
        "TrueFrom": of.prospect.and_then(Prospect::from),
        "Attributes": of.attributes.iter().map(attribute).collect::<Vec<_>>(),
        "Parts": of.parts.iter().map(part).collect::<Vec<_>>(),
        "LeftOut": of.left_out,
    })
}

/// A value that JSON has none for is its text as a ClassAd expression.
fn attribute(named: &Named) -> Value {
    let value = named.value.as_ref().map(|value| match value {
        Of::Boolean(value) => json!(value),
        Of::Integer(value) => json!(value),
        Of::Real(value) if value.is_finite() => json!(value),
        Of::String(text) => json!(printable(text)),
        Of::Undefined => Value::Null,
        other => json!(printable(&other.to_string())),
    });
    json!({ "Name": printable(&named.name), "Value": value, "InAd": !named.is_missing })
}
