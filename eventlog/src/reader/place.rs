//! Where a reader is, so that another goes on there.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::super::time::Seen;
use super::super::{EventLogError, Form, ReadOptions};
use super::{Beginning, CHUNK, Found, LogReader, begin, look};
use crate::input;

/// What a reader needs to go on where another stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Place {
    /// Behind the last event or damage.
    pub(crate) offset: u64,
    pub(crate) form: Option<Form>,
    /// What follows belongs to an event or damage of which nothing more is to be said.
    pub(crate) skipping: bool,
    clock: Seen,
}

impl Place {
    pub(crate) fn at_offset(offset: u64) -> Self {
        Self { offset, ..Self::default() }
    }

    /// Within an event of a log of this form, of which nothing is to be said.
    pub(crate) fn within(offset: u64, form: Form) -> Self {
        Self { offset, form: Some(form), skipping: true, ..Self::default() }
    }

    /// The beginning of the file that was begun when the one of this place was left.
    pub(crate) fn in_next_file(self) -> Self {
        Self { clock: self.clock, ..Self::default() }
    }
}

/// Is `file` no job event log, as far as its beginning tells?
pub(crate) fn check_is_log(
    path: &Path,
    file: &File,
    options: &ReadOptions,
) -> Result<(), EventLogError> {
    let failed = |source| EventLogError::Io { path: path.to_owned(), source };
    let beginning = input::beginning(file, CHUNK as u64).map_err(failed)?;
    let mut reader = LogReader::new(beginning.as_slice(), options);
    reader.fill_chunk().map_err(failed)?;
    let bytes = &reader.buffer[..reader.filled];
    match (reader.form, Beginning::of(bytes, false)) {
        (Some(Form::Text), Beginning::NotALog) => {
            Err(EventLogError::NotALog { path: path.to_owned(), looked_at: bytes.len() })
        }
        _ => Ok(()),
    }
}

impl<R: Read> LogReader<R> {
    pub(super) fn take_up(&mut self, place: &Place) {
        self.form = place.form;
        self.skipping = place.skipping;
        self.clock.go_on(place.clock);
    }
}

impl LogReader<File> {
    /// Reads `file` from this place on.
    pub(crate) fn at_place(
        mut file: File,
        options: &ReadOptions,
        place: &Place,
    ) -> io::Result<Self> {
        // It may have been read before.
        file.seek(SeekFrom::Start(place.offset))?;
        begin(file, options, place, u64::MAX).map(|(reader, _)| reader)
    }

    pub(crate) fn place(&self) -> Place {
        Place {
            offset: self.offset(),
            form: self.form,
            skipping: self.skipping,
            clock: self.clock.seen,
        }
    }

    /// Bytes of the file that were read, those of an event that is not whole yet among them.
    pub(crate) fn read_to(&self) -> u64 {
        self.base + self.filled as u64
    }

    /// An event is there that is not whole yet.
    pub(crate) fn has_half_event(&self) -> bool {
        let rest = &self.buffer[self.at..self.filled];
        !self.skipping && look(self.form, rest, true) != Found::End
    }

    /// The log grows no more: what is not whole is damaged.
    pub(crate) fn finish(&mut self) {
        self.options.follow = false;
    }

    /// Dates go on from those of the file before, with `years` those without a year too.
    pub(crate) fn go_on_from(&mut self, before: &Place, years: bool) {
        self.clock.go_on(if years { before.clock } else { before.clock.without_year() });
    }
}
