use classads::ClassAd;

use super::*;
use crate::advice::{Advice, Advisor, Evidence, Held, Policies, changes};
use crate::advice::{Choices, Rule};
use crate::history::ErrorType;
use crate::history::HistoryBuilder;
use crate::model::Model;
use eventlog::JobId;

const NOW: i64 = 1_761_066_000;
const HELD_AT: i64 = NOW - 120;

/// The hold of Pelican's issue of a transfer that may be tried again, with the redacted names
/// filled in.
const WRONG_SIZE: &str = "Transfer input files failure at execution point slot1_6@node.example using protocol \
    osdf. Details: Pelican Client Error: from cache.example:8443: download completed but received size 8388608b \
    does not match expected size 105931171b (9.6s since start) (Version: 7.19.3) ( URL file = \
    igwn+osdf:///igwn/frame.gwf )|";

const URL: &str = "igwn+osdf:///igwn/frame.gwf";

fn ads(text: &str) -> Vec<ClassAd> {
    classads::read_ads(text.as_bytes()).map(Result::unwrap).collect()
}

fn held_ad(code: i32, subcode: i32, reason: &str) -> ClassAd {
    ads(&format!(
        "ClusterId = 7\nProcId = 0\nOwner = \"alice\"\nJobStatus = 5\nQDate = {}\n\
         EnteredCurrentStatus = {HELD_AT}\nHoldReasonCode = {code}\nHoldReasonSubCode = {subcode}\n\
         HoldReason = \"{reason}\"\nNumHolds = 1\nNumJobStarts = 0\nTransferInput = \"{URL}\"\n\
         LastRemoteHost = \"slot1_6@node.example\"\n",
        NOW - 3_600
    ))
    .remove(0)
}

/// The ad that the shadow writes of the input of job `cluster`.0.
fn input(cluster: i32, written: i64, result: &str) -> ClassAd {
    ads(&format!(
        "ClusterId = {cluster}\nProcId = 0\nOwner = \"alice\"\nEpochAdType = \"INPUT\"\n\
         EpochWriteDate = {written}\nInputPluginResultList = {{ [ TransferUrl = \"{URL}\"; {result} ] }}\n"
    ))
    .remove(0)
}

/// What Pelican writes of such a failure.
fn pelican(retryable: &str) -> String {
    format!(
        "TransferSuccess = false; TransferError = \"received size 8388608b does not match\"; \
         DeveloperData = [ Attempts = 1; Endpoint0 = \"cache.example:8443\" ]; \
         TransferErrorData = {{ [ ErrorType = \"Transfer\"; DeveloperData = [ {retryable}; \
         PelicanErrorCode = 6000; ErrorType = \"Transfer\"; ErrorMessage = \"wrong size\" ] ] }}"
    )
}

fn advise(held: &ClassAd, epochs: &[ClassAd]) -> Advice {
    let model = Model::builtin_default().expect("the model that is shipped");
    let mut history = HistoryBuilder::new();
    history.note_epochs();
    for ad in epochs {
        history.add_epoch(ad);
    }
    history.add_queue_ad(held, NOW);
    let job = JobId::new(7, 0);
    let held = Held::of_ad(job, held, false, &Policies::unknown(), NOW);
    let advisor = Advisor::new(history.build(), &model).unwrap();
    advisor.advise(&held, NOW).unwrap().expect("a held job")
}

fn reported(advice: &Advice) -> Option<&FailedTransfer> {
    advice.evidence.iter().find_map(|seen| match seen {
        Evidence::TransferError { transfer } => Some(&**transfer),
        _ => None,
    })
}

#[test]
fn what_may_be_tried_again_is_released_or_waited_for() {
    let held = held_ad(13, 256, WRONG_SIZE);
    let advice = advise(&held, &[input(7, HELD_AT - 1, &pelican("Retryable = true"))]);
    assert!(
        matches!(advice.recommendation, Recommendation::Release | Recommendation::Wait),
        "{:?}",
        advice.recommendation
    );
    assert_eq!((&advice.change, advice.correct_before.len()), (&None, 0));
    let failed = reported(&advice).expect("what Pelican reported");
    assert_eq!(failed.trouble, Some(Trouble::Away));
    assert_eq!(failed.error.server.as_deref(), Some("cache.example:8443"));
}

#[test]
fn a_wait_is_no_shorter_than_the_server_asks_for() {
    let held = held_ad(13, 256, WRONG_SIZE);
    let after = |seconds: i64| {
        let asked = pelican(&format!("Retryable = true; RetryAfterSeconds = {seconds}"));
        advise(&held, &[input(7, HELD_AT - 1, &asked)])
    };
    let look_again = |seconds: i64| after(seconds).wait.expect("a wait").look_again;
    assert_eq!(look_again(7_200), HELD_AT - 1 + 7_200);
    // Nobody's word makes it longer than a day.
    assert_eq!(look_again(i64::MAX), HELD_AT - 1 + LONGEST_RETRY);
    // Its text says that a new start fetches it anew.
    assert_eq!(after(60).recommendation, Recommendation::Release);
}

fn hold(code: i32, subcode: i32, reason: &str) -> (Episode, ClassAd) {
    let ad = held_ad(code, subcode, reason);
    let mut history = HistoryBuilder::new();
    history.add_queue_ad(&ad, NOW);
    let in_queue = crate::history::HoldInQueue::of(&ad);
    let hold = history.build().held_at(JobId::new(7, 0), in_queue.as_ref(), NOW);
    (hold.expect("a held job"), ad)
}

fn of(code: i32, subcode: i32, reason: &str, epochs: &[ClassAd]) -> Option<FailedTransfer> {
    let (hold, ad) = hold(code, subcode, reason);
    let mut history = HistoryBuilder::new();
    history.add_queue_ad(&ad, NOW);
    for ad in epochs {
        history.add_epoch(ad);
    }
    FailedTransfer::of(&hold, &history.build(), NOW)
}

fn curl(data: &str) -> String {
    format!("TransferSuccess = false; TransferErrorData = {{ [ {data} ] }}")
}

#[test]
fn an_error_belongs_to_the_hold_that_its_run_ended_in() {
    let failed = || curl("ErrorType = \"Contact\"");
    let at = |written: i64| of(13, 256, WRONG_SIZE, &[input(7, written, &failed())]).is_some();
    assert!(at(HELD_AT - 2) && at(HELD_AT));
    // Of an earlier run, and of one that began after the instant asked about.
    assert!(!at(HELD_AT - 3_600) && !at(NOW + 1));
    assert!(of(13, 256, WRONG_SIZE, &[input(8, HELD_AT, &failed())]).is_none());
    // A later transfer got through: it is not what held the job.
    let later = [input(7, HELD_AT - 9, &failed()), input(7, HELD_AT - 2, "TransferSuccess = true")];
    assert!(of(13, 256, WRONG_SIZE, &later).is_none());
    let here = [input(7, HELD_AT, &failed())];
    // Files that no plug-in moves, output, and other causes.
    assert!(of(13, 2, "reading from file /a: (errno 2) No such file", &here).is_none());
    assert!(of(12, 256, "Transfer output files failure at execution point h", &here).is_none());
    assert!(of(34, 102, "memory", &here).is_none());
    // HTCondor gave no reason.
    assert!(of(0, 0, "", &here).is_some());
}

#[test]
fn the_hold_reason_goes_first_where_it_says_as_much() {
    let decided = |reason: &str, data: &str| {
        let failed = of(13, 256, reason, &[input(7, HELD_AT, &curl(data))]).unwrap();
        let of_reason = Said::of(13, 256, reason).trouble();
        (failed.decides, failed.over(of_reason))
    };
    let reason = |said: &str| format!("Details: {said} ( URL file = {URL} )|");
    let odd = reason("odd");
    let missing = reason("The requested URL returned error: 404");
    use Trouble::{Away, Denied, Missing};
    for (reason, data, expected) in [
        (&odd, "ErrorType = \"Contact\"", (true, Some(Away))),
        (&odd, "ErrorType = \"Authorization\"", (true, Some(Denied))),
        (&odd, "ErrorType = \"Specification\"; Retryable = -1", (true, Some(Missing))),
        (&odd, "ErrorType = \"Specification\"; Retryable = 0", (true, Some(Away))),
        (&odd, "ErrorType = \"Resolution\"; FailureType = \"Unknown\"", (true, Some(Away))),
        (&odd, "ErrorType = \"Resolution\"; FailureType = \"Definitive\"", (true, Some(Missing))),
        (&odd, "ErrorType = \"Parameter\"; ErrorCode = 3", (false, None)),
        (&odd, "ErrorType = \"Parameter\"; ErrorCode = 48", (false, None)),
        (&odd, "ErrorType = \"Unprocessed\"", (false, None)),
        (&missing, "ErrorType = \"Specification\"", (false, Some(Missing))),
        (&missing, "ErrorType = \"Contact\"", (false, Some(Missing))),
        (&missing, "ErrorType = \"Contact\"; Retryable = -1", (false, Some(Missing))),
        (&missing, "ErrorType = \"Contact\"; Retryable = 5", (true, Some(Away))),
    ] {
        assert_eq!(decided(reason, data), expected, "{reason} {data}");
    }
}

#[test]
fn a_lasting_error_is_named_as_what_to_correct() {
    let odd = format!("Details: odd ( URL file = {URL} )|");
    let held = held_ad(13, 256, &odd);
    let change = |data: &str| {
        let advice = advise(&held, &[input(7, HELD_AT, &curl(data))]);
        assert_ne!(advice.recommendation, Recommendation::Release);
        advice.change.map(|change| change.what)
    };
    for (data, correction) in [
        ("ErrorType = \"Specification\"; Retryable = -1", changes::Correction::UrlMissing),
        ("ErrorType = \"Authorization\"", changes::Correction::UrlDenied),
    ] {
        let Some(changes::ChangeKind::Correct { what, name, remedy }) = change(data) else {
            panic!("{data}: no correction")
        };
        assert_eq!((what, name), (correction, Some(URL.into())));
        assert!(remedy.is_some_and(|remedy| remedy.remedy().is_some()), "{data}");
    }
}

#[test]
fn a_full_disk_where_output_goes_lasts() {
    let output = |data: &str, class| TransferError {
        class,
        url: None,
        server: None,
        error_type: Some(ErrorType::Transfer),
        detail: Some(data.to_owned()),
        error_code: None,
        http_status: None,
        error_string: String::new(),
        retryable: None,
        tries: None,
    };
    let of = |data: &str, class| {
        let error = output(data, class);
        let code = if class == TransferClass::Input { 13 } else { 12 };
        trouble(&error, read(&error, code, "").as_ref())
    };
    assert_eq!(of("Quota", TransferClass::Output), Some(Trouble::NoSpace));
    assert_eq!(of("NoSpace", TransferClass::Output), Some(Trouble::NoSpace));
    assert_eq!(of("NoSpace", TransferClass::Input), Some(Trouble::Away));
    assert_eq!(of("TooSlow", TransferClass::Input), Some(Trouble::Away));
}

#[test]
fn other_jobs_are_counted_at_the_server_that_failed() {
    let failed = curl("ErrorType = \"Contact\"; FailedServer = \"Cache.example\"");
    let got = "TransferSuccess = true; DeveloperData = [ TransferHostName = \"cache.example\" ]";
    let epochs = [
        input(7, HELD_AT, &failed),
        input(8, HELD_AT - 700, &failed),
        input(9, HELD_AT - 30, &failed),
        // Before it failed: that shows nothing.
        input(10, HELD_AT - 5, got),
        input(11, HELD_AT + 20, got),
        input(12, HELD_AT + 60, got),
        input(12, HELD_AT + 70, got),
        input(13, NOW + 5, got),
    ];
    let failed = of(13, 256, WRONG_SIZE, &epochs).unwrap();
    assert_eq!((failed.others_failed, failed.seconds_since_failed), (1.into(), Some(150.into())));
    assert_eq!((failed.others_through, failed.seconds_since_through), (2.into(), Some(50.into())));
}

#[test]
fn a_cache_that_serves_others_again_is_worth_a_release() {
    let held = held_ad(13, 256, WRONG_SIZE);
    let got = "TransferSuccess = true; DeveloperData = [ Endpoint0 = \"cache.example:8443\" ]";
    let failed = pelican("Retryable = true");
    let advice = |others: &[ClassAd]| {
        let own = input(7, HELD_AT - 1, &failed);
        advise(&held, &[std::slice::from_ref(&own), others].concat())
    };
    let others: Vec<ClassAd> = (8..13).map(|cluster| input(cluster, HELD_AT + 60, got)).collect();
    let again = advice(&others);
    assert_eq!(again.recommendation, Recommendation::Release);
    assert_eq!(reported(&again).unwrap().others_through, 5.into());
    // Of owners that nobody names no more than four count.
    assert_eq!(reported(&again).unwrap().voices_through, 4);
    // Others fail there still.
    let fail: Vec<ClassAd> = (20..28).map(|other| input(other, HELD_AT + 70, &failed)).collect();
    let mixed = advice(&[others, fail].concat());
    assert_ne!(mixed.recommendation, Recommendation::Release);
    assert_eq!(reported(&mixed).unwrap().failed_after, 4);
}

#[test]
fn a_release_waits_for_the_time_that_the_server_asks_for() {
    let asked = |seconds: i64| {
        let said = pelican(&format!("Retryable = true; RetryAfterSeconds = {seconds}"));
        of(13, 256, WRONG_SIZE, &[input(7, HELD_AT - 1, &said)]).unwrap()
    };
    let decided = |recommendation, undecided| Decision {
        recommendation,
        action: (recommendation == Recommendation::Release).then_some(Action::AsIs),
        chance: 0.7,
        undecided,
        choices: Choices { rule: Rule::LeastHours, choices: Vec::new() },
    };
    let between = Some(Undecided::Between { release: 0.5, remove: 0.1 });
    let release = decided(Recommendation::Release, None);
    assert_eq!(asked(600).waits(&release, Others::GotThrough, NOW), Some(None));
    let wait =
        Wait { what: WaitFor::LikeHold, until: None, look_again: NOW + 28_800, likely: None };
    let early = Decision { action: None, ..decided(Recommendation::Wait, None) };
    let waits = asked(600).wait(wait.clone(), &early, NOW);
    assert_eq!((waits.what, waits.look_again), (WaitFor::RetryAfter, HELD_AT - 1 + 600));
    assert_eq!(asked(60).waits(&release, Others::Nothing, NOW), None);
    // What no choice pays for is waited for, until others show what comes of it.
    let undecided = decided(Recommendation::Undecided, between);
    let waiting = asked(0).waits(&undecided, Others::Nothing, NOW);
    assert_eq!(waiting, Some(Some(Action::AsIs)));
    let waiting = Decision { action: Some(Action::AsIs), ..decided(Recommendation::Wait, None) };
    assert_eq!(asked(0).wait(wait.clone(), &waiting, NOW), wait);
    assert_eq!(asked(0).waits(&undecided, Others::Mixed, NOW), None);
    let mut never = asked(0);
    never.error.retryable = Some(-1);
    assert_eq!(never.waits(&undecided, Others::Nothing, NOW), None);
}
