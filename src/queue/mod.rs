//! Where held jobs come from: a condor_schedd's queue, or files.

mod error;
mod selection;
mod tool;

pub use error::QueueError;
pub use selection::{JobSpec, Selection};
pub(crate) use tool::run_tool;
