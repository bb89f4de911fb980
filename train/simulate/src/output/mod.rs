//! The files an access point would leave: its job event log and its epoch ads.

mod ad;
mod epoch;
mod event_log;
pub(crate) mod place;

pub(crate) use epoch::{EpochWriter, RunEnd, ad_of_run};
pub(crate) use event_log::{EventLog, Information};
