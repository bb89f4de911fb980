//! The recorded plays of faults (`docs/records/pool-faults.md`): what is in them, and that truth,
//! log and history agree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use eventlog::{JobId, ReadOptions};
use flate2::read::MultiGzDecoder;
use holdadvise::history::{Coverage, Episode, HistoryBuilder, NotedActions, Outcome, reason};
use jiff::tz::TimeZone;
use serde_json::Value;

/// Longer than any play, seconds.
const HORIZON: i64 = 86_400;
/// Keys of the oracle's answers.
const ACTIONS: [&str; 5] = ["as-is", "memory", "disk", "site", "other"];
/// How far causes reach.
const REACHES: [&str; 5] = ["job", "cluster", "host", "site", "service"];

/// One recorded play.
struct Play {
    name: String,
    episodes: Vec<Episode>,
    truth: Vec<Value>,
    schedule: Value,
}

fn unpacked(path: &Path) -> impl Read + use<> {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    MultiGzDecoder::new(file)
}

fn folders() -> Vec<PathBuf> {
    let data = std::env::var_os("HOLDADVISE_POOL_FAULTS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data"), PathBuf::from);
    let mut folders: Vec<PathBuf> = fs::read_dir(&data)
        .unwrap_or_else(|error| panic!("{}: {error}", data.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("pool-faults-"))
        .collect();
    folders.sort();
    folders
}

fn play(folder: &Path) -> Play {
    let place = tempfile::tempdir().unwrap();
    let log = place.path().join("EventLog");
    io::copy(&mut unpacked(&folder.join("EventLog.gz")), &mut File::create(&log).unwrap()).unwrap();
    let mut history = HistoryBuilder::new();
    let options = ReadOptions::in_zone(TimeZone::UTC);
    let report = history.read_log(&log, Coverage::AccessPoint, &options).unwrap();
    assert_eq!(report.damaged, 0, "{}: {:?}", folder.display(), report.first_damage);
    let ads = history.read_epochs(BufReader::new(unpacked(&folder.join("epoch_history.gz"))));
    assert!(ads.problems.is_empty(), "{}: {:?}", folder.display(), ads.problems);
    assert!(ads.ads > 0, "{}: no epoch ads", folder.display());
    let history = history.build();
    let mut truth = String::new();
    unpacked(&folder.join("truth.jsonl.gz")).read_to_string(&mut truth).unwrap();
    let schedule = fs::read_to_string(folder.join("schedule.json")).unwrap();
    Play {
        name: folder.file_name().unwrap().to_string_lossy().into_owned(),
        episodes: history.episodes(HORIZON, &NotedActions::default()),
        truth: truth.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        schedule: serde_json::from_str(&schedule).unwrap(),
    }
}

/// All plays, read once.
fn plays() -> &'static [Play] {
    static PLAYS: LazyLock<Vec<Play>> =
        LazyLock::new(|| folders().iter().map(|folder| play(folder)).collect());
    &PLAYS
}

fn number(value: &Value, key: &str) -> i64 {
    value[key].as_i64().unwrap_or_else(|| panic!("{key} in {value}"))
}

fn job(value: &Value) -> JobId {
    let part = |key| i32::try_from(number(value, key)).unwrap();
    JobId::new(part("cluster"), part("proc"))
}

fn outcome(episode: &Episode) -> Option<&'static str> {
    episode.outcome.map(|outcome| match outcome {
        Outcome::Success => "success",
        Outcome::Failure => "failure",
        Outcome::Censored => "censored",
    })
}

/// Success or failure of an episode that came to either.
fn decided(episode: &Episode) -> Option<bool> {
    match episode.outcome? {
        Outcome::Success => Some(true),
        Outcome::Failure => Some(false),
        Outcome::Censored => None,
    }
}

#[test]
fn truth_and_log_tell_the_same() {
    for play in plays() {
        let truth: BTreeMap<(JobId, i64), &Value> =
            play.truth.iter().map(|line| ((job(line), number(line, "num_holds")), line)).collect();
        assert_eq!(truth.len(), play.truth.len(), "{}: a hold is told of twice", play.name);
        assert_eq!(truth.len(), play.episodes.len(), "{}", play.name);
        for episode in &play.episodes {
            let identity = &episode.identity;
            let key = (identity.job, identity.num_holds);
            let line = truth.get(&key).unwrap_or_else(|| panic!("{}: {key:?}", play.name));
            assert_eq!(number(line, "time"), episode.held_at, "{}: {line}", play.name);
            assert_eq!(number(line, "code"), i64::from(identity.code), "{}: {line}", play.name);
            assert_eq!(number(line, "subcode"), i64::from(identity.subcode), "{}", play.name);
            assert_eq!(line["owner"].as_str(), episode.owner.as_deref(), "{}: {line}", play.name);
            assert_eq!(line["released"].as_i64(), episode.released_at, "{}: {line}", play.name);
            assert_eq!(line["outcome"].as_str(), outcome(episode), "{}: {line}", play.name);
        }
    }
}

#[test]
fn oracle_speaks_of_every_release() {
    for play in plays() {
        for line in &play.truth {
            assert!(REACHES.contains(&line["reach"].as_str().unwrap()), "{}: {line}", play.name);
            let answers = line["oracle"].as_array().unwrap();
            assert_eq!(answers.len(), usize::from(!line["released"].is_null()), "{line}");
            for answer in answers {
                assert_eq!(answer["time"], line["released"], "{}: {line}", play.name);
                for action in ACTIONS {
                    let probability = answer[action].as_f64().unwrap();
                    assert!((0.0..=1.0).contains(&probability), "{}: {line}", play.name);
                }
            }
        }
    }
}

#[test]
fn schedule_knows_every_cluster() {
    for play in plays() {
        let clusters = play.schedule["clusters"].as_array().unwrap();
        let known: BTreeSet<i64> = clusters.iter().map(|made| number(made, "cluster")).collect();
        assert!(play.truth.iter().all(|line| known.contains(&number(line, "cluster"))));
        let faults = play.schedule["faults"].as_array().unwrap();
        assert!(faults.iter().all(|fault| fault["from"].as_f64() < fault["to"].as_f64()));
        assert!(!faults.is_empty());
    }
}

/// Probability that the oracle rates a success above a failure.
fn area(scores: &[(f64, bool)]) -> f64 {
    let of =
        |wanted: bool| scores.iter().filter(move |score| score.1 == wanted).map(|score| score.0);
    let won: f64 = of(true)
        .flat_map(|good| {
            of(false).map(
                move |bad| if good > bad { 1.0 } else { f64::from(u8::from(good == bad)) / 2.0 },
            )
        })
        .sum();
    won / (of(true).count() * of(false).count()) as f64
}

#[test]
fn oracle_is_right() {
    for play in plays() {
        let scores: Vec<(f64, bool)> = play
            .truth
            .iter()
            .filter_map(|line| {
                let success = match line["outcome"].as_str()? {
                    "success" => true,
                    "failure" => false,
                    _ => return None,
                };
                let action = line["action"].as_str().unwrap();
                Some((line["oracle"][0][action].as_f64().unwrap(), success))
            })
            .collect();
        let area = area(&scores);
        println!("{}: area under the curve of the oracle {area:.3}", play.name);
        assert!(area > 0.95, "{}: {area}", play.name);
    }
}

#[test]
fn most_episodes_lie_in_mixed_cells() {
    let mut versions: BTreeMap<&str, u64> = BTreeMap::new();
    let mut cells: BTreeMap<(i32, i32, String), [u64; 2]> = BTreeMap::new();
    for play in plays() {
        for episode in &play.episodes {
            let Some(success) = decided(episode) else { continue };
            let reason = reason::normalised(episode.reason.as_deref().unwrap_or_default());
            let cell = (episode.identity.code, episode.identity.subcode, reason);
            cells.entry(cell).or_default()[usize::from(success)] += 1;
            *versions.entry(&play.name).or_default() += 1;
        }
    }
    let mixed = |[failed, worked]: &[u64; 2]| {
        let rate = *worked as f64 / (failed + worked) as f64;
        (0.3..=0.7).contains(&rate)
    };
    println!("CODE/SUB  EPISODES  SUCCESS  MIXED  REASON");
    for ((code, subcode, reason), counts) in &cells {
        println!(
            "{:<9} {:>8} {:>8.2}  {:<5}  {reason}",
            format!("{code}/{subcode}"),
            counts[0] + counts[1],
            counts[1] as f64 / (counts[0] + counts[1]) as f64,
            if mixed(counts) { "yes" } else { "" },
        );
    }
    let all: u64 = cells.values().flatten().sum();
    let within: u64 = cells.values().filter(|counts| mixed(counts)).flatten().sum();
    println!("{all} episodes with an outcome {versions:?}, {within} of them in mixed cells");
    assert!(all >= 1_000, "{all} episodes with an outcome");
    assert!(within * 2 >= all, "{within} of {all} in mixed cells");
    assert_eq!(versions.len(), 2, "{versions:?}");
    assert!(versions.values().all(|&count| count >= 500), "{versions:?}");
}
