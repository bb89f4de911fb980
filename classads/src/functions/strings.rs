//! Strings.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use super::Stop;
use super::conversions::low_bits;
use super::plain::{Given, Plain};
use crate::eval::Failure;
use crate::eval::scalar::Scalar;
use crate::value::ValueType;

pub(crate) fn concatenate<'v>(call: &Plain<'_, 'v>) -> Given<'v> {
    let mut text = call.scratch();
    for index in 0..call.len() {
        call.append(&mut text, call.value(index)?)?;
    }
    call.give(text)
}

/// `join(separator, a, b, ...)`, `join(separator, list)`, `join(list)`; undefined pieces are left
/// out.
pub(crate) fn join<'v>(call: &Plain<'_, 'v>) -> Given<'v> {
    let last = call.len().wrapping_sub(1);
    let list = if let 1 | 2 = call.len() { Some(call.value(last)?) } else { None };
    let list = list.filter(|list| list.value_type() == ValueType::List);
    let mut joined =
        Joined { call, separator: Cow::default(), text: call.scratch(), undefined: None };
    if (last > 0 || list.is_none())
        && let Some(separator) = call.optional(0)?
    {
        joined.separator = joined.piece(separator)?.unwrap_or_default();
    }
    if let Some(Scalar::Pieces(pieces)) = list {
        let add = |piece: &str| match joined.add_text(piece) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => ControlFlow::Break(failure),
        };
        if let Some(failure) = pieces.each(add) {
            return Err(failure.into());
        }
    } else if let Some(list) = list {
        call.each(list, &mut |element| {
            joined.add(element)?;
            Ok(ControlFlow::Continue(()))
        })?;
    } else {
        for index in 1..call.len() {
            joined.add(call.value(index)?)?;
        }
    }
    if joined.undefined == Some(true) {
        return Ok(Scalar::Undefined);
    }
    call.give(joined.text)
}

struct Joined<'c, 'v> {
    call: &'c Plain<'c, 'v>,
    separator: Cow<'v, str>,
    text: String,
    /// Whether every piece so far was undefined.
    undefined: Option<bool>,
}

impl Joined<'_, '_> {
    /// `None` where it is undefined.
    fn piece<'t>(&mut self, piece: Scalar<'t>) -> Result<Option<Cow<'t, str>>, Stop> {
        match self.call.to_text(piece) {
            Ok(piece) => Ok(Some(piece)),
            Err(Stop::Undefined) => {
                self.undefined.get_or_insert(true);
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }

    fn add(&mut self, piece: Scalar<'_>) -> Result<(), Stop> {
        let Some(piece) = self.piece(piece)? else { return Ok(()) };
        Ok(self.add_text(&piece)?)
    }

    #[inline]
    fn add_text(&mut self, piece: &str) -> Result<(), Failure> {
        let separator = if self.text.is_empty() { "" } else { &self.separator };
        self.call.meter.make(separator.len() + piece.len())?;
        self.text.push_str(separator);
        self.text.push_str(piece);
        self.undefined = Some(false);
        Ok(())
    }
}

pub(crate) fn changed<'v>(call: &Plain<'_, 'v>, change: fn(&mut str)) -> Given<'v> {
    let mut text = call.scratch();
    call.append(&mut text, call.value(0)?)?;
    change(&mut text);
    call.give(text)
}

/// Counts bytes, from the end where negative, as Perl's `substr`.
pub(crate) fn substring<'v>(call: &Plain<'_, 'v>) -> Given<'v> {
    let (text, offset, length) = (call.value(0)?, call.value(1)?, call.optional(2)?);
    let is_undefined = length.is_some_and(Scalar::is_undefined);
    if text.is_undefined() || offset.is_undefined() || is_undefined {
        return Ok(Scalar::Undefined);
    }
    let text = text.as_str().ok_or(Stop::Error)?;
    let offset = offset.as_integer().ok_or(Stop::Error)?;
    let length = match length {
        None => None,
        Some(length) => Some(i64::from(low_bits(length.as_integer().ok_or(Stop::Error)?))),
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
    let range = index(start)..index(start + length);
    call.meter.make(range.len())?;
    match text.get(range.clone()) {
        Some(piece) => call.give_piece(piece),
        None => call.give_bytes(text.as_bytes()[range].to_vec()),
    }
}

/// What is made of two arguments as strings.
pub(crate) fn compared<'v>(
    call: &Plain<'_, 'v>,
    compare: impl FnOnce(&str, &str) -> Scalar<'v>,
) -> Given<'v> {
    let (left, right) = (call.value(0)?, call.value(1)?);
    if left.is_undefined() || right.is_undefined() {
        return Ok(Scalar::Undefined);
    }
    Ok(compare(&call.to_text(left)?, &call.to_text(right)?))
}

/// The strings before and behind an at sign; `without`: where there is none.
pub(crate) fn at_sign<'v>(call: &Plain<'_, 'v>, without: fn(&str) -> (&str, &str)) -> Given<'v> {
    let text = call.text(0)?;
    let (first, second) = text.split_once('@').unwrap_or_else(|| without(text));
    call.give_pieces(Pieces::Pair([first, second]))
}

/// Pieces between separators. A separator that is no white space and follows itself leaves an empty
/// piece.
pub(crate) fn split<'v>(call: &Plain<'_, 'v>) -> Given<'v> {
    let (text, separators) = (call.value(0)?, call.optional(1)?);
    let text = text.as_str().ok_or(Stop::Error)?;
    let separators = separators.map_or(Some(", \t"), Scalar::as_str).ok_or(Stop::Error)?;
    call.give_pieces(Pieces::Split { text, separators })
}

/// A list of parts of a text.
pub(crate) enum Pieces<'v> {
    Pair([&'v str; 2]),
    /// Between separators. HTCondor splits bytes: a separator beyond ASCII is several.
    Split {
        text: &'v str,
        separators: &'v str,
    },
}

impl<'v> Pieces<'v> {
    /// How many there are at most, or a number that is a good guess.
    pub(crate) fn about(&self) -> usize {
        match self {
            Pieces::Pair(_) => 2,
            Pieces::Split { text, .. } => (text.len() / 2 + 1).min(32),
        }
    }

    /// Goes through the pieces until it breaks.
    #[inline]
    pub(crate) fn each<B>(&self, mut see: impl FnMut(&str) -> ControlFlow<B>) -> Option<B> {
        let flow = match *self {
            Pieces::Pair(pair) => pair.into_iter().try_for_each(see),
            Pieces::Split { text, separators } => {
                Split::new(text, separators).try_for_each(|range| match text.get(range.clone()) {
                    Some(piece) => see(piece),
                    None => see(&String::from_utf8_lossy(&text.as_bytes()[range])),
                })
            }
        };
        flow.break_value()
    }

    pub(crate) fn count(&self) -> usize {
        match self {
            Pieces::Pair(pair) => pair.len(),
            Pieces::Split { text, separators } => Split::new(text, separators).count(),
        }
    }
}

/// Where the pieces of a text lie.
struct Split<'v> {
    text: &'v str,
    separators: Bytes,
    at: usize,
    /// The last separator that is no white space.
    last: Option<u8>,
}

impl<'v> Split<'v> {
    fn new(text: &'v str, separators: &str) -> Split<'v> {
        Split { text, separators: Bytes::of(separators), at: 0, last: None }
    }
}

impl Iterator for Split<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        loop {
            let from = self.at;
            let length = bytes.get(from..)?.iter().position(|byte| self.separators.has(*byte));
            let Some(length) = length else {
                self.at = bytes.len() + 1;
                return (from < bytes.len()).then_some(from..bytes.len());
            };
            let separator = bytes[from + length];
            let repeats = self.last == Some(separator);
            if !is_space(char::from(separator)) {
                self.last = Some(separator);
            }
            self.at = from + length + 1;
            if length > 0 || repeats {
                return Some(from..from + length);
            }
        }
    }
}

/// A set of bytes.
#[derive(Clone, Copy)]
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
