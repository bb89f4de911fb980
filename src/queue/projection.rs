//! Which attributes of a job ad are kept.

use std::collections::HashSet;

/// What is needed besides what the features read: to find the logs, to print, to tell what HTCondor will
/// do by itself.
const NEEDED: &[&str] = &[
    "ClusterId",
    "ProcId",
    "Owner",
    "User",
    "JobStatus",
    "HoldReason",
    "HoldReasonCode",
    "HoldReasonSubCode",
    "NumHolds",
    "NumHoldsByReason",
    "EnteredCurrentStatus",
    "QDate",
    "JobCurrentStartDate",
    "JobStartDate",
    "JobRunCount",
    "NumJobStarts",
    "NumShadowStarts",
    "NumShadowExceptions",
    "NumSystemHolds",
    "ExitCode",
    "ExitBySignal",
    "ExitSignal",
    "Iwd",
    "UserLog",
    "DAGManNodesLog",
    "DAGManJobId",
    "DAGNodeName",
    "JobUniverse",
    "LeaveJobInQueue",
    "ServerTime",
    "RemoteWallClockTime",
    "CumulativeSuspensionTime",
    "BytesRecvd",
    "BytesSent",
    "LastRemoteHost",
    "MachineAttrGLIDEIN_ResourceName0",
    "MachineAttrGLIDEIN_Site0",
    "RequestMemory",
    "MemoryProvisioned",
    "MemoryUsage",
    "ResidentSetSize",
    "ResidentSetSize_RAW",
    "RequestDisk",
    "DiskProvisioned",
    "DiskUsage",
    "DiskUsage_RAW",
    "Requirements",
    "Cmd",
    "x509userproxy",
    "ContainerImage",
    "DockerImage",
    "AllowedJobDuration",
    "AllowedExecuteDuration",
    "Managed",
    "LastJobStatus",
    "JobStatusOnRelease",
    "EpochAdType",
    "EpochWriteDate",
    "JobCurrentFinishTransferInputDate",
    "TransferInput",
];

/// Expressions of the job that HTCondor evaluates while it is held; what they refer to is kept as well.
const POLICIES: &[&str] = &[
    "PeriodicRelease",
    "PeriodicRemove",
    "PeriodicHold",
    "PeriodicHoldReason",
    "PeriodicHoldSubCode",
    "OnExitHold",
    "OnExitRemove",
    "TimerRemove",
    "TimerRemoveCheck",
    "MaxRetries",
];

/// Names are shorter than this, in bytes.
const LONGEST_NAME: usize = 128;

/// The attributes kept of each ad.
#[derive(Clone, Debug)]
pub struct Projection {
    /// Names as HTCondor writes them, in the order asked for.
    names: Vec<String>,
    /// The same in lower case.
    keys: HashSet<Box<[u8]>>,
    /// For each first byte of a key the lengths of its keys, a bit each: most names of an ad differ
    /// from all keys in that already.
    lengths: [u128; 256],
}

impl Projection {
    /// What the advisor needs, what `features` reads, and what an expression (such as a constraint)
    /// refers to.
    pub fn new(features: &[&str], expression: Option<&str>) -> Self {
        let mut out = Self { names: Vec::new(), keys: HashSet::new(), lengths: [0; 256] };
        for name in NEEDED.iter().chain(POLICIES).chain(features) {
            out.add(name);
        }
        for name in expression.into_iter().flat_map(references) {
            out.add(name);
        }
        out
    }

    fn add(&mut self, name: &str) {
        let key = name.to_ascii_lowercase().into_bytes();
        let Some(first) = key.first().filter(|_| key.len() < LONGEST_NAME) else { return };
        self.lengths[usize::from(*first)] |= 1 << key.len();
        if self.keys.insert(key.into()) {
            self.names.push(name.to_owned());
        }
    }

    /// True when the attribute is kept, whatever the case of its name.
    pub fn keeps(&self, name: &[u8]) -> bool {
        let Some(first) = name.first().filter(|_| name.len() < LONGEST_NAME) else { return false };
        if self.lengths[usize::from(first.to_ascii_lowercase())] & (1 << name.len()) == 0 {
            return false;
        }
        let mut lower = [0; LONGEST_NAME];
        let Some(lower) = lower.get_mut(..name.len()) else { return false };
        lower.copy_from_slice(name);
        lower.make_ascii_lowercase();
        self.keys.contains(&*lower)
    }

    /// The names separated by commas, as `-attributes` takes them.
    pub fn list(&self) -> String {
        self.names.join(",")
    }
}

/// True for expressions whose references are kept.
pub(super) fn is_policy(name: &[u8]) -> bool {
    POLICIES.iter().any(|policy| policy.as_bytes().eq_ignore_ascii_case(name))
}

/// The words of an expression that may name attributes: strings left aside, functions and keywords not
/// told apart.
pub(super) fn references(expression: &str) -> impl Iterator<Item = &str> {
    let mut rest = expression;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start_matches(|c: char| c != '"' && !is_word(c));
            if let Some(inside) = rest.strip_prefix('"') {
                let end = string_end(inside.as_bytes());
                rest = &inside[end..];
                continue;
            }
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            rest = after;
            if word.is_empty() {
                return None;
            }
            if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                return Some(word);
            }
        }
    })
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Where what follows a string begins, the opening quote read.
fn string_end(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'"', &bytes[at..]) {
        at += found + 1;
        if at < 2 || bytes[at - 2] != b'\\' {
            return at;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn references_of_an_expression() {
        let expression =
            r#"(NumJobStarts < 3e2) && MY.HoldReason =!= "a \"quoted\" Word" || 2x(_y)"#;
        let words: Vec<&str> = references(expression).collect();
        assert_eq!(words, ["NumJobStarts", "MY", "HoldReason", "_y"]);
    }

    #[test]
    fn names_have_no_case() {
        let projection = Projection::new(&["TransferInput", "owner"], Some("MyTries > 2"));
        for kept in ["clusterid", "TRANSFERINPUT", "mytries", "PeriodicRelease"] {
            assert!(projection.keeps(kept.as_bytes()), "{kept}");
        }
        assert!(!projection.keeps(b"Environment"));
        assert!(!projection.keeps(&[b'a'; 4000]));
        assert_eq!(projection.list().matches("wner").count(), 1);
    }

    proptest! {
        #[test]
        fn any_expression_is_read(expression in any::<String>()) {
            for word in references(&expression) {
                prop_assert!(!word.is_empty());
            }
        }
    }
}
