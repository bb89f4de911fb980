//! Words with single quotes: the V2 syntax of HTCondor's arguments and environments, as
//! `split_args` and `append_arg` of src/condor_utils/condor_arglist.cpp read and write it.

use crate::eval::{Evaluator, Failure};

/// What separates words.
pub(crate) const WHITE: [char; 4] = [' ', '\t', '\n', '\r'];

/// What is between white space: at least as many words as [`split`] finds.
pub(crate) fn unquoted(text: &str) -> impl Iterator<Item = &str> {
    text.split(WHITE).filter(|word| !word.is_empty())
}

/// Takes the bytes of the words of a text.
pub(crate) fn make(evaluator: &Evaluator<'_>, text: &str) -> Result<(), Failure> {
    evaluator.make(text.len())?;
    evaluator.make_elements(unquoted(text).count())
}

/// The words of a text. White space between quotes belongs to a word, two quotes there are one;
/// `''` alone is an empty word. Nothing where a quote has no end.
pub(crate) fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\'' {
            let word = word.get_or_insert_default();
            loop {
                match characters.next()? {
                    '\'' if characters.next_if_eq(&'\'').is_none() => break,
                    inside => word.push(inside),
                }
            }
        } else if WHITE.contains(&character) {
            words.extend(word.take());
        } else {
            word.get_or_insert_default().push(character);
        }
    }
    words.extend(word);
    Some(words)
}

/// Adds a word to a text so that [`split`] reads it. Quotes stand around white space and quotes
/// alone: `two' 'words`.
pub(crate) fn append(text: &mut String, word: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    if word.is_empty() {
        text.push_str("''");
    }
    for character in word.chars() {
        if character != '\'' && !WHITE.contains(&character) {
            text.push(character);
            continue;
        }
        // What is quoted already goes on.
        if text.ends_with('\'') {
            text.pop();
        } else {
            text.push('\'');
        }
        if character == '\'' {
            text.push('\'');
        }
        text.push(character);
        text.push('\'');
    }
}

/// Bytes that [`append`] adds at most.
pub(crate) fn most_bytes(word: &str) -> usize {
    // A quote takes four characters, white space three; a space stands before, an empty word takes
    // two.
    let quoted = word.bytes().filter(|byte| *byte == b'\'' || WHITE.contains(&char::from(*byte)));
    word.len() + 3 * quoted.count() + 3
}

/// The words as one text.
pub(crate) fn join<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let mut text = String::new();
    for word in words {
        append(&mut text, word);
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quotes_hold_white_space_and_quotes() {
        let cases: [(&str, &[&str]); 9] = [
            ("", &[]),
            (" \t\r\n", &[]),
            ("one  two\tthree ", &["one", "two", "three"]),
            ("'one two' three", &["one two", "three"]),
            ("on'e t'wo", &["one two"]),
            ("'it''s' '''' ''", &["it's", "'", ""]),
            ("a''b ''''''", &["ab", "''"]),
            ("\"a b\" \\' '", &["\"a", "b\"", "\\ "]),
            ("a\u{b}b ä", &["a\u{b}b", "ä"]),
        ];
        for (text, words) in cases {
            assert_eq!(split(text).expect(text), words, "{text}");
        }
        for unbalanced in ["'", "a'b", "'''", "''' "] {
            assert_eq!(split(unbalanced), None, "{unbalanced}");
        }
    }

    #[test]
    fn only_what_needs_quotes_has_them() {
        let cases: [(&[&str], &str); 6] = [
            (&[], ""),
            (&["one", "two"], "one two"),
            (&["", ""], "'' ''"),
            (&["two words", "a\t b"], "two' 'words a'\t 'b"),
            (&["it's", "'", " '"], "it''''s '''' ' '''"),
            (&["\"", "\\"], "\" \\"),
        ];
        for (words, text) in cases {
            assert_eq!(join(words.iter().copied()), text);
        }
    }

    proptest! {
        #[test]
        fn words_that_are_joined_are_split_again(words in prop::collection::vec("[a' \t\n\"=]{0,6}", 0..5)) {
            prop_assert_eq!(split(&join(words.iter().map(String::as_str))), Some(words));
        }
    }
}
