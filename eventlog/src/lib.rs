#![doc = include_str!("../README.md")]
//!
//! # Where to start
//!
//! [`open`] reads a file, [`open_series`] a rotated log, [`follow`] one that is being written,
//! [`Events`] a log in memory. An [`Event`] has its typed fields in [`Event::body`] and HTCondor's
//! attributes in [`Event::to_ad`]. Damage is a [`DamagedEvent`].

// - `ad`: events as attributes, and the XML and JSON forms.
// - `beginning`: when a log begins.
// - `body`: typed fields of each kind of event, and how they are read and written.
// - `chunks`: one log on several cores.
// - `conversions`: traits of the standard library.
// - `error`: what can be wrong with a log.
// - `event`: one event: header line and text.
// - `fnv`: a hash of bytes that may be kept in a file.
// - `follow`: follows a log that is written and rotated.
// - `form`: which form a log has.
// - `identity`: which file this is, under any name.
// - `input`: opens files that people and ads name.
// - `job_id`: `cluster.proc`.
// - `kind`: the kinds of event, one table.
// - `options`: how a log is read.
// - `position`: what a restart of following needs.
// - `reader`: one file or stream, with bounded memory.
// - `rotation`: the files of a rotated log.
// - `series`: a rotated log as one.
// - `text`: the text form.
// - `time`: dates of header lines.
// - `window`: the newest part of a rotated log.
// - `write`: writes the text form.
// - `years`: dates without a year.

mod ad;
mod beginning;
mod body;
mod chunks;
mod conversions;
mod error;
mod event;
mod fnv;
mod follow;
mod form;
pub mod identity;
pub mod input;
mod job_id;
mod kind;
mod options;
mod position;
mod reader;
pub mod rotation;
mod series;
mod text;
mod time;
mod window;
mod write;
mod years;

pub use ad::{AdValue, EventAd};
pub use beginning::{BEGINNING, Beginning, is_header};
pub use body::*;
pub use chunks::{Chunk, ChunkedLog};
pub use error::{Damage, DamagedEvent, EventLogError};
pub use event::{Event, EventTime};
pub use fnv::fnv1a;
pub use follow::{Follower, follow};
pub use form::Form;
pub use job_id::{JobId, ParseJobIdError};
pub use kind::{Body, EventKind};
pub use options::{ReadOptions, system_zone};
pub use position::Position;
pub use reader::{LogReader, check, open};
pub use series::{ChunkedSeries, LogSet, open_chunked_series, open_series};
pub use text::events::Events;
pub use time::{DISORDER, YearHint};
pub use window::LogFiles;
pub use write::{DateForm, EventHeader, write_event, write_text};
