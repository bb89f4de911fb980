//! A suggested expression for people: lines that can stand in a submit description or a
//! configuration file as they are.

use std::io::{self, Write};

use super::super::past::{Read, heading};
use super::super::request::Form;
use super::{Suggested, why};
use crate::hold_code;
use crate::print::wrap;
use crate::suggest::{Clause, LongRuns, Reason, ReasonEvidence};
use crate::text::plural;

/// What stands before each line that is no setting.
const COMMENT: &str = "# ";

/// What is said in the place of an expression.
const NOTHING: &str = "Nothing is suggested: for no hold reason these holds show that releases cost less than they save.";

/// Reasons left out that are told of.
const MOST_LEFT_OUT: usize = 12;

pub(super) fn print(
    read: &Read,
    suggested: &Suggested,
    form: Form,
    columns: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let columns = columns.map(|columns| columns.saturating_sub(COMMENT.len()));
    let head = format!(
        "{}For HTCondor {}. What becomes of a release is taken from these holds; the rules are in condor_releaseexpr(1).",
        heading(read, None).replace('\n', " "),
        read.version
    );
    comment(out, &wrap("", 0, &head, columns))?;
    writeln!(out)?;
    match suggested.suggestion.expression() {
        Some(_) => setting(suggested, form, out)?,
        None => comment(out, &wrap("", 0, NOTHING, columns))?,
    }
    for (number, clause) in suggested.suggestion.clauses.iter().enumerate() {
        writeln!(out)?;
        comment(out, &of_clause(number, clause, columns))?;
    }
    if !suggested.alternatives.is_empty() {
        writeln!(out)?;
        for alternative in &suggested.alternatives {
            let names: Vec<String> =
                alternative.reasons.iter().map(|reason| name(*reason)).collect();
            let text = format!("{}: {}.", names.join(", "), alternative.why);
            comment(out, &wrap("", 4, &text, columns))?;
            for line in &alternative.lines {
                comment(out, &format!("    {line}"))?;
            }
        }
    }
    if let Some(runs) = &suggested.long_runs {
        writeln!(out)?;
        comment(out, &of_runs(runs, suggested.suggestion.expression().is_some(), columns))?;
    }
    left_out(suggested, columns, out)
}

fn comment(out: &mut dyn Write, text: &str) -> io::Result<()> {
    for line in text.lines() {
        writeln!(out, "{}", format!("{COMMENT}{line}").trim_end())?;
    }
    Ok(())
}

/// A limit for runs: why, and the lines.
fn of_runs(runs: &LongRuns, beside_expression: bool, columns: Option<usize>) -> String {
    let why = format!(
        "Of {} that exited the longest took {}. {} of {} were stuck: held after up to {}, while the same jobs exited in a later run. Held \
         after {} they would have taken {:.0} slot hours less (at least {:.2} h a run). Of {} that ran again {} exited within \
         that.",
        plural(runs.exited, "run"),
        about(runs.longest_exited),
        plural(runs.stuck, "run"),
        plural(runs.stuck_clusters, "cluster"),
        about(runs.longest_stuck),
        time(runs.limit),
        runs.saved,
        runs.gain,
        plural(runs.ran_again, "such job"),
        runs.exited_again,
    );
    let mut text = wrap("Runs: ", 4, &why, columns);
    for line in runs.lines() {
        text.push_str(&format!("    {line}\n"));
    }
    if let Some(clause) = runs.release() {
        let (before, after) =
            if beside_expression { ("$(periodic_release) || (", ")") } else { ("", "") };
        text.push_str(&format!("    periodic_release = {before}{clause}{after}\n"));
    }
    text
}

fn left_out(suggested: &Suggested, columns: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
    let left = &suggested.suggestion.left_out;
    if left.is_empty() && suggested.unseen.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    comment(out, "Not released:")?;
    for one in left.iter().take(MOST_LEFT_OUT) {
        let first = format!("  {}, {}: ", name(one.reason), plural(one.holds as usize, "hold"));
        comment(out, &wrap(&first, 4, &format!("{}.", why(one)), columns))?;
    }
    if left.len() > MOST_LEFT_OUT {
        let more = left.len() - MOST_LEFT_OUT;
        comment(out, &format!("  and {}; -json has all.", plural(more, "more reason")))?;
    }
    for reason in &suggested.unseen {
        let first = format!("  {}: ", name(*reason));
        comment(out, &wrap(&first, 4, "no such hold is in these logs.", columns))?;
    }
    Ok(())
}

/// The setting, a clause a line.
fn setting(suggested: &Suggested, form: Form, out: &mut dyn Write) -> io::Result<()> {
    let clauses = &suggested.suggestion.clauses;
    let several = clauses.len() > 1;
    let lines: Vec<String> = clauses
        .iter()
        .map(|clause| if several { format!("({})", clause.text) } else { clause.text.clone() })
        .collect();
    let joined = |before: &str| format!("{before} \\\n    {}", lines.join(" || \\\n    "));
    match form {
        Form::Submit => writeln!(out, "{}", joined("periodic_release =")),
        Form::System => {
            let names = "SYSTEM_PERIODIC_RELEASE_NAMES";
            writeln!(out, "{names} = $({names}) FROM_LOGS")?;
            writeln!(out, "{}", joined("SYSTEM_PERIODIC_RELEASE_FROM_LOGS ="))
        }
        // What a job sets itself stays.
        Form::Transform => {
            writeln!(out, "JOB_TRANSFORM_NAMES = $(JOB_TRANSFORM_NAMES) RELEASE_FROM_LOGS")?;
            writeln!(out, "JOB_TRANSFORM_RELEASE_FROM_LOGS @=end")?;
            writeln!(out, "{}", joined("    DEFAULT PeriodicRelease"))?;
            writeln!(out, "@end")
        }
    }
}

/// `13/62 TransferInputError`
fn name((code, subcode): Reason) -> String {
    hold_code::coded(code, Some(subcode))
}

fn of_clause(number: usize, clause: &Clause, columns: Option<usize>) -> String {
    let releases = match clause.timing.bound - 1 {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    };
    let mut text = format!(
        "Clause {}: a job is released {} after the hold, {releases} at most:\n",
        number + 1,
        time(clause.timing.delay)
    );
    for evidence in &clause.evidence {
        text.push_str(&wrap(
            &format!("  {}: ", name(evidence.reason)),
            4,
            &of_evidence(evidence, clause.timing.delay),
            columns,
        ));
    }
    text
}

fn of_evidence(evidence: &ReasonEvidence, delay: i64) -> String {
    let (releases, successes) = evidence.releases;
    let share =
        |(_, share): (f64, Option<f64>)| share.map(|share| format!("{:.0} %", 100.0 * share));
    let when = match evidence.success.map(share) {
        [Some(before), Some(after)] => {
            format!(", {before} of the clusters within {} and {after} later", time(delay))
        }
        [None, Some(after)] => format!(", {after} of the clusters, none sooner"),
        [Some(before), None] => format!(", {before} of the clusters, none later"),
        [None, None] => String::new(),
    };
    let gain = &evidence.gain;
    format!(
        "{} of {}; of {} {} succeeded{when}. Costs {:.1} h a hold less than by hand (at least {:.1}); saves {:.0} h, wastes {:.0} slot \
         hours.",
        plural(evidence.holds as usize, "hold"),
        plural(evidence.clusters, "cluster"),
        plural(releases as usize, "release"),
        successes,
        gain.hours_per_hold,
        gain.at_least,
        gain.hours_saved,
        gain.hours_wasted
    )
}

/// A length of time, rounded.
fn about(seconds: i64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{:.0} min", seconds as f64 / 60.0),
        _ => format!("{:.1} h", seconds as f64 / 3_600.0),
    }
}

/// A length of time in its largest whole unit.
fn time(seconds: i64) -> String {
    match seconds {
        hours if hours % 3_600 == 0 => format!("{} h", hours / 3_600),
        minutes if minutes % 60 == 0 => format!("{} min", minutes / 60),
        seconds => format!("{seconds} s"),
    }
}
