//! Strings.

use super::Arguments;
use super::conversions::{low_bits, to_string};
use crate::eval::Outcome;
use crate::eval::operators;
use crate::eval::scope::Val;
use crate::value::Value;

pub(crate) fn concatenate<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    let mut text = String::new();
    for index in 0..arguments.len() {
        match to_string(arguments.evaluator, arguments.value(index)?)? {
            Value::String(piece) => arguments.evaluator.append(&mut text, &piece)?,
            other => return Ok(Val::Plain(other)),
        }
    }
    Ok(text.into())
}

/// `join(separator, a, b, ...)`, `join(separator, list)`, `join(list)`; undefined pieces are left out.
pub(crate) fn join<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
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

fn changed<'a>(arguments: &Arguments<'_, 'a>, change: fn(&str) -> String) -> Outcome<'a> {
    Ok(Val::Plain(match to_string(arguments.evaluator, arguments.value(0)?)? {
        Value::String(text) => {
            arguments.evaluator.make(text.len())?;
            Value::from(change(&text))
        }
        other => other,
    }))
}

pub(crate) fn upper<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    changed(arguments, str::to_ascii_uppercase)
}

pub(crate) fn lower<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    changed(arguments, str::to_ascii_lowercase)
}

/// Counts bytes, from the end where negative, as Perl's `substr`.
pub(crate) fn substring<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
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
        _ => match integer(2) {
            Some(length) => Some(i64::from(low_bits(length))),
            None => return Ok(Val::ERROR),
        },
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
    arguments.evaluator.text_copied(bytes).map(Val::Plain)
}

/// What is made of two arguments as strings.
pub(crate) fn compared<'a>(
    arguments: &Arguments<'_, 'a>,
    compare: impl FnOnce(&str, &str) -> Value,
) -> Outcome<'a> {
    let left = arguments.value(0)?;
    let right = arguments.value(1)?;
    if left.is_undefined() || right.is_undefined() {
        return Ok(Val::UNDEFINED);
    }
    let both = (to_string(arguments.evaluator, left)?, to_string(arguments.evaluator, right)?);
    Ok(Val::Plain(match both {
        (Value::String(left), Value::String(right)) => compare(&left, &right),
        _ => Value::Error,
    }))
}

pub(crate) fn compare<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    compared(arguments, |a, b| Value::from(a.as_bytes().cmp(b.as_bytes()) as i64))
}

pub(crate) fn compare_without_case<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    compared(arguments, |a, b| Value::from(operators::compare_without_case(a, b) as i64))
}

fn at_sign<'a>(arguments: &Arguments<'_, 'a>, without: fn(&str) -> (&str, &str)) -> Outcome<'a> {
    let value = arguments.value(0)?;
    let Some(text) = value.as_str() else { return Ok(Val::ERROR) };
    arguments.evaluator.make(text.len())?;
    arguments.evaluator.make_elements(2)?;
    let (first, second) = text.split_once('@').unwrap_or_else(|| without(text));
    Ok(Val::list([Value::from(first), Value::from(second)]))
}

/// `user@domain` as two strings.
pub(crate) fn split_user_name<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    at_sign(arguments, |text| (text, ""))
}

/// `slot@machine` as two strings.
pub(crate) fn split_slot_name<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    at_sign(arguments, |text| ("", text))
}

/// Pieces between separators. A separator that is no white space and follows itself leaves an empty piece.
pub(crate) fn split<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    let values = arguments.values()?;
    let Some(text) = values[0].as_str() else { return Ok(Val::ERROR) };
    let separators = match values.get(1) {
        None => ", \t",
        Some(value) => match value.as_str() {
            Some(separators) => separators,
            None => return Ok(Val::ERROR),
        },
    };
    // HTCondor splits bytes: a separator beyond ASCII is several.
    let (bytes, separators) = (text.as_bytes(), Bytes::of(separators));
    let mut pieces = Vec::new();
    let mut add = |range| {
        arguments.evaluator.make_elements(1)?;
        pieces.push(arguments.evaluator.text_copied(&bytes[range])?);
        Ok(())
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
