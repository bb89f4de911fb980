//! Attributes that no edit sets, whatever the policy of a job compares: neither what is printed nor
//! what `-apply change` carries out, for root too.

use std::fs;

use serde_json::Value;

use crate::harness::{NOW, Place, ad};

/// A queue with a job that its own limit held, which `attribute` sets.
fn held_by(attribute: &str, more: &str) -> Place {
    queue(&format!(
        "HoldReasonCode = 3\nHoldReasonSubCode = 0\nNumJobStarts = 4\nLastJobStatus = 2\n\
         HoldReason = \"The job attribute PeriodicHold expression evaluated to TRUE\"\n\
         PeriodicHold = NumJobStarts > {attribute}\n{attribute} = 3\n{more}"
    ))
}

fn queue(more: &str) -> Place {
    let place = Place::new();
    let path = |name: &str| place.path(name).display().to_string();
    place.file("queue.ads", ad(9, 0, more));
    place.file("calls", "");
    let say =
        format!("while IFS= read -r l; do printf '%s\\n' \"$l\"; done < {}", path("queue.ads"));
    place.tool("condor_q", &format!("case \"$*\" in *-af*) echo '3 0' ;; *) {say} ;; esac"));
    place.tool("condor_history", "exit 0");
    let calls = path("calls");
    place.tool("condor_qedit", &format!("printf '%s\\n' condor_qedit \"$@\" >> {calls}"));
    place.tool("condor_release", "echo ActionResult = 1\necho job_9_0 = 1");
    place
}

/// What was edited by `-apply change`.
fn carried_out(place: &Place) -> Vec<String> {
    place.advise("-allusers -apply change -yes");
    let calls = fs::read_to_string(place.path("calls")).expect("calls");
    let words = calls.lines().skip_while(|word| *word != "-constraint").skip(2);
    words.map(str::to_owned).collect()
}

/// The advice and the attributes that its commands edit.
fn printed(place: &Place) -> (Value, Vec<String>) {
    let said = place.advise(&format!("-allusers -now {NOW} -json"));
    assert_eq!(said.status, 0, "{said:?}");
    let all: Value = serde_json::from_str(&said.stdout).expect("JSON");
    let edits = all[0]["Change"]["Edits"].as_array().cloned().unwrap_or_default();
    let names = edits.iter().map(|edit| edit["Attribute"].as_str().unwrap_or("?").to_owned());
    let names: Vec<String> = names.collect();
    let text = all[0]["Commands"].to_string();
    assert!(names.iter().all(|name| text.contains(name.as_str())), "{text}");
    assert_eq!(names.is_empty(), !text.contains("condor_qedit"), "{text}");
    (all[0].clone(), names)
}

#[test]
fn the_owners_own_limit_is_edited() {
    let place = held_by("StartLimit", "");
    let (advice, edited) = printed(&place);
    assert_eq!(
        (&advice["Recommendation"], edited),
        (&"change".into(), vec!["StartLimit".to_owned()])
    );
    assert_eq!(carried_out(&place), ["StartLimit=8"]);
}

#[test]
fn what_the_advisor_or_htcondor_maintains_is_not_edited() {
    for name in [
        "HoldAdviceNumHolds",
        "holdadvice",
        "HoldAdviceLimit",
        "AuthTokenLimit",
        "FpgasProvisioned",
        "FpgasUsage",
        "AssignedFpgas",
        "Chirp_Limit",
        "NumSystemHolds_RAW",
        "JobPrio",
    ] {
        let place = held_by(name, "");
        // The limit can be raised in the job's own expression.
        assert_eq!(printed(&place).1, ["PeriodicHold"], "{name}");
        let edits = carried_out(&place);
        assert!(edits[0].starts_with("PeriodicHold=NumJobStarts > ("), "{name}: {edits:?}");
    }
    // Nor is a limit inside such an attribute.
    let place = held_by("X", "PeriodicHold = HoldAdviceRule\nHoldAdviceRule = NumJobStarts > 3\n");
    let (advice, edited) = printed(&place);
    assert!(edited.is_empty(), "{advice}");
    assert!(!advice["Change"]["Sentence"].to_string().contains("in HoldAdviceRule"), "{advice}");
    assert!(carried_out(&place).is_empty());
}

const SETTINGS: [&str; 6] = [
    "IMMUTABLE_JOB_ATTRS",
    "PROTECTED_JOB_ATTRS",
    "SECURE_JOB_ATTRS",
    "SYSTEM_IMMUTABLE_JOB_ATTRS",
    "SYSTEM_PROTECTED_JOB_ATTRS",
    "SYSTEM_SECURE_JOB_ATTRS",
];

#[test]
fn what_a_setting_names_is_not_edited() {
    for setting in SETTINGS {
        let place = held_by("StartLimit", "");
        let set = |names: &str| {
            place.tool("condor_config_val", &format!("echo '{setting} = {names}'"));
        };
        set("Owner, startlimit");
        let (advice, _) = printed(&place);
        assert!(!advice["Commands"].to_string().contains("StartLimit 8"), "{setting}: {advice}");
        let sentence = advice["Change"]["Sentence"].to_string();
        assert!(!sentence.contains("Raise StartLimit"), "{setting}: {sentence}");
        assert!(!carried_out(&place).iter().any(|edit| edit.starts_with("StartLimit")));
        // Then nothing is left that its owner could edit.
        place.file("calls", "");
        set("StartLimit PeriodicHold");
        let (advice, edited) = printed(&place);
        assert!(edited.is_empty(), "{setting}: {advice}");
        let sentence = advice["Change"]["Sentence"].to_string();
        assert!(sentence.contains("ask the administrator"), "{setting}: {sentence}");
        assert!(carried_out(&place).is_empty(), "{setting}");
    }
}

#[test]
fn a_request_that_is_kept_is_said_to_be() {
    let memory = "HoldReasonCode = 34\nHoldReasonSubCode = 102\nMemoryUsage = 1024\n\
                  HoldReason = \"Error from slot1@e1: Job has gone over memory limit of 1024 megabytes. \
                  Peak usage: 1024 megabytes.\"\n";
    for setting in SETTINGS {
        let place = queue(memory);
        let (advice, edited) = printed(&place);
        assert_eq!(edited, ["RequestMemory"], "{advice}");
        place.tool("condor_config_val", &format!("echo '{setting} = RequestMemory'"));
        let (advice, edited) = printed(&place);
        assert!(edited.is_empty(), "{advice}");
        let sentence = advice["Change"]["Sentence"].to_string();
        let kept = format!("{setting} keeps RequestMemory of a job in the queue as it is");
        assert!(sentence.contains(&kept), "{sentence}");
        assert!(carried_out(&place).is_empty(), "{setting}");
    }
}
