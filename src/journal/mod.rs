//! What was advised, what was done about held jobs and what came of it: the journal of a user, or of
//! an access point.
//!
//! HTCondor's logs say that a job was released, and not on whose advice, how likely success was
//! thought to be, or which jobs might have been released as well. `docs/administering/journal.md`
//! has the format.
//!
//! A journal is a folder that nobody else may write, with one file of JSON lines for each month.
//! Entries are only ever added, whole lines at a time and under a lock. What was written before a
//! crash, a full disk or a damaged line is read all the same.
//!
//! - `entry`: one entry.
//! - `file`: the files: whole lines added, read whatever happened.
//! - `noted`: actions before releases, which logs do not show.

mod entry;
mod file;
mod noted;

pub use entry::{
    Act, ActOutcome, ActStep, Advised, Asked, DecidedBy, Did, Edited, Eligible, Entry, EntryKind,
    HoldOf, JobRange, Learned, ModelAnswer, Profiled, Result, StoodIn, VERSION, Weighed, owner_of,
};
pub use file::{Journal, JournalError, Kept, Locked};
pub use noted::noted_actions;
