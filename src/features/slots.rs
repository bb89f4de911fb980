//! Which other jobs stand in the slots of the tensor.

use std::ops::Range;

use super::around::{Around, Coded, Group, Plain, Scope};
use super::series::{Both, Series};
use crate::history::{JobHistory, Symbol};

/// j, the number of job slots: slot 0 is the held job, behind it stand those of each kind of
/// neighbour.
///
/// A slot stands for its kind always, so that the model can learn what a neighbour there means: a
/// job of the same cluster, of the same owner, held for the same code, any. The j - 1 slots are
/// shared out as 4 : 3 : 2 : 2 by the method of Sainte-Laguë: one by one, each to the kind for
/// which weight / (2 * slots it has + 1) is greatest, the first of those that are equal. Every kind
/// has a slot from j = 5 on, and with one slot more none has fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    /// Of the same cluster, of the same owner, held for the same code, any.
    kinds: [usize; 4],
}

/// What each kind of neighbour weighs when slots are shared out.
const WEIGHTS: [usize; 4] = [4, 3, 2, 2];

/// A number of job slots that no model has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} job slots: expected {least} to {most}, the held job and at least one of each kind of other job (of its cluster, of \
     its owner, held for the same code, any)",
    least = Slots::LEAST,
    most = Slots::MOST
)]
pub struct SlotsError(usize);

impl Slots {
    /// The fewest: the held job and one of each kind.
    pub const LEAST: usize = 1 + WEIGHTS.len();
    /// The most that a model may have.
    pub const MOST: usize = 1024;

    /// `j` slots, [`Slots::LEAST`] to [`Slots::MOST`].
    ///
    /// # Errors
    /// [`SlotsError`] for fewer or more.
    pub fn new(j: usize) -> Result<Self, SlotsError> {
        if !(Self::LEAST..=Self::MOST).contains(&j) {
            return Err(SlotsError(j));
        }
        let mut kinds = [0; 4];
        for _ in 1..j {
            let mut next = 0;
            for kind in 1..kinds.len() {
                // weight / (2 n + 1) of both, compared without division.
                let (this, best) = (2 * kinds[kind] + 1, 2 * kinds[next] + 1);
                if WEIGHTS[kind] * best > WEIGHTS[next] * this {
                    next = kind;
                }
            }
            kinds[next] += 1;
        }
        Ok(Self { kinds })
    }

    /// j: all slots, that of the held job among them.
    pub fn count(self) -> usize {
        1 + self.kinds.iter().sum::<usize>()
    }

    /// The slots of each kind of neighbour: of the same cluster, of the same owner, held for the
    /// same code, any.
    pub fn of_kinds(self) -> [Range<usize>; 4] {
        let mut first = 1;
        self.kinds.map(|count| {
            first += count;
            first - count..first
        })
    }
}

impl Default for Slots {
    /// 12: the held job, 4 of its cluster, 3 of its owner, 2 held for the same code, 2 any.
    fn default() -> Self {
        Self { kinds: WEIGHTS }
    }
}

/// Entries of a series that are looked at for neighbours, at least. Beyond it a group is busy
/// enough that its latest jobs are known.
const SEARCHED: usize = 1_024;

/// Entries that are looked at for each slot, where there are many.
const SEARCHED_A_SLOT: usize = 16;

/// The jobs in the j slots, `None` for an empty one: the primary job, then the neighbours to which
/// something happened last, not after `instant` and as `viewer`, who owns the primary job, may see
/// it. No job stands in two slots.
pub(crate) fn choose(
    slots: Slots,
    around: &Around,
    primary: (u32, &JobHistory),
    owner: Option<Symbol>,
    viewer: Option<Symbol>,
    code: i32,
    instant: i64,
) -> Vec<Option<u32>> {
    let mut jobs = vec![None; slots.count()];
    jobs[0] = Some(primary.0);
    let any = |group| around.group(group, viewer).plain(Plain::Any);
    let same_code = around.group(Group::AccessPoint, viewer).coded(Coded::Held, code);
    let series = [
        any(Group::Cluster(primary.1.job.cluster)),
        owner.map_or_else(Both::default, |owner| any(Group::Named(Scope::Owner, owner))),
        same_code,
        any(Group::AccessPoint),
    ];
    for (series, of_kind) in series.into_iter().zip(slots.of_kinds()) {
        fill(&mut jobs, of_kind, series, instant);
    }
    jobs
}

fn fill(jobs: &mut [Option<u32>], of_kind: Range<usize>, series: Both<'_, Series>, instant: i64) {
    let searched = SEARCHED.max(SEARCHED_A_SLOT * of_kind.len());
    let mut next = of_kind.start;
    for job in series.latest(instant).take(searched) {
        if next == of_kind.end {
            break;
        }
        if !jobs.contains(&Some(job)) {
            jobs[next] = Some(job);
            next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_shared_out_by_weight() {
        let kinds = |j| Slots::new(j).unwrap().kinds;
        assert_eq!(kinds(5), [1, 1, 1, 1]);
        assert_eq!(kinds(6), [2, 1, 1, 1]);
        assert_eq!(kinds(8), [3, 2, 1, 1]);
        assert_eq!(kinds(12), [4, 3, 2, 2]);
        assert_eq!(kinds(20), [7, 5, 4, 3]);
        assert_eq!(Slots::new(12).unwrap(), Slots::default());
        assert_eq!(kinds(1 + 11 * 50), [200, 150, 100, 100]);
        assert_eq!(Slots::default().of_kinds(), [1..5, 5..8, 8..10, 10..12]);
    }

    #[test]
    fn one_slot_more_takes_none_away() {
        let mut before = Slots::new(Slots::LEAST).unwrap();
        for j in Slots::LEAST + 1..=Slots::MOST {
            let slots = Slots::new(j).unwrap();
            assert_eq!(slots.count(), j);
            assert!(
                slots.kinds.iter().zip(before.kinds).all(|(now, before)| *now >= before),
                "{j}"
            );
            assert_eq!(slots.of_kinds()[3].end, j);
            before = slots;
        }
    }

    #[test]
    fn too_few_and_too_many_are_refused() {
        let error = Slots::new(4).unwrap_err().to_string();
        assert!(error.starts_with("4 job slots: expected 5 to 1024, the held job and"), "{error}");
        assert_eq!(Slots::new(1025), Err(SlotsError(1025)));
        assert!(Slots::new(0).is_err());
    }
}
