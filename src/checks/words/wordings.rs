//! What lines of programs' outputs say, as tables. All words are in lower case; stars divide parts
//! that stand in a line in this order.

use super::WordsKind;

/// Wordings, what they say, and what a line with one is worth.
pub(super) struct Rule {
    pub says: WordsKind,
    pub worth: i32,
    pub words: &'static [&'static str],
}

const fn rule(says: WordsKind, worth: i32, words: &'static [&'static str]) -> Rule {
    Rule { says, worth, words }
}

// Assumed, as all worths: a cause that lies at the place or passes explains what follows it; a
// service is often out of reach because of one of these.
const ROOT: i32 = 80;
const SERVICE: i32 = 72;
const LIBRARY: i32 = 66;
const PROGRAM: i32 = 58;
const FILE: i32 = 54;
/// Of a licence manager's numbers, beside which its message stands.
const CODE: i32 = 56;
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

/// Of a line the first that fits counts, so the particular ones come first.
#[rustfmt::skip]
pub(super) const RULES: [Rule; 25] = [
    rule(
        WordsKind::GpuMemory,
        ROOT,
        &[
            "cuda out of memory", "cudaerrormemoryallocation", "cuda_error_out_of_memory",
            "cuda*out of memory", "cublas_status_alloc_failed", "resourceexhaustederror",
            "resource_exhausted*out of memory", "hip out of memory",
        ],
    ),
    rule(
        WordsKind::Memory,
        ROOT,
        &[
            "out of memory", "out-of-memory", "oom-kill", "oom_kill", "oom killer",
            "cannot allocate memory", "memoryerror", "_arraymemoryerror", "std::bad_alloc",
            "bad_alloc", "outofmemoryerror", "cannot allocate vector", "unable to allocate",
            "allocation would exceed memory limit", "insufficient virtual memory",
            "memory exhausted", "exceeded memory limit", "memory limit exceeded",
            "not enough memory", "failed to allocate", "could not allocate", "malloc failed",
            "gc overhead limit exceeded", "java heap space", "insufficient memory",
            "insufficient*virtual memory",
        ],
    ),
    rule(
        WordsKind::Gpu,
        ROOT,
        &[
            "cuda error", "cuda_error", "cudaerror", "cuda runtime error", "cuda failure",
            "cuda driver*insufficient", "cuda driver*too old", "driver*too old", "cuda driver",
            "no cuda", "no cuda-capable", "cuda initialization", "libcuda", "hiperror",
            "nvidia-smi has failed", "driver/library version mismatch", "nvml: driver",
            "no kernel image is available", "found no nvidia driver", "cudnn_status",
            "cublas_status", "nccl error", "no gpu*detected", "no gpus*found",
            "no compatible gpu", "no devices were found", "cuinit",
        ],
    ),
    rule(
        WordsKind::LibraryTooOld,
        ROOT,
        &["version `glibc", "version `glibcxx", "version `cxxabi", "kernel too old"],
    ),
    rule(
        WordsKind::Licence,
        ROOT,
        &[
            "maximum number of users", "licensed number of users", "licensed number*reached",
            "all licenses*in use", "all licences*in use", "no licenses available",
            "no more licenses", "no license*available", "not enough licenses",
            "cannot connect*license", "can't connect*license", "could not connect to*license",
            "license server machine is down", "license server*not respond",
            "license server*down", "license server*unreachable", "license*expired",
            "licence*expired", "feature has expired", "server does not support this feature",
            "no such feature exists", "invalid host*hostid", "no valid license",
            "no license found", "cannot find license file", "license file*not found",
            "could not*check out*licen", "unable to check*out*license",
            "failed to check*out*license", "unable to obtain*license",
            "failed to obtain*license", "could not obtain*license",
            "waiting for license*timed out", "license*limit*reached", "all licence seats",
            "all license seats", "no licence",
        ],
    ),
    rule(
        WordsKind::Licence,
        CODE,
        &[
            "license server", "license checkout", "licence server", "checkout failed",
            "no license", "license error", "licensing error", "license manager error",
            "invalid license", "flexnet", "flexnet licensing", "flexlm", "lmgrd",
        ],
    ),
    rule(
        WordsKind::Credential,
        ROOT,
        &[
            "certificate has expired", "certificate expired", "certificate*expired",
            "certificate is not yet valid", "certificate verify failed",
            "certificate_verify_failed", "certificate signed by unknown authority",
            "proxy expired", "proxy has expired", "proxy*expired", "no valid proxy",
            "proxy*not found", "proxy*not valid", "token has expired", "token is expired",
            "token expired", "token*expired", "expired token", "expiredtoken",
            "expiredtokenexception", "invalid token", "invalid_token", "signature has expired",
            "expiredsignatureerror", "invalid_grant", "credentials have expired",
            "credentials*expired", "credential*expired", "ticket expired", "ticket*expired",
            "credentials were not found", "credentials cache*not found",
            "no kerberos credentials", "no credentials", "no valid credentials",
            "no authentication", "unable to locate credentials", "nocredentialserror",
            "invalidaccesskeyid", "signaturedoesnotmatch", "invalid credentials",
            "invalid username", "invalid user name", "invalid password", "logon denied",
            "account is locked", "incorrect password", "password*expired",
            "access denied for user", "unauthorized", "not authorized", "403 forbidden",
            "http 401", "http/1*401", "http error*401", "error: 401", "status*401", "http 403",
            "http/1*403", "http error*403", "error: 403", "status*403", "accessdenied",
            "authentication failed", "authentication*failed", "authentication failure",
            "authentication required", "authenticationerror", "auth failed",
            "permission denied (publickey", "host key verification failed", "login failed",
            "gss failure", "gssapi error", "kinit:", "no pg_hba.conf entry", "ssh_auth",
        ],
    ),
    rule(
        WordsKind::LibraryMissing,
        LIBRARY,
        &[
            "modulenotfounderror", "no module named", "importerror",
            "error while loading shared libraries", "cannot open shared object file",
            "image not found", "there is no package called", "classnotfoundexception",
            "noclassdeffounderror", "could not find or load main class",
            "unable to locate a modulefile", "module(s) are unknown", "module*cannot be loaded",
            "can't locate", "cannot find module", "undefined symbol", "symbol lookup error",
            "unable to load*library", "unable to load shared object",
            "package*not found in current path", "failed to load module", "unsatisfiedlinkerror",
            "could not load dynamic library",
        ],
    ),
    rule(
        WordsKind::Cvmfs,
        ROOT,
        &[
            "transport endpoint is not connected", "cvmfs*cannot access", "cannot access*cvmfs",
            "cannot open*cvmfs", "cvmfs*no such file", "cvmfs*input/output error",
            "cvmfs*not mounted", "cvmfs*not available", "cvmfs*too many levels", "cvmfs*failed",
            "failed*cvmfs", "unable*cvmfs", "cvmfs*unable", "cvmfs*stale", "cvmfs*cannot",
        ],
    ),
    rule(
        WordsKind::NoSpace,
        ROOT,
        &[
            "no space left", "disk quota exceeded", "quota exceeded", "exceeded*quota",
            "disk full", "disk is full", "device full", "not enough space",
            "not enough free space", "not enough disk", "insufficient disk space",
            "insufficient space", "insufficient storage", "insufficient free space",
            "filesystem full", "file system full", "file system is full",
        ],
    ),
    rule(
        WordsKind::Storage,
        ROOT,
        &[
            "input/output error", "i/o error", "stale file handle", "stale nfs file handle",
            "read-only file system", "remote i/o error", "structure needs cleaning",
            "errno = 116", "mount*not available", "host is down",
            "too many levels of symbolic links", "cannot send after transport endpoint shutdown",
        ],
    ),
    rule(
        WordsKind::Network,
        SERVICE,
        &[
            "connection refused", "connection reset", "connection timed out",
            "connection timeout", "connection closed", "connection aborted",
            "connection was closed", "closed the connection", "connection unexpectedly closed",
            "closed connection", "connection lost", "lost connection", "socket*closed",
            "timed out", "timeouterror", "deadline exceeded", "deadline_exceeded",
            "operation timeout", "operation expired", "read timeout", "connect timeout",
            "request timeout", "could not resolve", "couldn't resolve", "cannot resolve",
            "failed to resolve", "unable to resolve", "unknown host", "unknownhostexception",
            "name or service not known", "nodename nor servname",
            "no address associated with hostname", "name resolution", "network is unreachable",
            "network unreachable", "no route to host", "service unavailable",
            "service temporarily unavailable", "temporarily unavailable", "serviceunavailable",
            "bad gateway", "gateway time", "too many requests", "slowdown",
            "internal server error", "http 500", "http/1*500", "http error*500", "error: 500",
            "status*500", "http 502", "http/1*502", "http error*502", "error: 502", "status*502",
            "http 503", "http/1*503", "http error*503", "error: 503", "status*503", "http 504",
            "http/1*504", "http error*504", "error: 504", "status*504", "http 429", "http/1*429",
            "http error*429", "error: 429", "status*429", "server error", "unable to connect",
            "failed to connect", "failed connect to", "could not connect", "couldn't connect",
            "cannot connect", "can't connect", "not connect to", "connect*failed: connection",
            "connection to server*failed", "no listener", "tns:", "server has gone away",
            "too many connections", "too many clients", "remaining connection slots",
            "not accepting connections", "the database system is",
            "server closed the connection", "max retries exceeded", "sslerror", "ssl_error",
            "ssl connect error", "handshake*fail", "handshake failure", "handshake failed",
            "connectionerror", "connecterror", "connectionreseterror", "connectionrefusederror",
            "connectexception", "sockettimeoutexception", "unreachable",
            "no servers are available", "redirect limit", "server did not respond",
            "server not responding", "server is down", "communications link failure",
        ],
    ),
    rule(
        WordsKind::Own,
        SERVICE,
        &[
            "database is locked", "database table is locked", "disk image is malformed",
            "deadlock", "lock wait timeout", "too many open files", "ora-",
        ],
    ),
    rule(
        WordsKind::Usage,
        PROGRAM,
        &[
            "unrecognized argument", "unrecognized arguments", "unrecognised arguments",
            "unrecognized option", "unrecognised option", "unrecognized command line",
            "unknown option", "unknown argument", "unknown arguments", "unknown flag",
            "unknown switch", "unknown command", "unknown mode", "unknown parameter",
            "unexpected argument", "unexpected option", "invalid option", "illegal option",
            "invalid choice", "bad option", "no such option", "no such command",
            "arguments are required", "argument is required", "option*is required",
            "required option", "required argument", "required arguments", "missing argument",
            "missing option", "missing required", "missing operand", "requires an argument",
            "requires a value", "requires argument", "expected one argument",
            "expected at least one argument", "too many arguments", "too few arguments",
            "not enough arguments", "wrong number of arguments", "invalid value for",
            "invalid*value: '", "invalid argument '", "invalid argument:", "must provide",
            "must specify", "not a valid option", "is not defined*option", "ambiguous option",
        ],
    ),
    rule(
        WordsKind::Bug,
        PROGRAM,
        &[
            "indexerror", "keyerror", "typeerror", "valueerror", "nameerror", "attributeerror",
            "syntaxerror", "indentationerror", "taberror", "zerodivisionerror",
            "unboundlocalerror", "assertionerror", "recursionerror", "notimplementederror",
            "overflowerror", "floatingpointerror", "unicodedecodeerror", "unicodeencodeerror",
            "referenceerror", "nullpointerexception", "arrayindexoutofboundsexception",
            "indexoutofboundsexception", "stringindexoutofboundsexception",
            "numberformatexception", "classcastexception", "illegalargumentexception",
            "illegalstateexception", "arithmeticexception", "nosuchelementexception",
            "boundserror", "methoderror", "undefvarerror", "domainerror", "argumenterror",
            "dimensionmismatch", "std::out_of_range", "std::invalid_argument",
            "std::logic_error", "std::length_error", "assertion*failed", "assertion failed",
            "failed assertion", "assertion failure", "assertion violated", "addresssanitizer",
            "undefinedbehaviorsanitizer", "leaksanitizer", "threadsanitizer", "memorysanitizer",
            "stack smashing", "buffer overflow detected", "syntax error", "unbound variable",
            "unexpected token", "unexpected end of file", "unexpected eof",
            "missing value where true/false needed", "subscript out of bounds",
            "object*not found", "could not find function", "non-numeric argument",
            "non-conformable", "argument is of length zero", "undefined columns selected",
            "arguments imply differing number", "index out of bounds", "index out of range",
            "out of bounds", "index exceeds", "undefined function or variable",
            "unrecognized function or variable", "undefined function", "undefined subroutine",
            "undefined variable", "use of uninitialized value", "can't call method",
            "use of undeclared identifier", "nil pointer dereference", "division by zero",
            "divide by zero", "called `option::unwrap()`", "called `result::unwrap()`",
            "array bounds", "dimensions*agree", "matrix dimensions",
            "pure virtual method called",
        ],
    ),
    rule(
        WordsKind::Own,
        PROGRAM,
        &[
            "not converge", "not converged", "no convergence", "failed to converge",
            "convergence failure", "convergence failed", "convergenceerror",
            "initialization between", "non-finite", "not finite", "not positive definite",
            "singular matrix", "exactly singular", "matrix is singular", "nan detected",
            "linalgerror",
        ],
    ),
    rule(
        WordsKind::CommandMissing,
        FILE,
        &[
            "command not found", ": not found", "bad interpreter", "exec format error",
            "executable file not found", "unknown command or",
        ],
    ),
    rule(
        WordsKind::FileMissing,
        FILE,
        &[
            "no such file or directory", "no such file", "filenotfounderror",
            "filenotfoundexception", "nosuchfileexception", "cannot find file", "file not found",
            "file*not found", "file*does not exist", "does not exist", "path*not found",
            "missinginputexception", "nosuchkey", "404 not found", "http 404", "http/1*404",
            "http error*404", "error: 404", "status*404", "cannot open file",
            "could not open file", "unable to open file", "failed to open file",
        ],
    ),
    rule(
        WordsKind::Denied,
        FILE,
        &[
            "permission denied", "operation not permitted", "permissionerror", "access denied",
            "access is denied", "accessdeniedexception",
        ],
    ),
    rule(
        WordsKind::Crash,
        CRASH,
        &[
            "illegal instruction", "segmentation fault", "segmentation violation", "sigsegv",
            "sigill", "sigbus", "sigfpe", "bus error", "floating point exception",
            "floating-point exception", "double free", "invalid pointer", "heap corruption",
            "corrupted size", "panicked at", "caught signal", "stack overflow",
            "stackoverflowerror",
        ],
    ),
    rule(WordsKind::Usage, 25, &["usage:"]),
    rule(WordsKind::Crash, 20, &["terminate called"]),
    rule(WordsKind::Crash, CONSEQUENCE, &["core dumped", "aborted", "sigabrt", "signal 6"]),
    rule(
        WordsKind::Killed,
        CONSEQUENCE,
        &["killed", "signal 9", "signal 15", "sigterm", "sigkill", "terminated"],
    ),
    rule(WordsKind::Own, EXCEPTION, &["what():"]),
];

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
