//! Lists.

use std::ops::ControlFlow;

use super::plain::{Given, Plain};
use super::{Answer, Arguments, Stop};
use crate::eval::operators;
use crate::eval::scalar::{self, Scalar};
use crate::eval::scope::Val;
use crate::expr::operator::BinaryOperator;
use crate::value::{Value, ValueType};

fn is_number(value: &Val<'_>) -> bool {
    matches!(value, Val::Plain(Value::Integer(_) | Value::Real(_) | Value::Boolean(_)))
}

/// The defined elements, which must all be numbers.
fn numbers<'a>(arguments: &Arguments<'_, 'a>) -> Result<Vec<Val<'a>>, Stop> {
    let (elements, home) = match arguments.value(0)? {
        Val::List(elements, home) => (elements, home),
        Val::Plain(Value::Undefined) => return Err(Stop::Undefined),
        _ => return Err(Stop::Error),
    };
    let at = arguments.scope.of_elements(&home);
    let values = elements.iter().map(|element| arguments.evaluator.element_of(element, &at));
    let mut values = values.collect::<Result<Vec<_>, _>>()?;
    values.retain(|element| !element.is_undefined());
    if values.iter().all(is_number) { Ok(values) } else { Err(Stop::Error) }
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

pub(crate) fn size<'v>(call: &Plain<'_, 'v>) -> Given<'v> {
    let length = match call.value(0)? {
        Scalar::Pieces(pieces) => pieces.count(),
        Scalar::Text(text) => text.len(),
        Scalar::Piece(text) => text.len(),
        Scalar::Other(Val::List(elements, _)) => elements.len(),
        Scalar::Other(Val::Ad(scope)) => scope.ad().len(),
        Scalar::Undefined => return Ok(Scalar::Undefined),
        _ => return Ok(Scalar::Error),
    };
    Ok(i64::try_from(length).map_or(Scalar::Error, Scalar::Integer))
}

pub(crate) fn membership<'v>(call: &Plain<'_, 'v>, identical: bool) -> Given<'v> {
    let (wanted, list) = (call.value(0)?, call.value(1)?);
    if list.is_undefined() || (!identical && wanted.is_undefined()) {
        return Ok(Scalar::Undefined);
    }
    let is_plain = !matches!(wanted.value_type(), ValueType::List | ValueType::ClassAd);
    let is_list = list.value_type() == ValueType::List;
    if !is_list || !is_plain || (!identical && wanted.is_error()) {
        return Ok(Scalar::Error);
    }
    let operator = if identical { BinaryOperator::Identical } else { BinaryOperator::Equal };
    let mut found = false;
    call.each(list, &mut |element| {
        found = match scalar::binary(operator, element, wanted) {
            Some(same) => matches!(same, Scalar::True),
            None => {
                let (element, wanted) = (element.into_val(), wanted.into_val());
                operators::binary(operator, &element, &wanted).as_boolean() == Some(true)
            }
        };
        Ok(if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(found.into())
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
