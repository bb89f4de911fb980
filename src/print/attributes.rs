//! An advice as named values: what scripts get to see.

use std::sync::LazyLock;

use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::card::lines;
use super::sure::band;
use crate::advice::{Advice, Change, Choice, Command, Costs, InputEffect};
use crate::history::Action;
use crate::sentences;
use crate::sentences::choices;
use crate::text::{Foreign, SCHEMA_VERSION, printable, to_json_pretty};

/// What an attribute of an advice is; times in sentences are of the zone.
type Make = fn(&Advice, &TimeZone) -> Value;

/// The attributes, in the order printed.
const ATTRIBUTES: [(&str, Make); 39] = [
    ("SchemaVersion", |_, _| SCHEMA_VERSION.into()),
    ("ClusterId", |advice, _| advice.held.job.cluster.into()),
    ("ProcId", |advice, _| advice.held.job.proc.into()),
    ("Owner", |advice, _| foreign(&advice.held.owner)),
    ("HoldReasonCode", |advice, _| advice.held.code.into()),
    ("HoldReasonSubCode", |advice, _| advice.held.subcode.into()),
    ("HoldReason", |advice, _| foreign(&advice.held.reason)),
    ("NumHolds", |advice, _| advice.held.num_holds.into()),
    ("HeldSince", |advice, _| advice.held.held_since.into()),
    ("DAGManJobId", |advice, _| advice.held.dagman_job_id.into()),
    ("Recommendation", |advice, _| advice.recommendation.name().into()),
    ("RecommendedAction", |advice, _| advice.action.map(Action::name).into()),
    ("Undecided", |advice, _| {
        or_null(advice.undecided.as_ref(), |why| sentences::undecided(why, advice.held.code))
    }),
    ("Success", |advice, _| {
        let success = advice.success.iter();
        success.map(|(action, p)| (action.name(), rounded(*p))).collect()
    }),
    ("SuccessLater", |advice, _| {
        let later = advice.later.points().iter();
        later.map(|&(delay, p)| json!({ "Delay": delay, "Success": rounded(p) })).collect()
    }),
    ("Band", |advice, _| band(advice).into()),
    ("Costs", |advice, _| costs(&advice.costs)),
    ("ExpectedCosts", |advice, _| match advice.is_judged {
        true => expected(&advice.choices.choices),
        false => Value::Null,
    }),
    ("Decision", |advice, _| decision(advice)),
    ("CatalogueEntry", |advice, _| {
        let entry = advice.held.reading.as_ref().map(|reading| reading.entry().name.as_str());
        entry.into()
    }),
    ("Diagnosis", |advice, _| {
        let diagnosis = &advice.diagnosis;
        let sentence = sentences::diagnosis(diagnosis);
        sentence.map_or(Value::Null, |sentence| with_sentence(diagnosis, &sentence))
    }),
    ("Meaning", |advice, _| printable(&sentences::why(advice)).into()),
    ("Evidence", |advice, _| {
        let evidence = advice.evidence.iter();
        evidence.map(|seen| with_sentence(seen, &sentences::evidence(seen))).collect()
    }),
    ("Inputs", |advice, _| advice.inputs.iter().map(input).collect()),
    ("CorrectBefore", |advice, _| advice.correct_before.iter().map(change).collect()),
    ("Change", |advice, _| advice.change.as_ref().map_or(Value::Null, change)),
    ("Commands", |advice, _| lines(&advice.commands, &advice.target.constraint()).into()),
    ("CommandsAfter", |advice, _| {
        lines(&advice.commands_after, &advice.target.constraint()).into()
    }),
    ("Try", |advice, _| or_null(advice.try_one.as_ref(), choices::try_one)),
    ("Look", |advice, _| or_null(advice.look.as_ref(), choices::look_at)),
    ("WaitFor", |advice, _| {
        or_null(advice.wait.as_ref().map(|wait| &wait.what), sentences::wait_for)
    }),
    ("WaitUntil", |advice, _| advice.wait.as_ref().and_then(|wait| wait.until).into()),
    ("LikelyFrom", |advice, zone| {
        let likely = advice.wait.as_ref().and_then(|wait| wait.likely.as_ref());
        or_null(likely, |likely| sentences::likely(advice.band, likely, zone))
    }),
    ("LookAgain", |advice, _| advice.wait.as_ref().map(|wait| wait.look_again).into()),
    ("HTCondorWill", |advice, zone| {
        let will = advice.htcondor_will.iter();
        will.map(|thing| with_sentence(thing, &sentences::prediction(thing, zone))).collect()
    }),
    ("Trust", |advice, _| {
        json!({
            "TrainedOn": printable(&advice.trust.trained_on),
            "OutcomesHere": advice.trust.outcomes_here,
        })
    }),
    ("EventLog", |advice, _| json!(advice.event_log)),
    ("Missing", |advice, _| {
        advice.missing.iter().map(|one| Value::from(printable(&one.to_string()))).collect()
    }),
    ("Notes", |advice, _| advice.notes.iter().map(|note| printable(note)).collect()),
];

/// Their names, and those inside of `Trust`.
pub(crate) static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let names = ATTRIBUTES.iter().map(|(name, _)| *name);
    names.chain(["TrainedOn", "OutcomesHere"]).collect()
});

/// The attributes of an advice; `null` where something is not known. All text is fit for a
/// terminal. Times in sentences are of the zone.
pub fn attributes(advice: &Advice, zone: &TimeZone) -> Map<String, Value> {
    ATTRIBUTES.iter().map(|(name, make)| ((*name).to_owned(), make(advice, zone))).collect()
}

fn foreign(value: &Option<Foreign>) -> Value {
    value.as_ref().map(Foreign::value).into()
}

fn or_null<T: Serialize>(thing: Option<&T>, sentence: impl Fn(&T) -> String) -> Value {
    thing.map_or(Value::Null, |thing| with_sentence(thing, &sentence(thing)))
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
            "Action": choice.action.map(Action::name),
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
        for &name in &*NAMES {
            let known = lookup(&attributes, &name.to_lowercase());
            let absent = [
                "DAGManJobId",
                "Undecided",
                "CatalogueEntry",
                "Diagnosis",
                "Change",
                "Try",
                "Look",
            ]
            .contains(&name);
            assert!(known != Value::Null || absent, "{name}");
        }
    }
}
