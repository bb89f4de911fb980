//! What can go wrong on the way to held jobs.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why jobs, ads or counts could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueueError {
    /// A tool of HTCondor is not on PATH or cannot be started.
    #[error(
        "cannot run {tool}: {source}; is HTCondor installed and on PATH? Without it use -jobads or -userlog"
    )]
    Start {
        /// Its name.
        tool: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// A tool of HTCondor ended with a failure.
    #[error("{tool} failed: {said}")]
    Failed {
        /// Its name.
        tool: &'static str,
        /// Its first line of complaint.
        said: String,
    },
    /// A tool of HTCondor took too long and was ended.
    #[error("{tool} gave no answer within {} s (HOLDADVISE_TIMEOUT_SECONDS sets the limit){}", after.as_secs(), hint(tool))]
    TimedOut {
        /// Its name.
        tool: &'static str,
        /// The time it had.
        after: Duration,
    },
    /// A tool of HTCondor wrote more than is read, and was ended.
    #[error("{tool} wrote more than {} MiB; what came behind that was not read", most >> 20)]
    TooLong {
        /// Its name.
        tool: &'static str,
        /// Bytes that are read.
        most: u64,
    },
    /// A file cannot be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file; `-` is standard input.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file has no ClassAds in it.
    #[error("{} holds no ClassAds: {expected}", path.display())]
    NotAds {
        /// The file; `-` is standard input.
        path: PathBuf,
        /// What was expected.
        expected: String,
    },
    /// The constraint is no ClassAd expression.
    #[error("-constraint {constraint:?} is not a ClassAd expression: {reason}")]
    Constraint {
        /// The text given.
        constraint: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// What to do where the schedd answers others.
fn hint(tool: &str) -> &'static str {
    match tool {
        "condor_q" => {
            "; if it answers about other jobs, an attribute of one of these may refer to itself without end: ask by \
             cluster.proc, or leave its owner out (-constraint 'Owner != \"NAME\"')"
        }
        _ => "",
    }
}
