//! A model trained with frames and slots of one's own is judged, calibrated and served with samples
//! of those.
#![cfg(feature = "torch")]

use crate::common::done;
use holdadvise::features::{Holds, Sampler};
use holdadvise::history::Action;
use holdadvise::model::{Batch, Model};
use holdadvise_train::data::dataset::Dataset;
use holdadvise_train::data::input::InputOptions;
use serde_json::Value;

#[test]
fn other_frames_and_slots_from_the_log_to_the_advice() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let run = |arguments: &str| done(here, arguments.split_whitespace());
    run("simulate --preset rapid --seed 3 --days 2 -o sim");
    let logs = "sim/EventLog --epochs sim/epoch_history --horizon 1 --time-zone UTC";
    run(&format!(
        "tensors {logs} --real --origin ap1 --frames 6 --frame-length 300 --slots 7 -o data"
    ));
    run("train data -o m.pt --epochs 1 --embedding 4 --hidden 4 --units 4 --joint 4 --threads 1");
    let model = Model::open(here.join("m.pt")).unwrap();
    let dataset = Dataset::read(&here.join("data")).unwrap();
    assert_eq!(model.metadata.schema, dataset.info.schema);
    assert_eq!((model.metadata.dimensions.m, model.metadata.dimensions.j), (6, 7));
    run("evaluate data m.pt --draws 50");
    run("calibrate m.pt data --force --draws 50 -o a.pt");
    run(&format!("calibrate m.pt {logs} --access-point ap1 --force --draws 50 -o b.pt"));
    let [a, b] = ["a.pt", "b.pt"].map(|file| std::fs::read(here.join(file)).unwrap());
    assert!(a == b, "logs are read with the model's own frames and slots");

    run("simulate --preset small --seed 4 --days 2 -o other");
    let logs = "other/EventLog --epochs other/epoch_history --horizon 1 --time-zone UTC";
    let input = InputOptions {
        logs: vec![here.join("other/EventLog")],
        userlogs: false,
        epochs: vec![here.join("other/epoch_history")],
        journal: Vec::new(),
        horizon: 1,
        time_zone: Some("UTC".to_owned()),
    };
    let input = input.read().unwrap();
    let episodes = input.episodes();
    let sampler = Sampler::for_schema(input.history, &model.metadata.schema, &Holds::All).unwrap();
    let judged = run(&format!("review {logs} -m m.pt --json"));
    let judged: Vec<Value> =
        judged.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(judged.len(), episodes.len());
    let (mut compared, mut adjusted) = (0, 0);
    for (judged, episode) in judged.iter().zip(&episodes) {
        let unchanged = matches!(episode.action, Action::AsIs | Action::Unknown);
        let (Some(said), true) = (judged["success"].as_f64(), unchanged) else { continue };
        let instant = judged["decided_at"].as_i64().unwrap();
        let job = episode.identity.job;
        assert_eq!(judged["job"], job.to_string());
        let hold = sampler.history().held_at(job, None, instant).unwrap();
        // Holds that share a cause are asked about as the first of them.
        let mut others = sampler.history().jobs_of(job.cluster).filter(|other| other.job != job);
        if others.any(|other| {
            let other = sampler.history().held_at(other.job, None, instant);
            other.is_some_and(|other| other.held_at <= hold.held_at)
        }) {
            continue;
        }
        // Where time does not help, the model sees the hold as of the last event that tells of it.
        let events = sampler.neighbourhood(&hold, instant).into_iter().flat_map(|near| {
            [near.last_started, near.last_held_same_code, near.last_release.map(|(at, _)| at)]
        });
        let last_events = events.flatten().filter(|at| *at > hold.held_at).chain([hold.held_at]);
        let now = sampler.sample(&hold, instant, Action::AsIs, None);
        let as_of = |at| sampler.sample_as_of(&hold, at, instant, Action::AsIs, None);
        let is_said = [now].into_iter().chain(last_events.map(as_of)).any(|sample| {
            let batch = Batch { states: &sample.states, statics: &sample.statics, n: 1 };
            (model.probabilities(&batch).unwrap()[0] - said).abs() < 1e-6
        });
        // What was seen of other jobs since the hold is counted beside the model's answer.
        if is_said {
            compared += 1;
        } else {
            adjusted += 1;
        }
    }
    assert!(compared >= 15 && compared > adjusted, "{compared} as the model says, {adjusted} not");
}
