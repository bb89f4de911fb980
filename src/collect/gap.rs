//! What was rotated away before it was seen.

use std::fs;
use std::io;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::facts::Facts;
use super::folder::Folder;
use super::series::Series;

/// The file of the folder that lists them, a JSON object a line.
pub(super) const FILE: &str = "gaps.jsonl";

/// Version of the lines.
const VERSION: u32 = 1;

/// Bytes of the list that are read. Assumed: a gap is about 200 bytes, and more than 100,000 tell
/// nothing new.
const MOST_READ: u64 = 32 << 20;

/// Something is missing between two files of a series, or may be. Between their numbers is one
/// that no file has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// Version of this line.
    pub version: u32,
    /// The series.
    pub log: Series,
    /// Number of the file before.
    pub after: u64,
    /// Number of the file behind.
    pub before: u64,
    /// When the file before was written last, Unix seconds.
    pub from: i64,
    /// When the file behind was begun, Unix seconds; where that is not known when it was written
    /// last.
    pub until: i64,
    /// The headers prove it. Else nothing tells: no file was there that had been seen before.
    pub certain: bool,
    /// Whole files that are missing, as the headers count them.
    pub files: Option<u64>,
    /// Bytes that are missing, as the headers count them.
    pub bytes: Option<u64>,
    /// Events that are missing, where `EVENT_LOG_COUNT_EVENTS` counts them.
    pub events: Option<u64>,
}

impl Gap {
    /// Between two files, each with its number and when it was written last.
    pub(super) fn between(
        log: Series,
        (after, from, facts): (u64, i64, &Facts),
        (before, written, later): (u64, i64, &Facts),
    ) -> Self {
        let bytes = facts.bytes_until(later);
        let files = facts.files_until(later);
        Self {
            version: VERSION,
            log,
            after,
            before,
            from,
            until: later.header.as_ref().map_or(written, |header| header.ctime),
            certain: facts.is_missing_until(later),
            files,
            bytes,
            events: facts.events_until(later),
        }
    }

    fn is_at(&self, other: &Self) -> bool {
        (self.log, self.after, self.before) == (other.log, other.after, other.before)
    }

    /// What is missing, for people.
    pub fn sentence(&self) -> String {
        let log = match self.log {
            Series::EventLog => "the event log",
            Series::Epochs => "epoch ads",
        };
        let (from, until) = (instant(self.from), instant(self.until));
        if !self.certain {
            return format!(
                "{log} may have a gap between {from} and {until}: all files were rotated away between two looks"
            );
        }
        let counted = [
            self.events.map(|events| format!("{events} events")),
            self.files.map(|files| format!("{files} files")),
            self.bytes.map(|bytes| format!("{bytes} bytes")),
        ];
        let counted: Vec<_> = counted.into_iter().flatten().collect();
        let counted = match counted.is_empty() {
            true => "files that nothing counts".to_owned(),
            false => counted.join(", "),
        };
        format!("{log} has a gap between {from} and {until}: {counted} are missing")
    }
}

/// An instant in UTC, for people.
pub(super) fn instant(unix: i64) -> String {
    Timestamp::from_second(unix).map_or_else(|_| unix.to_string(), |time| time.to_string())
}

/// The list of a folder. A line that cannot be read is left out.
///
/// # Errors
/// The list is there and cannot be read.
pub(super) fn list(folder: &Path) -> io::Result<Vec<Gap>> {
    let path = folder.join(FILE);
    match fs::symlink_metadata(&path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(io::Error::other(format!("{FILE} is no regular file"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    }
    let bytes = eventlog::input::beginning(&eventlog::input::open_regular(&path)?, MOST_READ)?;
    let lines = bytes.split(|&byte| byte == b'\n');
    Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

/// Adds to the list what it has not, and leaves out what ended before `oldest`. What was added is
/// returned.
pub(super) fn note(folder: &Folder, found: Vec<Gap>, oldest: i64) -> io::Result<Vec<Gap>> {
    let mut gaps = list(folder.path())?;
    let new: Vec<Gap> =
        found.into_iter().filter(|gap| !gaps.iter().any(|noted| noted.is_at(gap))).collect();
    if new.is_empty() {
        return Ok(new);
    }
    gaps.retain(|gap| gap.until >= oldest);
    gaps.extend(new.iter().cloned());
    let mut text = Vec::new();
    for gap in &gaps {
        serde_json::to_writer(&mut text, gap)?;
        text.push(b'\n');
    }
    folder.write(&text, FILE)?;
    Ok(new)
}
