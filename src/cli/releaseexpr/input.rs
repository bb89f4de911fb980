//! Files that are read whole.

use std::io::Read;
use std::path::Path;

use crate::cli::RunError;
use crate::policy::{Knobs, SettingsFile};
use crate::queue::display_path;
use eventlog::input::is_stdin;

/// Bytes of a file that is read.
const MAX_FILE: u64 = 16 * 1024 * 1024;

/// Reads a file of settings; `-` is standard input.
///
/// # Errors
/// [`RunError::Failed`] when it cannot be read, or has more than 16 MiB.
pub(super) fn read_settings(path: &Path) -> Result<SettingsFile, RunError> {
    let error = |error| unreadable(path, &error);
    let mut bytes = Vec::new();
    let read = if is_stdin(path) {
        std::io::stdin().lock().take(MAX_FILE + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).map_err(error)?.take(MAX_FILE + 1).read_to_end(&mut bytes)
    };
    read.map_err(error)?;
    if bytes.len() as u64 > MAX_FILE {
        let file = display_path(path);
        return Err(RunError::failed(format!(
            "{file} is larger than 16 MiB; a submit description or a configuration file is expected"
        )));
    }
    Ok(SettingsFile::read(&String::from_utf8_lossy(&bytes)))
}

/// A file cannot be read.
pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> RunError {
    RunError::failed(format!("cannot read {}: {error}", display_path(path)))
}

/// A file sets no policy.
pub(super) fn no_policy(file: &str) -> RunError {
    let file = display_path(Path::new(file));
    RunError::failed(format!(
        "{file} sets no policy: no periodic_release, periodic_hold, periodic_remove, on_exit_hold, \
         on_exit_remove or SYSTEM_PERIODIC_ knob"
    ))
}

/// Reads the knobs of an access point from a configuration file, or from what
/// `condor_config_val -dump` wrote.
///
/// # Errors
/// As [`read_settings`], and when it sets nothing.
pub(super) fn read_knobs(path: &Path) -> Result<Knobs, RunError> {
    let settings = read_settings(path)?;
    if settings.assignments().is_empty() {
        let file = display_path(path);
        return Err(RunError::failed(format!(
            "{file} sets nothing; a configuration file is expected, or what condor_config_val -dump \
             writes"
        )));
    }
    let pairs = settings.assignments().iter();
    Ok(pairs.map(|one| (&one.name, one.value.text.as_str())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Kind, Version};

    #[test]
    fn knobs_are_those_of_the_schedd() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ap.config");
        let text = "# Configuration from machine: ap\n\nCONDOR_VERSION = 24.10.2\n\
                    PERIODIC_EXPR_INTERVAL = 60\nschedd.PERIODIC_EXPR_INTERVAL = 2 * 60\n\
                    SYSTEM_MAX_RELEASES = 8\n\
                    SYSTEM_PERIODIC_RELEASE @=end\n  NumHolds < 3\n  && HoldReasonCode == 13\n@end\n";
        std::fs::write(&path, text).unwrap();
        let knobs = read_knobs(&path).unwrap();
        assert_eq!(knobs.version(), Some(Version::new(24, 10, 2)));
        assert_eq!((knobs.interval(), knobs.max_releases()), (Some(120), Some(8)));
        let policies = knobs.system_policies(Kind::Release);
        assert_eq!(policies[0].1, "NumHolds < 3\n  && HoldReasonCode == 13");
    }
}
