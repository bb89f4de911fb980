//! What was last worked out of texts: like jobs stand side by side, and ask about the same reasons
//! and expressions.

use std::cell::RefCell;
use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;

/// Texts remembered: those of more jobs than are judged together, so that what was asked of each at
/// first is known in the end.
const ENTRIES: usize = 80;

/// Bytes of the longest text remembered.
const LONGEST: usize = 4096;

/// The last few texts, and what a function made of each. The function must depend on nothing else.
#[derive(Debug)]
pub(crate) struct Memo<V> {
    entries: RefCell<Vec<Entry<V>>>,
}

#[derive(Debug)]
struct Entry<V> {
    hash: u64,
    text: Box<str>,
    value: V,
}

impl<V: Clone> Memo<V> {
    /// Remembers nothing yet.
    pub(crate) const fn new() -> Self {
        Self { entries: RefCell::new(Vec::new()) }
    }

    /// What `work` makes of `text`: remembered, or worked out now.
    pub(crate) fn get(&self, text: &str, work: impl FnOnce(&str) -> V) -> V {
        // Texts that are alike in length and beginning differ in this at once.
        let hash = FixedState::default().hash_one(text);
        let same = |known: &Entry<V>| known.hash == hash && *known.text == *text;
        let known = self.entries.borrow().iter().position(same);
        if let Some(at) = known {
            let mut entries = self.entries.borrow_mut();
            // What is asked for stays; the last place goes first.
            entries[..=at].rotate_right(1);
            return entries[0].value.clone();
        }
        let value = work(text);
        if text.len() <= LONGEST {
            let mut entries = self.entries.borrow_mut();
            entries.truncate(ENTRIES - 1);
            entries.insert(0, Entry { hash, text: text.into(), value: value.clone() });
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_is_worked_out_once_while_it_is_asked_for() {
        let memo = Memo::new();
        let mut worked = 0;
        let mut length = |text: &str| {
            memo.get(text, |text| {
                worked += 1;
                text.len()
            })
        };
        for round in 0..3 * ENTRIES {
            assert_eq!(length("always"), 6);
            assert_eq!(length(&"x".repeat(round)), round);
        }
        assert_eq!(length(&"y".repeat(LONGEST + 1)), LONGEST + 1);
        assert_eq!(worked, 1 + 3 * ENTRIES + 1);
        assert!(memo.entries.borrow().len() <= ENTRIES);
    }
}
