//! Logs whose local times are of another zone than TZ names.

use serde_json::Value;

use crate::harness::{HELD_LOG, NOW, Place, Said, ad};

/// The log of the held job, as written at other hours and minutes.
fn log_at(submitted: &str, before: &str, held: &str) -> String {
    HELD_LOG
        .replace(" 09:00:00", &format!(" {submitted}:00"))
        .replace(" 09:59:58", &format!(" {before}:58"))
        .replace(" 10:00:00", &format!(" {held}:00"))
}

fn at_chicago() -> String {
    log_at("03:00", "03:59", "04:00")
}

fn advices(said: &Said) -> Vec<Value> {
    assert_eq!((said.status, said.stderr.as_str()), (0, ""), "{said:?}");
    serde_json::from_str(&said.stdout).expect("an array")
}

fn place(ads: &str, log: &str) -> Place {
    let place = Place::new();
    place.file("held.ads", ads);
    place.file("job.log", log);
    place
}

/// The advices in UTC, with the log as that of the user and of the access point.
fn judged(ads: &str, log: &str) -> [Vec<Value>; 2] {
    let place = place(ads, log);
    ["-userlog", "-eventlog"].map(|option| {
        let words = format!("-jobads held.ads {option} job.log -now {NOW} -json -allusers");
        advices(&place.advise(&words))
    })
}

fn notes(advice: &Value) -> &Vec<Value> {
    advice["Notes"].as_array().expect("Notes")
}

fn has_no_note(ads: &str, log: &str) {
    for advice in judged(ads, log).iter().flatten() {
        assert!(notes(advice).is_empty(), "{advice}");
    }
}

#[test]
fn a_log_of_another_zone_is_read_in_its_own() {
    let place = place(&ad(1234, 0, ""), &at_chicago());
    for option in ["-userlog", "-eventlog"] {
        let words = format!("-jobads held.ads {option} job.log -now {NOW} -json");
        let mut here = advices(&place.advise_in("UTC", &words));
        let mut there = advices(&place.advise_in("America/Chicago", &words));
        let note = "job.log: its times are 6 hours behind EnteredCurrentStatus; it was read as \
                    written at UTC-06:00 (TZ names another zone)";
        assert_eq!(here[0]["Notes"].take(), Value::from(vec![note]));
        assert_eq!(there[0]["Notes"].take(), Value::from(Vec::<Value>::new()));
        assert_eq!(here, there);
        assert_eq!(here[0]["HeldSince"], 1_772_359_200);
        assert_eq!(here[0]["EventLog"], if option == "-eventlog" { "whole" } else { "none" });
    }
    let said = place.advise(&format!("-jobads held.ads -userlog job.log -now {NOW} -why"));
    assert!(said.stdout.contains("\nNote: job.log: its times are 6 hours"), "{said:?}");
}

/// The log with its times so many seconds later than it has them after `now`.
fn log_in(seconds: i64) -> String {
    let at = |before: i64| {
        let time = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(seconds - before);
        time.to_zoned(jiff::tz::TimeZone::UTC).strftime("%Y-%m-%d %H:%M:%S").to_string()
    };
    HELD_LOG
        .replace("2026-03-01 09:00:00", &at(3_600))
        .replace("2026-03-01 09:59:58", &at(2))
        .replace("2026-03-01 10:00:00", &at(0))
}

#[test]
fn events_of_the_future_are_said() {
    let place = Place::new();
    place.file("job.log", log_in(6 * 3_600 - 60));
    let line = "job.log: its newest events are 5 hours 59 minutes in the future and are left out; was it written in \
                another time zone, at UTC+06:00 or east of it? Then name that zone: TZ=Area/City \
                condor_holdadvise ...\n";
    let said = place.advise("-userlog job.log");
    let error = "Error: no job can be judged: 1 job is on hold by events of the future alone\n";
    let length = |text: &str| text.replace("58 minutes", "59 minutes");
    assert_eq!((said.status, said.stdout.as_str()), (1, ""), "{said:?}");
    assert_eq!(length(&said.stderr), format!("Warning: {line}{error}"));
    // In the zone that it was written in nothing is to be said.
    let there = place.advise_in("<+06>-6", "-userlog job.log");
    assert_eq!((there.status, there.stderr.as_str()), (0, ""), "{there:?}");
    assert!(there.stdout.starts_with("Job 1234.0, held for "), "{there:?}");
    // What was judged beside it counts.
    place.file("other.log", HELD_LOG.replace("1234", "1235"));
    let both = place.advise("-userlog job.log -userlog other.log");
    assert_eq!((both.status, length(&both.stderr)), (0, format!("Warning: {line}")), "{both:?}");
    // Who names a time wants nothing later.
    let past = place.advise(&format!("-userlog job.log -now {NOW}"));
    assert_eq!((past.status, past.stderr.as_str()), (0, ""), "{past:?}");
}

#[test]
fn a_clock_that_is_a_little_ahead_hides_no_hold() {
    let place = Place::new();
    place.file("job.log", log_in(100));
    let said = place.advise("-userlog job.log");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""), "{said:?}");
    assert!(said.stdout.starts_with("Job 1234.0, "), "{said:?}");
}

#[test]
fn no_zone_is_named_for_what_is_farther_than_zones_are_apart() {
    let place = Place::new();
    place.file("job.log", log_in(40 * 3_600));
    let said = place.advise("-userlog job.log");
    assert_eq!(said.status, 1, "{said:?}");
    assert!(said.stderr.contains("is the clock of this machine right?"), "{said:?}");
}

#[test]
fn a_log_that_the_ad_names_is_read_in_its_own() {
    let place = Place::new();
    place.file("job.log", at_chicago());
    let log = format!("UserLog = \"{}\"", place.path("job.log").display());
    place.file("held.ads", ad(1234, 0, &log));
    let said = place.advise(&format!("-jobads held.ads -now {NOW} -json"));
    let advice = &advices(&said)[0];
    let note = notes(advice).first().and_then(Value::as_str).unwrap_or_default();
    assert!(note.contains("its times are 6 hours behind EnteredCurrentStatus"), "{advice}");
    assert_eq!(advice["HeldSince"], 1_772_359_200);
}

#[test]
fn zones_of_half_hours_are_known() {
    for advice in judged(&ad(1234, 0, ""), &log_at("14:30", "15:29", "15:30")).iter().flatten() {
        let note = notes(advice)[0].as_str().unwrap_or_default();
        assert!(note.contains("5 hours 30 minutes ahead of"), "{note}");
        assert!(note.contains("UTC+05:30"), "{note}");
    }
}

#[test]
fn a_log_that_agrees_is_left_alone() {
    has_no_note(&ad(1234, 0, ""), HELD_LOG);
    // The schedd writes the event after it has set the attribute.
    has_no_note(&ad(1234, 0, ""), &log_at("09:00", "10:00", "10:01"));
}

#[test]
fn a_log_from_before_is_left_alone() {
    let stale = log_at("06:00", "06:59", "07:00");
    has_no_note(&ad(1234, 0, "").replace("NumHolds = 1", "NumHolds = 2"), &stale);
    let released = "013 (1234.000.000) 2026-03-01 07:10:00 Job was released.\n\t\
                    via condor_release (by user alice)\n...\n";
    has_no_note(&ad(1234, 0, ""), &format!("{stale}{released}"));
}

#[test]
fn times_that_name_their_zone_are_right() {
    let marked = at_chicago();
    let marked = [":00 Job", ":58 Started"].iter().fold(marked, |log, end| {
        let (time, text) = end.split_once(' ').expect("a blank");
        log.replace(end, &format!("{time}Z {text}"))
    });
    assert!(marked.contains("04:00:00Z Job was held"));
    has_no_note(&ad(1234, 0, ""), &marked);
}

#[test]
fn one_job_shows_no_zone_in_which_its_log_is_of_the_future() {
    let later = "006 (1234.000.000) 2026-03-01 05:00:00 Image size of job updated: 1\n...\n";
    has_no_note(&ad(1234, 0, ""), &format!("{}{later}", at_chicago()));
}

/// Ads of ten jobs and their log, which has the holds of some at another time.
fn ten(others: std::ops::Range<i32>) -> (String, String) {
    let ads: Vec<String> = (0..10).map(|proc| ad(1234, proc, "")).collect();
    let of_proc = |proc: i32| {
        let log =
            if others.contains(&proc) { log_at("03:00", "03:59", "04:07") } else { at_chicago() };
        log.replace("(1234.000.000)", &format!("(1234.{proc:03}.000)"))
    };
    (ads.join("\n"), (0..10).map(of_proc).collect())
}

#[test]
fn one_of_ten_may_disagree() {
    let (ads, log) = ten(3..4);
    for advice in judged(&ads, &log).iter().flatten() {
        assert_eq!(notes(advice).len(), 1, "{advice}");
    }
    let words = format!("-jobads held.ads -userlog job.log -now {NOW} -why");
    let said = place(&ads, &log).advise(&words);
    assert_eq!(said.stdout.matches("Note: job.log: its times are 6 hours").count(), 1, "{said:?}");
    let (ads, log) = ten(3..6);
    has_no_note(&ads, &log);
}

#[test]
fn an_owner_moves_no_log_of_others() {
    // alice edited EnteredCurrentStatus of nine jobs; bob's hold is as the log says.
    let (ads, log) = ten(0..0);
    let bob = ad(1235, 0, "").replace("alice", "bob");
    let of_bob = HELD_LOG.replace("(1234.", "(1235.");
    has_no_note(&format!("{ads}\n{bob}"), &format!("{log}{of_bob}"));
}
