//! Printing that does not mind when nobody reads on.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// Writes to standard output. A reader that has seen enough, as `head`, is no error; anything else is said.
pub fn say(text: Arguments<'_>) {
    match std::io::stdout().write_fmt(text) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            eprintln!("Error: standard output: {error}");
        }
        _ => {}
    }
}
