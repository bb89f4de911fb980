//! Jobs of real pools, as their queue and logs were recorded while they were held.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::Place;

fn pools() -> Vec<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    vec![data.join("pool-23.9"), data.join("pool-25.14")]
}

/// Words that name what was recorded of a pool.
fn recorded(pool: &Path) -> Vec<String> {
    let file = |name: &str| pool.join(name).to_string_lossy().into_owned();
    let now = std::fs::read_to_string(pool.join("held.time")).expect("the time is recorded");
    let words = ["-jobads", "-eventlog", "-epochs"].into_iter();
    let files = ["held.long", "EventLog", "epoch_history"].into_iter();
    let mut words: Vec<String> =
        words.zip(files).flat_map(|(option, name)| [option.to_owned(), file(name)]).collect();
    words.extend(["-now".to_owned(), now.trim().to_owned()]);
    words
}

fn advices(pool: &Path) -> Vec<Value> {
    let words = [recorded(pool), vec!["-json".to_owned()]].concat();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let said = Place::new().run(&words, "");
    assert_eq!(said.status, 0, "{said:?}");
    serde_json::from_str(&said.stdout).expect("an array")
}

#[test]
fn a_run_longer_than_the_jobs_own_limit_needs_a_higher_limit() {
    for pool in pools() {
        let advices = advices(&pool);
        let own: Vec<_> =
            advices.iter().filter(|job| job["HoldReason"] == "ran longer than RunLimit").collect();
        assert_eq!(own.len(), 1);
        let job = own[0];
        assert_eq!(job["Recommendation"], "change");
        assert_eq!(job["RecommendedAction"], "other");
        let change = &job["Change"];
        assert_eq!((&change["Kind"], &change["Edits"][0]["Old"]), (&json!("Limit"), &json!("8")));
        let raised = change["Raise"]["To"].as_f64().unwrap();
        assert!((16.0..=60.0).contains(&raised), "twice what was reached: {change}");
        let sentence = change["Sentence"].as_str().unwrap();
        assert!(
            sentence.starts_with(&format!("Raise RunLimit of the job from 8 to {raised} (")),
            "{change}"
        );
        let edit = job["Commands"][0].as_str().unwrap();
        let own = format!(
            "condor_qedit -constraint '(ClusterId == {} && ProcId == {} && ",
            job["ClusterId"], job["ProcId"]
        );
        assert!(
            edit.starts_with(&own) && edit.ends_with(&format!(")' RunLimit {raised}")),
            "{edit}"
        );
        assert_eq!(job["WaitFor"], Value::Null);
    }
}

#[test]
fn how_a_program_exited_is_no_limit() {
    for pool in pools() {
        for job in advices(&pool) {
            let changes = job["Change"].to_string();
            let exit = job["HoldReason"].as_str().is_some_and(|r| r.contains("OnExitHold"));
            assert!(!exit || !changes.contains("Raise"), "{changes}");
        }
    }
}
