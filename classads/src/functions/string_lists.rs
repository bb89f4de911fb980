//! Strings that are lists: `"a, b, c"`.

use std::borrow::Cow;
use std::collections::HashSet;

use super::Arguments;
use super::strings::{Bytes, is_space};
use crate::eval::scope::Val;
use crate::eval::{Failure, Outcome};
use crate::number;
use crate::value::Value;

/// The items between delimiters, white space around them cut off, empty ones left out. HTCondor cuts bytes: a delimiter beyond ASCII
/// is several.
pub(crate) fn items<'t>(
    text: &'t str,
    delimiters: &str,
) -> impl Iterator<Item = Cow<'t, str>> + use<'t> {
    let delimiters = Bytes::of(delimiters);
    text.as_bytes()
        .split(move |byte| delimiters.has(*byte))
        .map(|item| match String::from_utf8_lossy(item) {
            Cow::Borrowed(item) => Cow::Borrowed(item.trim_matches(is_space)),
            Cow::Owned(item) => Cow::Owned(item.trim_matches(is_space).to_owned()),
        })
        .filter(|item| !item.is_empty())
}

/// The list and its delimiters, if both are strings.
fn list<'a>(arguments: &Arguments<'_, 'a>) -> Result<Option<(Val<'a>, Val<'a>)>, Failure> {
    let list = arguments.value(0)?;
    let delimiters = if arguments.len() == 2 { arguments.value(1)? } else { Val::from(", ") };
    Ok((list.as_str().is_some() && delimiters.as_str().is_some()).then_some((list, delimiters)))
}

pub(crate) fn size<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    let Some((list, delimiters)) = list(arguments)? else { return Ok(Val::ERROR) };
    let (Some(list), Some(delimiters)) = (list.as_str(), delimiters.as_str()) else {
        return Ok(Val::ERROR);
    };
    let count = items(list, delimiters).count();
    Ok(i64::try_from(count).unwrap_or(i64::MAX).into())
}

fn summarize<'a>(
    arguments: &Arguments<'_, 'a>,
    start: f64,
    empty: Value,
    step: fn(f64, f64) -> f64,
    divide: bool,
) -> Outcome<'a> {
    let Some((list, delimiters)) = list(arguments)? else { return Ok(Val::ERROR) };
    let (Some(list), Some(delimiters)) = (list.as_str(), delimiters.as_str()) else {
        return Ok(Val::ERROR);
    };
    let mut result = start;
    let mut count = 0.0;
    let mut is_real = false;
    for item in items(list, delimiters) {
        let Some(number) = number::scan(&item) else { return Ok(Val::ERROR) };
        is_real |= !item.bytes().all(|b| matches!(b, b'+' | b'-' | b'0'..=b'9'));
        result = step(number, result);
        count += 1.0;
    }
    if count == 0.0 {
        return Ok(Val::Plain(empty));
    }
    if divide {
        result /= count;
    }
    Ok(if is_real { result.into() } else { number::truncate(result).into() })
}

pub(crate) fn sum<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    summarize(arguments, 0.0, Value::Real(0.0), |item, sum| item + sum, false)
}

pub(crate) fn average<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    summarize(arguments, 0.0, Value::Real(0.0), |item, sum| item + sum, true)
}

pub(crate) fn minimum<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    let smaller = |item: f64, least: f64| if item < least { item } else { least };
    summarize(arguments, f32::MAX.into(), Value::Undefined, smaller, false)
}

/// HTCondor starts from the smallest positive single-precision number, so negative lists give 0.
pub(crate) fn maximum<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    let larger = |item: f64, most: f64| if item > most { item } else { most };
    summarize(arguments, f32::MIN_POSITIVE.into(), Value::Undefined, larger, false)
}

/// Item, list and delimiters of the membership functions; `Err` is the result.
fn member_arguments<'a>(
    arguments: &Arguments<'_, 'a>,
) -> Result<Result<[Val<'a>; 3], Value>, Failure> {
    let item = arguments.value(0)?;
    let list = arguments.value(1)?;
    let delimiters = if arguments.len() == 3 { arguments.value(2)? } else { Val::UNDEFINED };
    let fits = |value: &Val<'_>| value.is_undefined() || value.as_str().is_some();
    if ![&item, &list, &delimiters].into_iter().all(fits) {
        return Ok(Err(Value::Error));
    }
    if item.is_undefined() && list.is_undefined() {
        return Ok(Err(Value::Undefined));
    }
    Ok(Ok([item, list, delimiters]))
}

fn membership<'a>(
    arguments: &Arguments<'_, 'a>,
    same: fn(&str, &str) -> bool,
    whole_list: bool,
) -> Outcome<'a> {
    let [item, list, delimiters] = match member_arguments(arguments)? {
        Ok(found) => found,
        Err(value) => return Ok(Val::Plain(value)),
    };
    let item = item.as_str().unwrap_or_default();
    let list = list.as_str().unwrap_or_default();
    let delimiters = delimiters.as_str().unwrap_or(", \t\r\n");
    let has = |wanted: &str| {
        arguments.evaluator.charge_search(list)?;
        Ok(items(list, delimiters).any(|known| same(&known, wanted)))
    };
    if !whole_list {
        return Ok(has(item)?.into());
    }
    if item.is_empty() {
        return Ok(true.into());
    }
    let mut any = false;
    for item in items(item, delimiters) {
        if !has(&item)? {
            return Ok(false.into());
        }
        any = true;
    }
    Ok(any.into())
}

pub(crate) fn member<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    membership(arguments, |a, b| a == b, false)
}

pub(crate) fn member_without_case<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    membership(arguments, str::eq_ignore_ascii_case, false)
}

pub(crate) fn subset<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    membership(arguments, |a, b| a == b, true)
}

pub(crate) fn subset_without_case<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    membership(arguments, str::eq_ignore_ascii_case, true)
}

/// Whether two string lists share an item; here white space around items belongs to them.
pub(crate) fn intersect<'a>(arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    let values = arguments.values()?;
    if values.iter().any(Val::is_error) {
        return Ok(Val::ERROR);
    }
    if values.iter().any(Val::is_undefined) {
        return Ok(Val::UNDEFINED);
    }
    let texts: Option<Vec<&str>> = values.iter().map(Val::as_str).collect();
    let Some(texts) = texts else { return Ok(Val::ERROR) };
    let delimiters = texts.get(2).copied().filter(|given| !given.is_empty()).unwrap_or(" ,");
    let split = |text| {
        str::split(text, |c: char| delimiters.contains(c)).filter(|item: &&str| !item.is_empty())
    };
    // Each character is compared with each delimiter.
    for text in &texts[..2] {
        arguments.evaluator.charge_bytes(text.len().saturating_mul(delimiters.len()))?;
    }
    arguments.evaluator.make_elements(split(texts[1]).count())?;
    let right: HashSet<&str> = split(texts[1]).collect();
    Ok(split(texts[0]).any(|item| right.contains(item)).into())
}
