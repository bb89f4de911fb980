//! Evidence that several jobs have in common.

use proptest::prelude::*;

use super::*;

/// What two sentences have in common.
fn both(one: &str, other: &str) -> Option<String> {
    let (mut own, others) = (words(one), words(other));
    let fits = own.len() == others.len()
        && own.iter_mut().zip(&others).all(|(word, other)| word.takes(other).is_some());
    fits.then(|| own.iter().map(Word::text).collect::<Vec<_>>().join(" "))
}

#[test]
fn figures_become_ranges_with_their_units() {
    for (one, other, expected) in [
        (
            "No other job began in the 5 minutes since.",
            "No other job began in the 1 minute since.",
            "No other job began in the 1-5 minutes since.",
        ),
        (
            "the last 50 seconds ago.",
            "the last 2 minutes ago.",
            "the last 50 seconds to 2 minutes ago.",
        ),
        ("the last 2 days ago;", "the last 3 hours ago;", "the last 3 hours to 2 days ago;"),
        (
            "1 other job is held for code 13 now.",
            "3 other jobs are held for code 13 now.",
            "1-3 other jobs are held for code 13 now.",
        ),
        (
            "used 10 MiB; its slot had 20 MiB (50 %).",
            "used 8 MiB; its slot had 20 MiB (40 %).",
            "used 8-10 MiB; its slot had 20 MiB (40-50 %).",
        ),
        (
            "The input /in/1.dat is not there.",
            "The input /in/20.dat is not there.",
            "The input /in/[...].dat is not there.",
        ),
        (
            "It wrote \"event 7 is bad\" (/o/1.err).",
            "It wrote \"event 9 is bad\" (/o/2.err).",
            "It wrote \"event [...] is bad\" (/o/[...].err).",
        ),
    ] {
        assert_eq!(both(one, other).as_deref(), Some(expected), "{one}");
        assert_eq!(both(other, one).as_deref(), Some(expected), "{other}");
    }
}

#[test]
fn what_says_something_else_is_not_of_all() {
    for (one, other) in [
        ("2 other jobs at Hilltop began.", "2 other jobs at Valley began."),
        ("The input /in/1.dat is not there.", "The input /in/1.dat may not be read."),
        ("The input /in/1.dat is not there.", "The input in/x/1 is not there."),
        ("1 time", "2 times before"),
        ("the last 5 minutes ago", "the last 5 ago"),
        ("used 5 MiB.", "used 5 MiB;"),
    ] {
        assert_eq!(both(one, other), None, "{one}");
    }
}

#[test]
fn of_a_quoted_text_most_has_to_be_the_same() {
    let message = |text: &str| Evidence::Message { text: text.into(), seconds_before: 5 };
    let of = |one: &str, other: &str| {
        let mut shared = SharedEvidence::new(&[message(one)]);
        shared.add(&[message(other)]);
        shared.sentences().next()
    };
    assert!(
        of("cannot read a.dat", "cannot read b.dat")
            .unwrap()
            .contains("\"cannot read [...].dat\".")
    );
    assert_eq!(of("disk full here", "host is down"), None);
}

#[test]
fn evidence_is_matched_by_its_kind_and_place() {
    let held = |code| Evidence::HeldNow {
        near: crate::advice::Near {
            scope: crate::features::Scope::Cluster,
            name: None,
            input: false,
        },
        jobs: 2,
        code,
    };
    let message = Evidence::Message { text: "x".into(), seconds_before: 5 };
    let mut shared = SharedEvidence::new(&[message.clone(), held(12), held(13)]);
    shared.add(&[held(12), held(13)]);
    assert!(!shared.has(&message));
    assert_eq!(shared.sentences().count(), 2);
    shared.add(&[held(12)]);
    assert_eq!(shared.sentences().count(), 1);
}

#[test]
fn places_are_counted() {
    let mut places = Places::default();
    assert_eq!(places.text(), "");
    places.add(None);
    assert_eq!(places.text(), "");
    places.add(Some(&"e1".into()));
    assert_eq!(places.text(), "e1 (1 job); not known of 1 job");
}

proptest! {
    #[test]
    fn any_texts_are_compared(one in "[ \"(/a0-9.:;%é-]{0,40}", other in "[ \"(/a0-9.:;%é-]{0,40}") {
        let _ = both(&one, &other);
        let same = one.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert_eq!(both(&one, &one), Some(same));
    }
}
