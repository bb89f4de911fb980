//! An expression in each of a list of ads.

use super::{Answer, Arguments, Stop};
use crate::eval::scope::{Scope, Val};
use crate::eval::{Evaluator, Failure, Found};
use crate::expr::Expr;
use crate::value::Value;

/// The value of what the first argument stands for, and is written at `home`, where an element of
/// the list is.
fn in_context<'a>(
    evaluator: &Evaluator<'_>,
    found: &Found<'a>,
    home: &Scope<'a>,
    element: Result<Val<'a>, Failure>,
) -> Val<'a> {
    match (element, found) {
        (Ok(Val::Ad(_)), Found::Value(value)) => value.clone(),
        (Ok(Val::Ad(scope)), Found::Expression(expr)) => {
            let scope = scope.visited_from(home);
            evaluator.expression_deeper(expr, &scope).unwrap_or(Val::ERROR)
        }
        (Ok(Val::Plain(Value::Undefined)), _) => Val::UNDEFINED,
        _ => Val::ERROR,
    }
}

/// The values of an expression in each of a list of ads.
fn in_each<'a>(arguments: &Arguments<'_, 'a>) -> Result<Vec<Val<'a>>, Stop> {
    let argument = arguments.expression(0).ok_or(Stop::Error)?;
    // An attribute that is there stands for its expression; the list is then looked up where that
    // is.
    let (found, site) = arguments.evaluator.find_reference(&argument, arguments.scope);
    let written_at = if found.is_some() { &site } else { arguments.scope };
    let found = found.unwrap_or(Found::Expression(argument));
    let list = arguments.expression(1).unwrap_or_else(|| Expr::literal(Value::Error));
    let at = site.of_elements(arguments.scope);
    match arguments.evaluator.expression(&list, &at).unwrap_or(Val::ERROR) {
        Val::List(elements, home) => {
            let at = site.of_elements(&home);
            let value = |element: &Expr| {
                arguments.evaluator.make_elements(1)?;
                let element = arguments.evaluator.expression_deeper(element, &at);
                Ok(in_context(arguments.evaluator, &found, written_at, element))
            };
            elements.iter().map(value).collect()
        }
        Val::Plain(Value::Undefined) => Err(Stop::Undefined),
        _ => Err(Stop::Error),
    }
}

pub(crate) fn eval_in_each_context<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let values = in_each(arguments)?.into_iter();
    let values = values.map(|value| arguments.evaluator.element(value));
    Ok(Val::list(values.collect::<Result<Vec<_>, _>>()?))
}

pub(crate) fn count_matches<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let values = match in_each(arguments) {
        Err(Stop::Undefined) => Vec::new(),
        values => values?,
    };
    let count = values.iter().filter(|value| value.as_condition() == Some(true)).count();
    Ok(i64::try_from(count).unwrap_or(i64::MAX).into())
}
