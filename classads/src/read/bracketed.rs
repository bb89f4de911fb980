//! Ads in brackets, the new syntax: `[ a = 1 ]`, one after the other or in a list.

use std::io::BufRead;

use super::balanced::{BRACKETS, Balanced};
use super::{AdError, MAX_AD_SIZE, Projection};
use crate::ad::ClassAd;

/// Reads ads in brackets from a stream.
#[derive(Debug)]
pub(super) struct AdReader<R> {
    texts: Balanced<R>,
    projection: Projection,
}

impl<R: BufRead> AdReader<R> {
    pub(super) fn new(reader: R, projection: Projection) -> AdReader<R> {
        AdReader { texts: Balanced::new(reader, BRACKETS, MAX_AD_SIZE), projection }
    }
}

impl<R: BufRead> Iterator for AdReader<R> {
    type Item = Result<ClassAd, AdError>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = match self.texts.next()? {
            Ok(line) => line,
            Err(error) => return Some(Err(error)),
        };
        let text = String::from_utf8_lossy(&self.texts.text);
        Some(match ClassAd::parse(&text) {
            Ok(mut ad) => {
                let more = self.projection.with_references(&ad);
                let projection = more.as_ref().unwrap_or(&self.projection);
                ad.retain(|name| projection.wants(name.as_bytes()));
                Ok(ad)
            }
            Err(error) => {
                let before = text.get(..error.offset()).unwrap_or_default();
                let down = before.bytes().filter(|byte| *byte == b'\n').count() as u64;
                Err(AdError::at(line + down, error.to_string()))
            }
        })
    }
}
