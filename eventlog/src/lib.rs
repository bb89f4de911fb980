#![doc = include_str!("../README.md")]
//!
//! # Where to start
//!
//! [`open`] reads a file, [`open_series`] a rotated log, [`follow`] one that is being written,
//! [`Events`] a log in memory. An [`Event`] has its typed fields in [`Event::body`] and HTCondor's
//! attributes in [`Event::to_ad`]. Damage is a [`DamagedEvent`].

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
pub use kind::EventKind;
pub use options::ReadOptions;
pub use position::Position;
pub use reader::{LogReader, check, open};
pub use series::{ChunkedSeries, LogSet, open_chunked_series, open_series};
pub use text::events::Events;
pub use time::{DISORDER, YearHint};
pub use window::LogFiles;
pub use write::{DateForm, EventHeader, write_event, write_text};
