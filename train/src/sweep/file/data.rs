//! `data`: where holds come from.

use std::path::{Path, PathBuf};

use holdadvise::collect::Collected;
use jiff::tz::TimeZone;

use super::paths::{self, Wanted};
use super::section::{Section, Value};
use crate::data::companions::MOST_OF_SWEEP;
use crate::split::SplitOptions;
use crate::split::parts::LEAST_VALIDATION_ROWS;
use crate::sweep::plan::{AccessPoint, Data};

/// What is said where a file has no `data`, with lines to add.
const MISSING: &str = "`data` is missing: where the holds to learn from are. Add, for example,

data:
  access_points:
    - name: ap.example.org
      logs: [/var/log/condor/EventLog*]
      epochs: [/var/lib/condor/spool/epoch_history*]";

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Seconds of an hour.
const HOUR: i64 = 3_600;

/// Companions that train beside the logs of access points. Assumed.
const COMPANIONS: usize = 12;

/// Longest H, hours: that of `i32` seconds is far off.
const MOST_HOURS: i64 = 10_000;

/// Reads `data`; paths are relative to `folder`, and `now` is the end of `last`, Unix seconds.
pub(super) fn data(root: &mut Section<'_>, folder: &Path, now: i64) -> Option<Data> {
    let Some(value) = root.take("data") else {
        root.value.problems.missing(MISSING);
        return None;
    };
    let mut section = value.section()?;
    let usual = SplitOptions::default();
    let mut data = Data {
        lookback: 30 * DAY,
        horizon: 48,
        validation_fraction: usual.validation_fraction,
        test_fraction: usual.test_fraction,
        least_validation_rows: LEAST_VALIDATION_ROWS,
        ..Data::default()
    };
    let before = section.value.problems.count();
    for value in section.take("access_points").map(|value| value.list()).unwrap_or_default() {
        let read = access_point(value, &data.access_points, folder);
        data.access_points.extend(read);
    }
    if let Some(value) = section.take("simulations") {
        data.simulations = paths::many(&value, Wanted::Folder, folder);
    }
    // Rows of simulations need no more of them.
    data.simulate = if data.simulations.is_empty() { COMPANIONS } else { 0 };
    let companions = section.take("simulate").and_then(|value| value.count(0..=MOST_OF_SWEEP));
    data.simulate = companions.unwrap_or(data.simulate);
    times(&mut section, &mut data, now);
    if let Some(value) = section.take("lookback") {
        data.lookback = value.seconds(0).unwrap_or_default();
    }
    if let Some(value) = section.take("horizon")
        && let Some(seconds) = value.seconds(1)
    {
        if seconds % HOUR == 0 && seconds / HOUR <= MOST_HOURS {
            data.horizon = (seconds / HOUR) as u32;
        } else {
            value.error(format_args!("expected whole hours, {MOST_HOURS} at most"));
        }
    }
    for (key, fraction) in [
        ("validation_fraction", &mut data.validation_fraction),
        ("test_fraction", &mut data.test_fraction),
    ] {
        let read = section.take(key).and_then(|value| value.real(0.01..=0.9));
        *fraction = read.unwrap_or(*fraction);
    }
    let least = section.take("least_validation_rows").and_then(|value| value.count(1..=1_000_000));
    data.least_validation_rows = least.unwrap_or(data.least_validation_rows);
    let value = section.value.clone();
    section.finish();
    if data.validation_fraction + data.test_fraction > 0.95 {
        value.error("`validation_fraction` and `test_fraction` leave hardly anything to train on");
    }
    let nothing = data.access_points.is_empty() && data.simulations.is_empty();
    if nothing && value.problems.count() == before {
        value.error("expected `access_points`, `simulations`, or both");
    }
    Some(data)
}

/// `from`, `until` and `last`.
fn times(section: &mut Section<'_>, data: &mut Data, now: i64) {
    data.from = section.take("from").as_ref().and_then(Value::instant);
    data.until = section.take("until").as_ref().and_then(Value::instant);
    let Some(value) = section.take("last") else {
        if let (Some(from), Some(until)) = (data.from, data.until)
            && from >= until
        {
            section.value.error("`until` is not after `from`: no hold lies between");
        }
        return;
    };
    if data.from.is_some() {
        value.error("`from` says already where the holds begin");
    } else if let Some(seconds) = value.seconds(HOUR as u64) {
        // Shards of one plan that are written at different times see the same holds.
        let until = data.until.unwrap_or(now);
        data.until = Some(until);
        data.from = Some(until.saturating_sub(seconds));
    }
}

fn access_point(value: Value<'_>, others: &[AccessPoint], folder: &Path) -> Option<AccessPoint> {
    let mut section = value.section()?;
    let mut found = AccessPoint::default();
    match section.take("name") {
        None => section.value.error("expected a `name`"),
        Some(value) => {
            found.name = value.text()?;
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            let name = &found.name;
            if !name.chars().all(plain) || name.starts_with('-') || name.len() > 100 {
                value.error("expected a host name or the like, of letters, digits and `._-`");
            } else if others.iter().any(|other| other.name == *name) {
                value.error(format_args!("a second `{name}`"));
            }
        }
    }
    let mut beside = Vec::new();
    match section.take("logs") {
        None => section.value.error("expected `logs`: job event logs, or patterns of them"),
        Some(value) => {
            found.logs = paths::many(&value, Wanted::Logs, folder);
            beside = open_folders(&value, &mut found.logs);
        }
    }
    for (key, files) in [("epochs", &mut found.epochs), ("journal", &mut found.journal)] {
        if let Some(value) = section.take(key) {
            *files = paths::many(&value, Wanted::File, folder);
        }
    }
    beside.retain(|path| !found.epochs.contains(path));
    found.epochs.extend(beside);
    if let Some(value) = section.take("time_zone") {
        found.time_zone = value.text();
        if found.time_zone.as_ref().is_some_and(|zone| TimeZone::get(zone).is_err()) {
            value.error("expected the name of a time zone such as America/Chicago or UTC");
        }
    }
    if let Some(value) = section.take("userlogs") {
        found.userlogs = value.flag().unwrap_or_default();
    }
    section.finish();
    Some(found)
}

/// Puts the logs of folders that `condor_holdadvise_collect` keeps in the place of those. Their
/// epoch ads are returned.
fn open_folders(value: &Value<'_>, logs: &mut Vec<PathBuf>) -> Vec<PathBuf> {
    let mut epochs = Vec::new();
    for path in std::mem::take(logs) {
        if !path.is_dir() {
            logs.push(path);
            continue;
        }
        let said = |text: &str| format!("{}: {}: {text}", value.name, path.display());
        match Collected::of(&path) {
            Ok(collected) => {
                logs.extend(collected.logs);
                epochs.extend(collected.epochs);
                let gaps = collected.gaps.iter().map(|gap| gap.sentence());
                for note in gaps.chain(collected.problems) {
                    value.problems.note(value.node.at, said(&note));
                }
            }
            Err(error) => value.error(format_args!("{}: {error}", path.display())),
        }
    }
    epochs
}
