//! Checks release policies of HTCondor jobs.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    holdadvise::cli::releaseexpr::run(&arguments)
}
