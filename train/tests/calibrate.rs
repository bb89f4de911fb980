//! `holdadvise-train calibrate` as a user calls it, without libtorch: on the shipped model, and on
//! logs of a simulated access point.

use crate::common::{done, holdadvise_train, text};
use holdadvise::model::{Batch, DEFAULT_ARCHIVE, LEAST_OUTCOMES, Model};
use holdadvise_train::data::dataset::Dataset;

#[test]
fn logs_and_their_dataset_give_one_calibration() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let run = |arguments: &str| done(here, arguments.split_whitespace());
    let message = |arguments: &str, status: i32| {
        let run = holdadvise_train(here, arguments.split_whitespace());
        assert_eq!(run.status.code(), Some(status), "{arguments}: {}", text(&run.stdout));
        text(&run.stderr)
    };
    std::fs::write(here.join("m.pt"), DEFAULT_ARCHIVE).unwrap();
    run("simulate --preset rapid --seed 3 --days 2 -o sim");
    let logs = "sim/EventLog --epochs sim/epoch_history --horizon 1 --time-zone UTC";
    run(&format!("tensors {logs} --real --origin ap1.example.org -o real"));
    let dataset = Dataset::read(&here.join("real")).unwrap();
    assert!(dataset.len() as u64 > LEAST_OUTCOMES, "{}", dataset.len());

    // Whether the shipped model is right of this access point is not asked here: --force writes
    // either way.
    let shown = run("calibrate m.pt real --force --draws 50 -o a.pt");
    assert!(shown.contains("ap1.example.org: ") && shown.contains("a.pt: "), "{shown}");
    run(&format!(
        "calibrate m.pt {logs} --access-point ap1.example.org --force --draws 50 -o b.pt"
    ));
    let [a, b] = ["a.pt", "b.pt"].map(|file| std::fs::read(here.join(file)).unwrap());
    assert!(a == b, "the dataset of the logs gives what the logs give");

    let (before, after) =
        (Model::builtin_default().unwrap(), Model::open(here.join("a.pt")).unwrap());
    let own = after.metadata.recalibration.clone().unwrap();
    assert_eq!(own.outcomes, after.metadata.outcomes_here());
    assert!(own.outcomes >= LEAST_OUTCOMES && own.outcomes <= dataset.len() as u64);
    assert_eq!(own.replaced, before.metadata.calibration);
    assert_ne!(after.metadata.calibration, before.metadata.calibration);
    assert_eq!(own.forced, own.check.is_worse());
    assert!(own.first < own.last && own.check.fitted + own.check.measured <= own.outcomes);
    assert_eq!(after.metadata.training, before.metadata.training);
    assert_eq!(after.metadata.sheet, before.metadata.sheet);
    let (states, statics) = dataset.gather(&[0, 1, 2]);
    let batch = Batch { states: &states, statics: &statics, n: 3 };
    assert_eq!(after.engine.logits(&batch).unwrap(), before.engine.logits(&batch).unwrap());

    // What is refused leaves no file.
    let few = message("calibrate m.pt real --gap 90000000 -o no.pt", 1);
    assert!(few.contains("0 older outcomes") && few.contains("Nothing was written"), "{few}");
    assert!(message(&format!("calibrate m.pt {logs} -o no.pt"), 1).contains("--access-point NAME"));
    run("tensors --simulation sim --releases-only --horizon 1 -o simulated");
    let unreal = message("calibrate m.pt simulated -o no.pt", 1);
    assert!(unreal.contains("not marked as real outcomes"), "{unreal}");
    let log = std::fs::read_to_string(here.join("sim/EventLog")).unwrap();
    let half = log[..log.len() / 20].rfind("\n...\n").unwrap() + 5;
    std::fs::write(here.join("short.log"), &log[..half]).unwrap();
    let few = message("calibrate m.pt short.log --access-point ap1 --time-zone UTC -o no.pt", 1);
    assert!(few.contains(&format!("a calibration takes {LEAST_OUTCOMES}")), "{few}");
    assert!(!here.join("no.pt").exists());
    assert!(message("calibrate m.pt -o no.pt", 2).contains("<LOGS>"));
    assert!(message("calibrate m.pt real", 2).contains("--output"));
}

#[test]
fn a_calibration_that_is_worse_is_not_written_unless_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("m.pt"), DEFAULT_ARCHIVE).unwrap();
    let run = |arguments: &str| done(here, arguments.split_whitespace());
    run("simulate --preset rapid --seed 3 --days 2 -o sim");
    let tensors =
        "tensors --simulation sim --releases-only --horizon 1 --real --origin ap1 -o real";
    run(tensors);
    let mut dataset = Dataset::read(&here.join("real")).unwrap();
    // What came before the newest holds all succeeded but a few; since then as the simulator has
    // it.
    let mut times = dataset.hold_time.clone();
    times.sort_unstable();
    let cut = times[times.len() * 7 / 10];
    for row in 0..dataset.len() {
        if dataset.hold_time[row] < cut {
            dataset.label[row] = u8::from(row % 50 != 0);
        }
    }
    dataset.write(&here.join("drifted")).unwrap();
    let refused =
        holdadvise_train(here, "calibrate m.pt drifted --draws 50 -o new.pt".split_whitespace());
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stderr);
    assert!(said.contains("worse than the one before, which is kept"), "{said}");
    assert!(text(&refused.stdout).contains("calibration error"), "the figures are shown");
    assert!(!here.join("new.pt").exists());
    run("calibrate m.pt drifted --draws 50 --force -o new.pt");
    let own = Model::open(here.join("new.pt")).unwrap().metadata.recalibration.unwrap();
    assert!(own.forced && own.check.is_worse());
}
