//! A short closed loop on a real HTCondor pool (`lab/trials/closed-loop --smoke`): one
//! schedule, played by somebody who does what the printed advice says, and by a copied policy.
//!
//! Played only when asked, as `tests/pool_story.rs`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::pool::advice;
use crate::pool::harness::{NoPool, Pool};

/// Numbers of the clusters of the schedule (`lab/trials/closed-loop-plan`).
const SERVER_AWAY: i64 = 1;
const TOO_LITTLE_MEMORY: i64 = 2;
const INPUT_GONE: i64 = 3;

#[test]
fn advice_is_followed_by_its_text_alone() {
    if !Pool::is_asked_for() {
        return;
    }
    let Some(program) = advice::program() else {
        println!("skipped: a closed loop, for want of condor_holdadvise");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let Some(()) = Pool::or_skip(|| play(&program, folder.path())) else { return };
    let advised = Arm::read(folder.path(), "advice");
    every_held_job_has_an_answer(&advised);
    only_what_is_printed_is_pasted(&advised);
    nothing_is_released_but_by_what_was_pasted(&advised);
    let by_cluster = |arm: &Arm, number| arm.ends(number);
    assert_eq!(by_cluster(&advised, SERVER_AWAY), ["finished"; 3], "the server came back");
    assert_eq!(by_cluster(&advised, TOO_LITTLE_MEMORY), ["finished"; 2], "more was requested");
    assert_eq!(by_cluster(&advised, INPUT_GONE), ["held"; 2], "nobody can put it back");
    let copied = Arm::read(folder.path(), "copied-60");
    assert!(
        copied.ends(TOO_LITTLE_MEMORY).iter().all(|end| end != "finished"),
        "a policy gives no memory: {:?}",
        copied.ends(TOO_LITTLE_MEMORY)
    );
    assert!(copied.jobs.iter().flat_map(releases).all(|by| by == "policy"));
}

/// Whoever reads the text alone learns of each held job what scripts are given.
#[test]
fn the_text_says_what_json_says() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = repository.join("tests/data/pool-23.9");
    let now = fs::read_to_string(data.join("held.time")).unwrap();
    let ask = |form: &[&str]| {
        let mut call = Command::new(env!("CARGO_BIN_EXE_condor_holdadvise"));
        for (option, file) in
            [("-jobads", "held.long"), ("-eventlog", "EventLog"), ("-epochs", "epoch_history")]
        {
            call.arg(option).arg(data.join(file));
        }
        let output = call.args(["-now", now.trim()]).args(form).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let json: Value = serde_json::from_str(&ask(&["-json"])).unwrap();
    let mut by_verdict = BTreeMap::<String, u64>::new();
    for job in json.as_array().unwrap() {
        *by_verdict.entry(job["Recommendation"].as_str().unwrap().to_uppercase()).or_default() += 1;
    }
    assert!(by_verdict.len() > 2, "{by_verdict:?}");
    let read = "import json, sys, printed_advice\nsays = {}\n\
                for block in printed_advice.blocks(sys.stdin.read()):\n \
                says[block.verdict] = says.get(block.verdict, 0) + block.jobs\n\
                print(json.dumps(says))";
    let mut python = Command::new("python3");
    python.args(["-c", read]).env("PYTHONPATH", repository.join("lab/trials"));
    python.env("PYTHONDONTWRITEBYTECODE", "1").stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut python) = python.spawn() else {
        println!("skipped: what the text says, for want of python3");
        return;
    };
    // Of many jobs a screen has room for a few.
    let each = json
        .as_array()
        .unwrap()
        .iter()
        .map(|job| ask(&[&format!("{}.{}", job["ClusterId"], job["ProcId"])]));
    python.stdin.take().unwrap().write_all(each.collect::<String>().as_bytes()).unwrap();
    let says = python.wait_with_output().unwrap();
    assert!(says.status.success());
    assert_eq!(serde_json::from_slice::<BTreeMap<String, u64>>(&says.stdout).unwrap(), by_verdict);
}

fn play(program: &Path, folder: &Path) -> Result<(), NoPool> {
    let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut call = Command::new(repository.join("lab/trials/closed-loop"));
    call.arg(folder).arg("--smoke").env("HOLDADVISE_POOL_PROGRAM", program);
    if std::env::var_os("HOLDADVISE_POOL_RELEASE").is_none() {
        call.env("HOLDADVISE_POOL_RELEASE", "trixie");
    }
    let output = call.stdin(Stdio::null()).output().unwrap();
    println!("{}", String::from_utf8_lossy(&output.stdout));
    NoPool::or_done(&output)
}

/// What came of an arm.
struct Arm {
    jobs: Vec<Value>,
    /// What the tool printed, and what was done.
    looks: Vec<Value>,
}

impl Arm {
    fn read(folder: &Path, name: &str) -> Self {
        let text = |file: String| fs::read_to_string(folder.join(file)).unwrap();
        let outcome: Value = serde_json::from_str(&text(format!("{name}.json"))).unwrap();
        let looks = text(format!("{name}.looks.jsonl"));
        Self {
            jobs: outcome["jobs"].as_array().unwrap().clone(),
            looks: looks.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        }
    }

    /// How the jobs of a cluster ended: `finished`, `held`, or the last that happened to them.
    fn ends(&self, number: i64) -> Vec<String> {
        let of_cluster = self.jobs.iter().filter(|job| job["number"] == number);
        of_cluster
            .map(|job| {
                let last = job["course"].as_array().and_then(|course| course.last()).unwrap();
                let finished = last[1] == "ended" && last[2] == true;
                if finished { "finished" } else { last[1].as_str().unwrap() }.to_owned()
            })
            .collect()
    }
}

/// Who released a job, each time.
fn releases(job: &Value) -> impl Iterator<Item = &str> {
    let course = job["course"].as_array().unwrap();
    course.iter().filter(|event| event[1] == "released").map(|event| event[2].as_str().unwrap())
}

fn every_held_job_has_an_answer(arm: &Arm) {
    let asked: Vec<&Value> = arm.looks.iter().filter(|look| look["asked"].is_array()).collect();
    for number in [SERVER_AWAY, TOO_LITTLE_MEMORY, INPUT_GONE] {
        assert!(
            asked.iter().any(|look| look["number"] == number),
            "cluster {number} was asked about"
        );
    }
    for look in asked {
        let held = look["asked"].as_array().unwrap().len() as u64;
        assert!(look["answered"].as_u64() >= Some(held), "{look:#}");
    }
    assert!(arm.looks.iter().all(|look| look["error"].is_null()), "{:#?}", arm.looks);
}

/// The lines of the last answer for the cluster, those for later as well.
fn only_what_is_printed_is_pasted(arm: &Arm) {
    let pasted: Vec<&Value> = arm.looks.iter().filter(|look| look["pasted"].is_array()).collect();
    assert!(!pasted.is_empty());
    for look in pasted {
        let texts = arm.looks.iter().filter(|other| other["cluster"] == look["cluster"]);
        // Commands stand behind a label; whoever pastes a call of the tool agrees to it.
        let printed: Vec<&str> = texts
            .filter_map(|other| other["text"].as_str())
            .flat_map(str::lines)
            .filter_map(|line| line.get(13..))
            .collect();
        for line in look["pasted"].as_array().unwrap() {
            let line = line.as_str().unwrap().trim_end_matches(" -yes");
            assert!(printed.contains(&line), "{line} in {printed:#?}");
        }
    }
}

/// The event log knows of no release that was not pasted.
fn nothing_is_released_but_by_what_was_pasted(arm: &Arm) {
    for job in &arm.jobs {
        let number = releases(job).inspect(|by| assert_eq!(*by, "person")).count();
        let is_of_job = |look: &&Value| {
            let procs = look["procs"].as_array();
            let lines = look["pasted"].as_array();
            look["number"] == job["number"]
                && procs.is_some_and(|procs| procs.contains(&job["proc"]))
                && lines.is_some_and(|lines| {
                    let releases = |line: &str| {
                        line.starts_with("condor_release ") || line.contains(" -apply ")
                    };
                    lines.iter().any(|line| releases(line.as_str().unwrap()))
                })
        };
        assert!(number <= arm.looks.iter().filter(is_of_job).count(), "{job:#}");
    }
}
