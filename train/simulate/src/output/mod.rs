//! The files an access point would leave: its job event log and its epoch ads.
//!
//! - `ad`: a job ad in long form.
//! - `epoch`: `epoch_history`.
//! - `event_log`: `EventLog`.
//! - `place`: where the files go.

mod ad;
mod epoch;
mod event_log;
pub(crate) mod place;

pub(crate) use epoch::{EpochWriter, RunEnd, ad_of_run};
pub(crate) use event_log::{EventLog, Information};
