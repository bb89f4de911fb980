//! What is to happen, in the order of its time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Something that is to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Item {
    /// An owner submits a cluster.
    Submit,
    /// A job is matched and its shadow starts; out of date unless the job's generation is this.
    Start { job: usize, generation: u32 },
    /// The next event of a run.
    Run { job: usize, generation: u32 },
    /// A policy releases the job; `system` tells whose.
    AutoRelease { job: usize, generation: u32, system: bool },
    /// The owner looks at the held jobs of a cluster.
    Look { cluster: usize },
    /// The owner releases what was held at submission or by the owner.
    ReleaseOwn { cluster: usize },
    /// The owner holds a cluster.
    HoldOwn { cluster: usize },
    /// Spooling is done.
    Spooled { cluster: usize },
    /// A facilitator releases what was held by an outage there.
    Bulk { place: Outage, early: bool },
    /// A person comes to a held job, in a closed loop.
    Person { job: usize, generation: u32 },
}

/// Where an outage is: by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outage {
    Service(usize),
    Filesystem(usize),
    /// The access point itself.
    AccessPoint,
}

/// Items by time, then in the order they were added.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    heap: BinaryHeap<Reverse<(i64, u64, Item)>>,
    added: u64,
}

impl Queue {
    pub(crate) fn push(&mut self, time: i64, item: Item) {
        self.heap.push(Reverse((time, self.added, item)));
        self.added += 1;
    }

    pub(crate) fn pop(&mut self) -> Option<(i64, Item)> {
        self.heap.pop().map(|Reverse((time, _, item))| (time, item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pops_by_time_then_by_order() {
        let mut queue = Queue::default();
        for (time, cluster) in [(5, 0), (3, 1), (5, 2), (3, 3)] {
            queue.push(time, Item::Look { cluster });
        }
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        let look = |cluster| Item::Look { cluster };
        assert_eq!(order, [(3, look(1)), (3, look(3)), (5, look(0)), (5, look(2))]);
    }
}
