//! One of many held jobs is tried; what is weighed is shown.

use std::os::unix::fs::MetadataExt;

use serde_json::Value;

use crate::harness::Place;

/// 2026-03-08 12:00:00 UTC.
const NOON: i64 = 1_772_971_200;

const AWAY: &str = "Transfer input files failure at execution point slot1@e1 using protocol http. Details: Failed to \
                    connect to data.example port 80: Connection refused ( URL file = http://data.example/x )|";

/// A log of cluster 9, whose jobs went on hold at noon.
struct Log(String);

impl Log {
    fn new(jobs: i32, reason: &str, codes: &str) -> Self {
        let mut log = Self(String::new());
        for proc in 0..jobs {
            log.event(-60, proc, "000", "Job submitted from host: <10.0.0.1:9618>");
        }
        for proc in 0..jobs {
            log.event(0, proc, "012", &format!("Job was held.\n\t{reason}\n\t{codes}"));
        }
        log
    }

    /// An event so many minutes after noon.
    fn event(&mut self, minute: i64, proc: i32, number: &str, text: &str) {
        let minutes = 12 * 60 + minute;
        let (hour, minute) = (minutes / 60, minutes % 60);
        self.0 += &format!(
            "{number} (009.{proc:03}.000) 2026-03-08 {hour:02}:{minute:02}:00 {text}\n...\n"
        );
    }

    fn release(&mut self, minute: i64, proc: i32) {
        self.event(minute, proc, "013", "Job was released.\n\tvia condor_release (by user alice)");
    }

    /// What is advised at a minute after noon.
    fn ask(&self, minute: i64) -> Vec<Value> {
        let said = self.print(minute, "-json");
        serde_json::from_str(&said).expect("an array")
    }

    fn print(&self, minute: i64, words: &str) -> String {
        let place = Place::new();
        place.file("EventLog", &self.0);
        let now = NOON + 60 * minute;
        let said = place.advise(&format!("-eventlog EventLog -now {now} {words}"));
        assert_eq!(said.status, 0, "{said:?}");
        said.stdout
    }
}

fn words(advices: &[Value]) -> Vec<&str> {
    let mut words: Vec<&str> =
        advices.iter().map(|advice| advice["Recommendation"].as_str().expect("a word")).collect();
    words.dedup();
    words
}

/// The job that all advices release, by its ProcId.
fn tried(advices: &[Value]) -> i32 {
    let one = &advices[0]["Try"]["Job"];
    let commands = &advices[0]["Commands"];
    for advice in advices {
        assert_eq!((&advice["Try"]["Job"], &advice["Commands"]), (one, commands));
    }
    let proc = one.as_str().expect("a job").split_once('.').expect("an id").1;
    let commands = commands.as_array().expect("a list");
    assert_eq!(commands.len(), 1);
    let command = commands[0].as_str().expect("a command");
    assert!(command.starts_with("condor_release "), "{command}");
    assert!(command.contains(&format!("ProcId == {proc} ")), "{command}");
    proc.parse().expect("a number")
}

#[test]
fn of_many_jobs_one_is_released_and_the_others_follow_once_it_got_through() {
    let mut log = Log::new(20, AWAY, "Code 13 Subcode 256");
    assert_eq!(words(&log.ask(5)), ["wait"]);
    let advices = log.ask(15);
    assert_eq!((words(&advices), advices.len()), (vec!["try"], 20));
    let one = tried(&advices);
    assert_eq!(advices[0]["Try"]["Held"], 20);
    // Each is advised alone as in the group.
    let alone = log.print(15, "-userlog EventLog -json 9.3");
    let alone: Vec<Value> = serde_json::from_str(&alone).expect("an array");
    assert_eq!(tried(&alone), one);

    log.release(16, one);
    let open = log.ask(17);
    assert_eq!((words(&open), open.len()), (vec!["wait"], 19));
    assert_eq!(open[0]["WaitFor"]["Job"], format!("9.{one}"));
    log.event(18, one, "001", "Job executing on host: <10.0.0.9:9618>");
    assert_eq!(words(&log.ask(19)), ["release"]);
}

#[test]
fn a_try_that_failed_leaves_the_others_held() {
    let mut log = Log::new(20, AWAY, "Code 13 Subcode 256");
    let one = tried(&log.ask(15));
    log.release(16, one);
    log.event(17, one, "012", &format!("Job was held.\n\t{AWAY}\n\tCode 13 Subcode 256"));
    assert_eq!(words(&log.ask(19)), ["wait"]);
    // It had lasted for 17 minutes; three times as long passes until the next one.
    assert_eq!(words(&log.ask(67)), ["wait"]);
    let again = tried(&log.ask(69));
    assert_ne!(again, one, "another one is drawn");
}

#[test]
fn the_output_of_a_program_is_looked_at_before_one_is_tried() {
    let reason = "The job attribute OnExitHold expression 'ExitCode =!= 0' evaluated to TRUE";
    let ads: Vec<String> = (0..4)
        .map(|proc| {
            crate::harness::ad(
                9,
                proc,
                &format!(
                    "HoldReasonCode = 3\nHoldReasonSubCode = 0\nHoldReason = \"{reason}\"\n\
                     EnteredCurrentStatus = {NOON}\nIwd = \"/home/alice\"\nErr = \"it's {proc}.err\"\n"
                ),
            )
        })
        .collect();
    let place = Place::new();
    place.file("held.ads", ads.join("\n"));
    let now = NOON + 1200;
    let said = place.advise(&format!("-jobads held.ads -now {now} -json 9.2"));
    let all: Vec<Value> = serde_json::from_str(&said.stdout).expect("an array");
    assert_eq!(words(&all), ["look"]);
    assert_eq!(all[0]["Look"]["Path"], "/home/alice/it's 2.err");
    let command = r"less +G '/home/alice/it'\''s 2.err'";
    // Nobody but alice is given a command that opens her file.
    assert_eq!(all[0]["Commands"], serde_json::json!([]));
    place.tool("id", "echo alice");
    let said = place.advise(&format!("-jobads held.ads -now {now} -json 9.2"));
    let own: Vec<Value> = serde_json::from_str(&said.stdout).expect("an array");
    let is_root = std::fs::metadata(place.path("held.ads")).expect("a file").uid() == 0;
    let commands: &[&str] = if is_root { &[] } else { &[command] };
    assert_eq!(own[0]["Commands"], serde_json::json!(commands));
    let text = place.advise(&format!("-jobads held.ads -now {now} 9.2")).stdout;
    assert!(text.contains("\n  LOOK       Look at the end of what its program wrote"), "{text}");
    assert_eq!(text.contains(&format!("\n  do         {command}\n")), !is_root, "{text}");
}

#[test]
fn what_was_weighed_is_a_table() {
    let log = Log::new(20, AWAY, "Code 13 Subcode 256");
    insta::assert_snapshot!(log.print(15, "-why"));
    let plain = log.print(15, "");
    assert!(!plain.contains("AGAINST IT") && !plain.contains("Decided by"), "{plain}");
    let advices = log.ask(15);
    let decision = &advices[0]["Decision"];
    assert_eq!(decision["Rule"], "LeastHours");
    let choices = decision["Choices"].as_array().expect("a list");
    let hours = |wanted: &str| {
        let choice = choices.iter().find(|choice| choice["Choice"] == wanted);
        choice.and_then(|choice| choice["Hours"].as_f64()).expect("hours")
    };
    assert!(hours("try") < hours("wait") && hours("try") < hours("hold"), "{decision}");
}
