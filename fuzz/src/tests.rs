//! Every target, on its seeds and on what is near them, for a moment.

use std::time::{Duration, Instant};

use holdadvise::queue::readers;
use holdadvise::random::Random;
use holdadvise_plugin::line::Line;
use holdadvise_train::sweep::results::Results;

use crate::{BETWEEN, TARGETS, advice, corpus, files, model, seeds, train};

/// How long a target is tried.
const MOMENT: Duration = Duration::from_millis(1_500);

/// Bytes of an input at most.
const LONGEST: usize = 16 << 10;

/// Pieces that mean something to some reader.
const PIECES: [&[u8]; 16] = [
    b"\0",
    b"\xff",
    b"\n",
    b"\r\n",
    b"\"",
    b"'",
    b"\\",
    b"{",
    b"[",
    b"(",
    b"-",
    b"1e999",
    b"9223372036854775807",
    b"\x1b[2J",
    "\u{202e}".as_bytes(),
    BETWEEN,
];

/// An input near a seed: some of it changed, doubled, left out, or taken from another one.
fn near(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut input = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(input.len() + 1);
        let end = (at + 1 + random.below(64)).min(input.len());
        match random.below(6) {
            0 if at < input.len() => input[at] ^= 1 << random.below(8),
            1 => drop(input.splice(at..at, PIECES[random.below(PIECES.len())].iter().copied())),
            2 if at < end => drop(input.drain(at..end)),
            3 if at < end => drop(input.splice(at..at, input[at..end].to_vec())),
            4 => input.truncate(at),
            _ => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
        }
    }
    input.truncate(LONGEST);
    input
}

fn tried(target: &str) {
    let (_, run) = TARGETS.into_iter().find(|(name, _)| *name == target).expect("a target");
    let mut number = 0;
    let mut run_one = |input: &[u8]| {
        // An input that panics is in the file of its number.
        if let Err(panic) = std::panic::catch_unwind(|| run(input)) {
            let path = std::env::temp_dir().join(format!("holdadvise-fuzz-{target}"));
            files::put(&path, input);
            eprintln!("{target} fails with input {number}, kept in {}", path.display());
            std::panic::resume_unwind(panic);
        }
        number += 1;
    };
    // What fuzzing has reached before is reached again, however long it takes.
    let kept = corpus::of(target);
    kept.iter().for_each(|input| run_one(input));
    let seeds = [seeds::of(target), kept].concat();
    assert!(!seeds.is_empty());
    let begun = Instant::now();
    let mut random = Random::new(1);
    // A seed and what is near it take turns, so that a slow target tries both.
    for seed in seeds.iter().map(Some).chain(std::iter::repeat(None)) {
        seed.into_iter().for_each(|seed| run_one(seed));
        run_one(&near(&seeds, &mut random));
        if begun.elapsed() > MOMENT {
            return;
        }
    }
}

macro_rules! try_all {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            tried(stringify!($name));
        })*

        #[test]
        fn every_target_is_tried() {
            assert!(TARGETS.iter().map(|(name, _)| *name).eq([$(stringify!($name)),*]));
        }
    };
}

mod each {
    use super::*;
    try_all! {
        advice advisor_line catalogue checks classad_expr classad_long collector dag dataset
        eventlog_text hold_reason kept model_archive policy_explain policy_lint policy_replay
        program_head python script sweep_file sweep_folder tool_answers
    }
}

#[test]
fn seeds_are_what_they_are_meant_to_be() {
    for line in seeds::of("advisor_line") {
        assert!(Line::read(&line).is_some(), "{}", String::from_utf8_lossy(&line));
    }
    for seed in seeds::of("advice").iter().step_by(7) {
        assert!(!advice::judged(seed).is_empty(), "{}", String::from_utf8_lossy(seed));
    }
    for metadata in seeds::of("model_archive") {
        let archive = model::archive(&metadata).expect("metadata");
        assert!(holdadvise::model::Model::from_bytes(&archive).is_ok());
    }
    let seeds = seeds::of("kept");
    let [journal, calibration, state, gaps] = crate::sections(&seeds[0]);
    let is_entry = |line: &[u8]| serde_json::from_slice::<holdadvise::journal::Entry>(line).is_ok();
    assert!(journal.split(|byte| *byte == b'\n').all(is_entry));
    assert!(serde_json::from_slice::<holdadvise::home::KeptCalibration>(calibration).is_ok());
    assert!(serde_json::from_slice::<holdadvise::home::HomeState>(state).is_ok());
    assert!(serde_json::from_slice::<holdadvise::collect::Gap>(gaps).is_ok());
    for seed in seeds::of("sweep_folder") {
        let results = Results::read(&train::sweep_of(&seed)).expect("a plan");
        assert_eq!((results.damaged, results.best, results.counts().run), (0, Some(1), 1));
    }
    for seed in seeds::of("tool_answers") {
        let [slots, orders, ..] = crate::sections::<4>(&seed);
        assert_eq!(readers::slots(&String::from_utf8_lossy(slots)).len(), 2);
        assert_eq!(readers::orders(orders).map(|orders| orders.len()), Some(3));
    }
}

/// Bytes that git has of all kept inputs. Assumed: nobody minds them in a clone.
const KEPT: u64 = 5_000_000;

#[test]
fn the_kept_corpus_is_small_and_of_targets() {
    let mut bytes = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let target = name.strip_suffix(".gz").expect("a packed corpus");
        assert!(TARGETS.iter().any(|(name, _)| *name == target), "{name}");
        assert!(!corpus::of(target).is_empty(), "{name}");
        bytes += entry.metadata().unwrap().len();
    }
    assert!((1..KEPT).contains(&bytes), "{bytes}");
}
