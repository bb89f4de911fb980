//! Wordings: plain text with `*` for anything and `{name}` for a part that is kept.

use memchr::memmem::find_iter;
use serde::Deserialize;

use super::index::{BEGINNINGS, words};
use super::template::names_in_texts;
use crate::history::reason::{is_break, path_length, url_length};

/// Bytes of a part that is kept.
const LONGEST: usize = 400;

/// Letters and digits that one piece of a wording must have.
const SHORTEST: usize = 3;

/// Parts that a wording kept of a text: name, and where it stands.
pub(crate) type Parts<'t> = Vec<(&'static str, &'t str)>;

#[derive(Clone, Debug)]
enum Piece {
    /// Lower-case text.
    Text(String),
    Anything,
    Named(&'static str),
}

/// One way to say something.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Wording {
    source: String,
    pieces: Vec<Piece>,
    letters: usize,
}

impl TryFrom<String> for Wording {
    type Error = String;

    fn try_from(source: String) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = source.as_str();
        while let Some(at) = rest.find(['*', '{']) {
            let (text, sign) = rest.split_at(at);
            push_text(&mut pieces, text);
            if let Some(after) = sign.strip_prefix('*') {
                pieces.push(Piece::Anything);
                rest = after;
                continue;
            }
            let end = sign.find('}').ok_or_else(|| format!("{source:?} has a {{ without }}"))?;
            let name = &sign[1..end];
            let known = names_in_texts().find(|known| *known == name).ok_or_else(|| {
                let known = names_in_texts().collect::<Vec<_>>().join(", ");
                format!("{source:?} names {{{name}}}; known are {known}")
            })?;
            pieces.push(Piece::Named(known));
            rest = &sign[end + 1..];
        }
        push_text(&mut pieces, rest);
        let is_open =
            |two: &[Piece]| !matches!(two[0], Piece::Text(_)) && matches!(two[1], Piece::Named(_));
        if pieces.windows(2).any(is_open) {
            return Err(format!("{source:?} has two parts without text between them"));
        }
        let texts = pieces.iter().filter_map(Piece::text);
        let letters = texts.flat_map(str::chars).filter(|c| c.is_alphanumeric()).count();
        let mut texts = pieces.iter().filter_map(Piece::text);
        let is_short = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count() < SHORTEST;
        match texts.any(|text| !is_short(text)) {
            true => Ok(Self { source, pieces, letters }),
            false => Err(format!("{source:?} has no text of {SHORTEST} letters or digits")),
        }
    }
}

fn push_text(pieces: &mut Vec<Piece>, text: &str) {
    if !text.is_empty() {
        pieces.push(Piece::Text(text.to_ascii_lowercase()));
    }
}

impl Piece {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Wording {
    /// As it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Where it may begin in a text in lower case.
    pub(super) fn beginnings(&self, lower: &str) -> impl Iterator<Item = usize> {
        let first = self.begins();
        let (begins, ends) = self.is_bounded(self.first());
        find_iter(lower.as_bytes(), first)
            .filter(move |&at| is_whole(lower, at, first, begins, ends))
            .take(BEGINNINGS.into())
    }

    /// Its first text, in lower case.
    pub(crate) fn begins(&self) -> &str {
        self.piece(self.first())
    }

    /// The piece that is its first text.
    fn first(&self) -> usize {
        self.pieces.iter().position(|piece| piece.text().is_some()).unwrap_or_default()
    }

    /// Whether the beginning and the end of a piece have to be those of words. Where a part stands beside
    /// it, that part may begin or end within the same word.
    fn is_bounded(&self, piece: usize) -> (bool, bool) {
        let is_named = |at: Option<usize>| {
            matches!(at.and_then(|at| self.pieces.get(at)), Some(Piece::Named(_)))
        };
        (!is_named(piece.checked_sub(1)), !is_named(Some(piece + 1)))
    }

    /// Whether this piece is its first text.
    pub(super) fn begins_with(&self, piece: usize) -> bool {
        self.first() == piece
    }

    /// The text of a piece, in lower case.
    pub(super) fn piece(&self, number: usize) -> &str {
        self.pieces.get(number).and_then(Piece::text).unwrap_or_default()
    }

    /// The words that a text with this wording has, with their piece and where they stand in it: not
    /// those that a part may lengthen.
    pub(super) fn words(&self) -> impl Iterator<Item = (&str, usize, usize)> {
        self.pieces.iter().enumerate().flat_map(move |(number, piece)| {
            let text = piece.text().unwrap_or_default();
            let (begins, ends) = self.is_bounded(number);
            let whole = words(text)
                .filter(move |word| (begins || word.start > 0) && (ends || word.end < text.len()));
            whole.map(move |word| (&text[word.clone()], number, word.start))
        })
    }

    /// How particular it is: the letters and digits of its text.
    pub(super) fn letters(&self) -> usize {
        self.letters
    }

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

/// Whether the text at this place stands there as words of its own.
fn is_whole(lower: &str, at: usize, wanted: &str, begins: bool, ends: bool) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let end = at + wanted.len();
    let cut_before = begins && wanted.starts_with(char::is_alphanumeric);
    let cut_after = ends && wanted.ends_with(char::is_alphanumeric);
    lower.is_char_boundary(at)
        && !(cut_before && is_part(lower[..at].chars().next_back()))
        && !(cut_after && is_part(lower[end..].chars().next()))
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
