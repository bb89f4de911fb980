//! Regular expressions, by PCRE2 as in HTCondor: bytes, not characters, unless the pattern begins
//! with `(*UTF)`.

use std::ops::ControlFlow;

use super::pattern::Pattern;
use super::plain::{Given, Plain};
use super::{Stop, string_lists};
use crate::eval::Failure;
use crate::eval::meter::Meter;
use crate::eval::scalar::Scalar;
use crate::value::{Value, ValueType};

pub(crate) fn regexp<'v>(call: &Plain<'_, 'v>) -> Given<'v> {
    let [pattern, text, options, _] = call.texts()?;
    let mut pattern = Pattern::new(pattern.unwrap_or_default(), options.unwrap_or_default());
    let found = pattern.is_match(call.meter, text.unwrap_or_default().as_bytes(), 0)?;
    Ok(found.map_or(Scalar::Error, Scalar::from))
}

/// Whether the pattern matches an element of a list.
pub(crate) fn regexp_member<'v>(call: &Plain<'_, 'v>) -> Given<'v> {
    let values = call.values()?;
    if values.iter().flatten().any(|value| value.is_error()) {
        return Ok(Scalar::Error);
    }
    if values.iter().flatten().any(|value| value.is_undefined()) {
        return Ok(Scalar::Undefined);
    }
    let [Some(pattern), Some(list), options, _] = values else { return Ok(Scalar::Error) };
    let options = options.map_or(Some(""), Scalar::as_str).ok_or(Stop::Error)?;
    let mut pattern = Pattern::new(pattern.as_str().ok_or(Stop::Error)?, options);
    if list.value_type() != ValueType::List {
        return Ok(Scalar::Error);
    }
    let mut answer = Scalar::False;
    call.each(list, &mut |element| {
        match element.as_str() {
            Some(text) if pattern.is_match(call.meter, text.as_bytes(), 0)? == Some(true) => {
                answer = Scalar::True;
                return Ok(ControlFlow::Break(()));
            }
            Some(_) => {}
            None if element.is_undefined() => answer = Scalar::Undefined,
            None => return Err(Stop::Error),
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(answer)
}

/// Whether the pattern matches an item of a string list: `(pattern, list, delimiters, options)`.
pub(crate) fn string_list_regexp_member<'v>(call: &Plain<'_, 'v>) -> Given<'v> {
    let values = call.values()?;
    let text = |index: usize| {
        values[index].map_or(Ok(None), |value| match value.as_str() {
            Some(text) => Ok(Some(text)),
            None => Err(Stop::Error),
        })
    };
    let (pattern, list) = (text(0)?.unwrap_or_default(), text(1)?.unwrap_or_default());
    let delimiters = text(2)?.unwrap_or(", ");
    let options = text(3)?.unwrap_or_default().to_ascii_lowercase();
    let mut pattern = Pattern::new(pattern, &options);
    if !pattern.is_pattern() {
        return Ok(Scalar::Error);
    }
    let mut items = string_lists::items(list, delimiters).peekable();
    if items.peek().is_none() {
        return Ok(Scalar::Undefined);
    }
    for item in items {
        if pattern.is_match(call.meter, item, 0)? == Some(true) {
            return Ok(true.into());
        }
    }
    Ok(false.into())
}

/// `regexps(pattern, text, replacement, options)`: the replacement, filled from the match; with
/// option `f` the text with the match replaced; with `g` every match.
pub(crate) fn substitution<'v>(call: &Plain<'_, 'v>, always: &str) -> Given<'v> {
    let [pattern, text, replacement, options] = call.texts()?.map(Option::unwrap_or_default);
    let has = |option| options.bytes().chain(always.bytes()).any(|given| given == option);
    let mut anywhere = Pattern::new(pattern, options);
    let mut out = call.scratch().into_bytes();
    replaced(call.meter, &mut out, &mut anywhere, text, replacement, has(b'f'), has(b'g'))?;
    call.give_bytes(out)
}

/// Appends the text with the replacement in place of what the pattern matches.
fn replaced(
    meter: &Meter,
    out: &mut Vec<u8>,
    anywhere: &mut Pattern<'_>,
    text: &str,
    replacement: &str,
    whole: bool,
    every: bool,
) -> Result<(), Stop> {
    let text = text.as_bytes();
    let mut behind_empty = None;
    let mut at = 0;
    let mut after_empty = false;
    loop {
        // Behind an empty match only a match that starts there and is not empty counts.
        let pattern = if after_empty {
            behind_empty.get_or_insert_with(|| anywhere.not_empty_at_start())
        } else {
            &mut *anywhere
        };
        let is_found = pattern.is_match(meter, text, at)?.ok_or(Stop::Error)?;
        let found = if is_found { pattern.group(0).flatten() } else { None };
        let Some(found) = found.filter(|found| !after_empty || found.start == at) else {
            if !after_empty {
                break;
            }
            // HTCondor steps over one byte, into its result even without option f, and fails at the
            // end.
            let stepped = *text.get(at).ok_or(Stop::Error)?;
            meter.append_bytes(out, &[stepped])?;
            at += 1;
            after_empty = false;
            continue;
        };
        if whole {
            let between = text.get(at..found.start).unwrap_or_default();
            meter.append_bytes(out, between)?;
        }
        expand(meter, out, replacement, pattern, text)?;
        at = found.end;
        after_empty = found.start == found.end;
        if !every {
            break;
        }
    }
    if whole {
        meter.append_bytes(out, &text[at..])?;
    }
    Ok(())
}

/// `\0` to `\9` are groups; a group the pattern lacks, or whose number is above the last that
/// matched, is an error.
fn expand(
    meter: &Meter,
    out: &mut Vec<u8>,
    replacement: &str,
    pattern: &Pattern<'_>,
    text: &[u8],
) -> Result<(), Stop> {
    let mut left = replacement.as_bytes();
    while !left.is_empty() {
        let (plain, rest) =
            left.split_at(left.iter().position(|byte| *byte == b'\\').unwrap_or(left.len()));
        meter.append_bytes(out, plain)?;
        left = match rest {
            [b'\\', group @ b'0'..=b'9', rest @ ..] => {
                let group = usize::from(group - b'0');
                let group = pattern.group(group).ok_or(Stop::Error)?;
                let group = group.and_then(|range| text.get(range));
                meter.append_bytes(out, group.unwrap_or_default())?;
                rest
            }
            [backslash, rest @ ..] => {
                meter.append_bytes(out, &[*backslash])?;
                rest
            }
            [] => rest,
        };
    }
    Ok(())
}

/// Whether the pattern matches one of the names; empty matches do not count.
pub(crate) fn matches_any(
    meter: &Meter,
    pattern: &str,
    names: &[String],
) -> Result<Value, Failure> {
    let mut pattern = Pattern::new(pattern, "i").not_empty();
    if !pattern.is_pattern() {
        return Ok(Value::Error);
    }
    for name in names {
        if pattern.is_match(meter, name.as_bytes(), 0)? == Some(true) {
            return Ok(Value::Boolean(true));
        }
    }
    Ok(Value::Boolean(false))
}
