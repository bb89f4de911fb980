//! Of `-workflow`: what jobs should ask for.

use std::io::{self, Write};

use super::Page;
use super::workflow::COMMANDS;
use super::wrap::wrap;
use crate::advice::SlotsFor;
use crate::sentences;
use crate::sentences::times::length;
use crate::sizes::Resource;
use crate::text::{Foreign, plural};
use crate::workflow::{Fit, FitEdit, FitOf};

/// Kinds of jobs that are printed.
const KINDS: usize = 8;

/// Characters of a program that are printed.
const PROGRAM: usize = 100;

/// A part of what is said of jobs and places.
pub(super) enum Part<'a> {
    /// A label, and what is behind it.
    Text(&'static str, String),
    /// Lines for the submit file.
    Lines(String),
    /// What a command does, and the command.
    Command(String, &'a str),
}

/// What is said of kinds of jobs, in its order.
pub(super) fn parts(fits: &[Fit]) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    for fit in fits.iter().take(KINDS) {
        for size in &fit.sizes {
            parts.push(Part::Text(label(size.resource), sentence(fit, size)));
            if !size.lines.is_empty() {
                parts.push(Part::Lines(size.lines.join("\n")));
            }
            for edit in size.edits.iter().take(COMMANDS) {
                parts.push(Part::Command(heading(size.resource, edit), &edit.command));
            }
            parts.extend(more_edits(size).map(|text| Part::Text("", text)));
        }
    }
    parts.extend(left_out(fits).map(|text| Part::Text("", text)));
    parts
}

pub(super) fn print(out: &mut dyn Write, parts: Vec<Part<'_>>, page: &Page) -> io::Result<()> {
    for part in parts {
        match part {
            Part::Text(label, text) => {
                out.write_all(wrap(label, 2, &text, page.style.columns).as_bytes())?;
            }
            Part::Lines(lines) => lines.lines().try_for_each(|line| writeln!(out, "  {line}"))?,
            Part::Command(heading, command) => writeln!(out, "{heading}\n{command}")?,
        }
    }
    Ok(())
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

/// The resource, as a label.
const fn label(resource: Resource) -> &'static str {
    match resource {
        Resource::Memory => "Memory: ",
        Resource::Disk => "Disk: ",
    }
}

/// From one figure to another; one where they are the same.
fn range(least: f64, most: f64) -> String {
    match least.round() == most.round() {
        true => format!("{most:.0}"),
        false => format!("{least:.0} to {most:.0}"),
    }
}

/// What jobs of a kind used and asked for, and what is enough.
fn sentence(fit: &Fit, size: &FitOf) -> String {
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
        format!("; they asked for {}", range(least as f64, most as f64))
    });
    let known = match size.finished < fit.finished {
        true => format!(", {} of them with a known usage:", size.finished),
        false => " with".to_owned(),
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
    format!(
        "{} {of}{program} finished{took}{known} {} {unit} at their peak{asked}. {enough}{limited}{slots}{}",
        plural(fit.finished, "job"),
        range(least, most),
        if size.lines.is_empty() { "" } else { " For the next ones, in the submit file:" }
    )
}

/// What the command below does.
fn heading(resource: Resource, edit: &FitEdit) -> String {
    let unit = resource.unit();
    let jobs = plural(edit.jobs, "idle job");
    format!("To let {jobs} ask for {} {unit} in place of {}:", edit.to, edit.from)
}
