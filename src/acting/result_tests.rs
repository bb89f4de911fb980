use classads::ClassAd;

use super::*;
use crate::journal::{Act, VERSION};
use eventlog::JobId;

const RELEASED: i64 = 1_000;

fn hold() -> HoldOf {
    HoldOf { job: JobId::new(7, 1), num_holds: Some(2), entered_current_status: Some(900) }
}

fn act(counts: TrySuccess) -> OpenAct {
    OpenAct {
        id: "a".to_owned(),
        hold: hold(),
        at: RELEASED,
        cause: "server s".to_owned(),
        counts,
        through: false,
    }
}

fn ad(text: &str) -> ClassAd {
    classads::read_ads(text.as_bytes()).next().unwrap().unwrap()
}

fn result(counts: TrySuccess, text: &str) -> Option<(Result, i64, Option<i64>)> {
    let ended = result_of(&act(counts), &ad(text))?;
    Some((ended.result, ended.at, ended.took))
}

#[test]
fn a_later_hold_by_the_system_is_a_failure() {
    let held = |holds: i32, code: i32| {
        format!("JobStatus=5\nNumHolds={holds}\nHoldReasonCode={code}\nEnteredCurrentStatus=1050\n")
    };
    let of = |holds, code| result(TrySuccess::Begins, &held(holds, code));
    assert_eq!(of(3, 13), Some((Result::Failure, 1_050, None)));
    assert_eq!(of(3, 1), Some((Result::Censored, 1_050, None)));
    assert_eq!(of(2, 13), None);
}

#[test]
fn input_that_arrived_is_a_success_where_that_counts() {
    let running = "JobStatus=2\nNumHolds=2\nJobCurrentStartDate=1010\n\
                   JobCurrentStartExecutingDate=1022\n";
    let through = Some((Result::Through, 1_022, Some(12)));
    assert_eq!(result(TrySuccess::Begins, running), through);
    assert_eq!(result(TrySuccess::Finishes, running), None);
    // The run before the hold shows nothing.
    let before = running.replace("1022", "990").replace("1010", "980");
    assert_eq!(result(TrySuccess::Begins, &before), None);
}

#[test]
fn an_exit_and_a_removal_end_it() {
    let exit = |code: i32| {
        format!("JobStatus=4\nExitCode={code}\nExitBySignal=false\nCompletionDate=1100\n")
    };
    let of = |text: &str| result(TrySuccess::Finishes, text).map(|(result, at, _)| (result, at));
    assert_eq!(of(&exit(0)), Some((Result::Success, 1_100)));
    assert_eq!(of(&exit(1)), Some((Result::Failure, 1_100)));
    let again = |code: i32| {
        format!(
            "JobStatus=4\nExitCode=0\nNumHolds=3\nLastHoldReasonCode={code}\nEnteredCurrentStatus=1300\n"
        )
    };
    assert_eq!(of(&again(13)), Some((Result::Failure, 1_300)));
    assert_eq!(of(&again(1)), Some((Result::Censored, 1_300)));
    let removed = "JobStatus=3\nEnteredCurrentStatus=1200\n";
    assert_eq!(of(removed), Some((Result::Censored, 1_200)));
    assert_eq!(of("JobStatus=1\n"), None);
}

fn advised() -> EntryKind {
    EntryKind::Advice(crate::acting::samples::advised("a", hold()))
}

fn entry(time: i64, what: EntryKind) -> Entry {
    Entry { version: VERSION, time, what }
}

fn done(step: ActStep) -> EntryKind {
    EntryKind::Act(Act {
        id: Some("a".to_owned()),
        hold: hold(),
        did: Did::Release,
        step,
        action: None,
        edits: Vec::new(),
        detail: None,
    })
}

fn ended(result: Result, at: i64) -> EntryKind {
    EntryKind::Outcome(ActOutcome {
        id: "a".to_owned(),
        hold: hold(),
        result,
        at,
        held_for: None,
        took: Some(7),
    })
}

#[test]
fn what_a_journal_has_is_open_until_its_end() {
    let mut entries = vec![entry(990, advised()), entry(995, done(ActStep::Intended))];
    // Without an answer nobody knows whether it was done: it counts.
    assert_eq!(open_acts(&entries), [OpenAct { at: 995, ..act(TrySuccess::Begins) }]);
    assert_eq!(attempts(&entries).len(), 1);
    for step in [ActStep::Refused, ActStep::TakenBack] {
        let undone = [entries.clone(), vec![entry(996, done(step))]].concat();
        assert!(open_acts(&undone).is_empty() && attempts(&undone).is_empty());
    }
    let failed = [entries.clone(), vec![entry(996, done(ActStep::Failed))]].concat();
    assert_eq!((open_acts(&failed).len(), attempts(&failed).len()), (1, 1));
    entries.push(entry(RELEASED, done(ActStep::Done)));
    assert_eq!(open_acts(&entries), [act(TrySuccess::Begins)]);
    let open = Attempt { at: RELEASED, ended: None, took: None, owner: owner_of(None) };
    assert_eq!(attempts(&entries)["server s"], [open]);

    entries.push(entry(1_030, ended(Result::Through, 1_022)));
    assert_eq!(open_acts(&entries), [OpenAct { through: true, ..act(TrySuccess::Begins) }]);
    let through =
        Attempt { at: RELEASED, ended: Some((1_022, true)), took: Some(7), owner: owner_of(None) };
    assert_eq!(attempts(&entries)["server s"], [through]);

    // It got through what it was held for, and failed later.
    entries.push(entry(2_000, ended(Result::Failure, 1_900)));
    assert!(open_acts(&entries).is_empty());
    assert_eq!(attempts(&entries)["server s"], [through]);
}

#[test]
fn what_was_censored_shows_nothing() {
    let entries = [
        entry(990, advised()),
        entry(RELEASED, done(ActStep::Done)),
        entry(1_030, ended(Result::Censored, 1_022)),
    ];
    assert!(attempts(&entries).is_empty());
    assert!(open_acts(&entries).is_empty());
}

#[test]
fn a_failure_for_something_else_stops_nobody() {
    let of = |reason: &str, began: &str| {
        let text = format!(
            "JobStatus=5\nNumHolds=3\nHoldReasonCode=13\nHoldReasonSubCode=256\n\
             EnteredCurrentStatus=1050\nHoldReason=\"{reason}\"\n{began}"
        );
        let mut ended = result_of(&act(TrySuccess::Begins), &ad(&text)).unwrap();
        assert_eq!(ended.result, Result::Failure);
        ended.at = 1_050;
        let entries = [
            entry(990, advised()),
            entry(RELEASED, done(ActStep::Done)),
            entry(1_060, EntryKind::Outcome(ended)),
        ];
        attempts(&entries).get("server s").map(|all| all[0].ended)
    };
    let url = |server: &str| {
        format!(
            "Transfer input files failure at execution point e using protocol http. Details: \
                 Could not connect (URL file = http://{server}/a)"
        )
    };
    assert_eq!(of(&url("s"), ""), Some(Some((1_050, false))));
    assert_eq!(of(&url("other"), ""), None);
    let began = "JobCurrentStartDate=1010\nJobCurrentStartExecutingDate=1022\n";
    assert_eq!(of(&url("other"), began), Some(Some((1_050, true))));
}
