//! Advice that users write themselves.

use crate::harness::Pool;
use crate::setup::{COUNTS, submit, value};

const NAMES: &str =
    "HoldAdvice HoldAdviceRelease HoldAdviceNumHolds HoldAdviceEntered HoldAdviceExpires";

/// Lines of a submit description: advice that would count for ever.
pub(crate) const FORGED: &str = "+HoldAdvice = \"release\"\n+HoldAdviceRelease = true\nMY.HoldAdviceNumHolds = NumHolds\n\
     +HoldAdviceEntered = EnteredCurrentStatus\n+HoldAdviceExpires = 4000000000\n+holdadvicenew = 1";

/// It never counts, and the first pass over the held job overwrites it. The schedd logs no
/// transform of jobs but those that it has itself.
pub(crate) fn not_at_submission(pool: &Pool) {
    let held = submit(pool, "alice", "forged", &format!("{FORGED}\nhold = true"), 2);
    for job in &held {
        is_none(pool, job);
    }
    pool.wait_for("the advisor's own word", || {
        is_none(pool, &held[1]);
        value(pool, &held[1], "HoldAdviceRelease") == "false"
    });
    let plain = submit(pool, "alice", "plain", "hold = true", 50);
    let of_condor = value(pool, &held[0], "CondorVersion").contains(" 23.");
    let of_condor = usize::from(!of_condor);
    let transforms = "grep -a job_transforms /var/log/condor/SchedLog || true";
    for line in pool.root_shell(transforms).lines() {
        assert!(line.contains(&format!(": {of_condor} considered")), "{line}");
    }
    for job in [&held[0], &plain[0]] {
        let cluster = job.split('.').next().unwrap_or_default();
        pool.root_shell(&format!("condor_rm {cluster}"));
    }
}

/// The advisor itself says something of a job on hold, and never that.
pub(crate) fn is_none(pool: &Pool, job: &str) {
    let counts =
        format!("{COUNTS} && (HoldAdviceRelease =?= true || HoldAdviceExpires =?= 4000000000)");
    assert_eq!(value(pool, job, &counts), "false", "{job}");
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

/// Nor does a running job set it, at once or with the starter's updates.
pub(crate) fn not_by_chirp(pool: &Pool) {
    let set = |how: &str, name: &str| format!("condor_chirp {how} {name} true\\n");
    let mut script = "#!/bin/sh\\nPATH=$PATH:/usr/libexec/condor\\n".to_owned();
    for how in ["set_job_attr", "set_job_attr_delayed"] {
        script.extend(NAMES.split(' ').map(|name| set(how, name)));
    }
    script += &set("set_job_attr", "ChirpedHere");
    script += &set("set_job_attr_delayed", "ChirpedLater");
    pool.shell("bob", "chirp", &format!("printf '{script}exit 0\\n' >chirp.sh; chmod +x chirp.sh"));
    let lines = "executable = chirp.sh\n+WantIOProxy = true\n+WantDelayedUpdates = true";
    let jobs = submit(pool, "bob", "chirp", lines, 1);
    let ads = pool.settle(&jobs);
    let ad = &ads[&jobs[0]];
    assert_eq!(ad["JobStatus"], 4, "{ad}");
    assert!(ad["ChirpedHere"] == true && ad["ChirpedLater"] == true, "chirp works: {ad}");
    for name in NAMES.split(' ') {
        assert_ne!(ad[name], true, "{name}: {ad}");
    }
}
