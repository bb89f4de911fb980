//! Arguments, help, version, settings.

use crate::harness::{HELD_LOG, NOW, Place, ad, queue_of};

#[test]
fn help_needs_nothing() {
    let said = Place::new().advise("-h");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(said.stdout);
}

#[test]
fn version_tells_of_the_model() {
    let said = Place::new().advise("-version");
    assert_eq!(said.status, 0, "{said:?}");
    let version = format!("$HoldadviseVersion: {} $\n", env!("CARGO_PKG_VERSION"));
    assert!(said.stdout.starts_with(&version));
    assert!(said.stdout.contains("\nmodel trained on: "));
}

#[test]
fn the_version_of_a_model_file_has_its_info_sheet() {
    let place = Place::new();
    let model = place.file("model.pt", holdadvise::model::DEFAULT_ARCHIVE);
    let said = place.run(&["-model", model.to_str().unwrap(), "-version"], "");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    let rest =
        said.stdout.strip_prefix(&place.advise("-version").stdout).expect("the short form first");
    let sheet = "\nWhat it is for\n";
    assert!(rest.contains(sheet) || rest.contains("has no info sheet"), "{rest}");
    assert!(rest.lines().all(|line| line.chars().count() <= 80), "{rest}");
}

#[test]
fn an_unknown_option_names_the_nearest() {
    let place = Place::new();
    place.advise("1234.0 -usrelog x").is_error(&["unrecognized argument -usrelog", "-userlog"]);
    place.advise("--user x").is_error(&["unrecognized argument --user", "-userlog"]);
    place.advise("-aply").is_error(&["unrecognized argument -aply"]);
    place.advise("-userlog").is_error(&["-userlog requires another parameter: filename"]);
    place.advise("-json -long").is_error(&["-json excludes -long: one form is printed"]);
    place.advise("-limit few").is_error(&["-limit", "\"few\""]);
}

#[test]
fn a_habit_of_condor_q_does_no_harm() {
    let place = Place::new();
    queue_of(&place, &ad(7, 0, ""));
    for words in ["-hold", "-ho"] {
        let said = place.advise(&format!("{words} 7 -now {NOW} -af ClusterId"));
        assert_eq!((said.status, said.stdout.as_str()), (0, "7\n"), "{said:?}");
    }
    place.advise("-hold -workflow 7").is_error(&["-hold excludes -workflow"]);
}

#[test]
fn a_time_may_be_a_date() {
    let place = Place::new();
    place.file("job.log", HELD_LOG);
    place.file("held.ads", ad(7, 0, ""));
    let judged = |zone: &str, now: &str| {
        let said = place.advise_in(zone, &format!("-userlog job.log -json -now {now}"));
        assert_eq!(said.status, 0, "{said:?}");
        said.stdout
    };
    for (zone, now) in [
        ("UTC", "2026-03-01T10:30:00"),
        ("UTC", "2026-03-01T10:30"),
        ("UTC", "2026-03-01T10:30Z"),
        ("UTC", "2026-03-01T05:30-05:00"),
    ] {
        assert_eq!(judged(zone, now), judged(zone, NOW), "{now}");
    }
    let zone = "America/Chicago";
    assert_eq!(judged(zone, "2026-03-01T04:30:00"), judged(zone, NOW));
    let words = ["-userlog", "job.log", "-json", "-now", "2026-03-01 10:30"];
    assert_eq!(place.run(&words, "").stdout, judged("UTC", NOW));
    place.advise("-now soon").is_error(&["-now: \"soon\" is not Unix seconds or a date such as"]);
    let explained = |now: &str| {
        place.release_expression(&["-explain", "-jobads", "held.ads", "-json", "-now", now], "")
    };
    assert_eq!(explained("2026-03-01T10:30").stdout, explained(NOW).stdout);
    assert!(explained("soon").stderr.contains("-now: \"soon\" is not Unix seconds"));
}

#[test]
fn the_model_is_looked_up_in_order() {
    let place = Place::new();
    let log = place.file("job.log", HELD_LOG);
    let log = log.to_str().unwrap();
    // Each place holds something that is no model; the message names the one that was taken.
    let taken = |words: &[&str]| {
        let said = place.run(&[&["-userlog", log, "-now", NOW], words].concat(), "");
        assert_eq!(said.status, 1, "{said:?}");
        said.stderr
    };
    place.file(".condor/holdadvise/default.pt", "no model");
    assert!(taken(&[]).contains("DIR/.condor/holdadvise/default.pt"));
    place.tool(
        "condor_config_val",
        "echo '# Configuration from machine: ap1'; echo 'HOLDADVISE_MODEL = /pool.pt'",
    );
    assert!(taken(&[]).contains("/pool.pt"));
    place.file(".condor/holdadvise/config", "holdadvise_model = /user.pt\n");
    assert!(taken(&[]).contains("/user.pt"));
    assert!(taken(&["-model", "/option.pt"]).contains("/option.pt"));
}

#[test]
fn debug_text_goes_to_standard_error() {
    let place = Place::new();
    let ads = place.file("held.ads", ad(7, 0, ""));
    let said = place.run(&["-jobads", ads.to_str().unwrap(), "-now", NOW, "-json", "-debug"], "");
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.stderr.contains("model built in"), "{said:?}");
    assert!(said.stdout.starts_with('['));
}
