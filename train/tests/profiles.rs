//! Fitting to measured scripts, as a user calls it.

use std::fs;
use std::path::Path;

use crate::common::{done, refused};

/// Measurements of scripts of some projects, four of each, which their calls bind.
fn measure(folder: &Path, name: &str, projects: std::ops::Range<usize>) {
    let mut lines = String::new();
    for project in projects {
        for (kind, text, used) in [
            ("cpu", "import math\nfor i in range(10**7): math.sqrt(i)\n", [5.0, 0.0, 0.0, 0.0]),
            ("memory", "import numpy\nx = numpy.zeros((20000, 20000))\n", [0.1, 4e9, 0.0, 0.0]),
            ("disk", "import shutil\nshutil.copyfile('/a', '/b/c')\n", [0.1, 0.0, 9e8, 0.0]),
            ("network", "import requests\nrequests.get('https://a.org/b')\n", [0.1, 0.0, 0.0, 9e8]),
        ] {
            let file = format!("{kind}-{project}.py");
            fs::write(folder.join(&file), text.repeat(1 + project % 3)).unwrap();
            let [user, memory, written, received] = used;
            lines += &format!(
                r#"{{"project": "p{project}", "language": "python", "file": "{file}",
                "argv": ["python3", "{file}", "100"], "wall": 5.0, "user": {user}, "sys": 0.0,
                "delay": 0.0, "peak_rss": {memory}, "read_bytes": 0, "write_bytes": {written},
                "net_rx": {received}, "net_tx": 0, "ended": "exit", "exit_code": 0}}"#
            )
            .replace('\n', " ");
            lines.push('\n');
        }
    }
    fs::write(folder.join(name), lines).unwrap();
}

const FIT: &str = "profiles fit --rows main.jsonl --kept-out kept.jsonl --draws 20 -o p.json";

#[test]
fn methods_are_compared_and_the_regression_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    measure(here, "main.jsonl", 0..7);
    measure(here, "kept.jsonl", 7..9);
    let printed = done(here, FIT.split(' '));
    for name in ["logistic regression", "majority"] {
        assert!(printed.matches(&format!("\n| {name}")).count() >= 2, "{name}: {printed}");
    }
    let model = fs::read_to_string(here.join("p.json")).unwrap();
    assert!(model.contains("28 runs of scripts of 7 projects"), "{model}");
    let error = refused(here, FIT.split(' '));
    assert!(error.contains("p.json: it exists already"), "{error}");
}
