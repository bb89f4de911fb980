//! Where following a log has come to.

use std::fs::File;
use std::path::PathBuf;

use super::identity::{FileId, Same};
use super::reader::Place;

/// How far a log was followed, to be kept where the next process finds it.
///
/// It knows its file by device and inode and by what the file begins with, as an inode is used
/// again once its file is removed. The header of a global event log
/// (`Global JobLog: ctime=... id=... sequence=...`) names each file for good; of other files the
/// first 2,048 bytes are compared. Hence the file is found under any of its rotated names, and a
/// copy of it serves as well.
///
/// ```
/// use eventlog::{Position, ReadOptions};
///
/// # let folder = tempfile::tempdir()?;
/// # let log = folder.path().join("job.log");
/// # std::fs::write(&log, "013 (1.0.0) 2024-01-31 23:59:59 Job was released.\n...\n")?;
/// let options = ReadOptions::default();
/// let mut follower = eventlog::follow(&log, &options, None)?;
/// assert!(follower.next_event().is_some());
/// let kept = serde_json::to_string(&follower.position())?;
/// // In another process:
/// let position: Option<Position> = serde_json::from_str(&kept)?;
/// let mut follower = eventlog::follow(&log, &options, position)?;
/// assert!(follower.next_event().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Position {
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub(super) spot: Spot,
    /// The files that were rotated last before this one, oldest first: what is older was read, or
    /// was not there.
    pub(super) left: Vec<Spot>,
}

/// A file, and how far it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Spot {
    pub(super) file: FileId,
    pub(super) place: Place,
}

impl Spot {
    /// The file of this spot, which must still hold what was read of it.
    pub(super) fn find(&self, files: &[(PathBuf, File)]) -> Option<usize> {
        let same = |file: &File| {
            let is_long = file.metadata().is_ok_and(|metadata| metadata.len() >= self.place.offset);
            if is_long { self.file.compare(file).unwrap_or(Same::No) } else { Same::No }
        };
        let found = files.iter().enumerate().map(|(index, (_, file))| (same(file), index)).max();
        found.filter(|(same, _)| *same != Same::No).map(|(_, index)| index)
    }
}

impl Position {
    /// Byte offset in its file behind the last event or damage that was returned.
    pub fn offset(&self) -> u64 {
        self.spot.place.offset
    }

    /// The first file that was begun after the one of this position, which is not among them.
    ///
    /// Rotation removes the oldest: where the ones before are gone too, all that are there are
    /// newer.
    pub(super) fn first_after(&self, files: &[(PathBuf, File)]) -> Option<usize> {
        let found = self.left.iter().filter_map(|spot| spot.find(files));
        found.max().map(|index| index + 1)
    }
}
