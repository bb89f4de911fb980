//! The JSON form: `condor_q -json` (an array) and `-jsonl` (an object a line).
//!
//! Expressions that are no constants are strings of the form `"\/Expr(...)\/"`.
//!
//! - `convert`: an object becomes an ad.
//! - `write`: ads as JSON.

mod convert;
mod write;

use std::io::BufRead;

use super::balanced::{Balanced, JSON};
use super::{AdError, MAX_AD_SIZE, Projection, Written};
use crate::ad::ClassAd;
pub use write::{to_string, to_string_pretty};

/// Reads ads in JSON from a stream, one at a time, never the whole array.
#[derive(Debug)]
pub(super) struct AdReader<R> {
    texts: Balanced<R>,
    projection: Projection,
    waiting: std::collections::VecDeque<Result<ClassAd, AdError>>,
}

impl<R: BufRead> AdReader<R> {
    pub(super) fn new(reader: R, projection: Projection) -> AdReader<R> {
        let texts = Balanced::new(reader, JSON, MAX_AD_SIZE);
        AdReader { texts, projection, waiting: std::collections::VecDeque::new() }
    }
}

impl<R: BufRead> Iterator for AdReader<R> {
    type Item = Result<ClassAd, AdError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(item) = self.waiting.pop_front() {
            return Some(item);
        }
        let line = match self.texts.next()? {
            Ok(line) => line,
            Err(error) => return Some(Err(error)),
        };
        let text = String::from_utf8_lossy(&self.texts.text);
        let (mut ad, mut errors) = convert::ad(&text, line, &self.projection);
        if let Some(more) = ad.as_ref().and_then(|ad| self.projection.with_references(ad)) {
            (ad, errors) = convert::ad(&text, line, &more);
        }
        self.waiting.extend(errors.into_iter().map(Err).chain(ad.map(Ok)));
        self.next()
    }
}

/// Calls `each` with name and value of every attribute of one JSON object.
///
/// # Errors
/// What is wrong with it first. What comes before and behind is given all the same.
pub fn each_attribute(
    text: &str,
    mut each: impl FnMut(String, Written<'_>),
) -> Result<(), AdError> {
    let mut first = Ok(());
    let end =
        convert::each(text, (1, false), &Projection::default(), |name, value, _| match value {
            Ok(value) => each(name.into_owned(), value),
            Err(error) if first.is_ok() => first = Err(error),
            Err(_) => {}
        });
    first.and(end)
}

/// Reads one ad from a JSON object.
pub fn parse(text: &str) -> Result<ClassAd, AdError> {
    let (ad, errors) = convert::ad(text, 1, &Projection::default());
    match errors.into_iter().next() {
        Some(error) => Err(error),
        None => ad.ok_or_else(|| AdError::at(1, "expected an ad in JSON")),
    }
}
