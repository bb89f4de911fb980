//! `condor_releaseexpr -replay` and `-suggest`: what users see of expressions tried on the holds of
//! logs.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Place, Said, ad, queue_of};

/// Writes events one after the other.
#[derive(Default)]
struct Log(String);

impl Log {
    fn event(&mut self, number: u32, cluster: u32, minute: u32, text: &str) {
        let (day, hour, minute) = (1 + minute / 1440, minute / 60 % 24, minute % 60);
        let _ = write!(
            self.0,
            "{number:03} ({cluster:03}.000.000) 2026-03-{day:02} {hour:02}:{minute:02}:00 {text}\n...\n"
        );
    }

    /// A job that is submitted, starts, and goes on hold at this minute.
    fn held(&mut self, cluster: u32, minute: u32, code: (u32, u32), reason: &str) {
        self.event(0, cluster, minute, "Job submitted from host: <127.0.0.1:9618>");
        self.event(1, cluster, minute, "Job executing on host: <127.0.0.1:9618>");
        let (code, subcode) = code;
        let text = format!("Job was held.\n\t{reason}\n\tCode {code} Subcode {subcode}");
        self.event(12, cluster, minute + 5, &text);
    }

    fn released(&mut self, cluster: u32, minute: u32, by: &str) {
        self.event(13, cluster, minute, &format!("Job was released.\n\t{by}"));
    }

    fn exited(&mut self, cluster: u32, minute: u32) {
        self.event(1, cluster, minute, "Job executing on host: <127.0.0.1:9618>");
        let text = "Job terminated.\n\t(1) Normal termination (return value 0)";
        self.event(5, cluster, minute + 60, text);
    }

    /// The events in the order of their times.
    fn text(self) -> String {
        let mut events: Vec<&str> = self.0.split_inclusive("...\n").collect();
        events.sort_by_key(|event| event.get(18..37));
        events.concat()
    }
}

const PERSON: &str = "via condor_release (by user alice)";
const POLICY: &str = "The job attribute PeriodicRelease expression 'true' evaluated to TRUE";
const SERVER: &str = "Transfer input files failure at execution point slot1@ep using protocol https. Details: (errno 62) timer expired";
const BUG: &str = "Transfer output files failure at execution point slot1@ep. Details: reading from file /out: (errno 2) No such file or directory";
const MEMORY: &str = "Job has gone over cgroup memory limit of 1024 megabytes. Last measured usage: 1030 megabytes.  Consider resubmitting with a higher request_memory.";

/// A server that is down for half an hour now and then, programs with bugs, jobs that need more
/// memory, and a hold by a person.
fn log() -> String {
    let mut log = Log::default();
    for number in 0..24 {
        let start = 1_000 * number;
        // Released too early, then late enough; another cluster long after that.
        let cluster = 10 * number + 1;
        log.held(cluster, start, (13, 62), SERVER);
        log.released(cluster, start + 10, if number % 3 == 0 { POLICY } else { PERSON });
        log.event(
            12,
            cluster,
            start + 12,
            &format!("Job was held.\n\t{SERVER}\n\tCode 13 Subcode 62"),
        );
        log.released(cluster, start + 600, PERSON);
        log.exited(cluster, start + 601);
        log.held(cluster + 1, start + 2, (13, 62), SERVER);
        log.released(cluster + 1, start + 60, PERSON);
        log.exited(cluster + 1, start + 61);
        // Never gets through.
        log.held(cluster + 2, start + 3, (12, 2), BUG);
        log.released(cluster + 2, start + 400, PERSON);
        log.event(1, cluster + 2, start + 401, "Job executing on host: <127.0.0.1:9618>");
        log.event(
            12,
            cluster + 2,
            start + 461,
            &format!("Job was held.\n\t{BUG}\n\tCode 12 Subcode 2"),
        );
        log.event(9, cluster + 2, start + 700, "Job was aborted.\n\tvia condor_rm (by user alice)");
        // Gets through once somebody has raised the request, which no event tells.
        log.held(cluster + 3, start + 4, (34, 102), MEMORY);
        log.released(cluster + 3, start + 300, PERSON);
        log.exited(cluster + 3, start + 301);
    }
    log.held(900, 100, (1, 0), "via condor_hold (by user alice)");
    log.released(900, 200, PERSON);
    log.exited(900, 201);
    log.text()
}

fn place() -> Place {
    let place = Place::new();
    place.file("EventLog", log());
    place
}

fn said(place: &Place, words: &[&str]) -> String {
    let said = place.release_expression(words, "");
    assert_eq!((said.status, said.stderr.as_str()), (0, ""), "{said:?}");
    said.stdout
}

fn fails(said: &Said, parts: &[&str]) {
    assert_eq!((said.status, said.stdout.as_str()), (2, ""), "{said:?}");
    for part in parts {
        assert!(said.stderr.contains(part), "{part:?} is not in {said:?}");
    }
}

const COPIED: &str = "(NumJobStarts < 5) && ((CurrentTime - EnteredCurrentStatus) > 60*60)";

#[test]
fn expressions_are_put_side_by_side() {
    let place = place();
    place.file(
        "job.sub",
        "executable = x\nperiodic_release = HoldReasonCode =?= 13 && NumHolds < 4\nqueue\n",
    );
    let words = [
        "-replay",
        COPIED,
        "-replay",
        "job.sub",
        "-replay",
        "JobUniverse == 5 && HoldReasonCode == 13",
        "-eventlog",
        "EventLog",
    ];
    insta::assert_snapshot!(said(&place, &words));
}

#[test]
fn what_is_replayed_is_json_too() {
    let place = place();
    let text = said(&place, &["-replay", COPIED, "-userlog", "EventLog", "-json"]);
    let object: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        (object["Holds"].as_u64(), object["PeriodicExprInterval"].as_u64()),
        (Some(145), Some(60))
    );
    let policies = object["Policies"].as_array().expect("policies");
    let names: Vec<_> = policies.iter().map(|policy| policy["Policy"].as_str().unwrap()).collect();
    assert_eq!(names, ["1", "in force", "by hand"]);
    // A third of the early releases was a policy's.
    assert_eq!(policies[1]["All"]["Released"], 8);
    let codes = policies[0]["Codes"].as_array().unwrap();
    let person = codes.iter().find(|code| code["HoldReasonCode"] == 1).unwrap();
    assert_eq!((&person["Holds"], &person["Released"]), (&1.into(), &0.into()));
    let lines = said(&place, &["-replay", COPIED, "-userlog", "EventLog", "-jsonl"]);
    assert_eq!(lines.lines().count(), 145);
    for line in lines.lines() {
        let hold: Value = serde_json::from_str(line).expect("JSON");
        let released = hold["Policies"][0]["ReleasedAt"].as_i64();
        let held = hold["HeldSince"].as_i64().unwrap();
        assert!(released.is_none_or(|at| at > held + 3_600 && at % 60 == 0), "{line}");
    }
}

#[test]
fn a_suggestion_can_stand_in_a_submit_description() {
    let place = place();
    let text = said(&place, &["-suggest", "-eventlog", "EventLog"]);
    insta::assert_snapshot!(text);
    // It is what the linter has nothing against, and what costs less than by hand.
    place.file("suggested.sub", format!("executable = x\n{text}queue\n"));
    let linted = place.release_expression(&["-lint", "suggested.sub"], "");
    assert_eq!(linted.status, 0, "{linted:?}");
    let replayed = said(
        &place,
        &["-replay", "suggested.sub", "-replay", COPIED, "-eventlog", "EventLog", "-json"],
    );
    let object: Value = serde_json::from_str(&replayed).expect("JSON");
    let cost = |at: usize| object["Policies"][at]["All"]["CostHours"].as_f64().unwrap();
    assert!(cost(0) < cost(1) && cost(0) < cost(3), "{replayed}");
}

#[test]
fn a_suggestion_for_an_access_point_of_an_older_version() {
    let place = place();
    place.file("ap.config", "PERIODIC_EXPR_INTERVAL = 300\nSYSTEM_MAX_RELEASES = 5\n");
    let words = [
        "-suggest",
        "-eventlog",
        "EventLog",
        "-config",
        "ap.config",
        "-condor",
        "23.9",
        "-form",
        "system",
    ];
    insta::assert_snapshot!(said(&place, &words));
    let transform = said(&place, &["-suggest", "-eventlog", "EventLog", "-form", "transform"]);
    assert!(
        transform.contains("JOB_TRANSFORM_RELEASE_FROM_LOGS @=end\n    DEFAULT PeriodicRelease "),
        "{transform}"
    );
    let linted = place.release_expression(&["-lint", "-"], &said(&place, &words));
    assert_eq!(linted.status, 0, "{linted:?}");
}

#[test]
fn a_suggestion_for_one_job() {
    let place = place();
    place.file("held.ads", ad(7, 0, "HoldReasonCode = 34\nHoldReasonSubCode = 102"));
    let words = ["-suggest", "-jobads", "held.ads", "-eventlog", "EventLog"];
    insta::assert_snapshot!(said(&place, &words));
    queue_of(&place, &ad(8, 0, "HoldReasonCode = 13\nHoldReasonSubCode = 62"));
    let text = said(&place, &["-suggest", "8.0", "-eventlog", "EventLog", "-json"]);
    let object: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(object["Clauses"].as_array().map(Vec::len), Some(1), "{text}");
    assert_eq!(object["NotReleased"].as_array().map(Vec::len), Some(0), "{text}");
    place.file("other.ads", ad(9, 0, "HoldReasonCode = 6\nHoldReasonSubCode = 2"));
    let text = said(&place, &["-suggest", "-jobads", "other.ads", "-eventlog", "EventLog"]);
    assert!(text.contains("6/2 FailedToCreateProcess: no such hold is in these logs."), "{text}");
}

/// Jobs of one to four hours, some of which are stuck until the access point's limit of 20 hours
/// and exit when they run again.
fn log_of_stuck_runs() -> String {
    let mut log = Log::default();
    for cluster in 1..=240 {
        let mut start = 100 * cluster;
        log.event(0, cluster, start, "Job submitted from host: <127.0.0.1:9618>");
        if cluster % 10 == 0 {
            log.event(1, cluster, start, "Job executing on host: <127.0.0.1:9618>");
            start += 20 * 60;
            let reason = "The job exceeded allowed execute duration of 0+20:00:00";
            let text = format!("Job was held.\n\t{reason}\n\tCode 47 Subcode 0");
            log.event(12, cluster, start, &text);
            log.released(cluster, start + 300, PERSON);
            start += 310;
        }
        log.event(1, cluster, start, "Job executing on host: <127.0.0.1:9618>");
        let text = "Job terminated.\n\t(1) Normal termination (return value 0)";
        log.event(5, cluster, start + 60 * (1 + cluster % 4), text);
    }
    log.text()
}

#[test]
fn a_limit_for_stuck_runs_stands_beside() {
    let place = Place::new();
    place.file("job.log", log_of_stuck_runs());
    let text = said(&place, &["-suggest", "-userlog", "job.log"]);
    insta::assert_snapshot!(text);
    // It is what the linter has nothing against, with its lines too.
    let with_lines = text.replace("#     periodic_", "periodic_");
    assert_eq!(with_lines.matches("\nperiodic_").count(), 5, "{text}");
    place.file("limited.sub", format!("executable = x\n{with_lines}queue\n"));
    let linted = place.release_expression(&["-lint", "limited.sub"], "");
    assert_eq!(linted.status, 0, "{linted:?}");
    let object = |words: &[&str]| -> Value {
        let words = [words, &["-json"]].concat();
        serde_json::from_str(&said(&place, &words)).expect("JSON")
    };
    let all = &object(&["-suggest", "-userlog", "job.log"])["LongRuns"];
    assert_eq!((&all["LimitSeconds"], &all["Stuck"]), (&21_600.into(), &24.into()), "{all}");
    // What an access point ran for all its users has no length in common; the clusters of a job
    // have.
    place.file("EventLog", log_of_stuck_runs());
    assert!(object(&["-suggest", "-eventlog", "EventLog"])["LongRuns"].is_null());
    assert!(object(&["-suggest", "-userlog", "job.log", "-form", "system"])["LongRuns"].is_null());
    let held: String = (1..=240).map(|cluster| ad(cluster, 0, "HoldReasonCode = 47\n")).collect();
    place.file("held.ads", held);
    let named = object(&["-suggest", "-jobads", "held.ads", "-eventlog", "EventLog"]);
    assert_eq!(&named["LongRuns"], all);
    place.file("one.ads", ad(10, 0, "HoldReasonCode = 47"));
    let named = object(&["-suggest", "-jobads", "one.ads", "-eventlog", "EventLog"]);
    assert!(named["LongRuns"].is_null(), "one run of each kind shows nothing: {named}");
    let named = object(&["-suggest", "-jobads", "one.ads", "-userlog", "job.log"]);
    assert_eq!(&named["LongRuns"], all);
}

#[test]
fn the_log_of_the_access_point_here_is_taken() {
    let place = place();
    let log = place.path("EventLog");
    place.tool(
        "condor_config_val",
        &format!("echo EVENT_LOG = {}; echo PERIODIC_EXPR_INTERVAL = 120", log.display()),
    );
    let text = said(&place, &["-replay", "true"]);
    assert!(text.contains("Policies are evaluated every 120 s."), "{text}");
    place.tool("condor_config_val", "exit 1");
    fails(
        &place.release_expression(&["-replay", "true"], ""),
        &["no log to read holds from", "-eventlog or -userlog"],
    );
}

#[test]
fn recorded_pools_are_replayed_with_the_ads_of_their_runs() {
    for pool in ["pool-23.9", "pool-25.14"] {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(pool);
        let log = data.join("EventLog").display().to_string();
        let epochs = data.join("epoch_history").display().to_string();
        let place = Place::new();
        let of = |more: &[&str]| {
            let words = [
                &["-replay", "RequestMemory < 100 && NumHolds < 3", "-eventlog", &log, "-json"],
                more,
            ]
            .concat();
            let object: Value = serde_json::from_str(&said(&place, &words)).expect("JSON");
            object["Policies"][0]["All"]["Unknown"].as_u64().unwrap()
        };
        let (without, with) = (of(&[]), of(&["-epochs", &epochs]));
        assert!(without > 0 && with < without, "{pool}: {without}, {with}");
        // The model is asked about each of them.
        let words = ["-replay", "true", "-eventlog", &log, "-epochs", &epochs, "-advice", "-json"];
        let object: Value = serde_json::from_str(&said(&place, &words)).expect("JSON");
        assert_eq!(object["Policies"].as_array().map(Vec::len), Some(4), "{pool}");
    }
}

#[test]
fn bad_input_is_named() {
    let place = place();
    let run = |words: &[&str]| place.release_expression(words, "");
    fails(
        &run(&["-replay", "NumHolds <", "-eventlog", "EventLog"]),
        &["\"NumHolds <\" is not an expression", "-lint shows the place"],
    );
    fails(&run(&["-replay", "true", "-eventlog", "missing"]), &["missing", "No such file"]);
    fails(&run(&["-replay", "job.sub", "-eventlog", "EventLog"]), &["cannot read job.sub"]);
    fails(
        &run(&["-replay", "true", "-eventlog", "EventLog", "-epochs", "missing"]),
        &["cannot read missing"],
    );
    fails(
        &run(&["-replay", "true", "-eventlog", "EventLog", "-config", "missing"]),
        &["cannot read missing"],
    );
    place.file("off.config", "PERIODIC_EXPR_INTERVAL = 0\n");
    fails(
        &run(&["-suggest", "-eventlog", "EventLog", "-config", "off.config"]),
        &["PERIODIC_EXPR_INTERVAL is 0"],
    );
    fails(
        &run(&["-suggest", "-eventlog", "EventLog", "-cost", "failed=x"]),
        &["-cost: \"failed=x\" is not"],
    );
    place.file("no.log", "this is no log\n".repeat(50));
    fails(&run(&["-replay", "true", "-userlog", "no.log"]), &["no.log", "is not a job event log"]);
    place.file("empty.log", "");
    assert!(
        said(&place, &["-replay", "true", "-userlog", "empty.log"])
            .starts_with("No job was held in empty.log.")
    );
    let text = said(&place, &["-suggest", "-userlog", "empty.log"]);
    assert!(text.contains("Nothing is suggested"), "{text}");
    // What is damaged costs what is damaged.
    let mut damaged = fs::read_to_string(place.path("EventLog")).unwrap();
    damaged.insert_str(5_000, "\u{1b}[31m garbage \u{0}");
    place.file("damaged.log", damaged);
    let said = run(&["-replay", "true", "-userlog", "damaged.log"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.stderr.starts_with("Warning: ") && !said.stderr.contains('\u{1b}'), "{said:?}");
    assert!(said.stdout.contains("14"), "{said:?}");
}

#[test]
fn names_that_no_ad_has_are_told_of() {
    let said = place().release_expression(&["-replay", "NumHold < 3", "-eventlog", "EventLog"], "");
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.stderr.contains("no job ad has NumHold; did you mean NumHolds?"), "{said:?}");
    assert!(said.stdout.contains("NumHold (144)"), "{said:?}");
}

#[test]
fn hostile_expressions_end() {
    let place = place();
    for text in [
        "(".repeat(5_000),
        format!("{}true{}", "(".repeat(3_000), ")".repeat(3_000)),
        format!("NumHolds < 3{}", " || time() % 7 == 9".repeat(2_000)),
        "regexp(\"(a+)+$\", \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\")".to_owned(),
        [
            "size(",
            &"replaceAll(\"a\", \"aaaaaaaaaaaaaaaa\", ".repeat(12),
            "\"a\"",
            &")".repeat(12),
            ") > 0",
        ]
        .concat(),
        "random() < 0.5".to_owned(),
        "NumHolds < 3 \u{1b}[31m".to_owned(),
    ] {
        let said = place.release_expression(&["-replay", &text, "-eventlog", "EventLog"], "");
        assert!(matches!(said.status, 0 | 2), "{said:?}");
        assert!(!said.stderr.contains("panicked") && !said.stderr.contains('\u{1b}'), "{said:?}");
        assert!(!said.stdout.contains('\u{1b}'), "{said:?}");
    }
}
