//! Where the files go: a folder of their own, and no file through a link.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::SimulateError;
use crate::error::Result;

/// A file that is being written.
pub(crate) struct OutFile {
    pub(crate) path: PathBuf,
    out: BufWriter<File>,
}

impl OutFile {
    /// Begins the file, in the place of one that is there.
    pub(crate) fn create(path: PathBuf) -> Result<Self> {
        match create(&path) {
            Ok(file) => Ok(Self { path, out: BufWriter::with_capacity(1 << 18, file) }),
            Err(source) => Err(SimulateError::Write { path, source }),
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(|source| self.failed(source))
    }

    /// Adds an object as JSON on a line of its own.
    pub(crate) fn line(&mut self, object: &impl Serialize) -> Result<()> {
        let written = serde_json::to_writer(&mut self.out, object);
        written.map_err(|error| self.failed(error.into()))?;
        self.write(b"\n")
    }

    /// Writes what is still in memory.
    pub(crate) fn flush(&mut self) -> Result<()> {
        self.out.flush().map_err(|source| self.failed(source))
    }

    pub(crate) fn failed(&self, source: io::Error) -> SimulateError {
        SimulateError::Write { path: self.path.clone(), source }
    }
}

/// Makes the folder, or sees before the work that it may be written to: one that is not empty only
/// where `replace` is set.
///
/// # Errors
/// When it is a link or no folder, is not empty, or cannot be made.
pub(crate) fn prepare(folder: &Path, replace: bool) -> Result<()> {
    let failed = |source| SimulateError::Write { path: folder.to_owned(), source };
    let refused = |why: &str| Err(failed(io::Error::other(why.to_owned())));
    match folder.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(folder).map_err(failed)
        }
        Err(error) => Err(failed(error)),
        Ok(found) if found.is_symlink() => {
            refused("it is a link, and no link is followed: name the folder it points to")
        }
        Ok(found) if !found.is_dir() => refused("it is no folder: name one that is empty"),
        Ok(_) if replace => Ok(()),
        Ok(_) => match fs::read_dir(folder).map_err(failed)?.next() {
            None => Ok(()),
            Some(_) => refused("it is not empty: name another folder, or add --replace"),
        },
    }
}

/// A new file in the place of one that is there.
///
/// # Errors
/// When something else than a file is there, or it cannot be made.
fn create(path: &Path) -> io::Result<File> {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() => fs::remove_file(path)?,
        Ok(_) => return Err(io::Error::other("it is there and is no file: remove it")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    File::create_new(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_folder_with_something_in_it_is_taken_only_if_asked_and_a_link_never() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a/b");
        prepare(&folder, false).unwrap();
        prepare(&folder, false).unwrap();
        fs::write(folder.join("EventLog"), "old").unwrap();
        let error = prepare(&folder, false).unwrap_err().to_string();
        assert!(error.contains("--replace"), "{error}");
        prepare(&folder, true).unwrap();
        let link = root.path().join("link");
        symlink(&folder, &link).unwrap();
        assert!(prepare(&link, true).is_err());
        assert!(prepare(&folder.join("EventLog"), true).is_err());
    }

    #[test]
    fn no_file_is_written_through_a_link() {
        let root = tempfile::tempdir().unwrap();
        let (target, path) = (root.path().join("target"), root.path().join("EventLog"));
        fs::write(&target, "kept").unwrap();
        symlink(&target, &path).unwrap();
        assert!(create(&path).is_err());
        assert_eq!(fs::read(&target).unwrap(), b"kept");
        create(&target).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"");
    }
}
