//! A JSON object to an ad: every member becomes the text of an expression in the new syntax, parsed
//! when used.

use std::borrow::Cow;

use super::super::{AdError, Projection, Written};
use crate::ad::ClassAd;
use crate::expr::Expr;
use crate::print::{self, Style};
use crate::syntax::Syntax;

/// Objects and arrays inside each other.
const MAX_DEPTH: u32 = 150;

/// The ad, if the text has one, and what is wrong with it.
pub(crate) fn ad(
    text: &str,
    line: u64,
    projection: &Projection,
) -> (Option<ClassAd>, Vec<AdError>) {
    let mut ad = ClassAd::new();
    let mut errors = Vec::new();
    let result = each(text, (line, true), projection, |name, value, line| match value {
        Ok(value) => ad.put(&name, &value.expression(), Syntax::New, None, line),
        Err(error) => errors.push(error),
    });
    errors.extend(result.err());
    let found = !ad.is_empty() || errors.is_empty();
    (found.then_some(ad), errors)
}

/// Calls `see` with name, expression and line of each attribute that is wanted. The line is that of
/// the ad unless `counts`: to count costs time.
pub(super) fn each(
    text: &str,
    (line, counts): (u64, bool),
    projection: &Projection,
    mut see: impl FnMut(Cow<'_, str>, Result<Written<'_>, AdError>, u64),
) -> Result<(), AdError> {
    let (bad, string) = (None, None);
    let mut scanner = Scanner { text, at: 0, depth: 0, bad, string, counted: 0, lines: line };
    let mut raw = String::new();
    let result = scanner.object(|scanner, name| {
        let at = scanner.at;
        let wanted = projection.wants(name.as_bytes());
        if !wanted && scanner.peek() == Some(b'"') {
            return scanner.skip_string();
        }
        raw.clear();
        scanner.value(&mut raw)?;
        let bad = scanner.bad.take();
        if wanted {
            let line = if counts || bad.is_some() { scanner.line(at) } else { line };
            let value = match (bad, scanner.string.take()) {
                (Some(bad), _) => Err(AdError::at(line, format!("attribute {name}: {bad}"))),
                (None, Some(text)) => Ok(Written::String(text)),
                (None, None) => Ok(Written::Expression(&raw)),
            };
            see(name, value, line);
        }
        Ok(())
    });
    result.map_err(|Problem(message)| AdError::at(scanner.line(scanner.at), message))
}

/// Why the rest of the ad cannot be read.
struct Problem(String);

fn problem(message: impl Into<String>) -> Problem {
    Problem(message.into())
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
    /// What is wrong with the attribute that is read, behind which reading goes on.
    bad: Option<String>,
    /// The attribute at hand, if it is a string.
    string: Option<Cow<'a, str>>,
    /// Lines that end before this place have been counted.
    counted: usize,
    /// The line of the input that this place is in.
    lines: u64,
}

impl<'a> Scanner<'a> {
    /// The line of the input that a place is in.
    fn line(&mut self, at: usize) -> u64 {
        let at = at.min(self.text.len());
        let new = &self.text.as_bytes()[self.counted.min(at)..at];
        self.lines += memchr::memchr_iter(b'\n', new).count() as u64;
        self.counted = at;
        self.lines
    }

    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn take(&mut self, wanted: u8) -> Result<(), Problem> {
        let found = match self.peek() {
            Some(byte) if byte == wanted => {
                self.at += 1;
                return Ok(());
            }
            Some(byte) => format!("'{}'", byte.escape_ascii()),
            None => "the end of the ad".to_owned(),
        };
        Err(problem(format!("expected '{}', found {found}", wanted.escape_ascii())))
    }

    fn object(
        &mut self,
        mut member: impl FnMut(&mut Scanner<'a>, Cow<'a, str>) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        self.take(b'{')?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(problem("the ad nests too deeply"));
        }
        loop {
            // HTCondor takes any number of commas between members.
            while self.peek() == Some(b',') {
                self.at += 1;
            }
            if self.peek() == Some(b'}') {
                self.at += 1;
                self.depth -= 1;
                return Ok(());
            }
            let name = self.string()?;
            self.take(b':')?;
            member(self, name)?;
            if !matches!(self.peek(), Some(b',' | b'}')) {
                return Err(problem("expected ',' or '}' after a member"));
            }
        }
    }

    /// Keeps the first thing that is wrong with an attribute.
    fn go_on_behind(&mut self, message: String) {
        self.bad.get_or_insert(message);
    }

    /// Appends the value at the scanner as an expression in the new syntax.
    fn value(&mut self, out: &mut String) -> Result<(), Problem> {
        match self.peek() {
            Some(b'"') => {
                let text = self.string()?;
                match expression(&text) {
                    Some(expression) => {
                        // Within a list or an ad it must not end what is around it.
                        if self.depth > 1
                            && let Err(error) = Expr::parse(expression)
                        {
                            self.go_on_behind(format!("/Expr(...)/: {}", error.message()));
                        }
                        out.push_str(expression);
                    }
                    None if text.contains('\0') => {
                        self.go_on_behind("the string holds a NUL character".to_owned());
                    }
                    None if self.depth == 1 => self.string = Some(text),
                    None => print::string(out, &text, Style::New),
                }
                Ok(())
            }
            Some(b'{') => {
                out.push('[');
                self.object(|scanner, name| {
                    print::attribute_name(out, &name, Style::New);
                    out.push_str(" = ");
                    scanner.value(out)?;
                    out.push(';');
                    Ok(())
                })?;
                out.push(']');
                Ok(())
            }
            Some(b'[') => self.array(out),
            Some(_) => self.word(out),
            None => Err(problem("expected a value, found the end of the ad")),
        }
    }

    fn array(&mut self, out: &mut String) -> Result<(), Problem> {
        self.take(b'[')?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(problem("the ad nests too deeply"));
        }
        out.push('{');
        if self.peek() == Some(b']') {
            self.at += 1;
        } else {
            loop {
                self.value(out)?;
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        out.push(',');
                    }
                    Some(b']') => {
                        self.at += 1;
                        break;
                    }
                    _ => return Err(problem("expected ',' or ']' after an element")),
                }
            }
        }
        out.push('}');
        self.depth -= 1;
        Ok(())
    }

    /// A number or a keyword.
    fn word(&mut self, out: &mut String) -> Result<(), Problem> {
        let rest = &self.text[self.at..];
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_')))
            .unwrap_or(rest.len());
        let word = &rest[..end];
        if word.is_empty() {
            return Err(problem(format!(
                "expected a value, found '{}'",
                rest.chars().next().unwrap_or_default().escape_debug()
            )));
        }
        self.at += end;
        if word.eq_ignore_ascii_case("null") {
            out.push_str("undefined");
        } else if word.eq_ignore_ascii_case("true") || word.eq_ignore_ascii_case("false") {
            out.push_str(&word.to_ascii_lowercase());
        } else if word.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            out.push_str(word);
        } else {
            self.go_on_behind(format!("'{}' is no JSON value", word.escape_debug()));
        }
        Ok(())
    }

    /// Goes behind the string at the scanner.
    fn skip_string(&mut self) -> Result<(), Problem> {
        self.take(b'"')?;
        let bytes = self.text.as_bytes();
        loop {
            let rest = bytes.get(self.at..).unwrap_or_default();
            let Some(step) = memchr::memchr2(b'"', b'\\', rest) else {
                return Err(problem("a string has no closing quotation mark"));
            };
            if rest[step] == b'"' {
                self.at += step + 1;
                return Ok(());
            }
            // What is escaped may be half a character: its other half is none of those looked for.
            self.at += step + 2;
        }
    }

    /// The string at the scanner, escapes resolved.
    fn string(&mut self) -> Result<Cow<'a, str>, Problem> {
        self.take(b'"')?;
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut text = String::new();
        let mut from = start;
        loop {
            let Some(step) =
                bytes.get(self.at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest))
            else {
                return Err(problem("a string has no closing quotation mark"));
            };
            self.at += step;
            let piece = &self.text[from..self.at];
            if bytes[self.at] == b'"' {
                self.at += 1;
                return Ok(match text.is_empty() {
                    true => Cow::Borrowed(piece),
                    false => Cow::Owned(text + piece),
                });
            }
            text.push_str(piece);
            self.at += 1;
            self.escape(&mut text)?;
            from = self.at;
        }
    }

    fn escape(&mut self, text: &mut String) -> Result<(), Problem> {
        let Some(escaped) = self.text[self.at..].chars().next() else {
            return Err(problem("a string has no closing quotation mark"));
        };
        self.at += escaped.len_utf8();
        text.push(match escaped {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => self.unicode()?,
            other => other,
        });
        Ok(())
    }

    fn unicode(&mut self) -> Result<char, Problem> {
        let first = self.hexadecimal()?;
        let code = if (0xD800..0xDC00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let second = self.hexadecimal()?;
            0x10000 + ((first - 0xD800) << 10) + (second.wrapping_sub(0xDC00) & 0x3FF)
        } else {
            first
        };
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hexadecimal(&mut self) -> Result<u32, Problem> {
        let digits = self.text.get(self.at..self.at + 4);
        let code = digits
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or_else(|| problem("'\\u' needs four hexadecimal digits"))?;
        self.at += 4;
        Ok(code)
    }
}

/// The expression in `/Expr(...)/`.
fn expression(text: &str) -> Option<&str> {
    let start = text.get(..6)?;
    if !start.eq_ignore_ascii_case("/Expr(") {
        return None;
    }
    text.get(6..)?.strip_suffix(")/")
}
