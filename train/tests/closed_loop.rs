//! Policies and advice that decide in running simulations.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common::{done, refused};
use holdadvise::model::Model;

/// A small access point.
const WORLD: &str = "[owners]\ncount = 8\n\n[jobs]\nper_day = 250.0\n";

/// What is printed, and of each arm its line: hours, hours of failed releases, of delay, of keeping,
/// of work and of persons, releases, failures, jobs that finished, and the share avoided.
fn played(folder: &Path, seeds: &str, more: &[&str]) -> (String, BTreeMap<String, Vec<f64>>) {
    fs::write(folder.join("tiny.toml"), WORLD).unwrap();
    let mut arguments = vec!["closed-loop", "--with", "faults-3", "--with", "tiny.toml"];
    arguments.extend(["--seeds", seeds, "--days", "1", "--draws", "100"]);
    arguments.extend(more);
    let printed = done(folder, arguments);
    let lines = printed.lines().skip(3).take_while(|line| !line.is_empty());
    let arm = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap().to_owned();
        (name, words.take(10).map(|word| word.parse().unwrap()).collect())
    };
    let arms = lines.map(arm).collect();
    (printed, arms)
}

#[test]
fn every_arm_is_between_its_bounds_and_a_second_run_gives_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/default.pt");
    let model = folder.path().join("model.pt");
    fs::copy(shipped, &model).unwrap();
    let (printed, arms) = played(folder.path(), "1-2", &["-m", "model.pt", "--record"]);
    assert_eq!(arms.len(), 8, "{printed}");
    let share = |name: &str| arms[name][9];
    assert_eq!(share("clairvoyant"), 1.0);
    let best = printed.lines().next().unwrap().rsplit(' ').next().unwrap();
    assert_eq!(share(best), 0.0);
    // Who knows the cause does better than any rule, and who knows the end better still.
    assert!(share("informed") > 0.0 && share("informed") < 1.0, "{printed}");
    for name in ["advice", "advice-looks"] {
        assert!(arms[name][6] > 0.0, "{printed}");
    }
    // What stands in the file's sheet is what was printed.
    let recorded = Model::open(&model).unwrap().metadata;
    let shipped = Model::open(Path::new(shipped)).unwrap().metadata;
    let of_sheet = recorded.sheet.clone().unwrap().closed_loop.unwrap();
    let methods: Vec<&str> = of_sheet.figures.iter().map(|it| it.method.as_str()).collect();
    assert_eq!(methods, ["advice", "advice, with checks"]);
    for (figure, name) in of_sheet.figures.iter().zip(["advice", "advice-looks"]) {
        assert!((figure.value - share(name)).abs() < 0.006);
    }
    assert!(of_sheet.figures_of.contains("seeds 1 to 2"), "{}", of_sheet.figures_of);
    assert_eq!(recorded.calibration, shipped.calibration);
    assert_eq!(recorded.metrics, shipped.metrics);
    // Nobody who leaves all acts.
    assert_eq!(arms["leave-all"][6], 0.0);
    assert_eq!(played(folder.path(), "1-2", &[]).0, printed);
}

#[test]
fn bad_input_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = |arguments: &[&str]| refused(folder.path(), [&["closed-loop"], arguments].concat());
    assert!(error(&["--seeds", "9-3"]).contains("1-40"));
    assert!(error(&["--preset", "missing"]).contains("missing"));
    assert!(error(&["--model", "missing.pt"]).contains("missing.pt"));
}
