//! What expressions would have done, for people.

use std::io::{self, Write};

use super::super::past::{Read, heading};
use super::Policy;
use crate::hold_code;
use crate::print::{table_lines, wrap};
use crate::replay::{Replayed, Tally};
use crate::text::{Foreign, plural};

/// Characters of the name of an attribute. Assumed.
const NAME: usize = 60;

/// What the columns say.
const LEGEND: [&str; 7] = [
    "RELEASED: holds released at least once. SUCCEEDED: left their hold by such a release, FAILED: releases after which they were held again. Where \
     an expression releases earlier than it was done, that is expected from how such releases went in these logs.",
    "SAVED: hours by which jobs left their holds earlier. WASTED: hours of stuck runs. COST: hours of a hold on the average, in waiting, \
     stuck runs and the time until somebody looks again.",
    "in force: the policies as these logs show them. by hand: nobody but people releases, who do it as they did, or within a working day what \
     a policy released.",
    "advice: what condor_holdadvise would have said 10 min, 1 h, 6 h and 24 h after the hold.",
    "A job that got more of what it ran out of before its release, or that somebody removed, is taken to have failed as it was.",
    "A log does not tell when the schedd looks: at whole multiples of its interval, it is assumed; on a busy access point it looks less often.",
    "*: of fewer holds, as of the others it is not known.",
];

pub(super) fn print(
    read: &Read,
    policies: &[Policy],
    replayed: &[Replayed],
    columns: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "{}", heading(read, columns))?;
    writeln!(out)?;
    for policy in policies {
        if let Some(text) = &policy.text {
            let text = Foreign::from(text.as_str()).expression(usize::MAX);
            write!(out, "{}", of_policy(policy, &text, columns))?;
        }
    }
    writeln!(out)?;
    totals(policies, replayed, out)?;
    writeln!(out)?;
    unknown(policies, replayed, columns, out)?;
    by_code(policies, replayed, out)?;
    writeln!(out)?;
    let fewer = replayed.iter().any(|one| one.all.unknown > 0);
    let advice = policies.iter().any(|policy| policy.name == "advice");
    for line in LEGEND {
        let is_said = match line.split(':').next() {
            Some("*") => fewer,
            Some("advice") => advice,
            _ => true,
        };
        if is_said {
            write!(out, "{}", wrap("", 0, line, columns))?;
        }
    }
    Ok(())
}

/// A text behind the name of a policy.
fn of_policy(policy: &Policy, text: &str, columns: Option<usize>) -> String {
    let first = format!("{}: ", policy.name);
    wrap(&first, first.len(), text, columns)
}

fn whole(value: f64) -> String {
    format!("{:.0}", value.max(0.0))
}

fn per_hold(tally: &Tally) -> String {
    let star = if tally.unknown > 0 { "*" } else { "" };
    match tally.judged {
        0 => "-".to_owned(),
        judged => format!("{:.2}{star}", tally.sums.cost_hours / judged as f64),
    }
}

fn totals(policies: &[Policy], replayed: &[Replayed], out: &mut dyn Write) -> io::Result<()> {
    let heading = ["POLICY", "RELEASED", "SUCCEEDED", "FAILED", "SAVED", "WASTED", "COST"];
    let rows = policies.iter().zip(replayed).map(|(policy, replayed)| {
        let (all, sums) = (&replayed.all, &replayed.all.sums);
        let mut row = vec![policy.name.clone(), all.released.to_string()];
        row.extend(
            [sums.successes, sums.failed_releases, sums.hours_saved, sums.hours_wasted].map(whole),
        );
        row.push(per_hold(all));
        row
    });
    print_lines(table_lines(heading, rows, 2, |index| index > 0), out)
}

fn print_lines(lines: impl IntoIterator<Item = String>, out: &mut dyn Write) -> io::Result<()> {
    lines.into_iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Holds of which the logs do not tell enough.
fn unknown(
    policies: &[Policy],
    replayed: &[Replayed],
    columns: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut any = false;
    let mut say = |policy: &Policy, text: &str| {
        any = true;
        write!(out, "{}", of_policy(policy, text, columns))
    };
    for (policy, replayed) in policies.iter().zip(replayed) {
        let all = &replayed.all;
        let recorded = all.unknown - all.unfinished;
        if recorded > 0 {
            let names: Vec<String> = replayed
                .unrecorded
                .iter()
                .map(|(name, count)| {
                    format!("{} ({count})", Foreign::from(name.as_str()).named(NAME))
                })
                .collect();
            let by = if names.is_empty() { "chance".to_owned() } else { names.join(", ") };
            let text = format!(
                "{} {} on what these logs do not tell: {by}. -epochs and the ads of runs may tell.",
                plural(recorded as usize, "hold"),
                if recorded == 1 { "turns" } else { "turn" }
            );
            say(policy, &text)?;
        }
        if all.unfinished > 0 {
            let text = format!(
                "of {} it is not known: to evaluate it takes more steps than there are for a hold. A simpler \
                 expression, or fewer at once, may tell.",
                plural(all.unfinished as usize, "hold")
            );
            say(policy, &text)?;
        }
        if all.released_not_judged > 0 {
            let text = format!(
                "released besides: {} of which these logs do not tell what became.",
                plural(all.released_not_judged as usize, "hold")
            );
            say(policy, &text)?;
        }
    }
    if any { writeln!(out) } else { Ok(()) }
}

/// Hours that each policy costs less than leaving the holds to people.
fn by_code(policies: &[Policy], replayed: &[Replayed], out: &mut dyn Write) -> io::Result<()> {
    let Some(by_hand) = policies.iter().position(|policy| policy.name == "by hand") else {
        return Ok(());
    };
    writeln!(
        out,
        "Hours that it costs less than by hand (more, where below 0), by hold reason code:\n"
    )?;
    let mut heading: Vec<String> = ["CODE", "HOLD_REASON", "HOLDS"].map(str::to_owned).to_vec();
    let others = || (0..policies.len()).filter(|at| *at != by_hand);
    heading.extend(others().map(|at| policies[at].name.to_uppercase()));
    let mut rows = Vec::new();
    let nothing = Tally::default();
    let is_released = |code: &i32| {
        replayed.iter().any(|one| one.codes.get(code).is_some_and(|tally| tally.released > 0))
    };
    for (code, tally) in replayed[by_hand].codes.iter().filter(|(code, _)| is_released(code)) {
        let of = |at: usize| replayed[at].codes.get(code).unwrap_or(&nothing);
        let name = hold_code::name(*code).unwrap_or_default().to_owned();
        let mut row = vec![code.to_string(), name, tally.holds.to_string()];
        row.extend(others().map(|at| less(of(by_hand), of(at))));
        rows.push(row);
    }
    let holds = replayed[by_hand].all.holds.to_string();
    let mut row = vec!["all".to_owned(), String::new(), holds];
    row.extend(others().map(|at| less(&replayed[by_hand].all, &replayed[at].all)));
    rows.push(row);
    print_lines(table_lines(heading, rows, 2, |index| index > 1), out)
}

fn less(by_hand: &Tally, other: &Tally) -> String {
    if other.judged != by_hand.judged {
        return "?".to_owned();
    }
    let less = by_hand.sums.cost_hours - other.sums.cost_hours;
    // No "-0".
    format!("{:.0}", if less.abs() < 0.5 { 0.0 } else { less })
}
