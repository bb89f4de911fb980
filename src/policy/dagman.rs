//! A held job that is a node of a DAG.
//!
//! Sources: `src/condor_dagman/dag.cpp` (`ProcessHeldEvent`, `ProcessAbortEvent`,
//! `ProcessJobProcEnd`), `node.cpp` (`Node::Hold`, `Node::Release`),
//! `docs/automated-workflows/dagman-completion.rst`.

use classads::{ClassAd, EvalContext};

use super::{Knobs, Prediction};
use crate::text::Foreign;

/// A DAG node's job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DagNode {
    /// DAGManJobId: ClusterId of the DAGMan job.
    pub dagman_job_id: i64,
    /// DAGNodeName.
    pub name: Option<String>,
    /// DAGManNodesLog: the log that DAGMan reads.
    pub nodes_log: Option<String>,
}

impl DagNode {
    /// The node this ad is of. `None` for a job that is none.
    pub fn of(ad: &ClassAd) -> Option<Self> {
        let context = EvalContext::quick();
        let text = |name: &str| ad.evaluate(name, &context).as_str().map(str::to_owned);
        Some(Self {
            dagman_job_id: ad.evaluate("DAGManJobId", &context).as_integer()?,
            name: text("DAGNodeName"),
            nodes_log: text("DAGManNodesLog"),
        })
    }

    /// What the job means for its DAG: what a removal does, and how near the node is to
    /// DAGMAN_MAX_JOB_HOLDS, given how many jobs of its cluster are held now.
    ///
    /// A removed job counts as failed. The node fails once more of its jobs failed than
    /// DAGMAN_NODE_JOB_FAILURE_TOLERANCE (0), and its other jobs are then removed
    /// (DAGMAN_REMOVE_JOB_LIST_ON_FAILURE); its POST script, if any, decides instead; RETRY submits
    /// it again.
    ///
    /// The manual speaks of times a job goes on hold; the source (10.0 to 25) counts the node's
    /// jobs that are on hold at one time: a release counts down. At the limit DAGMan removes all
    /// jobs of the node. Without a limit, or where fewer than half of it are held, that is left
    /// out.
    pub fn predictions(&self, knobs: &Knobs, held: u64) -> Vec<Prediction> {
        let fails = Prediction::NodeFails {
            dagman_job_id: self.dagman_job_id,
            node: self.name.as_deref().map(Foreign::from),
        };
        let limit = knobs.max_job_holds().and_then(|limit| u64::try_from(limit).ok());
        let near = limit.filter(|&limit| held.saturating_mul(2) >= limit);
        [fails].into_iter().chain(near.map(|limit| Prediction::NodeHolds { held, limit })).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str) -> DagNode {
        DagNode { dagman_job_id: 77, name: Some(name.to_owned()), nodes_log: None }
    }

    #[test]
    fn the_limit_is_named_when_it_is_near() {
        let near = |knobs: &Knobs, held| match &node("B").predictions(knobs, held)[..] {
            [Prediction::NodeFails { dagman_job_id: 77, .. }] => None,
            [_, Prediction::NodeHolds { limit, .. }] => Some(*limit),
            other => panic!("{other:?}"),
        };
        let knobs = Knobs::default();
        assert_eq!((near(&knobs, 1), near(&knobs, 50)), (None, Some(100)));
        assert_eq!(near(&Knobs::from_iter([("DAGMAN_MAX_JOB_HOLDS", "2")]), 1), Some(2));
        assert_eq!(near(&Knobs::from_iter([("DAGMAN_MAX_JOB_HOLDS", "0")]), 1000), None);
    }

    #[test]
    fn nodes_are_known_by_their_ad() {
        let mut ad = ClassAd::new();
        assert_eq!(DagNode::of(&ad), None);
        ad.insert_value("DAGManJobId", 77);
        ad.insert_value("DAGNodeName", "A");
        assert_eq!(DagNode::of(&ad).map(|node| node.dagman_job_id), Some(77));
    }
}
