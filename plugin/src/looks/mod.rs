//! What is true of users' files, for the judge: a service of root that is off unless the
//! administrator switches it on (`condor_holdadvise_looks`).
//!
//! Each owner of held jobs has a process. It takes the rights of its owner for good before it
//! reads anything, and writes down what it saw. Root reads none of it: it puts the bytes in a
//! folder of its own, which the account of HTCondor may read. The judge takes from there what
//! concerns the jobs of that very owner.
//!
//! - [`folder`]: one file for each owner, written by root alone.
//! - [`owner`]: the process of one owner.
//! - [`records`]: what the judge takes from the records.
//! - [`round`]: one process for each owner of held jobs.

pub mod folder;
pub mod owner;
pub mod records;
pub mod round;

use std::io;
use std::path::Path;

use self::folder::Folder;

/// Bytes of the record of one owner at most. Assumed: some 5,000 answers.
pub const LONGEST_RECORD: usize = 1 << 20;

/// Held jobs of one owner whose files are looked at. Assumed.
pub const JOBS: usize = 1_000;

/// Owners of a round at most, those first who have waited longest. Assumed.
pub const OWNERS: usize = 200;

/// Seconds after which what was seen counts no more. Assumed: two rounds.
pub const LATEST: i64 = 300;

/// Seconds since the newest record in a folder was begun; `None` where there is none.
///
/// # Errors
/// The folder cannot be read, or others may write it.
pub fn age(folder: &Path, now: i64) -> io::Result<Option<i64>> {
    let Some(folder) = Folder::open(folder, 0)? else { return Ok(None) };
    let owners = folder.owners()?;
    let newest = owners.iter().filter_map(|owner| folder.begun(owner)).max();
    Ok(newest.map(|at| now - at))
}

/// A line of the log where the service has stopped within the last `interval` seconds.
pub fn stopped(folder: &Path, now: i64, interval: i64) -> Option<String> {
    let age = age(folder, now).ok().flatten()?;
    (LATEST + 1..=LATEST + interval).contains(&age).then(|| {
        format!("Looks at users' files: none for {age} s; journalctl -u condor-holdadvise-looks")
    })
}
