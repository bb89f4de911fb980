//! What is asked about, what is read for it, and how it is judged.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Checks, Config, CostChange, SettingError};
use crate::queue::{Schedd, Selection};
use crate::workflow::{By, Dag};

/// A question about held jobs. [`Self::ask`] answers it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inquiry {
    /// Which jobs. Of logs without ads, those that are held at their ends.
    pub selection: Selection,
    /// So many jobs are judged at most.
    pub limit: Option<usize>,
    /// The schedd that is asked; none: the one of this machine.
    pub schedd: Option<String>,
    /// Its pool; none: the one of this machine.
    pub pool: Option<String>,
    /// Job ads, in place of a queue.
    pub job_ads: Option<JobAds>,
    /// Job event logs of the jobs; none: those that their ads name.
    pub user_logs: Vec<PathBuf>,
    /// Event logs of access points; none: that of the configuration.
    pub event_logs: Vec<PathBuf>,
    /// A file of ads of earlier runs; none: condor_history is asked, unless the call is offline.
    pub epochs: Option<PathBuf>,
    /// The DAG whose jobs are asked about.
    pub dag: Option<Arc<Dag>>,
    /// The log of its nodes' states.
    pub nodes_log: Option<PathBuf>,
    /// What is wrong where is asked about too, by these places.
    pub places: Option<By>,
    /// With `places`: held jobs are not judged.
    pub places_alone: bool,
    /// Which model judges.
    pub model: Option<PathBuf>,
    /// What is looked at on this machine; none: what the settings say.
    pub checks: Option<Checks>,
    /// Costs in the place of those of the settings and of the model; the last of a kind counts.
    pub costs: Vec<CostChange>,
    /// The time as of which is judged, Unix seconds; none: the clock. Of the past no file of this
    /// machine is looked at, and no slot of the pool is asked for.
    pub now: Option<i64>,
    /// Of how many jobs it is worked out which inputs moved the probability.
    pub inputs: Inputs,
    /// More attributes of job ads that the caller reads.
    pub attributes: Vec<String>,
    /// The jobs are those of a node of a DAG, as the constraint says: that it is true for none is
    /// nothing to speak of.
    pub dag_node: bool,
    /// The process goes on when it has the answer: memory is given back.
    pub goes_on: bool,
    /// The same is asked again and again: no history is asked about jobs that left the queue.
    pub repeats: bool,
}

/// Job ads that are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobAds {
    /// Those of a file; `-` is standard input.
    File(PathBuf),
    /// Those of a text.
    Text {
        /// What the text is called where it is damaged.
        name: PathBuf,
        /// What `condor_q -long` or `-json` writes.
        text: Vec<u8>,
    },
}

impl JobAds {
    /// The file, or what the text is called.
    pub fn name(&self) -> &Path {
        match self {
            Self::File(name) | Self::Text { name, .. } => name,
        }
    }
}

/// Of how many judged jobs it is worked out which inputs moved the probability: it takes the model
/// several times as long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inputs {
    /// Of none.
    #[default]
    None,
    /// Of one, where no more are judged.
    OfOne,
    /// Of all.
    OfAll,
}

impl Inputs {
    /// Whether it is worked out where so many jobs are judged.
    pub(super) fn are_wanted(self, jobs: usize) -> bool {
        match self {
            Self::None => false,
            Self::OfOne => jobs == 1,
            Self::OfAll => true,
        }
    }
}

impl Inquiry {
    /// Whether no queue is asked, as ads or logs are named. An event log is enough only where
    /// nothing is named that a queue must tell: with jobs it stands for what goes on around them.
    pub fn is_offline(&self) -> bool {
        let asks_queue = !self.selection.jobs.is_empty()
            || self.selection.constraint.is_some()
            || self.schedd.is_some()
            || self.pool.is_some();
        self.job_ads.is_some()
            || self.dag.is_some()
            || !self.user_logs.is_empty()
            || (!self.event_logs.is_empty() && !asks_queue)
    }

    /// The schedd that is asked.
    ///
    /// # Errors
    /// [`SettingError`] for a HOLDADVISE_TIMEOUT_SECONDS that is no time.
    pub(crate) fn schedd(&self, config: &Config) -> Result<Schedd, SettingError> {
        let (name, pool) = (self.schedd.clone(), self.pool.clone());
        Ok(Schedd { name, pool, timeout: config.timeout()? })
    }

    /// The time that is named, else that of the clock, Unix seconds.
    pub fn time(&self) -> i64 {
        self.now.unwrap_or_else(|| jiff::Timestamp::now().as_second())
    }

    /// Asks about the jobs of a DAG file, by the logs of its jobs where none are named.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn take_dag(&mut self, path: &Path) -> io::Result<()> {
        let dag = Dag::read(path, self.now.unwrap_or(i64::MAX))?;
        let nodes = self.user_logs.first().cloned().unwrap_or_else(|| nodes_log(path));
        if self.user_logs.is_empty() {
            let logs = dag.job_logs().filter(|logs| logs.iter().all(|log| log.is_file()));
            // Before DAGMan submits the first job there is no log.
            let is_there = nodes.symlink_metadata().is_ok();
            self.user_logs =
                logs.unwrap_or_else(|| is_there.then(|| nodes.clone()).into_iter().collect());
        }
        (self.nodes_log, self.dag) = (Some(nodes), Some(Arc::new(dag)));
        Ok(())
    }
}

/// The log that DAGMan keeps of the nodes of a DAG file.
fn nodes_log(dag: &Path) -> PathBuf {
    let mut log = dag.as_os_str().to_owned();
    log.push(".nodes.log");
    log.into()
}
