//! The files of an access point: its job event log, and ads.
//!
//! - `ad`: a job ad in long form.
//! - `event_log`: `EventLog`.
//! - `place`: where the files go.

mod ad;
mod event_log;
pub(crate) mod place;

pub(crate) use ad::Ad;
pub(crate) use event_log::{EventLog, Information};
