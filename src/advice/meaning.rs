//! What hold codes and subcodes mean, in plain words, from the table of codes and the reason.

use super::errno::Errno;
use crate::history::reason::{self, Files, Side, words};
use crate::hold_code::{HoldCode, Subcode, VACATE_BASE};
use crate::memo::Memo;

/// Whether the codes say what failed, so that [`meaning`] tells as much of the cause as the reason does, in whichever of
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// [`meaning`], and what is usually changed.
pub fn with_usual_change(code: Option<i32>, subcode: Option<i32>, reason: &str) -> String {
    let mut text = meaning(code, subcode, reason);
    if let Some(change) = code.and_then(|code| usual_change(code, subcode, reason)) {
        text.push_str(&format!(" Usual change: {change}."));
    }
    text
}

/// A hold's code and subcode in plain words: a sentence, ended by a full stop.
///
/// `code` and `subcode` are HoldReasonCode and HoldReasonSubCode; the reason decides only where the
/// codes leave it open (which resource, which side).
pub fn meaning(code: Option<i32>, subcode: Option<i32>, reason: &str) -> String {
    let Some(number) = code else { return "The hold has no code.".to_owned() };
    let number = code_of_transfer(number, reason);
    let Some(known) = HoldCode::of(number) else {
        return if number >= VACATE_BASE {
            format!(
                "Code {number} is a reason for leaving a slot, not for a hold: the system failed, not the job."
            )
        } else {
            format!("Code {number} is none that HTCondor 25 knows.")
        };
    };
    let mut text = capital(known.meaning);
    if matches!(known.subcode, Subcode::Transfer) {
        text.push_str(side(reason));
    }
    if let (Subcode::Policy, Some(subcode)) = (known.subcode, subcode.filter(|&code| code != 0)) {
        text.push_str(&format!(" (subcode {subcode})"));
    } else if let Some(detail) = detail(known, subcode, reason) {
        text.push_str(": ");
        text.push_str(&detail);
    }
    text.push('.');
    text
}

fn detail(known: &HoldCode, subcode: Option<i32>, reason: &str) -> Option<String> {
    let subcode = subcode?;
    match known.subcode {
        Subcode::None | Subcode::Policy => None,
        Subcode::Errno => errno(subcode),
        Subcode::Transfer => transfer(subcode),
        Subcode::Hook => Some(match subcode {
            0 => "it could not be executed".to_owned(),
            ..0 => format!("it was killed by signal {}", subcode.unsigned_abs()),
            _ => format!("it exited with status {subcode}"),
        }),
        Subcode::Resource => resource(known.number, Some(subcode), reason).map(|resource| {
            match resource {
                Resource::Memory => "memory",
                Resource::Disk => "disk",
            }
            .to_owned()
        }),
        Subcode::Exit if subcode >= 0 => Some(format!("exit status {subcode}")),
        Subcode::Exit => Some("its files could not be sent".to_owned()),
        Subcode::Ec2 => ec2(known.number, subcode).map(str::to_owned),
    }
}

fn errno(number: i32) -> Option<String> {
    match Errno::from_number(number) {
        Some(errno) => Some(format!("{} ({}, errno {number})", errno.words, errno.name)),
        None if number > 0 => Some(format!("errno {number}")),
        None => None,
    }
}

/// `docs/codes-other-values/hold-reason-codes.rst`: 62 when a plug-in timed out, its exit status shifted
/// left by eight bits otherwise.
fn transfer(subcode: i32) -> Option<String> {
    match subcode {
        -1001 => Some("there is no plug-in for this kind of URL".to_owned()),
        -1002 => Some("the plug-in for this kind of URL does not work there".to_owned()),
        -1003 => Some("the plug-in could not be executed".to_owned()),
        -1004 => Some("the plug-in reported no result".to_owned()),
        62 => Some("the file-transfer plug-in took too long (ETIME, 62)".to_owned()),
        256.. if subcode % 256 == 0 => Some(format!(
            "the file-transfer plug-in exited with status {} (subcode {subcode} = {} x 256)",
            subcode / 256,
            subcode / 256
        )),
        _ => errno(subcode),
    }
}

/// The table of the EC2 codes in `hold-table.rst`. A subcode may stand for two things under two codes.
fn ec2(code: i32, subcode: i32) -> Option<&'static str> {
    Some(match (code, subcode) {
        (37, 1) => "the file for the access key is not given",
        (37, 2) => "the file for the secret key is not given",
        (37, 4) => "grid_resource has no service URL",
        (37, 9) => "the service refused the keys",
        (37, 10) => "the SSH keypair cannot be used with this kind of server",
        (37, 20) => "somebody cancelled the request at the service",
        (38, 3) => "the grid resource is not of type EC2",
        (38, 5) => "the grid resource type is not set",
        (38, 7) => "the grid job id is not one of EC2",
        (38, 21) => "the service reported a status that was not expected",
        (39, 6) => "EC2_GAHP is not configured",
        (40, 11) => "while making an SSH keypair",
        (40, 12) => "while starting an instance",
        (40, 17) => "while requesting a spot instance",
        (41, 13) => "the instance ended abnormally",
        (41, 14) => "the instance ended for a reason HTCondor does not know",
        (41, 22) => "the service was away for too long",
        (42, 15) => "the connection failed while an instance was being ended",
        (42, 16) => "an instance could not be ended, too many times",
        (42, 17) => "the connection failed while a spot request was being ended",
        (42, 18) => "a spot request could not be ended, too many times",
        (42, 19) => "a spot request was gone before its instance was known",
        _ => return None,
    })
}

/// A resource a hold can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// RequestMemory bounds it.
    Memory,
    /// RequestDisk bounds it.
    Disk,
}

/// The resource this hold is about, for the codes that can be about one: 34 by subcode (102 memory,
/// 104 disk; 0 and 102 were both before 24.0.12, so the text goes before 102), and the policies 3, 21
/// and 26 by their reason's words.
pub fn resource(code: i32, subcode: Option<i32>, reason: &str) -> Option<Resource> {
    if !matches!(code, 3 | 21 | 26 | 34) {
        return None;
    }
    if code == 34 && subcode == Some(104) {
        return Some(Resource::Disk);
    }
    let of_text = resource_of(reason);
    if code == 34 && of_text.is_none() {
        return matches!(subcode, None | Some(0 | 102)).then_some(Resource::Memory);
    }
    of_text
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

fn side(reason: &str) -> &'static str {
    match reason::side(reason) {
        Some(Side::ExecutionPoint) => " (at the execution point)",
        Some(Side::AccessPoint) => " (at the access point)",
        None => "",
    }
}

/// The code of a failed transfer by what its reason says was moved: 12 of output, 13 of input. Others stay.
pub(super) fn code_of_transfer(code: i32, reason: &str) -> i32 {
    match (code, reason::files(reason)) {
        (12 | 13, Some(Files::Output)) => 12,
        (12 | 13, Some(Files::Input)) => 13,
        _ => code,
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: i32, subcode: i32, reason: &str) -> String {
        with_usual_change(Some(code), Some(subcode), reason)
    }

    /// Guides on the web say otherwise: 6 staging of input, 12 running, 21 memory, 34 a job policy.
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
    fn common_errors_about_codes_are_not_repeated() {
        assert!(of(6, 2, "").starts_with("The program could not be started"));
        assert!(of(12, 2, "").contains("output"));
        assert!(!of(21, 0, "Job failed to complete in 72 hrs").to_lowercase().contains("memory"));
        assert!(of(34, 102, "").contains("memory"));
        assert!(!of(34, 102, "").contains("policy"));
        assert!(of(3, 42, "").contains("periodic_hold"));
        assert!(of(13, 2, "").contains("input"));
        for code in 0..50 {
            assert!(!of(code, 0, "").contains("condor_qedit request_memory"));
        }
    }

    #[test]
    fn subcodes_are_decoded() {
        assert!(of(6, 8, "").contains("ENOEXEC, errno 8"));
        assert!(of(13, 256, "").contains("exited with status 1"));
        assert!(of(12, 15 << 8, "").contains("exited with status 15"));
        assert!(of(13, 62, "").contains("took too long"));
        assert!(of(13, 2, "").contains("ENOENT"));
        assert!(of(13, 300, "").contains("errno 300"));
        assert!(of(19, 0, "").contains("could not be executed"));
        assert!(of(48, -9, "").contains("signal 9"));
        assert!(of(37, 9, "").contains("refused the keys"));
        assert!(of(42, 17, "").contains("spot request"));
        assert!(of(40, 17, "").contains("requesting a spot instance"));
        assert!(of(13, i32::MIN, "").starts_with("Moving"));
        assert!(of(19, i32::MIN, "").contains("signal"));
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
    fn the_side_is_said() {
        let access = "Transfer output files failure at access point ap1 while receiving files from execution point slot1@h. Details: writing to file /x: (errno 122) Disk quota exceeded";
        assert!(of(12, 122, access).contains("at the access point"));
        assert!(of(12, 122, access).contains("free some of the quota"));
        let execute = "Transfer input files failure at execution point slot1@h while receiving files from access point ap1. Details: (errno 28)";
        assert!(of(13, 28, execute).contains("another execution point"));
    }

    #[test]
    fn transient_causes_ask_for_no_change() {
        for (code, subcode) in [(11, 0), (18, 0), (40, 12), (13, 110), (13, 62)] {
            assert_eq!(usual_change(code, Some(subcode), ""), None, "{code}/{subcode}");
        }
    }

    #[test]
    fn unknown_codes_are_said_to_be_unknown() {
        assert_eq!(meaning(None, None, ""), "The hold has no code.");
        assert!(of(1022, 0, "").contains("leaving a slot"));
        assert!(of(77, 0, "").contains("none that HTCondor 25 knows"));
        assert!(of(-5, 0, "").contains("none that HTCondor 25 knows"));
    }
}
