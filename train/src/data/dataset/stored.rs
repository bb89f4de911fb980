//! States and statics that stay in their files: they are nearly all of a dataset.

use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;

use holdadvise::model::{Batch, Dimensions};

use crate::output::FileError;

/// Bytes that are read of a file at once.
const WINDOW: usize = 1 << 16;

/// One of the two tensors of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Offset of the first row.
    pub(super) begin: u64,
    /// Bytes of a row.
    pub(super) width: usize,
}

/// States and statics of a file. It is opened whenever something is read: there may be more of them
/// than a process may keep open.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(super) path: PathBuf,
    pub(super) file: Identity,
    pub(super) rows: usize,
    pub(super) states: Place,
    pub(super) statics: Place,
}

/// What shows that a file is still the one that was checked: device, inode, bytes, and seconds and
/// nanoseconds of its last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity(u64, u64, u64, i64, i64);

impl Identity {
    pub(super) fn of(file: &Metadata) -> Self {
        Self(file.dev(), file.ino(), file.len(), file.mtime(), file.mtime_nsec())
    }
}

/// What was last read of a tensor.
#[derive(Default)]
struct Window {
    /// Row that it begins with.
    first: usize,
    bytes: Vec<u8>,
}

impl Stored {
    /// Checks all rows, a few at a time.
    pub(super) fn check(&self, dimensions: &Dimensions) -> Result<(), String> {
        let Self { states, statics, rows, .. } = *self;
        let at_once = (WINDOW / (states.width + statics.width).max(1)).max(1);
        let (mut state, mut bytes, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for first in (0..rows).step_by(at_once) {
            let n = at_once.min(rows - first);
            self.read(states, first, n, &mut state).map_err(|error| error.to_string())?;
            self.read(statics, first, n, &mut bytes).map_err(|error| error.to_string())?;
            values.clear();
            values.extend(bytes.as_chunks().0.iter().map(|&chunk| f32::from_le_bytes(chunk)));
            let batch = Batch { states: &state, statics: &values, n };
            let from = |error| format!("of the rows from {first} on: {error}");
            batch.check(dimensions).map_err(from)?;
        }
        Ok(())
    }

    fn read(&self, of: Place, first: usize, rows: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
        let mut read = || {
            let file = File::open(&self.path)?;
            if Identity::of(&file.metadata()?) != self.file {
                return Err(io::Error::other("it changed while it was read: run this again"));
            }
            bytes.resize(rows * of.width, 0);
            file.read_exact_at(bytes, of.begin + (first * of.width) as u64)
        };
        read().map_err(|error| io::Error::new(error.kind(), FileError::of(&self.path)(error)))
    }
}

/// Writes rows of several files, each named by its file and its row there. Rows that follow each
/// other in a file are read together.
pub(super) fn copy(
    files: &[Stored],
    of: impl Fn(&Stored) -> Place,
    rows: impl Iterator<Item = (usize, usize)>,
    output: &mut impl Write,
) -> io::Result<()> {
    let mut windows: Vec<Window> = files.iter().map(|_| Window::default()).collect();
    for (file, row) in rows {
        let (stored, window) = (&files[file], &mut windows[file]);
        let place = of(stored);
        let width = place.width;
        if width == 0 {
            continue;
        }
        let held = window.bytes.len() / width;
        let last = window.first + held;
        if !(window.first..last).contains(&row) {
            // Twice as much where rows follow each other, one row where they do not.
            let count = if row == last { (2 * held).min(WINDOW / width) } else { 1 };
            let count = count.clamp(1, stored.rows - row);
            window.first = row;
            stored.read(place, row, count, &mut window.bytes)?;
        }
        let at = (row - window.first) * width;
        output.write_all(&window.bytes[at..at + width])?;
    }
    Ok(())
}
