//! Wordings by a word that a text must have to have them.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::Wording;

/// So many places are tried at which a wording may begin.
pub(super) const BEGINNINGS: u8 = 16;

/// Wordings by their rarest words. `build.rs` makes that of those that are shipped.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// The words, one behind the other.
    pub(super) text: Cow<'static, str>,
    /// The words by their hashes.
    pub(super) slots: Cow<'static, [Slot]>,
    /// By word; those without a word that is whole have the empty one.
    pub(super) places: Cow<'static, [Place]>,
}

/// A word: where it begins and ends in the text, and where its places do; zeros where none is.
pub(super) type Slot = [u32; 4];

/// Number of an entry and of a wording in it, and where the word that it is found by stands: number
/// of the piece, beginning and end.
pub(super) type Place = [u32; 5];

impl Index {
    /// Of wordings, each with the number of its entry and its number there.
    pub(crate) fn of<'w>(all: impl Iterator<Item = ([usize; 2], &'w Wording)> + Clone) -> Self {
        let mut times: HashMap<&str, usize> = HashMap::new();
        for (word, ..) in all.clone().flat_map(|(_, wording)| wording.words()) {
            *times.entry(word).or_default() += 1;
        }
        let mut by_word: BTreeMap<&str, Vec<Place>> = BTreeMap::new();
        for ([entry, number], wording) in all {
            let rarest =
                wording.words().min_by_key(|(word, ..)| (times[word], Reverse(word.len())));
            let (word, piece, at) = rarest.unwrap_or_default();
            let place = [entry, number, piece, at, at + word.len()].map(|number| number as u32);
            by_word.entry(word).or_default().push(place);
        }
        let (mut text, mut places) = (String::new(), Vec::new());
        let mut slots = vec![Slot::default(); (by_word.len() * 3 / 2).next_power_of_two()];
        for (word, mut of_word) in by_word {
            let begin = [text.len(), places.len()];
            text.push_str(word);
            places.append(&mut of_word);
            let slot = [begin[0], text.len(), begin[1], places.len()].map(|at| at as u32);
            let free = probes(word, slots.len()).find(|&at| slots[at] == Slot::default());
            slots[free.unwrap_or_default()] = slot;
        }
        Self { text: text.into(), slots: slots.into(), places: places.into() }
    }

    /// The places of a word.
    fn places(&self, word: &str) -> Range<usize> {
        let slots = probes(word, self.slots.len()).map(|at| self.slots[at]);
        let mut taken = slots.take_while(|slot| *slot != Slot::default());
        let is_it = |[begin, end, ..]: &Slot| self.text[*begin as usize..*end as usize] == *word;
        taken.find(is_it).map_or(0..0, |[_, _, first, end]| first as usize..end as usize)
    }

    /// Calls `fit` with every wording and place of a text in lower case at which it may begin, until
    /// it says that it does.
    pub(crate) fn each<'w>(
        &self,
        wording: impl Fn([usize; 2]) -> &'w Wording,
        lower: &str,
        mut fit: impl FnMut([usize; 2], &'w Wording, usize) -> bool,
    ) {
        let place = |number: usize| self.places[number].map(|number| number as usize);
        let mut tried = vec![0_u8; self.places.len()];
        for found in words(lower) {
            for number in self.places(&lower[found.clone()]) {
                if tried[number] >= BEGINNINGS {
                    continue;
                }
                let [entry, of_entry, piece, begin, end] = place(number);
                let one = wording([entry, of_entry]);
                let text = one.piece(piece);
                let (before, after) = (&text[..begin], &text[end..]);
                if !lower[found.end..].starts_with(after) || !lower[..found.start].ends_with(before)
                {
                    continue;
                }
                let fits = match one.begins_with(piece) {
                    true => fit([entry, of_entry], one, found.start - before.len()),
                    false => {
                        tried[number] = BEGINNINGS;
                        one.beginnings(lower).any(|at| fit([entry, of_entry], one, at))
                    }
                };
                tried[number] = if fits { BEGINNINGS } else { tried[number].saturating_add(1) };
            }
        }
        for number in self.places("") {
            let [entry, of_entry, ..] = place(number);
            let one = wording([entry, of_entry]);
            one.beginnings(lower).any(|at| fit([entry, of_entry], one, at));
        }
    }
}

/// Slots that a word may have, in their order: by its hash, FNV-1a.
fn probes(word: &str, slots: usize) -> impl Iterator<Item = usize> {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = word.bytes().fold(0x811c_9dc5, mix) as usize;
    (hash..hash + slots).map(move |at| at % slots)
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
