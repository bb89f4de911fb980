//! `-debug`: what is run and read, on standard error.

use jiff::Zoned;
use log::{Level, LevelFilter, Log, Metadata, Record};

/// Prints a line for each record, with the time before it as HTCondor's tools do.
struct StandardError;

impl Log for StandardError {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::max_level() && metadata.target().starts_with("holdadvise")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let now = Zoned::now().strftime("%m/%d/%y %H:%M:%S");
            eprintln!("{now} {}", crate::text::printable(&record.args().to_string()));
        }
    }

    fn flush(&self) {}
}

/// The level that a value of TOOL_DEBUG asks for: everything with D_FULLDEBUG, D_ALL or a category
/// ending in `:2`, else what is run and read.
fn level(tool_debug: &str) -> LevelFilter {
    let full = tool_debug.split([' ', ',', '|', '\t']).any(|word| {
        let word = word.to_ascii_uppercase();
        ["D_FULLDEBUG", "D_ALL", "D_ANY"].contains(&word.as_str()) || word.ends_with(":2")
    });
    if full { LevelFilter::Debug } else { Level::Info.to_level_filter() }
}

/// Switches debug text on. `tool_debug` is the value of TOOL_DEBUG.
pub fn switch_on(tool_debug: Option<&str>) {
    static LOGGER: StandardError = StandardError;
    // A second call in one process keeps the first logger.
    let _ = log::set_logger(&LOGGER);
    log::set_max_level(level(tool_debug.unwrap_or_default()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels() {
        assert_eq!(level(""), LevelFilter::Info);
        assert_eq!(level("D_ALWAYS D_COMMAND"), LevelFilter::Info);
        assert_eq!(level("D_ALWAYS,D_FULLDEBUG"), LevelFilter::Debug);
        assert_eq!(level("d_always:2"), LevelFilter::Debug);
    }
}
