//! `holdadvise-train` as a user calls it.
#![cfg(feature = "torch")]

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{holdadvise_train, refused, text};
use holdadvise::history::{Action, Outcome};
use holdadvise::model::{Batch, Dimensions, FeatureSchema, LeakageFound, Model};
use holdadvise_train::data::dataset::{Dataset, Row};
use holdadvise_train::engine::EngineKind;
use holdadvise_train::evaluation::evaluate::Report;
use holdadvise_train::random::Random;

/// One static column that tells the outcome two times in three, and codes that say nothing.
fn dataset(hash: &str) -> Dataset {
    let schema = FeatureSchema {
        hash: hash.to_owned(),
        states: vec!["a".to_owned(), "b".to_owned()],
        statics: vec!["x".to_owned()],
        frame_edges: vec![0, 60, 120, 180],
        slots: 3,
        sources: Vec::new(),
    };
    let mut dataset = Dataset::new(schema, "simulated data", false, 60);
    let mut random = Random::new(3);
    for row in 0..800_i64 {
        let x = random.unit() as f32 - 0.5;
        let success = (x > 0.0) == (random.below(3) > 0);
        let states: Vec<u8> = (0..9).map(|_| random.below(2) as u8).collect();
        dataset
            .push(&Row {
                states: &states,
                statics: &[x],
                action: Action::Unknown,
                outcome: if success { Outcome::Success } else { Outcome::Failure },
                cluster: row / 2,
                owner: row % 7,
                hold_time: 1_700_000_000 + row * 600,
                decision_instant: 1_700_000_000 + row * 600 + 30,
                outcome_time: 1_700_000_000 + row * 600 + 60,
                code: if random.below(2) == 0 { 13 } else { 12 },
                ..Row::default()
            })
            .unwrap();
    }
    dataset
}

#[test]
fn what_is_there_already_is_named_with_what_replaces_it() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for file in ["d", "m", "log"] {
        std::fs::write(here.join(file), "some words\n").unwrap();
    }
    for words in ["tensors log -o d", "merge d -o d", "split d -o d", "train d -o m"] {
        let said = refused(here, words.split_whitespace());
        assert!(said.contains(": it exists already: ") && said.contains("--replace"), "{said}");
        assert!(!said.contains("cannot read") && said.lines().count() == 1, "{said}");
    }
    std::fs::create_dir(here.join("ap")).unwrap();
    std::fs::write(here.join("ap/EventLog"), "").unwrap();
    let said = refused(here, ["simulate", "-o", "ap"]);
    assert!(said.contains("it is not empty") && said.contains("--replace"), "{said}");
}

#[test]
fn what_libtorch_says_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    dataset("h").write(&here.join("d")).unwrap();
    std::fs::write(here.join("letter.pt"), "some words\n").unwrap();
    let said = refused(here, "train d -o m --architecture letter.pt".split_whitespace());
    assert!(said.contains("the module of --architecture cannot be used: libtorch: "), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

/// Begins a training that would last for hours, and interrupts it in its second epoch.
fn interrupted(here: &Path, more: &str) -> (Option<i32>, Option<i32>, String) {
    let words =
        format!("train d -o m --epochs 100000 --patience 100000 --trees 0 --threads 1 {more}");
    let mut training = Command::new(env!("CARGO_BIN_EXE_holdadvise-train"))
        .current_dir(here)
        .args(words.split_whitespace())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(training.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("epoch 1: ")), "it trains");
    let id = training.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let said: Vec<String> = lines.filter(|line| !line.starts_with("epoch ")).collect();
    let status = training.wait().unwrap();
    (status.code(), status.signal(), said.join("\n"))
}

#[test]
fn an_interrupt_names_the_checkpoint_or_writes_it() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    dataset("h").write(&here.join("d")).unwrap();
    let (code, signal, said) = interrupted(here, "");
    assert_eq!((code, signal), (None, Some(2)), "{said}");
    assert_eq!(
        said,
        "interrupted, and nothing is kept: with --checkpoint FILE a training can be gone on with"
    );
    let (code, signal, said) = interrupted(here, "--checkpoint c");
    assert_eq!((code, signal), (Some(130), None), "{said}");
    assert!(said.starts_with("interrupted: c is written after this epoch, and the same"), "{said}");
    assert!(here.join("c").exists());
}

#[test]
fn train_evaluate_and_export_in_a_row() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    dataset("h").write(&here.join("d.safetensors")).unwrap();

    let run = holdadvise_train(
        here,
        "train d.safetensors -o m.pt --epochs 3 --hidden 8 --embedding 4 --units 4 --joint 4 --threads 1".split_whitespace(),
    );
    assert!(run.status.success(), "{}", text(&run.stderr));
    let shown = text(&run.stdout);
    assert!(shown.contains("(code, subcode) table") && shown.contains("m.pt:"), "{shown}");

    let run = holdadvise_train(
        here,
        "evaluate d.safetensors m.pt -o figures.json --draws 200".split_whitespace(),
    );
    assert!(run.status.success(), "{}", text(&run.stderr));
    let json = std::fs::read(here.join("figures.json")).unwrap();
    let report: Report = serde_json::from_slice(&json).unwrap();
    assert_eq!(report.rows, 160, "the newest fifth, by the cuts kept in the model");
    assert_eq!(report.clusters, 80);
    assert_eq!(report.methods.len(), 4);
    assert_eq!(text(&run.stdout), report.to_string());
    let other = holdadvise_train(
        here,
        "evaluate d.safetensors m.pt --engine torch --draws 200".split_whitespace(),
    );
    assert_eq!(text(&other.stdout), report.to_string(), "engine torch gives the same figures");

    // The sheet says what was done, and has the figures that were printed.
    let sheet = Model::open(here.join("m.pt")).unwrap().metadata.sheet.unwrap();
    let kinds: Vec<&str> = sheet.leakage.iter().map(|leakage| leakage.kind.as_str()).collect();
    assert_eq!(kinds, ["L1.1", "L1.2", "L1.3", "L1.4", "L2", "L3.1", "L3.2", "L3.3"]);
    assert_eq!(sheet.leakage[5].found, LeakageFound::No, "{:?}", sheet.leakage[5]);
    assert_eq!(
        sheet.leakage[6].found,
        LeakageFound::Perhaps,
        "owners recur: {:?}",
        sheet.leakage[6]
    );
    assert_eq!(
        (sheet.figures[0].figure.as_str(), sheet.figures[0].method.as_str()),
        ("auroc", "model")
    );
    assert!(shown.contains(&format!("{:.3}", sheet.figures[0].value)), "{shown}");
    assert!(sheet.figures_of.starts_with("160 releases of 80 clusters"), "{}", sheet.figures_of);
    assert!(sheet.split[1].contains("520 train"), "{:?}", sheet.split);

    // The metadata of the model, attached to its own module again, gives a model that says the
    // same.
    let first = Model::open(here.join("m.pt")).unwrap();
    let mut metadata = first.metadata.clone();
    metadata.tensors.clear();
    std::fs::write(here.join("m.json"), serde_json::to_vec(&metadata).unwrap()).unwrap();
    let run =
        holdadvise_train(here, "export m.pt --metadata m.json -o again.pt".split_whitespace());
    assert!(run.status.success(), "{}", text(&run.stderr));
    let again = Model::open(here.join("again.pt")).unwrap();
    assert_eq!(again.metadata.tensors, first.metadata.tensors);
    let (states, statics) = dataset("h").gather(&[0, 1, 2]);
    let batch = Batch { states: &states, statics: &statics, n: 3 };
    assert_eq!(again.engine.logits(&batch).unwrap(), first.engine.logits(&batch).unwrap());
}

#[test]
fn one_parts_file_serves_training_and_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let dataset = dataset("h");
    dataset.write(&here.join("d")).unwrap();
    let run = |arguments: &str| {
        let run = holdadvise_train(here, arguments.split_whitespace());
        assert!(run.status.success(), "{}", text(&run.stderr));
        text(&run.stdout)
    };
    assert!(run("split d -o time").starts_with("520 rows train, 120 validate, 160 test"));
    assert!(run("split d -o owner --by owner").contains(" test; in no part: 0 censored"));
    assert!(run("split d -o all --by all").starts_with("0 rows train, 0 validate, 800 test"));

    let sizes = "--epochs 1 --hidden 2 --embedding 2 --units 2 --joint 2 --draws 10";
    run(&format!("train d -o a.pt {sizes}"));
    run(&format!("train d -o b.pt --parts time {sizes}"));
    let [a, b] = ["a.pt", "b.pt"].map(|file| std::fs::read(here.join(file)).unwrap());
    assert!(a == b, "the same parts give the same model");
    assert!(run("evaluate d a.pt --parts all --draws 10").starts_with("800 held-out holds"));

    // What is predicted is what is evaluated.
    let shown = run("predict d a.pt --parts time -o said.safetensors");
    assert_eq!(shown, "said.safetensors: 280 rows\n");
    run("predict d a.pt -o all.safetensors");
    run(
        "evaluate d --parts time --draws 10 --title t -o report --method a=a.pt --method b=said.safetensors",
    );
    let report = std::fs::read(here.join("report/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    let figures = |name: &str| {
        let methods = report["populations"][0]["methods"].as_array().unwrap();
        let found = methods.iter().find(|method| method["name"] == name).unwrap();
        found["figures"]["auroc"]["value"].as_f64().unwrap()
    };
    assert!((figures("a") - figures("b")).abs() < 1e-4, "{} {}", figures("a"), figures("b"));

    // Trees are half of a model unless none are asked for.
    let trees = |file: &str| {
        let details = Model::open(here.join(file)).unwrap().metadata.training.details;
        (details["trees"].as_u64().unwrap(), details["share_of_trees"].as_f64().unwrap())
    };
    run(&format!("train d -o alone.pt --trees 0 {sizes}"));
    assert_eq!(trees("alone.pt"), (0, 0.0));
    let (count, share) = trees("a.pt");
    assert!(count > 1 && share > 0.0, "{count} {share}");

    let kept =
        "--withhold-codes 12,6 --shuffle-labels --without x --without states --releases-only";
    run(&format!("train d -o c.pt --parts time {kept} {sizes}"));
    let model = Model::open(here.join("c.pt")).unwrap();
    let details = &model.metadata.training.details;
    assert_eq!(details["selection"]["without"], serde_json::json!(["x", "states"]));
    let thirteen = (0..520).filter(|&row| dataset.code[row] == 13).count();
    assert_eq!(details["train"]["rows"], thirteen);
    let sheet = model.metadata.sheet.clone().unwrap();
    assert!(sheet.purpose[0].contains("permuted"), "{:?}", sheet.purpose);
    assert!(
        sheet.not_seen.contains(&"Hold codes withheld: 12, 6.".to_owned()),
        "{:?}",
        sheet.not_seen
    );
    assert!(details["dropped"]["withheld"].as_u64().unwrap() > 200);
    // Nothing is left to see: every hold gets the same answer.
    let shown = run("evaluate d c.pt --parts time --draws 10");
    let auroc: Vec<&str> = shown.split_whitespace().skip_while(|word| *word != "auroc").collect();
    assert_eq!(auroc[1], "0.500", "{shown}");

    let message = |arguments: &str| {
        let run = holdadvise_train(here, arguments.split_whitespace());
        assert_eq!(run.status.code(), Some(1), "{arguments}: {}", text(&run.stdout));
        text(&run.stderr)
    };
    assert!(message("train d -o e.pt --leaves 1").contains("--leaves 1 must lie in 2..=257"));
    assert!(message("predict d gone.pt -o e").contains("gone.pt: No such file"));
    assert!(message("train d -o e.pt --without moon").contains("--without moon: no such group"));
    let mut other = dataset.clone();
    other.statics[7] += 1.0;
    other.write(&here.join("other")).unwrap();
    assert!(
        message("train other -o e.pt --parts time").contains("parts time: it was made for 800")
    );
    assert!(message("evaluate d a.pt --parts d").contains("parts d: metadata"));
    assert!(message("split d -o f --by owner --test-fraction 2").contains("nothing to train on"));
}

#[test]
fn rows_of_a_simulation_carry_its_truth() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let run = |arguments: &str| {
        let run = holdadvise_train(here, arguments.split_whitespace());
        assert!(run.status.success(), "{}", text(&run.stderr));
    };
    run("simulate --preset rapid --seed 3 --days 1 -o sim");
    run("tensors --simulation sim --simulation sim -o d");
    run("tensors --simulation sim --releases-only -o releases");
    let dataset = Dataset::read(&here.join("d")).unwrap();
    let releases = Dataset::read(&here.join("releases")).unwrap();
    let rows = |belongs: &dyn Fn(usize) -> bool| {
        (0..dataset.len() / 2).filter(|&row| belongs(row)).collect::<Vec<usize>>()
    };
    let happened = rows(&|row| dataset.observed[row] == 1);
    let hidden = rows(&|row| dataset.observed[row] == 0 && dataset.truth(row).is_none());
    let told = rows(&|row| dataset.observed[row] == 0 && dataset.truth(row).is_some());
    assert!(happened.len() > 100 && told.len() > 1000);
    assert_eq!(happened.len(), hidden.len());
    assert!(hidden.iter().all(|&row| dataset.action[row] == 5));
    let common = happened.iter().filter(|&&row| !matches!(dataset.code[row], 1 | 15 | 16));
    assert_eq!(common.count(), happened.len());
    assert!(releases.observed.iter().filter(|&&o| o == 1).count() >= happened.len());
    assert!((0..releases.len()).all(|row| releases.observed[row] == 1 || releases.delay[row] > 0));
    // The oracle was asked when a job was released; what it said is near what came of it, and
    // labels are drawn so.
    for rows in [&happened, &told] {
        let known: Vec<usize> =
            rows.iter().copied().filter(|&row| dataset.truth(row).is_some()).collect();
        assert!(known.len() * 10 > rows.len() * 9, "{} of {}", known.len(), rows.len());
        let n = known.len() as f64;
        let truth = known.iter().filter_map(|&row| dataset.truth(row)).sum::<f64>() / n;
        let label = known.iter().map(|&row| f64::from(dataset.label[row])).sum::<f64>() / n;
        assert!((truth - label).abs() < 0.05, "{truth} {label}");
    }
    assert_eq!(dataset.info.simulations.len(), 2);
    assert_eq!(dataset.info.simulations[0]["preset"], "rapid");
    assert!(dataset.info.causes.iter().any(|cause| cause == "service-outage"));
    // The same access point twice: the same rows, other groups.
    let half = dataset.len() / 2;
    assert_eq!(dataset.access_point[half - 1..=half], [1, 2]);
    let states = dataset.states.len() / 2;
    assert!(dataset.states[..states] == dataset.states[states..]);
    assert_eq!(dataset.cell[..half], dataset.cell[half..]);
    assert!((0..half).all(|row| dataset.owner[row] != dataset.owner[half + row]));
    assert!((0..half).all(|row| dataset.cluster[row] != dataset.cluster[half + row]));
    // Of the two the second is read without its epoch ads.
    run("tensors --simulation sim --simulation sim --without-epochs 0.5 -o half");
    std::fs::remove_file(here.join("sim/epoch_history")).unwrap();
    run("tensors --simulation sim --simulation sim -o none");
    let [half, none] = ["half", "none"].map(|name| Dataset::read(&here.join(name)).unwrap());
    let statics = |dataset: &Dataset, second: bool| {
        let half = dataset.statics.len() / 2;
        if second { dataset.statics[half..].to_vec() } else { dataset.statics[..half].to_vec() }
    };
    assert_eq!(statics(&half, false), statics(&dataset, false));
    assert_eq!(statics(&half, true), statics(&none, true));
    assert_ne!(statics(&none, false), statics(&dataset, false));
    let refused =
        holdadvise_train(here, "tensors --simulation sim --without-epochs 2 -o e".split(' '));
    assert!(text(&refused.stderr).contains("--without-epochs 2 must lie in 0..=1"));
}

#[test]
fn errors_name_the_file_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let message = |arguments: &str| {
        let run = holdadvise_train(here, arguments.split_whitespace());
        assert_eq!(run.status.code(), Some(1), "{arguments}: {}", text(&run.stdout));
        text(&run.stderr)
    };
    assert!(message("train none.safetensors -o m.pt").contains("Error: dataset none.safetensors:"));
    std::fs::write(here.join("text"), "not a dataset").unwrap();
    assert!(message("train text -o m.pt").contains("holdadvise-train tensors"));
    assert!(!here.join("m.pt").exists());

    dataset("one").write(&here.join("one")).unwrap();
    dataset("two").write(&here.join("two")).unwrap();
    let sizes = "--epochs 1 --hidden 2 --embedding 2 --units 2 --joint 2 --draws 10";
    let run = holdadvise_train(here, format!("train one -o m.pt {sizes}").split_whitespace());
    assert!(run.status.success(), "{}", text(&run.stderr));
    assert!(message("evaluate two m.pt").contains("schema one, this program computes two"));
    assert!(message("evaluate one text").contains("model file text: not a readable TorchScript"));
}

#[test]
fn a_module_that_takes_one_hot_rows_runs_on_engine_torch() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let module = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/one_hot.pt");
    std::fs::copy(module, here.join("one_hot.pt")).unwrap();
    let mut schema = dataset("h").info.schema;
    schema.statics.clear();
    let metadata = serde_json::json!({
        "format": 1, "contract": "one-hot", "output": "probability",
        "dimensions": Dimensions::of(&schema), "schema": schema,
        "training": { "trained_on": "elsewhere" },
    });
    std::fs::write(here.join("m.json"), metadata.to_string()).unwrap();
    let run =
        holdadvise_train(here, "export one_hot.pt --metadata m.json -o m.pt".split_whitespace());
    assert!(run.status.success(), "{}", text(&run.stderr));

    let path = here.join("m.pt");
    let error = Model::open(&path).unwrap_err();
    assert!(error.to_string().contains("--engine torch"), "{error}");
    let model = EngineKind::Torch.open(&path).unwrap();
    // Two samples of 3 frames and 3 slots.
    let states = [0, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0];
    let batch = Batch { states: &states, statics: &[], n: 2 };
    let logits = model.engine.logits(&batch).unwrap();
    let weight = [[0.5, -1.0], [0.25, 2.0], [-0.75, 1.5]];
    let frame = |states: &[u8]| -> f32 {
        states.iter().zip(weight).map(|(&state, row)| row[usize::from(state)]).sum()
    };
    for (sample, logit) in states.chunks(9).zip(logits) {
        let expected = frame(&sample[6..]) - 0.5 * frame(&sample[..3]);
        assert!((logit - expected).abs() < 1e-5, "{logit}, {expected}");
    }
}

#[test]
fn python_reads_the_dataset_as_the_documentation_says() {
    let Some(python) = std::env::var_os("HOLDADVISE_PYTHON") else {
        println!("skipped: HOLDADVISE_PYTHON is not set");
        return;
    };
    let run = |folder: &Path, script: &str| {
        Command::new(&python).current_dir(folder).args(["-c", script]).output().unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    if !run(folder.path(), "import numpy, safetensors").status.success() {
        println!("skipped: HOLDADVISE_PYTHON cannot import numpy and safetensors");
        return;
    }
    let page = include_str!("../../docs/training/dataset.md");
    let lines = page.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(lines.lines().count(), 3);
    let dataset = dataset("h");
    dataset.write(&folder.path().join("holds.safetensors")).unwrap();
    let checks = "import json\n\
        info = json.loads(file.metadata()['holdadvise'])\n\
        print(data['states'].shape, data['statics'].shape, info['schema']['hash'])\n\
        print(int(data['label'].sum()), int(data['hold_time'][1]), float(data['statics'][5, 0]))";
    let output = run(folder.path(), &format!("{lines}{checks}"));
    let successes = dataset.label.iter().filter(|&&label| label == 1).count();
    let statics = f64::from(dataset.statics[5]);
    assert_eq!(
        text(&output.stdout),
        format!("(800, 3, 3) (800, 1) h\n{successes} 1700000600 {statics}\n"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn an_output_that_cannot_be_written_is_an_error_before_the_work_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let message = |words: &str| {
        let run = holdadvise_train(here, words.split_whitespace());
        assert_eq!(run.status.code(), Some(1), "{words}");
        String::from_utf8(run.stderr).unwrap()
    };
    std::fs::write(here.join("kept"), "kept").unwrap();
    std::os::unix::fs::symlink("kept", here.join("link")).unwrap();
    // None of the inputs is there: the output is looked at first.
    for words in [
        "train d",
        "split d",
        "merge d",
        "tensors EventLog",
        "predict d m.pt",
        "evaluate d m.pt",
        "calibrate m.pt d",
        "export m.pt --metadata m.json",
    ] {
        let error = message(&format!("{words} -o kept"));
        assert!(error.contains("kept") && error.contains("--replace"), "{words}: {error}");
        let error = message(&format!("{words} -o link --replace"));
        assert!(error.contains("it is a link"), "{words}: {error}");
    }
    assert!(message("split d -o no/such").contains("no/such"));
    assert!(message("split d -o kept --replace").contains("dataset d: No such file"));
    for file in ["--metrics", "--checkpoint", "--result"] {
        let error = message(&format!("train d -o m.pt {file} link"));
        assert!(error.contains("it is a link"), "{file}: {error}");
    }
    let simulate = "simulate --preset rapid --seed 3 --days 1 -o";
    assert!(message(&format!("{simulate} .")).contains("it is not empty"));
    std::fs::create_dir(here.join("sim")).unwrap();
    std::os::unix::fs::symlink("../kept", here.join("sim/truth.jsonl")).unwrap();
    assert!(message(&format!("{simulate} sim --replace")).contains("truth.jsonl"));
    assert_eq!(std::fs::read(here.join("kept")).unwrap(), b"kept");
    assert!(here.join("link").symlink_metadata().unwrap().is_symlink());
}

#[test]
fn the_manual_page_in_the_tree_is_up_to_date() {
    let page = text(&holdadvise_train(Path::new("."), ["manual"]).stdout);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../man/holdadvise-train.1");
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(kept == page, "run: holdadvise-train manual > man/holdadvise-train.1");
}
