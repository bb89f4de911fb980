//! The JSON form: `condor_q -json` (an array) and `-jsonl` (an object a line).
//!
//! Expressions that are no constants are strings of the form `"\/Expr(...)\/"`.

mod convert;
mod write;

use std::io::BufRead;

use super::balanced::{Balanced, Found, JSON};
use super::{AdError, MAX_AD_SIZE, Projection};
use crate::ad::ClassAd;
pub use write::{to_string, to_string_pretty, write};

/// Reads ads in JSON from a stream, one at a time, never the whole array.
#[derive(Debug)]
pub struct AdReader<R> {
    texts: Balanced<R>,
    projection: Projection,
    waiting: std::collections::VecDeque<Result<ClassAd, AdError>>,
}

impl<R: BufRead> AdReader<R> {
    /// Reads ads from here on.
    pub fn new(reader: R) -> AdReader<R> {
        AdReader {
            texts: Balanced::new(reader, JSON, MAX_AD_SIZE),
            projection: Projection::default(),
            waiting: std::collections::VecDeque::new(),
        }
    }

    pub(crate) fn projected(mut self, projection: Projection) -> AdReader<R> {
        self.projection = projection;
        self
    }

    /// Keeps only the named attributes.
    #[must_use]
    pub fn with_projection<S: AsRef<str>>(self, names: impl IntoIterator<Item = S>) -> AdReader<R> {
        self.projected(Projection::of(names))
    }
}

impl<R: BufRead> Iterator for AdReader<R> {
    type Item = Result<ClassAd, AdError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(item) = self.waiting.pop_front() {
            return Some(item);
        }
        let found = match self.texts.next()? {
            Ok(found) => found,
            Err(error) => return Some(Err(error)),
        };
        Some(match found {
            Found::Text(line) => {
                let text = String::from_utf8_lossy(&self.texts.text);
                let (mut ad, mut errors) = convert::ad(&text, line, &self.projection);
                let more = ad.as_ref().and_then(|ad| self.projection.with_references(ad));
                if let Some(more) = more {
                    (ad, errors) = convert::ad(&text, line, &more);
                }
                self.waiting.extend(errors.into_iter().map(Err));
                if let Some(ad) = ad {
                    self.waiting.push_back(Ok(ad));
                }
                return self.next();
            }
            Found::Cut(line) => {
                Err(AdError::malformed(line, "the ad that starts here has no closing '}'"))
            }
            Found::OpenString(line) => Err(AdError::malformed(
                line,
                "a string does not end on its line; its ad is skipped",
            )),
            Found::TooLarge(line) => {
                Err(AdError::too_large(line, "the ad that starts here is larger than 64 MiB"))
            }
            Found::Stray(line, byte) => {
                let message = format!("expected an ad in JSON, found '{}'", byte.escape_ascii());
                Err(AdError::malformed(line, message))
            }
        })
    }
}

/// Reads one ad from a JSON object.
pub fn parse(text: &str) -> Result<ClassAd, AdError> {
    let (ad, errors) = convert::ad(text, 1, &Projection::default());
    match errors.into_iter().next() {
        Some(error) => Err(error),
        None => ad.ok_or_else(|| AdError::malformed(1, "expected an ad in JSON")),
    }
}
