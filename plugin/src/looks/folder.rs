//! The folder of what was seen: one file for each owner, written by root alone.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, Gid, Mode, OFlags, Timespec, Timestamps, UTIME_OMIT, Uid, fchmod, fchown,
    futimens, mkdirat, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;

use crate::account::is_account;

/// Behind the name of an owner.
const SUFFIX: &str = ".json";

/// Mode of the folder: whoever runs HTCondor reads it, nobody else.
const FOLDER: u32 = 0o750;

/// Mode of a file.
const FILE: u32 = 0o640;

/// Bits of a mode with which others may write.
const WRITTEN_BY_OTHERS: u32 = 0o022;

/// The folder, which is open.
#[derive(Debug)]
pub struct Folder(OwnedFd);

/// What was seen for one owner.
#[derive(Debug)]
pub struct Record {
    /// When it was begun, Unix seconds.
    pub begun: i64,
    /// As the process of the owner wrote it.
    pub bytes: Vec<u8>,
}

impl Folder {
    /// Opens the folder to write, and makes it where it is not there. `owner`: who runs this, and
    /// `group`: who may read. One that is something else already is left alone.
    ///
    /// # Errors
    /// It cannot be made, or belongs to others; the error says what is expected.
    pub fn make(path: &Path, owner: u32, group: u32) -> io::Result<Self> {
        match mkdirat(CWD, path, Mode::from_raw_mode(0o700)) {
            Ok(()) => {
                let folder = open(path)?;
                fchown(&folder, Some(Uid::from_raw(owner)), Some(Gid::from_raw(group)))?;
                fchmod(&folder, Mode::from_raw_mode(FOLDER))?;
                return Ok(Self(folder));
            }
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let folder = File::from(open(path)?);
        let metadata = folder.metadata()?;
        let found = (metadata.uid(), metadata.gid(), metadata.mode() & 0o7777);
        if found == (owner, group, FOLDER) {
            return Ok(Self(folder.into()));
        }
        let (uid, gid, mode) = found;
        Err(io::Error::other(format!(
            "it has user id {uid}, group id {gid} and mode {mode:o}; expected a folder of its own \
             with {owner}, {group} and {FOLDER:o}"
        )))
    }

    /// Opens the folder to read; `None` where there is none. Only `owner` may have written it.
    ///
    /// # Errors
    /// It cannot be opened, or others may write it.
    pub fn open(path: &Path, owner: u32) -> io::Result<Option<Self>> {
        let folder = match open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            folder => File::from(folder?),
        };
        of_owner(&folder, owner)?;
        Ok(Some(Self(folder.into())))
    }

    /// The owners that have a file.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn owners(&self) -> io::Result<Vec<String>> {
        let mut owners = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_str().ok().and_then(|name| name.strip_suffix(SUFFIX));
            owners.extend(name.filter(|name| is_account(name)).map(str::to_owned));
        }
        Ok(owners)
    }

    /// When the file of an owner was begun, Unix seconds.
    pub fn begun(&self, owner: &str) -> Option<i64> {
        let found = statat(&self.0, file_of(owner), AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(found.st_mtime)
    }

    /// Reads the file of an owner: a regular one of at most `most` bytes that nobody but `writer`
    /// may have written. `None` where there is none.
    ///
    /// # Errors
    /// It is something else, or cannot be read.
    pub fn read(&self, owner: &str, writer: u32, most: usize) -> io::Result<Option<Record>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match openat(&self.0, file_of(owner), flags, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            file => File::from(file?),
        };
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is no regular file"));
        }
        of_owner(&file, writer)?;
        let mut bytes = Vec::new();
        file.take(most as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > most {
            return Err(io::Error::other(format!("it has more than {most} bytes")));
        }
        Ok(Some(Record { begun: metadata.mtime(), bytes }))
    }

    /// Writes the file of an owner, whole or not at all, for `group` to read.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, owner: &str, record: &Record, group: u32) -> io::Result<()> {
        let new = format!(".{owner}.new");
        self.unlink(&new)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mut file = File::from(openat(&self.0, &new, flags, Mode::from_raw_mode(0o600))?);
        file.write_all(&record.bytes)?;
        let omitted = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
        let begun = Timespec { tv_sec: record.begun, tv_nsec: 0 };
        futimens(&file, &Timestamps { last_access: omitted, last_modification: begun })?;
        fchown(&file, None, Some(Gid::from_raw(group)))?;
        fchmod(&file, Mode::from_raw_mode(FILE))?;
        Ok(renameat(&self.0, &new, &self.0, file_of(owner))?)
    }

    /// Removes the file of an owner, if there is one.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn remove(&self, owner: &str) -> io::Result<()> {
        self.unlink(&file_of(owner))
    }

    fn unlink(&self, name: &str) -> io::Result<()> {
        match unlinkat(&self.0, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

fn file_of(owner: &str) -> String {
    format!("{owner}{SUFFIX}")
}

/// A folder itself, not what a link leads to.
fn open(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?)
}

/// Nobody but this user may have written it.
fn of_owner(file: &File, owner: u32) -> io::Result<()> {
    let metadata = file.metadata()?;
    let (uid, mode) = (metadata.uid(), metadata.mode() & 0o7777);
    if uid != owner {
        return Err(io::Error::other(format!("it belongs to user id {uid}, expected {owner}")));
    }
    match mode & WRITTEN_BY_OTHERS {
        0 => Ok(()),
        _ => Err(io::Error::other(format!("others may write it (mode {mode:o})"))),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use rustix::process::{getegid, geteuid};

    use super::*;

    fn record(text: &str) -> Record {
        Record { begun: 1_790_000_000, bytes: text.as_bytes().to_vec() }
    }

    fn me() -> (u32, u32) {
        (geteuid().as_raw(), getegid().as_raw())
    }

    #[test]
    fn a_record_is_written_whole_for_the_group_alone() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("looks");
        let (user, group) = me();
        assert!(Folder::open(&path, user).unwrap().is_none());
        for text in ["first", "second"] {
            let folder = Folder::make(&path, user, group).unwrap();
            folder.write("alice", &record(text), group).unwrap();
            let read = Folder::open(&path, user).unwrap().unwrap();
            assert_eq!(read.owners().unwrap(), ["alice"]);
            let read = read.read("alice", user, 6).unwrap().unwrap();
            assert_eq!((read.begun, read.bytes.as_slice()), (1_790_000_000, text.as_bytes()));
            assert_eq!(folder.begun("alice"), Some(1_790_000_000));
        }
        let mode = |name: &str| fs::metadata(path.join(name)).unwrap().mode() & 0o7777;
        assert_eq!((mode("."), mode("alice.json")), (0o750, 0o640));
        let folder = Folder::make(&path, user, group).unwrap();
        folder.remove("alice").unwrap();
        folder.remove("alice").unwrap();
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_is_something_else_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let (user, group) = me();
        let path = place.path().join("other");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let error = Folder::make(&path, user, group).unwrap_err().to_string();
        assert!(error.contains("mode 755"), "{error}");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
        assert!(Folder::make(&path, user, group + 1).is_err());
        assert!(Folder::make(&path, user, group).is_ok());
        let link = place.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(Folder::make(&link, user, group).is_err());
        assert!(Folder::open(&link, user).is_err());
    }

    #[test]
    fn what_others_may_have_written_is_not_read() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("looks");
        let (user, group) = me();
        let folder = Folder::make(&path, user, group).unwrap();
        folder.write("alice", &record("text"), group).unwrap();
        let read = || folder.read("alice", user, 100);
        let set = |name: &str, mode| {
            fs::set_permissions(path.join(name), fs::Permissions::from_mode(mode)).unwrap();
        };
        assert!(read().is_ok());
        assert!(folder.read("alice", user + 1, 100).is_err());
        assert!(folder.read("alice", user, 3).is_err());
        set("alice.json", 0o660);
        assert!(read().is_err());
        fs::remove_file(path.join("alice.json")).unwrap();
        symlink("/etc/passwd", path.join("alice.json")).unwrap();
        assert!(read().is_err());
        fs::remove_file(path.join("alice.json")).unwrap();
        rustix::fs::mkfifoat(CWD, path.join("alice.json"), Mode::RUSR).unwrap();
        assert!(read().unwrap_err().to_string().contains("regular"));
        fs::write(path.join("..json"), "").unwrap();
        fs::write(path.join("-x.json"), "").unwrap();
        assert_eq!(folder.owners().unwrap(), ["alice"]);
        set(".", 0o770);
        assert!(Folder::open(&path, user).is_err());
        set(".", 0o750);
        assert!(Folder::open(&path, user + 1).is_err());
    }
}
