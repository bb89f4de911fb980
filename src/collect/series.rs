//! The two series of files that are kept.

use std::fmt;

use serde::{Deserialize, Serialize};

use eventlog::Form;

/// Digits of a number at least, so that names sort as their numbers do.
const DIGITS: usize = 6;

/// Files that HTCondor writes and rotates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Series {
    /// The event log of the access point (`EVENT_LOG`).
    #[serde(rename = "EventLog")]
    EventLog,
    /// The ads of runs (`JOB_EPOCH_HISTORY`).
    #[serde(rename = "epoch_history")]
    Epochs,
}

impl Series {
    /// Both.
    pub const ALL: [Self; 2] = [Self::EventLog, Self::Epochs];

    /// What the names of its files begin with.
    pub fn name(self) -> &'static str {
        match self {
            Self::EventLog => "EventLog",
            Self::Epochs => "epoch_history",
        }
    }

    /// The name of its file with this number, such as `EventLog.000123`.
    pub(super) fn file(self, number: u64) -> String {
        format!("{self}.{number:0DIGITS$}")
    }

    /// A line ends an event or ad, in a file of this form.
    pub(super) fn is_end(self, form: Form, line: &[u8]) -> bool {
        match (self, form) {
            (Self::Epochs, _) => line.starts_with(b"***"),
            (Self::EventLog, Form::Text) => line == b"...",
            (Self::EventLog, Form::Xml) => line.ends_with(b"</c>"),
            (Self::EventLog, Form::Json) => matches!(line, [b'}', ..] | [b'{', .., b'}']),
        }
    }

    /// The number in the name of one of its files.
    pub(super) fn number(self, name: &str) -> Option<u64> {
        let number = name.strip_prefix(self.name())?.strip_prefix('.')?;
        let is_number = number.len() >= DIGITS && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| number.parse().ok()).flatten().filter(|&read| self.file(read) == name)
    }
}

impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_number() {
        assert_eq!(Series::EventLog.file(7), "EventLog.000007");
        assert_eq!(Series::Epochs.file(12_345_678), "epoch_history.12345678");
        for (name, number) in [
            ("EventLog.000007", Some(7)),
            ("EventLog.1234567", Some(1_234_567)),
            ("EventLog.0000007", None),
            ("EventLog.7", None),
            ("EventLog.old", None),
            ("EventLog", None),
            ("epoch_history.000007", None),
            ("EventLog.99999999999999999999999", None),
        ] {
            assert_eq!(Series::EventLog.number(name), number, "{name}");
        }
    }
}
