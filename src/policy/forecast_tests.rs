use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::*;

const NOW: i64 = 1_763_700_000;

/// An ad held for ten minutes with code 13/256, with these expressions.
fn ad(expressions: &[(&str, &str)]) -> ClassAd {
    let mut ad = ClassAd::new();
    ad.insert_value("JobStatus", 5);
    ad.insert_value("HoldReasonCode", 13);
    ad.insert_value("HoldReasonSubCode", 256);
    ad.insert_value("NumHolds", 2);
    ad.insert_value("NumJobStarts", 3);
    ad.insert_value("EnteredCurrentStatus", NOW - 600);
    for (name, text) in expressions {
        ad.insert(name, Expr::parse_old(text).unwrap());
    }
    ad
}

fn knobs(knobs: &[(&str, &str)]) -> Knobs {
    knobs.iter().copied().collect()
}

fn said(forecast: &Forecast) -> String {
    let sentence = |thing| crate::sentences::prediction(thing, &TimeZone::UTC);
    forecast.predictions().iter().map(sentence).collect::<Vec<_>>().join("\n")
}

fn action(kind: Kind, by: &str, at: i64) -> Option<PolicyAction> {
    Some(PolicyAction { kind, by: by.to_owned(), at })
}

#[test]
fn a_delay_ends_at_its_second() {
    let ad = ad(&[(
        "PeriodicRelease",
        "(HoldReasonCode =?= 13 && HoldReasonSubCode =?= 256) && NumHolds < 4 && (time() - EnteredCurrentStatus) > 1200",
    )]);
    let forecast = forecast(&ad, &Knobs::default(), NOW);
    assert_eq!(forecast.deed, action(Kind::Release, "PeriodicRelease", NOW + 601));
    assert_eq!(forecast.policies[0].now, Truth::False);
    assert_eq!(
        said(&forecast),
        "HTCondor will release this job at 2025-11-21 04:50 or soon after (periodic_release)."
    );
}

#[test]
fn a_hold_that_fires_as_soon_as_the_job_runs_again_holds_it_again() {
    for (text, again) in [
        ("NumJobStarts >= 3", true),
        ("JobStatus == 2 && NumJobStarts >= 3", true),
        ("JobStatus == 2 && NumJobStarts > 3", false),
        ("JobStatus == 2 && time() - JobCurrentStartDate > 60", false),
        ("JobStatus == 2 && MemoryUsage > 100", false),
        ("JobStatus == 2 && ExitCode == 1", false),
        ("JobStatus == 2 && (", false),
    ] {
        let mut of_job = ad(&[("MemoryUsage", "200"), ("ExitCode", "1")]);
        of_job.insert_value("JobCurrentStartDate", NOW - 9_000);
        let of_system = knobs(&[
            ("SYSTEM_PERIODIC_HOLD_STARTS", text),
            ("SYSTEM_PERIODIC_HOLD_NAMES", "STARTS"),
        ]);
        let found = |forecast: &Forecast| said(forecast).contains("held again");
        assert_eq!(found(&forecast(&of_job, &of_system, NOW)), again, "{text}");
        if let Ok(expr) = Expr::parse_old(text) {
            of_job.insert("PeriodicHold", expr);
            assert_eq!(found(&forecast(&of_job, &Knobs::default(), NOW)), again, "{text}");
        }
    }
}

#[test]
fn true_now_is_said() {
    let ad = ad(&[("PeriodicRelease", "NumHolds < 4")]);
    let forecast = forecast(&ad, &Knobs::default(), NOW);
    assert_eq!(forecast.deed, action(Kind::Release, "PeriodicRelease", NOW));
    assert!(said(&forecast).contains("when it next looks"), "{}", said(&forecast));
}

/// The advisor of the access point may write at any time that the job may go.
#[test]
fn what_the_advisor_of_the_access_point_will_write_is_not_known() {
    for (releases, expected) in [("True", "is not known"), ("False", "No policy will release")] {
        let policy =
            format!("{releases} && HoldAdviceRelease =?= true && time() < HoldAdviceExpires");
        let ad = ad(&[
            ("PeriodicRelease", policy.as_str()),
            ("HoldAdviceRelease", "false"),
            ("HoldAdviceExpires", "0"),
        ]);
        let forecast = forecast(&ad, &Knobs::default(), NOW);
        assert!(said(&forecast).contains(expected), "{}", said(&forecast));
    }
}

#[test]
fn the_blocking_clause_is_named() {
    let ad = ad(&[(
        "PeriodicRelease",
        "NumHolds < 2 && (CurrentTime - EnteredCurrentStatus) > 60*60 && NoSuch > 1",
    )]);
    let forecast = forecast(&ad, &Knobs::default(), NOW);
    assert_eq!(forecast.deed, None);
    let open = &forecast.policies[0].blocking;
    assert_eq!(open.len(), 2, "the clause that time fulfils is not named: {open:?}");
    assert_eq!(open[1].value, Truth::Undefined);
    assert!(
        said(&forecast).contains(
            "Its periodic_release stays false: \"NumHolds < 2\" is false, and one more clause."
        ),
        "{}",
        said(&forecast)
    );
    assert!(said(&forecast).contains("No policy will release or remove"));
}

#[test]
fn system_policies_follow_the_jobs() {
    let knobs = knobs(&[
        ("SYSTEM_PERIODIC_RELEASE_NAMES", "Mem, Net"),
        ("SYSTEM_PERIODIC_RELEASE_Mem", "HoldReasonCode == 34"),
        ("SYSTEM_PERIODIC_RELEASE_Net", "HoldReasonCode == 13"),
        ("SYSTEM_PERIODIC_REMOVE", "JobStatus == 5 && time() - EnteredCurrentStatus > 3600*24*30"),
    ]);
    let job = ad(&[("PeriodicRelease", "false")]);
    let names: Vec<_> = forecast(&job, &knobs, NOW).policies.into_iter().map(|p| p.name).collect();
    assert_eq!(
        names,
        [
            "PeriodicRelease",
            "SYSTEM_PERIODIC_RELEASE_Mem",
            "SYSTEM_PERIODIC_RELEASE_Net",
            "SYSTEM_PERIODIC_REMOVE"
        ]
    );
    assert_eq!(
        forecast(&job, &knobs, NOW).deed,
        action(Kind::Release, "SYSTEM_PERIODIC_RELEASE_Net", NOW)
    );
}

#[test]
fn removal_after_days_is_found() {
    let knobs = knobs(&[(
        "SYSTEM_PERIODIC_REMOVE",
        "(JobStatus == 5 && time() - EnteredCurrentStatus > 3600*24*3)",
    )]);
    let forecast = forecast(&ad(&[("PeriodicRelease", "false")]), &knobs, NOW);
    assert_eq!(
        forecast.deed,
        action(Kind::Remove, "SYSTEM_PERIODIC_REMOVE", NOW - 600 + 3 * 86_400 + 1)
    );
    assert!(said(&forecast).starts_with("HTCondor will remove this job at 2025-11-24"));
    assert!(!said(&forecast).contains("periodic_release"), "false is the default");
}

#[test]
fn a_release_before_a_removal_comes_first() {
    let ad = ad(&[
        ("PeriodicRelease", "time() > EnteredCurrentStatus + 7200"),
        ("PeriodicRemove", "time() > EnteredCurrentStatus + 3600"),
    ]);
    let first = forecast(&ad, &Knobs::default(), NOW);
    assert_eq!(first.deed, action(Kind::Remove, "PeriodicRemove", NOW + 3001));
    let later = forecast(&ad, &Knobs::default(), NOW + 86_400);
    assert_eq!(
        later.deed.map(|deed| deed.kind),
        Some(Kind::Release),
        "both true: the release goes first"
    );
}

#[test]
fn code_1_is_never_released_but_may_be_removed() {
    let mut ad = ad(&[
        ("PeriodicRelease", "true"),
        ("PeriodicRemove", "time() - EnteredCurrentStatus >= 1000"),
    ]);
    ad.insert_value("HoldReasonCode", 1);
    let forecast = forecast(&ad, &Knobs::default(), NOW);
    assert_eq!(forecast.gate, Gate::HeldByUser);
    assert_eq!(forecast.deed, action(Kind::Remove, "PeriodicRemove", NOW + 400));
    assert!(said(&forecast).contains("only condor_release"));
}

#[test]
fn the_limit_of_releases_is_that_of_the_schedd() {
    let job = ad(&[("PeriodicRelease", "true")]);
    let of = |limit: &str| forecast(&job, &knobs(&[("SYSTEM_MAX_RELEASES", limit)]), NOW);
    assert_eq!(of("3").gate, Gate::Open);
    assert_eq!(of("-1").gate, Gate::Open);
    assert_eq!(of("2").gate, Gate::MaxReleases { num_holds: 2, limit: 2 });
    assert_eq!(of("2").deed, None);
    assert!(said(&of("2")).contains("condor_release does, once more"));
    assert!(said(&of("1")).contains("condor_release is refused"));
}

#[test]
fn nothing_is_evaluated_while_spooling_or_when_switched_off() {
    let mut job = ad(&[("PeriodicRelease", "true"), ("PeriodicRemove", "true")]);
    assert_eq!(forecast(&job, &knobs(&[("PERIODIC_EXPR_INTERVAL", "0")]), NOW).deed, None);
    job.insert_value("HoldReasonCode", 16);
    let spooling = forecast(&job, &Knobs::default(), NOW);
    assert_eq!((spooling.gate, spooling.deed), (Gate::SpoolingInput, None));
    job.insert_value("JobStatus", 2);
    assert_eq!(forecast(&job, &Knobs::default(), NOW).gate, Gate::NotHeld);
}

#[test]
fn an_attribute_that_needs_itself_is_what_the_version_makes_of_it() {
    let job = ad(&[("Chicken", "Egg"), ("Egg", "Chicken"), ("PeriodicRelease", "Chicken || true")]);
    let now = |version| forecast(&job, &knobs(&[("CONDOR_VERSION", version)]), NOW).policies[0].now;
    assert_eq!(now("23.9.6"), Truth::Error);
    assert_eq!(now("25.14.1"), Truth::True);
}

#[test]
fn a_circle_beside_the_time_never_fires_before_it_is_undefined() {
    let job = ad(&[("Chicken", "Chicken"), ("PeriodicRelease", "Chicken || time() > 0")]);
    let found = |version| forecast(&job, &knobs(&[("CONDOR_VERSION", version)]), NOW);
    let old = found("23.9.6");
    assert_eq!((old.deed, old.policies[0].not_known), (None, false));
    assert_eq!(found("25.14.1").deed, action(Kind::Release, "PeriodicRelease", NOW));
}

#[test]
fn another_manager_is_known_by_its_exact_name() {
    let mut job = ad(&[("PeriodicRelease", "true")]);
    for (name, gate) in [("External", Gate::Managed), ("external", Gate::Open)] {
        job.insert_value("Managed", name);
        assert_eq!(forecast(&job, &Knobs::default(), NOW).gate, gate, "{name}");
    }
}

#[test]
fn timer_remove_is_obeyed() {
    let mut ad = ad(&[("PeriodicRelease", "time() > EnteredCurrentStatus + 7200")]);
    ad.insert_value("TimerRemove", NOW + 100);
    assert_eq!(
        forecast(&ad, &Knobs::default(), NOW).deed,
        action(Kind::Remove, "TimerRemove", NOW + 101)
    );
    // As two pools do: a real is cut, and what no 32 bits hold lies in the past.
    for text in ["1.7e9", "9999999999"] {
        ad.insert("TimerRemove", Expr::parse_old(text).unwrap());
        let found = forecast(&ad, &Knobs::default(), NOW).deed;
        assert_eq!(found, action(Kind::Remove, "TimerRemove", NOW), "{text}");
    }
    ad.insert("TimerRemove", Expr::parse_old("NoSuchThing").unwrap());
    assert_eq!(forecast(&ad, &Knobs::default(), NOW).gate, Gate::TimerUndefined);
}

#[test]
fn what_only_condor_q_adds_is_not_in_the_queue() {
    let mut ad = ad(&[("PeriodicRelease", "ServerTime - EnteredCurrentStatus > 60")]);
    ad.insert_value("ServerTime", NOW);
    let found = forecast(&ad, &Knobs::default(), NOW);
    assert_eq!((found.deed, found.policies[0].now), (None, Truth::Undefined));
}

#[test]
fn a_hold_that_would_come_again_is_said() {
    let mut job = ad(&[("PeriodicHold", "JobStatus == 1 && NumJobStarts > 2")]);
    assert!(
        said(&forecast(&job, &Knobs::default(), NOW)).contains("held again: periodic_hold is true")
    );
    job.insert_value("NumJobStarts", 2);
    assert!(!said(&forecast(&job, &Knobs::default(), NOW)).contains("held again"));
}

#[test]
fn numbers_fire_as_the_schedd_takes_them() {
    let first = |text: &str| {
        forecast(&ad(&[("PeriodicRelease", text)]), &Knobs::default(), NOW).policies[0].now
    };
    assert_eq!(first("2"), Truth::True);
    assert_eq!(first("0.5"), Truth::False);
    assert_eq!(first("1.5"), Truth::True);
    assert_eq!(first("\"true\""), Truth::Error);
    assert_eq!(first("NoSuch"), Truth::Undefined);
    assert_eq!(first("1 + \"a\""), Truth::Error);
}

#[test]
fn expressions_that_are_none_are_reported_and_the_rest_evaluated() {
    let knobs = knobs(&[
        ("SYSTEM_PERIODIC_RELEASE_NAMES", "bad"),
        ("SYSTEM_PERIODIC_RELEASE_bad", "(((\u{1b}[31m"),
        ("SYSTEM_PERIODIC_RELEASE", "true"),
    ]);
    let forecast = forecast(&ad(&[]), &knobs, NOW);
    assert_eq!(forecast.deed, action(Kind::Release, "SYSTEM_PERIODIC_RELEASE", NOW));
    assert!(said(&forecast).contains("SYSTEM_PERIODIC_RELEASE_bad is not an expression"));
    assert!(!said(&forecast).contains('\u{1b}'));
}

#[test]
fn time_through_other_attributes_and_division_is_followed() {
    let ad = ad(&[
        ("HoursHeld", "(time() - EnteredCurrentStatus) / 3600"),
        ("PeriodicRelease", "ifThenElse(HoursHeld >= 2, NumHolds < 3, false)"),
    ]);
    let found = forecast(&ad, &Knobs::default(), NOW);
    assert_eq!(found.deed, action(Kind::Release, "PeriodicRelease", NOW + 6600));
}

#[test]
fn conditions_that_come_and_go_are_tried_at_the_schedds_pace() {
    let ad = ad(&[("PeriodicRelease", "time() % 7200 < 300")]);
    let found = forecast(&ad, &Knobs::default(), NOW).deed.unwrap().at;
    assert!(found % 7200 < 300 && found - NOW <= 7200, "{found}");
}

proptest! {
    /// Every instant claimed is confirmed by evaluation, and the second before it is not.
    #[test]
    fn no_instant_is_claimed_that_evaluation_does_not_confirm(
        delay in 0_i64..100_000, held in 0_i64..100_000, holds in 1_i64..6, less in any::<bool>(),
    ) {
        let text = if less {
            format!("NumHolds < 4 && {delay} < time() - EnteredCurrentStatus")
        } else {
            format!("NumHolds < 4 && EnteredCurrentStatus + {delay} <= time()")
        };
        let mut ad = ad(&[("PeriodicRelease", &text)]);
        ad.insert_value("EnteredCurrentStatus", NOW - held);
        ad.insert_value("NumHolds", holds);
        let found = forecast(&ad, &Knobs::default(), NOW).deed.map(|deed| deed.at);
        let expected = NOW.max(NOW - held + delay + i64::from(less));
        prop_assert_eq!(found, (holds < 4).then_some(expected));
    }

    #[test]
    fn any_policy_text_is_survived(text in any::<String>(), knob in any::<String>()) {
        let mut ad = ad(&[]);
        if let Ok(expr) = Expr::parse_old(&text) {
            ad.insert("PeriodicRelease", expr);
        }
        let knobs = knobs(&[("SYSTEM_PERIODIC_REMOVE", &knob), ("SYSTEM_PERIODIC_HOLD_NAMES", &text)]);
        let text = said(&forecast(&ad, &knobs, NOW)).replace('\n', " ");
        prop_assert!(!text.chars().any(char::is_control));
    }
}

#[test]
fn what_takes_too_long_or_comes_and_goes_is_not_guessed() {
    let mut job = ad(&[("PeriodicRelease", "time() % 7919 == 0 && a0 > 3")]);
    for level in 0..60 {
        let next = Expr::parse_old(&format!("a{0} + a{0}", level + 1)).unwrap();
        job.insert(&format!("a{level}"), next);
    }
    let forecast = forecast(&job, &Knobs::default(), NOW);
    assert_eq!((forecast.deed.as_ref(), forecast.policies[0].not_known), (None, true));
    assert!(forecast.policies[0].blocking.is_empty());
    assert_eq!(
        said(&forecast),
        "Whether HTCondor will release or remove this job is not known: it cannot be computed when \
         periodic_release becomes true."
    );
    let of = |text: &str| self::forecast(&ad(&[("PeriodicRelease", text)]), &Knobs::default(), NOW);
    assert!(
        of("time() % 1000003 == 1000002").policies[0].not_known,
        "an instant that the schedd may meet"
    );
    assert!(!of("NumHolds > 5 && time() % 1000003 == 1000002").policies[0].not_known);
    let hours = of("int((time() - EnteredCurrentStatus) / 3600)");
    assert_eq!(hours.deed, action(Kind::Release, "PeriodicRelease", NOW + 3000));
}

#[test]
fn a_policy_that_takes_too_many_steps_is_not_known() {
    let explodes = format!("regexp(\"(a+)+$\", \"{}b\")", "a".repeat(60));
    let ad = ad(&[("PeriodicRelease", &explodes), ("PeriodicRemove", "NumHolds > 9")]);
    let forecast = forecast(&ad, &Knobs::default(), NOW);
    let [release, remove] = forecast.policies.as_slice() else { panic!("{forecast:?}") };
    assert!(release.not_known && release.becomes_true.is_none(), "{release:?}");
    assert!(!remove.not_known, "another policy has steps of its own: {remove:?}");
    assert_eq!(forecast.deed, None);
    assert!(said(&forecast).contains("not known"), "{}", said(&forecast));
}
