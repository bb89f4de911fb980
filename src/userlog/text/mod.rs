//! The text form.

pub(super) mod body;
pub(super) mod events;
pub(super) mod header;
pub(super) mod lines;
pub(super) mod scan;
