//! One pass: both series are kept, and what is too old or too much is deleted.

use std::io;
use std::path::PathBuf;

use super::folder::{Folder, FolderError};
use super::gap::{self, Gap};
use super::keep::keep;
use super::kept::Kept;
use super::series::Series;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// What is kept, where and for how long.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The folder.
    pub folder: PathBuf,
    /// The event log (`EVENT_LOG`).
    pub event_log: Option<PathBuf>,
    /// The epoch ads (`JOB_EPOCH_HISTORY`).
    pub epochs: Option<PathBuf>,
    /// Days after its last event that a file is kept.
    pub keep_days: u32,
    /// Bytes of all files, as they are on the disk, above which the oldest go.
    pub keep_bytes: u64,
    /// A rotated file is compressed once it was not written for so many seconds.
    pub(super) settle: i64,
    /// Files are linked where that is possible.
    pub(super) links: bool,
}

impl Settings {
    /// Assumed: half a year of holds is what a model is trained on again.
    pub const KEEP_DAYS: u32 = 180;

    /// Assumed: 10 GiB, about 100 GB of log before compression.
    pub const KEEP_BYTES: u64 = 10 << 30;

    /// Assumed. Shadows of HTCondor 23.9 have been seen to write to a file a quarter of a second
    /// after it was rotated.
    const SETTLE: i64 = 60;

    /// With the usual bounds, and neither log.
    pub fn of(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            event_log: None,
            epochs: None,
            keep_days: Self::KEEP_DAYS,
            keep_bytes: Self::KEEP_BYTES,
            settle: Self::SETTLE,
            links: true,
        }
    }

    /// The instant before which nothing is kept, Unix seconds.
    pub(super) fn oldest(&self, now: i64) -> i64 {
        now.saturating_sub(i64::from(self.keep_days) * DAY)
    }
}

/// A file that was deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// Its name.
    pub name: String,
    /// Its bytes on the disk.
    pub bytes: u64,
    /// When HTCondor wrote to it last, Unix seconds.
    pub written: i64,
    /// It was older than is kept; else all files were larger than is kept.
    pub for_age: bool,
}

impl Deleted {
    /// For people.
    pub fn sentence(&self) -> String {
        let why = if self.for_age { "it is older" } else { "all files together are larger" };
        let (name, bytes, written) = (&self.name, self.bytes, gap::instant(self.written));
        format!("deleted {name} ({bytes} bytes, last written {written}): {why} than is kept")
    }
}

/// What a pass has done, and what the folder has now.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Files that were new.
    pub taken: u64,
    /// Files that were compressed.
    pub packed: u64,
    /// Gaps that were not known before.
    pub new_gaps: Vec<Gap>,
    /// Files that were deleted.
    pub deleted: Vec<Deleted>,
    /// What went wrong, a line each.
    pub problems: Vec<String>,
    /// Files of the folder.
    pub files: u64,
    /// Their bytes on the disk.
    pub bytes: u64,
    /// All gaps that are listed.
    pub gaps: Vec<Gap>,
}

/// Makes a pass; `now` is Unix seconds. `None`: another process is at it.
///
/// # Errors
/// The folder cannot be used. What else goes wrong is in the report, and is tried again by the next
/// pass.
pub fn collect(settings: &Settings, now: i64) -> Result<Option<Report>, FolderError> {
    let Some(folder) = Folder::open(&settings.folder)? else { return Ok(None) };
    let mut report = Report::default();
    let logs = [(Series::EventLog, &settings.event_log), (Series::Epochs, &settings.epochs)];
    for (series, path) in logs {
        if let Some(path) = path {
            keep(&folder, series, path, settings, now, &mut report);
        }
    }
    if let Err(error) = trim(&folder, settings, now, &mut report) {
        report.problems.push(format!("{}: {error}", settings.folder.display()));
    }
    if let Err(error) = folder.remove_new() {
        report.problems.push(format!("{}: {error}", settings.folder.display()));
    }
    Ok(Some(report))
}

/// Deletes what is too old or too much, oldest first, and counts what stays. The newest file of a
/// series stays: it grows, and tells which file follows.
fn trim(folder: &Folder, settings: &Settings, now: i64, report: &mut Report) -> io::Result<()> {
    let (mut files, mut newest) = (Vec::new(), Vec::new());
    for series in Series::ALL {
        let (mut kept, _) = Kept::list(folder.path(), series)?;
        newest.extend(kept.pop());
        // By number even where a clock was set: a number that is missing means a gap.
        let mut latest = i64::MIN;
        files.extend(kept.into_iter().map(|kept| {
            latest = latest.max(kept.modified);
            (latest, kept)
        }));
    }
    files.sort_by_key(|(latest, kept)| (*latest, kept.number));
    let all = || files.iter().map(|(_, kept)| kept).chain(&newest);
    (report.files, report.bytes) = (all().count() as u64, all().map(|kept| kept.size).sum());
    for (latest, kept) in files {
        let for_age = latest < settings.oldest(now);
        if !for_age && report.bytes <= settings.keep_bytes {
            break;
        }
        folder.remove(&kept.name())?;
        report.bytes -= kept.size;
        report.files -= 1;
        let (name, bytes, written) = (kept.name(), kept.size, kept.modified);
        report.deleted.push(Deleted { name, bytes, written, for_age });
    }
    report.gaps = gap::list(folder.path())?;
    Ok(())
}
