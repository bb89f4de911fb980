//! The hold reason: its canonical form, the form like holds share, and the names in it.
//!
//! Sources of the templates read here: `src/condor_shadow.V6.1/baseshadow.cpp`
//! (`Transfer ... files failure`), `src/condor_shadow.V6.1/pseudo_ops.cpp` (`Error from`),
//! `src/condor_utils/file_transfer.cpp`, `src/condor_starter.V6.1`. The text is written by
//! execution points, file-transfer plug-ins and users: whatever it holds, these functions return,
//! and what they return is bounded by [`MAX_REASON`].

mod normalise;
mod parts;

use std::borrow::Cow;

pub use normalise::{normalised, words};
pub use parts::{
    Files, Side, directory, errno, file_name, file_server, files, host, in_sandbox, machine, place,
    side, url, url_or_file,
};
pub(crate) use parts::{code_of_transfer, is_checkpoint, path_length};

/// Bytes of a hold reason that are looked at. Real ones reach about 5 KiB (output of an image
/// pull).
pub const MAX_REASON: usize = 16 * 1024;

/// Bytes of the longest URL scheme looked for.
const MAX_SCHEME: usize = 20;

/// The reason as HTCondor's reader of job event logs returns it.
///
/// The log writes a newline as `|` and a carriage return as a blank
/// (`ULogEvent::set_reason_member`), and its reader cuts blanks at both ends and takes
/// `Reason unspecified` for none; the ad keeps the text as it was. Both give the same here.
pub fn canonical(reason: &str) -> Cow<'_, str> {
    let reason = &reason[..floor_boundary(reason, MAX_REASON)];
    match memchr::memchr2(b'\n', b'\r', reason.as_bytes()) {
        None => Cow::Borrowed(specified(reason)),
        Some(_) => {
            let flat = reason.replace('\n', "|").replace('\r', " ");
            Cow::Owned(specified(&flat).to_owned())
        }
    }
}

/// The text without blanks at its ends, if it is one.
fn specified(flat: &str) -> &str {
    match flat.trim_matches(is_blank) {
        "Reason unspecified" => "",
        text => text,
    }
}

/// What ends a word of a hold reason.
pub(crate) fn is_break(c: char) -> bool {
    let sign = matches!(
        c,
        '\'' | '"' | '(' | ')' | '|' | ';' | ',' | '=' | '[' | ']' | '{' | '}' | '<' | '>' | '`'
    );
    sign || c.is_whitespace()
}

/// What `isspace` takes off at the ends of a line.
fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{b}'
}

/// The largest index up to `at` that lies between two characters.
fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// What no path goes beyond, blanks in it or not.
const HARD: [char; 4] = ['|', ';', '\'', '"'];

/// What follows a path that may have blanks in it.
const ERRNO: &str = ": (errno";

/// Where a path that starts at the beginning of `text` ends.
fn path_end(text: &str) -> usize {
    let or_end = |at: Option<usize>| at.unwrap_or(text.len());
    path_end_before(text, or_end(text.find(HARD)), or_end(text.find(ERRNO)))
}

/// The same, where [`HARD`] and [`ERRNO`] are found next at these bytes.
///
/// A path in a hold reason may have blanks in it; it then ends before the `: (errno` that follows.
fn path_end_before(text: &str, hard: usize, errno: usize) -> usize {
    if errno < hard {
        return errno;
    }
    let word = text[..hard].find(is_break).unwrap_or(hard);
    text[..word].trim_end_matches(['.', ':', ',', '!', '?']).len()
}

/// A URL at the beginning of `text`: `scheme://` and at least one more character. Its length.
pub(crate) fn url_length(text: &str) -> Option<usize> {
    let of_scheme = |(at, byte): (usize, u8)| {
        byte.is_ascii_alphabetic()
            || at > 0 && (byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.'))
    };
    let mut bytes = text.bytes().enumerate().take(MAX_SCHEME + 1);
    let scheme = bytes.position(|byte| !of_scheme(byte)).filter(|&at| at > 0)?;
    if !text[scheme..].starts_with("://") {
        return None;
    }
    let body = &text[scheme + 3..];
    let end = body.find(|c| is_break(c) && c != '=').unwrap_or(body.len());
    let end = body[..end].trim_end_matches(['.', ':', ',', '!', '?']).len();
    (end > 0).then_some(scheme + 3 + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_and_ad_agree() {
        assert_eq!(canonical("one\r\ntwo\n"), canonical("one |two|"));
        assert_eq!(canonical("  a b \t"), "a b");
        assert_eq!(canonical("Reason unspecified"), "");
        assert_eq!(canonical(""), "");
    }

    #[test]
    fn canonical_is_bounded() {
        let long = "é".repeat(MAX_REASON);
        assert!(canonical(&long).len() <= MAX_REASON);
    }

    #[test]
    fn urls_end_where_they_should() {
        assert_eq!(url_length("http://a.b/c?d=e, and"), Some("http://a.b/c?d=e".len()));
        assert_eq!(url_length("osdf:///ospool/x)|"), Some("osdf:///ospool/x".len()));
        assert_eq!(url_length("://x"), None);
        assert_eq!(url_length("a b://x"), None);
        assert_eq!(url_length("http://"), None);
    }
}
