//! Which year the first date of each file of a series is of.
//!
//! No event is later than the modification time of its file, nor than the beginning of any file that was begun after
//! it; the earliest of these counts, so that a modification time that a copy has changed does no harm where another
//! file tells more. A header of the file itself goes before (`Clock::begin`).

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::identity::{LogHeader, beginning};
use super::reader::open_file;
use super::{ReadOptions, YearHint};

/// The hints of files that are in order, oldest first.
pub(super) fn hints(files: &[(PathBuf, File)], options: &ReadOptions) -> Vec<YearHint> {
    let mut bound = match options.year {
        // Years go on from file to file.
        YearHint::First(_) => return vec![options.year; files.len()],
        YearHint::NotAfter(unix) => Some(unix),
        YearHint::Now => None,
    };
    let mut hints = Vec::with_capacity(files.len());
    for (index, (path, file)) in files.iter().enumerate().rev() {
        if options.year == YearHint::Now {
            bound = earlier(bound, modified(file));
        }
        let hint = bound.map_or(options.year, YearHint::NotAfter);
        if index > 0 {
            bound =
                earlier(bound, begun(path, file, &ReadOptions { year: hint, ..options.clone() }));
        }
        hints.push(hint);
    }
    hints.reverse();
    hints
}

fn earlier(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    one.into_iter().chain(other).min()
}

/// The modification time of a file that holds anything.
fn modified(file: &File) -> Option<i64> {
    let metadata = file.metadata().ok().filter(|metadata| metadata.len() > 0)?;
    jiff::Timestamp::try_from(metadata.modified().ok()?).ok().map(jiff::Timestamp::as_second)
}

/// When a file was begun: what its header says, else the time of its first event.
fn begun(path: &Path, file: &File, options: &ReadOptions) -> Option<i64> {
    if let Some(header) = LogHeader::read(&beginning(file).ok()?) {
        return Some(header.ctime);
    }
    let mut log = open_file(path, file.try_clone().ok()?, options).ok()?;
    let first = loop {
        match log.next_event() {
            Some(Ok(event)) => break Some(event.time.seconds),
            Some(Err(damaged)) if !damaged.is_io() => {}
            _ => break None,
        }
    };
    // A clone shares the position.
    let mut file = file;
    file.seek(SeekFrom::Start(0)).ok()?;
    first
}
