//! What people did before they released jobs: `condor_qedit` writes no event, so it is kept here.

use std::collections::HashMap;
use std::io::{self, BufRead};

use serde::{Deserialize, Serialize};

use super::Action;
use crate::userlog::JobId;

/// One line of a journal file: a JSON object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// `cluster.proc`.
    pub job: String,
    /// When the job was released, Unix seconds.
    pub released_at: i64,
    /// What was done before.
    pub action: Action,
}

/// Actions by job and release.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    entries: HashMap<(JobId, i64), Action>,
}

impl Journal {
    /// Reads JSON lines. A line that does not fit is an error that names it.
    pub fn read(input: impl BufRead) -> io::Result<Self> {
        let mut journal = Self::default();
        for (number, line) in input.lines().enumerate() {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let wrong = |what: String| {
                io::Error::new(io::ErrorKind::InvalidData, format!("line {}: {what}", number + 1))
            };
            let entry: JournalEntry =
                serde_json::from_str(&line).map_err(|error| wrong(error.to_string()))?;
            let job = entry.job.parse().map_err(|error| wrong(format!("{error}")))?;
            journal.entries.insert((job, entry.released_at), entry.action);
        }
        Ok(journal)
    }

    /// Notes what was done to `job` before its release at `released_at`.
    pub fn insert(&mut self, job: JobId, released_at: i64, action: Action) {
        self.entries.insert((job, released_at), action);
    }

    /// Adds the entries of another journal; of two about the same release the other's counts.
    pub fn extend(&mut self, other: Self) {
        self.entries.extend(other.entries);
    }

    /// What was done to `job` before its release at `released_at`.
    pub fn action(&self, job: JobId, released_at: i64) -> Option<Action> {
        self.entries.get(&(job, released_at)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines_and_names_a_bad_one() {
        let text = "{\"job\":\"1.0\",\"released_at\":5,\"action\":\"memory\"}\n\n";
        let journal = Journal::read(text.as_bytes()).unwrap();
        assert_eq!(journal.action(JobId::new(1, 0), 5), Some(Action::Memory));
        assert_eq!(journal.action(JobId::new(1, 0), 6), None);
        let error = Journal::read("\n{}".as_bytes()).unwrap_err();
        assert!(error.to_string().starts_with("line 2: "), "{error}");
    }
}
