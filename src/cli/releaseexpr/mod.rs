//! The command line of `condor_releaseexpr`.
//!
//! - `explain`: `-explain`: why policies release a held job or do not.
//! - `input`: files that are read whole.
//! - `jobs`: the held jobs that are named.
//! - `lint`: `-lint`: what is wrong with policies.
//! - `manual`: the manual page.
//! - `options`: the table of options.
//! - `past`: the holds that expressions are tried on.
//! - `replay`: `-replay`: what expressions would have done.
//! - `request`: what the command line asks for: one kind of work a call.
//! - `run`: the story of one call.
//! - `suggest`: `-suggest`: an expression from what became of holds.

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
pub use run::run;
pub use run::{Data, data};

use super::schemas::text;
use crate::print::Versioned;

/// The schemas of what it prints: name of the file, and text.
pub(super) fn schemas() -> [(&'static str, String); 5] {
    [
        ("explain.json", text::<Versioned<explain::Object>>()),
        ("lint.json", text::<Versioned<lint::Object>>()),
        ("replay.json", text::<Versioned<replay::Object>>()),
        ("replay-line.json", text::<Versioned<replay::Line>>()),
        ("suggest.json", text::<Versioned<suggest::Object>>()),
    ]
}
