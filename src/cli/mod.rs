//! The command line of `condor_holdadvise`: options, configuration, and what is printed; that of
//! `condor_releaseexpr` is in [`releaseexpr`], that of `condor_holdadvise_collect` in [`collect`].
//!
//! - `accounts`: numbers of accounts, and files opened with their rights.
//! - `apply`: `-apply`.
//! - [`ask`]: advice for a program that asks without a command line.
//! - `arguments`: what the tools share about options.
//! - `asked`: which jobs of the logs `-workflow` is about.
//! - `choices`: `-explain-decision` in English.
//! - [`collect`]: the command line of `condor_holdadvise_collect`.
//! - `colour`: the word of an advice in colour at a terminal.
//! - `completions`: completions of both tools.
//! - `config`: settings from environment, user's file and HTCondor's configuration.
//! - `constraint`: `-constraint` on ads from a file.
//! - `costs`: costs from options, settings or the model's thresholds.
//! - `debug`: `-debug`.
//! - `gather`: brings jobs, logs, ads and counts together, and notes what could not be read.
//! - `html`: writes the page of `-html`.
//! - `job_logs`: logs that ads name, each once, without those that cannot be read in time.
//! - `judge`: reads histories and asks the advisor about each job.
//! - `local_files`: who this is, and on which machine.
//! - `manual`: the manual page of `condor_holdadvise`.
//! - `mcp`: `-mcp`, the server for assistants.
//! - `model_file`: which model judges.
//! - `model_sheet`: the info sheet as `-version` prints it.
//! - `named_file`: files named where jobs and owners are expected.
//! - `options`: the table of options of `condor_holdadvise`.
//! - `outcomes`: `-outcomes`.
//! - `output`: what every tool does with standard output and error.
//! - `piped`: job event logs from standard input and pipes.
//! - `pool`: compares edits with the slots of the pool.
//! - `print`: prints advices.
//! - [`releaseexpr`]: the command line of `condor_releaseexpr`.
//! - `profile`: `-profile`.
//! - `request`: what the command line asks for.
//! - `run`: the story of one call.
//! - `stuck`: jobs that leave their slots again and again, judged like held ones.
//! - `said`: what programs of failed jobs wrote, for `-workflow`.
//! - [`sentences`]: advice becomes English, here and nowhere else.
//! - `watch`: `-watch`: looks again and prints what changed.
//! - `zones`: logs of another time zone.

mod accounts;
mod apply;
mod arguments;
mod ask;
mod asked;
mod choices;
pub mod collect;
mod colour;
mod completions;
mod config;
mod constraint;
mod costs;
mod debug;
mod gather;
mod html;
mod job_logs;
mod judge;
mod local_files;
mod manual;
mod mcp;
mod model_file;
mod model_sheet;
mod named_file;
mod options;
mod outcomes;
mod output;
mod piped;
mod pool;
pub mod print;
mod profile;
pub mod releaseexpr;
mod request;
mod run;
mod said;
pub mod sentences;
mod stuck;
mod watch;
mod zones;

pub use accounts::ids_now;
pub use arguments::ArgumentError;
pub use ask::{Answer, Judged, ask};
pub use completions::completions;
pub use config::{Config, SettingError};
pub use constraint::Constraint;
pub use costs::{CostChange, NoCost, costs_of};
pub use debug::switch_on as switch_debug_on;
pub use gather::{Gathered, gather};
pub use local_files::{hosts, local_files};
pub use manual::manual_page;
pub use mcp::serve as serve_assistant;
pub use model_file::{
    Found as FoundModel, find as find_model, open as open_model, sheet as model_sheet,
};
pub use request::{Output, Request, Style};
pub use run::{RunError, run};
