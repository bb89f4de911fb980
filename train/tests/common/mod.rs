//! Calling `holdadvise-train` as a user does.
#![allow(dead_code, reason = "each test uses a part of it")]

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

/// Runs it, and what it prints: it must succeed.
pub(crate) fn done(
    folder: &Path,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> String {
    let output = holdadvise_train(folder, arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs it, and what it complains of: it must fail.
pub(crate) fn refused(
    folder: &Path,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> String {
    let output = holdadvise_train(folder, arguments);
    assert!(!output.status.success(), "{}", text(&output.stdout));
    text(&output.stderr)
}

/// What a program printed.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
