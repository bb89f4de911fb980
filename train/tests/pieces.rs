//! A training in pieces: what an eviction, a rung or another node must not change.
#![cfg(feature = "torch")]

use std::path::Path;

use crate::common::{holdadvise_train, text};
use holdadvise::history::Outcome;
use holdadvise::model::{Batch, FeatureSchema, Model};
use holdadvise_train::data::dataset::{Dataset, Row};
use holdadvise_train::engine::EngineKind;
use holdadvise_train::random::Random;
use holdadvise_train::training::trial::RungResult;
use serde_json::Value;

const FRAMES: usize = 4;
const SLOTS: usize = 3;

/// Success where the newest state of the held job is 1, most of the time.
fn dataset(folder: &Path) {
    let names = |n: usize| (0..n).map(|i| i.to_string()).collect();
    let schema = FeatureSchema {
        hash: "test".to_owned(),
        states: names(3),
        statics: names(2),
        frame_edges: (0..=FRAMES as u32).collect(),
        slots: SLOTS,
        sources: vec![holdadvise::model::StaticSource { name: "one".to_owned(), columns: vec![1] }],
    };
    let mut dataset = Dataset::new(schema, "simulated data", false, 0);
    let mut random = Random::new(3);
    for row in 0..800 {
        let states: Vec<u8> = (0..FRAMES * SLOTS).map(|_| random.below(3) as u8).collect();
        let likely = if states[(FRAMES - 1) * SLOTS] == 1 { 0.9 } else { 0.2 };
        let success = random.unit() < likely;
        let time = 1_700_000_000 + 60 * row as i64;
        let pushed = dataset.push(&Row {
            states: &states,
            statics: &[random.unit() as f32, random.unit() as f32],
            outcome: if success { Outcome::Success } else { Outcome::Failure },
            cluster: row as i64,
            hold_time: time,
            decision_instant: time,
            outcome_time: time + 1,
            code: 13,
            ..Row::default()
        });
        pushed.unwrap();
    }
    dataset.write(&folder.join("data.safetensors")).unwrap();
}

const SMALL: &str = "train data.safetensors --embedding 8 --hidden 16 --units 4 --joint 8 --batch 64 --dropout 0.2 \
    --source-dropout 0.3 --learning-rate 0.01 --epochs 6 --patience 6 --trees 5 --draws 10 --no-test --replace";

fn call(folder: &Path, arguments: &str) -> (i32, String) {
    let output = holdadvise_train(folder, arguments.split_whitespace());
    (output.status.code().unwrap(), text(&output.stderr))
}

fn result(folder: &Path, name: &str) -> RungResult {
    serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap()
}

/// The lines of metrics without what differs from run to run.
fn metrics(folder: &Path, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    let line = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let fields = line.as_object_mut().unwrap();
        for name in ["seconds", "sequences_per_second", "rung_seconds", "peak_memory_mb"] {
            fields.remove(name);
        }
        line
    };
    text.lines().map(line).collect()
}

#[test]
fn pieces_give_the_file_that_one_piece_gives() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    dataset(folder);
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();

    let (status, said) =
        call(folder, &format!("{SMALL} -o whole.pt --metrics whole.jsonl --result whole.json"));
    assert_eq!(status, 0, "{said}");

    // A checkpoint after every epoch, each time in a process of its own.
    let piece = "-o piece.pt --checkpoint c --checkpoint-seconds 0 --metrics piece.jsonl --result piece.json";
    let mut paused = 0;
    loop {
        let (status, said) = call(folder, &format!("{SMALL} {piece}"));
        if status == 0 {
            break;
        }
        assert_eq!(status, 85, "{said}");
        paused += 1;
        // Killed after its checkpoint: what it told of since is told again, once.
        if paused == 2 {
            let mut lines = std::fs::read_to_string(folder.join("piece.jsonl")).unwrap();
            lines.push_str("{\"epoch\":3,\"train_loss\":9.0,\"validation_loss\":9.0}\n{\"ep");
            std::fs::write(folder.join("piece.jsonl"), lines).unwrap();
        }
        assert!(paused < 10, "it does not come to an end");
    }
    assert_eq!(paused, 5);
    assert!(read("whole.pt") == read("piece.pt"), "the models differ");
    assert_eq!(metrics(folder, "whole.jsonl"), metrics(folder, "piece.jsonl"));
    let lines = metrics(folder, "whole.jsonl");
    assert_eq!(lines.len(), 7);
    // Each epoch, and the finished model: every figure with its interval and n.
    for (line, prefix) in lines.iter().zip(["", "", "", "", "", "", "model_"]) {
        for figure in ["loss", "auroc", "brier", "f_measure"] {
            let name = format!("{prefix}validation_{figure}");
            let of = |name: String| line[&name].as_f64().unwrap_or(f64::NAN);
            let (value, half) = (of(name.clone()), of(format!("{name}_half_width")));
            // Of an epoch that expects no success the F measure is 0 whatever is left out.
            let least = if figure == "f_measure" { -1e-9 } else { 0.0 };
            assert!(value > least && half > least && half < 1.0, "{name}: {value} +- {half}");
        }
        let rows = line["validation_rows"].as_f64().unwrap();
        assert!(rows >= line["validation_clusters"].as_f64().unwrap() && rows > 50.0, "{line}");
    }

    // Two rungs: the checkpoint of one is that of the next.
    let rung = |rung: usize, until: usize| {
        let more =
            format!("-o rung.pt --checkpoint r --trial 4 --rung {rung} --until-epoch {until}");
        let (status, said) = call(folder, &format!("{SMALL} {more} --result rung{rung}.json"));
        assert_eq!(status, 0, "{said}");
    };
    rung(1, 2);
    assert!(read("rung.pt") != read("whole.pt"));
    rung(2, 6);
    assert!(read("whole.pt") == read("rung.pt"), "the models differ");
    let (first, second, whole) =
        (result(folder, "rung1.json"), result(folder, "rung2.json"), result(folder, "whole.json"));
    assert_eq!((first.trial, first.rung, first.epoch), (4, 1, 2));
    assert_eq!((second.rung, second.epoch, second.best_epoch), (2, 6, whole.best_epoch));
    assert_eq!(second.metrics, whole.metrics);
    assert!(first.metrics["validation_loss"] > second.metrics["validation_loss"]);
    assert!(second.metrics["validation_auroc"] > 0.7 && second.seconds > first.seconds);
}

#[test]
fn patience_ends_a_training_early_and_the_result_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    dataset(folder);
    let few = SMALL.replace("--epochs 6 --patience 6", "--epochs 60 --patience 2");
    let (status, said) = call(
        folder,
        &format!("{few} --shuffle-labels -o m.pt --checkpoint c --metrics m.jsonl --result r.json"),
    );
    assert_eq!(status, 0, "{said}");
    let first = result(folder, "r.json");
    assert!(first.stopped_early && !first.diverged);
    assert_eq!(first.epoch, first.best_epoch + 2);
    assert_eq!(metrics(folder, "m.jsonl").len(), first.epoch + 1);
    // Going on trains no further.
    let (status, said) =
        call(folder, &format!("{few} --shuffle-labels -o n.pt --checkpoint c --result s.json"));
    assert_eq!(status, 0, "{said}");
    assert!(!said.contains("epoch"), "{said}");
    assert_eq!(result(folder, "s.json").metrics, first.metrics);
    assert_eq!(
        std::fs::read(folder.join("m.pt")).unwrap(),
        std::fs::read(folder.join("n.pt")).unwrap()
    );
}

#[test]
fn a_trial_that_diverges_loses_and_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    dataset(folder);
    std::fs::write(
        folder.join("parameters.json"),
        r#"{"trial": 3, "parameters": {"learning_rate": 10, "weight_decay": 10.0, "hidden": 8}}"#,
    )
    .unwrap();
    let diverging = format!("{SMALL} --trial 3 --rung 1 --parameters parameters.json -o m.pt");
    let (status, said) = call(folder, &format!("{diverging} --result r.json --metrics m.jsonl"));
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("the trial loses"), "{said}");
    let result = result(folder, "r.json");
    assert!(result.diverged && result.metrics.is_empty() && result.trial == 3);
    assert!(!folder.join("m.pt").exists());
    let (status, said) = call(folder, &diverging);
    assert_eq!(status, 1);
    assert!(said.contains("lower --learning-rate 10"), "{said}");
}

#[test]
fn bad_parameters_and_foreign_checkpoints_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    dataset(folder);
    let refused = |parameters: &str| {
        std::fs::write(folder.join("p.json"), parameters).unwrap();
        let (status, said) = call(folder, &format!("{SMALL} -o m.pt --parameters p.json"));
        assert_eq!(status, 1, "{said}");
        said
    };
    let said = refused(r#"{"trial": 3, "parameters": {"hiden": 8}}"#);
    assert!(said.contains("parameter hiden: no such option"), "{said}");
    let said = refused(r#"{"trial": 3, "parameters": {"hidden": 8.5}}"#);
    assert!(said.contains("parameter hidden: 8.5 is not a whole number"), "{said}");
    let said = refused("{");
    assert!(said.contains("p.json: EOF") && said.contains("expected {\"trial\""), "{said}");

    let begun = format!("{SMALL} -o m.pt --checkpoint c --until-epoch 1");
    assert_eq!(call(folder, &begun).0, 0);
    let (status, said) = call(folder, &begun.replace("--hidden 16", "--hidden 8"));
    assert_eq!(status, 1);
    assert!(
        said.contains("checkpoint c: it has hidden 16, this training 8; remove the file"),
        "{said}"
    );
    std::fs::write(folder.join("c"), "no checkpoint").unwrap();
    let (status, said) = call(folder, &begun);
    assert_eq!(status, 1);
    assert!(said.contains("checkpoint c: not a safetensors file"), "{said}");
    let (status, said) = call(folder, &format!("{SMALL} -o m.pt --architecture data.safetensors"));
    assert_eq!(status, 1);
    assert!(said.contains("the module of --architecture cannot be used"), "{said}");
}

#[test]
fn an_architecture_of_ones_own_trains_in_pieces_and_needs_engine_torch() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    dataset(folder);
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/own_architecture.pt");
    std::fs::copy(module, folder.join("own.pt")).unwrap();
    let own = SMALL.replace("--trees 5", "--trees 5 --architecture own.pt");
    let (status, said) = call(folder, &format!("{own} -o whole.pt --result whole.json"));
    assert_eq!(status, 0, "{said}");
    for until in [2, 6] {
        let (status, said) =
            call(folder, &format!("{own} -o piece.pt --checkpoint c --until-epoch {until}"));
        assert_eq!(status, 0, "{said}");
    }
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    assert!(read("whole.pt") == read("piece.pt"), "the models differ");
    assert!(result(folder, "whole.json").metrics["validation_auroc"] > 0.6);

    let model = EngineKind::Torch.read(&read("whole.pt")).unwrap();
    let dataset = Dataset::read(&folder.join("data.safetensors")).unwrap();
    let (states, statics) = dataset.gather(&[0, 1, 2]);
    let batch = Batch { states: &states, statics: &statics, n: 3 };
    assert_eq!(model.probabilities(&batch).unwrap().len(), 3);
    let refused = Model::from_bytes(&read("whole.pt")).unwrap_err().to_string();
    assert!(refused.contains("torch"), "{refused}");
}
