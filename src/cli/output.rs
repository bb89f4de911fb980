//! What every tool does with standard output and standard error.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

/// An error of a tool.
pub(super) trait ToolError: std::error::Error + From<io::Error> {
    /// Whether standard output could not be written, and why.
    fn of_output(&self) -> Option<&io::Error>;
}

/// Does the work of a tool, writing to standard output; an error is said, and `failure` is the exit
/// status then.
pub(super) fn run<E: ToolError>(
    work: impl FnOnce(&mut dyn Write) -> Result<ExitCode, E>,
    failure: ExitCode,
) -> ExitCode {
    let mut out = BufWriter::new(io::stdout().lock());
    match work(&mut out).and_then(|status| Ok(out.flush().map(|()| status)?)) {
        Ok(status) => status,
        // Whoever reads has seen enough.
        Err(error) if error.of_output().is_some_and(is_closed) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = out.flush();
            say("Error", &error.to_string());
            failure
        }
    }
}

fn is_closed(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// A line on standard error.
pub(in crate::cli) fn say(what: &str, line: &str) {
    eprintln!("{what}: {}", crate::text::strip_control(line));
}
