//! Ads from text, whatever form it has.

mod balanced;
mod bracketed;
mod error;
pub mod json;
pub mod long;

use std::io::{BufRead, Chain, Cursor, Read as _};

pub use bracketed::BracketReader;
pub use error::AdError;

use crate::ad::ClassAd;
use crate::name;

/// Bytes one ad may take, so that hostile input cannot fill the memory.
pub const MAX_AD_SIZE: usize = 64 * 1024 * 1024;

/// The attributes a reader keeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Projection(Option<Vec<(u32, Box<str>)>>);

impl Projection {
    fn of<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Projection {
        let wanted = names.into_iter().map(|wanted| {
            let wanted = wanted.as_ref();
            (name::hash(wanted.as_bytes()), wanted.into())
        });
        Projection(Some(wanted.collect()))
    }

    fn wants(&self, name: &[u8]) -> bool {
        let Some(wanted) = &self.0 else { return true };
        let hash = name::hash(name);
        wanted
            .iter()
            .any(|(known, wanted)| *known == hash && wanted.as_bytes().eq_ignore_ascii_case(name))
    }
}

/// Reads ads of any form: `-long`, JSON (an array, or objects one after the other), or brackets.
///
/// The form is seen from the first characters. See [`AdStream::with_projection`] to skip what is not needed.
///
/// ```
/// let long = "ClusterId = 7\nProcId = 0\n\nClusterId = 8\nProcId = 0\n";
/// let json = r#"[{"ClusterId": 7}, {"ClusterId": 8}]"#;
/// for text in [long, json] {
///     let clusters: Vec<_> =
///         classads::read_ads(text.as_bytes()).map(|ad| ad.unwrap().integer("ClusterId").unwrap()).collect();
///     assert_eq!(clusters, [7, 8]);
/// }
/// ```
pub fn read_ads<R: BufRead>(reader: R) -> AdStream<R> {
    AdStream { inner: Inner::Unknown(Some(reader)), projection: Projection::default() }
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
    Unknown(Option<R>),
    Long(long::AdReader<Peeked<R>>),
    Json(json::AdReader<Peeked<R>>),
    Brackets(BracketReader<Peeked<R>>),
}

impl<R: BufRead> AdStream<R> {
    /// Keeps only the named attributes; the others are skipped without being copied.
    #[must_use]
    pub fn with_projection<S: AsRef<str>>(
        mut self,
        names: impl IntoIterator<Item = S>,
    ) -> AdStream<R> {
        self.projection = Projection::of(names);
        self
    }

    fn open(&mut self, reader: R) -> Result<(), AdError> {
        let (head, form) = peek(reader).map_err(AdError::io)?;
        let projection = self.projection.clone();
        self.inner = match form {
            Form::Long => Inner::Long(long::AdReader::new(head).projected(projection)),
            Form::Json => Inner::Json(json::AdReader::new(head).projected(projection)),
            Form::Brackets => Inner::Brackets(BracketReader::new(head).projected(projection)),
        };
        Ok(())
    }
}

impl<R: BufRead> Iterator for AdStream<R> {
    type Item = Result<ClassAd, AdError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Inner::Unknown(reader) = &mut self.inner {
            let reader = reader.take()?;
            if let Err(error) = self.open(reader) {
                return Some(Err(error));
            }
        }
        match &mut self.inner {
            Inner::Unknown(_) => None,
            Inner::Long(reader) => reader.next(),
            Inner::Json(reader) => reader.next(),
            Inner::Brackets(reader) => reader.next(),
        }
    }
}

enum Form {
    Long,
    Json,
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
        _ => Form::Long,
    };
    Ok((Cursor::new(head).chain(reader), form))
}
