//! Folders and files that their owner alone may write: what others could change is not believed.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use rustix::process::geteuid;

/// Bits of a mode with which others may write.
const WRITTEN_BY_OTHERS: u32 = 0o022;

/// Only the owner of a file takes it out of a folder with this bit.
const STICKY: u32 = 0o1000;

/// What makes a folder, looked at without following a link, unfit to be kept by the one who runs this.
pub(crate) fn fault_of_folder(metadata: &Metadata) -> Option<String> {
    match metadata.is_dir() {
        true => fault_of_owner(metadata),
        false => Some("it is no directory".to_owned()),
    }
}

/// What makes a folder, a link to it followed, unfit to make folders in for this account.
pub(crate) fn fault_of_place(metadata: &Metadata) -> Option<String> {
    let uid = metadata.uid();
    let is_anothers = uid != geteuid().as_raw() && uid != 0;
    is_anothers.then(|| format!("the folder above it belongs to user id {uid}"))
}

/// What makes a folder, a link to it followed, unfit to keep such a folder in: others could put
/// another one in its place. In a sticky one they cannot.
pub(crate) fn fault_of_parent(metadata: &Metadata) -> Option<String> {
    if let Some(fault) = fault_of_place(metadata) {
        return Some(fault);
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
