//! Words of a hold reason as numbers: hashed words, and cues that people read in them.

use crate::history::reason;
use crate::memo::Memo;
use eventlog::fnv1a;

/// Buckets that words are hashed into.
pub(crate) const BUCKETS: usize = 64;

/// What people read in a hold reason: a name, and the parts of lower-case text that say it. The
/// wording of HTCondor, of its plug-ins and of operating systems (errno messages) changes; these
/// survive it.
pub(crate) const CUES: [(&str, &[&str]); 20] = [
    (
        "unreachable",
        &[
            "could not connect",
            "couldn't connect",
            "connection refused",
            "failed to connect",
            "unreachable",
            "no route to host",
        ],
    ),
    ("timed-out", &["timed out", "timeout", "time-out", "etime"]),
    (
        "interrupted",
        &[
            "connection reset",
            "broken pipe",
            "closed connection",
            "connection closed",
            "lost connection",
            "disconnected",
            "unexpected eof",
            "transfer interrupted",
            "partial file",
            "empty reply",
        ],
    ),
    (
        "unresolved",
        &[
            "could not resolve",
            "couldn't resolve",
            "name or service not known",
            "unknown host",
            "name resolution",
        ],
    ),
    ("not-found", &["404", "not found", "no such file", "does not exist", "enoent"]),
    (
        "denied",
        &[
            "permission denied",
            "403",
            "401",
            "forbidden",
            "unauthorized",
            "not authorized",
            "access denied",
            "eacces",
            "operation not permitted",
        ],
    ),
    (
        "server-error",
        &[
            "500",
            "502",
            "503",
            "504",
            "internal server error",
            "service unavailable",
            "bad gateway",
            "gateway",
            "overloaded",
            "too many requests",
            "429",
        ],
    ),
    ("no-space", &["no space left", "quota", "disk full", "enospc", "edquot"]),
    ("memory", &["memory"]),
    (
        "disk-use",
        &["disk usage", "disk limit", "request_disk", "requestdisk", "storage limit", "scratch"],
    ),
    ("credential", &["credential", "proxy", "token", "certificate", "expired", "x509"]),
    (
        "bad-executable",
        &[
            "exec format error",
            "bad interpreter",
            "not executable",
            "failed to execute",
            "failed to start",
            "create_process",
        ],
    ),
    ("image", &["image", "container", "docker", "singularity", "apptainer", "cvmfs"]),
    (
        "time-limit",
        &[
            "hours",
            "hrs",
            "duration",
            "runtime",
            "run time",
            "walltime",
            "wall time",
            "too long",
            "time limit",
        ],
    ),
    (
        "exit-status",
        &[
            "exit code",
            "exitcode",
            "exit status",
            "exited with",
            "on_exit_hold",
            "onexithold",
            "signal",
            "non-zero",
        ],
    ),
    ("by-person", &["via condor_hold", "by user"]),
    ("output", &["output", "stageout", "stage out"]),
    ("input", &["input", "stagein", "stage in"]),
    (
        "stale-mount",
        &[
            "stale file handle",
            "input/output error",
            "transport endpoint",
            "estale",
            "eio",
            "not mounted",
            "is not a directory",
        ],
    ),
    (
        "policy",
        &["policy", "expression", "evaluated", "periodic_hold", "periodichold", "system_periodic"],
    ),
];

/// What a hold reason says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    /// The buckets that its words fall into.
    pub(super) hashed: [bool; BUCKETS],
    /// The cues that it has.
    pub(super) cues: [bool; CUES.len()],
}

impl Words {
    /// Of no reason.
    pub(super) const NONE: Self = Self { hashed: [false; BUCKETS], cues: [false; CUES.len()] };

    /// Paths, URLs and names of hosts and users are no part of what a reason says.
    pub(super) fn of(reason: &str) -> Self {
        thread_local!(static MEMO: Memo<Words> = const { Memo::new() });
        MEMO.with(|memo| {
            memo.get(reason, |reason| {
                let mut hashed = [false; BUCKETS];
                reason::words(reason).for_each(|word| hashed[bucket(&word)] = true);
                let text = reason::normalised(reason).to_lowercase();
                Self {
                    hashed,
                    cues: CUES.map(|(_, parts)| parts.iter().any(|part| text.contains(part))),
                }
            })
        })
    }
}

fn bucket(word: &str) -> usize {
    (fnv1a(word.as_bytes()) % BUCKETS as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_and_missing_differ() {
        let cue = |text: &str| {
            CUES.iter()
                .zip(Words::of(text).cues)
                .filter(|(_, said)| *said)
                .map(|(cue, _)| cue.0)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            cue("curl: Failed to connect to host port 80: Connection refused"),
            ["unreachable"]
        );
        assert_eq!(cue("The requested URL returned error: 404"), ["not-found"]);
    }
}
