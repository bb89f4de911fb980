//! The rules of the linter, one table: it feeds findings, the manual page and the documentation.

use std::fmt;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; what is written does what it says.
    Note,
    /// It costs slots or jobs under conditions that are common.
    Warning,
    /// It never does what it is there for, or does it always.
    Error,
}

impl Severity {
    /// The word printed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

/// A rule of the linter.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name, in small letters with dashes.
    pub name: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What it finds, one sentence, and where that is from.
    pub summary: &'static str,
}

const fn rule(name: &'static str, severity: Severity, summary: &'static str) -> Rule {
    Rule { name, severity, summary }
}

use Severity::{Error, Note, Warning};

pub(super) static UNPARSABLE: Rule = rule(
    "unparsable",
    Error,
    "The text is no ClassAd expression: condor_submit refuses it, a condor_schedd leaves it out of its configuration.",
);
pub(super) static QUOTED: Rule = rule(
    "quoted",
    Error,
    "The whole expression stands in quotation marks: it is a string, which is never true.",
);
pub(super) static UNKNOWN_FUNCTION: Rule = rule(
    "unknown-function",
    Error,
    "No function of HTCondor 25 has this name: the call is an error, which is never true.",
);
pub(super) static ERROR_VALUE: Rule = rule(
    "error-value",
    Error,
    "A part is an error on every held job, whatever its hold: the types of the operands do not fit.",
);
pub(super) static NEVER_TRUE: Rule = rule(
    "never-true",
    Error,
    "The expression is true for no hold of any code and subcode, at no age and with no count; or, for other policies, asks for jobs that are not looked at.",
);
pub(super) static HELD_BY_USER: Rule = rule(
    "held-by-user",
    Error,
    "It asks for holds that no policy can release: code 1, put on by a person, and 16, input being spooled (user_job_policy.cpp).",
);
pub(super) static MEMORY_SUBCODE: Rule = rule(
    "memory-subcode",
    Error,
    "It asks for code 34 with the subcode that memory holds of this HTCondor version do not have: 102 since 24.0.12, 0 before (condor_holdcodes.h).",
);
pub(super) static NUM_SYSTEM_HOLDS: Rule = rule(
    "num-system-holds",
    Warning,
    "NumSystemHolds stays 0 in most holds; it is there for grid universe jobs (job attributes in the manual). NumHolds counts all.",
);
pub(super) static TARGET_SCOPE: Rule = rule(
    "target-scope",
    Error,
    "A job policy is evaluated on the job ad alone: TARGET.x is undefined (ClassAd chapter of the manual).",
);
pub(super) static ALWAYS_TRUE: Rule = rule(
    "always-true",
    Warning,
    "It is true whatever the job: every hold is released at the next evaluation, again and again; or every job is held, or removed.",
);
pub(super) static ANY_CODE: Rule = rule(
    "any-code",
    Warning,
    "It is true whatever the hold reason code: holds that come again as they are, such as 34 (more memory used than requested) or 14 (no working directory), are released too.",
);
pub(super) static UNBOUNDED: Rule = rule(
    "unbounded",
    Warning,
    "No count of holds or starts ends it: a job that is held each time is released for ever.",
);
pub(super) static NUM_JOB_STARTS: Rule = rule(
    "num-job-starts",
    Warning,
    "NumJobStarts does not grow when a job is held before its program starts, as by input transfer (code 13): a bound by it alone never ends those releases. NumHolds counts all.",
);
pub(super) static SUBCODE_ALONE: Rule = rule(
    "subcode-alone",
    Warning,
    "A hold reason subcode means something only with its code: the same number under another code is matched too.",
);
pub(super) static UNUSED_CODE: Rule = rule(
    "unused-code",
    Warning,
    "It asks for a hold reason code that no HTCondor of today gives: 2, 17 and 28 to 31, or one above 49 (condor_holdcodes.h).",
);
pub(super) static BARE_NUMBER: Rule = rule(
    "bare-number",
    Warning,
    "A number stands between && and || where a comparison should: any number but 0 is true.",
);
pub(super) static UNKNOWN_ATTRIBUTE: Rule = rule(
    "unknown-attribute",
    Warning,
    "No job ad has this attribute: it is a machine's, or job ads have one with a name that is nearly the same.",
);
pub(super) static IMPLIED: Rule =
    rule("implied", Warning, "One alternative contains another: what it adds changes nothing.");
pub(super) static MEMORY_AS_IS: Rule = rule(
    "memory-as-is",
    Warning,
    "Releases a job that used more than it requests (code 34) while nothing in the submit description raises the request.",
);
pub(super) static RUN_BEFORE: Rule = rule(
    "run-before",
    Warning,
    "JobCurrentStartExecutingDate is that of the run before until the program starts again: a job whose input is transferred for the next run is held, or removed, before it begins (seen on 23.9 and 25.14). HTCondor's own limit compares it with ShadowBday (user_job_policy.cpp).",
);
pub(super) static NO_DELAY: Rule = rule(
    "no-delay",
    Note,
    "A hold is released at the next evaluation, which comes every 60 s or less often (PERIODIC_EXPR_INTERVAL): what failed has little time to recover.",
);
pub(super) static SHORT_DELAY: Rule = rule(
    "short-delay",
    Note,
    "The delay is shorter than the time between two evaluations (PERIODIC_EXPR_INTERVAL, 60 s).",
);
pub(super) static OWN_ATTRIBUTE: Rule = rule(
    "own-attribute",
    Note,
    "HTCondor sets no attribute of this name: it is undefined unless the submit description, SUBMIT_ATTRS or a job transform sets it.",
);
pub(super) static CURRENT_TIME: Rule = rule(
    "current-time",
    Note,
    "CurrentTime is kept for old expressions; time() is its name in ClassAds of today.",
);
pub(super) static JOB_STATUS: Rule = rule(
    "job-status",
    Note,
    "periodic_release is evaluated for held jobs only (schedd.cpp): JobStatus == 5 is always true there.",
);
pub(super) static MACRO: Rule = rule(
    "macro",
    Note,
    "The value of a macro is not known here: what depends on it was not looked at.",
);

pub(super) static LEFT_OUT: Rule = rule(
    "left-out",
    Warning,
    "An expression of more than 65536 bytes is not looked at; of more than 100 findings about one \
     expression the gravest are given, and how many more there are; what stands behind 10000 \
     findings is not looked at.",
);

/// All rules, in the order they are documented.
pub static RULES: [&Rule; 27] = [
    &UNPARSABLE,
    &QUOTED,
    &UNKNOWN_FUNCTION,
    &ERROR_VALUE,
    &NEVER_TRUE,
    &HELD_BY_USER,
    &MEMORY_SUBCODE,
    &TARGET_SCOPE,
    &ALWAYS_TRUE,
    &ANY_CODE,
    &UNBOUNDED,
    &NUM_JOB_STARTS,
    &NUM_SYSTEM_HOLDS,
    &SUBCODE_ALONE,
    &UNUSED_CODE,
    &BARE_NUMBER,
    &UNKNOWN_ATTRIBUTE,
    &IMPLIED,
    &MEMORY_AS_IS,
    &RUN_BEFORE,
    &NO_DELAY,
    &SHORT_DELAY,
    &OWN_ATTRIBUTE,
    &CURRENT_TIME,
    &JOB_STATUS,
    &MACRO,
    &LEFT_OUT,
];
