//! Which other jobs stand in the slots of the tensor.

use super::around::{Around, Group, Scope};
use super::series::Series;
use crate::history::{JobHistory, Symbol};

/// j: the primary job and its neighbours.
pub const SLOTS: usize = 12;

/// How many slots each kind of neighbour has behind slot 0. A slot stands for its kind always, so that the model can
/// learn what a neighbour there means: jobs of the same cluster, of the same owner, held for the same code, any.
const CLUSTER: usize = 4;
const OWNER: usize = 3;
const SAME_CODE: usize = 2;
const ANY: usize = SLOTS - 1 - CLUSTER - OWNER - SAME_CODE;

/// The slots of each kind of neighbour: of the same cluster, of the same owner, held for the same code, any.
pub(crate) fn of_kinds() -> [std::ops::Range<usize>; 4] {
    let mut first = 1;
    [CLUSTER, OWNER, SAME_CODE, ANY].map(|count| {
        first += count;
        first - count..first
    })
}

/// Entries of a series that are looked at for neighbours. Beyond it a group is busy enough that its latest jobs are known.
const SEARCHED: usize = 1_024;

/// The jobs in the slots, `None` for an empty one: the primary job, then the neighbours to which something happened
/// last, not after `instant`. No job stands in two slots.
pub(crate) fn choose(
    around: &Around,
    primary: (u32, &JobHistory),
    owner: Option<Symbol>,
    code: i32,
    instant: i64,
) -> [Option<u32>; SLOTS] {
    let mut slots = [None; SLOTS];
    slots[0] = Some(primary.0);
    let any = |group| around.group(group).map(|group| &group.any);
    let same_code = around.group(Group::AccessPoint).and_then(|group| group.held_code.get(&code));
    let kinds = [
        (any(Group::Cluster(primary.1.job.cluster)), CLUSTER),
        (owner.and_then(|owner| any(Group::Named(Scope::Owner, owner))), OWNER),
        (same_code, SAME_CODE),
        (any(Group::AccessPoint), ANY),
    ];
    let mut first = 1;
    for (series, count) in kinds {
        if let Some(series) = series {
            fill(&mut slots, first, count, series, instant);
        }
        first += count;
    }
    slots
}

fn fill(
    slots: &mut [Option<u32>; SLOTS],
    first: usize,
    count: usize,
    series: &Series,
    instant: i64,
) {
    let mut next = first;
    for job in series.latest(instant).take(SEARCHED) {
        if next == first + count {
            break;
        }
        if !slots.contains(&Some(job)) {
            slots[next] = Some(job);
            next += 1;
        }
    }
}

const _: () = assert!(1 + CLUSTER + OWNER + SAME_CODE + ANY == SLOTS && ANY > 0);
