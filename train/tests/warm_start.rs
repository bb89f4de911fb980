//! Trainings that begin with a model, as a user calls them.
#![cfg(feature = "torch")]

use std::fs;
use std::path::Path;

use crate::common::{done, holdadvise_train, refused, text};
use holdadvise::model::Model;
use serde_json::Value;

const TRAIN: &str = "train d --parts p --embedding 4 --units 4 --joint 4 --draws 20";

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Trains, and what was said.
fn trained(here: &Path, more: &str) -> String {
    let line = format!("{TRAIN} {more}");
    let output = holdadvise_train(here, words(&line));
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stderr)
}

fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    done(here, words("simulate --preset small --days 7 --seed 5 -o simulation"));
    done(here, words("tensors --simulation simulation --oracle 0.3 -o d"));
    done(here, words("split d -o p --test-fraction 0.4 --horizon 0"));
    folder
}

#[test]
fn what_is_no_better_than_its_beginning_is_not_kept() {
    let folder = prepared();
    let here = folder.path();
    trained(here, "--hidden 4 --trees 4 --epochs 2 -o first.pt");
    let from = |name: &str| -> Value {
        let model = Model::open(here.join(name)).unwrap();
        model.metadata.training.details["from"].clone()
    };

    // Nothing is learned: what it began with stays, byte for byte, but for what is said of it.
    let said = trained(
        here,
        "--hidden 4 --trees 4 --epochs 1 --learning-rate 0 --from first.pt -o same.pt",
    );
    assert!(said.contains("no better than the model begun with, which is kept"), "{said}");
    let kept = from("same.pt");
    assert_eq!(kept["kept"], true);
    assert!(kept["loss_after"].as_f64() >= kept["loss_before"].as_f64(), "{kept}");
    let [first, same] = ["first.pt", "same.pt"].map(|name| Model::open(here.join(name)).unwrap());
    assert_eq!(first.metadata.calibration, same.metadata.calibration);
    assert_eq!(first.metadata.metrics, same.metadata.metrics);
    assert_eq!(first.metadata.tensors, same.metadata.tensors);

    // Where something is learned, the better one stays.
    let more = "--hidden 4 --trees 4 --epochs 6 --learning-rate 0.01 --result r.json";
    trained(here, "--hidden 4 --epochs 1 --learning-rate 1e-5 --trees 0 -o weak.pt");
    let said = trained(here, &format!("{more} --from weak.pt -o more.pt"));
    let better = from("more.pt");
    let [before, after] = ["loss_before", "loss_after"].map(|key| better[key].as_f64().unwrap());
    assert!(after < before && better["kept"] == false, "{better}");
    assert!(said.contains("better than the model begun with: validation loss"), "{said}");
    let result: Value = serde_json::from_slice(&fs::read(here.join("r.json")).unwrap()).unwrap();
    assert_eq!(result["kept_beginning"], false);
    // It began there: from scratch one epoch leads elsewhere.
    let losses =
        |said: &str| said.lines().find(|line| line.contains("epoch 1:")).unwrap().to_owned();
    let fresh = trained(here, "--hidden 4 --trees 4 --epochs 6 --learning-rate 0.01 -o fresh.pt");
    assert_ne!(losses(&said)[..50], losses(&fresh)[..50]);
}

#[test]
fn another_schema_and_other_sizes_are_refused_in_words() {
    let folder = prepared();
    let here = folder.path();
    trained(here, "--hidden 4 --trees 4 --epochs 1 -o first.pt");
    let wrong = |more: &str| refused(here, words(&format!("{TRAIN} {more} --from first.pt -o no")));
    let said = wrong("--hidden 5");
    assert!(said.contains("hidden 4, this training 5: give --embedding 4 --hidden 4"), "{said}");
    let said = wrong("--architecture first.pt");
    assert!(said.contains("cannot be used with"), "{said}");
    done(here, words("tensors --simulation simulation --releases-only --slots 6 -o few"));
    let few =
        "train few --hidden 4 --embedding 4 --units 4 --joint 4 --horizon 0 --from first.pt -o no";
    let said = refused(here, words(few));
    assert!(said.contains("job slots, the data 6;"), "{said}");
    assert!(refused(here, words("train d --horizon 0 --from p -o no")).contains("p: "));

    // A sweep takes the sizes of the model, and says what contradicts them before it is planned.
    let sweep = |training: &str, more: &str| {
        let data = "data: {simulations: [simulation]}\nresources: {gpus: 0}\ntrials: 2";
        let file =
            format!("{data}\ntraining: {{from: first.pt, parameters: {{{training}}}}}\n{more}");
        fs::write(here.join("sweep.yaml"), file).unwrap();
    };
    sweep("learning_rate: {min: 1.0e-4, max: 1.0e-3}", "");
    done(here, words("dag sweep.yaml -o sweep"));
    let parameters = fs::read_to_string(here.join("sweep/trials/001/parameters.json")).unwrap();
    assert!(parameters.contains("\"hidden\":4") && parameters.contains("learning_rate"));
    assert_eq!(
        fs::read(here.join("sweep/from.pt")).unwrap(),
        fs::read(here.join("first.pt")).unwrap()
    );
    let train = fs::read_to_string(here.join("sweep/submit/train.sub")).unwrap();
    assert!(train.contains("--from from.pt") && train.contains("../../../from.pt"), "{train}");
    let dag = |training: &str, more: &str| {
        sweep(training, more);
        refused(here, words("dag sweep.yaml -o other"))
    };
    let said = dag("hidden: {values: [4, 8]}", "");
    assert!(said.contains("training.from: the model has `hidden` 4: leave `hidden` out"), "{said}");
    let said = dag("", "preprocessing: {j: 6}");
    assert!(said.contains("job slots, the data 6") && said.contains("`preprocessing`"), "{said}");
    let said = dag("", "architecture: first.pt");
    assert!(said.contains("training.from: a model of the built-in network"), "{said}");
}
