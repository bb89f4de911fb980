//! The steps in a folder, with results as training nodes write them.

use std::collections::BTreeMap;
use std::path::Path;

use super::select;
use crate::sweep::file::SweepFile;
use crate::sweep::folder::{self, parameters_path, result_path, write_json};
use crate::sweep::plan::{BestTrial, Fate, Plan};
use crate::sweep::{file, planning};
use crate::training::trial::RungResult;

/// A sweep of 6 trials, on 3 rungs of 6, 2 and 1.
fn sweep(here: &Path) -> Plan {
    let text = "data: {simulations: .}\ntrials: 6\n\
         training: {parameters: {hidden: {values: [8, 16, 32]}, dropout: {min: 0.0, max: 0.5}}}\n\
         budget: {rungs: 3, eta: 3, epochs: 9}\n";
    let path = here.join("sweep.yaml");
    std::fs::write(&path, text).unwrap();
    let sweep: SweepFile = file::read(&path, jiff::Timestamp::UNIX_EPOCH).unwrap().sweep;
    let planned = planning::plan(&sweep, Path::new("/bin/true")).unwrap();
    write_json(&here.join(folder::PLAN), &planned.plan).unwrap();
    for one in &planned.parameters {
        write_json(&parameters_path(here, one.trial), one).unwrap();
    }
    planned.plan
}

fn result(trial: usize, rung: usize, loss: f64) -> RungResult {
    RungResult {
        trial,
        rung,
        epoch: 1,
        best_epoch: 1,
        stopped_early: false,
        diverged: false,
        metrics: BTreeMap::from([("validation_loss".to_owned(), loss)]),
        validation_rows: 0,
        validation_clusters: 0,
        without_groups: BTreeMap::new(),
        share_of_trees: 0.0,
        kept_beginning: false,
        seconds: 1.0,
        sequences_per_second: 1.0,
        peak_memory_mb: 1,
        device: "cpu".to_owned(),
    }
}

fn put(here: &Path, result: &RungResult) {
    let path = result_path(here, result.trial, result.rung);
    write_json(&path, result).unwrap();
    let model = format!("model {} {}", result.trial, result.rung);
    std::fs::write(path.with_file_name("model.pt"), model).unwrap();
}

fn run_select(here: &Path, rung: usize) -> Result<(), String> {
    let options = select::SelectOptions { folder: here.to_owned(), rung };
    select::run(&options).map_err(|error| error.to_string())
}

fn lines(here: &Path, rung: usize) -> Vec<String> {
    let text = std::fs::read_to_string(here.join(format!("rungs/rung{rung}.txt"))).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// All files of a folder with what is in them.
fn content(here: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![here.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                found.insert(path.display().to_string(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn the_best_train_on_until_one_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    sweep(here);
    for (trial, loss) in [(1, 0.6), (2, 0.5), (3, 0.7), (4, 0.4), (5, 0.9), (6, 0.5)] {
        put(here, &result(trial, 1, loss));
    }
    run_select(here, 1).unwrap();
    let first = ["004 goes-on", "002 goes-on", "006 lost", "001 lost", "003 lost", "005 lost"];
    assert_eq!(lines(here, 1), first);

    put(here, &result(4, 2, 0.39));
    put(here, &result(2, 2, 0.35));
    run_select(here, 2).unwrap();
    let second = ["002 goes-on", "004 lost", "006 lost", "001 lost", "003 lost", "005 lost"];
    assert_eq!(lines(here, 2), second);

    put(here, &result(2, 3, 0.3));
    run_select(here, 3).unwrap();
    assert_eq!(lines(here, 3)[0], "002 stopped");
    assert_eq!(lines(here, 3).len(), 6);
    let best: BestTrial = folder::read_json(&here.join("best/trial.json")).unwrap();
    assert_eq!((best.result, best.setting), (result(2, 3, 0.3), 1));
    assert_eq!(best.parameters, folder::read_parameters(here, 2).unwrap());
    assert_eq!(std::fs::read(here.join("best/model.pt")).unwrap(), b"model 2 3");

    let before = content(here);
    (1..=3).for_each(|rung| run_select(here, rung).unwrap());
    assert_eq!(content(here), before);
}

#[test]
fn the_best_of_all_may_have_trained_less() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    sweep(here);
    (1..=6).for_each(|trial| put(here, &result(trial, 1, 0.1 * trial as f64)));
    run_select(here, 1).unwrap();
    put(here, &result(1, 2, 0.5));
    put(here, &result(2, 2, 0.15));
    run_select(here, 2).unwrap();
    put(here, &result(2, 3, 0.4));
    run_select(here, 3).unwrap();
    let best: BestTrial = folder::read_json(&here.join("best/trial.json")).unwrap();
    // Trial 1 was at 0.5, and trial 3 had 0.3 before it was lost.
    assert_eq!((best.result.trial, best.result.rung), (3, 1));
    assert_eq!(lines(here, 3)[..2], ["003 stopped", "002 lost"]);
}

#[test]
fn a_trial_that_stopped_keeps_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    sweep(here);
    for trial in 1..=6 {
        let stopped_early = trial == 1;
        put(here, &RungResult { stopped_early, ..result(trial, 1, 0.1 * trial as f64) });
    }
    run_select(here, 1).unwrap();
    assert_eq!(lines(here, 1)[..3], ["001 stopped", "002 goes-on", "003 lost"]);
    put(here, &result(2, 2, 0.2));
    run_select(here, 2).unwrap();
    assert_eq!(lines(here, 2)[..2], ["001 stopped", "002 lost"]);
    // Nothing is left to train.
    run_select(here, 3).unwrap();
    assert_eq!(std::fs::read(here.join("best/model.pt")).unwrap(), b"model 1 1");
}

#[test]
fn results_that_are_missing_or_damaged_are_lost() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    sweep(here);
    let error = run_select(here, 1).unwrap_err();
    let begin = "no trial has a result of rung 1 that can be used; the first, trial 1: ";
    assert!(
        error.starts_with(begin) && error.contains("trials/001/rung1/result.json: "),
        "{error}"
    );

    put(here, &RungResult { diverged: true, ..result(1, 1, 0.1) });
    put(here, &result(2, 1, 0.5));
    // Where a figure is no number, JSON has `null`.
    put(here, &result(3, 1, f64::NAN));
    std::fs::write(result_path(here, 3, 1).with_file_name("x"), "").unwrap();
    std::fs::create_dir_all(result_path(here, 4, 1).parent().unwrap()).unwrap();
    std::fs::write(result_path(here, 4, 1), "{").unwrap();
    std::fs::create_dir_all(result_path(here, 5, 1).parent().unwrap()).unwrap();
    std::fs::copy(result_path(here, 2, 1), result_path(here, 5, 1)).unwrap();
    run_select(here, 1).unwrap();
    let decided = folder::read_decision(here, 1).unwrap().fates;
    let lost = [1, 3, 4, 5, 6].map(|trial| (trial, Fate::Lost));
    assert_eq!(decided, [&[(2, Fate::GoesOn)][..], &lost].concat());
}

#[test]
fn steps_that_are_not_in_the_plan_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    assert!(run_select(here, 1).unwrap_err().contains("sweep.json: "));
    let plan = sweep(here);
    for rung in [0, 4] {
        let expected = format!("there is no rung {rung} in this sweep, which has 3");
        assert_eq!(run_select(here, rung).unwrap_err(), expected);
    }
    assert!(run_select(here, 2).unwrap_err().contains("rungs/rung1.json: "));
    write_json(&here.join(folder::PLAN), &Plan { format: 9, ..plan.clone() }).unwrap();
    assert!(
        run_select(here, 1)
            .unwrap_err()
            .contains(": a plan of format 9, expected 1: use the version")
    );
    let mut gap = plan;
    gap.trials.remove(0);
    write_json(&here.join(folder::PLAN), &gap).unwrap();
    assert!(run_select(here, 1).unwrap_err().ends_with("each numbered from 1"));
}
