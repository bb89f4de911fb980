//! A recorded outage of a file server: 150 jobs are held, ten at a time are released by hand while it lasts, and all finish on a
//! plain release afterwards (`tests/data/README.md`). None may be advised to be removed, whatever is at hand.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use flate2::read::MultiGzDecoder;
use serde_json::Value;

/// Seconds from the first hold of the cluster to the first job that began after the outage, in UTC.
const FIRST_HOLD: i64 = 1_795_421_275;
const FIRST_START: i64 = 1_795_421_558;
/// A minute after the server was back; 40 other jobs with the same input had begun by then.
const BACK: i64 = 1_795_421_544;
const CLUSTER: &str = "749";

struct Case {
    folder: tempfile::TempDir,
}

impl Case {
    fn unpacked() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/outage-cases");
        for name in ["EventLog", "job.log"] {
            let packed = File::open(data.join(format!("{name}.gz"))).expect("the recording");
            let mut file = File::create(folder.path().join(name)).unwrap();
            std::io::copy(&mut MultiGzDecoder::new(packed), &mut file).unwrap();
        }
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// How many held jobs of the cluster are advised what.
    fn advised(&self, now: i64, logs: &[(&str, &str)]) -> BTreeMap<String, usize> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_condor_holdadvise"));
        command.env("TZ", "UTC").env("HOME", self.folder.path()).env("PATH", "/nonexistent");
        for (option, log) in logs {
            command.arg(option).arg(self.path(log));
        }
        let now = now.to_string();
        let output = command.args(["-now", &now, "-af", "ClusterId", "Recommendation"]).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut counts = BTreeMap::new();
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let (cluster, advice) = line.split_once(' ').expect("two columns");
            if cluster == CLUSTER {
                *counts.entry(advice.to_owned()).or_insert(0) += 1;
            }
        }
        counts
    }
}

const BOTH: &[(&str, &str)] = &[("-eventlog", "EventLog"), ("-userlog", "job.log")];
const JOB_LOG: &[(&str, &str)] = &[("-userlog", "job.log")];
const EVENT_LOG: &[(&str, &str)] = &[("-eventlog", "EventLog")];

#[test]
fn no_job_of_an_outage_is_removed() {
    let case = Case::unpacked();
    for logs in [BOTH, JOB_LOG, EVENT_LOG] {
        let mut judged = 0;
        for now in (FIRST_HOLD..FIRST_START).step_by(30).chain([BACK]) {
            let advised = case.advised(now, logs);
            assert_eq!(advised.get("remove"), None, "{logs:?} at {now}: {advised:?}");
            judged += advised.values().sum::<usize>();
        }
        assert!(judged > 500, "{logs:?}: {judged} advices");
    }
}

#[test]
fn the_server_is_back_once_others_have_fetched_from_it() {
    let case = Case::unpacked();
    for logs in [BOTH, EVENT_LOG] {
        let advised = case.advised(BACK, logs);
        assert_eq!(advised.keys().collect::<Vec<_>>(), ["release"], "{logs:?}: {advised:?}");
    }
    let waits = case.advised(BACK, JOB_LOG);
    assert_eq!(waits.get("release"), None, "nothing in the job log shows it: {waits:?}");
}

#[test]
fn a_wait_says_when_to_look_again() {
    let case = Case::unpacked();
    let mut command = Command::new(env!("CARGO_BIN_EXE_condor_holdadvise"));
    command.env("TZ", "UTC").env("HOME", case.folder.path()).env("PATH", "/nonexistent");
    command.arg("-userlog").arg(case.path("job.log")).arg("-now").arg(BACK.to_string());
    let output = command.arg("-json").output().unwrap();
    let advices: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let waits = advices.iter().filter(|advice| advice["Recommendation"] == "wait");
    let mut count = 0;
    for advice in waits {
        assert!(advice["LookAgain"].as_i64().unwrap() >= BACK + 600, "{advice}");
        assert!(!advice["WaitFor"].as_str().unwrap().is_empty());
        count += 1;
    }
    assert!(count > 0, "nothing waits");
}
