//! The `-long` form: one attribute a line, a blank line between ads.
//!
//! `condor_q -long`, `condor_history -long`, and the history and epoch files themselves, where a
//! line `*** ...` ends each ad.

use std::borrow::Cow;
use std::io::{self, BufRead, Write};
use std::string::FromUtf8Error;

use memchr::memchr;

use super::{AdError, MAX_AD_SIZE, Projection};
use crate::ad::ClassAd;
use crate::expr::Expr;
use crate::print::Style;
use crate::syntax::Syntax;
use crate::value::Value;

/// Bytes of attributes that are not wanted by name and may be by what the ad's policies refer to.
const MAX_LEFT_OUT: usize = 8 << 20;

/// Reads ads in the `-long` form from a stream, one at a time.
///
/// A line that is no attribute is given as an error before its ad, which has all the others.
#[derive(Debug)]
pub(super) struct AdReader<R> {
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
    /// The ad's attributes so far.
    pending: Pending,
    /// Bytes of the ad's lines so far.
    size: usize,
    too_large: bool,
    line: u64,
    projection: Projection,
    /// Attributes that the projection does not name, until it is known whether the ad refers to
    /// them.
    left_out: Pending,
}

/// Attributes as bytes: their text becomes an ad's as a whole.
#[derive(Debug, Default)]
struct Pending {
    /// Names and expressions, one after the other.
    text: Vec<u8>,
    attributes: Vec<Attribute>,
}

/// Where the name and the expression of an attribute end in the text, and its line.
#[derive(Debug)]
struct Attribute {
    name: usize,
    raw: usize,
    line: u64,
}

impl Attribute {
    /// Not so where the last bytes of one piece and the first of the next make a character.
    fn is_apart_in(&self, text: &str) -> bool {
        text.is_char_boundary(self.name) && text.is_char_boundary(self.raw)
    }
}

impl Pending {
    fn push(&mut self, name: &[u8], raw: &[u8], line: u64) {
        self.text.extend_from_slice(name);
        let name = self.text.len();
        self.text.extend_from_slice(raw);
        self.attributes.push(Attribute { name, raw: self.text.len(), line });
    }

    /// Puts the attributes into an ad without any, and keeps room for the next ad, which is often
    /// one like this.
    fn fill(&mut self, ad: &mut ClassAd) {
        const ROOM: usize = 64 * 1024;
        let room = self.text.len().min(ROOM);
        let text = std::mem::replace(&mut self.text, Vec::with_capacity(room));
        match String::from_utf8(text) {
            Ok(text)
                if text.is_ascii() || self.attributes.iter().all(|of| of.is_apart_in(&text)) =>
            {
                let ends = self.attributes.iter().map(|of| (of.name, of.raw, of.line));
                ad.put_all(text, ends, Syntax::Old);
            }
            text => {
                self.text = text.map_or_else(FromUtf8Error::into_bytes, String::into_bytes);
                self.put_each(ad, |_| true);
            }
        }
        self.clear();
    }

    /// Puts the attributes of names that are wanted into an ad.
    fn put_each(&self, ad: &mut ClassAd, wants: impl Fn(&[u8]) -> bool) {
        let mut start = 0;
        for attribute in &self.attributes {
            let name = &self.text[start..attribute.name];
            let raw = &self.text[attribute.name..attribute.raw];
            if wants(name) {
                ad.put(&text(name), &text(raw), Syntax::Old, None, attribute.line);
            }
            start = attribute.raw;
        }
    }

    /// Bytes that they take.
    fn size(&self) -> usize {
        self.text.len() + self.attributes.len() * size_of::<Attribute>()
    }

    fn clear(&mut self) {
        self.text.clear();
        self.attributes.clear();
    }
}

type Found = Result<ClassAd, AdError>;

impl<R: BufRead> AdReader<R> {
    pub(super) fn new(reader: R, projection: Projection) -> AdReader<R> {
        AdReader {
            reader,
            carry: Vec::new(),
            skipping: false,
            lines: Lines {
                pending: Pending::default(),
                size: 0,
                too_large: false,
                line: 0,
                projection,
                left_out: Pending::default(),
            },
            ended: false,
        }
    }

    /// Takes lines of the reader's buffer up to the end of an ad, an error, or the last of them.
    fn step(&mut self) -> io::Result<Option<Found>> {
        let buffer = self.reader.fill_buf()?;
        if buffer.is_empty() {
            self.ended = true;
            let last = std::mem::take(&mut self.carry);
            return Ok(if self.skipping { None } else { self.lines.line(&last) });
        }
        let mut used = 0;
        let mut found = None;
        while found.is_none() && used < buffer.len() {
            let rest = &buffer[used..];
            let Some(end) = memchr(b'\n', rest) else {
                used = buffer.len();
                if self.carry.len() + rest.len() > MAX_AD_SIZE {
                    self.skipping = true;
                    self.carry = Vec::new();
                }
                if !self.skipping {
                    self.carry.extend_from_slice(rest);
                }
                break;
            };
            used += end + 1;
            if self.skipping {
                self.skipping = false;
                self.lines.line += 1;
                let message = "the line is longer than 64 MiB and was skipped";
                found = Some(Err(AdError::at(self.lines.line, message)));
            } else if self.carry.is_empty() {
                found = self.lines.line(&rest[..end]);
            } else {
                self.carry.extend_from_slice(&rest[..end]);
                found = self.lines.line(&self.carry);
                self.carry.clear();
            }
        }
        self.reader.consume(used);
        Ok(found)
    }
}

impl<R: BufRead> Iterator for AdReader<R> {
    type Item = Found;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            match self.step() {
                Ok(None) => {}
                Ok(found) => return found,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.ended = true;
                    self.lines.pending.clear();
                    return Some(Err(AdError::io(error)));
                }
            }
        }
        self.lines.finish().map(Ok)
    }
}

impl Lines {
    fn finish(&mut self) -> Option<ClassAd> {
        let mut ad = ClassAd::new();
        if !self.pending.attributes.is_empty() {
            self.pending.fill(&mut ad);
        }
        if let Some(projection) = self.projection.with_references(&ad) {
            self.left_out.put_each(&mut ad, |name| projection.wants(name));
        }
        self.left_out.clear();
        self.size = 0;
        self.too_large = false;
        (!ad.is_empty()).then_some(ad)
    }

    fn line(&mut self, line: &[u8]) -> Option<Found> {
        self.line += 1;
        let line = line.trim_ascii();
        match line.first() {
            None => return self.finish().map(Ok),
            // Headings of condor_q and comments.
            Some(b'#') => return None,
            Some(b'-') if line.starts_with(b"--") => return None,
            Some(b'*') if line.starts_with(b"***") => {
                let mut ad = self.finish()?;
                ad.set_banner(&text(line));
                return Some(Ok(ad));
            }
            Some(_) => {}
        }
        self.attribute(line)
    }

    /// The error of an ad that is too large, once.
    fn too_large(&mut self, message: &'static str) -> Option<Found> {
        let is_first = !std::mem::replace(&mut self.too_large, true);
        is_first.then(|| Err(AdError::at(self.line, message)))
    }

    fn attribute(&mut self, line: &[u8]) -> Option<Found> {
        let Some((name, raw)) = split(line).or_else(|| split_at_sign(line)) else {
            let start: String = String::from_utf8_lossy(line).chars().take(40).collect();
            let message =
                format!("expected 'Attribute = expression', found '{}'", start.escape_debug());
            return Some(Err(AdError::at(self.line, message)));
        };
        let size = line.len() + size_of::<Attribute>();
        if !self.projection.wants(name) {
            if !self.projection.may_want_more() {
                return None;
            }
            if self.left_out.size() + size > MAX_LEFT_OUT {
                let message = "the ad has more than 8 MiB of attributes beside those wanted; \
                               policies do not see the rest of them";
                return self.too_large(message);
            }
            self.left_out.push(name, raw, self.line);
            return None;
        }
        self.size += size;
        if self.size > MAX_AD_SIZE {
            return self.too_large("the ad is larger than 64 MiB; the rest of it is skipped");
        }
        self.pending.push(name, raw, self.line);
        None
    }
}

/// Name and expression of an attribute.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = line.iter().position(|byte| !IN_NAME[usize::from(*byte)]).unwrap_or(line.len());
    let (name, rest) = line.split_at(length);
    let raw = match rest {
        // As HTCondor writes it.
        [b' ', b'=', b' ', raw @ ..] => raw,
        _ => rest.trim_ascii_start().strip_prefix(b"=")?,
    };
    (!name.is_empty()).then(|| (name, raw.trim_ascii_start()))
}

/// The bytes that attribute names are made of.
const IN_NAME: [bool; 256] = {
    let mut in_name = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        in_name[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
        byte += 1;
    }
    in_name
};

/// [`split`] for a name that is no plain one: to HTCondor it is all that stands before the sign.
/// What follows must be an expression, else the line is anything.
fn split_at_sign(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (name, rest) = line.split_at(memchr(b'=', line)?);
    let (name, raw) = (name.trim_ascii_end(), rest[1..].trim_ascii_start());
    (!name.is_empty() && Expr::parse_old(&text(raw)).is_ok()).then_some((name, raw))
}

fn text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
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

/// The line that ends an ad in a history file:
/// `*** EPOCH ClusterId=3 ProcId=0 RunInstanceId=0 Owner="ada"`.
#[derive(Clone, Debug, Default)]
pub struct Banner {
    /// The word after the stars that is no field, such as `EPOCH`, `SPAWN`, `JOB_AD`; empty if
    /// there is none.
    pub kind: String,
    /// The fields as an ad.
    pub fields: ClassAd,
}

impl Banner {
    /// Reads a banner line; `None` if the line does not start with `***`. What is no field is left
    /// out.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_that_are_not_wanted_do_not_pile_up() {
        let line = "Attr = 1\n".repeat(1000);
        let names = Some(super::super::Names::of(["ClusterId"]));
        let projection = Projection { names, policies: vec!["PeriodicRelease".into()] };
        let mut reader = AdReader::new(line.as_bytes(), projection);
        let mut faults = 0;
        for _ in 0..2000 {
            reader.reader = line.as_bytes();
            faults += usize::from(reader.step().unwrap().is_some_and(|found| found.is_err()));
        }
        assert_eq!(faults, 1, "it is said once");
        assert!(reader.lines.left_out.size() <= MAX_LEFT_OUT);
        reader.reader = b"ClusterId = 7\n";
        let ad = reader.next().unwrap().unwrap();
        assert_eq!(ad.integer("ClusterId"), Some(7));
    }
}
