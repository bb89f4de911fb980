//! Outages of a file server, recorded on real pools: jobs that a plain release finished are never
//! to be removed, and are to be released once the server is back and others got through, with and
//! without an event log (`docs/records/outage.md`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use flate2::read::MultiGzDecoder;
use serde_json::Value;
use tempfile::TempDir;

/// A job as the program prints it, and what it recommends.
type Answers = BTreeMap<String, String>;

/// Unpacked logs in a folder of their own, of which the program is shown a part.
struct Place {
    dir: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { dir: TempDir::new().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    /// What the program recommends, by job.
    fn ask(&self, words: &[&str], now: i64) -> Answers {
        let output = Command::new(env!("CARGO_BIN_EXE_condor_holdadvise"))
            .args(words)
            .args(["-now", &now.to_string(), "-af:j", "Recommendation"])
            .current_dir(self.dir.path())
            .env_clear()
            .env("HOME", self.dir.path())
            // None of HTCondor's tools is there, nor any configuration.
            .env("PATH", self.dir.path())
            .env("TZ", "UTC")
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?} at {now}: {said}{errors}");
        let pair = |line: &str| {
            let (job, said) = line.split_once(' ').unwrap_or_else(|| panic!("{line:?}"));
            (job.to_owned(), said.to_owned())
        };
        said.lines().map(pair).collect()
    }
}

fn data(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(folder)
}

fn unpacked(path: &Path) -> Vec<u8> {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    MultiGzDecoder::new(file).read_to_end(&mut bytes).unwrap();
    bytes
}

/// How often each recommendation was made.
fn counted<'a>(said: impl IntoIterator<Item = &'a String>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for word in said {
        *counts.entry(word).or_default() += 1;
    }
    let words: Vec<String> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    words.join(", ")
}

// ---- A case of an independent pool: a server is down for four minutes.

/// The cluster that fetches from the server.
const CLUSTER: &str = "749.";
/// 2026-11-23 08:08:00 UTC, when the first jobs were on hold.
const FROM: i64 = 1_795_421_280;
/// 08:12:24, a minute after the server was back and before any job got through.
const ASKED: i64 = 1_795_421_544;

fn case() -> Place {
    let place = Place::new();
    for name in ["EventLog", "job.log"] {
        place.file(name, unpacked(&data("outage-cases").join(format!("{name}.gz"))));
    }
    place
}

/// No job of the cluster is to be removed, at any of the instants.
fn never_removed(words: &[&str]) {
    let place = case();
    let (mut faults, mut held) = (Vec::new(), 0);
    for now in (FROM..ASKED).step_by(30).chain([ASKED]) {
        let said = place.ask(words, now);
        let of_cluster: Vec<&String> =
            said.iter().filter(|(job, _)| job.starts_with(CLUSTER)).map(|(_, said)| said).collect();
        held += of_cluster.len();
        if of_cluster.iter().any(|said| *said == "remove") {
            faults.push(format!("at {now}: {}", counted(of_cluster)));
        }
    }
    assert!(held >= 1000, "{held} holds asked about");
    assert!(faults.is_empty(), "{words:?}:\n{}", faults.join("\n"));
}

#[test]
fn case_is_never_removed_by_both_logs() {
    never_removed(&["-eventlog", "EventLog", "-userlog", "job.log"]);
}

#[test]
fn case_is_never_removed_by_its_own_log() {
    never_removed(&["-userlog", "job.log"]);
}

#[test]
fn case_is_never_removed_by_the_event_log() {
    never_removed(&["-eventlog", "EventLog"]);
}

#[test]
fn case_finished_on_a_plain_release() {
    let log = String::from_utf8(unpacked(&data("outage-cases/job.log.gz"))).unwrap();
    let jobs = |number: &str| -> BTreeSet<&str> {
        let begin = format!("{number} (");
        log.lines().filter_map(|line| line.strip_prefix(&begin)?.split(')').next()).collect()
    };
    assert_eq!(jobs("012").len(), 150);
    assert_eq!(jobs("005"), jobs("012"));
    assert!(jobs("009").is_empty(), "removed");
    assert_eq!(log.matches("Normal termination (return value 0)").count(), 150);
}

// ---- The trial: `lab/trials/outage` on HTCondor 25.14, recorded. The server is down for ten
// minutes.

/// Every so many looks are replayed, and all of the first minutes after the server's return.
const STRIDE: usize = 3;

struct Trial {
    place: Place,
    what: Value,
    looks: Vec<Value>,
    /// The ad of each hold, by ProcId and NumHolds.
    ads: BTreeMap<(i64, i64), String>,
    logs: BTreeMap<&'static str, Vec<u8>>,
}

/// The logs, and what a look calls their sizes.
const LOGS: [(&str, &str); 3] =
    [("EventLog", "event log"), ("job.log", "job log"), ("epoch_history", "epochs")];

impl Trial {
    fn read() -> Self {
        let folder = data("outage-25.14");
        let text = |name: &str| String::from_utf8(unpacked(&folder.join(name))).unwrap();
        let number = |ad: &str, name: &str| -> i64 {
            let value = ad.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
            value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{name} in {ad}"))
        };
        let ads = text("ads.long.gz");
        let ads = ads.split("\n\n").filter(|ad| !ad.trim().is_empty());
        Self {
            place: Place::new(),
            what: serde_json::from_slice(&fs::read(folder.join("what.json")).unwrap()).unwrap(),
            looks: text("looks.jsonl.gz")
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect(),
            ads: ads
                .map(|ad| ((number(ad, "ProcId"), number(ad, "NumHolds")), ad.to_owned()))
                .collect(),
            logs: LOGS.map(|(name, _)| (name, unpacked(&folder.join(format!("{name}.gz"))))).into(),
        }
    }

    /// What is recommended at a look from what was there then.
    fn ask(&self, look: &Value, with_event_log: bool) -> Answers {
        let held = look["held"].as_array().unwrap();
        let ads: Vec<&str> = held
            .iter()
            .map(|hold| &*self.ads[&(hold[0].as_i64().unwrap(), hold[1].as_i64().unwrap())])
            .collect();
        self.place.file("held.long", ads.join("\n\n") + "\n");
        for (name, size) in LOGS {
            let size = usize::try_from(look["sizes"][size].as_u64().unwrap()).unwrap();
            self.place.file(name, &self.logs[name][..size]);
        }
        let mut words =
            vec!["-jobads", "held.long", "-userlog", "job.log", "-epochs", "epoch_history"];
        if with_event_log {
            words.extend(["-eventlog", "EventLog"]);
        }
        let said = self.place.ask(&words, look["time"].as_i64().unwrap());
        assert_eq!(said.len(), held.len(), "{look}");
        said
    }

    fn first_success(&self) -> i64 {
        self.what["first success"].as_i64().expect("a success")
    }

    /// Looks at which jobs were held, the one after the first success among them.
    fn replayed(&self) -> impl Iterator<Item = &Value> {
        let next = self.next_look();
        self.looks
            .iter()
            .filter(|look| !look["held"].as_array().unwrap().is_empty())
            .enumerate()
            .filter(move |(number, look)| number % STRIDE == 0 || look["time"] == next["time"])
            .map(|(_, look)| look)
    }

    /// The first look after others got through.
    fn next_look(&self) -> &Value {
        let first = self.first_success();
        let after = |look: &&Value| {
            look["time"].as_i64().unwrap() >= first && !look["held"].as_array().unwrap().is_empty()
        };
        self.looks.iter().find(after).expect("a look after the first success")
    }

    fn is_never_removed(&self, with_event_log: bool) {
        let mut faults = Vec::new();
        for look in self.replayed() {
            let said = self.ask(look, with_event_log);
            if said.values().any(|said| said == "remove") {
                faults.push(format!("after {} s: {}", look["after"], counted(said.values())));
            }
        }
        assert!(faults.is_empty(), "advice to remove:\n{}", faults.join("\n"));
    }

    fn is_released_within_a_look(&self, with_event_log: bool) {
        let look = self.next_look();
        let said = self.ask(look, with_event_log);
        assert!(
            said.values().all(|said| said == "release"),
            "after {} s, others got through from {} on: {}",
            look["after"],
            self.first_success(),
            counted(said.values())
        );
    }
}

#[test]
fn trial_is_what_it_is_meant_to_be() {
    let trial = Trial::read();
    assert_eq!((&trial.what["jobs"], &trial.what["finished"]), (&150.into(), &150.into()));
    let outage =
        trial.what["server back"].as_f64().unwrap() - trial.what["begun"].as_f64().unwrap();
    assert!((outage - 600.0).abs() < 1.0, "down for {outage} s");
    let down = trial.looks.iter().filter(|look| look["server"] == "down");
    assert!(down.count() >= 18, "a look every half minute");
    let again = trial.ads.keys().filter(|(_, holds)| *holds > 1).count();
    assert!(again >= 100, "{again} releases failed during the outage");
    assert!(trial.ads.values().all(|ad| ad.contains("HoldReasonCode = 13\n")));
    assert!(trial.replayed().count() >= 8);
}

#[test]
fn trial_is_never_removed_with_an_event_log() {
    Trial::read().is_never_removed(true);
}

#[test]
fn trial_is_never_removed_without_an_event_log() {
    Trial::read().is_never_removed(false);
}

#[test]
fn trial_is_released_within_a_look_with_an_event_log() {
    Trial::read().is_released_within_a_look(true);
}

#[test]
fn trial_is_released_within_a_look_without_an_event_log() {
    Trial::read().is_released_within_a_look(false);
}

// ---- What the case shows besides.

#[test]
fn case_is_tried_once_jobs_of_others_have_fetched() {
    let place = case();
    for words in [&["-eventlog", "EventLog", "-userlog", "job.log"][..], &["-eventlog", "EventLog"]]
    {
        let said = place.ask(words, ASKED);
        let of_cluster = said.iter().filter(|(job, _)| job.starts_with(CLUSTER));
        assert_eq!(counted(of_cluster.map(|(_, said)| said)), "150 try", "{words:?}");
    }
}

#[test]
fn a_wait_says_when_to_look_again() {
    let place = case();
    let mut command = Command::new(env!("CARGO_BIN_EXE_condor_holdadvise"));
    command.current_dir(place.dir.path()).env_clear().env("HOME", place.dir.path());
    command.env("PATH", place.dir.path()).env("TZ", "UTC");
    command.args(["-userlog", "job.log", "-now", &ASKED.to_string(), "-json"]);
    let said = command.output().unwrap();
    let advices: Vec<Value> = serde_json::from_slice(&said.stdout).unwrap();
    let mut waits = 0;
    for advice in advices.iter().filter(|advice| advice["Recommendation"] == "wait") {
        assert!(advice["LookAgain"].as_i64().unwrap() > ASKED, "{advice}");
        waits += 1;
    }
    assert!(waits > 0, "nothing waits");
}
