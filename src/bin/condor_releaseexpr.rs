//! Checks release policies of HTCondor jobs.

use std::ffi::OsString;
use std::process::ExitCode;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    holdadvise::cli::releaseexpr::run(&arguments)
}
