//! A folder for readers that open files.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder of this thread, in memory where the machine has such a file system.
pub(crate) fn folder() -> PathBuf {
    thread_local!(static FOLDER: TempDir = new());
    FOLDER.with(|folder| folder.path().to_owned())
}

fn new() -> TempDir {
    let in_memory = tempfile::tempdir_in("/dev/shm");
    in_memory.or_else(|_| tempfile::tempdir()).expect("a folder can be made")
}

/// A file of that name in the folder, with these bytes.
pub(crate) fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    put(&path, bytes);
    path
}

/// Writes a file.
pub(crate) fn put(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).expect("a file can be written");
}
