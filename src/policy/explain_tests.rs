use proptest::prelude::*;

use super::*;

const NOW: i64 = 1_763_700_000;

/// A job held ten minutes ago for the fourth time with code 13/256.
fn ad(more: &[(&str, &str)]) -> ClassAd {
    let text = "[ JobStatus = 5; HoldReasonCode = 13; HoldReasonSubCode = 256; NumHolds = 4; NumJobStarts = 3 ]";
    let mut ad = ClassAd::parse(text).unwrap();
    ad.insert_value("EnteredCurrentStatus", NOW - 600);
    for (name, text) in more {
        ad.insert_raw(name, text, classads::Syntax::Old);
    }
    ad
}

fn explained(more: &[(&str, &str)]) -> Explanation {
    explain(&ad(more), Some(&Knobs::default()), NOW)
}

fn root(text: &str) -> Part {
    let explained = explained(&[("PeriodicRelease", text)]);
    explained.policies[0].root.clone().unwrap()
}

/// Each part on a line: marks, value, when, text.
fn lines(part: &Part) -> Vec<String> {
    let mut out = Vec::new();
    let mut pending = vec![(part, 0)];
    while let Some((part, depth)) = pending.pop() {
        let when = match part.prospect {
            Some(Prospect::From(at)) => format!("from {}", at - NOW),
            Some(other) => format!("{other:?}"),
            None => "-".to_owned(),
        };
        let text = match part.form {
            Form::Clause => part.text.as_str(),
            Form::All => "all of",
            Form::Any => "any of",
            Form::Attribute => "attribute",
        };
        let value = part.value.map_or("?", Truth::word);
        let mark = if part.blocks { "> " } else { "" };
        let nearest = if part.is_nearest { " nearest" } else { "" };
        out.push(format!("{}{mark}{value}, {when}{nearest}: {text}", "  ".repeat(depth)));
        pending.extend(part.parts.iter().rev().map(|part| (part, depth + 1)));
    }
    out
}

#[test]
fn clauses_are_what_the_version_makes_of_them() {
    let ad = ad(&[("Chicken", "Egg"), ("Egg", "Chicken"), ("PeriodicRelease", "Chicken || true")]);
    let root = |version| {
        let knobs = Knobs::from_iter([("CONDOR_VERSION", version)]);
        let explained = explain(&ad, Some(&knobs), NOW);
        assert_eq!(explained.policies[0].policy.now, explained.forecast.policies[0].now);
        explained.policies[0].root.clone().unwrap()
    };
    let (old, new) = (root("23.9.6"), root("25.14.1"));
    assert_eq!((old.value, old.parts[0].value), (Some(Truth::Error), Some(Truth::Error)));
    assert_eq!((new.value, new.parts[0].value), (Some(Truth::True), Some(Truth::Undefined)));
}

#[test]
fn the_time_of_the_answer_is_not_in_the_queue() {
    let mut ad = ad(&[("PeriodicRelease", "ServerTime - EnteredCurrentStatus > 60")]);
    ad.insert_value("ServerTime", NOW);
    let explained = explain(&ad, Some(&Knobs::default()), NOW);
    let root = explained.policies[0].root.as_ref().unwrap();
    assert_eq!((root.value, root.prospect), (Some(Truth::Undefined), Some(Prospect::Stays)));
    assert!(root.attributes[0].is_missing);
}

#[test]
fn a_release_is_refused_only_where_the_version_knows_the_limit() {
    let refused = |version| {
        let knobs = Knobs::from_iter([("SYSTEM_MAX_RELEASES", "3"), ("CONDOR_VERSION", version)]);
        explain(&ad(&[]), Some(&knobs), NOW).release_refused
    };
    assert!(!refused("23.9.6"));
    assert!(refused("25.14.1"));
}

#[test]
fn every_clause_has_its_value_and_its_time() {
    let root = root(
        "(HoldReasonCode =?= 13 && (NumHolds < 4)) && (time() - EnteredCurrentStatus) > 1200 && NumHold > 0",
    );
    assert_eq!(
        lines(&root),
        [
            "> false, NotWithin: all of",
            "  true, from 0: HoldReasonCode =?= 13",
            "  > false, Stays: NumHolds < 4",
            "  > false, from 601: (time() - EnteredCurrentStatus) > 1200",
            "  > undefined, Stays: NumHold > 0",
        ]
    );
    let named = &root.parts[1].attributes;
    assert_eq!(named[0].name, "NumHolds");
    assert_eq!((named[0].value.clone(), named[0].is_missing), (Some(Value::Integer(4)), false));
    assert!(root.parts[3].attributes[0].is_missing);
    let blockers: Vec<&str> = root.blockers().iter().map(|part| part.text.as_str()).collect();
    assert_eq!(blockers, ["NumHolds < 4", "NumHold > 0"]);
}

#[test]
fn alternatives_are_a_tree_with_the_nearest_marked() {
    let root = root(
        "NumHolds < 9 && ((HoldReasonCode == 34 && NumHolds < 2) || HoldReasonCode == 12 || \
         (HoldReasonCode == 13 && time() - EnteredCurrentStatus > 900))",
    );
    assert_eq!(
        lines(&root),
        [
            "> false, from 301: all of",
            "  true, from 0: NumHolds < 9",
            "  > false, from 301: any of",
            "    > false, Stays: all of",
            "      > false, Stays: HoldReasonCode == 34",
            "      > false, Stays: NumHolds < 2",
            "    > false, Stays: HoldReasonCode == 12",
            "    > false, from 301 nearest: all of",
            "      true, from 0: HoldReasonCode == 13",
            "      > false, from 301: time() - EnteredCurrentStatus > 900",
        ]
    );
}

#[test]
fn without_a_time_the_alternative_with_the_fewest_blocking_clauses_is_nearest() {
    let root =
        root("(HoldReasonCode == 34 && NumHolds < 2) || (HoldReasonCode == 13 && NumHolds < 4)");
    assert!(root.parts[1].is_nearest && !root.parts[0].is_nearest);
    assert_eq!(root.blockers().iter().map(|part| &part.text).collect::<Vec<_>>(), ["NumHolds < 4"]);
}

#[test]
fn expressions_of_the_ad_are_taken_apart_too() {
    let explained = explained(&[
        ("PeriodicRelease", "MayRelease && MY.NumHolds > 0"),
        ("MayRelease", "NumHolds < 3 && NumJobStart < 9"),
    ]);
    let release = &explained.policies[0];
    assert_eq!(
        lines(release.root.as_ref().unwrap()),
        [
            "> false, Stays: all of",
            "  > false, Stays: attribute",
            "    > false, Stays: all of",
            "      > false, Stays: NumHolds < 3",
            "      > undefined, Stays: NumJobStart < 9",
            "  true, from 0: MY.NumHolds > 0",
        ]
    );
    let missing = MissingAttribute {
        name: "NumJobStart".to_owned(),
        is_known: false,
        nearest: Some("NumJobStarts".to_owned()),
    };
    assert_eq!(release.missing, [missing]);
}

#[test]
fn names_of_the_ad_and_of_machines_are_told_apart() {
    let explained = explained(&[
        (
            "PeriodicRelease",
            "MyTires < 3 && TARGET.Memory > 1 && ExitCode == 1 && CurrentTime > 1 && Xyz",
        ),
        ("MyTries", "2"),
    ]);
    let missing: Vec<_> = explained.policies[0]
        .missing
        .iter()
        .map(|one| (one.name.as_str(), one.is_known, one.nearest.as_deref()))
        .collect();
    assert_eq!(
        missing,
        [
            ("MyTires", false, Some("MyTries")),
            ("TARGET.Memory", false, None),
            ("ExitCode", true, None),
            ("Xyz", false, None),
        ]
    );
}

#[test]
fn policies_of_hold_are_evaluated_as_if_released() {
    let explained = explained(&[
        ("PeriodicHold", "JobStatus == 1 && LastHoldReasonCode == 13"),
        ("PeriodicRemove", "time() > 1"),
        ("PeriodicRelease", "NumHolds < 9"),
    ]);
    let kinds: Vec<Kind> = explained.policies.iter().map(|one| one.policy.kind).collect();
    assert_eq!(kinds, [Kind::Release, Kind::Remove, Kind::Hold]);
    let hold = explained.policies[2].root.as_ref().unwrap();
    assert_eq!(lines(hold)[0], "true, -: all of");
    assert_eq!(
        explained.conclusion("1.0"),
        [
            "Nothing has to be done: HTCondor releases it by itself.",
            "But periodic_hold is true of the released job: it would be held again.",
        ]
    );
}

#[test]
fn operands_are_taken_as_operators_take_them_and_the_whole_as_the_schedd_does() {
    let half = root("0.5");
    assert_eq!(half.value, Some(Truth::False));
    let both = root("0.5 && 2");
    assert_eq!(both.value, Some(Truth::True));
    assert_eq!(both.parts[0].value, Some(Truth::True));
    assert!(!both.blocks);
    assert_eq!(root("\"a\" && true").parts[0].value, Some(Truth::Error));
}

#[test]
fn clauses_that_exclude_each_other_are_named_together() {
    let root = root("time() - EnteredCurrentStatus > 1200 && time() - EnteredCurrentStatus < 900");
    assert_eq!(root.prospect, Some(Prospect::NotWithin));
    assert_eq!(root.blockers().len(), 1);
    assert_eq!(root.blockers()[0].form, Form::All);
}

#[test]
fn an_error_is_named_before_what_is_not_true() {
    let blockers = |text: &str| -> Vec<String> {
        root(text).blockers().iter().map(|part| part.text.clone()).collect()
    };
    assert_eq!(blockers("NumHolds < 3 || 1 + \"a\" == 2"), ["1 + \"a\" == 2"]);
    let deep = format!("{}NumHolds < 2", "NumHolds < 3 || ".repeat(1000));
    assert_eq!(blockers(&deep), [deep], "too deep for HTCondor");
}

#[test]
fn what_to_do_is_said() {
    let first = |more: &[(&str, &str)]| explained(more).conclusion("7.0").remove(0);
    assert_eq!(
        first(&[("PeriodicRelease", "NumHolds < 4 && HoldReasonCode == 13")]),
        "It is not released by policy: NumHolds < 4 is false and stays so; condor_release 7.0 releases it."
    );
    assert_eq!(
        first(&[("PeriodicRelease", "time() - EnteredCurrentStatus > 900")]),
        "Nothing has to be done: HTCondor releases it by itself; condor_release 7.0 does it sooner."
    );
    assert_eq!(
        first(&[("PeriodicRelease", "false")]),
        "No policy of release is set for it: condor_release 7.0 releases it."
    );
    assert_eq!(
        first(&[("PeriodicRelease", "NumHolds < (")]),
        "It is not released by policy: periodic_release: it is not an expression; condor_release 7.0 releases it."
    );
    assert_eq!(
        first(&[("PeriodicRelease", "true"), ("HoldReasonCode", "1")]),
        "It is not released by policy, because a person put it on hold: condor_release 7.0 releases it."
    );
    assert_eq!(
        first(&[("PeriodicRemove", "time() > 9")]),
        "HTCondor removes it unless it is released before."
    );
    let unknown = explain(&ad(&[]), None, NOW).conclusion("7.0");
    assert_eq!(
        unknown,
        ["It has no policy of release of its own: condor_release 7.0 releases it."]
    );
    let limit = |limit: &str| {
        let knobs = Knobs::from_iter([("SYSTEM_MAX_RELEASES", limit)]);
        explain(&ad(&[("PeriodicRelease", "true")]), Some(&knobs), NOW).conclusion("7.0").remove(0)
    };
    assert!(limit("4").ends_with("reached: condor_release 7.0 releases it once more."));
    assert!(limit("3").ends_with("refused but to queue super users (SYSTEM_MAX_RELEASES)."));
    assert!(limit("5").starts_with("Nothing has to be done"));
}

#[test]
fn slips_of_the_pen_are_to_be_mended() {
    let said = explained(&[("PeriodicRelease", "NumHold < 9")]).conclusion("7.0");
    assert_eq!(
        said,
        [
            "It is not released by policy: NumHold < 9 is undefined and stays so; condor_release 7.0 releases it.",
            "The ad has no NumHold, which periodic_release needs; NumHolds is probably meant: condor_qedit 7.0 \
             can correct it.",
        ]
    );
}

#[test]
fn what_the_access_point_keeps_from_edits_is_the_administrators_to_correct() {
    let ad = ad(&[("PeriodicRelease", "NumHold < 9")]);
    for knob in crate::policy::knobs::KEPT_BY {
        let knobs = Knobs::from_iter([(knob, "Owner periodicrelease")]);
        let said = explain(&ad, Some(&knobs), NOW).conclusion("7.0").join(" ");
        let ends = "probably meant: the administrator of the access point can correct it.";
        assert!(said.ends_with(ends), "{said}");
    }
}

#[test]
fn attributes_that_need_themselves_and_costly_ones_end() {
    let looping = explained(&[
        ("PeriodicRelease", "Loop || PeriodicRelease"),
        ("Loop", "Other || loop"),
        ("Other", "Loop"),
    ]);
    assert!(looping.policies[0].root.as_ref().is_ok_and(|root| root.parts.len() == 2));
    let mut more: Vec<(String, String)> =
        (0..60).map(|level| (format!("a{level}"), format!("a{0} + a{0}", level + 1))).collect();
    more.push((
        "PeriodicRelease".to_owned(),
        "time() % 7919 == 0 && a0 > 3 && a1 > 3 && a2 > 3 && a3 > 3".to_owned(),
    ));
    let more: Vec<(&str, &str)> = more.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let costly = explained(&more);
    let root = costly.policies[0].root.as_ref().unwrap();
    assert_eq!(root.prospect, Some(Prospect::NotKnown));
    assert_eq!(root.parts[4].value, None, "no more long evaluations");
    assert_eq!(
        costly.conclusion("7.0"),
        ["Whether a policy releases it is not known; condor_release 7.0 releases it."]
    );
}

#[test]
fn long_expressions_are_cut() {
    let chain = root(&format!("{}NumHolds < 2", "NumHolds < 3 || ".repeat(1000)));
    assert_eq!(chain.parts.len() + chain.left_out, 1001);
    assert!(chain.parts.len() < 300);
    let mut nested = "NumHolds < 3".to_owned();
    for level in 0..60 {
        let operator = if level % 2 == 0 { "&&" } else { "||" };
        nested = format!("NumHolds > {level} {operator} ({nested})");
    }
    assert!(lines(&root(&nested)).len() < 40);
}

#[test]
fn very_many_names_end() {
    let names: Vec<String> = (0..20_000).map(|number| format!("Attribute{number} > 1")).collect();
    let explained = explained(&[("PeriodicRelease", &names.join(" || "))]);
    let release = &explained.policies[0];
    assert_eq!(release.prospect(), Some(Prospect::NotKnown));
    let root = release.root.as_ref().unwrap();
    assert_eq!(root.parts.len() + root.left_out, 20_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_ad_and_any_expression_are_explained(
        text in any::<String>(), ad_text in "(\\PC|[a-z] = |\n){0,40}", knob in any::<String>(),
    ) {
        let mut ad = ad(&[("PeriodicRelease", &text), ("PeriodicHold", &text)]);
        for line in ad_text.lines() {
            if let Some((name, text)) = line.split_once(" = ") {
                ad.insert_raw(name, text, classads::Syntax::Old);
            }
        }
        let knobs = Knobs::from_iter([("SYSTEM_PERIODIC_REMOVE", knob.as_str())]);
        let explanation = explain(&ad, Some(&knobs), NOW);
        for sentence in explanation.conclusion("7.0") {
            prop_assert!(!sentence.chars().any(char::is_control));
        }
    }

    /// Expressions of clauses as people write them: what is said of a part is what its evaluation
    /// gives.
    #[test]
    fn what_is_said_of_parts_is_what_evaluation_gives(
        text in "(\\(?(NumHolds < [0-9]|time\\(\\) - EnteredCurrentStatus > [0-9]{1,4}|x|Flag|true) (&&|\\|\\|) \\)?){1,6}NumHolds",
    ) {
        let ad = ad(&[("PeriodicRelease", &text), ("Flag", "NumHolds == 4 && NumJobStarts > 2")]);
        let explanation = explain(&ad, Some(&Knobs::default()), NOW);
        let Ok(root) = &explanation.policies[0].root else { return Ok(()) };
        let mut pending = vec![root];
        while let Some(part) = pending.pop() {
            let expr = Expr::parse_old(&part.text).unwrap();
            let is_true = |at| {
                ad.evaluate_expr(&expr, &classads::EvalContext::at(at)).as_condition() == Some(true)
            };
            prop_assert_eq!(part.value == Some(Truth::True), is_true(NOW));
            prop_assert!(!part.blocks || !is_true(NOW));
            match part.prospect {
                Some(Prospect::From(at)) => {
                    prop_assert!(is_true(at));
                    prop_assert!(at == NOW || !is_true(at - 1));
                }
                Some(Prospect::Stays) => prop_assert!(!is_true(NOW + 86_400)),
                _ => {}
            }
            pending.extend(&part.parts);
        }
    }
}
