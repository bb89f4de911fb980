//! Lists.

use super::{Answer, Arguments, Stop};
use crate::eval::operators;
use crate::eval::scope::Val;
use crate::expr::operator::BinaryOperator;
use crate::value::Value;

fn is_number(value: &Val<'_>) -> bool {
    matches!(value, Val::Plain(Value::Integer(_) | Value::Real(_) | Value::Boolean(_)))
}

/// The defined elements, which must all be numbers.
fn numbers<'a>(arguments: &Arguments<'_, 'a>) -> Result<Vec<Val<'a>>, Stop> {
    let (elements, home) = match arguments.value(0)? {
        Val::List(elements, home) => (elements, home),
        Val::Plain(Value::Undefined) => return Err(Value::Undefined.into()),
        _ => return Err(Stop::ERROR),
    };
    let at = arguments.scope.of_elements(&home);
    let values = elements.iter().map(|element| arguments.evaluator.element_of(element, &at));
    let mut values = values.collect::<Result<Vec<_>, _>>()?;
    values.retain(|element| !element.is_undefined());
    if values.iter().all(is_number) { Ok(values) } else { Err(Stop::ERROR) }
}

fn total<'a>(elements: &[Val<'a>]) -> Val<'a> {
    let Some((first, rest)) = elements.split_first() else { return 0.into() };
    rest.iter().fold(first.clone(), |sum, element| {
        Val::Plain(operators::binary(BinaryOperator::Add, &sum, element))
    })
}

pub(crate) fn sum<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    Ok(total(&numbers(arguments)?))
}

#[allow(clippy::cast_precision_loss)]
pub(crate) fn average<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let elements = numbers(arguments)?;
    let sum = total(&elements);
    if elements.is_empty() {
        // HTCondor's result for an empty list is the empty sum.
        return Ok(sum);
    }
    let count = Val::from(elements.len() as f64);
    Ok(Val::Plain(operators::binary(BinaryOperator::Divide, &sum, &count)))
}

#[allow(clippy::cast_precision_loss)]
pub(crate) fn extreme<'a>(arguments: &Arguments<'_, 'a>, better: BinaryOperator) -> Answer<'a> {
    let best = numbers(arguments)?.into_iter().reduce(|best, element| {
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
    Ok(best.unwrap_or(Val::UNDEFINED))
}

pub(crate) fn size<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let length = match arguments.value(0)? {
        Val::List(elements, _) => elements.len(),
        Val::Ad(scope) => scope.ad().len(),
        Val::Plain(Value::String(text)) => text.len(),
        Val::Plain(Value::Undefined) => return Ok(Val::UNDEFINED),
        Val::Plain(_) => return Ok(Val::ERROR),
    };
    Ok(Val::Plain(i64::try_from(length).map_or(Value::Error, Value::Integer)))
}

pub(crate) fn membership<'a>(arguments: &Arguments<'_, 'a>, identical: bool) -> Answer<'a> {
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

pub(crate) fn compare<'a>(arguments: &Arguments<'_, 'a>, all: bool) -> Answer<'a> {
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
        match operators::binary(operator, &element, &other) {
            // An undefined comparison ends the search without success.
            Value::Undefined => return Ok(false.into()),
            Value::Boolean(holds) if holds != all => return Ok((!all).into()),
            Value::Boolean(_) => {}
            _ => return Ok(Val::ERROR),
        }
    }
    Ok(all.into())
}
