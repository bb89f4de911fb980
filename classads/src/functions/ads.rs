//! Functions that look at expressions and ads instead of plain values.

use super::Arguments;
use super::conversions::to_string;
use super::patterns;
use crate::eval::scope::{Scope, Val};
use crate::eval::{Evaluator, Outcome};
use crate::expr::{Expr, NodeKind};
use crate::name::Name;
use crate::print::{self, Style};
use crate::value::Value;

pub(crate) fn if_then_else<'a>(
    evaluator: &Evaluator<'_>,
    arguments: &Arguments<'_, 'a>,
) -> Outcome<'a> {
    if arguments.len() != 3 {
        return Ok(Val::ERROR);
    }
    let condition = arguments.value(evaluator, 0)?;
    if condition.is_undefined() {
        return Ok(Val::UNDEFINED);
    }
    match condition.as_condition() {
        Some(true) => arguments.value(evaluator, 1),
        Some(false) => arguments.value(evaluator, 2),
        None => Ok(Val::ERROR),
    }
}

/// The value of an expression given as a string.
pub(crate) fn eval<'a>(evaluator: &Evaluator<'_>, arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    if arguments.len() != 1 {
        return Ok(Val::ERROR);
    }
    let Value::String(text) = to_string(arguments.value(evaluator, 0)?) else {
        return Ok(Val::ERROR);
    };
    match Expr::parse(&text) {
        Ok(expr) => evaluator.expression_deeper(&expr, arguments.scope),
        Err(_) => Ok(Val::ERROR),
    }
}

/// HTCondor writes what it evaluates to a daemon's log; the value is the argument's.
pub(crate) fn debug<'a>(evaluator: &Evaluator<'_>, arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    if arguments.len() != 1 {
        return Ok(Val::ERROR);
    }
    arguments.value(evaluator, 0)
}

/// The expression of an attribute as text, not evaluated.
pub(crate) fn unparse<'a>(_: &Evaluator<'_>, arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    let Some(argument) = arguments.expression(0).filter(|_| arguments.len() == 1) else {
        return Ok(Val::ERROR);
    };
    if !matches!(argument.root().kind(), NodeKind::Attribute { .. }) {
        return Ok(Val::ERROR);
    }
    // HTCondor looks the printed reference up as one name: `a.b` finds nothing.
    let name = argument.print(Style::New);
    let mut text = String::new();
    if let Some(expr) = arguments.scope.ad().get(&name) {
        print::on_several_lines(&mut text, expr);
    }
    Ok(text.into())
}

/// What an attribute reference stands for, and where.
fn dereference<'a>(
    evaluator: &Evaluator<'_>,
    argument: &Expr,
    scope: &Scope<'a>,
) -> Option<(Expr, Scope<'a>)> {
    let NodeKind::Attribute { scope: before, name, absolute } = argument.root().kind() else {
        return None;
    };
    let name = Name::new(name);
    let mut at = match before {
        None if absolute => scope.root().clone(),
        None => scope.clone(),
        Some(before) => match evaluator.expression_deeper(&before.to_expr(), scope) {
            Ok(Val::Ad(inside)) => inside,
            _ => return None,
        },
    };
    loop {
        if let Some(Ok(expr)) = at.ad().lookup(name.hash, &name.text) {
            return Some((expr.clone(), at));
        }
        at = at.parent()?.clone();
    }
}

fn in_context<'a>(evaluator: &Evaluator<'_>, expr: &Expr, element: Val<'a>) -> Val<'a> {
    match element {
        Val::Ad(scope) => evaluator.expression_deeper(expr, &scope).unwrap_or(Val::ERROR),
        Val::Plain(Value::Undefined) => Val::UNDEFINED,
        _ => Val::ERROR,
    }
}

/// The values of an expression in each of a list of ads; `Err` is the result.
fn in_each<'a>(
    evaluator: &Evaluator<'_>,
    arguments: &Arguments<'_, 'a>,
    undefined: Value,
) -> Result<Result<Vec<Val<'a>>, Value>, crate::eval::Failure> {
    let Some(mut expr) = arguments.expression(0).filter(|_| arguments.len() == 2) else {
        return Ok(Err(Value::Error));
    };
    // An attribute that is there stands for its expression.
    if let Some((found, _)) = dereference(evaluator, &expr, arguments.scope) {
        expr = found;
    }
    let list = arguments.value(evaluator, 1).unwrap_or(Val::ERROR);
    match list {
        Val::List(elements, scope) => {
            let mut values = Vec::with_capacity(elements.len());
            for element in elements.iter() {
                let element = evaluator.expression_deeper(element, &scope).unwrap_or(Val::ERROR);
                values.push(in_context(evaluator, &expr, element));
            }
            Ok(Ok(values))
        }
        Val::Plain(Value::Undefined) => Ok(Err(undefined)),
        _ => Ok(Err(Value::Error)),
    }
}

pub(crate) fn eval_in_each_context<'a>(
    evaluator: &Evaluator<'_>,
    arguments: &Arguments<'_, 'a>,
) -> Outcome<'a> {
    Ok(match in_each(evaluator, arguments, Value::Undefined)? {
        Ok(values) => Val::list(values.into_iter().map(Val::into_value)),
        Err(value) => Val::Plain(value),
    })
}

pub(crate) fn count_matches<'a>(
    evaluator: &Evaluator<'_>,
    arguments: &Arguments<'_, 'a>,
) -> Outcome<'a> {
    Ok(match in_each(evaluator, arguments, Value::Integer(0))? {
        Ok(values) => {
            let count = values.iter().filter(|value| value.as_condition() == Some(true)).count();
            i64::try_from(count).unwrap_or(i64::MAX).into()
        }
        Err(value) => Val::Plain(value),
    })
}

/// The names an attribute's expression uses that its ad does not have, with commas; with a pattern, whether one
/// of them matches.
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
    let Some((expr, scope)) = dereference(evaluator, &argument, arguments.scope) else {
        return Ok(Val::UNDEFINED);
    };
    let names = unresolved_names(&expr, &scope);
    if arguments.len() == 1 {
        return Ok(names.join(",").into());
    }
    let pattern = arguments.value(evaluator, 1)?;
    let Some(pattern) = pattern.as_str() else { return Err(crate::eval::Failure) };
    Ok(Val::Plain(patterns::matches_any(pattern, "i", &names)))
}

fn unresolved_names(expr: &Expr, scope: &Scope<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    let mut pending = vec![expr.clone()];
    while let Some(expr) = pending.pop() {
        for reference in expr.attribute_references() {
            let key = reference.name.to_ascii_lowercase();
            if seen.contains(&key) {
                continue;
            }
            seen.push(key);
            match dereference_name(&reference.name, scope) {
                Some(inner) => pending.push(inner),
                None => names.push(reference.name),
            }
        }
    }
    names.sort_by_key(|name| name.to_ascii_lowercase());
    names
}

fn dereference_name(name: &str, scope: &Scope<'_>) -> Option<Expr> {
    let mut at = scope;
    loop {
        if let Some(expr) = at.ad().get(name) {
            return Some(expr.clone());
        }
        at = at.parent()?;
    }
}
