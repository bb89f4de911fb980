//! Wordings: plain text with `*` for anything and `{name}` for a part that is kept.

use memchr::memmem::find_iter;
use serde::Deserialize;

use super::index::{BEGINNINGS, words};
use super::template::names_in_texts;

/// Letters and digits that one piece of a wording must have.
const SHORTEST: usize = 3;

#[derive(Clone, Debug)]
pub(super) enum Piece {
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
    pub(super) pieces: Vec<Piece>,
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
    pub(super) fn is_bounded(&self, piece: usize) -> (bool, bool) {
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
}

/// Whether the text at this place stands there as words of its own.
pub(super) fn is_whole(lower: &str, at: usize, wanted: &str, begins: bool, ends: bool) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let end = at + wanted.len();
    let cut_before = begins && wanted.starts_with(char::is_alphanumeric);
    let cut_after = ends && wanted.ends_with(char::is_alphanumeric);
    lower.is_char_boundary(at)
        && !(cut_before && is_part(lower[..at].chars().next_back()))
        && !(cut_after && is_part(lower[end..].chars().next()))
}
