//! Strings that are lists: `"a, b, c"`.

use std::collections::HashSet;

use super::Stop;
use super::plain::{Given, Plain};
use super::strings::{Bytes, is_space};
use crate::eval::Failure;
use crate::eval::scalar::Scalar;
use crate::number;

/// The items between delimiters, white space around them cut off, empty ones left out. HTCondor
/// cuts bytes: a delimiter beyond ASCII is several.
pub(crate) fn items<'t>(text: &'t str, delimiters: &str) -> Items<'t> {
    Items { rest: Some(text.as_bytes()), delimiters: Bytes::of(delimiters) }
}

pub(crate) struct Items<'t> {
    rest: Option<&'t [u8]>,
    delimiters: Bytes,
}

impl<'t> Iterator for Items<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        loop {
            let mut item = self.rest?;
            self.rest = match item.iter().position(|byte| self.delimiters.has(*byte)) {
                Some(length) => {
                    let rest = &item[length + 1..];
                    item = &item[..length];
                    Some(rest)
                }
                None => None,
            };
            while let [first, rest @ ..] = item
                && is_space(char::from(*first))
            {
                item = rest;
            }
            while let [rest @ .., last] = item
                && is_space(char::from(*last))
            {
                item = rest;
            }
            if !item.is_empty() {
                return Some(item);
            }
        }
    }
}

/// The items of the list and its delimiters, which must be strings.
fn list<'v>(call: &Plain<'_, 'v>) -> Result<Items<'v>, Stop> {
    let list = call.value(0)?;
    let delimiters = call.optional(1)?.unwrap_or(Scalar::Piece(&", "));
    match (list.as_str(), delimiters.as_str()) {
        (Some(list), Some(delimiters)) => Ok(items(list, delimiters)),
        _ => Err(Stop::Error),
    }
}

pub(crate) fn size<'v>(call: &Plain<'_, 'v>) -> Given<'v> {
    Ok(i64::try_from(list(call)?.count()).unwrap_or(i64::MAX).into())
}

/// The number that `step` makes of the numbers of the list, `empty` of none; `divide`: by how many
/// they are.
fn summarize<'v>(
    call: &Plain<'_, 'v>,
    start: f64,
    empty: Scalar<'v>,
    step: fn(f64, f64) -> f64,
    divide: bool,
) -> Given<'v> {
    let mut result = start;
    let mut count = 0.0;
    let mut is_real = false;
    for item in list(call)? {
        let number = match number::few_digits(item) {
            Some(integer) => integer as f64,
            None => {
                is_real |= !item.iter().all(|b| matches!(b, b'+' | b'-' | b'0'..=b'9'));
                number::scan(&String::from_utf8_lossy(item)).ok_or(Stop::Error)?
            }
        };
        result = step(number, result);
        count += 1.0;
    }
    if count == 0.0 {
        return Ok(empty);
    }
    if divide {
        result /= count;
    }
    Ok(if is_real { result.into() } else { number::truncate(result).into() })
}

pub(crate) fn total<'v>(call: &Plain<'_, 'v>, divide: bool) -> Given<'v> {
    summarize(call, 0.0, 0.0.into(), |item, sum| item + sum, divide)
}

pub(crate) fn minimum<'v>(call: &Plain<'_, 'v>) -> Given<'v> {
    let smaller = |item: f64, least: f64| if item < least { item } else { least };
    summarize(call, f32::MAX.into(), Scalar::Undefined, smaller, false)
}

/// HTCondor starts from the smallest positive single-precision number, so negative lists give 0.
pub(crate) fn maximum<'v>(call: &Plain<'_, 'v>) -> Given<'v> {
    let larger = |item: f64, most: f64| if item > most { item } else { most };
    summarize(call, f32::MIN_POSITIVE.into(), Scalar::Undefined, larger, false)
}

pub(crate) fn membership<'v>(
    call: &Plain<'_, 'v>,
    same: fn(&[u8], &[u8]) -> bool,
    whole_list: bool,
) -> Given<'v> {
    let (item, list) = (call.value(0)?, call.value(1)?);
    let delimiters = call.optional(2)?.unwrap_or(Scalar::Undefined);
    let fits = |value: Scalar<'_>| value.is_undefined() || value.as_str().is_some();
    if ![item, list, delimiters].into_iter().all(fits) {
        return Ok(Scalar::Error);
    }
    if item.is_undefined() && list.is_undefined() {
        return Ok(Scalar::Undefined);
    }
    let item = item.as_str().unwrap_or_default();
    let list = list.as_str().unwrap_or_default();
    let delimiters = delimiters.as_str().unwrap_or(", \t\r\n");
    let has = |wanted: &[u8]| {
        call.meter.charge_search(list)?;
        Ok::<_, Failure>(items(list, delimiters).any(|known| same(known, wanted)))
    };
    if !whole_list {
        return Ok(has(item.as_bytes())?.into());
    }
    if item.is_empty() {
        return Ok(true.into());
    }
    let mut any = false;
    for item in items(item, delimiters) {
        if !has(item)? {
            return Ok(false.into());
        }
        any = true;
    }
    Ok(any.into())
}

/// Whether two string lists share an item; here white space around items belongs to them.
pub(crate) fn intersect<'v>(call: &Plain<'_, 'v>) -> Given<'v> {
    /// Items up to which each is compared with each.
    const FEW: usize = 32;
    let [left, right, delimiters, _] = call.texts()?;
    let (left, right) = (left.unwrap_or_default(), right.unwrap_or_default());
    let delimiters = delimiters.filter(|given| !given.is_empty()).unwrap_or(" ,");
    let (ascii, bytes) = (delimiters.is_ascii(), Bytes::of(delimiters));
    let split = |text: &'v str| {
        let mut rest = Some(text);
        std::iter::from_fn(move || {
            let text = rest?;
            let at = if ascii {
                text.bytes().position(|byte| bytes.has(byte)).map(|at| (at, 1))
            } else {
                let found = text.char_indices().find(|(_, c)| delimiters.contains(*c));
                found.map(|(at, c)| (at, c.len_utf8()))
            };
            rest = at.map(|(at, length)| &text[at + length..]);
            Some(at.map_or(text, |(at, _)| &text[..at]))
        })
        .filter(|item| !item.is_empty())
    };
    // Each character is compared with each delimiter.
    for text in [left, right] {
        call.meter.charge_bytes(text.len().saturating_mul(delimiters.len()))?;
    }
    let (mut few, mut count) = ([""; FEW], 0);
    for item in split(right) {
        if let Some(place) = few.get_mut(count) {
            *place = item;
        }
        count += 1;
    }
    call.meter.make_elements(count)?;
    if let Some(few) = few.get(..count) {
        return Ok(split(left).any(|item| few.contains(&item)).into());
    }
    let right: HashSet<&str> = split(right).collect();
    Ok(split(left).any(|item| right.contains(item)).into())
}
