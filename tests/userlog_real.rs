//! Reads job event logs of real pools that are not part of this project.

use std::collections::BTreeMap;
use std::path::PathBuf;

use holdadvise::userlog::*;
use jiff::tz::TimeZone;

/// The folder of real logs, or a line that says that it is not there.
fn real_logs() -> Option<Vec<PathBuf>> {
    let root = std::env::var_os("HOLDADVISE_REAL_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
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

/// Which events of real logs come back byte for byte from their typed fields.
#[test]
fn written_back() {
    let Some(logs) = real_logs() else { return };
    let iso = DateForm::iso(TimeZone::UTC);
    let month_day = DateForm::month_day(TimeZone::UTC);
    let mut counts: BTreeMap<u16, (usize, usize)> = BTreeMap::new();
    let mut out = Vec::new();
    for path in logs {
        let bytes = std::fs::read(&path).unwrap();
        for event in Events::with_options(&bytes, &options()).flatten() {
            let text = &bytes[event.offset as usize..];
            let header = &text[..text.iter().position(|b| *b == b'\n').unwrap()];
            if header.ends_with(b"\r") {
                continue;
            }
            let with_year = header.windows(2).any(|w| w == b"20") && !header[..30].contains(&b'/');
            let length = header.len() + 1 + event.lines().len();
            let text = &text[..length];
            out.clear();
            let date = if with_year { &iso } else { &month_day };
            let header =
                EventHeader { job: event.job, subproc: event.subproc, time: event.time, date };
            let count = counts.entry(event.number).or_default();
            count.1 += 1;
            if let Err(error) = write_event(&mut out, &header, &event.body()) {
                println!("{error}");
                continue;
            }
            out.truncate(out.len() - 4);
            if out == text {
                count.0 += 1;
            } else if count.1 - count.0 <= 6 || event.number != 5 && event.number != 4 {
                println!(
                    "{}:\n{}---\n{}",
                    path.display(),
                    String::from_utf8_lossy(text),
                    String::from_utf8_lossy(&out)
                );
            }
        }
    }
    println!("{counts:?}");
}
