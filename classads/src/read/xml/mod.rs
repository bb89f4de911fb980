//! The XML form: `condor_q -xml`, `condor_history -xml` and job event logs in XML, one element
//! `<c>` an ad.
//!
//! What the elements mean is what HTCondor's src/classad/xmlSource.cpp and xmlLexer.cpp make of
//! them: `<i>`, `<r>`, `<s>` and `<b v="t"/>` are constants, `<un/>` and `<er/>` undefined and
//! error, `<at>` and `<rt>` times, `<l>` a list, `<c>` an ad, and `<e>` an expression in the new
//! syntax. Strings and names have C's escapes besides those of XML.
//!
//! The XML declaration, a document type, comments and `<classads>` are passed over; other elements
//! and text between the ads are errors. No entity is replaced but the five of XML itself and
//! numbers of characters.
//!
//! - `convert`: an element becomes an ad.
//! - `cut`: cuts a stream into ads.
//! - `write`: ads as XML.

mod convert;
mod cut;
mod write;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::BufRead;

use super::{AdError, MAX_AD_SIZE, Projection, Written};
use crate::ad::ClassAd;
use crate::syntax::Syntax;
use cut::{Cutter, Found};
pub use write::{FOOTER, HEADER, to_string};

/// Reads ads in XML from a stream, one at a time, never the whole document.
#[derive(Debug)]
pub(super) struct AdReader<R> {
    texts: Cutter<R>,
    projection: Projection,
    waiting: VecDeque<Result<ClassAd, AdError>>,
    ended: bool,
}

impl<R: BufRead> AdReader<R> {
    pub(super) fn new(reader: R, projection: Projection) -> AdReader<R> {
        let texts = Cutter::new(reader, MAX_AD_SIZE);
        AdReader { texts, projection, waiting: VecDeque::new(), ended: false }
    }

    /// Puts what is wrong with the text of an ad, and the ad, among the waiting items.
    fn convert(&mut self, line: u64, is_whole: bool) {
        let text = String::from_utf8_lossy(self.texts.text());
        let text = well_formed_quotes(&text);
        let of = |projection: &Projection| {
            let (mut ad, mut errors) = (ClassAd::new(), Vec::new());
            convert::each(&text, (line, true), is_whole, projection, |read| match read {
                Ok((name, value, line)) => {
                    ad.put(&name, &value.expression(), Syntax::New, None, line);
                }
                Err(error) => errors.push(error),
            });
            (ad, errors)
        };
        let (mut ad, mut errors) = of(&self.projection);
        if let Some(more) = self.projection.with_references(&ad) {
            (ad, errors) = of(&more);
        }
        let is_damaged = !is_whole || !errors.is_empty();
        if !is_whole {
            let message = "the ad that starts here has no closing </c>";
            self.waiting.push_back(Err(AdError::at(line, message)));
        }
        self.waiting.extend(errors.into_iter().map(Err));
        if !ad.is_empty() || !is_damaged {
            self.waiting.push_back(Ok(ad));
        }
    }
}

impl<R: BufRead> Iterator for AdReader<R> {
    type Item = Result<ClassAd, AdError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.waiting.pop_front() {
                return Some(item);
            }
            if self.ended {
                return None;
            }
            match self.texts.next() {
                Ok(Found::Ad { line, is_whole }) => self.convert(line, is_whole),
                Ok(Found::TooLarge(line)) => return Some(Err(AdError::too_large(line))),
                Ok(Found::Stray(line, what)) => {
                    let message = format!("expected an element <c>, found '{what}'");
                    return Some(Err(AdError::at(line, message)));
                }
                Ok(Found::End) => self.ended = true,
                Err(error) => {
                    self.ended = true;
                    return Some(Err(AdError::io(error)));
                }
            }
        }
    }
}

/// HTCondor writes a quotation mark in the name of an attribute as `\"`, where it would end the
/// value in XML.
fn well_formed_quotes(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    if memchr::memmem::find(bytes, b"\\\"").is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut from = 0;
    let mut at = 0;
    while let Some(step) = memchr::memchr2(b'\\', b'<', &bytes[at..]) {
        at += step;
        let rest = &bytes[at..];
        at += match rest {
            [b'\\', b'"', ..] => {
                out.push_str(&text[from..=at]);
                out.push_str("&quot;");
                from = at + 2;
                2
            }
            // Two backslashes are one, and escape nothing.
            [b'\\', _, ..] => 2,
            // What stands in CDATA stands for itself.
            [b'<', ..] if rest.starts_with(b"<![CDATA[") => {
                memchr::memmem::find(rest, b"]]>").unwrap_or(rest.len())
            }
            _ => 1,
        };
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// Calls `each` with name and value of every attribute of the element `<c>` that an XML text begins
/// with.
///
/// # Errors
/// What is wrong with it first. What comes before and behind is given all the same.
pub fn each_attribute(
    text: &str,
    mut each: impl FnMut(String, Written<'_>),
) -> Result<(), AdError> {
    if !text.starts_with("<c>") {
        return Err(AdError::at(1, "expected an element <c>"));
    }
    let text = well_formed_quotes(text);
    let mut first = Ok(());
    let has_end =
        convert::each(&text, (1, false), true, &Projection::default(), |read| match read {
            Ok((name, value, _)) => each(name, value),
            Err(error) if first.is_ok() => first = Err(error),
            Err(_) => {}
        });
    match first {
        Ok(()) if !has_end => Err(AdError::at(1, "the ad that starts here has no closing </c>")),
        first => first,
    }
}

/// Reads the first ad of an XML text.
pub fn parse(text: &str) -> Result<ClassAd, AdError> {
    let first = AdReader::new(text.as_bytes(), Projection::default()).next();
    first.unwrap_or_else(|| Err(AdError::at(1, "expected an element <c>")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_quotation_marks_are_no_ends() {
        for (text, made) in [
            ("plain", "plain"),
            (r#"n="a\"b">"#, r#"n="a\&quot;b">"#),
            (r#"n="a\\">"#, r#"n="a\\">"#),
            (r#"n="\\\"">\"#, r#"n="\\\&quot;">\"#),
            (r#"<![CDATA[\"]]>\"<![CDATA[\""#, r#"<![CDATA[\"]]>\&quot;<![CDATA[\""#),
        ] {
            assert_eq!(well_formed_quotes(text), made);
        }
    }
}
