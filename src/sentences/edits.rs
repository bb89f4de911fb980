//! What goes with a change, as sentences.

use super::{LONG_NAME, change};
use crate::advice::{ByHand, Change, EditFacts, KeptAttribute, Resubmits, SlotsFor, SubmitLine};
use crate::text::{plural, shown};

/// What to change, and what goes with that.
pub fn whole_change(whole: &Change) -> String {
    let line = whole.facts.submit_line.as_ref().map_or(String::new(), submit_line);
    change(&whole.what) + &edit_facts(&whole.facts) + &line
}

/// What to change, and that the job is released then.
pub(crate) fn then_release(change: &str) -> String {
    let ends = ["then release.", "let it run.", "submit it again."];
    match change.strip_suffix('.') {
        _ if ends.iter().any(|end| change.ends_with(end)) => change.to_owned(),
        Some(one) if !one.contains(['.', ':', ';']) => format!("{one}, then release."),
        _ => format!("{change} Then release."),
    }
}

/// The line of the submit file for jobs to come; empty where none is known.
pub(crate) fn next_time(change: &Change) -> String {
    let line = match change.line() {
        Some((command, Some(value))) => match change.old_value() {
            Some(old) => format!("{command} = {value} (now {old})"),
            None => format!("{command} = {value}"),
        },
        Some((command, None)) if change.facts.submit_line.is_some() => format!("correct {command}"),
        _ => return String::new(),
    };
    format!("in the submit file: {}", shown(&line, LONG_NAME))
}

/// How what is corrected by hand is written. No command: what is right is not known here.
pub fn by_hand(way: &ByHand) -> String {
    let ByHand { attribute, command, is_list, element, kept_by } = way;
    let element = element.as_ref().map(|element| element.named(LONG_NAME));
    let (what, whole) = match (is_list, element) {
        (true, Some(element)) => (format!("the element {element} of"), true),
        (true, None) => ("the list behind".to_owned(), true),
        (false, Some(value)) => (format!("the value {value} of"), false),
        (false, None) => ("the value of".to_owned(), false),
    };
    let edit = format!("condor_qedit ID {attribute} '\"...\"'");
    let queue = match whole {
        _ if let Some(setting) = kept_by => format!("{setting} keeps {attribute} as it is"),
        true => format!(
            "{edit} replaces the whole list, so all its elements go in the place of the dots \
             (condor_q ID -af {attribute} shows them)"
        ),
        false => format!("{edit} replaces it"),
    };
    format!("In the submit file it is {what} {command}. For a job in the queue, {queue}.")
}

/// What goes with a change; each sentence begins with a blank.
pub fn edit_facts(facts: &EditFacts) -> String {
    let mut text = facts.slots.as_ref().map_or(String::new(), slots);
    text.push_str(&facts.kept.as_ref().map_or(String::new(), kept));
    if facts.take_back && !facts.slots.as_ref().is_some_and(SlotsFor::is_none) {
        text.push_str(" Undo that when the place works again.");
    }
    text
}

/// Which slots are large enough, behind another sentence.
pub fn slots(slots: &SlotsFor) -> String {
    match slots {
        SlotsFor::Some { could, of } => {
            format!(" Large enough for it: {could} of the {} of the pool.", plural(*of, "slot"))
        }
        SlotsFor::NoneNow { of, most: Some(most) } => format!(
            " No slot of the pool has that now: of {} the largest has {most:.0}. Wait for a larger one, or make \
             the job need less.",
            plural(*of, "slot")
        ),
        SlotsFor::NoneNow { of, most: None } => {
            format!(
                " No slot of the pool would be large enough then: it has {} now.",
                plural(*of, "slot")
            )
        }
        SlotsFor::AboveMost { setting, most } => {
            format!(" No slot has that: {setting} is {most}. Make the job need less.")
        }
    }
}

fn kept(kept: &KeptAttribute) -> String {
    let KeptAttribute { attribute, setting } = kept;
    format!(
        " {setting} keeps {attribute} of a job in the queue as it is: submit the job again with another one, or ask \
         the administrator of the access point."
    )
}

fn submit_line(line: &SubmitLine) -> String {
    let SubmitLine { command, value, resubmits } = line;
    let command = shown(command, LONG_NAME);
    let line = match value {
        Some(value) => format!("{command} = {}", shown(value, LONG_NAME)),
        None => command,
    };
    match resubmits {
        Resubmits::Factory => format!(
            " That is for this job alone: later ones of its factory are as they were submitted. The line of the \
             submit file is {line}."
        ),
        Resubmits::DagNode => format!(
            " That is for this job alone: if DAGMan submits the node again, it reads the submit file, where the \
             line is {line}."
        ),
    }
}
