//! Reads job event logs of real pools that are not part of this project.

use std::collections::BTreeMap;
use std::path::PathBuf;

use eventlog::*;
use jiff::tz::TimeZone;

/// The folder of real logs, or a line that says that it is not there.
fn real_logs() -> Option<Vec<PathBuf>> {
    let root = std::env::var_os("HOLDADVISE_REAL_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
        PathBuf::from,
    );
    let folder = root.join("eventlogs");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: no real logs in {}", folder.display());
        return None;
    };
    let mut logs: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    logs.sort();
    Some(logs)
}

fn options() -> ReadOptions {
    ReadOptions { year: YearHint::First(2024), ..ReadOptions::in_zone(TimeZone::UTC) }
}

/// Every file is read to its end; the few damaged parts are where someone looking at the files
/// finds them too.
#[test]
fn every_log_is_read() {
    let Some(logs) = real_logs() else { return };
    let (mut events, mut damages) = (0, BTreeMap::new());
    for path in &logs {
        let mut log = open(path, &options()).unwrap();
        while let Some(event) = log.next_event() {
            match event {
                Ok(event) => {
                    events += 1;
                    assert!(!matches!(event.kind(), EventKind::Unknown(_)), "{}", path.display());
                }
                Err(damaged) => {
                    println!("{}: {damaged}", path.display());
                    *damages.entry(format!("{:?}", damaged.damage)).or_insert(0) += 1;
                }
            }
        }
    }
    println!("{} files, {events} events, damaged: {damages:?}", logs.len());
    if logs.len() == 3213 {
        assert_eq!(events, 126_301);
        // Six bodies without a header line in one file that someone cut together.
        // Five evictions that were cut off in mid-line, each followed at once by another event,
        // which may be the text of a reason, and is lost with it.
        assert_eq!(damages.values().copied().collect::<Vec<_>>(), [6, 5]);
    }
}

/// Slices and files are read alike, and no event is passed over in silence: every byte belongs to
/// an event, to reported damage or to a separator.
#[test]
fn slices_and_files_agree() {
    let Some(logs) = real_logs() else { return };
    for path in logs {
        let bytes = std::fs::read(&path).unwrap();
        let mut log = LogReader::new(&bytes[..], &options());
        let mut events = Events::with_options(&bytes, &options());
        while let Some(from_file) = log.next_event() {
            let from_slice = events.next().unwrap();
            match (from_file, from_slice) {
                (Ok(file), Ok(slice)) => {
                    assert_eq!((file.offset, file.time), (slice.offset, slice.time));
                    assert_eq!((file.title(), file.lines()), (slice.title(), slice.lines()));
                }
                (Err(file), Err(slice)) => assert_eq!(file, slice),
                (file, slice) => panic!("{}: {file:?} {slice:?}", path.display()),
            }
        }
        assert!(events.next().is_none());
    }
}

/// How the text of an event compares with what is written from its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Written {
    Same,
    /// Only blanks at the ends of lines are missing: someone's editor removed them.
    WithoutBlanks,
    /// Cells of the table of resources stand elsewhere: older versions laid it out otherwise.
    Spaced,
    Different,
}

impl Written {
    fn of(text: &[u8], written: &[u8]) -> Self {
        let words = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        let lines = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>()
        };
        if text == written {
            Self::Same
        } else if lines(text) == lines(written) {
            Self::WithoutBlanks
        } else if words(text) == words(written) {
            Self::Spaced
        } else {
            Self::Different
        }
    }
}

/// Typed fields lose nothing: written from them, the events of real logs come back byte for byte.
#[test]
fn written_back() {
    let Some(logs) = real_logs() else { return };
    let iso = DateForm::iso(TimeZone::UTC);
    let month_day = DateForm::month_day(TimeZone::UTC);
    let mut counts: BTreeMap<(u16, Written), usize> = BTreeMap::new();
    let mut out = Vec::new();
    for path in logs {
        let bytes = std::fs::read(&path).unwrap();
        for event in Events::with_options(&bytes, &options()).flatten() {
            let text = &bytes[event.offset as usize..];
            let header = &text[..text.iter().position(|byte| *byte == b'\n').unwrap()];
            if header.ends_with(b"\r") {
                continue;
            }
            let text = &text[..header.len() + 1 + event.lines().len()];
            let date = if header[..30].contains(&b'/') { &month_day } else { &iso };
            let (job, subproc, time) = (event.job, event.subproc, event.time);
            out.clear();
            let header = EventHeader { job, subproc, time, date };
            write_event(&mut out, &header, &event.body()).unwrap();
            let written = out.strip_suffix(b"...\n").unwrap();
            let kind = Written::of(text, written);
            *counts.entry((event.number, kind)).or_default() += 1;
            if kind >= Written::Spaced {
                let [text, written] = [text, written].map(String::from_utf8_lossy);
                println!("{kind:?} {}:\n{text}--- written back:\n{written}", path.display());
            }
        }
    }
    println!("{counts:?}");
    let different = counts.iter().filter(|((_, kind), _)| *kind == Written::Different);
    assert_eq!(different.count(), 0);
}
