//! HTCondor's hold codes, a row for each: what it means, what its subcode is, which kind of cause it names, what is
//! usually changed.
//!
//! Sources: `src/condor_utils/condor_holdcodes.h` and `docs/codes-other-values/hold-table.rst` of
//! HTCondor 25; the wording is this project's own. Codes say what failed, not whether it will again.

/// What the subcode of a code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subcode {
    /// Nothing is known of it.
    None,
    /// An errno.
    Errno,
    /// An errno, 62 when a file-transfer plug-in timed out, or its exit status shifted left by 8.
    Transfer,
    /// Exit status of a hook; 0 it could not be executed; negative: the signal that killed it.
    Hook,
    /// Set by the expression that held the job.
    Policy,
    /// 102 memory, 104 disk; 0 before 24.0.12.
    Resource,
    /// An exit status, or -1.
    Exit,
    /// One of the table of the EC2 codes.
    Ec2,
}

/// The kind of cause of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// A person, or a submission on hold.
    Person,
    /// A policy of the job, the execution point or the access point, whose reason says what it tests.
    Policy,
    /// A limit on memory, disk, time or size.
    Limit,
    /// The program, its image or its scripts.
    Program,
    /// A setting of the job that makes no sense.
    Setting,
    /// A proxy or token.
    Credential,
    /// Moving files.
    Transfer,
    /// Input that is still being spooled: the schedd releases the job itself.
    Spooling,
    /// Two sides lost each other, or a service was away.
    Connection,
    /// A file or directory of the access point.
    FileSystem,
    /// A machine or its set-up.
    Host,
    /// Nothing tells.
    Unknown,
}

impl Cause {
    /// Whether such causes often pass without anybody changing the job.
    pub const fn passes(self) -> bool {
        matches!(
            self,
            Self::Transfer | Self::Spooling | Self::Connection | Self::FileSystem | Self::Host
        )
    }

    /// Whether a hold of this kind can be the job's own for good: only then a removal is thought of.
    pub const fn lasts(self) -> bool {
        match self {
            Self::Policy | Self::Limit | Self::Program | Self::Setting | Self::Credential => true,
            Self::Person
            | Self::Transfer
            | Self::Spooling
            | Self::Connection
            | Self::FileSystem
            | Self::Host
            | Self::Unknown => false,
        }
    }
}

/// A hold code of HTCondor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldCode {
    /// HoldReasonCode.
    pub number: i32,
    /// Its name in HTCondor's sources, as `NumHoldsByReason` uses it.
    pub name: &'static str,
    /// The kind of cause, where the reason says no more.
    pub cause: Cause,
    /// What HoldReasonSubCode is.
    pub subcode: Subcode,
    /// A clause without capital and full stop.
    pub meaning: &'static str,
    /// The usual change, a clause likewise; empty where nothing is to be changed.
    pub change: &'static str,
    /// What is gone from HTCondor 23 and later with all holds of this code.
    pub gone: Option<&'static str>,
}

impl HoldCode {
    /// How many there are: they are numbered from 0 on.
    pub const COUNT: usize = CODES.len();

    /// The row of a code; `None` for one that HTCondor 25 does not have.
    pub fn of(number: i32) -> Option<&'static Self> {
        usize::try_from(number).ok().and_then(|at| CODES.get(at))
    }

    const fn gone(self, what: &'static str) -> Self {
        Self { gone: Some(what), ..self }
    }
}

/// [`HoldCode::name`] of a code, where HTCondor 25 has it.
pub fn name(number: i32) -> Option<&'static str> {
    HoldCode::of(number).map(|code| code.name)
}

/// The kind of cause that a hold code alone names.
pub fn cause_of(number: i32) -> Cause {
    match HoldCode::of(number) {
        Some(code) => code.cause,
        // A reason for leaving a slot: the system failed (`condor_holdcodes.h`).
        None if number >= VACATE_BASE => Cause::Host,
        None => Cause::Unknown,
    }
}

/// Whether HTCondor or a policy holds jobs with this code: not a person, and not a spooling that goes on.
pub fn is_by_system(number: i32) -> bool {
    !matches!(cause_of(number), Cause::Person | Cause::Spooling)
}

/// Codes from here on are reasons for leaving a slot, not for a hold.
pub const VACATE_BASE: i32 = 1000;

const fn code(
    number: i32,
    name: &'static str,
    cause: Cause,
    subcode: Subcode,
    meaning: &'static str,
    change: &'static str,
) -> HoldCode {
    HoldCode { number, name, cause, subcode, meaning, change, gone: None }
}

/// All hold codes of HTCondor 25, by number.
#[rustfmt::skip]
const CODES: [HoldCode; 50] = [
    code(0, "Unspecified", Cause::Unknown, Subcode::None, "HTCondor gave no code for this hold", ""),
    code(1, "UserRequest", Cause::Person, Subcode::None, "a person put the job on hold (condor_hold)", "ask whoever held it; only condor_release lets it go on, periodic_release does not"),
    code(2, "GlobusGramError", Cause::Unknown, Subcode::None, "the Globus gatekeeper reported an error (obsolete)", "submit it again to another resource").gone("Globus is gone"),
    code(3, "JobPolicy", Cause::Policy, Subcode::Policy, "the job's own periodic_hold or on_exit_hold became true", "see what that expression tests"),
    code(4, "CorruptedCredential", Cause::Credential, Subcode::None, "the job's credential (proxy or token) is missing, broken or about to expire", "renew the credential"),
    code(5, "JobPolicyUndefined", Cause::Setting, Subcode::None, "a policy expression of the job evaluated to undefined", "correct the expression with condor_qedit"),
    code(6, "FailedToCreateProcess", Cause::Program, Subcode::Errno, "the program could not be started", "correct the executable: path, permission, first line, architecture"),
    code(7, "UnableToOpenOutput", Cause::FileSystem, Subcode::Errno, "the file for standard output or error could not be opened", "make its directory exist and writable"),
    code(8, "UnableToOpenInput", Cause::FileSystem, Subcode::Errno, "the file for standard input could not be opened", "put the input file in place"),
    code(9, "UnableToOpenOutputStream", Cause::FileSystem, Subcode::Errno, "the stream for standard output or error could not be opened", "make its directory exist and writable"),
    code(10, "UnableToOpenInputStream", Cause::FileSystem, Subcode::Errno, "the stream for standard input could not be opened", "put the input file in place"),
    code(11, "InvalidTransferAck", Cause::Connection, Subcode::None, "the two sides of a file transfer lost each other (bad acknowledgment)", ""),
    code(12, "TransferOutputError", Cause::Transfer, Subcode::Transfer, "moving the job's output or checkpoint files from the execution point failed", "make the output exist, or make room where it goes"),
    code(13, "TransferInputError", Cause::Transfer, Subcode::Transfer, "moving the job's input files to the execution point failed", "put the input in place or correct transfer_input_files"),
    code(14, "IwdError", Cause::FileSystem, Subcode::Errno, "the job's initial working directory cannot be entered", "make initialdir exist and accessible"),
    code(15, "SubmittedOnHold", Cause::Person, Subcode::None, "the job was submitted on hold (hold = true)", "release it when it shall run"),
    code(16, "SpoolingInput", Cause::Spooling, Subcode::None, "its input files are still being spooled to the access point", "wait for the spooling to end; it is let go by itself and cannot be released before"),
    code(17, "JobShadowMismatch", Cause::Unknown, Subcode::None, "a standard universe job does not fit the shadow (obsolete)", "submit it again in another universe").gone("the standard universe is gone"),
    code(18, "InvalidTransferGoAhead", Cause::Connection, Subcode::None, "the two sides of a file transfer lost each other (bad go-ahead)", ""),
    code(19, "HookPrepareJobFailure", Cause::Host, Subcode::Hook, "the execution point's hook that prepares jobs failed", "tell its administrator; another execution point may do"),
    code(20, "MissedDeferredExecutionTime", Cause::Setting, Subcode::None, "the job missed the time it was to start at", "set a later deferral_time or a longer deferral_window"),
    code(21, "StartdHeldJob", Cause::Policy, Subcode::Policy, "the policy of the execution point (WANT_HOLD) put the job on hold; its reason says which limit", "keep within that limit"),
    code(22, "UnableToInitUserLog", Cause::FileSystem, Subcode::None, "the job event log could not be opened for writing", "make the directory of the log writable"),
    code(23, "FailedToAccessUserAccount", Cause::Host, Subcode::None, "the access point could not act as the owner's account", "tell the administrator of the access point"),
    code(24, "NoCompatibleShadow", Cause::Host, Subcode::None, "the access point has no shadow program for this job", "tell the administrator of the access point"),
    code(25, "InvalidCronSettings", Cause::Setting, Subcode::None, "the cron settings of the job are invalid", "correct the cron_ settings"),
    code(26, "SystemPolicy", Cause::Policy, Subcode::Policy, "a policy of the access point (SYSTEM_PERIODIC_HOLD) put the job on hold; its reason says which limit", "keep within that limit"),
    code(27, "SystemPolicyUndefined", Cause::Host, Subcode::None, "a policy expression of the access point evaluated to undefined", "tell the administrator of the access point"),
    code(28, "GlexecChownSandboxToUser", Cause::Host, Subcode::None, "the sandbox could not be given to the user (glexec, obsolete)", "tell the administrator of the execution point").gone("glexec is gone"),
    code(29, "PrivsepChownSandboxToUser", Cause::Host, Subcode::None, "the sandbox could not be given to the user (obsolete)", "tell the administrator of the execution point").gone("privilege separation is gone"),
    code(30, "GlexecChownSandboxToCondor", Cause::Host, Subcode::None, "the sandbox could not be given back to HTCondor (glexec, obsolete)", "tell the administrator of the execution point").gone("glexec is gone"),
    code(31, "PrivsepChownSandboxToCondor", Cause::Host, Subcode::None, "the sandbox could not be given back to HTCondor (obsolete)", "tell the administrator of the execution point").gone("privilege separation is gone"),
    code(32, "MaxTransferInputSizeExceeded", Cause::Limit, Subcode::None, "the input files are larger than the limit (MAX_TRANSFER_INPUT_MB)", "move less, or by URL"),
    code(33, "MaxTransferOutputSizeExceeded", Cause::Limit, Subcode::None, "the output files are larger than the limit (MAX_TRANSFER_OUTPUT_MB)", "move less, or by URL"),
    code(34, "JobOutOfResources", Cause::Limit, Subcode::Resource, "the job used more than its slot was given", "request more of it"),
    code(35, "InvalidDockerImage", Cause::Program, Subcode::None, "the container image could not be used", "correct the image's name, access to its registry, or its architecture"),
    code(36, "FailedToCheckpoint", Cause::Unknown, Subcode::Exit, "the job's own checkpoint failed", "see its error output for why the checkpoint failed"),
    code(37, "EC2UserError", Cause::Setting, Subcode::Ec2, "an error in the user's part of an EC2 job", "correct the ec2_ settings"),
    code(38, "EC2InternalError", Cause::Host, Subcode::Ec2, "an internal error of an EC2 job", "tell the administrator of the access point"),
    code(39, "EC2AdminError", Cause::Host, Subcode::Ec2, "the access point is not set up for EC2 jobs", "tell the administrator of the access point"),
    code(40, "EC2ConnectionProblem", Cause::Connection, Subcode::Ec2, "the EC2 service could not be reached", ""),
    code(41, "EC2ServerError", Cause::Connection, Subcode::Ec2, "the EC2 service reported an error", ""),
    code(42, "EC2InstancePotentiallyLostError", Cause::Connection, Subcode::Ec2, "an EC2 instance may have been left running", "look for it at the service, and end it there"),
    code(43, "PreScriptFailed", Cause::Program, Subcode::None, "the job's pre script exited with another status than expected", "correct the script"),
    code(44, "PostScriptFailed", Cause::Program, Subcode::None, "the job's post script exited with another status than expected", "correct the script"),
    code(45, "SingularityTestFailed", Cause::Host, Subcode::None, "the container runtime of the execution point failed its test before the job began", "another execution point may do; else check the image"),
    code(46, "JobDurationExceeded", Cause::Limit, Subcode::None, "the job ran longer than its allowed_job_duration", "allow more time, or make the job shorter"),
    code(47, "JobExecuteExceeded", Cause::Limit, Subcode::None, "the job executed longer than its allowed_execute_duration", "allow more time, or make the job shorter"),
    code(48, "HookShadowPrepareJobFailure", Cause::Host, Subcode::Hook, "the access point's hook that prepares jobs failed", "tell the administrator of the access point"),
    code(49, "CannotSwitchPrimaryGroup", Cause::Setting, Subcode::None, "the job cannot run with the primary group it asks for", "tell the administrator of the access point, or ask for another group"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_indexed_by_code() {
        for (at, code) in CODES.iter().enumerate() {
            assert_eq!(usize::try_from(code.number), Ok(at));
            assert!(!code.meaning.is_empty() && !code.meaning.ends_with('.'));
            assert!(!code.change.ends_with('.'));
        }
        assert_eq!(name(12), Some("TransferOutputError"));
        assert_eq!((name(50), name(-1)), (None, None));
    }

    #[test]
    fn people_and_spooling_are_not_the_system() {
        let by_others: Vec<i32> = (0..60).filter(|&code| !is_by_system(code)).collect();
        assert_eq!(by_others, [1, 15, 16]);
    }
}
