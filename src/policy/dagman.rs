//! A held job that is a node of a DAG.
//!
//! Sources: `src/condor_dagman/dag.cpp` (`ProcessHeldEvent`, `ProcessAbortEvent`, `ProcessJobProcEnd`),
//! `node.cpp` (`Node::Hold`, `Node::Release`), `docs/automated-workflows/dagman-completion.rst`.

use classads::{ClassAd, EvalContext};

use super::Knobs;
use crate::text::{shorten, strip_control};

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

    /// What removing the job means, one sentence each.
    ///
    /// A removed job counts as failed. The node fails once more of its jobs failed than
    /// DAGMAN_NODE_JOB_FAILURE_TOLERANCE (0), and its other jobs are then removed
    /// (DAGMAN_REMOVE_JOB_LIST_ON_FAILURE); its POST script, if any, decides instead; RETRY submits it again.
    pub fn removal(&self) -> Vec<String> {
        let name = match &self.name {
            Some(name) => format!("node {}", shorten(&strip_control(name), 60)),
            None => "a node".to_owned(),
        };
        vec![
            format!(
                "It is {name} of DAG {}: removed, it counts as failed; DAGMan submits the node again if RETRY \
                 is left, unless its POST script makes it a success.",
                self.dagman_job_id
            ),
            "Without a retry the node's descendants do not run; when nothing else can, DAGMan ends and writes a \
             rescue DAG, from which condor_submit_dag goes on."
                .to_owned(),
        ]
    }

    /// How near the node is to DAGMAN_MAX_JOB_HOLDS, given how many jobs of its cluster are held now.
    ///
    /// The manual speaks of times a job goes on hold; the source (10.0 to 25) counts the node's jobs that
    /// are on hold at one time: a release counts down. At the limit DAGMan removes all jobs of the node.
    /// `None` without a limit, or where fewer than half of it are held.
    pub fn holds(&self, knobs: &Knobs, held_now: u64) -> Option<String> {
        let limit = u64::try_from(knobs.max_job_holds()?).ok()?;
        if held_now.saturating_mul(2) < limit {
            return None;
        }
        Some(format!(
            "{held_now} jobs of this node are held now; when {limit} are (DAGMAN_MAX_JOB_HOLDS), DAGMan removes \
             all of the node's jobs."
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str) -> DagNode {
        DagNode { dagman_job_id: 77, name: Some(name.to_owned()), nodes_log: None }
    }

    #[test]
    fn removal_is_explained() {
        let sentences = node("B\u{1b}[31m2").removal();
        assert!(sentences[0].contains("node B2 of DAG 77"), "{}", sentences[0]);
        assert!(sentences[1].contains("rescue DAG"));
    }

    #[test]
    fn the_limit_is_said_when_it_is_near() {
        let knobs = Knobs::default();
        assert_eq!(node("B").holds(&knobs, 1), None);
        assert!(node("B").holds(&knobs, 50).is_some_and(|text| text.contains("when 100 are")));
        let two = Knobs::from_iter([("DAGMAN_MAX_JOB_HOLDS", "2")]);
        assert!(node("B").holds(&two, 1).is_some());
        let none = Knobs::from_iter([("DAGMAN_MAX_JOB_HOLDS", "0")]);
        assert_eq!(node("B").holds(&none, 1000), None);
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
