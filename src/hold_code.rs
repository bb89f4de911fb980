//! HTCondor's hold codes, a row for each: what it means, what its subcode is, which kind of cause
//! it names, who sets it, why it usually happens, what is usually changed.
//!
//! Sources: `src/condor_utils/condor_holdcodes.h`, `docs/codes-other-values/hold-table.rst` and the
//! calls that set each code in the schedd, shadow, starter and grid manager of HTCondor 25. The
//! wording is this project's own. Codes say what failed, not whether it will again.

use serde::Serialize;

use SetBy::{AccessPoint, ExecutionPoint, Job, Person};

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

/// What of a job a hold is about: what is changed, or whose limit was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Nothing of the job is to be changed.
    Nothing,
    /// The program: its path, permission, interpreter or architecture.
    Program,
    /// The file for standard input.
    StandardInput,
    /// The files for standard output and error.
    StandardOutput,
    /// An input file.
    Input,
    /// An output file.
    Output,
    /// The initial working directory.
    WorkingDirectory,
    /// The job event log.
    EventLog,
    /// A proxy or token.
    Credential,
    /// The container image.
    Image,
    /// A request of memory or disk.
    Request,
    /// PeriodicHold or OnExitHold.
    JobPolicy,
    /// A policy of the access point.
    SystemPolicy,
    /// The policy of the execution point.
    MachinePolicy,
    /// A limit on how long a run takes.
    Duration {
        /// The attribute that sets it, s.
        attribute: &'static str,
        /// When the time begins: the first of these attributes that is there.
        began: &'static [&'static str],
    },
    /// Something else, of which the usual change says more.
    Other,
}

/// The kind of cause of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// A person, or a submission on hold.
    Person,
    /// A policy of the job, the execution point or the access point, whose reason says what it
    /// tests.
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

    /// Whether a hold of this kind can be the job's own for good: only then a removal is thought
    /// of.
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

/// Who decides on a hold: it is always the access point that writes the code into the job ad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum SetBy {
    /// Somebody, with a command.
    Person,
    /// What the job's owner asked for: a policy, a limit or a setting of the submit description.
    Job,
    /// The schedd, the shadow or the grid manager, or a policy of theirs.
    AccessPoint,
    /// The startd or the starter, or a policy of theirs.
    ExecutionPoint,
}

impl SetBy {
    const fn words(self) -> &'static str {
        match self {
            Person => "a person",
            Job => "the job itself",
            AccessPoint => "the access point",
            ExecutionPoint => "the execution point",
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
    /// What of the job it is about.
    pub about: About,
    /// The machine may have failed, not the job: another execution point may do.
    pub elsewhere: bool,
    /// Who can set it.
    pub set_by: &'static [SetBy],
    /// A clause without capital and full stop.
    pub meaning: &'static str,
    /// Why it usually happens, a clause likewise.
    pub usual_causes: &'static str,
    /// The usual change, a clause likewise; empty where nothing is to be changed.
    pub change: &'static str,
    /// What is gone from HTCondor 23 and later with all holds of this code.
    pub gone: Option<&'static str>,
}

impl HoldCode {
    /// All of them, by number.
    pub const ALL: &[Self] = CODES;

    /// The row of a code; `None` for one that HTCondor 25 does not have.
    pub fn of(number: i32) -> Option<&'static Self> {
        let at = CODES.binary_search_by_key(&number, |code| code.number).ok()?;
        Some(&CODES[at])
    }

    /// Who can set it, in words.
    pub fn set_by_words(&self) -> String {
        self.set_by.iter().map(|by| by.words()).collect::<Vec<_>>().join(" or ")
    }

    const fn elsewhere(self) -> Self {
        Self { elsewhere: true, ..self }
    }

    const fn gone(self, what: &'static str) -> Self {
        Self { gone: Some(what), ..self }
    }
}

/// [`HoldCode::name`] of a code, where HTCondor 25 has it.
pub fn name(number: i32) -> Option<&'static str> {
    HoldCode::of(number).map(|code| code.name)
}

/// A code as people read it: `13 TransferInputError`.
pub fn label(number: i32) -> String {
    let name = name(number).unwrap_or("(no hold code of HTCondor 25)");
    format!("{number} {name}")
}

/// A code with its subcode as people read it: `13/256 TransferInputError`; without a name where
/// HTCondor 25 has none.
pub fn coded(number: i32, subcode: Option<i32>) -> String {
    let subcode = subcode.map_or(String::new(), |subcode| format!("/{subcode}"));
    let name = name(number).map_or(String::new(), |name| format!(" {name}"));
    format!("{number}{subcode}{name}")
}

/// [`HoldCode::about`] of a code, where HTCondor 25 has it.
pub fn about(number: i32) -> Option<About> {
    HoldCode::of(number).map(|code| code.about)
}

/// The kind of cause that a hold code alone names.
pub fn cause_of(number: i32) -> Cause {
    // Beyond the table are reasons for leaving a slot: the system failed (`condor_holdcodes.h`).
    let beyond = if number >= VACATE_BASE { Cause::Host } else { Cause::Unknown };
    HoldCode::of(number).map_or(beyond, |code| code.cause)
}

/// Whether HTCondor or a policy holds jobs with this code: not a person, and not a spooling that
/// goes on.
pub fn is_by_system(number: i32) -> bool {
    !matches!(cause_of(number), Cause::Person | Cause::Spooling)
}

/// A person put the job on hold.
pub const USER_REQUEST: i32 = 1;

/// The job's input is still being spooled.
pub const SPOOLING_INPUT: i32 = 16;

/// The job used more memory or disk than it was given.
pub const OUT_OF_RESOURCES: i32 = 34;

/// Codes from here on are reasons for leaving a slot, not for a hold.
pub const VACATE_BASE: i32 = 1000;

const fn code(
    number: i32,
    name: &'static str,
    cause: Cause,
    subcode: Subcode,
    about: About,
    set_by: &'static [SetBy],
    [meaning, usual_causes, change]: [&'static str; 3],
) -> HoldCode {
    HoldCode {
        number,
        name,
        cause,
        subcode,
        about,
        elsewhere: false,
        set_by,
        meaning,
        usual_causes,
        change,
        gone: None,
    }
}

const EITHER_POINT: &[SetBy] = &[AccessPoint, ExecutionPoint];

const JOB_DURATION: About = About::Duration {
    attribute: "AllowedJobDuration",
    began: &["ShadowBday", "JobCurrentStartDate"],
};

const EXECUTE_DURATION: About = About::Duration {
    attribute: "AllowedExecuteDuration",
    began: &["JobCurrentStartExecutingDate"],
};

/// All hold codes of HTCondor 25, by number.
///
/// The texts of a row are its meaning, its usual causes and its usual change.
#[rustfmt::skip]
const CODES: &[HoldCode] = &[
    code(0, "Unspecified", Cause::Unknown, Subcode::None, About::Nothing, EITHER_POINT, [
        "HTCondor gave no code for this hold",
        "a grid job, or a part of HTCondor that names no code",
        ""]),
    code(1, "UserRequest", Cause::Person, Subcode::None, About::Nothing, &[Person], [
        "a person put the job on hold (condor_hold)",
        "its owner or an administrator wanted it to stop",
        "ask whoever held it; only condor_release lets it go on, periodic_release does not"]),
    code(2, "GlobusGramError", Cause::Unknown, Subcode::None, About::Nothing, &[AccessPoint], [
        "the Globus gatekeeper reported an error (obsolete)",
        "the remote site refused the job",
        "submit it again to another resource"]).gone("Globus is gone"),
    code(3, "JobPolicy", Cause::Policy, Subcode::Policy, About::JobPolicy, &[Job], [
        "the job's own periodic_hold or on_exit_hold became true",
        "it ran too long, used too much, or its program failed",
        "see what that expression tests"]),
    code(4, "CorruptedCredential", Cause::Credential, Subcode::None, About::Credential, EITHER_POINT, [
        "the job's credential (proxy or token) is missing, broken or about to expire",
        "a proxy or token that ran out, or was never stored",
        "renew the credential"]),
    code(5, "JobPolicyUndefined", Cause::Setting, Subcode::None, About::Other, &[Job], [
        "a policy expression of the job evaluated to undefined",
        "the expression names an attribute that the job does not have",
        "correct the expression with condor_qedit"]),
    code(6, "FailedToCreateProcess", Cause::Program, Subcode::Errno, About::Program, EITHER_POINT, [
        "the program could not be started",
        "no permission to execute, a wrong path, line ends of Windows, another architecture",
        "correct the executable: path, permission, first line, architecture"]).elsewhere(),
    code(7, "UnableToOpenOutput", Cause::FileSystem, Subcode::Errno, About::StandardOutput, &[ExecutionPoint], [
        "the file for standard output or error could not be opened",
        "a missing directory, or no permission to write there",
        "make its directory exist and writable"]).elsewhere(),
    code(8, "UnableToOpenInput", Cause::FileSystem, Subcode::Errno, About::StandardInput, &[ExecutionPoint], [
        "the file for standard input could not be opened",
        "a file that was never written, was moved, or has another name",
        "put the input file in place"]).elsewhere(),
    code(9, "UnableToOpenOutputStream", Cause::FileSystem, Subcode::Errno, About::StandardOutput, &[ExecutionPoint], [
        "the stream for standard output or error could not be opened",
        "a missing directory, or a full disk or quota",
        "make its directory exist and writable"]).elsewhere(),
    code(10, "UnableToOpenInputStream", Cause::FileSystem, Subcode::Errno, About::StandardInput, &[ExecutionPoint], [
        "the stream for standard input could not be opened",
        "a file that was never written, was moved, or has another name",
        "put the input file in place"]).elsewhere(),
    code(11, "InvalidTransferAck", Cause::Connection, Subcode::None, About::Nothing, EITHER_POINT, [
        "the two sides of a file transfer lost each other (bad acknowledgment)",
        "an answer that was cut short, or two versions of HTCondor that do not fit together",
        ""]).elsewhere(),
    code(12, "TransferOutputError", Cause::Transfer, Subcode::Transfer, About::Output, EITHER_POINT, [
        "moving the job's output or checkpoint files from the execution point failed",
        "the job did not write a file it names, or the disk or quota where it goes is full",
        "make the output exist, or make room where it goes"]).elsewhere(),
    code(13, "TransferInputError", Cause::Transfer, Subcode::Transfer, About::Input, EITHER_POINT, [
        "moving the job's input files to the execution point failed",
        "a file that was moved or misnamed, or a server that is away",
        "put the input in place or correct transfer_input_files"]).elsewhere(),
    code(14, "IwdError", Cause::FileSystem, Subcode::Errno, About::WorkingDirectory, &[AccessPoint], [
        "the job's initial working directory cannot be entered",
        "a directory that was removed, or whose file system is away",
        "make initialdir exist and accessible"]).elsewhere(),
    code(15, "SubmittedOnHold", Cause::Person, Subcode::None, About::Nothing, &[Job], [
        "the job was submitted on hold (hold = true)",
        "hold = true in the submit description",
        "release it when it shall run"]),
    code(16, "SpoolingInput", Cause::Spooling, Subcode::None, About::Nothing, &[Job, AccessPoint], [
        "its input files are still being spooled to the access point",
        "a submission from another machine whose files are still on the way",
        "wait for the spooling to end; it is let go by itself and cannot be released before"]),
    code(17, "JobShadowMismatch", Cause::Unknown, Subcode::None, About::Nothing, &[AccessPoint], [
        "a standard universe job does not fit the shadow (obsolete)",
        "it was linked with another version of HTCondor",
        "submit it again in another universe"]).gone("the standard universe is gone"),
    code(18, "InvalidTransferGoAhead", Cause::Connection, Subcode::None, About::Nothing, EITHER_POINT, [
        "the two sides of a file transfer lost each other (bad go-ahead)",
        "an answer that was cut short, or two versions of HTCondor that do not fit together",
        ""]).elsewhere(),
    code(19, "HookPrepareJobFailure", Cause::Host, Subcode::Hook, About::Other, &[ExecutionPoint], [
        "the execution point's hook that prepares jobs failed",
        "a fault in the hook, or something it needs is missing on that machine",
        "tell its administrator; another execution point may do"]).elsewhere(),
    code(20, "MissedDeferredExecutionTime", Cause::Setting, Subcode::None, About::Other, &[ExecutionPoint], [
        "the job missed the time it was to start at",
        "the job was matched, or its input arrived, too late",
        "set a later deferral_time or a longer deferral_window"]),
    code(21, "StartdHeldJob", Cause::Policy, Subcode::Policy, About::MachinePolicy, &[ExecutionPoint], [
        "the policy of the execution point (WANT_HOLD) put the job on hold; its reason says which limit",
        "more memory, disk or time than the execution point allows",
        "keep within that limit"]).elsewhere(),
    code(22, "UnableToInitUserLog", Cause::FileSystem, Subcode::None, About::EventLog, &[AccessPoint], [
        "the job event log could not be opened for writing",
        "a directory that is missing, not writable or full",
        "make the directory of the log writable"]),
    code(23, "FailedToAccessUserAccount", Cause::Host, Subcode::None, About::Other, &[AccessPoint], [
        "the access point could not act as the owner's account",
        "the account is missing or locked there",
        "tell the administrator of the access point"]),
    code(24, "NoCompatibleShadow", Cause::Host, Subcode::None, About::Other, &[AccessPoint], [
        "the access point has no shadow program for this job",
        "an HTCondor that is not fully installed",
        "tell the administrator of the access point"]),
    code(25, "InvalidCronSettings", Cause::Setting, Subcode::None, About::Other, &[AccessPoint], [
        "the cron settings of the job are invalid",
        "a field of the schedule that is no time",
        "correct the cron_ settings"]),
    code(26, "SystemPolicy", Cause::Policy, Subcode::Policy, About::SystemPolicy, &[AccessPoint], [
        "a policy of the access point (SYSTEM_PERIODIC_HOLD) put the job on hold; its reason says which limit",
        "more memory, CPUs or time than the site allows, or too many starts",
        "keep within that limit"]),
    code(27, "SystemPolicyUndefined", Cause::Host, Subcode::None, About::Other, &[AccessPoint], [
        "a policy expression of the access point evaluated to undefined",
        "the expression names an attribute that this job does not have",
        "tell the administrator of the access point"]),
    code(28, "GlexecChownSandboxToUser", Cause::Host, Subcode::None, About::Other, &[ExecutionPoint], [
        "the sandbox could not be given to the user (glexec, obsolete)",
        "glexec was not set up",
        "tell the administrator of the execution point"]).gone("glexec is gone"),
    code(29, "PrivsepChownSandboxToUser", Cause::Host, Subcode::None, About::Other, &[ExecutionPoint], [
        "the sandbox could not be given to the user (obsolete)",
        "privilege separation was not set up",
        "tell the administrator of the execution point"]).gone("privilege separation is gone"),
    code(30, "GlexecChownSandboxToCondor", Cause::Host, Subcode::None, About::Other, &[ExecutionPoint], [
        "the sandbox could not be given back to HTCondor (glexec, obsolete)",
        "glexec was not set up",
        "tell the administrator of the execution point"]).gone("glexec is gone"),
    code(31, "PrivsepChownSandboxToCondor", Cause::Host, Subcode::None, About::Other, &[ExecutionPoint], [
        "the sandbox could not be given back to HTCondor (obsolete)",
        "privilege separation was not set up",
        "tell the administrator of the execution point"]).gone("privilege separation is gone"),
    code(32, "MaxTransferInputSizeExceeded", Cause::Limit, Subcode::None, About::Other, &[AccessPoint], [
        "the input files are larger than the limit (MAX_TRANSFER_INPUT_MB)",
        "large files that are sent through the access point",
        "raise max_transfer_input_mb, move less, or move it by URL"]),
    code(33, "MaxTransferOutputSizeExceeded", Cause::Limit, Subcode::None, About::Other, EITHER_POINT, [
        "the output files are larger than the limit (MAX_TRANSFER_OUTPUT_MB)",
        "large results, or files that nobody meant to keep",
        "raise max_transfer_output_mb, move less, or move it by URL"]),
    code(34, "JobOutOfResources", Cause::Limit, Subcode::Resource, About::Request, &[ExecutionPoint], [
        "the job used more than its slot was given",
        "a request that is too small, or a program that grows without end",
        "request more of it"]),
    code(35, "InvalidDockerImage", Cause::Program, Subcode::None, About::Image, &[ExecutionPoint], [
        "the container image could not be used",
        "a misspelt name, a private registry, or an image for another architecture",
        "correct the image's name, access to its registry, or its architecture"]).elsewhere(),
    code(36, "FailedToCheckpoint", Cause::Unknown, Subcode::Exit, About::Other, &[ExecutionPoint], [
        "the job's own checkpoint failed",
        "a program that ends otherwise than it promised, or a failed upload of its checkpoint",
        "see its error output for why the checkpoint failed"]).elsewhere(),
    code(37, "EC2UserError", Cause::Setting, Subcode::Ec2, About::Other, &[AccessPoint], [
        "an error in the user's part of an EC2 job",
        "missing key files, or credentials that the service refused",
        "correct the ec2_ settings"]),
    code(38, "EC2InternalError", Cause::Host, Subcode::Ec2, About::Other, &[AccessPoint], [
        "an internal error of an EC2 job",
        "grid attributes of the job that do not fit EC2",
        "tell the administrator of the access point"]),
    code(39, "EC2AdminError", Cause::Host, Subcode::Ec2, About::Other, &[AccessPoint], [
        "the access point is not set up for EC2 jobs",
        "EC2_GAHP is not set",
        "tell the administrator of the access point"]),
    code(40, "EC2ConnectionProblem", Cause::Connection, Subcode::Ec2, About::Nothing, &[AccessPoint], [
        "the EC2 service could not be reached",
        "a network or a service that is away",
        ""]),
    code(41, "EC2ServerError", Cause::Connection, Subcode::Ec2, About::Nothing, &[AccessPoint], [
        "the EC2 service reported an error",
        "an instance that ended by itself, or a service that was away for long",
        ""]),
    code(42, "EC2InstancePotentiallyLostError", Cause::Connection, Subcode::Ec2, About::Other, &[AccessPoint], [
        "an EC2 instance may have been left running",
        "the service did not confirm that the instance was ended",
        "look for it at the service, and end it there"]),
    code(43, "PreScriptFailed", Cause::Program, Subcode::None, About::Other, &[ExecutionPoint], [
        "the job's pre script exited with another status than expected",
        "an error in the script, or something it needs is missing on that machine",
        "correct the script"]),
    code(44, "PostScriptFailed", Cause::Program, Subcode::None, About::Other, &[ExecutionPoint], [
        "the job's post script exited with another status than expected",
        "an error in the script, or something it needs is missing on that machine",
        "correct the script"]),
    code(45, "SingularityTestFailed", Cause::Host, Subcode::None, About::Nothing, &[ExecutionPoint], [
        "the container runtime of the execution point failed its test before the job began",
        "a broken container runtime on that machine, or an image it cannot open",
        "another execution point may do; else check the image"]).elsewhere(),
    code(46, "JobDurationExceeded", Cause::Limit, Subcode::None, JOB_DURATION, &[Job], [
        "the job ran longer than its allowed_job_duration",
        "a limit that is too short, a slow machine, or a program that hangs",
        "allow more time, or make the job shorter"]),
    code(47, "JobExecuteExceeded", Cause::Limit, Subcode::None, EXECUTE_DURATION, &[Job], [
        "the job executed longer than its allowed_execute_duration",
        "a limit that is too short, a slow machine, or a program that hangs",
        "allow more time, or make the job shorter"]),
    code(48, "HookShadowPrepareJobFailure", Cause::Host, Subcode::Hook, About::Other, &[AccessPoint], [
        "the access point's hook that prepares jobs failed",
        "a fault in the hook, or a service it asks is away",
        "tell the administrator of the access point"]),
    code(49, "CannotSwitchPrimaryGroup", Cause::Setting, Subcode::None, About::Other, EITHER_POINT, [
        "the job cannot run with the primary group it asks for",
        "the owner is not a member of that group",
        "tell the administrator of the access point, or ask for another group"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_codes() {
        assert!(CODES.is_sorted_by(|a, b| a.number < b.number));
        for code in CODES {
            assert!(!code.meaning.is_empty() && !code.meaning.ends_with('.'));
            assert!(!code.usual_causes.is_empty() && !code.set_by.is_empty());
            for clause in [code.usual_causes, code.change] {
                assert!(!clause.ends_with('.'));
            }
        }
        assert_eq!(name(12), Some("TransferOutputError"));
        assert_eq!((name(999), name(-1)), (None, None));
        assert_eq!(label(13), "13 TransferInputError");
        assert_eq!(label(999), "999 (no hold code of HTCondor 25)");
        for (number, expected) in [
            (USER_REQUEST, "UserRequest"),
            (SPOOLING_INPUT, "SpoolingInput"),
            (OUT_OF_RESOURCES, "JobOutOfResources"),
        ] {
            assert_eq!(name(number), Some(expected));
        }
    }

    /// Who names itself in the reasons of public logs, by code.
    #[test]
    fn those_who_set_codes_are_those_of_recorded_reasons() {
        for (number, by) in [
            (1, Person),
            (6, ExecutionPoint),
            (7, ExecutionPoint),
            (8, ExecutionPoint),
            (9, ExecutionPoint),
            (12, AccessPoint),
            (12, ExecutionPoint),
            (13, AccessPoint),
            (13, ExecutionPoint),
            (21, ExecutionPoint),
            (26, AccessPoint),
            (32, AccessPoint),
            (34, ExecutionPoint),
            (35, ExecutionPoint),
            (47, Job),
        ] {
            assert!(HoldCode::of(number).unwrap().set_by.contains(&by), "{number}");
        }
        assert_eq!(CODES[12].set_by_words(), "the access point or the execution point");
    }

    #[test]
    fn people_and_spooling_are_not_the_system() {
        let by_others: Vec<i32> = (0..60).filter(|&code| !is_by_system(code)).collect();
        assert_eq!(by_others, [1, 15, 16]);
    }
}
