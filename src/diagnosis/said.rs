//! What the texts of a hold say: its reason, and the line in which its program says why it ended.

use crate::catalogue::{self, Ends, HoldText, Look, Reading, Trouble};
use crate::history::reason::{Side, side};
use crate::hold_code::{About, Cause, about, cause_of};
use crate::sizes::Resource;

/// What a hold's codes and text say.
#[derive(Clone, Debug)]
pub(crate) struct Said<'a> {
    pub code: i32,
    pub subcode: i32,
    pub reason: &'a str,
    /// What the catalogue says of it.
    pub reading: Option<Reading>,
    /// What it says of the line that the program of this run ended with.
    pub program: Option<&'a Reading>,
}

impl<'a> Said<'a> {
    /// By the text alone, without the job's ad.
    pub(crate) fn of(code: i32, subcode: i32, reason: &'a str) -> Self {
        let hold =
            HoldText { code: Some(code), subcode: Some(subcode), reason, ..HoldText::default() };
        Self { code, subcode, reason, reading: catalogue::read(&hold), program: None }
    }

    /// With what was read of it already, and of its program's line.
    pub(crate) fn with(
        (code, subcode): (i32, i32),
        reason: &'a str,
        reading: Option<&Reading>,
        program: Option<&'a Reading>,
    ) -> Self {
        match reading {
            Some(reading) => {
                Self { code, subcode, reason, reading: Some(reading.clone()), program }
            }
            None => Self { program, ..Self::of(code, subcode, reason) },
        }
    }

    /// What says most of the cause.
    fn deciding(&self) -> Option<&Reading> {
        deciding(self.reading.as_ref(), self.program)
    }

    /// The kind of cause.
    pub(crate) fn cause(&self) -> Cause {
        let of_code = cause_of(self.code);
        let named = self.deciding().map(|reading| reading.entry().cause());
        if let Some(cause) = named.filter(|cause| *cause != Cause::Policy) {
            return cause;
        }
        if Resource::of_hold(self.code, Some(self.subcode), self.reason).is_some() {
            return Cause::Limit;
        }
        match of_code {
            // The job's own exit rules hold for the program; those of others say in their reason
            // what they limit.
            Cause::Policy if about(self.code) != Some(About::JobPolicy) => {
                named.unwrap_or(Cause::Unknown)
            }
            // A program that could not be started for want of its file system or memory.
            Cause::Program
                if about(self.code) == Some(About::Program)
                    && !catalogue::errno(self.subcode).is_some_and(|errno| errno.of_program) =>
            {
                Cause::Host
            }
            _ => of_code,
        }
    }

    /// What a hold for files, transfers or connections complains of; `None` for other holds, and
    /// where nothing tells.
    pub(crate) fn trouble(&self) -> Option<Trouble> {
        let is_full_there = |trouble: &Trouble| {
            *trouble == Trouble::NoSpace && side(self.reason) == Some(Side::ExecutionPoint)
        };
        let entry = self.reading.as_ref().map(Reading::entry);
        match (cause_of(self.code), entry, self.subcode) {
            (Cause::Connection | Cause::Transfer | Cause::FileSystem, Some(entry), _) => {
                entry.trouble()
            }
            (Cause::Connection, ..) => Some(Trouble::Away),
            (Cause::Transfer, None, 256..) => None,
            // The disk of an execution point is another one at the next run.
            (Cause::Transfer | Cause::FileSystem, ..) => {
                Trouble::of_errno(self.subcode).filter(|trouble| !is_full_there(trouble))
            }
            _ => None,
        }
    }

    /// Whether time alone may end what held a job, without anybody's doing: not what somebody has to
    /// put in order, nor what the job, its owner or a limit brings with it.
    pub(crate) fn time_helps(&self, trouble: Option<Trouble>) -> bool {
        if let Some(ends) = self.ends() {
            return ends.passes() && !trouble.is_some_and(Trouble::lasts);
        }
        let cause = self.cause();
        let is_own =
            if cause == Cause::Unknown { cause_of(self.code).lasts() } else { cause.lasts() };
        // The event log says of no directory why it could not be written there.
        let is_log = about(self.code) == Some(About::EventLog);
        !is_own && !is_log && !trouble.is_some_and(Trouble::lasts)
    }

    /// What ends it, where the catalogue says so.
    pub(crate) fn ends(&self) -> Option<Ends> {
        self.deciding().map(|reading| reading.entry().ends)
    }
}

/// What says most of a cause: what was read of a program's line, where the entry of the hold reason
/// sends to its output.
pub(crate) fn deciding<'a>(
    reason: Option<&'a Reading>,
    program: Option<&'a Reading>,
) -> Option<&'a Reading> {
    let sends = |reading: &&Reading| reading.entry().look == Some(Look::Output);
    reason.filter(sends).and(program).or(reason)
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
            assert!(!Said::of(code, subcode, reason).cause().lasts(), "{code}/{subcode} {reason}");
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
            assert!(Said::of(code, subcode, reason).cause().lasts(), "{code}/{subcode} {reason}");
        }
    }

    #[test]
    fn troubles_are_read_from_subcode_and_reason() {
        let of = |code, subcode, reason| Said::of(code, subcode, reason).trouble();
        let access = "Transfer output files failure at access point ap while receiving files";
        let execute = "Transfer input files failure at execution point slot1@h";
        assert_eq!(of(12, 28, access), Some(Trouble::NoSpace));
        assert_eq!(of(12, 122, access), Some(Trouble::NoSpace));
        assert_eq!(of(13, 28, execute), None);
        assert_eq!(of(12, 13, access), Some(Trouble::Denied));
        assert_eq!(of(13, 13, ""), Some(Trouble::Denied));
        assert_eq!(of(13, 2, ""), Some(Trouble::Missing));
        assert_eq!(
            of(13, 256, "The requested URL returned error: 404 ( URL file = http://a.org/x )|"),
            Some(Trouble::Missing)
        );
        assert_eq!(
            of(13, 256, "Could not connect to server ( URL file = http://a.org/x )|"),
            Some(Trouble::Away)
        );
        assert_eq!(of(13, 256, "odd"), None);
        assert_eq!(of(13, 110, ""), Some(Trouble::Away));
        assert_eq!(of(34, 102, ""), None);
        assert_eq!(of(6, 13, ""), None);
    }
}
