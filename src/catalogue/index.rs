//! Wordings by a word that a text must have to have them.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

use super::Wording;

/// So many places are tried at which a wording may begin.
pub(super) const BEGINNINGS: u8 = 16;

/// Wordings, numbered as they came.
#[derive(Debug)]
pub(crate) struct Index {
    places: Vec<Place>,
    /// Those that are found by this word.
    by_word: HashMap<Box<str>, Vec<usize>, RandomState>,
    /// Those without a word that is whole.
    wordless: Vec<usize>,
}

/// The word that a wording is found by: the piece that it stands in, and where.
#[derive(Debug)]
struct Place {
    piece: usize,
    word: Range<usize>,
}

impl Index {
    /// Each wording by its rarest word.
    pub(crate) fn of<'w>(all: impl Iterator<Item = &'w Wording> + Clone) -> Self {
        let mut times: HashMap<&str, usize, RandomState> = HashMap::default();
        for (word, ..) in all.clone().flat_map(Wording::words) {
            *times.entry(word).or_default() += 1;
        }
        let mut index =
            Self { places: Vec::new(), by_word: HashMap::default(), wordless: Vec::new() };
        for (number, wording) in all.enumerate() {
            let rarest =
                wording.words().min_by_key(|(word, ..)| (times[word], Reverse(word.len())));
            let (of_word, piece, word) = match rarest {
                Some((word, piece, at)) => {
                    (index.by_word.entry(word.into()).or_default(), piece, at..at + word.len())
                }
                None => (&mut index.wordless, 0, 0..0),
            };
            of_word.push(number);
            index.places.push(Place { piece, word });
        }
        index
    }

    /// Calls `fit` with every wording and place of a text in lower case at which it may begin, until
    /// it says that it does.
    pub(crate) fn each<'w>(
        &self,
        wording: impl Fn(usize) -> &'w Wording,
        lower: &str,
        mut fit: impl FnMut(usize, &'w Wording, usize) -> bool,
    ) {
        let mut tried = vec![0_u8; self.places.len()];
        for found in words(lower) {
            for &number in self.by_word.get(&lower[found.clone()]).into_iter().flatten() {
                let place = &self.places[number];
                let one = wording(number);
                let piece = one.piece(place.piece);
                let (before, after) = (&piece[..place.word.start], &piece[place.word.end..]);
                if tried[number] >= BEGINNINGS
                    || !lower[found.end..].starts_with(after)
                    || !lower[..found.start].ends_with(before)
                {
                    continue;
                }
                let fits = match one.begins_with(place.piece) {
                    true => fit(number, one, found.start - before.len()),
                    false => {
                        tried[number] = BEGINNINGS;
                        one.beginnings(lower).any(|at| fit(number, one, at))
                    }
                };
                tried[number] = if fits { BEGINNINGS } else { tried[number].saturating_add(1) };
            }
        }
        for &number in &self.wordless {
            let one = wording(number);
            one.beginnings(lower).any(|at| fit(number, one, at));
        }
    }
}

/// Where the words of a text stand.
pub(super) fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += text[at..].find(char::is_alphanumeric)?;
        let length = text[at..].find(|c: char| !c.is_alphanumeric());
        let word = at..length.map_or(text.len(), |length| at + length);
        at = word.end;
        Some(word)
    })
}
