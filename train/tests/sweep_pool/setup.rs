//! What a sweep needs in the pool: the program with libtorch, logs, a sweep file.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::Pool;

/// The program, as it is called on the access point.
const PROGRAM: &str = "LD_LIBRARY_PATH=/opt/holdadvise/lib /opt/holdadvise/bin/holdadvise-train";

/// Who sweeps: an ordinary user.
pub(crate) const USER: &str = "alice";

/// Two trials of six are left on the last of three rungs; nodes write a checkpoint every few
/// seconds.
pub(crate) const SWEEP: &str = "\
name: pool test
seed: 3
data:
  access_points:
    - name: ap.pool.example
      logs: [logs/EventLog*]
      epochs: [logs/epoch_history]
      time_zone: UTC
  simulations: [simulation]
  horizon: 12h
  least_validation_rows: 1
training:
  parameters:
    hidden: {values: [16, 32, 64]}
    learning_rate: {distribution: log_uniform_values, min: 1e-4, max: 1e-2}
    trees: {value: 0}
method: random
trials: 6
metric: {name: validation_loss, goal: minimize}
budget: {rungs: 3, eta: 2, epochs: 16}
early_stopping: {patience: 5}
resources: {gpus: 0, cpus: 1, memory: 1GB, disk: 1GB, at_once: 3, retries: 3, checkpoint: 5s}
program: {installed: /opt/holdadvise/bin/holdadvise-train}
tracking: {wandb: {enabled: true, project: pool-test, mode: offline, python: /opt/holdadvise/python}}
";

/// Copies the program, the part of libtorch that it needs, and the client of Weights & Biases into
/// the pool.
pub(crate) fn install(pool: &Pool) {
    let to = pool.path("/opt/holdadvise");
    for folder in ["bin", "lib"] {
        std::fs::create_dir_all(to.join(folder)).unwrap();
    }
    let program = Path::new(env!("CARGO_BIN_EXE_holdadvise-train"));
    copy(program, &to.join("bin/holdadvise-train"));
    for library in libraries(program) {
        let file = std::fs::canonicalize(&library).unwrap();
        copy(&file, &to.join("lib").join(library.file_name().unwrap()));
    }
    let advisor = program.with_file_name("condor_holdadvise");
    assert!(advisor.exists(), "{}: `cargo build` makes it", advisor.display());
    copy(&advisor, &to.join("bin/condor_holdadvise"));

    // Packages for the pool's own Python.
    let version =
        pool.root_shell("python3 -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])'");
    let packages = to.join("python-packages");
    let script = repository().join("scripts/tracking-python");
    let made = Command::new(script)
        .args(["--target".as_ref(), packages.as_os_str()])
        .args(["--python-version", version.trim()])
        .status()
        .unwrap();
    assert!(made.success(), "scripts/tracking-python: {made}");
    pool.root_shell(
        "printf '#!/bin/sh\\nPYTHONPATH=/opt/holdadvise/python-packages exec /usr/bin/python3 \"$@\"\\n' \
         >/opt/holdadvise/python && chmod 755 /opt/holdadvise/python && chmod -R a+rX /opt/holdadvise",
    );
}

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A link where the file system allows it: libtorch has 450 MB.
fn copy(from: &Path, to: &Path) {
    let _ = std::fs::remove_file(to);
    let done = std::fs::hard_link(from, to).or_else(|_| std::fs::copy(from, to).map(|_| ()));
    done.unwrap_or_else(|error| panic!("{}: {error}", to.display()));
}

/// The libraries that the program asks for and that do not come with the system: libtorch, and what
/// that needs.
fn libraries(program: &Path) -> Vec<PathBuf> {
    let output = Command::new("ldd").arg(program).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = text.lines().filter_map(|line| line.split("=> ").nth(1)?.split(" (").next());
    let of_system = |path: &PathBuf| path.starts_with("/lib") || path.starts_with("/usr/lib");
    let found: Vec<PathBuf> = found.map(PathBuf::from).filter(|path| !of_system(path)).collect();
    assert!(found.len() > 2, "no libtorch in {text}");
    found
}

/// Sixteen days of an access point, its log in several files, and of one of which the truth is
/// told.
pub(crate) fn simulate(pool: &Pool) {
    let command = format!("{PROGRAM} simulate --preset small --days 16");
    pool.shell(
        USER,
        "sweeps",
        &format!(
            "rm -rf *; {command} --seed 5 --max-log-size 15000000 -o logs >/dev/null; {command} --seed 7 -o simulation >/dev/null"
        ),
    );
}

/// Writes the sweep file and makes the DAG in a folder of that name.
pub(crate) fn plan(pool: &Pool, name: &str, sweep: &str) {
    let command =
        format!("cat >{name}.yaml <<'END'\n{sweep}END\n{PROGRAM} dag {name}.yaml -o {name}");
    println!("{}", pool.shell(USER, "sweeps", &command));
}

/// Submits the DAG; the cluster of DAGMan.
pub(crate) fn submit(pool: &Pool, name: &str) -> u64 {
    let answer =
        pool.shell(USER, &format!("sweeps/{name}"), "condor_submit_dag -update_submit sweep.dag");
    let cluster = answer.lines().rev().find_map(|line| {
        line.split_once("submitted to cluster ")?.1.trim_end_matches('.').parse().ok()
    });
    cluster.unwrap_or_else(|| panic!("no cluster in {answer}"))
}

/// Waits until DAGMan has ended; its exit status.
pub(crate) fn exit_status(pool: &Pool, dag: u64) -> String {
    pool.wait_for("the end of the DAG", || !is_in_queue(pool, dag));
    let history = pool.root_shell(&format!("condor_history {dag} -limit 1 -af ExitCode"));
    history.trim().to_owned()
}

/// Waits until DAGMan has ended, and demands that it ended well.
pub(crate) fn wait(pool: &Pool, name: &str, dag: u64) {
    let status = exit_status(pool, dag);
    if status != "0" {
        let folder = format!("sweeps/{name}");
        let said =
            "tail -n 60 sweep.dag.dagman.out; tail -n 30 logs/*.err logs/*/*.err 2>/dev/null; true";
        panic!("DAGMan ended with {status}:\n{}", pool.shell(USER, &folder, said));
    }
}

/// A job is there and not removed.
pub(crate) fn is_in_queue(pool: &Pool, cluster: u64) -> bool {
    !pool.root_shell(&format!("condor_q {cluster} -allusers -af JobStatus")).trim().is_empty()
}
