//! Events of a cluster and its job factory.

use super::Text;

/// 035: a cluster (job factory) was submitted.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct ClusterSubmit<'a> {
    /// Address of the schedd.
    pub submit_host: Text<'a>,
    /// The first line reads `Factory submitted`, as HTCondor 8.7 to 8.9.3 wrote it.
    pub says_factory: bool,
    /// The first line of notes as written.
    pub log_notes: Option<Text<'a>>,
    /// The second line of notes.
    pub user_notes: Option<Text<'a>>,
    /// The DAG node, from `DAG Node: NAME` or the attribute `DAGNodeName` of the notes.
    pub dag_node: Option<Text<'a>>,
}

/// 036: the cluster is gone.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct ClusterRemove<'a> {
    /// Jobs materialized.
    pub materialized: Option<i64>,
    /// Items of the queue statement used.
    pub items: Option<i64>,
    /// `Complete`, `Incomplete`, `Paused` or `Error N`.
    pub completion: Option<Text<'a>>,
    /// Notes.
    pub notes: Option<Text<'a>>,
}

/// 037: the job factory stopped making jobs.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct FactoryPaused<'a> {
    /// Why.
    pub reason: Option<Text<'a>>,
    /// `PauseCode`.
    pub pause_code: Option<i32>,
    /// `HoldCode`.
    pub hold_code: Option<i32>,
}

/// 038: the job factory makes jobs again.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct FactoryResumed<'a> {
    /// Why.
    pub reason: Option<Text<'a>>,
}

/// 025 and 026: a grid resource is up again or down.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct GridResource<'a> {
    /// `GridResource`.
    pub resource: Text<'a>,
}

/// 027: the job was submitted to a grid resource.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct GridSubmit<'a> {
    /// `GridResource`.
    pub resource: Text<'a>,
    /// `GridJobId`.
    pub job_id: Text<'a>,
}
