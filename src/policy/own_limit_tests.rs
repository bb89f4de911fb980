use proptest::prelude::*;

use super::*;
use crate::policy::{Request, WORK};

const BEGAN: i64 = 1_763_700_000;
const HELD: i64 = BEGAN + 700;
const NOW: i64 = HELD + 60;

/// An ad held after a run of 700 s, the second one, with these attributes.
fn ad(code: i32, attributes: &[(&str, &str)]) -> ClassAd {
    let mut ad = ClassAd::new();
    ad.insert_value("JobStatus", 5);
    ad.insert_value("HoldReasonCode", code);
    ad.insert_value("NumHolds", 1);
    ad.insert_value("NumJobStarts", 2);
    ad.insert_value("RemoteWallClockTime", 1300.0);
    ad.insert_value("JobStartDate", BEGAN - 1000);
    ad.insert_value("JobCurrentStartDate", BEGAN);
    ad.insert_value("EnteredCurrentStatus", HELD);
    for (name, text) in attributes {
        ad.insert(name, Expr::parse_old(text).unwrap());
    }
    ad
}

/// The limit, without the place of the number that was raised.
fn of(code: i32, attributes: &[(&str, &str)]) -> Option<OwnLimit> {
    let mut limit = own_limit_within(&ad(code, attributes), &Knobs::default(), NOW, WORK)?;
    if let Raise::Expression { number, .. } = &mut limit.raise {
        *number = 0..0;
    }
    Some(limit)
}

fn periodic(expression: &str, attributes: &[(&str, &str)]) -> Option<OwnLimit> {
    of(3, &[&[("PeriodicHold", expression)], attributes].concat())
}

fn attribute(name: &str, from: f64, to: i64) -> Raise {
    Raise::Attribute { name: name.to_owned(), from, to }
}

fn expression(name: &str, text: &str) -> Raise {
    Raise::Expression { name: name.to_owned(), text: text.to_owned(), number: 0..0 }
}

#[test]
fn what_htcondor_gives_a_meaning_to_is_not_raised() {
    for name in ["JobUniverse", "LastJobStatus", "ProcId", "JobPrio", "DAGManJobId", "MaxHosts"] {
        let policy = format!("time() - JobCurrentStartDate > {name}");
        let limit = periodic(&policy, &[(name, "600")]).unwrap();
        assert!(matches!(limit.raise, Raise::Expression { .. }), "{limit:?}");
        // Nor is one of its attributes rewritten that holds the limit.
        let limit = periodic("Held", &[("Held", &policy), (name, "600")]).unwrap();
        assert!(matches!(limit.raise, Raise::Expression { ref name, .. } if name == "Held"));
        let limit = periodic(name, &[(name, "time() - JobCurrentStartDate > 600")]);
        assert!(limit.is_none_or(|limit| limit.raise == Raise::Unknown));
    }
}

#[test]
fn a_limit_in_an_attribute_is_doubled_there() {
    let limit = periodic(
        "JobStatus == 2 && time() - JobCurrentStartDate > RunLimit",
        &[("RunLimit", "600")],
    );
    let limit = limit.unwrap();
    assert_eq!(limit.policy, "PeriodicHold");
    assert_eq!(limit.test, "time() - JobCurrentStartDate > RunLimit");
    assert_eq!((limit.reached, limit.limit), (700.0, 600.0));
    assert_eq!(limit.raise, attribute("RunLimit", 600.0, 1400));
    assert_eq!(limit.again, HeldAgain::WhenReached);
}

#[test]
fn the_birthday_of_the_shadow_is_gone_once_the_job_is_held() {
    let limit = periodic("time() - ShadowBday > 600", &[]).unwrap();
    assert_eq!((limit.reached, limit.limit, limit.again), (700.0, 600.0, HeldAgain::WhenReached));
    let began = "JobCurrentStartExecutingDate";
    let text = format!("JobStatus == 2 && {began} >= ShadowBday && time() - {began} > 600");
    let executing = (BEGAN + 50).to_string();
    let limit = periodic(&text, &[(began, &executing)]).unwrap();
    assert_eq!((limit.reached, limit.limit, limit.again), (650.0, 600.0, HeldAgain::WhenReached));
}

#[test]
fn the_unit_of_the_attribute_is_kept() {
    let minutes = [("MaxMinutes", "10")];
    let limit = periodic("60 * MY.MaxMinutes <= (time() - EnteredCurrentStatus)", &minutes);
    // The time in the state is that of the run, not of the hold.
    assert_eq!(limit.unwrap().raise, attribute("MaxMinutes", 10.0, 24));
    let limit = periodic("(time() - JobCurrentStartDate) / 60 >= MaxMinutes + 1", &minutes);
    assert_eq!(limit.unwrap().raise, attribute("MaxMinutes", 10.0, 21));
}

#[test]
fn a_limit_in_the_expression_is_doubled_there() {
    let limit =
        periodic("(JobStatus == 2) && ((time() - JobCurrentStartDate) > 10 * 60)", &[]).unwrap();
    let text = "(JobStatus == 2) && ((time() - JobCurrentStartDate) > 1400)";
    assert_eq!(limit.raise, expression("PeriodicHold", text));
    let named = periodic("TooLong", &[("TooLong", "600 < time() - JobCurrentStartDate")]).unwrap();
    assert_eq!(named.raise, expression("TooLong", "1400 < time() - JobCurrentStartDate"));
}

#[test]
fn dates_count_from_the_date_they_name() {
    let limit = periodic("time() > JobCurrentStartDate + 600", &[]).unwrap();
    assert_eq!((limit.reached, limit.limit), (700.0, 600.0));
    let text = "time() > (JobCurrentStartDate + 600 + 800)";
    assert_eq!(limit.raise, expression("PeriodicHold", text));
    let limit = periodic("time() > JobCurrentStartDate + Most", &[("Most", "600")]).unwrap();
    assert_eq!(limit.raise, attribute("Most", 600.0, 1400));
    // A date by itself cannot be doubled; which later one will do is not known.
    let limit = periodic("time() > Deadline", &[("Deadline", &(HELD - 5).to_string())]).unwrap();
    assert_eq!((limit.raise, limit.again), (Raise::Unknown, HeldAgain::AtOnce));
}

#[test]
fn what_is_kept_from_run_to_run_holds_it_at_once() {
    for (test, raise) in [
        ("NumJobStarts >= MaxStarts", attribute("MaxStarts", 2.0, 4)),
        ("RemoteWallClockTime > 600", expression("PeriodicHold", "RemoteWallClockTime > 2600")),
        ("JobStatus == 2 && RemoteWallClockTime > MaxStarts * 300", attribute("MaxStarts", 2.0, 9)),
    ] {
        let limit = periodic(test, &[("MaxStarts", "2")]).unwrap();
        assert_eq!((limit.raise, limit.again), (raise, HeldAgain::AtOnce), "{test}");
    }
    let tried = periodic("JobStatus == 2 && MemoryUsage > 100", &[("MemoryUsage", "200")]);
    assert_eq!(tried.unwrap().again, HeldAgain::WhenReached, "a new run begins small");
}

#[test]
fn the_side_that_fired_is_judged() {
    let limit = periodic("NumJobStarts > 5 || time() - JobCurrentStartDate > 600", &[]).unwrap();
    let text = "NumJobStarts > 5 || time() - JobCurrentStartDate > 1400";
    assert_eq!(limit.raise, expression("PeriodicHold", text));
    // Two sides, of which one edit corrects one.
    let both = periodic("NumJobStarts > 1 || time() - JobCurrentStartDate > 600", &[]).unwrap();
    assert_eq!(both.raise, Raise::Unknown);
}

#[test]
fn a_limit_on_a_request_is_raised_with_the_request() {
    let usage = [("MemoryUsage", "300"), ("RequestMemory", "128")];
    let limit = periodic("MemoryUsage > 2 * RequestMemory", &usage).unwrap();
    assert_eq!(limit.raise, Raise::Request(Request::Memory));
}

#[test]
fn policies_of_the_access_point_are_read_from_knobs_and_reasons() {
    let knobs = Knobs::from_iter([
        ("SYSTEM_PERIODIC_HOLD_NAMES", "MEMORY LONG"),
        ("SYSTEM_PERIODIC_HOLD_MEMORY", "MemoryUsage > 100000"),
        ("SYSTEM_PERIODIC_HOLD_LONG", "time() - JobCurrentStartDate > 600"),
    ]);
    let ad = ad(26, &[]);
    let limit = own_limit_within(&ad, &knobs, NOW, WORK).unwrap();
    assert_eq!(limit.policy, "SYSTEM_PERIODIC_HOLD_LONG");
    assert_eq!(limit.raise, Raise::Unknown);
    assert_eq!(own_limit_within(&ad, &Knobs::default(), NOW, WORK), None);
    let reason = "\"The system macro SYSTEM_PERIODIC_HOLD expression 'time() - JobCurrentStartDate > MaxTime' evaluated to TRUE\"";
    let limit = of(26, &[("HoldReason", reason), ("MaxTime", "600")]).unwrap();
    assert_eq!(limit.policy, "SYSTEM_PERIODIC_HOLD");
    assert_eq!(limit.raise, attribute("MaxTime", 600.0, 1400));
}

#[test]
fn allowed_durations_are_doubled() {
    let limit = of(46, &[("AllowedJobDuration", "600")]).unwrap();
    assert_eq!(limit.raise, attribute("AllowedJobDuration", 600.0, 1400));
    assert_eq!(of(46, &[("AllowedJobDuration", "3600")]), None, "it was raised since");
    assert_eq!(of(47, &[]), None);
    let limit = of(47, &[("AllowedExecuteDuration", "600")]).unwrap();
    assert_eq!(limit.raise, attribute("AllowedExecuteDuration", 600.0, 1200));
}

#[test]
fn other_holds_are_left_alone() {
    let exit = [("ExitCode", "75"), ("RunLimit", "600")];
    let too_long = "time() - JobCurrentStartDate > RunLimit";
    for (name, test) in [
        ("OnExitHold", "ExitCode =!= 0"),
        ("OnExitHold", "ExitCode =!= 0 && NumJobStarts > 1"),
        // Too short, not too long.
        ("OnExitHold", "time() - JobCurrentStartDate < 3600"),
        // Idle for too long.
        ("PeriodicHold", "JobStatus == 1 && time() - EnteredCurrentStatus > 60"),
        ("PeriodicHold", "time() - JobCurrentStartDate > 3600"),
        ("PeriodicHold", "time() - JobCurrentStartDate > TARGET.RunLimit"),
        ("PeriodicHold", "Unheard > 5"),
        ("PeriodicHold", "RunLimit > 5"),
        ("PeriodicHold", "true"),
        ("PeriodicHold", "PeriodicHold"),
    ] {
        assert_eq!(of(3, &[&exit[..], &[(name, test)]].concat()), None, "{test}");
    }
    assert_eq!(of(13, &[&exit[..], &[("PeriodicHold", too_long)]].concat()), None);
    assert!(of(3, &[&exit[..], &[("PeriodicHold", too_long)]].concat()).is_some());
}

#[test]
fn what_a_limit_bounds_is_read_from_what_grows() {
    let measure = |test: &str| periodic(test, &[("RunLimit", "10")]).unwrap().measure;
    let of = |unit: f64| Measure::RunTime { unit };
    for (test, expected) in [
        ("JobStatus == 2 && time() - JobCurrentStartDate > 600", of(1.0)),
        ("(time() - JobCurrentStartDate) / 60 >= RunLimit", of(60.0)),
        ("time() > JobCurrentStartDate + 600", of(1.0)),
        ("time() - EnteredCurrentStatus > 600", of(1.0)),
        // All runs together, or the time since the first.
        ("RemoteWallClockTime > 600", Measure::Other),
        ("time() - JobStartDate > 600", Measure::Other),
    ] {
        assert_eq!(measure(test), expected, "{test}");
    }
    let sized = [("MemoryUsage", "2000"), ("DiskUsage", "9000")];
    let measure = |test: &str| periodic(test, &sized).unwrap().measure;
    assert_eq!(measure("MemoryUsage > 1000"), Measure::Memory);
    assert_eq!(measure("DiskUsage > 1000"), Measure::Disk);
}

#[test]
fn a_limit_is_raised_to_what_is_known_to_be_needed() {
    let raised = |test: &str, to: f64| {
        let ad = ad(3, &[("PeriodicHold", test), ("RunLimit", "10")]);
        let own = own_limit_within(&ad, &Knobs::default(), NOW, WORK).unwrap();
        match own.raise.to(&own, to) {
            Raise::Attribute { to, .. } => to.to_string(),
            Raise::Expression { text, .. } => text,
            other => format!("{other:?}"),
        }
    };
    let minutes = "(time() - JobCurrentStartDate) / 60 >= RunLimit";
    assert_eq!(raised(minutes, 18.0), "18");
    // A limit that the run has met is none.
    assert_eq!(raised(minutes, 11.0), "22");
    assert_eq!(
        raised("JobStatus == 2 && time() - JobCurrentStartDate > 600", 1050.0),
        "JobStatus == 2 && time() - JobCurrentStartDate > 1050"
    );
    assert_eq!(
        raised("time() > JobCurrentStartDate + 600", 1050.0),
        "time() > (JobCurrentStartDate + 600 + 450)"
    );
}

proptest! {
    #[test]
    fn any_expression_is_looked_at(text in ".{0,60}", limit in any::<i64>()) {
        if let Ok(expr) = Expr::parse_old(&text) {
            let mut ad = ad(3, &[]);
            ad.insert("PeriodicHold", expr);
            own_limit_within(&ad, &Knobs::default(), NOW, WORK);
        }
        periodic("time() - JobCurrentStartDate > Limit && NumJobStarts >= -Limit", &[("Limit", &limit.to_string())]);
    }
}
