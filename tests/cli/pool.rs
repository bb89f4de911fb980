//! Edits beside the slots of the pool, the submit file and the pool's own list of sites.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Place, queue_of};

const MEMORY: &str = "Error from slot1@e1: Job has gone over cgroup memory limit of 2048 megabytes. Last measured \
                      usage: 2040 megabytes.";

const CONTAINER: &str = "Error from slot1@e1.example.org: Singularity test failed:";

/// A held job's ad in long form, with more lines.
fn ad(code: i32, subcode: i32, reason: &str, more: &str) -> String {
    format!(
        "ClusterId = 7\nProcId = 0\nOwner = \"alice\"\nJobStatus = 5\nEnteredCurrentStatus = 1772359200\n\
         NumHolds = 1\nNumJobStarts = 1\nHoldReasonCode = {code}\nHoldReasonSubCode = {subcode}\n\
         HoldReason = \"{reason}\"\nRequestMemory = 2048\nMemoryProvisioned = 2048\nMemoryUsage = 2040\n\
         RequestCpus = 1\n{more}\n"
    )
}

fn memory(more: &str) -> String {
    ad(34, 102, MEMORY, more)
}

/// A `condor_status` that notes its arguments and prints these slots.
fn pool_of(place: &Place, slots: &str) {
    let calls = place.path("status.calls").display().to_string();
    place.tool("condor_status", &format!("echo \"$@\" >> {calls}\nprintf '{slots}'"));
}

fn advice(place: &Place, words: &str) -> Value {
    let said = place.advise(&format!("-json {words}"));
    assert_eq!(said.status, 0, "{said:?}");
    let all: Value = serde_json::from_str(&said.stdout).expect("an array");
    all[0].clone()
}

fn calls(place: &Place) -> Vec<String> {
    let calls = fs::read_to_string(place.path("status.calls")).unwrap_or_default();
    calls.lines().map(str::to_owned).collect()
}

fn slot(memory: i64, machine: &str, site: &str) -> String {
    format!("{memory}\\t9000000\\t8\\t{machine}\\t{site}\\tundefined\\n")
}

#[test]
fn a_request_that_slots_can_meet_is_a_command() {
    let place = Place::new();
    queue_of(&place, &memory(""));
    let slots = slot(2048, "e1", "A") + &slot(4000, "e2", "A") + &slot(8000, "e3", "B");
    pool_of(&place, &slots);
    let job = advice(&place, "7.0");
    assert_eq!(job["Change"]["Slots"], json!({"Kind": "Some", "Could": 1, "Of": 3}), "{job}");
    assert!(job["Commands"][0].as_str().unwrap().ends_with(" RequestMemory 4096"), "{job}");
    let sentence = job["Change"]["Sentence"].as_str().unwrap();
    assert!(sentence.ends_with("Large enough for it: 1 of the 3 slots of the pool."));
    assert_eq!(calls(&place).len(), 1);
    assert_eq!(
        calls(&place)[0],
        "-constraint SlotType =!= \"Dynamic\" -af:t TotalSlotMemory TotalSlotDisk TotalSlotCpus Machine \
         GLIDEIN_Site GLIDEIN_ResourceName"
    );
    advice(&place, "-pool cm.example.org 7.0");
    assert!(calls(&place)[1].starts_with("-pool cm.example.org -constraint "));
}

#[test]
fn a_request_that_no_slot_has_is_no_command() {
    let place = Place::new();
    queue_of(&place, &memory(""));
    pool_of(&place, &(slot(2048, "e1", "A") + &slot(2300, "e2", "A")));
    let job = advice(&place, "7.0");
    assert_eq!(
        job["Change"]["Slots"],
        json!({"Kind": "NoneNow", "Of": 2, "Most": 2300.0}),
        "{job}"
    );
    assert_eq!((&job["Commands"], &job["Change"]["Edits"]), (&json!([]), &json!([])));
    assert_eq!(job["CommandsAfter"].as_array().unwrap().len(), 1, "{job}");
    let said = place.advise("7.0").stdout;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = "Raise RequestMemory to 4096 MiB (it used 2040 MiB), then release. No slot of the pool has that now: of 2 slots \
                    the largest has 2300.";
    assert!(said.contains(sentence) && !said.contains("qedit"), "{said}");
}

#[test]
fn a_raise_is_no_larger_than_the_largest_slot_where_that_is_more_than_was_too_little() {
    let place = Place::new();
    queue_of(&place, &memory("DAGManJobId = 6\nDAGNodeName = \"n\""));
    pool_of(&place, &(slot(2048, "e1", "A") + &slot(3000, "e2", "A")));
    let said = |job: &Value| {
        let command = job["Commands"][0].as_str().expect("a command");
        let to = command.rsplit(' ').next().expect("a word").to_owned();
        (to, job["Change"]["To"].clone(), job["Change"]["SubmitLine"]["Value"].clone())
    };
    let job = advice(&place, "7.0");
    assert_eq!(said(&job), ("2944".to_owned(), json!(2944.0), json!("2944")), "{job}");
    assert_eq!(job["Change"]["Slots"], json!({"Kind": "Some", "Could": 1, "Of": 2}), "{job}");
    place.file(".condor/holdadvise/config", "HOLDADVISE_MAX_REQUEST_MEMORY_MIB = 2560\n");
    let job = advice(&place, "7.0");
    assert_eq!(said(&job), ("2560".to_owned(), json!(2560.0), json!("2560")), "{job}");
}

#[test]
fn what_the_settings_say_that_slots_have_is_believed() {
    let place = Place::new();
    queue_of(&place, &memory(""));
    place.file(".condor/holdadvise/config", "HOLDADVISE_MAX_REQUEST_MEMORY_MIB = 2300\n");
    let job = advice(&place, "7.0");
    let above =
        json!({"Kind": "AboveMost", "Setting": "HOLDADVISE_MAX_REQUEST_MEMORY_MIB", "Most": 2300});
    assert_eq!((&job["Change"]["Slots"], &job["Commands"]), (&above, &json!([])), "{job}");
    place.file(".condor/holdadvise/config", "HOLDADVISE_MAX_REQUEST_MEMORY_MIB = much\n");
    place.advise("7.0").is_error(&["HOLDADVISE_MAX_REQUEST_MEMORY_MIB", "a whole number above 0"]);
}

#[test]
fn a_pool_that_gives_no_answer_changes_nothing_else() {
    let place = Place::new();
    queue_of(&place, &memory(""));
    let without = |script: Option<&str>| {
        script.into_iter().for_each(|script| place.tool("condor_status", script));
        let job = advice(&place, "7.0");
        assert!(job["Commands"][0].as_str().unwrap().ends_with(" RequestMemory 4096"), "{job}");
        assert_eq!(job["Change"]["Slots"], Value::Null);
        let missing = job["Missing"].as_array().unwrap().iter().filter_map(Value::as_str);
        missing.filter(|line| line.starts_with("slots of the pool: ")).collect::<String>()
    };
    assert!(without(None).contains("cannot run condor_status"));
    assert!(without(Some("exit 0")).ends_with("there are none now"));
    place.file(".condor/holdadvise/config", "HOLDADVISE_TIMEOUT_SECONDS = 1\n");
    assert!(without(Some("exec /bin/sleep 600")).contains("gave no answer within 1 s"));
}

#[test]
fn the_pool_is_not_asked_about_other_pools_times_and_changes() {
    let place = Place::new();
    queue_of(&place, &memory(""));
    pool_of(&place, &slot(8000, "e1", "A"));
    place.file("held.ads", memory(""));
    for words in ["-jobads held.ads", "-now 1772361000 7.0"] {
        assert_eq!(advice(&place, words)["Change"]["Slots"], Value::Null, "{words}");
    }
    queue_of(&place, &ad(1, 0, "via condor_hold (by user alice)", ""));
    advice(&place, "7.0");
    assert_eq!(calls(&place), Vec::<String>::new());
}

/// Jobs of cluster 7 that could not begin on e1, and others that finished on e2 meanwhile.
fn failed_at_e1() -> String {
    let event = |number: &str, proc: usize, time: &str, text: &str| {
        format!("{number} (007.{proc:03}.000) 2026-03-01 {time} {text}\n...\n")
    };
    let held = format!("Job was held.\n\t{CONTAINER}\n\tCode 45 Subcode -1000");
    let runs = "Job executing on host: <10.0.0.2:9618?alias=e2.example.org>\n\tSlotName: slot1@e2.example.org";
    let ends = "Job terminated.\n\t(1) Normal termination (return value 0)";
    let site = |name: &str| {
        format!("Job ad information event triggered.\nMachineAttrGLIDEIN_Site0 = \"{name}\"")
    };
    let failed = (0..4).map(|proc| {
        event("028", proc, "10:00:00", &site("A")) + &event("012", proc, "10:00:00", &held)
    });
    let finished = (4..12).map(|proc| {
        let at = event("028", proc, "09:55:00", &site("B"));
        event("001", proc, "09:55:00", runs) + &at + &event("005", proc, "10:05:00", ends)
    });
    failed.chain(finished).collect()
}

/// The advice for a job that could not begin at site A.
fn at_site(place: &Place, more: &str) -> Value {
    let of_site = "LastRemoteHost = \"slot1@e1.example.org\"\nMachineAttrGLIDEIN_Site0 = \"A\"\n\
                   Requirements = (TARGET.Arch == \"X86_64\")\nPeriodicRemove = false";
    let log = place.path("job.log");
    let of_site = format!("{of_site}\nUserLog = \"{}\"", log.display());
    queue_of(place, &ad(45, -1000, CONTAINER, &format!("{of_site}\n{more}")));
    place.file("job.log", failed_at_e1());
    let job = advice(place, "7.0");
    assert_eq!(job["RecommendedAction"], "site", "{job}");
    job
}

#[test]
fn an_exclusion_that_leaves_no_slot_is_no_command() {
    let place = Place::new();
    let (here, there) = (slot(8000, "e1", "A"), slot(8000, "e2", "B"));
    pool_of(&place, &(here.clone() + &there));
    let job = at_site(&place, "");
    assert_eq!(job["Change"]["Slots"], json!({"Kind": "Some", "Could": 1, "Of": 2}));
    assert!(job["Commands"][0].as_str().unwrap().contains("TARGET.GLIDEIN_Site =!= "), "{job}");
    assert_eq!(job["Change"]["TakeBack"], true);
    // The other one is too small.
    for others in [slot(1000, "e2", "B"), String::new()] {
        pool_of(&place, &(here.clone() + &others));
        let job = at_site(&place, "");
        assert_eq!(job["Change"]["Slots"]["Kind"], "NoneNow", "{job}");
        assert!(!job.to_string().contains("condor_qedit"), "{job}");
    }
}

#[test]
fn a_pool_with_a_list_of_sites_to_avoid_gets_the_site_on_it() {
    let place = Place::new();
    pool_of(&place, &(slot(8000, "e1", "A") + &slot(8000, "e2", "B")));
    let edit = |more: &str| {
        let job = at_site(&place, more);
        let sentence = job["Change"]["Sentence"].as_str().unwrap().to_owned();
        assert!(sentence.contains("Keep it off the site A, where it failed."), "{sentence}");
        (job["Change"]["Edits"].clone(), sentence)
    };
    let (edits, sentence) = edit("UNDESIRED_Sites = \"C, D\"");
    let expected = json!([{"Attribute": "UNDESIRED_Sites", "Old": "\"C, D\"", "New": "\"C,D,A\""}]);
    assert_eq!(edits, expected);
    assert!(sentence.contains("Undo that when the place works again."), "{sentence}");
    let named = "Requirements = !stringListMember(TARGET.GLIDEIN_Site, UNDESIRED_Sites)";
    let (edits, _) = edit(named);
    assert_eq!(edits[0]["Attribute"], "UNDESIRED_Sites");
    assert_eq!((&edits[0]["Old"], &edits[0]["New"]), (&Value::Null, &json!("\"A\"")));
    // It is on the list, or the list is computed.
    assert_eq!(edit("UNDESIRED_Sites = \"a\"").0, json!([]));
    assert_eq!(edit("UNDESIRED_Sites = strcat(\"C\", \"D\")").0[0]["Attribute"], "Requirements");
}

#[test]
fn the_line_of_the_submit_file_is_named_where_an_edit_is_lost() {
    let place = Place::new();
    let line = |more: &str| {
        place.file("held.ads", memory(more));
        let job = advice(&place, "-jobads held.ads");
        (job["Change"]["SubmitLine"].clone(), job["Change"]["Sentence"].clone())
    };
    let (factory, sentence) =
        line("JobMaterializeDigestFile = \"/spool/7/condor_submit.7.digest\"");
    let expected = json!({"Command": "request_memory", "Value": "4096", "Resubmits": "Factory"});
    assert_eq!(factory, expected);
    let sentence = sentence.as_str().unwrap().to_owned();
    assert!(
        sentence.ends_with("The line of the submit file is request_memory = 4096."),
        "{sentence}"
    );
    let (node, sentence) = line("DAGManJobId = 5");
    assert_eq!(node["Resubmits"], "DagNode");
    assert!(sentence.as_str().unwrap().contains("if DAGMan submits the node again"), "{sentence}");
    assert_eq!(line("").0, Value::Null);
}
