//! `holdadvise-train review` as a user calls it.

use std::path::Path;

use crate::common::{holdadvise_train, text};
use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The log of a pool and its rotations, oldest first.
fn pool_logs() -> Vec<String> {
    let log = |suffix: &str| format!("tests/data/pool-23.9/EventLog{suffix}");
    [".3", ".2", ".1", ""].map(log).to_vec()
}

/// What it prints, and what it says on standard error.
fn review(arguments: &[&str]) -> (bool, String, String) {
    let model = root().join("models/default.pt");
    let first = ["review", "--time-zone", "UTC", "-m", model.to_str().unwrap()];
    let out = holdadvise_train(root(), [&first, arguments].concat());
    (out.status.success(), text(&out.stdout), text(&out.stderr))
}

#[test]
fn each_hold_of_a_recorded_pool_is_judged_once() {
    let logs = pool_logs();
    let logs: Vec<&str> = logs.iter().map(String::as_str).collect();
    let (done, lines, said) = review(&[&logs[..], &["--json"]].concat());
    assert!(done, "{said}");
    let holds: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(holds.len() > 20, "{}", holds.len());
    for hold in &holds {
        let [held_at, decided_at] =
            ["held_at", "decided_at"].map(|key| hold[key].as_i64().unwrap());
        assert!((0..=3_600).contains(&(decided_at - held_at)), "{hold}");
        // What a person did is not for a model to judge.
        assert_eq!(
            hold["success"].is_null(),
            hold["recommendation"] == "undecided" && hold["code"] == 1,
            "{hold}"
        );
    }
    let (_, table, _) = review(&logs);
    let all = table.lines().find(|line| line.starts_with("all ")).unwrap();
    let counts: Vec<usize> =
        all.split_whitespace().skip(1).take(13).map(|count| count.parse().unwrap()).collect();
    assert_eq!(counts[0], holds.len());
    assert_eq!(counts[1..6].iter().sum::<usize>(), holds.len(), "each has one fate: {all}");
    assert_eq!(counts[6..].iter().sum::<usize>(), holds.len(), "and one advice: {all}");
}

#[test]
fn of_separate_logs_one_that_is_none_costs_itself() {
    let folder = tempfile::tempdir().unwrap();
    let poem = folder.path().join("poem");
    std::fs::write(&poem, "Shall I compare thee to a summer's day?\n").unwrap();
    let poem = poem.to_str().unwrap();
    let log = "tests/data/pool-23.9/userlog/alice-web-down.log";
    let (done, table, said) = review(&["--separate", poem, log]);
    assert!(done && said.contains("poem") && said.contains("left out"), "{said}");
    assert_eq!(table, review(&[log]).1);
    let (done, _, said) = review(&[poem, log]);
    assert!(!done && said.contains("poem"), "{said}");
    let (done, table, said) = review(&["tests/data/pool-23.9/EventLog.3"]);
    assert!(
        done && table.contains("all        0") == said.contains("no job was held"),
        "{table}{said}"
    );
}

/// What is evaluated is what users are served.
#[test]
fn a_hold_whose_ad_was_kept_is_judged_as_the_tool_judges_it() {
    let logs = pool_logs();
    let folder = "tests/data/pool-23.9";
    let (ads, epochs) = (format!("{folder}/held.long"), format!("{folder}/epoch_history"));
    let logs: Vec<&str> = logs.iter().map(String::as_str).collect();
    let with_ads = ["--json", "--ads", &ads, "--epochs", &epochs];
    let (done, lines, said) = review(&[&logs[..], &with_ads].concat());
    assert!(done, "{said}");
    let kept = std::fs::read_to_string(root().join(&ads)).unwrap();
    let mut compared = 0;
    for hold in lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let number = |key: &str| hold[key].as_i64().unwrap();
        let job = hold["job"].as_str().unwrap();
        let (cluster, proc) = job.split_once('.').unwrap();
        let is_kept = kept.split("\n\n").any(|ad| {
            let value = |name: &str| {
                ad.lines().find_map(|line| line.strip_prefix(&format!("{name} = "))).unwrap_or("")
            };
            let since: i64 = value("EnteredCurrentStatus").parse().unwrap_or(0);
            value("ClusterId") == cluster
                && value("ProcId") == proc
                && (since - number("held_at")).abs() <= 60
        });
        if !is_kept {
            continue;
        }
        let now = number("decided_at").to_string();
        let log = format!("{folder}/EventLog");
        let words =
            [job, "-json", "-now", &now, "-jobads", &ads, "-eventlog", &log, "-epochs", &epochs];
        let advice = holdadvise_tool(root(), &words);
        assert_eq!(hold["recommendation"], advice["Recommendation"], "{job} at {now}");
        // A review knows the ads of the other jobs too: that may move a probability a little.
        let review = hold["success"].as_f64();
        let mut answers = advice["Success"].as_object().unwrap().values().filter_map(Value::as_f64);
        let same = answers.any(|p| review.is_none_or(|q| (p - q).abs() < 0.05));
        assert!(same, "{job} at {now}: {review:?}, and {}", advice["Success"]);
        compared += 1;
    }
    assert!(compared >= 20, "{compared} holds compared");
}

/// The advice of `condor_holdadvise` for one job.
fn holdadvise_tool(root: &Path, words: &[&str]) -> Value {
    let build = std::process::Command::new(env!("CARGO"))
        .args(["run", "-q", "--bin", "condor_holdadvise", "--"])
        .args(words)
        .current_dir(root)
        .env("TZ", "UTC")
        .output()
        .unwrap();
    assert!(build.status.success(), "{}", text(&build.stderr));
    let all: Vec<Value> = serde_json::from_slice(&build.stdout).unwrap();
    all.into_iter().next().expect("one advice")
}
