//! An element `<c>` to an ad: every `<a>` becomes the text of an expression in the new syntax,
//! parsed when used.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::errors::SyntaxError;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::super::{AdError, Projection, Written};
use crate::expr::Expr;
use crate::number;
use crate::print::{self, Style};
use crate::syntax::escape;
use crate::value::Value;

/// Ads and lists inside each other: no fewer than an expression may have.
const MAX_DEPTH: u32 = 170;

/// Errors told of one ad, so that hostile input cannot fill the memory with them.
const MAX_ERRORS: usize = 100;

/// Bytes of one ad that are read again behind tags without end, so that hostile input costs no
/// time.
const MAX_READ_AGAIN: usize = 4 * 1024 * 1024;

/// Calls `see` with name, expression and line of each attribute that is wanted, and with what is
/// wrong; whether the end of the ad was reached. Where the text is not whole, its end is no news.
/// The line is that of the ad unless `counts`: to count costs time.
pub(super) fn each(
    text: &str,
    (line, counts): (u64, bool),
    is_whole: bool,
    projection: &Projection,
    mut see: impl FnMut(Result<(String, Written<'_>, u64), AdError>),
) -> bool {
    let mut converter = Converter {
        reader: reader(text),
        text,
        base: 0,
        waiting: None,
        depth: 0,
        ads: 0,
        read_again: 0,
        string: None,
        counted: 0,
        lines: line,
    };
    let (mut raw, mut wrong) = (String::new(), 0);
    // The tag of the ad itself.
    let mut result = converter.next().map(|_| ());
    while result.is_ok() {
        if wrong >= MAX_ERRORS {
            result = Err(problem("too much is wrong with this ad; the rest of it is skipped"));
            break;
        }
        match converter.attribute(&mut raw, projection) {
            Ok(Read::Attribute(name, at)) => {
                let line = if counts { converter.line(at) } else { line };
                let string = converter.string.take().map(Written::String);
                see(Ok((name, string.unwrap_or(Written::Expression(&raw)), line)));
            }
            Ok(Read::Nothing) => {}
            Ok(Read::End) => return true,
            Ok(Read::Eof) => return false,
            Err((at, name, Problem::Text(message))) => {
                let message = match name {
                    Some(name) => format!("attribute {name}: {message}"),
                    None => message,
                };
                wrong += 1;
                see(Err(AdError::at(converter.line(at), message)));
                result = converter.skip();
            }
            Err((_, _, stop)) => result = Err(stop),
        }
    }
    let message = match result {
        Err(Problem::Text(message)) => message,
        Err(Problem::NotXml(error)) if is_whole => format!("the rest of the ad is no XML: {error}"),
        Err(Problem::End) if is_whole => "the ad ends inside a value".to_owned(),
        _ => return false,
    };
    see(Err(AdError::at(converter.line(converter.position()), message)));
    false
}

/// What was read of an ad.
enum Read {
    /// The name of an attribute, and where its value begins.
    Attribute(String, usize),
    /// What says nothing, or is not wanted.
    Nothing,
    /// The end of the ad.
    End,
    /// The end of the text.
    Eof,
}

fn reader(text: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    reader
}

enum Problem {
    /// An element that is none of those expected, or one without what it should have.
    Text(String),
    /// Nothing behind it can be read.
    NotXml(quick_xml::Error),
    /// The text ends.
    End,
}

fn problem(message: impl Into<String>) -> Problem {
    Problem::Text(message.into())
}

/// What is wrong with an attribute: its place, its name as far as it is known, and why.
type Failure = (usize, Option<String>, Problem);

struct Converter<'a> {
    reader: Reader<&'a [u8]>,
    text: &'a str,
    /// Where the reader's text begins in it.
    base: usize,
    /// An event that was looked at and not used.
    waiting: Option<Event<'a>>,
    /// Ads and lists that the reader is in, within the attribute at hand.
    depth: u32,
    /// How many of them are ads.
    ads: usize,
    /// Bytes read as tags that had no end.
    read_again: usize,
    /// The attribute at hand, if it is a string.
    string: Option<Cow<'a, str>>,
    /// Lines that end before this place have been counted.
    counted: usize,
    lines: u64,
}

impl<'a> Converter<'a> {
    /// Where the reader stands in the text.
    fn position(&self) -> usize {
        let read = usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX);
        self.base.saturating_add(read).min(self.text.len())
    }

    /// The line of the input that a place is in.
    fn line(&mut self, at: usize) -> u64 {
        let new = self.text.as_bytes().get(self.counted..at).unwrap_or_default();
        self.lines += memchr::memchr_iter(b'\n', new).count() as u64;
        self.counted = self.counted.max(at);
        self.lines
    }

    /// The next event; behind a tag without end the reader goes on at the next tag.
    fn read(&mut self) -> Result<Event<'a>, Problem> {
        let start = self.position();
        let event = self.reader.read_event();
        let is_open = match &event {
            // No tag holds this character: it begins the next one.
            Ok(Event::Start(tag) | Event::Empty(tag)) => tag.contains('<'),
            Ok(Event::End(tag)) => tag.contains('<'),
            Ok(_) => false,
            Err(_) => true,
        };
        if !is_open {
            return event.map_err(Problem::NotXml);
        }
        self.read_again += self.position().saturating_sub(start);
        let behind = self.text.get(start + 1..).unwrap_or_default();
        let (Some(next), true) = (behind.find('<'), self.read_again <= MAX_READ_AGAIN) else {
            let error = event.err().unwrap_or(SyntaxError::UnclosedTag.into());
            return Err(Problem::NotXml(error));
        };
        self.base = start + 1 + next;
        self.reader = reader(&self.text[self.base..]);
        Err(problem("a tag has no end '>'"))
    }

    /// The next tag or text.
    fn next(&mut self) -> Result<Event<'a>, Problem> {
        loop {
            let event = match self.waiting.take() {
                Some(event) => event,
                None => self.read()?,
            };
            match event {
                Event::Comment(_) | Event::PI(_) | Event::Decl(_) | Event::DocType(_) => {}
                event => return Ok(event),
            }
        }
    }

    /// The next tag or text that is not blank.
    fn next_element(&mut self) -> Result<Event<'a>, Problem> {
        loop {
            match self.next()? {
                Event::Text(text) if text.trim_ascii().is_empty() => {}
                event => return Ok(event),
            }
        }
    }

    /// What is expected does not begin with this event, which is left where it is.
    fn unexpected(&mut self, expected: &str, event: Event<'a>) -> Problem {
        if matches!(event, Event::Eof) {
            return Problem::End;
        }
        let problem = problem(format!("expected {expected}, found {}", describe(&event)));
        self.waiting = Some(event);
        problem
    }

    /// Reads up to the end of the next attribute of the ad, its expression into `raw`.
    fn attribute(&mut self, raw: &mut String, projection: &Projection) -> Result<Read, Failure> {
        let event = self.next().map_err(|problem| (self.position(), None, problem))?;
        let (tag, is_empty) = match event {
            Event::End(tag) if tag.name().as_ref() == "c" => return Ok(Read::End),
            Event::Eof => return Ok(Read::Eof),
            // As HTCondor reads it: text says nothing here, and the end of an attribute may be
            // missing.
            Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => return Ok(Read::Nothing),
            Event::End(tag) if tag.name().as_ref() == "a" => return Ok(Read::Nothing),
            Event::Start(tag) if tag.name().as_ref() == "a" => (tag, false),
            Event::Empty(tag) if tag.name().as_ref() == "a" => (tag, true),
            other => {
                let found = describe(&other);
                let message = format!("expected an element <a>, found {found}");
                return Err((self.position(), None, problem(message)));
            }
        };
        let at = self.position();
        let name = name(&tag).map_err(|problem| (at, None, problem))?;
        if !projection.wants(name.as_bytes()) {
            if !is_empty {
                self.skip().map_err(|problem| (at, None, problem))?;
            }
            return Ok(Read::Nothing);
        }
        raw.clear();
        (self.depth, self.ads) = (0, 0);
        let value = match is_empty {
            true => Err(problem("expected a value, found an empty element")),
            false => self.value(raw),
        };
        match value {
            Ok(()) => Ok(Read::Attribute(name, at)),
            Err(problem) => Err((at, Some(name), problem)),
        }
    }

    /// Goes behind the end of the attribute at hand, or before the next one or the end of the ad.
    fn skip(&mut self) -> Result<(), Problem> {
        let mut depth = std::mem::take(&mut self.ads);
        loop {
            let event = match self.next() {
                // One error for all that is passed over is enough.
                Err(Problem::Text(_)) => continue,
                event => event?,
            };
            match &event {
                Event::Start(tag) if tag.name().as_ref() == "c" => depth += 1,
                Event::End(tag) if tag.name().as_ref() == "c" && depth > 0 => depth -= 1,
                Event::End(tag) if tag.name().as_ref() == "a" && depth == 0 => return Ok(()),
                Event::Start(tag) | Event::Empty(tag)
                    if tag.name().as_ref() == "a" && depth == 0 =>
                {
                    break self.waiting = Some(event);
                }
                Event::End(tag) if tag.name().as_ref() == "c" => break self.waiting = Some(event),
                Event::Eof => break self.waiting = Some(event),
                _ => {}
            }
        }
        Ok(())
    }

    /// Appends the value at the reader as an expression in the new syntax.
    fn value(&mut self, out: &mut String) -> Result<(), Problem> {
        match self.next_element()? {
            Event::Start(tag) => self.element(out, &tag, false),
            Event::Empty(tag) => self.element(out, &tag, true),
            other => Err(self.unexpected("a value", other)),
        }
    }

    fn element(
        &mut self,
        out: &mut String,
        tag: &BytesStart<'a>,
        is_empty: bool,
    ) -> Result<(), Problem> {
        let name = tag.name();
        let name = name.as_ref();
        match name {
            "c" if is_empty => out.push_str("[]"),
            "l" if is_empty => out.push_str("{}"),
            "c" => self.nested(out, Converter::ad)?,
            "l" => self.nested(out, Converter::list)?,
            "s" => {
                let text = if is_empty { "".into() } else { self.characters(name)? };
                let text = match escape::unescape(&text) {
                    Some(Cow::Owned(meant)) => Cow::Owned(meant),
                    Some(Cow::Borrowed(_)) => text,
                    None => return Err(problem("the string holds a NUL character")),
                };
                match self.depth {
                    0 => self.string = Some(text),
                    _ => print::string(out, &text, Style::New),
                }
            }
            "i" | "r" | "e" | "at" | "rt" => {
                let text = if is_empty { "".into() } else { self.characters(name)? };
                let text = text.trim_ascii_start();
                if text.is_empty() {
                    return Err(problem(format!("the element <{name}> is empty")));
                }
                match name {
                    "i" => integer(out, text),
                    "r" => real(out, text),
                    "e" => self.expression(out, text)?,
                    "at" => call(out, "absTime", text),
                    _ => call(out, "relTime", text),
                }
            }
            "b" => {
                out.push_str(boolean(tag)?);
                self.end_of(name, is_empty)?;
            }
            "un" => {
                out.push_str("undefined");
                self.end_of(name, is_empty)?;
            }
            "er" => {
                out.push_str("error");
                self.end_of(name, is_empty)?;
            }
            _ => return Err(problem(format!("expected a value, found <{}>", shown(name)))),
        }
        Ok(())
    }

    fn nested(
        &mut self,
        out: &mut String,
        inside: impl FnOnce(&mut Converter<'a>, &mut String) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(problem("the ad nests too deeply"));
        }
        inside(self, out)?;
        self.depth -= 1;
        Ok(())
    }

    /// The attributes of an ad that is a value.
    fn ad(&mut self, out: &mut String) -> Result<(), Problem> {
        out.push('[');
        self.ads += 1;
        loop {
            match self.next()? {
                Event::End(tag) if tag.name().as_ref() == "c" => break out.push(']'),
                Event::End(tag) if tag.name().as_ref() == "a" => {}
                Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => {}
                Event::Start(tag) if tag.name().as_ref() == "a" => {
                    print::attribute_name(out, &name(&tag)?, Style::New);
                    out.push_str(" = ");
                    self.value(out)?;
                    out.push(';');
                }
                other => return Err(self.unexpected("an element <a>", other)),
            }
        }
        self.ads -= 1;
        Ok(())
    }

    fn list(&mut self, out: &mut String) -> Result<(), Problem> {
        out.push('{');
        let mut is_first = true;
        loop {
            let (tag, is_empty) = match self.next_element()? {
                Event::End(tag) if tag.name().as_ref() == "l" => break out.push('}'),
                Event::Start(tag) => (tag, false),
                Event::Empty(tag) => (tag, true),
                other => return Err(self.unexpected("a value or </l>", other)),
            };
            if !std::mem::replace(&mut is_first, false) {
                out.push(',');
            }
            self.element(out, &tag, is_empty)?;
        }
        Ok(())
    }

    /// The text up to the end of the element. As in HTCondor its end tag may be missing.
    fn characters(&mut self, element: &str) -> Result<Cow<'a, str>, Problem> {
        let mut text = Cow::Borrowed("");
        loop {
            match self.next()? {
                Event::Text(part) => text += part.into_inner(),
                Event::CData(part) => text += part.into_inner(),
                Event::GeneralRef(name) => reference(text.to_mut(), &name),
                Event::End(tag) if tag.name().as_ref() == element => break,
                // Half a text is worse than none.
                Event::Eof => return Err(Problem::End),
                other => break self.waiting = Some(other),
            }
        }
        Ok(text)
    }

    /// Goes behind the end tag of an element without text, if it has one.
    fn end_of(&mut self, element: &str, is_empty: bool) -> Result<(), Problem> {
        if !is_empty {
            match self.next_element()? {
                Event::End(tag) if tag.name().as_ref() == element => {}
                other => self.waiting = Some(other),
            }
        }
        Ok(())
    }

    fn expression(&self, out: &mut String, text: &str) -> Result<(), Problem> {
        // As in C, a NUL character ends the text.
        let text = text.split('\0').next().unwrap_or_default();
        if self.depth > 0 {
            // It must not end the list or the ad around it.
            Expr::parse(text).map_err(|error| problem(error.to_string()))?;
        }
        out.push_str(text);
        Ok(())
    }
}

/// An integer as C++'s `from_chars` reads it: what follows the digits says nothing, what does not
/// fit is an error.
fn integer(out: &mut String, text: &str) {
    let sign = usize::from(text.starts_with('-'));
    let digits = text.bytes().skip(sign).take_while(u8::is_ascii_digit).count();
    match text[..sign + digits].parse::<i64>() {
        Ok(number) => out.push_str(&number.to_string()),
        Err(_) => out.push_str("error"),
    }
}

/// A real as C's `strtod` reads it.
fn real(out: &mut String, text: &str) {
    match number::parse_prefix(text) {
        // The fewest digits that mean the same number.
        Some((real, _)) if real.is_finite() => out.push_str(&format!("{real:?}")),
        Some((real, _)) => print::value(out, &Value::Real(real), Style::New),
        None => out.push_str("error"),
    }
}

fn call(out: &mut String, function: &str, text: &str) {
    out.push_str(function);
    out.push('(');
    print::string(out, text, Style::New);
    out.push(')');
}

fn boolean(tag: &BytesStart<'_>) -> Result<&'static str, Problem> {
    match tag.try_get_attribute("v").ok().flatten().as_ref().map(|v| v.value.as_ref()) {
        Some("t" | "T") => Ok("true"),
        Some("f" | "F") => Ok("false"),
        _ => Err(problem("expected v=\"t\" or v=\"f\" in an element <b>")),
    }
}

/// The name of an attribute.
fn name(tag: &BytesStart<'_>) -> Result<String, Problem> {
    let value = tag.try_get_attribute("n").ok().flatten();
    let value = value.as_ref().map(|n| references(&n.value)).unwrap_or_default();
    match escape::unescape(&value) {
        Some(name) if name.is_empty() => {
            Err(problem("expected a name n=\"...\" in an element <a>"))
        }
        Some(name) => Ok(name.into_owned()),
        None => Err(problem("the name of an attribute holds a NUL character")),
    }
}

/// The text with its references replaced.
fn references(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split('&');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        match part.split_once(';') {
            Some((name, rest)) => {
                reference(&mut out, &BytesRef::new(name));
                out.push_str(rest);
            }
            None => {
                out.push('&');
                out.push_str(part);
            }
        }
    }
    Cow::Owned(out)
}

/// Appends what a reference stands for; one that is not known stands for itself, as in HTCondor.
fn reference(out: &mut String, name: &BytesRef<'_>) {
    if let Some(text) = resolve_predefined_entity(name) {
        out.push_str(text);
    } else if let Ok(Some(character)) = name.resolve_char_ref() {
        out.push(character);
    } else {
        out.extend(["&", name, ";"]);
    }
}

fn describe(event: &Event<'_>) -> String {
    match event {
        Event::Start(tag) => format!("<{}>", shown(tag.name().as_ref())),
        Event::Empty(tag) => format!("<{}/>", shown(tag.name().as_ref())),
        Event::End(tag) => format!("</{}>", shown(tag.name().as_ref())),
        Event::Text(text) => format!("'{}'", shown(text.trim_ascii())),
        Event::GeneralRef(name) => format!("'&{};'", shown(name)),
        _ => "something else".to_owned(),
    }
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect::<String>().escape_debug().to_string()
}
