//! The names an attribute needs that its ad does not have.

use std::collections::BTreeMap;

use super::{Arguments, patterns};
use crate::eval::scope::{Scope, Val};
use crate::eval::{Evaluator, Failure, Found, Outcome};
use crate::expr::{Expr, Node, NodeKind};
use crate::print::Style;

/// Names by their text in lower case.
type Names = BTreeMap<String, String>;

/// The names with commas; with a pattern, whether one of them matches.
pub(crate) fn unresolved<'a>(
    evaluator: &Evaluator<'_>,
    arguments: &Arguments<'_, 'a>,
) -> Outcome<'a> {
    let Some(argument) = arguments.expression(0).filter(|_| arguments.len() <= 2) else {
        return Ok(Val::ERROR);
    };
    if !matches!(argument.root().kind(), NodeKind::Attribute { .. }) {
        return Ok(Val::ERROR);
    }
    let (Some(found), scope) = evaluator.find_reference(&argument, arguments.scope) else {
        return Ok(Val::UNDEFINED);
    };
    let pattern = match arguments.len() {
        1 => None,
        _ => Some(arguments.value(evaluator, 1)?),
    };
    let mut names = Names::new();
    if collect(evaluator, &found, &scope, &mut names).is_err() {
        // HTCondor then knows of none.
        names.clear();
    }
    let names = names.into_values().map(without_target).collect::<Vec<_>>();
    let Some(pattern) = pattern else { return Ok(names.join(",").into()) };
    let Some(pattern) = pattern.as_str() else { return Err(Failure) };
    Ok(Val::Plain(patterns::matches_any(evaluator, pattern, &names)?))
}

fn without_target(mut name: String) -> String {
    const TARGET: &str = "target.";
    if name.get(..TARGET.len()).is_some_and(|start| start.eq_ignore_ascii_case(TARGET)) {
        name.drain(..TARGET.len());
    }
    name
}

/// Adds what an expression needs; an error where that cannot be told.
fn collect<'a>(
    evaluator: &Evaluator<'_>,
    found: &Found<'a>,
    scope: &Scope<'a>,
    names: &mut Names,
) -> Result<(), Failure> {
    match found {
        Found::Expression(expr) => of_node(evaluator, expr.root(), scope, names),
        Found::Value(Val::Ad(ad)) => {
            let inside: Vec<Expr> = ad.ad().iter().map(|(_, expr)| expr.clone()).collect();
            of_all(evaluator, inside, scope, names)
        }
        Found::Value(_) => Ok(()),
    }
}

fn of_all<'a>(
    evaluator: &Evaluator<'_>,
    inside: impl IntoIterator<Item = Expr>,
    scope: &Scope<'a>,
    names: &mut Names,
) -> Result<(), Failure> {
    for expr in inside {
        evaluator.deeper(|| of_node(evaluator, expr.root(), scope, names))?;
    }
    Ok(())
}

fn of_node<'a>(
    evaluator: &Evaluator<'_>,
    node: Node<'_>,
    scope: &Scope<'a>,
    names: &mut Names,
) -> Result<(), Failure> {
    evaluator.charge(1)?;
    match node.kind() {
        NodeKind::Literal(_) => Ok(()),
        NodeKind::Attribute { scope: before, name, absolute } => {
            let from = match before {
                None if absolute => scope.root().clone(),
                None => scope.clone(),
                Some(before) => match evaluator.expression_deeper(&before.to_expr(), scope)? {
                    Val::Ad(inside) => inside,
                    value if value.is_undefined() => {
                        let name = format!("{}.{name}", before.to_expr().print(Style::New));
                        names.entry(name.to_ascii_lowercase()).or_insert(name);
                        return Ok(());
                    }
                    _ => return Err(Failure),
                },
            };
            match evaluator.find(&from, name) {
                (Some(found), at) => evaluator.deeper(|| collect(evaluator, &found, &at, names)),
                (None, _) => {
                    names.entry(name.to_ascii_lowercase()).or_insert_with(|| name.to_owned());
                    Ok(())
                }
            }
        }
        NodeKind::Unary(_, operand) | NodeKind::Parentheses(operand) => {
            evaluator.inside(|| of_node(evaluator, operand, scope, names))
        }
        NodeKind::Binary(_, left, right) => evaluator.inside(|| {
            of_node(evaluator, left, scope, names)?;
            of_node(evaluator, right, scope, names)
        }),
        NodeKind::Conditional(condition, yes, no) => evaluator.inside(|| {
            of_node(evaluator, condition, scope, names)?;
            of_node(evaluator, yes, scope, names)?;
            of_node(evaluator, no, scope, names)
        }),
        NodeKind::Call { arguments, .. } => {
            of_all(evaluator, arguments.iter().map(Node::to_expr), scope, names)
        }
        NodeKind::List(elements) => {
            of_all(evaluator, elements.iter().map(Node::to_expr), scope, names)
        }
        NodeKind::ClassAd(ad) => {
            of_all(evaluator, ad.iter().map(|(_, expr)| expr.clone()), scope, names)
        }
    }
}
