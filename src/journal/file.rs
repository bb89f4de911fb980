//! The files of a journal: entries are added whole, and read whatever happened to the file.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rustix::fs::{FallocateFlags, OFlags, fallocate};

use super::entry::{Entry, VERSION};
use crate::private::{Lock, fault_of_file, fault_of_folder, fault_of_parent, own_way};
use eventlog::input::open_regular;

/// Bytes of a line at most: a longer one is no entry.
const LONGEST_LINE: u64 = 1 << 20;

/// Bytes of all entries that are read at most. Assumed: years of an access point.
const MOST_READ: u64 = 1 << 30;

/// Problems that are named.
const PROBLEMS: usize = 20;

/// For so long another process may hold the lock.
const LOCK_WAIT: Duration = Duration::from_secs(30);

/// The file that is locked.
const LOCK: &str = "lock";

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// It is not the folder of the one who runs this, or others may write it.
    #[error("journal {}: {what}; expected a folder and files that belong to this account and that nobody else may write", .path.display())]
    Unsafe {
        /// The folder or file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// Somebody else writes it.
    #[error("journal {}: another process has held its lock for {} s", .0.display(), LOCK_WAIT.as_secs())]
    Locked(PathBuf),
    /// It cannot be made, read or written.
    #[error("journal {}: cannot {doing}: {source}", .path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// Why.
        source: io::Error,
    },
}

/// A journal of the one who runs this.
#[derive(Clone, Debug)]
pub struct Journal {
    folder: PathBuf,
}

impl Journal {
    /// Opens the journal in a folder, which is made where it is not there, for its owner alone.
    ///
    /// # Errors
    /// [`JournalError::Unsafe`] for a link, somebody else's folder or one that others may write;
    /// [`JournalError::Io`].
    pub fn open(folder: &Path) -> Result<Self, JournalError> {
        let fault =
            |doing| move |source| JournalError::Io { path: folder.to_owned(), doing, source };
        if let Some(above) = folder.parent().filter(|above| !above.as_os_str().is_empty()) {
            // Nothing is made in a place that is another account's.
            let there = above.ancestors().find(|folder| folder.exists());
            if let Some(Err(error)) = there.map(own_way) {
                let what = error.to_string();
                return Err(JournalError::Unsafe { path: folder.to_owned(), what });
            }
            let mut builder = DirBuilder::new();
            builder.recursive(true).mode(0o700).create(above).map_err(fault("make"))?;
            let metadata = fs::metadata(above).map_err(fault("look at"))?;
            if let Some(what) = fault_of_parent(&metadata) {
                return Err(JournalError::Unsafe { path: folder.to_owned(), what });
            }
        }
        match DirBuilder::new().mode(0o700).create(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(fault("make")(error));
            }
            _ => {}
        }
        let metadata = fs::symlink_metadata(folder).map_err(fault("look at"))?;
        match fault_of_folder(&metadata) {
            Some(what) => Err(JournalError::Unsafe { path: folder.to_owned(), what }),
            None => Ok(Self { folder: folder.to_owned() }),
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes the lock, for as long as what is given back lives: who reads it, decides and writes
    /// what was decided does so alone.
    ///
    /// # Errors
    /// [`JournalError::Locked`] where another process keeps it for 30 s.
    pub fn lock(&self) -> Result<Locked<'_>, JournalError> {
        let begun = Instant::now();
        loop {
            match self.try_lock()? {
                Some(locked) => return Ok(locked),
                None if begun.elapsed() < LOCK_WAIT => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                None => return Err(JournalError::Locked(self.folder.join(LOCK))),
            }
        }
    }

    /// Takes the lock where nobody has it; `None` where another process does.
    ///
    /// # Errors
    /// [`JournalError`] where the file of the lock cannot be used.
    pub fn try_lock(&self) -> Result<Option<Locked<'_>>, JournalError> {
        let lock = self.try_file(LOCK)?;
        Ok(lock.map(|lock| Locked { journal: self, _lock: lock }))
    }

    /// Takes a lock of this name (letters and digits), for as long as what is given back lives; `None`
    /// where another process has it.
    ///
    /// # Errors
    /// As [`Self::try_lock`].
    pub fn alone(&self, name: &str) -> Result<Option<Lock>, JournalError> {
        self.try_file(&format!("{LOCK}-{name}"))
    }

    /// The same, after waiting for who has it.
    ///
    /// # Errors
    /// As [`Self::try_lock`].
    pub fn alone_at_last(&self, name: &str) -> Result<Lock, JournalError> {
        let path = self.folder.join(format!("{LOCK}-{name}"));
        let file = self.open_own(&path)?;
        Lock::of(file).map_err(|source| JournalError::Io { path, doing: "lock", source })
    }

    fn try_file(&self, name: &str) -> Result<Option<Lock>, JournalError> {
        let path = self.folder.join(name);
        let file = self.open_own(&path)?;
        Lock::try_of(file).map_err(|source| JournalError::Io { path, doing: "lock", source })
    }

    /// Opens a file of the journal, which is made where it is not there.
    fn open_own(&self, path: &Path) -> Result<File, JournalError> {
        let fault = |source| JournalError::Io { path: path.to_owned(), doing: "open", source };
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .custom_flags(flags.bits().cast_signed())
            .open(path)
            .map_err(fault)?;
        let metadata = file.metadata().map_err(fault)?;
        match fault_of_file(&metadata) {
            Some(what) => Err(JournalError::Unsafe { path: path.to_owned(), what }),
            None => Ok(file),
        }
    }
}

/// A journal that this process alone writes.
#[derive(Debug)]
pub struct Locked<'a> {
    journal: &'a Journal,
    _lock: Lock,
}

impl Locked<'_> {
    /// Adds entries, all or none, and waits until the disk has them.
    ///
    /// # Errors
    /// [`JournalError::Io`], for a full disk too; what was there before is then as it was.
    pub fn add(&self, entries: &[Entry]) -> Result<(), JournalError> {
        let Some(first) = entries.first() else { return Ok(()) };
        let path = self.journal.folder.join(file_of(first.time));
        let mut file = self.journal.open_own(&path)?;
        let fault = |doing| {
            let path = path.clone();
            move |source| JournalError::Io { path, doing, source }
        };
        let mut text = Vec::new();
        if !ends_a_line(&mut file).map_err(fault("read"))? {
            text.push(b'\n');
        }
        for entry in entries {
            serde_json::to_writer(&mut text, entry)
                .map_err(io::Error::from)
                .map_err(fault("write"))?;
            text.push(b'\n');
        }
        let before = file.metadata().map_err(fault("look at"))?.len();
        let written = file.write_all(&text).and_then(|()| file.sync_data());
        if let Err(error) = written {
            // What was written of it would be read as damage.
            let _ = file.set_len(before);
            return Err(fault("write")(error));
        }
        Ok(())
    }

    /// Makes sure that so many bytes can be added this month, where the file system can promise it:
    /// who acts can then write down what came of it.
    ///
    /// # Errors
    /// [`JournalError::Io`] for a full disk.
    pub fn reserve(&self, bytes: u64, now: i64) -> Result<(), JournalError> {
        let path = self.journal.folder.join(file_of(now));
        let file = self.journal.open_own(&path)?;
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        match fallocate(&file, FallocateFlags::KEEP_SIZE, length, bytes) {
            Err(error @ (rustix::io::Errno::NOSPC | rustix::io::Errno::DQUOT)) => {
                Err(JournalError::Io { path, doing: "write", source: error.into() })
            }
            _ => Ok(()),
        }
    }

    /// Everything that the journal has.
    ///
    /// # Errors
    /// [`JournalError::Io`].
    pub fn read(&self) -> Result<Kept, JournalError> {
        let folder = &self.journal.folder;
        Kept::of_folder(folder).map_err(|source| JournalError::Io {
            path: folder.clone(),
            doing: "read",
            source,
        })
    }
}

/// The file is empty or its last byte ends a line.
fn ends_a_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// The file of a month: `journal-2026-11.jsonl`, in UTC.
fn file_of(time: i64) -> String {
    let time = Timestamp::from_second(time).unwrap_or_default().to_zoned(TimeZone::UTC);
    format!("journal-{}.jsonl", time.strftime("%Y-%m"))
}

/// What a journal has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// Its entries, in the order of the files' names and then of the lines.
    pub entries: Vec<Entry>,
    /// What could not be read, a line each; of many the first ones.
    pub problems: Vec<String>,
}

impl Kept {
    /// Reads all files of a folder.
    ///
    /// # Errors
    /// When it cannot be listed.
    pub fn of_folder(folder: &Path) -> io::Result<Self> {
        Self::since(folder, 0)
    }

    /// Reads the files of the month of `time` (Unix seconds) and of later ones.
    ///
    /// # Errors
    /// As [`Self::of_folder`].
    pub fn since(folder: &Path, time: i64) -> io::Result<Self> {
        let first = file_of(time);
        let mut files = Vec::new();
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name();
            let name = name.to_string_lossy();
            if name.starts_with("journal-") && name.ends_with(".jsonl") && *name >= *first {
                files.push(folder.join(&*name));
            }
        }
        files.sort();
        let mut kept = Self::default();
        for path in files {
            let read = open_regular(&path)
                .and_then(|file| kept.read(&path, io::BufReader::new(file.take(MOST_READ))));
            if let Err(error) = read {
                kept.problem(format!("{}: {error}", path.display()));
            }
        }
        Ok(kept)
    }

    /// Reads JSON lines; `path` is what they are called in problems.
    pub(super) fn read(&mut self, path: &Path, mut input: impl BufRead) -> io::Result<()> {
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            if input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") {
                input.skip_until(b'\n')?;
            }
            let text = line.trim_ascii();
            if text.is_empty() {
                continue;
            }
            match serde_json::from_slice::<Entry>(text) {
                Ok(entry) if entry.version <= VERSION => self.entries.push(entry),
                Ok(entry) => {
                    let version = entry.version;
                    let place = format!("{} line {number}", path.display());
                    self.problem(format!("{place}: version {version} is newer than {VERSION}"));
                }
                Err(error) => {
                    self.problem(format!("{} line {number}: {error}", path.display()));
                }
            }
        }
        Ok(())
    }

    fn problem(&mut self, problem: String) {
        if self.problems.len() < PROBLEMS {
            self.problems.push(problem);
        }
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
