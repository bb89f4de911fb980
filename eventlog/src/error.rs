//! What can be wrong with a job event log.

use std::path::PathBuf;

use super::{Form, JobId};

/// A part of a log that is no whole event. Reading goes on behind it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {damage}{}", named(self.event))]
pub struct DamagedEvent {
    /// Byte offset in the file at which the damaged part begins.
    pub offset: u64,
    /// Bytes that were skipped. More may follow where the damage is [`Damage::TooLarge`].
    pub length: u64,
    /// Event number and job, where the header line is whole.
    pub event: Option<(u16, JobId)>,
    /// What was expected.
    pub damage: Damage,
}

fn named(event: Option<(u16, JobId)>) -> String {
    event.map(|(number, job)| format!(" (event {number:03} of job {job})")).unwrap_or_default()
}

/// What is wrong with a damaged event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// The text does not begin with a header line.
    #[error("expected {expected}; skipped to the next event")]
    Header {
        /// The part of the header line that is not there.
        expected: &'static str,
    },
    /// A header line stands before the separator: that was lost, or the event was cut and another
    /// follows on its line, or a user wrote it. No event is made of what follows up to the next
    /// separator.
    #[error("expected a line `...` before the next event")]
    Unterminated,
    /// The log ends before the separator: it was cut, or the event is still being written.
    #[error("expected a line `...` before the end of the log")]
    Truncated,
    /// NUL bytes, as a file system leaves them behind after a crash.
    #[error("expected text, found NUL bytes; skipped to the next event")]
    Nul,
    /// The event is larger than [`super::ReadOptions::max_event`].
    #[error("expected the end of the event within {limit} bytes; skipped to the next event")]
    TooLarge {
        /// The limit, bytes.
        limit: usize,
    },
    /// An event of the XML or JSON form that is not well formed or lacks its attributes.
    #[error("expected {expected}; skipped to the next event")]
    Ad {
        /// What is not there.
        expected: String,
    },
    /// A slice holds another form than text, which [`super::Events`] does not read;
    /// [`super::LogReader`] reads them all.
    #[error("this is a log in {0} form, expected text: read it with eventlog::LogReader")]
    OtherForm(Form),
    /// The file could not be read on.
    #[error("cannot read on: {0}")]
    Io(String),
    /// A compressed log of which the end is missing. What is before was read.
    #[error(
        "the compressed log cannot be unpacked on: {0}; what was written behind this is not read"
    )]
    Packed(String),
    /// A log that is followed was cut in place (`copytruncate`, `> job.log`), and no copy of it is
    /// among its siblings.
    #[error(
        "the log was cut in place; events written since the last look may be lost, it is read from its beginning again"
    )]
    Cut,
    /// A log that is followed is not there any more: it was removed, or rotated away before it was
    /// read to its end.
    #[error(
        "the log that was read up to here is gone{}; reading goes on with the oldest begun after it",
        lost(*bytes)
    )]
    Gone {
        /// Bytes that nobody read, where the headers of both files tell.
        bytes: Option<u64>,
    },
}

fn lost(bytes: Option<u64>) -> String {
    match bytes {
        Some(bytes) => format!(" with {bytes} bytes that were not read"),
        None => ", events that were not read may be lost".to_owned(),
    }
}

impl Damage {
    /// What is damaged, of which no event is known.
    pub(super) fn at(self, offset: u64, length: u64) -> DamagedEvent {
        DamagedEvent { offset, length, event: None, damage: self }
    }
}

impl DamagedEvent {
    /// Whole events that [`super::Follower`] has not seen may have been lost with their file.
    pub fn is_loss(&self) -> bool {
        matches!(self.damage, Damage::Cut | Damage::Gone { .. })
    }

    /// An event is larger than [`super::ReadOptions::max_event`].
    pub fn is_too_large(&self) -> bool {
        matches!(self.damage, Damage::TooLarge { .. })
    }

    /// Reading the file failed. Nothing follows, but for [`super::Follower`], which tries again.
    pub fn is_io(&self) -> bool {
        matches!(self.damage, Damage::Io(_))
    }
}

/// A log that cannot be read at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EventLogError {
    /// The file cannot be opened or read.
    #[error("cannot read job event log {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The beginning of the file holds no event.
    #[error(
        "{} is not a job event log: its first {looked_at} bytes hold no line such as `000 (1234.000.000) 2024-01-31 23:59:59 Job submitted`, no XML and no JSON event",
        path.display()
    )]
    NotALog {
        /// The file.
        path: PathBuf,
        /// Bytes looked at.
        looked_at: usize,
    },
}

impl EventLogError {
    /// The file is not there.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound)
    }
}
