//! Rows of `docs/quirks.md` that expressions come upon.

use classads::{ClassAd, EvalContext, Expr, Value};

use crate::judge::Difference;

/// Seconds to the year 5,000,000, where C's calendar of summer time begins to overflow.
const LAST_SECOND: i64 = 157_700_000_000_000;

/// The row that allows for a difference.
pub(crate) fn row(ad: &ClassAd, difference: &Difference) -> Option<&'static str> {
    if difference.here.1 != difference.htcondor.1
        && without_quotes(&difference.here.1) == difference.htcondor.1
    {
        return Some("names behind a dot");
    }
    is_beyond_the_calendar(ad, &difference.expression).then_some("times beyond the calendar")
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

/// Whether a function of times is given one before 1970, where C has no summer time without a table of the zone, or beyond
/// [`LAST_SECOND`].
fn is_beyond_the_calendar(ad: &ClassAd, expression: &str) -> bool {
    let Ok(expr) = Expr::parse(expression) else { return false };
    let names = expression.to_ascii_lowercase();
    if !["splittime", "formattime", "abstime"].iter().any(|name| names.contains(name)) {
        return false;
    }
    ad.evaluate_tree(&expr, &EvalContext::at(0)).iter().any(|step| match step.value {
        Value::Integer(seconds) | Value::AbsoluteTime { seconds, .. } => {
            !(0..=LAST_SECOND).contains(&seconds)
        }
        Value::RelativeTime(seconds) => seconds < 0.0,
        _ => false,
    })
}
