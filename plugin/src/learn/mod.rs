//! Learning at home. What models say of held jobs is kept before anybody knows the outcome.
//! `docs/administering/home.md` says what an administrator sees of it.
//!
//! - [`asked`]: keeps what models say of held jobs before anybody knows the outcome.
//! - [`day`]: once a day: outcomes, calibration, drift, the model on trial.
//! - [`outcomes`]: the confined process that finds outcomes in the event log.
//! - [`retrain`]: what a service account plans and submits.

pub mod asked;
pub mod day;
pub mod outcomes;
pub mod retrain;

use std::fs;
use std::io;
use std::path::Path;

use holdadvise::home::PlaceError;
use holdadvise::journal::{Entry, Journal, JournalError, Kept};

/// Bytes of a month of what was said, and of what was learned, at most. Assumed: a hundred thousand
/// lines, which take a second to read.
const MONTH: u64 = 32 << 20;

/// Months of what was said that are kept: a hold lasts that long.
const MONTHS_ASKED: usize = 2;

/// Months of what was learned.
const MONTHS_LEARNED: usize = 12;

/// Why nothing was learned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// It is switched off, or there is no folder for it.
    #[error(
        "nothing is learned here: HOLDADVISE_LEARN is not True, or HOLDADVISE_HOME names no folder"
    )]
    Off,
    /// A setting cannot be used.
    #[error(transparent)]
    Setting(#[from] holdadvise::cli::SettingError),
    /// The model in use cannot be used.
    #[error(transparent)]
    Model(#[from] holdadvise::model::ModelError),
    /// A file of what is learned.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// What was said or learned.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The process that finds outcomes.
    #[error(transparent)]
    Process(#[from] crate::process::ProcessError),
    /// It runs as the wrong account.
    #[error("{0}")]
    Account(String),
    /// Something else of files.
    #[error("{path}: {source}")]
    Io {
        /// Which.
        path: String,
        /// Why.
        source: io::Error,
    },
}

/// Adds entries to a journal of a bounded size: a month that is full takes no more, and of the
/// months before `months` remain.
///
/// # Errors
/// [`JournalError`]
fn add(folder: &Path, entries: &[Entry], months: usize) -> Result<(), JournalError> {
    let Some(first) = entries.first() else { return Ok(()) };
    let journal = Journal::open(folder)?;
    let locked = journal.lock()?;
    let failed = |source| JournalError::Io { path: folder.to_owned(), doing: "list", source };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("journal-") && name.ends_with(".jsonl") {
            files.push((name, entry.metadata().map_or(0, |metadata| metadata.len())));
        }
    }
    files.sort();
    let month = jiff::Timestamp::from_second(first.time).unwrap_or_default();
    let month = month.to_zoned(jiff::tz::TimeZone::UTC).strftime("journal-%Y-%m.jsonl");
    let month = month.to_string();
    let is_full = files.iter().any(|(name, bytes)| *name == month && *bytes >= MONTH);
    let old = files.len().saturating_sub(months);
    for (name, _) in files.drain(..old) {
        let _ = fs::remove_file(folder.join(name));
    }
    if is_full { Ok(()) } else { locked.add(entries) }
}

/// What such a journal has; nothing where there is none.
fn read(folder: &Path, since: i64) -> Vec<Entry> {
    Kept::since(folder, since).unwrap_or_default().entries
}
