//! What lines of programs' outputs say beside what the catalogue knows, in its notation.

/// Worth of what says that a program crashed. Assumed, as all worths.
const CRASH: i32 = 48;
/// Worth of an exception's line whose wording is not known.
pub(super) const EXCEPTION: i32 = 44;
const VAGUE: i32 = 30;

/// Up to this worth a line gives way that speaks of a consequence.
pub(super) const GIVES_WAY: i32 = CRASH;
/// Worth of a line that only says that something ended badly.
pub(super) const CONSEQUENCE: i32 = 10;
/// Worth of a warning, and of what was tried again.
pub(super) const MUTED: i32 = 2;

/// What words of a line say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// An error of the program's own, and what it is worth.
    Own(i32),
    /// There is no error.
    NoError,
    /// Its level names no failure.
    Level,
    /// Its trouble is not the last word.
    TriedAgain,
    /// A trouble was overcome.
    WentOn,
    /// What follows is a failure of its own.
    Apart,
    /// It only says that something failed before.
    Consequence,
}

/// The words.
#[rustfmt::skip]
pub(super) const MARKS: [(Mark, &[&str]); 10] = [
    // Errors of the program's own.
    (Mark::Own(42), &[
        "fatal", "panic", "severe",
    ]),
    (Mark::Own(38), &[
        "error", "errors", "exception", "critical", "err",
    ]),
    (Mark::Own(VAGUE), &[
        "failed", "failure", "abort", "fail", "fails",
    ]),
    (Mark::Own(22), &[
        "cannot", "can't", "could not", "couldn't", "unable to", "not allowed", "invalid",
        "illegal", "unsupported", "unexpected", "corrupt", "corrupted", "truncated", "mismatch",
        "missing", "exceeded", "must be", "not found", "no such", "refused", "broken pipe",
        "rejected",
    ]),
    // What speaks of errors where there is none.
    (Mark::NoError, &[
        "cleaning up", "clean up", "info", "debug", "no error", "no errors", "0 errors",
        "0 error", "0 failed", "0 failures", "without error", "without errors", "error rate",
        "standard error", "errors: 0",
    ]),
    // Levels of lines that name no failure.
    (Mark::Level, &[
        "info", "debug", "warn", "warning", "warnings", "notice", "deprecationwarning",
        "futurewarning", "userwarning", "runtimewarning",
    ]),
    // What says that a trouble is not the last word.
    (Mark::TriedAgain, &[
        "retry", "retrying", "will try again", "trying again", "trying next", "attempt*of",
        "reconnecting", "ignoring", "ignored",
    ]),
    // What says that a trouble was overcome.
    (Mark::WentOn, &[
        "ok on attempt", "succeeded on", "succeeded after", "retry succeeded", "retry successful",
        "reconnected", "falling back", "recovered",
    ]),
    // What divides failures that do not explain each other.
    (Mark::Apart, &[
        "during handling of the above exception",
    ]),
    // What says that something failed before: words of launchers, shells and workflows.
    (Mark::Consequence, &[
        "aborted", "aborting", "abnormal termination", "execution halted", "exiting", "exited",
        "exits", "error termination", "mpirun noticed", "mpiexec noticed", "mpi_abort",
        "mpi_comm_world", "primary job", "bad termination", "exit string", "srun: error",
        "make:*error", "make[", "error in rule", "error executing process", "error running",
        "exit status", "exit code", "exit codes", "error code", "return code", "status code 1",
        "non-zero", "nonzero", "see*log", "see above", "log file", "complete log", "copy failed",
        "failed after", "job failed", "step failed", "task failed", "run failed",
        "workflow failed", "failed with status", "background on this error", "stack trace",
        "backtrace", "for more information", "please report", "systemexit", "keyboardinterrupt",
        "sampling not done", "build stopped", "broken pipe", "giving up", "error generated",
        "errors generated",
    ]),
];

/// How an identifier ends that names an error.
pub(super) const ERROR_NAMES: [&str; 20] = [
    "Error",
    "Exception",
    "Timeout",
    "Unavailable",
    "NotFound",
    "Refused",
    "Failure",
    "Denied",
    "Failed",
    "Missing",
    "Invalid",
    "Expired",
    "Exceeded",
    "Exhausted",
    "Unreachable",
    "Mismatch",
    "Fault",
    "Conflict",
    "Corrupt",
    "Overflow",
];

/// What a rule between parts of an output begins or ends with.
pub(super) const PARTS: [&str; 6] = ["begin", "end", "start", "starting", "finish", "finished"];

/// How lines of a list of calls begin.
pub(super) const FRAMES: [&str; 9] =
    ["at ", "File \"", "#0 ", "#1 ", "#2 ", "#3 ", "... ", "Calls: ", "frame #"];
