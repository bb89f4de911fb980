//! Jobs on hold, and which of them are held alike.

use std::collections::{BTreeSet, HashMap};
use std::mem::Discriminant;

use crate::cause::Symptom;

/// What anybody sees that like holds have in common: code, subcode, what failed, and the server or
/// file system.
pub(crate) type Likeness = (i32, i32, Discriminant<Symptom>, Option<usize>);

/// Held jobs.
#[derive(Debug, Default)]
pub(crate) struct Held {
    jobs: BTreeSet<usize>,
    /// Jobs and when each went on hold, by job.
    alike: HashMap<Likeness, Vec<(usize, i64)>>,
}

impl Held {
    /// A job that is not held goes on hold.
    pub(super) fn insert(&mut self, job: usize, likeness: Likeness, time: i64) {
        self.jobs.insert(job);
        let alike = self.alike.entry(likeness).or_default();
        let index = alike.partition_point(|(other, _)| *other < job);
        alike.insert(index, (job, time));
    }

    pub(super) fn remove(&mut self, job: usize, likeness: &Likeness) {
        self.jobs.remove(&job);
        if let Some(alike) = self.alike.get_mut(likeness)
            && let Ok(index) = alike.binary_search_by_key(&job, |(other, _)| *other)
        {
            alike.remove(index);
        }
    }

    /// All, in the order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.jobs.iter().copied()
    }

    /// Those held alike since before an instant, in the order of their numbers.
    pub(super) fn alike(&self, likeness: &Likeness, before: i64) -> Vec<usize> {
        let alike = self.alike.get(likeness).into_iter().flatten();
        alike.filter(|(_, since)| *since < before).map(|(job, _)| *job).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_held_alike() {
        let likeness = |code| (code, 0, std::mem::discriminant(&Symptom::User), None);
        let mut held = Held::default();
        for (job, code, time) in [(7, 13, 100), (2, 13, 200), (5, 12, 200), (3, 13, 300)] {
            held.insert(job, likeness(code), time);
        }
        assert_eq!(held.alike(&likeness(13), 300), [2, 7]);
        held.remove(7, &likeness(13));
        assert_eq!(held.alike(&likeness(13), 301), [2, 3]);
        assert_eq!(held.iter().collect::<Vec<_>>(), [2, 3, 5]);
    }
}
