//! Whether a policy that held a job holds it again as soon as it was released, by a policy or by
//! hand.

use classads::{ClassAd, Expr, NodeKind, Value};

use super::LintFinding;
use super::probe::{
    COUNTS, HELD_AT, MAX_CONSTANTS, MAX_PARTS, held_often, held_once, is_attribute, job_with,
    running, waiting, with, with_all,
};
use super::rules::HELD_AGAIN;
use super::together::{CUMULATIVE, STARTS, Together};
use crate::policy::SettingsFile;
use crate::policy::clauses::{followed, is_by_chance};

/// Seconds on hold after which a person releases a job.
const BY_HAND: i64 = 3_600;

/// Longer ago than what any job is allowed, s.
const LONG: i64 = 10 * 365 * 86_400;

/// Counts that a policy names are less.
const MOST_COUNT: i64 = 1_000_000;

/// More than any job may use or count.
const MUCH: i64 = 1 << 40;

/// When a job came into the queue, and when it began its first run.
const FIRST: [&str; 2] = ["QDate", "JobStartDate"];

/// When the run that a job is in began.
const CURRENT: [&str; 4] =
    ["EnteredCurrentStatus", "JobCurrentStartDate", "JobCurrentStartExecutingDate", "ShadowBday"];

/// What a run used, until the next run begins.
const USED: [&str; 6] =
    ["MemoryUsage", "ResidentSetSize", "ImageSize", "DiskUsage", "RemoteUserCpu", "RemoteSysCpu"];

/// Numbers and dates of a policy that are tried, of each.
const MOST: usize = 8;

/// Seconds since 1970 from which on a number is taken for a date: 2001.
const DATES: std::ops::Range<i64> = 1_000_000_000..10_000_000_000;

/// A job that may have been held at the end of a run, and when.
struct Run {
    job: ClassAd,
    at: i64,
}

/// How a job is held again.
#[derive(Clone, Copy)]
struct Again {
    /// It was let go by hand: no release policy does.
    by_hand: bool,
    /// In its next run, not while it waits for it.
    in_run: bool,
    /// After a date that the policy names.
    is_late: bool,
}

/// A finding about a policy of holds that is looked at by itself.
pub(super) fn alone(text: &str, expr: &Expr, own: &[(String, String)]) -> Option<LintFinding> {
    let settings = SettingsFile::default();
    let together = Together::without(&settings, job_with(own));
    finding(&together, text, expr, (3, 0))
}

/// A finding about a policy of holds of this code and subcode.
pub(super) fn finding(
    together: &Together<'_>,
    text: &str,
    expr: &Expr,
    code: (i64, i64),
) -> Option<LintFinding> {
    let all = followed(together.job(), expr);
    let is_long = all.iter().flat_map(Expr::nodes).nth(MAX_PARTS).is_some();
    if is_long || expr.as_literal().is_some() || all.iter().any(is_by_chance) {
        return None;
    }
    let runs = runs(together.job(), &all);
    let of = |expr: &Expr| runs.iter().find_map(|run| held_again(together, run, expr, code));
    // A policy that is true of a new job is no limit on its runs.
    let is_true = |job: &ClassAd| together.truth(job, expr, HELD_AT) == Some(true);
    if new(together.job()).iter().any(is_true) {
        return None;
    }
    let Again { by_hand, in_run, is_late } = of(expr)?;
    // The limit was probably meant of the run that the job is in.
    let of_run = of_this_run(text, expr);
    let running = |text: &str| format!("JobStatus == 2 && ({})", text.trim());
    let tried = [running(text), running(&of_run)];
    let corrected = [of_run].into_iter().chain(tried).find(|corrected| {
        Expr::parse_old(corrected).is_ok_and(|new| {
            let holds = |run: &Run| together.truth(&run.job, &new, run.at) == Some(true);
            runs.iter().any(holds) && of(&new).is_none()
        })
    });
    let lasting = FIRST.iter().chain(&COUNTS).chain(&CUMULATIVE).chain(&["NumHoldsByReason"]);
    let named: Vec<&str> = lasting
        .filter(|name| all.iter().flat_map(Expr::nodes).any(|node| is_attribute(node, name)))
        .copied()
        .collect();
    let why = if is_late {
        "the date that it names is over for good".to_owned()
    } else if named.is_empty() {
        "what the last run used stays in the job ad".to_owned()
    } else {
        format!("no release resets {}", named.join(" and "))
    };
    let message = format!(
        "it is still true of the job that was released{} and {}, as {why}: it is held again at \
         the next evaluation",
        if by_hand { " by hand" } else { "" },
        if in_run { "runs again" } else { "waits for its next run" },
    );
    Some(LintFinding::new(&HELD_AGAIN, 0..text.len(), message, corrected))
}

/// Whether and how it holds the job of a run that it held; what is not known is not.
fn held_again(
    together: &Together<'_>,
    run: &Run,
    expr: &Expr,
    (code, subcode): (i64, i64),
) -> Option<Again> {
    let Run { job, at } = run;
    let waits = |since: i64| {
        let mut idle =
            with(job, &[("JobStatus", 1), ("LastJobStatus", 5), ("EnteredCurrentStatus", since)]);
        // The schedd deletes it when the shadow is gone (schedd.cpp).
        idle.remove("ShadowBday");
        idle
    };
    let is_true = |job: &ClassAd, now: i64| together.truth(job, expr, now) == Some(true);
    if !is_true(job, *at) && !is_true(&waits(*at - 60), *at) {
        return None;
    }
    let held = [
        ("JobStatus", 5),
        ("HoldReasonCode", code),
        ("HoldReasonSubCode", subcode),
        ("EnteredCurrentStatus", *at),
    ];
    let released = together.released(&with(job, &held), *at)?;
    let since = at + released.unwrap_or(BY_HAND);
    let begins = with_all(&with_all(job, &CURRENT, since + 60), &USED, 1);
    let in_run = !is_true(&waits(since), since + 1);
    let again = Again { by_hand: released.is_none(), in_run, is_late: *at != HELD_AT };
    (!in_run || is_true(&begins, since + 61)).then_some(again)
}

/// The job while it waits for its first run, and when that begins.
fn new(job: &ClassAd) -> [ClassAd; 2] {
    let counted = with_all(&with_all(&running(held_once(job)), &COUNTS, 0), &CUMULATIVE, 0);
    let began = with_all(&with_all(&counted, &STARTS, 1), &USED, 1);
    let began = with_all(&with_all(&began, &FIRST, HELD_AT), &CURRENT, HELD_AT);
    [with_all(&waiting(job), &["QDate", "EnteredCurrentStatus"], HELD_AT), began]
}

/// A held job a minute after its run began.
pub(super) fn ran(held: ClassAd) -> ClassAd {
    with(&running(held), &[("EnteredCurrentStatus", HELD_AT - 60)])
}

/// Jobs at the end of a run that went on for long, used or counted much, each in its own way, or
/// just as much as the policy says, and of the time at which a date that it names is reached.
fn runs(job: &ClassAd, all: &[Expr]) -> Vec<Run> {
    let running = ran(held_once(job));
    let long_ago = HELD_AT - LONG;
    let ran_long = with_all(&running, &CURRENT, long_ago);
    let often = with_all(&ran(held_often(job, all)), &CUMULATIVE, MUCH);
    let mut failed = with_all(&running, &["ExitCode", "ExitStatus", "NumJobCompletions"], 1);
    failed.insert_value("ExitBySignal", false);
    let jobs = [
        with(&running, &[("MemoryUsage", MUCH), ("ResidentSetSize", MUCH), ("ImageSize", MUCH)]),
        with(&running, &[("DiskUsage", MUCH)]),
        with_all(&ran_long, &["RemoteWallClockTime", "RemoteUserCpu"], LONG),
        with_all(&running, &STARTS, MUCH),
        with_all(&running, &FIRST, long_ago),
        with_all(&with_all(&running, &COUNTS[1..], MUCH), &CUMULATIVE, MUCH),
        failed,
        often.clone(),
        with_all(&with_all(&often, &CURRENT, long_ago), &USED, MUCH),
    ];
    let jobs = jobs.into_iter().map(|job| Run { job, at: HELD_AT });
    let numbers = numbers(job, all);
    let counts = numbers.iter().filter(|number| (0..MOST_COUNT).contains(*number)).take(MOST);
    let counted = counts.flat_map(|number| [*number, number + 1]).map(|number| {
        let counted = with_all(&with_all(&running, &COUNTS, number), &CUMULATIVE, number);
        Run { job: counted, at: HELD_AT }
    });
    let is_to_come = |date: &&i64| DATES.contains(*date) && **date > HELD_AT;
    let reached = numbers.iter().filter(is_to_come).take(MOST).map(|&date| {
        let began = with_all(&running, &CURRENT, date);
        Run { job: with_all(&began, &FIRST, date - 10_000), at: date + 60 }
    });
    jobs.chain(counted).chain(reached).collect()
}

/// Numbers that a policy names, or that attributes of the job which it names have.
fn numbers(job: &ClassAd, all: &[Expr]) -> Vec<i64> {
    let written = all.iter().flat_map(Expr::nodes).filter_map(|node| match node.kind() {
        NodeKind::Literal(Value::Integer(number)) => Some(*number),
        _ => None,
    });
    let references = all.iter().flat_map(Expr::attribute_references);
    let own = references.filter_map(|it| match job.get(&it.name)?.as_literal()? {
        Value::Integer(number) => Some(*number),
        _ => None,
    });
    written.chain(own).take(MAX_CONSTANTS).collect()
}

/// The text with the time of the run that the job is in, where it names that of the first.
fn of_this_run(text: &str, expr: &Expr) -> String {
    let mut spans: Vec<_> = expr
        .nodes()
        .filter(|node| matches!(node.kind(), NodeKind::Attribute { .. }))
        .filter(|node| is_attribute(*node, "JobStartDate"))
        .map(|node| node.span())
        .collect();
    spans.sort_by_key(|span| span.start);
    spans.into_iter().rev().fold(text.to_owned(), |text, span| {
        let (before, after) = (text.get(..span.start), text.get(span.end..));
        match before.zip(after) {
            Some((before, after)) => format!("{before}JobCurrentStartDate{after}"),
            None => text,
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::policy::SettingsFile;
    use crate::policy::lint::{Role, Setting, held_again, together};

    /// The rules that a file breaks as a whole, and what should stand instead.
    fn found(text: &str) -> Vec<(&'static str, Option<String>)> {
        let settings = SettingsFile::read(text);
        let all = together(&settings).into_iter();
        all.map(|(_, found)| (found.rule.name, found.corrected)).collect()
    }

    fn rules(text: &str) -> Vec<&'static str> {
        found(text).into_iter().map(|(rule, _)| rule).collect()
    }

    #[test]
    fn what_no_release_resets_holds_again() {
        for hold in [
            "time() - QDate > 86400",
            "JobStatus == 1 && time() - QDate > 86400",
            "JobStatus == 2 && time() - JobStartDate > 86400",
            "(JobStatus == 1 || JobStatus == 2) && time() - JobStartDate >= 2592000",
            "time() - JobCurrentStartDate > 86400",
            "NumJobStarts > 3",
            "(NumJobStarts >= 1 && JobStatus == 1) || NumJobStarts > 1",
            "JobStatus == 2 && NumJobStarts > 3",
            "JobRunCount > 1 && NumJobStarts < 3",
            "NumShadowExceptions > 5",
            "NumJobReconnects > 5 || NumVacates > 10",
            "NumHolds > 2",
            "NumHoldsByReason.JobPolicy > 2",
            "RemoteWallClockTime > 86400",
            "JobStatus == 2 && RemoteWallClockTime + (time() - ShadowBday) > 7200",
            "CumulativeSuspensionTime > 3600",
            "BytesRecvd > 1e9",
            "MemoryUsage > 2000",
            "ExitCode =!= 0 && ExitCode =!= undefined",
            "time() > 1800000000",
            "JobStatus == 2 && time() > Deadline",
        ] {
            for name in ["periodic_hold", "SYSTEM_PERIODIC_HOLD", "SYSTEM_PERIODIC_HOLD_A"] {
                let text = format!("+Deadline = 1900000000\n{name} = {hold}");
                assert_eq!(rules(&text), ["held-again"], "{text}");
                let released = format!("{text}\nperiodic_release = HoldReasonCode != 1");
                assert_eq!(rules(&released), ["held-again"], "{released}");
            }
            let own = [("Deadline".to_owned(), "1900000000".to_owned())];
            let alone = Setting { own_attributes: &own, ..Setting::alone(Role::Hold) };
            assert!(held_again(hold, &alone).is_some(), "{hold}");
            assert_eq!(held_again(hold, &Setting { role: Role::Remove, ..alone }), None);
        }
    }

    #[test]
    fn what_begins_anew_does_not_hold_again() {
        for hold in [
            "JobStatus == 2 && time() - EnteredCurrentStatus > 86400",
            "time() - EnteredCurrentStatus > 86400",
            "JobStatus == 2 && time() - JobCurrentStartDate > 86400",
            "JobStatus == 2 && time() - ShadowBday > 86400",
            "time() - ShadowBday > 86400",
            "JobStatus == 2 && MemoryUsage > RequestMemory",
            "JobStatus == 1 && time() - EnteredCurrentStatus > 864000",
            "JobPrio < 0",
            "false",
            "JobStatus == 2",
            "JobStatus == 2 && time() > 1700000000",
            "MyFlag",
            "random(10) < 1 && NumJobStarts > 1",
        ] {
            assert_eq!(rules(&format!("periodic_hold = {hold}")), [""; 0], "{hold}");
        }
    }

    #[test]
    fn a_limit_of_the_first_run_becomes_one_of_each() {
        let corrected = |hold: &str| found(&format!("periodic_hold = {hold}")).remove(0).1;
        for (hold, expected) in [
            (
                "JobStatus == 2 && time() - JobStartDate > 60",
                Some("JobStatus == 2 && time() - JobCurrentStartDate > 60"),
            ),
            (
                "JobStatus < 3 && time() - JobStartDate > 60",
                Some("JobStatus == 2 && (JobStatus < 3 && time() - JobCurrentStartDate > 60)"),
            ),
            ("JobStatus == 1 && time() - QDate > 60", None),
            ("NumJobStarts > 3", None),
        ] {
            assert_eq!(corrected(hold).as_deref(), expected, "{hold}");
        }
    }
}
