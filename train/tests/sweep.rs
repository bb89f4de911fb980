//! The steps of a sweep as its nodes call them.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{done, holdadvise_train, refused, text};
use holdadvise::model::Model;
use serde_json::{Value, json};

fn plan(metric: &str) -> Value {
    json!({
        "format": 1, "name": "small <sizes>", "seed": 3,
        "data": {"access_points": [], "simulations": [], "from": null, "until": null, "lookback": 0, "horizon": 24,
            "validation_fraction": 0.15, "test_fraction": 0.2},
        "settings": [{"number": 1, "frame_edges": [0, 60], "slots": 4}],
        "trials": [{"number": 1, "setting": 1}],
        "method": "random",
        "metric": {"name": metric, "goal": "minimize"},
        "rungs": [{"number": 1, "epochs": 4, "trials": 1}],
        "patience": 6, "architecture": null, "champion": null,
        "resources": {"gpus": 0, "cpus": 1, "memory": null, "disk": null, "at_once": null, "retries": 1,
            "checkpoint": 600, "submit": []},
        "program": {"installed": "/usr/bin/holdadvise-train"},
        "tracking": {"enabled": false, "project": "", "entity": null, "offline": false, "python": ""}
    })
}

/// A dataset that the built-in model takes, its parts, and that model as the best of a sweep.
fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    done(here, ["simulate", "--preset", "small", "--days", "7", "--seed", "5", "-o", "simulation"]);
    done(here, ["tensors", "--simulation", "simulation", "--releases-only", "-o", "d"]);
    done(here, ["split", "d", "-o", "p", "--test-fraction", "0.5", "--horizon", "0"]);
    let write = |name: &str, value: &Value| fs::write(here.join(name), value.to_string()).unwrap();
    write("sweep.json", &plan("validation_loss"));
    write(
        "trial.json",
        &json!({"setting": 1, "parameters": {"hidden": 64, "learning_rate": 0.002}, "trial": 1, "rung": 1, "epoch": 4,
            "best_epoch": 3, "stopped_early": false, "diverged": false, "metrics": {"validation_loss": 0.5}, "seconds": 60.0,
            "sequences_per_second": 900.0, "peak_memory_mb": 300, "device": "cpu", "validation_rows": 321,
            "validation_clusters": 45, "share_of_trees": 0.85, "ties": 3, "compared": 5}),
    );
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/default.pt");
    fs::copy(model, here.join("model.pt")).unwrap();
    folder
}

const TEST: [&str; 13] = [
    "sweep",
    "test",
    "d",
    "--parts",
    "p",
    "--model",
    "model.pt",
    "--trial",
    "trial.json",
    "--plan",
    "sweep.json",
    "-o",
    "out",
];

#[test]
fn the_best_model_is_completed_described_and_compared() {
    let folder = prepared();
    let here = folder.path();
    let read = |name: &str| fs::read_to_string(here.join("out").join(name)).unwrap();
    let few = ["--draws", "60"];

    // Without a model in use.
    let said = done(here, [&TEST[..], &few].concat());
    assert!(
        said.contains("trial 001: not compared: the sweep file names no model in use"),
        "{said}"
    );
    let model = Model::open(here.join("out/bestmodel.pt")).unwrap();
    let figures = model.metadata.metrics["methods"][0]["figures"].as_array().unwrap();
    assert!(figures.iter().any(|figure| figure[0] == "auroc"), "{figures:?}");
    let sheet = model.metadata.sheet.as_ref().unwrap();
    assert!(sheet.figures_of.contains("in the test part"), "{sheet:?}");
    assert!(model.metadata.training.details["test"]["rows"].as_u64() > Some(0));
    let before = Model::open(here.join("model.pt")).unwrap();
    assert_eq!(model.metadata.calibration, before.metadata.calibration);
    let info = read("bestmodel.info");
    for expected in [
        "The best model of sweep small <sizes>",
        "trial:             001 of 1, with the least validation_loss",
        "  learning_rate    0.002\n",
        "  constant ",
        "holdadvise-train train prepared/001/dataset.safetensors --parts prepared/001/parts.safetensors --parameters",
        "cp bestmodel.pt ~/.condor/holdadvise/default.pt",
        "hold codes known:",
    ] {
        assert!(info.contains(expected), "{expected} is not in\n{info}");
    }
    let report = read("report.html");
    for expected in [
        "The best model of sweep small &lt;sizes&gt;",
        "Not compared: nothing says whether trial 001 is better than the model in use.",
        "holdadvise-train sweep test prepared/001/dataset.safetensors",
        "in the test part, with 95 % intervals: log loss ",
    ] {
        assert!(report.contains(expected), "{expected} is not in\n{report}");
    }

    // Against itself: no difference whatever.
    fs::copy(here.join("model.pt"), here.join("same.pt")).unwrap();
    done(here, [&TEST[..], &few, &["--champion", "same.pt"]].concat());
    let verdict = read("verdict.txt");
    assert!(verdict.starts_with("no difference that these holds can show\n"), "{verdict}");
    assert!(verdict.contains("log_loss: ") && verdict.contains("difference +0.0000"), "{verdict}");
    assert!(verdict.contains("this figure decides") && verdict.contains("stays a person's act"));
    assert!(read("report.html").contains("model in use"));
    for expected in [
        "321 validation rows of 45 clusters decided, by validation_loss.",
        "3 of 5 others differ from the best by less than their interval (=)",
        "Of the best, the trees weigh 85 %",
    ] {
        assert!(verdict.contains(expected), "{expected} is not in\n{verdict}");
    }

    // Against one that says the contrary.
    let mut metadata = serde_json::to_value(&before.metadata).unwrap();
    metadata["calibration"]["a"] = json!(-metadata["calibration"]["a"].as_f64().unwrap());
    metadata["training"]["split"] =
        json!({"train_end": 0, "validation_end": i64::MAX, "horizon": 0});
    fs::write(here.join("m.json"), metadata.to_string()).unwrap();
    let contrary = ["export", "model.pt", "--metadata", "m.json", "-o", "contrary.pt"];
    done(here, contrary);
    done(here, [&TEST[..], &few, &["--champion", "contrary.pt"]].concat());
    let verdict = read("verdict.txt");
    assert!(verdict.starts_with("better\n"), "{verdict}");
    let report = read("report.html");
    let places = ["Better: trial 001 is better than", "cp bestmodel.pt ~/.condor", "<svg"];
    let places = places.map(|text| report.find(text).unwrap());
    assert!(places.is_sorted(), "the verdict and what to do are first: {places:?}");
    assert!(verdict.contains("it may have seen them"), "{verdict}");
    // The contrary one as the best trial is worse, and is said to be.
    let contrary = TEST.map(|word| if word == "model.pt" { "contrary.pt" } else { word });
    let said = done(here, [&contrary[..], &few, &["--champion", "model.pt"]].concat());
    assert!(said.contains("trial 001: worse"), "{said}");
    let verdict = read("verdict.txt");
    assert!(verdict.starts_with("worse\n"), "{verdict}");
    let decides = verdict.lines().find(|line| line.contains("this figure decides")).unwrap();
    assert!(decides.ends_with("): worse"), "{decides}");
    // A model in use that cannot be compared is no error.
    metadata["schema"]["hash"] = json!("of another time");
    fs::write(here.join("m.json"), metadata.to_string()).unwrap();
    done(here, ["export", "model.pt", "--metadata", "m.json", "-o", "other.pt"]);
    let said = done(here, [&TEST[..], &few, &["--champion", "other.pt"]].concat());
    assert!(said.contains("trial 001: not compared"), "{said}");
    let verdict = read("verdict.txt");
    assert!(verdict.starts_with("not compared\n"), "{verdict}");
    assert!(verdict.contains("of feature schema of another time"), "{verdict}");
}

#[test]
fn what_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |words: &[&str]| {
        let output = holdadvise_train(folder.path(), words);
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        text(&output.stderr)
    };
    assert!(refused(&TEST).contains("sweep.json: No such file"), "{}", refused(&TEST));
    for step in ["html", "finish"] {
        let error = refused(&["sweep", step, "."]);
        assert!(error.contains("sweep.json") && error.contains("holdadvise-train dag"), "{error}");
    }
    fs::write(folder.path().join("sweep.json"), plan("validation_loss").to_string()).unwrap();
    fs::write(folder.path().join("trial.json"), "{\"trial\":1}").unwrap();
    assert!(refused(&TEST).contains("trial.json: missing field"), "{}", refused(&TEST));
    assert!(refused(&["sweep", "finish", "."]).contains("bestmodel.pt is not there"));
}

#[test]
fn few_validation_rows_choose_no_model() {
    let folder = prepared();
    let split = ["split", "d", "-o", "q", "--test-fraction", "0.5", "--horizon", "0", "--complete"];
    let with = |least| holdadvise_train(folder.path(), split.iter().copied().chain(least));
    let output = with(vec!["--least-validation-rows", "100000"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("rows, fewer than 100000: chance would decide"), "{said}");
    assert!(!folder.path().join("q").exists());
    let output = with(vec!["--least-validation-rows", "1"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn a_log_without_holds_is_said_to_be_that() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let job = |number: u32| {
        let event = |code: &str, time: &str, text: &str| {
            format!("{code} ({number:03}.000.000) 2026-01-02 {time} {text}\n...\n")
        };
        event("000", "03:04:05", "Job submitted from host: <127.0.0.1:9618>")
            + &event("001", "03:05:05", "Job executing on host: <127.0.0.1:9618>")
            + &event(
                "005",
                "04:05:05",
                "Job terminated.\n\t(1) Normal termination (return value 0)",
            )
    };
    fs::write(here.join("EventLog"), (1..9).map(job).collect::<String>()).unwrap();
    let sweep = format!(
        "data: {{access_points: [{{name: ap, logs: [EventLog], time_zone: UTC}}], simulate: 1}}\ntrials: 1\nbudget: {{rungs: 1, epochs: 1}}\n\
         resources: {{gpus: 0}}\nprogram: {{installed: {}}}\n",
        env!("CARGO_BIN_EXE_holdadvise-train")
    );
    fs::write(here.join("sweep.yaml"), sweep).unwrap();
    done(here, ["dag", "sweep.yaml", "-o", "sweep"]);
    let output = holdadvise_train(here, ["sweep", "run", "sweep"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("merge-001: ") && said.contains("logs/prepare/merge-001.err"), "{said}");
    let why = fs::read_to_string(here.join("sweep/logs/prepare/merge-001.err")).unwrap();
    assert!(why.contains("no hold of these logs was released and came to an outcome"), "{why}");
    assert!(!here.join("sweep/prepared/001/dataset.safetensors").exists());
}

/// A sweep of two trials on a simulated access point.
fn sweep_file(here: &Path, more: &str) {
    done(here, ["simulate", "--preset", "quick", "--days", "7", "-o", "ap"]);
    let text = format!(
        "data:\n  access_points:\n    - {{name: a, logs: [ap/EventLog], time_zone: UTC}}\n\
         training: {{parameters: {{hidden: {{values: [4, 8]}}}}}}\ntrials: 2\n\
         program: {{installed: /usr/bin/holdadvise-train}}\n{more}\n"
    );
    fs::write(here.join("sweep.yaml"), text).unwrap();
}

const DAG: [&str; 5] = ["dag", "sweep.yaml", "-o", "sweep", "--no-pool-check"];

#[test]
fn a_file_that_is_no_module_is_refused_before_any_trial() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("letter.pt"), "some words\n").unwrap();
    for key in ["architecture", "champion"] {
        sweep_file(here, &format!("{key}: letter.pt"));
        let said = refused(here, DAG);
        assert!(
            said.starts_with(&format!("Error: {key}: ")) && said.lines().count() == 1,
            "{said}"
        );
        assert!(said.contains("letter.pt is no TorchScript module (torch.jit.save): "), "{said}");
        assert!(!here.join("sweep").exists());
        fs::remove_dir_all(here.join("ap")).unwrap();
    }
}

#[test]
fn what_a_sweep_runs_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    sweep_file(here, "");
    done(here, DAG);
    let sweep = Command::new(env!("CARGO_BIN_EXE_holdadvise-train"))
        .current_dir(here)
        .args(["sweep", "run", "sweep", "--jobs", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let patience = Instant::now() + Duration::from_secs(120);
    let is_asked = || Instant::now() < patience;
    // Those of all its threads.
    let children = || {
        let tasks = fs::read_dir(format!("/proc/{}/task", sweep.id())).unwrap().flatten();
        let of = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).ok();
        tasks
            .filter_map(of)
            .flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
            .collect()
    };
    let mut running: Vec<String> = Vec::new();
    while running.is_empty() && is_asked() {
        running = children();
    }
    assert_eq!(running.len(), 1, "{running:?}");
    let id = sweep.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let ended = sweep.wait_with_output().unwrap();
    assert_eq!(ended.status.signal(), Some(2));
    assert!(text(&ended.stderr).contains("interrupted: run the same command again"), "{ended:?}");
    let runs = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", running[0])).unwrap_or_default();
        let state = stat.rsplit(')').next().unwrap_or_default().trim_start().to_owned();
        !(state.is_empty() || state.starts_with(['Z', 'X']))
    };
    while runs() && is_asked() {
        std::thread::yield_now();
    }
    assert!(!runs());
}
