use classads::ClassAd;
use serde_json::{Value, json};

use super::*;
use crate::advice::{Advice, ChangeKind, Correction, Policies, advise};
use crate::checks::{LocalFiles, Recorded, Urls};
use crate::history::HistoryBuilder;
use crate::model::Model;

const NOW: i64 = 1_761_066_000;
const URL: &str = "http://dta.example/a";
const OTHER: &str = "http://data.example/b";

fn ads(text: &str) -> Vec<ClassAd> {
    classads::read_ads(text.as_bytes()).map(Result::unwrap).collect()
}

/// A job that was held so many hours ago for this.
fn held(hours: i64, said: &str) -> ClassAd {
    ads(&format!(
        "ClusterId = 7\nProcId = 0\nOwner = \"alice\"\nJobStatus = 5\nQDate = {}\n\
         GlobalJobId = \"ap.example#7.0#1\"\nIwd = \"/home/alice\"\nTransferInput = \"{URL},{OTHER}\"\n\
         EnteredCurrentStatus = {}\nHoldReasonCode = 13\nHoldReasonSubCode = 256\nNumHolds = 1\n\
         HoldReason = \"Transfer input files failure at execution point e. Details: {said} ( URL file = {URL} )|\"\n",
        NOW - hours * 3_600 - 60,
        NOW - hours * 3_600
    ))
    .remove(0)
}

/// What the shadow writes of the input of job 7.0.
fn input(hours: i64, error: &str) -> ClassAd {
    ads(&format!(
        "ClusterId = 7\nProcId = 0\nOwner = \"alice\"\nEpochAdType = \"INPUT\"\nEpochWriteDate = {}\n\
         InputPluginResultList = {{ [ TransferUrl = \"{URL}\"; TransferSuccess = false; \
         TransferErrorData = {{ [ {error} ] }}; DeveloperData = [ TransferTries = 3 ] ] }}\n",
        NOW - hours * 3_600
    ))
    .remove(0)
}

/// The advice where URLs answered so: each with its finding.
fn advice(held: &ClassAd, epochs: &[ClassAd], answers: &[(&str, Value)]) -> Advice {
    let model = Model::builtin_default().expect("the model that is shipped");
    let mut history = HistoryBuilder::new();
    epochs.iter().for_each(|ad| {
        history.add_epoch(ad);
    });
    let answers: Vec<Value> = answers
        .iter()
        .map(|(url, found)| json!({"Account": "", "Question": {"Url": {"url": url}}, "Answer": {"Ok": found}}))
        .collect();
    let record = json!({"Time": NOW, "Hosts": ["ap.example"], "Answers": answers});
    let record: Recorded = serde_json::from_value(record).expect("a record");
    let files = Some(LocalFiles::recorded(record).with_urls(Urls::Asked));
    let policies = Policies { files, ..Policies::unknown() };
    let ads = std::slice::from_ref(held);
    advise(history, ads, &model, &policies, NOW).unwrap().pop().expect("a held job")
}

const UNRESOLVED: &str = "Could not resolve host: dta.example";

fn no_name() -> Value {
    json!({"Result": "Unknown", "Why": "NoName"})
}

#[test]
fn a_name_that_is_not_known_here_either_is_to_be_corrected() {
    let gone = json!({"Result": "InOrder", "ChangedAt": null});
    let sure = [(URL, no_name()), (OTHER, gone)];
    let advice_after = |hours: i64| advice(&held(hours, UNRESOLVED), &[], &sure);
    let advised = advice_after(26);
    assert_eq!(advised.recommendation, Recommendation::Change);
    let name = Some(URL.into());
    let correct = ChangeKind::correct(Correction::UrlServer, name);
    assert_eq!(advised.change.map(|change| change.what), Some(correct));
    assert_eq!(advised.commands, []);
    // Before that it may come back.
    let early = advice_after(1);
    assert_eq!(early.change, None, "{:?}", early.recommendation);
}

#[test]
fn a_name_service_that_knows_no_name_shows_nothing() {
    for others in [
        vec![],
        vec![(OTHER, no_name())],
        vec![(OTHER, json!({"Result": "Unknown", "Why": "NoAnswer"}))],
        vec![("http://192.0.2.1/b", json!({"Result": "InOrder", "ChangedAt": null}))],
    ] {
        let answers = [vec![(URL, no_name())], others].concat();
        let advised = advice(&held(26, UNRESOLVED), &[], &answers);
        assert_eq!(advised.recommendation, Recommendation::Look, "{answers:?}");
        assert_eq!(advised.look, Some(LookAt::Name { url: URL.into() }));
    }
}

#[test]
fn typed_errors_say_what_failed_and_how_often_it_was_tried() {
    let look = |hours: i64, said: &str, error: &str| {
        let advised = advice(&held(hours, said), &[input(hours, error)], &[]);
        matches!(advised.look, Some(LookAt::Name { .. }))
    };
    let resolution = "ErrorType = \"Resolution\"; FailureType = \"Unknown\"";
    // The plug-in's own tries count.
    assert!(look(2, "odd", resolution) && !look(1, "odd", resolution));
    assert!(look(2, UNRESOLVED, &format!("{resolution}; FailedServer = \"Unknown\"")));
    // Another server failed, or the server answered.
    assert!(!look(60, UNRESOLVED, &format!("{resolution}; FailedServer = \"cache.example\"")));
    assert!(!look(60, "odd", "ErrorType = \"Transfer\"; FailedServer = \"dta.example\""));
    let contact = "ErrorType = \"Contact\"; FailedServer = \"dta.example\"";
    assert!(look(24, "odd", contact) && !look(23, "odd", contact));
    // The server asks to wait.
    assert!(!look(2, UNRESOLVED, &format!("{resolution}; Retryable = 10000")));
}
