//! The pool story on a real HTCondor pool: needs root, debootstrap (installed if missing) and a
//! Debian mirror.
//!
//! Played only when asked, as it installs packages and takes minutes: HOLDADVISE_POOL=1 skips it
//! where there can be no pool, HOLDADVISE_REQUIRE_POOL=1 fails there. HOLDADVISE_POOL_TABLE=FILE
//! keeps the table, HOLDADVISE_POOL_RECORD=DIR what the pool wrote (`tests/pool/record`).

use crate::pool::causes::Truth;
use crate::pool::harness::Pool;
use crate::pool::record::Recorder;
use crate::pool::story::{self, Outcome, Story};
use crate::pool::{advice, profile, table};

#[test]
fn advice_in_a_real_pool_is_borne_out_by_what_releases_come_to() {
    let Some(pool) = Pool::or_skip(Pool::up) else { return };
    let recorder = Recorder::from_environment();
    if let Some(recorder) = &recorder {
        recorder.before(&pool);
    }
    let script = profile::submit(&pool);
    let story = story::tell(&pool, &|pool| {
        if let Some(recorder) = &recorder {
            recorder.all_held(pool);
        }
    });
    if let Some(recorder) = &recorder {
        recorder.after(&pool, &story);
        println!("recorded in {}", recorder.folder().display());
    }
    let text = table::markdown(&story);
    println!("{text}");
    if let Some(file) = std::env::var_os("HOLDADVISE_POOL_TABLE") {
        std::fs::write(&file, &text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
    the_causes_are_what_they_are_said_to_be(&story);
    if advice::program().is_some() {
        the_advice_is_right(&story);
        profile::its_script_is_compared_with_its_use(&pool, &script);
    } else {
        println!("skipped: advice, for want of condor_holdadvise");
    }
}

/// A table of truths is worth nothing if the pool does otherwise.
fn the_causes_are_what_they_are_said_to_be(story: &Story) {
    for chapter in &story.chapters {
        let name = chapter.cause.name;
        match chapter.cause.truth {
            Truth::Transient { .. } | Truth::Person => {
                assert_eq!(chapter.as_is, Outcome::Success, "{name}");
            }
            Truth::Permanent { .. } => {
                let (code, subcode) = chapter.code;
                assert_eq!(chapter.as_is, Outcome::HeldAgain(code, subcode), "{name}");
                let advised = chapter.advised.as_ref().map(|(_, outcome)| outcome);
                assert_eq!(
                    chapter.changed.as_ref().or(advised),
                    Some(&Outcome::Success),
                    "{name} after the change"
                );
            }
        }
    }
    for other in story.others.iter().filter(|other| other.phase == "fault" && other.name != "plain")
    {
        let outcomes: Vec<_> = other.outcomes.iter().map(|(_, outcome)| outcome).collect();
        assert!(
            matches!(
                outcomes[..],
                [Outcome::HeldAgain(..), Outcome::HeldAgain(..), Outcome::Success]
            ),
            "{}: a release fails during the fault and works after it: {outcomes:?}",
            other.name
        );
    }
}

fn the_advice_is_right(story: &Story) {
    let said = |name: &str, during: bool| {
        let chapter =
            story.chapters.iter().find(|chapter| chapter.cause.name == name).expect("a cause");
        let advice = if during { &chapter.during } else { &chapter.after };
        match advice {
            Some(Ok(advice)) => advice.recommendation.clone(),
            other => panic!("{name}: no advice: {other:?}"),
        }
    };
    assert_eq!(said("web-down", true), "wait", "while the server is down");
    assert_eq!(said("web-down", false), "release", "after another job has fetched from it");
    for during in [true, false] {
        let word = said("web-missing", during);
        assert!(matches!(word.as_str(), "change" | "remove"), "a file that is not there: {word}");
    }
    for chapter in &story.chapters {
        if !matches!(chapter.cause.truth, Truth::Transient { .. }) {
            for during in [true, false] {
                assert_ne!(said(chapter.cause.name, during), "release", "{}", chapter.cause.name);
            }
        }
    }
    let score = table::score(story);
    assert!(score.asked >= 8, "{} causes asked about", score.asked);
    assert!(
        8 * score.right >= 7 * score.asked,
        "{} of {} causes judged right",
        score.right,
        score.asked
    );
    assert!(
        score.right > score.baseline,
        "{} right, a table of codes {}",
        score.right,
        score.baseline
    );
}
