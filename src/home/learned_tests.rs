use super::*;
use crate::journal::ModelAnswer;

const NOON: i64 = 1_790_000_000;

fn answer(model: &str, probability: f64) -> ModelAnswer {
    ModelAnswer { model: model.to_owned(), logit: 0.5, probability }
}

fn asked(proc: i32, entered: i64, time: i64, probability: f64) -> Entry {
    let hold = HoldOf {
        job: JobId::new(7, proc),
        num_holds: Some(1),
        entered_current_status: Some(entered),
    };
    let (in_use, challenger) = (answer("old", probability), Some(answer("new", 0.9)));
    let owner = Some("alice".to_owned());
    Entry {
        version: VERSION,
        time,
        what: EntryKind::Asked(Asked { hold, owner, in_use, challenger }),
    }
}

fn ended(proc: i32, held: i64, released: i64, success: bool) -> Ended {
    Ended { job: JobId::new(7, proc), held, released, at: released + 100, success }
}

#[test]
fn what_counts_was_said_last_before_the_release() {
    let said = [
        asked(0, NOON, NOON + 600, 0.1),
        asked(0, NOON, NOON + 60, 0.2),
        asked(0, NOON, NOON + 4_000, 0.3),
        // Of another hold of it.
        asked(0, NOON - 500, NOON - 100, 0.4),
    ];
    let new = learned(&said, &[], &[ended(0, NOON + 2, NOON + 3_600, true)]);
    let [Entry { what: EntryKind::Learned(one), .. }] = new.as_slice() else { panic!("{new:?}") };
    assert_eq!(
        (one.asked.in_use.probability, one.success, one.released),
        (0.1, true, NOON + 3_600)
    );
    // Nobody was asked before this release.
    assert!(learned(&said, &[], &[ended(0, NOON, NOON + 30, true)]).is_empty());
    assert!(learned(&said, &[], &[ended(1, NOON, NOON + 3_600, true)]).is_empty());
    // It is learned once.
    let again = [ended(0, NOON, NOON + 3_600, true), ended(0, NOON, NOON + 3_600, true)];
    assert_eq!(learned(&said, &[], &again).len(), 1);
    assert!(learned(&said, &new, &again).is_empty());
}

#[test]
fn rows_are_of_the_models_that_are_named() {
    let said: Vec<Entry> = (0..9).map(|proc| asked(proc, NOON, NOON + 60, 0.25)).collect();
    let ends: Vec<Ended> = (0..9).map(|proc| ended(proc, NOON, NOON + 99, proc < 5)).collect();
    let entries = learned(&said, &[], &ends);
    let rows = Rows::newest(&entries, 100);
    assert_eq!(rows.judged("old").outcome.iter().sum::<f32>(), 5.0);
    assert!(rows.judged("new").is_empty());
    assert_eq!(
        (rows.pairs("old", "new", NOON).len(), rows.pairs("old", "new", NOON + 1).len()),
        (9, 0)
    );
    assert!(rows.pairs("new", "old", 0).is_empty());
    assert_eq!(rows.said("old", NOON).len(), 9);
    assert!((rows.said("old", NOON)[0].log_odds - (0.25_f64 / 0.75).ln()).abs() < 1e-12);
    assert_eq!(Rows::newest(&entries, 4).since(0), 4);
}

#[test]
fn an_owner_with_many_outcomes_leaves_the_others_theirs() {
    let of = |owner: &str, proc: i32, released: i64| {
        let mut new =
            learned(&[asked(proc, NOON, NOON, 0.5)], &[], &[ended(proc, NOON, released, true)]);
        let EntryKind::Learned(one) = &mut new[0].what else { panic!("{new:?}") };
        one.asked.owner = Some(owner.to_owned());
        new.remove(0)
    };
    let hers = (0..3).map(|proc| of("alice", proc, NOON + 1));
    let entries: Vec<Entry> =
        hers.chain((3..90).map(|proc| of("mallory", proc, NOON + i64::from(proc)))).collect();
    let rows = Rows::newest(&entries, 10);
    assert_eq!((rows.since(0), rows.since(NOON + 83)), (10, 7));
    assert_eq!(rows.left_out, BTreeMap::from([("mallory".into(), 80)]));
}

#[test]
fn lines_that_no_model_can_say_are_left_out() {
    let mut entries = learned(
        &[asked(0, NOON, NOON + 60, 1.5), asked(1, NOON, NOON + 60, 0.5)],
        &[],
        &[ended(0, NOON, NOON + 99, true), ended(1, NOON, NOON + 99, true)],
    );
    assert_eq!(Rows::newest(&entries, 9).since(0), 1);
    let text = serde_json::to_string(&entries.remove(1)).unwrap();
    let back: Entry = serde_json::from_str(&text).unwrap();
    assert!(matches!(back.what, EntryKind::Learned(_)), "{text}");
}

#[test]
fn an_outcome_keeps_its_owner_and_lines_without_one_are_read() {
    let new = learned(&[asked(0, NOON, NOON + 60, 0.5)], &[], &[ended(0, NOON, NOON + 99, true)]);
    let line = serde_json::to_string(&new[0]).unwrap();
    assert!(line.contains(r#""Owner":"alice""#), "{line}");
    // As it was written before there were owners: the same but for that field.
    let old = line.replace(r#""Owner":"alice","#, "");
    let read: Entry = serde_json::from_str(&old).unwrap();
    let EntryKind::Learned(of_old) = &read.what else { panic!("{read:?}") };
    assert_eq!(of_old.asked.owner, None);
    assert_eq!(serde_json::to_string(&read).unwrap(), old);
    // A program leaves out what it does not know, so that an older one reads what a newer wrote.
    let newer = line.replace(r#""Owner":"#, r#""OwnerOfTomorrow":"#);
    assert_eq!(serde_json::from_str::<Entry>(&newer).unwrap(), read);
    let judged = Rows::newest(&[new[0].clone(), read], 9).judged("old");
    assert_eq!(judged.owner, [owner_of(Some("alice")), owner_of(None)]);
}
