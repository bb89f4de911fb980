//! Many held jobs at a glance: `-totals`, lists of jobs, what is said where nothing is found.

use std::path::Path;

use crate::harness::{Place, Said};

/// Advice on the held jobs of a recorded pool.
fn advise(words: &str) -> Said {
    let place = Place::new();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pool-23.9");
    for name in ["held.long", "EventLog", "EventLog.1", "EventLog.2", "EventLog.3"] {
        place.file(name, std::fs::read(recorded.join(name)).unwrap());
    }
    place.advise(&format!("-jobads held.long -eventlog EventLog -now 1795278400 {words}"))
}

#[test]
fn totals_are_one_screen() {
    let said = advise("-totals");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    assert!(said.stdout.lines().count() <= 24, "{}", said.stdout);
    insta::assert_snapshot!(said.stdout);
    advise("-totals -json").is_error(&["-json"]);
}

#[test]
fn jobs_are_named_in_a_list() {
    let lines = |words: &str| advise(&format!("{words} -af ClusterId")).stdout;
    assert_eq!(lines("21,22"), "21\n22\n");
    assert_eq!(lines("21,22.0 23"), "21\n22\n23\n");
    // An empty part makes no list.
    assert_eq!(advise("21,").status, 1);
}

#[test]
fn nothing_found_says_what_was_read() {
    let said = advise("-constraint Owner==\"nobody\"");
    assert_eq!(said.stdout, "No held jobs: 0 of 24 ads in held.long matched.\n");
    assert_eq!(said.status, 0);
}

#[test]
fn a_name_that_nothing_has_is_noted() {
    let said = advise("21 -af ClusterId Recomendation");
    let note = "Note: no advice has an attribute Recomendation; did you mean Recommendation?\n";
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("21 undefined\n", note));
}
