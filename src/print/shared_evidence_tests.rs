//! Evidence that several jobs have in common.

use super::*;

#[test]
fn of_a_quoted_text_most_has_to_be_the_same() {
    let message = |text: &str| Evidence::Message { text: text.into(), seconds_before: 5.into() };
    let of = |one: &str, other: &str| {
        let mut shared = SharedEvidence::new(&[message(one)]);
        shared.add(&[message(other)]);
        shared.of_all().next().map(crate::sentences::evidence)
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
        jobs: 2.into(),
        code,
    };
    let message = Evidence::Message { text: "x".into(), seconds_before: 5.into() };
    let mut shared = SharedEvidence::new(&[message, held(12), held(13)]);
    shared.add(&[held(12), held(13)]);
    assert_eq!(shared.of_all().count(), 2);
    shared.add(&[held(12)]);
    assert_eq!(shared.of_all().count(), 1);
}
