//! Text others wrote, made fit to print and to paste.
//!
//! Hold reasons, file names and host names come from jobs, servers and execution points. Before they
//! reach a terminal, control characters are taken out; before they reach a command, they are quoted.

use std::borrow::Cow;

/// The text on one line, without anything a terminal acts upon.
///
/// Escape sequences (CSI, OSC and two-byte ones) are left out, line breaks and tabs become one
/// space, all other control characters (C0, DEL, C1) and the characters that turn the direction of
/// writing (U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069) are left out. The result is never
/// longer than the text.
pub fn strip_control(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unfit) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\u{1b}' => rest = after_escape(rest),
            '\u{9b}' => rest = after_csi(rest),
            '\n' | '\r' | '\t' => {
                if c != '\r' || !rest.starts_with('\n') {
                    out.push(' ');
                }
            }
            c if is_unfit(c) => {}
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn is_unfit(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            | '\u{2028}' | '\u{2029}')
}

/// What follows an escape sequence whose ESC was read. A sequence that does not end is not one: its
/// text is kept.
fn after_escape(rest: &str) -> &str {
    match rest.as_bytes().first() {
        Some(b'[') => after_csi(&rest[1..]),
        Some(b']' | b'P' | b'^' | b'_' | b'X') => after_string(&rest[1..]),
        Some(b' '..=b'/') if rest.as_bytes().get(1).is_some_and(|b| matches!(b, b'0'..=b'~')) => {
            &rest[2..]
        }
        Some(b'0'..=b'~') => &rest[1..],
        _ => rest,
    }
}

/// CSI: parameter and intermediate bytes, then one final byte.
fn after_csi(rest: &str) -> &str {
    let end = rest.bytes().position(|b| !(0x20..=0x3f).contains(&b)).unwrap_or(rest.len());
    match rest.as_bytes().get(end) {
        Some(0x40..=0x7e) => &rest[end + 1..],
        _ => rest,
    }
}

/// OSC and its like: text up to BEL or `ESC \` on the same line.
fn after_string(rest: &str) -> &str {
    match rest.find(['\u{7}', '\u{1b}', '\n', '\r']) {
        Some(at) if rest[at..].starts_with('\u{7}') => &rest[at + 1..],
        Some(at) if rest[at..].starts_with("\u{1b}\\") => &rest[at + 2..],
        _ => rest,
    }
}

/// One word of a POSIX shell command line.
///
/// Words of letters, digits and `_ - . , / : @ % + =` stand as they are, others in single quotes. The
/// result is to be seen and pasted, so [`strip_control`] is applied first: a word with control
/// characters does not come through unchanged.
pub fn shell_quote(word: &str) -> Cow<'_, str> {
    let word = strip_control(word);
    // `=` first would be expanded by zsh, `~` by all; both are quoted then.
    let plain = !word.is_empty()
        && !word.starts_with('=')
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.,/:@%+=".contains(&b));
    if plain { word } else { Cow::Owned(format!("'{}'", word.replace('\'', r"'\''"))) }
}

/// A command line out of its words, each [`shell_quote`]d.
pub fn shell_command<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<_> = words.into_iter().map(shell_quote).collect();
    words.join(" ")
}

/// A ClassAd string literal with this value, for the arguments of HTCondor's tools.
///
/// `-constraint` and `condor_qedit` read the old syntax (`ParseClassAdRvalExpr` sets
/// `SetOldClassAd(true)`): a backslash is itself, except before a double quote. `None` where that
/// syntax has no literal for the text: with control characters, or with a backslash at its end.
pub fn classad_quote(text: &str) -> Option<String> {
    let writable = !text.ends_with('\\') && !text.chars().any(is_unfit);
    writable.then(|| format!("\"{}\"", text.replace('"', "\\\"")))
}

/// A number with its unit, which takes an s: `1 hold`, `2 holds`.
pub(crate) fn plural(number: impl std::fmt::Display, unit: &str) -> String {
    let number = number.to_string();
    let s = if number == "1" { "" } else { "s" };
    format!("{number} {unit}{s}")
}

/// At most `limit` characters of a text, with `...` where something was cut off.
pub fn shorten(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        None => Cow::Borrowed(text),
        Some(_) => {
            let keep = limit.saturating_sub(3);
            let cut = text.char_indices().nth(keep).map_or(text.len(), |(at, _)| at);
            Cow::Owned(format!("{}{}", &text[..cut], &"..."[..limit.min(3)]))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        assert_eq!(strip_control("a\u{1b}[31;1mred\u{1b}[0m b"), "ared b");
        assert_eq!(strip_control("\u{1b}]0;title\u{7}x"), "x");
        assert_eq!(strip_control("\u{1b}]8;;http://x\u{1b}\\link"), "link");
        assert_eq!(strip_control("\u{1b}]never ends"), "never ends");
        assert_eq!(strip_control("a\u{9b}2Jb\u{8}c\u{7f}"), "abc");
        assert_eq!(strip_control("one\r\ntwo\tthree"), "one two three");
        assert_eq!(strip_control("abc\u{202e}fed"), "abcfed");
        assert!(matches!(strip_control("plain: é"), Cow::Borrowed(_)));
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(shell_quote("1234.0"), "1234.0");
        assert_eq!(shell_quote(""), "''");
        assert_eq!(shell_quote("a b"), "'a b'");
        assert_eq!(shell_quote("it's $HOME `x`"), r"'it'\''s $HOME `x`'");
        assert_eq!(shell_quote("=cmd"), "'=cmd'");
        assert_eq!(
            shell_command(["condor_release", "-constraint", "ClusterId == 1"]),
            "condor_release -constraint 'ClusterId == 1'"
        );
    }

    #[test]
    fn strings_are_quoted_for_classads() {
        assert_eq!(classad_quote("a.b").as_deref(), Some("\"a.b\""));
        assert_eq!(classad_quote("a\"b").as_deref(), Some("\"a\\\"b\""));
        assert_eq!(classad_quote("a\\b").as_deref(), Some("\"a\\b\""));
        assert_eq!(classad_quote("a\\"), None);
        assert_eq!(classad_quote("a\nb"), None);
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(shorten("abcdef", 6), "abcdef");
        assert_eq!(shorten("abcdefg", 6), "abc...");
        assert_eq!(shorten("abc", 2), "..");
    }

    /// What a POSIX shell makes of the words [`shell_quote`] writes.
    fn read_shell(line: &str) -> Option<Vec<String>> {
        let mut words = vec![String::new()];
        let mut chars = line.chars();
        while let Some(c) = chars.next() {
            let word = words.last_mut()?;
            match c {
                '\'' => loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                },
                '\\' => word.push(chars.next()?),
                ' ' => words.push(String::new()),
                c if c.is_ascii_alphanumeric() || "_-.,/:@%+=".contains(c) => word.push(c),
                _ => return None,
            }
        }
        Some(words)
    }

    /// What HTCondor's old lexer reads between the quotes (`Lexer::tokenizeStringOld`).
    fn read_old_classad(literal: &str) -> Option<String> {
        let mut out = String::new();
        let mut chars = literal.strip_prefix('"')?.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '"' if out.ends_with('\\') && chars.peek().is_some() => {
                    out.pop();
                    out.push('"');
                }
                '"' => return chars.next().is_none().then_some(out),
                c => out.push(c),
            }
        }
        None
    }

    proptest! {
        #[test]
        fn nothing_a_terminal_acts_upon_is_left(text in any::<String>()) {
            let out = strip_control(&text);
            prop_assert!(!out.chars().any(is_unfit));
            prop_assert!(out.len() <= text.len());
            let again = strip_control(&out).into_owned();
            prop_assert_eq!(again, out);
        }

        #[test]
        fn terminal_sequences_are_stripped(text in "[\u{1b}\u{9b}\\[\\]P;0-9mA\u{7}\\\\ \n\r]{0,40}") {
            prop_assert!(!strip_control(&text).chars().any(is_unfit));
        }

        #[test]
        fn the_shell_reads_the_words_written(words in prop::collection::vec("[ -~é]{0,12}", 1..5)) {
            let line = shell_command(words.iter().map(String::as_str));
            prop_assert_eq!(read_shell(&line), Some(words));
        }

        #[test]
        fn no_word_leaves_its_quotes(word in any::<String>()) {
            let words = read_shell(&shell_quote(&word)).map(|words| words.len());
            prop_assert_eq!(words, Some(1));
        }

        #[test]
        fn the_old_lexer_reads_the_string_written(text in any::<String>()) {
            if let Some(literal) = classad_quote(&text) {
                prop_assert_eq!(read_old_classad(&literal), Some(text));
            }
        }

        #[test]
        fn backslashes_and_quotes_survive(text in "[\\\\\"a']{0,10}") {
            match classad_quote(&text) {
                Some(literal) => prop_assert_eq!(read_old_classad(&literal), Some(text)),
                None => prop_assert!(text.ends_with('\\')),
            }
        }

        #[test]
        fn shortened_text_fits(text in any::<String>(), limit in 0_usize..40) {
            prop_assert!(shorten(&text, limit).chars().count() <= limit);
        }
    }
}
