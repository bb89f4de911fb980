//! From a queue, files and logs to judged jobs: one call of [`Inquiry::ask`].
//!
//! ```no_run
//! use holdadvise::inquiry::{Config, Inquiry, InquiryError, JobAds};
//!
//! let ads = JobAds::File("held.ads".into());
//! let inquiry = Inquiry { job_ads: Some(ads), ..Inquiry::default() };
//! let answer = inquiry.ask(&Config::looking_with(None), inquiry.time(), &mut |advice, _| {
//!     println!("{}: {}", advice.held.job, advice.recommendation.name());
//!     Ok(())
//! })?;
//! answer.remarks.refused.iter().for_each(|line| eprintln!("{line}"));
//! # Ok::<(), InquiryError>(())
//! ```
//!
//! - `accounts`: numbers of accounts, and files opened with their rights.
//! - `answer`: the story of one call, and what it answers.
//! - `asked`: which jobs of the logs a question about places is about.
//! - `config`: settings from environment, user's file and HTCondor's configuration.
//! - `constraint`: constraints on ads from a file.
//! - `costs`: costs from the caller, settings or the model's thresholds.
//! - `ended`: jobs that are over, as the history or a log has them.
//! - `gather`: brings jobs, logs, ads and counts together, and notes what could not be read.
//! - `histories`: reads logs and ads of earlier runs.
//! - `job_logs`: logs that ads name, each once, without those that cannot be read in time.
//! - `judge`: asks the advisor about each job.
//! - `local_files`: who this is, and on which machine.
//! - `model_file`: which model judges.
//! - `named`: what is asked about, and from which sources.
//! - `pool`: compares edits with the slots of the pool.
//! - `said`: what programs of failed jobs wrote.
//! - `site_catalogue`: entries that a site adds to the catalogue.
//! - `stuck`: jobs that leave their slots again and again, judged like held ones.
//! - `zones`: logs of another time zone.

mod accounts;
mod answer;
mod asked;
mod config;
mod constraint;
mod costs;
mod ended;
mod gather;
mod histories;
mod job_logs;
mod judge;
mod local_files;
mod model_file;
mod named;
mod pool;
mod said;
mod site_catalogue;
mod stuck;
mod zones;

#[cfg(test)]
mod answer_tests;

pub use accounts::ids_now;
pub use answer::{Answer, InquiryError};
pub use config::{Checks, Config, SettingError, is_setting};
pub(crate) use config::{KNOBS, Knob, unpacked};
pub(crate) use constraint::{Constraint, bounded};
pub(crate) use costs::costs;
pub use costs::{CostChange, NoCost, costs_of};
pub(crate) use ended::ended_in_history;
pub use gather::Remarks;
pub(crate) use gather::found;
pub use judge::Take;
pub(crate) use local_files::account;
pub use local_files::{hosts, local_files};
pub use model_file::{FoundModel, find as find_model, open as open_model};
pub use named::{Inputs, Inquiry, JobAds};
pub(crate) use said::OUTPUTS;
pub(crate) use site_catalogue::read as read_entries;
pub use site_catalogue::read_catalogue;
