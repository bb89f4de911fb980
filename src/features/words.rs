//! Words of a hold reason as numbers: hashed words, and cues that people read in them.

use std::rc::Rc;

use crate::fnv::fnv1a;
use crate::history::reason;
use crate::memo::Memo;

/// Buckets that words are hashed into.
pub(crate) const BUCKETS: usize = 64;

/// What people read in a hold reason: a name, and the parts of lower-case text that say it. The wording of HTCondor,
/// of its plug-ins and of operating systems (errno messages) changes; these survive it.
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

/// 1.0 in the bucket of each word of the reason, else 0.0.
pub(crate) fn hashed(text: &str, row: &mut [f32]) {
    thread_local!(static MEMO: Memo<Rc<[usize]>> = const { Memo::new() });
    let buckets = |text: &str| reason::words(text).map(|word| bucket(&word)).collect();
    for &bucket in &*MEMO.with(|memo| memo.get(text, buckets)) {
        row[bucket] = 1.0;
    }
}

/// 1.0 for each cue the reason has, else 0.0. Paths, URLs and names of hosts and users are no part of what it says.
pub(crate) fn cues(text: &str, row: &mut [f32]) {
    thread_local!(static MEMO: Memo<[bool; CUES.len()]> = const { Memo::new() });
    let said = |text: &str| {
        let text = reason::normalised(text).to_lowercase();
        CUES.map(|(_, parts)| parts.iter().any(|part| text.contains(part)))
    };
    for (value, said) in row.iter_mut().zip(MEMO.with(|memo| memo.get(text, said))) {
        *value = f32::from(u8::from(said));
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
            let mut row = [0.0; CUES.len()];
            cues(text, &mut row);
            CUES.iter()
                .zip(row)
                .filter(|(_, value)| *value > 0.0)
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
