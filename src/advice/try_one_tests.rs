//! What becomes of releases, from logs of a cluster.

use std::collections::HashSet;

use jiff::tz::TimeZone;

use super::*;
use crate::history::{Coverage, HistoryBuilder};
use eventlog::ReadOptions;

const AWAY: &str = "Transfer input files failure at execution point e using protocol http. Details: Failed \
                    to connect to s.org port 80: Could not connect to server ( URL file = http://s.org/a.dat )|";
const GONE: &str = "Transfer input files failure at execution point e using protocol http. Details: The \
                    requested URL returned error: 404 ( URL file = http://s.org/a.dat )|";

/// The hold whose cause is shared.
const LIKE: (i32, i32, &str) = (13, 256, AWAY);

/// 2026-03-01 08:00:00 UTC.
const BEGIN: i64 = 1_772_352_000;

/// A log of one cluster, minute by minute.
struct Log(String);

impl Log {
    /// `jobs` of cluster 7 are held from minute 1 on.
    fn held(jobs: i32, reason: &str) -> Self {
        let mut log = Self(String::new());
        for proc in 0..jobs {
            log.event(0, proc, "000", " Job submitted from host: <1.1.1.1:9>");
        }
        for proc in 0..jobs {
            log.hold(1, proc, reason);
        }
        log
    }

    fn event(&mut self, minute: u32, proc: i32, number: &str, text: &str) -> &mut Self {
        let (hour, minute) = (8 + minute / 60, minute % 60);
        self.0 += &format!(
            "{number} (007.{proc:03}.000) 2026-03-01 {hour:02}:{minute:02}:00{text}\n...\n"
        );
        self
    }

    fn hold(&mut self, minute: u32, proc: i32, reason: &str) -> &mut Self {
        self.event(
            minute,
            proc,
            "012",
            &format!(" Job was held.\n\t{reason}\n\tCode 13 Subcode 256"),
        )
    }

    fn release(&mut self, minute: u32, proc: i32) -> &mut Self {
        self.event(minute, proc, "013", " Job was released.\n\tvia condor_release (by user a)")
    }

    fn begin(&mut self, minute: u32, proc: i32) -> &mut Self {
        self.event(minute, proc, "001", " Job executing on host: <1.1.1.2:9>")
    }

    /// What is known of tries from holds like this one at `now`.
    fn tries(&self, like: (i32, i32, &str), now: i64) -> (Tries, History) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, &self.0).unwrap();
        let mut history = HistoryBuilder::new();
        let options = ReadOptions::in_zone(TimeZone::UTC);
        history.read_log(&path, Coverage::AccessPoint, &options).unwrap();
        let history = history.build();
        let cause = SharedCause::of(like.0, like.1, like.2);
        let mut tries = Tries::default();
        for job in history.jobs_of(7) {
            for (at, step) in job.steps.iter().enumerate() {
                let What::Held(hold) = step.what else { continue };
                let text = hold.reason.map_or("", |reason| history.symbols.name(reason));
                if SharedCause::of(hold.code, hold.subcode, text) == cause {
                    tries.add(&history, job, at, (hold, &cause), now);
                }
            }
        }
        (tries.settled(), history)
    }

    /// What stands against a try at a minute, with news since another one.
    fn against(&self, minute: i64, news: Option<i64>) -> Option<Against> {
        let at = |minute: i64| BEGIN + 60 * minute;
        let (tries, _) = self.tries(LIKE, at(minute));
        tries.group(news.map(at), Time::Tells, at(minute)).against
    }
}

#[test]
fn what_no_time_ends_is_tried_where_something_has_changed() {
    let at = |minute: i64| BEGIN + 60 * minute;
    let log = Log::held(9, AWAY);
    let of = |minute: i64, news: Option<i64>| {
        log.tries(LIKE, at(minute)).0.group(news.map(at), Time::Nothing, at(minute)).against
    };
    let unchanged = Some(Against::NothingChanged);
    assert_eq!((of(1, None), of(60 * 24 * 30, None)), (unchanged, unchanged));
    assert_eq!(of(60, Some(50)), None, "something has changed since");
}

fn early(minute: i64) -> Option<Against> {
    Some(Against::TooEarly { until: BEGIN + 60 * minute })
}

#[test]
fn tries_get_rare_as_a_cause_lasts() {
    let mut log = Log::held(9, AWAY);
    assert_eq!((log.against(10, None), log.against(11, None)), (early(11), None));
    log.release(11, 4);
    let open = Some(Against::OpenTry { job: JobId::new(7, 4) });
    assert_eq!(log.against(12, None), open);
    log.hold(13, 4, AWAY);
    // It had lasted for 12 minutes: 36 more.
    assert_eq!((log.against(48, None), log.against(49, None)), (early(49), None));
    log.release(49, 2).hold(51, 2, AWAY);
    assert_eq!(log.against(60, None), early(51 + 150));
}

#[test]
fn others_that_got_through_are_a_reason_to_try_again_but_not_for_ever() {
    let mut log = Log::held(9, AWAY);
    assert_eq!(log.against(3, Some(2)), None);
    log.release(11, 4).hold(13, 4, AWAY);
    assert_eq!(log.against(15, Some(14)), None, "news since the try failed");
    assert!(
        !log.tries(LIKE, BEGIN + 60 * 15)
            .0
            .group(Some(BEGIN + 60 * 14), Time::Tells, BEGIN + 900)
            .failed
    );
    log.release(15, 5).hold(16, 5, AWAY);
    assert_eq!((log.against(25, Some(14)), log.against(26, Some(14))), (early(26), None));
    assert!(
        log.tries(LIKE, BEGIN + 60 * 25)
            .0
            .group(Some(BEGIN + 60 * 14), Time::Tells, BEGIN + 1500)
            .failed
    );
    log.release(26, 6).hold(27, 6, AWAY);
    assert_eq!(log.against(30, Some(14)), early(57));
}

#[test]
fn two_tries_that_meet_a_lasting_trouble_are_enough() {
    let mut log = Log::held(9, AWAY);
    log.release(11, 4).hold(12, 4, GONE);
    // One may have a fault of its own.
    assert_eq!(log.against(13, None), None);
    log.release(13, 5).hold(14, 5, GONE);
    let failed = Some(Against::TriesFailed { job: JobId::new(7, 5) });
    assert_eq!((log.against(15, None), log.against(900, Some(16))), (failed, failed));
}

#[test]
fn a_job_that_got_through_ends_the_trying() {
    let mut log = Log::held(9, AWAY);
    log.release(11, 4).begin(12, 4);
    let worked = Some(Against::TryWorked { job: JobId::new(7, 4) });
    assert_eq!(log.against(12, None), worked);
    let (tries, _) = log.tries(LIKE, BEGIN + 60 * 12);
    assert_eq!(tries.results(), (1, 0));
    log.release(13, 5).hold(14, 5, AWAY);
    assert_eq!(log.tries(LIKE, BEGIN + 60 * 14).0.results(), (1, 1));
    // Nothing later is seen.
    assert_eq!(log.tries(LIKE, BEGIN + 60 * 11).0.results(), (0, 0));
}

#[test]
fn a_try_that_stays_idle_shows_nothing() {
    let mut log = Log::held(9, AWAY);
    log.release(11, 4);
    let open = Some(Against::OpenTry { job: JobId::new(7, 4) });
    assert_eq!((log.against(70, None), log.against(71, None)), (open, None));
}

#[test]
fn two_jobs_are_no_group() {
    assert_eq!(Log::held(2, AWAY).against(60, None), Some(Against::FewHeld));
}

#[test]
fn what_has_brought_nothing_for_long_is_tried() {
    let hours = |hours: i64| 1 + 60 * hours;
    // However few they are.
    let mut few = Log::held(1, AWAY);
    assert_eq!(few.against(hours(11), None), Some(Against::FewHeld));
    assert_eq!(few.against(hours(12), None), None);
    // A cause that has lasted for long is tried again no later than that.
    let mut many = Log::held(4, AWAY);
    many.release(hours(8) as u32, 0).hold(hours(8) as u32 + 1, 0, AWAY);
    assert_eq!(many.against(hours(9), None), early(hours(20) + 1));
    assert_eq!(many.against(hours(20) + 1, None), None);
    // What has failed is tried after twice as long.
    few.release(hours(12) as u32, 0).hold(hours(12) as u32 + 1, 0, AWAY);
    assert_eq!(few.against(hours(35), None), Some(Against::FewHeld));
    assert_eq!(few.against(hours(36) + 1, None), None);
}

#[test]
fn any_job_may_be_drawn_but_for_those_that_failed_more_often() {
    let mut drawn = std::collections::BTreeSet::new();
    for late in 0..40 {
        let mut log = Log(String::new());
        for proc in 0..5 {
            log.hold(1 + late, proc, AWAY);
        }
        log.release(50, 3).hold(51, 3, AWAY);
        let (tries, history) = log.tries(LIKE, BEGIN + 60 * 60);
        let one = tries.draw(&history, &HashSet::new()).unwrap();
        assert_eq!(one, tries.draw(&history, &HashSet::new()).unwrap());
        assert_eq!((one.held, one.drawn_from), (5, 4));
        let other = tries.draw(&history, &HashSet::from([one.job])).unwrap();
        assert_eq!((other.job != one.job, other.drawn_from), (true, 3));
        assert_eq!(one.success, TrySuccess::Begins);
        drawn.insert(one.job.proc);
    }
    assert_eq!(drawn.into_iter().collect::<Vec<_>>(), [0, 1, 2, 4]);
}

#[test]
fn what_counts_as_success_is_what_the_hold_is_about() {
    for (code, reason, success) in [
        (13, AWAY, TrySuccess::Begins),
        (14, "", TrySuccess::Begins),
        (34, "", TrySuccess::Finishes),
        (47, "", TrySuccess::RunsLonger),
        (3, "", TrySuccess::Finishes),
        (12, "", TrySuccess::Finishes),
    ] {
        assert_eq!(TrySuccess::of(code, reason), success, "{code}");
    }
}

#[test]
fn a_run_longer_than_the_one_that_was_held_got_past_the_limit() {
    let mut log = Log(String::new());
    let limit =
        " Job was held.\n\tThe job exceeded its allowed execute duration\n\tCode 47 Subcode 0";
    for proc in 0..3 {
        log.begin(1, proc).event(11, proc, "012", limit);
    }
    log.release(20, 1).begin(21, 1);
    let like = (47, 0, "The job exceeded its allowed execute duration");
    let of = |minute: i64| log.tries(like, BEGIN + 60 * minute).0.results();
    assert_eq!((of(31), of(32)), ((0, 0), (1, 0)));
}

#[test]
fn who_runs_longer_with_more_has_not_got_through_for_those_held_with_that() {
    const OVER: &str =
        "Error from slot1@e: Job has gone over cgroup memory limit of 1024 megabytes.";
    let held = |log: &mut Log, proc: i32| {
        let says = format!(" Job was held.\n\t{OVER}\n\tCode 34 Subcode 102");
        log.event(11, proc, "012", &says);
    };
    // What the runs before and after the release were given, MiB.
    let results = |given: [Option<i64>; 2], minute: i64| {
        let mut log = Log(String::new());
        let had = |log: &mut Log, minute: u32, given: Option<i64>| {
            let says = |given| {
                format!(" Job ad information event triggered.\nMemoryProvisioned = {given}")
            };
            given.map(|given| log.event(minute, 0, "028", &says(given)).0.len());
        };
        for proc in 0..3 {
            log.begin(1, proc);
        }
        had(&mut log, 1, given[0]);
        (0..3).for_each(|proc| held(&mut log, proc));
        log.release(20, 0).begin(21, 0);
        had(&mut log, 21, given[1]);
        log.event(70, 0, "005", " Job terminated.\n\t(1) Normal termination (return value 0)");
        let (tries, _) = log.tries((34, 102, OVER), BEGIN + 60 * minute);
        tries.results()
    };
    // It has run for longer than the run that was held.
    assert_eq!(results([Some(1024), Some(1024)], 60), (0, 0));
    assert_eq!(results([Some(1024), Some(1024)], 71), (1, 0));
    assert_eq!(results([Some(1024), Some(2048)], 71), (0, 0));
    // Nobody knows whether it had more.
    assert_eq!(results([None, None], 71), (0, 0));
}
