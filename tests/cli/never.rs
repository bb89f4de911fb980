//! What no probability can buy: nothing is released that cannot succeed, and time alone releases
//! nothing that somebody has to see to.

use std::fs;

use serde_json::Value;

use crate::checks::{ad, advice, files, output, owner, place};
use crate::harness::Place;

/// A hold whose input is in order again, which is released where nothing else is wrong.
fn over(place: &Place, more: &str) -> String {
    let path = place.file("run/in.dat", "42");
    let reason = format!(
        "Transfer input files failure at access point ap.example.org while sending files to \
         execution point slot1@e1. Details: reading from file {}: (errno 2) No such file or directory",
        path.display()
    );
    let more = format!("TransferInput = \"in.dat\"\n{more}");
    ad(place, &output("uname", "-n"), (13, 2, &reason), &more)
}

/// It is released as it is, or its first command is a release.
fn is_let_go(advice: &Value) -> bool {
    let first = advice["Commands"][0].as_str();
    matches!(advice["Recommendation"].as_str(), Some("release" | "try"))
        || first.is_some_and(|first| first.starts_with("condor_release"))
}

#[test]
fn what_is_not_there_now_is_no_release() {
    let place = place();
    let whole = over(&place, "UserLog = \"job.log\"\nOut = \"o\"\n");
    assert_eq!(advice(&place, &whole, "")["Recommendation"], "release");
    let gone = |whole: &str, from: &str, to: &str, what: &str| {
        let wrong = whole.replace(from, to);
        assert_ne!(wrong, whole);
        let advice = advice(&place, &wrong, "");
        assert!(!is_let_go(&advice), "{to}: {advice}");
        assert_eq!(advice["Recommendation"], "change", "{to}: {advice}");
        assert_eq!(advice["Change"]["What"], what, "{to}: {advice}");
        assert!(advice["Success"]["as-is"].as_f64() <= Some(0.05), "{to}: {advice}");
        assert!(files(&advice).iter().any(|line| line.contains("not there")), "{advice}");
    };
    gone(&whole, "\"/bin/sh\"", "\"gone.sh\"", "ExecutableMissing");
    gone(&whole, "\"job.log\"", "\"logs/job.log\"", "EventLog");
    gone(&whole, "Out = \"o\"", "Out = \"out/o\"", "OutputDirectory");
    gone(&whole, "\"in.dat\"", "\"in.dat,more.dat\"", "Input");
    let key = "ScitokensFile = \"/none/token\"\nOut = \"o\"";
    gone(&whole, "Out = \"o\"", key, "Credential");
}

#[test]
fn a_hold_that_a_log_shows_to_be_over_is_left_alone() {
    let place = place();
    let whole = over(&place, "");
    place.file("epochs", "");
    let event = |number: &str, hour: u8, text: &str| {
        format!("{number} (009.000.000) 2026-03-08 {hour}:00:00 {text}\n...\n")
    };
    let held = "Job was held.\n\tTransfer input files failure\n\tCode 13 Subcode 2";
    let begun = event("000", 11, "Job submitted from host: <192.0.2.1:9618>")
        + &event("028", 11, "Job ad information event triggered.\nOwner = \"mallory\"\nProc = 0")
        + &event("012", 12, held);
    let with = |later: &str| drop(place.file("EventLog", format!("{begun}{later}")));
    let log = "-eventlog EventLog -epochs epochs";
    with("");
    let open = advice(&place, &whole, log);
    assert_eq!((&open["Recommendation"], &open["Owner"]), (&"release".into(), &owner().0.into()));
    let released = event("013", 13, "Job was released.\n\tvia condor_release (by user ana)");
    let removed = event("009", 13, "Job was aborted.\n\tvia condor_rm (by user ana)");
    let ended = "Job terminated.\n\t(1) Normal termination (return value 0)";
    let terminated = event("005", 13, ended);
    let since = "EnteredCurrentStatus = 1772971200\n";
    assert!(whole.contains(since));
    let undated = whole.replace(since, "");
    for (job, later, how) in [
        (&whole, &released, "was released"),
        (&whole, &removed, "was removed"),
        (&whole, &terminated, "terminated"),
        (&undated, &terminated, "terminated"),
    ] {
        with(later);
        let over = advice(&place, job, log);
        assert_eq!(over["Undecided"]["Kind"], "Over", "{over}");
        assert_eq!(over["Recommendation"], "undecided", "{over}");
        let sentence = over["Evidence"][0]["Sentence"].as_str().expect("a sentence");
        let shows = format!("The log shows that this job {how} ");
        assert!(sentence.starts_with(&shows) && sentence.ends_with(" ago."), "{sentence}");
        for commands in ["Commands", "CommandsAfter"] {
            assert_eq!(over[commands].as_array().map(Vec::len), Some(0), "{over}");
        }
        let text = place.advise(&format!("-jobads held.ads {log}")).stdout;
        assert!(text.contains("  UNDECIDED  The log is newer than its ad,"), "{text}");
        // Nothing later than the moment asked at is seen.
        let before = advice(&place, job, &format!("{log} -now 1772974799"));
        assert_ne!(before["Undecided"]["Kind"], "Over", "{before}");
        // It was held again for the same.
        with(&(later.clone() + &event("012", 14, held)));
        let again = advice(&place, job, log);
        assert_ne!(again["Undecided"]["Kind"], "Over", "{again}");
    }
}

#[test]
fn a_script_that_was_written_and_still_names_no_interpreter_is_not_corrected() {
    let place = place();
    let path = place.path("run/job.sh");
    let reason = format!(
        "Error from slot1@e1: Failed to execute '{}': invalid interpreter (/usr/bin/pyhton) given on \
         first line: (errno 2) No such file or directory",
        path.display()
    );
    let job = ad(&place, &output("uname", "-n"), (6, 2, &reason), "");
    let job = job.replace("\"/bin/sh\"", &format!("\"{}\"", path.display()));
    let log = format!(
        "000 (009.000.000) 2026-03-08 11:00:00 Job submitted from host: <192.0.2.1:9618>\n...\n\
         012 (009.000.000) 2026-03-08 12:00:00 Job was held.\n\t{reason}\n\tCode 6 Subcode 2\n...\n"
    );
    place.file("EventLog", log);
    place.file("epochs", "");
    let held = |text: &str| {
        fs::write(&path, text).expect("a script");
        advice(&place, &job, "-eventlog EventLog -epochs epochs")
    };
    for text in ["#!/usr/bin/pyhton\n", "#!/usr/bin/pythn\n# later\n", "#!/bin/sh\r\n"] {
        let advice = held(text);
        assert!(!is_let_go(&advice), "{text:?}: {advice}");
        assert_eq!(advice["Recommendation"], "change", "{text:?}: {advice}");
    }
    assert_eq!(held("#!/usr/bin/pythn\n")["Change"]["Interpreter"], "/usr/bin/pythn");
    assert_eq!(held("#!/bin/sh\n")["Recommendation"], "release");
    fs::remove_file(&path).expect("the script");
    assert!(!is_let_go(&advice(&place, &job, "")));
}

/// Holds of real pools that nothing ends but what somebody does.
#[test]
fn time_alone_releases_nothing() {
    let place = place();
    let limits = "JobCurrentStartDate = 1772899200\nJobCurrentStartExecutingDate = 1772899200\n\
        AllowedExecuteDuration = 72000\nAllowedJobDuration = 72000\n";
    let log = r"Failed to initialize user log to \\share01\users\ana\run1\job_5.log or /dev/null";
    for (code, subcode, reason, more) in [
        (4, 0, "Job credentials are not available", ""),
        (47, 0, "The job exceeded allowed execute duration of 20:00:00", limits),
        (46, 0, "The job exceeded allowed job duration of 20:00:00", limits),
        (22, 0, log, ""),
        (26, 0, "The job restarted too many times", ""),
        (26, 0, "Second start not allowed", ""),
        (5, 0, "The job attribute PeriodicHold expression 'X > 1' evaluated to UNDEFINED", ""),
    ] {
        let job = ad(&place, "ap.other.example", (code, subcode, reason), more);
        for later in [60, 86_400, 3 * 86_400, 30 * 86_400] {
            let advice = advice(&place, &job, &format!("-now {}", 1_772_971_200 + later));
            assert!(!is_let_go(&advice), "{code} {reason} after {later} s: {advice}");
        }
    }
}

#[test]
fn what_a_policy_would_hold_again_at_once_is_not_let_go() {
    let place = place();
    for policy in ["NumHolds > 0", "JobStatus == 2 && NumJobStarts > 3", "true"] {
        let job = over(&place, &format!("NumJobStarts = 9\nPeriodicHold = {policy}\n"));
        let advice = advice(&place, &job, "");
        assert!(!is_let_go(&advice), "{policy}: {advice}");
        let choices = advice["Decision"]["Choices"].as_array().expect("a list");
        let against = |choice: &Value| choice["Against"]["Kind"] == "HeldAgain";
        assert!(choices.iter().any(against), "{advice}");
    }
    let job = over(&place, "NumJobStarts = 9\nPeriodicHold = NumJobStarts > 10\n");
    assert_eq!(advice(&place, &job, "")["Recommendation"], "release");
}

#[test]
fn a_name_that_cannot_be_placed_is_not_taken_for_corrected() {
    let place = place();
    let job = over(&place, "");
    let without = job.replace("Iwd = ", "NoIwd = ");
    fs::remove_file(place.path("run/in.dat")).expect("the input");
    for words in ["", "-checks none"] {
        assert!(!is_let_go(&advice(&place, &without, words)), "{words}");
    }
}
