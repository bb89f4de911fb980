use classads::{ClassAd, EvalContext};
use proptest::prelude::*;

use super::super::PastHold;
use super::super::past::tests::hold;
use super::*;

const HELD_AT: i64 = 1_760_000_030;

const TICKS: Ticks = Ticks { interval: 60, phase: 0 };

/// As the schedd does it, tick by tick.
fn naive(text: &str, job: &ReplayedJob<'_>, ticks: Ticks, end: i64) -> ExpressionAnswer {
    let expr = Expr::parse_old(text).unwrap();
    let ad = job.ad();
    let mut time = job.held_at() + 1;
    while time < end {
        let is_tick = (time - ticks.phase) % ticks.interval == 0;
        if is_tick && Truth::of(&ad.evaluate_expr(&expr, &EvalContext::at(time))) == Truth::True {
            return ExpressionAnswer::Releases(time);
        }
        time += 1;
    }
    ExpressionAnswer::Holds
}

fn answer(text: &str, hold: &PastHold) -> ExpressionAnswer {
    let mut expression = ReplayExpression::parse(text).unwrap();
    expression.answer(&ReplayedJob::new(hold), TICKS, HELD_AT + 30 * 86_400)
}

/// Seconds from the hold to the release.
fn after(text: &str) -> Option<i64> {
    match answer(text, &hold()) {
        ExpressionAnswer::Releases(time) => Some(time - HELD_AT),
        ExpressionAnswer::Holds => None,
        ExpressionAnswer::Unknown(_) | ExpressionAnswer::Unfinished => panic!("{text}"),
    }
}

#[test]
fn the_first_tick_at_which_it_is_true() {
    assert_eq!(HELD_AT % 60, 50, "ten seconds before a tick");
    assert_eq!(after("true"), Some(10));
    assert_eq!(after("time() - EnteredCurrentStatus > 10"), Some(70));
    assert_eq!(after("time() - EnteredCurrentStatus >= 10"), Some(10));
    assert_eq!(after("CurrentTime - EnteredCurrentStatus > 1200"), Some(1_210));
    assert_eq!(after("1200 < -(EnteredCurrentStatus - time())"), Some(1_210));
    assert_eq!(after("(time() - EnteredCurrentStatus) > 600 * NumHolds"), Some(1_210));
    assert_eq!(after("(time() - EnteredCurrentStatus) / 60 >= 20"), Some(1_210));
    assert_eq!(after("time() - QDate > 2 * 3600"), Some(2_230));
    // It is true for 50 seconds between two ticks.
    assert_eq!(
        after("time() - EnteredCurrentStatus > 10 && time() - EnteredCurrentStatus < 61"),
        None
    );
    assert_eq!(after("time() - EnteredCurrentStatus == 70"), Some(70));
    assert_eq!(after("HoldReasonCode =?= 13 && NumHolds < 3"), Some(10));
    assert_eq!(after("HoldReasonCode =?= 13 && NumHolds < 2"), None);
    assert_eq!(
        after("NumJobStarts == 1 && LastHoldReasonCode == 12 && Owner == \"Alice\""),
        Some(10)
    );
    assert_eq!(after("regexp(\"no such file\", HoldReason)"), Some(10));
    assert_eq!(after("MY.NumHolds < 3 && TARGET.NumHolds =?= undefined"), Some(10));
}

#[test]
fn what_the_log_does_not_tell() {
    let unknown = ExpressionAnswer::Unknown(HELD_AT + 10);
    assert_eq!(answer("JobUniverse == 5", &hold()), unknown);
    assert_eq!(
        answer("JobUniverse == 5 && HoldReasonCode == 12", &hold()),
        ExpressionAnswer::Holds
    );
    assert_eq!(
        answer("JobUniverse == 5 || HoldReasonCode == 13", &hold()),
        ExpressionAnswer::Releases(HELD_AT + 10)
    );
    assert_eq!(
        answer("!(JobUniverse == 5) && time() - EnteredCurrentStatus > 100", &hold()),
        ExpressionAnswer::Unknown(HELD_AT + 130)
    );
    assert_eq!(answer("time() - JobStartDate > 100", &hold()), unknown);
    assert_eq!(answer("random(10) < 5", &hold()), unknown);
    let late = PastHold { num_holds: None, submitted_at: None, before: None, ..hold() };
    assert_eq!(answer("NumHolds < 3", &late), unknown);
    assert_eq!(answer("LastHoldReasonCode =?= 12", &late), unknown);
    assert_eq!(
        answer("LastHoldReasonCode =?= 12", &PastHold { before: None, ..hold() }),
        ExpressionAnswer::Holds
    );
    let names =
        ReplayExpression::parse("JobUniverse == 5 && time() - JobStartDate > 9 && NumHolds < 3");
    assert_eq!(
        names.unwrap().unrecorded(&ReplayedJob::new(&hold())),
        ["JobStartDate", "JobUniverse"]
    );
}

#[test]
fn the_ad_of_the_last_run_tells_the_rest() {
    let ad = "[ JobUniverse = 5; MaxHolds = 4; NumHolds = 1; Grows = time() - EnteredCurrentStatus; JobStartDate = 1759999000 ]";
    let hold = PastHold { ad: Some(ClassAd::parse(ad).unwrap().into()), ..hold() };
    assert_eq!(
        answer("JobUniverse == 5 && NumHolds == 2 && MaxHolds > 3", &hold),
        ExpressionAnswer::Releases(HELD_AT + 10)
    );
    assert_eq!(answer("Grows > 100", &hold), ExpressionAnswer::Releases(HELD_AT + 130));
    assert_eq!(
        answer("time() - JobStartDate > 1200", &hold),
        ExpressionAnswer::Releases(HELD_AT + 190)
    );
    assert_eq!(answer("NoSuchAttribute > 1", &hold), ExpressionAnswer::Holds);
}

#[test]
fn undefined_and_no_number_are_two_things() {
    let with = |ad: &str| PastHold { ad: Some(ClassAd::parse(ad).unwrap().into()), ..hold() };
    let (text, none, number) = (with("[ X = \"abc\" ]"), with("[ Y = 1 ]"), with("[ X = 5 ]"));
    let mut expression = ReplayExpression::parse("time() - X > 5 || true").unwrap();
    let mut answer =
        |hold: &PastHold| expression.answer(&ReplayedJob::new(hold), TICKS, HELD_AT + 3_600);
    for _ in 0..2 {
        assert_eq!(answer(&none), ExpressionAnswer::Releases(HELD_AT + 10));
        assert_eq!(answer(&text), ExpressionAnswer::Holds, "an error");
        assert_eq!(answer(&number), ExpressionAnswer::Releases(HELD_AT + 10));
    }
}

#[test]
fn a_hold_has_its_share_of_steps_whatever_was_remembered() {
    // It is evaluated at every tick.
    let text = "time() % 7 == 99";
    let long = ReplayExpression::parse(text).unwrap();
    let end = HELD_AT + 30 * 86_400;
    for (holds, expected) in
        [(1, ExpressionAnswer::Holds), (1_000_000, ExpressionAnswer::Unfinished)]
    {
        let mut expression = long.clone();
        expression.share(holds, 1);
        for _ in 0..3 {
            let hold = hold();
            let job = ReplayedJob::new(&hold);
            assert_eq!(expression.answer(&job, TICKS, end), expected);
            // A job that is held again has what is left.
            let left = expression.answer(&job.again(end - 70), TICKS, end);
            assert_eq!(
                left == ExpressionAnswer::Unfinished,
                expected == ExpressionAnswer::Unfinished
            );
        }
    }
    let mut short = ReplayExpression::parse("time() - EnteredCurrentStatus > 60").unwrap();
    short.share(1_000_000, 10);
    let hold = hold();
    for _ in 0..20 {
        let job = ReplayedJob::new(&hold).again(HELD_AT);
        assert_eq!(short.answer(&job, TICKS, end), ExpressionAnswer::Releases(HELD_AT + 70));
    }
}

#[test]
fn after_failed_releases_it_is_the_next_hold() {
    let hold = PastHold { ran: 30, ..hold() };
    let again = ReplayedJob::new(&hold).again(HELD_AT + 600);
    let text = |text: &str| {
        let mut expression = ReplayExpression::parse(text).unwrap();
        expression.answer(&again, TICKS, HELD_AT + 86_400)
    };
    assert_eq!(
        text("NumHolds == 3 && NumJobStarts == 2 && LastHoldReasonCode == 13"),
        ExpressionAnswer::Releases(HELD_AT + 610)
    );
    assert_eq!(
        text("time() - EnteredCurrentStatus > 60"),
        ExpressionAnswer::Releases(HELD_AT + 670)
    );
}

/// Parts of expressions whose values are told of.
fn clause() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        Just("0"),
        Just("2"),
        Just("60"),
        Just("3600"),
        Just("600 * NumHolds"),
        Just("90.5"),
        Just("1e3"),
        Just("pow(2, NumHolds) * 100"),
        Just("Owner"),
        Just("(5 * 60)"),
        Just("-300"),
        Just("2.5"),
        Just("0.5 * NumHolds"),
        Just("(NumHolds > 2)"),
        Just("NumHolds / 0"),
        Just("1 / 0.0"),
        Just("Extra"),
        Just("60 * Extra"),
    ];
    let compare = prop_oneof![
        Just("<"),
        Just("<="),
        Just(">"),
        Just(">="),
        Just("=="),
        Just("!="),
        Just("=?="),
        Just("=!=")
    ];
    let time = prop_oneof![
        Just("time() - EnteredCurrentStatus"),
        Just("(CurrentTime - EnteredCurrentStatus)"),
        Just("EnteredCurrentStatus - time()"),
        Just("2 * (time() - EnteredCurrentStatus)"),
        Just("time() + time() - QDate - EnteredCurrentStatus"),
        Just("(time() - EnteredCurrentStatus) / 60"),
        Just("(time() - EnteredCurrentStatus) / 900.0"),
        Just("(EnteredCurrentStatus - time()) / 70"),
        Just("((time() - EnteredCurrentStatus) / -600)"),
        Just("(2 * (time() - EnteredCurrentStatus) - 3000) / (100 * NumHolds)"),
        Just("1.0 * (time() - EnteredCurrentStatus) / 900"),
        Just("(time() - EnteredCurrentStatus) / Extra"),
        Just("(time() - EnteredCurrentStatus - 2000) * 0.25"),
        Just("(time() - EnteredCurrentStatus) % 900"),
        Just("time() - Extra"),
        Just("time() - HoldReasonCode"),
        Just("time() - LastHoldReason"),
    ];
    let attribute = prop_oneof![
        Just("HoldReasonCode"),
        Just("HoldReasonSubCode"),
        Just("NumHolds"),
        Just("NumJobStarts"),
        Just("JobStatus")
    ];
    prop_oneof![
        (time.clone(), compare.clone(), number.clone())
            .prop_map(|(t, c, n)| format!("{t} {c} {n}")),
        (number, compare.clone(), time).prop_map(|(n, c, t)| format!("{n} {c} {t}")),
        (attribute, compare, 0..14).prop_map(|(a, c, n)| format!("{a} {c} {n}")),
        Just("true".to_owned()),
        Just("undefined".to_owned()),
        Just("NumHolds".to_owned()),
        Just("Extra".to_owned()),
        Just("0.5".to_owned()),
    ]
}

/// An attribute of the ad that is now this, now that.
fn extra() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![
        Just(None),
        (-5_000..5_000_i64).prop_map(|number| Some(Value::Integer(number))),
        (-50..50_i32).prop_map(|number| Some(Value::Real(f64::from(number) / 4.0))),
        any::<bool>().prop_map(|truth| Some(Value::Boolean(truth))),
        Just(Some(Value::Integer(HELD_AT - 1_000))),
        Just(Some(Value::Real(f64::NAN))),
        Just(Some(Value::from("text"))),
    ]
}

fn policy() -> impl Strategy<Value = String> {
    clause().prop_recursive(3, 12, 3, |inner| {
        let two = (inner.clone(), prop_oneof![Just("&&"), Just("||")], inner.clone());
        prop_oneof![
            two.prop_map(|(a, operator, b)| format!("({a}) {operator} ({b})")),
            inner.clone().prop_map(|a| format!("!({a})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("ifThenElse({a}, {b}, {c})")),
            (inner.clone(), inner.clone(), inner)
                .prop_map(|(a, b, c)| format!("({a}) ? ({b}) : ({c})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Ad attributes that a log does not tell are given, so that all is known.
    #[test]
    fn the_answer_is_that_of_evaluating_at_every_tick(
        texts in proptest::collection::vec(policy(), 1..3),
        holds in proptest::collection::vec((0..20_i64, 1..5_i64, 11..15_i32, 0..3_i32), 1..6),
        interval in prop_oneof![Just(1_i64), Just(7), Just(60), Just(300)],
        phase in 0..300_i64,
        length in 1..9_000_i64,
        extra in proptest::collection::vec(extra(), 1..3),
    ) {
        let ticks = Ticks { interval, phase };
        for text in &texts {
            let mut expression = ReplayExpression::parse(text).unwrap();
            for &(late, num_holds, code, subcode) in &holds {
                let mut ad = ClassAd::new();
                if let Some(value) = &extra[usize::try_from(late).unwrap() % extra.len()] {
                    ad.insert_value("Extra", value.clone());
                }
                let hold = PastHold {
                    held_at: HELD_AT + late,
                    num_holds: Some(num_holds),
                    code,
                    subcode,
                    ad: Some(ad.into()),
                    ..hold()
                };
                for job in [ReplayedJob::new(&hold), ReplayedJob::new(&hold).again(HELD_AT + 100)] {
                    let end = job.held_at() + length;
                    prop_assert_eq!(expression.answer(&job, ticks, end), naive(text, &job, ticks, end), "{}", text);
                }
            }
        }
    }

    #[test]
    fn any_expression_is_replayed(text in any::<String>()) {
        if let Ok(mut expression) = ReplayExpression::parse(&text) {
            expression.answer(&ReplayedJob::new(&hold()), TICKS, HELD_AT + 3_600);
        }
    }
}

#[test]
fn long_and_deep_expressions_are_read_on_a_small_stack() {
    const TERMS: usize = 25_000;
    let read = || {
        let comparison = |right: String| format!("time() - EnteredCurrentStatus > {right}");
        let many = |term: &str, between: &str| vec![term; TERMS].join(between);
        for text in [
            many("1", "+"),
            comparison(many("1", "+")),
            comparison(many("NumHolds", " - ")),
            comparison(many("2", "*")),
            format!("{} > 5", many("time()", " + ")),
            many("NumHolds < 3", " && "),
            many("(time() > 3 && NumHolds < 9)", " || "),
            format!("{}{}{}", "(".repeat(100), many("time()", "+"), ")".repeat(100)),
            format!("{}time() > 5", "!".repeat(400)),
        ] {
            let expression = ReplayExpression::parse(&text).unwrap();
            assert!(expression.of_ads().count() <= 1);
        }
        for text in ["(", "-", "!", "{", "[a=", "true?", "f("] {
            assert!(ReplayExpression::parse(&text.repeat(TERMS)).is_err(), "{text}");
        }
    };
    // As small as that of the threads that judge jobs.
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(read).unwrap();
    thread.join().unwrap();
}
