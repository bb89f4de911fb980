//! `-profile`: what binds scripts and jobs.

use std::io::{self, Write};

use super::{Ahead, Checked, OfJobs, OfPair, OfScript, Profiles, RanScript};
use crate::print::{Page, wrap};
use crate::profile::{Binding, Likelihood, Measured, Range, ResourceCall, SLOT, ScriptProfile};
use crate::sentences::times::length;
use crate::text::plural;

pub(super) fn print(out: &mut dyn Write, all: &Profiles, page: &Page) -> io::Result<()> {
    let columns = page.style.columns;
    let mut line = |first: &str, text: &str| {
        let indent = first.len() - first.trim_start().len() + 2;
        out.write_all(wrap(first, indent, text, columns).as_bytes())
    };
    for of in &all.scripts {
        line("", &script(of))?;
        for (label, text) in speaks(&of.judged.profile) {
            line(&format!("  {label}: "), &text)?;
        }
    }
    for of in &all.jobs {
        line("", &jobs(of))?;
        if let Some(ran) = &of.script {
            line("  Script: ", &ran_script(ran))?;
            for (label, text) in speaks(&ran.of.judged.profile) {
                line(&format!("    {label}: "), &text)?;
            }
        }
        if let Some(why) = &of.not_read {
            line("  Script: ", &format!("{why}."))?;
        }
        for (label, text) in times(of) {
            line(&format!("  {label}: "), &text)?;
        }
    }
    if all.scripts.is_empty() && all.jobs.is_empty() {
        line("", "No jobs.")?;
    }
    for pair in &all.pairs {
        line("", &shares(pair))?;
    }
    if all.not_paired > 0 {
        line("", &format!("{} not compared.", plural(all.not_paired, "more cluster")))?;
    }
    if let Some(Checked { scripts, right }) = all.checked.filter(|checked| checked.scripts > 0) {
        line("", &format!("Scripts so far: {right} of {scripts} were bound by what was said."))?;
    }
    Ok(())
}

/// What binds a script.
fn script(of: &OfScript) -> String {
    let judged = &of.judged;
    let mut text = vec![format!("{} ({}): {}", of.file, judged.language, binds(&judged.profile))];
    match judged.starts.as_slice() {
        [] => {}
        [one] => text.push(format!("It starts {one}, which was not read.")),
        all => text.push(format!("It starts {}, which were not read.", all.join(", "))),
    }
    if judged.faults > 0 {
        let places = plural(judged.faults, "place");
        text.push(format!(
            "Not read: {places} with other syntax than that of {}.",
            judged.language
        ));
    }
    if judged.is_cut {
        text.push("Only its first 1 MiB was read.".to_owned());
    }
    text.join(" ")
}

/// What binds a script that jobs run, beside what they used.
fn ran_script(ran: &RanScript) -> String {
    let mut text = script(&ran.of);
    if ran.is_changed {
        text.push_str(" It may have been changed after the jobs were submitted.");
    }
    match ran.check {
        Some(check) if check.is_right() => text.push_str(" As measured."),
        Some(_) => text.push_str(" Not as measured."),
        None => {}
    }
    text
}

fn binds(profile: &ScriptProfile) -> String {
    if let Some(first) = profile.named {
        return format!("{} is likely to bind it.", capital(first.binding));
    }
    if profile.evidence.is_empty() {
        return "unknown, none of its calls says what binds it.".to_owned();
    }
    let may: Vec<&Likelihood> =
        profile.likely.iter().filter(|one| one.probability >= BY_CHANCE).collect();
    match may.as_slice() {
        [] => "undecided.".to_owned(),
        [first] => format!("undecided, {} may bind it.", first.binding.name()),
        [first, second, ..] => {
            let [first, second] = [first, second].map(|one| one.binding.name());
            format!("undecided, {first} or {second} may bind it.")
        }
    }
}

/// How likely each resource is by chance: one below it is not named.
const BY_CHANCE: f64 = 0.25;

/// Calls that are named for a resource, at most.
const NAMED: usize = 4;

/// The calls that speak for each resource.
fn speaks(profile: &ScriptProfile) -> Vec<(&'static str, String)> {
    let of = |binding: Binding| {
        let calls = profile.evidence.iter().filter(|one| one.binding == binding);
        let mut calls: Vec<String> = calls.map(call).collect();
        let more = calls.len().saturating_sub(NAMED);
        calls.truncate(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!calls.is_empty()).then(|| (label(binding), format!("{}{more}.", calls.join(", "))))
    };
    Binding::ALL.into_iter().filter_map(of).collect()
}

/// What is called, and what is special about it.
fn call(one: &ResourceCall) -> String {
    let size = one.size.map(|size| format!("{} elements", number(size)));
    let times = (one.calls > 1).then(|| format!("{} times", one.calls));
    let loops = match one.loops {
        0 => None,
        1 => Some("in a loop".to_owned()),
        loops => Some(format!("in {loops} loops")),
    };
    let special: Vec<String> = [size, times, loops].into_iter().flatten().collect();
    match special.is_empty() {
        true => one.name.clone(),
        false => format!("{} ({})", one.name, special.join(", ")),
    }
}

fn number(number: f64) -> String {
    if number < 1e6 { format!("{number:.0}") } else { format!("{number:.1e}") }
}

fn capital(binding: Binding) -> String {
    let (first, rest) = binding.name().split_at(1);
    first.to_uppercase() + rest
}

fn label(binding: Binding) -> &'static str {
    match binding {
        Binding::Cpu => "Computes",
        Binding::Memory => "Takes memory",
        Binding::Disk => "Reads and writes",
        Binding::Network => "Sends and receives",
    }
}

/// What binds jobs, by what they used.
fn jobs(of: &OfJobs) -> String {
    let program = of.program.as_ref().map_or(String::new(), |program| format!(" ({program})"));
    let measured = &of.measured;
    let (name, used) = (of.name(), used(measured));
    let failed = match of.failed {
        0 => String::new(),
        failed if failed == of.jobs => " They failed, and were not measured.".to_owned(),
        failed => format!(" {failed} failed, and were not measured."),
    };
    let gpus = if of.has_gpus { " Graphics processors are not looked at." } else { "" };
    let others = format!("{failed}{gpus}");
    if measured.jobs == 0 {
        return format!(
            "{name}{program}: unknown, no run of a minute or more has its use known.{others}"
        );
    }
    let bound = measured.bound;
    let of_each = Binding::ALL.into_iter().filter(|one| bound[one.number()] > 0);
    let counts: Vec<String> =
        of_each.map(|one| format!("{} binds {}", one.name(), bound[one.number()])).collect();
    let none = measured.jobs - bound.iter().sum::<usize>();
    let what = match (measured.binding, counts.as_slice()) {
        (_, []) => {
            "nothing binds, as far as HTCondor measured: less than a tenth of a slot of each \
                    resource."
                .to_owned()
        }
        (Some(binding), [_]) if none == 0 && measured.jobs == 1 => {
            let it = if of.jobs == 1 { "it" } else { "the one measured" };
            format!("{} binds {it}.", capital(binding))
        }
        (Some(binding), [_]) if none == 0 => {
            format!("{} binds all {} measured.", capital(binding), measured.jobs)
        }
        _ => {
            let none = (none > 0).then(|| format!("nothing binds {none}"));
            let counts: Vec<String> = counts.into_iter().chain(none).collect();
            format!("of {} measured, {}.", measured.jobs, counts.join(", "))
        }
    };
    format!("{name}{program}: {what} {used}{others}")
}

/// The medians.
fn used(measured: &Measured) -> String {
    let shares = &measured.shares;
    let amount = |binding: Binding| Some(shares.get(binding)? * SLOT[binding.number()]);
    let mib = |bytes: f64| bytes / 1_048_576.0;
    let of_slot = measured.slot.cpu.filter(|cpus| *cpus > 1.0);
    let of_slot = of_slot.map_or(String::new(), |cpus| format!("of {cpus:.0} "));
    let rate = |bytes: f64| match bytes {
        rate if rate >= 1e5 => format!("{:.1} MB/s", rate / 1e6),
        rate => format!("{:.1} kB/s", rate / 1e3),
    };
    let parts = [
        amount(Binding::Cpu).map(|cpus| format!("{cpus:.2} {of_slot}processors")),
        amount(Binding::Memory).map(|bytes| format!("{:.0} MiB of memory", mib(bytes))),
        amount(Binding::Disk).map(|bytes| format!("{} read and written", rate(bytes))),
        amount(Binding::Network).map(|bytes| format!("{} transferred by HTCondor", rate(bytes))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let median = if measured.jobs == 1 { "It used" } else { "The median used" };
    format!("{median} {}.", parts.join(", "))
}

/// How long jobs waited and ran, and what is ahead.
fn times(of: &OfJobs) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let took = |range: Range| format!("{}.", took(&range, of.earlier > 0));
    lines.extend(of.waits.map(|range| ("Waited for a slot", took(range))));
    lines.extend(of.runs.map(|range| ("Ran", took(range))));
    lines.extend(of.idle.as_ref().map(|idle| ("Idle", ahead(idle, "waited", "start"))));
    lines.extend(of.running.as_ref().map(|running| ("Running", ahead(running, "run", "end"))));
    lines
}

/// `has_earlier`: jobs of other clusters with the same program count too.
fn took(range: &Range, has_earlier: bool) -> String {
    let middle = range
        .middle
        .map_or(String::new(), |middle| format!(", half of them {} or less", time(middle)));
    let mut jobs = plural(range.ended, "job");
    if has_earlier {
        jobs.push_str(", with others of this program");
    }
    match range.high {
        Some(high) if time(range.low) == time(high) => format!("about {} ({jobs})", time(high)),
        Some(high) => format!("{} to {}{middle} ({jobs})", time(range.low), time(high)),
        None => format!("{} and more{middle} ({jobs})", time(range.low)),
    }
}

fn ahead(ahead: &Ahead, has: &str, then: &str) -> String {
    let jobs = plural(ahead.jobs, "job");
    let first = match ahead.jobs {
        1 => format!("1 job, which has {has} for {}", time(ahead.elapsed)),
        _ => format!("{jobs}; the longest has {has} for {}", time(ahead.elapsed)),
    };
    let Some(range) = ahead.range else { return format!("{first}.") };
    let left = |seconds: f64| time((seconds - ahead.elapsed).max(0.0));
    match range.high {
        Some(high) if left(range.low) == left(high) => {
            format!("{first} and is likely to {then} in about {}.", left(high))
        }
        Some(high) => {
            format!("{first} and is likely to {then} in {} to {}.", left(range.low), left(high))
        }
        None => format!("{first} and is likely to {then} in {} or more.", left(range.low)),
    }
}

fn time(seconds: f64) -> String {
    length(seconds.min(1e15) as i64)
}

/// Whether two kinds of jobs may share a host.
fn shares(of: &OfPair) -> String {
    let [one, other] = of.clusters;
    let who = match one == other {
        true => format!("Two jobs of {one}"),
        false => format!("A job of {one} and one of {other}"),
    };
    let (share, binding) = (of.pair.share, of.pair.binding.name());
    let takes = format!("together they take {share:.2} of the {binding} of their two slots");
    match of.pair.may_share() {
        true => format!("{who} may share a host: {takes}, and less of the rest."),
        false => format!("{who} slow each other on one host: {takes}."),
    }
}
