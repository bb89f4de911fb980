//! `condor_releaseexpr -lint`: findings, places, exit statuses, bad input.

use crate::harness::{NOW, Place, Said, ad};

/// A submit description with a defect of each grave sort.
const SUBMIT: &str = r#"# A job that is often short of memory.
executable     = simulate
limit          = 5
request_memory = 2G
+Team          = "physics"
periodic_hold  = (JobStatus == 2) && (MemoryUsage > RequestMemory)
periodic_release = (NumJobStarts < $(limit)) && \
   ((HoldReasonCode =?= 34 && HoldReasonSubCode =?= 0) || HoldReasonCode == 13) \
   && Team == "physics"
on_exit_hold   = ExitCode = 1
queue 10
"#;

const RIGHT: &str =
    "HoldReasonCode =?= 13 && NumHolds < 4 && (time() - EnteredCurrentStatus) > 600";

fn lint(words: &[&str], stdin: &str) -> Said {
    Place::new().release_expression(words, stdin)
}

#[test]
fn help_needs_nothing() {
    let said = lint(&["-h"], "");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(said.stdout);
}

#[test]
fn a_submit_description_is_looked_at() {
    let place = Place::new();
    place.file("job.sub", SUBMIT);
    let said = place.release_expression(&["-lint", "job.sub"], "");
    assert_eq!((said.status, said.stderr.as_str()), (1, ""));
    insta::assert_snapshot!(said.stdout);
}

#[test]
fn a_configuration_is_read_from_standard_input() {
    let text = "SYSTEM_PERIODIC_RELEASE_NAMES = Net\nSYSTEM_PERIODIC_RELEASE_Net = HoldReasonCode == 13\nSYSTEM_PERIODIC_REMOVE @=end\n  NumHold > 30\n@end\n";
    let said = lint(&["-lint", "-", "-wide"], text);
    assert_eq!((said.status, said.stderr.as_str()), (1, ""));
    insta::assert_snapshot!(said.stdout);
}

/// Settings that are right by themselves.
const TOGETHER: &str = "\
executable = simulate
on_exit_remove = (ExitBySignal == False) && (ExitCode == 0)
periodic_hold = (time() - JobCurrentStartDate) > 86400
periodic_hold_subcode = 33
periodic_release = HoldReasonCode == 3 && HoldReasonSubCode == 42 && NumHolds < 4 && (time() - EnteredCurrentStatus) > 600
periodic_remve = NumHolds > 10
request_memory = 1024 * (NumJobStarts + 1)
queue
";

#[test]
fn settings_are_looked_at_together() {
    let place = Place::new();
    place.file("job.sub", TOGETHER);
    let said = place.release_expression(&["-lint", "job.sub"], "");
    assert_eq!((said.status, said.stderr.as_str()), (1, ""));
    insta::assert_snapshot!(said.stdout);
    // A file whose only policy is misspelt has one.
    let said = lint(&["-lint", "-"], "periodic_relase = NumHolds < 3\n");
    assert_eq!((said.status, said.stderr.as_str()), (1, ""));
}

#[test]
fn findings_are_json_too() {
    let said = lint(
        &["-lint", "(NumJobStarts < 5) && ((CurrentTime - EnteredCurrentStatus) > 60*60)", "-json"],
        "",
    );
    assert_eq!((said.status, said.stderr.as_str()), (1, ""));
    insta::assert_snapshot!(said.stdout);
}

#[test]
fn the_exit_status_is_for_scripts() {
    assert_eq!(lint(&["-lint", RIGHT], "").status, 0);
    // A note is no reason to stop.
    assert_eq!(lint(&["-lint", &RIGHT.replace("time()", "CurrentTime")], "").status, 0);
    assert_eq!(lint(&["-lint", RIGHT, "-lint", "true"], "").status, 1);
    let memory = "HoldReasonCode =?= 34 && HoldReasonSubCode =?= 0 && NumHolds < 3 && (time() - EnteredCurrentStatus) > 600";
    assert_eq!(lint(&["-lint", memory], "").status, 1);
    assert_eq!(lint(&["-lint", memory, "-condor", "23.9"], "").status, 0);
    assert_eq!(lint(&["-lint", "JobStatus == 2", "-kind", "hold"], "").status, 0);
}

#[test]
fn bad_input_is_named() {
    let place = Place::new();
    place.file("empty.sub", "executable = x\nqueue\n");
    place.file("binary.sub", b"\x00\xff\xfeperiodic_release = \x1b[31m(\n");
    for (words, expected) in [
        (vec!["-lint", "nosuch.sub"], "Error: cannot read nosuch.sub: No such file"),
        (vec!["-lint", "bin"], "Error: cannot read bin: Is a directory"),
        (vec!["-lint", "empty.sub"], "Error: empty.sub sets no policy: no periodic_release"),
        (vec!["-lint", "-"], "Error: standard input sets no policy"),
        (vec!["-lint"], "Error: -lint requires another parameter"),
        (vec![], "Error: nothing to do: give -lint and an expression or a file"),
        (vec!["-lnt", "x"], "Error: unrecognized argument -lnt; did you mean -lint ("),
    ] {
        let said = place.release_expression(&words, "");
        assert_eq!((said.status, said.stdout.as_str()), (2, ""), "{words:?}: {said:?}");
        assert!(said.stderr.starts_with(expected), "{words:?}: {said:?}");
    }
    let said = place.release_expression(&["-lint", "binary.sub"], "");
    assert!(said.status > 0 && !format!("{said:?}").contains("panicked"), "{said:?}");
}

#[test]
fn hostile_expressions_end() {
    let nested = format!("{}1{}", "(".repeat(50_000), ")".repeat(50_000));
    let chain = "NumHolds < 3 || ".repeat(2_000) + "true";
    let doubling: String =
        (0..60).map(|level| format!("+a{level} = a{0} + a{0}\n", level + 1)).collect();
    for text in
        [nested, chain, "regexp(\"(a+)+$\", \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\")".to_owned()]
    {
        let said = lint(&["-lint", "-"], &format!("periodic_release = {text}\n"));
        assert!(said.status < 2, "{}", said.stderr);
        assert!(said.stdout.contains("1 expression: "), "{}", said.stdout);
    }
    let said = lint(&["-lint", "-"], &format!("{doubling}periodic_release = a0 > 3\n"));
    assert!(said.status < 2, "{}", said.stderr);
}

#[test]
fn control_characters_stay_out_of_the_terminal() {
    let said = lint(&["-lint", "Num\u{1b}[31mHolds < \u{7}3 && x\u{202e}y"], "");
    assert!(!said.stdout.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{said:?}");
    assert_eq!(said.status, 1);
}

#[test]
fn a_long_expression_ends_no_program() {
    let place = Place::new();
    place.file("EventLog", "");
    let sum = vec!["1"; 25_000].join("+");
    let text = format!("time() - EnteredCurrentStatus > {sum}");
    place.file("long.sub", format!("executable = /bin/true\nperiodic_release = {text}\nqueue\n"));
    place.file("long.ads", ad(7, 0, &format!("PeriodicRelease = {text}")));
    for words in [
        &["-lint", "long.sub"][..],
        &["-replay", "long.sub", "-eventlog", "EventLog"],
        &["-explain", "-jobads", "long.ads", "-now", NOW],
    ] {
        // A signal would be no status.
        let said = place.release_expression(words, "");
        assert!(said.status < 3, "{words:?}: {said:?}");
    }
    assert_eq!(place.run(&["-jobads", "long.ads", "-now", NOW], "").status, 0);
}

#[test]
fn much_text_is_looked_at_in_little_time() {
    let place = Place::new();
    let text = "ab ".repeat(21_000);
    place.file("split.sub", format!("periodic_release = size(split(\"{text}\")) > 3\nqueue\n"));
    // It takes a fraction of a second; uncharged, a debug build took many minutes.
    let said = place.release_expression(&["-lint", "split.sub"], "");
    assert!(!said.stdout.contains("never-true"), "{said:?}");
}

#[test]
fn many_findings_take_little() {
    let place = Place::new();
    let macros: String = (0..8_000).map(|number| format!("M{number} = NumHold < 3\n")).collect();
    let named: String = (0..8_000).map(|number| format!("$(M{number}) || ")).collect();
    let lines = "NumHold < 3 || \\\n".repeat(3_000);
    for (name, text, expected) in [
        ("lines", format!("periodic_release = {lines}true\n"), " more findings left out: "),
        (
            "commands",
            "periodic_release = \\\n".repeat(20_000) + "true\n",
            " bytes: one of more than ",
        ),
        (
            "macros",
            format!("{macros}periodic_release = {named}true\n"),
            " bytes: one of more than ",
        ),
        (
            "line",
            format!("periodic_release = {}\n", "a".repeat(5_000_000)),
            " bytes: one of more than ",
        ),
        (
            "files",
            "on_exit_hold = $(A) || $(B) || $(C) || $(D)\n".repeat(3_000),
            " not looked at: there are 10000 ",
        ),
    ] {
        place.file("job.sub", text + "queue\n");
        for more in ["-wide", "-json"] {
            let said = place.release_expression(&["-lint", "job.sub", more], "");
            assert_eq!((said.status, said.stderr.as_str()), (1, ""), "{name}");
            assert!(said.stdout.len() < 8_000_000, "{name}: {}", said.stdout.len());
            assert!(said.stdout.contains(expected), "{name}: {}", said.stdout);
            assert!(
                name == "files" || said.stdout.len() < 500_000,
                "{name}: {}",
                said.stdout.len()
            );
        }
    }
}

#[test]
fn what_is_long_is_shown_in_part() {
    let long = format!("Owner =!= \"{}\"", "a".repeat(5_000));
    let text = format!("{long} && NumHold < 3 && {long}");
    let said = lint(&["-lint", &text, "-wide"], "");
    assert_eq!(said.status, 1);
    assert!(said.stdout.contains("    instead, in part: ...aaa"), "{}", said.stdout);
    assert!(said.stdout.lines().all(|line| line.len() < 1_300), "{}", said.stdout);
    let said = lint(&["-lint", &text, "-json"], "");
    assert!(said.stdout.contains("\"Corrected\": null"), "{}", said.stdout);
    assert!(said.stdout.contains("\"Expression\": null"), "{}", said.stdout);
}
