//! The manual page of `condor_releaseexpr`.

use super::options::TOOL;
use crate::cli::arguments::Page;
use crate::policy::lint::RULES;

/// The manual page of `condor_releaseexpr`, section 1, in the language of man(7).
pub fn manual_page() -> String {
    let mut page =
        Page::begin(&TOOL, "check, explain, replay and suggest the release policies of jobs");
    page.paragraphs("Description", &DESCRIPTION);
    page.options(
        &[
            ("cluster", "With -explain and -suggest: the held jobs of this cluster."),
            ("cluster.proc", "With -explain and -suggest: this job, which must be held."),
        ],
        &TOOL,
    );
    page.paragraphs("General Remarks", &REMARKS);
    page.section("Rules");
    for rule in RULES {
        page.tagged(rule.name, &format!("({}) {}", rule.severity.word(), rule.summary));
    }
    page.section("Exit Status");
    page.paragraph(
        "0 - With -lint: nothing was found, or notes only. With -explain: at least one of the jobs named was explained, the others are \
         named on standard error; or the file has no held job. With -replay and -suggest: the logs were read.",
    );
    page.paragraph("1 - With -lint: warnings or errors were found.");
    page.paragraph(
        "2 - Failure: the arguments, the queue or a file cannot be read, a file sets no policy, none of the jobs named is held, there \
         is no log, or a text to replay is not an expression.",
    );
    let see_also = "condor_holdadvise(1), condor_submit(1), condor_q(1), condor_release(1), condor_config_val(1)";
    page.finish(&EXAMPLES, see_also)
}

const DESCRIPTION: [&str; 5] = [
    "condor_releaseexpr looks at the policies by which HTCondor releases, holds and removes jobs by itself: periodic_release, periodic_hold, \
     periodic_remove, on_exit_hold and on_exit_remove of submit descriptions, SYSTEM_PERIODIC_RELEASE and its like of the configuration.",
    "With -lint it says what is wrong with them. What a release policy does is seen by evaluating it, as the condor_schedd does, on held jobs \
     of every hold reason code, of many subcodes, ages and counts of holds; what attributes it names, and of which types, by reading it. Each \
     finding has a rule, a severity, the place, why, and where that can be said the text that should stand instead.",
    "With -explain it says of held jobs why their policies do or do not release them, remove them, or would hold them again: whether a policy \
     may release the job at all, what happens first and when, and of each policy, the job's and the access point's, every clause with its \
     value on the job's ad, the values of the attributes it names, and when it becomes true if nothing but time changes. What keeps a policy \
     from being true is marked with >. Values and times come from evaluating the expressions as the condor_schedd does; it looks 30 days \
     ahead, and says so if a time cannot be computed.",
    "With -replay it says what release expressions would have done with the holds in job event logs. Each is evaluated at every tick \
     of PERIODIC_EXPR_INTERVAL on what the log says of the held job, and with -epochs on the ad of its last run. A release after the one \
     that people made counts for nothing; one before it succeeds where theirs did, by as much as such releases did that early; where theirs failed it fails, \
     and what the expression does with the job when it is held again is followed. Beside the expressions stand the policies that were \
     in force, as the log shows them, and with -advice what the model of condor_holdadvise would have said.",
    "With -suggest it makes a release expression of the same holds. For each hold reason code and subcode it tries delays from seconds to two days and bounds of \
     NumHolds, and takes what costs least, if it is 95 % sure to cost less than leaving the holds to people; jobs of one cluster \
     share their cause and count together. Holds that somebody wanted (codes 1, 15 and 16) are never released. What it prints can stand in a submit description or in the \
     configuration as it is; why each reason is released, or not, stands in comments. Where jobs of -userlog alone, or of the clusters named, were held in runs much \
     longer than those in which they exited later, a periodic_hold after some time is suggested too, in a comment.",
];

const REMARKS: [&str; 6] = [
    "The text for people may change between versions; scripts should use -json and the exit status.",
    "In a file, macros that the same file sets are expanded; of what depends on others nothing is said. Both branches of an if are looked at, \
     includes are not followed.",
    "-explain asks condor_q for whole ads, and condor_config_val for the policies of the access point. Those of another access point (-name, \
     -pool) or of the one a file (-jobads) is from are known only by -config. Without them it says so. At most 10000 jobs are explained in a \
     call.",
    "A log tells ClusterId, ProcId, Owner (event 028), JobStatus, EnteredCurrentStatus, HoldReason, HoldReasonCode, HoldReasonSubCode and, where it \
     begins before the job, QDate, NumHolds, NumJobStarts, LastHoldReasonCode and LastHoldReasonSubCode. What an expression asks for besides is \
     taken from -epochs; if it depends on what neither has, that is counted and said, and nothing is guessed. Logs do not show when in the \
     interval the schedd looks: at its whole multiples, it is assumed. NumHolds may be higher in the queue: the schedd counts the hold of a running job by a \
     policy several times, and a submission on hold has no event.",
    "A job ran out of memory or disk, was released by a person and succeeded: it is assumed that its request was raised, unless \
     the ads of its runs show that it was not. condor_qedit writes no event: a log does not show what else people corrected before \
     a release. That makes releases look better than they are.",
    "An expression is read as condor_submit and the configuration read it, in the syntax of old ClassAds.",
];

const EXAMPLES: [(&str, &str); 8] = [
    (
        "Look at an expression:",
        "condor_releaseexpr -lint '(NumJobStarts < 5) && (time() - EnteredCurrentStatus) > 3600'",
    ),
    (
        "Look at a submit description, as an access point with HTCondor 23 would evaluate it:",
        "condor_releaseexpr -condor 23 -lint job.sub",
    ),
    (
        "Look at the configuration of an access point:",
        "condor_config_val -dump PERIODIC | condor_releaseexpr -lint -",
    ),
    ("Ask why a job is not released:", "condor_releaseexpr -explain 1234.0"),
    (
        "The same elsewhere, from what the access point says:",
        "condor_q -long -constraint 'JobStatus == 5' > held.ads\ncondor_config_val -dump -expand 'PERIODIC|MAX_RELEASES|CONDOR_VERSION' > ap.config\n\
         condor_releaseexpr -explain -jobads held.ads -config ap.config",
    ),
    (
        "What two expressions would have done with the holds of this access point:",
        "condor_releaseexpr -replay 'HoldReasonCode =?= 13 && NumHolds < 4 && time() - EnteredCurrentStatus > 1200' -replay job.sub",
    ),
    (
        "Suggest one for all jobs of an access point, from its logs:",
        "condor_releaseexpr -suggest -form system -eventlog EventLog -epochs epoch_history",
    ),
    ("Suggest one for a held job:", "condor_releaseexpr -suggest 1234.0"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_in_the_tree_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/man/condor_releaseexpr.1");
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            kept == manual_page(),
            "run: cargo run --example manual -- condor_releaseexpr > man/condor_releaseexpr.1"
        );
    }
}
