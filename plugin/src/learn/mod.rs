//! Learning at home. What models say of held jobs is kept before anybody knows the outcome.
//! `docs/administering/home.md` says what an administrator sees of it.
//!
//! - [`asked`]: keeps what models say of held jobs before anybody knows the outcome.
//! - [`day`]: once a day: outcomes, calibration, drift, the model on trial.
//! - [`retrain`]: what a service account plans and submits.

pub mod asked;
pub mod day;
pub mod retrain;

use std::fs;
use std::io;
use std::path::Path;

use holdadvise::home::{PlaceError, own, put};
use holdadvise::journal::{Entry, EntryKind, Journal, JournalError, Kept};
use holdadvise::shares::{self, ItemSize, Shares};

/// Bytes of a month of what was said, and of what was learned, at most. Assumed: a hundred thousand
/// lines, which take a second to read.
const MONTH: u64 = 32 << 20;

/// Months of what was said that are kept: a hold lasts that long.
const MONTHS_ASKED: usize = 2;

/// Months of what was learned.
const MONTHS_LEARNED: usize = 12;

/// Hours within which what comes of a release counts: as of a dataset.
pub const HORIZON: i64 = 48 * 3_600;

/// Seconds of processor time of the process that finds outcomes.
pub const SECONDS: u64 = 240;

/// Why nothing was learned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// It is switched off, or there is no folder for it.
    #[error(
        "nothing is learned here: HOLDADVISE_LEARN is not True, or HOLDADVISE_HOME_DIR names no folder"
    )]
    Off,
    /// A setting cannot be used.
    #[error(transparent)]
    Setting(#[from] holdadvise::inquiry::SettingError),
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

/// A line of such a journal.
struct Numbered<'a>(usize, &'a [u8]);

impl ItemSize for Numbered<'_> {
    fn size(&self) -> u64 {
        self.1.len() as u64 + 1
    }
}

/// Adds entries to a journal of a bounded size: of the months before `months` remain. The owners
/// share the bytes of a month; who has more than a share of a full one keeps what came first.
/// Returned: what is left out.
///
/// # Errors
/// [`JournalError`]
fn add(folder: &Path, entries: &[Entry], months: usize) -> Result<Option<String>, JournalError> {
    let Some(first) = entries.first() else { return Ok(None) };
    let journal = Journal::open(folder)?;
    let locked = journal.lock()?;
    let failed = |doing| move |source| JournalError::Io { path: folder.to_owned(), doing, source };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed("list"))? {
        let entry = entry.map_err(failed("list"))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("journal-") && name.ends_with(".jsonl") {
            files.push((name, entry.metadata().map_or(0, |metadata| metadata.len())));
        }
    }
    files.sort();
    let month = jiff::Timestamp::from_second(first.time).unwrap_or_default();
    let month = month.to_zoned(jiff::tz::TimeZone::UTC).strftime("journal-%Y-%m.jsonl");
    let month = month.to_string();
    let used = files.iter().find(|(name, _)| *name == month).map_or(0, |(_, bytes)| *bytes);
    let old = files.len().saturating_sub(months);
    for (name, _) in files.drain(..old) {
        let _ = fs::remove_file(folder.join(name));
    }
    let line = |entry| serde_json::to_vec(entry).map_err(io::Error::from);
    let new: Vec<Vec<u8>> =
        entries.iter().map(line).collect::<Result<_, _>>().map_err(failed("write"))?;
    if used + new.iter().map(|line| line.len() as u64 + 1).sum::<u64>() <= MONTH {
        return locked.add(entries).map(|()| None);
    }
    let path = folder.join(&month);
    let old = own(&path, 2 * MONTH).map_err(failed("read"))?.unwrap_or_default();
    let mut shares = Shares::new(usize::MAX, MONTH);
    let lines = old.split(|byte| *byte == b'\n').chain(new.iter().map(Vec::as_slice));
    for (number, line) in lines.enumerate() {
        if let Ok(entry) = serde_json::from_slice::<Entry>(line) {
            shares.push(owner_of(&entry), (), Numbered(number, line));
        }
    }
    let (mut kept, left_out) = shares.in_turns(1, |_| 1);
    kept.sort_unstable_by_key(|Numbered(number, _)| *number);
    let text: Vec<u8> =
        kept.into_iter().flat_map(|Numbered(_, line)| line.iter().chain(b"\n")).copied().collect();
    if text != old {
        put(folder, &month, &text, 0o600).map_err(failed("write"))?;
    }
    let owners = shares::left_out(left_out.iter().map(|(owner, count)| (&**owner, *count)));
    let full = |owners| format!("{} is full, of which is left out: {owners}", path.display());
    Ok(owners.map(full))
}

/// Whose share a line is part of. Those of an older program are of one owner.
fn owner_of(entry: &Entry) -> &str {
    let owner = match &entry.what {
        EntryKind::Asked(asked) => asked.owner.as_deref(),
        EntryKind::Learned(learned) => learned.asked.owner.as_deref(),
        _ => None,
    };
    owner.unwrap_or("nobody known")
}

/// What such a journal has; nothing where there is none.
fn read(folder: &Path, since: i64) -> Vec<Entry> {
    Kept::since(folder, since).unwrap_or_default().entries
}
