//! Policies and advice that decide in running simulations.

use std::fs;
use std::path::Path;

use crate::common::{done, refused};
use holdadvise::model::Model;
use serde_json::Value;

/// A small access point.
const WORLD: &str = "[owners]\ncount = 8\n\n[jobs]\nper_day = 250.0\n";

fn played(folder: &Path, seeds: &str, more: &[&str]) -> (String, Value) {
    fs::write(folder.join("tiny.toml"), WORLD).unwrap();
    let mut arguments = vec!["closed-loop", "--with", "faults-3", "--with", "tiny.toml"];
    arguments.extend(["--seeds", seeds, "--days", "1", "--draws", "100"]);
    arguments.extend(["-o", "report.json", "--replace"]);
    arguments.extend(more);
    let printed = done(folder, arguments);
    let report = fs::read_to_string(folder.join("report.json")).unwrap();
    (printed, serde_json::from_str(&report).unwrap())
}

fn arm<'a>(report: &'a Value, name: &str) -> &'a Value {
    let arms = report["arms"].as_array().unwrap();
    arms.iter().find(|arm| arm["arm"] == name).unwrap_or_else(|| panic!("{name}: {report}"))
}

#[test]
fn every_arm_is_between_its_bounds_and_a_second_run_gives_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/default.pt");
    let model = folder.path().join("model.pt");
    fs::copy(shipped, &model).unwrap();
    let (printed, report) = played(folder.path(), "1-2", &["-m", "model.pt", "--record"]);
    let arms = report["arms"].as_array().unwrap();
    assert_eq!(arms.len(), 10);
    let share = |name: &str| arm(&report, name)["share"]["value"].as_f64().unwrap();
    assert_eq!(share("clairvoyant"), 1.0);
    assert_eq!(share(report["best"].as_str().unwrap()), 0.0);
    // Who knows the cause does better than any rule, and who knows the end better still.
    assert!(share("informed") > 0.0 && share("informed") < 1.0, "{printed}");
    for name in ["advice", "advice-looks"] {
        let loss = &arm(&report, name)["loss"];
        assert!(loss["releases"].as_f64().unwrap() > 0.0, "{printed}");
        assert!(printed.contains(name), "{printed}");
    }
    // What stands in the file's sheet is what was printed.
    let recorded = Model::open(&model).unwrap().metadata;
    let shipped = Model::open(Path::new(shipped)).unwrap().metadata;
    let of_sheet = recorded.sheet.clone().unwrap().closed_loop.unwrap();
    let methods: Vec<&str> = of_sheet.figures.iter().map(|it| it.method.as_str()).collect();
    assert_eq!(methods, ["advice", "advice, with checks"]);
    for (figure, name) in of_sheet.figures.iter().zip(["advice", "advice-looks"]) {
        assert_eq!(figure.value, share(name));
    }
    assert!(of_sheet.figures_of.contains("seeds 1 to 2"), "{}", of_sheet.figures_of);
    assert_eq!(recorded.calibration, shipped.calibration);
    assert_eq!(recorded.metrics, shipped.metrics);
    // Nobody who leaves all acts.
    let left = &arm(&report, "leave-all")["loss"];
    assert_eq!((&left["releases"], &left["removals"]), (&Value::from(0.0), &Value::from(0.0)));
    assert_eq!(played(folder.path(), "1-2", &[]).1, report);
}

#[test]
fn bounds_and_baselines_are_played_whatever_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (printed, report) = played(folder.path(), "3", &["--arm", "informed"]);
    let arms = report["arms"].as_array().unwrap();
    // One access point alone has no others to learn a table from.
    assert_eq!(arms.len(), 7, "{printed}");
    assert!(!printed.contains("advice"), "{printed}");
}

#[test]
fn bad_input_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = |arguments: &[&str]| refused(folder.path(), [&["closed-loop"], arguments].concat());
    assert!(error(&["--seeds", "9-3"]).contains("1-40"));
    assert!(error(&["--preset", "missing"]).contains("missing"));
    assert!(error(&["--model", "missing.pt"]).contains("missing.pt"));
    assert!(error(&["--arm", "guess"]).contains("clairvoyant"));
    fs::write(folder.path().join("there.json"), "").unwrap();
    assert!(error(&["-o", "there.json"]).contains("there.json"));
}
