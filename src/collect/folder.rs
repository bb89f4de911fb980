//! The folder: one process writes it, nobody else may, and a name is given to whole files alone.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use flate2::{Compression, GzBuilder};
use rustix::fs::{AtFlags, CWD, OFlags, linkat};

use super::facts::{Facts, From};
use crate::private::{Lock, fault_of_folder};
use eventlog::rotation::Node;

/// What a file is called until it is whole. One process writes, so one name does.
const NEW: &str = ".new";

/// The file that is locked.
const LOCK: &str = "lock";

/// Bytes that are read and compressed at a time; few where a test ends passes between them.
const BUFFER: usize = if cfg!(test) { 1 << 10 } else { 256 << 10 };

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// It is not the folder of the one who runs this, or others may write it.
    #[error("folder {}: {what}; expected a folder and files that belong to this account and that nobody else may write", .path.display())]
    Unsafe {
        /// The folder.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// It cannot be made, read or written.
    #[error("folder {}: cannot {doing}: {source}", .path.display())]
    Io {
        /// The folder or a file of it.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// Why.
        source: io::Error,
    },
}

/// The folder, which this process alone writes.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    _lock: Lock,
}

/// How a file was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Linked,
    Copied,
}

impl Folder {
    /// Opens a folder, which is made where it is not there, for its owner alone. `None`: another
    /// process has it.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, FolderError> {
        let fault = |doing| move |source| FolderError::Io { path: path.to_owned(), doing, source };
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700).create(path).map_err(fault("make"))?;
        let metadata = fs::symlink_metadata(path).map_err(fault("look at"))?;
        if let Some(what) = fault_of_folder(&metadata) {
            return Err(FolderError::Unsafe { path: path.to_owned(), what });
        }
        let lock = own(OpenOptions::new().write(true).create(true), &path.join(LOCK))
            .map_err(fault("open its lock"))?;
        let Some(lock) = Lock::try_of(lock).map_err(fault("lock"))? else { return Ok(None) };
        let this = Self { path: path.to_owned(), _lock: lock };
        this.remove_new().map_err(fault("write"))?;
        Ok(Some(this))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file of the folder for reading. A link is none.
    pub(super) fn read(&self, name: &str) -> io::Result<File> {
        own(OpenOptions::new().read(true), &self.path.join(name))
    }

    /// Gives an open file this name as well, or where that cannot be a copy of its first `length`
    /// bytes. What had the name goes.
    pub(super) fn take(
        &self,
        file: &File,
        length: u64,
        name: &str,
        may_link: bool,
    ) -> io::Result<Taken> {
        if may_link && self.link(file)? {
            self.give(name)?;
            return Ok(Taken::Linked);
        }
        let mut new = self.create_new()?;
        copy(file, 0, length, &mut new)?;
        new.set_modified(file.metadata()?.modified()?)?;
        self.finish(&new, name)?;
        Ok(Taken::Copied)
    }

    /// Links an open file under the name of new files: not by its own name, under which another may
    /// be by now. `false`: it cannot be linked here.
    fn link(&self, file: &File) -> io::Result<bool> {
        use std::os::fd::AsRawFd;
        self.remove_new()?;
        let (new, opened) = (self.path.join(NEW), format!("/proc/self/fd/{}", file.as_raw_fd()));
        match linkat(CWD, opened.as_str(), CWD, &new, AtFlags::SYMLINK_FOLLOW)
            .map_err(io::Error::from)
        {
            Ok(()) => {}
            Err(error) if is_full(&error) => return Err(error),
            // Another file system, one without links, no /proc, a file that was deleted.
            Err(_) => return Ok(false),
        }
        step();
        Ok(Node::from_metadata(&fs::symlink_metadata(&new)?) == Node::of(file))
    }

    /// Adds to a copy what a file has behind its first `from` bytes.
    pub(super) fn extend(&self, file: &File, from: u64, length: u64, name: &str) -> io::Result<()> {
        let mut copied = own(OpenOptions::new().append(true), &self.path.join(name))?;
        let added = copy(file, from, length - from, &mut copied).and_then(|()| copied.sync_data());
        if let Err(error) = added {
            // Half an event would be read as damage.
            let _ = copied.set_len(from);
            return Err(error);
        }
        copied.set_modified(file.metadata()?.modified()?)
    }

    /// Compresses the first `facts.length` bytes of a file under this name. What had the name goes.
    pub(super) fn pack(&self, file: &File, facts: &Facts, name: &str) -> io::Result<()> {
        let modified = file.metadata()?.modified()?;
        let seconds = modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let new = self.create_new()?;
        let mut packed = GzBuilder::new()
            .mtime(u32::try_from(seconds.as_secs()).unwrap_or(0))
            .comment(facts.comment()?)
            .write(io::BufWriter::with_capacity(BUFFER, new), Compression::default());
        copy(file, 0, facts.length, &mut packed)?;
        let new = packed.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
        new.set_modified(modified)?;
        self.finish(&new, name)
    }

    /// Writes a file whole.
    pub(super) fn write(&self, bytes: &[u8], name: &str) -> io::Result<()> {
        let mut new = self.create_new()?;
        new.write_all(bytes)?;
        self.finish(&new, name)
    }

    /// Deletes a file.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        step();
        fs::remove_file(self.path.join(name))?;
        self.sync()
    }

    /// Deletes what did not become whole.
    pub(super) fn remove_new(&self) -> io::Result<()> {
        match fs::remove_file(self.path.join(NEW)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn create_new(&self) -> io::Result<File> {
        self.remove_new()?;
        own(OpenOptions::new().write(true).create_new(true), &self.path.join(NEW))
    }

    fn finish(&self, new: &File, name: &str) -> io::Result<()> {
        new.sync_all()?;
        self.give(name)
    }

    /// Gives the new file its name.
    fn give(&self, name: &str) -> io::Result<()> {
        step();
        fs::rename(self.path.join(NEW), self.path.join(name))?;
        step();
        self.sync()
    }

    /// Waits until the disk has the names.
    fn sync(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }
}

/// Opens a regular file, following no link and waiting for nobody.
fn own(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = options.mode(0o600).custom_flags(flags.bits().cast_signed()).open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::other("it is no regular file"))
}

/// Copies so many bytes, no fewer.
fn copy(file: &File, offset: u64, length: u64, to: &mut impl Write) -> io::Result<()> {
    let mut from = From { file, offset }.take(length);
    let mut buffer = vec![0; BUFFER];
    loop {
        step();
        let read = from.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        room_for(read)?;
        to.write_all(&buffer[..read])?;
    }
    match from.limit() {
        0 => Ok(()),
        _ => {
            Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it was truncated while it was read"))
        }
    }
}

/// There is no room, for nobody or for this user.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// A moment at which a test may end the process.
#[cfg(not(test))]
fn step() {}
#[cfg(test)]
use super::tests::step;

/// A moment at which a test may fill the disk.
#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "a test fails here")]
fn room_for(_: usize) -> io::Result<()> {
    Ok(())
}
#[cfg(test)]
use super::tests::room_for;
