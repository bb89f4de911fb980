//! Rules about parts of an expression: names, functions, types, alternatives.

use std::collections::BTreeSet;
use std::ops::Range;

use classads::{BinaryOperator, Budget, EvalContext, Expr, Node, NodeKind, Value};

use super::names;
use super::probe;
use super::rules::{
    BARE_NUMBER, CURRENT_TIME, ERROR_VALUE, IMPLIED, NUM_SYSTEM_HOLDS, OWN_ATTRIBUTE, TARGET_SCOPE,
    UNKNOWN_ATTRIBUTE, UNKNOWN_FUNCTION,
};
use super::{LintFinding, MAX_REPEATED, Setting, named, written};
use crate::policy::clauses::{is_comparison, operands};

/// Codes of the held jobs on which the types of all parts are looked at.
const CODES: [i64; 4] = [3, 12, 13, 34];

/// Alternatives that are compared with each other.
const MAX_ALTERNATIVES: usize = 64;

/// Bytes before and behind what is corrected in a long text.
const AROUND: usize = 100;

/// All findings about parts.
pub(super) fn findings(text: &str, expr: &Expr, setting: &Setting<'_>) -> Vec<LintFinding> {
    let mut out = Vec::new();
    let is_of_grid = |name: &str| names::is_of_grid_jobs(name);
    let is_grid = setting.is_grid
        || expr.nodes().any(
            |node| matches!(node.kind(), NodeKind::Attribute { name, .. } if is_of_grid(name)),
        );
    let compared = compared(expr);
    for node in expr.nodes() {
        match node.kind() {
            NodeKind::Attribute { scope, name, .. } => {
                let found = attribute(text, node, scope, name, setting);
                // It is there for such jobs.
                out.extend(found.filter(|found| !is_grid || found.rule != &NUM_SYSTEM_HOLDS));
            }
            NodeKind::Call { name, is_known: false, .. } => out.push(function(text, node, name)),
            NodeKind::Binary(BinaryOperator::And | BinaryOperator::Or, left, right) => {
                out.extend(
                    [left, right].into_iter().filter_map(|side| number(text, &compared, side)),
                );
            }
            _ => {}
        }
    }
    correct_all(text, &mut out);
    out.extend(errors(text, expr));
    out.extend(implied(text, expr));
    out
}

/// Where the name of an attribute stands: behind its scope.
fn name_span(node: Node<'_>, name: &str) -> Range<usize> {
    let span = node.span();
    span.end.saturating_sub(name.len()).max(span.start)..span.end
}

/// The text with something else in one place; of one that is not repeated, what stands around.
pub(super) fn replaced(text: &str, span: &Range<usize>, new: &str) -> Option<String> {
    if text.len() <= MAX_REPEATED {
        return replaced_in_whole(text, span, new);
    }
    let start = text.floor_char_boundary(span.start.saturating_sub(AROUND));
    let end = text.ceil_char_boundary(span.end.saturating_add(AROUND));
    let (before, after) = (text.get(start..span.start)?, text.get(span.end..end)?);
    Some(format!("{}{before}{new}{after}{}", dots(start > 0), dots(end < text.len())))
}

/// The text with something else in one place, however long it is.
pub(super) fn replaced_in_whole(text: &str, span: &Range<usize>, new: &str) -> Option<String> {
    Some(format!("{}{new}{}", text.get(..span.start)?, text.get(span.end..)?))
}

/// The text with something of its own in parentheses in one place, where there are none around it.
pub(super) fn replaced_in_parentheses(
    text: &str,
    span: &Range<usize>,
    new: String,
) -> Option<String> {
    let (before, after) = (text.get(..span.start)?, text.get(span.end..)?);
    let is_inside = before.trim_end().ends_with('(') && after.trim_start().starts_with(')');
    replaced(text, span, &if is_inside { new } else { format!("({new})") })
}

/// What differs in a corrected text, and what stands around.
pub(super) fn part(text: &str, corrected: &str) -> String {
    let same = |(one, other): &(u8, u8)| one == other;
    let head = text.bytes().zip(corrected.bytes()).take_while(same).count();
    let tail = text.bytes().rev().zip(corrected.bytes().rev()).take_while(same).count();
    let start = corrected.floor_char_boundary(head.saturating_sub(AROUND));
    let end = corrected.ceil_char_boundary((corrected.len() - tail).max(head) + AROUND);
    // Where it differs at both ends, the middle is left out.
    let first = corrected.floor_char_boundary(start + 2 * AROUND);
    let last = corrected.ceil_char_boundary(end.saturating_sub(2 * AROUND));
    let inside = if first < last {
        format!("{} ... {}", &corrected[start..first], &corrected[last..end])
    } else {
        corrected[start..end].to_owned()
    };
    format!("{}{inside}{}", dots(start > 0), dots(end < corrected.len()))
}

/// What stands where something is cut off.
const fn dots(is_cut: bool) -> &'static str {
    if is_cut { "..." } else { "" }
}

/// What is written `time()` in one place should be in all: the corrected text of one finding is
/// that of the others.
fn correct_all(text: &str, findings: &mut [LintFinding]) {
    let mut found: Vec<_> =
        findings.iter_mut().filter(|finding| finding.rule == &CURRENT_TIME).collect();
    let whole = (text.len() <= MAX_REPEATED).then(|| {
        let spans = found.iter().rev().map(|finding| &finding.span);
        spans.fold(text.to_owned(), |text, span| replaced(&text, span, "time()").unwrap_or(text))
    });
    for finding in &mut found {
        finding.corrected = whole.clone().or_else(|| replaced(text, &finding.span, "time()"));
    }
}

/// A number where a condition should stand: `HoldReasonCode == 13 || 12`.
fn number(text: &str, compared: &[Compared], side: Node<'_>) -> Option<LintFinding> {
    let NodeKind::Literal(Value::Integer(number)) = side.kind() else { return None };
    // 0 and 1 are written for false and true.
    if (0..=1).contains(number) {
        return None;
    }
    let span = side.span();
    let message = format!("{number} is no comparison here: any number but 0 is true by itself");
    // The comparison before it was probably meant to go on.
    let before = compared.iter().filter(|(_, end)| *end <= span.start);
    let head =
        before.filter_map(|(head, _)| text.get(head.clone())).max_by_key(|head| head.as_ptr());
    let corrected = head.and_then(|head| replaced(text, &span, &format!("{head}{number}")));
    Some(LintFinding::new(&BARE_NUMBER, span, message, corrected))
}

/// A comparison with a number: what stands before the number, and where that ends.
type Compared = (Range<usize>, usize);

fn compared(expr: &Expr) -> Vec<Compared> {
    let with_number = |node: Node<'_>| match node.kind() {
        NodeKind::Binary(operator, left, right) if is_comparison(operator) => {
            let is_number = matches!(right.kind(), NodeKind::Literal(Value::Integer(_)));
            let head = left.span().start..right.span().start;
            is_number.then(|| (head, right.span().end))
        }
        _ => None,
    };
    expr.nodes().filter_map(with_number).collect()
}

fn attribute(
    text: &str,
    node: Node<'_>,
    scope: Option<Node<'_>>,
    name: &str,
    setting: &Setting<'_>,
) -> Option<LintFinding> {
    let before = scope.and_then(|scope| match scope.kind() {
        NodeKind::Attribute { scope: None, name, .. } => Some(name.to_ascii_lowercase()),
        _ => None,
    });
    let span = name_span(node, name);
    // A macro: there is a finding of its own.
    if text.get(span.clone()).is_some_and(|written| written.starts_with('$')) {
        return None;
    }
    let shown = named(name);
    match before.as_deref() {
        Some("target") => {
            let message = format!(
                "TARGET.{shown} is undefined: a job's policy is evaluated on its own ad, without the ad of a machine"
            );
            // What job ads do not have either, is of no use.
            let corrected =
                names::is_known(name).then(|| replaced(text, &node.span(), name)).flatten();
            return Some(LintFinding::new(&TARGET_SCOPE, node.span(), message, corrected));
        }
        None if scope.is_some() => return None,
        Some(other) if other != "my" => return None,
        _ => {}
    }
    // The word before a dot is no attribute of its own.
    if name.eq_ignore_ascii_case("TARGET") {
        return None;
    }
    if name.eq_ignore_ascii_case("CurrentTime") {
        let message =
            "time() says the same, and not only where old ClassAds are emulated".to_owned();
        return Some(LintFinding::new(&CURRENT_TIME, node.span(), message, None));
    }
    if name.eq_ignore_ascii_case("NumSystemHolds") {
        let message = "NumSystemHolds counts the holds of grid universe jobs and a few by the schedd itself; what a shadow or a policy puts on hold is \
                       not in it, so that it mostly stays 0. NumHolds counts all holds"
            .to_owned();
        return Some(LintFinding::new(
            &NUM_SYSTEM_HOLDS,
            span.clone(),
            message,
            replaced(text, &span, "NumHolds"),
        ));
    }
    let is_own = setting.own_attributes.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
    if names::is_known(name) || is_own {
        return None;
    }
    let corrected = |instead: &str| replaced(text, &span, instead);
    let (rule, message, corrected) = if let Some(own) = names::of_machines(name) {
        let message = format!(
            "{shown} is an attribute of machines, no job ad has it; {own} is what job ads have"
        );
        (&UNKNOWN_ATTRIBUTE, message, None)
    } else if names::is_of_globus(name) {
        let message = format!(
            "no HTCondor of today sets {shown}, as jobs of Globus are gone: it is undefined"
        );
        (&UNKNOWN_ATTRIBUTE, message, None)
    } else if ["null", "none", "nil"].iter().any(|word| word.eq_ignore_ascii_case(name)) {
        let message = format!(
            "{name} is no value of ClassAds but the name of an attribute that no ad has; undefined is what is meant"
        );
        (&OWN_ATTRIBUTE, message, corrected("undefined"))
    } else if let Some(nearest) = names::nearest_attribute(name) {
        let message = format!("no job ad has {shown}; did you mean {nearest}?");
        (&UNKNOWN_ATTRIBUTE, message, corrected(nearest))
    } else {
        let mut message = format!(
            "HTCondor sets no {shown}; it is undefined unless the submit description has +{shown}, or SUBMIT_ATTRS or a job transform sets it"
        );
        if looks_like_knob(name) {
            message.push_str(&format!("; the value of a knob of that name is $({shown})"));
        }
        (&OWN_ATTRIBUTE, message, None)
    };
    Some(LintFinding::new(rule, span, message, corrected))
}

/// Knobs have words in capitals with lines between them, job attributes have not.
fn looks_like_knob(name: &str) -> bool {
    let words = name.split('_').filter(|word| !word.is_empty());
    let capitals = |word: &&str| !word.bytes().any(|byte| byte.is_ascii_lowercase());
    words.filter(capitals).nth(1).is_some()
}

fn function(text: &str, node: Node<'_>, name: &str) -> LintFinding {
    let start = node.span().start;
    let span = start..start + name.len();
    let nearest = names::nearest(name, classads::function_names());
    let hint = nearest.map(|nearest| format!("; did you mean {nearest}?")).unwrap_or_default();
    let corrected = nearest.and_then(|nearest| replaced(text, &span, nearest));
    LintFinding::new(
        &UNKNOWN_FUNCTION,
        span,
        format!("there is no function {name}{hint}"),
        corrected,
    )
}

/// Parts that are an error on every job, though nothing in them is.
fn errors(text: &str, expr: &Expr) -> Vec<LintFinding> {
    if expr.nodes().nth(probe::MAX_PARTS).is_some() {
        return Vec::new();
    }
    let is_candidate = |node: &Node<'_>| {
        !matches!(node.kind(), NodeKind::Literal(_) | NodeKind::Call { is_known: false, .. })
    };
    let span = |node: &Node<'_>| (node.span().start, node.span().end);
    let budget = Budget::new(probe::MAX_WORK);
    let always = CODES.into_iter().map(|code| {
        let (ad, context) = probe::example(code);
        let context = EvalContext { budget: Some(budget.clone()), ..context };
        // What is given up is no error of its types.
        let is_error = |node: &Node<'_>| {
            matches!(ad.try_evaluate_expr(&node.to_expr(), &context), Some(Value::Error))
        };
        let errors: BTreeSet<_> = expr.nodes().filter(is_error).map(|node| span(&node)).collect();
        let innermost = |node: &Node<'_>| {
            errors.contains(&span(node))
                && !node.children().iter().any(|child| errors.contains(&span(child)))
        };
        let candidates = expr.nodes().filter(is_candidate).filter(innermost);
        candidates.map(|node| span(&node)).collect::<BTreeSet<_>>()
    });
    let spans = always.reduce(|known, here| &known & &here).unwrap_or_default();
    spans.into_iter().map(|(start, end)| error(text, expr, start..end)).collect()
}

fn error(text: &str, expr: &Expr, span: Range<usize>) -> LintFinding {
    let node = expr.nodes().find(|node| node.span() == span);
    let mut corrected = None;
    let message = match node.map(|node| node.kind()) {
        Some(NodeKind::Call { name, .. }) => {
            format!(
                "{name} is an error with these arguments, whatever the job: look at their types in the manual"
            )
        }
        Some(NodeKind::Binary(operator, left, right)) => {
            // A number in quotation marks.
            corrected = [left, right].into_iter().find_map(|side| {
                let NodeKind::Literal(Value::String(number)) = side.kind() else { return None };
                number.parse::<i64>().ok()?;
                replaced(text, &side.span(), number)
            });
            format!("'{}' is an error between these operands, whatever the job", operator.symbol())
        }
        _ => "this is an error, whatever the job".to_owned(),
    };
    LintFinding::new(&ERROR_VALUE, span, message, corrected)
}

/// Alternatives that another one contains.
fn implied(text: &str, expr: &Expr) -> Vec<LintFinding> {
    let alternatives = operands(expr.root(), BinaryOperator::Or);
    if !(2..=MAX_ALTERNATIVES).contains(&alternatives.len()) {
        return Vec::new();
    }
    let clauses: Vec<BTreeSet<String>> = alternatives
        .iter()
        .map(|alternative| {
            let clauses = operands(*alternative, BinaryOperator::And);
            clauses.iter().map(|clause| clause.to_string().to_ascii_lowercase()).collect()
        })
        .collect();
    let source = |at: usize| text.get(alternatives[at].span()).unwrap_or_default();
    let mut out = Vec::new();
    for (at, inner) in clauses.iter().enumerate() {
        let contains = |other: usize| {
            other != at
                && clauses[other].is_subset(inner)
                && (clauses[other].len() < inner.len() || other < at)
        };
        if let Some(outer) = (0..clauses.len()).find(|&other| contains(other)) {
            let others: Vec<&str> =
                (0..clauses.len()).filter(|&other| other != at).map(source).collect();
            let message =
                format!("whenever this is true, {} is true already", written(source(outer)));
            out.push(LintFinding::new(
                &IMPLIED,
                alternatives[at].span(),
                message,
                Some(others.join(" || ")),
            ));
        }
    }
    out
}
