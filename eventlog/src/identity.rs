//! Which file this is, whatever its name is by now.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use super::Form;
use super::rotation::Node;
use super::text::header::Ids;
use crate::fnv::fnv1a;

/// Bytes at the beginning of a file that are looked at. The longest header of HTCondor fits
/// (`UserLogHeader`).
pub const BEGINNING: u64 = 2048;

/// Bytes that a copy must have in common with the file it is a copy of; an event of each form is
/// longer.
const LEAST_OF_A_COPY: u64 = 64;

/// The header that begins a global event log (`WriteUserLogHeader::GenerateEvent` in HTCondor).
///
/// It is written anew in place when the log is rotated, with another date and size; these fields
/// stay.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LogHeader {
    /// When the file was begun, Unix time.
    pub ctime: i64,
    /// Unique for each file.
    id: String,
    /// Counts the files of a log, from 1 on.
    pub sequence: i64,
    /// Bytes of all files before this one.
    pub offset: Option<u64>,
}

impl LogHeader {
    /// The header in the first bytes of a file of any form, if it is whole.
    pub fn read(beginning: &[u8]) -> Option<Self> {
        let line = header_line(beginning)?;
        Some(Self {
            ctime: value(line, "ctime")?.parse().ok()?,
            id: value(line, "id")?.to_owned(),
            sequence: value(line, "sequence")?.parse().ok()?,
            offset: value(line, "offset").and_then(|offset| offset.parse().ok()),
        })
    }

    /// Both are headers of one file: ctime, id and sequence are the same.
    pub fn is_of_same_file(&self, other: &Self) -> bool {
        (self.ctime, &self.id, self.sequence) == (other.ctime, &other.id, other.sequence)
    }
}

/// The values of a header that is whole.
fn header_line(beginning: &[u8]) -> Option<&str> {
    const LABEL: &[u8] = b"Global JobLog: ";
    let at = memchr::memmem::find(beginning, LABEL)?;
    if Form::detect(beginning) == Form::Text {
        // It is the first line. That of a job is the text of its user (`condor_chirp ulog`).
        let is_header =
            Ids::read(beginning).is_ok_and(|ids| ids.number == 8 && ids.job.cluster <= 0);
        if !is_header || memchr::memchr(b'\n', &beginning[..at]).is_some() {
            return None;
        }
    }
    let rest = &beginning[at + LABEL.len()..];
    std::str::from_utf8(&rest[..memchr::memchr(b'\n', rest)?]).ok()
}

fn value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let mut words = line.split_ascii_whitespace().filter_map(|word| word.split_once('='));
    words.find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// The events that a header counts, where HTCondor does so (`EVENT_LOG_COUNT_EVENTS`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EventCounts {
    /// Of the file itself, counted when it was rotated; 0 before that.
    pub events: u64,
    /// Of all files before it.
    pub before: u64,
}

impl EventCounts {
    /// The counts in the first bytes of a file.
    pub fn read(beginning: &[u8]) -> Option<Self> {
        let line = header_line(beginning)?;
        let count = |name| value(line, name)?.parse().ok();
        Some(Self { events: count("events")?, before: count("event_off")? })
    }
}

/// Which file this is: its inode, which is used again once a file is removed, and what it begins
/// with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct FileId {
    pub(super) node: Option<Node>,
    header: Option<LogHeader>,
    /// Bytes at the beginning that were there, and their hash.
    length: u64,
    hash: u64,
}

/// Is a file the one that is looked for?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Same {
    No,
    /// It begins like that one, and is another: a copy, or the file of another mount.
    Copy,
    Yes,
}

impl FileId {
    /// Is `file` this one, judged by what it begins with?
    pub(super) fn compare(&self, file: &File) -> io::Result<Same> {
        let beginning = beginning(file)?;
        let is_like = match &self.header {
            Some(header) => {
                LogHeader::read(&beginning).is_some_and(|other| header.is_of_same_file(&other))
            }
            None => usize::try_from(self.length)
                .ok()
                .and_then(|length| beginning.get(..length))
                .is_some_and(|beginning| fnv1a(beginning) == self.hash),
        };
        Ok(match is_like {
            true if self.node.is_some() && self.node == Node::of(file) => Same::Yes,
            true if self.header.is_some() || self.length >= LEAST_OF_A_COPY => Same::Copy,
            _ => Same::No,
        })
    }

    /// Is `file` this one, which is held open, so that its inode is not used again?
    pub(super) fn is_node_of(&self, file: &File) -> bool {
        match self.node {
            Some(_) => self.node == Node::of(file),
            None => self.compare(file).is_ok_and(|same| same != Same::No),
        }
    }

    /// Bytes written between `offset` of this file and the beginning of `later`, where the headers
    /// of both tell.
    pub(super) fn bytes_between(&self, offset: u64, later: &Self) -> Option<u64> {
        let (header, later) = (self.header.as_ref()?, later.header.as_ref()?);
        if later.sequence <= header.sequence {
            return None;
        }
        // A writer that was late makes a file longer than the next header counts.
        Some(later.offset?.saturating_sub(header.offset?.checked_add(offset)?))
    }
}

/// The beginning of a file that is held open.
#[derive(Debug)]
pub(super) struct Beginning {
    node: Option<Node>,
    bytes: Vec<u8>,
}

impl Beginning {
    pub(super) fn of(file: &File) -> io::Result<Self> {
        Ok(Self { node: Node::of(file), bytes: beginning(file)? })
    }

    /// Which file this is, read up to `offset`. What follows may still be lost in a crash of the
    /// machine.
    pub(super) fn id(&self, offset: u64) -> FileId {
        let read = usize::try_from(offset).unwrap_or(usize::MAX).min(self.bytes.len());
        let beginning = if read > 0 { &self.bytes[..read] } else { &self.bytes };
        FileId {
            node: self.node,
            header: LogHeader::read(&self.bytes),
            length: beginning.len() as u64,
            hash: fnv1a(beginning),
        }
    }

    /// More of the file is to be looked at, once it is there.
    pub(super) fn may_grow(&self) -> bool {
        (self.bytes.len() as u64) < BEGINNING
    }
}

/// The first bytes of a file. Reading goes on where it was.
pub(crate) fn beginning(mut file: &File) -> io::Result<Vec<u8>> {
    let at = file.stream_position()?;
    file.seek(SeekFrom::Start(0))?;
    let mut beginning = Vec::new();
    let read = file.take(BEGINNING).read_to_end(&mut beginning);
    file.seek(SeekFrom::Start(at))?;
    read.map(|_| beginning)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "008 (-01.-01.-01) 11/21 16:32:06 Global JobLog: ctime=1795278682 id=0.62.1795278682.30320.3.1795278682.30530 sequence=3 size=150498 events=0 offset=300441 event_off=0 max_rotation=20 creator_name=<>    \n...\n";

    #[test]
    fn a_header_that_a_job_wrote_is_none() {
        let text = |job: &str| {
            format!("008 ({job}) 2026-01-09 00:00:00 Global JobLog: ctime=5 id=a sequence=1\n...\n")
        };
        assert!(LogHeader::read(text("-01.-01.-01").as_bytes()).is_some());
        assert!(LogHeader::read(text("000.000.000").as_bytes()).is_some());
        assert_eq!(LogHeader::read(text("200.000.000").as_bytes()), None);
        assert_eq!(LogHeader::read(format!("\0\n{}", text("200.0.0")).as_bytes()), None);
    }

    #[test]
    fn the_header_of_each_form_is_read() {
        let xml = "<?xml version=\"1.0\"?>\n<c>\n    <a n=\"Info\"><s>Global JobLog: ctime=5 id=a sequence=1 size=0 events=0 offset=0 creator_name=&lt;&gt;  </s></a>\n";
        let json = "{\n  \"Info\": \"Global JobLog: ctime=5 id=a sequence=1 size=0 events=0 offset=0 creator_name=<>  \",\n";
        let expected = LogHeader { ctime: 5, id: "a".to_owned(), sequence: 1, offset: Some(0) };
        assert_eq!(LogHeader::read(xml.as_bytes()), Some(expected.clone()));
        assert_eq!(LogHeader::read(json.as_bytes()), Some(expected));
        let header = LogHeader::read(HEADER.as_bytes()).unwrap();
        assert_eq!((header.ctime, header.sequence), (1_795_278_682, 3));
        assert_eq!(header.offset, Some(300_441));
        for cut in 0..HEADER.len() - 4 {
            assert_eq!(LogHeader::read(&HEADER.as_bytes()[..cut]), None, "{cut}");
        }
    }

    #[test]
    fn a_header_written_anew_is_of_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("EventLog");
        std::fs::write(&path, HEADER).unwrap();
        let id = Beginning::of(&File::open(&path).unwrap()).unwrap().id(0);
        let later = HEADER
            .replace("11/21 16:32:06", "01/01 00:00:00")
            .replace("size=150498", "size=9     ");
        std::fs::write(&path, &later).unwrap();
        assert_eq!(id.compare(&File::open(&path).unwrap()).unwrap(), Same::Yes);
        // The inode is used again.
        std::fs::write(&path, later.replace("sequence=3", "sequence=4")).unwrap();
        assert_eq!(id.compare(&File::open(&path).unwrap()).unwrap(), Same::No);
    }
}
