//! The `-long` form: one attribute a line, a blank line between ads.
//!
//! `condor_q -long`, `condor_history -long`, and the history and epoch files themselves, where a
//! line `*** ...` ends each ad.

use std::borrow::Cow;
use std::io::{self, BufRead, Write};
use std::string::FromUtf8Error;

use memchr::memchr;
use nom::branch::alt;
use nom::bytes::complete::{is_not, tag, take_till, take_until, take_while, take_while1};
use nom::character::complete::{anychar, char};
use nom::combinator::{eof, map, opt, peek, recognize, rest, value, verify};
use nom::multi::many0_count;
use nom::sequence::{preceded, separated_pair, terminated};
use nom::{IResult, Parser};

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
        match Line::of(line) {
            Ok((_, Line::Attribute(name, raw))) => self.attribute(line, name, raw),
            Ok((_, Line::Blank)) => self.finish().map(Ok),
            Ok((_, Line::Remark)) => None,
            Ok((_, Line::Banner)) => {
                let mut ad = self.finish()?;
                ad.set_banner(&text(line));
                Some(Ok(ad))
            }
            Err(_) => {
                let start: String = String::from_utf8_lossy(line).chars().take(40).collect();
                let message =
                    format!("expected 'Attribute = expression', found '{}'", start.escape_debug());
                Some(Err(AdError::at(self.line, message)))
            }
        }
    }

    /// The error of an ad that is too large, once.
    fn too_large(&mut self, message: &'static str) -> Option<Found> {
        let is_first = !std::mem::replace(&mut self.too_large, true);
        is_first.then(|| Err(AdError::at(self.line, message)))
    }

    fn attribute(&mut self, line: &[u8], name: &[u8], raw: &[u8]) -> Option<Found> {
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

/// What a line is, without white space around it.
#[derive(Clone, Copy)]
enum Line<'a> {
    /// The name and the expression.
    Attribute(&'a [u8], &'a [u8]),
    Blank,
    /// A heading of condor_q or a comment.
    Remark,
    /// `*** ...`, the end of an ad.
    Banner,
}

impl<'a> Line<'a> {
    /// Line ::= Attribute | Blank | '#' ... | '--' ... | '***' ... | OddAttribute
    fn of(line: &'a [u8]) -> IResult<&'a [u8], Line<'a>> {
        let blank = value(Line::Blank, eof);
        let remark = value(Line::Remark, alt((tag("#"), tag("--"))));
        let banner = value(Line::Banner, tag("***"));
        alt((attribute, blank, remark, banner, odd_attribute)).parse_complete(line)
    }
}

fn space(line: &[u8]) -> IResult<&[u8], &[u8]> {
    take_while(|byte: u8| byte.is_ascii_whitespace()).parse_complete(line)
}

/// Attribute ::= Name '=' Expression
fn attribute(line: &[u8]) -> IResult<&[u8], Line<'_>> {
    let name = take_while1(|byte: u8| IN_NAME[usize::from(byte)]);
    // The first is how HTCondor writes it.
    let sign = alt((tag(" = "), preceded(space, tag("="))));
    let parts = separated_pair(name, (sign, space), rest);
    map(parts, |(name, raw)| Line::Attribute(name, raw)).parse_complete(line)
}

/// An attribute whose name is no plain one: to HTCondor it is all that stands before the sign. What
/// follows must be an expression, else the line is anything.
fn odd_attribute(line: &[u8]) -> IResult<&[u8], Line<'_>> {
    let name = map(take_until("="), <[u8]>::trim_ascii_end);
    let name = verify(name, |name: &[u8]| !name.is_empty());
    let raw = verify(rest, |raw: &[u8]| Expr::parse_old(&text(raw)).is_ok());
    let parts = separated_pair(name, (tag("="), space), raw);
    map(parts, |(name, raw)| Line::Attribute(name, raw)).parse_complete(line)
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
        let mut left = line.trim().strip_prefix("***")?.trim_start_matches('*').trim_start();
        let mut banner = Banner::default();
        while !left.is_empty() {
            if let Ok((behind, (word, value))) = field(left) {
                let expr =
                    Expr::parse_old(value).unwrap_or_else(|_| Expr::literal(Value::from(value)));
                banner.fields.insert(word, expr);
                left = behind.trim_start();
            } else {
                // At least one character goes, so the loop ends.
                let (behind, other) = other_word(left).ok()?;
                if banner.kind.is_empty() && banner.fields.is_empty() {
                    other.clone_into(&mut banner.kind);
                }
                left = behind.trim_start();
            }
        }
        Some(banner)
    }
}

fn word(input: &str) -> IResult<&str, &str> {
    take_till(|c: char| c == '=' || c.is_whitespace()).parse_complete(input)
}

/// Field ::= Word '=' ( String | Characters )
fn field(input: &str) -> IResult<&str, (&str, &str)> {
    let space = || take_while(char::is_whitespace);
    let named = verify(word, |word: &str| !word.is_empty());
    let inside = many0_count(alt((recognize((char('\\'), anychar)), is_not("\\\""))));
    let string = recognize((char('"'), inside, char('"')));
    // One without an end goes on to the end of the line.
    let open = preceded(peek(char('"')), rest);
    let characters = take_till(char::is_whitespace);
    let value = alt((string, open, characters));
    separated_pair(named, (space(), char('='), space()), value).parse_complete(input)
}

/// A word that is no field's, and a sign behind it.
fn other_word(input: &str) -> IResult<&str, &str> {
    let space = take_while(char::is_whitespace);
    terminated(word, (space, opt(char('=')))).parse_complete(input)
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
