//! Tokens. The rules are those of HTCondor's src/classad/lexer.cpp with old ClassAd semantics, as
//! its daemons and tools run: no octal and no hexadecimal integers.

use std::borrow::Cow;

use nom::IResult;
use nom::Parser as _;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_until, take_while, take_while1};
use nom::character::complete::{char, digit1, one_of};
use nom::combinator::{opt, recognize, value};
use nom::multi::many0_count;

use super::error::ParseError;
use super::{Syntax, escape};
use crate::expr::BinaryOperator;
use crate::functions::strings::is_space;
use crate::number;
use crate::value::Value;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    End,
    Literal(Value),
    Identifier(Cow<'a, str>),
    /// A binary operator that is not also a unary one.
    Operator(BinaryOperator),
    Plus,
    Minus,
    Not,
    Complement,
    Dot,
    Question,
    Elvis,
    Colon,
    Semicolon,
    Comma,
    Assign,
    OpenBox,
    CloseBox,
    OpenParenthesis,
    CloseParenthesis,
    OpenBrace,
    CloseBrace,
}

impl Token<'_> {
    /// The token in words for messages. `text`: as it is written.
    pub(crate) fn describe(&self, text: &str) -> String {
        match self {
            Token::End => "the end of the expression".to_owned(),
            Token::Literal(Value::Integer(number)) => format!("the number {number}"),
            Token::Literal(Value::Real(number)) => format!("the number {number}"),
            Token::Literal(Value::String(_)) => "a string".to_owned(),
            Token::Literal(word) => format!("'{word}'"),
            Token::Identifier(name) => format!("the name '{}'", name.escape_debug()),
            Token::Operator(operator) => format!("'{}'", operator.symbol()),
            Token::Dot => "'.'".to_owned(),
            Token::Elvis => "'?:'".to_owned(),
            _ => format!("'{text}'"),
        }
    }

    /// Whether a value can end with this token: then a following `-` is an operator, not a sign.
    fn ends_operand(&self) -> bool {
        matches!(
            self,
            Token::Literal(_)
                | Token::Identifier(_)
                | Token::Dot
                | Token::CloseBox
                | Token::CloseParenthesis
                | Token::CloseBrace
        )
    }
}

pub(crate) struct Lexer<'a> {
    source: &'a str,
    rest: &'a str,
    syntax: Syntax,
    after_operand: bool,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(source: &'a str, syntax: Syntax) -> Lexer<'a> {
        Lexer { source, rest: source, syntax, after_operand: false }
    }

    fn offset(&self) -> usize {
        self.source.len() - self.rest.len()
    }

    fn error(&self, at: usize, message: impl Into<String>) -> ParseError {
        ParseError::new(self.source, at, message)
    }

    /// The next token with its place.
    pub(crate) fn next(&mut self) -> Result<(Token<'a>, usize, usize), ParseError> {
        self.rest = skip(self.rest, |byte| is_space(char::from(byte)));
        if self.rest.starts_with('/')
            && let Ok((rest, ())) = comments(self.rest)
        {
            self.rest = rest;
        }
        let start = self.offset();
        if self.rest.starts_with("//") && self.syntax == Syntax::Old {
            // On a line of its own an attribute ends with the line.
            self.rest = "";
            return Ok((Token::End, start, start));
        }
        if self.rest.starts_with("//") {
            return Err(
                self.error(start, "the comment that starts here needs a line end behind it")
            );
        }
        if self.rest.starts_with("/*") {
            return Err(self.error(start, "the comment that starts here has no end '*/'"));
        }
        let token = self.token(start)?;
        self.after_operand = token.ends_operand();
        Ok((token, start, self.offset()))
    }

    fn token(&mut self, start: usize) -> Result<Token<'a>, ParseError> {
        let Some(first) = self.rest.as_bytes().first().copied() else { return Ok(Token::End) };
        match first {
            b'0'..=b'9' => self.number(start),
            b'.' => self.dot(start),
            b'-' if !self.after_operand && starts_number(&self.rest[1..]) => self.number(start),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let (word, rest) = word(self.rest);
                self.rest = rest;
                Ok(keyword(word))
            }
            b'"' => Ok(Token::Literal(self.quoted('"', start)?.as_ref().into())),
            b'\'' => Ok(Token::Identifier(self.quoted('\'', start)?)),
            0 => Ok(Token::End),
            _ => {
                let (token, length) = symbol(self.rest).ok_or_else(|| self.unknown(start))?;
                self.rest = &self.rest[length..];
                Ok(token)
            }
        }
    }

    fn unknown(&self, start: usize) -> ParseError {
        let character = self.rest.chars().next().unwrap_or_default();
        let message = match character {
            '=' => "'=?' is no operator; '=?=' tests for being identical".to_owned(),
            '$' => "'$' is a macro of a submit file or of the configuration, not of an expression"
                .to_owned(),
            '#' => {
                "'#' starts no comment inside an expression; comments stand between '/*' and '*/'"
                    .to_owned()
            }
            '\\' => "a backslash has a meaning inside strings only".to_owned(),
            other => {
                format!("the character '{}' has no meaning in an expression", other.escape_debug())
            }
        };
        self.error(start, message)
    }

    /// A dot, or a real that begins with one. Two dots side by side are one; a real that begins
    /// with two is 0, because `strtod` finds no number in it.
    fn dot(&mut self, start: usize) -> Result<Token<'a>, ParseError> {
        let after = &self.rest[1..];
        let doubled = after.strip_prefix('.');
        let behind = doubled.unwrap_or(after);
        if !behind.starts_with(|c: char| c.is_ascii_digit()) {
            self.rest = behind;
            return Ok(Token::Dot);
        }
        if doubled.is_none() {
            return self.number(start);
        }
        self.rest = after;
        self.number(start)?;
        Ok(Token::Literal(Value::Real(0.0)))
    }

    fn number(&mut self, start: usize) -> Result<Token<'a>, ParseError> {
        let Ok((rest, text)) = number_text(self.rest) else {
            return Err(self.error(start, "not a number"));
        };
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let hexadecimal = unsigned.starts_with("0x") || unsigned.starts_with("0X");
        if hexadecimal && !unsigned[2..].starts_with(|c: char| c.is_ascii_hexdigit()) {
            return Err(self.error(start, format!("'{text}' is not a number: a digit must follow")));
        }
        let is_real = if hexadecimal {
            unsigned.contains('.')
        } else {
            unsigned.bytes().any(|b| matches!(b, b'.' | b'e' | b'E'))
        };
        if is_real {
            let last = text.as_bytes()[text.len() - 1];
            if !last.is_ascii_digit() || text.contains(".e") || text.contains(".E") {
                return Err(
                    self.error(start, format!("'{text}' is not a number: a digit must follow"))
                );
            }
            self.rest = rest;
            return number::parse_prefix(text)
                .map(|(real, _)| Token::Literal(Value::Real(real)))
                .ok_or_else(|| self.error(start, format!("'{text}' is not a number")));
        }
        if unsigned.len() > 1 && unsigned.starts_with('0') {
            // With a sign in front HTCondor misses the leading zero and reads decimal digits.
            let octal = unsigned.bytes().all(|b| matches!(b, b'0'..=b'7'));
            if text.len() == unsigned.len() || !(octal || hexadecimal) {
                return Err(self.error(
                    start,
                    format!(
                        "'{text}' starts with 0: octal and hexadecimal numbers are not known here"
                    ),
                ));
            }
        }
        self.rest = rest;
        let decimal = if hexadecimal { "0" } else { text };
        // A number that does not fit 64 bits is 0 in HTCondor.
        Ok(Token::Literal(Value::Integer(decimal.parse().unwrap_or(0))))
    }

    /// A string or a quoted name, escapes resolved.
    fn quoted(&mut self, delimiter: char, start: usize) -> Result<Cow<'a, str>, ParseError> {
        let what = if delimiter == '"' { "string" } else { "quoted name" };
        let unterminated =
            || self.error(start, format!("the {what} that starts here has no closing {delimiter}"));
        if self.syntax == Syntax::Old {
            let (rest, text) = quoted_old(&self.rest[1..], delimiter)
                .filter(|(_, text)| !text.contains('\0'))
                .ok_or_else(unterminated)?;
            self.rest = rest;
            return Ok(text);
        }
        let (mut rest, first) = quoted_new(&self.rest[1..], delimiter).ok_or_else(unterminated)?;
        let mut raw = Cow::Borrowed(first);
        // Strings that follow each other are one string.
        loop {
            let next = rest.trim_start_matches(is_space);
            let Some(more) = next.strip_prefix(delimiter) else { break };
            let (after, text) = quoted_new(more, delimiter).ok_or_else(unterminated)?;
            raw.to_mut().push_str(text);
            rest = after;
        }
        let text = match raw {
            Cow::Borrowed(raw) => escape::unescape(raw),
            Cow::Owned(raw) => escape::unescape(&raw).map(|text| Cow::Owned(text.into_owned())),
        };
        let text =
            text.ok_or_else(|| self.error(start, format!("the {what} holds a NUL character")))?;
        self.rest = rest;
        Ok(text)
    }
}

/// What follows the bytes, all of them ASCII, at the start.
fn skip(input: &str, is_skipped: impl Fn(u8) -> bool) -> &str {
    let length = input.bytes().position(|byte| !is_skipped(byte)).unwrap_or(input.len());
    &input[length..]
}

/// Comments and white space.
fn comments(input: &str) -> IResult<&str, ()> {
    let space = take_while1(is_space);
    // HTCondor's lexer takes the end of the text for an error inside a comment.
    let line = recognize((tag("//"), take_till(|c| c == '\n'), char('\n')));
    let block = recognize((tag("/*"), take_until("*/"), tag("*/")));
    value((), many0_count(alt((line, block, space)))).parse_complete(input)
}

/// The name at the start, empty if there is none, and what follows it.
fn word(input: &str) -> (&str, &str) {
    let rest = skip(input, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (&input[..input.len() - rest.len()], rest)
}

fn starts_number(input: &str) -> bool {
    let mut number =
        alt((recognize(digit1::<&str, nom::error::Error<&str>>), recognize((char('.'), digit1))));
    number.parse_complete(input).is_ok()
}

/// The text of a number, well-formed or not: what the characters say belongs to it.
fn number_text(input: &str) -> IResult<&str, &str> {
    // Not `digit0`: at the end of the input nom 8.0.0 gives a rest that `recognize` cannot measure.
    let digits = || take_while(|c: char| c.is_ascii_digit());
    let exponent = || (one_of("eE"), opt(one_of("+-")), digits());
    // `strtod` reads it, whatever HTCondor's lexer takes the `e` for.
    let hexadecimal = recognize((
        opt(char('-')),
        char('0'),
        one_of("xX"),
        take_while(|c: char| c.is_ascii_hexdigit()),
        opt((char('.'), digits(), opt(exponent()))),
    ));
    let decimal =
        recognize((opt(char('-')), digits(), opt((char('.'), digits())), opt(exponent())));
    alt((hexadecimal, decimal)).parse_complete(input)
}

fn keyword(word: &str) -> Token<'_> {
    let is = |other: &str| word.eq_ignore_ascii_case(other);
    match word.len() {
        2 if is("is") => Token::Operator(BinaryOperator::Identical),
        4 if is("true") => Token::Literal(Value::Boolean(true)),
        4 if is("isnt") => Token::Operator(BinaryOperator::NotIdentical),
        5 if is("false") => Token::Literal(Value::Boolean(false)),
        5 if is("error") => Token::Literal(Value::Error),
        9 if is("undefined") => Token::Literal(Value::Undefined),
        _ => Token::Identifier(Cow::Borrowed(word)),
    }
}

/// The operator or mark at the start, and how many bytes it takes.
fn symbol(input: &str) -> Option<(Token<'static>, usize)> {
    use BinaryOperator as B;
    use Token::Operator;
    Some(match input.as_bytes() {
        [b'=', b'?', b'=', ..] => (Operator(B::Identical), 3),
        [b'=', b'!', b'=', ..] => (Operator(B::NotIdentical), 3),
        [b'>', b'>', b'>', ..] => (Operator(B::UnsignedShiftRight), 3),
        [b'&', b'&', ..] => (Operator(B::And), 2),
        [b'|', b'|', ..] => (Operator(B::Or), 2),
        [b'=', b'=', ..] => (Operator(B::Equal), 2),
        [b'!', b'=', ..] => (Operator(B::NotEqual), 2),
        [b'<', b'=', ..] => (Operator(B::LessOrEqual), 2),
        [b'>', b'=', ..] => (Operator(B::GreaterOrEqual), 2),
        [b'<', b'<', ..] => (Operator(B::ShiftLeft), 2),
        [b'>', b'>', ..] => (Operator(B::ShiftRight), 2),
        // "=?" that is not "=?=" is refused, not read as "=" and "?".
        [b'=', b'?', ..] => return None,
        [b'?', behind @ ..] => {
            let spaces = behind.iter().take_while(|byte| is_space(char::from(**byte))).count();
            match behind.get(spaces) {
                Some(b':') => (Token::Elvis, spaces + 2),
                _ => (Token::Question, 1),
            }
        }
        [b'<', ..] => (Operator(B::Less), 1),
        [b'>', ..] => (Operator(B::Greater), 1),
        [b'*', ..] => (Operator(B::Multiply), 1),
        [b'/', ..] => (Operator(B::Divide), 1),
        [b'%', ..] => (Operator(B::Modulus), 1),
        [b'&', ..] => (Operator(B::BitAnd), 1),
        [b'|', ..] => (Operator(B::BitOr), 1),
        [b'^', ..] => (Operator(B::BitXor), 1),
        [b'+', ..] => (Token::Plus, 1),
        [b'-', ..] => (Token::Minus, 1),
        [b'!', ..] => (Token::Not, 1),
        [b'~', ..] => (Token::Complement, 1),
        [b':', ..] => (Token::Colon, 1),
        [b';', ..] => (Token::Semicolon, 1),
        [b',', ..] => (Token::Comma, 1),
        [b'=', ..] => (Token::Assign, 1),
        [b'[', ..] => (Token::OpenBox, 1),
        [b']', ..] => (Token::CloseBox, 1),
        [b'(', ..] => (Token::OpenParenthesis, 1),
        [b')', ..] => (Token::CloseParenthesis, 1),
        [b'{', ..] => (Token::OpenBrace, 1),
        [b'}', ..] => (Token::CloseBrace, 1),
        _ => return None,
    })
}

/// The inside of a string of the new syntax and what follows it.
fn quoted_new(input: &str, delimiter: char) -> Option<(&str, &str)> {
    let bytes = input.as_bytes();
    let mut at = 0;
    loop {
        at += memchr::memchr2(delimiter as u8, b'\\', &bytes[at..])?;
        if bytes[at] == b'\\' {
            // The escaped character, whatever it is, ends nothing.
            at += 2;
            if at > bytes.len() {
                return None;
            }
        } else {
            // As in C, a NUL character ends the text: the string has no end then.
            let inside = &input[..at];
            return (!inside.contains('\0')).then_some((&input[at + 1..], inside));
        }
    }
}

/// The inside of a string of the old syntax and what follows it: `\"` is a quotation mark, unless
/// it is the last character of the line; any other backslash is itself.
fn quoted_old(input: &str, delimiter: char) -> Option<(&str, Cow<'_, str>)> {
    let bytes = input.as_bytes();
    let mut text = Cow::Borrowed("");
    let mut from = 0;
    loop {
        let at = from + memchr::memchr(delimiter as u8, &bytes[from..])?;
        let more = bytes.get(at + 1).is_some_and(|next| *next != b'\n' && *next != 0);
        if at > from && bytes[at - 1] == b'\\' && more {
            let text = text.to_mut();
            text.push_str(&input[from..at - 1]);
            text.push(delimiter);
            from = at + 1;
        } else {
            let last = &input[from..at];
            let text = match text {
                Cow::Borrowed(_) => Cow::Borrowed(last),
                Cow::Owned(text) => Cow::Owned(text + last),
            };
            return Some((&input[at + 1..], text));
        }
    }
}

/// Whether `text` can stand as a name without quotation marks.
pub(crate) fn is_plain_name(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts && word(text).1.is_empty() && matches!(keyword(text), Token::Identifier(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nul_character_ends_the_text() {
        for syntax in [Syntax::New, Syntax::Old] {
            assert!(Lexer::new("\"a\0b\"", syntax).next().is_err());
            assert_eq!(
                Lexer::new("\0x", syntax).next().ok().map(|found| found.0),
                Some(Token::End)
            );
        }
    }

    #[test]
    fn the_last_quotation_mark_of_an_old_string_ends_it() {
        let text = |line| Lexer::new(line, Syntax::Old).next().ok().map(|found| found.0);
        assert_eq!(text(r#""C:\dir\""#), Some(Token::Literal(r"C:\dir\".into())));
        assert_eq!(text(r#""a \"b\" c""#), Some(Token::Literal(r#"a "b" c"#.into())));
        assert_eq!(text(r#""open"#), None);
    }

    #[test]
    fn plain_names_need_no_quotation_marks() {
        assert!(is_plain_name("JobStatus") && is_plain_name("_a1"));
        assert!(
            !is_plain_name("1a")
                && !is_plain_name("a b")
                && !is_plain_name("")
                && !is_plain_name("True")
        );
    }
}
