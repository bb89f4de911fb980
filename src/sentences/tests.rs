use super::*;
use crate::advice::Costs;

fn of(code: i32, subcode: i32, reason: &str) -> String {
    with_usual_change(Some(code), Some(subcode), reason)
}

/// Guides on the web say otherwise: 6 staging of input, 12 running, 21 memory, 34 a job policy.
#[test]
fn common_errors_about_codes_are_not_repeated() {
    assert!(of(6, 2, "").starts_with("The program could not be started"));
    assert!(of(12, 2, "").contains("output"));
    assert!(!of(21, 0, "Job failed to complete in 72 hrs").to_lowercase().contains("memory"));
    assert!(of(34, 102, "").contains("memory"));
    assert!(!of(34, 102, "").contains("policy"));
    assert!(of(3, 42, "").contains("periodic_hold"));
    assert!(of(13, 2, "").contains("input"));
    for code in 0..50 {
        assert!(!of(code, 0, "").contains("condor_qedit request_memory"));
    }
}

#[test]
fn subcodes_are_decoded() {
    assert!(of(6, 8, "").contains("ENOEXEC, errno 8"));
    assert!(of(13, 256, "").contains("exited with status 1"));
    assert!(of(12, 15 << 8, "").contains("exited with status 15"));
    assert!(of(13, 62, "").contains("took too long"));
    assert!(of(13, 2, "").contains("ENOENT"));
    assert!(of(13, 300, "").contains("errno 300"));
    assert!(of(19, 0, "").contains("could not be executed"));
    assert!(of(48, -9, "").contains("signal 9"));
    assert!(of(37, 9, "").contains("refused the keys"));
    assert!(of(42, 17, "").contains("spot request"));
    assert!(of(40, 17, "").contains("requesting a spot instance"));
    assert!(of(13, i32::MIN, "").starts_with("Moving"));
    assert!(of(19, i32::MIN, "").contains("signal"));
}

#[test]
fn the_side_is_said() {
    let access = "Transfer output files failure at access point ap1 while receiving files from execution point slot1@h. Details: writing to file /x: (errno 122) Disk quota exceeded";
    assert!(of(12, 122, access).contains("at the access point"));
    assert!(of(12, 122, access).contains("quota"));
    let execute = "Transfer input files failure at execution point slot1@h while receiving files from access point ap1. Details: (errno 28)";
    assert!(of(13, 28, execute).contains("another execution point"));
}

#[test]
fn unknown_codes_are_said_to_be_unknown() {
    assert_eq!(meaning(None, None, ""), "The hold has no code.");
    assert!(of(1022, 0, "").contains("leaving a slot"));
    assert!(of(77, 0, "").contains("none that HTCondor 25 knows"));
    assert!(of(-5, 0, "").contains("none that HTCondor 25 knows"));
}

#[test]
fn what_was_seen_is_counted() {
    let unknown = |releases| undecided(&Undecided::UnknownCode { releases }, Some(36));
    assert_eq!(unknown(1), "The model has seen 1 release after code 36; it needs 30 to know one.");
    assert!(unknown(29).contains("29 releases"));
    let costs = Costs { failed: 24.0, ..Costs::default() };
    let (release, remove) = (costs.release_threshold(), costs.remove_threshold());
    let between = undecided(&Undecided::Between { release, remove }, Some(13));
    assert!(between.contains("from 75 %") && between.contains("below 10 %"), "{between}");
}

#[test]
fn hours_of_all_runs_are_named_where_they_are_more() {
    let sentence = |run: f64, total: f64| {
        evidence(&Evidence::SlotHours { run: run.into(), total: total.into() })
    };
    assert_eq!(
        sentence(20.0, 20.1),
        "Each of its runs takes 20 slot hours until it is held; a failed release wastes that much."
    );
    assert_eq!(
        sentence(1.5, 61.0),
        "Each of its runs takes 1.5 slot hours until it is held (61 slot hours in all its runs); a failed release \
         wastes that much."
    );
}

#[test]
fn spans_of_time() {
    assert_eq!(span(-3), "0 seconds");
    assert_eq!(span(60), "1 minute");
    assert_eq!(span(7_200), "2 hours");
    assert_eq!(span(200_000), "2 days");
}

#[test]
fn removal_is_explained() {
    let node = Some("B\u{1b}[31m2".into());
    let text = prediction(&Prediction::NodeFails { dagman_job_id: 77, node }, &TimeZone::UTC);
    assert!(text.contains("node \"B2\" of DAG 77") && text.contains("rescue DAG"), "{text}");
}

#[test]
fn a_time_has_no_date_where_the_one_before_has_it() {
    let clause = |from, earliest, latest| {
        let likely_from = LikelyFrom { band: Band::Likely, from, earliest, latest };
        likely(Band::Unlikely, &likely_from, &TimeZone::UTC)
    };
    let (evening, morning) = (1_772_400_000, 1_772_440_000);
    assert_eq!(
        clause(morning, evening, morning + 60),
        "now unlikely; likely from about 2026-03-02 08:26 on (four times in five between 2026-03-01 21:20 and 2026-03-02 08:27)"
    );
    assert_eq!(
        clause(evening, evening - 60, evening + 60),
        "now unlikely; likely from about 2026-03-01 21:20 on (four times in five between 21:19 and 21:21)"
    );
}
