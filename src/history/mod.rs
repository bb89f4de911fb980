//! Events become job histories, and job histories hold episodes with outcomes.
//!
//! - `access_point`: the whole `History`, and what may be asked of it.
//! - `action`: actions before a release, and outcomes.
//! - `ad_facts`: what a job ad adds.
//! - `attempt`: the starts of one job: where, and what ended each.
//! - `builder`: `HistoryBuilder` adds up logs and ads.
//! - `episode`: one hold, its release and the outcome.
//! - `fact`: what an event says of its job, read on all cores.
//! - `holds`: the holds of one job, step by step.
//! - `job`: the steps of one job, and what was known since when.
//! - `noted`: what people noted of actions before releases.
//! - `peaks`: what a run used at most (event 005).
//! - `read`: logs and files of ads, read into a history.
//! - [`reason`]: canonical and normalised hold reason, and the names in it.
//! - `room`: the memory that what a log tells may take, by owner.
//! - `run`: how long programs ran, and what ended them.
//! - `step`: what an event means for the state of a job.
//! - `stream`: episodes of logs of any length, one after the other.
//! - `symbol`: each name kept once.
//! - `transfers`: what file-transfer plug-ins reported, and the class of an epoch ad.
//! - `waiting`: what waits until nothing earlier can come.

mod access_point;
mod action;
mod ad_facts;
mod attempt;
mod builder;
mod episode;
mod fact;
mod holds;
mod job;
mod noted;
mod peaks;
mod read;
pub mod reason;
mod room;
mod run;
mod step;
mod stream;
mod symbol;
mod transfers;
mod waiting;

pub use access_point::{Coverage, EventLogView, History, SourceId};
pub(crate) use access_point::{QUARTER, SAME_HOLD, quarters};
pub use action::{Action, Outcome};
pub use ad_facts::{ATTRIBUTES, AdFacts};
pub(crate) use ad_facts::{bounded, printed};
pub(crate) use ad_facts::{command as command_digest, description as description_digest};
pub(crate) use ad_facts::{disk_used, memory_used};
pub(crate) use attempt::{Attempt, AttemptEnd, attempts};
pub use builder::HistoryBuilder;
pub(crate) use builder::OpenHold;
pub use episode::{Episode, HoldIdentity, HoldInQueue, Until};
pub use job::{JobHistory, Known, Stretch};
pub use noted::NotedActions;
pub use peaks::Peaks;
pub(crate) use read::EPOCH_ATTRIBUTES;
pub use read::{AdReport, LogReport, epoch_written};
pub use run::{Run, RunEnd, RunsOf};
pub use step::{Exit, Hold, Step, What};
pub use stream::{EpisodeStream, LogHolds};
pub use symbol::{Symbol, Symbols};
pub(crate) use transfers::CLASSES as TRANSFER_CLASSES;
use transfers::RUN;
pub use transfers::{
    ErrorType, TransferClass, TransferError, TransferReport, Transfers, epoch_class,
};
