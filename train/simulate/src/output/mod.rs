//! The files an access point would leave: its job event log and its epoch ads.

mod ad;
mod epoch;
mod event_log;
pub(crate) mod place;

pub(crate) use epoch::{EpochWriter, RunEnd};
pub(crate) use event_log::{EventLog, Information};
