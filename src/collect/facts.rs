//! What tells a file from any other, and how much of it was taken.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

use flate2::bufread::GzDecoder;
use serde::{Deserialize, Serialize};

use super::series::Series;
use eventlog::identity::{self, EventCounts, LogHeader};
use eventlog::input;
use eventlog::{Form, fnv1a};

/// Bytes at the beginning of a file that has no header which are compared. An ad of a run is about
/// 10 KB and tells when it was written.
const BEGINS: u64 = 64 << 10;

/// Bytes before the end of what was taken that are compared.
const ENDS: u64 = 4 << 10;

/// Bytes at the end of a file in which its last event or ad must end.
const LAST: u64 = 1 << 20;

/// Bytes of the header of a gzip file that are read: the facts are a comment there.
const GZIP_HEADER: u64 = 64 << 10;

/// Bytes of a file, and their hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stretch {
    length: u64,
    hash: u64,
}

/// What is known of a file from its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Facts {
    /// Bytes of it, not compressed.
    pub(super) length: u64,
    /// Its header, of an event log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) header: Option<LogHeader>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) counts: Option<EventCounts>,
    begins: Stretch,
    /// The bytes before `length`. HTCondor writes a header anew, so those are none of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ends: Option<Stretch>,
}

impl Facts {
    /// Of the first `length` bytes of a file that is not compressed.
    pub(super) fn of(file: &File, length: u64) -> io::Result<Self> {
        let begins = bytes_at(file, 0, length.min(BEGINS))?;
        let ends = length.saturating_sub(identity::BEGINNING).min(ENDS);
        let ends = match ends {
            0 => None,
            ends => Some(stretch(&bytes_at(file, length - ends, ends)?)),
        };
        Ok(Self { ends, ..Self::of_beginning(&begins, length) })
    }

    fn of_beginning(begins: &[u8], length: u64) -> Self {
        let first = usize::try_from(identity::BEGINNING).map_or(begins.len(), |first| first);
        let first = &begins[..begins.len().min(first)];
        let (header, counts) = (LogHeader::read(first), EventCounts::read(first));
        Self { length, header, counts, begins: stretch(begins), ends: None }
    }

    /// Of a file that this room compressed: what was noted then.
    ///
    /// # Errors
    /// It cannot be read, or is damaged at its beginning.
    pub(super) fn of_packed(file: &File) -> io::Result<Self> {
        let head = bytes_at(file, 0, GZIP_HEADER.min(file.metadata()?.len()))?;
        let decoder = GzDecoder::new(head.as_slice());
        let comment = decoder.header().and_then(|header| header.comment());
        let noted = comment.and_then(|comment| serde_json::from_slice::<Self>(comment).ok());
        if let Some(noted) = noted.filter(Self::may_be_noted) {
            return Ok(noted);
        }
        // Somebody else compressed it. The last bytes tell its length modulo 2^32.
        let begins = input::beginning(file, BEGINS)?;
        let size = file.metadata()?.len();
        let length = bytes_at(file, size.saturating_sub(4), 4)?;
        let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]);
        Ok(Self::of_beginning(&begins, u64::from(length)))
    }

    /// This room may have written it: anybody can write a comment.
    fn may_be_noted(&self) -> bool {
        let ends = self.ends.map_or(0, |ends| ends.length);
        self.begins.length <= BEGINS.min(self.length) && ends <= ENDS.min(self.length)
    }

    /// As a comment of a gzip file.
    pub(super) fn comment(&self) -> io::Result<Vec<u8>> {
        Ok(serde_json::to_vec(self)?)
    }

    /// It is the file of `other`, which may have grown or shrunk; `begins` are the first bytes of
    /// that one.
    pub(super) fn is_of_same_file(&self, other: &Self, begins: &[u8]) -> bool {
        match (&self.header, &other.header) {
            (Some(header), Some(other)) => header.is_of_same_file(other),
            (None, None) => {
                let length = usize::try_from(self.begins.length).unwrap_or(usize::MAX);
                length > 0
                    && begins.get(..length).is_some_and(|begins| stretch(begins) == self.begins)
            }
            _ => false,
        }
    }

    /// The file goes on behind what was taken of it.
    pub(super) fn is_part_of(&self, file: &File) -> io::Result<bool> {
        let Some(ends) = self.ends else { return Ok(true) };
        Ok(stretch(&bytes_at(file, self.length - ends.length, ends.length)?) == ends)
    }

    /// Bytes between this file and a later one, where the headers of both tell. A writer that was
    /// late makes a file longer than the next header counts.
    pub(super) fn bytes_until(&self, later: &Self) -> Option<u64> {
        let (header, later) = (self.header.as_ref()?, later.header.as_ref()?);
        let end = header.offset?.checked_add(self.length)?;
        (later.sequence > header.sequence).then(|| Some(later.offset?.saturating_sub(end)))?
    }

    /// Files between this one and a later one, where the headers of both tell.
    pub(super) fn files_until(&self, later: &Self) -> Option<u64> {
        let (header, later) = (self.header.as_ref()?, later.header.as_ref()?);
        u64::try_from(later.sequence.checked_sub(header.sequence)?.checked_sub(1)?).ok()
    }

    /// Something is missing between this file and a later one, as their headers prove. HTCondor
    /// begins to count anew where a shadow starts in the middle of a rotation.
    pub(super) fn is_missing_until(&self, later: &Self) -> bool {
        let is_counted = |count: Option<u64>| count.is_some_and(|count| count > 0);
        let is_anew = |(header, later): (&LogHeader, &LogHeader)| {
            later.sequence > 1 && later.sequence <= header.sequence
        };
        is_counted(self.files_until(later))
            || is_counted(self.bytes_until(later))
            || self.header.as_ref().zip(later.header.as_ref()).is_some_and(is_anew)
    }

    /// Events between this file and a later one, where HTCondor counts them.
    pub(super) fn events_until(&self, later: &Self) -> Option<u64> {
        let (counts, after) = (self.counts?, later.counts?);
        let is_counted = counts.events > 0 && after.before > 0;
        self.files_until(later).filter(|_| is_counted)?;
        after.before.checked_sub(counts.before.checked_add(counts.events)?)
    }

    /// Something is missing between this file and a later one, or may be. `listed`: they were next
    /// to each other when HTCondor's files were looked at.
    pub(super) fn is_cut_off(&self, later: &Self, listed: bool) -> bool {
        match (self.files_until(later), self.bytes_until(later)) {
            (Some(0), None) | (None, _) => !listed,
            _ => self.is_missing_until(later),
        }
    }
}

/// The first bytes of a file, as many as [`Facts::is_of_same_file`] may want.
pub(super) fn begins(file: &File, length: u64) -> io::Result<Vec<u8>> {
    bytes_at(file, 0, length.min(BEGINS))
}

/// Bytes up to the end of the last whole event or ad of a file with `length` bytes. A file in which
/// none is found is not known to have half of one.
pub(super) fn whole(file: &File, length: u64, series: Series) -> io::Result<u64> {
    let form = Form::detect(&bytes_at(file, 0, length.min(identity::BEGINNING))?);
    let begin = length.saturating_sub(LAST);
    let (mut at, mut whole) = (begin, length);
    for line in bytes_at(file, begin, length - begin)?.split_inclusive(|&byte| byte == b'\n') {
        let text = line.trim_ascii_end();
        let is_blank_behind = text.is_empty() && whole == at;
        at += line.len() as u64;
        if line.ends_with(b"\n") && (is_blank_behind || series.is_end(form, text)) {
            whole = at;
        }
    }
    Ok(whole)
}

fn stretch(bytes: &[u8]) -> Stretch {
    Stretch { length: bytes.len() as u64, hash: fnv1a(bytes) }
}

fn bytes_at(file: &File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}

/// Reads a file from a place on, and leaves its own place as it is.
#[derive(Debug)]
pub(super) struct From<'a> {
    pub(super) file: &'a File,
    pub(super) offset: u64,
}

impl Read for From<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, GzBuilder};
    use proptest::prelude::*;

    use super::*;

    fn file(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    fn packed(comment: &[u8], text: &[u8]) -> File {
        let mut packed = GzBuilder::new().comment(comment).write(Vec::new(), Compression::fast());
        packed.write_all(text).unwrap();
        file(&packed.finish().unwrap())
    }

    #[test]
    fn what_is_noted_is_what_the_file_has() {
        let text = "x".repeat(100_000);
        let facts = Facts::of(&file(text.as_bytes()), 100_000).unwrap();
        assert!(facts.ends.is_some());
        let noted = Facts::of_packed(&packed(&facts.comment().unwrap(), text.as_bytes())).unwrap();
        assert_eq!(noted, facts);
        // Somebody else compressed it, or wrote what cannot be.
        let mut wrong = facts.clone();
        wrong.ends = Some(Stretch { length: u64::MAX, hash: 0 });
        for comment in [Vec::new(), wrong.comment().unwrap()] {
            let found = Facts::of_packed(&packed(&comment, text.as_bytes())).unwrap();
            assert_eq!(found, Facts { ends: None, ..facts.clone() });
        }
    }

    #[test]
    fn half_an_event_or_ad_is_none() {
        let long = format!("A = \"{}\"\n", "x".repeat(LAST as usize));
        for (series, event, half) in [
            (Series::EventLog, "009 (1.0.0) x\n\t...\n...\n", "009 (1.0.0) x\n\t...\n"),
            (Series::EventLog, "009 (1.0.0) x\r\n...\r\n", "..."),
            (Series::EventLog, "<c>\n  <a n=\"A\"><s>x</s></a>\n</c>\n", "<c>\n  <a"),
            (Series::EventLog, "{\n  \"A\": {\n  }\n}\n", "{\n  \"A\": {\n  }\n"),
            (Series::EventLog, "{\"A\": 1}\n\n", "{\"A\": 1}"),
            (Series::Epochs, "A = 1\n*** EPOCH A=1\n", "A = 1\n*** EPOCH"),
            (Series::Epochs, &format!("{long}***\n"), "A"),
        ] {
            let whole_of = |text: &str| {
                whole(&file(text.as_bytes()), text.len() as u64, series).unwrap() as usize
            };
            for count in [1, 3] {
                let events = event.repeat(count);
                assert_eq!(whole_of(&events), events.len());
                assert_eq!(whole_of(&format!("{events}{half}")), events.len(), "{half}");
            }
            // Of what it is nobody knows.
            assert_eq!(whole_of(half), half.len());
        }
        assert_eq!(whole(&file(long.as_bytes()), 9, Series::Epochs).unwrap(), 9);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300), magic in any::<bool>()) {
            let begin: &[u8] = if magic { &[0x1f, 0x8b, 8, 0x10, 0, 0, 0, 0, 0, 0] } else { b"" };
            let file = file(&[begin, &bytes].concat());
            let _ = Facts::of_packed(&file);
            let facts = Facts::of(&file, file.metadata().unwrap().len()).unwrap();
            prop_assert!(facts.is_part_of(&file).unwrap());
            for series in Series::ALL {
                prop_assert!(whole(&file, facts.length, series).unwrap() <= facts.length);
            }
        }
    }
}
