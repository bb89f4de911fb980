//! What the hold reasons of several jobs have in common.

use crate::advice::meaning::tells_cause;
use crate::text::{DIFFERS, shared_letters, shorten};

/// Words that texts share, in the order of the first one.
#[derive(Clone, Debug)]
pub(super) struct SharedWords {
    pub(super) first: String,
    /// `None` while all texts are the same.
    words: Option<Vec<String>>,
}

/// Characters of a reason that are compared.
const COMPARED: usize = 1_000;

impl SharedWords {
    /// Of a failed transfer the details: what comes before them is said by its codes.
    pub(super) fn new(reason: &str, code: Option<i32>) -> Self {
        let details = reason.split_once("Details: ").filter(|_| tells_cause(code));
        let text = details.map_or(reason, |(_, details)| details);
        Self { first: shorten(text, COMPARED).into_owned(), words: None }
    }

    pub(super) fn add(&mut self, reason: &str, code: Option<i32>) {
        let Self { first: other, .. } = Self::new(reason, code);
        if other == self.first && self.words.is_none() {
            return;
        }
        let first = || self.first.split_whitespace().map(str::to_owned).collect();
        let mut words: Vec<String> = self.words.take().unwrap_or_else(first);
        let other: Vec<&str> = other.split_whitespace().collect();
        if other.len() == words.len() {
            for (one, other) in words.iter_mut().zip(&other) {
                *one = shared_letters(one, other);
            }
        } else {
            let ahead = words.iter().zip(&other).take_while(|(a, b)| a == b).count();
            let rest = words.len().min(other.len()) - ahead;
            let ends = words.iter().rev().zip(other.iter().rev());
            let behind = ends.take(rest).take_while(|(a, b)| a == b).count();
            words.splice(ahead..words.len() - behind, [DIFFERS.to_owned()]);
        }
        words.dedup_by(|a, b| a == DIFFERS && b == DIFFERS);
        self.words = Some(words);
    }

    /// What is shared; `None` where several wordings share too little.
    pub(super) fn text(&self) -> Option<String> {
        let Some(words) = &self.words else { return Some(self.first.clone()) };
        let shared = words.iter().filter(|word| *word != DIFFERS).count();
        (shared * 2 >= self.first.split_whitespace().count()).then(|| words.join(" "))
    }
}
