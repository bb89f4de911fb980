//! The text form.
//!
//! - `block`: finds bytes, 64 at once.
//! - `body`: title and lines to typed fields.
//! - `digits`: decimal digits, eight at once.
//! - `events`: the events of a slice.
//! - `header`: the header line.
//! - `lines`: lines of an event.
//! - `scan`: finds events and damage.
//! - `torn`: events that a writer left unfinished.

mod block;
pub(super) mod body;
mod digits;
pub(super) mod events;
pub(super) mod header;
pub(super) mod lines;
pub(super) mod scan;
pub(super) mod torn;
