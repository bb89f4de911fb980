//! Bytes of a job event log become typed events.
//!
//! [`open`] reads a file with bounded memory, [`open_series`] a rotated log, [`follow`] one that is
//! being written, [`Events`] a log in memory. An event borrows its text from there and parses its
//! fields when asked. Damage costs the events it touches: they are reported with their byte offset,
//! and the next one is read.
//!
//! [`Event::to_ad`] gives an event HTCondor's attribute names. The XML and JSON forms hold those;
//! the typed fields are the same in all forms. [`write_event`] writes the text form byte by byte as
//! HTCondor does.
//!
//! Source of the format: `src/condor_utils/condor_event.cpp` of HTCondor.

mod ad;
mod beginning;
mod body;
mod chunks;
mod error;
mod event;
mod follow;
mod form;
pub(crate) mod identity;
mod job_id;
mod kind;
mod options;
mod position;
mod reader;
mod series;
pub(crate) mod siblings;
mod text;
mod time;
mod window;
mod write;
mod years;

pub use ad::{AdValue, EventAd};
pub use beginning::{BEGINNING, Beginning, is_header};
pub use body::*;
pub use chunks::{Chunk, ChunkedLog};
pub use error::{Damage, DamagedEvent, UserlogError};
pub use event::{Event, EventTime};
pub use follow::{Follower, follow};
pub use form::Form;
pub use job_id::{JobId, ParseJobIdError};
pub use kind::EventKind;
pub use options::ReadOptions;
pub use position::Position;
pub use reader::{LogReader, check, open};
pub use series::{ChunkedSeries, LogSet, open_chunked_series, open_series};
pub use text::events::Events;
pub(crate) use time::DISORDER;
pub use time::YearHint;
pub use window::LogFiles;
pub use write::{DateForm, EventHeader, write_event, write_text};
