//! The files of a series as HTCondor has them at this moment.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::series::Series;
use eventlog::input::{is_packed, open_regular};
use eventlog::rotation::{Node, open_siblings};

/// Looks until two in a row agree. Assumed: a look takes a millisecond, and between rotations are
/// some.
const MOST_LOOKS: usize = 100;

/// A file that HTCondor writes, or has rotated.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) file: File,
    pub(super) node: Option<Node>,
    /// Bytes when it was looked at.
    pub(super) length: u64,
    /// Last written, Unix seconds.
    pub(super) modified: i64,
    /// It has the name that HTCondor writes to.
    pub(super) is_live: bool,
}

/// All files of a series, and what was not usable.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// Oldest first.
    pub(super) files: Vec<Source>,
    pub(super) problems: Vec<String>,
}

impl Look {
    /// Looks at the files of a series, whose live file is at `path`.
    ///
    /// A rotation while the names are gone through would mix the order up, so it is looked until
    /// nothing has changed.
    ///
    /// # Errors
    /// The live file cannot be opened, or was rotated at each look.
    pub(super) fn at(series: Series, path: &Path) -> io::Result<Self> {
        let mut before: Option<Self> = None;
        for _ in 0..MOST_LOOKS {
            let look = Self::once(series, path)?;
            if before.is_some_and(|before| before.names().eq(look.names())) {
                return look.measured();
            }
            before = Some(look);
        }
        Err(io::Error::other(format!("it was rotated at each of {MOST_LOOKS} looks")))
    }

    fn names(&self) -> impl Iterator<Item = (&Path, Option<Node>)> {
        self.files.iter().map(|source| (source.path.as_path(), source.node))
    }

    fn once(series: Series, path: &Path) -> io::Result<Self> {
        let newest = match open_regular(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            newest => Some(newest?),
        };
        let mut look = Self::default();
        let files = match series {
            Series::EventLog => {
                let siblings = open_siblings(path, newest);
                look.problems.extend(siblings.unread.iter().map(ToString::to_string));
                siblings.files
            }
            Series::Epochs => look.open_backups(path, newest)?,
        };
        for (name, file) in files {
            if is_packed(&file)? {
                look.problems.push(format!(
                    "{}: it is compressed, expected a file as HTCondor writes it; left out",
                    name.display()
                ));
                continue;
            }
            let (node, is_live) = (Node::of(&file), name == path);
            look.files.push(Source { path: name, file, node, length: 0, modified: 0, is_live });
        }
        Ok(look)
    }

    /// The files of epoch ads: `NAME.20261121T163206` (`RotateHistory` in HTCondor) or `NAME.old`,
    /// and `NAME` last. The dates are local, so that their order is not always that of time.
    fn open_backups(
        &mut self,
        path: &Path,
        newest: Option<File>,
    ) -> io::Result<Vec<(PathBuf, File)>> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let base = path.file_name().unwrap_or_default().to_string_lossy();
        let mut backups = Vec::new();
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        for entry in entries {
            let name = entry?.file_name();
            let name = name.to_string_lossy();
            let suffix = name.strip_prefix(&*base).and_then(|rest| rest.strip_prefix('.'));
            if !suffix.is_some_and(is_backup) {
                continue;
            }
            let name = folder.join(&*name);
            match open_regular(&name) {
                Ok(file) => {
                    let modified = file.metadata().and_then(|metadata| metadata.modified()).ok();
                    backups.push((modified, name, file));
                }
                // It was deleted or renamed since.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => self.problems.push(format!("{}: {error}", name.display())),
            }
        }
        backups.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
        let node = newest.as_ref().and_then(Node::of);
        let mut files: Vec<_> = backups.into_iter().map(|(_, name, file)| (name, file)).collect();
        files.retain(|(_, file)| node.is_none() || Node::of(file) != node);
        files.extend(newest.map(|file| (path.to_owned(), file)));
        Ok(files)
    }

    fn measured(mut self) -> io::Result<Self> {
        for source in &mut self.files {
            let metadata = source.file.metadata()?;
            source.length = metadata.len();
            source.modified = unix(metadata.modified()?);
        }
        Ok(self)
    }
}

/// The suffix of a rotated file of ads.
fn is_backup(suffix: &str) -> bool {
    let is_date = suffix.len() == "20261121T163206".len()
        && suffix.bytes().enumerate().all(|(at, byte)| match at {
            8 => byte == b'T',
            _ => byte.is_ascii_digit(),
        });
    is_date || suffix == "old"
}

/// Unix seconds.
pub(super) fn unix(time: SystemTime) -> i64 {
    jiff::Timestamp::try_from(time).map_or(0, jiff::Timestamp::as_second)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn names(series: Series, path: &Path) -> Vec<String> {
        let look = Look::at(series, path).unwrap();
        let name = |source: &Source| source.path.file_name().unwrap().to_string_lossy().into();
        look.files.iter().map(name).collect()
    }

    #[test]
    fn epoch_files_come_as_they_were_written_last() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("epoch_history");
        // An hour is there twice when daylight saving ends.
        let order = [
            "epoch_history.old",
            "epoch_history.20261101T015959",
            "epoch_history.20261101T010203",
            "epoch_history",
        ];
        let others = ["epoch_history.2026", "epoch_history.20261101T0102033", "epoch_history2.old"];
        for (at, name) in others.iter().chain(&order).enumerate() {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(at as u64)).unwrap();
        }
        assert_eq!(names(Series::Epochs, &path), order);
        assert!(names(Series::Epochs, Path::new("/nowhere/epoch_history")).is_empty());
    }

    #[test]
    fn a_file_that_somebody_compressed_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("EventLog");
        fs::write(&path, "x").unwrap();
        fs::write(folder.path().join("EventLog.1.gz"), [0x1f, 0x8b, 8, 0]).unwrap();
        let look = Look::at(Series::EventLog, &path).unwrap();
        assert_eq!((look.files.len(), look.files[0].is_live), (1, true));
        assert!(look.problems[0].contains("EventLog.1.gz: it is compressed"), "{look:?}");
    }
}
