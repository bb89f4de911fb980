//! Reads the hold reasons of real job event logs, where there are any, and prints what they share.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use holdadvise::advice::Editable;
use holdadvise::advice::changes::{JudgedHold, applicable_actions, change};
use holdadvise::advice::job_facts::JobFacts;
use holdadvise::history::reason::{file_name, file_server, host, normalised, words};
use holdadvise::sentences::{self, meaning};

/// Recorded data that is not part of this repository.
fn real_data() -> PathBuf {
    match std::env::var_os("HOLDADVISE_REAL_DATA") {
        Some(path) => path.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
    }
}

/// Reason, code and subcode of the 012 events of one log.
fn holds(log: &str) -> Vec<(&str, Option<i32>, Option<i32>)> {
    let lines: Vec<_> = log.lines().collect();
    let hold = |at: usize| {
        let code_line = lines.get(at + 1)?.trim().strip_prefix("Code ")?;
        let (code, subcode) = code_line.split_once(" Subcode ")?;
        Some((code.parse().ok()?, subcode.parse().ok()?))
    };
    (1..lines.len())
        .filter(|&at| lines[at - 1].starts_with("012 (") && lines[at].starts_with('\t'))
        .map(|at| (lines[at].trim(), hold(at).map(|codes| codes.0), hold(at).map(|codes| codes.1)))
        .collect()
}

/// What is said of a hold, once for each form.
fn say(said: &mut BTreeSet<String>, hold: &JudgedHold<'_>) {
    let facts = JobFacts::of("1.0".parse().unwrap());
    let mut text = format!("{:?}/{:?} {}\n", hold.code, hold.subcode, normalised(hold.reason));
    text += &format!("    {}\n", meaning(hold.code, hold.subcode, hold.reason));
    for action in applicable_actions(hold, &facts) {
        let Some(change) = change(action, hold, &facts, &Editable::default()) else { continue };
        let sentence = sentences::change(&change.what);
        assert!(!sentence.is_empty());
        text += &format!(
            "    {}: {} {:?}\n",
            action.name(),
            normalised(&sentence),
            change.commands.len()
        );
    }
    said.insert(text);
}

#[test]
fn real_reasons_fall_into_few_forms() {
    let folder = real_data().join("eventlogs");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: no job event logs at {}", folder.display());
        return;
    };
    let mut forms: BTreeMap<String, usize> = BTreeMap::new();
    let mut said = BTreeSet::new();
    let (mut all, mut with_host, mut with_file, mut with_server) = (0, 0, 0, 0);
    for entry in entries.flatten() {
        let Ok(bytes) = std::fs::read(entry.path()) else { continue };
        for (reason, code, subcode) in holds(&String::from_utf8_lossy(&bytes)) {
            all += 1;
            say(&mut said, &JudgedHold { code, subcode, reason, held_at: None });
            with_host += usize::from(host(reason).is_some());
            with_file += usize::from(file_name(reason).is_some());
            with_server += usize::from(file_server(reason).is_some());
            assert!(words(reason).count() > 0, "no words in {reason:?}");
            *forms.entry(normalised(reason)).or_default() += 1;
        }
    }
    for text in &said {
        println!("{text}");
    }
    let mut forms: Vec<_> = forms.into_iter().collect();
    forms.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    println!(
        "{all} hold reasons, {} forms; host in {with_host}, file in {with_file}, file server in {with_server}",
        forms.len()
    );
    for (form, count) in &forms {
        println!("{count:6} {form}");
    }
    assert!(all == 0 || forms.len() * 5 < all, "{} forms of {all} reasons", forms.len());
}
