//! Calling `holdadvise-train` as a user does.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

/// Runs it in a folder.
pub(crate) fn holdadvise_train(
    folder: &Path,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Output {
    Command::new(env!("CARGO_BIN_EXE_holdadvise-train"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap()
}

/// What a program printed.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
