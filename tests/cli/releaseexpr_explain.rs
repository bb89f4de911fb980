//! `condor_releaseexpr -explain`: what users see of blocked and waiting jobs, of limits, slips of
//! the pen and hostile input.

use std::fs;
use std::path::Path;

use crate::harness::{NOW, Place, Said, ad, queue_of};

/// Policies of an access point.
const CONFIG: &str = "\
SYSTEM_PERIODIC_RELEASE_NAMES = Net, Memory
SYSTEM_PERIODIC_RELEASE_Net = HoldReasonCode =?= 13 && NumHolds < $(LIMIT) && (time() - EnteredCurrentStatus) > 1200
SYSTEM_PERIODIC_RELEASE_Memory = (HoldReasonCode =?= 34 || (HoldReasonCode =?= 26 && HoldReasonSubCode =?= 34)) \\
    && NumHolds < 3 && time() - EnteredCurrentStatus > 120 * NumHolds
SYSTEM_PERIODIC_REMOVE @=end
  JobStatus == 5 &&
  time() - EnteredCurrentStatus > 3600 * 24 * 14
@end
LIMIT = 4
";

/// A place with the held jobs of a recorded pool and the time they were recorded at.
fn recorded(pool: &str) -> (Place, String) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(pool);
    let place = Place::new();
    for name in ["held.long", "held.json"] {
        place.file(name, fs::read(data.join(name)).expect("recorded ads"));
    }
    place.file("ap.config", CONFIG);
    let now = fs::read_to_string(data.join("held.time")).expect("a time");
    (place, now.trim().to_owned())
}

/// Explains the held jobs of these ads half an hour after they were held.
fn explain(ads: &str, more: &[&str]) -> Said {
    let place = Place::new();
    place.file("ap.config", CONFIG);
    place.file("held.ads", ads);
    let words = [&["-explain", "-jobads", "held.ads", "-now", NOW], more].concat();
    place.release_expression(&words, "")
}

/// What is said where all is well.
fn said(ads: &str, more: &[&str]) -> String {
    let said = explain(ads, more);
    assert_eq!((said.status, said.stderr.as_str()), (0, ""), "{said:?}");
    said.stdout
}

#[test]
fn recorded_jobs_wait_are_blocked_and_have_alternatives() {
    let (place, now) = recorded("pool-25.14");
    let words =
        ["-explain", "21", "34.0", "-jobads", "held.long", "-config", "ap.config", "-now", &now];
    let said = place.release_expression(&words, "");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(said.stdout);
}

#[test]
fn all_held_jobs_of_a_file_in_either_form() {
    let (place, now) = recorded("pool-23.9");
    let all = |file: &str| {
        let words = ["-explain", "-jobads", file, "-config", "ap.config", "-now", &now, "-json"];
        let said = place.release_expression(&words, "");
        assert_eq!((said.status, said.stderr.as_str()), (0, ""));
        said.stdout
    };
    let long = all("held.long");
    assert_eq!(long, all("held.json"));
    let jobs: Vec<serde_json::Value> = serde_json::from_str(&long).expect("JSON");
    assert_eq!(jobs.len(), 24);
    assert!(jobs.iter().all(|job| job["Policies"].as_array().is_some_and(|all| all.len() >= 3)));
    let waits = jobs.iter().find(|job| job["ClusterId"] == 34).expect("job 34");
    insta::assert_snapshot!(serde_json::to_string_pretty(waits).expect("JSON"));
}

#[test]
fn ads_may_be_xml() {
    let attribute = |name: &str, value: &str| format!("  <a n=\"{name}\">{value}</a>\n");
    let integers: String = [
        ("ClusterId", 7),
        ("ProcId", 0),
        ("JobStatus", 5),
        ("NumHolds", 3),
        ("HoldReasonCode", 13),
        ("EnteredCurrentStatus", 1_772_359_200),
    ]
    .map(|(name, value)| attribute(name, &format!("<i>{value}</i>")))
    .concat();
    let release = attribute("PeriodicRelease", "<e>NumHolds &lt; 3</e>");
    let xml =
        format!("<?xml version=\"1.0\"?>\n<classads>\n<c>\n{integers}{release}</c>\n</classads>\n");
    let said = said(&xml, &[]);
    assert!(said.contains("> false      NumHolds < 3: stays false [NumHolds = 3]"), "{said}");
}

#[test]
fn blocked_by_the_number_of_holds() {
    let release = "PeriodicRelease = (HoldReasonCode =?= 13) && NumHolds < 1 && time() - EnteredCurrentStatus > 3600";
    insta::assert_snapshot!(said(&ad(7, 0, release), &["-config", "ap.config"]));
}

#[test]
fn waits_for_time_without_a_configuration() {
    let release = "PeriodicRelease = NumHolds < 4 && time() - EnteredCurrentStatus > 2640\nPeriodicHold = NumHolds > 0";
    insta::assert_snapshot!(said(&ad(7, 0, release), &[]));
}

#[test]
fn alternatives_and_expressions_of_the_job_are_a_tree() {
    let release = "MaxTries = 3\nMayRelease = NumHold < MaxTries || TransferFailed\nTransferFailed = HoldReasonCode == 12\n\
                   PeriodicRelease = MayRelease && ((HoldReasonSubCode == 2 && NumHolds < 1) || TARGET.Memory > 5 || \
                   (HoldReasonSubCode == 2 && time() > EnteredCurrentStatus + 86400 && ExitCode =!= 1))";
    insta::assert_snapshot!(said(&ad(7, 0, release), &[]));
}

#[test]
fn held_by_a_person() {
    let ad = ad(7, 0, "PeriodicRelease = true\nHoldReasonCode = 1\nHoldReasonSubCode = 0");
    insta::assert_snapshot!(said(&ad, &["-wide"]));
}

#[test]
fn the_limit_of_releases_is_read_from_a_configuration() {
    let place = Place::new();
    place.file("held.ads", ad(7, 0, "PeriodicRelease = NumHolds < 9\nNumHolds = 3"));
    let say = |limit: &str| {
        let config = format!("SYSTEM_MAX_RELEASES = {limit}\n");
        let words = ["-explain", "7", "-jobads", "held.ads", "-now", NOW, "-config", "-", "-wide"];
        let said = place.release_expression(&words, &config);
        assert_eq!((said.status, said.stderr.as_str()), (0, ""));
        said.stdout
    };
    assert!(say("4").contains("Nothing has to be done: HTCondor releases it by itself."));
    assert!(
        say("3")
            .contains("SYSTEM_MAX_RELEASES is reached: condor_release 7.0 releases it once more.")
    );
    let refused = say("2");
    assert!(refused.contains("SYSTEM_MAX_RELEASES is reached (3 holds, limit 2)"), "{refused}");
    assert!(refused.contains("condor_release is refused but to queue super users"), "{refused}");
    let off = place.release_expression(
        &["-explain", "7", "-jobads", "held.ads", "-now", NOW, "-config", "-"],
        "PERIODIC_EXPR_INTERVAL = 0\n",
    );
    assert!(off.stdout.contains("This access point evaluates no policies"), "{off:?}");
}

#[test]
fn what_is_no_expression_is_left_out() {
    let place = Place::new();
    place.file("held.ads", ad(7, 0, "PeriodicRelease = (NumHolds < 4"));
    let words = ["-explain", "7.0", "-jobads", "held.ads", "-now", NOW, "-config", "-"];
    let said = place.release_expression(
        &words,
        "SYSTEM_PERIODIC_RELEASE = $(OF_ANOTHER_FILE) || NumHolds < 2\n",
    );
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(said.stdout);
}

#[test]
fn control_characters_stay_out_of_the_terminal() {
    let hostile = "Owner = \"al\u{1b}[31mice\"\nHoldReason = \"Job \u{1b}]0;title\u{7}was\u{202e} held\u{9b}2J\"\n\
                   Team = \"a\u{1b}[2Jb\"\nPeriodicRelease = Team == \"\u{1b}[31mred\" && \u{1b}x";
    for more in [&[][..], &["-json"]] {
        let said = explain(&ad(7, 0, hostile), more);
        assert_eq!(said.status, 0, "{said:?}");
        let shown = format!("{}{}", said.stdout, said.stderr);
        assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{202e}', '\u{9b}']), "{shown:?}");
    }
}

#[test]
fn expressions_without_end_are_given_up() {
    let doubling: String =
        (0..60).map(|level| format!("a{level} = a{0} + a{0}\n", level + 1)).collect();
    let costly =
        format!("{doubling}PeriodicRelease = NumHolds < 9 && time() % 1000003 == 7 && a0 > 3");
    let itself =
        "PeriodicRelease = PeriodicRelease || Loop\nLoop = Other && NumHolds < 9\nOther = loop";
    let nested = format!("PeriodicRelease = {}NumHolds < 0{}", "(".repeat(60), ")".repeat(60));
    let too_deep =
        format!("PeriodicRelease = {}NumHolds < 0{}", "(".repeat(9000), ")".repeat(9000));
    let chain = format!("PeriodicRelease = {}false", "NumHolds == 9 || ".repeat(1000));
    let mut alternating = "NumHolds < 0".to_owned();
    for level in 0..80 {
        let operator = if level % 2 == 0 { "&&" } else { "||" };
        alternating = format!("NumHolds > {level} {operator} ({alternating})");
    }
    let alternating = format!("PeriodicRelease = {alternating}");
    for (more, expected) in [
        (costly.as_str(), "Whether a policy releases it is not known"),
        (itself, "PeriodicRelease is undefined, stays undefined"),
        (&nested, "NumHolds < 0 is false and stays so"),
        (&too_deep, "PeriodicRelease is not an expression"),
        (&chain, "PeriodicRelease is an error"),
        (&alternating, "stays false"),
    ] {
        let said = said(&ad(7, 0, more), &["-wide"]);
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn the_queue_is_asked_for_whole_ads() {
    let place = Place::new();
    queue_of(&place, &ad(7, 0, "PeriodicRelease = MyTries < 3\nMyTries = 3"));
    let said = place.release_expression(&["-explain", "7", "8.1", "-now", NOW, "-wide"], "");
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(said.stderr, "Error: job 8.1 is not in the queue\n");
    assert!(said.stdout.contains("MyTries < 3: stays false [MyTries = 3]"), "{said:?}");
    let calls = fs::read_to_string(place.path("calls")).expect("calls");
    let jobs = "(ClusterId == 7 && JobStatus == 5) || (ClusterId == 8 && ProcId == 1)";
    assert_eq!(calls, format!("-allusers -long -constraint {jobs}\n"));
}

#[test]
fn the_configuration_here_is_asked_for_the_policies() {
    let place = Place::new();
    queue_of(&place, &ad(7, 0, ""));
    place.tool("condor_config_val", "echo 'SYSTEM_PERIODIC_RELEASE = NumHolds < 1'");
    let said = place.release_expression(&["-explain", "7.0", "-now", NOW, "-wide"], "");
    assert!(said.stdout.contains("SYSTEM_PERIODIC_RELEASE is false, stays false"), "{said:?}");
    assert!(!said.stdout.contains("Not known:"), "{said:?}");
    let elsewhere = ["-explain", "7.0", "-now", NOW, "-name", "ap2"];
    let said = place.release_expression(&elsewhere, "");
    assert!(!said.stdout.contains("SYSTEM_PERIODIC_RELEASE is"), "{said:?}");
    assert!(said.stdout.contains("Not known:"), "{said:?}");
}

#[test]
fn what_cannot_be_explained_is_a_failure() {
    let place = Place::new();
    place.file("held.ads", format!("{}\n{}", ad(7, 0, ""), ad(8, 0, "JobStatus = 2")));
    place.file("letter", "dear reader\n");
    place.file("ap.config", "no settings here\n");
    let files = |words: &[&'static str]| [&["-explain", "-jobads", "held.ads"], words].concat();
    for (words, expected) in [
        (vec!["-explain", "-jobads", "absent"], "Error: cannot read absent: No such file"),
        (vec!["-explain", "-jobads", "letter"], "Error: letter holds no ClassAds"),
        (vec!["-explain", "-jobads", "bin"], "Error: cannot read bin: it is a directory"),
        (
            files(&["8.0"]),
            "Error: job 8.0 is not held, it is running\nError: none of the jobs named is held\n",
        ),
        (files(&["9"]), "Error: no held job of cluster 9 is in held.ads\nError: none of the jobs"),
        (files(&["7.3"]), "Error: job 7.3 is not in held.ads\n"),
        (files(&["-config", "absent"]), "Error: cannot read absent: No such file"),
        (
            files(&["-config", "ap.config"]),
            "Error: ap.config sets nothing; a configuration file is expected",
        ),
        (vec!["-explain", "7"], "Error: cannot run condor_q: No such file"),
        (vec!["-explain", "7", "-lint", "x"], "Error: -explain excludes -lint"),
        (
            vec!["-explain", "bob"],
            "Error: bob is no job id; -explain takes a cluster or cluster.proc",
        ),
        (vec!["-explain"], "Error: -explain needs a job: a cluster or cluster.proc, or -jobads"),
    ] {
        let said = place.release_expression(&words, "");
        assert_eq!((said.status, said.stdout.as_str()), (2, ""), "{words:?}: {said:?}");
        assert!(said.stderr.starts_with(expected), "{words:?}: {said:?}");
        assert!(!said.stderr.contains("-userlog"), "{said:?}");
    }
}

#[test]
fn a_file_without_held_jobs_is_no_failure() {
    assert_eq!(said(&ad(8, 0, "JobStatus = 2"), &[]), "No held jobs.\n");
    assert_eq!(said(&ad(8, 0, "JobStatus = 2"), &["-json"]), "[]\n");
}
