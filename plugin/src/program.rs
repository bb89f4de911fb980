//! What the programs of this crate say and how they end.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

/// `-version`
pub fn version() -> ExitCode {
    printed(&format!("$HoldadviseVersion: {} $\n", env!("CARGO_PKG_VERSION")))
}

/// Arguments that it does not know.
pub fn misused(help: &str) -> ExitCode {
    eprint!("Error: unknown arguments\n{help}");
    ExitCode::from(2)
}

/// Prints a text.
pub fn printed(text: &str) -> ExitCode {
    ended(std::io::stdout().write_all(text.as_bytes()))
}

/// Ends, and says why where it failed.
pub fn ended<E: Display>(result: Result<(), E>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints what went wrong, a line each.
pub fn warn(faults: &[String]) {
    for fault in faults {
        eprintln!("Warning: {fault}");
    }
}
