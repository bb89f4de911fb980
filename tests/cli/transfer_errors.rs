//! Typed errors of file transfers: asked for where the access point writes them, and in the advice.

use std::fs;

use super::harness::{NOW, Place, ad, queue_of};

/// A transfer by Pelican's plug-in that broke off.
const REASON: &str = "Transfer input files failure at execution point slot1_6@node.example using protocol osdf. \
    Details: Pelican Client Error: from cache.example:8443: download completed but received size 8388608b does \
    not match expected size 105931171b (9.6s since start) (Version: 7.19.3) ( URL file = \
    igwn+osdf:///igwn/frame.gwf )|";

/// What the shadow writes of it into the epoch history.
const REPORTED: &str = "ClusterId = 7\\nProcId = 0\\nOwner = \"alice\"\\nEpochAdType = \"INPUT\"\\n\
    EpochWriteDate = 1772359199\\nInputPluginResultList = { [ TransferSuccess = false; \
    TransferUrl = \"igwn+osdf:///igwn/frame.gwf\"; \
    DeveloperData = [ Attempts = 1; Endpoint0 = \"cache.example:8443\" ]; \
    TransferErrorData = { [ ErrorType = \"Transfer\"; DeveloperData = [ Retryable = true; \
    PelicanErrorCode = 6000; ErrorType = \"Transfer\"; ErrorMessage = \"size does not match\" ] ] } ] }\\n\\n";

/// A queue with one job held for that, at an access point of this version.
fn place(version: &str) -> Place {
    let place = Place::new();
    let held = ad(7, 0, "TransferInput = \"igwn+osdf:///igwn/frame.gwf\"");
    let held: String = held
        .lines()
        .map(|line| match line.split_once(" = ") {
            Some(("HoldReason", _)) => format!("HoldReason = \"{REASON}\"\n"),
            Some(("HoldReasonSubCode", _)) => "HoldReasonSubCode = 256\n".to_owned(),
            _ => format!("{line}\n"),
        })
        .collect();
    queue_of(&place, &held);
    place.tool("condor_config_val", &format!("echo 'CONDOR_VERSION = {version}'"));
    place
}

/// `condor_history` that notes what it is asked, then does this.
fn history(place: &Place, script: &str) {
    let calls = place.path("history.calls");
    place.tool("condor_history", &format!("echo \"$@\" >> {}\n{script}", calls.display()));
}

fn calls(place: &Place) -> Vec<String> {
    let calls = fs::read_to_string(place.path("history.calls")).expect("condor_history was asked");
    calls.lines().map(str::to_owned).collect()
}

#[test]
fn what_may_be_tried_again_is_nothing_to_correct() {
    let place = place("25.14.1");
    history(&place, &format!("printf '{REPORTED}'"));
    let said = place.run(&["7.0", "-now", NOW], "");
    assert_eq!(said.status, 0, "{said:?}");
    insta::assert_snapshot!(said.stdout);
    for wrong in ["CHANGE", "by hand", "the URL"] {
        assert!(!said.stdout.contains(wrong), "{wrong}: {}", said.stdout);
    }
    let [asked] = &calls(&place)[..] else { panic!("asked more than once") };
    for part in ["-type EPOCH,INPUT,OUTPUT,CHECKPOINT,COMMON ", ",InputPluginResultList,"] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    let queue = fs::read_to_string(place.path("calls")).expect("condor_q was asked");
    assert!(!queue.contains("PluginResultList"), "{queue}");
}

#[test]
fn older_access_points_are_not_asked_for_transfers() {
    for version in ["23.9.6", "24.0.12", "24.8.1", "no version"] {
        let place = place(version);
        history(&place, "");
        assert_eq!(place.run(&["7.0", "-now", NOW], "").status, 0);
        let [asked] = &calls(&place)[..] else { panic!("asked more than once") };
        assert!(!asked.contains("-type") && !asked.contains("PluginResultList"), "{asked}");
    }
}

#[test]
fn an_older_schedd_elsewhere_still_tells_of_runs() {
    let place = place("25.14.1");
    let refuses =
        "case \"$*\" in *-type*) echo 'Remote Schedd does not support -type' >&2; exit 1 ;; esac";
    history(&place, refuses);
    let said = place.run(&["7.0", "-now", NOW], "");
    assert_eq!(said.status, 0, "{said:?}");
    assert!(!said.stdout.contains("ads of earlier runs"), "{said:?}");
    let calls = calls(&place);
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(calls[0].contains("-type") && !calls[1].contains("-type"), "{calls:?}");
}
