//! Ads from text, whatever form it has.
//!
//! - `balanced`: cuts a stream at balanced brackets.
//! - `bracketed`: ads in brackets, the new syntax.
//! - `error`: what goes wrong while ads are read.
//! - [`json`]: the JSON form.
//! - [`long`]: the `-long` form.
//! - [`xml`]: the XML form.

mod balanced;
mod bracketed;
mod error;
pub mod json;
pub mod long;
pub mod xml;

use std::borrow::Cow;
use std::io::{BufRead, Chain, Cursor, Read as _};

pub use error::AdError;

use crate::ad::ClassAd;
use crate::name;
use crate::print::{self, Style};

/// Bytes one ad may take, so that hostile input cannot fill the memory.
pub const MAX_AD_SIZE: usize = 64 * 1024 * 1024;

/// The value of an attribute as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written<'a> {
    /// A string, without quotes and escapes.
    String(Cow<'a, str>),
    /// Any other expression, in the new syntax.
    Expression(&'a str),
}

impl<'a> Written<'a> {
    fn expression(self) -> Cow<'a, str> {
        match self {
            Self::String(text) => {
                let mut literal = String::with_capacity(text.len() + 2);
                print::string(&mut literal, &text, Style::New);
                literal.into()
            }
            Self::Expression(text) => text.into(),
        }
    }
}

/// The attributes a reader keeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Projection {
    /// `None`: all of them.
    names: Option<Names>,
    /// Expressions whose references are kept as well.
    policies: Vec<Box<str>>,
}

#[derive(Clone, Debug)]
struct Names {
    /// By their hashes, in order.
    names: Vec<(u32, Box<str>)>,
    /// For each first byte in lower case the lengths of its names, a bit each (the last for all
    /// that are longer): most names of an ad differ from all of these in that already.
    lengths: Box<[u64; 256]>,
}

impl Names {
    fn of<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Names {
        let mut all = Names { names: Vec::new(), lengths: Box::new([0; 256]) };
        names.into_iter().for_each(|name| all.add(name.as_ref()));
        all
    }

    fn add(&mut self, name: &str) {
        let (first, length) = Names::place(name.as_bytes());
        self.lengths[first] |= length;
        let hash = name::hash(name.as_bytes());
        self.names.insert(self.before(hash), (hash, name.into()));
    }

    fn place(name: &[u8]) -> (usize, u64) {
        let first = name.first().copied().unwrap_or_default().to_ascii_lowercase();
        (first.into(), 1 << name.len().min(63))
    }

    fn has(&self, name: &[u8]) -> bool {
        let (first, length) = Names::place(name);
        if self.lengths[first] & length == 0 {
            return false;
        }
        let hash = name::hash(name);
        let alike = self.names[self.before(hash)..].iter().take_while(|known| known.0 == hash);
        alike.map(|(_, known)| known.as_bytes()).any(|known| known.eq_ignore_ascii_case(name))
    }

    /// How many names have a smaller hash.
    fn before(&self, hash: u32) -> usize {
        self.names.partition_point(|known| known.0 < hash)
    }
}

impl Projection {
    fn wants(&self, name: &[u8]) -> bool {
        self.names.as_ref().is_none_or(|names| names.has(name))
    }

    /// Something that is not wanted by its name may be by what refers to it.
    fn may_want_more(&self) -> bool {
        self.names.is_some() && !self.policies.is_empty()
    }

    /// This projection and what the policies of an ad refer to. `None` where that is nothing more.
    fn with_references(&self, ad: &ClassAd) -> Option<Projection> {
        if !self.may_want_more() {
            return None;
        }
        let mut more: Option<Names> = None;
        let policies = self.policies.iter().filter_map(|policy| ad.get(policy));
        for policy in policies.filter(|policy| policy.as_literal().is_none()) {
            for reference in policy.attribute_references() {
                if !self.wants(reference.name.as_bytes()) {
                    more.get_or_insert_with(|| self.names.clone().unwrap_or(Names::of([""; 0])))
                        .add(&reference.name);
                }
            }
        }
        more.map(|names| Projection { names: Some(names), policies: Vec::new() })
    }
}

/// Reads ads of any form: `-long`, JSON (an array, or objects one after the other), XML, or
/// brackets.
///
/// The form is seen from the first characters. See [`AdStream::with_projection`] to skip what is
/// not needed.
///
/// ```
/// let long = "ClusterId = 7\nProcId = 0\n\nClusterId = 8\nProcId = 0\n";
/// let json = r#"[{"ClusterId": 7}, {"ClusterId": 8}]"#;
/// let xml = r#"<classads><c><a n="ClusterId"><i>7</i></a></c><c><a n="ClusterId"><i>8</i></a></c></classads>"#;
/// for text in [long, json, xml] {
///     let clusters: Vec<_> =
///         classads::read_ads(text.as_bytes()).map(|ad| ad.unwrap().integer("ClusterId").unwrap()).collect();
///     assert_eq!(clusters, [7, 8]);
/// }
/// ```
pub fn read_ads<R: BufRead>(reader: R) -> AdStream<R> {
    AdStream { inner: Inner::Unread(Some((reader, None))), projection: Projection::default() }
}

/// [`read_ads`] of a form that is known.
pub fn read_ads_in<R: BufRead>(form: Form, reader: R) -> AdStream<R> {
    AdStream { inner: Inner::Unread(Some((reader, Some(form)))), projection: Projection::default() }
}

/// The iterator of [`read_ads`].
#[derive(Debug)]
pub struct AdStream<R> {
    inner: Inner<R>,
    projection: Projection,
}

type Peeked<R> = Chain<Cursor<Vec<u8>>, R>;

#[derive(Debug)]
enum Inner<R> {
    /// The form, where it was said.
    Unread(Option<(R, Option<Form>)>),
    Long(long::AdReader<Peeked<R>>),
    Json(json::AdReader<Peeked<R>>),
    Xml(xml::AdReader<Peeked<R>>),
    Brackets(bracketed::AdReader<Peeked<R>>),
}

impl<R: BufRead> AdStream<R> {
    /// Keeps only the named attributes; the others are skipped without being copied.
    #[must_use]
    pub fn with_projection<S: AsRef<str>>(
        mut self,
        names: impl IntoIterator<Item = S>,
    ) -> AdStream<R> {
        self.projection.names = Some(Names::of(names));
        self
    }

    /// Keeps what these attributes of an ad refer to as well, where they are expressions.
    #[must_use]
    pub fn with_references_of<S: AsRef<str>>(
        mut self,
        policies: impl IntoIterator<Item = S>,
    ) -> AdStream<R> {
        self.projection.policies =
            policies.into_iter().map(|policy| policy.as_ref().into()).collect();
        self
    }

    fn open(&mut self, reader: R, form: Option<Form>) -> Result<(), AdError> {
        let (reader, form) = match form {
            Some(form) => (Cursor::default().chain(reader), form),
            None => peek(reader).map_err(AdError::io)?,
        };
        let projection = std::mem::take(&mut self.projection);
        self.inner = match form {
            Form::Long => Inner::Long(long::AdReader::new(reader, projection)),
            Form::Json => Inner::Json(json::AdReader::new(reader, projection)),
            Form::Xml => Inner::Xml(xml::AdReader::new(reader, projection)),
            Form::Brackets => Inner::Brackets(bracketed::AdReader::new(reader, projection)),
        };
        Ok(())
    }
}

impl<R: BufRead> Iterator for AdStream<R> {
    type Item = Result<ClassAd, AdError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Inner::Unread(reader) = &mut self.inner {
            let (reader, form) = reader.take()?;
            if let Err(error) = self.open(reader, form) {
                return Some(Err(error));
            }
        }
        match &mut self.inner {
            Inner::Unread(_) => None,
            Inner::Long(reader) => reader.next(),
            Inner::Json(reader) => reader.next(),
            Inner::Xml(reader) => reader.next(),
            Inner::Brackets(reader) => reader.next(),
        }
    }
}

/// A form of ads as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An attribute a line, as `condor_q -long` prints ads.
    Long,
    /// Objects, alone or in arrays: `condor_q -json` and `-jsonl`.
    Json,
    /// Elements `<c>`: `condor_q -xml`.
    Xml,
    /// The new syntax: `[ a = 1 ]`.
    Brackets,
}

/// Reads up to the second character that is no white space, and says what form begins like that.
fn peek<R: BufRead>(mut reader: R) -> std::io::Result<(Peeked<R>, Form)> {
    /// White space beyond this before the first ad counts as the `-long` form.
    const LIMIT: usize = 64 * 1024;
    let mut head = Vec::new();
    let mut seen = Vec::new();
    while seen.len() < 2 && head.len() < LIMIT {
        let buffer = reader.fill_buf()?;
        let Some(byte) = buffer.first().copied() else { break };
        reader.consume(1);
        head.push(byte);
        if !byte.is_ascii_whitespace() {
            seen.push(byte);
            if seen.len() == 1 && !matches!(byte, b'[' | b'{') {
                break;
            }
        }
    }
    let form = match *seen {
        [b'[', b'{' | b']'] | [b'{', b'"' | b'}'] => Form::Json,
        [b'[' | b'{' | b'/', ..] => Form::Brackets,
        [b'<', ..] => Form::Xml,
        _ => Form::Long,
    };
    Ok((Cursor::new(head).chain(reader), form))
}
