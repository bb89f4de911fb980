//! Evaluation is charged by the work it does: what looks through much takes many steps, and several
//! evaluations share a budget.

use std::time::{Duration, Instant};

use classads::{Budget, ClassAd, EvalContext, Expr};

/// Of all expressions of a test, by a debug build on a busy machine; uncharged they take many
/// minutes.
const MAX_TIME: Duration = Duration::from_secs(120);

/// The steps an expression takes on an ad; `None` where a million do not do.
fn steps(ad: &ClassAd, text: &str) -> Option<u64> {
    const ALL: u64 = 1_000_000;
    let budget = Budget::new(ALL);
    let context = EvalContext { budget: Some(budget.clone()), ..EvalContext::at(0) };
    let expr = Expr::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    ad.try_evaluate_expr(&expr, &context)?;
    Some(ALL - budget.left())
}

fn ad() -> ClassAd {
    let mut ad = ClassAd::new();
    ad.insert_value("Short", "abc");
    ad.insert_value("Long", "ab ".repeat(1 << 16));
    ad.insert_value("Commas", ",".repeat(1 << 16));
    ad.insert("Same", Expr::parse(&format!("{{ {} 1 }}", "Long, ".repeat(500))).expect("a list"));
    ad
}

#[test]
fn what_looks_through_much_takes_many_steps() {
    let ad = ad();
    for text in [
        "size(split(#))",
        "split(#, Commas) =?= 1",
        "stringListSize(#)",
        "stringListMember(\"x\", #)",
        "stringListsIntersect(#, #)",
        "regexp(\"x\", #)",
        "regexps(\"a\", #, \"b\", \"g\")",
        "toUpper(#)",
        "strcat(#, #)",
        "substr(#, 1)",
        "# == strcat(#, \"a\")",
        "strcmp(#, #)",
        "int(#)",
        "member(#, { #, # })",
        "eval(#)",
    ] {
        let of = |name: &str| steps(&ad, &text.replace('#', name));
        let short = of("Short").unwrap_or_else(|| panic!("{text}"));
        assert!(short < 4_000, "{text}: {short}");
        assert!(of("Long").is_none_or(|long| long > short + 2_000), "{text}: {:?}", of("Long"));
    }
}

#[test]
fn work_that_multiplies_ends_soon() {
    let start = Instant::now();
    let ad = ad();
    for text in [
        // Every element as long as the string it is compared with.
        "member(strcat(Long, \"a\"), Same)",
        "anyCompare(\">\", Same, strcat(Long, \"a\"))",
        "stringListSubsetMatch(Long, replaceAll(\"b\", \"c\", Long))",
        "stringListsIntersect(Long, Long, Commas)",
        "regexp(\"(a+)+$\", strcat(\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\", \"b\"))",
        "regexp(\"a*b*a*b* *x\", Long)",
        "regexpMember(\"(.+)+x\", Same)",
    ] {
        let _ = steps(&ad, text);
    }
    assert!(start.elapsed() < MAX_TIME, "{:?}", start.elapsed());
    // PCRE2's own limit is beyond a million steps.
    let explodes = "regexp(\"(a+)+$\", \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\")";
    assert_eq!(steps(&ad, explodes), None);
}

#[test]
fn steps_do_not_depend_on_what_was_evaluated_before() {
    let ad = ad();
    for text in ["regexp(\"(a|b)+ x\", Short)", "Short == \"abd\" && size(Short) > 2"] {
        let first = steps(&ad, text);
        assert!(first.is_some_and(|steps| steps > 0), "{text}");
        // Compiled patterns are kept, and forgotten again.
        for other in 0..100 {
            let _ = steps(&ad, &format!("regexp(\"a{other}\", Short)"));
        }
        assert_eq!(steps(&ad, text), first, "{text}");
    }
}

#[test]
fn evaluations_share_a_budget() {
    let budget = Budget::new(1_000);
    let context = EvalContext { budget: Some(budget.clone()), ..EvalContext::at(0) };
    let ad = ad();
    for text in ["1 + Short * 2", "size(split(Short))"] {
        let expr = Expr::parse(text).expect("an expression");
        assert!(ad.try_evaluate_expr(&expr, &context).is_some());
        let left = budget.left();
        assert!(ad.try_evaluate_expr(&expr, &context).is_some());
        assert!(budget.left() < left, "{text}");
    }
    let expr = Expr::parse("size(split(Long))").expect("an expression");
    assert_eq!(ad.try_evaluate_expr(&expr, &context), None);
    assert_eq!(budget.left(), 0);
    let expr = Expr::parse("Short").expect("an expression");
    assert_eq!(ad.try_evaluate_expr(&expr, &context), None, "nothing is left for others");
}
