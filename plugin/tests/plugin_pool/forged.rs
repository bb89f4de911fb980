//! Advice that users write themselves.

use std::time::Duration;

use crate::harness::Pool;
use crate::setup::{COUNTS, submit, value};

const NAMES: &str =
    "HoldAdvice HoldAdviceRelease HoldAdviceNumHolds HoldAdviceEntered HoldAdviceExpires";

const FORGED: &str = "+HoldAdvice = \"release\"\n+HoldAdviceRelease = true\nMY.HoldAdviceNumHolds = NumHolds\n\
     +HoldAdviceEntered = EnteredCurrentStatus\n+HoldAdviceExpires = 4000000000\n+holdadvicenew = 1";

/// The job transform takes it out, of jobs that materialize late too.
pub(crate) fn not_at_submission(pool: &Pool) {
    let held = submit(pool, "alice", "forged", &format!("{FORGED}\nhold = true"), 2);
    let late = format!("{FORGED}\nrequirements = false\nmax_materialize = 2");
    let late = submit(pool, "alice", "forged-late", &late, 4);
    pool.wait_for(Duration::from_secs(60), "the first procs", || {
        !pool.root_shell(&format!("condor_q {} -af ProcId", late[1])).trim().is_empty()
    });
    for job in held.iter().chain(&late[..2]) {
        // The advisor itself says something of a job on hold, and never that.
        let counts =
            format!("HoldAdviceRelease =?= true || HoldAdviceExpires =?= 4000000000 && {COUNTS}");
        assert_eq!(value(pool, job, &counts), "false", "{job}");
    }
    let cluster = late[0].split('.').next().unwrap_or_default().to_owned();
    pool.root_shell(&format!(
        "condor_rm {cluster} {}",
        held[0].split('.').next().unwrap_or_default()
    ));
}

/// PROTECTED_JOB_ATTRS: the owner cannot edit it, and says so.
pub(crate) fn not_by_qedit(pool: &Pool, job: &str) {
    let before = value(pool, job, "HoldAdvice");
    for name in NAMES.split(' ').chain(["holdadvicerelease"]) {
        let edited = pool.try_run("alice", &["condor_qedit", job, name, "true"]);
        assert!(edited.is_err(), "{name}: {edited:?}");
    }
    assert_eq!(value(pool, job, "HoldAdvice"), before);
    assert_ne!(value(pool, job, "HoldAdviceRelease"), "true");
}

/// Nor does a running job set it.
pub(crate) fn not_by_chirp(pool: &Pool) {
    let chirp = "printf '#!/bin/sh\\nPATH=$PATH:/usr/libexec/condor\\ncondor_chirp set_job_attr HoldAdviceRelease true\\n\
         condor_chirp set_job_attr_delayed HoldAdvice 1\\ncondor_chirp set_job_attr ChirpedHere 1\\nexit 0\\n' >chirp.sh\n\
         chmod +x chirp.sh";
    pool.shell("bob", "chirp", chirp);
    let lines = "executable = chirp.sh\n+WantIOProxy = true\n+WantDelayedUpdates = true";
    let jobs = submit(pool, "bob", "chirp", lines, 1);
    let ads = pool.settle(&jobs, Duration::from_secs(180));
    let ad = &ads[&jobs[0]];
    assert_eq!(ad["JobStatus"], 4, "{ad}");
    assert_eq!(ad["ChirpedHere"], 1, "chirp works in this pool");
    assert!(ad["HoldAdviceRelease"] != true && ad.get("HoldAdvice").is_none(), "{ad}");
}
