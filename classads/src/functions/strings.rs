//! Strings.

use std::sync::Arc;

use super::conversions::{low_bits, to_string};
use super::{Answer, Arguments, Stop};
use crate::eval::Evaluator;
use crate::eval::scope::Val;
use crate::value::Value;

pub(crate) fn concatenate<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let mut text = String::new();
    for index in 0..arguments.len() {
        let piece = to_text(arguments.evaluator, arguments.value(index)?)?;
        arguments.evaluator.append(&mut text, &piece)?;
    }
    Ok(text.into())
}

/// The value as a string; undefined and error are what the function gives.
fn to_text(evaluator: &Evaluator<'_>, value: Val<'_>) -> Result<Arc<str>, Stop> {
    match to_string(evaluator, value)? {
        Value::String(text) => Ok(text),
        other => Err(other.into()),
    }
}

/// The arguments as strings, all of them.
pub(crate) fn strings<'v>(values: &'v [Val<'_>]) -> Result<Vec<&'v str>, Stop> {
    all_known(values)?;
    values.iter().map(|value| value.as_str().ok_or(Stop::ERROR)).collect()
}

/// None of the arguments is undefined or an error.
pub(crate) fn all_known(values: &[Val<'_>]) -> Result<(), Stop> {
    if values.iter().any(Val::is_error) {
        return Err(Stop::ERROR);
    }
    if values.iter().any(Val::is_undefined) {
        return Err(Value::Undefined.into());
    }
    Ok(())
}

/// `join(separator, a, b, ...)`, `join(separator, list)`, `join(list)`; undefined pieces are left
/// out.
pub(crate) fn join<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let mut pieces = Vec::new();
    let last = arguments.len().wrapping_sub(1);
    match arguments.len() {
        1 | 2 => match arguments.value(last)? {
            Val::List(elements, home) => {
                pieces.push(if last == 0 { "".into() } else { arguments.value(0)? });
                let at = arguments.scope.of_elements(&home);
                for element in elements.iter() {
                    pieces.push(arguments.evaluator.expression(element, &at)?);
                }
            }
            _ => pieces = arguments.values()?,
        },
        _ => pieces = arguments.values()?,
    }
    let mut text = String::new();
    let mut separator = Value::from("");
    let mut any_undefined = false;
    let mut any_defined = false;
    for (index, piece) in pieces.into_iter().enumerate() {
        match to_string(arguments.evaluator, piece)? {
            piece @ Value::String(_) if index == 0 => separator = piece,
            Value::String(piece) => {
                if !text.is_empty() {
                    arguments
                        .evaluator
                        .append(&mut text, separator.as_str().unwrap_or_default())?;
                }
                any_defined = true;
                arguments.evaluator.append(&mut text, &piece)?;
            }
            Value::Undefined => any_undefined = true,
            _ => return Ok(Val::ERROR),
        }
    }
    if any_undefined && !any_defined {
        return Ok(Val::UNDEFINED);
    }
    Ok(text.into())
}

pub(crate) fn changed<'a>(arguments: &Arguments<'_, 'a>, change: fn(&str) -> String) -> Answer<'a> {
    let text = to_text(arguments.evaluator, arguments.value(0)?)?;
    arguments.evaluator.make(text.len())?;
    Ok(change(&text).into())
}

/// Counts bytes, from the end where negative, as Perl's `substr`.
pub(crate) fn substring<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let values = arguments.values()?;
    if values.iter().any(Val::is_undefined) {
        return Ok(Val::UNDEFINED);
    }
    let integer =
        |index: usize| values.get(index).and_then(Val::as_plain).and_then(Value::as_integer);
    let (Some(text), Some(offset)) = (values[0].as_str(), integer(1)) else {
        return Ok(Val::ERROR);
    };
    let length = match values.len() {
        2 => None,
        _ => Some(i64::from(low_bits(integer(2).ok_or(Stop::ERROR)?))),
    };
    let whole = i64::try_from(text.len()).unwrap_or(i64::MAX);
    let offset = i64::from(low_bits(offset));
    let start = if offset < 0 { (whole + offset).max(0) } else { offset.min(whole) };
    let left = whole - start;
    let length = match length {
        None => left,
        Some(length @ 1..) => length.min(left),
        Some(0) => 0,
        Some(length) => (left + length).max(0),
    };
    let index = |value: i64| usize::try_from(value).unwrap_or(0);
    let bytes = &text.as_bytes()[index(start)..index(start + length)];
    Ok(Val::Plain(arguments.evaluator.text_copied(bytes)?))
}

/// What is made of two arguments as strings.
pub(crate) fn compared<'a>(
    arguments: &Arguments<'_, 'a>,
    compare: impl FnOnce(&str, &str) -> Value,
) -> Answer<'a> {
    let left = arguments.value(0)?;
    let right = arguments.value(1)?;
    if left.is_undefined() || right.is_undefined() {
        return Ok(Val::UNDEFINED);
    }
    let (left, right) = (to_text(arguments.evaluator, left)?, to_text(arguments.evaluator, right)?);
    Ok(Val::Plain(compare(&left, &right)))
}

/// The strings before and behind an at sign; `without`: where there is none.
pub(crate) fn at_sign<'a>(
    arguments: &Arguments<'_, 'a>,
    without: fn(&str) -> (&str, &str),
) -> Answer<'a> {
    let text = arguments.text(0)?;
    arguments.evaluator.make(text.len())?;
    arguments.evaluator.make_elements(2)?;
    let (first, second) = text.split_once('@').unwrap_or_else(|| without(&text));
    Ok(Val::list([Value::from(first), Value::from(second)]))
}

/// Pieces between separators. A separator that is no white space and follows itself leaves an empty
/// piece.
pub(crate) fn split<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let values = arguments.values()?;
    let text = values[0].as_str().ok_or(Stop::ERROR)?;
    let separators = values.get(1).map_or(Some(", \t"), Val::as_str).ok_or(Stop::ERROR)?;
    // HTCondor splits bytes: a separator beyond ASCII is several.
    let (bytes, separators) = (text.as_bytes(), Bytes::of(separators));
    let mut pieces = Vec::new();
    let mut add = |range| {
        arguments.evaluator.make_elements(1)?;
        pieces.push(arguments.evaluator.text_copied(&bytes[range])?);
        Ok::<_, Stop>(())
    };
    let mut from = 0;
    let mut last = None;
    for (at, separator) in bytes.iter().enumerate().filter(|(_, byte)| separators.has(**byte)) {
        if at > from {
            add(from..at)?;
        } else if last == Some(separator) {
            add(at..at)?;
        }
        if !is_space(char::from(*separator)) {
            last = Some(separator);
        }
        from = at + 1;
    }
    if from < bytes.len() {
        add(from..bytes.len())?;
    }
    Ok(Val::list(pieces))
}

/// A set of bytes.
pub(crate) struct Bytes([bool; 256]);

impl Bytes {
    /// The bytes of a text.
    pub(crate) fn of(text: &str) -> Self {
        let mut bytes = [false; 256];
        text.bytes().for_each(|byte| bytes[usize::from(byte)] = true);
        Self(bytes)
    }

    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }
}

/// C's `isspace`.
pub(crate) fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t'..='\r')
}
