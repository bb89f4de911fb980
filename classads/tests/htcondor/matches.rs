//! What expressions refer to, and which ads match.

use classads::{ClassAd, EvalContext, Expr, ValueType};
use serde_json::Value as Json;

use crate::generated::{Grammar, seed};
use crate::judge::{ask, context, data, job, machine};
use crate::{htcondor, quirks};

/// Names in lower case: which spelling of one that occurs twice is told is a matter of what is
/// found first.
fn names(names: Option<Vec<String>>) -> Option<Vec<String>> {
    // The module tells them with commas between them, and a name may be `f(a,b).c`.
    let text = names?.join(",").to_ascii_lowercase();
    let mut names: Vec<String> = text
        .split(',')
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    names.sort_unstable();
    Some(names)
}

/// Constant times as HTCondor prints them (`docs/quirks.md`).
fn with_zones(names: Option<Vec<String>>) -> Option<Vec<String>> {
    Some(names?.iter().map(|name| quirks::with_zones(name)).collect())
}

fn their_names(answer: &Json) -> Option<Vec<String>> {
    let texts = answer.as_array()?.iter().filter_map(Json::as_str);
    names(Some(texts.map(str::to_owned).collect()))
}

#[test]
fn references_are_those_that_htcondor_finds() {
    let Some(python) = htcondor() else { return };
    let own = std::fs::read_to_string(data("expressions.txt")).expect("the file is there");
    let mut expressions: Vec<String> =
        own.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let mut grammar = Grammar::new(seed().wrapping_add(2));
    expressions.extend((0..10_000).map(|_| grammar.expression()));
    expressions.retain(|text| Expr::parse(text).is_ok());
    let questions: Vec<String> = expressions.iter().map(|text| format!("\u{1d}{text}")).collect();
    let ad = job();
    let mut differing = Vec::new();
    for (text, answer) in expressions.iter().zip(ask(&python, &questions)) {
        if answer[0] == "crash" {
            println!("HTCondor crashes on {text}");
            continue;
        }
        let expr = Expr::parse(text).expect("it was parsed before");
        let here = [
            names(with_zones(ad.external_references(&expr, &context(0)))),
            names(ad.internal_references(&expr, &context(0))),
        ];
        let theirs = [their_names(&answer[0]), their_names(&answer[1])];
        // HTCondor looks for internal references in the wrong ad behind `[].a` (`docs/quirks.md`).
        let compared = if [").", "]."].iter().any(|dot| text.contains(dot)) { 1 } else { 2 };
        if here[..compared] != theirs[..compared] {
            differing.push(format!("{text}\n    here     {here:?}\n    HTCondor {theirs:?}"));
        }
    }
    println!(
        "references of {} expressions compared, {} differ",
        expressions.len(),
        differing.len()
    );
    differing.sort_by_key(String::len);
    differing.truncate(30);
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn ads_match_that_match_in_htcondor() {
    let Some(python) = htcondor() else { return };
    let mut grammar = Grammar::new(seed().wrapping_add(3));
    let mut pairs: Vec<(ClassAd, ClassAd)> = vec![(job(), machine()), (job(), ClassAd::new())];
    for turn in 0..4_000 {
        let (mut job, mut machine) = (job(), machine());
        // The module evaluates the expression, not the attribute: what needs itself is something
        // else then.
        let conditions = [grammar.condition(), grammar.condition()]
            .map(|text| Expr::parse(&text).ok().filter(|_| !text.contains("Requirements")));
        let [of_job, of_machine] = conditions;
        if let Some(requirements) = of_job {
            job.insert("Requirements", requirements);
        }
        if let Some(requirements) = of_machine.filter(|_| turn % 2 == 0) {
            machine.insert("Requirements", requirements);
        }
        // As HTCondor reads them: a printed real may have fewer digits, and a relative time of 68
        // years cannot be read (`docs/quirks.md`).
        if let [Ok(job), Ok(machine)] = [job, machine].map(|ad| ClassAd::parse(&new(&ad))) {
            pairs.push((job, machine));
        }
    }
    let questions: Vec<String> = pairs
        .iter()
        .map(|(job, machine)| format!("\u{1c}{}\t{}", new(job), new(machine)))
        .collect();
    let (mut matches, mut known) = (0, 0);
    for ((job, machine), answer) in pairs.iter().zip(ask(&python, &questions)) {
        let context = context(EvalContext::default().now);
        let here = [
            job.matches(machine, &context),
            machine.matches(job, &context),
            job.symmetric_match(machine, &context),
        ];
        let theirs = [0, 1, 2].map(|at| answer[at].as_bool());
        // The module takes a relative time for a real, HTCondor itself for no condition.
        let is_length = |ad: &ClassAd, target| {
            let context = EvalContext { target: Some(target), ..context.clone() };
            ad.evaluate("Requirements", &context).value_type() == ValueType::RelativeTime
        };
        if is_length(job, machine) || is_length(machine, job) {
            continue;
        }
        let requirements = |ad: &ClassAd| ad.get("Requirements").map(ToString::to_string);
        let (first, second) = (requirements(job), requirements(machine));
        let is_known = |ad: &ClassAd| {
            ad.get("Requirements").is_some_and(|expr| quirks::evaluation(ad, expr, true).is_some())
        };
        if here.map(Some) != theirs && (is_known(job) || is_known(machine)) {
            known += 1;
            continue;
        }
        assert_eq!(here.map(Some), theirs, "{first:?} and {second:?}");
        matches += usize::from(here[2]);
    }
    println!(
        "{} pairs of ads compared, {matches} match, {known} differ as docs/quirks.md says",
        pairs.len()
    );
    assert!(matches > 0);
}

fn new(ad: &ClassAd) -> String {
    Expr::literal(classads::Value::ClassAd(ad.clone().into())).print(classads::Style::New)
}
