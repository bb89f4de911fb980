//! Ads in brackets, the new syntax: `[ a = 1 ]`, one after the other or in a list.

use std::io::BufRead;

use super::balanced::{BRACKETS, Balanced, Found};
use super::{AdError, MAX_AD_SIZE, Projection};
use crate::ad::ClassAd;

/// Reads ads in brackets from a stream.
#[derive(Debug)]
pub struct BracketReader<R> {
    texts: Balanced<R>,
    projection: Projection,
}

impl<R: BufRead> BracketReader<R> {
    /// Reads ads from here on.
    pub fn new(reader: R) -> BracketReader<R> {
        BracketReader {
            texts: Balanced::new(reader, BRACKETS, MAX_AD_SIZE),
            projection: Projection::default(),
        }
    }

    pub(crate) fn projected(mut self, projection: Projection) -> BracketReader<R> {
        self.projection = projection;
        self
    }

    /// Keeps only the named attributes.
    #[must_use]
    pub fn with_projection<S: AsRef<str>>(
        self,
        names: impl IntoIterator<Item = S>,
    ) -> BracketReader<R> {
        self.projected(Projection::of(names))
    }

    fn project(&self, mut ad: ClassAd) -> ClassAd {
        let more = self.projection.with_references(&ad);
        let projection = more.as_ref().unwrap_or(&self.projection);
        ad.retain(|name| projection.wants(name.as_bytes()));
        ad
    }
}

impl<R: BufRead> Iterator for BracketReader<R> {
    type Item = Result<ClassAd, AdError>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = match self.texts.next()? {
            Ok(found) => found,
            Err(error) => return Some(Err(error)),
        };
        Some(match found {
            Found::Text(line) => {
                let text = String::from_utf8_lossy(&self.texts.text);
                match ClassAd::parse(&text) {
                    Ok(ad) => Ok(self.project(ad)),
                    Err(error) => {
                        let before = text.get(..error.offset()).unwrap_or_default();
                        let down = before.bytes().filter(|byte| *byte == b'\n').count() as u64;
                        Err(AdError::malformed(line + down, error.to_string()))
                    }
                }
            }
            Found::Cut(line) | Found::OpenString(line) => {
                Err(AdError::malformed(line, "the ad that starts here has no closing ']'"))
            }
            Found::TooLarge(line) => {
                Err(AdError::too_large(line, "the ad that starts here is larger than 64 MiB"))
            }
            Found::Stray(line, byte) => {
                let message =
                    format!("expected an ad in brackets, found '{}'", byte.escape_ascii());
                Err(AdError::malformed(line, message))
            }
        })
    }
}
