//! What submit files say of files that jobs write.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use eventlog::input;

use super::Line;

/// Bytes of a submit file that are read.
const LONGEST_SUBMIT: u64 = 1 << 20;

/// What a submit file says of files that jobs write.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Submit {
    /// The job event log; `None` where it is named by a macro or not at all.
    pub(super) log: Option<PathBuf>,
    /// The folder that other names are relative to; `None` where it is named by a macro.
    pub(super) folder: Option<PathBuf>,
    /// The error output, with its macros.
    pub(super) error: Option<String>,
    /// It is not there: the line that names it, and its path.
    pub(super) absent: Option<(Line, PathBuf)>,
}

impl Submit {
    /// Reads a submit file, submitted in this folder, that a line names. One that cannot be read
    /// says nothing.
    pub(super) fn read(file: &Path, folder: &Path, line: Line) -> Self {
        let mut text = Vec::new();
        let read = input::open_regular(file)
            .and_then(|file| file.take(LONGEST_SUBMIT).read_to_end(&mut text));
        if let Err(error) = read {
            let is_absent = error.kind() == io::ErrorKind::NotFound;
            let absent = is_absent.then(|| (line, file.to_owned()));
            return Self { absent, ..Self::default() };
        }
        let text = String::from_utf8_lossy(&text);
        let value = |name: &str| {
            let of = |line: &str| {
                let (key, value) = line.split_once('=')?;
                key.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
            };
            text.lines().filter_map(of).next_back().filter(|value| !value.is_empty())
        };
        let place = value("initialdir").unwrap_or_default();
        let folder = (!place.contains('$')).then(|| folder.join(place));
        let log = value("log").filter(|log| !log.contains('$') && log != "/dev/null");
        Self {
            log: folder.as_ref().zip(log).map(|(folder, log)| folder.join(log)),
            error: value("error"),
            folder,
            absent: None,
        }
    }
}
