//! Of `-workflow`: what jobs should ask for.

use super::card::Card;
use super::workflow::COMMANDS;
use crate::advice::{Recommendation, SlotsFor};
use crate::sentences;
use crate::sentences::times::length;
use crate::sizes::Resource;
use crate::text::{Foreign, plural};
use crate::workflow::{Fit, FitOf};

/// Kinds of jobs that are printed.
const KINDS: usize = 8;

/// Characters of a program that are printed.
const PROGRAM: usize = 100;

/// A card for each kind of jobs and resource, in their order.
pub(super) fn cards(fits: &[Fit]) -> Vec<Card> {
    let of = |fit| move |size| card(fit, size);
    let mut cards: Vec<Card> =
        fits.iter().take(KINDS).flat_map(|fit| fit.sizes.iter().map(of(fit))).collect();
    if let Some(last) = cards.last_mut() {
        last.say("note", left_out(fits).unwrap_or_default());
    }
    cards
}

/// What is said of edits that are not printed.
fn more_edits(size: &FitOf) -> Option<String> {
    let rest = size.edits.get(COMMANDS..).filter(|rest| !rest.is_empty())?;
    let jobs: usize = rest.iter().map(|edit| edit.jobs).sum();
    Some(format!("{} could be edited so; -json has their commands.", plural(jobs, "more idle job")))
}

/// What is said of the other kinds.
fn left_out(fits: &[Fit]) -> Option<String> {
    let rest = fits.len().checked_sub(KINDS).filter(|rest| *rest > 0)?;
    Some(format!(
        "{} of jobs could ask for other amounts; -json has them.",
        plural(rest, "more kind")
    ))
}

/// From one figure to another; one where they are the same.
fn range(least: f64, most: f64) -> String {
    match least.round() == most.round() {
        true => format!("{most:.0}"),
        false => format!("{least:.0} to {most:.0}"),
    }
}

/// What jobs of a kind used and asked for, and what is enough.
fn card(fit: &Fit, size: &FitOf) -> Card {
    let unit = size.resource.unit();
    let (cluster, clusters) = fit.clusters;
    let of = match clusters {
        1 => format!("of cluster {cluster}"),
        clusters => format!("of {}", plural(clusters, "cluster")),
    };
    let program = fit.program.as_ref().map_or(String::new(), |program| {
        format!(" with {}", Foreign::from(program.as_str()).named(PROGRAM))
    });
    let took = fit.took.map_or(String::new(), |(least, most)| {
        let (least, most) = (length(least as i64), length(most as i64));
        let took = if least == most { most } else { format!("{least} to {most}") };
        format!(" in {took}")
    });
    let asked = size.asked.map_or(String::new(), |(least, most)| {
        format!(", and asked for {}", range(least as f64, most as f64))
    });
    let known = match size.finished < fit.finished {
        true => format!("The {} of which it is known used", size.finished),
        false => "They used".to_owned(),
    };
    let (least, most) = size.used;
    let slots = match &size.slots {
        Some(SlotsFor::Some { could, of }) => {
            let cut = if size.is_cut { " No slot has more than the second request." } else { "" };
            format!(
                " {could} of the {} of the pool have {}.{cut}",
                plural(*of, "slot"),
                size.allocation.first
            )
        }
        Some(none) => sentences::slots_for(none),
        None if size.is_cut => " No slot has more than the second request.".to_owned(),
        None => String::new(),
    };
    let allocation = size.allocation;
    let (first, largest) = (allocation.first, allocation.largest);
    let limited = match (size.limited, size.is_known) {
        (0, true) => String::new(),
        (0, false) => {
            format!(
                " Others that have not finished use more so far, for which {largest} is enough."
            )
        }
        (jobs, true) => format!(" {} met their limit and did not finish.", plural(jobs, "job")),
        (jobs, false) => format!(
            " {} met their limit and did not finish: what they need is not known, {largest} is half \
             as much again.",
            plural(jobs, "job")
        ),
    };
    let enough = match allocation.retried {
        0 => format!("{first} is enough for all of these."),
        retried if size.is_known => format!(
            "{first} is enough for {} of these, {largest} for all. To ask for {first} first wastes \
             least.",
            allocation.finished - retried,
        ),
        retried => format!(
            "{first} is enough for {} of these. To ask for that first wastes least.",
            allocation.finished - retried,
        ),
    };
    let header = format!("{} {of}{program} that finished{took}", plural(fit.finished, "job"));
    let resource = match size.resource {
        Resource::Memory => "memory",
        Resource::Disk => "disk",
    };
    let act = match (size.lines.is_empty(), allocation.retried) {
        (true, _) => format!("Ask for {largest} {unit} of {resource}."),
        (false, 0) => format!("Ask for {first} {unit} of {resource}."),
        (false, _) => format!("Ask for {first} {unit} of {resource} at first."),
    };
    let mut card = Card::new(header, Recommendation::Change, act);
    let used = range(least, most);
    let why = format!("{known} {used} {unit} at their peak{asked}. {enough}{limited}{slots}");
    card.say("why", why);
    for edit in size.edits.iter().take(COMMANDS) {
        let whose = format!("{} that ask for {}", plural(edit.jobs, "idle job"), edit.from);
        card.command("do", Some(whose), &edit.command);
    }
    card.say("note", more_edits(size).unwrap_or_default());
    let of = |at: usize| (at == 0).then(|| "the submit file".to_owned());
    for (at, line) in size.lines.iter().enumerate() {
        card.paste(if at == 0 { "new jobs" } else { "" }, of(at), vec![line.clone()]);
    }
    card
}
