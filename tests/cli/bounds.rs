//! Input that would take memory or time without end, and what is said where a bound is reached.

use std::io::Write as _;
use std::process::Stdio;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::harness::{HELD_LOG, NOW, Place};

#[test]
fn a_dag_of_products_of_splices_takes_little_memory() {
    let place = Place::new();
    let nodes: String = (0..2_000).map(|at| format!("JOB N{at} a\n")).collect();
    place.file("part.dag", nodes);
    let many = "S ".repeat(700_000);
    place.file("work.dag", format!("JOB A a\nSPLICE S part.dag\nPARENT {many}CHILD A\n"));
    let program = env!("CARGO_BIN_EXE_condor_holdadvise");
    // KiB; these products would take eleven million.
    let script = format!("ulimit -v 4000000; exec {program} -dag work.dag -now {NOW}");
    let mut command = place.command("/bin/sh");
    command.args(["-c", &script]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = command.output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let bound = "Warning: work.dag: line 3: more than 4,000,000 parents and children, those of splices \
                 as often as they are used; what follows is left out";
    assert!(said.contains(bound), "{said}");
}

/// With seconds of processor time that the bytes of its logs would take a hundred times.
#[test]
fn of_the_logs_of_a_dag_the_newest_bytes_are_read() {
    let place = Place::new();
    place.file(".condor/holdadvise/config", "HOLDADVISE_EVENT_LOG_MIB = 1\n");
    place.file("work.dag", "JOB A a.sub\n");
    place.file("a.sub", "log = job.log\nqueue\n");
    let program = env!("CARGO_BIN_EXE_condor_holdadvise");
    for log in ["job.log", "work.dag.nodes.log", "work.dag.dagman.log"] {
        place.file("job.log", HELD_LOG);
        place.file(log, HELD_LOG);
        let path = place.path(log);
        let file = std::fs::OpenOptions::new().write(true).open(&path).expect("a log");
        file.set_len(20 << 30).expect("a sparse log");
        let log_of = format!("\n...\n{HELD_LOG}");
        std::os::unix::fs::FileExt::write_all_at(&file, log_of.as_bytes(), 20 << 30)
            .expect("its end");
        let script =
            format!("ulimit -t 20; exec {program} -dag work.dag -workflow -why -now {NOW}");
        let mut command = place.command("/bin/sh");
        command.args(["-c", &script]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = command.output().expect("the program runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{log}: {said}");
        let all = format!("{said}{}", String::from_utf8_lossy(&output.stdout));
        let line = format!("event log {log}: its first 20480 MiB, its last 1 MiB are read");
        // That of DAGMan tells nothing of jobs.
        assert!(all.contains(&line) || log == "work.dag.dagman.log", "{all}");
        std::fs::remove_file(path).expect("a log");
    }
}

#[test]
fn a_constraint_that_takes_too_much_is_an_error() {
    let place = Place::new();
    let doubled: String =
        (1..=30).map(|at| format!("S{at} = strcat(S{0}, S{0})\n", at - 1)).collect();
    let ad = "ClusterId = 7\nProcId = 0\nOwner = \"alice\"\nJobStatus = 5\nNumHolds = 1\n\
              EnteredCurrentStatus = 1772360000\nHoldReasonCode = 13\n";
    place.file("held.ads", format!("{ad}S0 = \"{}\"\n{doubled}", "x".repeat(1_000)));
    let given_up = "Error: -constraint: 1 ad was left out, to evaluate it was given up; expected at most 400 operators";
    let deep = format!("{}true", "true && ".repeat(10_000));
    for constraint in ["size(S30) > 1", &deep] {
        let words = ["-jobads", "held.ads", "-constraint", constraint, "-now", NOW];
        let said = place.run(&words, "");
        assert!(said.status != 0 && said.stderr.starts_with(given_up), "{said:?}");
    }
    // What an attribute refers to counts, however many are between.
    let said = place.advise("-jobads held.ads -constraint size(S9)==512000 -json");
    let all: Value = serde_json::from_str(&said.stdout).expect("an array");
    assert_eq!(all[0]["ClusterId"], 7, "{said:?}");
}

#[test]
fn what_a_hold_has_no_steps_for_is_said() {
    let place = Place::new();
    let event = |number: &str, time: &str, text: &str| {
        format!("{number} (7.000.000) 2026-{time} {text}\n...\n")
    };
    let held = "Job was held.\n\tgone\n\tCode 13 Subcode 2";
    let log = [
        event("000", "03-01 10:00:00", "Job submitted from host: <127.0.0.1:9618>"),
        event("012", "03-01 10:01:00", held),
        event("013", "03-31 10:00:00", "Job was released.\n\tvia condor_release (by user alice)"),
        event("001", "03-31 10:00:30", "Job executing on host: <127.0.0.1:9618>"),
        event("012", "03-31 10:01:00", held),
    ];
    place.file("job.log", log.concat());
    // It releases the job every day, and takes some hundred steps at each tick in between.
    let words =
        "size(split(strcat(HoldReason, \" b c d e f g h i j k l m n o p q r s t u v w x y z\")))";
    let text = &format!("{words} + {words} + {words} + {words} == 104 && time() % 86400 == 60");
    let said = place.release_expression(&["-replay", text, "-userlog", "job.log", "-wide"], "");
    assert_eq!(said.status, 0, "{said:?}");
    let line =
        "1: of 1 hold it is not known: to evaluate it takes more steps than there are for a hold.";
    assert!(said.stdout.contains(line), "{said:?}");
    let said = place.release_expression(&["-replay", text, "-userlog", "job.log", "-json"], "");
    let all: Value = serde_json::from_str(&said.stdout).expect("an object");
    let of = &all["Policies"][0]["All"];
    assert_eq!((&of["Unknown"], &of["Unfinished"]), (&1.into(), &1.into()), "{all}");
}

#[test]
fn compressed_logs_are_unpacked_up_to_one_bound_for_all() {
    let place = Place::new();
    let packed = |text: &str| {
        let mut out = GzEncoder::new(Vec::new(), Compression::best());
        out.write_all(text.as_bytes()).expect("packed");
        out.finish().expect("packed")
    };
    let filler = "006 (9.000.000) 2026-03-01 08:00:00 Image size of job updated: 1\n...\n";
    let filler = filler.repeat((700 << 10) / filler.len());
    for name in ["one.log", "two.log", "three.log"] {
        place.file(name, packed(&format!("{filler}{HELD_LOG}")));
    }
    let words = format!("-userlog one.log -userlog two.log -userlog three.log -now {NOW} -json");
    let whole = place.advise(&words);
    assert!(!whole.stdout.contains("are unpacked"), "{whole:?}");
    place.file(".condor/holdadvise/config", "HOLDADVISE_EVENT_LOG_MIB = 1\n");
    let said = place.advise(&words);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.stderr.contains("more bytes unpacked than they may"), "{said:?}");
    // What was read before counts.
    let all: Value = serde_json::from_str(&said.stdout).expect("an array");
    assert_eq!(all[0]["ClusterId"], 1234, "{all}");
    let missing = all[0]["Missing"].to_string();
    let line = "compressed logs: 1 MiB of them are unpacked (HOLDADVISE_EVENT_LOG_MIB)";
    assert!(missing.contains(line), "{missing}");
}
