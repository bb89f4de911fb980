//! Files that one account keeps: whole or not at all, and believed only where nobody else may have
//! written them.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use super::{fault_of_file, fault_of_folder};

/// Puts a file into a folder in the place of what has that name there, with this mode.
///
/// # Errors
/// The folder is not this account's own, or it cannot be written; then what was there stays.
pub fn put(folder: &Path, name: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
    if let Some(fault) = fault_of_folder(&fs::symlink_metadata(folder)?) {
        return Err(io::Error::other(fault));
    }
    let mut file = tempfile::Builder::new().prefix(name).tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().set_permissions(Permissions::from_mode(mode))?;
    file.as_file().sync_all()?;
    file.persist(folder.join(name)).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}

/// Reads a file of this account of at most so many bytes; `None` where there is none.
///
/// # Errors
/// It is a link, somebody else's, one that others may write, longer, or cannot be read.
pub fn own(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    let file = match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    if let Some(fault) = fault_of_file(&file.metadata()?) {
        return Err(io::Error::other(fault));
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it is longer than {most} bytes")));
    }
    Ok(Some(bytes))
}

/// A lock on a file that is kept until this is dropped.
///
/// Closing the file would not end it as long as a child of another thread, which has not begun its
/// program yet, has the file too.
#[derive(Debug)]
pub struct Lock(File);

impl Lock {
    /// The lock of an open file; `None` where another has it.
    ///
    /// # Errors
    /// The file cannot be locked.
    pub fn try_of(file: File) -> io::Result<Option<Self>> {
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    /// The same, after waiting for who has it.
    ///
    /// # Errors
    /// The file cannot be locked.
    pub fn of(file: File) -> io::Result<Self> {
        file.lock()?;
        Ok(Self(file))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Takes a file away, where there is one.
///
/// # Errors
/// It cannot be taken away.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_is_put_in_the_place_of_another_and_read_within_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        assert_eq!(own(&path, 9).unwrap(), None);
        put(folder.path(), "a", b"one", 0o600).unwrap();
        put(folder.path(), "a", b"other", 0o644).unwrap();
        assert_eq!(own(&path, 5).unwrap(), Some(b"other".to_vec()));
        assert!(own(&path, 4).is_err());
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o644);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        remove(&path).unwrap();
        remove(&path).unwrap();
    }

    #[test]
    fn a_lock_ends_where_a_child_still_has_its_file() {
        let path = tempfile::NamedTempFile::new().unwrap();
        let open = || File::open(path.path()).unwrap();
        let file = open();
        let of_child = file.try_clone().unwrap();
        let lock = Lock::try_of(file).unwrap().unwrap();
        assert!(Lock::try_of(open()).unwrap().is_none());
        drop(lock);
        assert!(Lock::try_of(open()).unwrap().is_some());
        drop(of_child);
    }

    #[test]
    fn what_others_may_write_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "x").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
        assert!(own(&path, 9).unwrap_err().to_string().contains("others may write it"));
        let link = folder.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(own(&link, 9).is_err());
        let open = folder.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        assert!(put(&open, "a", b"", 0o600).is_err());
        assert_eq!(fs::read_dir(&open).unwrap().count(), 0);
    }
}
