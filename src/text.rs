//! Text others wrote, made fit to print and to paste.
//!
//! Hold reasons, file names and host names come from jobs, servers and execution points. Before
//! they reach a terminal, control characters are taken out and invisible ones made visible; before
//! they reach a command, they are quoted. Secrets in them reach neither.
//!
//! - `foreign`: text of others as a type.
//! - `secrets`: what of a text lets somebody in.
//! - `shared`: what two texts have in common.

mod foreign;
mod secrets;
mod shared;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

pub use foreign::Foreign;
pub(crate) use secrets::{HIDDEN, has_secret, is_secret_attribute, is_signed};
use serde::Serialize;
pub(crate) use shared::{DIFFERS, shared_letters, shared_words};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// The text on one line, without anything a terminal acts upon and with nothing that is not seen.
///
/// Escape sequences (CSI, OSC and two-byte ones) are left out, line breaks, tabs and blanks of any
/// width become one space, all other control characters (C0, DEL, C1) are left out. Characters that
/// take no room or turn the direction of writing are written as `\u{200b}`.
pub fn strip_control(text: &str) -> Cow<'_, str> {
    if is_fit(text) {
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
            c if c.is_control() => {}
            c if is_invisible(c) => out.extend(c.escape_unicode()),
            c if is_wide_blank(c) => out.push(' '),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A text as it may be printed: [`strip_control`], and `***` in the place of each secret (user
/// information and signatures of URLs, tokens, passwords).
pub fn printable(text: &str) -> Cow<'_, str> {
    match strip_control(text) {
        Cow::Borrowed(text) => secrets::without_secrets(text),
        Cow::Owned(text) => Cow::Owned(secrets::without_secrets(&text).into_owned()),
    }
}

/// A message without the numbers of errors of the system, `(os error 13)`: their words stand before
/// them.
pub fn in_words(message: &str) -> Cow<'_, str> {
    const NUMBER: &str = " (os error ";
    let mut out = Cow::Borrowed(message);
    while let Some(at) = out.find(NUMBER) {
        let rest = &out[at + NUMBER.len()..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let Some(after) = rest[digits..].strip_prefix(')').filter(|_| digits > 0) else { break };
        out = Cow::Owned(format!("{}{after}", &out[..at]));
    }
    out
}

/// Whether a text has nothing in it that a terminal acts upon or that is not seen:
/// [`strip_control`] leaves it alone.
pub fn is_fit(text: &str) -> bool {
    !text.chars().any(is_unfit)
}

/// Whether a text can stand in a command to paste as it is: [`printable`] leaves it alone.
pub fn can_be_pasted(text: &str) -> bool {
    is_fit(text) && !has_secret(text)
}

/// JSON on one line. Characters that a terminal acts upon or that are not seen are `\uXXXX` in it,
/// which changes no value.
///
/// # Errors
/// When the thing cannot be written as JSON.
pub fn to_json(thing: &impl Serialize) -> serde_json::Result<String> {
    Ok(visible_json(&serde_json::to_string(thing)?).into_owned())
}

/// Version of the names in all that the tools print as JSON, there as `SchemaVersion`. It grows when
/// a name of any output goes or its meaning changes, not when one is added.
pub const SCHEMA_VERSION: u32 = 3;

/// [`to_json`] with an indented line for each value.
///
/// # Errors
/// When the thing cannot be written as JSON.
pub fn to_json_pretty(thing: &impl Serialize) -> serde_json::Result<String> {
    Ok(visible_json(&serde_json::to_string_pretty(thing)?).into_owned())
}

/// Escapes in JSON: only its strings can hold such characters.
fn visible_json(json: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| c >= '\u{7f}' && is_unfit(c);
    if !json.chars().any(is_escaped) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_escaped(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn is_unfit(c: char) -> bool {
    // Most text is ASCII.
    if c.is_ascii() {
        c.is_ascii_control()
    } else {
        c.is_control() || is_wide_blank(c) || is_invisible(c)
    }
}

/// A blank that is not the ASCII one: wide and narrow ones fill a line unseen.
fn is_wide_blank(c: char) -> bool {
    c.general_category() == GeneralCategory::SpaceSeparator && c != ' '
}

/// Characters that take no room, look like a blank or turn the direction of writing.
fn is_invisible(c: char) -> bool {
    use GeneralCategory::{Format, LineSeparator, ParagraphSeparator};
    matches!(c.general_category(), Format | LineSeparator | ParagraphSeparator)
        || INVISIBLE.iter().any(|range| range.contains(&c))
}

/// What is invisible outside of these categories: `Default_Ignorable_Code_Point` of Unicode 16
/// (`DerivedCoreProperties.txt`), and the braille pattern without dots.
const INVISIBLE: [RangeInclusive<char>; 14] = [
    '\u{34f}'..='\u{34f}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{2065}'..='\u{2065}',
    '\u{2800}'..='\u{2800}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fff8}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d159}'..='\u{1d159}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e0fff}',
];

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
/// Words of letters, digits and `_ - . , / : @ % + =` stand as they are, others in single quotes.
/// The result is to be seen and pasted, so [`strip_control`] is applied first: only a word that
/// [`is_fit`] is read by the shell as it was given.
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

/// A hash of a text: the same on every machine and in every release.
pub fn hash(text: &str) -> u64 {
    eventlog::fnv1a(text.as_bytes())
}

/// A number with its unit, which takes an s: `1 hold`, `2 holds`.
pub(crate) fn plural(number: impl std::fmt::Display, unit: &str) -> String {
    let number = number.to_string();
    let s = if number == "1" { "" } else { "s" };
    format!("{number} {unit}{s}")
}

/// A text in a line of ours: [`printable`], at most so many characters.
pub fn shown(text: &str, limit: usize) -> String {
    shorten(&printable(text), limit).into_owned()
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

/// Seconds of a processor that this thread has taken: a bound that other work does not move.
#[cfg(test)]
pub(crate) fn processor_seconds() -> f64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    spent.tv_sec as f64 + spent.tv_nsec as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn errors_of_the_system_are_words() {
        let text = "a: Permission denied (os error 13); b: No space left (os error 28)";
        assert_eq!(in_words(text), "a: Permission denied; b: No space left");
        for other in ["(os error 13)", " (os error x)", " (os error )", " (os error 13"] {
            assert_eq!(in_words(other), other);
        }
    }

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        assert_eq!(strip_control("a\u{1b}[31;1mred\u{1b}[0m b"), "ared b");
        assert_eq!(strip_control("\u{1b}]0;title\u{7}x"), "x");
        assert_eq!(strip_control("\u{1b}]8;;http://x\u{1b}\\link"), "link");
        assert_eq!(strip_control("\u{1b}]never ends"), "never ends");
        assert_eq!(strip_control("a\u{9b}2Jb\u{8}c\u{7f}"), "abc");
        assert_eq!(strip_control("one\r\ntwo\tthree"), "one two three");
        assert!(matches!(strip_control("plain: é"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_nobody_sees_is_escaped() {
        assert_eq!(strip_control("abc\u{202e}fed"), "abc\\u{202e}fed");
        let unseen = "\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{180b}\u{180e}\u{200b}\u{200d}\u{200e}\u{2028}\
             \u{2029}\u{2060}\u{2066}\u{2800}\u{3164}\u{fe0f}\u{feff}\u{ffa0}\u{fff9}\u{1d173}\u{e0001}\u{e0041}\u{e0100}";
        for c in unseen.chars() {
            assert_eq!(strip_control(&format!("a{c}b")), format!("a{}b", c.escape_unicode()));
        }
        assert_eq!(strip_control("a\u{a0}b\u{3000}c\u{2003}"), "a b c ");
        for seen in ["é", "e\u{301}", "日本", "한국", "שלום", "عربى", "😀", "\u{e000}"]
        {
            assert!(is_fit(seen), "{seen}");
        }
    }

    #[test]
    fn json_keeps_its_values() {
        let text = "a\u{200b}b\u{e0041}\u{7f}\u{85}\nc é";
        let visible = to_json(&text).unwrap();
        assert_eq!(visible, r#""a\u200bb\udb40\udc41\u007f\u0085\nc é""#);
        assert_eq!(serde_json::from_str::<String>(&visible).unwrap(), text);
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
        fn any_json_keeps_its_values(text in any::<String>()) {
            let visible = to_json(&text).unwrap();
            prop_assert!(is_fit(&visible));
            prop_assert_eq!(serde_json::from_str::<String>(&visible).unwrap(), text);
        }

        #[test]
        fn nothing_a_terminal_acts_upon_is_left(text in any::<String>()) {
            let out = strip_control(&text);
            prop_assert!(!out.chars().any(is_unfit));
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
