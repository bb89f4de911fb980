//! How often what binds is named right.

use holdadvise::profile::Binding;

use super::rows::Row;
use crate::evaluation::classes::Confusion;

/// Classes.
pub(super) const CLASSES: usize = Binding::ALL.len();

/// What a method says of a row: how likely each class is.
pub(super) type Said = [f64; CLASSES];

/// The class said most, the first of equal ones.
pub(super) fn most(said: &Said) -> usize {
    (0..CLASSES).rev().max_by(|&a, &b| said[a].total_cmp(&said[b])).unwrap_or(0)
}

/// The class that is right: of a tie the one that is named.
pub(super) fn right(row: &Row, said: &Said) -> usize {
    let named = most(said);
    if row.is(Binding::ALL[named]) { named } else { row.binding.number() }
}

/// What is right and what is named, by project.
pub(super) fn confusion(rows: &[&Row], said: &[Said]) -> Confusion<CLASSES> {
    let pairs = rows.iter().zip(said);
    Confusion::of(pairs.map(|(row, said)| (&*row.project, right(row, said), most(said))))
}

/// How often each class (rows) is named as each (columns).
pub(super) fn table(rows: &[&Row], said: &[Said]) -> [[usize; CLASSES]; CLASSES] {
    let mut table = [[0; CLASSES]; CLASSES];
    for (row, said) in rows.iter().zip(said) {
        table[right(row, said)][most(said)] += 1;
    }
    table
}

/// The mean of what two methods say.
pub(super) fn mean(one: &[Said], other: &[Said]) -> Vec<Said> {
    let of = |(one, other): (&Said, &Said)| {
        std::array::from_fn(|class| f64::midpoint(one[class], other[class]))
    };
    one.iter().zip(other).map(of).collect()
}
