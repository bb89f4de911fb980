//! Names and paths as they stand in a DAG file and in a submit description, or why they cannot
//! stand there.
//!
//! Rules: HTCondor's manual, `condor_submit` (arguments and environment in the new syntax,
//! `transfer_input_files`) and the VARS command of DAGMan.

use std::path::Path;

use holdadvise::text::classad_quote;

use super::unusable;
use crate::Error;

/// The value of a submit command, to the end of the line: without line breaks, macros, a backslash
/// at the end (the line would go on) and spaces at an end (they would be lost).
///
/// # Errors
/// With what stands in the way.
pub(super) fn value<'t>(what: &'static str, text: &'t str) -> Result<&'t str, Error> {
    let because = if text.is_empty() {
        "it is empty"
    } else if text.chars().any(char::is_control) {
        "it has a line break or another control character"
    } else if text.find('$').is_some_and(|at| text[at..].contains('(')) {
        "HTCondor would replace `$(...)` in it"
    } else if text.ends_with('\\') {
        "a backslash at the end of a line joins it with the next one"
    } else if text.trim() != text {
        "HTCondor leaves out spaces at its beginning or end"
    } else {
        return Ok(text);
    };
    Err(unusable(what, text, because))
}

/// A path as the value of a submit command.
///
/// # Errors
/// As [`value`], and when it is no UTF-8.
pub(super) fn path<'t>(what: &'static str, path: &'t Path) -> Result<&'t str, Error> {
    let shown = || path.to_string_lossy();
    let text = path.to_str().ok_or_else(|| unusable(what, &shown(), "it is not UTF-8"))?;
    value(what, text)
}

/// A path in `transfer_input_files`, where commas stand between files and `://` makes a URL.
///
/// # Errors
/// As [`path`], and when it has a comma, a double quote or `://`.
pub(super) fn transferred(file: &Path) -> Result<&str, Error> {
    let what = "file to transfer";
    let text = path(what, file)?;
    let because = if text.contains(',') {
        "a comma ends a file name in transfer_input_files"
    } else if text.contains('"') {
        "a double quote cannot stand in transfer_input_files"
    } else if text.contains("://") {
        "HTCondor would take it for a URL"
    } else {
        return Ok(text);
    };
    Err(unusable(what, text, because))
}

/// Words in the new syntax of `arguments` and `environment`, without the double quotes around all
/// of them.
///
/// # Errors
/// For a word with line breaks or macros.
pub(super) fn words<'w>(
    what: &'static str,
    words: impl IntoIterator<Item = &'w str>,
) -> Result<String, Error> {
    let mut line = String::new();
    for word in words {
        if !word.is_empty() && word.trim() == word && !word.ends_with('\\') {
            value(what, word)?;
        } else {
            // Quotes keep spaces, and what follows them keeps a backslash from the end of the line.
            value(what, &format!("'{word}'"))?;
        }
        line.push_str(if line.is_empty() { "" } else { " " });
        line.push_str(&one_word(word));
    }
    Ok(line)
}

fn one_word(word: &str) -> String {
    let doubled = word.replace('"', "\"\"");
    match word.is_empty() || word.contains([' ', '\'', '\\']) {
        true => format!("'{}'", doubled.replace('\'', "''")),
        false => doubled,
    }
}

/// The value of a macro in a VARS command, without the double quotes around it.
pub(super) fn vars(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"")
}

/// A ClassAd string in the old syntax, which SET_JOB_ATTR reads: a backslash is itself.
///
/// # Errors
/// As [`value`].
pub(super) fn classad(what: &'static str, text: &str) -> Result<String, Error> {
    classad_quote(value(what, text)?)
        .ok_or_else(|| unusable(what, text, "it cannot be written as a ClassAd string"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What HTCondor makes of `arguments = "..."` (`ArgList::AppendArgsV2Quoted`): `""` is a double
    /// quote, words end at spaces outside single quotes, `''` within them is a single quote.
    fn read_words(line: &str) -> Option<Vec<String>> {
        let raw = line.replace("\"\"", "\u{1}");
        if raw.contains('"') {
            return None;
        }
        let raw = raw.replace('\u{1}', "\"");
        let (mut words, mut word, mut chars) = (Vec::new(), None::<String>, raw.chars().peekable());
        while let Some(c) = chars.next() {
            match c {
                ' ' => words.extend(word.take()),
                '\'' => {
                    let word = word.get_or_insert_default();
                    loop {
                        match chars.next()? {
                            '\'' if chars.peek() == Some(&'\'') => {
                                chars.next();
                                word.push('\'');
                            }
                            '\'' => break,
                            c => word.push(c),
                        }
                    }
                }
                c => word.get_or_insert_default().push(c),
            }
        }
        words.extend(word);
        Some(words)
    }

    /// What DAGMan reads between the double quotes of a VARS value.
    fn read_vars(value: &str) -> Option<String> {
        let (mut out, mut chars) = (String::new(), value.chars());
        while let Some(c) = chars.next() {
            match c {
                '\\' => out.push(chars.next()?),
                '"' => return None,
                c => out.push(c),
            }
        }
        Some(out)
    }

    #[test]
    fn what_cannot_stand_there_is_refused_with_the_reason() {
        let because = |text: &str| value("name", text).unwrap_err().to_string();
        assert!(because("a\nqueue 9").contains("line break"), "{}", because("a\nb"));
        for text in ["$(HOME)", "a$$([1])", "$ENV(X)"] {
            assert!(because(text).contains("`$(...)`"), "{text}");
        }
        assert!(because("a\\").contains("backslash"));
        assert!(because(" a").contains("spaces") && because("").contains("empty"));
        let plain = "it's (y) for 5 $ \"x\"";
        assert_eq!(value("name", plain).unwrap(), plain);
        let file = |text: &str| transferred(Path::new(text)).unwrap_err().to_string();
        assert!(file("/a,b").contains("comma"), "{}", file("/a,b"));
        assert!(file("x://b").contains("URL") && file("/\"b").contains("double quote"));
        assert_eq!(transferred(Path::new("/a b/c")).unwrap(), "/a b/c");
    }

    #[test]
    fn words_are_quoted_where_they_must_be() {
        let line = words("argument", ["train", "a b", "", "it's", "\"q\"", "C:\\"]).unwrap();
        assert_eq!(line, "train 'a b' '' 'it''s' \"\"q\"\" 'C:\\'");
        assert!(words("argument", ["$(x)"]).is_err() && words("argument", ["a\nb"]).is_err());
        assert_eq!(vars("say \"\"a\\b\"\""), "say \\\"\\\"a\\\\b\\\"\\\"");
        assert_eq!(classad("name", "a \"b\" \\c").unwrap(), "\"a \\\"b\\\" \\c\"");
    }

    proptest! {
        #[test]
        fn the_words_written_are_the_words_read(
            all in prop::collection::vec("[ -~é'\"\\\\]{0,12}", 0..6)
        ) {
            if let Ok(line) = words("argument", all.iter().map(String::as_str)) {
                let of_dag = read_vars(&vars(&line));
                prop_assert_eq!(of_dag.as_deref(), Some(line.as_str()));
                prop_assert_eq!(read_words(&line), Some(all));
            } else {
                prop_assert!(all.iter().any(|word| word.contains('$')));
            }
        }

        #[test]
        fn nothing_that_is_accepted_ends_the_line(text in any::<String>()) {
            if let Ok(value) = value("name", &text) {
                prop_assert!(!value.contains(['\n', '\r']) && !value.ends_with('\\'));
            }
        }
    }
}
