//! The text form.
//!
//! - `attributes`: `Name = expression` lines.
//! - `block`: finds bytes, 64 at once.
//! - `digits`: decimal digits, eight at once.
//! - `events`: the events of a slice.
//! - `header`: the header line.
//! - `lines`: lines of an event.
//! - `parts`: lines that several kinds of event have.
//! - `run`: lines of a run.
//! - `scan`: finds events and damage.
//! - `table`: the table of resources.
//! - `torn`: events that a writer left unfinished.

pub(super) mod attributes;
mod block;
pub(super) mod digits;
pub(super) mod events;
pub(super) mod header;
pub(super) mod lines;
mod parts;
pub(super) mod run;
pub(super) mod scan;
pub(super) mod table;
pub(super) mod torn;

pub(crate) use parts::{labelled, labelled_number, notes, reason, toe};
