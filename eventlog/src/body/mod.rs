//! The typed fields of each kind of event, and how they stand in a log.
//!
//! - `ad`: events that carry attributes.
//! - `cluster`: clusters, job factories and grid jobs.
//! - `common`: what several kinds share.
//! - `life`: submission, hold, release, removal, end.
//! - `run`: start, sizes, contact, eviction.
//! - `transfer`: sandboxes and files that are moved.

mod ad;
mod cluster;
mod common;
mod life;
mod run;
mod transfer;

use std::borrow::Cow;
use std::io::{self, Write};

pub use ad::*;
pub use cluster::*;
pub use common::*;
pub use life::*;
pub use run::*;
pub use transfer::*;

use super::EventKind;
use super::ad::AdForm;

/// Text of a log: bytes that are not UTF-8 are replaced.
pub type Text<'a> = Cow<'a, str>;

/// The fields of an event in the forms that a log may have.
pub(crate) trait Fields<'a>: Default {
    /// Of the header line behind the date, and the lines below it. As forgiving as HTCondor's own
    /// reader: a line that is not there leaves its field empty.
    fn read(title: &'a [u8], lines: &'a [u8]) -> Self;

    /// Writes the header line from behind the date, and the lines below it.
    fn write(&self, kind: EventKind, out: &mut impl Write) -> io::Result<()>;

    /// Each attribute, in the order in which HTCondor has them.
    fn attributes(&mut self, kind: EventKind, form: &mut AdForm<'_, 'a>);
}
