//! How often what binds is named right.

use holdadvise::profile::Binding;

use super::rows::Row;
use crate::evaluation::classes::Confusion;

/// Classes.
pub(super) const CLASSES: usize = Binding::ALL.len();

/// What a method says of a row: how likely each class is.
pub(super) type Said = [f64; CLASSES];

/// The class said most, the first of equal ones.
fn most(said: &Said) -> usize {
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
