//! Folders and files that their owner alone may write: what others could change is not believed.
//!
//! - `files`: files of one account, whole or absent.

mod files;

use std::fs::{File, Metadata, canonicalize, symlink_metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, absolute};

use eventlog::input::open_regular;
use rustix::process::geteuid;

pub(crate) use files::{Lock, remove};
pub use files::{own, put};

/// Bits of a mode with which others may write.
const WRITTEN_BY_OTHERS: u32 = 0o022;

/// The bit of a mode with which everybody may write.
const WRITTEN_BY_ALL: u32 = 0o002;

/// Only the owner of a file takes it out of a folder with this bit.
const STICKY: u32 = 0o1000;

/// Opens a file by which an account is advised and that the environment led to: settings, a model,
/// a calibration. Root's shell may have the environment of a user (`sudo`, `su` without `-`). So the
/// file and the [way](own_way) to it are the account's own or root's, and not everybody may write
/// the file or its folder.
///
/// # Errors
/// It cannot be opened, or is somebody else's, which the error names.
pub(crate) fn open_own(path: &Path) -> io::Result<File> {
    own_way(path)?;
    let file = open_regular(path)?;
    let metadata = file.metadata()?;
    own_or_roots(path, &metadata)?;
    let folder = canonicalize(path)?;
    let folder = folder.parent().unwrap_or(&folder);
    for (path, metadata) in [(path, metadata), (folder, folder.metadata()?)] {
        let mode = metadata.mode() & 0o7777;
        if mode & WRITTEN_BY_ALL != 0 && (metadata.is_file() || mode & STICKY == 0) {
            let what = format!("everybody may write {} (mode {mode:o})", path.display());
            return Err(io::Error::other(what));
        }
    }
    Ok(file)
}

/// What a path names, the folders above it and the links on the way belong to the account of this
/// process or to root.
///
/// # Errors
/// It is not there, or something is somebody else's, which the error names.
pub(crate) fn own_way(path: &Path) -> io::Result<()> {
    symlink_metadata(path)?;
    for named in [absolute(path)?, canonicalize(path)?] {
        for place in named.ancestors() {
            own_or_roots(place, &symlink_metadata(place)?)?;
        }
    }
    Ok(())
}

fn own_or_roots(path: &Path, metadata: &Metadata) -> io::Result<()> {
    let (me, uid) = (geteuid().as_raw(), metadata.uid());
    // Root has another number in a user namespace, the one that / has there.
    if uid == me || uid == 0 || uid == symlink_metadata("/")?.uid() {
        return Ok(());
    }
    let what = format!("{} belongs to user id {uid}, expected {me} or root", path.display());
    Err(io::Error::other(what))
}

/// A file that is not there for the account of this process.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    matches!(error.kind(), NotFound | NotADirectory | PermissionDenied)
}

/// What makes a folder, looked at without following a link, unfit to be kept by the one who runs this.
pub(crate) fn fault_of_folder(metadata: &Metadata) -> Option<String> {
    match metadata.is_dir() {
        true => fault_of_owner(metadata),
        false => Some("it is no directory".to_owned()),
    }
}

/// What makes a folder, a link to it followed, unfit to keep such a folder in: others could put
/// another one in its place. In a sticky one they cannot.
pub(crate) fn fault_of_parent(metadata: &Metadata) -> Option<String> {
    let uid = metadata.uid();
    if uid != geteuid().as_raw() && uid != 0 {
        return Some(format!("the folder above it belongs to user id {uid}"));
    }
    let mode = metadata.mode() & 0o7777;
    let is_open = mode & WRITTEN_BY_OTHERS != 0 && mode & STICKY == 0;
    is_open.then(|| format!("others may write the folder above it (mode {mode:o})"))
}

/// The same of a file.
pub(crate) fn fault_of_file(metadata: &Metadata) -> Option<String> {
    match metadata.is_file() {
        true => fault_of_owner(metadata),
        false => Some("it is no regular file".to_owned()),
    }
}

fn fault_of_owner(metadata: &Metadata) -> Option<String> {
    if metadata.uid() != geteuid().as_raw() {
        return Some(format!("it belongs to user id {}", metadata.uid()));
    }
    let mode = metadata.mode() & 0o777;
    (mode & WRITTEN_BY_OTHERS != 0).then(|| format!("others may write it (mode {mode:o})"))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions, set_permissions};
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    use super::*;

    #[test]
    fn what_everybody_may_write_or_put_there_is_not_opened() {
        let place = tempfile::tempdir().unwrap();
        let (folder, path) = (place.path().join("a/b"), place.path().join("a/b/config"));
        assert!(is_absent(&open_own(&path).unwrap_err()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(&path, "").unwrap();
        open_own(&path).unwrap();
        for (what, mode) in [(&path, 0o646), (&folder, 0o777)] {
            let before = fs::metadata(what).unwrap().permissions();
            set_permissions(what, Permissions::from_mode(mode)).unwrap();
            let error = open_own(&path).unwrap_err().to_string();
            let expected = format!("everybody may write {} (mode {mode:o})", what.display());
            assert_eq!(error, expected);
            set_permissions(what, before).unwrap();
        }
        set_permissions(&folder, Permissions::from_mode(0o1777)).unwrap();
        open_own(&path).unwrap();
        let error = open_own(&folder).unwrap_err();
        assert!(error.to_string().contains("it is a directory"), "{error}");
    }

    #[test]
    fn what_is_anothers_anywhere_on_the_way_is_not_opened() {
        if !geteuid().is_root() {
            println!("skipped: only root makes files of others");
            return;
        }
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("theirs/own")).unwrap();
        fs::create_dir(at("own")).unwrap();
        for name in ["theirs/own/config", "own/config", "own/theirs"] {
            fs::write(at(name), "").unwrap();
        }
        symlink(at("own/config"), at("own/link")).unwrap();
        symlink(at("own"), at("theirs/link")).unwrap();
        symlink(at("theirs/own/config"), at("own/out")).unwrap();
        for name in ["theirs", "own/theirs"] {
            chown(at(name), Some(65_534), None).unwrap();
        }
        for name in ["own/config", "own/link"] {
            open_own(&at(name)).unwrap();
        }
        for name in ["own/theirs", "theirs/own/config", "theirs/link/config", "own/out"] {
            let error = open_own(&at(name)).unwrap_err().to_string();
            assert!(error.ends_with("belongs to user id 65534, expected 0 or root"), "{error}");
        }
        std::os::unix::fs::lchown(at("own/link"), Some(65_534), None).unwrap();
        assert!(open_own(&at("own/link")).is_err());
    }
}
