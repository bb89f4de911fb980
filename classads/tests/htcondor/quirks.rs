//! Rows of `docs/quirks.md` that expressions come upon.

use classads::{ClassAd, EvalContext, Expr, NodeKind, Value};

use crate::judge::{Difference, context, job};

/// Seconds to the year 5,000,000, where C's calendar of summer time begins to overflow.
const LAST_SECOND: i64 = 157_700_000_000_000;

/// The row that allows for a difference.
pub(crate) fn row(difference: &Difference) -> Option<&'static str> {
    if difference.here.1 != difference.htcondor.1 {
        let (here, theirs) = (&difference.here.1, &difference.htcondor.1);
        if without_quotes(here) == *theirs {
            return Some("names behind a dot");
        }
        if with_zones(here) == *theirs {
            return Some("times without a zone");
        }
        if with_zones(&without_quotes(here)) == *theirs {
            return Some("names behind a dot and times without a zone");
        }
    }
    let expr = Expr::parse(&difference.expression).ok()?;
    evaluation(&job(), &expr, difference.in_match)
}

/// The row that allows for another value of an expression on an ad.
pub(crate) fn evaluation(ad: &ClassAd, expr: &Expr, in_match: bool) -> Option<&'static str> {
    if in_match && looks_elsewhere(expr) {
        return Some("names behind functions that look in other ads");
    }
    if is_beyond_the_calendar(ad, expr) {
        return Some("times beyond the calendar");
    }
    has_bytes(ad, expr).then_some("strings that are not UTF-8")
}

/// Whether something in the expression is a string with a character that was cut.
fn has_bytes(ad: &ClassAd, expr: &Expr) -> bool {
    let steps = ad.evaluate_tree(expr, &context(0));
    steps.iter().any(|step| {
        step.value.as_str().is_some_and(|text| text.contains(char::REPLACEMENT_CHARACTER))
    })
}

/// Whether a function is called that leaves HTCondor in another ad than it found it in.
fn looks_elsewhere(expr: &Expr) -> bool {
    expr.nodes().any(|node| match node.kind() {
        NodeKind::Call { name, .. } => ["evalInEachContext", "countMatches", "unresolved"]
            .iter()
            .any(|function| name.eq_ignore_ascii_case(function)),
        NodeKind::ClassAd(nested) => nested.iter().any(|(_, expr)| looks_elsewhere(expr)),
        _ => false,
    })
}

/// `.'Odd Name'` as `.Odd Name` and `1.0 .x` as `1.0.x`.
fn without_quotes(text: &str) -> String {
    let mut out = String::new();
    let mut left = text;
    while let Some((before, name)) = left.split_once(".'") {
        let Some((name, after)) = name.split_once('\'') else { break };
        out.extend([before, ".", name]);
        left = after;
    }
    out += left;
    let digits = ('0'..='9').map(|digit| (format!("{digit} ."), format!("{digit}.")));
    digits.fold(out, |text, (ours, theirs)| text.replace(&ours, &theirs))
}

/// The text with the zone in each `absTime("...")` that has none: HTCondor adds its own when it
/// reads one.
pub(crate) fn with_zones(text: &str) -> String {
    let mut pieces = text.split("absTime(");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        if !piece.starts_with(['\\', '"']) {
            out.push_str("absTime(");
            out.push_str(piece);
            continue;
        }
        let inside: String = piece
            .trim_start_matches(['\\', '"'])
            .chars()
            .take_while(|character| !matches!(character, '\\' | '"'))
            .collect();
        let value = Expr::parse(&format!("string(absTime(\"{inside}\"))"))
            .map(|expr| ClassAd::new().evaluate_expr(&expr, &context(0)));
        let zoned = value.ok().and_then(|value| value.as_str().map(str::to_owned));
        out.push_str("absTime(");
        out.push_str(&piece.replacen(&inside, &zoned.unwrap_or_else(|| inside.clone()), 1));
    }
    out
}

/// Whether a function of times is given one before 1970, where C has no summer time without a table
/// of the zone, or beyond [`LAST_SECOND`].
fn is_beyond_the_calendar(ad: &ClassAd, expr: &Expr) -> bool {
    let has_function = expr.nodes().any(|node| match node.kind() {
        NodeKind::Call { name, .. } => ["splitTime", "formatTime", "absTime"]
            .iter()
            .any(|function| name.eq_ignore_ascii_case(function)),
        _ => false,
    });
    let has_time = || {
        ad.evaluate_tree(expr, &EvalContext::at(0)).iter().any(|step| match step.value {
            Value::Integer(seconds) | Value::AbsoluteTime { seconds, .. } => {
                !(0..=LAST_SECOND).contains(&seconds)
            }
            Value::RelativeTime(seconds) => seconds < 0.0,
            _ => false,
        })
    };
    let inside = || {
        expr.nodes().any(|node| match node.kind() {
            NodeKind::ClassAd(nested) => {
                nested.iter().any(|(_, expr)| is_beyond_the_calendar(ad, expr))
            }
            _ => false,
        })
    };
    has_function && has_time() || inside()
}
