//! Rules about the hold reason codes and subcodes that are asked for, whatever is done with such
//! holds.

use std::ops::Range;

use classads::{BinaryOperator, Expr, Node, NodeKind, Value};

use super::parts::replaced_in_parentheses;
use super::probe::is_attribute;
use super::rules::{IMPOSSIBLE_SUBCODE, MEMORY_SUBCODE, UNUSED_CODE};
use super::{LintFinding, written};
use crate::hold_code::{HoldCode, OUT_OF_RESOURCES, Subcode, VACATE_BASE};
use crate::policy::clauses::operands;
use crate::policy::{NEVER_RELEASED, Version};

/// Whether no HTCondor of today holds a job with this code: beyond the table are codes of jobs that
/// left their machine.
pub(super) fn is_unused(code: i64) -> bool {
    row(code).is_none_or(|row| row.gone.is_some())
}

fn row(code: i64) -> Option<&'static HoldCode> {
    i32::try_from(code).ok().and_then(HoldCode::of)
}

/// Codes that no hold has.
pub(super) fn unused(text: &str, expr: &Expr) -> Vec<LintFinding> {
    let found = |node: Node<'_>| {
        let code = equal_to(node, "HoldReasonCode").filter(|code| is_unused(*code))?;
        let source = text.get(node.span())?;
        let why = match row(code).and_then(|row| row.gone) {
            Some(gone) => gone.to_owned(),
            None => format!(
                "codes of holds end at {}, those from {VACATE_BASE} on are of jobs that left \
                 their machine and stay in the queue",
                HoldCode::all().len() - 1
            ),
        };
        let source = written(source);
        let message = format!("no job is held with code {code}, {source} is never true: {why}");
        Some(LintFinding::new(&UNUSED_CODE, node.span(), message, None))
    };
    expr.nodes().filter_map(found).collect()
}

/// Code 34 with the subcode of another version, where the right one is named nowhere.
///
/// They stand in one chain of `&&`, or it was seen that holds with this subcode are released.
pub(super) fn memory_subcode(
    text: &str,
    expr: &Expr,
    version: Version,
    is_seen: impl Fn(i64) -> bool,
) -> Option<LintFinding> {
    let &[right] = version.memory_subcodes() else { return None };
    let (right, wrong) = (i64::from(right), i64::from(102 - right));
    if comparison(expr, text, "HoldReasonSubCode", right).is_some() {
        return None;
    }
    let asks = conjunctions(expr).any(|clauses| {
        let asks =
            |name, number| clauses.iter().any(|clause| equal_to(*clause, name) == Some(number));
        asks("HoldReasonCode", OUT_OF_RESOURCES.into()) && asks("HoldReasonSubCode", wrong)
    });
    let (span, source) = (asks || is_seen(wrong))
        .then(|| comparison(expr, text, "HoldReasonSubCode", wrong))
        .flatten()?;
    let message = format!(
        "memory holds of HTCondor {version} have subcode {right}, not {wrong}; it is 102 since 24.0.12 and was 0 before"
    );
    let other = source.replacen(&wrong.to_string(), &right.to_string(), 1);
    let corrected = replaced_in_parentheses(text, &span, format!("{source} || {other}"));
    Some(LintFinding::new(&MEMORY_SUBCODE, span, message, corrected))
}

/// The largest errno of Linux (`EHWPOISON`).
const LAST_ERRNO: i64 = 133;

/// The largest exit status of a program.
const LAST_STATUS: i64 = 255;

/// A code with a subcode that holds of this code never have; both stand in one chain of `&&`.
pub(super) fn impossible_subcodes(text: &str, expr: &Expr) -> Vec<LintFinding> {
    let found = |clauses: Vec<Node<'_>>| {
        let code = clauses.iter().find_map(|clause| equal_to(*clause, "HoldReasonCode"))?;
        let row = row(code)?;
        let (node, subcode) = clauses.iter().find_map(|clause| {
            let subcode = equal_to(*clause, "HoldReasonSubCode")?;
            Some((*clause, subcode))
        })?;
        let has = what_it_has(row.subcode, subcode)?;
        let source = written(text.get(node.span())?);
        let message =
            format!("holds with code {code} ({}) have {has}: {source} is never true", row.name);
        Some(LintFinding::new(&IMPOSSIBLE_SUBCODE, node.span(), message, None))
    };
    conjunctions(expr).filter_map(found).collect()
}

/// What subcodes of this kind are, where this one is none.
fn what_it_has(kind: Subcode, subcode: i64) -> Option<&'static str> {
    let is_errno = (0..=LAST_ERRNO).contains(&subcode);
    let (is, has) = match kind {
        Subcode::None | Subcode::Policy | Subcode::Ec2 => return None,
        Subcode::Errno => (is_errno, "an errno"),
        Subcode::Transfer => {
            let is_status = subcode % 256 == 0 && subcode / 256 <= LAST_STATUS;
            (subcode < 0 || is_errno || is_status, "an errno, or an exit status times 256")
        }
        Subcode::Hook => (subcode <= LAST_STATUS, "an exit status, or the negative of a signal"),
        Subcode::Resource => ([0, 102, 104].contains(&subcode), "subcode 102, 104 or 0"),
        Subcode::Exit => ((-1..=LAST_STATUS).contains(&subcode), "an exit status or -1"),
    };
    (!is).then_some(has)
}

/// Where the expression asks for a code that no policy releases, and which: a comparison for
/// equality, or an element of a list.
pub(super) fn never_released(expr: &Expr) -> Vec<(Range<usize>, i64)> {
    let mut out = Vec::new();
    for node in expr.nodes() {
        if let Some(code) = equal_to(node, "HoldReasonCode") {
            out.push((node.span(), code));
        }
        let NodeKind::Call { arguments, .. } = node.kind() else { continue };
        if !arguments.iter().any(|argument| is_attribute(*argument, "HoldReasonCode")) {
            continue;
        }
        for element in arguments.iter().filter_map(list).flatten() {
            if let NodeKind::Literal(Value::Integer(code)) = element.kind() {
                out.push((element.span(), *code));
            }
        }
    }
    out.retain(|(_, code)| NEVER_RELEASED.contains(code));
    out
}

/// The elements of a list.
fn list<'e>(node: &Node<'e>) -> Option<Vec<Node<'e>>> {
    match node.kind() {
        NodeKind::List(elements) => Some(elements),
        _ => None,
    }
}

/// The clauses of every chain of `&&`, each chain once.
fn conjunctions(expr: &Expr) -> impl Iterator<Item = Vec<Node<'_>>> {
    let mut pending = vec![expr.root()];
    std::iter::from_fn(move || {
        let clauses = operands(pending.pop()?, BinaryOperator::And);
        pending.extend(clauses.iter().flat_map(Node::children));
        Some(clauses)
    })
}

/// The number that an attribute is compared with for equality.
pub(super) fn equal_to(node: Node<'_>, wanted: &str) -> Option<i64> {
    let NodeKind::Binary(BinaryOperator::Equal | BinaryOperator::Identical, left, right) =
        node.kind()
    else {
        return None;
    };
    [(left, right), (right, left)].into_iter().find_map(|(one, other)| {
        match (one.kind(), other.kind()) {
            (NodeKind::Attribute { name, .. }, NodeKind::Literal(Value::Integer(number))) => {
                name.eq_ignore_ascii_case(wanted).then_some(*number)
            }
            _ => None,
        }
    })
}

/// A comparison for equality of this attribute with this number, and how it is written.
pub(super) fn comparison<'t>(
    expr: &Expr,
    text: &'t str,
    name: &str,
    number: i64,
) -> Option<(Range<usize>, &'t str)> {
    let span = expr.nodes().find(|node| equal_to(*node, name) == Some(number))?.span();
    Some((span.clone(), text.get(span)?))
}
