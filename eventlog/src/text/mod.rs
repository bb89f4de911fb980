//! The text form.

mod block;
pub(super) mod body;
mod digits;
pub(super) mod events;
pub(super) mod header;
pub(super) mod lines;
pub(super) mod scan;
pub(super) mod torn;
