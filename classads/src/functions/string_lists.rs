//! Strings that are lists: `"a, b, c"`.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use super::strings::{Bytes, is_space, strings};
use super::{Answer, Arguments, Stop};
use crate::eval::Failure;
use crate::eval::scope::Val;
use crate::number;
use crate::value::Value;

/// The items between delimiters, white space around them cut off, empty ones left out. HTCondor
/// cuts bytes: a delimiter beyond ASCII is several.
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

/// The list and its delimiters, which must be strings.
fn list(arguments: &Arguments<'_, '_>) -> Result<(Arc<str>, Arc<str>), Stop> {
    let list = arguments.value(0)?;
    let delimiters = if arguments.len() == 2 { arguments.value(1)? } else { Val::from(", ") };
    match (list, delimiters) {
        (Val::Plain(Value::String(list)), Val::Plain(Value::String(delimiters))) => {
            Ok((list, delimiters))
        }
        _ => Err(Stop::ERROR),
    }
}

pub(crate) fn size<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let (list, delimiters) = list(arguments)?;
    let count = items(&list, &delimiters).count();
    Ok(i64::try_from(count).unwrap_or(i64::MAX).into())
}

/// The number that `step` makes of the numbers of the list, `empty` of none; `divide`: by how many
/// they are.
fn summarize<'a>(
    arguments: &Arguments<'_, 'a>,
    start: f64,
    empty: Value,
    step: fn(f64, f64) -> f64,
    divide: bool,
) -> Answer<'a> {
    let (list, delimiters) = list(arguments)?;
    let mut result = start;
    let mut count = 0.0;
    let mut is_real = false;
    for item in items(&list, &delimiters) {
        let number = number::scan(&item).ok_or(Stop::ERROR)?;
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

pub(crate) fn total<'a>(arguments: &Arguments<'_, 'a>, divide: bool) -> Answer<'a> {
    summarize(arguments, 0.0, Value::Real(0.0), |item, sum| item + sum, divide)
}

pub(crate) fn minimum<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let smaller = |item: f64, least: f64| if item < least { item } else { least };
    summarize(arguments, f32::MAX.into(), Value::Undefined, smaller, false)
}

/// HTCondor starts from the smallest positive single-precision number, so negative lists give 0.
pub(crate) fn maximum<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let larger = |item: f64, most: f64| if item > most { item } else { most };
    summarize(arguments, f32::MIN_POSITIVE.into(), Value::Undefined, larger, false)
}

pub(crate) fn membership<'a>(
    arguments: &Arguments<'_, 'a>,
    same: fn(&str, &str) -> bool,
    whole_list: bool,
) -> Answer<'a> {
    let item = arguments.value(0)?;
    let list = arguments.value(1)?;
    let delimiters = if arguments.len() == 3 { arguments.value(2)? } else { Val::UNDEFINED };
    let fits = |value: &Val<'_>| value.is_undefined() || value.as_str().is_some();
    if ![&item, &list, &delimiters].into_iter().all(fits) {
        return Ok(Val::ERROR);
    }
    if item.is_undefined() && list.is_undefined() {
        return Ok(Val::UNDEFINED);
    }
    let item = item.as_str().unwrap_or_default();
    let list = list.as_str().unwrap_or_default();
    let delimiters = delimiters.as_str().unwrap_or(", \t\r\n");
    let has = |wanted: &str| {
        arguments.evaluator.charge_search(list)?;
        Ok::<_, Failure>(items(list, delimiters).any(|known| same(&known, wanted)))
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

/// Whether two string lists share an item; here white space around items belongs to them.
pub(crate) fn intersect<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let values = arguments.values()?;
    let texts = strings(&values)?;
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
