//! A small plan and what is written of it.

use super::*;
use crate::sweep::plan::{
    Data, Goal, Method, Metric, Program, Resources, Rung, Setting, Tracking, Trial, PLAN_FORMAT,
};

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

/// Two settings, four trials of which the last two are drawn in a wave, two rungs.
pub(crate) fn plan() -> Plan {
    let trial = |number, setting, wave| Trial { number, setting, wave };
    Plan {
        format: PLAN_FORMAT,
        name: "frames \"and\" sizes".to_owned(),
        seed: 1,
        data: Data { validation_fraction: 0.15, test_fraction: 0.2, ..Data::default() },
        settings: vec![
            Setting { number: 1, frame_edges: vec![0, 60], slots: 4 },
            Setting { number: 2, frame_edges: vec![0, 60, 600], slots: 4 },
        ],
        trials: vec![trial(1, 1, 0), trial(2, 2, 0), trial(3, 1, 1), trial(4, 2, 1)],
        method: Method::Tpe,
        space: BTreeMap::new(),
        metric: Metric { name: "validation_loss".to_owned(), goal: Goal::Minimize },
        rungs: vec![
            Rung { number: 1, epochs: 4, trials: 4 },
            Rung { number: 2, epochs: 12, trials: 2 },
        ],
        patience: 6,
        architecture: None,
        champion: None,
        resources: resources(),
        program: Program::Installed("/opt/hold advise/bin/holdadvise-train".into()),
        tracking: Tracking::default(),
    }
}

/// Two shards: one with a log that has its own name and one of a name that is taken, one of a simulation.
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
            bytes: 300 << 20,
        };
        let simulation = Shard {
            number: 2,
            arguments: words(&["tensors", "--simulation", "small", "--frame-edges", &edges]),
            files: vec![file("/srv/simulations/small", "small")],
            bytes: 1,
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
    vec![of(1, 32), of(2, 64)]
}

fn made(plan: &Plan, folder: &std::path::Path) -> Result<Made, DagError> {
    let request = Request {
        plan,
        sweep_file: b"method: bayes\n",
        shards: &shards(plan),
        parameters: &parameters(),
        here: &here(),
        track: "#!/usr/bin/env python3\n",
    };
    write(&request, folder)
}

#[test]
#[ignore]
fn print() {
    let folder = std::path::PathBuf::from(std::env::var("TRY").unwrap());
    let mut plan = plan();
    plan.program = Program::Installed("/usr/local/bin/holdadvise-train".into());
    plan.tracking.enabled = true;
    plan.tracking.python = "/usr/bin/python3".into();
    plan.resources.at_once = Some(3);
    plan.resources.retries = 1;
    plan.resources.submit = vec!["requirements = GLIDEIN_Site == \"Lakeside\"".into(), "nice_user = true".into()];
    let mut shards = shards(&plan);
    for shard in shards.values_mut().flatten() {
        for file in &mut shard.files {
            file.path = std::path::Path::new("/home/alice/data").join(file.path.file_name().unwrap());
        }
        shard.bytes = 1;
    }
    let request = Request {
        plan: &plan,
        sweep_file: b"method: bayes\n",
        shards: &shards,
        parameters: &parameters(),
        here: &Here { program: "/usr/local/bin/holdadvise-train".into(), ..here() },
        track: "import signal,time\nprint('track', __import__('os').environ.get('HOME'), flush=True)\nsignal.signal(signal.SIGTERM, lambda *_: (print('term', flush=True), time.sleep(7), print('end', flush=True), exit(0)))\nwhile True: time.sleep(1)\n",
    };
    eprintln!("{}", write(&request, &folder).unwrap());
}
