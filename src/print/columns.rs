//! What `-af` and `-format` ask for: attributes of the advice or of the job ad, or expressions over
//! both. A name that both have is that of the advice.

use std::collections::BTreeSet;

use classads::{ClassAd, EvalContext, Expr, Syntax, Value as AdValue};
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::attributes::{NAMES, attributes, lookup};
use super::long::expression;
use crate::advice::Advice;
use crate::inquiry::bounded;
use crate::policy::nearest;
use crate::queue::AdText;
use crate::text::{Foreign, HIDDEN, has_secret, is_secret_attribute, printable};

/// A value to print.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    /// Of JSON's kinds.
    Value(Value),
    /// A text of others.
    Foreign(Foreign),
    /// An expression, or a value that JSON has no kind for.
    Text(String),
}

/// What is asked for, in its order.
#[derive(Debug)]
pub(super) struct Columns {
    columns: Vec<Column>,
    context: EvalContext<'static>,
    advices: usize,
}

#[derive(Debug)]
struct Column {
    text: String,
    /// `None` for an attribute that every advice has.
    expression: Option<Expr>,
    /// What the expression refers to and nothing had so far.
    unseen: BTreeSet<String>,
}

/// What else than the attributes of an advice an expression refers to; one that cannot be parsed
/// refers to nothing.
pub(crate) fn of_job_ad(text: &str) -> Vec<String> {
    let expression = Expr::parse_old(text).ok();
    let names = expression.iter().flat_map(Expr::attribute_references).map(|one| one.name);
    names.filter(|name| !is_of_advice(name)).collect()
}

/// What of an advice is another's text as it stands.
fn is_of_others(name: &str) -> bool {
    ["Owner", "HoldReason"].iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn is_of_advice(name: &str) -> bool {
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

impl Columns {
    /// These attributes and expressions, as of `now`, Unix seconds.
    pub(super) fn new<'a>(texts: impl IntoIterator<Item = &'a str>, now: i64) -> Self {
        let column = |text: &str| Column {
            text: text.to_owned(),
            expression: Expr::parse_old(text).ok().filter(|_| !is_of_advice(text)),
            unseen: of_job_ad(text).into_iter().collect(),
        };
        let columns = texts.into_iter().map(column).collect();
        Self { columns, context: bounded(now), advices: 0 }
    }

    /// Their values for an advice and the ad of its job; expressions of the job ad as they stand
    /// there where `raw`.
    pub(super) fn cells(
        &mut self,
        advice: &Advice,
        job: Option<&AdText>,
        zone: &TimeZone,
        raw: bool,
    ) -> Vec<Cell> {
        self.advices += 1;
        let attributes = attributes(advice, zone);
        let mut both = None;
        let mut cells = Vec::with_capacity(self.columns.len());
        for column in &mut self.columns {
            let Some(expression) = &column.expression else {
                cells.push(match lookup(&attributes, &column.text) {
                    Value::String(text) if is_of_others(&column.text) => Cell::Foreign(text.into()),
                    value => Cell::Value(value),
                });
                continue;
            };
            let ad = both.get_or_insert_with(|| joined(&attributes, job));
            column.unseen.retain(|name| !ad.contains(name));
            let as_it_stands = ad.raw(&column.text).filter(|_| raw);
            cells.push(match as_it_stands {
                Some(text) => Cell::Text(printable(text).into_owned()),
                None => match ad.try_evaluate_expr(expression, &self.context) {
                    Some(value) => cell(&value),
                    None => Cell::Text("error".to_owned()),
                },
            });
        }
        cells
    }

    /// A line for each name that no advice and no job ad had.
    pub(super) fn unknown(&self) -> Vec<String> {
        if self.advices == 0 {
            return Vec::new();
        }
        let unseen: BTreeSet<&String> = self.columns.iter().flat_map(|one| &one.unseen).collect();
        let line = |name: &String| {
            let hint = nearest(name, NAMES.iter().copied());
            let hint = hint.map(|nearest| format!("; did you mean {nearest}?"));
            let hint = hint.unwrap_or_default();
            format!("no advice and no job ad has an attribute {name}{hint}")
        };
        unseen.into_iter().map(line).collect()
    }
}

/// The ad of the job with the attributes of the advice. Secrets are taken out of its texts before
/// an expression can take them apart.
fn joined(attributes: &Map<String, Value>, job: Option<&AdText>) -> ClassAd {
    let mut ad = job.map(AdText::to_classad).unwrap_or_default();
    let may_be = |name: &&str| {
        is_secret_attribute(name) || ad.raw(name).is_some_and(|raw| raw.starts_with('"'))
    };
    let names: Vec<String> = ad.names().filter(may_be).map(str::to_owned).collect();
    for name in names {
        let text = match ad.get(&name).and_then(Expr::as_literal) {
            Some(AdValue::String(_)) | None if is_secret_attribute(&name) => HIDDEN.into(),
            Some(AdValue::String(text)) if has_secret(text) => printable(text),
            _ => continue,
        };
        let text = expression(&Value::from(text));
        ad.insert_raw(&name, &text, Syntax::Old);
    }
    for (name, value) in attributes.iter().filter(|(_, value)| !value.is_null()) {
        ad.insert_raw(name, &expression(value), Syntax::Old);
    }
    ad
}

fn cell(value: &AdValue) -> Cell {
    Cell::Value(match value {
        AdValue::Undefined => Value::Null,
        AdValue::Boolean(value) => (*value).into(),
        AdValue::Integer(value) => (*value).into(),
        AdValue::Real(value) if value.is_finite() => (*value).into(),
        AdValue::String(text) => return Cell::Foreign(text.to_string().into()),
        other => return Cell::Text(printable(&other.to_string()).into_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::samples::{self, NOW};

    fn cells(texts: &[&str], ad: &str, raw: bool) -> (Vec<Cell>, Vec<String>) {
        let ad = classads::read_ads(ad.as_bytes()).next().map(Result::unwrap).unwrap_or_default();
        let mut columns = Columns::new(texts.iter().copied(), NOW);
        let advice = samples::memory(345, 7, 2048);
        let cells = columns.cells(&advice, Some(&AdText::of(&ad)), &TimeZone::UTC, raw);
        (cells, columns.unknown())
    }

    const AD: &str = "RequestMemory = 2 * Base\nBase = 512\nCmd = \"/bin/\\u{1b}x\"\nOwner = 7\n";

    #[test]
    fn attributes_of_the_job_and_expressions_are_evaluated() {
        let texts = ["requestmemory", "ClusterId + Base", "size(Cmd) > 2", "Owner", "time()"];
        let (cells, unknown) = cells(&texts, AD, false);
        let owner = samples::memory(345, 7, 2048).held.owner;
        let mut expected =
            [1024.into(), 857.into(), true.into(), Value::from(NOW)].map(Cell::Value).to_vec();
        expected.insert(3, Cell::Foreign(owner.unwrap()));
        assert_eq!(cells, expected);
        assert_eq!(unknown, [""; 0]);
    }

    #[test]
    fn expressions_are_printed_as_they_stand() {
        let (cells, _) = cells(&["RequestMemory", "{ Base }"], AD, true);
        assert_eq!(cells, ["2 * Base", "{ Base }"].map(|text| Cell::Text(text.to_owned())));
    }

    #[test]
    fn names_that_nothing_has_are_named() {
        let (cells, unknown) = cells(&["Recomendation", "Base + Nothing"], AD, false);
        assert_eq!(cells, [Value::Null, Value::Null].map(Cell::Value));
        assert_eq!(
            unknown,
            [
                "no advice and no job ad has an attribute Nothing",
                "no advice and no job ad has an attribute Recomendation; did you mean Recommendation?"
            ]
        );
    }
}
