use super::*;
use crate::history::{Coverage, HistoryBuilder};
use crate::policy::{HeldAgain, OwnLimit, Raise};
use eventlog::{JobId, ReadOptions};

const NOW: i64 = 1_772_980_000;

/// A log of runs of cluster 5: of each job its proc, how it ends, and seconds until then.
fn log(jobs: &[(i32, &str, i64)]) -> String {
    let mut text = String::new();
    for &(proc, end, seconds) in jobs {
        let at = |seconds: i64| {
            let (minute, second) = (seconds / 60, seconds % 60);
            format!("2026-03-08 10:{minute:02}:{second:02}")
        };
        let event = |number: &str, seconds: i64, says: &str| {
            format!("{number} (005.{proc:03}.000) {} {says}\n...\n", at(seconds))
        };
        text.push_str(&event("001", 0, "Job executing on host: <10.0.0.1:9618>"));
        text.push_str(&match end {
            "held" => event("012", seconds, "Job was held.\n\tran too long\n\tCode 3 Subcode 46"),
            "released" => {
                event("012", seconds, "Job was held.\n\tran too long\n\tCode 3 Subcode 46")
                    + &event("013", seconds + 1, "Job was released.")
                    + &event("001", seconds + 2, "Job executing on host: <10.0.0.1:9618>")
                    + &event(
                        "005",
                        seconds + 4,
                        "Job terminated.\n\t(1) Normal termination (return value 0)",
                    )
            }
            size => event(
                "005",
                seconds,
                &format!(
                    "Job terminated.\n\t(1) Normal termination (return value 0)\n\
                     \tPartitionable Resources :    Usage  Request Allocated\n\
                     \t   Memory (MB)          : {size:>8}     9000      9000"
                ),
            ),
        });
    }
    text
}

fn history(jobs: &[(i32, &str, i64)]) -> History {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    std::fs::write(&path, log(jobs)).unwrap();
    let mut history = HistoryBuilder::new();
    let options = ReadOptions::in_zone(jiff::tz::TimeZone::UTC);
    history.read_log(&path, Coverage::Jobs, &options).unwrap();
    history.build()
}

fn limit(reached: f64, limit: f64) -> OwnLimit {
    OwnLimit {
        policy: "PeriodicHold".to_owned(),
        test: "time() - JobCurrentStartDate > RunLimit".to_owned(),
        reached,
        limit,
        measure: Measure::RunTime { unit: 1.0 },
        raise: Raise::Unknown,
        again: HeldAgain::WhenReached,
    }
}

/// What is seen of job 5.0, held by this limit.
fn seen(jobs: &[(i32, &str, i64)], own_limit: Option<OwnLimit>) -> Option<LimitSeen> {
    let history = history(jobs);
    let job = JobId::new(5, 0);
    let hold = history.held_at(job, None, NOW).unwrap();
    let facts = JobFacts { own_limit, ..JobFacts::of(job) };
    Siblings::default().limit_seen(&history, &hold, &facts, NOW)
}

fn finding(jobs: &[(i32, &str, i64)], own: OwnLimit) -> Option<LimitFinding> {
    seen(jobs, Some(own)).map(|seen| seen.finding())
}

#[test]
fn a_run_that_goes_on_long_after_all_others_finished_is_stuck() {
    let short = [(1, "10", 1), (2, "10", 3), (3, "10", 2), (0, "held", 21)];
    let found = seen(&short, Some(limit(21.0, 20.0))).unwrap();
    assert_eq!(found.finding(), LimitFinding::Hung);
    assert_eq!((found.longest(), found.needed_time()), (Some(3.0), None));
    assert_eq!(found.after_hang(), Some((0, 0)));
    // Nor does a limit that was raised twice make it less so.
    assert_eq!(finding(&short, limit(97.0, 96.0)), Some(LimitFinding::Hung));
    // Two that finished say nothing.
    assert_eq!(finding(&short[1..], limit(21.0, 20.0)), None);
}

#[test]
fn what_became_of_stuck_runs_after_a_release_is_counted() {
    let jobs =
        [(1, "10", 1), (2, "released", 21), (3, "10", 2), (4, "released", 22), (0, "held", 21)];
    let found = seen(&jobs, Some(limit(21.0, 20.0))).unwrap();
    assert_eq!((found.finding(), found.after_hang()), (LimitFinding::Hung, Some((2, 0))));
}

#[test]
fn a_run_is_stuck_where_most_that_its_limit_held_finish_within_it_when_they_run_again() {
    // Each takes 2 s the second time.
    let jobs = |limit: i64| {
        let held = |proc| (proc, "released", limit + 1);
        [(1, "10", 15), (2, "10", 19), (3, "10", 16), held(4), held(5), held(6), (0, "held", 21)]
    };
    let found = seen(&jobs(20), Some(limit(21.0, 20.0))).unwrap();
    assert_eq!((found.finding(), found.after_hang()), (LimitFinding::Hung, Some((3, 0))));
    // Two are no rule.
    let two: Vec<_> = jobs(20).into_iter().filter(|(proc, ..)| *proc != 6).collect();
    assert_eq!(finding(&two, limit(21.0, 20.0)), Some(LimitFinding::TooLow));
    // Nor do runs count that took longer than the limit allowed: it was raised for them.
    assert_eq!(finding(&jobs(1), limit(2.0, 1.0)), Some(LimitFinding::TooLow));
}

#[test]
fn a_limit_near_the_runs_that_finish_is_too_low() {
    let long = [(1, "10", 12), (2, "10", 19), (3, "10", 15), (0, "held", 21)];
    let found = seen(&long, Some(limit(21.0, 20.0))).unwrap();
    assert_eq!((found.finding(), found.needed_time()), (LimitFinding::TooLow, Some(31.5)));
    // Others that were given more time took it.
    let longer = [(1, "10", 70), (2, "10", 80), (3, "10", 90), (0, "held", 21)];
    let found = seen(&longer, Some(limit(21.0, 20.0))).unwrap();
    assert_eq!((found.finding(), found.needed_time()), (LimitFinding::TooLow, Some(135.0)));
    let none = [(1, "held", 21), (2, "held", 21), (0, "held", 21)];
    let found = seen(&none, Some(limit(21.0, 20.0))).unwrap();
    assert_eq!((found.finding(), found.needed_time()), (LimitFinding::TooLow, None));
    let between = [(1, "10", 9), (2, "10", 9), (3, "10", 10), (0, "held", 21)];
    assert_eq!(finding(&between, limit(21.0, 20.0)), Some(LimitFinding::Unknown));
}

#[test]
fn a_limit_of_all_runs_together_is_none_of_one_run() {
    let short = [(1, "10", 1), (2, "10", 3), (3, "10", 2), (0, "held", 21)];
    let other = OwnLimit { measure: Measure::Other, ..limit(21.0, 20.0) };
    assert_eq!(seen(&short, Some(other)), None);
    assert_eq!(seen(&short, None), None);
}

/// What is seen of job 5.0, which used this much of what it was given.
fn of_memory(jobs: &[(i32, &str, i64)], used: i64, given: i64) -> Option<LimitSeen> {
    let history = history(jobs);
    let job = JobId::new(5, 0);
    let hold = history.held_at(job, None, NOW).unwrap();
    let facts =
        JobFacts { memory_usage: Some(used), memory_provisioned: Some(given), ..JobFacts::of(job) };
    Siblings::default().limit_seen(&history, &hold, &facts, NOW)
}

#[test]
fn the_peaks_of_jobs_that_finished_say_what_is_needed() {
    let jobs = [(1, "3000", 9), (2, "2900", 9), (3, "3100", 9), (0, "held", 9)];
    let found = of_memory(&jobs, 2040, 2048).unwrap();
    assert_eq!(found.finding(), LimitFinding::TooLow);
    let (next, most) = found.needed(Resource::Memory).unwrap();
    assert_eq!((next.first, next.retried, most), (3456, 0, Figure::from(3100.0)));
    assert_eq!(found.needed(Resource::Disk), None);
    let small = [(1, "300", 9), (2, "290", 9), (3, "310", 9), (0, "held", 9)];
    let found = of_memory(&small, 2040, 2048).unwrap();
    assert_eq!(found.finding(), LimitFinding::Unknown);
    let LimitSeen::Usage { peaks, runs, .. } = found else { panic!("{found:?}") };
    assert_eq!(
        (peaks, runs),
        (Some(Figure { least: 290.0, most: 310.0 }), vec![Count::from(2040)])
    );
}

/// Job 5.0 was held alike before with these figures in its ads of runs, MiB.
fn after_runs(earlier: &[(i64, i64)], used: i64, given: i64) -> Option<LimitSeen> {
    let mut history = HistoryBuilder::new();
    let job = JobId::new(5, 0);
    let ad = |lines: &str| classads::read_ads(lines.as_bytes()).next().unwrap().unwrap();
    for (run, (used, given)) in (1..).zip(earlier) {
        let epoch = format!(
            "ClusterId = 5\nProcId = 0\nOwner = \"a\"\nMemoryUsage = {used}\nMemoryProvisioned = {given}\n"
        );
        history.add_ad(&ad(&epoch), NOW - 10_000 + run);
    }
    let held = format!(
        "ClusterId = 5\nProcId = 0\nOwner = \"a\"\nJobStatus = 5\nHoldReasonCode = 34\nHoldReasonSubCode = 102\n\
         HoldReason = \"memory\"\nEnteredCurrentStatus = {}\n",
        NOW - 100
    );
    history.add_queue_ad(&ad(&held), NOW);
    let history = history.build();
    let in_queue = history.hold_in_queue(history.job(job).unwrap());
    let hold = history.held_at(job, in_queue.as_ref(), NOW).unwrap();
    let facts =
        JobFacts { memory_usage: Some(used), memory_provisioned: Some(given), ..JobFacts::of(job) };
    Siblings::default().limit_seen(&history, &hold, &facts, NOW)
}

#[test]
fn usage_that_follows_every_raised_request_is_a_leak() {
    let earlier = [(252, 256), (508, 512), (1020, 1024), (1530, 1536)];
    let found = after_runs(&earlier, 2300, 2304).unwrap();
    assert_eq!(found.finding(), LimitFinding::Leak);
    assert!(found.leaks(Resource::Memory) && !found.leaks(Resource::Disk));
    let LimitSeen::Usage { runs, .. } = &found else { panic!("{found:?}") };
    assert_eq!(*runs, [252, 508, 1020, 1530, 2300].map(Count::from));
    // A fourth raise is worth a try, and so is one after runs that used the same.
    assert_eq!(after_runs(&earlier[1..], 2300, 2304), None);
    assert_eq!(after_runs(&[(1020, 1024), (1021, 1024)], 1022, 1024), None);
}
