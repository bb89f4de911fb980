//! What one user writes into a log or an ad of his own says nothing of another user's jobs.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::Value;

use crate::harness::{Place, ad};

/// An hour after the holds of the ads.
const NOW: &str = "1772362800";

/// Why both are held.
const REASON: &str = "Transfer input files failure at execution point slot1@ep1.example.org using protocol https. \
                      Details: cannot fetch https://data.example.org/in.dat: HTTP code 503";

/// The advice for bob's job 8.0, with this in the log and in the ad of alice's job 7.0.
fn advice_of_bob(log_of_alice: &str, ad_of_alice: &str, event_log: &str) -> Value {
    let place = Place::new();
    let log = |name: &str| format!("UserLog = \"{}\"\n", place.path(name).display());
    let reason = |more: String| format!("{more}HoldReason = \"{REASON}\"\n");
    let alice = ad(7, 0, &format!("{}{ad_of_alice}", reason(log("alice.log"))));
    let bob = ad(8, 0, &reason(log("bob.log"))).replace("alice@", "bob@");
    let bob = bob.replace("Owner = \"alice\"", "Owner = \"bob\"");
    place.file("held.ads", format!("{alice}\n{bob}"));
    let held = format!(
        "012 (008.000.000) 2026-03-01 10:00:00 Job was held.\n\t{REASON}\n\tCode 13 Subcode 2\n...\n"
    );
    let held_of_alice = held.replace("(008", "(007");
    place.file("bob.log", &held);
    place.file("alice.log", format!("{held_of_alice}{log_of_alice}"));
    let mut words = format!("-jobads held.ads -now {NOW} -json -allusers");
    if !event_log.is_empty() {
        place.file("EventLog", format!("{event_log}{held}{held_of_alice}"));
        words.push_str(" -eventlog EventLog");
    }
    let said = place.advise(&words);
    assert_eq!(said.status, 0, "{said:?}");
    let advices: Vec<Value> = serde_json::from_str(&said.stdout).expect("an array");
    assert_eq!(advices.len(), 2);
    let bob = advices.into_iter().find(|advice| advice["Owner"] == "bob");
    bob.expect("a job of bob, whose ad says so")
}

/// Jobs of this cluster that were held, released, began to execute and finished.
fn successes(cluster: i32) -> String {
    let mut invented = String::new();
    let held = format!("10:05:00 Job was held.\n\t{REASON}\n\tCode 13 Subcode 2\n");
    for proc in 1..21 {
        for (event, minute) in [
            ("012", held.as_str()),
            ("013", "10:06:00 Job was released.\n\tvia condor_release (by user bob)\n"),
            ("001", "10:07:00 Job executing on host: <10.0.0.1:9618>\n"),
            ("005", "10:20:00 Job terminated.\n\t(1) Normal termination (return value 0)\n"),
        ] {
            invented
                .push_str(&format!("{event} ({cluster}.{proc:03}.000) 2026-03-01 {minute}...\n"));
        }
    }
    invented
}

/// An event 028 of the cluster's first job.
fn information(cluster: i32, attributes: &str) -> String {
    format!(
        "028 ({cluster}.001.000) 2026-03-01 09:00:00 Job ad information event triggered.\n{attributes}\n\
         TriggerEventTypeNumber = 1\nTriggerEventTypeName = \"ULOG_EXECUTE\"\n...\n"
    )
}

#[test]
fn invented_jobs_of_anothers_cluster_change_nothing() {
    assert_eq!(advice_of_bob(&successes(8), "", ""), advice_of_bob("", "", ""));
}

#[test]
fn invented_jobs_of_nobodys_cluster_change_nothing() {
    let server = "TransferInput = \"https://data.example.org/in.dat\"\nOwner = \"bob\"";
    let invented = format!("{}{}", information(99_999, server), successes(99_999));
    assert_eq!(advice_of_bob(&invented, "", ""), advice_of_bob("", "", ""));
}

#[test]
fn runs_of_ones_own_that_no_event_log_shows_change_nothing() {
    let event_log =
        "000 (007.000.000) 2026-03-01 09:00:00 Job submitted from host: <10.0.0.1:9618>\n...\n";
    let (invented, none) = (successes(7), advice_of_bob("", "", event_log));
    assert_eq!(advice_of_bob(&invented, "", event_log), none);
}

#[test]
fn an_input_that_the_owner_wrote_into_an_ad_changes_nothing() {
    let began =
        "001 (007.000.000) 2026-03-01 10:30:00 Job executing on host: <10.0.0.1:9618>\n...\n";
    let input = "TransferInput = \"https://data.example.org/in.dat,https://data.example.org/a\"\n";
    // The event log shows that the job began; what it read is known from its ad alone.
    let none = advice_of_bob("", "", began);
    assert_eq!(advice_of_bob("", input, began), none);
    let site = "MachineAttrGLIDEIN_Site0 = \"ep1.example.org\"\nLastRemoteHost = \"slot1@ep1.example.org\"\n";
    assert_eq!(advice_of_bob("", &format!("{input}{site}"), began), none);
}

#[test]
fn an_invented_event_028_changes_no_owner() {
    let invented = "028 (008.000.000) 2026-03-01 09:00:00 Job ad information event triggered.\n\
                    Owner = \"mallory\"\nTriggerEventTypeNumber = 1\nTriggerEventTypeName = \"ULOG_EXECUTE\"\n...\n";
    assert_eq!(advice_of_bob(invented, "", ""), advice_of_bob("", "", ""));
}

/// An event log of others, with owners.
static EVENT_LOG: LazyLock<String> = LazyLock::new(|| {
    let server = "Owner = \"carol\"\nTransferInput = \"https://data.example.org/in.dat\"";
    format!("{}{}", information(5, server), successes(5))
});

/// What is said of bob's job when alice invents nothing, without and with the event log.
static UNMOVED: LazyLock<[Value; 2]> =
    LazyLock::new(|| ["", EVENT_LOG.as_str()].map(|log| advice_of_bob("", "", log)));

fn invented_event() -> impl Strategy<Value = String> {
    let what = prop_oneof![
        Just(("012", format!("Job was held.\n\t{REASON}\n\tCode 13 Subcode 2"))),
        Just(("013", "Job was released.\n\tvia condor_release (by user bob)".to_owned())),
        Just((
            "001",
            "Job executing on host: <10.0.0.1:9618>\n\tSlotName: slot1@ep1.example.org".to_owned()
        )),
        Just(("005", "Job terminated.\n\t(1) Normal termination (return value 0)".to_owned())),
        Just(("009", "Job was aborted.\n\tby hand".to_owned())),
        prop_oneof![
            Just("Owner = \"bob\""),
            Just("TransferInput = \"https://data.example.org/in.dat\""),
            Just("MachineAttrGLIDEIN_Site0 = \"ep1.example.org\""),
        ]
        .prop_map(|attribute| ("028", format!("Job ad information event triggered.\n{attribute}"))),
        "[ -~]{0,40}".prop_map(|text| ("001", text)),
    ];
    let job = (prop::sample::select(vec![4, 5, 7, 8, 99_999]), 0..30);
    (what, job, 0..60).prop_map(|((number, text), (cluster, proc), minute)| {
        format!("{number} ({cluster:03}.{proc:03}.000) 2026-03-01 10:{minute:02}:00 {text}\n...\n")
    })
}

fn edited_attribute() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("TransferInput = \"https://data.example.org/in.dat\"\n".to_owned()),
        Just("MachineAttrGLIDEIN_Site0 = \"ep1.example.org\"\n".to_owned()),
        Just("LastRemoteHost = \"slot1@ep1.example.org\"\n".to_owned()),
        Just("HoldReason = \"another\"\n".to_owned()),
        Just("UserLog = \"/nowhere/log\"\n".to_owned()),
        (0..100).prop_map(|code| format!("HoldReasonCode = {code}\n")),
        (0..9_000_000_000i64).prop_map(|at| format!("EnteredCurrentStatus = {at}\n")),
        (0..1_000_000i64)
            .prop_map(|size| format!("RequestMemory = {size}\nMemoryUsage = {size}\n")),
        "[A-Z][a-z]{1,8} = [0-9]{1,4}\n",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_alice_writes_moves_the_advice_of_bob(
        events in prop::collection::vec(invented_event(), 0..40),
        attributes in prop::collection::vec(edited_attribute(), 0..6),
        logged in any::<bool>(),
    ) {
        let event_log = if logged { EVENT_LOG.as_str() } else { "" };
        let advice = advice_of_bob(&events.concat(), &attributes.concat(), event_log);
        prop_assert_eq!(&advice, &UNMOVED[usize::from(logged)]);
    }
}

#[test]
fn a_hold_by_a_person_stays_one_whatever_code_the_ad_is_given() {
    let place = Place::new();
    let ads = place.file("held.ads", ad(7, 0, ""));
    let log = place.file(
        "EventLog",
        "012 (007.000.000) 2026-03-01 10:00:00 Job was held.\n\tlook at the plots first (by user \
         alice)\n\tCode 1 Subcode 0\n...\n",
    );
    let words = ["-jobads", ads.to_str().unwrap(), "-now", NOW, "-json"];
    let advice = |more: &[&str]| {
        let said = place.run(&[&words, more].concat(), "");
        let advices: Vec<Value> = serde_json::from_str(&said.stdout).expect("an array");
        (advices[0]["Recommendation"].clone(), advices[0]["Commands"].clone())
    };
    let (recommendation, commands) = advice(&["-eventlog", log.to_str().unwrap()]);
    assert_eq!((recommendation, commands), ("undecided".into(), serde_json::json!([])));
    assert_ne!(advice(&[]).0, "undecided");
}

/// What is said of bob's job, whose URL was answered with 404, where jobs of these owners that name
/// it began to execute since.
fn missing_for_bob(owners: &[&str]) -> Value {
    let place = Place::new();
    let url = "https://data.example.org/in.dat";
    let reason = REASON.replace("503", "404");
    let more = format!("HoldReason = \"{reason}\"\nTransferInput = \"{url}\"\n");
    let codes = "HoldReasonCode = 13\nHoldReasonSubCode = 256\n";
    let bob = ad(8, 0, &format!("{more}{codes}")).replace("alice", "bob");
    place.file("held.ads", bob);
    let mut log =
        "000 (008.000.000) 2026-03-01 09:00:00 Job submitted from host: <10.0.0.1:9618>\n...\n\
                   028 (008.000.000) 2026-03-01 09:00:00 Job ad information event triggered.\n\
                   Owner = \"bob\"\nTriggerEventTypeNumber = 0\n\
                   TriggerEventTypeName = \"ULOG_SUBMIT\"\n...\n"
            .to_owned();
    log.push_str(&format!(
        "012 (008.000.000) 2026-03-01 10:00:00 Job was held.\n\t{reason}\n\tCode 13 Subcode 256\n...\n"
    ));
    for (at, owner) in owners.iter().enumerate() {
        let cluster = 20 + at as i32;
        let names = format!("Owner = \"{owner}\"\nTransferInput = \"{url}\"");
        log.push_str(&information(cluster, &names));
        log.push_str(&format!(
            "001 ({cluster:03}.001.000) 2026-03-01 10:{:02}:00 Job executing on host: <10.0.0.1:9618>\n...\n",
            30 + at
        ));
    }
    place.file("EventLog", log);
    let said =
        place.advise(&format!("-jobads held.ads -now {NOW} -json -allusers -eventlog EventLog"));
    assert_eq!(said.status, 0, "{said:?}");
    let advices: Vec<Value> = serde_json::from_str(&said.stdout).expect("an array");
    advices.into_iter().next().expect("the job of bob")
}

#[test]
fn one_other_owner_cannot_say_that_a_missing_url_is_back() {
    let alone = missing_for_bob(&[]);
    assert_ne!(alone["Recommendation"], "release", "{alone}");
    for owners in [&["alice"][..], &["alice", "alice"], &["alice"; 9]] {
        let advice = missing_for_bob(owners);
        assert_eq!(advice["Recommendation"], alone["Recommendation"], "{owners:?}: {advice}");
        let success = |advice: &Value| advice["Success"]["as-is"].as_f64().expect("a number");
        assert!(success(&advice) <= 0.34, "{owners:?}: {}", advice["Success"]);
    }
}

#[test]
fn several_owners_and_ones_own_jobs_say_that_a_missing_url_is_back() {
    for owners in
        [&["alice", "carol", "dave"][..], &["alice", "carol", "dave", "erin"], &["bob"; 3]]
    {
        let advice = missing_for_bob(owners);
        assert_eq!(advice["Recommendation"], "release", "{owners:?}: {advice}");
    }
    // Two others are enough to say that it is back.
    let advice = missing_for_bob(&["alice", "carol"]);
    let success = advice["Success"]["as-is"].as_f64().expect("a number");
    assert!(success > 0.5, "{}", advice["Success"]);
}
