//! Events of sandboxes and files that are moved.

use super::Text;

/// What a file transfer event says (`FileTransferEventType` in `condor_event.h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// 040: a sandbox is moved.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct FileTransfer<'a> {
    /// Which step. `None` where the text is none of the known ones.
    pub kind: Option<FileTransferKind>,
    /// The host at the other end.
    pub host: Option<Text<'a>>,
    /// Seconds spent in the transfer queue.
    pub seconds_in_queue: Option<u64>,
}

/// 041: space was reserved in the data reuse directory.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
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
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct ReleaseSpace<'a> {
    /// The reservation.
    pub uuid: Text<'a>,
}

/// 043, 044 and 045: a file came into the data reuse directory, was used from there, or left it.
#[derive(Clone, Debug, PartialEq, Hash, Default)]
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
#[derive(Clone, Debug, PartialEq, Hash, Default)]
pub struct CommonFiles<'a> {
    /// Which step, a name of `CommonFilesEventType`.
    pub step: Text<'a>,
}
