//! What every tool does with standard output and standard error.

use std::cell::RefCell;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use super::RunError;
use crate::text::{in_words, printable};

/// Does the work of a tool, writing to standard output; an error is said, and `failure` is the exit
/// status then.
pub(super) fn run(
    work: impl FnOnce(&mut dyn Write) -> Result<ExitCode, RunError>,
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

thread_local! {
    /// Where lines go while somebody collects them.
    static COLLECTED: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// A line on standard error, or for who collects them.
pub(in crate::cli) fn say(what: &str, line: &str) {
    let line = format!("{what}: {}", in_words(&printable(line)));
    COLLECTED.with_borrow_mut(|collected| match collected {
        Some(lines) => lines.push(line),
        None => eprintln!("{line}"),
    });
}

/// What `work` gives, and the lines that it would have written on standard error.
pub(super) fn said_by<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    COLLECTED.set(Some(Vec::new()));
    let given = work();
    (given, COLLECTED.take().unwrap_or_default())
}

/// Whether advice is coloured: not with NO_COLOR (<https://no-color.org>), always with CLICOLOR_FORCE
/// (<https://bixense.com/clicolors>), else where a terminal shows standard output.
pub(super) fn shows_colour() -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let is_forced = set("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    set("NO_COLOR").is_none() && (is_forced || io::stdout().is_terminal() && !is_dumb)
}

/// Whether the locale has more characters than ASCII; the first variable that is set names it.
pub(super) fn has_utf8() -> bool {
    let set = |name: &&str| std::env::var_os(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set).unwrap_or_default();
    let locale = locale.to_string_lossy().to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}
