//! What goes wrong while a sweep runs.

use std::cell::Cell;

use crate::harness::Pool;
use crate::setup::{USER, is_in_queue, submit, wait};

/// Runs a sweep through all of it.
pub(crate) fn play(pool: &Pool, name: &str) {
    let dag = submit(pool, name);
    // Tracking goes first: nothing may depend on it.
    let tracking = node(pool, "track");
    pool.shell(USER, ".", &format!("condor_rm {tracking}"));

    // A training that has begun is killed, and one is sent away from its machine.
    let killed = node(pool, "trial-002-rung-1");
    pool.wait_for("an epoch of trial 2", || {
        pool.root_shell(
            "pkill -KILL -f '[h]oldadvise-train train .*--trial 002 ' && echo killed || true",
        )
        .contains("killed")
    });
    println!("trial 2 killed ({killed})");
    let vacated = node(pool, "trial-003-rung-1");
    pool.wait_for("trial 3 to run", || status(pool, vacated) == "2");
    pool.shell(USER, ".", &format!("condor_vacate_job {vacated}"));
    println!("trial 3 vacated ({vacated})");

    // DAGMan is removed on the second rung, with what it runs, and goes on from its rescue file.
    let folder = format!("sweeps/{name}");
    pool.wait_for("the second rung", || {
        pool.shell(USER, &folder, "test -e rungs/rung1.json && echo yes || true").contains("yes")
    });
    pool.shell(USER, ".", &format!("condor_rm {dag}"));
    pool.wait_for("the end of the removed DAG", || !is_in_queue(pool, dag));
    let rescue = pool.shell(USER, &folder, "ls");
    assert!(rescue.contains("sweep.dag.rescue001"), "no rescue file: {rescue}");
    // A DAGMan that ends while its FINAL node is being removed with it leaves its lock behind, and
    // the next one would wait for that node for ever instead of beginning from the rescue file.
    pool.shell(USER, &folder, "rm -f sweep.dag.lock");
    let again = submit(pool, name);
    wait(pool, name, again);
}

/// The cluster of a node's job, once it is submitted.
fn node(pool: &Pool, name: &str) -> u64 {
    let found = Cell::new(None);
    pool.wait_for(name, || {
        let constraint = format!("DAGNodeName == \"{name}\"");
        let id =
            pool.shell(USER, ".", &format!("condor_q -constraint '{constraint}' -af ClusterId"));
        found.set(id.trim().parse().ok());
        found.get().is_some()
    });
    found.get().expect("it was waited for")
}

fn status(pool: &Pool, cluster: u64) -> String {
    pool.shell(USER, ".", &format!("condor_q {cluster} -af JobStatus")).trim().to_owned()
}
