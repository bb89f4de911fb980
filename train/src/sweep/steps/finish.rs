//! `holdadvise-train sweep finish`: puts the results of a sweep in place, says what failed, and
//! clears away what nobody needs.
//!
//! It is the last node of the DAG, and run whatever became of the others. DAGMan takes its exit
//! status for that of the whole DAG: it fails where a node failed, so that DAGMan writes a rescue
//! DAG. Nothing is removed then, a rescue needs it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use holdadvise::text::{shell_command, strip_control};

use crate::Error;
use crate::output::{self, FileError};
use crate::say::say;
use crate::sweep::dag::steps::CHECKPOINT_FILES;
use crate::sweep::folder;
use crate::sweep::leaderboard::Leaderboard;
use crate::sweep::page;
use crate::sweep::plan::Plan;
use crate::sweep::results::Results;

/// What `test` wrote to `best` and people look for in the folder of the sweep.
const RESULTS: [&str; 5] =
    ["bestmodel.pt", "bestmodel.info", "report.html", "report.json", "verdict.txt"];

/// How long DAGMan may take to write the status of its nodes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Bytes of the status of nodes, at most.
const STATUS_BYTES: u64 = 64 << 20;

/// Put the results of a sweep in place and clear away what nobody needs.
#[derive(Clone, Debug, clap::Args)]
pub struct FinishOptions {
    /// The folder of the sweep.
    pub folder: PathBuf,
    /// How many nodes failed: FAILED_COUNT of DAGMan.
    #[arg(long, default_value_t = 0)]
    pub failed: usize,
    /// How the DAG ended: DAG_STATUS of DAGMan, 0 where all is well.
    #[arg(long, default_value_t = 0)]
    pub status: u8,
    /// Keep the pieces of the data and the checkpoints.
    #[arg(long)]
    pub keep: bool,
}

/// A node that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedNode {
    /// Its name.
    pub name: String,
    /// What DAGMan says of it.
    pub detail: String,
}

impl FailedNode {
    /// Where its error output lies, within the folder of the sweep: what the node's program said,
    /// or its PRE script.
    fn error_output(&self) -> String {
        let name = strip_control(&self.name);
        let within = match &*name {
            name if name.starts_with("shard-") || name.starts_with("merge-") => "logs/prepare/",
            name if name.starts_with("trial-") => "logs/train/",
            _ => "logs/",
        };
        match (self.detail.starts_with("PRE"), name.starts_with("trial-")) {
            (true, true) => "logs/goes-on.log".to_owned(),
            (true, false) => "logs/best-data.log".to_owned(),
            (false, _) => format!("{within}{name}.err"),
        }
    }
}

fn failures(failed: usize, nodes: &[FailedNode], folder: &Path) -> String {
    let mut text = match failed {
        1 => "1 node of the sweep failed".to_owned(),
        failed => format!("{failed} nodes of the sweep failed"),
    };
    for node in nodes {
        text.push_str(&format!(
            "\n  {}: {}; it said why in {}",
            strip_control(&node.name),
            strip_control(&node.detail),
            folder.join(node.error_output()).display()
        ));
    }
    if nodes.len() < failed {
        text.push_str("\n  the others are named in sweep.dag.dagman.out");
    }
    text.push_str(
        "\nHolds and removals stand in logs/events.log. When the cause is corrected, `condor_submit_dag sweep.dag` goes on: done nodes are \
         not done again",
    );
    text
}

/// Runs `sweep finish`.
///
/// # Errors
/// When nodes failed or the DAG was ended, and when files cannot be read or written.
pub fn run(options: &FinishOptions) -> Result<(), Error> {
    let results = Results::read(&options.folder)?;
    let folder = &fs::canonicalize(&options.folder).map_err(FileError::of(&options.folder))?;
    for name in RESULTS {
        copy(&folder.join("best").join(name), &folder.join(name))?;
    }
    page::write(folder, &results)?;
    if options.failed > 0 {
        let nodes = failed_nodes(&folder.join("logs/nodes.status"), options.failed, PATIENCE);
        return Err(failures(options.failed, &nodes, folder).into());
    }
    if let Some(ended) = ended(options.status) {
        let text = "`condor_submit_dag sweep.dag` goes on with it";
        return Err(format!("the DAG did not run to its end: {ended}; {text}").into());
    }
    let model = folder.join("bestmodel.pt");
    if !model.is_file() || !folder.join("verdict.txt").is_file() {
        return Err(format!(
            "{} is not there: node `test` has not run, or its outputs were lost; `condor_submit_dag sweep.dag` goes on with the sweep",
            model.display()
        )
        .into());
    }
    if !options.keep {
        clear(folder, &results.plan)?;
    }
    say(format_args!("{}", summary(folder, &results)));
    Ok(())
}

/// What DAG_STATUS of DAGMan means where it is not 0.
fn ended(status: u8) -> Option<&'static str> {
    match status {
        0 => None,
        2 => Some("nodes failed"),
        3 => Some("it was aborted"),
        4 => Some("it was removed"),
        5 => Some("it has a cycle"),
        6 => Some("it was halted"),
        _ => Some("DAGMan met an error"),
    }
}

/// Copies a file that is there.
fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    match output::read(from) {
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => Ok(()),
        content => folder::write(to, &content?),
    }
}

/// The nodes that failed, as DAGMan's NODE_STATUS_FILE names them. DAGMan writes it every few
/// seconds: it is waited for until it has as many.
fn failed_nodes(path: &Path, expected: usize, patience: Duration) -> Vec<FailedNode> {
    let start = Instant::now();
    loop {
        let short = fs::metadata(path).is_ok_and(|metadata| metadata.len() <= STATUS_BYTES);
        let text = short.then(|| fs::read(path).ok()).flatten().unwrap_or_default();
        let nodes = of_status(&String::from_utf8_lossy(&text));
        if nodes.len() >= expected || start.elapsed() >= patience {
            return nodes;
        }
        sleep(Duration::from_secs(1));
    }
}

/// The nodes in the state STATUS_ERROR (6). The file has a ClassAd for each node, an attribute a
/// line.
fn of_status(text: &str) -> Vec<FailedNode> {
    let value = |line: &str, name: &str| -> Option<String> {
        let rest = line.trim_start().strip_prefix(name)?.trim_start().strip_prefix('=')?;
        let rest = rest.split("/*").next()?.trim().trim_end_matches(';').trim();
        Some(rest.trim_matches('"').to_owned())
    };
    let mut failed = Vec::new();
    for ad in text.split("\n[") {
        let of = |name: &str| ad.lines().find_map(|line| value(line, name));
        if let (Some(name), Some("6")) = (of("Node"), of("NodeStatus").as_deref()) {
            let detail = of("StatusDetails").unwrap_or_default();
            failed.push(FailedNode { name, detail });
        }
    }
    failed
}

/// Removes the pieces of the data, the checkpoints and links to what is elsewhere. What was
/// decided, trained and measured stays, and what it was made of: sweep file, plan, datasets and
/// parts.
fn clear(folder: &Path, plan: &Plan) -> Result<(), FileError> {
    for setting in &plan.settings {
        let path = folder.join(Plan::setting_folder(setting.number));
        let entries = fs::read_dir(&path).into_iter().flatten().filter_map(Result::ok);
        for entry in entries {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with("shard-") && name.ends_with(".safetensors") {
                remove(&entry.path(), |path| fs::remove_file(path))?;
            }
        }
    }
    remove(&folder.join("prepared/links"), |path| fs::remove_dir_all(path))?;
    for name in ["dataset.safetensors", "parts.safetensors"] {
        remove(&folder.join("best").join(name), |path| fs::remove_file(path))?;
    }
    for trial in &plan.trials {
        for rung in &plan.rungs {
            let path = folder.join(Plan::rung_folder(trial.number, rung.number));
            remove(&path.join(CHECKPOINT_FILES[0]), |path| fs::remove_file(path))?;
            // Of a rung that was skipped nothing is left.
            let _ = fs::remove_dir(&path);
        }
    }
    Ok(())
}

fn remove(path: &Path, how: impl Fn(&Path) -> io::Result<()>) -> Result<(), FileError> {
    match how(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(FileError::of(path)(source)),
        _ => Ok(()),
    }
}

fn summary(folder: &Path, results: &Results) -> String {
    let leaderboard = Leaderboard::new(results);
    let verdict = fs::read_to_string(folder.join("verdict.txt")).unwrap_or_default();
    let verdict = verdict.lines().next().unwrap_or_default();
    format!(
        "{}\nagainst the model in use: {}\nsee {}\n",
        leaderboard.progress(),
        strip_control(verdict),
        shell_command(["bestmodel.info", "leaderboard.txt", "sweep.html", "report.html"])
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::results::tests::{finished, write};

    fn options(folder: &Path) -> FinishOptions {
        FinishOptions { folder: folder.to_owned(), failed: 0, status: 0, keep: false }
    }

    /// A sweep of which all nodes but `finish` are done.
    fn done(folder: &Path) {
        finished(folder);
        for name in RESULTS {
            write(folder, &format!("best/{name}"), &format!("{name}\n"));
        }
        for name in [
            "prepared/001/shard-001.safetensors",
            "prepared/001/dataset.safetensors",
            "prepared/001/parts.safetensors",
            "prepared/links/001/EventLog",
            "best/dataset.safetensors",
            "trials/001/rung1/checkpoint.safetensors",
            "trials/001/rung1/model.pt",
        ] {
            write(folder, name, "x");
        }
        fs::create_dir_all(folder.join("trials/004/rung2")).unwrap();
    }

    #[test]
    fn results_are_put_in_place_and_what_nobody_needs_goes_twice_alike() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        done(folder.path());
        for _ in 0..2 {
            run(&options(folder.path())).unwrap();
            for name in RESULTS {
                assert_eq!(fs::read_to_string(path(name)).unwrap(), format!("{name}\n"));
            }
            for kept in [
                "sweep.json",
                "sweep.html",
                "leaderboard.txt",
                "leaderboard.json",
                "prepared/001/dataset.safetensors",
                "prepared/001/parts.safetensors",
                "trials/001/parameters.json",
                "trials/001/rung1/metrics.jsonl",
                "trials/001/rung1/model.pt",
                "rungs/rung1.json",
            ] {
                assert!(path(kept).is_file(), "{kept}");
            }
            for gone in [
                "prepared/001/shard-001.safetensors",
                "prepared/links",
                "best/dataset.safetensors",
                "trials/001/rung1/checkpoint.safetensors",
                "trials/004/rung2",
            ] {
                assert!(!path(gone).exists(), "{gone}");
            }
        }
    }

    const STATUS: &str = "[\n  Type = \"DagStatus\";\n  NodesFailed = 2;\n]\n\
        [\n  Type = \"NodeStatus\";\n  Node = \"trial-002-rung-1\";\n  NodeStatus = 6; /* \"STATUS_ERROR\" */\n  \
        StatusDetails = \"Job proc (16.0.0) failed with status 1 (after 1 node retries)\";\n]\n\
        [\n  Type = \"NodeStatus\";\n  Node = \"trial-003-rung-2\";\n  NodeStatus = 6; /* \"STATUS_ERROR\" */\n  \
        StatusDetails = \"PRE Script failed with status 1\";\n]\n\
        [\n  Type = \"NodeStatus\";\n  Node = \"finish\";\n  NodeStatus = 3; /* \"STATUS_SUBMITTED\" */\n  StatusDetails = \"\";\n]\n";

    #[test]
    fn failed_nodes_are_named_and_nothing_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        done(folder.path());
        write(folder.path(), "logs/nodes.status", STATUS);
        let error = run(&FinishOptions { failed: 2, status: 2, ..options(folder.path()) });
        let error = error.unwrap_err().to_string().replace(folder.path().to_str().unwrap(), "DIR");
        insta::assert_snapshot!("failed", error);
        assert!(folder.path().join("trials/001/rung1/checkpoint.safetensors").is_file());
        assert!(folder.path().join("prepared/001/shard-001.safetensors").is_file());
        assert!(folder.path().join("leaderboard.txt").is_file());
        let known = failed_nodes(&folder.path().join("logs/nodes.status"), 3, Duration::ZERO);
        assert_eq!(known.len(), 2);
        assert!(failures(3, &known, Path::new("DIR")).contains("sweep.dag.dagman.out"));
    }

    #[test]
    fn a_sweep_that_did_not_come_to_its_end_fails() {
        let folder = tempfile::tempdir().unwrap();
        done(folder.path());
        let error = run(&FinishOptions { status: 4, ..options(folder.path()) }).unwrap_err();
        assert!(error.to_string().contains("it was removed"), "{error}");
        assert!(folder.path().join("trials/001/rung1/checkpoint.safetensors").is_file());
        fs::remove_file(folder.path().join("best/bestmodel.pt")).unwrap();
        fs::remove_file(folder.path().join("bestmodel.pt")).unwrap();
        let error = run(&options(folder.path())).unwrap_err().to_string();
        assert!(error.contains("bestmodel.pt is not there: node `test`"), "{error}");
    }

    #[test]
    fn any_status_is_read_without_panic() {
        for at in 0..STATUS.len() {
            let _ = of_status(&STATUS[..at]);
            let _ = of_status(&STATUS[at..]);
        }
        assert_eq!(of_status("").len() + of_status("Node = \"a\";\nNodeStatus = 5;").len(), 0);
    }
}
