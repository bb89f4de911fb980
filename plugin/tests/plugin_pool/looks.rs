//! Looks at users' files: two jobs are held for input that is not there, and their advice follows
//! the files.

use crate::harness::Pool;
use crate::setup::{COUNTS, count, submit, value};

const PROGRAM: &str = "/usr/libexec/condor/condor_holdadvise_looks";
const RECORDS: &str = "/var/lib/condor-holdadvise-looks";

pub(crate) fn are_followed(pool: &Pool) {
    let owners = ["alice", "bob"];
    let mut jobs = Vec::new();
    for owner in owners {
        // Its folder is closed to everybody else.
        pool.shell(owner, "looks", "chmod 700 .");
        jobs.extend(submit(pool, owner, "looks", "transfer_input_files = data.txt", 1));
    }
    let of = format!("({})", jobs.iter().map(|job| of_job(job)).collect::<Vec<_>>().join(" || "));
    pool.wait_for("advice without looks", || {
        count(pool, &format!("{COUNTS} && {of}")) == jobs.len()
    });
    for job in &jobs {
        let reason = value(pool, job, "HoldAdviceReason");
        assert!(!reason.contains("data.txt is"), "nobody looked: {reason}");
    }

    let is_said = |says: &str, advice: &str| {
        let looked = pool.root_shell(PROGRAM);
        assert_eq!(looked, "Looked at the files of 2 of 2 owners of held jobs\n");
        pool.wait_for(says, || {
            jobs.iter().all(|job| value(pool, job, "HoldAdviceReason").contains(says))
        });
        for job in &jobs {
            assert_eq!(value(pool, job, "HoldAdvice"), advice, "{job}");
            println!("{advice}: {}", value(pool, job, "HoldAdviceReason"));
        }
    };
    is_said("data.txt is still not there", "change");
    records_are_for_the_account_of_htcondor(pool);
    for owner in owners {
        pool.shell(owner, "looks", "echo 1 >data.txt");
    }
    is_said("data.txt is there and can be read", "release");

    let clusters: Vec<&str> = jobs.iter().map(|job| job.trim_end_matches(".0")).collect();
    pool.root_shell(&format!("condor_rm {}; rm -r {RECORDS}", clusters.join(" ")));
}

fn of_job(job: &str) -> String {
    let (cluster, _) = job.split_once('.').unwrap();
    format!("ClusterId == {cluster}")
}

fn records_are_for_the_account_of_htcondor(pool: &Pool) {
    let record = format!("{RECORDS}/bob.json");
    let as_condor = format!("setpriv --reuid condor --regid condor --clear-groups cat {record}");
    assert!(pool.root_shell(&as_condor).contains("/looks/data.txt"));
    for user in ["alice", "bob"] {
        assert!(pool.try_run(user, &["cat", &record]).is_err(), "{user}");
        assert!(pool.try_run(user, &["ls", RECORDS]).is_err(), "{user}");
    }
}
