//! Nodes that bring the program with them, and a model in use to compare with.

use std::process::Command;

use holdadvise_train::sweep::folder::read_parameters;

use crate::harness::Pool;
use crate::setup::{USER, plan, repository, submit, wait};

const SWEEP: &str = "\
name: tarball
seed: 5
data: {simulations: [simulation], horizon: 12h, least_validation_rows: 1}
training:
  parameters:
    hidden: {values: [8, 16]}
    learning_rate: {distribution: log_uniform_values, min: 1e-3, max: 1e-2}
    trees: {value: 20}
method: random
trials: 4
budget: {rungs: 2, eta: 2, epochs: 4}
champion: in-use.pt
resources: {gpus: 0, cpus: 1, memory: 1GB, disk: 2GB, retries: 1}
program: {tarball: program.tar.gz}
";

/// Begins the sweep, with the shipped model in use; the cluster of DAGMan.
pub(crate) fn begin(pool: &Pool, name: &str) -> u64 {
    let home = format!("/home/{USER}/sweeps");
    let packed = Command::new(repository().join("scripts/node-tarball"))
        .args(["--program", env!("CARGO_BIN_EXE_holdadvise-train"), "-o"])
        .arg(pool.path(&format!("{home}/program.tar.gz")))
        .status()
        .unwrap();
    assert!(packed.success(), "scripts/node-tarball: {packed}");
    let champion = repository().join("models/default.pt");
    std::fs::copy(champion, pool.path(&format!("{home}/in-use.pt"))).unwrap();
    plan(pool, name, SWEEP);
    submit(pool, name)
}

/// Waits for its end.
pub(crate) fn end(pool: &Pool, name: &str, dag: u64) {
    wait(pool, name, dag);
    let folder = pool.path(&format!("/home/{USER}/sweeps/{name}"));
    for trial in 1..=4 {
        let parameters = read_parameters(&folder, trial).unwrap();
        assert!(parameters.contains_key("learning_rate"), "trial {trial}: {parameters:?}");
    }
    let verdict = std::fs::read_to_string(folder.join("verdict.txt")).unwrap();
    println!("{}", verdict.lines().next().unwrap_or_default());
    let words = ["better\n", "worse\n", "no difference that these holds can show\n"];
    assert!(words.iter().any(|word| verdict.starts_with(word)), "{verdict}");
    assert!(verdict.contains("this figure decides"), "{verdict}");
    let events = std::fs::read_to_string(folder.join("logs/events.log")).unwrap();
    assert!(!events.contains("Job was held"), "{events}");
}
