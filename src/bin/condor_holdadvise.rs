//! Says of held HTCondor jobs whether to release or to remove them.

use std::ffi::OsString;
use std::process::ExitCode;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    holdadvise::cli::run(&arguments)
}
