//! Tools that do better than a release for some holds.

use super::clause::Reason;
use crate::policy::Version;

/// What should stand beside a release policy, or in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// The reason it is for.
    pub reason: Reason,
    /// Lines of a submit description; none where there is no command for it.
    pub lines: Vec<String>,
    /// Why, in a sentence.
    pub why: String,
}

/// Since when `retry_request_memory` is there (version history, 25.2.1).
const RETRY_MEMORY: Version = Version::new(25, 2, 1);

/// Since when `retry_request_disk` is there (version history, 25.10.1).
const RETRY_DISK: Version = Version::new(25, 10, 1);

/// What does better than releasing holds of a reason, in a version of HTCondor.
pub fn beside((code, subcode): Reason, version: Version) -> Option<Beside> {
    let (what, command, since) = match (code, subcode) {
        (34, 0 | 102) => ("memory", "retry_request_memory", RETRY_MEMORY),
        (34, 104) => ("disk", "retry_request_disk", RETRY_DISK),
        _ => return None,
    };
    let attribute = if what == "memory" { "RequestMemory" } else { "RequestDisk" };
    let (lines, why) = if version >= since {
        (
            vec![
                format!("{command}_increase = {attribute} * 2"),
                format!("{command}_max = <the most a job may ask for>"),
            ],
            format!(
                "a job that used more {what} than it asked for is run again with more, and is not held"
            ),
        )
    } else {
        let why = format!(
            "a release leaves the job with as much {what} as before; {command} is there from {since} on, before that request_{what} has to \
             allow for the largest job"
        );
        (Vec::new(), why)
    };
    Some(Beside { reason: (code, subcode), lines, why })
}
