//! Words of a hold reason as numbers: hashed words, and cues that people read in them.
//!
//! The cues, and the form of a reason that they are looked for in ([`reason::normalised`]), are
//! frozen: models were trained with them. What texts mean stands in [`crate::catalogue`].

use crate::history::reason;
use crate::memo::Memo;
use eventlog::fnv1a;

/// Version of what stands here and of [`reason::normalised`]. It grows when a text gives other words,
/// and is part of the digest of a schema that has columns of them; the digest of version 1 is without.
pub(crate) const VERSION: u32 = 1;

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
    fn texts_give_the_words_of_this_version() {
        let texts = [
            "Transfer input files failure at execution point slot1_1@e1.example.org using protocol \
             osdf. Details: Pelican Client Error: Attempt #2: from cache.example.org:8443: server \
             returned 403 Forbidden (500ms elapsed) ( URL file = osdf:///a/b.txt )|",
            "Error from slot1@c5: Failed to execute '/home/a/run.sh' with arguments -n 5 x y: \
             (errno=13: 'Permission denied')",
            "Job has gone over cgroup memory limit of 2048 megabytes. Peak usage: 2040 megabytes.",
            "Error from slot1@h: STARTER at 10.0.0.9 failed to send file(s) to <10.0.0.1:9618>: error \
             reading from /var/execute/dir_7/out put.csv: (errno 2) No such file or directory",
            "The job attribute PeriodicHold expression 'time() > 1.5e9' evaluated to TRUE",
            "held by 6b5daf05-12ab-4c1d-9f00-aabbccddeeff at 2026-11-21 16:24:10 (by user ana)",
            "C:\\data\\x.dat ~/a ./b ../c data/in.h5 host.example.de:80 1.2.3.4 exit code 127 HTTP 503",
            "| ; ' \" ( ) [ ] { } < > ` = , \u{e9}\u{4e2d} <n> <path>",
        ];
        let said = texts.map(|text| {
            let Words { hashed, cues } = Words::of(text);
            format!("{} {hashed:?} {cues:?}", reason::normalised(text))
        });
        assert_eq!((VERSION, fnv1a(said.concat().as_bytes())), (1, 9_337_819_300_311_818_182));
    }

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
