//! `data`: where holds come from.

use std::path::Path;

use jiff::tz::TimeZone;

use super::node::Node;
use super::paths::{self, Wanted};
use super::problems::Problems;
use super::section::Section;
use crate::split::SplitOptions;
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

/// Longest H, hours: that of `i32` seconds is far off.
const MOST_HOURS: i64 = 10_000;

/// Reads `data`; paths are relative to `folder`, and `now` is the end of `last`, Unix seconds.
pub(super) fn data(
    root: &mut Section<'_>,
    folder: &Path,
    now: i64,
    problems: &mut Problems,
) -> Option<Data> {
    let Some(node) = root.take("data") else {
        problems.missing(MISSING);
        return None;
    };
    let mut section = Section::of("data", node, problems)?;
    let usual = SplitOptions::default();
    let mut data = Data {
        lookback: 30 * DAY,
        horizon: 48,
        validation_fraction: usual.validation_fraction,
        test_fraction: usual.test_fraction,
        ..Data::default()
    };
    let before = problems.errors.len();
    if let Some(list) = section.take("access_points") {
        for node in problems.list(list, "data.access_points") {
            let read = access_point(node, &data.access_points, folder, problems);
            data.access_points.extend(read);
        }
    }
    if let Some(node) = section.take("simulations") {
        data.simulations = paths::many(node, "data.simulations", Wanted::Folder, folder, problems);
    }
    times(&mut section, &mut data, now, problems);
    if let Some(node) = section.take("lookback") {
        data.lookback = problems.seconds(node, "data.lookback", 0).unwrap_or_default();
    }
    if let Some(node) = section.take("horizon")
        && let Some(seconds) = problems.seconds(node, "data.horizon", 1)
    {
        if seconds % HOUR == 0 && seconds / HOUR <= MOST_HOURS {
            data.horizon = (seconds / HOUR) as u32;
        } else {
            let text = format!("data.horizon: expected whole hours, {MOST_HOURS} at most");
            problems.error(node.at, text);
        }
    }
    for (key, fraction) in [
        ("validation_fraction", &mut data.validation_fraction),
        ("test_fraction", &mut data.test_fraction),
    ] {
        if let Some(node) = section.take(key) {
            let read = problems.real(node, &format!("data.{key}"), 0.01..=0.9);
            *fraction = read.unwrap_or(*fraction);
        }
    }
    let (at, kept) = (section.at, data.validation_fraction + data.test_fraction);
    section.finish(problems);
    if kept > 0.95 {
        let text =
            "data: `validation_fraction` and `test_fraction` leave hardly anything to train on";
        problems.error(at, text);
    }
    let nothing = data.access_points.is_empty() && data.simulations.is_empty();
    if nothing && problems.errors.len() == before {
        problems.error(at, "data: expected `access_points`, `simulations`, or both");
    }
    Some(data)
}

/// `from`, `until` and `last`.
fn times(section: &mut Section<'_>, data: &mut Data, now: i64, problems: &mut Problems) {
    let mut instant = |key| {
        let node = section.take(key)?;
        problems.instant(node, &format!("data.{key}"))
    };
    data.from = instant("from");
    data.until = instant("until");
    let Some(node) = section.take("last") else {
        if let (Some(from), Some(until)) = (data.from, data.until)
            && from >= until
        {
            problems.error(section.at, "data: `until` is not after `from`: no hold lies between");
        }
        return;
    };
    if data.from.is_some() {
        problems.error(node.at, "data.last: `from` says already where the holds begin");
    } else if let Some(seconds) = problems.seconds(node, "data.last", HOUR as u64) {
        // Shards of one plan that are written at different times see the same holds.
        let until = data.until.unwrap_or(now);
        data.until = Some(until);
        data.from = Some(until.saturating_sub(seconds));
    }
}

fn access_point(
    node: &Node,
    others: &[AccessPoint],
    folder: &Path,
    problems: &mut Problems,
) -> Option<AccessPoint> {
    let mut section = Section::of("data.access_points", node, problems)?;
    let mut found = AccessPoint::default();
    match section.take("name") {
        None => problems.error(node.at, "data.access_points: expected a `name`"),
        Some(node) => {
            found.name = problems.text(node, "data.access_points.name")?;
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            let name = &found.name;
            if !name.chars().all(plain) || name.starts_with('-') || name.len() > 100 {
                let text = "expected a host name or the like, of letters, digits and `._-`";
                problems.error(node.at, format!("data.access_points.name: {text}"));
            } else if others.iter().any(|other| other.name == *name) {
                problems.error(node.at, format!("data.access_points.name: a second `{name}`"));
            }
        }
    }
    for (key, files) in
        [("logs", &mut found.logs), ("epochs", &mut found.epochs), ("journal", &mut found.journal)]
    {
        if let Some(node) = section.take(key) {
            let name = format!("data.access_points.{key}");
            *files = paths::many(node, &name, Wanted::File, folder, problems);
        } else if key == "logs" {
            let text = "data.access_points: expected `logs`: job event logs, or patterns of them";
            problems.error(node.at, text);
        }
    }
    if let Some(node) = section.take("time_zone") {
        found.time_zone = problems.text(node, "data.access_points.time_zone");
        if found.time_zone.as_ref().is_some_and(|zone| TimeZone::get(zone).is_err()) {
            let text = "expected the name of a time zone such as America/Chicago or UTC";
            problems.error(node.at, format!("data.access_points.time_zone: {text}"));
        }
    }
    if let Some(node) = section.take("userlogs") {
        found.userlogs = problems.flag(node, "data.access_points.userlogs").unwrap_or_default();
    }
    section.finish(problems);
    Some(found)
}
