//! `-apply` on a real HTCondor pool without an event log: jobs are changed and released, races are
//! lost without harm, a HOLD script looks after a node of a DAG, and three users get over an outage
//! of a file server.
//!
//! Played only when asked, as `tests/pool_story.rs`.

mod outage;

use crate::pool::advice;
use crate::pool::harness::{COMPLETED, HELD, Pool};
use outage::Outage;

/// A program that needs more memory than its job asks for.
const HOG: &str = "printf '#!/usr/bin/python3\\nimport time\\nx = b\"1\" * (200 << 20)\\ntime.sleep(20)\\n' >run.sh; chmod +x run.sh";

const SUBMIT: &str = "executable = run.sh\nlog = job.log\nrequest_cpus = 1\nrequest_memory = 64\nrequest_disk = 1M\n\
                      should_transfer_files = YES\nwhen_to_transfer_output = ON_EXIT";

/// Whose DAG it is: nobody who has other jobs that are held for their memory, as these would wait
/// for each other.
const DAG_USER: &str = "carol";

#[test]
fn advice_is_carried_out_in_a_real_pool() {
    let Some(pool) = Pool::or_skip(|| Pool::up_as("apply")) else { return };
    let Some(program) = advice::program() else {
        println!("skipped: -apply, for want of condor_holdadvise");
        return;
    };
    pool.install(&program);
    let outage = Outage::begin(&pool);
    let dag = submit_dag(&pool);
    pool.shell("alice", "hog", HOG);
    let hogs: Vec<String> = (0..3).map(|_| pool.submit("alice", "hog", SUBMIT)).collect();
    let ads = pool.settle(&hogs);
    assert!(ads.values().all(|ad| ad["JobStatus"] == HELD), "{ads:?}");

    another_user_changes_nothing(&pool, &hogs[0]);
    a_job_that_is_held_anew_meanwhile_is_left(&pool, &hogs[0]);
    an_edit_without_a_release_is_taken_back(&pool, &hogs[1]);
    the_others_run_with_more_memory(&pool, &hogs[1..]);
    the_node_ends_without_anybody(&pool, &dag);
    outage.lasts(&pool);
    outage.is_over(&pool);
    outage.ends_for_its_jobs_alone(&pool);
}

fn request(pool: &Pool, job: &str) -> (i64, i64, i64) {
    let ad = &pool.ads(&[job.to_owned()])[job];
    let number = |name: &str| ad[name].as_i64().unwrap_or(-1);
    (number("JobStatus"), number("RequestMemory"), number("NumHolds"))
}

/// bob may ask for everybody's jobs; the schedd does nothing for him.
fn another_user_changes_nothing(pool: &Pool, job: &str) {
    let before = request(pool, job);
    let words = ["condor_holdadvise", "-apply", "change", "-yes", "-allusers", job];
    let said = pool.try_run("bob", &words).unwrap_err();
    assert!(said.contains("nothing was done"), "{said}");
    assert_eq!(request(pool, job), before);
    // Without -allusers they are none of his business.
    let said =
        pool.try_run("bob", &["condor_holdadvise", "-apply", "change", "-yes", job]).unwrap();
    assert!(said.contains("0 to act on now"), "{said}");
}

/// Puts a script on PATH before a tool: what it does comes first, or instead.
fn before(pool: &Pool, tool: &str, script: &str) {
    pool.shell(
        "alice",
        "bin",
        &format!("printf '%s\\n' '#!/bin/sh' {script} >{tool}; chmod +x {tool}"),
    );
}

/// `-apply change` for a job, with these scripts before HTCondor's tools.
fn apply(pool: &Pool, job: &str) -> String {
    let command =
        format!("PATH=$HOME/bin:$PATH condor_holdadvise -apply change -yes {job} 2>&1 || true");
    let said = pool.shell("alice", "bin", &command);
    pool.shell("alice", "bin", "rm -f *");
    said
}

/// Between judging and acting somebody releases it and holds it again.
fn a_job_that_is_held_anew_meanwhile_is_left(pool: &Pool, job: &str) {
    let (_, memory, holds) = request(pool, job);
    let script = format!(
        "'/bin/rm -- \"$0\"' '/usr/bin/condor_release {job} >/dev/null' '/usr/bin/condor_hold -reason mine {job} >/dev/null' \
         'exec /usr/bin/condor_qedit \"$@\"'"
    );
    before(pool, "condor_qedit", &script);
    let said = apply(pool, job);
    assert!(said.contains("was not"), "{said}");
    assert_eq!(request(pool, job), (HELD, memory, holds + 1), "{said}");
}

/// The edit is made, and the release fails.
fn an_edit_without_a_release_is_taken_back(pool: &Pool, job: &str) {
    let before_it = request(pool, job);
    before(pool, "condor_release", "'exit 1'");
    let said = apply(pool, job);
    assert!(said.contains("its edit was taken back"), "{said}");
    assert_eq!(request(pool, job), before_it);
}

fn the_others_run_with_more_memory(pool: &Pool, jobs: &[String]) {
    pool.wait_for("the end of the jobs that were changed", || {
        pool.shell("alice", "hog", "condor_holdadvise -apply change -yes || true");
        pool.ads(jobs).values().all(|ad| ad["JobStatus"] == COMPLETED)
    });
    for job in jobs {
        assert!(request(pool, job).1 > 200, "{job}");
    }
    let said = pool.shell("alice", "hog", "condor_holdadvise -outcomes -json");
    let rows: Vec<serde_json::Value> = serde_json::from_str(&said).expect("rows");
    let all = &rows.last().expect("all")["Figures"];
    assert!(all["Succeeded"].as_i64() >= Some(2), "{said}");
    // One submit description made each of them: what was asked for stood in the ad of the cluster.
    let journal =
        pool.shell("alice", "hog", "cat ~/.local/state/condor-holdadvise/journal/*.jsonl");
    assert!(journal.contains("\"Old\":\"64\",\"StoodIn\":\"Cluster\""), "{journal}");
}

/// A DAG of one node of two procs that need more memory, and its HOLD script.
fn submit_dag(pool: &Pool) -> String {
    pool.shell(DAG_USER, "dag", HOG);
    // Two HOLD scripts of a node at a time end DAGMan.
    let dag = "CONFIG a.config\nJOB A a.sub\nSCRIPT HOLD A /usr/local/bin/condor_holdadvise -apply change -yes -dagnode $NODE $DAGID";
    let command = format!(
        "cat >a.sub <<'END'\n{SUBMIT}\nqueue 2\nEND\necho DAGMAN_MAX_HOLD_SCRIPTS = 1 >a.config\ncat >a.dag <<'END'\n{dag}\nEND\n\
         condor_submit_dag a.dag | sed -n 's/.*submitted to cluster \\([0-9]*\\).*/\\1.0/p'"
    );
    pool.shell(DAG_USER, "dag", &command).trim().to_owned()
}

fn the_node_ends_without_anybody(pool: &Pool, dag: &str) {
    let jobs = [dag.to_owned()];
    let ads = pool.settle(&jobs);
    let said = || pool.shell(DAG_USER, "dag", "grep -E 'HOLD script|ERROR' a.dag.dagman.out");
    let end = (&ads[dag]["JobStatus"], &ads[dag]["ExitCode"]);
    assert_eq!(end, (&COMPLETED.into(), &0.into()), "{}", said());
    // DAGMan plays old holds again in recovery: the script does nothing.
    let lines =
        "cat $HOME/.local/state/condor-holdadvise/journal/*.jsonl | grep -c '\"Kind\":\"Act\"'";
    let before = pool.shell(DAG_USER, "dag", lines);
    let id = dag.trim_end_matches(".0");
    let again = format!(
        "for i in $(seq 100); do condor_holdadvise -stay-with-node -apply change -yes -dagnode A {id} >/dev/null; done"
    );
    pool.shell(DAG_USER, "dag", &again);
    assert_eq!(pool.shell(DAG_USER, "dag", lines), before);
}
