//! What kind of cause held a job: a property of its code and reason.

use serde::Serialize;

use super::meaning::{at_execution_point, url_trouble};
use crate::history::reason::words;
use crate::hold_code::{About, Cause, about, cause_of};
use crate::sizes::Resource;

/// What a failed access to a file or URL complains of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Trouble {
    /// The file or URL is not there.
    Missing,
    /// Permission is denied.
    Denied,
    /// A service or network was away: that passes.
    Away,
    /// The disk or quota is full where the files go.
    NoSpace,
}

impl Cause {
    /// The kind of cause of a hold. A reason may make it one that passes by itself; a policy
    /// without a limit in its reason is not known better.
    pub(super) fn of(code: i32, subcode: i32, reason: &str) -> Self {
        let of_code = cause_of(code);
        if Resource::of_hold(code, Some(subcode), reason).is_some() {
            return Self::Limit;
        }
        match of_code {
            // The job's own exit rules hold for the program; those of others say in their reason
            // what they limit.
            Self::Policy if about(code) != Some(About::JobPolicy) && !names_limit(reason) => {
                Self::Unknown
            }
            // A program that could not be started for want of its file system or memory.
            Self::Program
                if about(code) == Some(About::Program) && !matches!(subcode, 2 | 7 | 8 | 13) =>
            {
                Self::Host
            }
            Self::Policy | Self::Program | Self::Credential | Self::Setting
                if url_trouble(reason) == Some(Trouble::Away) =>
            {
                Self::Connection
            }
            _ => of_code,
        }
    }
}

/// Whether time alone may end what held a job, without anybody's doing: not what somebody has to put
/// in order, nor what the job, its owner or a limit brings with it.
pub(super) fn time_helps(code: i32, subcode: i32, reason: &str, trouble: Option<Trouble>) -> bool {
    let cause = Cause::of(code, subcode, reason);
    let is_own = if cause == Cause::Unknown { cause_of(code).lasts() } else { cause.lasts() };
    // The event log says of no directory why it could not be written there.
    let is_log = about(code) == Some(About::EventLog);
    !is_own && !is_log && !trouble.is_some_and(Trouble::lasts)
}

/// Whether a policy's reason names a limit on time.
fn names_limit(reason: &str) -> bool {
    const LIMITS: [&str; 11] = [
        "hrs", "hours", "hour", "days", "seconds", "time", "walltime", "runtime", "longer", "cpu",
        "cpus",
    ];
    words(reason).any(|word| LIMITS.contains(&word.as_str()))
}

impl Trouble {
    /// What a hold for files, transfers or connections complains of; `None` for other holds, and
    /// where nothing tells.
    pub(super) fn of(code: i32, subcode: i32, reason: &str) -> Option<Self> {
        match (cause_of(code), subcode) {
            (Cause::Connection, _) => Some(Self::Away),
            (Cause::Transfer, 256..) => url_trouble(reason),
            // The disk of an execution point is another one at the next run.
            (Cause::Transfer | Cause::FileSystem, _) => Self::of_errno(subcode)
                .filter(|trouble| *trouble != Self::NoSpace || !at_execution_point(reason)),
            _ => None,
        }
    }

    /// What an error number of files and networks says.
    pub(super) const fn of_errno(number: i32) -> Option<Self> {
        match number {
            28 | 122 => Some(Self::NoSpace),
            1 | 13 => Some(Self::Denied),
            2 | 20 => Some(Self::Missing),
            4 | 5 | 11 | 32 | 62 | 100..=105 | 107 | 110..=113 | 116 | 121 => Some(Self::Away),
            _ => None,
        }
    }

    /// Whether it stays until somebody changes something at that very place.
    pub(super) const fn lasts(self) -> bool {
        matches!(self, Self::Missing | Self::Denied | Self::NoSpace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lasting_kinds_are_thought_of_for_removal() {
        for (code, subcode, reason) in [
            (13, 256, "Could not connect to server"),
            (13, 2, "no such file"),
            (12, 2, ""),
            (14, 2, ""),
            (7, 13, ""),
            (6, 110, ""),
            (11, 0, ""),
            (40, 12, ""),
            (45, 0, ""),
            (0, 0, "Unspecified"),
            (36, 1, ""),
            (26, 119, "CVMFS failed"),
            (21, 0, ""),
            (35, 0, "Cannot pull image: connection refused"),
            (1, 0, ""),
            (77, 0, ""),
            (1022, 0, ""),
        ] {
            assert!(!Cause::of(code, subcode, reason).lasts(), "{code}/{subcode} {reason}");
        }
        for (code, subcode, reason) in [
            (34, 102, ""),
            (3, 33, "exit code 1"),
            (6, 8, "exec format error"),
            (21, 102, "memory usage exceeded a memory limit"),
            (21, 0, "Job failed to complete in 72 hrs"),
            (26, 0, "due to memory usage 10572684."),
            (46, 0, ""),
            (35, 0, "no such image"),
            (43, 0, ""),
        ] {
            assert!(Cause::of(code, subcode, reason).lasts(), "{code}/{subcode} {reason}");
        }
    }

    #[test]
    fn troubles_are_read_from_subcode_and_reason() {
        let access = "Transfer output files failure at access point ap while receiving files";
        let execute = "Transfer input files failure at execution point slot1@h";
        assert_eq!(Trouble::of(12, 28, access), Some(Trouble::NoSpace));
        assert_eq!(Trouble::of(12, 122, access), Some(Trouble::NoSpace));
        assert_eq!(Trouble::of(13, 28, execute), None);
        assert_eq!(Trouble::of(12, 13, access), Some(Trouble::Denied));
        assert_eq!(Trouble::of(13, 13, ""), Some(Trouble::Denied));
        assert_eq!(Trouble::of(13, 2, ""), Some(Trouble::Missing));
        assert_eq!(Trouble::of(13, 256, "returned error: 404"), Some(Trouble::Missing));
        assert_eq!(Trouble::of(13, 256, "Could not connect to server"), Some(Trouble::Away));
        assert_eq!(Trouble::of(13, 256, "odd"), None);
        assert_eq!(Trouble::of(13, 110, ""), Some(Trouble::Away));
        assert_eq!(Trouble::of(34, 102, ""), None);
        assert_eq!(Trouble::of(6, 13, ""), None);
    }
}
