//! Reads the hold reasons of real job event logs, where there are any, and prints what they share.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use holdadvise::history::reason::{file_name, file_server, host, normalised, words};

/// Recorded data that is not part of this repository.
fn real_data() -> PathBuf {
    match std::env::var_os("HOLDADVISE_REAL_DATA") {
        Some(path) => path.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
    }
}

/// The reason lines of the 012 events of one log.
fn reasons(log: &str) -> impl Iterator<Item = &str> {
    let lines: Vec<_> = log.lines().collect();
    (1..lines.len())
        .filter(|&at| lines[at - 1].starts_with("012 (") && lines[at].starts_with('\t'))
        .map(|at| lines[at].trim())
        .collect::<Vec<_>>()
        .into_iter()
}

#[test]
fn real_reasons_fall_into_few_forms() {
    let folder = real_data().join("eventlogs");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: no job event logs at {}", folder.display());
        return;
    };
    let mut forms: BTreeMap<String, usize> = BTreeMap::new();
    let (mut all, mut with_host, mut with_file, mut with_server) = (0, 0, 0, 0);
    for entry in entries.flatten() {
        let Ok(bytes) = std::fs::read(entry.path()) else { continue };
        for reason in reasons(&String::from_utf8_lossy(&bytes)) {
            all += 1;
            with_host += usize::from(host(reason).is_some());
            with_file += usize::from(file_name(reason).is_some());
            with_server += usize::from(file_server(reason).is_some());
            assert!(words(reason).count() > 0, "no words in {reason:?}");
            *forms.entry(normalised(reason)).or_default() += 1;
        }
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
