//! What texts have wordings, and the parts that are kept of them.

use memchr::memmem::find_iter;

use super::Wording;
use super::wording::{Piece, is_whole};
use crate::history::reason::{is_break, path_length, url_length};

/// Bytes of a part that is kept.
const LONGEST: usize = 400;

/// Parts that a wording kept of a text: name, and where it stands.
pub(crate) type Parts<'t> = Vec<(&'static str, &'t str)>;

impl Wording {
    /// Whether a text has this wording; `lower` is the text in lower case.
    pub(super) fn is_in(&self, text: &str, lower: &str) -> bool {
        self.beginnings(lower).any(|at| self.fit_at(text, lower, at).is_some())
    }

    /// The parts of a text that has this wording, whose first text stands at `begin`.
    pub(crate) fn fit_at<'t>(&self, text: &'t str, lower: &str, begin: usize) -> Option<Parts<'t>> {
        let mut parts = Parts::new();
        let mut at = begin;
        let mut before: Option<&Piece> = None;
        let mut is_first = true;
        for (number, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Text(wanted) => {
                    let (begins, ends) = self.is_bounded(number);
                    let found = if is_first {
                        is_whole(lower, begin, wanted, begins, ends).then_some(begin)
                    } else {
                        find_iter(&lower.as_bytes()[at..], wanted)
                            .map(|found| at + found)
                            .find(|&found| is_whole(lower, found, wanted, begins, ends))
                    }?;
                    if let Some(Piece::Named(name)) = before {
                        let value =
                            if is_first { word_before(text, found) } else { &text[at..found] };
                        parts.push((name, of_kind(name, value.trim())?));
                    }
                    at = found + wanted.len();
                    is_first = false;
                }
                // It ends as what it is.
                Piece::Named(name)
                    if !matches!(self.pieces.get(number + 1), Some(Piece::Text(_))) =>
                {
                    let value = of_kind(name, at_start(name, &text[at..]))?;
                    at = value.as_ptr().addr() - text.as_ptr().addr() + value.len();
                    parts.push((name, value));
                }
                Piece::Named(_) | Piece::Anything => {}
            }
            before = Some(piece);
        }
        Some(parts)
    }
}

/// The word that ends at a place.
fn word_before(text: &str, end: usize) -> &str {
    let head = text[..end].trim_end_matches([' ', ':', '\'', '"']);
    let from = head.rfind(is_break).map_or(0, |at| at + 1);
    head.get(from..).unwrap_or_default()
}

/// A part of this kind at the beginning of a text.
fn at_start<'t>(name: &str, text: &'t str) -> &'t str {
    let text = text.trim_start_matches([' ', '\'', '"', '(', '=', ':']);
    let until = |end: Option<usize>| &text[..end.unwrap_or(text.len())];
    match name {
        "url" => until(Some(url_length(text).unwrap_or(0))),
        "path" => until(Some(path_length(text))),
        "number" => {
            let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ':');
            let digits = text.find(|c| !is_number(c)).unwrap_or(text.len());
            let unit = text[digits..].trim_start_matches(' ');
            let letters = unit.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(unit.len());
            let end = text.len() - unit.len() + if letters <= 7 { letters } else { 0 };
            text[..end].trim_end_matches(['.', ':', ' '])
        }
        "rest" | "test" => until(text.find('|')).trim_end_matches(['.', ' ', ')']),
        _ => until(text.find(is_break)).trim_end_matches(['.', ':', '!', '?']),
    }
}

/// The value, where a part of this kind may be so.
fn of_kind<'t>(name: &str, value: &'t str) -> Option<&'t str> {
    let value = value.trim_matches(['\'', '"', ' ']);
    let is_word = !matches!(name, "rest" | "test" | "path" | "number");
    let fits = !value.is_empty()
        && value.len() <= LONGEST
        && !(is_word && value.contains(char::is_whitespace))
        && (name != "url" || url_length(value).is_some())
        && (name != "number" || value.contains(|c: char| c.is_ascii_digit()));
    fits.then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit<'t>(wording: &str, text: &'t str) -> Option<Parts<'t>> {
        let wording = Wording::try_from(wording.to_owned()).expect("a wording");
        let lower = text.to_ascii_lowercase();
        wording.beginnings(&lower).find_map(|at| wording.fit_at(text, &lower, at))
    }

    #[test]
    fn parts_of_a_text_are_kept() {
        for (wording, text, parts) in [
            (
                "server {host} is off",
                "the server fs7.example.org is off",
                vec![("host", "fs7.example.org")],
            ),
            ("{host} is offline", "Scratch fs7:80 IS offline now", vec![("host", "fs7:80")]),
            (
                "image name: {image}",
                "invalid image name: ghcr.io/a/b:v2.",
                vec![("image", "ghcr.io/a/b:v2")],
            ),
            ("limit of {number}", "over memory limit of 16384 Mb", vec![("number", "16384 Mb")]),
            ("duration of {number}", "execute duration of 20:00:00", vec![("number", "20:00:00")]),
            ("url {url}", "remote URL osdf:///a/b.txt: 404", vec![("url", "osdf:///a/b.txt")]),
            ("license*expired", "License for X has expired", vec![]),
            (
                "open {path}*no such file",
                "open /a/b.sif failed: No such file",
                vec![("path", "/a/b.sif")],
            ),
            (
                "expression '{test}' evaluated",
                "expression '(a > 2)' evaluated",
                vec![("test", "(a > 2)")],
            ),
        ] {
            assert_eq!(fit(wording, text), Some(parts), "{wording}");
        }
    }

    #[test]
    fn a_wording_is_of_whole_words_and_in_order() {
        for (wording, text) in [
            ("404", "error 4040"),
            ("license*expired", "expired license"),
            ("server {host} is off", "server a b is off"),
            ("timed out", "mistimed outing"),
        ] {
            assert_eq!(fit(wording, text), None, "{wording}");
        }
        // A later beginning may fit.
        assert!(fit("server {host} is off", "server x y, server z is off").is_some());
    }

    #[test]
    fn bad_wordings_are_named() {
        for (wording, said) in [
            ("a*b", "3 letters"),
            (": (", "3 letters"),
            ("{host}{path} is", "two parts"),
            ("{hots} is away", "known are"),
            ("{host is away", "without }"),
        ] {
            let error = Wording::try_from(wording.to_owned()).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}
