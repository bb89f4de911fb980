//! Keeps the event log and the epoch ads of an access point over their rotations.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    holdadvise::cli::collect::run(&arguments)
}
