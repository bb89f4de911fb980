use holdadvise::advice::{Recommendation, TrySuccess};
use holdadvise::inquiry::Config;
use holdadvise::journal::{DecidedBy, Journal, Result};
use holdadvise::queue::Schedd;

use super::*;
use crate::line::Left;

const NOW: i64 = 1_790_000_000;
const HELD: i64 = NOW - 500;

fn job(proc: i32, cause: &str) -> Judged {
    Judged {
        job: JobId::new(7, proc),
        num_holds: 1,
        entered: HELD,
        code: 13,
        subcode: 256,
        advice: Recommendation::Release,
        hundredths: Some(90),
        drawn_from: Some(1),
        counts: TrySuccess::Begins,
        until: None,
        owner: "alice".to_owned(),
        cause: cause.to_owned(),
        diagnosis: None,
        choices: vec![(Recommendation::Release, 125)],
        shown: None,
        reason: "r".to_owned(),
    }
}

fn many(jobs: i32) -> Vec<Judged> {
    (0..jobs).map(|proc| job(proc, "server s")).collect()
}

fn settings(releases: bool, left: f64) -> Settings {
    let (settings, _) = Settings::of(&Config::of_user()).unwrap();
    Settings { releases, left, of_owner: 100, in_all: 100, ..settings }
}

/// A journal, to which passes add what they decide.
struct Played {
    _folder: tempfile::TempDir,
    journal: Journal,
    entries: Vec<Entry>,
}

impl Played {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(&folder.path().join("journal")).unwrap();
        Self { _folder: folder, journal, entries: Vec::new() }
    }

    fn pass(&mut self, judged: &[Judged], settings: &Settings, now: i64) -> Decision {
        let schedd = Schedd { name: None, pool: None, timeout: std::time::Duration::from_secs(1) };
        let locked = self.journal.lock().unwrap();
        let order = Order {
            schedd: &schedd,
            journal: &locked,
            by: DecidedBy::Advisor,
            model: "m",
            condor_version: None,
            now,
        };
        let decision =
            decide(judged, &["EVENT_LOG is not set".to_owned()], &self.entries, settings, &order);
        locked.add(&decision.entries).unwrap();
        self.entries = locked.read().unwrap().entries;
        decision
    }

    fn say(&mut self, lines: &[Line], now: i64) -> usize {
        let new = settled(&self.entries, lines, now);
        self.journal.lock().unwrap().add(&new).unwrap();
        let count = new.len();
        self.entries.extend(new);
        count
    }

    /// What was intended and is still open.
    fn intended(&self) -> Vec<OpenAct> {
        intended_acts(&self.entries)
    }
}

fn left(act: &OpenAct, at: i64, how: How) -> Line {
    Line::Left(Left { id: act.id.clone(), at, how })
}

fn ended(act: &OpenAct, at: i64, result: Result) -> Line {
    let (id, hold) = (act.id.clone(), act.hold);
    Line::Ended(ActOutcome { id, hold, result, at, took: Some(5), held_for: None })
}

#[test]
fn nothing_goes_where_it_is_switched_off() {
    let mut played = Played::new();
    let decision = played.pass(&many(10), &settings(false, 0.0), NOW);
    assert_eq!(decision, Decision::default());
}

#[test]
fn one_goes_first_and_five_after_it_got_through() {
    let mut played = Played::new();
    let on = settings(true, 0.0);
    let judged = many(30);
    let Decision { may_go: first, stay, .. } = played.pass(&judged, &on, NOW);
    assert_eq!(first.len(), 1);
    // The ads of the others say why they stay.
    assert_eq!(stay.len(), 29);
    assert!(stay.iter().all(|(job, why)| !first.contains(job) && *why == Stays::ForItsTurn));
    // As long as the policy has not released it, it alone may go.
    assert_eq!(played.pass(&judged, &on, NOW + 10).may_go, first);
    let act = played.intended().remove(0);
    let lines = [left(&act, NOW + 12, How::Policy), ended(&act, NOW + 20, Result::Through)];
    assert_eq!(played.say(&lines, NOW + 30), 2);
    let rest: Vec<Judged> = judged.into_iter().filter(|job| !first.contains(&job.job)).collect();
    assert_eq!(played.pass(&rest, &on, NOW + 30).may_go.len(), 5);
}

#[test]
fn what_a_bound_leaves_out_is_counted() {
    let mut played = Played::new();
    let on = settings(true, 0.0);
    let judged = many(5);
    let first = played.pass(&judged, &on, NOW);
    assert_eq!((first.may_go.len(), first.over_bounds), (1, 0));
    let act = played.intended().remove(0);
    let lines = [left(&act, NOW + 12, How::Policy), ended(&act, NOW + 20, Result::Through)];
    played.say(&lines, NOW + 30);
    let is_left = |job: &Judged| !first.may_go.contains(&job.job);
    let rest: Vec<Judged> = judged.into_iter().filter(is_left).collect();
    let next = played.pass(&rest, &Settings { in_all: 2, ..on }, NOW + 30);
    assert_eq!((next.may_go.len(), next.over_bounds), (2, 2));
}

#[test]
fn what_was_let_go_is_withdrawn_after_a_like_failure() {
    let mut played = Played::new();
    let on = settings(true, 0.0);
    let judged = many(30);
    let first = played.pass(&judged, &on, NOW).may_go;
    let act = played.intended().remove(0);
    played
        .say(&[left(&act, NOW + 1, How::Policy), ended(&act, NOW + 5, Result::Through)], NOW + 10);
    let rest: Vec<Judged> = judged.into_iter().filter(|job| !first.contains(&job.job)).collect();
    assert_eq!(played.pass(&rest, &on, NOW + 10).may_go.len(), 5);
    let act = played.intended().remove(0);
    played.say(
        &[left(&act, NOW + 12, How::Policy), ended(&act, NOW + 20, Result::Failure)],
        NOW + 30,
    );
    let rest: Vec<Judged> = rest.into_iter().filter(|job| job.job != act.hold.job).collect();
    assert!(played.pass(&rest, &on, NOW + 30).may_go.is_empty());
    assert!(played.intended().is_empty());
}

#[test]
fn a_job_whose_advice_changed_may_not_go_any_more() {
    let mut played = Played::new();
    let on = settings(true, 0.0);
    let job = job(0, "server s");
    assert_eq!(played.pass(std::slice::from_ref(&job), &on, NOW).may_go.len(), 1);
    let other = Judged { advice: Recommendation::Wait, drawn_from: None, ..job.clone() };
    assert!(played.pass(&[other], &on, NOW + 10).may_go.is_empty());
    // Nor one that is in another hold.
    assert_eq!(played.pass(std::slice::from_ref(&job), &on, NOW + 20).may_go.len(), 1);
    let again = Judged { num_holds: 2, entered: NOW + 25, drawn_from: None, ..job };
    assert!(played.pass(&[again], &on, NOW + 30).may_go.is_empty());
}

#[test]
fn a_share_is_left_to_people_for_good_and_noted_once() {
    let mut played = Played::new();
    let half = settings(true, 0.5);
    let judged: Vec<Judged> = (0..200).map(|proc| job(proc, &format!("server {proc}"))).collect();
    let one = played.pass(&judged, &half, NOW);
    assert!((70..130).contains(&one.left_to_people), "{}", one.left_to_people);
    let two = played.pass(&judged, &half, NOW + 10);
    assert_eq!(two.left_to_people, one.left_to_people);
    let to_people = two.stay.values().filter(|why| **why == Stays::ToPeople);
    assert_eq!(to_people.count(), two.left_to_people);
    let noted = played.entries.iter().filter(|entry| left_in(&entry.what).is_some()).count();
    assert_eq!(noted, one.left_to_people);
    let chances = played.entries.iter().filter_map(|entry| match &entry.what {
        EntryKind::Advice(advice) => Some(advice.chance),
        _ => None,
    });
    assert!(chances.into_iter().all(|chance| (chance - 0.5).abs() < 1e-9));
}

#[test]
fn the_journal_has_all_that_one_was_drawn_from_what_was_weighed_and_what_was_missing() {
    let mut played = Played::new();
    let of_try = |proc, drawn_from| Judged {
        advice: Recommendation::Try,
        drawn_from: Some(drawn_from),
        ..job(proc, "server s")
    };
    let judged: Vec<Judged> =
        (0..4).map(|proc| of_try(proc, if proc == 2 { 4 } else { 0 })).collect();
    // Of a try none is left to people.
    let decision = played.pass(&judged, &settings(true, 1.0), NOW);
    assert_eq!(decision.may_go, HashSet::from([JobId::new(7, 2)]));
    let eligible = decision.entries.iter().find_map(|entry| match &entry.what {
        EntryKind::Eligible(eligible) => Some(eligible.jobs.iter().map(ToString::to_string)),
        _ => None,
    });
    assert_eq!(eligible.unwrap().collect::<Vec<_>>(), ["7.0-3"]);
    let advice = decision.entries.iter().find_map(|entry| match &entry.what {
        EntryKind::Advice(advice) => Some(advice),
        _ => None,
    });
    let advice = advice.unwrap();
    assert!((advice.chance - 0.25).abs() < 1e-9);
    assert_eq!(advice.choices, [Weighed { choice: Recommendation::Release, hours: 1.25 }]);
    assert_eq!(advice.missing, ["EVENT_LOG is not set"]);
}

#[test]
fn what_does_not_fit_the_journal_is_not_believed() {
    let mut played = Played::new();
    let on = settings(true, 0.0);
    played.pass(&many(1), &on, NOW);
    let act = played.intended().remove(0);
    let stranger = OpenAct { id: "other".to_owned(), ..act.clone() };
    for line in [
        left(&stranger, NOW + 1, How::Policy),
        left(&act, HELD - 1_000, How::Policy),
        left(&act, NOW + 100_000, How::Policy),
        // It was not said that it was released.
        ended(&act, NOW + 5, Result::Through),
    ] {
        assert_eq!(played.say(std::slice::from_ref(&line), NOW + 10), 0, "{line:?}");
    }
    let twice = [left(&act, NOW + 1, How::Policy), left(&act, NOW + 2, How::Policy)];
    assert_eq!(played.say(&twice, NOW + 10), 1);
}

#[test]
fn the_log_has_a_line_for_each_release_that_was_seen() {
    let mut played = Played::new();
    played.pass(&many(1), &settings(true, 0.0), NOW);
    let act = played.intended().remove(0);
    let lines_of = |how| {
        let new = settled(&played.entries, &[left(&act, NOW + 10, how)], NOW + 20);
        lines(&new, &played.entries)
    };
    let [said] = &lines_of(How::Policy)[..] else { panic!("one line") };
    assert!(said.starts_with("Released 7.0 of alice at "), "{said}");
    assert!(said.ends_with(": advice release, cause unknown, probability 0.90"), "{said}");
    assert_eq!(lines_of(How::Removed), [""; 0]);
}

#[test]
fn a_release_by_somebody_else_is_none_of_the_advisor() {
    let mut played = Played::new();
    played.pass(&many(1), &settings(true, 0.0), NOW);
    let act = played.intended().remove(0);
    played.say(&[left(&act, NOW + 1, How::Other)], NOW + 10);
    assert!(played.intended().is_empty() && open_acts(&played.entries).is_empty());
}

#[test]
fn what_gets_through_of_one_owner_lets_one_job_of_another_go() {
    let of = |owner: &str, procs: std::ops::Range<i32>| -> Vec<Judged> {
        let judged = |proc| Judged { owner: owner.to_owned(), ..job(proc, "server s") };
        procs.map(judged).collect()
    };
    let mut played = Played::new();
    let on = settings(true, 0.0);
    // Six of mallory's jobs get through: one, then five.
    let (mut jobs, mut now) = (of("mallory", 0..6), NOW);
    while !jobs.is_empty() {
        let went = played.pass(&jobs, &on, now).may_go;
        assert!([1, 5].contains(&went.len()), "{went:?}");
        for act in played.intended() {
            let lines = [left(&act, now + 1, How::Policy), ended(&act, now + 5, Result::Through)];
            assert_eq!(played.say(&lines, now + 10), 2);
        }
        jobs.retain(|job| !went.contains(&job.job));
        now += 20;
    }
    let alices = of("alice", 100..110);
    let went = played.pass(&alices, &on, now).may_go;
    assert_eq!(went.len(), 1);
    // Her own shows what her jobs meet.
    let act = played.intended().remove(0);
    played.say(&[left(&act, now + 1, How::Policy), ended(&act, now + 5, Result::Through)], now + 9);
    let rest: Vec<Judged> = alices.into_iter().filter(|job| !went.contains(&job.job)).collect();
    assert_eq!(played.pass(&rest, &on, now + 10).may_go.len(), 5);
}
