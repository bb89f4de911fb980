//! `holdadvise-train review` as a user calls it.

mod common;

use std::path::Path;

use common::{holdadvise_train, text};
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
        all.split_whitespace().skip(1).take(11).map(|count| count.parse().unwrap()).collect();
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
