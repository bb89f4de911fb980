//! The command line of `condor_holdadvise`: options, configuration, and what is printed.

mod config;
mod debug;
mod help;
mod manual;
mod normalise;
mod options;
pub mod print;
mod request;

pub use config::Config;
pub use debug::switch_on as switch_debug_on;
pub use help::text as usage;
pub use manual::manual_page;
pub use normalise::ArgumentError;
pub use request::{Output, Request};
