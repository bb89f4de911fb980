//! Constants as nearly every attribute has them, read without the lexer.

use crate::value::Value;

/// Digits of the longest integer read here; longer ones may not fit.
const MAX_DIGITS: usize = 18;

/// A plain constant.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Constant<'a> {
    Integer,
    Real,
    Boolean(bool),
    Undefined,
    /// What stands between the quotes.
    String(&'a str),
}

/// Whether the text is a constant without blanks around it, escapes or exponent, and with no sign
/// but the minus of an integer. The same in both syntaxes.
fn constant(text: &str) -> Option<Constant<'_>> {
    let bytes = text.as_bytes();
    match bytes.first()? {
        b'"' => {
            let inside = text[1..].strip_suffix('"')?;
            let special = memchr::memchr3(b'"', b'\\', 0, inside.as_bytes());
            special.is_none().then_some(Constant::String(inside))
        }
        b'-' => {
            let plain = matches!(bytes.len(), 2..=MAX_DIGITS)
                && bytes[1] != b'0'
                && bytes[1..].iter().all(u8::is_ascii_digit);
            plain.then_some(Constant::Integer)
        }
        b'0'..=b'9' => {
            let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
            match &bytes[digits..] {
                // A leading 0 is an error, which the lexer puts into words.
                [] if digits == 1 || (digits <= MAX_DIGITS && bytes[0] != b'0') => {
                    Some(Constant::Integer)
                }
                [b'.', fraction @ ..]
                    if !fraction.is_empty() && fraction.iter().all(u8::is_ascii_digit) =>
                {
                    Some(Constant::Real)
                }
                _ => None,
            }
        }
        b't' | b'T' if text.eq_ignore_ascii_case("true") => Some(Constant::Boolean(true)),
        b'f' | b'F' if text.eq_ignore_ascii_case("false") => Some(Constant::Boolean(false)),
        b'u' | b'U' if text.eq_ignore_ascii_case("undefined") => Some(Constant::Undefined),
        _ => None,
    }
}

/// Whether [`value`] has an answer.
pub(crate) fn is_constant(text: &str) -> bool {
    constant(text).is_some()
}

/// The value of a plain constant; `None` for what the parser is to read.
pub(crate) fn value(text: &str) -> Option<Value> {
    Some(match constant(text)? {
        Constant::Integer => Value::Integer(text.parse().ok()?),
        Constant::Real => Value::Real(text.parse().ok()?),
        Constant::Boolean(truth) => Value::Boolean(truth),
        Constant::Undefined => Value::Undefined,
        Constant::String(inside) => Value::String(inside.into()),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::syntax::{Syntax, parser};

    fn check(text: &str) {
        assert_eq!(is_constant(text), value(text).is_some(), "{text:?}");
        let Some(value) = value(text) else { return };
        for syntax in [Syntax::Old, Syntax::New] {
            let parsed = parser::parse(text, syntax).unwrap();
            let literal = parsed.as_literal();
            assert_eq!(format!("{literal:?}"), format!("{:?}", Some(&value)), "{text:?}");
        }
    }

    #[test]
    fn plain_constants_are_known() {
        for text in [
            "0",
            "7",
            "-1",
            "-1795300000",
            "1795300000",
            "0.0",
            "00.50",
            "TRUE",
            "false",
            "Undefined",
            "\"\"",
            "\"a é/\"",
        ] {
            assert!(is_constant(text), "{text}");
            check(text);
        }
        for text in [
            "",
            "-0",
            "-01",
            "- 1",
            "-1.5",
            "01",
            "1.",
            "1e3",
            "1K",
            "\"a\\\"b\"",
            "\"a\" \"b\"",
            "\"",
            " 1",
            "error",
            "truer",
        ] {
            assert!(!is_constant(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_parser_says_the_same(text in "-?[0-9.]{1,25}|\"[ -~é\\n]{0,6}\"|(?i:true|false|undefined)|[0-9a-zA-Z\" .\\\\]{0,6}") {
            check(&text);
        }
    }
}
