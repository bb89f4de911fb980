//! Parts of logs in memory maps.

use std::fs::File;
use std::io;
use std::ops::Deref;

use memmap2::{Mmap, MmapOptions};

/// Some bytes of a file, mapped.
#[derive(Debug)]
pub(super) struct Mapping(Mmap);

impl Mapping {
    /// Maps what is from `begin` to `end` of the file.
    ///
    /// # Errors
    /// The file is shorter by now, or cannot be mapped.
    #[expect(
        unsafe_code,
        reason = "only the caller of a memory map can know that nobody truncates the file"
    )]
    pub(super) fn new(file: &File, begin: u64, end: u64) -> io::Result<Self> {
        let length = end.saturating_sub(begin).try_into().map_err(io::Error::other)?;
        if file.metadata()?.len() < end {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut options = MmapOptions::new();
        options.offset(begin).len(length).populate();
        // SAFETY: the map is read-only. Job event logs are appended to, renamed and removed, which leaves the bytes that are mapped
        // as they are; that nobody truncates or overwrites one is what `ChunkedLog::mapped` asks of its callers.
        unsafe { options.map(file) }.map(Self)
    }
}

impl Deref for Mapping {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// What a reader looks at: bytes that it has read, or a part of the log that is mapped.
#[derive(Debug)]
pub(super) enum Buffer {
    Read(Vec<u8>),
    Mapped(Mapping),
}

impl Deref for Buffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Read(bytes) => bytes,
            Self::Mapped(bytes) => bytes,
        }
    }
}
