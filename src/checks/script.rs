//! The text of a script.

use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use eventlog::input;
use scripttree::MAX_BYTES;
use serde::{Deserialize, Serialize};

use super::Why;

/// A script as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Script {
    /// Its text; what is no UTF-8 is replaced. Of a long one a byte more than [`MAX_BYTES`], so that
    /// it is seen that there is more.
    pub text: String,
    /// When it was last written, Unix seconds.
    pub changed_at: i64,
}

/// Why a script of a job was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It was not looked at, or there was no answer.
    Unseen(Why),
    /// What the system said.
    Failed(String),
}

impl Script {
    /// Reads a file. May wait for its file system for ever.
    ///
    /// # Errors
    /// It is no regular file, or it cannot be read.
    pub fn read(path: &Path) -> io::Result<Self> {
        let file = input::open_regular(path)?;
        let changed_at = file.metadata()?.mtime();
        let mut text = Vec::new();
        file.take(MAX_BYTES as u64 + 1).read_to_end(&mut text)?;
        Ok(Self { text: String::from_utf8_lossy(&text).into_owned(), changed_at })
    }
}
