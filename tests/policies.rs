//! Forecasts and explanations with the policy expressions people write, where a table of them is at
//! hand.

use std::path::{Path, PathBuf};

use classads::{ClassAd, EvalContext, Expr, Value};
use holdadvise::policy::{Kind, Knobs, Part, Prospect, Truth, explain, forecast};

const NOW: i64 = 1_763_700_000;

/// Recorded data that is not part of this repository.
fn real_data() -> PathBuf {
    match std::env::var_os("HOLDADVISE_REAL_DATA") {
        Some(path) => path.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
    }
}

fn held_job(code: i64, subcode: i64) -> ClassAd {
    let mut ad = ClassAd::new();
    for (name, value) in [
        ("JobStatus", 5),
        ("HoldReasonCode", code),
        ("HoldReasonSubCode", subcode),
        ("NumHolds", 1),
        ("NumJobStarts", 1),
        ("NumShadowStarts", 1),
        ("JobRunCount", 1),
        ("NumSystemHolds", 0),
        ("ExitCode", 0),
        ("RequestMemory", 1024),
        ("EnteredCurrentStatus", NOW - 10),
        ("QDate", NOW - 86_400),
    ] {
        ad.insert_value(name, value);
    }
    ad.insert_value("ExitBySignal", false);
    ad
}

#[test]
fn instants_claimed_for_real_expressions_are_confirmed() {
    let path = real_data().join("periodic_expressions.tsv");
    let Ok(table) = std::fs::read_to_string(&path) else {
        println!("skipped: no table of expressions at {}", path.display());
        return;
    };
    let (mut parsed, mut now, mut later, mut never, mut unparsable) = (0, 0, 0, 0, 0);
    for line in table.lines().skip(1) {
        let mut columns = line.split('\t');
        let (Some(text), Some(kind)) = (columns.next(), columns.next()) else { continue };
        let kind = match kind.to_ascii_lowercase().as_str() {
            kind if kind.contains("release") => Kind::Release,
            kind if kind.contains("remove") => Kind::Remove,
            _ => continue,
        };
        let Ok(expr) = Expr::parse_old(text) else {
            println!("no expression: {text}");
            unparsable += 1;
            continue;
        };
        parsed += 1;
        for (code, subcode) in [(13, 256), (34, 102), (6, 110), (26, 120)] {
            let mut ad = held_job(code, subcode);
            ad.insert(kind.attribute(), expr.clone());
            let forecast = forecast(&ad, &Knobs::default(), NOW);
            match &forecast.deed {
                Some(deed) => {
                    let value = ad.evaluate_expr(&expr, &EvalContext::at(deed.at));
                    let fires = match value {
                        Value::Boolean(value) => value,
                        value => value.as_real().is_some_and(|value| value.abs() >= 1.0),
                    };
                    assert!(
                        fires,
                        "{text} at +{} s is {value}",
                        deed.at - NOW,
                        value = ad.evaluate_expr(&expr, &EvalContext::at(deed.at))
                    );
                    *if deed.at == NOW { &mut now } else { &mut later } += 1;
                }
                None => {
                    assert!(
                        forecast
                            .policies
                            .iter()
                            .all(|policy| policy.now != Truth::True || policy.kind == Kind::Hold)
                    );
                    never += 1;
                }
            }
        }
    }
    println!(
        "{parsed} expressions ({unparsable} are none), on 4 held jobs each: {now} fire now, {later} later, {never} not within 30 days"
    );
}

/// Seconds ahead at which is looked whether something was said that is not so: a month, closer
/// together at first.
fn samples() -> impl Iterator<Item = i64> {
    let minutes = (0..3_000).map(|minute| minute * 60);
    minutes.chain((0..2_000).map(|number| number * 1_295 + 7))
}

/// Checks what is said of a part against its values over a month; how many parts were checked.
fn check(part: &Part, ad: &ClassAd) -> usize {
    let expr = Expr::parse_old(&part.text).expect("the text of a part is an expression");
    let is_true = |ahead: i64| {
        let value = ad.evaluate_expr(&expr, &EvalContext::at(NOW + ahead));
        value.as_condition() == Some(true)
    };
    let text = &part.text;
    assert_eq!(part.value == Some(Truth::True), is_true(0), "{text}");
    match part.prospect {
        Some(Prospect::From(at)) => {
            assert!(is_true(at - NOW), "{text} at {at}");
            let early = samples().find(|&ahead| ahead < at - NOW && is_true(ahead));
            assert_eq!(early, None, "{text} is true before {}", at - NOW);
        }
        Some(Prospect::Stays | Prospect::NotWithin) => {
            assert_eq!(samples().find(|&ahead| is_true(ahead)), None, "{text}");
        }
        Some(Prospect::NotKnown) | None => println!("not known: {text}"),
    }
    1 + part.parts.iter().map(|part| check(part, ad)).sum::<usize>()
}

#[test]
fn what_is_said_of_the_clauses_of_real_expressions_is_confirmed() {
    let path = real_data().join("periodic_expressions.tsv");
    let Ok(table) = std::fs::read_to_string(&path) else {
        println!("skipped: no table of expressions at {}", path.display());
        return;
    };
    let (mut expressions, mut parts) = (0, 0);
    for line in table.lines().skip(1) {
        let Some(Ok(expr)) = line.split('\t').next().map(Expr::parse_old) else { continue };
        expressions += 1;
        for (code, subcode) in [(13, 256), (34, 102), (6, 110), (26, 120)] {
            let mut ad = held_job(code, subcode);
            ad.insert("PeriodicRelease", expr.clone());
            let explanation = explain(&ad, Some(&Knobs::default()), NOW);
            assert!(!explanation.conclusion("7.0").is_empty());
            if let Ok(root) = &explanation.policies[0].root {
                parts += check(root, &ad);
            }
        }
    }
    println!("{expressions} expressions on 4 held jobs each: {parts} parts");
}
