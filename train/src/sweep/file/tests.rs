//! Whole sweep files.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::sweep::plan::{AccessPoint, Goal, Method};
use crate::sweep::space::{Distribution, Scale};

/// A sweep file to begin with.
const EXAMPLE: &str = include_str!("../../../../dag/sweep.yaml");

/// 2026-01-31, 00:00 UTC.
const NOW: i64 = 1_769_817_600;

fn now() -> Timestamp {
    Timestamp::from_second(NOW).unwrap()
}

/// A folder with what the files below name.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for file in [
        "EventLog",
        "EventLog.1",
        "epochs",
        "journal.jsonl",
        "arch.pt",
        "model.pt",
        "python3",
        "x.sif",
    ] {
        std::fs::write(here.join(file), "").unwrap();
    }
    std::fs::create_dir(here.join("sim")).unwrap();
    folder
}

const ALL: &str = "\
name: nightly
seed: 7
data:
  access_points:
    - name: ap2001.example.org
      logs: [EventLog*]
      epochs: epochs
      journal: [journal.jsonl]
      time_zone: America/Chicago
      userlogs: false
  simulations: [sim]
  last: 90d
  lookback: 2w
  horizon: 3d
  validation_fraction: 0.1
  test_fraction: 0.25
  least_validation_rows: 40
preprocessing:
  e: 67
  m: {values: [12, 24]}
  j: 12
  timeframe_len: {min: 60, max: 300}
  settings: 3
training:
  parameters:
    hidden: {values: [32, 64]}
    learning_rate: {distribution: log_uniform_values, min: 1e-4, max: 1e-2}
    lstm_layers: 1
    tree-rate: {min: 0.01, max: 0.1}
method: random
trials: 24
metric: {name: validation_auroc, goal: maximize}
budget: {rungs: 2, eta: 4, epochs: 40}
early_stopping: {patience: 9}
architecture: arch.pt
champion: model.pt
resources:
  gpus: 1
  cpus: 2
  memory: 4GB
  disk: 500MB
  at_once: 10
  retries: 5
  checkpoint: 15m
  submit:
    - requirements = (OpSysMajorVer == 9)
    - +WantGPULab = true
program: {container: osdf:///ospool/ap/data/train.sif}
tracking: {wandb: {enabled: true, project: p, entity: e, mode: offline, python: python3}}
";

fn checked(folder: &Path, text: &str) -> Result<Checked, Vec<String>> {
    check(text.as_bytes(), folder, now())
        .map_err(|(problems, _)| problems.iter().map(ToString::to_string).collect())
}

/// The only thing wrong with a file.
fn wrong(folder: &Path, text: &str) -> String {
    let errors = checked(folder, text).unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:#?}");
    errors[0].clone()
}

#[test]
fn everything_that_can_be_said_is_understood() {
    let folder = folder();
    let here = folder.path();
    let Checked { sweep, notes, text } = checked(here, ALL).unwrap();
    assert_eq!((notes, text.as_str()), (Vec::new(), ALL));
    assert_eq!((sweep.plan.name.as_str(), sweep.plan.seed), ("nightly", 7));
    let access_point = AccessPoint {
        name: "ap2001.example.org".to_owned(),
        logs: vec![here.join("EventLog.1"), here.join("EventLog")],
        userlogs: false,
        epochs: vec![here.join("epochs")],
        journal: vec![here.join("journal.jsonl")],
        time_zone: Some("America/Chicago".to_owned()),
    };
    let data = Data {
        access_points: vec![access_point],
        simulate: 0,
        simulations: vec![here.join("sim")],
        from: Some(NOW - 90 * 86_400),
        until: Some(NOW),
        lookback: 14 * 86_400,
        horizon: 72,
        validation_fraction: 0.1,
        test_fraction: 0.25,
        least_validation_rows: 40,
    };
    assert_eq!(sweep.plan.data, data);
    let preprocessing = Preprocessing {
        frames: Frames::Equal {
            count: Distribution::Categorical {
                values: vec![json!(12), json!(24)],
                probabilities: Vec::new(),
            },
            length: Distribution::IntUniform { min: 60, max: 300 },
        },
        slots: Distribution::Constant { value: json!(12) },
        settings: Some(3),
    };
    assert_eq!(sweep.preprocessing, preprocessing);
    let names: Vec<&str> = sweep.space.keys().map(String::as_str).collect();
    assert_eq!(names, ["hidden", "layers", "learning_rate", "tree_rate"]);
    let rate = Distribution::Real { scale: Scale::LogUniform, min: 1e-4, max: 1e-2, q: None };
    assert_eq!(sweep.space["learning_rate"], rate);
    assert_eq!((sweep.plan.method, sweep.trials), (Method::Random, Some(24)));
    let metric = Metric { name: "validation_auroc".to_owned(), goal: Goal::Maximize };
    assert_eq!(sweep.plan.metric, metric);
    assert_eq!(sweep.budget, Budget { rungs: 2, eta: 4, epochs: 40 });
    assert_eq!(sweep.plan.patience, 9);
    assert_eq!(sweep.plan.architecture, Some(here.join("arch.pt")));
    assert_eq!(sweep.plan.champion, Some(here.join("model.pt")));
    let resources = Resources {
        gpus: 1,
        cpus: 2,
        memory: Some(4096),
        disk: Some(500),
        at_once: Some(10),
        retries: 5,
        checkpoint: 900,
        submit: vec![
            "requirements = (OpSysMajorVer == 9)".to_owned(),
            "+WantGPULab = true".to_owned(),
        ],
    };
    assert_eq!(sweep.plan.resources, resources);
    let program = Program::Container("osdf:///ospool/ap/data/train.sif".to_owned());
    assert_eq!(sweep.program, Some(program));
    let tracking = Tracking {
        enabled: true,
        project: "p".to_owned(),
        entity: Some("e".to_owned()),
        offline: true,
        python: here.join("python3"),
    };
    assert_eq!(sweep.plan.tracking, tracking);
}

#[test]
fn data_alone_is_needed() {
    let folder = folder();
    let here = folder.path();
    let sweep = checked(here, "data: {simulations: sim}\n").unwrap().sweep;
    let data = Data {
        simulations: vec![here.join("sim")],
        lookback: 30 * 86_400,
        horizon: 48,
        validation_fraction: 0.15,
        test_fraction: 0.2,
        least_validation_rows: 100,
        ..Data::default()
    };
    assert_eq!(sweep.plan.data, data);
    assert_eq!(sweep.preprocessing, Preprocessing::default());
    assert_eq!((sweep.plan.name.as_str(), sweep.plan.seed, sweep.plan.patience), ("sweep", 1, 6));
    assert_eq!((sweep.plan.method, sweep.trials), (Method::Random, None));
    assert_eq!((sweep.space.len(), sweep.program), (0, None));
    assert_eq!(sweep.budget, Budget { rungs: 3, eta: 3, epochs: 36 });
    assert!(!sweep.plan.tracking.enabled);
    for empty in ["", "# nothing\n", "~\n", "name: x\n"] {
        let error = wrong(here, empty);
        assert!(error.starts_with("`data` is missing: "), "{error}");
        assert!(
            error.contains("\ndata:\n  access_points:\n    - name: ap.example.org\n"),
            "{error}"
        );
    }
}

#[test]
fn each_mistake_is_told_with_its_place() {
    let folder = folder();
    let here = folder.path();
    let there = here.display();
    for (text, expected) in [
        ("trails: 3", "2:1: trails: unknown key; did you mean `trials`?"),
        (
            "training: {precision: float16}",
            "2:23: training.precision: expected `float32` or `bfloat16`, not `float16`",
        ),
        (
            "early_stopping: {patience: -1}",
            "2:28: early_stopping.patience: expected a whole number from 1 to 10000, not `-1`",
        ),
        ("method: bayes", "2:9: method: expected `random` or `grid`, not `bayes`"),
        (
            "metric: accuracy",
            "2:9: metric.name: expected `validation_loss`, `validation_auroc`, `validation_brier` or `validation_f_measure`, not `accuracy`",
        ),
        (
            "metric: {name: validation_auroc, goal: minimize}",
            "2:40: metric.goal: the goal of validation_auroc is `maximize`",
        ),
        ("budget: {rungs: 4, epochs: 3}", "2:9: budget: 4 rungs need 4 `epochs` or more, not 3"),
        (
            "training: {parameters: {hidden_sizes: 3}}",
            "2:25: training.parameters.hidden_sizes: unknown key; expected `embedding`, `hidden`, `layers`, `units`, `joint`, `learning_rate`, `batch`, `weight_decay`, `dropout`, `source_dropout`, `companion_weight`, `trees`, `leaves`, `tree_rate` or `seed`",
        ),
        (
            "training: {parameters: {hiden: 3}}",
            "2:25: training.parameters.hiden: unknown key; did you mean `hidden`?",
        ),
        (
            "training: {parameters: {hidden: 3, hidden_size: 4}}",
            "2:36: training.parameters.hidden_size: `hidden` has a value already",
        ),
        (
            "training: {parameters: {trees: 4000, leaves: {min: 2, max: 200}}}",
            "2:24: training.parameters: `trees` 4000 of `leaves` 200 have more nodes than a model holds, 1048576",
        ),
        (
            "method: grid\ntraining: {parameters: {dropout: {min: 0.1, max: 0.3}}}",
            "3:34: training.parameters.dropout: a grid needs values to count: `values`, or a distribution that rounds (`q_uniform`)",
        ),
        (
            "preprocessing: {e: 46}",
            "2:20: preprocessing.e: expected 67, not `46`: the states of a job are those of the feature schema, which the advisor shares",
        ),
        (
            "preprocessing: {m: 12}",
            "2:20: preprocessing.m: needs `timeframe_len`, the seconds of a frame",
        ),
        (
            "preprocessing: {timeframe_len: 12}",
            "2:32: preprocessing.timeframe_len: needs `m`, how many frames",
        ),
        (
            "preprocessing: {m: 12, frame_edges: [0, 60]}",
            "2:37: preprocessing.frame_edges: stands in place of `m` and `timeframe_len`, not beside them",
        ),
        (
            "preprocessing: {frame_edges: [0, 60, 60]}",
            "2:30: preprocessing.frame_edges: expected 2 to 1025 growing numbers of seconds",
        ),
        (
            "resources: {memory: 4096}",
            "2:21: resources.memory: expected a size with its unit (KB, MB, GB or TB), such as `4GB`, not `4096`",
        ),
        (
            "resources: {submit: [queue 3]}",
            "2:22: resources.submit: expected `command = value`, as in a submit description",
        ),
        (
            "program: {container: x.sif, installed: /bin/x}",
            "2:10: program: expected one of `container`, `tarball` or `installed`",
        ),
        (
            "program: {installed: bin/x}",
            "2:22: program.installed: expected an absolute path, the same on every execution point",
        ),
        (
            "tracking: {wandb: {python: no}}",
            &format!("2:28: tracking.wandb.python: there is no file {there}/no"),
        ),
        ("champion: no.pt", &format!("2:11: champion: there is no file {there}/no.pt")),
        ("architecture: sim", &format!("2:15: architecture: {there}/sim is no file")),
        (
            "seed: 1.5",
            "2:7: seed: expected a whole number from 0 to 9223372036854775807, not `1.5`",
        ),
        ("budget: 3", "2:9: budget: expected keys and values, not `3`"),
    ] {
        let errors = checked(here, &format!("data: {{simulations: sim}}\n{text}\n")).unwrap_err();
        assert!(errors.contains(&expected.to_owned()), "{errors:#?} instead of {expected:?}");
        assert_eq!(errors.len(), 1, "{errors:#?}");
    }
    for (text, expected) in [
        ("data: {}", "1:7: data: expected `access_points`, `simulations`, or both"),
        (
            "data: {access_points: {name: a}}",
            "1:23: data.access_points: expected a list, not keys and values",
        ),
        (
            "data: {access_points: [{logs: EventLog}]}",
            "1:24: data.access_points: expected a `name`",
        ),
        (
            "data: {access_points: [{name: a}]}",
            "1:24: data.access_points: expected `logs`: job event logs, or patterns of them",
        ),
        (
            "data: {access_points: [{name: 'a b', logs: EventLog}]}",
            "1:31: data.access_points.name: expected a host name or the like, of letters, digits and `._-`",
        ),
        (
            "data: {access_points: [{name: [a], logs: EventLog}]}",
            "1:31: data.access_points.name: expected one line of text, not a list",
        ),
        (
            "data: {access_points: [{name: a, logs: 'No*'}]}",
            &format!("1:40: data.access_points.logs: no file matches {there}/No*"),
        ),
        (
            "data: {access_points: [{name: a, logs: EventLog, time_zone: Chicago}]}",
            "1:61: data.access_points.time_zone: expected the name of a time zone such as America/Chicago or UTC",
        ),
        (
            "data: {access_points: [{name: a, logs: EventLog}, {name: a, logs: EventLog.1}]}",
            "1:58: data.access_points.name: a second `a`",
        ),
        (
            "data: {simulations: sim, horizon: 90m}",
            "1:35: data.horizon: expected whole hours, 10000 at most",
        ),
        (
            "data: {simulations: sim, from: 2026-01-01, last: 3d}",
            "1:50: data.last: `from` says already where the holds begin",
        ),
        (
            "data: {simulations: sim, from: 2026-01-02, until: 2026-01-01}",
            "1:7: data: `until` is not after `from`: no hold lies between",
        ),
        (
            "data: {simulations: sim, validation_fraction: 0.5, test_fraction: 0.5}",
            "1:7: data: `validation_fraction` and `test_fraction` leave hardly anything to train on",
        ),
    ] {
        assert_eq!(wrong(here, text), expected);
    }
}

#[test]
fn all_mistakes_are_told_at_once_in_the_order_of_the_lines() {
    let folder = folder();
    let path = folder.path().join("sweep.yaml");
    let text = "metod: grid\ntrials: many\nbudget:\n  epochs: 0\nwandb: {api_key: x}\n";
    std::fs::write(&path, text).unwrap();
    let error = read(&path, now()).unwrap_err().to_string();
    let file = path.display();
    let begin = format!(
        "{file}:5:9: note: api_key: never used; remove it from the file and revoke it at wandb.ai/authorize. \
         The key is read from WANDB_API_KEY or ~/.netrc (`wandb login`)\n\
         {file}:1:1: metod: unknown key; did you mean `method`?\n\
         {file}:2:9: trials: expected a whole number from 1 to 10000, not `many`\n\
         {file}:4:11: budget.epochs: expected a whole number from 1 to 10000, not `0`\n\
         {file}:5:1: wandb: unknown key; expected `name`, `seed`, `data`, `preprocessing`, `training`, \
         `method`, `trials`, `metric`, `budget`, `early_stopping`, `architecture`, `champion`, `resources`, `program` \
         or `tracking`\n\
         {file}: `data` is missing: "
    );
    assert!(error.starts_with(&begin), "{error}");
}

#[test]
fn what_is_no_text_or_too_large_is_refused() {
    let folder = folder();
    let path = folder.path().join("sweep.yaml");
    std::fs::write(&path, b"name: a\nseed: \xff\n").unwrap();
    let told = |path: &Path| read(path, now()).unwrap_err().to_string();
    assert_eq!(told(&path), format!("{}:2:1: not UTF-8", path.display()));
    std::fs::write(&path, "#".repeat(MOST_BYTES + 1)).unwrap();
    assert!(told(&path).contains("more than 1000000 bytes"), "{}", told(&path));
    assert!(told(folder.path()).starts_with("cannot read "));
}

#[test]
fn the_example_is_a_sweep() {
    let folder = folder();
    let here = folder.path();
    std::fs::write(here.join("epoch_history"), "").unwrap();
    let text = EXAMPLE
        .replace("/var/log/condor/", "")
        .replace("/var/lib/condor/spool/", "")
        .replace("holdadvise-train.tar.gz", "x.sif");
    let path = here.join("sweep.yaml");
    std::fs::write(&path, text).unwrap();
    let Checked { sweep, notes, .. } = read(&path, now()).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    let planned = crate::sweep::planning::plan(&sweep, Path::new("/bin/h")).unwrap();
    assert!(planned.notes.is_empty(), "{:?}", planned.notes);
    assert!(EXAMPLE.lines().count() < 60);
}

/// Every parameter, distribution, figure and key has its place in the reference.
#[test]
fn the_reference_is_complete() {
    use crate::sweep::parameters::{PREPROCESSING, TRAINING};
    let reference = include_str!("../../../../docs/training/sweep.md");
    let named = |name: &str| reference.contains(&format!("`{name}`"));
    for parameter in TRAINING.iter().chain(PREPROCESSING) {
        assert!(named(parameter.name), "{}", parameter.name);
        assert!(parameter.aliases.iter().all(|alias| named(alias)), "{:?}", parameter.aliases);
        let most = parameter.kind.most;
        let row = |line: &str| {
            line.starts_with(&format!("| `{}`", parameter.name)) && line.contains(&most.to_string())
        };
        assert!(reference.lines().any(row), "{} {most}", parameter.name);
    }
    for (name, ..) in METRICS {
        assert!(named(name), "{name}");
    }
    for word in distribution::words() {
        assert!(named(word), "{word}");
    }
    for line in ALL.lines().chain(EXAMPLE.lines()) {
        let key = line.trim_start_matches([' ', '-']).split(':').next().unwrap();
        let plain = !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        assert!(!plain || !line.contains(':') || named(key), "{key}");
    }
}

/// The other form of such a file, with trials under `wandb`.
#[test]
fn the_folder_of_the_collector_is_its_logs_and_epoch_ads() {
    let folder = folder();
    let here = folder.path();
    let kept = here.join("kept");
    std::fs::create_dir(&kept).unwrap();
    let names = ["EventLog.000009", "EventLog.000010", "EventLog.1000000", "epoch_history.000001"];
    let paths = names.map(|name| kept.join(name));
    for path in &paths {
        std::fs::write(path, "...\n").unwrap();
    }
    let gap = r#"{"version":1,"log":"EventLog","after":10,"before":1000000,"from":5,"until":9,"certain":true,"files":2,"bytes":7,"events":null}"#;
    std::fs::write(kept.join("gaps.jsonl"), gap).unwrap();
    let text = ALL.replace("logs: [EventLog*]", "logs: [EventLog, kept]");
    let Checked { sweep, notes, .. } = checked(here, &text).unwrap();
    let found = &sweep.plan.data.access_points[0];
    assert_eq!(found.logs, [&[here.join("EventLog")], &paths[..3]].concat());
    assert_eq!(found.epochs, [here.join("epochs"), paths[3].clone()]);
    assert_eq!(notes.len(), 1);
    let note = notes[0].to_string();
    assert!(note.contains("kept: the event log has a gap between 1970-01-01T00:00:05Z"), "{note}");
    std::fs::remove_dir_all(&kept).unwrap();
    std::fs::create_dir(&kept).unwrap();
    assert!(wrong(here, &text).contains("kept: it is a directory without an event log; expected"));
}

#[test]
fn a_method_that_is_none_is_named_with_the_file_and_those_there_are() {
    let folder = folder();
    let path = folder.path().join("sweep.yaml");
    std::fs::write(&path, "data: {simulations: sim}\nmethod: tpe\n").unwrap();
    let error = read(&path, now()).unwrap_err().to_string();
    let expected = "2:9: method: expected `random` or `grid`, not `tpe`";
    assert_eq!(error, format!("{}:{expected}", path.display()));
}

/// The key is nowhere in what is said of a file with mistakes.
#[test]
fn a_key_is_never_printed() {
    let folder = folder();
    for text in [
        format!("{ALL}wandb:\n  api_key: 0123456789\n"),
        format!("{ALL}wandb:\n api_key: 0123456789\n  x: 1\n"),
        "api_key: [0123456789, {a: 0123456789}]\ntracking: {api_key: 0123456789}\n".to_owned(),
    ] {
        match check(text.as_bytes(), folder.path(), now()) {
            Ok(checked) => assert!(!checked.text.contains("0123456789")),
            Err((errors, notes)) => {
                let said: Vec<String> =
                    errors.iter().chain(&notes).map(ToString::to_string).collect();
                assert!(!said.join("\n").contains("0123456789"), "{said:#?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Files with a stretch taken out, doubled, or overwritten.
    #[test]
    fn no_mutation_panics(
        from in 0..2_000_usize, length in 0..40_usize, way in 0..3_u8,
        bytes in proptest::collection::vec(any::<u8>(), 0..8)
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut text = ALL.as_bytes().to_vec();
        let from = from % text.len();
        let until = (from + length).min(text.len());
        match way {
            0 => { text.drain(from..until); }
            1 => { let piece = text[from..until].to_vec(); text.splice(from..from, piece); }
            _ => { text.splice(from..until, bytes); }
        }
        // Nothing of it is there: an error in any case, and never an empty one.
        let (errors, _) = check(&text, folder.path(), now()).err().unwrap_or_default();
        prop_assert!(errors.iter().all(|error| !error.text.is_empty()));
    }
}
