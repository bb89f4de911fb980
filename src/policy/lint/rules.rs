//! The rules of the linter, one table: it feeds findings, the manual page and the documentation.

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

/// A rule of the linter.
#[derive(Debug, PartialEq, Eq)]
pub struct LintRule {
    /// Its name, in small letters with dashes.
    pub name: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What it finds, one sentence, and where that is from.
    pub summary: &'static str,
}

/// Writes the rules as statics, and the list of them.
macro_rules! rules {
    ($($key:ident $name:literal $severity:ident $summary:literal;)*) => {
        $(pub(super) static $key: LintRule =
            LintRule { name: $name, severity: Severity::$severity, summary: $summary };)*

        /// All rules, in the order they are documented.
        pub static RULES: &[&LintRule] = &[$(&$key),*];
    };
}

rules! {
    UNPARSABLE "unparsable" Error
        "The text is no ClassAd expression: condor_submit refuses it, a condor_schedd leaves it \
         out of its configuration. Before 23.9.6 a unit letter may stand behind a number.";
    QUOTED "quoted" Error
        "The whole expression stands in quotation marks: it is a string, which is never true.";
    UNKNOWN_FUNCTION "unknown-function" Error
        "No function of HTCondor 25 has this name: the call is an error, which is never true.";
    ERROR_VALUE "error-value" Error
        "A part is an error on every held job, whatever its hold: the types of the operands do \
         not fit.";
    NEVER_TRUE "never-true" Error
        "The expression is true for no hold of any code and subcode, at no age and with no count; \
         or, for other policies, asks for jobs that are not looked at, or for more memory than \
         there is.";
    HELD_BY_USER "held-by-user" Error
        "It asks for holds that no policy can release: code 1, put on by a person, and 16, input \
         being spooled (user_job_policy.cpp).";
    MEMORY_SUBCODE "memory-subcode" Error
        "It asks for code 34 with the subcode that memory holds of this HTCondor version do not \
         have: 102 since 24.0.12, 0 before (condor_holdcodes.h).";
    TARGET_SCOPE "target-scope" Error
        "A job policy is evaluated on the job ad alone: TARGET.x is undefined (ClassAd chapter of \
         the manual).";
    ALWAYS_TRUE "always-true" Warning
        "It is true whatever the job: every hold is released at the next evaluation, again and \
         again; or every job is held, or removed.";
    ANY_CODE "any-code" Warning
        "It is true whatever the hold reason code: holds that come again as they are, such as 34 \
         (more memory used than requested) or 14 (no working directory), are released too.";
    UNBOUNDED "unbounded" Warning
        "No count of holds or starts ends it: a job that is held each time is released for ever.";
    USER_HOLD_TOO "user-hold-too" Warning
        "It asks for code 1, a person's hold, or 16, input being spooled, among others: no policy \
         releases those, and the part changes nothing (user_job_policy.cpp).";
    NUM_JOB_STARTS "num-job-starts" Warning
        "NumJobStarts does not grow when a job is held before its program starts, as by input \
         transfer (code 13): a bound by it alone never ends those releases. NumHolds counts all.";
    NUM_SYSTEM_HOLDS "num-system-holds" Warning
        "NumSystemHolds stays 0 in most holds; it is there for grid universe jobs (job attributes \
         in the manual). NumHolds counts all.";
    SUBCODE_ALONE "subcode-alone" Warning
        "A hold reason subcode means something only with its code: the same number under another \
         code is matched too.";
    UNUSED_CODE "unused-code" Warning
        "It asks for a hold reason code that no HTCondor of today gives: 2, 17 and 28 to 31, or \
         one that condor_holdcodes.h lacks.";
    IMPOSSIBLE_SUBCODE "impossible-subcode" Warning
        "It asks for a code with a subcode that no hold of this code has: errnos end at 133, the \
         status of a transfer plug-in is a multiple of 256, code 34 has 0, 102 and 104 \
         (hold-table.rst).";
    BARE_NUMBER "bare-number" Warning
        "A number stands between && and || where a comparison should: any number but 0 is true.";
    UNKNOWN_ATTRIBUTE "unknown-attribute" Warning
        "No job ad has this attribute: it is a machine's, or job ads have one with a name that is \
         nearly the same.";
    IMPLIED "implied" Warning
        "One alternative contains another: what it adds changes nothing.";
    MEMORY_AS_IS "memory-as-is" Warning
        "Releases a job that used more than it requests (code 34) while nothing in the submit \
         description raises the request.";
    RUN_BEFORE "run-before" Warning
        "JobCurrentStartExecutingDate is that of the run before until the program starts again: a \
         job whose input is transferred for the next run is held, or removed, before it begins \
         (seen on 23.9 and 25.14). HTCondor's own limit compares it with ShadowBday \
         (user_job_policy.cpp).";
    MISSPELT "misspelt-policy" Error
        "The name of a command, attribute or knob is nearly that of a policy: HTCondor does not \
         read it.";
    ANY_STATE "any-state" Warning
        "A limit of the time since EnteredCurrentStatus without JobStatus: periodic_hold is \
         evaluated in the queue, too (user_job_policy.cpp), and holds a job that waits as long.";
    HELD_AGAIN "held-again" Warning
        "What held the job is still true when it is released, and it is held again at the next \
         evaluation: what a run used stays in the job ad until the next run, and no release \
         resets QDate, JobStartDate and the counts of a job (releaseJobRaw in schedd.cpp).";
    REMOVED_FIRST "removed-first" Warning
        "Held jobs are removed before the release policy of the same file releases them.";
    UNRELEASED_SUBCODE "unreleased-subcode" Warning
        "A hold policy gives a subcode, and the release policy of the same file asks for others.";
    ENDLESS_RETRY "endless-retry" Warning
        "A job whose program fails is started again each time, and nothing ends it \
         (on_exit_remove in the manual of condor_submit).";
    RETRIES_UNUSED "retries-unused" Warning
        "on_exit_hold, which is evaluated before on_exit_remove (user_job_policy.cpp), or \
         on_exit_remove acts on every exit status of a failure: max_retries, retry_until and \
         success_exit_code try nothing again.";
    WRONG_TYPE "wrong-type" Warning
        "The reason that a policy gives is no string, or its subcode no number: HTCondor leaves \
         it out (user_job_policy.cpp).";
    NO_DELAY "no-delay" Note
        "A hold is released at the next evaluation, which comes every 60 s or less often \
         (PERIODIC_EXPR_INTERVAL): what failed has little time to recover.";
    MEMORY_BY_STARTS "memory-by-starts" Note
        "The request of memory grows with NumJobStarts: with each eviction too, and not where \
         DAGMan submits a node again (RETRY), whose job begins with 0.";
    SHORT_DELAY "short-delay" Note
        "The delay is shorter than the time between two evaluations (PERIODIC_EXPR_INTERVAL, 60 \
         s).";
    OWN_ATTRIBUTE "own-attribute" Note
        "HTCondor sets no attribute of this name: it is undefined unless the submit description, \
         SUBMIT_ATTRS or a job transform sets it.";
    CURRENT_TIME "current-time" Note
        "CurrentTime is kept for old expressions; time() is its name in ClassAds of today.";
    JOB_STATUS "job-status" Note
        "periodic_release is evaluated for held jobs only (schedd.cpp): JobStatus == 5 is always \
         true there.";
    MACRO "macro" Note
        "The value of a macro is not known here: what depends on it was not looked at.";
    LEFT_OUT "left-out" Warning
        "An expression of more than 65536 bytes is not looked at; of more than 100 findings about \
         one expression the gravest are given, and how many more there are; what stands behind \
         10000 findings is not looked at.";
}
