//! A log that HTCondor rotates: `EventLog`, `EventLog.old`, `EventLog.1`...

use std::collections::VecDeque;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::reader::open_file;
use super::{DamagedEvent, Event, LogReader, ReadOptions, UserlogError};

/// Rotated files that are looked for; `EVENT_LOG_MAX_ROTATIONS` is 1 by default.
const MOST_ROTATIONS: u32 = 999;

/// Reads the files of a rotated log one after the other, oldest first.
#[derive(Debug)]
pub struct LogSet {
    options: ReadOptions,
    /// The file being read.
    current: Option<(PathBuf, LogReader<File>)>,
    /// Files still to be read. They are open: a rotation does not move them away.
    later: VecDeque<(PathBuf, File)>,
    unread: Vec<UserlogError>,
}

/// Opens a log and its rotated siblings: with one rotation `.old`, with several `.1` (the latest) to `.N`.
///
/// # Errors
/// `path` itself cannot be opened. Siblings that cannot be read are in [`LogSet::unread`].
pub fn open_series(path: impl AsRef<Path>, options: &ReadOptions) -> Result<LogSet, UserlogError> {
    let path = path.as_ref();
    let mut unread = Vec::new();
    // From new to old: a file that is rotated meanwhile is met again under its new name, and none is missed.
    let newest =
        File::open(path).map_err(|source| UserlogError::Io { path: path.to_owned(), source })?;
    let mut files = vec![(path.to_owned(), newest)];
    let mut open = |suffix: &str| {
        let path = sibling(path, suffix);
        match File::open(&path) {
            Ok(file) => Some((path, file)),
            Err(source) => {
                let error = UserlogError::Io { path, source };
                if !error.is_not_found() {
                    unread.push(error);
                }
                None
            }
        }
    };
    let numbered: Vec<_> = (1..=MOST_ROTATIONS).map_while(|n| open(&format!(".{n}"))).collect();
    let old = open(".old");
    // Both are there after the number of rotations was changed.
    let old_is_newer = match (&old, numbered.first()) {
        (Some((_, old)), Some((_, first))) => modified(old) > modified(first),
        _ => true,
    };
    if old_is_newer {
        files.extend(old);
        files.extend(numbered);
    } else {
        files.extend(numbered);
        files.extend(old);
    }
    let mut seen = Vec::new();
    files.retain(|(_, file)| {
        let identity = identity(file);
        let is_new = identity.is_none() || !seen.contains(&identity);
        seen.push(identity);
        is_new
    });
    files.reverse();
    Ok(LogSet { options: options.clone(), current: None, later: files.into(), unread })
}

fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn modified(file: &File) -> Option<SystemTime> {
    file.metadata().ok()?.modified().ok()
}

/// Device and inode.
#[cfg(unix)]
fn identity(file: &File) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    file.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &File) -> Option<(u64, u64)> {
    None
}

impl LogSet {
    /// The next event and the file it is from. `None` when all files are read.
    pub fn next_event(&mut self) -> Option<(&Path, Result<Event<'_>, DamagedEvent>)> {
        let found = loop {
            match &mut self.current {
                Some((_, reader)) => match reader.find_next() {
                    Some(found) => break found,
                    None => self.current = None,
                },
                None => {
                    let (path, file) = self.later.pop_front()?;
                    match open_file(&path, file, &self.options) {
                        Ok(reader) => self.current = Some((path, reader)),
                        Err(error) => self.unread.push(error),
                    }
                }
            }
        };
        let (path, reader) = self.current.as_mut()?;
        Some((path, found.and_then(|found| reader.event(found))))
    }

    /// The siblings that could not be read.
    pub fn unread(&self) -> &[UserlogError] {
        &self.unread
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
        std::fs::remove_file(folder.path().join("EventLog.1")).unwrap();
        write(&folder.path().join("EventLog.old"), &[3]);
        assert_eq!(clusters(&log), [3, 4, 5]);
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
        assert!(set.unread()[0].is_not_a_log());
        let missing = open_series(folder.path().join("none"), &ReadOptions::default());
        assert!(missing.unwrap_err().is_not_found());
    }
}
