//! The files that the folder has.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::folder::Folder;
use super::gap::{self, Gap};
use super::series::Series;
use super::source::unix;
use eventlog::rotation::Node;

/// A file of the folder.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) series: Series,
    pub(super) number: u64,
    /// Bytes on the disk, compressed or not.
    pub(super) size: u64,
    /// When it was last written by HTCondor, Unix seconds.
    pub(super) modified: i64,
    pub(super) node: Option<Node>,
}

impl Kept {
    pub(super) fn name(&self) -> String {
        self.series.file(self.number)
    }

    /// The files of a series in a folder, in their order, and what has such a name and is no file.
    pub(super) fn list(folder: &Path, series: Series) -> io::Result<(Vec<Self>, Vec<String>)> {
        let (mut kept, mut problems) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let Some(number) = series.number(&name.to_string_lossy()) else { continue };
            let metadata = match fs::symlink_metadata(entry.path()) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                metadata => metadata?,
            };
            if !metadata.is_file() {
                let path = entry.path();
                problems.push(format!("{}: expected a regular file; left out", path.display()));
                continue;
            }
            let modified = unix(metadata.modified()?);
            let node = Node::from_metadata(&metadata);
            kept.push(Self { series, number, size: metadata.len(), modified, node });
        }
        kept.sort_by_key(|kept| kept.number);
        Ok((kept, problems))
    }

    /// Opens it.
    pub(super) fn open(&self, folder: &Folder) -> io::Result<fs::File> {
        folder.read(&self.name())
    }
}

/// What a folder of kept logs has to read.
///
/// ```
/// use holdadvise::collect::Collected;
///
/// # let folder = tempfile::tempdir()?;
/// # std::fs::write(folder.path().join("EventLog.000001"), "...\n")?;
/// let collected = Collected::of(folder.path())?;
/// for log in &collected.logs {
///     println!("{}", log.display());
/// }
/// for gap in &collected.gaps {
///     eprintln!("Warning: {}", gap.sentence());
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Files of the event log, oldest first; each may be compressed, and the last may grow.
    pub logs: Vec<PathBuf>,
    /// Files of epoch ads, likewise.
    pub epochs: Vec<PathBuf>,
    /// What is missing between them.
    pub gaps: Vec<Gap>,
    /// What is not usable, a line each.
    pub problems: Vec<String>,
}

impl Collected {
    /// Looks at a folder that `condor_holdadvise_collect` keeps.
    ///
    /// # Errors
    /// It cannot be read, or has no files of an event log.
    pub fn of(folder: &Path) -> io::Result<Self> {
        let mut this = Self::default();
        let gaps = gap::list(folder)?;
        for series in Series::ALL {
            let (kept, problems) = Kept::list(folder, series)?;
            let first = kept.first().map_or(u64::MAX, |kept| kept.number);
            // Before the first file nothing is read.
            let between = |gap: &&Gap| gap.log == series && gap.after >= first;
            this.gaps.extend(gaps.iter().filter(between).cloned());
            let paths = kept.iter().filter(|kept| kept.size > 0);
            let paths = paths.map(|kept| folder.join(kept.name())).collect();
            match series {
                Series::EventLog => this.logs = paths,
                Series::Epochs => this.epochs = paths,
            }
            this.problems.extend(problems);
        }
        if this.logs.is_empty() {
            let first = Series::EventLog.file(1);
            return Err(io::Error::other(format!(
                "it is a directory without an event log; expected files such as {first}, as condor_holdadvise_collect keeps them"
            )));
        }
        Ok(this)
    }
}
