//! Lists.

use super::Arguments;
use crate::eval::operators;
use crate::eval::scope::{Scope, Val};
use crate::eval::{Evaluator, Failure, Outcome};
use crate::expr::operator::BinaryOperator;
use crate::value::Value;

/// The elements' values, or what the argument is instead.
pub(crate) fn elements<'a>(
    evaluator: &Evaluator<'_>,
    list: &Val<'a>,
    site: &Scope<'a>,
) -> Result<Result<Vec<Val<'a>>, Value>, Failure> {
    match list {
        Val::List(elements, home) => {
            let at = site.of_elements(home);
            let values: Result<Vec<_>, _> =
                elements.iter().map(|element| evaluator.element_of(element, &at)).collect();
            values.map(Ok)
        }
        Val::Plain(Value::Undefined) => Ok(Err(Value::Undefined)),
        _ => Ok(Err(Value::Error)),
    }
}

fn is_number(value: &Val<'_>) -> bool {
    matches!(value, Val::Plain(Value::Integer(_) | Value::Real(_) | Value::Boolean(_)))
}

/// The defined elements, if they are all numbers; `Err` is the result otherwise.
fn numbers<'a>(arguments: &Arguments<'_, 'a>) -> Result<Result<Vec<Val<'a>>, Value>, Failure> {
    let list = arguments.value(0)?;
    let mut elements = match elements(arguments.evaluator, &list, arguments.scope)? {
        Ok(elements) => elements,
        Err(value) => return Ok(Err(value)),
    };
    elements.retain(|element| !element.is_undefined());
    if elements.iter().all(is_number) { Ok(Ok(elements)) } else { Ok(Err(Value::Error)) }
}

fn total<'a>(elements: &[Val<'a>]) -> Val<'a> {
    let Some((first, rest)) = elements.split_first() else { return 0.into() };
    rest.iter().fold(first.clone(), |sum, element| {
        Val::Plain(operators::binary(BinaryOperator::Add, &sum, element))
    })
}

pub(crate) fn sum<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    Ok(numbers(arguments)?.map_or_else(Val::Plain, |elements| total(&elements)))
}

#[allow(clippy::cast_precision_loss)]
pub(crate) fn average<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    Ok(numbers(arguments)?.map_or_else(Val::Plain, |elements| {
        let sum = total(&elements);
        if elements.is_empty() {
            // HTCondor's result for an empty list is the empty sum.
            return sum;
        }
        let count = Val::from(elements.len() as f64);
        Val::Plain(operators::binary(BinaryOperator::Divide, &sum, &count))
    }))
}

#[allow(clippy::cast_precision_loss)]
fn extreme<'a>(arguments: &Arguments<'_, 'a>, better: BinaryOperator) -> Outcome<'a> {
    Ok(numbers(arguments)?.map_or_else(Val::Plain, |elements| {
        let best = elements.into_iter().reduce(|best, element| {
            let is_real =
                [&best, &element].iter().any(|number| matches!(number, Val::Plain(Value::Real(_))));
            let is_better = operators::binary(better, &element, &best).as_boolean() == Some(true);
            let found = if is_better { element } else { best };
            // What was compared is a real if one of the two is, else an integer.
            match found.as_plain() {
                Some(Value::Integer(number)) if is_real => (*number as f64).into(),
                Some(Value::Boolean(truth)) if is_real => f64::from(u8::from(*truth)).into(),
                Some(Value::Boolean(truth)) => i64::from(*truth).into(),
                _ => found,
            }
        });
        best.unwrap_or(Val::UNDEFINED)
    }))
}

pub(crate) fn minimum<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    extreme(arguments, BinaryOperator::Less)
}

pub(crate) fn maximum<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    extreme(arguments, BinaryOperator::Greater)
}

pub(crate) fn size<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    let length = match arguments.value(0)? {
        Val::List(elements, _) => elements.len(),
        Val::Ad(scope) => scope.ad().len(),
        Val::Plain(Value::String(text)) => text.len(),
        Val::Plain(Value::Undefined) => return Ok(Val::UNDEFINED),
        Val::Plain(_) => return Ok(Val::ERROR),
    };
    Ok(Val::Plain(i64::try_from(length).map_or(Value::Error, Value::Integer)))
}

fn membership<'a>(arguments: &Arguments<'_, 'a>, identical: bool) -> Outcome<'a> {
    let wanted = arguments.value(0)?;
    let list = arguments.value(1)?;
    if list.is_undefined() || (!identical && wanted.is_undefined()) {
        return Ok(Val::UNDEFINED);
    }
    let Val::List(elements, home) = &list else { return Ok(Val::ERROR) };
    if !matches!(wanted, Val::Plain(_)) || (!identical && wanted.is_error()) {
        return Ok(Val::ERROR);
    }
    let operator = if identical { BinaryOperator::Identical } else { BinaryOperator::Equal };
    let at = arguments.scope.of_elements(home);
    for element in elements.iter() {
        let element = arguments.evaluator.element_of(element, &at)?;
        if operators::binary(operator, &element, &wanted).as_boolean() == Some(true) {
            return Ok(true.into());
        }
    }
    Ok(false.into())
}

pub(crate) fn member<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    membership(arguments, false)
}

pub(crate) fn identical_member<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    membership(arguments, true)
}

fn compare<'a>(arguments: &Arguments<'_, 'a>, all: bool) -> Outcome<'a> {
    let operator = arguments.value(0)?;
    if operator.is_undefined() {
        return Ok(Val::UNDEFINED);
    }
    let operator = match operator.as_str() {
        Some("<") => BinaryOperator::Less,
        Some("<=") => BinaryOperator::LessOrEqual,
        Some("!=") => BinaryOperator::NotEqual,
        Some("==") => BinaryOperator::Equal,
        Some(">") => BinaryOperator::Greater,
        Some(">=") => BinaryOperator::GreaterOrEqual,
        Some("is") => BinaryOperator::Identical,
        Some("isnt") => BinaryOperator::NotIdentical,
        _ => return Ok(Val::ERROR),
    };
    let list = arguments.value(1)?;
    if list.is_undefined() {
        return Ok(Val::UNDEFINED);
    }
    let Val::List(elements, home) = &list else { return Ok(Val::ERROR) };
    let other = arguments.value(2)?;
    let at = arguments.scope.of_elements(home);
    for element in elements.iter() {
        let element = arguments.evaluator.element_of(element, &at)?;
        match operators::compare_values(operator, &element, &other) {
            // An undefined comparison ends the search without success.
            Value::Undefined => return Ok(false.into()),
            Value::Boolean(holds) if holds != all => return Ok((!all).into()),
            Value::Boolean(_) => {}
            _ => return Ok(Val::ERROR),
        }
    }
    Ok(all.into())
}

pub(crate) fn any_compare<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    compare(arguments, false)
}

pub(crate) fn all_compare<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    compare(arguments, true)
}
