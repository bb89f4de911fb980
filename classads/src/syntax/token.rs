//! Tokens, as nom parsers. The rules are those of HTCondor's src/classad/lexer.cpp with old ClassAd
//! semantics, as its daemons and tools run: no octal and no hexadecimal integers.

use std::borrow::Cow;

use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_until};
use nom::character::complete::{anychar, char, one_of, satisfy};
use nom::combinator::{
    consumed, fail, map, map_opt, not, opt, peek, recognize, rest, value, verify,
};
use nom::error::ErrorKind;
use nom::multi::{fold_many0, many0_count};
use nom::sequence::{delimited, preceded, terminated};
use nom::{Err, IResult, Parser};

use super::{Syntax, escape};
use crate::expr::{BinaryOperator, UnaryOperator};
use crate::functions::strings::is_space;
use crate::number;
use crate::value::Value;

pub(super) type Parsed<'a, T> = IResult<&'a str, T, Fault<'a>>;

/// What is wrong, and where: so small that a parser may try and fail at no cost. The words are made
/// from the text once nothing else is tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault<'a> {
    pub(super) at: &'a str,
    pub(super) problem: Problem,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Problem {
    Expected(&'static str),
    /// A string or a quoted name has no end.
    Open,
    /// It holds a NUL character.
    Nul,
    /// A digit is missing in a number.
    Digit,
    /// A number begins with a zero.
    Octal,
    /// A call with this many bytes gives no time.
    Time(usize),
    TooDeep,
}

impl<'a> nom::error::ParseError<&'a str> for Fault<'a> {
    fn from_error_kind(at: &'a str, _: ErrorKind) -> Self {
        Fault { at, problem: Problem::Expected("something else") }
    }

    fn append(_: &'a str, _: ErrorKind, other: Self) -> Self {
        other
    }
}

impl<'a> Fault<'a> {
    /// The fault that ends parsing: nothing else is tried.
    pub(super) fn last(at: &'a str, problem: Problem) -> Err<Fault<'a>> {
        Err::Failure(Fault { at, problem })
    }
}

/// What must follow: nothing else is tried.
pub(super) fn expected<'a, T>(
    what: &'static str,
    mut parser: impl Parser<&'a str, Output = T, Error = Fault<'a>>,
) -> impl FnMut(&'a str) -> Parsed<'a, T> {
    move |input| match parser.parse_complete(input) {
        Err(Err::Error(_)) => Err(Fault::last(input, Problem::Expected(what))),
        other => other,
    }
}

/// The longest run of these bytes, all of them ASCII; possibly none.
fn run<'a>(is_in: impl Fn(u8) -> bool) -> impl FnMut(&'a str) -> Parsed<'a, &'a str> {
    move |input| {
        let length = input.bytes().position(|byte| !is_in(byte)).unwrap_or(input.len());
        Ok((&input[length..], &input[..length]))
    }
}

fn blank(input: &str) -> Parsed<'_, &str> {
    run(|byte| is_space(char::from(byte)))(input)
}

/// The digits, possibly none.
fn digits(input: &str) -> Parsed<'_, &str> {
    run(|byte| byte.is_ascii_digit())(input)
}

fn digit(input: &str) -> Parsed<'_, char> {
    satisfy(|c| c.is_ascii_digit()).parse_complete(input)
}

/// White space and comments.
pub(super) fn space<'a>(syntax: Syntax, input: &'a str) -> Parsed<'a, ()> {
    let plain = value((), terminated(blank, not(char('/'))));
    let line = recognize((tag("//"), take_till(|c| c == '\n'), char('\n')));
    // HTCondor's lexer takes the end of the text for an error inside a comment.
    let block = recognize((tag("/*"), take_until("*/"), tag("*/")));
    let comments = many0_count(alt((line, block, verify(blank, |space: &str| !space.is_empty()))));
    // On a line of its own an attribute ends with the line.
    let last = |input: &'a str| match syntax {
        Syntax::Old if input.starts_with("//") => Ok((&input[..0], ())),
        _ => Ok((input, ())),
    };
    alt((plain, preceded(comments, last))).parse_complete(input)
}

fn is_word_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// A keyword, a word that is an operator, or a name without quotation marks.
pub(super) fn word(input: &str) -> Parsed<'_, &str> {
    let more = run(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    recognize((satisfy(is_word_start), more)).parse_complete(input)
}

/// The value that a word stands for, if it is no name.
pub(super) fn keyword(word: &str) -> Option<Value> {
    let is = |other: &str| word.eq_ignore_ascii_case(other);
    match word.len() {
        4 if is("true") => Some(Value::Boolean(true)),
        5 if is("false") => Some(Value::Boolean(false)),
        5 if is("error") => Some(Value::Error),
        9 if is("undefined") => Some(Value::Undefined),
        _ => None,
    }
}

/// `is` and `isnt`.
fn word_operator(word: &str) -> Option<BinaryOperator> {
    match word.len() {
        2 if word.eq_ignore_ascii_case("is") => Some(BinaryOperator::Identical),
        4 if word.eq_ignore_ascii_case("isnt") => Some(BinaryOperator::NotIdentical),
        _ => None,
    }
}

/// Whether `text` can stand as a name without quotation marks.
pub(crate) fn is_plain_name(text: &str) -> bool {
    matches!(word(text), Ok(("", word)) if is_name(word))
}

pub(super) fn is_name(word: &str) -> bool {
    keyword(word).is_none() && word_operator(word).is_none()
}

/// The name of an attribute or a function.
pub(super) fn name(syntax: Syntax, input: &str) -> Parsed<'_, Cow<'_, str>> {
    match input.as_bytes().first() {
        Some(b'\'') => quoted('\'', syntax, input),
        _ => map(verify(word, is_name), Cow::Borrowed).parse_complete(input),
    }
}

/// A number, a string, or a word that stands for a value.
#[inline]
pub(super) fn literal(syntax: Syntax, input: &str) -> Parsed<'_, Value> {
    match input.as_bytes().first() {
        Some(b'0'..=b'9' | b'.' | b'-') => number(input),
        Some(b'"') => string(syntax, input),
        _ => map_opt(word, keyword).parse_complete(input),
    }
}

/// An integer, a real that begins with a digit, a dot or a minus in front of these.
#[inline]
pub(super) fn number(input: &str) -> Parsed<'_, Value> {
    alt((plain_number, other_number)).parse_complete(input)
}

/// A number as nearly all are written: no exponent, no leading zero.
#[inline]
fn plain_number(input: &str) -> Parsed<'_, Value> {
    let (rest, (_, whole)) = (opt(tag("-")), digits).parse_complete(input)?;
    if whole.is_empty() || (whole.len() > 1 && whole.starts_with('0')) {
        return fail().parse_complete(input);
    }
    let (rest, fraction) = opt(preceded(tag("."), digits)).parse_complete(rest)?;
    let text = &input[..input.len() - rest.len()];
    let number = match (fraction, rest.as_bytes().first()) {
        (Some(""), _) | (_, Some(b'.' | b'e' | b'E' | b'x' | b'X')) => {
            return fail().parse_complete(input);
        }
        // A number that does not fit 64 bits is 0 in HTCondor.
        (None, _) => Value::Integer(text.parse().unwrap_or(0)),
        (Some(_), _) => Value::Real(text.parse().unwrap_or(0.0)),
    };
    Ok((rest, number))
}

/// Numbers that begin with a dot or a zero, or have an exponent.
fn other_number(input: &str) -> Parsed<'_, Value> {
    let starts = (opt(char('-')), opt(char('.')), digit);
    // Two dots side by side are one; a real that begins with two is 0, because `strtod` finds no
    // number in it.
    let doubled = value(Value::Real(0.0), preceded(char('.'), checked_number));
    alt((preceded(peek(starts), checked_number), preceded(peek((tag(".."), digit)), doubled)))
        .parse_complete(input)
}

/// The text of a number, well-formed or not: what the characters say belongs to it.
pub(super) fn number_text(input: &str) -> Parsed<'_, &str> {
    let exponent = || (one_of("eE"), opt(one_of("+-")), digits);
    // `strtod` reads it, whatever HTCondor's lexer takes the `e` for.
    let hexadecimal = recognize((
        opt(char('-')),
        char('0'),
        one_of("xX"),
        run(|byte| byte.is_ascii_hexdigit()),
        opt((char('.'), digits, opt(exponent()))),
    ));
    let decimal = recognize((opt(char('-')), digits, opt((char('.'), digits)), opt(exponent())));
    alt((hexadecimal, decimal)).parse_complete(input)
}

fn checked_number(input: &str) -> Parsed<'_, Value> {
    let (rest, text) = number_text(input)?;
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let hexadecimal = unsigned.starts_with("0x") || unsigned.starts_with("0X");
    if hexadecimal && !unsigned[2..].starts_with(|c: char| c.is_ascii_hexdigit()) {
        return Err(Fault::last(input, Problem::Digit));
    }
    let is_real = if hexadecimal {
        unsigned.contains('.')
    } else {
        unsigned.bytes().any(|b| matches!(b, b'.' | b'e' | b'E'))
    };
    if is_real {
        if !text.ends_with(|c: char| c.is_ascii_digit())
            || text.contains(".e")
            || text.contains(".E")
        {
            return Err(Fault::last(input, Problem::Digit));
        }
        let real = number::parse_prefix(text).map_or(0.0, |(real, _)| real);
        return Ok((rest, Value::Real(real)));
    }
    // With a sign in front HTCondor misses the leading zero and reads decimal digits.
    let octal = unsigned.bytes().all(|b| matches!(b, b'0'..=b'7'));
    if unsigned.len() > 1
        && unsigned.starts_with('0')
        && (text.len() == unsigned.len() || !(octal || hexadecimal))
    {
        return Err(Fault::last(input, Problem::Octal));
    }
    let decimal = if hexadecimal { "0" } else { text };
    Ok((rest, Value::Integer(decimal.parse().unwrap_or(0))))
}

/// A string between quotation marks.
#[inline]
pub(super) fn string(syntax: Syntax, input: &str) -> Parsed<'_, Value> {
    // As nearly all are written: no backslash, no second string behind it.
    let plain = terminated(until(['"', '\\']), tag("\""));
    let plain = delimited(tag("\""), plain, not((blank, char('"'))));
    let resolved = |input| quoted('"', syntax, input);
    alt((map(plain, Value::from), map(resolved, |text| text.as_ref().into()))).parse_complete(input)
}

/// What stands between quotation marks, escapes resolved.
fn quoted<'a>(mark: char, syntax: Syntax, input: &'a str) -> Parsed<'a, Cow<'a, str>> {
    let open = |_| Fault::last(input, Problem::Open);
    if syntax == Syntax::Old {
        return quoted_old(mark, input).map_err(open);
    }
    let (mut rest, first) = quoted_new(mark, input).map_err(open)?;
    let (mut raw, mut escapes) = (Cow::Borrowed(first.0), first.1);
    // Strings that follow each other are one string.
    while let (next, true) =
        preceded(blank, map(peek(opt(char(mark))), |mark| mark.is_some())).parse_complete(rest)?
    {
        let (behind, more) = quoted_new(mark, next).map_err(open)?;
        (rest, raw, escapes) = (behind, raw + more.0, escapes + more.1);
    }
    let text = match raw {
        raw if escapes == 0 => Some(raw),
        Cow::Borrowed(raw) => escape::unescape(raw),
        Cow::Owned(raw) => escape::unescape(&raw).map(|text| Cow::Owned(text.into_owned())),
    };
    let text = text.ok_or_else(|| Fault::last(input, Problem::Nul))?;
    Ok((rest, text))
}

/// Text up to one of two marks or a NUL character, found at memory speed.
fn until<'a>(marks: [char; 2]) -> impl FnMut(&'a str) -> Parsed<'a, &'a str> {
    move |input| {
        let [first, second] = marks.map(|mark| mark as u8);
        match memchr::memchr3(first, second, 0, input.as_bytes()) {
            Some(at) => Ok((&input[at..], &input[..at])),
            None => fail().parse_complete(input),
        }
    }
}

/// The inside of a string of the new syntax, and how many escapes it has: what stands behind a
/// backslash, whatever it is, ends nothing.
fn quoted_new(mark: char, input: &str) -> Parsed<'_, (&str, usize)> {
    let piece = || until([mark, '\\']);
    let escapes = preceded(piece(), many0_count((char('\\'), anychar, piece())));
    delimited(char(mark), consumed(escapes), char(mark)).parse_complete(input)
}

/// The inside of a string of the old syntax: `\"` is a quotation mark, unless it is the last
/// character of the line; any other backslash is itself.
fn quoted_old(mark: char, input: &str) -> Parsed<'_, Cow<'_, str>> {
    let piece = || terminated(until([mark; 2]), char(mark));
    let more = peek(satisfy(|c| c != '\n'));
    let escaped = terminated(verify(piece(), |text: &str| text.ends_with('\\')), more);
    let escaped = map(escaped, |text: &str| &text[..text.len() - 1]);
    let join = |mut text: String, piece: &str| {
        text.push_str(piece);
        text.push(mark);
        text
    };
    let before = preceded(char(mark), fold_many0(escaped, String::new, join));
    let (rest, (before, last)) = (before, piece()).parse_complete(input)?;
    // Mostly nothing is before it.
    let text = if before.is_empty() { Cow::Borrowed(last) } else { Cow::Owned(before + last) };
    Ok((rest, text))
}

/// An operator before an operand. A minus before a number is the number's.
pub(super) fn unary_operator(input: &str) -> Parsed<'_, UnaryOperator> {
    use UnaryOperator as U;
    let minus = terminated(char('-'), not((opt(char('.')), digit)));
    let not_ = terminated(char('!'), not(char('=')));
    let operators = (
        value(U::Plus, char('+')),
        value(U::Minus, minus),
        value(U::Not, not_),
        value(U::Complement, char('~')),
    );
    alt(operators).parse_complete(input)
}

/// An operator between two operands, but `?:`.
pub(super) fn binary_operator(input: &str) -> Parsed<'_, BinaryOperator> {
    use BinaryOperator as B;
    let is = |operator, symbol| value(operator, tag(symbol));
    match input.as_bytes().first() {
        Some(b'=') => {
            let identity = (is(B::Identical, "=?="), is(B::NotIdentical, "=!="));
            alt((is(B::Equal, "=="), identity.0, identity.1)).parse_complete(input)
        }
        Some(b'!') => is(B::NotEqual, "!=").parse_complete(input),
        Some(b'<') => {
            let shift = is(B::ShiftLeft, "<<");
            alt((is(B::LessOrEqual, "<="), shift, is(B::Less, "<"))).parse_complete(input)
        }
        Some(b'>') => {
            let shifts = (is(B::UnsignedShiftRight, ">>>"), is(B::ShiftRight, ">>"));
            let or_equal = is(B::GreaterOrEqual, ">=");
            alt((or_equal, shifts.0, shifts.1, is(B::Greater, ">"))).parse_complete(input)
        }
        Some(b'&') => alt((is(B::And, "&&"), is(B::BitAnd, "&"))).parse_complete(input),
        Some(b'|') => alt((is(B::Or, "||"), is(B::BitOr, "|"))).parse_complete(input),
        Some(b'^') => is(B::BitXor, "^").parse_complete(input),
        Some(b'+') => is(B::Add, "+").parse_complete(input),
        Some(b'-') => is(B::Subtract, "-").parse_complete(input),
        Some(b'*') => is(B::Multiply, "*").parse_complete(input),
        // What begins a comment has no end here.
        Some(b'/') => terminated(is(B::Divide, "/"), not(one_of("/*"))).parse_complete(input),
        Some(b'%') => is(B::Modulus, "%").parse_complete(input),
        Some(b'i' | b'I') => map_opt(word, word_operator).parse_complete(input),
        _ => fail().parse_complete(input),
    }
}

/// What follows an operand and belongs to it.
#[derive(Clone, Copy)]
pub(super) enum Suffix {
    /// `.`
    Select,
    /// `[`
    Subscript,
    /// `?:`
    Elvis,
}

pub(super) fn suffix(input: &str) -> Parsed<'_, Suffix> {
    let bracket = value(Suffix::Subscript, tag("["));
    alt((value(Suffix::Select, dot), bracket, value(Suffix::Elvis, elvis))).parse_complete(input)
}

/// `?:`, which may be written with space in it.
pub(super) fn elvis(input: &str) -> Parsed<'_, ()> {
    value((), (char('?'), blank, char(':'))).parse_complete(input)
}

/// `.` before a name; two of them side by side are one.
pub(super) fn dot(input: &str) -> Parsed<'_, ()> {
    value((), (char('.'), opt(char('.')), not(digit))).parse_complete(input)
}

/// `=` between a name and its expression.
pub(super) fn assign(input: &str) -> Parsed<'_, ()> {
    value((), (char('='), not(alt((tag("="), tag("?"), tag("!=")))))).parse_complete(input)
}

/// What stands at the place of a fault, in words; or why it is no token.
pub(super) fn describe(syntax: Syntax, input: &str) -> Result<String, String> {
    let Some(first) = input.chars().next() else {
        return Ok("the end of the expression".to_owned());
    };
    let literal = map(
        |input| literal(syntax, input),
        |literal| match literal {
            Value::Integer(number) => format!("the number {number}"),
            Value::Real(number) => format!("the number {number}"),
            Value::String(_) => "a string".to_owned(),
            word => format!("'{word}'"),
        },
    );
    let operator =
        map(alt((value("?:", elvis), map(binary_operator, BinaryOperator::symbol))), |symbol| {
            format!("'{symbol}'")
        });
    let name =
        map(|input| name(syntax, input), |name| format!("the name '{}'", name.escape_debug()));
    let mark = map(verify(anychar, |mark| ".?:;,=[](){}+-!~".contains(*mark)), |mark| {
        if mark == '=' { "'='; write '==' to compare".to_owned() } else { format!("'{mark}'") }
    });
    let unknown = peek(alt((tag("//"), tag("/*"), tag("=?"))));
    let token = preceded(not(unknown), alt((literal, operator, name, mark))).parse_complete(input);
    match token {
        Ok((_, words)) => Ok(words),
        Err(Err::Failure(fault)) => Err(fault.message()),
        Err(_) => Err(match first {
            '/' if input.starts_with("//") => {
                "the comment that starts here needs a line end behind it".to_owned()
            }
            '/' => "the comment that starts here has no end '*/'".to_owned(),
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
        }),
    }
}

impl Fault<'_> {
    /// A fault that says all itself, in words.
    pub(super) fn message(&self) -> String {
        let number = || match number_text.or(rest).parse_complete(self.at) {
            Ok((_, text)) => text,
            Err(_) => self.at,
        };
        let quoted = if self.at.starts_with('"') { "string" } else { "quoted name" };
        match self.problem {
            Problem::Expected(what) => format!("expected {what}"),
            Problem::Open => {
                let mark = if quoted == "string" { '"' } else { '\'' };
                format!("the {quoted} that starts here has no closing {mark}")
            }
            Problem::Nul => format!("the {quoted} holds a NUL character"),
            Problem::Digit => format!("'{}' is not a number: a digit must follow", number()),
            Problem::Octal => format!(
                "'{}' starts with 0: octal and hexadecimal numbers are not known here",
                number()
            ),
            Problem::Time(length) => {
                let call = self.at.get(..length).unwrap_or_default();
                format!("{} is not a time", call.escape_debug())
            }
            Problem::TooDeep => "the expression nests too deeply".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_quotation_mark_of_an_old_string_ends_it() {
        let text = |line| string(Syntax::Old, line).ok().map(|(_, text)| text);
        assert_eq!(text(r#""C:\dir\""#), Some(r"C:\dir\".into()));
        assert_eq!(text(r#""a \"b\" c""#), Some(r#"a "b" c"#.into()));
        assert_eq!(text(r#""open"#), None);
    }

    #[test]
    fn plain_names_need_no_quotation_marks() {
        assert!(is_plain_name("JobStatus") && is_plain_name("_a1"));
        for text in ["1a", "a b", "", "True", "isnt"] {
            assert!(!is_plain_name(text), "{text}");
        }
    }
}
