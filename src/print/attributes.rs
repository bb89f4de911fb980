//! An advice as named values: what scripts get to see.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::tz::TimeZone;
use schemars::{JsonSchema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::card::lines;
use super::sure::band;
use crate::advice::{
    Advice, AgainstChoice as Against, ByHand, Change, ChangeKind, Choice, Command, Costs, Edit,
    EditFacts, Evidence, InputEffect, LikelyFrom, LookAt, Recommendation, Rule, TryOne, Undecided,
    WaitFor,
};
use crate::diagnosis::Diagnosis;
use crate::history::{Action, EventLogView};
use crate::policy::Prediction;
use crate::sentences;
use crate::sentences::choices;
use crate::text::{Foreign, SCHEMA_VERSION, printable, to_json_pretty};

// An object as the tools print it: its version first. In a schema it is described as what it is of.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
#[schemars(rename = "{T}")]
pub(crate) struct Versioned<T> {
    /// Version of the names of all JSON that the tools print.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    schema_version: u32,
    #[serde(flatten)]
    of: T,
}

impl<T> Versioned<T> {
    pub(crate) const fn of(of: T) -> Self {
        Self { schema_version: SCHEMA_VERSION, of }
    }
}

/// Something, and a sentence that says the same.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Said{T}")]
struct Said<T> {
    #[serde(flatten)]
    of: T,
    /// The same in English; the words may change.
    #[serde(rename = "Sentence")]
    sentence: String,
}

impl<T> Said<T> {
    fn of(of: T, sentence: impl Fn(&T) -> String) -> Self {
        Self { sentence: sentence(&of), of }
    }

    fn all(all: impl IntoIterator<Item = T>, sentence: impl Fn(&T) -> String) -> Vec<Self> {
        all.into_iter().map(|one| Self::of(one, &sentence)).collect()
    }
}

/// A map in the order that it was made in.
#[derive(JsonSchema)]
#[schemars(transparent, inline)]
struct InOrder<K, V>(#[schemars(with = "BTreeMap<K, V>")] Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for InOrder<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// An advice on a held job. `null` is what is not known or not there, times are Unix seconds,
/// probabilities go from 0 to 1.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
#[schemars(rename = "Advice")]
pub(crate) struct Attributes<'a> {
    cluster_id: i32,
    proc_id: i32,
    owner: &'a Option<Foreign>,
    hold_reason_code: Option<i32>,
    hold_reason_sub_code: Option<i32>,
    hold_reason: &'a Option<Foreign>,
    num_holds: u32,
    held_since: i64,
    #[serde(rename = "DAGManJobId")]
    dagman_job_id: Option<i32>,
    recommendation: Recommendation,
    /// What is done before the release that is recommended or weighed.
    recommended_action: Option<Action>,
    /// Why nothing is recommended.
    undecided: Option<Said<&'a Undecided>>,
    /// Probability that a release now succeeds, by what is done before it.
    success: InOrder<Action, f64>,
    success_later: Vec<Later>,
    /// How likely it is that the recommendation is right, in words.
    band: &'static str,
    costs: CostHours,
    /// Expected costs by choice, hours.
    expected_costs: Option<InOrder<&'static str, f64>>,
    decision: Decision<'a>,
    /// The entry of the catalogue that the hold reason hits.
    catalogue_entry: Option<&'a str>,
    diagnosis: Option<Said<&'a Diagnosis>>,
    /// Why the job is held, in English.
    meaning: String,
    evidence: Vec<Said<&'a Evidence>>,
    /// Which inputs moved the probability.
    inputs: Vec<Input<'a>>,
    /// What to correct before anything else.
    correct_before: Vec<WholeChange<'a>>,
    change: Option<WholeChange<'a>>,
    /// Lines for a POSIX shell, each to be run if the one before it succeeded.
    commands: Vec<String>,
    /// Lines for later.
    commands_after: Vec<String>,
    r#try: Option<Said<&'a TryOne>>,
    look: Option<Said<&'a LookAt>>,
    wait_for: Option<Said<&'a WaitFor>>,
    wait_until: Option<i64>,
    likely_from: Option<Said<&'a LikelyFrom>>,
    look_again: Option<i64>,
    #[serde(rename = "HTCondorWill")]
    htcondor_will: Vec<Said<&'a Prediction>>,
    trust: Trust<'a>,
    event_log: EventLogView,
    /// Sources that could not be read.
    missing: Vec<String>,
    notes: &'a [String],
}

/// What it costs when something goes wrong, hours.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct CostHours {
    failed: f64,
    delay: f64,
    keep: f64,
    work: f64,
    person: f64,
}

impl CostHours {
    pub(crate) fn of(&Costs { failed, delay, keep, work, person }: &Costs) -> Self {
        let [failed, delay, keep, work, person] = [failed, delay, keep, work, person].map(hours);
        Self { failed, delay, keep, work, person }
    }
}

/// A release after so many seconds.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Later {
    delay: i64,
    success: f64,
}

/// The rule that decided, and what stands against each choice.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Decision<'a> {
    rule: Rule,
    sentence: &'static str,
    choices: Vec<Weighed<'a>>,
}

/// What can be done; `hold` is leaving it held.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Weighed<'a> {
    choice: &'static str,
    action: Option<Action>,
    success: Option<f64>,
    hours: Option<f64>,
    against: Option<Said<&'a Against>>,
}

/// By how much an input moved the probability.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Input<'a> {
    input: &'a str,
    change: f64,
}

/// A change, with its edits of attributes.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct WholeChange<'a> {
    #[serde(flatten)]
    what: &'a ChangeKind,
    #[serde(flatten)]
    facts: &'a EditFacts,
    /// Where what is corrected by hand stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_hand: Option<Said<&'a ByHand>>,
    sentence: String,
    edits: Vec<&'a Edit>,
}

/// What the model has learned from.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct Trust<'a> {
    trained_on: &'a str,
    /// Outcomes of this access point among that.
    outcomes_here: u64,
}

/// The attributes' names, and those inside of `Trust`.
pub(crate) static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let names = names::<Versioned<Attributes>>().into_iter().chain(names::<Trust>());
    names.map(|name| &*name.leak()).collect()
});

/// The names of an object, in the order printed.
pub(crate) fn names<T: JsonSchema>() -> Vec<String> {
    let schema = SchemaGenerator::default().into_root_schema_for::<T>();
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(Map::keys).cloned().collect()
}

/// The attributes of an advice. All text is fit for a terminal. Times in sentences are of the zone.
pub fn attributes(advice: &Advice, zone: &TimeZone) -> Map<String, Value> {
    // Commands have no text that is not, and stand as they are pasted.
    let fit = |(name, value): (String, Value)| match name.starts_with("Commands") {
        true => (name, value),
        false => (name, fit(value)),
    };
    fields(&Versioned::of(Attributes::of(advice, zone))).into_iter().map(fit).collect()
}

/// The fields of an object.
fn fields(object: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(object) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

impl<'a> Attributes<'a> {
    fn of(advice: &'a Advice, zone: &TimeZone) -> Self {
        let (held, wait) = (&advice.held, advice.wait.as_ref());
        let constraint = advice.target.constraint();
        let likely = wait.and_then(|wait| wait.likely.as_ref());
        let success = advice.success.iter().map(|(action, p)| (*action, rounded(*p)));
        let later = advice.later.points().iter();
        let all = &advice.choices.choices;
        let cost = |choice: &Choice| Some((choices::name(choice), hours(choice.hours?)));
        let diagnosis = sentences::diagnosis(&advice.diagnosis);
        Self {
            cluster_id: held.job.cluster,
            proc_id: held.job.proc,
            owner: &held.owner,
            hold_reason_code: held.code,
            hold_reason_sub_code: held.subcode,
            hold_reason: &held.reason,
            num_holds: held.num_holds,
            held_since: held.held_since,
            dagman_job_id: held.dagman_job_id,
            recommendation: advice.recommendation,
            recommended_action: advice.action,
            undecided: advice
                .undecided
                .as_ref()
                .map(|why| Said::of(why, |why| sentences::undecided(why, held.code))),
            success: InOrder(success.collect()),
            success_later: later.map(|&(delay, p)| Later { delay, success: rounded(p) }).collect(),
            band: band(advice),
            costs: CostHours::of(&advice.costs),
            expected_costs: advice
                .is_judged
                .then(|| InOrder(all.iter().filter_map(cost).collect())),
            decision: Decision {
                rule: advice.choices.rule,
                sentence: choices::rule(advice.choices.rule),
                choices: all.iter().map(Weighed::of).collect(),
            },
            catalogue_entry: held.reading.as_ref().map(|reading| reading.entry().name.as_str()),
            diagnosis: diagnosis.map(|sentence| Said { of: &advice.diagnosis, sentence }),
            meaning: sentences::why(advice),
            evidence: Said::all(&advice.evidence, |seen| sentences::evidence(seen)),
            inputs: advice.inputs.iter().map(Input::of).collect(),
            correct_before: advice.correct_before.iter().map(WholeChange::of).collect(),
            change: advice.change.as_ref().map(WholeChange::of),
            commands: lines(&advice.commands, &constraint),
            commands_after: lines(&advice.commands_after, &constraint),
            r#try: advice.try_one.as_ref().map(|one| Said::of(one, |one| choices::try_one(one))),
            look: advice.look.as_ref().map(|look| Said::of(look, |look| choices::look_at(look))),
            wait_for: wait.map(|wait| Said::of(&wait.what, |what| sentences::wait_for(what))),
            wait_until: wait.and_then(|wait| wait.until),
            likely_from: likely
                .map(|one| Said::of(one, |one| sentences::likely(advice.band, one, zone))),
            look_again: wait.map(|wait| wait.look_again),
            htcondor_will: Said::all(&advice.htcondor_will, |one| sentences::prediction(one, zone)),
            trust: Trust {
                trained_on: &advice.trust.trained_on,
                outcomes_here: advice.trust.outcomes_here,
            },
            event_log: advice.event_log,
            missing: advice.missing.iter().map(ToString::to_string).collect(),
            notes: &advice.notes,
        }
    }
}

impl<'a> Weighed<'a> {
    fn of(choice: &'a Choice) -> Self {
        Self {
            choice: choices::name(choice),
            action: choice.action,
            success: choice.success.map(rounded),
            hours: choice.hours.map(hours),
            against: choice.against.as_ref().map(|one| Said::of(one, |one| choices::against(one))),
        }
    }
}

impl<'a> Input<'a> {
    fn of(effect: &'a InputEffect) -> Self {
        Self { input: &effect.input, change: rounded(effect.change) }
    }
}

impl<'a> WholeChange<'a> {
    fn of(change: &'a Change) -> Self {
        let edits = change.commands.iter().filter_map(|command| match command {
            Command::Edit(edit) => Some(edit),
            _ => None,
        });
        Self {
            what: &change.what,
            facts: &change.facts,
            by_hand: change
                .by_hand
                .as_ref()
                .map(|way| Said::of(way, |way| sentences::by_hand(way))),
            sentence: sentences::whole_change(change),
            edits: edits.collect(),
        }
    }
}

/// An object as the tools print it: its version first, and all its text fit to print.
pub(crate) fn output(object: &impl Serialize) -> serde_json::Result<String> {
    Ok(to_json_pretty(&versioned(object)?)? + "\n")
}

/// The same as a value.
pub(crate) fn versioned(object: &impl Serialize) -> serde_json::Result<Value> {
    serde_json::to_value(Versioned::of(object)).map(fit)
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

/// Minutes are more than anybody can estimate: two digits.
fn hours(hours: f64) -> f64 {
    (hours * 100.0).round() / 100.0
}

/// Four digits are more than a model knows.
fn rounded(probability: f64) -> f64 {
    (probability * 1e4).round() / 1e4
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
