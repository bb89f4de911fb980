//! The command line of `condor_holdadvise`: options, configuration, and what is printed; that of
//! `condor_releaseexpr` is in [`releaseexpr`], that of `condor_holdadvise_collect` in [`collect`].

mod accounts;
mod apply;
mod arguments;
mod choices;
pub mod collect;
mod completions;
mod config;
mod constraint;
mod costs;
mod debug;
mod gather;
mod job_logs;
mod judge;
mod local_files;
mod manual;
mod mcp;
mod model_file;
mod model_sheet;
mod options;
mod outcomes;
mod output;
mod pool;
pub mod print;
pub mod releaseexpr;
mod request;
mod run;
pub mod sentences;
mod watch;
mod zones;

pub use accounts::ids_now;
pub use arguments::ArgumentError;
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
