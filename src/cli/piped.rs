//! Job event logs from standard input (`-userlog -`) and from pipes.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use eventlog::EventLogError;
use eventlog::input::{self, is_pipe, is_stdin};
use tempfile::TempDir;

use super::ArgumentError;

/// Bytes of a log that are kept: 64 GiB, unpacked.
const MOST: u64 = input::MOST_UNPACKED;

/// Puts files in the place of standard input and pipes among these logs: a log is read in parts, and
/// more than once. They are there as long as what is returned.
///
/// # Errors
/// A pipe cannot be read, or the files cannot be written.
pub(super) fn keep<'a>(
    logs: impl IntoIterator<Item = &'a mut PathBuf>,
) -> Result<Option<TempDir>, EventLogError> {
    let mut folder = None;
    let is_piped = |log: &&mut PathBuf| is_stdin(log) || is_pipe(log);
    for (number, log) in logs.into_iter().filter(is_piped).enumerate() {
        let kept = copy(log, number, &mut folder);
        *log = kept.map_err(|source| EventLogError::Io { path: log.clone(), source })?;
    }
    Ok(folder)
}

/// Of these paths one at most is standard input.
pub(super) fn check_read_once<'a>(
    paths: impl IntoIterator<Item = &'a Path>,
) -> Result<(), ArgumentError> {
    match paths.into_iter().filter(|path| is_stdin(path)).count() {
        0 | 1 => Ok(()),
        _ => Err(ArgumentError(
            "a single dash is given twice: standard input can be read once".to_owned(),
        )),
    }
}

fn copy(log: &Path, number: usize, folder: &mut Option<TempDir>) -> io::Result<PathBuf> {
    let name = match is_stdin(log) {
        true => "standard input".to_owned(),
        false => format!("pipe {}", number + 1),
    };
    let folder = match folder {
        Some(folder) => folder,
        None => folder.insert(TempDir::with_prefix("holdadvise-")?),
    };
    let path = folder.path().join(name);
    let mut from = io::Read::take(input::reader(log)?, MOST);
    let bytes = io::copy(&mut from, &mut File::create_new(&path)?)?;
    if bytes == MOST {
        return Err(io::Error::other("it is larger than 64 GiB"));
    }
    Ok(path)
}
