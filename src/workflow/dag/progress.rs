//! How far the nodes of a DAG are, and what keeps others waiting.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;

use eventlog::{Body, EventKind, EventLogError, JobId, ReadOptions};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::circle::NAME;
use super::{ALL_NODES, Dag, Edge, Manager, Node, Rescue};
use crate::queue::display_path;
use crate::text::{Foreign, plural};
use crate::workflow::manager::open_log;

/// Blockers of which it is counted who waits for each.
const BLOCKERS: usize = 20;

/// How far a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
pub enum NodeState {
    /// All its jobs succeeded, and its POST script if it has one.
    Done,
    /// It failed.
    Failed,
    /// A job of it is on hold.
    Held,
    /// A job of it runs.
    Running,
    /// Its jobs are idle.
    Idle,
    /// It was not submitted.
    Waiting,
}

/// How many nodes are in each state, and what keeps others waiting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Progress {
    /// Nodes by state, in the order of [`NodeState`].
    pub counts: Vec<(NodeState, usize)>,
    /// Nodes that failed or are on hold, with the nodes that wait for them, the most first.
    pub blockers: Vec<Blocker>,
    /// Nodes that wait for any of these.
    pub blocked: usize,
    /// Its DAGMan job, where that is known.
    pub manager: Option<Manager>,
    /// The newest rescue DAG.
    pub rescue: Option<Rescue>,
    /// The command that goes on with the DAG, where its DAGMan has left the queue and nodes failed.
    pub resume: Option<String>,
    /// What is wrong with submit files, for people.
    #[serde(skip)]
    pub faults: Vec<String>,
    /// Bytes at the beginning of the nodes log that were left out.
    #[serde(skip)]
    pub skipped: u64,
}

impl Progress {
    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// How many of them are in this state.
    pub fn of(&self, state: NodeState) -> usize {
        self.counts.iter().filter(|one| one.0 == state).map(|(_, count)| count).sum()
    }

    /// A node failed.
    pub fn has_failed(&self) -> bool {
        self.of(NodeState::Failed) > 0
    }
}

/// A node that keeps others waiting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Blocker {
    /// Its name.
    pub node: String,
    /// Failed or held.
    pub state: NodeState,
    /// Its jobs.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "Vec<String>")]
    pub jobs: Vec<JobId>,
    /// Nodes that wait for it, directly or not.
    pub waiting: usize,
}

fn as_text<S: Serializer>(jobs: &[JobId], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(jobs.iter().map(ToString::to_string))
}

impl NodeState {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Held => "on hold",
            Self::Running => "running",
            Self::Idle => "idle",
            Self::Waiting => "not submitted",
        }
    }
}

impl Dag {
    /// How far it is by its nodes log (`FILE.dag.nodes.log`), as of `now`, Unix seconds.
    ///
    /// # Errors
    /// The log is there and cannot be read.
    pub fn progress(
        &self,
        log: &Path,
        options: &ReadOptions,
        now: i64,
    ) -> Result<Progress, EventLogError> {
        let mut jobs = Jobs::default();
        let mut skipped = 0;
        match jobs.read(log, options, now) {
            // DAGMan begins it with the first job that it submits; where only the logs of jobs were
            // kept, they tell.
            Err(EventLogError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                for log in self.job_logs().into_iter().flatten() {
                    // One that is not there yet has no jobs.
                    let _ = jobs.read(&log, options, now);
                }
            }
            read => skipped = read?,
        }
        let state = |node: &Node| match jobs.nodes.get(&node.name) {
            _ if node.done => NodeState::Done,
            Some(jobs) => jobs.state(),
            None => NodeState::Waiting,
        };
        let states: Vec<NodeState> = self.nodes.iter().map(state).collect();
        let mut counts: BTreeMap<NodeState, usize> = BTreeMap::new();
        for (_, &state) in self.nodes.iter().zip(&states).filter(|(node, _)| !node.joins) {
            *counts.entry(state).or_default() += 1;
        }
        let stopped: Vec<usize> = (0..self.nodes.len())
            .filter(|&at| matches!(states[at], NodeState::Failed | NodeState::Held))
            .collect();
        let blocked = self.below(&stopped, &states);
        let blocker = |&at: &usize| {
            let node = &self.nodes[at];
            Blocker {
                node: node.name.clone(),
                state: states[at],
                jobs: jobs.nodes.get(&node.name).map_or(Vec::new(), NodeJobs::ids),
                waiting: self.below(&[at], &states),
            }
        };
        let mut blockers: Vec<Blocker> = stopped.iter().take(BLOCKERS).map(blocker).collect();
        blockers.sort_by_key(|blocker| std::cmp::Reverse(blocker.waiting));
        let counts = counts.into_iter().collect();
        let (manager, rescue) = (self.manager.clone(), self.rescue.clone());
        let faults = self.without_submit_file(&states).into_iter().collect();
        Ok(Progress { counts, blockers, blocked, manager, rescue, resume: None, faults, skipped })
    }

    /// Nothing but a submit file can be meant, and no PRE script writes it.
    fn needs_file(&self, node: &str, file: &Path) -> bool {
        let name = file.file_name().and_then(|name| name.to_str());
        let is_description = name.is_some_and(|name| self.descriptions.contains(name));
        let may_lack = [node, ALL_NODES].iter().any(|name| self.without_file.contains(*name));
        !is_description && !may_lack
    }

    /// What is said of nodes that are still to be submitted and have no submit file.
    fn without_submit_file(&self, states: &[NodeState]) -> Option<String> {
        let waiting =
            self.nodes.iter().zip(states).filter(|(_, state)| **state == NodeState::Waiting);
        let mut all = waiting.filter_map(|(node, _)| {
            let (line, file) = node.submit.as_ref()?.absent.as_ref()?;
            self.needs_file(&node.name, file).then_some((line, file, &node.name))
        });
        let ((file, number), submit, node) = all.next()?;
        let more = match all.count() {
            0 => String::new(),
            more => format!(", nor for {}", plural(more, "more node")),
        };
        let (file, submit) = (display_path(file), display_path(submit));
        Some(format!(
            "{file}: line {number}: there is no submit file {submit} for node {}{more}; expected one, or an earlier \
             node that writes it, else the node fails: correct the line or write the file",
            Foreign::from(node.as_str()).named(NAME)
        ))
    }

    /// Nodes that are not done below these.
    fn below(&self, of: &[usize], states: &[NodeState]) -> usize {
        let mut seen = vec![false; self.nodes.len()];
        of.iter().for_each(|&at| seen[at] = true);
        let mut open = of.to_vec();
        let mut count = 0;
        while let Some(at) = open.pop() {
            for &Edge { child, .. } in &self.nodes[at].children {
                if !std::mem::replace(&mut seen[child], true) {
                    let node = &self.nodes[child];
                    count += usize::from(!node.joins && states[child] != NodeState::Done);
                    open.push(child);
                }
            }
        }
        count
    }
}

/// What the nodes log says.
#[derive(Debug, Default)]
struct Jobs {
    nodes: HashMap<String, NodeJobs>,
    /// The node of each job, and which of its jobs it is.
    node_of: HashMap<JobId, (String, usize)>,
}

#[derive(Debug, Default)]
struct NodeJobs {
    jobs: Vec<(JobId, NodeState)>,
    /// How its POST script ended.
    script: Option<NodeState>,
}

impl NodeJobs {
    fn ids(&self) -> Vec<JobId> {
        self.jobs.iter().map(|job| job.0).collect()
    }

    /// The worst of its jobs decides, unless a POST script did.
    fn state(&self) -> NodeState {
        if let Some(state) = self.script {
            return state;
        }
        let order = [
            NodeState::Failed,
            NodeState::Held,
            NodeState::Running,
            NodeState::Idle,
            NodeState::Done,
        ];
        let has = |state: &NodeState| self.jobs.iter().any(|job| job.1 == *state);
        order.into_iter().find(has).unwrap_or(NodeState::Waiting)
    }
}

impl Jobs {
    /// Adds what a log has until `now`, Unix seconds; returned: the bytes of it that were left out.
    fn read(&mut self, log: &Path, options: &ReadOptions, now: i64) -> Result<u64, EventLogError> {
        let mut log = open_log(log, options)?;
        while let Some(event) = log.next_event() {
            let Ok(event) = event else { continue };
            if event.time.seconds > now {
                continue;
            }
            let state = match (event.kind(), event.body()) {
                (_, Body::Submit(submit)) => {
                    if let Some(node) = submit.dag_node {
                        self.submitted(event.job, node.into_owned());
                    }
                    continue;
                }
                (_, Body::PostScriptTerminated(script)) => {
                    let well = script.return_value == Some(0);
                    let state = if well { NodeState::Done } else { NodeState::Failed };
                    if let Some(node) = script.dag_node {
                        self.nodes.entry(node.into_owned()).or_default().script = Some(state);
                    }
                    continue;
                }
                (_, Body::Terminated(ended)) => match ended.return_value {
                    Some(0) => NodeState::Done,
                    _ => NodeState::Failed,
                },
                (EventKind::Execute, _) => NodeState::Running,
                (EventKind::JobHeld, _) => NodeState::Held,
                (EventKind::JobAborted, _) => NodeState::Failed,
                (
                    EventKind::JobReleased
                    | EventKind::JobEvicted
                    | EventKind::ShadowException
                    | EventKind::JobReconnectFailed,
                    _,
                ) => NodeState::Idle,
                _ => continue,
            };
            self.now(event.job, state);
        }
        Ok(log.skipped())
    }

    /// Another cluster of a node is another try of it.
    fn submitted(&mut self, job: JobId, node: String) {
        let known = self.nodes.entry(node.clone()).or_default();
        if known.jobs.first().is_some_and(|first| first.0.cluster != job.cluster) {
            *known = NodeJobs::default();
        }
        let at = known.jobs.len();
        known.jobs.push((job, NodeState::Idle));
        self.node_of.insert(job, (node, at));
    }

    fn now(&mut self, job: JobId, state: NodeState) {
        let Some((node, at)) = self.node_of.get(&job) else { return };
        let known = self.nodes.get_mut(node).and_then(|node| node.jobs.get_mut(*at));
        // Of an earlier try nothing counts any more.
        if let Some(known) = known.filter(|known| known.0 == job) {
            known.1 = state;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::dag;
    use super::*;

    #[test]
    fn a_node_without_its_submit_file_is_named_until_it_is_submitted() {
        let said = |text: &str| {
            let submitted = "000 (1.0.0) 2026-03-01 10:00:00 Job submitted from host: <1.2.3.4:5>\n    DAG Node: A\n...\n";
            let files = [("a.dag", text), ("b.sub", "queue\n"), ("nodes.log", submitted)];
            let (folder, dag) = dag(&files);
            let log = folder.path().join("nodes.log");
            let faults = dag.progress(&log, &ReadOptions::default(), i64::MAX).unwrap().faults;
            let within = format!("{}/", folder.path().display());
            faults.iter().map(|fault| fault.replace(&within, "")).collect::<Vec<_>>()
        };
        for text in [
            "JOB A a.sub\nJOB B b.sub\n",
            "JOB A a.sub\nJOB C c.sub DONE\nJOB D d.sub NOOP\n",
            "JOB C c.sub\nSCRIPT DEFER 4 30 pre C write.sh\n",
            "JOB C c.sub\nJOB D d.sub\nSCRIPT PRE ALL_NODES write.sh\n",
            "SUBMIT-DESCRIPTION usual {\n  executable = x\n}\nJOB C usual\nJOB D {\n}\n",
        ] {
            assert_eq!(said(text), [""; 0], "{text}");
        }
        let expected = |of: &str| {
            format!(
                "a.dag: line 2: there is no submit file c.sub for node C{of}; expected one, or an earlier node \
                 that writes it, else the node fails: correct the line or write the file"
            )
        };
        let begin = "JOB A a.sub\nJOB C c.sub\n";
        assert_eq!(said(begin), [expected("")]);
        let more = "SCRIPT POST C pre.sh PRE\nJOB D d.sub\nJOB E c.sub\n";
        assert_eq!(said(&format!("{begin}{more}")), [expected(", nor for 2 more nodes")]);
    }

    #[test]
    fn logs_of_jobs_tell_where_there_is_no_nodes_log() {
        let (folder, read) = dag(&[
            ("a.dag", "JOB A a.sub\nJOB B a.sub\n"),
            ("a.sub", "log = jobs.log\nqueue\n"),
            (
                "jobs.log",
                "000 (5.000.000) 2026-03-08 10:00:00 Job submitted from host: <10.0.0.1:9618>\n    DAG Node: A\n...\n\
                 005 (5.000.000) 2026-03-08 10:01:00 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n",
            ),
        ]);
        let progress = read
            .progress(&folder.path().join("no.log"), &ReadOptions::default(), i64::MAX)
            .unwrap();
        assert_eq!(progress.counts, [(NodeState::Done, 1), (NodeState::Waiting, 1)]);
    }

    #[test]
    fn states_come_from_the_nodes_log() {
        let log = "000 (001.000.000) 2026-03-01 10:00:00 Job submitted from host: <1.2.3.4:5>\n    DAG Node: A\n...\n\
             001 (001.000.000) 2026-03-01 10:01:00 Job executing on host: <1.2.3.4:6>\n...\n\
             005 (001.000.000) 2026-03-01 10:02:00 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n\
             000 (002.000.000) 2026-03-01 10:03:00 Job submitted from host: <1.2.3.4:5>\n    DAG Node: B\n...\n\
             012 (002.000.000) 2026-03-01 10:04:00 Job was held.\n\treason\n\tCode 13 Subcode 2\n...\n\
             000 (003.000.000) 2026-03-01 10:03:00 Job submitted from host: <1.2.3.4:5>\n    DAG Node: C\n...\n\
             005 (003.000.000) 2026-03-01 10:05:00 Job terminated.\n\t(1) Normal termination (return value 1)\n...\n\
             016 (003.000.000) 2026-03-01 10:06:00 POST Script terminated.\n\t(1) Normal termination (return value 0)\n    DAG Node: C\n...\n";
        let text = "JOB A a\nJOB B b\nJOB C c\nJOB D d\nJOB E e\nPARENT A CHILD B C\nPARENT B C CHILD D E\n";
        let (folder, dag) = dag(&[("a.dag", text), ("a.dag.nodes.log", log)]);
        let log = folder.path().join("a.dag.nodes.log");
        let progress = dag.progress(&log, &ReadOptions::default(), i64::MAX).unwrap();
        assert_eq!(
            progress.counts,
            [(NodeState::Done, 2), (NodeState::Held, 1), (NodeState::Waiting, 2)]
        );
        let blocker = Blocker {
            node: "B".to_owned(),
            state: NodeState::Held,
            jobs: vec![JobId::new(2, 0)],
            waiting: 2,
        };
        assert_eq!((progress.blockers, progress.blocked), (vec![blocker], 2));
    }
}
