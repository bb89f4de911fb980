//! `data`: where holds come from.

use std::path::{Path, PathBuf};

use holdadvise::collect::Collected;
use jiff::tz::TimeZone;

use super::paths::{self, Wanted};
use super::section::{Section, Value};
use crate::data::companions::MOST_OF_SWEEP;
use crate::sweep::plan::{AccessPoint, Data};

/// What is said where a file has no `data`, with lines to add.
const MISSING: &str = "`data` is missing: where the holds to learn from are. Add, for example,

data:
  access_points:
    - name: ap.example.org
      logs: [/var/log/condor/EventLog*]
      epochs: [/var/lib/condor/spool/epoch_history*]";

/// Seconds of an hour.
const HOUR: i64 = 3_600;

/// Companions that train beside the logs of access points. Assumed.
const COMPANIONS: usize = 12;

/// Longest H, hours: that of `i32` seconds is far off.
const MOST_HOURS: i64 = 10_000;

/// Reads `data`; paths are relative to `folder`, and `now` is the end of `last`, Unix seconds.
pub(super) fn data(root: &mut Section<'_>, data: &mut Data, folder: &Path, now: i64) {
    let Some(value) = root.take("data") else {
        return root.value.problems.missing(MISSING);
    };
    let Some(mut section) = value.section() else { return };
    let before = section.value.problems.count();
    for value in section.take("access_points").map(|value| value.list()).unwrap_or_default() {
        let read = access_point(value, &data.access_points, folder);
        data.access_points.extend(read);
    }
    let folders = |value: &Value<'_>| Some(paths::many(value, Wanted::Folder, folder));
    section.set("simulations", &mut data.simulations, folders);
    // Rows of simulations need no more of them.
    data.simulate = if data.simulations.is_empty() { COMPANIONS } else { 0 };
    section.set("simulate", &mut data.simulate, |value| value.whole(0..=MOST_OF_SWEEP as i64));
    times(&mut section, data, now);
    section.set("lookback", &mut data.lookback, |value| value.seconds(0));
    section.set("horizon", &mut data.horizon, |value| {
        let seconds: i64 = value.seconds(1)?;
        if seconds % HOUR != 0 || seconds / HOUR > MOST_HOURS {
            value.error(format_args!("expected whole hours, {MOST_HOURS} at most"));
        }
        u32::try_from(seconds / HOUR).ok()
    });
    let fraction = |value: &Value<'_>| value.real(0.01..=0.9);
    section.set("validation_fraction", &mut data.validation_fraction, fraction);
    section.set("test_fraction", &mut data.test_fraction, fraction);
    let rows = |value: &Value<'_>| value.whole(1..=1_000_000);
    section.set("least_validation_rows", &mut data.least_validation_rows, rows);
    let value = section.value.clone();
    drop(section);
    if data.validation_fraction + data.test_fraction > 0.95 {
        value.error("`validation_fraction` and `test_fraction` leave hardly anything to train on");
    }
    let nothing = data.access_points.is_empty() && data.simulations.is_empty();
    if nothing && value.problems.count() == before {
        value.error("expected `access_points`, `simulations`, or both");
    }
}

/// `from`, `until` and `last`.
fn times(section: &mut Section<'_>, data: &mut Data, now: i64) {
    section.set("from", &mut data.from, |value| Some(value.instant()));
    section.set("until", &mut data.until, |value| Some(value.instant()));
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
    let named = section.take("name");
    if named.is_none() {
        section.value.error("expected a `name`");
    }
    if let Some((value, name)) = named.and_then(|value| Some((value.clone(), value.text()?))) {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if !name.chars().all(plain) || name.starts_with('-') || name.len() > 100 {
            value.error("expected a host name or the like, of letters, digits and `._-`");
        } else if others.iter().any(|other| other.name == name) {
            value.error(format_args!("a second `{name}`"));
        }
        found.name = name;
    }
    let mut beside = Vec::new();
    match section.take("logs") {
        None => section.value.error("expected `logs`: job event logs, or patterns of them"),
        Some(value) => {
            found.logs = paths::many(&value, Wanted::Logs, folder);
            beside = open_folders(&value, &mut found.logs);
        }
    }
    let files = |value: &Value<'_>| Some(paths::many(value, Wanted::File, folder));
    section.set("epochs", &mut found.epochs, files);
    section.set("journal", &mut found.journal, files);
    beside.retain(|path| !found.epochs.contains(path));
    found.epochs.extend(beside);
    section.set("time_zone", &mut found.time_zone, |value| {
        let zone = value.text()?;
        if TimeZone::get(&zone).is_err() {
            value.error("expected the name of a time zone such as America/Chicago or UTC");
        }
        Some(Some(zone))
    });
    section.set("userlogs", &mut found.userlogs, Value::flag);
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
