//! What lines of programs' outputs say, as tables. All words are in lower case; stars divide parts
//! that stand in a line in this order.

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

/// What marks a line as an error of the program's own, and what it is worth.
pub(super) const OWN: [(&[&str], i32); 4] = [
    (&["fatal", "panic", "severe"], 42),
    (&["error", "errors", "exception", "critical", "err"], 38),
    (&["failed", "failure", "abort", "fail", "fails"], VAGUE),
    (
        &[
            "cannot",
            "can't",
            "could not",
            "couldn't",
            "unable to",
            "not allowed",
            "invalid",
            "illegal",
            "unsupported",
            "unexpected",
            "corrupt",
            "corrupted",
            "truncated",
            "mismatch",
            "missing",
            "exceeded",
            "must be",
            "not found",
            "no such",
            "refused",
            "broken pipe",
            "rejected",
        ],
        22,
    ),
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

/// What a line says that speaks of errors where there is none.
pub(super) const NO_ERROR: [&str; 15] = [
    "cleaning up",
    "clean up",
    "info",
    "debug",
    "no error",
    "no errors",
    "0 errors",
    "0 error",
    "0 failed",
    "0 failures",
    "without error",
    "without errors",
    "error rate",
    "standard error",
    "errors: 0",
];

/// The levels of lines that name no failure.
pub(super) const LEVELS: [&str; 10] = [
    "info",
    "debug",
    "warn",
    "warning",
    "warnings",
    "notice",
    "deprecationwarning",
    "futurewarning",
    "userwarning",
    "runtimewarning",
];

/// What a line says whose trouble is not the last word.
pub(super) const TRIED_AGAIN: [&str; 9] = [
    "retry",
    "retrying",
    "will try again",
    "trying again",
    "trying next",
    "attempt*of",
    "reconnecting",
    "ignoring",
    "ignored",
];

/// What says that a trouble was overcome.
pub(super) const WENT_ON: [&str; 8] = [
    "ok on attempt",
    "succeeded on",
    "succeeded after",
    "retry succeeded",
    "retry successful",
    "reconnected",
    "falling back",
    "recovered",
];

/// What a rule between parts of an output begins or ends with.
pub(super) const PARTS: [&str; 6] = ["begin", "end", "start", "starting", "finish", "finished"];

/// What divides failures that do not explain each other.
pub(super) const APART: [&str; 1] = ["during handling of the above exception"];

/// What only says that something failed before: by the word of launchers, shells and workflows.
#[rustfmt::skip]
pub(super) const CONSEQUENCES: [&str; 54] = [
    "aborted", "aborting", "abnormal termination", "execution halted", "exiting", "exited",
    "exits", "error termination", "mpirun noticed", "mpiexec noticed", "mpi_abort",
    "mpi_comm_world", "primary job", "bad termination", "exit string", "srun: error",
    "make:*error", "make[", "error in rule", "error executing process", "error running", "exit status",
    "exit code", "exit codes", "error code", "return code", "status code 1", "non-zero",
    "nonzero", "see*log", "see above", "log file", "complete log", "copy failed", "failed after",
    "job failed", "step failed", "task failed", "run failed", "workflow failed",
    "failed with status", "background on this error", "stack trace", "backtrace",
    "for more information", "please report", "systemexit", "keyboardinterrupt",
    "sampling not done", "build stopped", "broken pipe", "giving up", "error generated",
    "errors generated",
];

/// How lines of a list of calls begin.
pub(super) const FRAMES: [&str; 9] =
    ["at ", "File \"", "#0 ", "#1 ", "#2 ", "#3 ", "... ", "Calls: ", "frame #"];
