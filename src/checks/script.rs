//! A script: its text, or what is said of it.

use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use eventlog::{fnv1a, input};
use scripttree::MAX_BYTES;
use serde::{Deserialize, Serialize};

use super::Why;
use crate::profile::{ScriptModel, ScriptVerdict};

/// The text of a script as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Its text; what is no UTF-8 is replaced. Of a long one a byte more than [`MAX_BYTES`], so that
    /// it is seen that there is more.
    pub text: String,
    /// When it or its name was last changed (mtime, ctime), Unix seconds.
    pub changed_at: i64,
}

/// What is said of the script of a job, by a process with the rights of the job's owner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ScriptSeen {
    /// What is said of it.
    pub judged: ScriptVerdict,
    /// Digest of its text (FNV-1a), 16 hexadecimal digits.
    pub digest: String,
    /// When it or its name was last changed (mtime, ctime), Unix seconds.
    pub changed_at: i64,
}

/// Why a script of a job was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It was not looked at, or there was no answer.
    Unseen(Why),
    /// What is wrong with it.
    Failed(String),
}

impl Script {
    /// Reads a file. May wait for its file system for ever.
    ///
    /// # Errors
    /// It is no regular file, or it cannot be read.
    pub fn read(path: &Path) -> io::Result<Self> {
        let file = input::open_regular(path)?;
        let metadata = file.metadata()?;
        let mut text = Vec::new();
        file.take(MAX_BYTES as u64 + 1).read_to_end(&mut text)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok(Self { text, changed_at: metadata.mtime().max(metadata.ctime()) })
    }
}

/// For so long a parser may work: less than a look may take.
const PARSED: Duration = Duration::from_millis(1_500);

/// Reads a script and says what binds it. May wait for its file system for ever.
pub(super) fn judge(path: &Path, arguments: &[String]) -> Result<ScriptSeen, String> {
    let Script { text, changed_at } = Script::read(path).map_err(|error| error.to_string())?;
    let model = ScriptModel::shipped().map_err(|error| error.to_string())?;
    let judged = ScriptVerdict::of(path, &text, arguments, &model, PARSED)?;
    Ok(ScriptSeen { judged, digest: format!("{:016x}", fnv1a(text.as_bytes())), changed_at })
}
