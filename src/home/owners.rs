//! What is learned without each owner in turn: no owner alone decides what is learned for all.

use std::cmp::Reverse;
use std::collections::HashMap;

/// Owners that are left out one by one at most; of more, several are left out together. Assumed.
const GROUPS: usize = 64;

/// The places of the rows that are left without each owner in turn. Without owners there are none,
/// and with one owner none are left.
pub(super) fn without_each(owners: &[u64]) -> Vec<Vec<usize>> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for owner in owners {
        *counts.entry(*owner).or_default() += 1;
    }
    let mut order: Vec<(u64, usize)> = counts.into_iter().collect();
    // Those of the most rows are each left out alone.
    order.sort_by_key(|&(owner, rows)| (Reverse(rows), owner));
    let groups = order.len().min(GROUPS);
    let of: HashMap<u64, usize> =
        order.iter().enumerate().map(|(rank, &(owner, _))| (owner, rank % groups)).collect();
    let rest = |group: usize| {
        let kept = |at: &usize| of[&owners[*at]] != group;
        (0..owners.len()).filter(kept).collect()
    };
    (0..groups).map(rest).collect()
}

/// Whether something holds of the rows, and without any one of their owners too. An owner who alone
/// has rows decides alone.
pub(super) fn holds<T: Clone>(
    rows: &[T],
    owner: impl Fn(&T) -> u64,
    is_so: impl Fn(&[T]) -> bool,
) -> bool {
    let owners: Vec<u64> = rows.iter().map(owner).collect();
    let some = |places: Vec<usize>| -> Vec<T> {
        places.into_iter().filter_map(|at| rows.get(at)).cloned().collect()
    };
    let without = without_each(&owners);
    is_so(rows) && (without.len() < 2 || without.into_iter().all(|places| is_so(&some(places))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_owner_is_left_out_once() {
        assert!(without_each(&[]).is_empty());
        assert_eq!(without_each(&[7, 7]), [Vec::<usize>::new()]);
        assert_eq!(without_each(&[7, 8, 7, 9]), [vec![1, 3], vec![0, 2, 3], vec![0, 1, 2]]);
        let many: Vec<u64> = (0..1_000).collect();
        let without = without_each(&many);
        assert_eq!(without.len(), GROUPS);
        let left_out = |at: usize| without.iter().filter(|rest| !rest.contains(&at)).count();
        assert!((0..1_000).all(|at| left_out(at) == 1));
    }

    #[test]
    fn what_one_owner_alone_shows_does_not_hold() {
        let more_than_two = |rows: &[u64]| rows.len() > 2;
        let of = |rows: &[u64]| holds(rows, |row| *row, more_than_two);
        assert!(of(&[1, 1, 1]) && of(&[1, 1, 2, 2, 3, 3]));
        assert!(!of(&[1, 1, 1, 2]) && !of(&[1, 1]));
    }
}
