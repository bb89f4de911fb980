//! The judge's process is denied what it does not need: tried by the real program.

use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_condor_holdadvise_advisor");

fn confined(file: &std::path::Path) -> Output {
    Command::new(PROGRAM).arg("-confinement").arg(file).output().unwrap()
}

#[test]
fn a_confined_process_opens_starts_and_sends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "text").unwrap();
    let output = confined(&file);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(said.lines().count(), 13, "{said}");
    assert!(said.lines().all(|line| line.starts_with("denied: ")), "{said}");
    // And so it is.
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "text");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn unknown_arguments_are_refused() {
    let output = Command::new(PROGRAM).arg("-judg").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
