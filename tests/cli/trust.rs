//! What one user writes into a log of his own says nothing of another user's jobs.

use serde_json::Value;

use crate::harness::{Place, ad};

/// An hour after the holds of the ads.
const NOW: &str = "1772362800";

/// The advice for bob's job 8.0, with this in the log that alice's job 7.0 names.
fn advice_of_bob(of_alice: &str) -> Value {
    let place = Place::new();
    let log = |name: &str| format!("UserLog = \"{}\"\n", place.path(name).display());
    let alice = ad(7, 0, &log("alice.log"));
    let bob = ad(8, 0, &log("bob.log")).replace("alice", "bob");
    place.file("held.ads", format!("{alice}\n{bob}"));
    let held = "012 (008.000.000) 2026-03-01 10:00:00 Job was held.\n\tno such file\n\tCode 13 Subcode 2\n...\n";
    place.file("bob.log", held);
    place.file("alice.log", format!("{}{of_alice}", held.replace("(008", "(007")));
    let said = place.advise(&format!("-jobads held.ads -now {NOW} -json -allusers"));
    assert_eq!(said.status, 0, "{said:?}");
    let advices: Vec<Value> = serde_json::from_str(&said.stdout).expect("an array");
    assert_eq!(advices.len(), 2);
    let bob = advices.into_iter().find(|advice| advice["Owner"] == "bob");
    bob.expect("a job of bob, whose ad says so")
}

#[test]
fn invented_jobs_of_anothers_cluster_change_nothing() {
    let mut invented = String::new();
    for proc in 1..21 {
        for (event, minute) in [
            ("012", "10:05:00 Job was held.\n\tno such file\n\tCode 13 Subcode 2\n"),
            ("013", "10:06:00 Job was released.\n\tvia condor_release (by user bob)\n"),
            ("001", "10:07:00 Job executing on host: <10.0.0.1:9618>\n"),
            ("005", "10:20:00 Job terminated.\n\t(1) Normal termination (return value 0)\n"),
        ] {
            invented.push_str(&format!("{event} (008.{proc:03}.000) 2026-03-01 {minute}...\n"));
        }
    }
    assert_eq!(advice_of_bob(&invented), advice_of_bob(""));
}

#[test]
fn an_invented_event_028_changes_no_owner() {
    let invented = "028 (008.000.000) 2026-03-01 09:00:00 Job ad information event triggered.\n\
                    Owner = \"mallory\"\nTriggerEventTypeNumber = 1\nTriggerEventTypeName = \"ULOG_EXECUTE\"\n...\n";
    assert_eq!(advice_of_bob(invented), advice_of_bob(""));
}
