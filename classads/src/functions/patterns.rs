//! Regular expressions. HTCondor uses PCRE2; `docs/quirks.md` says where crate `fancy-regex` differs.

use std::cell::RefCell;
use std::rc::Rc;

use fancy_regex::{Regex, RegexBuilder};

use super::Arguments;
use super::string_lists;
use crate::eval::scope::Val;
use crate::eval::{Evaluator, Outcome};
use crate::value::Value;

/// Steps of back-tracking before a match is given up as an error.
const BACKTRACK_LIMIT: usize = 1_000_000;
/// Patterns are compiled once and kept while there are not too many.
const CACHE_SIZE: usize = 64;
/// Bytes a pattern may be long: longer ones are an error.
const PATTERN_LIMIT: usize = 64 * 1024;

type Cached = (String, String, Option<Rc<Regex>>);

thread_local! {
    static CACHE: RefCell<Vec<Cached>> = const { RefCell::new(Vec::new()) };
}

/// The compiled pattern, `None` if it is none. Of the options `imsx` count.
fn compile(pattern: &str, options: &str) -> Option<Rc<Regex>> {
    let flags: String = "imsx".chars().filter(|flag| options.contains(*flag)).collect();
    CACHE.with_borrow_mut(|cache| {
        if let Some((.., regex)) =
            cache.iter().find(|(known, with, _)| known == pattern && *with == flags)
        {
            return regex.clone();
        }
        let regex = build(pattern, &flags).map(Rc::new);
        if cache.len() >= CACHE_SIZE {
            cache.remove(0);
        }
        cache.push((pattern.to_owned(), flags, regex.clone()));
        regex
    })
}

fn build(pattern: &str, flags: &str) -> Option<Regex> {
    if pattern.len() > PATTERN_LIMIT {
        return None;
    }
    let text = if flags.is_empty() { pattern.to_owned() } else { format!("(?{flags}){pattern}") };
    RegexBuilder::new(&text).backtrack_limit(BACKTRACK_LIMIT).build().ok()
}

/// The arguments as strings, all of them; `Err` is the result.
fn strings<'v>(values: &'v [Val<'_>]) -> Result<Vec<&'v str>, Value> {
    if values.iter().any(Val::is_error) {
        return Err(Value::Error);
    }
    if values.iter().any(Val::is_undefined) {
        return Err(Value::Undefined);
    }
    values.iter().map(Val::as_str).collect::<Option<Vec<_>>>().ok_or(Value::Error)
}

fn is_match(regex: &Regex, text: &str) -> Value {
    regex.is_match(text).map_or(Value::Error, Value::Boolean)
}

pub(crate) fn regexp<'a>(evaluator: &Evaluator<'_>, arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    if !(2..=3).contains(&arguments.len()) {
        return Ok(Val::ERROR);
    }
    let values = arguments.values(evaluator)?;
    Ok(Val::Plain(match strings(&values) {
        Ok(texts) => compile(texts[0], texts.get(2).copied().unwrap_or_default())
            .map_or(Value::Error, |regex| is_match(&regex, texts[1])),
        Err(value) => value,
    }))
}

/// Whether the pattern matches an element of a list.
pub(crate) fn regexp_member<'a>(
    evaluator: &Evaluator<'_>,
    arguments: &Arguments<'_, 'a>,
) -> Outcome<'a> {
    if !(2..=3).contains(&arguments.len()) {
        return Ok(Val::ERROR);
    }
    let values = arguments.values(evaluator)?;
    if values.iter().any(Val::is_error) {
        return Ok(Val::ERROR);
    }
    if values.iter().any(Val::is_undefined) {
        return Ok(Val::UNDEFINED);
    }
    let options = match values.get(2) {
        None => "",
        Some(value) => match value.as_str() {
            Some(options) => options,
            None => return Ok(Val::ERROR),
        },
    };
    let (Some(pattern), Val::List(elements, home)) = (values[0].as_str(), &values[1]) else {
        return Ok(Val::ERROR);
    };
    let mut any_undefined = false;
    for element in elements.iter() {
        let element = evaluator.element(element, home, arguments.scope)?;
        match element.as_str() {
            Some(text) => {
                let matched = compile(pattern, options).map(|regex| is_match(&regex, text));
                if let Some(Value::Boolean(true)) = matched {
                    return Ok(true.into());
                }
            }
            None if element.is_undefined() => any_undefined = true,
            None => return Ok(Val::ERROR),
        }
    }
    Ok(if any_undefined { Val::UNDEFINED } else { false.into() })
}

/// Whether the pattern matches an item of a string list: `(pattern, list, delimiters, options)`.
pub(crate) fn string_list_regexp_member<'a>(
    evaluator: &Evaluator<'_>,
    arguments: &Arguments<'_, 'a>,
) -> Outcome<'a> {
    if !(2..=4).contains(&arguments.len()) {
        return Ok(Val::ERROR);
    }
    let values = arguments.values(evaluator)?;
    let texts: Option<Vec<&str>> = values.iter().map(Val::as_str).collect();
    let Some(texts) = texts else { return Ok(Val::ERROR) };
    let delimiters = texts.get(2).copied().unwrap_or(", ");
    let options = texts.get(3).copied().unwrap_or_default().to_ascii_lowercase();
    let Some(regex) = compile(texts[0], &options) else { return Ok(Val::ERROR) };
    let mut items = string_lists::items(texts[1], delimiters).peekable();
    if items.peek().is_none() {
        return Ok(Val::UNDEFINED);
    }
    Ok(items.any(|item| is_match(&regex, item) == Value::Boolean(true)).into())
}

/// `regexps(pattern, text, replacement, options)`: the replacement, filled from the match; with option `f` the text
/// with the match replaced; with `g` every match.
pub(crate) fn substitute<'a>(
    evaluator: &Evaluator<'_>,
    arguments: &Arguments<'_, 'a>,
) -> Outcome<'a> {
    substitution(evaluator, arguments, "")
}

pub(crate) fn replace<'a>(evaluator: &Evaluator<'_>, arguments: &Arguments<'_, 'a>) -> Outcome<'a> {
    substitution(evaluator, arguments, "f")
}

pub(crate) fn replace_all<'a>(
    evaluator: &Evaluator<'_>,
    arguments: &Arguments<'_, 'a>,
) -> Outcome<'a> {
    substitution(evaluator, arguments, "fg")
}

fn substitution<'a>(
    evaluator: &Evaluator<'_>,
    arguments: &Arguments<'_, 'a>,
    always: &str,
) -> Outcome<'a> {
    if !(3..=4).contains(&arguments.len()) {
        return Ok(Val::ERROR);
    }
    let values = arguments.values(evaluator)?;
    Ok(Val::Plain(match strings(&values) {
        Ok(texts) => {
            let options = format!("{}{always}", texts.get(3).copied().unwrap_or_default());
            compile(texts[0], &options)
                .and_then(|regex| replaced(&regex, texts[1], texts[2], &options))
                .map_or(Value::Error, Value::from)
        }
        Err(value) => value,
    }))
}

fn replaced(regex: &Regex, text: &str, replacement: &str, options: &str) -> Option<String> {
    let whole = options.contains('f');
    let every = options.contains('g');
    let mut out = String::new();
    let mut at = 0;
    let mut after_empty = false;
    loop {
        let mut found = regex.captures_from_pos(text, at).ok()?;
        if after_empty {
            // Behind an empty match only a match that starts here and is not empty counts.
            found = found.filter(|found| {
                found.get(0).is_some_and(|all| all.start() == at && all.end() > at)
            });
            if found.is_none() {
                // HTCondor steps over one character, into its result even without option f, and fails at the end.
                let stepped = text[at..].chars().next()?;
                out.push(stepped);
                at += stepped.len_utf8();
                after_empty = false;
                continue;
            }
        }
        let Some(found) = found else { break };
        let all = found.get(0)?;
        if whole {
            out.push_str(&text[at..all.start()]);
        }
        expand(&mut out, replacement, &found)?;
        at = all.end();
        after_empty = all.start() == all.end();
        if !every {
            break;
        }
    }
    if whole {
        out.push_str(&text[at..]);
    }
    Some(out)
}

/// `\0` to `\9` are groups; a group the pattern lacks, or whose number is above the last that matched, is an error.
fn expand(out: &mut String, replacement: &str, found: &fancy_regex::Captures<'_>) -> Option<()> {
    let groups =
        (0..found.len()).rev().find(|group| found.get(*group).is_some()).map_or(0, |last| last + 1);
    let mut characters = replacement.chars().peekable();
    while let Some(character) = characters.next() {
        let group =
            characters.peek().and_then(|next| next.to_digit(10)).filter(|_| character == '\\');
        let Some(group) = group else {
            out.push(character);
            continue;
        };
        characters.next();
        let group = usize::try_from(group).ok()?;
        if group >= groups {
            return None;
        }
        out.push_str(found.get(group).map_or("", |text| text.as_str()));
    }
    Some(())
}

/// Whether the pattern matches one of the names; empty matches do not count.
pub(crate) fn matches_any(pattern: &str, options: &str, names: &[String]) -> Value {
    let Some(regex) = compile(pattern, options) else { return Value::Error };
    let hit = |name: &String| {
        regex.find(name).ok().flatten().is_some_and(|found| !found.as_str().is_empty())
    };
    Value::Boolean(names.iter().any(hit))
}
