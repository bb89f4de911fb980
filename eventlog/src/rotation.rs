//! The files of a rotated log: `EventLog`, `EventLog.old`, `EventLog.1`...
//!
//! `WriteUserLog::doRotation` of HTCondor renames `.N-1` to `.N`, then `.N-2` to `.N-1`, at last
//! the log to `.1`; with one rotation the log to `.old`. While it is at it one of the names is
//! missing.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::EventLogError;
use crate::input::open_regular;

/// Rotated files that are looked for; `EVENT_LOG_MAX_ROTATIONS` is 1 by default.
const MOST_ROTATIONS: u32 = 999;

/// Missing numbers in a row that do not end the search: one while a rotation is under way, one that
/// was removed by hand.
const MOST_MISSING: u32 = 2;

/// The open files of a log.
#[derive(Debug, Default)]
pub struct Siblings {
    /// Oldest first, each once.
    pub files: Vec<(PathBuf, File)>,
    /// Those that are there and cannot be opened.
    pub unread: Vec<EventLogError>,
}

/// Opens the rotated siblings of `path`. `newest` is `path` itself, opened before. What cannot be
/// opened is among what is returned.
pub fn open_siblings(path: &Path, newest: Option<File>) -> Siblings {
    // From new to old: a file that is rotated meanwhile is met again under its new name, and none
    // is missed.
    let mut unread = Vec::new();
    let mut open = |suffix: &str| {
        ["", ".gz"].into_iter().find_map(|packed| {
            let path = sibling(path, &format!("{suffix}{packed}"));
            match open_regular(&path) {
                Ok(file) => Some((path, file)),
                Err(source) => {
                    let error = EventLogError::Io { path, source };
                    if !error.is_not_found() {
                        unread.push(error);
                    }
                    None
                }
            }
        })
    };
    let (mut numbered, mut missing) = (Vec::new(), 0);
    for number in 1..=MOST_ROTATIONS {
        match open(&format!(".{number}")) {
            Some(file) => {
                numbered.push(file);
                missing = 0;
            }
            None => missing += 1,
        }
        if missing > MOST_MISSING {
            break;
        }
    }
    let old = open(".old");
    // Both are there after the number of rotations was changed.
    let old_is_newer = match (&old, numbered.first()) {
        (Some((_, old)), Some((_, first))) => modified(old) > modified(first),
        _ => true,
    };
    let mut files: Vec<_> = newest.map(|file| (path.to_owned(), file)).into_iter().collect();
    if old_is_newer {
        files.extend(old);
        files.extend(numbered);
    } else {
        files.extend(numbered);
        files.extend(old);
    }
    let mut seen = Vec::new();
    files.retain(|(_, file)| {
        let node = Node::of(file);
        let is_new = node.is_none() || !seen.contains(&node);
        seen.push(node);
        is_new
    });
    files.reverse();
    Siblings { files, unread }
}

fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn modified(file: &File) -> Option<SystemTime> {
    file.metadata().ok()?.modified().ok()
}

/// Device and inode of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Node {
    device: u64,
    inode: u64,
}

impl Node {
    /// That of an open file; `None` where its metadata cannot be had, or the system has no inodes.
    pub fn of(file: &File) -> Option<Self> {
        file.metadata().ok().and_then(|metadata| Self::from_metadata(&metadata))
    }

    /// That of the file whose metadata these are; `None` where the system has no inodes.
    #[cfg(unix)]
    pub fn from_metadata(metadata: &std::fs::Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self { device: metadata.dev(), inode: metadata.ino() })
    }

    /// `None`: the system has no inodes.
    #[cfg(not(unix))]
    pub fn from_metadata(_: &std::fs::Metadata) -> Option<Self> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_under_way_hides_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("EventLog");
        // `.2` was moved to `.3`, and `.1` is next.
        let names = ["EventLog.4", "EventLog.3", "EventLog.1", "EventLog"];
        for name in names {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        let newest = File::open(&log).ok();
        let siblings = open_siblings(&log, newest);
        let found: Vec<_> = siblings.files.iter().map(|(path, _)| path.file_name()).collect();
        assert_eq!(found, names.map(|name| Some(name.as_ref())));
        assert!(siblings.unread.is_empty());
    }
}
