//! Release expressions judged by the hidden truth of played pools.

use std::path::Path;
use std::process::Command;

fn played(pool: &str) -> String {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(pool);
    data.display().to_string()
}

#[test]
fn a_suggestion_costs_less_than_copied_expressions_on_played_pools() {
    let copied = [
        "(NumJobStarts < 5) && ((CurrentTime - EnteredCurrentStatus) > 60*60)",
        "(NumJobStarts < 5) && ((CurrentTime - EnteredCurrentStatus) > 60)",
        "((CurrentTime - EnteredCurrentStatus) > 300) && (NumJobStarts < 5)",
    ];
    for (judged, learned) in
        [("pool-faults-23.9", "pool-faults-25.14"), ("pool-faults-25.14", "pool-faults-23.9")]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_holdadvise-train"));
        command.args(["policies", "--stretch", "60"]);
        command.args(["--simulation", &played(judged), "--learn", &played(learned)]);
        for text in copied {
            command.args(["--expression", text]);
        }
        let output = command.output().expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let cost = |policy: &str| -> f64 {
            let line = text.lines().find(|line| line.ends_with(policy)).expect("a row");
            line.split_whitespace().nth(5).and_then(|cost| cost.parse().ok()).expect("a cost")
        };
        let suggested = cost("  suggested");
        for policy in copied {
            assert!(suggested < cost(policy), "{text}");
        }
    }
}

#[test]
fn bad_input_is_named() {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_holdadvise-train"));
        let output = command.arg("policies").args(arguments).output().expect("the program runs");
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let pool = played("pool-faults-23.9");
    let text = run(&["--simulation", &pool, "--expression", "NumHolds <"]);
    assert!(text.contains("\"NumHolds <\" is not an expression"), "{text}");
    assert!(run(&["--simulation", "missing"]).contains("missing"));
}
