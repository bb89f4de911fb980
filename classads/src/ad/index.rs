//! Where in an ad the attribute of a name stands.

/// Ads of no more attributes than this are searched without an index.
const FEW: usize = 16;

/// Positions of attributes by the hashes of their names: a table with room for twice as many, where
/// a position stands in the slot of its hash or in one of the next. Empty while the ad has few
/// attributes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// A position plus 1; 0 where there is none. As many as a power of two.
    slots: Vec<u32>,
}

impl Index {
    /// The first position with this hash that is the one that is sought.
    pub(crate) fn find(
        &self,
        hash: u32,
        hashes: &[u32],
        is_it: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        if self.slots.is_empty() {
            return (0..hashes.len()).find(|at| hashes[*at] == hash && is_it(*at));
        }
        let mask = self.slots.len() - 1;
        let mut slot = self.home(hash);
        loop {
            let at = (self.slots[slot & mask] as usize).checked_sub(1)?;
            if hashes.get(at) == Some(&hash) && is_it(at) {
                return Some(at);
            }
            slot += 1;
        }
    }

    /// Takes up the last of the hashes.
    pub(crate) fn add(&mut self, hashes: &[u32]) {
        if self.slots.is_empty() && hashes.len() <= FEW {
            return;
        }
        if 2 * hashes.len() > self.slots.len() {
            self.rebuild(hashes);
        } else if let Some(hash) = hashes.last() {
            self.place(*hash, hashes.len());
        }
    }

    /// Begins anew, with room for so many.
    pub(crate) fn reserve(&mut self, number: usize) {
        self.slots.clear();
        if number > FEW {
            self.slots.resize((2 * number).next_power_of_two(), 0);
        }
    }

    /// Begins anew with these hashes.
    pub(crate) fn rebuild(&mut self, hashes: &[u32]) {
        if hashes.len() <= FEW {
            self.slots.clear();
            return;
        }
        self.reserve(2 * hashes.len());
        for (at, hash) in hashes.iter().enumerate() {
            self.place(*hash, at + 1);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.slots.clear();
    }

    fn place(&mut self, hash: u32, number: usize) {
        let mask = self.slots.len() - 1;
        let mut slot = self.home(hash);
        // Half of the slots are free, so one of the next is.
        while self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        // An ad has fewer attributes than its text, kept below 4 GiB by its readers, has bytes.
        self.slots[slot] = u32::try_from(number).unwrap_or(u32::MAX);
    }

    /// The slot where the search for a hash begins: its upper bits, which depend on every letter of
    /// the name.
    fn home(&self, hash: u32) -> usize {
        let bits = self.slots.len().trailing_zeros();
        ((u64::from(hash) << bits) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(index: &Index, hash: u32, hashes: &[u32]) -> Vec<usize> {
        let found = std::cell::RefCell::new(Vec::new());
        let none = index.find(hash, hashes, |at| {
            found.borrow_mut().push(at);
            false
        });
        assert_eq!(none, None);
        let found = found.into_inner();
        assert_eq!(index.find(hash, hashes, |_| true), found.first().copied());
        found
    }

    #[test]
    fn every_hash_is_found_whatever_the_number() {
        let (mut index, mut hashes) = (Index::default(), Vec::new());
        for number in 0..5000_u32 {
            // Equal ones in a row, and the largest, whose search goes on at the first slot.
            let hash = u32::MAX - (number / 3).wrapping_mul(0x0012_3457);
            hashes.push(hash);
            index.add(&hashes);
            if number % 97 == 0 {
                for hash in &hashes {
                    let expected: Vec<usize> =
                        (0..hashes.len()).filter(|at| hashes[*at] == *hash).collect();
                    assert_eq!(found(&index, *hash, &hashes), expected);
                }
                assert!(found(&index, 1, &hashes).is_empty());
            }
        }
        hashes.truncate(20);
        index.rebuild(&hashes);
        assert_eq!(found(&index, hashes[19], &hashes), [18, 19]);
        hashes.truncate(3);
        index.rebuild(&hashes);
        assert_eq!(found(&index, hashes[0], &hashes), [0, 1, 2]);
    }
}
