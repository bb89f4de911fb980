//! Frames: intervals back from the decision instant, each with one check of the state.

use super::State;
use crate::history::JobHistory;

/// The edges of the frames, in seconds before the decision instant, growing from 0. Frame `i` of
/// `m`, the oldest first, is the interval between edge `m - i` and edge `m - i - 1`; the state is
/// checked at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameEdges(Vec<u32>);

impl FrameEdges {
    /// `m` frames between `m + 1` growing edges. `None` unless there are two edges and they grow.
    pub fn new(edges: Vec<u32>) -> Option<Self> {
        let grows = edges.windows(2).all(|pair| pair[0] < pair[1]);
        (edges.len() >= 2 && grows).then_some(Self(edges))
    }

    /// `m` frames of the same length in seconds. `None` if either is 0 or the product does not fit.
    pub fn equal(m: u32, length: u32) -> Option<Self> {
        let edges = (0..=m).map(|edge| edge.checked_mul(length)).collect::<Option<_>>()?;
        Self::new(edges)
    }

    /// m: how many frames there are.
    pub fn count(&self) -> usize {
        self.0.len() - 1
    }

    /// The edges, growing.
    pub fn edges(&self) -> &[u32] {
        &self.0
    }

    /// The instants at which the state is checked, the oldest first; the last is `instant` less the
    /// first edge.
    pub fn checks(&self, instant: i64) -> impl Iterator<Item = i64> {
        let behind_oldest = &self.0[..self.count()];
        behind_oldest.iter().rev().map(move |&edge| instant.saturating_sub(i64::from(edge)))
    }

    /// The state of `job` in each frame, the oldest first, from its first `steps` steps. A frame
    /// without an event repeats the last state.
    pub fn states(
        &self,
        job: &JobHistory,
        steps: usize,
        instant: i64,
    ) -> impl Iterator<Item = State> {
        self.checks(instant).map(move |check| State::at(job, steps, check))
    }
}

/// The edges of the default frames: fine near the decision, three days back at the most.
const DEFAULT_EDGES: [u32; 25] = [
    0, 30, 60, 120, 180, 300, 450, 600, 900, 1_200, 1_800, 2_700, 3_600, 5_400, 7_200, 10_800,
    14_400, 21_600, 28_800, 43_200, 64_800, 86_400, 129_600, 172_800, 259_200,
];

impl Default for FrameEdges {
    fn default() -> Self {
        Self(DEFAULT_EDGES.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Exit, Hold, Step, What};

    #[test]
    fn edges_must_grow() {
        assert!(FrameEdges::new(vec![0]).is_none());
        assert!(FrameEdges::new(vec![0, 60, 60]).is_none());
        assert!(FrameEdges::equal(14, 60).is_some());
        assert!(FrameEdges::equal(u32::MAX, u32::MAX).is_none());
    }

    /// Six states, 14 frames of 60 s: 0 submitted, 1 input transfer, 2 executing, 3 held, 4 output
    /// transfer, 5 terminated.
    #[test]
    fn worked_example() {
        let hold = What::Held(Hold { code: 13, subcode: 0, reason: None });
        let kinds = [
            What::Submitted,
            What::InputStarted,
            What::Executing(None),
            hold,
            What::OutputStarted,
            What::Terminated(Exit::Success),
        ];
        let events = [(0, 60), (1, 180), (2, 240), (3, 300), (4, 420), (2, 600), (5, 780)];
        let steps = events.iter().map(|&(kind, time)| Step { time, what: kinds[kind] }).collect();
        let job = JobHistory { steps, ..JobHistory::default() };
        let frames = FrameEdges::equal(14, 60).unwrap();
        let states: Vec<usize> = frames
            .states(&job, job.steps.len(), 14 * 60)
            .map(|state| kinds.iter().position(|&kind| State::after(kind) == state).unwrap())
            .collect();
        assert_eq!(states, [0, 0, 1, 2, 3, 3, 4, 4, 4, 2, 2, 2, 5, 5]);
    }

    #[test]
    fn before_the_first_event() {
        let first =
            |what| JobHistory { steps: vec![Step { time: 100, what }], ..JobHistory::default() };
        assert_eq!(State::at(&first(What::Submitted), 1, 99), State::NOT_SUBMITTED);
        assert_eq!(State::at(&first(What::Executing(None)), 1, 99), State::NOT_OBSERVED);
    }
}
