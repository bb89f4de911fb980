//! Where held jobs come from: a condor_schedd's queue, or files.
//!
//! [`Schedd::held_jobs`] and [`held_jobs_of_file`] give the same [`Found`]: held jobs with the
//! needed part of their ads as [`AdText`], and a line for each job named that is not held or not
//! there.
//!
//! - `ad_text`: the attributes of an ad that are kept, as text.
//! - `ads`: ads one by one from what tools write.
//! - `ads_file`: `-jobads` and files of epoch ads.
//! - `condor_q`: asks a schedd.
//! - `error`: what can go wrong on the way.
//! - `job`: jobs found, and which can be judged.
//! - `logs`: where the logs of a job are.
//! - `orders`: what a schedd is asked to do.
//! - `projection`: which attributes are kept.
//! - `readers`: what reads answers of tools, for the fuzz targets.
//! - `selection`: which jobs are asked about.
//! - `slots`: the slots of a pool.
//! - `tool`: runs a program for a limited time, in a process group that ends as a whole.

mod ad_text;
mod ads;
mod ads_file;
mod condor_q;
mod error;
mod job;
mod logs;
mod orders;
mod projection;
pub mod readers;
mod selection;
mod slots;
mod tool;

pub use ad_text::AdText;
pub use ads::{AdItem, Ads};
pub(crate) use ads_file::display as display_path;
pub use ads_file::{Filter, held_jobs_of_file, held_jobs_of_text};
pub use condor_q::{RecentRuns, Schedd};
pub use error::QueueError;
pub use job::{Found, QueueJob};
pub use logs::{JobLogs, file_of, unreadable};
pub use orders::OrderResult;
pub use projection::AdProjection;
pub(crate) use selection::LEAST_VACATES;
pub use selection::{JobSpec, Selection};
pub use slots::{Slot, slots};
pub use tool::leave_signals;
pub(crate) use tool::{end_well_at_interrupt, run_tool};
