//! What owners share: places, bytes, steps and time.
//!
//! Nobody gets less than an equal share while wanting more, whoever comes first or wants most. What
//! is left out is counted by owner.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::text::Foreign;

/// Owners that are named where something is left out.
const NAMED: usize = 3;

/// Characters of the name of an owner that are printed.
const LONGEST_NAME: usize = 40;

/// The most that an owner may have of a whole: who wants less has that, and the others have alike.
#[must_use]
pub fn level(whole: u64, wanted: impl IntoIterator<Item = u64>) -> u64 {
    let mut wanted: Vec<u64> = wanted.into_iter().collect();
    wanted.sort_unstable();
    let (mut left, mut owners) = (whole, wanted.len() as u64);
    for want in wanted {
        let share = left / owners;
        if want > share {
            return share;
        }
        left -= want;
        owners -= 1;
    }
    u64::MAX
}

/// Who is left out with how many jobs, those first of whom most are: `3 of alice, 1 of bob`.
#[must_use]
pub fn left_out<'a>(counts: impl IntoIterator<Item = (&'a str, u64)>) -> Option<String> {
    let mut counts: Vec<(&str, u64)> = counts.into_iter().filter(|(_, count)| *count > 0).collect();
    counts.sort_by_key(|(owner, count)| (std::cmp::Reverse(*count), *owner));
    let name = |owner: &str| Foreign::from(owner).named(LONGEST_NAME);
    let named = counts.iter().take(NAMED);
    let mut parts: Vec<String> =
        named.map(|(owner, count)| format!("{count} of {}", name(owner))).collect();
    let others = counts.get(NAMED..).unwrap_or_default();
    if !others.is_empty() {
        let sum: u64 = others.iter().map(|(_, count)| count).sum();
        parts.push(format!("{sum} of {} more", others.len()));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Bytes that an item takes.
pub trait ItemSize {
    /// Those that its end would free: what it shares with another one is that one's.
    fn size(&self) -> u64;
}

/// Items of owners as they come: as many are kept as there are places and bytes for.
#[derive(Debug)]
pub struct Shares<U, T> {
    /// Places, and bytes.
    limits: [u64; 2],
    used: [u64; 2],
    numbers: HashMap<Box<str>, usize>,
    owners: Vec<Owned<U, T>>,
    /// Owners by what they have of each.
    by_use: [BTreeSet<(u64, usize)>; 2],
    next: u64,
}

/// What one owner has.
#[derive(Debug)]
struct Owned<U, T> {
    used: [u64; 2],
    /// Those first that are most urgent; equals in the order they came.
    items: BTreeMap<(U, u64), T>,
    left_out: u64,
}

impl<U: Ord + Copy, T: ItemSize> Shares<U, T> {
    /// Of so many places and bytes.
    #[must_use]
    pub fn new(places: usize, bytes: u64) -> Self {
        Self {
            limits: [places as u64, bytes],
            used: [0; 2],
            numbers: HashMap::new(),
            owners: Vec::new(),
            by_use: [BTreeSet::new(), BTreeSet::new()],
            next: 0,
        }
    }

    fn number(&mut self, owner: &str) -> usize {
        if let Some(number) = self.numbers.get(owner) {
            return *number;
        }
        let number = self.owners.len();
        self.numbers.insert(owner.into(), number);
        self.owners.push(Owned { used: [0; 2], items: BTreeMap::new(), left_out: 0 });
        number
    }

    /// Adds an item. Where there is no room, those with most leave out what is least urgent of
    /// theirs.
    pub fn push(&mut self, owner: &str, urgency: U, item: T) {
        let number = self.number(owner);
        let size = item.size();
        self.next += 1;
        self.owners[number].items.insert((urgency, self.next), item);
        self.change(number, |used| [used[0] + 1, used[1].saturating_add(size)]);
        while let Some(which) = (0..2).find(|which| self.used[*which] > self.limits[*which])
            && let Some((_, largest)) = self.by_use[which].last().copied()
            && let Some((_, last)) = self.owners[largest].items.pop_last()
        {
            let size = last.size();
            self.owners[largest].left_out += 1;
            self.change(largest, |used| [used[0] - 1, used[1].saturating_sub(size)]);
        }
    }

    fn change(&mut self, number: usize, new: impl FnOnce([u64; 2]) -> [u64; 2]) {
        let old = self.owners[number].used;
        let new = new(old);
        self.owners[number].used = new;
        for which in 0..2 {
            self.by_use[which].remove(&(old[which], number));
            self.by_use[which].insert((new[which], number));
            self.used[which] = (self.used[which] - old[which]).saturating_add(new[which]);
        }
    }

    /// Counts something of an owner that is left out.
    pub fn leave_out(&mut self, owner: &str) {
        let number = self.number(owner);
        self.owners[number].left_out += 1;
    }

    /// The items that are kept, in a fair order, and how many were left out by owner. The owners
    /// take turns: in each turn one has items of about `turn` units of `work`, and at least one.
    pub fn in_turns(
        self,
        turn: u64,
        work: impl Fn(&T) -> u64,
    ) -> (Vec<T>, BTreeMap<Box<str>, u64>) {
        let mut left_out = BTreeMap::new();
        for (owner, number) in self.numbers {
            left_out.insert(owner, self.owners[number].left_out);
        }
        left_out.retain(|_, count| *count > 0);
        let mut all = Vec::new();
        for (number, owned) in self.owners.into_iter().enumerate() {
            let mut done = 0_u64;
            for item in owned.items.into_values() {
                all.push((done / turn.max(1), number, item));
                done = done.saturating_add(work(&all[all.len() - 1].2).max(1));
            }
        }
        // Equals stay in their order.
        all.sort_by_key(|(round, number, _)| (*round, *number));
        (all.into_iter().map(|(.., item)| item).collect(), left_out)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Item {
        owner: usize,
        urgency: u32,
        size: u64,
    }

    impl ItemSize for Item {
        fn size(&self) -> u64 {
            self.size
        }
    }

    fn items(most: u64) -> impl Strategy<Value = Vec<Item>> {
        let item = (0..5_usize, 0..4_u32, 1..=most);
        let item = item.prop_map(|(owner, urgency, size)| Item { owner: owner / 2, urgency, size });
        prop::collection::vec(item, 0..60)
    }

    type Kept = (Vec<Item>, BTreeMap<Box<str>, u64>);

    fn kept(items: &[Item], places: usize, bytes: u64, turn: u64) -> Kept {
        let mut shares = Shares::new(places, bytes);
        for item in items {
            shares.push(&item.owner.to_string(), item.urgency, *item);
        }
        shares.in_turns(turn, |item| item.size)
    }

    fn sum(kept: &[Item], owner: usize, of: impl Fn(&Item) -> u64) -> u64 {
        kept.iter().filter(|item| item.owner == owner).map(of).sum()
    }

    proptest! {
        #[test]
        fn a_level_uses_up_the_whole_or_gives_each_what_it_wants(
            whole in 0..200_u64,
            wanted in prop::collection::vec(0..50_u64, 0..9),
        ) {
            let level = level(whole, wanted.iter().copied());
            let had: u64 = wanted.iter().map(|want| (*want).min(level)).sum();
            prop_assert!(had <= whole);
            if wanted.iter().any(|want| *want > level) {
                prop_assert!(whole - had < wanted.len() as u64);
                prop_assert!(level >= whole / wanted.len() as u64);
            }
        }

        #[test]
        fn nobody_has_less_places_than_another_while_wanting_more(
            items in items(1), places in 0..40_usize,
        ) {
            let (kept, left_out) = kept(&items, places, u64::MAX, 1);
            prop_assert_eq!(kept.len(), items.len().min(places));
            let has = |owner| sum(&kept, owner, |_| 1);
            for owner in 0..3 {
                let wanted = sum(&items, owner, |_| 1);
                let missing = left_out.get(owner.to_string().as_str()).copied().unwrap_or(0);
                prop_assert_eq!(missing, wanted - has(owner));
                if missing > 0 {
                    prop_assert!((0..3).all(|other| has(other) <= has(owner) + 1));
                    // What is left out is not more urgent than what is kept.
                    let of = |items: &[Item]| {
                        let own = items.iter().filter(|item| item.owner == owner);
                        let mut own: Vec<u32> = own.map(|item| item.urgency).collect();
                        own.sort_unstable();
                        own
                    };
                    let own = of(&items);
                    prop_assert_eq!(of(&kept), &own[..own.len() - missing as usize]);
                }
            }
        }

        #[test]
        fn nobody_has_less_bytes_than_an_equal_share_while_wanting_more(
            items in items(9), bytes in 0..200_u64,
        ) {
            let (kept, left_out) = kept(&items, usize::MAX, bytes, 1);
            let has = |owner| sum(&kept, owner, |item| item.size);
            prop_assert!((0..3).map(has).sum::<u64>() <= bytes);
            for owner in left_out.keys() {
                let owner = owner.parse().unwrap();
                // Up to what did not fit.
                prop_assert!(has(owner) + 9 > bytes / 3);
            }
        }

        #[test]
        fn owners_take_turns_the_most_urgent_first(items in items(9), turn in 1..20_u64) {
            let (order, left_out) = kept(&items, usize::MAX, u64::MAX, turn);
            prop_assert!(order.len() == items.len() && left_out.is_empty());
            for end in 0..order.len() {
                let (before, rest) = order.split_at(end);
                for owner in 0..3 {
                    let waits = rest.iter().any(|item| item.owner == owner);
                    let ahead = (0..3).map(|other| sum(before, other, |item| item.size)).max();
                    // Two turns at most, each with what begins before its end.
                    let behind = sum(before, owner, |item| item.size) + 2 * turn + 9;
                    prop_assert!(!waits || ahead.unwrap() <= behind);
                }
            }
            for owner in 0..3 {
                let own = order.iter().filter(|item| item.owner == owner);
                prop_assert!(own.is_sorted_by_key(|item| item.urgency));
            }
        }
    }

    #[test]
    fn what_is_left_out_is_counted_by_owner() {
        let counts = [("a", 1), ("b\n", 30), ("c", 0), ("d", 2), ("e", 2), ("f", 1)];
        assert_eq!(left_out(counts).unwrap(), r#"30 of "b ", 2 of d, 2 of e, 2 of 2 more"#);
        assert_eq!(left_out([("a", 0)]), None);
    }
}
