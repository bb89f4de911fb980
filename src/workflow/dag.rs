//! A DAG file of DAGMan, how far its nodes are, and which of them keep others from starting.
//!
//! Commands and their words follow "DAGMan input file" of HTCondor's manual. Only what decides
//! which nodes there are and which wait for which is read.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use eventlog::{Body, EventKind, EventLogError, JobId, ReadOptions, input};
use serde::{Serialize, Serializer};

use super::Manager;
use super::manager::open_log;

/// Bytes of a DAG file that are read.
const LONGEST: u64 = 64 << 20;

/// Submit files that are read, for the logs that they name.
const SUBMITS: usize = 1_000;

/// Bytes of a submit file that are read.
const LONGEST_SUBMIT: u64 = 1 << 20;

/// Bytes of a path (PATH_MAX of Linux).
const LONGEST_PATH: usize = 4_096;

/// Nodes, and lists of parents with children, of a DAG with its splices.
const MOST: usize = 1_000_000;

/// The highest number of a rescue DAG (DAGMAN_MAX_RESCUE_NUM is at most that).
const RESCUES: u32 = 999;

/// Files within each other, and files in all.
const DEEPEST: usize = 32;
const FILES: usize = 10_000;

/// How far a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum State {
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
    /// What submit files of nodes say, by file and the folder that DAGMan submits it in.
    submits: BTreeMap<(PathBuf, PathBuf), Arc<Submit>>,
    /// A node has its submit description in the DAG file.
    has_inline: bool,
    /// Lines that could not be read, with their file.
    pub faults: Vec<String>,
}

#[derive(Debug, Default, PartialEq)]
struct Node {
    name: String,
    /// It joins parents with children and is none of the file's nodes.
    joins: bool,
    done: bool,
    children: Vec<usize>,
    parents: Vec<usize>,
    submit: Option<Arc<Submit>>,
}

/// What a submit file says of files that jobs write.
#[derive(Debug, Default, PartialEq)]
struct Submit {
    /// The job event log; `None` where it is named by a macro or not at all.
    log: Option<PathBuf>,
    /// The folder that other names are relative to; `None` where it is named by a macro.
    folder: Option<PathBuf>,
    /// The error output, with its macros.
    error: Option<String>,
}

/// The rescue DAG that has nodes as done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rescue {
    /// Its file, fit to be shown.
    pub file: String,
    /// Nodes of the DAG that it has as done.
    pub done: usize,
}

/// How many nodes are in each state, and what keeps others waiting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Nodes by state, in the order of [`State`].
    pub counts: Vec<(State, usize)>,
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
}

impl Progress {
    /// How many nodes it has.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// How many of them are in this state.
    #[must_use]
    pub fn of(&self, state: State) -> usize {
        self.counts.iter().filter(|one| one.0 == state).map(|(_, count)| count).sum()
    }

    /// A node failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.of(State::Failed) > 0
    }
}

/// A node that keeps others waiting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Blocker {
    /// Its name.
    pub node: String,
    /// Failed or held.
    pub state: State,
    /// Its jobs.
    #[serde(serialize_with = "as_text")]
    pub jobs: Vec<JobId>,
    /// Nodes that wait for it, directly or not.
    pub waiting: usize,
}

fn as_text<S: Serializer>(jobs: &[JobId], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(jobs.iter().map(ToString::to_string))
}

impl State {
    /// The word for it.
    #[must_use]
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

/// Blockers of which it is counted who waits for each.
const BLOCKERS: usize = 20;

impl Dag {
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
        dag.take_rescue(path);
        Ok(dag)
    }

    /// Takes over the nodes that are done from `FILE.rescueNNN` of the highest number, as DAGMan
    /// does.
    fn take_rescue(&mut self, path: &Path) {
        let of = |number: u32| {
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".rescue{number:03}"));
            PathBuf::from(name)
        };
        let Some(file) = (1..=RESCUES).rev().map(of).find(|file| file.exists()) else { return };
        let mut text = Vec::new();
        let read =
            input::open_regular(&file).and_then(|file| file.take(LONGEST).read_to_end(&mut text));
        let file = crate::queue::display_path(&file);
        if let Err(error) = read {
            self.faults
                .push(format!("{file}: {error}; nodes that it has as done count as not submitted"));
        }
        for line in String::from_utf8_lossy(&text).lines() {
            let mut words = line.split_whitespace();
            if words.next().is_some_and(|word| word.eq_ignore_ascii_case("DONE"))
                && let Some(name) = words.next()
            {
                self.set_done("", name);
            }
        }
        let done = self.nodes.iter().filter(|node| node.done).count();
        self.rescue = Some(Rescue { file: file.to_string(), done });
    }

    /// The logs that the submit files of its nodes name: they have the jobs of earlier runs of the
    /// DAG too, while DAGMan begins its nodes log anew. `None` unless all do, without macros, and are
    /// at most a thousand.
    #[must_use]
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
    #[must_use]
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

    /// Jobs of its nodes with their names, as the submit events of logs have them. A log that
    /// cannot be read has none.
    pub fn jobs_of<'a>(&self, logs: impl Iterator<Item = &'a PathBuf>) -> HashMap<JobId, String> {
        let mut found = HashMap::new();
        for log in logs {
            let Ok(mut log) = open_log(log, &ReadOptions::default()) else { continue };
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
    #[must_use]
    pub fn submit_file(&self, node: &str) -> Option<usize> {
        let submit = self.nodes.get(*self.names.get(node)?)?.submit.as_ref()?;
        Some(Arc::as_ptr(submit).addr())
    }

    /// How many nodes it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.iter().filter(|node| !node.joins).count()
    }

    /// It has no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn fault(&mut self, path: &Path, line: usize, text: &str) {
        if self.faults.len() < 20 {
            let file = crate::queue::display_path(path);
            self.faults.push(format!("{file}: line {line}: {text}"));
        }
    }

    /// Reads a file; names of its nodes get the `prefix` of its splice.
    fn file(&mut self, path: &Path, prefix: &str, depth: usize) -> io::Result<()> {
        let mut text = Vec::new();
        input::open_regular(path)?.take(LONGEST).read_to_end(&mut text)?;
        let text = String::from_utf8_lossy(&text);
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        // The nodes of each splice of this file: those without parents, and those without children.
        let mut splices: HashMap<String, [Vec<usize>; 2]> = HashMap::new();
        let mut inline: Option<String> = None;
        // Nodes may follow the lines that join them.
        let mut joined: Vec<(usize, Vec<&str>)> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if let Some(end) = &inline {
                if line == end.as_str() {
                    inline = None;
                }
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            let Some((&command, rest)) = words.split_first() else { continue };
            if command.starts_with('#') {
                continue;
            }
            inline = begins_inline(line);
            if self.nodes.len() > MOST {
                self.fault(path, number + 1, "more than a million nodes; the rest is left out");
                return Ok(());
            }
            match (command.to_ascii_uppercase().as_str(), rest) {
                // FINAL, SERVICE and PROVISIONER belong to the DAG itself, not to its order.
                ("JOB", [name, options @ ..]) => {
                    let node = self.node(prefix, name, options);
                    self.has_inline |= inline.is_some();
                    if let (None, [file, options @ ..]) = (&inline, options)
                        && self.submits.len() <= SUBMITS
                    {
                        let place = in_folder(&folder, "", options);
                        let key = (place.join(file), place);
                        let entry = self.submits.entry(key);
                        let submit = entry.or_insert_with_key(|(file, folder)| {
                            Arc::new(Submit::read(file, folder))
                        });
                        self.nodes[node].submit = Some(Arc::clone(submit));
                    }
                }
                ("SUBDAG", [external, name, options @ ..])
                    if external.eq_ignore_ascii_case("EXTERNAL") =>
                {
                    self.node(prefix, name, options);
                }
                ("DONE", [name, ..]) => self.set_done(prefix, name),
                ("SPLICE", [name, file, options @ ..]) => {
                    let begin = self.nodes.len();
                    let within = format!("{prefix}{name}+");
                    let file = in_folder(&folder, file, options);
                    match self.deeper(&file, &within, depth) {
                        Ok(()) => {
                            let all = begin..self.nodes.len();
                            let ends = |has: fn(&Node) -> bool| -> Vec<usize> {
                                all.clone().filter(|&at| !has(&self.nodes[at])).collect()
                            };
                            let first = ends(|node| !node.parents.is_empty());
                            let last = ends(|node| !node.children.is_empty());
                            splices.insert((*name).to_owned(), [first, last]);
                        }
                        Err(error) => self.fault(path, number + 1, &error.to_string()),
                    }
                }
                ("INCLUDE", [file, ..]) => {
                    let file = in_folder(&folder, file, &[]);
                    if let Err(error) = self.deeper(&file, prefix, depth) {
                        self.fault(path, number + 1, &error.to_string());
                    }
                }
                ("PARENT", names) => joined.push((number, names.to_vec())),
                _ => {}
            }
        }
        for (number, names) in joined {
            let at = names.iter().position(|word| word.eq_ignore_ascii_case("CHILD"));
            let Some(at) = at else {
                self.fault(path, number + 1, "PARENT without CHILD");
                continue;
            };
            let of = |names: &[&str], side: usize| {
                let of = |name: &&str| match splices.get(*name) {
                    Some(ends) => ends[side].clone(),
                    None => {
                        self.names.get(&format!("{prefix}{name}")).copied().into_iter().collect()
                    }
                };
                names.iter().flat_map(of).collect::<Vec<usize>>()
            };
            let (parents, children) = (of(&names[..at], 1), of(&names[at + 1..], 0));
            if parents.is_empty() || children.is_empty() {
                self.fault(path, number + 1, "PARENT or CHILD names no node");
            }
            self.join(&parents, &children);
        }
        Ok(())
    }

    fn deeper(&mut self, file: &Path, prefix: &str, depth: usize) -> io::Result<()> {
        if depth >= DEEPEST {
            return Err(io::Error::other(format!("more than {DEEPEST} files within each other")));
        }
        self.files += 1;
        if self.files > FILES {
            return Err(io::Error::other(format!("more than {FILES} files")));
        }
        self.file(file, prefix, depth + 1).map_err(|error| {
            io::Error::other(format!("{}: {error}", crate::queue::display_path(file)))
        })
    }

    fn node(&mut self, prefix: &str, name: &str, options: &[&str]) -> usize {
        let name = format!("{prefix}{name}");
        let done = options.iter().any(|word| word.eq_ignore_ascii_case("DONE"));
        if let Some(&at) = self.names.get(&name) {
            return at;
        }
        self.names.insert(name.clone(), self.nodes.len());
        self.nodes.push(Node { name, done, ..Node::default() });
        self.nodes.len() - 1
    }

    fn set_done(&mut self, prefix: &str, name: &str) {
        if let Some(&at) = self.names.get(&format!("{prefix}{name}")) {
            self.nodes[at].done = true;
        }
    }

    /// All parents come before all children. Many with many go through a node between, as in DAGMan.
    fn join(&mut self, parents: &[usize], children: &[usize]) {
        let mut edge = |parent: usize, child: usize| {
            self.nodes[parent].children.push(child);
            self.nodes[child].parents.push(parent);
        };
        if parents.len() <= 1 || children.len() <= 1 {
            for &parent in parents {
                children.iter().for_each(|&child| edge(parent, child));
            }
            return;
        }
        let between = self.nodes.len();
        self.nodes.push(Node { joins: true, ..Node::default() });
        self.join(parents, &[between]);
        self.join(&[between], children);
    }

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
        match jobs.read(log, options, now) {
            // DAGMan begins it with the first job that it submits; where only the logs of jobs were
            // kept, they tell.
            Err(EventLogError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                for log in self.job_logs().into_iter().flatten() {
                    // One that is not there yet has no jobs.
                    let _ = jobs.read(&log, options, now);
                }
            }
            read => read?,
        }
        let state = |node: &Node| match jobs.nodes.get(&node.name) {
            _ if node.done => State::Done,
            Some(jobs) => jobs.state(),
            None => State::Waiting,
        };
        let states: Vec<State> = self.nodes.iter().map(state).collect();
        let mut counts: BTreeMap<State, usize> = BTreeMap::new();
        for (_, &state) in self.nodes.iter().zip(&states).filter(|(node, _)| !node.joins) {
            *counts.entry(state).or_default() += 1;
        }
        let stopped: Vec<usize> = (0..self.nodes.len())
            .filter(|&at| matches!(states[at], State::Failed | State::Held))
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
        Ok(Progress { counts, blockers, blocked, manager, rescue, resume: None })
    }

    /// Nodes that are not done below these.
    fn below(&self, of: &[usize], states: &[State]) -> usize {
        let mut seen: HashSet<usize> = of.iter().copied().collect();
        let mut open = of.to_vec();
        let mut count = 0;
        while let Some(at) = open.pop() {
            for &child in &self.nodes[at].children {
                if seen.insert(child) {
                    let node = &self.nodes[child];
                    count += usize::from(!node.joins && states[child] != State::Done);
                    open.push(child);
                }
            }
        }
        count
    }
}

impl Submit {
    /// Reads a submit file, submitted in this folder. One that cannot be read says nothing.
    fn read(file: &Path, folder: &Path) -> Self {
        let mut text = Vec::new();
        let read = input::open_regular(file)
            .and_then(|file| file.take(LONGEST_SUBMIT).read_to_end(&mut text));
        if read.is_err() {
            return Self::default();
        }
        let text = String::from_utf8_lossy(&text);
        let value = |name: &str| {
            let of = |line: &str| {
                let (key, value) = line.split_once('=')?;
                key.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
            };
            text.lines().filter_map(of).next_back().filter(|value| !value.is_empty())
        };
        let place = value("initialdir").unwrap_or_default();
        let folder = (!place.contains('$')).then(|| folder.join(place));
        let log = value("log").filter(|log| !log.contains('$') && log != "/dev/null");
        Self {
            log: folder.as_ref().zip(log).map(|(folder, log)| folder.join(log)),
            error: value("error"),
            folder,
        }
    }
}

/// The line that ends an inline submit description which begins on this line.
fn begins_inline(line: &str) -> Option<String> {
    if line.ends_with('{') {
        return Some("}".to_owned());
    }
    let (_, mark) = line.rsplit_once("@=")?;
    (!mark.is_empty() && !mark.contains(char::is_whitespace)).then(|| format!("@{mark}"))
}

/// A file named in a DAG file, with `DIR` if that is given.
fn in_folder(folder: &Path, file: &str, options: &[&str]) -> PathBuf {
    let dir = options.iter().position(|word| word.eq_ignore_ascii_case("DIR"));
    match dir.and_then(|at| options.get(at + 1)) {
        Some(dir) => folder.join(dir).join(file),
        None => folder.join(file),
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
    jobs: Vec<(JobId, State)>,
    /// How its POST script ended.
    script: Option<State>,
}

impl NodeJobs {
    fn ids(&self) -> Vec<JobId> {
        self.jobs.iter().map(|job| job.0).collect()
    }

    /// The worst of its jobs decides, unless a POST script did.
    fn state(&self) -> State {
        if let Some(state) = self.script {
            return state;
        }
        let order = [State::Failed, State::Held, State::Running, State::Idle, State::Done];
        let has = |state: &State| self.jobs.iter().any(|job| job.1 == *state);
        order.into_iter().find(has).unwrap_or(State::Waiting)
    }
}

impl Jobs {
    /// Adds what a log has until `now`, Unix seconds.
    fn read(&mut self, log: &Path, options: &ReadOptions, now: i64) -> Result<(), EventLogError> {
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
                    let state = if well { State::Done } else { State::Failed };
                    if let Some(node) = script.dag_node {
                        self.nodes.entry(node.into_owned()).or_default().script = Some(state);
                    }
                    continue;
                }
                (_, Body::Terminated(ended)) => match ended.return_value {
                    Some(0) => State::Done,
                    _ => State::Failed,
                },
                (EventKind::Execute, _) => State::Running,
                (EventKind::JobHeld, _) => State::Held,
                (EventKind::JobAborted, _) => State::Failed,
                (
                    EventKind::JobReleased
                    | EventKind::JobEvicted
                    | EventKind::ShadowException
                    | EventKind::JobReconnectFailed,
                    _,
                ) => State::Idle,
                _ => continue,
            };
            self.now(event.job, state);
        }
        Ok(())
    }

    /// Another cluster of a node is another try of it.
    fn submitted(&mut self, job: JobId, node: String) {
        let known = self.nodes.entry(node.clone()).or_default();
        if known.jobs.first().is_some_and(|first| first.0.cluster != job.cluster) {
            *known = NodeJobs::default();
        }
        let at = known.jobs.len();
        known.jobs.push((job, State::Idle));
        self.node_of.insert(job, (node, at));
    }

    fn now(&mut self, job: JobId, state: State) {
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
    use super::*;

    fn dag(files: &[(&str, &str)]) -> (tempfile::TempDir, Dag) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let dag = Dag::read(&folder.path().join(files[0].0), i64::MAX).unwrap();
        (folder, dag)
    }

    fn children(dag: &Dag, name: &str) -> Vec<String> {
        let mut open = dag.nodes[dag.names[name]].children.clone();
        let mut found = Vec::new();
        while let Some(at) = open.pop() {
            match dag.nodes[at].joins {
                true => open.extend(&dag.nodes[at].children),
                false => found.push(dag.nodes[at].name.clone()),
            }
        }
        found.sort();
        found
    }

    #[test]
    fn splices_and_joins_are_followed() {
        let (_folder, dag) = dag(&[
            (
                "a.dag",
                "# comment\njob A a.sub\nJOB B b.sub DIR x DONE\nSUBDAG EXTERNAL C c.dag\n\
                 SPLICE S part.dag DIR sub\nINCLUDE more.dag\n\
                 PARENT A B CHILD C D\nparent C child S\nPARENT S CHILD E\nFINAL F f.sub\n\
                 JOB G {\n  executable = x\n  PARENT is no command here\n}\n\
                 JOB H @=end\nJOB I no.sub\n@end\nPARENT NONE CHILD A\n",
            ),
            ("sub/part.dag", "JOB X x\nJOB Y y\nJOB Z z\nPARENT X CHILD Y Z\n"),
            ("more.dag", "JOB D d\nJOB E e\nDONE D\n"),
        ]);
        assert_eq!(dag.len(), 10);
        assert_eq!(children(&dag, "A"), ["C", "D"]);
        assert_eq!(children(&dag, "C"), ["S+X"]);
        assert_eq!(children(&dag, "S+Z"), ["E"]);
        assert!(dag.nodes[dag.names["D"]].done && dag.nodes[dag.names["B"]].done);
        assert_eq!(dag.faults.len(), 1, "{:?}", dag.faults);
        assert!(
            dag.faults[0].contains("line 18: PARENT or CHILD names no node"),
            "{:?}",
            dag.faults
        );
    }

    #[test]
    fn a_file_that_includes_itself_ends() {
        let (_folder, dag) = dag(&[("a.dag", "JOB A a\nINCLUDE a.dag\nSPLICE S a.dag\n")]);
        assert!(!dag.faults.is_empty() && dag.faults.len() <= 20);
        assert!(dag.len() <= MOST + 1);
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
        assert_eq!(progress.counts, [(State::Done, 1), (State::Waiting, 1)]);
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

    #[test]
    fn the_newest_rescue_dag_has_the_nodes_that_are_done() {
        let (folder, _) = dag(&[
            ("a.dag", "JOB A a\nJOB B b\nSPLICE S part.dag\n"),
            ("part.dag", "JOB X x\n"),
            ("a.dag.rescue001", "DONE A\nDONE B\nDONE S+X\n"),
            (
                "a.dag.rescue002",
                "# Nodes that are done: 2\nDONE A\nDONE S+X\nRETRY B 2\nDONE\nDONE no\n",
            ),
        ]);
        let dag = Dag::read(&folder.path().join("a.dag"), i64::MAX).unwrap();
        let done: Vec<&str> =
            dag.nodes.iter().filter(|node| node.done).map(|node| node.name.as_str()).collect();
        assert_eq!(done, ["A", "S+X"]);
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
        assert_eq!(progress.counts, [(State::Done, 2), (State::Held, 1), (State::Waiting, 2)]);
        let blocker = Blocker {
            node: "B".to_owned(),
            state: State::Held,
            jobs: vec![JobId::new(2, 0)],
            waiting: 2,
        };
        assert_eq!((progress.blockers, progress.blocked), (vec![blocker], 2));
    }
}
