//! Environments of jobs as text. V2 is the syntax of the attribute `Environment`, V1 that of `Env`.

use std::collections::BTreeMap;

use super::{Answer, Arguments, Stop, quoted_words};
use crate::eval::Evaluator;
use crate::eval::scope::Val;
use crate::value::Value;

/// `envV1ToV2(text)`: the same variables in the newer syntax.
pub(crate) fn v1_to_v2<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let text = arguments.value(0)?;
    if text.is_undefined() {
        return Ok(Val::UNDEFINED);
    }
    let text = text.as_str().ok_or(Stop::Error)?;
    arguments.evaluator.make(text.len())?;
    arguments.evaluator.make_elements(ELEMENTS * entries_v1(text).count())?;
    let mut environment = Environment::default();
    environment.add(entries_v1(text)).map_err(|Malformed| Stop::Error)?;
    written(arguments.evaluator, &environment)
}

/// `mergeEnvironment(text, ...)`: the variables of all texts in the newer syntax; the last value of
/// a variable holds, and undefined texts have none.
pub(crate) fn merge<'a>(arguments: &Arguments<'_, 'a>) -> Answer<'a> {
    let mut environment = Environment::default();
    for index in 0..arguments.len() {
        let text = match arguments.value(index)? {
            Val::Plain(Value::Undefined) => continue,
            Val::Plain(Value::String(text)) => text,
            _ => return Ok(Val::ERROR),
        };
        quoted_words::make(arguments.evaluator, &text)?;
        let entries = quoted_words::split(&text).ok_or(Stop::Error)?;
        arguments.evaluator.make(text.len())?;
        arguments.evaluator.make_elements(ELEMENTS * entries.len())?;
        let entries = entries.iter().map(String::as_str);
        environment.add(entries).map_err(|Malformed| Stop::Error)?;
    }
    written(arguments.evaluator, &environment)
}

/// Elements of a list that take as many bytes as a variable.
const ELEMENTS: usize = 2;

fn written<'a>(evaluator: &Evaluator<'_>, environment: &Environment) -> Answer<'a> {
    evaluator.make(environment.most_bytes())?;
    Ok(environment.to_v2().into())
}

/// The entries of V1 text: a delimiter or a line end stands between them.
fn entries_v1(text: &str) -> impl Iterator<Item = &str> {
    let first = text.chars().next().filter(|first| DELIMITERS.contains(*first));
    let entries = first.map_or(text, |first| &text[first.len_utf8()..]);
    // What is behind a value belongs to it.
    let entries = entries.split(['\n', first.unwrap_or(';')]);
    entries.map(|entry| entry.trim_start_matches(quoted_words::WHITE)).filter(|it| !it.is_empty())
}

/// What may stand first in V1 text and then separates its entries, else `;` does.
const DELIMITERS: &str = "!#$%&*+,-/:;<>?@^`|~\u{1f}";

/// Stands for the value of an entry such as `$$(OPENCL)`, which has none until the job is matched.
/// The characters are HTCondor's (`NO_ENVIRONMENT_VALUE`): a variable with this value is written
/// without it.
const NO_VALUE: &str = "\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}";

/// Text that is no environment.
#[derive(Debug, PartialEq)]
struct Malformed;

/// Variables and their values, in order of the names' bytes.
#[derive(Default)]
struct Environment(BTreeMap<String, String>);

impl Environment {
    fn add<'t>(&mut self, mut entries: impl Iterator<Item = &'t str>) -> Result<(), Malformed> {
        entries.try_for_each(|entry| self.set(entry))
    }

    /// Takes `NAME=value`, or an entry that `$$` makes later.
    fn set(&mut self, entry: &str) -> Result<(), Malformed> {
        let (name, value) = match entry.split_once('=') {
            Some(("", _)) => return Err(Malformed),
            Some(parts) => parts,
            None if entry.contains("$$") => (entry, NO_VALUE),
            None => return Err(Malformed),
        };
        self.0.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    /// Bytes that it takes as V2 text, at most.
    fn most_bytes(&self) -> usize {
        let bytes = |(name, value): (&String, &String)| {
            1 + quoted_words::most_bytes(name) + quoted_words::most_bytes(value)
        };
        self.0.iter().map(bytes).sum()
    }

    fn to_v2(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.0 {
            if value == NO_VALUE {
                quoted_words::append(&mut text, name);
            } else {
                quoted_words::append(&mut text, &format!("{name}={value}"));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_v1(text: &str) -> Result<String, Malformed> {
        let mut environment = Environment::default();
        environment.add(entries_v1(text)).map(|()| environment.to_v2())
    }

    fn from_v2(text: &str) -> Result<String, Malformed> {
        let mut environment = Environment::default();
        let entries = quoted_words::split(text).ok_or(Malformed)?;
        environment.add(entries.iter().map(String::as_str)).map(|()| environment.to_v2())
    }

    #[test]
    fn entries_of_v1_end_at_a_delimiter_or_a_line() {
        let cases = [
            ("", ""),
            (";", ""),
            ("B=1;A=2", "A=2 B=1"),
            ("A=1\nB=2; \r\n\tC=3", "A=1 B=2 C=3"),
            ("|A=1;2|B=3", "A=1;2 B=3"),
            ("A=1|B=3", "A=1|B=3"),
            ("\u{1f}A=1\u{1f}B=2", "A=1 B=2"),
            ("A= one ;B=it's", "A=' 'one' ' B=it''''s"),
            ("A B=1", "A' 'B=1"),
            ("A=", "A="),
            ("A=1;A=2", "A=2"),
            (";; ;A=1;;", "A=1"),
            ("A==1=", "A==1="),
            (";$$(x);A=1", "$$(x) A=1"),
            (";$$(x);$$(x)=1", "$$(x)=1"),
        ];
        for (text, expected) in cases {
            assert_eq!(from_v1(text).as_deref(), Ok(expected), "{text}");
        }
        for malformed in ["A", "=1", "A=1;B", ";=", "A=1; =2", "$$(x)"] {
            assert_eq!(from_v1(malformed), Err(Malformed), "{malformed}");
        }
    }

    #[test]
    fn entries_of_v2_are_words() {
        let cases = [
            ("", ""),
            ("b=1 B=2 a=3 b=4", "B=2 a=3 b=4"),
            ("'A=one two' B='it''s'", "A=one' 'two B=it''''s"),
            ("A=1;B=2", "A=1;B=2"),
            ("$$(x) A$$ A=", "$$(x) A= A$$"),
            ("A=\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}", "A"),
        ];
        for (text, expected) in cases {
            assert_eq!(from_v2(text).as_deref(), Ok(expected), "{text}");
        }
        for malformed in ["A", "=1", "''", "A=1 B", "A='", "A$x"] {
            assert_eq!(from_v2(malformed), Err(Malformed), "{malformed}");
        }
    }
}
