//! Keeps the event log of an access point and its epoch ads over their rotations.
//!
//! HTCondor deletes what it rotates away: by default an event log holds 2 MB (`EVENT_LOG_MAX_SIZE`,
//! `EVENT_LOG_MAX_ROTATIONS`), epoch ads 60 MB. [`collect`] takes each file of both into a folder
//! of its own, once, in order. `docs/administering/collector.md` describes the folder;
//! [`Collected`] reads it.
//!
//! The files of the folder are all there is to go on from: a pass that was killed at any moment has
//! changed a name or not, and the next one sees which. A name is given to whole files alone.
//!
//! - `facts`: what tells a file from any other, and how much of it was taken.
//! - `folder`: the folder, written by one process.
//! - `gap`: what was rotated away unseen.
//! - `keep`: one pass over one series: what is new is taken, what is done compressed.
//! - `kept`: the files that the folder has.
//! - `pass`: one pass over both series, with what is deleted.
//! - `series`: the two series: event log and epoch ads.
//! - `source`: HTCondor's files of a series at this moment.

mod facts;
mod folder;
mod gap;
mod keep;
mod kept;
mod pass;
mod series;
mod source;

pub use folder::FolderError;
pub use gap::Gap;
pub use kept::Collected;
pub use pass::{Deleted, Report, Settings, collect};
pub use series::Series;

#[cfg(test)]
mod tests;
