//! The command line of `condor_holdadvise`: options, and what is printed; that of
//! `condor_releaseexpr` is in [`releaseexpr`], that of `condor_holdadvise_collect` in [`collect`].
//!
//! - `apply`: `-apply`.
//! - `arguments`: what the tools share about options.
//! - `catalogue`: `-catalogue`.
//! - [`collect`]: the command line of `condor_holdadvise_collect`.
//! - `completions`: completions of both tools.
//! - `debug`: `-debug`.
//! - `error`: why a tool cannot do what it was asked for.
//! - `html`: writes the page of `-html`.
//! - `manual`: the manual page of `condor_holdadvise`.
//! - `model_sheet`: the info sheet as `-version` prints it.
//! - `named_file`: files named where jobs and owners are expected.
//! - `options`: the table of options of `condor_holdadvise`.
//! - `outcomes`: `-outcomes`.
//! - `output`: what every tool does with standard output and error.
//! - `piped`: job event logs from standard input and pipes.
//! - [`releaseexpr`]: the command line of `condor_releaseexpr`.
//! - `profile`: `-profile`.
//! - `request`: what the command line asks for.
//! - `run`: the story of one call.
//! - `schemas`: JSON Schemas of what both tools print.
//! - `watch`: `-watch`: looks again and prints what changed.

mod apply;
mod arguments;
mod catalogue;
pub mod collect;
mod completions;
mod debug;
mod error;
mod html;
mod manual;
mod model_sheet;
mod named_file;
mod options;
mod outcomes;
mod output;
mod piped;
mod profile;
pub mod releaseexpr;
mod request;
mod run;
mod schemas;
mod watch;

pub use arguments::ArgumentError;
pub use completions::completions;
pub use debug::switch_on as switch_debug_on;
pub use error::RunError;
pub use manual::manual_page;
pub use model_sheet::sheet as model_sheet;
pub use run::run;
pub use schemas::schemas;
