//! `holdadvise-train episodes`, as people call it.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;

fn recorded() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/pool-23.9")
}

fn episodes(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_holdadvise-train"));
    command.args(["episodes", "--time-zone", "UTC"]).current_dir(folder);
    command
}

fn texts(output: Output) -> (String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn a_rotated_log_and_its_epoch_ads() {
    let mut command = episodes(&recorded());
    // Named in any order.
    command.args([
        "EventLog",
        "EventLog.2",
        "EventLog.1",
        "EventLog.3",
        "--epochs",
        "epoch_history",
    ]);
    let (episodes, summary) = texts(command.output().unwrap());
    insta::assert_snapshot!(summary);
    insta::assert_snapshot!(episodes.lines().take(3).collect::<Vec<_>>().join("\n"));
    assert_eq!(episodes.lines().count(), 39);
}

#[test]
fn compressed_or_through_a_pipe_it_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let log = std::fs::read(recorded().join("EventLog.1")).unwrap();
    std::fs::write(folder.path().join("plain"), &log).unwrap();
    let mut packed =
        GzEncoder::new(File::create(folder.path().join("log.gz")).unwrap(), Compression::best());
    packed.write_all(&log).unwrap();
    packed.finish().unwrap();
    let expected = texts(episodes(folder.path()).arg("plain").output().unwrap());
    assert!(expected.0.lines().count() > 3);
    assert_eq!(texts(episodes(folder.path()).arg("log.gz").output().unwrap()), expected);
    let piped = episodes(folder.path())
        .arg("/dev/stdin")
        .stdin(File::open(folder.path().join("plain")).unwrap())
        .output()
        .unwrap();
    assert_eq!(texts(piped), expected);
    let mut piped = episodes(folder.path())
        .arg("/dev/stdin")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    piped.stdin.take().unwrap().write_all(&log).unwrap();
    assert_eq!(texts(piped.wait_with_output().unwrap()), expected);
}

#[test]
fn damage_is_named_with_its_place_and_the_rest_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let held = |cluster| {
        format!(
            "012 ({cluster}.000.000) 2026-01-02 03:04:05 Job was held.\n\tx\n\tCode 13 Subcode 2\n...\n"
        )
    };
    let unknown = "099 (3.000.000) 2026-01-02 03:04:06 Something new.\n...\n";
    let log = held(1) + "\tno header\n...\n" + unknown + &held(2) + "012 (4.000.000) 2026-01";
    std::fs::write(folder.path().join("log"), log).unwrap();
    let (episodes, summary) = texts(episodes(folder.path()).arg("log").output().unwrap());
    assert_eq!(episodes.lines().count(), 2);
    insta::assert_snapshot!(summary);
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("letter"), "Dear reader,\n".repeat(20)).unwrap();
    for (log, said) in
        [("missing", "missing: No such file"), ("letter", "letter"), (".", "directory")]
    {
        let output = episodes(folder.path()).arg(log).output().unwrap();
        assert!(!output.status.success(), "{log}");
        let (_, error) = texts(output);
        assert!(error.starts_with("Error: ") && error.contains(said), "{log}: {error}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let log: String = (1..40_000)
        .map(|cluster| format!("012 ({cluster}.000.000) 2026-01-02 03:04:05 Job was held.\n\tx\n\tCode 13 Subcode 2\n...\n009 ({cluster}.000.000) 2026-01-02 03:04:05 Job was aborted.\n...\n"))
        .collect();
    std::fs::write(folder.path().join("log"), log).unwrap();
    let mut child = episodes(folder.path())
        .arg("log")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    assert!(line.starts_with("{\"identity\":"));
}

#[test]
fn characters_that_nobody_sees_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let log = std::fs::read_to_string(recorded().join("EventLog.1")).unwrap();
    let invisible = log.replace("Transfer input files", "Transfer\u{200b} input\u{e0041} files");
    assert_ne!(log, invisible, "a hold of this log has the words");
    std::fs::write(folder.path().join("log"), invisible).unwrap();
    let (episodes, _) = texts(episodes(folder.path()).arg("log").output().unwrap());
    assert!(episodes.contains("200b") && episodes.contains("Transfer"), "{episodes}");
    assert!(!episodes.contains(['\u{200b}', '\u{e0041}']), "{episodes}");
    assert!(episodes.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
}
