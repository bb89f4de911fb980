//! A log that HTCondor rotates: `EventLog`, `EventLog.old`, `EventLog.1`...

use std::collections::VecDeque;
use std::fs::File;
use std::path::{Path, PathBuf};

use super::reader::{Place, open_file, open_named};
use super::rotation::open_siblings;
use super::window::LogFiles;
use super::{
    ChunkedLog, DamagedEvent, Event, EventLogError, LogReader, ReadOptions, YearHint, years,
};

/// Reads the files of a rotated log one after the other, oldest first.
#[derive(Debug)]
pub struct LogSet {
    options: ReadOptions,
    /// The file being read.
    current: Option<(PathBuf, LogReader<File>)>,
    /// Where the file before was left.
    before: Option<Place>,
    /// Files still to be read, and where their years come from. They are open: a rotation does not
    /// move them away.
    later: VecDeque<(PathBuf, File, YearHint)>,
    /// The siblings that could not be read.
    pub unread: Vec<EventLogError>,
}

/// Opens a log and its rotated siblings: with one rotation `.old`, with several `.1` (the latest)
/// to `.N`; each may be compressed with gzip, and have `.gz` behind its name.
///
/// The years of dates without one come from the `Global JobLog` header of each file; a file that
/// has none is not later than the beginnings and modification times of those that follow it. With
/// [`YearHint::First`] they go on from file to file.
///
/// # Errors
/// `path` itself cannot be opened. Siblings that cannot be read are in [`LogSet::unread`].
pub fn open_series(path: impl AsRef<Path>, options: &ReadOptions) -> Result<LogSet, EventLogError> {
    let path = path.as_ref();
    let siblings = open_siblings(path, Some(open_named(path)?));
    let hints = years::hints(&siblings.files, options);
    let files = siblings.files.into_iter().zip(hints);
    Ok(LogSet {
        options: options.clone(),
        current: None,
        before: None,
        later: files.map(|((path, file), hint)| (path, file, hint)).collect(),
        unread: siblings.unread,
    })
}

/// The files of a rotated log, each to be read on several cores. Each is opened, and unpacked where
/// it is compressed, when it is asked for; with their paths, oldest first.
#[derive(Debug)]
pub struct ChunkedSeries {
    pub(super) options: ReadOptions,
    pub(super) later: VecDeque<(PathBuf, File, YearHint)>,
    /// Where in the first of them reading begins.
    pub(super) offset: u64,
    /// Events that were wanted are left out, for the bound on bytes.
    pub cut: bool,
    /// The siblings that could not be read, when all were asked for.
    pub unread: Vec<EventLogError>,
}

/// As [`open_series`], for [`ChunkedLog::read`]. The years of a file's dates, and which of two
/// equal hours it begins in, do not depend on what was read of the file before.
///
/// # Errors
/// `path` itself cannot be opened.
pub fn open_chunked_series(
    path: impl AsRef<Path>,
    options: &ReadOptions,
) -> Result<ChunkedSeries, EventLogError> {
    Ok(LogFiles::open(path)?.whole(options))
}

impl Iterator for ChunkedSeries {
    type Item = (PathBuf, ChunkedLog);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (path, file, year) = self.later.pop_front()?;
            let offset = std::mem::take(&mut self.offset);
            let options = ReadOptions { year, offset, ..self.options.clone() };
            match ChunkedLog::of_file(&path, file, &options) {
                Ok(log) => return Some((path, log)),
                Err(error) => self.unread.push(error),
            }
        }
    }
}

impl LogSet {
    /// The next event and the file it is from. `None` when all files are read.
    pub fn next_event(&mut self) -> Option<(&Path, Result<Event<'_>, DamagedEvent>)> {
        let found = loop {
            match &mut self.current {
                Some((_, reader)) => match reader.find_next() {
                    Some(found) => break found,
                    None => {
                        self.before = Some(reader.place());
                        self.current = None;
                    }
                },
                None => {
                    let (path, file, year) = self.later.pop_front()?;
                    match open_file(&path, file, &ReadOptions { year, ..self.options.clone() }) {
                        Ok(mut reader) => {
                            if let Some(before) = &self.before {
                                let years = matches!(year, YearHint::First(_));
                                reader.go_on_from(before, years);
                            }
                            self.current = Some((path, reader));
                        }
                        Err(error) => self.unread.push(error),
                    }
                }
            }
        };
        let (path, reader) = self.current.as_mut()?;
        Some((path, found.and_then(|found| reader.event(found))))
    }
}

#[cfg(test)]
mod tests {
    use super::super::YearHint;
    use super::*;

    fn write(path: &Path, clusters: &[i32]) {
        let events: String = clusters
            .iter()
            .map(|cluster| {
                format!("013 ({cluster}.0.0) 2024-01-02 03:04:05 Job was released.\n...\n")
            })
            .collect();
        std::fs::write(path, events).unwrap();
    }

    fn clusters(path: &Path) -> Vec<i32> {
        let options = ReadOptions {
            year: YearHint::First(2024),
            ..ReadOptions::in_zone(jiff::tz::TimeZone::UTC)
        };
        let mut set = open_series(path, &options).unwrap();
        let mut clusters = Vec::new();
        while let Some((_, event)) = set.next_event() {
            clusters.push(event.unwrap().job.cluster);
        }
        clusters
    }

    #[test]
    fn rotated_files_come_oldest_first() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("EventLog");
        write(&folder.path().join("EventLog.2"), &[1, 2]);
        write(&folder.path().join("EventLog.1"), &[3]);
        write(&log, &[4, 5]);
        assert_eq!(clusters(&log), [1, 2, 3, 4, 5]);
        // The number of rotations was changed, and a file removed.
        std::fs::remove_file(folder.path().join("EventLog.1")).unwrap();
        let hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
        let second = File::options().write(true).open(folder.path().join("EventLog.2")).unwrap();
        second.set_modified(hour_ago).unwrap();
        write(&folder.path().join("EventLog.old"), &[3]);
        assert_eq!(clusters(&log), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn one_file_under_two_names_is_read_once() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("EventLog");
        write(&log, &[1]);
        std::fs::hard_link(&log, folder.path().join("EventLog.old")).unwrap();
        assert_eq!(clusters(&log), [1]);
    }

    #[test]
    fn what_is_no_log_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("EventLog");
        write(&log, &[1]);
        std::fs::write(folder.path().join("EventLog.old"), [0xff; 1000]).unwrap();
        let mut set = open_series(&log, &ReadOptions::default()).unwrap();
        assert!(set.next_event().is_some_and(|(path, event)| path == log && event.is_ok()));
        assert!(set.next_event().is_none());
        assert!(matches!(set.unread[0], EventLogError::NotALog { .. }));
        let missing = open_series(folder.path().join("none"), &ReadOptions::default());
        assert!(missing.unwrap_err().is_not_found());
    }
}
