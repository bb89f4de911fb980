//! Bytes of a job event log become typed events.
//!
//! Source of the format: `src/condor_utils/condor_event.cpp` of HTCondor.

mod body;
mod event;
mod job_id;

pub use body::*;
pub use event::{Event, EventKind, EventTime};
pub use job_id::{JobId, ParseJobIdError};
