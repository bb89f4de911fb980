//! Arguments of a job's program: lists to text and back. V2 is the syntax of the attribute
//! `Arguments`, V1 that of `Args`.

use super::conversions::low_bits;
use super::{Answer, Arguments, Stop, quoted_words};
use crate::eval::scope::Val;
use crate::value::Value;

/// A syntax of arguments.
#[derive(Clone, Copy)]
enum Version {
    /// Words between white space; nothing can be quoted.
    V1,
    /// Words with single quotes.
    V2,
}

/// The syntax that the second argument names, else V2.
fn version(arguments: &Arguments<'_, '_>) -> Result<Version, Stop> {
    if arguments.len() == 1 {
        return Ok(Version::V2);
    }
    // C's int takes the low 32 bits.
    match arguments.value(1)?.as_plain() {
        Some(Value::Integer(number)) if low_bits(*number) == 1 => Ok(Version::V1),
        Some(Value::Integer(number)) if low_bits(*number) == 2 => Ok(Version::V2),
        _ => Err(Stop::Error),
    }
}

/// `argsToList(text)`, `argsToList(text, version)`: the words of the text.
pub(crate) fn to_list<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let version = version(arguments)?;
    let text = arguments.text(0)?;
    quoted_words::make(arguments.evaluator, &text)?;
    Ok(match version {
        Version::V1 => Val::list(quoted_words::unquoted(&text).map(Value::from)),
        Version::V2 => {
            let words = quoted_words::split(&text).ok_or(Stop::Error)?;
            Val::list(words.into_iter().map(Value::from))
        }
    })
}

/// `listToArgs(list)`, `listToArgs(list, version)`: the strings of the list as one text.
pub(crate) fn from_list<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let version = version(arguments)?;
    let Val::List(elements, home) = arguments.value(0)? else { return Ok(Val::ERROR) };
    let mut words = Vec::with_capacity(elements.len());
    let at = arguments.scope.of_elements(&home);
    for element in elements.iter() {
        match arguments.evaluator.expression(element, &at)? {
            word @ Val::Plain(Value::String(_)) => words.push(word),
            _ => return Ok(Val::ERROR),
        }
    }
    for word in words.iter().filter_map(Val::as_str) {
        arguments.evaluator.make(quoted_words::most_bytes(word))?;
    }
    let words = words.iter().filter_map(Val::as_str);
    Ok(match version {
        Version::V1 => join_v1(words).map_or(Val::ERROR, Val::from),
        Version::V2 => quoted_words::join(words).into(),
    })
}

/// The words with spaces between; nothing where one holds white space.
fn join_v1<'w>(words: impl Iterator<Item = &'w str>) -> Option<String> {
    let mut text = String::new();
    for word in words {
        if word.contains(quoted_words::WHITE) {
            return None;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v1_has_no_way_to_write_white_space() {
        let joined = |words: &[&str]| join_v1(words.iter().copied());
        assert_eq!(joined(&["a", "'b'", "\"c\""]).as_deref(), Some("a 'b' \"c\""));
        // An empty word is lost but for its space.
        assert_eq!(joined(&["", "a", "", "b"]).as_deref(), Some("a  b"));
        assert_eq!(joined(&["a b"]), None);
        assert_eq!(joined(&["a\r"]), None);
    }
}
