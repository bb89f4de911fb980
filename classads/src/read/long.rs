//! The `-long` form: one attribute a line, a blank line between ads.
//!
//! `condor_q -long`, `condor_history -long`, and the history and epoch files themselves, where a line `*** ...` ends
//! each ad.

use std::borrow::Cow;
use std::io::{self, BufRead, Write};

use memchr::memchr;

use super::{AdError, MAX_AD_SIZE, Projection};
use crate::ad::ClassAd;
use crate::expr::Expr;

use crate::print::Style;
use crate::syntax::Syntax;
use crate::value::Value;

/// Reads ads in the `-long` form from a stream, one at a time.
///
/// A line that is no attribute is given as an error before its ad, which has all the others. The expressions
/// are parsed when they are asked for, so their errors show there ([`ClassAd::errors`]) unless [`AdReader::checked`].
#[derive(Debug)]
pub struct AdReader<R> {
    reader: R,
    /// The beginning of a line that did not fit the reader's buffer.
    carry: Vec<u8>,
    /// The rest of the line is dropped: it is too long.
    skipping: bool,
    lines: Lines,
    ended: bool,
}

#[derive(Debug)]
struct Lines {
    ad: ClassAd,
    /// Bytes of the ad's lines so far.
    size: usize,
    too_large: bool,
    line: u64,
    projection: Projection,
    checked: bool,
    left_out: LeftOut,
}

/// Attributes of an ad that its projection does not name, until it is known whether the ad refers to them.
#[derive(Debug, Default)]
struct LeftOut {
    text: Vec<u8>,
    /// Where each line ends in the text, and its number.
    lines: Vec<(usize, u64)>,
}

impl LeftOut {
    fn push(&mut self, line: &[u8], number: u64) {
        // An ad this large is cut anyhow.
        if self.text.len() + line.len() <= MAX_AD_SIZE {
            self.text.extend_from_slice(line);
            self.lines.push((self.text.len(), number));
        }
    }

    fn clear(&mut self) {
        self.text.clear();
        self.lines.clear();
    }
}

enum Event {
    More,
    Ad(ClassAd),
    Error(AdError),
}

impl<R: BufRead> AdReader<R> {
    /// Reads ads from here on.
    pub fn new(reader: R) -> AdReader<R> {
        AdReader {
            reader,
            carry: Vec::new(),
            skipping: false,
            lines: Lines {
                ad: ClassAd::new(),
                size: 0,
                too_large: false,
                line: 0,
                projection: Projection::default(),
                checked: false,
                left_out: LeftOut::default(),
            },
            ended: false,
        }
    }

    pub(crate) fn projected(mut self, projection: Projection) -> AdReader<R> {
        self.lines.projection = projection;
        self
    }

    /// Keeps only the named attributes; the others are skipped without being copied.
    #[must_use]
    pub fn with_projection<S: AsRef<str>>(self, names: impl IntoIterator<Item = S>) -> AdReader<R> {
        self.projected(Projection::of(names))
    }

    /// Parses every attribute at once and gives those that are no expression as errors, without keeping them.
    #[must_use]
    pub fn checked(mut self) -> AdReader<R> {
        self.lines.checked = true;
        self
    }

    fn step(&mut self) -> io::Result<Option<Event>> {
        let buffer = self.reader.fill_buf()?;
        if buffer.is_empty() {
            self.ended = true;
            let last = std::mem::take(&mut self.carry);
            if !last.is_empty() && !self.skipping {
                return Ok(Some(self.lines.line(&last)));
            }
            return Ok(None);
        }
        let Some(end) = memchr(b'\n', buffer) else {
            let length = buffer.len();
            if self.carry.len() + length > MAX_AD_SIZE {
                self.skipping = true;
                self.carry = Vec::new();
            }
            if !self.skipping {
                self.carry.extend_from_slice(buffer);
            }
            self.reader.consume(length);
            return Ok(Some(Event::More));
        };
        let event = if self.skipping {
            self.skipping = false;
            self.lines.line += 1;
            let message = "the line is longer than 64 MiB and was skipped";
            Event::Error(AdError::too_large(self.lines.line, message))
        } else if self.carry.is_empty() {
            self.lines.line(&buffer[..end])
        } else {
            self.carry.extend_from_slice(&buffer[..end]);
            let event = self.lines.line(&self.carry);
            self.carry.clear();
            event
        };
        self.reader.consume(end + 1);
        Ok(Some(event))
    }
}

impl<R: BufRead> Iterator for AdReader<R> {
    type Item = Result<ClassAd, AdError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            match self.step() {
                Ok(Some(Event::More)) => {}
                Ok(Some(Event::Ad(ad))) => return Some(Ok(ad)),
                Ok(Some(Event::Error(error))) => return Some(Err(error)),
                Ok(None) => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.ended = true;
                    self.lines.ad.clear();
                    return Some(Err(AdError::io(error)));
                }
            }
        }
        self.lines.finish().map(Ok)
    }
}

impl Lines {
    fn finish(&mut self) -> Option<ClassAd> {
        if let Some(projection) = self.projection.with_references(&self.ad) {
            let left_out = std::mem::take(&mut self.left_out);
            let mut start = 0;
            for &(end, number) in &left_out.lines {
                if let Some((name, raw)) = split(&left_out.text[start..end])
                    && projection.wants(name)
                {
                    self.ad.put(&text(name), &text(raw), Syntax::Old, None, number);
                }
                start = end;
            }
            self.left_out = left_out;
        }
        self.left_out.clear();
        self.size = 0;
        self.too_large = false;
        (!self.ad.is_empty()).then(|| std::mem::take(&mut self.ad))
    }

    fn line(&mut self, line: &[u8]) -> Event {
        self.line += 1;
        let line = line.trim_ascii();
        match line.first() {
            None => return self.finish().map_or(Event::More, Event::Ad),
            // Headings of condor_q and comments.
            Some(b'#') => return Event::More,
            Some(b'-') if line.starts_with(b"--") => return Event::More,
            Some(b'*') if line.starts_with(b"***") => {
                if let Some(mut ad) = self.finish() {
                    ad.set_banner(&String::from_utf8_lossy(line));
                    return Event::Ad(ad);
                }
                return Event::More;
            }
            Some(_) => {}
        }
        self.attribute(line)
    }

    fn attribute(&mut self, line: &[u8]) -> Event {
        let Some((name, raw)) = split(line).or_else(|| split_at_sign(line)) else {
            let start: String = String::from_utf8_lossy(line).chars().take(40).collect();
            let message =
                format!("expected 'Attribute = expression', found '{}'", start.escape_debug());
            return Event::Error(AdError::malformed(self.line, message));
        };
        if !self.projection.wants(name) {
            if self.projection.may_want_more() {
                self.left_out.push(line, self.line);
            }
            return Event::More;
        }
        let raw = text(raw);
        let name = text(name);
        self.size += line.len();
        if self.size > MAX_AD_SIZE {
            if self.too_large {
                return Event::More;
            }
            self.too_large = true;
            let message = "the ad is larger than 64 MiB; the rest of it is skipped";
            return Event::Error(AdError::too_large(self.line, message));
        }
        if self.checked {
            return match Expr::parse_old(&raw) {
                Ok(expr) => {
                    self.ad.put(&name, &raw, Syntax::Old, Some(expr), self.line);
                    Event::More
                }
                Err(error) => Event::Error(AdError::attribute(self.line, &name, error)),
            };
        }
        self.ad.put(&name, &raw, Syntax::Old, None, self.line);
        Event::More
    }
}

/// Name and expression of an attribute.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let in_name = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'_' || **b == b'.';
    let (name, rest) = line.split_at(line.iter().take_while(in_name).count());
    let raw = rest.trim_ascii_start().strip_prefix(b"=").filter(|_| !name.is_empty())?;
    Some((name, raw.trim_ascii_start()))
}

/// [`split`] for a name that is no plain one: to HTCondor it is all that stands before the sign. What follows must be an
/// expression, else the line is anything.
fn split_at_sign(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (name, rest) = line.split_at(memchr(b'=', line)?);
    let (name, raw) = (name.trim_ascii_end(), rest[1..].trim_ascii_start());
    (!name.is_empty() && Expr::parse_old(&text(raw)).is_ok()).then_some((name, raw))
}

fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Writes an ad in the `-long` form, with a blank line after it.
pub fn write(mut out: impl Write, ad: &ClassAd) -> io::Result<()> {
    for (name, raw, syntax) in ad.iter_raw() {
        match (syntax, ad.get(name)) {
            (Syntax::New, Some(expr)) => writeln!(out, "{name} = {}", expr.print(Style::Long))?,
            _ => writeln!(out, "{name} = {raw}")?,
        }
    }
    writeln!(out)
}

/// The line that ends an ad in a history file: `*** EPOCH ClusterId=3 ProcId=0 RunInstanceId=0 Owner="ada"`.
#[derive(Clone, Debug, Default)]
pub struct Banner {
    /// The word after the stars that is no field, such as `EPOCH`, `SPAWN`, `JOB_AD`; empty if there is none.
    pub kind: String,
    /// The fields as an ad.
    pub fields: ClassAd,
}

impl Banner {
    /// Reads a banner line; `None` if the line does not start with `***`. What is no field is left out.
    ///
    /// ```
    /// let banner = classads::long::Banner::parse("*** EPOCH ClusterId=3 ProcId=0 Owner=\"ada\"").unwrap();
    /// assert_eq!(banner.kind, "EPOCH");
    /// assert_eq!(banner.fields.integer("ClusterId"), Some(3));
    /// assert_eq!(banner.fields.string("Owner").as_deref(), Some("ada"));
    /// ```
    #[must_use]
    pub fn parse(line: &str) -> Option<Banner> {
        let mut rest = line.trim().strip_prefix("***")?.trim_start_matches('*').trim_start();
        let mut banner = Banner::default();
        while !rest.is_empty() {
            let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
            let word = &rest[..end];
            let after = rest[end..].trim_start();
            let Some(value) = after.strip_prefix('=').filter(|_| !word.is_empty()) else {
                if banner.kind.is_empty() && banner.fields.is_empty() {
                    word.clone_into(&mut banner.kind);
                }
                // At least one character goes, so the loop ends.
                rest = after.strip_prefix('=').unwrap_or(after).trim_start();
                continue;
            };
            let value = value.trim_start();
            let length = field_length(value);
            let expr = Expr::parse_old(&value[..length])
                .unwrap_or_else(|_| Expr::literal(Value::from(&value[..length])));
            banner.fields.insert(word, expr);
            rest = value[length..].trim_start();
        }
        Some(banner)
    }

    /// An attribute of the banner that is an integer, such as `RunInstanceId`.
    #[must_use]
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.fields.integer(name)
    }
}

/// Bytes up to the end of a quoted string or of a word.
fn field_length(value: &str) -> usize {
    if let Some(inside) = value.strip_prefix('"') {
        let mut escaped = false;
        for (at, character) in inside.char_indices() {
            match character {
                '"' if !escaped => return at + 2,
                '\\' => escaped = !escaped,
                _ => escaped = false,
            }
        }
        return value.len();
    }
    value.find(char::is_whitespace).unwrap_or(value.len())
}
