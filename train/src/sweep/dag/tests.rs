//! A small plan and what is written of it.

use std::path::Path;

use holdadvise::policy::{SettingsFile, lint};

use super::*;
use crate::sweep::plan::{
    Data, Goal, Method, Metric, PLAN_FORMAT, Program, Resources, Rung, Setting, Spread, Tracking,
    Trial,
};
use crate::training::precision::Precision;

pub(crate) fn resources() -> Resources {
    Resources {
        gpus: 0,
        cpus: 2,
        memory: None,
        disk: None,
        at_once: None,
        retries: 2,
        checkpoint: 600,
        submit: Vec::new(),
    }
}

/// Two settings, four trials, two rungs.
pub(crate) fn plan() -> Plan {
    let trial = |number, setting| Trial { number, setting };
    Plan {
        format: PLAN_FORMAT,
        name: "frames \"and\" sizes".to_owned(),
        seed: 1,
        data: Data {
            validation_fraction: 0.15,
            test_fraction: 0.2,
            least_validation_rows: 100,
            ..Data::default()
        },
        settings: vec![
            Setting { number: 1, frame_edges: vec![0, 60], slots: 4 },
            Setting { number: 2, frame_edges: vec![0, 60, 600], slots: 4 },
        ],
        trials: vec![trial(1, 1), trial(2, 2), trial(3, 1), trial(4, 2)],
        method: Method::Random,
        spreads: BTreeMap::from([
            ("hidden".to_owned(), Spread::Linear),
            ("learning_rate".to_owned(), Spread::Log),
            ("kind".to_owned(), Spread::Choices),
        ]),
        metric: Metric { name: "validation_loss".to_owned(), goal: Goal::Minimize },
        rungs: vec![
            Rung { number: 1, epochs: 4, trials: 4 },
            Rung { number: 2, epochs: 12, trials: 2 },
        ],
        patience: 6,
        precision: Precision::Float32,
        from: None,
        architecture: None,
        champion: None,
        resources: resources(),
        program: Program::Installed("/opt/hold advise/bin/holdadvise-train".into()),
        tracking: Tracking::default(),
    }
}

/// Two shards: one with a log that has its own name and one of a name that is taken, one of a
/// simulation.
pub(crate) fn shards(plan: &Plan) -> BTreeMap<usize, Vec<Shard>> {
    let file = |path: &str, name: &str| ShardFile { path: path.into(), name: name.to_owned() };
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    let of_setting = |setting: &Setting| {
        let edges: Vec<String> = setting.frame_edges.iter().map(u32::to_string).collect();
        let edges = edges.join(",");
        let logs = Shard {
            number: 1,
            arguments: words(&[
                "tensors",
                "EventLog",
                "2-EventLog",
                "--origin",
                "it's \"ap1\"",
                "--frame-edges",
                &edges,
            ]),
            files: vec![
                file("/var/log/condor/EventLog", "EventLog"),
                file("/srv/old logs/a,b", "2-EventLog"),
            ],
            memory: 900,
            disk: 700,
        };
        let simulation = Shard {
            number: 2,
            arguments: words(&["tensors", "--simulation", "small", "--frame-edges", &edges]),
            files: vec![file("/srv/simulations/small", "small")],
            memory: 300,
            disk: 256,
        };
        (setting.number, vec![logs, simulation])
    };
    plan.settings.iter().map(of_setting).collect()
}

pub(crate) fn here() -> Here {
    Here {
        program: "/usr/local/bin/holdadvise-train".into(),
        library_path: Some("/opt/libtorch/lib:/opt/cuda 12/lib".to_owned()),
        home: Some("/home/alice".to_owned()),
    }
}

pub(crate) fn parameters() -> Vec<Parameters> {
    let of = |trial, hidden: u32| Parameters {
        trial,
        parameters: BTreeMap::from([("hidden".to_owned(), hidden.into())]),
    };
    vec![of(1, 32), of(2, 64), of(3, 16), of(4, 8)]
}

fn made(plan: &Plan, folder: &Path) -> Result<String, Error> {
    let request = Request {
        plan,
        sweep_file: b"method: random\n",
        shards: &shards(plan),
        parameters: &parameters(),
        here: &here(),
        track: "#!/usr/bin/env python3\n",
    };
    write(&request, folder)
}

fn text(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// With GPUs, a limit, models of one's own, tracking, a tarball and a line for the pool.
fn rich() -> (tempfile::TempDir, Plan) {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: usize| {
        let path = folder.path().join(name);
        std::fs::write(&path, vec![b'x'; bytes]).unwrap();
        path
    };
    let mut plan = plan();
    plan.program = Program::Tarball(file("holdadvise-train.tar.gz", 5 << 20));
    plan.champion = Some(file("in use.pt", 3));
    plan.architecture = Some(file("mine.pt", 4));
    plan.tracking.enabled = true;
    plan.tracking.python = "/opt/wandb/bin/python3".into();
    plan.resources = Resources {
        gpus: 1,
        memory: Some(8000),
        disk: Some(20_000),
        at_once: Some(16),
        submit: vec![
            "requirements = OpSysMajorVer >= 9".to_owned(),
            "accounting_group = group_ops".to_owned(),
        ],
        ..resources()
    };
    (folder, plan)
}

/// The rules of `condor_releaseexpr -lint` that a submit description breaks.
fn linted(description: &str) -> Vec<&'static str> {
    let settings = SettingsFile::read(description);
    let mut rules: Vec<_> =
        lint::together(&settings).iter().map(|(_, found)| found.rule.name).collect();
    for assignment in settings.assignments() {
        let Some(role) = lint::Role::of(assignment.setting()) else { continue };
        let found = lint::lint(&assignment.value.text, &lint::Setting::alone(role));
        rules.extend(found.iter().map(|found| found.rule.name));
    }
    rules
}

#[test]
fn the_dag_and_its_descriptions_are_those_documented() {
    let folder = tempfile::tempdir().unwrap();
    let made = made(&plan(), folder.path()).unwrap();
    insta::assert_snapshot!("sweep.dag", text(folder.path(), "sweep.dag"));
    let names = ["shard", "merge", "train", "select", "test", "finish"];
    let all: Vec<String> = names
        .iter()
        .map(|name| {
            format!("==> {name}.sub <==\n{}", text(folder.path(), &format!("submit/{name}.sub")))
        })
        .collect();
    insta::assert_snapshot!("submit", all.join("\n"));
    for name in names {
        assert_eq!(linted(&text(folder.path(), &format!("submit/{name}.sub"))), [""; 0], "{name}");
    }
    assert_eq!(std::fs::read_dir(folder.path().join("submit")).unwrap().count(), names.len());
    let said = made.replace(folder.path().to_str().unwrap(), "DIR");
    assert_eq!(
        said,
        "DIR: 4 trials on 2 rungs\n  6 nodes prepare the data, 8 train (those of trials that lost are skipped), 4 decide and \
         report\nTo start it:\n  cd DIR && condor_submit_dag sweep.dag\n"
    );
}

#[test]
fn what_the_plan_asks_for_stands_in_the_descriptions() {
    let (models, plan) = rich();
    let folder = tempfile::tempdir().unwrap();
    made(&plan, folder.path()).unwrap();
    let tarball = models.path().join("holdadvise-train.tar.gz").display().to_string();
    let training = text(folder.path(), "submit/train.sub").replace(&tarball, "TARBALL");
    insta::assert_snapshot!("train-with-gpu", training);
    insta::assert_snapshot!("track", text(folder.path(), "submit/track.sub"));
    let dag = text(folder.path(), "sweep.dag");
    assert!(
        dag.contains("\nMAXJOBS train 16\n") && dag.contains("\nSERVICE track submit/track.sub\n")
    );
    assert_eq!(dag.matches("\nCATEGORY trial-").count(), 8);
    let select = text(folder.path(), "submit/select.sub");
    assert!(select.contains("\naccounting_group") && !select.contains("OpSysMajorVer"), "{select}");
    let test = text(folder.path(), "submit/test.sub");
    assert!(test.contains("--champion champion.pt") && test.contains(", ../champion.pt"), "{test}");
    assert!(test.contains("1536 + 4 * (TransferInputSizeMB - 5)"), "{test}");
    assert_eq!(text(folder.path(), "champion.pt"), "xxx");
    assert_eq!(text(folder.path(), "architecture.pt"), "xxxx");
    assert!(text(folder.path(), "program/node").contains("\ntarball=holdadvise-train.tar.gz\n"));

    let folder = tempfile::tempdir().unwrap();
    let image = "docker://example.org/holdadvise:1".to_owned();
    made(&Plan { program: Program::Container(image), ..super::tests::plan() }, folder.path())
        .unwrap();
    for name in ["shard", "merge", "train", "test"] {
        let description = text(folder.path(), &format!("submit/{name}.sub"));
        assert!(description.contains("= container\n"), "{description}");
        assert!(description.contains("= docker://example.org/holdadvise:1\n"), "{description}");
    }
    assert!(text(folder.path(), "program/node").contains("\nprogram=holdadvise-train\n"));
}

#[test]
fn everything_is_where_the_nodes_look_for_it() {
    let folder = tempfile::tempdir().unwrap();
    made(&plan(), folder.path()).unwrap();
    let path = |name: &str| folder.path().join(name);
    assert_eq!(
        text(folder.path(), "trials/002/parameters.json"),
        "{\"trial\":2,\"parameters\":{\"hidden\":64}}\n"
    );
    assert!(path("trials/004/parameters.json").exists());
    assert_eq!(
        std::fs::read_link(path("trials/004/data")).unwrap(),
        Path::new("../../prepared/002")
    );
    assert!(path("trials/004/data").is_dir() && path("trials/004/rung2").is_dir());
    let link = std::fs::read_link(path("prepared/links/001/2-EventLog")).unwrap();
    assert_eq!(link, Path::new("/srv/old logs/a,b"));
    assert_eq!(text(folder.path(), "sweep.yaml"), "method: random\n");
    let read: Plan = serde_json::from_str(&text(folder.path(), "sweep.json")).unwrap();
    assert_eq!(read, plan());
    // Each JOB has its description, each script is there.
    for line in text(folder.path(), "sweep.dag").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "JOB" | "FINAL" => assert!(path(words[2]).is_file(), "{line}"),
            "SCRIPT" => assert!(path(words[6]).is_file(), "{line}"),
            _ => {}
        }
    }
}

#[test]
fn nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("new/sweep");
    made(&plan(), &folder).unwrap();
    let before = text(&folder, "sweep.dag");
    let again = made(&plan(), &folder).unwrap_err().to_string();
    assert!(again.contains("this very sweep") && again.contains("rescue DAG"), "{again}");
    let other = made(&Plan { seed: 2, ..plan() }, &folder).unwrap_err().to_string();
    assert!(other.contains("another sweep"), "{other}");
    assert_eq!(text(&folder, "sweep.dag"), before);

    let full = tempfile::tempdir().unwrap();
    std::fs::write(full.path().join("thesis.tex"), "").unwrap();
    let error = made(&plan(), full.path()).unwrap_err().to_string();
    assert!(error.contains("not empty (thesis.tex is in it)"), "{error}");
    assert_eq!(std::fs::read_dir(full.path()).unwrap().count(), 1);
}

#[test]
fn a_plan_that_makes_no_dag_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |change: &dyn Fn(&mut Plan)| {
        let mut plan = plan();
        change(&mut plan);
        made(&plan, folder.path()).unwrap_err().to_string()
    };
    for (error, expected) in [
        (refused(&|plan| plan.name = "a\nFINAL x".to_owned()), "control character"),
        (refused(&|plan| plan.name = "$(HOME)".to_owned()), "`$(...)`"),
        (refused(&|plan| plan.trials.clear()), "trials []"),
        (refused(&|plan| plan.trials[3].number = 5), "trials [1, 2, 3, 5]"),
        (refused(&|plan| plan.trials[1].setting = 3), "setting 3, which is none"),
        (refused(&|plan| plan.rungs.clear()), "rungs []"),
        (refused(&|plan| plan.rungs[1].epochs = 4), "later epoch"),
        (refused(&|plan| plan.program = Program::Installed("train".into())), "absolute path"),
        (refused(&|plan| plan.program = Program::Container("a.sif".into())), "absolute path"),
        (refused(&|plan| plan.program = Program::Tarball("/no/such.tar".into())), "/no/such.tar"),
        (refused(&|plan| plan.program = Program::Tarball("/a,b.tar".into())), "comma"),
        (refused(&|plan| plan.resources.submit = vec!["queue 3".into()]), "one job"),
        (refused(&|plan| plan.resources.submit = vec!["a = 1\nqueue".into()]), "one line"),
    ] {
        assert!(error.contains(expected), "{error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn two_hundred_trials_are_linear() {
    let mut plan = plan();
    plan.trials = (1..=200).map(|number| Trial { number, setting: 1 + number % 2 }).collect();
    plan.rungs = (1..=4).map(|number| Rung { number, epochs: number * 4, trials: 9 }).collect();
    let folder = tempfile::tempdir().unwrap();
    let made = made(&plan, folder.path()).unwrap();
    assert!(made.contains(" 6 nodes prepare the data, 800 train "), "{made}");
    assert!(made.contains(" 6 decide and report"), "{made}");
    let dag = text(folder.path(), "sweep.dag");
    assert_eq!(dag.matches("\nJOB ").count(), 811);
    assert!(dag.lines().filter(|line| line.starts_with("PARENT")).count() < 200);
    assert!(dag.lines().all(|line| line.len() < 400));
}
