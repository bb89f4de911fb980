//! A sweep on an execution point whose disk somebody else has filled, and its rescue when there is
//! space again.

use crate::harness::Pool;
use crate::setup::{USER, exit_status, plan, submit, wait};

/// The program of a node, after a neighbour has taken all the space but 1 MB.
const PROGRAM: &str = "/opt/holdadvise/bin/beside-a-neighbour";

const SWEEP: &str = "\
name: full disk
data: {simulations: [simulation], horizon: 12h, least_validation_rows: 1}
training: {parameters: {hidden: {value: 8}, trees: {value: 0}}}
method: random
trials: 1
budget: {rungs: 1, epochs: 1}
resources: {gpus: 0, cpus: 1, memory: 1GB, disk: 100MB, retries: 0}
program: {installed: /opt/holdadvise/bin/beside-a-neighbour}
";

/// Plays it.
pub(crate) fn play(pool: &Pool, name: &str) {
    // A disk of its own, of which a neighbour may write to one folder.
    let execute = pool.root_shell("condor_config_val EXECUTE").trim().to_owned();
    pool.root_shell(&format!(
        "mount -t tmpfs -o size=600m tmpfs {execute} && chown condor: {execute} && chmod 755 {execute} && mkdir -m 1777 {execute}/neighbour\n\
         cat >{PROGRAM} <<'END'\n\
         #!/bin/sh\n\
         free=$(df --output=avail --block-size=1 {execute}/neighbour | tail -n 1)\n\
         [ -e /opt/holdadvise/corrected ] || head -c $((free - 1000000)) /dev/zero >{execute}/neighbour/core.$$\n\
         exec /opt/holdadvise/bin/holdadvise-train \"$@\"\n\
         END\n\
         chmod 755 {PROGRAM}"
    ));
    plan(pool, name, SWEEP);
    let dag = submit(pool, name);
    let status = exit_status(pool, dag);
    assert_eq!(status, "1", "DAGMan of a sweep on a full disk");
    let folder = format!("sweeps/{name}");
    let said = pool.shell(
        USER,
        &folder,
        "cat logs/finish.err logs/prepare/shard-001-001.err; ls prepared/001",
    );
    println!("{said}");
    assert!(
        said.contains("shard-001-001: ") && said.contains("condor_submit_dag sweep.dag"),
        "{said}"
    );
    assert!(said.contains("No space left on device"), "{said}");
    assert!(!said.contains("safetensors\n"), "half a file came back: {said}");

    pool.root_shell(&format!("touch /opt/holdadvise/corrected && rm {execute}/neighbour/*"));
    let again = submit(pool, name);
    wait(pool, name, again);
    let model = pool.path(&format!("/home/{USER}/{folder}/bestmodel.pt"));
    assert!(model.exists(), "{}", model.display());
    pool.root_shell(&format!("umount -l {execute} && rm /opt/holdadvise/corrected"));
}
