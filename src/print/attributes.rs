//! An advice as named values: what scripts get to see.

use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::commands::lines;
use super::sure::band;
use crate::advice::{Advice, Change, Choice, Command, Costs, InputEffect};
use crate::sentences;
use crate::sentences::choices;
use crate::text::{Foreign, SCHEMA_VERSION, printable, to_json_pretty};

/// The names, in the order printed.
pub(crate) const NAMES: [&str; 39] = [
    "SchemaVersion",
    "ClusterId",
    "ProcId",
    "Owner",
    "HoldReasonCode",
    "HoldReasonSubCode",
    "HoldReason",
    "NumHolds",
    "HeldSince",
    "DAGManJobId",
    "Recommendation",
    "RecommendedAction",
    "Undecided",
    "Success",
    "SuccessLater",
    "Band",
    "Costs",
    "ExpectedCosts",
    "Decision",
    "Meaning",
    "Evidence",
    "Inputs",
    "CorrectBefore",
    "Change",
    "Commands",
    "CommandsAfter",
    "Try",
    "Look",
    "WaitFor",
    "WaitUntil",
    "LikelyFrom",
    "LookAgain",
    "HTCondorWill",
    "Trust",
    "EventLog",
    "Missing",
    "Notes",
    "TrainedOn",
    "OutcomesHere",
];

/// The attributes of an advice; `null` where something is not known. All text is fit for a
/// terminal. Times in sentences are of the zone.
pub fn attributes(advice: &Advice, zone: &TimeZone) -> Map<String, Value> {
    let held = &advice.held;
    let text = |text: &str| Value::from(printable(text));
    let maybe = |value: &Option<Foreign>| value.as_ref().map(Foreign::value).into();
    let texts = |all: &[String]| Value::from_iter(all.iter().map(|line| text(line)));
    let success: Map<String, Value> =
        advice.success.iter().map(|(action, p)| (action.name().to_owned(), rounded(*p))).collect();
    let mut out = Map::with_capacity(NAMES.len());
    let mut put = |name: &str, value: Value| {
        out.insert(name.to_owned(), value);
    };
    put("SchemaVersion", SCHEMA_VERSION.into());
    put("ClusterId", held.job.cluster.into());
    put("ProcId", held.job.proc.into());
    put("Owner", maybe(&held.owner));
    put("HoldReasonCode", held.code.into());
    put("HoldReasonSubCode", held.subcode.into());
    put("HoldReason", maybe(&held.reason));
    put("NumHolds", held.num_holds.into());
    put("HeldSince", held.held_since.into());
    put("DAGManJobId", held.dagman_job_id.into());
    put("Recommendation", advice.recommendation.name().into());
    put("RecommendedAction", advice.action.map(crate::history::Action::name).into());
    put(
        "Undecided",
        advice
            .undecided
            .as_ref()
            .map_or(Value::Null, |why| with_sentence(why, &sentences::undecided(why, held.code))),
    );
    put("Success", success.into());
    let later = advice.later.points().iter();
    let later = later.map(|&(delay, p)| json!({ "Delay": delay, "Success": rounded(p) }));
    put("SuccessLater", Value::from_iter(later));
    put("Band", band(advice).into());
    put("Costs", costs(&advice.costs));
    let choices = advice.choices.choices.as_slice();
    put("ExpectedCosts", if advice.is_judged { expected(choices) } else { Value::Null });
    put("Decision", decision(advice));
    put("Meaning", text(&sentences::why(advice)));
    let evidence = advice.evidence.iter();
    let evidence = evidence.map(|seen| with_sentence(seen, &sentences::evidence(seen)));
    put("Evidence", Value::from_iter(evidence));
    put("Inputs", Value::from_iter(advice.inputs.iter().map(input)));
    put("CorrectBefore", Value::from_iter(advice.correct_before.iter().map(change)));
    put("Change", advice.change.as_ref().map_or(Value::Null, change));
    let constraint = advice.target.constraint();
    put("Commands", lines(&advice.commands, &constraint).into());
    put("CommandsAfter", lines(&advice.commands_after, &constraint).into());
    let try_one = advice.try_one.as_ref();
    put("Try", try_one.map_or(Value::Null, |tried| with_sentence(tried, &choices::try_one(tried))));
    let look = advice.look.as_ref();
    put("Look", look.map_or(Value::Null, |look| with_sentence(look, &choices::look_at(look))));
    let wait_for = advice.wait.as_ref().map(|wait| &wait.what);
    put(
        "WaitFor",
        wait_for.map_or(Value::Null, |what| with_sentence(what, &sentences::wait_for(what))),
    );
    put("WaitUntil", advice.wait.as_ref().and_then(|wait| wait.until).into());
    let likely = advice.wait.as_ref().and_then(|wait| wait.likely.as_ref());
    put(
        "LikelyFrom",
        likely.map_or(Value::Null, |likely| {
            with_sentence(likely, &sentences::likely(advice.band, likely, zone))
        }),
    );
    put("LookAgain", advice.wait.as_ref().map(|wait| wait.look_again).into());
    let will = advice.htcondor_will.iter();
    let will = will.map(|thing| with_sentence(thing, &sentences::prediction(thing, zone)));
    put("HTCondorWill", Value::from_iter(will));
    put(
        "Trust",
        json!({
            "TrainedOn": printable(&advice.trust.trained_on),
            "OutcomesHere": advice.trust.outcomes_here,
        }),
    );
    put("EventLog", json!(advice.event_log));
    put("Missing", texts(&advice.missing.iter().map(ToString::to_string).collect::<Vec<_>>()));
    put("Notes", texts(&advice.notes));
    out
}

/// The fields of something, and a sentence that says the same. All text is fit for a terminal.
fn with_sentence(thing: &impl Serialize, sentence: &str) -> Value {
    let mut value = fit(serde_json::to_value(thing).unwrap_or_default());
    if let Value::Object(fields) = &mut value {
        fields.insert("Sentence".to_owned(), printable(sentence).into());
    }
    value
}

/// An object as the tools print it: its version first, and all its text fit to print.
pub(crate) fn output(object: &impl Serialize) -> serde_json::Result<String> {
    let mut out = json!({ "SchemaVersion": SCHEMA_VERSION });
    if let (Value::Object(out), Value::Object(fields)) =
        (&mut out, fit(serde_json::to_value(object)?))
    {
        out.extend(fields);
    }
    Ok(to_json_pretty(&out)? + "\n")
}

/// A value with all its text fit to print.
fn fit(value: Value) -> Value {
    match value {
        Value::String(text) => printable(&text).into(),
        Value::Array(values) => values.into_iter().map(fit).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, fit(value))).collect()
        }
        other => other,
    }
}

fn change(change: &Change) -> Value {
    let mut value = with_sentence(change, &sentences::whole_change(change));
    let edits = change.commands.iter().filter_map(|command| match command {
        Command::Edit(edit) => Some(fit(serde_json::to_value(edit).unwrap_or_default())),
        _ => None,
    });
    value["Edits"] = edits.collect();
    if let Some(way) = &change.by_hand {
        value["ByHand"] = with_sentence(way, &sentences::by_hand(way));
    }
    value
}

/// The value of an attribute, whatever the case of its name; those of `Trust` have names of their
/// own.
pub(super) fn lookup(attributes: &Map<String, Value>, name: &str) -> Value {
    let inside = |map: &Map<String, Value>| {
        map.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.clone())
    };
    inside(attributes)
        .or_else(|| attributes.get("Trust").and_then(Value::as_object).and_then(inside))
        .unwrap_or(Value::Null)
}

fn costs(costs: &Costs) -> Value {
    json!({
        "Failed": hours(costs.failed),
        "Delay": hours(costs.delay),
        "Keep": hours(costs.keep),
        "Work": hours(costs.work),
        "Person": hours(costs.person),
    })
}

/// Hours by choice.
fn expected(all: &[Choice]) -> Value {
    let hours = |choice: &Choice| Some((choices::name(choice).to_owned(), hours(choice.hours?)));
    Map::from_iter(all.iter().filter_map(hours)).into()
}

/// The rule that decided, and what stands against each choice.
fn decision(advice: &Advice) -> Value {
    let choice = |choice: &Choice| {
        json!({
            "Choice": choices::name(choice),
            "Action": choice.action.map(crate::history::Action::name),
            "Success": choice.success.map(rounded),
            "Hours": choice.hours.map(hours),
            "Against": choice.against.as_ref().map(|against| {
                with_sentence(against, &choices::against(against))
            }),
        })
    };
    let rule = advice.choices.rule;
    json!({
        "Rule": rule,
        "Sentence": choices::rule(rule),
        "Choices": advice.choices.choices.iter().map(choice).collect::<Vec<_>>(),
    })
}

fn input(effect: &InputEffect) -> Value {
    json!({ "Input": printable(&effect.input), "Change": rounded(effect.change) })
}

/// Minutes are more than anybody can estimate: two digits.
fn hours(hours: f64) -> Value {
    Value::from((hours * 100.0).round() / 100.0)
}

/// Four digits are more than a model knows.
fn rounded(probability: f64) -> Value {
    Value::from((probability * 1e4).round() / 1e4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::samples;

    #[test]
    fn all_names_are_there_in_order() {
        let advice = samples::transfer(7, 0);
        let attributes = attributes(&advice, &TimeZone::UTC);
        let names: Vec<&str> = attributes.keys().map(String::as_str).collect();
        assert_eq!(names, NAMES[..NAMES.len() - 2]);
        for name in NAMES {
            let known = lookup(&attributes, &name.to_lowercase());
            let absent = ["DAGManJobId", "Undecided", "Change", "Try", "Look"].contains(&name);
            assert!(known != Value::Null || absent, "{name}");
        }
    }
}
