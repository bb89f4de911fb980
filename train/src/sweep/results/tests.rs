//! Folders of sweeps as far as they are.

use proptest::prelude::*;

use super::*;
use crate::sweep::dag::tests::plan;

pub(crate) fn write(folder: &Path, name: &str, content: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Twelve groups, of which the first is unlike the others; the second trial differs by chance.
fn without(trial: usize, loss: f64) -> Vec<f64> {
    let noise = if trial == 2 { 0.04 } else { 0.0 };
    let value = |group: usize| match group {
        0 => loss + 0.03,
        _ => loss + noise * f64::from(u8::from(group > 6)),
    };
    (0..12).map(value).collect()
}

pub(crate) fn result(trial: usize, rung: usize, loss: f64, seconds: f64) -> String {
    serde_json::to_string(&RungResult {
        trial,
        rung,
        epoch: rung * 4,
        best_epoch: rung * 4,
        stopped_early: false,
        diverged: false,
        metrics: BTreeMap::from([("validation_loss".to_owned(), loss)]),
        validation_rows: 400,
        validation_clusters: 60,
        without_groups: BTreeMap::from([("validation_loss".to_owned(), without(trial, loss))]),
        share_of_trees: 0.8,
        kept_beginning: false,
        seconds,
        sequences_per_second: 100.0,
        peak_memory_mb: 300,
        device: "cpu".to_owned(),
    })
    .unwrap()
}

/// Four trials: the fourth lost on rung 1, the third has stopped, the first is best.
pub(crate) fn finished(folder: &Path) {
    write(folder, "sweep.json", &serde_json::to_string(&plan()).unwrap());
    for (trial, loss) in [(1, 0.5), (2, 0.4), (3, 0.45), (4, 0.6)] {
        let of = Plan::trial_folder(trial);
        let name = |file: &str| of.join(file).display().to_string();
        let parameters = format!(
            "{{\"trial\":{trial},\"parameters\":{{\"hidden\":{},\"learning_rate\":{},\"kind\":\"{}\"}}}}",
            32 * trial,
            10_f64.powi(-(trial as i32)),
            if trial % 2 == 0 { "a" } else { "<b>" }
        );
        write(folder, &name("parameters.json"), &parameters);
        write(folder, &name("rung1/result.json"), &result(trial, 1, loss, 1800.0));
        let metrics: Vec<String> = (1..=4)
            .map(|epoch| {
                let loss = loss + 0.1 / epoch as f64;
                format!("{{\"trial\":{trial},\"epoch\":{epoch},\"train_loss\":0.5,\"validation_loss\":{loss}}}\n")
            })
            .collect();
        write(folder, &name("rung1/metrics.jsonl"), &metrics.concat());
    }
    write(
        folder,
        "rungs/rung1.json",
        r#"{"rung":1,"fates":[[2,"goes-on"],[3,"stopped"],[1,"goes-on"],[4,"lost"]]}"#,
    );
    write(folder, "trials/001/rung2/result.json", &result(1, 2, 0.3, 5400.0));
    write(folder, "trials/002/rung2/result.json", &result(2, 2, 0.39, 3600.0));
    write(
        folder,
        "rungs/rung2.json",
        r#"{"rung":2,"fates":[[1,"stopped"],[2,"lost"],[3,"lost"],[4,"lost"]]}"#,
    );
    write(folder, "best/trial.json", r#"{"setting":1,"parameters":{},"trial":1,"rung":2}"#);
}

#[test]
fn trials_are_ranked_and_counted_as_was_decided() {
    let folder = tempfile::tempdir().unwrap();
    finished(folder.path());
    let results = Results::read(folder.path()).unwrap();
    let ranked: Vec<usize> = results.ranking().iter().map(|of| of.trial.number).collect();
    assert_eq!(ranked, [1, 2, 3, 4]);
    let expected = Counts {
        run: 6,
        skipped_lost: 1,
        skipped_stopped: 1,
        open: 0,
        training_hours: 1.5 + 1.0 + 0.5 + 0.5,
    };
    assert_eq!(results.counts(), expected);
    assert_eq!((results.best, results.damaged), (Some(1), 0));
    assert_eq!(results.trials[0].curve.len(), 4);
}

#[test]
fn a_sweep_that_runs_is_read_as_far_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let error = Results::read(folder.path()).unwrap_err().to_string();
    assert!(error.contains("holdadvise-train dag"), "{error}");
    write(folder.path(), "sweep.json", &serde_json::to_string(&plan()).unwrap());
    let results = Results::read(folder.path()).unwrap();
    assert_eq!((results.counts().open, results.damaged), (8, 0));
    write(folder.path(), "trials/003/rung1/result.json", &result(3, 1, 0.5, 1.0));
    write(folder.path(), "trials/002/rung1/result.json", &result(2, 1, 0.4, 1.0));
    write(folder.path(), "trials/001/rung1/result.json", "{\"trial\":1,");
    let half =
        "{\"epoch\":1,\"validation_loss\":0.5}\n{\"epoch\":2,\"validation_loss\":null}\n\n{\"epo";
    write(folder.path(), "trials/001/rung1/metrics.jsonl", half);
    let results = Results::read(folder.path()).unwrap();
    let ranked: Vec<usize> = results.ranking().iter().map(|of| of.trial.number).collect();
    assert_eq!(ranked, [2, 3, 1, 4]);
    assert_eq!((results.damaged, results.counts().run, results.best), (2, 2, None));
    let curve = &results.trials[0].curve;
    assert_eq!(curve.iter().map(|at| [at.epoch, at.figure]).collect::<Vec<_>>(), [[1.0, 0.5]]);
    assert_eq!(results.trials[0].epochs, 2);
}

#[test]
fn the_curve_is_of_what_decides() {
    let folder = tempfile::tempdir().unwrap();
    finished(folder.path());
    let auroc = plan_by("validation_auroc");
    write(folder.path(), "sweep.json", &auroc);
    let line = r#"{"epoch":1,"validation_loss":0.5,"validation_auroc":0.75,
        "validation_auroc_half_width":0.125,"validation_rows":400.0,"validation_clusters":60}"#;
    write(folder.path(), "trials/001/rung1/metrics.jsonl", &line.replace('\n', ""));
    let results = Results::read(folder.path()).unwrap();
    let of = Some([400, 60]);
    let point = Point { epoch: 1.0, figure: 0.75, half_width: Some(0.125), of };
    assert_eq!(results.trials[0].curve, [point]);
    // An older version wrote lines with the loss alone.
    assert_eq!((results.trials[1].curve.len(), results.trials[1].epochs), (0, 4));
}

/// The plan with another figure that decides, as it is written.
pub(crate) fn plan_by(metric: &str) -> String {
    let mut plan = plan();
    plan.metric.name = metric.to_owned();
    serde_json::to_string(&plan).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), which in 0..5_usize) {
        let folder = tempfile::tempdir().unwrap();
        finished(folder.path());
        let name = ["trials/001/rung1/metrics.jsonl", "trials/001/rung1/result.json", "rungs/rung1.json", "best/trial.json",
            "trials/001/parameters.json"][which];
        fs::write(folder.path().join(name), bytes).unwrap();
        let results = Results::read(folder.path()).unwrap();
        prop_assert_eq!(results.ranking().len(), 4);
        let counts = results.counts();
        prop_assert_eq!(counts.run + counts.skipped_lost + counts.skipped_stopped + counts.open, 8);
    }
}
