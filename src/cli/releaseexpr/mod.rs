//! The command line of `condor_releaseexpr`.

mod explain;
mod input;
mod jobs;
mod lint;
mod manual;
mod options;
mod past;
mod replay;
mod request;
mod run;
mod suggest;

pub use manual::manual_page;
pub(super) use options::TOOL;
pub(super) use run::answer;
#[cfg(test)]
pub(super) use run::reads;
pub use run::run;
pub use run::{Data, RunError, data};
