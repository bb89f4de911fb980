//! Printing that does not mind when nobody reads on.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};

use holdadvise::text::to_json;
use serde::Serialize;

/// Writes to standard output. A reader that has seen enough, as `head`, is no error; anything else
/// is said.
pub fn say(text: Arguments<'_>) {
    match std::io::stdout().write_fmt(text) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            eprintln!("Error: standard output: {error}");
        }
        _ => {}
    }
}

/// Writes each thing to standard output as JSON on a line of its own.
///
/// # Errors
/// When standard output cannot be written.
pub fn json_lines<T: Serialize>(things: &[T]) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for thing in things {
        json_line(&mut out, thing)?;
    }
    out.flush()
}

/// Writes a thing as JSON on a line of its own, with characters that nobody sees as `\uXXXX`.
///
/// # Errors
/// When `out` cannot be written.
pub fn json_line(out: &mut impl Write, thing: &impl Serialize) -> io::Result<()> {
    writeln!(out, "{}", to_json(thing)?)
}
