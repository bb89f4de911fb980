//! Which jobs of the logs a question about places is about.

use std::collections::{HashMap, HashSet};

use super::Inquiry;
use super::gather::Gathered;
use crate::queue::Selection;
use eventlog::JobId;

/// The jobs that are asked about. A log of an access point has those of everybody, a log of a user
/// those of several DAGs.
pub(super) enum Asked<'a> {
    /// All that the logs have.
    All,
    /// The nodes of a DAG, with their names.
    Dag(HashMap<JobId, String>),
    /// Those that the queue or the ads had, others of these clusters or owners, and those named.
    Like {
        jobs: HashSet<JobId>,
        clusters: HashSet<i32>,
        owners: HashSet<String>,
        named: Option<&'a Selection>,
    },
}

impl<'a> Asked<'a> {
    pub(super) fn about(gathered: &Gathered, inquiry: &'a Inquiry) -> Self {
        let selection = &inquiry.selection;
        if let Some(dag) = &inquiry.dag {
            return Self::Dag({
                let logs = inquiry.user_logs.iter().chain(&inquiry.nodes_log);
                dag.jobs_of(logs, gathered.event_log_bytes)
            });
        }
        let is_open = selection.jobs.is_empty() && selection.constraint.is_none();
        // Who names a log asks about its jobs.
        let of_logs = gathered.logs_alone || !inquiry.user_logs.is_empty();
        if is_open && (selection.all_users || of_logs) {
            return Self::All;
        }
        let all = || gathered.held.iter().chain(&gathered.others);
        Self::Like {
            jobs: all().map(|job| job.id).collect(),
            clusters: match selection.jobs.is_empty() {
                true => all().map(|job| job.id.cluster).collect(),
                false => HashSet::new(),
            },
            owners: match is_open {
                true => all().filter_map(|job| job.owner.clone()).collect(),
                false => HashSet::new(),
            },
            // What a constraint says of a job that left nobody knows.
            named: (!selection.jobs.is_empty() && selection.constraint.is_none())
                .then_some(selection),
        }
    }

    /// The submit file of the node that a job is of, as a number.
    pub(super) fn submit_file(&self, job: JobId, inquiry: &Inquiry) -> Option<usize> {
        let Self::Dag(nodes) = self else { return None };
        inquiry.dag.as_ref()?.submit_file(nodes.get(&job)?)
    }

    pub(super) fn names(&self, job: JobId, owner: Option<&str>) -> bool {
        match self {
            Self::All => true,
            Self::Dag(jobs) => jobs.contains_key(&job),
            Self::Like { jobs, clusters, owners, named } => {
                jobs.contains(&job)
                    || clusters.contains(&job.cluster)
                    || owner.is_some_and(|owner| owners.contains(owner))
                    || named.is_some_and(|selection| selection.names(job, owner, None))
            }
        }
    }
}
