//! Expressions that would make gigabytes are given up, in little time and memory.

use std::time::{Duration, Instant};

use classads::{ClassAd, EvalContext, Expr, Value};

/// Of one evaluation, by a debug build on a busy machine; without a limit they take minutes, or all
/// the memory.
const MAX_TIME: Duration = Duration::from_secs(60);

/// KiB of memory of the process: several times what one evaluation may make.
const MAX_MEMORY: u64 = 512 * 1024;

/// Attributes of which each is made of the next.
const LEVELS: usize = 60;

/// What `#` is made of, `#` being the next attribute; the last one is a string.
const GROWING: [&str; 19] = [
    r#"strcat(#, #)"#,
    r#"strcat(toUpper(#), toLower(#))"#,
    r#"strcat(substr(#, 0), #)"#,
    r#"join(#, "a", #)"#,
    r#"join(#, { 1, 2, 3, 4 })"#,
    r#"join({ #, # })"#,
    r#"replaceAll("a", "aaaaaaaaaaaaaaaa", #)"#,
    r#"replace("a", #, strcat(#, #))"#,
    r#"regexps("(?s)(.*)", #, "\\1\\1\\1\\1")"#,
    r#"regexps("(?s)(.)", #, "\\0\\1\\0", "g")"#,
    r#"listToArgs({ strcat(#, " ' ", #) })"#,
    r#"mergeEnvironment(strcat("A='", replaceAll("'", #, "''"), replaceAll("'", #, "b"), "'"))"#,
    r#"envV1ToV2(strcat("A=", #, "'", #))"#,
    r#"join(" ", split(strcat(#, " ", #), "a"))"#,
    r#"join(" ", argsToList(strcat(#, " ", #)))"#,
    r#"formatTime(0, strcat(#, "%999d"))"#,
    r#"evalInEachContext(#, { [], [], [], [], [], [], [], [] })"#,
    r#"string(evalInEachContext(#, { [], [], [] }))"#,
    r#"{ [ x = # ], [ x = # ] }.x"#,
];

/// What makes much of little, once or a few times.
const LARGE: [&str; 6] = [
    // A list that holds one string many times.
    "string(evalInEachContext(Text, Many))",
    "size(evalInEachContext(evalInEachContext(x, Many), Many))",
    "size(evalInEachContext(self, Many)) + size(evalInEachContext(MY, Many))",
    "size(formatTime(0, Widths))",
    "size(eval(strcat(\"\\\"\", Text, Text, Text, Text, \"\\\"\")))",
    "size(unparse(Deep))",
];

fn ad(growing: &str) -> ClassAd {
    let mut ad = ClassAd::new();
    let mut insert = |name: &str, text: &str| {
        let expr = Expr::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        ad.insert(name, expr);
    };
    for level in 0..LEVELS {
        insert(&format!("A{level}"), &growing.replace('#', &format!("A{}", level + 1)));
    }
    insert(&format!("A{LEVELS}"), r#""=aaa aaaaaa\\""#);
    insert("Text", &format!("\"{}\"", "a".repeat(100_000)));
    insert("Widths", &format!("\"{}\"", "%999d".repeat(20_000)));
    insert("Many", &format!("{{ {} }}", ["[ x = 1 ]"; 10_000].join(",")));
    insert("Deep", &format!("{}{}{}", "{".repeat(100), "0,".repeat(50_000) + "0", "}".repeat(100)));
    ad
}

/// KiB of memory that the process had at most, where the system tells.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[track_caller]
fn assert_given_up(ad: &ClassAd, text: &str, context: &EvalContext<'_>) {
    let expr = Expr::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let start = Instant::now();
    assert_eq!(ad.try_evaluate_expr(&expr, context), None, "{text} is given up");
    assert!(start.elapsed() < MAX_TIME, "{text} took {:?}", start.elapsed());
    let memory = most_memory().unwrap_or_default();
    assert!(memory < MAX_MEMORY, "{text} took {memory} KiB");
    assert_eq!(ad.evaluate_expr(&expr, context), Value::Error, "{text}");
}

fn with_bytes(max_bytes: usize) -> EvalContext<'static> {
    EvalContext { max_bytes, ..EvalContext::at(0) }
}

#[test]
fn strings_and_lists_that_grow_are_given_up() {
    for growing in GROWING {
        assert_given_up(&ad(growing), "size(A0) > 0", &with_bytes(4 << 20));
    }
    let ad = ad("1");
    for text in LARGE {
        assert_given_up(&ad, text, &with_bytes(16 << 20));
    }
}

#[test]
fn the_usual_limit_keeps_memory() {
    let replaced = (0..8).fold("\"a\"".to_owned(), |inside, _| {
        format!("replaceAll(\"a\", \"aaaaaaaaaaaaaaaa\", {inside})")
    });
    let context = EvalContext::at(0);
    assert_given_up(&ClassAd::new(), &format!("size({replaced}) > 0"), &context);
    assert_given_up(&ad("strcat(#, #)"), "size(A0) > 0", &context);
}

#[test]
fn what_is_within_the_limit_is_made() {
    let ad = ClassAd::parse("[ a = \"12345\" ]").expect("an ad");
    for (text, bytes, expected) in [
        ("strcat(a, a)", 10, "\"1234512345\""),
        ("join(\"-\", a, a)", 11, "\"12345-12345\""),
        ("replaceAll(\"2\", a, \"xy\")", 6, "\"1xy345\""),
        ("regexps(\"(2)(3)\", a, \"\\\\2-\\\\1\")", 3, "\"3-2\""),
        ("toUpper(\"abc\")", 3, "\"ABC\""),
        ("substr(a, 1, 2)", 2, "\"23\""),
        ("string(12)", 2, "\"12\""),
        ("size(a) + stringListSize(a)", 0, "6"),
        ("regexp(\"2\", a) && a == \"12345\"", 0, "true"),
    ] {
        let expr = Expr::parse(text).expect(text);
        let value = |bytes| ad.try_evaluate_expr(&expr, &with_bytes(bytes));
        assert_eq!(
            value(bytes).map(|value| value.to_string()).as_deref(),
            Some(expected),
            "{text}"
        );
        if let Some(less) = bytes.checked_sub(1) {
            assert_eq!(value(less), None, "{text}");
        }
    }
}

#[test]
fn functions_that_go_on_behind_a_failure_make_nothing_more() {
    let ad = ad("strcat(#, #)");
    let expr = Expr::parse("size(evalInEachContext(A0, Many))").expect("an expression");
    let start = Instant::now();
    let _ = ad.evaluate_expr(&expr, &with_bytes(1 << 20));
    assert!(start.elapsed() < MAX_TIME);
}

#[test]
fn the_values_of_the_parts_take_no_more_together() {
    let ad = ad("1");
    let expr = Expr::parse("size(strcat(Text, Text)) + size(strcat(Text, Text, Text))");
    let steps = ad.evaluate_tree(&expr.expect("an expression"), &with_bytes(600_000));
    assert_eq!(steps[0].value, 500_000.into());
    assert!(steps.iter().any(|step| step.text.starts_with("strcat") && step.value.is_error()));
}

#[test]
fn string_lists_of_many_items_take_steps() {
    let mut ad = ClassAd::new();
    ad.insert_value("Items", "item,".repeat(100_000).as_str());
    let items: Vec<String> = (0..100_000).map(|item| item.to_string()).collect();
    ad.insert_value("Numbers", items.join(",").as_str());
    assert_given_up(&ad, "stringListSubsetMatch(Numbers, Numbers)", &EvalContext::at(0));
    let intersect = Expr::parse("stringListsIntersect(Items, Numbers)").expect("an expression");
    assert_eq!(ad.evaluate_expr(&intersect, &EvalContext::at(0)), false.into());
}

#[test]
fn matches_that_try_without_end_are_an_error() {
    let text = format!("regexp(\"(a+)+$\", \"{}!\")", "a".repeat(60));
    let expr = Expr::parse(&text).expect("an expression");
    let start = Instant::now();
    // HTCondor 25.14 gives an error too: its PCRE2 has the same limit.
    let value = ClassAd::new().try_evaluate_expr(&expr, &EvalContext::at(0));
    assert_eq!(value, Some(Value::Error));
    assert!(start.elapsed() < MAX_TIME);
}
