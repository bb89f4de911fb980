//! What a model says of later releases, beside the truth of simulations.

use std::fs;

use crate::common::{done, refused};
use serde_json::Value;

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/default.pt");

#[test]
fn access_points_may_stand_in_one_dataset_or_in_several() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("tiny.toml"), "[owners]\ncount = 8\n\n[jobs]\nper_day = 400.0\n")
        .unwrap();
    for seed in ["1", "2"] {
        let world = ["--with", "faults-3", "--with", "tiny.toml", "--days", "2"];
        let asked = ["--when", "--when-plays", "4", "--seed", seed, "-o", seed];
        done(folder, [&["simulate"], &world[..], &asked[..]].concat());
        let output = format!("{seed}.safetensors");
        done(folder, vec!["tensors", "--simulation", seed, "--delays", "99", "-o", &output]);
    }
    let both = ["tensors", "--simulation", "1", "--simulation", "2", "--delays", "99"];
    done(folder, [&both[..], &["-o", "both.safetensors"]].concat());
    let when = |datasets: &[&str]| -> Value {
        let options = ["-m", MODEL, "--baseline-from", "1.safetensors", "--draws", "50", "--json"];
        let printed = done(folder, [&["when"], datasets, &options[..]].concat());
        serde_json::from_str(&printed).unwrap()
    };
    let report = when(&["both.safetensors"]);
    assert_eq!(report["access_points"], 2);
    assert!(report["instants"].as_u64().unwrap() > 50, "{report}");
    assert_eq!(when(&["1.safetensors", "2.safetensors"]), report);

    // A dataset without later releases is named.
    let without = ["tensors", "--simulation", "2", "--delays", "2", "--oracle", "0"];
    done(folder, [&without[..], &["-o", "without.safetensors"]].concat());
    let datasets = ["when", "1.safetensors", "without.safetensors", "-m", MODEL];
    let error = refused(folder, [&datasets[..], &["--baseline-from", "1.safetensors"]].concat());
    assert!(error.contains("without.safetensors: no instant has true"), "{error}");
}
