//! Regular expressions, by PCRE2 as in HTCondor: bytes, not characters, unless the pattern begins
//! with `(*UTF)`.

use super::pattern::{Captures, Pattern};
use super::strings::{all_known, strings};
use super::{Answer, Arguments, Stop, string_lists};
use crate::eval::scope::Val;
use crate::eval::{Evaluator, Failure};
use crate::value::Value;

pub(crate) fn regexp<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let values = arguments.values()?;
    let texts = strings(&values)?;
    let pattern = Pattern::new(texts[0], texts.get(2).copied().unwrap_or_default());
    Ok(pattern.is_match(arguments.evaluator, texts[1])?.map_or(Val::ERROR, Val::from))
}

/// Whether the pattern matches an element of a list.
pub(crate) fn regexp_member<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let values = arguments.values()?;
    all_known(&values)?;
    let options = values.get(2).map_or(Some(""), Val::as_str).ok_or(Stop::ERROR)?;
    let (Some(pattern), Val::List(elements, home)) = (values[0].as_str(), &values[1]) else {
        return Ok(Val::ERROR);
    };
    let pattern = Pattern::new(pattern, options);
    let mut any_undefined = false;
    let at = arguments.scope.of_elements(home);
    for element in elements.iter() {
        let element = arguments.evaluator.expression(element, &at)?;
        match element.as_str() {
            Some(text) if pattern.is_match(arguments.evaluator, text)? == Some(true) => {
                return Ok(true.into());
            }
            Some(_) => {}
            None if element.is_undefined() => any_undefined = true,
            None => return Ok(Val::ERROR),
        }
    }
    Ok(if any_undefined { Val::UNDEFINED } else { false.into() })
}

/// Whether the pattern matches an item of a string list: `(pattern, list, delimiters, options)`.
pub(crate) fn string_list_regexp_member<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let values = arguments.values()?;
    let texts: Option<Vec<&str>> = values.iter().map(Val::as_str).collect();
    let texts = texts.ok_or(Stop::ERROR)?;
    let delimiters = texts.get(2).copied().unwrap_or(", ");
    let options = texts.get(3).copied().unwrap_or_default().to_ascii_lowercase();
    let pattern = Pattern::new(texts[0], &options);
    if !pattern.is_pattern() {
        return Ok(Val::ERROR);
    }
    let mut items = string_lists::items(texts[1], delimiters).peekable();
    if items.peek().is_none() {
        return Ok(Val::UNDEFINED);
    }
    for item in items {
        if pattern.is_match(arguments.evaluator, &item)? == Some(true) {
            return Ok(true.into());
        }
    }
    Ok(false.into())
}

/// `regexps(pattern, text, replacement, options)`: the replacement, filled from the match; with
/// option `f` the text with the match replaced; with `g` every match.
pub(crate) fn substitution<'a>(arguments: &Arguments<'_, 'a>, always: &str) -> Answer<'a> {
    let values = arguments.values()?;
    let texts = strings(&values)?;
    let options = format!("{}{always}", texts.get(3).copied().unwrap_or_default());
    let text = replaced(arguments.evaluator, texts[0], texts[1], texts[2], &options)?;
    Ok(Val::Plain(arguments.evaluator.text_of(&text)?))
}

fn replaced(
    evaluator: &Evaluator<'_>,
    pattern: &str,
    text: &str,
    replacement: &str,
    options: &str,
) -> Result<Vec<u8>, Stop> {
    let anywhere = Pattern::new(pattern, options);
    // Behind an empty match only a match that starts there and is not empty counts.
    let behind_empty = anywhere.not_empty_at_start();
    let text = text.as_bytes();
    let whole = options.contains('f');
    let mut out = Vec::new();
    let mut at = 0;
    let mut after_empty = false;
    loop {
        let pattern = if after_empty { &behind_empty } else { &anywhere };
        let found = pattern.captures(evaluator, text, at)?.ok_or(Stop::ERROR)?;
        let found = found.filter(|found| !after_empty || found.start == at);
        let Some(found) = found else {
            if !after_empty {
                break;
            }
            // HTCondor steps over one byte, into its result even without option f, and fails at the
            // end.
            let stepped = *text.get(at).ok_or(Stop::ERROR)?;
            evaluator.append_bytes(&mut out, &[stepped])?;
            at += 1;
            after_empty = false;
            continue;
        };
        if whole {
            let between = text.get(at..found.start).unwrap_or_default();
            evaluator.append_bytes(&mut out, between)?;
        }
        expand(evaluator, &mut out, replacement, &found, text)?;
        at = found.end;
        after_empty = found.start == found.end;
        if !options.contains('g') {
            break;
        }
    }
    if whole {
        evaluator.append_bytes(&mut out, &text[at..])?;
    }
    Ok(out)
}

/// `\0` to `\9` are groups; a group the pattern lacks, or whose number is above the last that
/// matched, is an error.
fn expand(
    evaluator: &Evaluator<'_>,
    out: &mut Vec<u8>,
    replacement: &str,
    found: &Captures,
    text: &[u8],
) -> Result<(), Stop> {
    let mut left = replacement.as_bytes();
    while !left.is_empty() {
        let (plain, rest) = left.split_at(memchr::memchr(b'\\', left).unwrap_or(left.len()));
        evaluator.append_bytes(out, plain)?;
        left = match rest {
            [b'\\', group @ b'0'..=b'9', rest @ ..] => {
                let group = usize::from(group - b'0');
                let group = found.groups.get(group).ok_or(Stop::ERROR)?;
                let group = group.as_ref().and_then(|range| text.get(range.clone()));
                evaluator.append_bytes(out, group.unwrap_or_default())?;
                rest
            }
            [backslash, rest @ ..] => {
                evaluator.append_bytes(out, &[*backslash])?;
                rest
            }
            [] => rest,
        };
    }
    Ok(())
}

/// Whether the pattern matches one of the names; empty matches do not count.
pub(crate) fn matches_any(
    evaluator: &Evaluator<'_>,
    pattern: &str,
    names: &[String],
) -> Result<Value, Failure> {
    let pattern = Pattern::new(pattern, "i").not_empty();
    if !pattern.is_pattern() {
        return Ok(Value::Error);
    }
    for name in names {
        if pattern.is_match(evaluator, name)? == Some(true) {
            return Ok(Value::Boolean(true));
        }
    }
    Ok(Value::Boolean(false))
}
