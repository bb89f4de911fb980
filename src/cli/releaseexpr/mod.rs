//! The command line of `condor_releaseexpr`.

mod explain;
mod explain_json;
mod explain_text;
mod input;
mod lint;
mod manual;
mod options;
mod print;
mod request;
mod run;

pub use manual::manual_page;
pub use run::run;
