//! Events of sandboxes and files that are moved.

use std::io::{self, Write};

use bounded_static::ToStatic;

use super::super::EventKind;
use super::super::ad::{AdForm, Tidy};
use super::super::text::lines::{Cursor, Lines, text, unless_blank};
use super::super::text::{labelled, labelled_number};
use super::super::write::{self, OneLine};
use super::{Fields, Text};

/// 040: a sandbox is moved.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct FileTransfer<'a> {
    /// Which step. `None` where the text is none of the known ones.
    pub kind: Option<FileTransferKind>,
    /// The host at the other end.
    pub host: Option<Text<'a>>,
    /// Seconds spent in the transfer queue.
    pub seconds_in_queue: Option<u64>,
}

/// 041: space was reserved in the data reuse directory.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct ReserveSpace<'a> {
    /// Bytes reserved.
    pub bytes: Option<u64>,
    /// Unix time at which the reservation ends.
    pub expiration: Option<i64>,
    /// The reservation.
    pub uuid: Text<'a>,
    /// Whose it is.
    pub tag: Text<'a>,
}

/// 042: reserved space was given back.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct ReleaseSpace<'a> {
    /// The reservation.
    pub uuid: Text<'a>,
}

/// 043, 044 and 045: a file came into the data reuse directory, was used from there, or left
/// it.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct ReuseFile<'a> {
    /// Size in bytes (043 and 045).
    pub bytes: Option<u64>,
    /// Checksum of its content.
    pub checksum: Text<'a>,
    /// How it was computed (`sha256`).
    pub checksum_type: Text<'a>,
    /// The reservation (043).
    pub uuid: Option<Text<'a>>,
    /// Whose it is (044 and 045).
    pub tag: Option<Text<'a>>,
}

/// 047: files common to several jobs are moved.
#[derive(Clone, Debug, PartialEq, Hash, Default, ToStatic)]
pub struct CommonFiles<'a> {
    /// Which step, a name of `CommonFilesEventType`.
    pub step: Text<'a>,
}

/// What a file transfer event says (`FileTransferEventType` in `condor_event.h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ToStatic)]
pub enum FileTransferKind {
    /// Entered queue to transfer input files.
    InputQueued,
    /// Started transferring input files.
    InputStarted,
    /// Finished transferring input files.
    InputFinished,
    /// Entered queue to transfer output files.
    OutputQueued,
    /// Started transferring output files.
    OutputStarted,
    /// Finished transferring output files.
    OutputFinished,
}

impl FileTransferKind {
    /// Every kind, in the order of `FileTransferEventType`, which counts from 1.
    pub const ALL: [Self; 6] = [
        Self::InputQueued,
        Self::InputStarted,
        Self::InputFinished,
        Self::OutputQueued,
        Self::OutputStarted,
        Self::OutputFinished,
    ];

    /// What the header line of the event says.
    pub const fn title(self) -> &'static str {
        match self {
            Self::InputQueued => "Entered queue to transfer input files",
            Self::InputStarted => "Started transferring input files",
            Self::InputFinished => "Finished transferring input files",
            Self::OutputQueued => "Entered queue to transfer output files",
            Self::OutputStarted => "Started transferring output files",
            Self::OutputFinished => "Finished transferring output files",
        }
    }
}

impl<'a> Fields<'a> for FileTransfer<'a> {
    fn read(title: &'a [u8], lines: &'a [u8]) -> Self {
        let kind = FileTransferKind::ALL.into_iter().find(|kind| kind.title().as_bytes() == title);
        let mut transfer = Self { kind, ..Self::default() };
        for line in Lines::new(lines) {
            if let Some(rest) = line.strip_prefix(b"\tSeconds spent in queue: ") {
                transfer.seconds_in_queue = Cursor(rest).unsigned();
            } else if let Some(rest) = line.strip_prefix(b"\tTransferring to host: ") {
                transfer.host = unless_blank(rest);
            }
        }
        transfer
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        let no_text = || {
            let text = "a file transfer without a kind has no text to be written";
            io::Error::new(io::ErrorKind::InvalidInput, text)
        };
        writeln!(out, "{}", self.kind.ok_or_else(no_text)?.title())?;
        if let Some(seconds) = self.seconds_in_queue {
            writeln!(out, "\tSeconds spent in queue: {seconds}")?;
        }
        write::labelled(out, "\tTransferring to host: ", self.host.as_deref())
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        let all = FileTransferKind::ALL;
        if form.reads() {
            let index = form.integer("Type").and_then(|number| number.checked_sub(1));
            let index = index.and_then(|index| usize::try_from(index).ok());
            self.kind = index.and_then(|index| all.get(index)).copied();
        } else {
            let index = all.iter().position(|kind| Some(*kind) == self.kind);
            form.put("Type", index.map_or(0, |index| index as i64 + 1));
        }
        form.number("QueueingDelay", &mut self.seconds_in_queue, None);
        form.some("Host", &mut self.host, Tidy::AsIs);
    }
}

/// The lines of events 041 to 045. HTCondor writes them below an empty header line, and reads the
/// first of them on it.
fn with_title<'a>(
    title: &'a [u8],
    lines: &'a [u8],
) -> impl Iterator<Item = &'a [u8]> + Clone + use<'a> {
    std::iter::once(title).chain(Lines::new(lines))
}

impl<'a> Fields<'a> for ReserveSpace<'a> {
    fn read(title: &'a [u8], lines: &'a [u8]) -> Self {
        let lines = with_title(title, lines);
        Self {
            bytes: labelled_number(lines.clone(), b"Bytes reserved:")
                .and_then(|n| n.try_into().ok()),
            expiration: labelled_number(lines.clone(), b"Reservation Expiration:"),
            uuid: labelled(lines.clone(), b"Reservation UUID: ").unwrap_or_default(),
            tag: labelled(lines, b"Tag: ").unwrap_or_default(),
        }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        // Without bytes the header line goes on with the expiration.
        if let Some(bytes) = self.bytes.filter(|bytes| *bytes != 0) {
            writeln!(out, "\n\tBytes reserved: {bytes}")?;
        }
        writeln!(out, "\tReservation Expiration: {}", self.expiration.unwrap_or(0))?;
        writeln!(out, "\tReservation UUID: {}", OneLine(&self.uuid))?;
        writeln!(out, "\tTag: {}", OneLine(&self.tag))
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.number("ExpirationTime", &mut self.expiration, Some(0));
        form.number("ReservedSpace", &mut self.bytes, Some(0));
        form.always("UUID", &mut self.uuid, Tidy::AsIs);
        form.always("Tag", &mut self.tag, Tidy::AsIs);
    }
}

impl<'a> Fields<'a> for ReleaseSpace<'a> {
    fn read(title: &'a [u8], lines: &'a [u8]) -> Self {
        let uuid = labelled(with_title(title, lines), b"Reservation UUID: ");
        Self { uuid: uuid.unwrap_or_default() }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "\n\tReservation UUID: {}", OneLine(&self.uuid))
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.always("UUID", &mut self.uuid, Tidy::AsIs);
    }
}

impl<'a> Fields<'a> for ReuseFile<'a> {
    fn read(title: &'a [u8], lines: &'a [u8]) -> Self {
        let lines = with_title(title, lines);
        Self {
            bytes: labelled_number(lines.clone(), b"Bytes:").and_then(|n| n.try_into().ok()),
            checksum: labelled(lines.clone(), b"Checksum Value: ").unwrap_or_default(),
            checksum_type: labelled(lines.clone(), b"Checksum Type: ").unwrap_or_default(),
            uuid: labelled(lines.clone(), b"UUID: "),
            tag: labelled(lines, b"Tag: "),
        }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out)?;
        if let Some(bytes) = self.bytes {
            writeln!(out, "\tBytes: {bytes}")?;
        }
        writeln!(out, "\tChecksum Value: {}", OneLine(&self.checksum))?;
        writeln!(out, "\tChecksum Type: {}", OneLine(&self.checksum_type))?;
        write::labelled(out, "\tUUID: ", self.uuid.as_deref())?;
        write::labelled(out, "\tTag: ", self.tag.as_deref())
    }

    fn attributes(&mut self, kind: EventKind, form: &mut AdForm<'_, 'a>) {
        let reads = form.reads();
        if reads || kind != EventKind::FileUsed {
            form.number("Size", &mut self.bytes, Some(0));
        }
        if reads {
            form.some("UUID", &mut self.uuid, Tidy::AsIs);
            form.some("Tag", &mut self.tag, Tidy::AsIs);
        } else if kind == EventKind::FileComplete {
            form.always("UUID", self.uuid.get_or_insert_default(), Tidy::AsIs);
        } else {
            form.always("Tag", self.tag.get_or_insert_default(), Tidy::AsIs);
        }
        form.always("Checksum", &mut self.checksum, Tidy::AsIs);
        form.always("ChecksumType", &mut self.checksum_type, Tidy::AsIs);
    }
}

/// The second line of event 047 for each step, as HTCondor spells it.
const COMMON_FILES_TEXTS: [(&str, &str); 6] = [
    ("None", "NONE"),
    ("TransferQueued", "Entered queue to transfer common files"),
    ("TransferStarted", "Started transferring common files"),
    ("TransferFinished", "Finished transferring common files"),
    ("WaitStarted", "Started waiting for previous job to transfer common files"),
    ("WaitFinished", "Finished waitiing for previous job to transfer common files"),
];

impl<'a> Fields<'a> for CommonFiles<'a> {
    fn read(title: &'a [u8], _: &'a [u8]) -> Self {
        let label = b"Common files event: ";
        let at = memchr::memmem::find(title, label);
        Self { step: at.map(|at| text(&title[at + label.len()..])).unwrap_or_default() }
    }

    fn write(&self, _: EventKind, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Common files event: {}", OneLine(&self.step))?;
        let is_step = |(name, _): &&(&str, &str)| name.eq_ignore_ascii_case(&self.step);
        match COMMON_FILES_TEXTS.iter().find(is_step) {
            Some((_, text)) => writeln!(out, "\t{text}"),
            None => Ok(()),
        }
    }

    fn attributes(&mut self, _: EventKind, form: &mut AdForm<'_, 'a>) {
        form.always("Type", &mut self.step, Tidy::AsIs);
    }
}
