//! A DAG file of DAGMan, how far its nodes are, and which of them keep others from starting.
//!
//! Commands and their words follow "DAGMan input file" of HTCondor's manual. Only what decides
//! which nodes there are and which wait for which is read.
//!
//! - `circle`: nodes that wait for each other.
//! - `progress`: how far its nodes are.
//! - `read`: the file, with its splices and what it includes.
//! - `rescue`: which nodes its newest rescue DAG has as done.
//! - `submit`: what submit files say of files that jobs write.

mod circle;
mod progress;
mod read;
mod rescue;
mod submit;

pub use progress::{Blocker, NodeState, Progress};
pub use rescue::Rescue;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use eventlog::{Body, EventKind, JobId, ReadOptions};

use self::submit::Submit;
use super::Manager;
use super::manager::open_log;

/// Bytes that are read of DAG files, of each as often as it is used, and bytes of the splices
/// before names; bytes of a rescue DAG. Assumed: a million nodes take about as many.
const LONGEST: u64 = 128 << 20;

/// Submit files that are read, for the logs that they name.
const SUBMITS: usize = 1_000;

/// What DAGMan calls all nodes of a DAG.
const ALL_NODES: &str = "ALL_NODES";

/// Bytes of a path (PATH_MAX of Linux).
const LONGEST_PATH: usize = 4_096;

/// The nodes of a DAG.
#[derive(Debug, Default, PartialEq)]
pub struct Dag {
    /// Its file.
    pub path: PathBuf,
    /// The DAGMan job that it was last given to, where `FILE.dagman.log` has one.
    pub manager: Option<Manager>,
    rescue: Option<Rescue>,
    nodes: Vec<Node>,
    names: HashMap<String, usize>,
    files: usize,
    /// The lines that join parents with children.
    lines: Vec<Line>,
    /// Names of submit descriptions in DAG files.
    descriptions: HashSet<String>,
    /// Nodes that need no submit file: those that have no job, and those with a PRE script, which
    /// may write it.
    without_file: HashSet<String>,
    /// What submit files of nodes say, by file and the folder that DAGMan submits it in.
    submits: BTreeMap<(PathBuf, PathBuf), Arc<Submit>>,
    /// A node has its submit description in the DAG file.
    has_inline: bool,
    /// What may still be read.
    left: read::Left,
    /// Lines that could not be read, with their file.
    pub faults: Vec<String>,
}

#[derive(Debug, Default, PartialEq)]
struct Node {
    name: String,
    /// It joins parents with children and is none of the file's nodes.
    joins: bool,
    done: bool,
    children: Vec<Edge>,
    parents: Vec<usize>,
    submit: Option<Arc<Submit>>,
}

/// A DAG file and the number of a line of it.
type Line = (Arc<Path>, usize);

/// What makes a node wait for its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edge {
    child: usize,
    /// Which of [`Dag::lines`] says so.
    line: usize,
}

impl Dag {
    /// Nodes that are read, of splices each time that they are used, and nodes between many parents
    /// and many children. Assumed.
    pub const MOST_NODES: usize = 1_000_000;

    /// Lines that are read, those of a file as often as it is used. Assumed: three for each node of
    /// a million, and comments.
    pub const MOST_LINES: usize = 4_000_000;

    /// Parents and children that PARENT lines have, the nodes of a splice counted each time that it
    /// is named. Assumed.
    pub const MOST_JOINED: usize = 4_000_000;

    /// Reads a DAG file with its splices and what it includes, which nodes its newest rescue DAG
    /// has as done, and how far its DAGMan is at `now`, Unix seconds.
    ///
    /// # Errors
    /// The file cannot be read, or has no nodes. One that it names and that cannot be read is a
    /// fault.
    pub fn read(path: &Path, now: i64) -> io::Result<Self> {
        let manager = Manager::of(path, now);
        let mut dag = Self { path: path.to_owned(), manager, ..Self::default() };
        dag.file(path, "", 0)?;
        if dag.is_empty() {
            let fault = dag.faults.first().map_or(String::new(), |fault| format!(" ({fault})"));
            let is_empty = path.metadata().is_ok_and(|file| file.len() == 0);
            let what = if is_empty { "is empty" } else { "has no nodes" };
            let text = format!("it {what}, expected a line such as JOB A a.sub{fault}");
            return Err(io::Error::other(text));
        }
        dag.find_circle();
        dag.take_rescue(path);
        Ok(dag)
    }

    /// The logs that the submit files of its nodes name: they have the jobs of earlier runs of the
    /// DAG too, while DAGMan begins its nodes log anew. `None` unless all do, without macros, and are
    /// at most a thousand.
    pub fn job_logs(&self) -> Option<Vec<PathBuf>> {
        if self.has_inline || self.submits.is_empty() || self.submits.len() > SUBMITS {
            return None;
        }
        let logs: Option<BTreeSet<PathBuf>> =
            self.submits.values().map(|submit| submit.log.clone()).collect();
        logs.map(|logs| logs.into_iter().collect())
    }

    /// The folder and the file that the submit file of a node names for the error output of this
    /// job; `None` where they have other macros than those of the job's id, or other nodes write it
    /// too.
    pub fn error_output(&self, node: &str, job: JobId) -> Option<(String, String)> {
        let submit = self.nodes[*self.names.get(node)?].submit.as_ref()?;
        let named = submit.error.as_ref().filter(|file| file.len() <= LONGEST_PATH)?;
        let mut file = named.clone();
        for (name, number) in [
            ("$(clusterid)", job.cluster),
            ("$(cluster)", job.cluster),
            ("$(procid)", job.proc),
            ("$(process)", job.proc),
        ] {
            while let Some(at) = file.to_ascii_lowercase().find(name) {
                file.replace_range(at..at + name.len(), &number.to_string());
            }
        }
        // Besides this node, `submits` has it.
        let is_of_several = Arc::strong_count(submit) > 2;
        let is_of_one = !is_of_several || named.to_ascii_lowercase().contains("$(cluster");
        let folder = std::path::absolute(submit.folder.as_ref()?).ok()?;
        let folder = folder.into_os_string().into_string().ok()?;
        (is_of_one && !file.contains('$')).then_some((folder, file))
    }

    /// Jobs of its nodes with their names, as the submit events of logs have them, of each its
    /// newest `bytes`. A log that cannot be read has none.
    pub fn jobs_of<'a>(
        &self,
        logs: impl Iterator<Item = &'a PathBuf>,
        bytes: u64,
    ) -> HashMap<JobId, String> {
        let mut found = HashMap::new();
        let options = ReadOptions::default().newest(bytes);
        for log in logs {
            let Ok(mut log) = open_log(log, &options) else { continue };
            while let Some(event) = log.next_event() {
                let Ok(event) = event else { continue };
                if event.kind() == EventKind::Submit
                    && let Body::Submit(submit) = event.body()
                    && let Some(node) = submit.dag_node
                    && self.names.contains_key(node.as_ref())
                {
                    found.insert(event.job, node.into_owned());
                }
            }
        }
        found
    }

    /// The submit file of a node as a number: nodes of the same file have the same one.
    pub fn submit_file(&self, node: &str) -> Option<usize> {
        let submit = self.nodes.get(*self.names.get(node)?)?.submit.as_ref()?;
        Some(Arc::as_ptr(submit).addr())
    }

    /// How many nodes it has.
    pub fn len(&self) -> usize {
        self.nodes.iter().filter(|node| !node.joins).count()
    }

    /// How many pairs of a parent and a child it keeps: many with many go through a node between.
    pub fn edges(&self) -> usize {
        self.nodes.iter().map(|node| node.children.len()).sum()
    }

    /// It has no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn fault(&mut self, path: &Path, line: usize, text: &str) {
        if self.faults.len() < 20 {
            self.faults.push(located(path, line, text));
        }
    }
}

/// A fault of a line.
fn located(path: &Path, line: usize, text: &str) -> String {
    format!("{}: line {line}: {text}", crate::queue::display_path(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first of these files as a DAG, and the folder that has them.
    pub(super) fn dag(files: &[(&str, &str)]) -> (tempfile::TempDir, Dag) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let dag = Dag::read(&folder.path().join(files[0].0), i64::MAX).unwrap();
        (folder, dag)
    }

    pub(super) fn children(dag: &Dag, name: &str) -> Vec<String> {
        let mut open = dag.nodes[dag.names[name]].children.clone();
        let mut found = Vec::new();
        while let Some(Edge { child: at, .. }) = open.pop() {
            match dag.nodes[at].joins {
                true => open.extend(&dag.nodes[at].children),
                false => found.push(dag.nodes[at].name.clone()),
            }
        }
        found.sort();
        found
    }

    #[test]
    fn submit_files_name_logs() {
        let (folder, read) = dag(&[
            ("a.dag", "JOB A a.sub\nJOB B b.sub DIR sub\nJOB C a.sub\n"),
            ("a.sub", "executable = x\nLog = jobs.log\nqueue\n"),
            ("sub/b.sub", "initialdir = run\nlog=b.log\nqueue\n"),
        ]);
        let logs = ["jobs.log", "sub/run/b.log"].map(|log| folder.path().join(log));
        assert_eq!(read.job_logs(), Some(logs.to_vec()));
        for (name, text) in [
            ("a.sub", "log = $(Cluster).log\n"),
            ("a.sub", "executable = x\n"),
            ("a.dag", "JOB A {\nlog = a.log\n}\n"),
        ] {
            let files = [("a.dag", "JOB A a.sub\n"), ("a.sub", "log = a.log\n")];
            let files = files.map(|file| if file.0 == name { (name, text) } else { file });
            assert_eq!(dag(&files).1.job_logs(), None, "{text}");
        }
    }

    #[test]
    fn submit_files_name_error_output() {
        let (folder, read) = dag(&[
            ("a.dag", "JOB A a.sub\nJOB B b.sub DIR sub\nJOB C c.sub\nJOB D c.sub\nJOB E e.sub\n"),
            ("a.sub", "error = $(Cluster)/$(PROCESS).err\n"),
            ("sub/b.sub", "initialdir = run\nerror = b.err\n"),
            ("c.sub", "error = c.err\n"),
            ("e.sub", "error = $(name).err\n"),
        ]);
        let output = |node| read.error_output(node, JobId::new(12, 3));
        let at = |place: &str, file: &str| {
            Some((folder.path().join(place).to_str().unwrap().to_owned(), file.to_owned()))
        };
        assert_eq!((output("A"), output("B")), (at("", "12/3.err"), at("sub/run", "b.err")));
        for node in ["C", "D", "E", "no"] {
            assert_eq!(output(node), None, "{node}");
        }
    }
}
