//! Whether an expression can be true of a held job at all.

use std::collections::BTreeSet;

use classads::{
    BinaryOperator, Budget, ClassAd, EvalContext, Expr, Node, NodeKind, ReferenceScope,
};

use super::probe::{
    AGES, CODES, COUNTS, HELD_AT, MAX_CONSTANTS, MAX_PARTS, MAX_WORK, SUBCODES, constants,
    held_once, is_true, job_with,
};
use crate::policy::clauses::{followed, is_by_chance, operands};

/// A job that is ten years old, seconds.
const LONG_AGO: i64 = 10 * 365 * 86_400;

/// Counts of holds and runs that are tried, besides those the expression names.
const NUMBERS: std::ops::RangeInclusive<i64> = 0..=10;

/// The part that is to blame where an expression is true of no held job: one clause of it, or the
/// whole. `None` where it may be true, or that is not known; `own` are attributes of the job with
/// the text of their values.
pub(super) fn blamed<'e>(expr: &'e Expr, own: &[(String, String)]) -> Option<Node<'e>> {
    let clauses = operands(expr.root(), BinaryOperator::And);
    let work = Budget::new(MAX_WORK);
    let single = clauses.iter().find(|clause| is_never_true(&clause.to_expr(), own, &work));
    single.copied().or_else(|| is_never_true(expr, own, &work).then(|| expr.root()))
}

/// Whether it is known that no held job makes it true.
///
/// Codes, subcodes, ages and counts are tried. Of anything else in an ad (its owner, its request,
/// how its program ended) no value can be ruled out. What takes more `work` than is left is not
/// known.
fn is_never_true(expr: &Expr, own: &[(String, String)], work: &Budget) -> bool {
    let job = job_with(own);
    let all = followed(&job, expr);
    let parts = all.iter().flat_map(Expr::nodes).take(MAX_PARTS + 1).count();
    if parts > MAX_PARTS {
        return false;
    }
    let Some(varied) = varied(&all, own) else { return false };
    let ages = if names_time(&all) { ages(&all) } else { vec![1] };
    let tries = varied.iter().map(|(_, values)| values.len()).product::<usize>() * ages.len();
    if u64::try_from(tries.saturating_mul(parts)).is_ok_and(|all| all > work.left()) {
        return false;
    }
    let mut ad = held_once(&job);
    (0..tries / ages.len()).all(|mut number| {
        for (name, values) in &varied {
            ad.insert_value(name, values[number % values.len()]);
            number /= values.len();
        }
        ages.iter().all(|age| is_true(&ad, expr, *age, work) == Some(false))
    })
}

/// The attributes that are named and the values they are given; `None` where one may have any
/// value.
fn varied(all: &[Expr], own: &[(String, String)]) -> Option<Vec<(String, Vec<i64>)>> {
    let mut out: Vec<(String, Vec<i64>)> = Vec::new();
    for reference in all.iter().flat_map(Expr::attribute_references) {
        let name = reference.name;
        match reference.scope {
            // No job ad has it.
            ReferenceScope::Target => continue,
            ReferenceScope::Other => return None,
            ReferenceScope::Unscoped | ReferenceScope::My => {}
        }
        let is = |other: &str| other.eq_ignore_ascii_case(&name);
        let fixed = ["JobStatus", "EnteredCurrentStatus", "CurrentTime", "MY", "TARGET"];
        if fixed.into_iter().any(is) || out.iter().any(|(known, _)| is(known)) {
            continue;
        }
        let named = || {
            let named = constants(all, &name);
            named
                .into_iter()
                .flat_map(|value| [value.saturating_sub(1), value, value.saturating_add(1)])
        };
        let values: BTreeSet<i64> = if is("HoldReasonCode") {
            (0..CODES).chain(named()).collect()
        } else if is("HoldReasonSubCode") {
            SUBCODES.into_iter().chain(named()).collect()
        } else if is("QDate") {
            [HELD_AT, HELD_AT - 10_000, HELD_AT - LONG_AGO].into()
        } else if is("NumJobStarts") || COUNTS.into_iter().any(is) {
            // A job that is held was held once at least.
            let least = i64::from(is("NumHolds"));
            let numbers = NUMBERS.chain([100, 1000, 1_000_000]).chain(named());
            numbers.filter(|number| *number >= least).collect()
        } else if own.iter().any(|(own, _)| is(own)) && !job_with(&[]).contains(&name) {
            continue;
        } else {
            return None;
        };
        out.push((name, values.into_iter().collect()));
    }
    (!all.iter().any(is_by_chance)).then_some(out)
}

fn names_time(all: &[Expr]) -> bool {
    let is_time = |node: Node<'_>| match node.kind() {
        NodeKind::Call { name, .. } => name.eq_ignore_ascii_case("time"),
        NodeKind::Attribute { name, .. } => name.eq_ignore_ascii_case("CurrentTime"),
        _ => false,
    };
    all.iter().flat_map(Expr::nodes).any(is_time)
}

/// Seconds on hold that are tried: about every constant of the expression, too.
fn ages(all: &[Expr]) -> Vec<i64> {
    let nowhere = ClassAd::new();
    let value = |node: Node<'_>| {
        let expr = node.to_expr();
        let is_constant = expr
            .nodes()
            .all(|node| !matches!(node.kind(), NodeKind::Attribute { .. } | NodeKind::Call { .. }));
        let value = || {
            nowhere
                .evaluate_expr(&expr, &EvalContext { now: HELD_AT, ..EvalContext::quick() })
                .as_real()
        };
        // Ages of more than some ten thousand years are none.
        is_constant.then(value)?.filter(|value| (1.0..1e12).contains(value))
    };
    let named = all.iter().flat_map(Expr::nodes).filter_map(value).take(MAX_CONSTANTS);
    let near = named.map(|value| value as i64).flat_map(|age| [age - 1, age, age + 1]);
    let ages: BTreeSet<i64> = AGES.into_iter().chain([LONG_AGO]).chain(near).collect();
    ages.into_iter().filter(|age| *age > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn never(text: &str) -> Option<String> {
        let expr = Expr::parse_old(text).unwrap();
        blamed(&expr, &[]).map(|node| node.to_string())
    }

    #[test]
    fn what_depends_on_the_job_may_be_true() {
        for text in [
            "HoldReasonCode == 13 && NumHolds >= 2 && NumHolds < 5",
            "HoldReasonCode == 13 && NumHolds > 400",
            "HoldReasonCode == 13 && NumHolds < 3 && NumJobStarts > 3",
            "HoldReasonCode == 13 && NumJobStarts == 0",
            "JobRunCount > 2",
            "JobPrio > 10",
            "Owner == \"bob\"",
            "JobUniverse == 9",
            "RequestMemory > 100000",
            "ExitBySignal",
            "time() - EnteredCurrentStatus > 40 * 86400",
            "time() - EnteredCurrentStatus > 1000 && time() - EnteredCurrentStatus < 3000",
            "time() - QDate < 3600",
            "HoldReasonSubCode > 2000",
            "NumHoldsByReason.JobPolicy > 3",
            "random(10) == 11",
        ] {
            assert_eq!(never(text), None, "{text}");
        }
    }

    #[test]
    fn what_no_held_job_has_is_never_true() {
        for (text, expected) in [
            ("JobStatus == 2 && MyFlag", "JobStatus == 2"),
            ("HoldReasonCode == 13 && NumHolds < 1", "NumHolds < 1"),
            ("NumHolds < 3 && time() - QDate < 0", "time() - QDate < 0"),
            ("EnteredCurrentStatus - time() > 600", "EnteredCurrentStatus - time() > 600"),
            (
                "HoldReasonCode == 12 && HoldReasonCode == 13",
                "HoldReasonCode == 12 && HoldReasonCode == 13",
            ),
            ("TARGET.JobPrio > 0", "TARGET.JobPrio > 0"),
        ] {
            assert_eq!(never(text).as_deref(), Some(expected), "{text}");
        }
    }
}
