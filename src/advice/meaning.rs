//! What codes, subcodes and hold reasons say, from the table of codes and the reason.

use crate::history::reason::{self, Files, Side, words};
use serde::Serialize;

use crate::hold_code::{HoldCode, Subcode};
use crate::memo::Memo;

/// What holds of one cause share: what their codes and reasons say where that names the cause, since several versions
/// of HTCondor word it in several ways, and else the normalised reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SharedCause {
    /// The codes name it.
    Codes {
        /// HoldReasonCode, of a transfer by what was moved.
        code: i32,
        /// HoldReasonSubCode.
        subcode: i32,
        /// Which end of a transfer failed.
        side: Option<Side>,
        /// The resource that it is about.
        resource: Option<Resource>,
        /// What a file-transfer plug-in complains of.
        trouble: Option<UrlTrouble>,
    },
    /// The normalised reason names it.
    Reason(String),
}

impl SharedCause {
    /// Of a hold.
    pub fn of(code: i32, subcode: i32, reason: &str) -> Self {
        if !tells_cause(Some(code)) {
            return Self::Reason(reason::normalised(reason));
        }
        Self::Codes {
            code: code_of_transfer(code, reason),
            subcode,
            side: reason::side(reason),
            resource: resource(code, Some(subcode), reason),
            trouble: url_trouble(reason).filter(|_| subcode >= 256),
        }
    }
}

/// Whether the codes say what failed, so that they name the cause as well as the reason does, in whichever of
/// HTCondor's wordings that is. The reason of a policy or a hook says what its code does not.
pub fn tells_cause(code: Option<i32>) -> bool {
    let kind = code.and_then(HoldCode::of).map(|known| known.subcode);
    matches!(kind, Some(Subcode::Errno | Subcode::Transfer | Subcode::Resource))
}

/// The usual change for this code, as a clause without capital and full stop. `None` where nothing is
/// to be changed (protocol errors, services that were away) or the code is not known.
pub fn usual_change(code: i32, subcode: Option<i32>, reason: &str) -> Option<&'static str> {
    let code = code_of_transfer(code, reason);
    let known = HoldCode::of(code)?;
    let change = match (known.subcode, resource(code, subcode, reason)) {
        (Subcode::Resource | Subcode::Policy, Some(Resource::Memory)) => "request more memory",
        (Subcode::Resource | Subcode::Policy, Some(Resource::Disk)) => "request more disk",
        _ => transfer_change(code, subcode, reason).unwrap_or(known.change),
    };
    (!change.is_empty()).then_some(change)
}

/// What helps a failed transfer, where the subcode says more than the code.
fn transfer_change(code: i32, subcode: Option<i32>, reason: &str) -> Option<&'static str> {
    if HoldCode::of(code)?.subcode != Subcode::Transfer {
        return None;
    }
    match subcode? {
        122 => Some("free some of the quota"),
        28 if at_execution_point(reason) => Some("another execution point, or less data"),
        28 => Some("free space where the files go"),
        13 | 1 => Some("correct the permissions"),
        4 | 5 | 11 | 32 | 62 | 100..=105 | 107 | 110..=113 | 116 | 121 => Some(""),
        2 if code == 12 => Some("see why the program did not write that file"),
        256.. => Some(match url_trouble(reason) {
            Some(UrlTrouble::NotFound) => "correct the URL, or put the file back on its server",
            Some(UrlTrouble::Denied) => "renew the credential, or ask for access to the file",
            Some(UrlTrouble::Away) => "",
            None => "see whether the URL can be fetched",
        }),
        _ => None,
    }
}

/// What a file-transfer plug-in complains of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UrlTrouble {
    /// The server has no such file.
    NotFound,
    /// The server does not give it to this user.
    Denied,
    /// The server could not be reached, or failed.
    Away,
}

/// Reads the complaint of a file-transfer plug-in (curl's and Pelican's words, HTTP statuses). `None`
/// where it is none of these.
pub fn url_trouble(reason: &str) -> Option<UrlTrouble> {
    thread_local!(static MEMO: Memo<Option<UrlTrouble>> = const { Memo::new() });
    MEMO.with(|memo| memo.get(reason, complaint))
}

fn complaint(reason: &str) -> Option<UrlTrouble> {
    // The execution point lacks the plug-in: nothing was asked of a server.
    if reason.contains("plugin for type") {
        return None;
    }
    let text = crate::history::reason::normalised(reason).to_lowercase();
    let has = |clues: &[&str]| clues.iter().any(|clue| text.contains(clue));
    let statuses = words(reason).any(|word| matches!(word.as_str(), "404" | "410"));
    // A server that answers is not away: its answer goes first.
    if statuses
        || has(&[
            "not found",
            "no such file",
            "no such object",
            "does not exist",
            "no sources found",
        ])
    {
        Some(UrlTrouble::NotFound)
    } else if words(reason).any(|word| matches!(word.as_str(), "401" | "403"))
        || has(&[
            "permission denied",
            "forbidden",
            "unauthorized",
            "access denied",
            "not authorized",
            "authorization",
            "token",
        ])
    {
        Some(UrlTrouble::Denied)
    } else if words(reason)
        .any(|word| matches!(word.as_str(), "408" | "429" | "500" | "502" | "503" | "504"))
        || has(&[
            "connection refused",
            "could not connect",
            "failed to connect",
            "couldn't connect",
            "timed out",
            "timeout",
            "timer expired",
            "could not resolve",
            "couldn't resolve",
            "connection reset",
            "no route to host",
            "network is unreachable",
            "temporarily",
            "unavailable",
            "empty reply",
            "unexpected eof",
            "transfer closed",
        ])
    {
        Some(UrlTrouble::Away)
    } else {
        None
    }
}

/// A resource a hold can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Resource {
    /// RequestMemory bounds it.
    Memory,
    /// RequestDisk bounds it.
    Disk,
}

/// The resource this hold is about, for the codes that can be about one: of a request by subcode (102
/// memory, 104 disk; 0 and 102 were both before 24.0.12, so the text goes before 102), of policies by
/// their reason's words.
pub fn resource(code: i32, subcode: Option<i32>, reason: &str) -> Option<Resource> {
    match (HoldCode::of(code)?.subcode, subcode) {
        (Subcode::Resource, Some(104)) => Some(Resource::Disk),
        (Subcode::Resource, None | Some(0 | 102)) => {
            Some(resource_of(reason).unwrap_or(Resource::Memory))
        }
        (Subcode::Resource | Subcode::Policy, _) => resource_of(reason),
        _ => None,
    }
}

/// Memory or disk by the words of the reason: the one named first.
fn resource_of(reason: &str) -> Option<Resource> {
    words(reason).find_map(|word| match word.as_str() {
        "memory" | "request_memory" | "requestmemory" | "memoryusage" | "imagesize" | "rss"
        | "residentsetsize" | "ram" | "out_of_memory" | "oom" => Some(Resource::Memory),
        "disk" | "request_disk" | "requestdisk" | "diskusage" | "scratchdirfilesize" => {
            Some(Resource::Disk)
        }
        _ => None,
    })
}

/// Whether the text says that a transfer failed at the execution point.
pub(super) fn at_execution_point(reason: &str) -> bool {
    reason::side(reason) == Some(Side::ExecutionPoint)
}

/// The code of a failed transfer by what its reason says was moved: 12 of output, 13 of input. Others stay.
pub(crate) fn code_of_transfer(code: i32, reason: &str) -> i32 {
    match (code, reason::files(reason)) {
        (12 | 13, Some(Files::Output)) => 12,
        (12 | 13, Some(Files::Input)) => 13,
        _ => code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_say_in_their_reason_what_their_code_does_not() {
        for code in [6, 13, 34] {
            assert!(tells_cause(Some(code)), "{code}");
        }
        for code in [Some(3), Some(21), Some(26), Some(48), Some(999), None] {
            assert!(!tells_cause(code), "{code:?}");
        }
    }

    #[test]
    fn memory_and_disk_are_told_apart() {
        assert_eq!(
            resource(34, Some(102), "Job has gone over cgroup memory limit of 1 megabytes"),
            Some(Resource::Memory)
        );
        assert_eq!(resource(34, Some(104), ""), Some(Resource::Disk));
        assert_eq!(
            resource(34, Some(0), "Job has exceeded allocated disk (1 GB)."),
            Some(Resource::Disk)
        );
        assert_eq!(resource(34, Some(0), ""), Some(Resource::Memory));
        assert_eq!(resource(34, Some(7), ""), None);
        assert_eq!(
            resource(
                26,
                Some(0),
                "put on hold by SYSTEM_PERIODIC_HOLD due to memory usage 10572684."
            ),
            Some(Resource::Memory)
        );
        assert_eq!(resource(21, Some(0), "Job failed to complete in 72 hrs"), None);
        assert_eq!(resource(13, Some(2), "reading from file /x/memory: (errno 2)"), None);
        assert!(usual_change(26, Some(0), "memory usage 12").is_some_and(|c| c.contains("memory")));
    }

    #[test]
    fn complaints_of_plug_ins_are_read() {
        let of = |error: &str| {
            url_trouble(&format!(
                "FILETRANSFER:1:non-zero exit (1) from /usr/libexec/condor/curl_plugin. |Error: {error} ( URL file = http://h.org/404 )|"
            ))
        };
        assert_eq!(
            of("The requested URL returned error: 404 Not Found"),
            Some(UrlTrouble::NotFound)
        );
        assert_eq!(of("The requested URL returned error: 404"), Some(UrlTrouble::NotFound));
        assert_eq!(of("The requested URL returned error: 403"), Some(UrlTrouble::Denied));
        assert_eq!(of("The requested URL returned error: 503"), Some(UrlTrouble::Away));
        assert_eq!(
            of("Failed to connect to 127.0.0.1 port 8080: Connection refused"),
            Some(UrlTrouble::Away)
        );
        assert_eq!(of("Could not resolve host: h.org"), Some(UrlTrouble::Away));
        assert_eq!(of("odd"), None);
        assert_eq!(
            url_trouble("FILETRANSFER:1:FILETRANSFER: plugin for type osdf not found!"),
            None
        );
        assert_eq!(usual_change(13, Some(256), "Connection refused"), None);
        assert!(
            usual_change(13, Some(256), "returned error: 404").is_some_and(|c| c.contains("URL"))
        );
    }

    #[test]
    fn transient_causes_ask_for_no_change() {
        for (code, subcode) in [(11, 0), (18, 0), (40, 12), (13, 110), (13, 62)] {
            assert_eq!(usual_change(code, Some(subcode), ""), None, "{code}/{subcode}");
        }
    }
}
