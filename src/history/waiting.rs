//! What waits until nothing earlier can come.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

/// Time, Unix seconds, and the number of the log.
type When = (i64, u32);

/// Things by time, then by log, then as they came. Most of a log is in order: only what is not is
/// sorted.
#[derive(Debug)]
pub(super) struct Waiting<T> {
    in_order: VecDeque<Entry<T>>,
    others: BinaryHeap<Reverse<Entry<T>>>,
    came: u64,
}

/// Ordered by its key alone.
#[derive(Debug)]
struct Entry<T> {
    key: (When, u64),
    thing: T,
}

impl<T> Waiting<T> {
    pub(super) fn push(&mut self, when: When, thing: T) {
        self.came += 1;
        let entry = Entry { key: (when, self.came), thing };
        match self.in_order.back() {
            Some(last) if *last > entry => self.others.push(Reverse(entry)),
            _ => self.in_order.push_back(entry),
        }
    }

    /// The first, if it is not later than `until`.
    pub(super) fn pop_until(&mut self, until: i64) -> Option<(When, T)> {
        let first = match (self.in_order.front(), self.others.peek()) {
            (Some(first), Some(Reverse(other))) if other < first => self.pop_other(until),
            (Some(first), _) if first.key.0.0 <= until => self.in_order.pop_front(),
            (Some(_), _) => None,
            (None, _) => self.pop_other(until),
        }?;
        Some((first.key.0, first.thing))
    }

    fn pop_other(&mut self, until: i64) -> Option<Entry<T>> {
        let Reverse(first) = self.others.peek()?;
        let is_due = first.key.0.0 <= until;
        is_due.then(|| self.others.pop()).flatten().map(|Reverse(first)| first)
    }
}

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self { in_order: VecDeque::new(), others: BinaryHeap::new(), came: 0 }
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn they_leave_in_order(pushed in proptest::collection::vec((0..20_i64, 0..3_u32), 0..60)) {
            let mut waiting = Waiting::default();
            for (number, when) in pushed.iter().enumerate() {
                waiting.push(*when, number);
            }
            let mut expected: Vec<_> = pushed.iter().copied().zip(0..).collect();
            expected.sort();
            let mut left = Vec::new();
            for until in [-1, 5, 12, 30] {
                while let Some(next) = waiting.pop_until(until) {
                    prop_assert!(next.0.0 <= until);
                    left.push(next);
                }
                prop_assert_eq!(left.len(), expected.iter().filter(|(when, _)| when.0 <= until).count());
            }
            prop_assert_eq!(left, expected);
        }
    }
}
