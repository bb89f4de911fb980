//! When a log begins: what stands behind its first events is not read.

use std::io::Read;
use std::path::Path;

use jiff::Timestamp;

use super::{Body, Event, EventLogError, LogReader, ReadOptions, YearHint};
use crate::input;

/// Bytes at the beginning of a log in which its first event must be found.
pub const BEGINNING: u64 = 4 << 20;

/// What the beginning of a log tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beginning {
    /// Time of the first event, Unix seconds.
    pub first: Option<i64>,
    /// Time of the header that HTCondor puts before the events of a global log: that of its
    /// rotation.
    pub header: Option<i64>,
    /// What was found in place of an event first.
    pub damage: Option<String>,
    /// Bytes that were read, [`BEGINNING`] and an event at most.
    pub looked_at: u64,
}

impl Beginning {
    /// Of a log in a file, compressed or not. Of a compressed one no more than the beginning is
    /// unpacked, and it is not asked whether it is a log.
    ///
    /// # Errors
    /// It cannot be read, or is no log.
    pub fn at(path: &Path, options: &ReadOptions) -> Result<Self, EventLogError> {
        let failed = |source| EventLogError::Io { path: path.to_owned(), source };
        let file = input::open_regular(path).map_err(failed)?;
        if !input::is_packed(&file).map_err(failed)? {
            return Ok(Self::of(&mut super::reader::open_file(path, file, options)?));
        }
        let modified = file.metadata().and_then(|metadata| metadata.modified()).ok();
        let modified = modified.and_then(|time| Timestamp::try_from(time).ok());
        let year = modified.map_or(YearHint::Now, |time| YearHint::NotAfter(time.as_second()));
        let options = ReadOptions { year, ..options.clone() };
        // Enough for any first event but the largest.
        let bytes = input::beginning(&file, BEGINNING >> 4).map_err(failed)?;
        Ok(Self::of(&mut LogReader::new(bytes.as_slice(), &options)))
    }

    /// Reads until the first event.
    pub fn of<R: Read>(log: &mut LogReader<R>) -> Self {
        let mut this = Self::default();
        while this.first.is_none() && log.offset() < BEGINNING {
            match log.next_event() {
                Some(Ok(event)) if is_header(&event) => {
                    this.header.get_or_insert(event.time.seconds);
                }
                Some(Ok(event)) => this.first = Some(event.time.seconds),
                Some(Err(damaged)) => {
                    this.damage.get_or_insert(damaged.to_string());
                    if damaged.is_io() {
                        break;
                    }
                }
                None => break,
            }
        }
        this.looked_at = log.offset();
        this
    }

    /// Time of the first event, or else of the header, Unix seconds.
    pub fn time(&self) -> Option<i64> {
        self.first.or(self.header)
    }
}

/// The event that HTCondor puts before those of jobs in a global event log (`WriteUserLogHeader`).
pub fn is_header(event: &Event<'_>) -> bool {
    // That of a job is the text of its user (`condor_chirp ulog`).
    event.job.cluster <= 0
        && matches!(event.body(), Body::Generic(text) if text.starts_with("Global JobLog:"))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn beginning(text: &str) -> Beginning {
        let options = ReadOptions::in_zone(jiff::tz::TimeZone::UTC);
        Beginning::of(&mut LogReader::new(Cursor::new(text.as_bytes().to_vec()), &options))
    }

    const HEADER: &str =
        "008 (-01.-01.-01) 2026-01-09 00:00:00 Global JobLog: ctime=5 id=0 sequence=1\n...\n";
    const EVENT: &str = "009 (001.000.000) 2026-01-02 03:04:05 Job was aborted.\n\tx\n...\n";

    #[test]
    fn the_first_event_is_behind_the_header_and_behind_damage() {
        let both = beginning(&[HEADER, "012 (x) y\n...\n", EVENT, EVENT].concat());
        assert_eq!(both.first, Some(1_767_323_045));
        assert_eq!((both.header, both.time()), (Some(1_767_916_800), both.first));
        assert!(both.damage.is_some() && both.looked_at < 200, "{both:?}");
        let header = beginning(HEADER);
        assert_eq!((header.first, header.time()), (None, Some(1_767_916_800)));
        assert_eq!(beginning("").time(), None);
    }

    #[test]
    fn what_is_far_behind_is_not_looked_for() {
        let far = beginning(&("012 (x) y\n...\n".repeat(400_000) + EVENT));
        assert_eq!(far.time(), None);
        assert!((BEGINNING..BEGINNING + 100).contains(&far.looked_at), "{}", far.looked_at);
    }
}
