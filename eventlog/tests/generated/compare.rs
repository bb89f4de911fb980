//! Comparing events with what HTCondor reads and writes.

use std::collections::BTreeMap;

use classads::{Expr, Style};
use serde_json::{Map, Value};

use crate::event::Made;
use crate::oracle::Theirs;
use crate::setting;

/// Ours and HTCondor's value of an attribute are the same.
fn agree(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Number(ours), Value::Number(theirs)) => ours.as_f64() == theirs.as_f64(),
        (Value::Object(ours), Value::Object(theirs)) => ads_agree(ours, theirs).is_none(),
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| agree(a, b))
        }
        (Value::Null, Value::String(theirs)) => normal(theirs).as_deref() == Some("undefined"),
        (Value::String(ours), Value::String(theirs)) if ours != theirs => {
            let ours = normal(ours);
            ours.is_some() && ours == normal(theirs)
        }
        _ => ours == theirs,
    }
}

/// An expression printed in one way.
fn normal(text: &str) -> Option<String> {
    let expression = text.strip_prefix("/Expr(")?.strip_suffix(")/")?;
    Some(Expr::parse(expression).ok()?.print(Style::Long))
}

/// The first attribute that differs.
fn ads_agree(ours: &Map<String, Value>, theirs: &Map<String, Value>) -> Option<String> {
    let find = |ad: &Map<String, Value>, name: &str| {
        ad.iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.clone())
    };
    let names = theirs.keys().chain(ours.keys().filter(|name| find(theirs, name).is_none()));
    for name in names {
        match (find(ours, name), find(theirs, name)) {
            (Some(ours), Some(theirs)) if agree(&ours, &theirs) => {}
            (ours, theirs) => return Some(format!("{name}: {ours:?}, HTCondor: {theirs:?}")),
        }
    }
    None
}

/// What HTCondor's reader loses, see `docs/developing/quirks.md`.
pub(crate) fn is_lost(number: u16, name: &str) -> bool {
    match number {
        // The table of an eviction.
        4 => !["Reason", "ReasonCode", "ReasonSubCode", "CoreFile"].contains(&name),
        21 => name == "CriticalError",
        _ => name == "EventPayloadLines",
    }
}

/// Compares attributes; `with_year`: the date has one.
pub(crate) fn compare(
    number: u16,
    mut ours: Map<String, Value>,
    mut theirs: Map<String, Value>,
    with_year: bool,
) -> Option<String> {
    if !with_year {
        for ad in [&mut ours, &mut theirs] {
            let time = ad["EventTime"].as_str().unwrap()[4..].to_owned();
            ad.insert("EventTime".to_owned(), time.into());
        }
    }
    ours.retain(|name, _| !is_lost(number, name) || theirs.contains_key(name));
    ads_agree(&ours, &theirs)
}

#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) compared: BTreeMap<u16, usize>,
    failures: BTreeMap<u16, Vec<String>>,
}

impl Tally {
    pub(crate) fn failure(&mut self, number: u16, text: String) {
        self.failures.entry(number).or_default().push(text);
    }

    pub(crate) fn end(self, what: &str) {
        for (number, failures) in &self.failures {
            println!("{number:03}: {} differ, such as", failures.len());
            for failure in failures.iter().take(setting("HOLDADVISE_SHOWN", 3) as usize) {
                println!("{failure}\n");
            }
        }
        let compared: usize = self.compared.values().sum();
        println!("{what}: {compared} events agree with HTCondor: {:?}", self.compared);
        assert!(self.failures.is_empty());
    }
}

/// Compares what was read with what HTCondor reads, and with `rewritten` what HTCondor writes.
pub(crate) fn compare_text(
    tally: &mut Tally,
    made: &[Made],
    ours: Vec<Map<String, Value>>,
    theirs: Vec<Theirs>,
    rewritten: bool,
) {
    assert_eq!(ours.len(), theirs.len(), "{:?}", theirs.last());
    for ((made, ours), theirs) in made.iter().zip(ours).zip(theirs) {
        let number = made.number;
        let context = |what: String| format!("{what}\n{}", made.text);
        match theirs {
            Err(error) => tally.failure(number, context(error)),
            Ok((ad, text)) => {
                if let Some(difference) = compare(number, ours, ad, made.date.with_year) {
                    tally.failure(number, context(difference));
                } else if rewritten && !same_text(number, &made.text, &text) {
                    tally.failure(number, context(format!("HTCondor writes\n{text}")));
                } else {
                    *tally.compared.entry(number).or_default() += 1;
                }
            }
        }
    }
}

/// The text of an event behind the date.
pub(crate) fn behind_date(text: &str) -> &str {
    let at = text.match_indices(' ').nth(3).map_or(0, |(at, _)| at);
    &text[at..]
}

/// HTCondor writes this event, which it read, as it was.
pub(crate) fn same_text(number: u16, ours: &str, theirs: &str) -> bool {
    let ours = behind_date(ours).strip_suffix("...\n").unwrap();
    let theirs = behind_date(theirs);
    match number {
        // It writes its own text around warnings that it read, and no table of an eviction.
        0 if ours.contains("    WARNING: ") => true,
        4 => ours.split("\tPartitionable").next() == theirs.split("\tPartitionable").next(),
        // Cells that look whole once they were rounded, notes of one kind, blanks around texts.
        _ => squeezed(number, ours) == squeezed(number, theirs),
    }
}

/// The text without what HTCondor does not keep when it reads.
pub(crate) fn squeezed(number: u16, text: &str) -> String {
    let node = text.find("    DAG Node: ").filter(|_| matches!(number, 0 | 35));
    let text = match node {
        Some(_) => {
            let (begin, rest) = text.split_once("    DAG Node: ").unwrap();
            let (node, rest) = rest.split_once('\n').unwrap();
            format!("{begin}    [ DAGNodeName = \"{node}\" ]\n{rest}")
        }
        None => text.to_owned(),
    };
    // Of a message that begins or ends with newlines, HTCondor's reader loses them.
    let lines = text.lines().filter(|line| number != 21 || !line.trim().is_empty());
    lines.map(|line| line.trim().to_owned() + "\n").collect()
}

/// HTCondor writes an event of attributes as it is written here.
pub(crate) fn same_text_of_attributes(number: u16, ours: &str, theirs: &str) -> bool {
    let (ours, theirs) = (behind_date(ours).strip_suffix("...\n").unwrap(), behind_date(theirs));
    match number {
        // It writes attributes of the event among those of the job ad.
        28 => true,
        // It has no table of an eviction.
        _ => squeezed(number, ours) == squeezed(number, theirs),
    }
}
