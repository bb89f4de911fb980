//! Simulated access points that train beside the holds of a real one, as a user calls it.
#![cfg(feature = "torch")]

use std::fs;
use std::path::Path;

use crate::common::{done, refused};
use holdadvise::model::Model;
use holdadvise_train::data::dataset::Dataset;
use holdadvise_train::split::parts::Parts;
use serde_json::Value;

const TRAIN: &str = "train all --parts parts --epochs 1 --embedding 4 --hidden 4 --units 4 --joint 4 \
    --trees 4 --draws 20";

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

fn train(here: &Path, more: &str, output: &str) -> Model {
    let line = format!("{TRAIN} {more} -o {output}");
    done(here, words(&line));
    Model::open(here.join(output)).unwrap()
}

#[test]
fn companions_train_beside_a_real_access_point_and_judge_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let run = |line: &str| done(here, words(line));
    run("simulate --preset small --days 7 --seed 5 -o simulation");
    let logs = "simulation/EventLog --epochs simulation/epoch_history --time-zone UTC";
    run(&format!("tensors {logs} --real --origin ap1 -o home"));
    run("tensors --simulate 701 -o companions");
    run("merge companions home -o all");
    let [home, companions, all] =
        ["home", "companions", "all"].map(|name| Dataset::read(&here.join(name)).unwrap());
    assert_eq!(all.len(), home.len() + companions.len());
    assert_eq!((all.info.origin.as_str(), all.info.real), ("ap1", true));
    assert_eq!(all.info.schema, home.info.schema);
    assert_eq!(companions.info.companions, [2_000_701]);
    assert!(companions.observed.iter().all(|&observed| observed == 0));
    assert_eq!(all.info.simulations[0]["with"][0], "faults-3");

    // The cuts are those of the real rows alone, and these alone validate and test.
    let cut = "--horizon 0 --test-fraction 0.4";
    run(&format!("split home -o parts-of-home {cut}"));
    run(&format!("split all -o parts {cut}"));
    let [of_home, parts] =
        ["parts-of-home", "parts"].map(|name| Parts::read(&here.join(name)).unwrap().info);
    assert_eq!(parts.cuts, of_home.cuts);
    assert_eq!((parts.validation, parts.test), (of_home.validation, of_home.test));
    assert_eq!(parts.train, of_home.train + companions.len());

    let model = train(here, "", "mixed.pt");
    let training = &model.metadata.training;
    let of_rows = Parts::read(&here.join("parts-of-home")).unwrap();
    let chosen = |row: &usize| home.observed[*row] == 1 && of_rows.part[*row] < 2;
    let outcomes = (0..home.len()).filter(chosen).count() as u64;
    assert_eq!((training.trained_on.as_str(), training.outcomes), ("ap1", outcomes));
    assert_eq!(training.details["options"]["companion_weight"], 0.3);
    let data = &model.metadata.sheet.as_ref().unwrap().data;
    let said = format!("{} of the rows trained are of companions: ", companions.len());
    assert!(data.iter().any(|line| line.starts_with(&said)), "{data:?}");
    let alone = train(here, "--companion-weight 0", "alone.pt");
    assert!(alone.metadata.codes.len() < model.metadata.codes.len());
    let rows = |model: &Model| model.metadata.training.details["train"]["rows"].as_u64().unwrap();
    assert_eq!(rows(&alone), of_home.train as u64);
    // Figures and baselines are of the real rows.
    let figures = |model: &Model, method: usize| model.metadata.metrics["methods"][method].clone();
    let (table, mixed): (Value, Value) = (figures(&model, 1), figures(&alone, 1));
    assert_eq!(table["figures"], mixed["figures"]);
    assert_ne!(figures(&model, 0)["figures"], figures(&alone, 0)["figures"]);

    // What is simulated and no companion does not go with real rows.
    run("tensors --simulation simulation --access-point 3 -o simulated");
    let error = refused(here, words("merge home simulated -o no"));
    assert!(error.contains("home has the origin \"ap1\", simulated has"), "{error}");
    run("tensors --simulate 701 --slots 6 -o few");
    let error = refused(here, words("merge home few -o no"));
    assert!(error.contains("few has ") && error.contains("6 slots"), "{error}");
    let error = refused(here, words("tensors --simulate 999-1001 -o no"));
    assert!(error.contains("expected seeds from 1 to 1000"), "{error}");
    let error = refused(here, words(&format!("{TRAIN} --companion-weight 0.95 -o no")));
    assert!(error.contains("--companion-weight 0.95 must lie in 0..=0.9"), "{error}");
    assert!(!here.join("no").exists());
}

#[test]
fn a_folder_is_a_companion_beside_rows_of_logs() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let run = |line: &str| done(here, words(line));
    run("simulate --preset small --days 3 --seed 5 -o simulation");
    run("simulate --preset small --days 3 --seed 6 -o pool");
    run("tensors --simulation simulation -o alone");
    run("tensors --simulation simulation --companion pool --companion simulation -o both");
    let [alone, both] = ["alone", "both"].map(|name| Dataset::read(&here.join(name)).unwrap());
    assert_eq!(both.info.companions, [2_001_001, 2_001_002]);
    assert_eq!(both.access_point[..alone.len()], alone.access_point);
    assert!(both.len() > alone.len());
    assert!(both.observed[alone.len()..].iter().all(|&observed| observed == 0));
}

#[test]
fn later_releases_of_companions_have_the_column_of_the_real_rows() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    done(here, words("tensors --simulate 701 --delays 2 -o companions"));
    let companions = Dataset::read(&here.join("companions")).unwrap();
    assert!(companions.info.schema.statics.iter().any(|name| name == "release-delay"));
    assert!(companions.delay.iter().any(|&delay| delay > 0));
}

#[test]
fn a_sweep_plans_companions_unless_told_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::copy(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/pool-23.9/EventLog"),
        here.join("EventLog"),
    )
    .unwrap();
    let planned = |line: &str, name: &str| -> Vec<Value> {
        let data = format!("access_points: [{{name: ap, logs: [EventLog], time_zone: UTC}}]{line}");
        let program = env!("CARGO_BIN_EXE_holdadvise-train");
        let sweep = format!(
            "data: {{{data}}}\nresources: {{gpus: 0}}\nprogram: {{installed: {program}}}\n"
        );
        fs::write(here.join("sweep.yaml"), sweep).unwrap();
        done(here, ["dag", "sweep.yaml", "-o", name]);
        let shards = fs::read(here.join(name).join("prepared/shards.json")).unwrap();
        serde_json::from_slice::<Value>(&shards).unwrap()["1"].as_array().unwrap().clone()
    };
    let arguments = |shard: &Value| -> String {
        let words = shard["arguments"].as_array().unwrap();
        words.iter().map(|word| word.as_str().unwrap()).collect::<Vec<_>>().join(" ")
    };
    let usual = planned("", "usual");
    assert_eq!(usual.len(), 2);
    assert!(arguments(&usual[0]).contains("--real"));
    let companions = arguments(&usual[1]);
    assert!(companions.starts_with("tensors --simulate 701-712 --oracle 0.5 --horizon 48"));
    assert!(!companions.contains("--real") && !companions.contains("--origin"), "{companions}");
    assert_eq!(planned(", simulate: 0", "none").len(), 1);
    let two = planned(", simulate: 2, from: 2026-01-01", "two");
    assert!(arguments(&two[1]).contains("--simulate 701-702"), "{two:?}");
    assert!(!arguments(&two[1]).contains("--from"), "{two:?}");
}
