//! The manual page, written from the tables of options, settings and attributes.
//!
//! Its parts stand in the order of HTCondor's template for manual pages.

use super::arguments::Page;
use super::options::TOOL;
use crate::hold_code::HoldCode;
use crate::inquiry::KNOBS;
use crate::print::{ATTRIBUTE_NAMES, Watched, names};

/// The manual page of `condor_holdadvise`, section 1, in the language of man(7).
pub fn manual_page() -> String {
    let mut page = Page::begin(&TOOL, "say whether to release or to remove held jobs");
    page.paragraphs("Description", &DESCRIPTION);
    page.options(
        &[
            ("cluster", "The held jobs of this cluster."),
            ("cluster.proc", "This job, which must be held."),
            ("owner", "The held jobs of this owner; with an @ in it, of this user."),
        ],
        &TOOL,
    );
    page.paragraphs("General Remarks", &REMARKS);
    page.section("Attributes");
    page.paragraph(
        "These are printed by -long, -json and -jsonl and can be named after -af and -format. Times are \
         Unix seconds, probabilities go from 0 to 1, Costs and ExpectedCosts are hours. TrainedOn and OutcomesHere are parts of Trust.",
    );
    page.paragraph(&format!("{}.", ATTRIBUTE_NAMES.join(", ")));
    page.paragraph(&format!(
        "A line of -watch -json has {} before these: when it was looked; found (at the first look), held, held-again, \
         advice (another recommendation), detail (the same one, of another job, change, event or thing) or over; what \
         was recommended before; and of a hold that is over released, removed, finished, not-asked (on hold, and a \
         constraint is no longer true) or gone, with SchemaVersion, ClusterId and ProcId alone behind it.",
        names::<Watched<()>>().join(", ")
    ));
    page.section("Hold Codes");
    page.paragraph(
        "A hold code says what failed, not whether it will fail again. These are the codes of \
         HTCondor 25.",
    );
    for code in HoldCode::all() {
        let tag = format!("{} {}", code.number, code.name);
        page.tagged(&tag, &hold_code(code));
    }
    page.section("Configuration");
    page.paragraph(
        "A setting is looked up in this order: the option, the environment (_CONDOR_NAME or \
         _condor_NAME), ~/.condor/holdadvise/config or $XDG_CONFIG_HOME/condor-holdadvise/config with \
         lines NAME = value, HTCondor's configuration through condor_config_val, the default. A value that cannot be \
         used is an error. A file of another account than one's own and root's, or in its folders, sets nothing.",
    );
    for knob in KNOBS {
        page.tagged(knob.name, knob.help);
    }
    page.section("Files");
    page.paragraph(
        "The model is the first of: the one -model or HOLDADVISE_MODEL names, \
         ~/.condor/holdadvise/default.pt, $XDG_DATA_HOME/condor-holdadvise/default.pt, \
         model.pt in the folder that HOLDADVISE_HOME_DIR names, /usr/share/condor/holdadvise/default.pt, \
         the one built in. calibration.json in that folder takes the place of the model's own calibration, \
         where it is of this model. What belongs to another account than one's own and root's is not used, unless \
         -model or HTCondor's configuration names it.",
    );
    page.section("Exit Status");
    page.paragraph(
        "0 - Advice was given, or all held jobs were asked for and there are none, or all jobs named completed or \
         were removed. Of several jobs named, at least one could be judged; the others are named on standard \
         error.",
    );
    page.paragraph(
        "1 - Failure: the arguments cannot be read, the queue or a file cannot be read, or none of the \
         jobs named could be judged.",
    );
    let see_also = "condor_q(1), condor_release(1), condor_rm(1), condor_qedit(1), condor_history(1), condor_hold(1)";
    page.finish(&EXAMPLES, see_also)
}

/// A row of the table of hold codes.
fn hold_code(code: &HoldCode) -> String {
    let (meaning, who, causes) = (code.meaning, code.set_by_words(), code.usual_causes);
    let mut text = format!("Meaning: {meaning}. Set by: {who}. Usual causes: {causes}.");
    if !code.change.is_empty() {
        text.push_str(&format!(" Usual change: {}.", code.change));
    }
    text
}

const DESCRIPTION: [&str; 6] = [
    "condor_holdadvise says of a job on hold whether to release it as it is, to change something and then \
     release it, to wait, or to remove it; how sure that is; why; what HTCondor will do by itself; and \
     the commands to paste. Without -apply it releases, edits and removes nothing.",
    "The job ad comes from the queue of the condor_schedd, or from a file given with -jobads. The job's \
     history comes from its job event log: the attribute UserLog, for a node of a DAG also \
     DAGManNodesLog, else the event log of the access point as far as it can be read. Ads of earlier runs \
     come from condor_history -epochs. Of other users' jobs nothing but counts is used.",
    "The probability that a job succeeds when it is released is computed by a recurrent neural network \
     (LSTM) from the job's history and what goes on around it at that time. The model built in was \
     trained on simulated and recorded pools. Until a model was calibrated on 500 outcomes of this access point \
     (holdadvise-train calibrate), probabilities are printed as words: very unlikely (below 0.1), unlikely (below 0.35), as likely as \
     not (below 0.65), likely (below 0.9), very likely.",
    "It recommends what is expected to cost least; what being wrong costs can be set with -cost. A release is not \
     recommended while the hold reason says that a file is missing (but output that the program did not make), permission \
     is denied or no space is left, unless others got through at that very place. Where others get through again, a release comes before a change. A removal \
     needs failed releases, time and a cause that does not pass. A failed release costs the more, the longer a run of the job takes until it is held, and a \
     removal the more, the more slot hours the job has used. Of a hold code that the model was hardly trained on it \
     recommends nothing (undecided). What counts, with -why, are the inputs without which the model \
     gives another probability.",
    "Jobs of one cluster, held for the same code, subcode and reason, with the same recommendation share a block and a \
     command. More than three of them begin with a table of incidents: what holds jobs, over users and clusters. Where what to change differs in \
     numbers, their ranges are printed and the command has the largest, if that is at most twice the \
     smallest; else each part of the jobs has a command, up to four lines of them, and -long has the others. Text of \
     HTCondor, of users and of programs stands behind a vertical bar.",
    "Behind do stands what to run now, behind afterwards what to run after a change by hand, a look or a wait (CommandsAfter). Where the \
     queue was asked it is a call of the tool itself with -apply. Another command acts on the jobs that were judged and \
     are still in the same hold, and on nothing else: its constraint compares ClusterId, ProcId, JobStatus and NumHolds, \
     without NumHolds HoldReasonCode and EnteredCurrentStatus. Of several commands each runs only if the one before it \
     succeeded. A removal has a command for one job at a time.",
];

const REMARKS: [&str; 5] = [
    "The text for people may change between versions; scripts should use -json, -jsonl, -long, -af or \
     -format.",
    "The recommendation is in colour at a terminal; not where NO_COLOR is set, and without a terminal where \
     CLICOLOR_FORCE is. In a locale without UTF-8 the shades of -workflow are the characters .:*#.",
    "Control characters and terminal escape sequences in reasons and names are not printed; invisible characters are \
     printed as \\u{200b}.",
    "What could not be read is counted, and listed with -why, as Judged without; the advice is then made from the rest. \
     Times of logs are local times of the zone that TZ names; where the ads show that a log was written in another \
     zone, it is read so and a note says it (Notes). \
     A hold put on by a person (code 1) is never advised to be released.",
    "-watch tells jobs apart by what is to be done: a probability that moves is no change. Its seconds stand behind a \
     colon, as a number behind a blank names a cluster. It keeps to the queue, and excludes -jobads, -userlog, -now, \
     -limit and -apply. A look takes place at the earliest as long after the last one as that took; after one that was \
     not answered in time twice as long, up to an hour. With a constraint, the last hundred jobs that were released \
     stay among the jobs asked about.",
];

const EXAMPLES: [(&str, &str); 6] = [
    ("Ask about one job:", "condor_holdadvise 1234.0"),
    ("Ask about all of one's own held jobs:", "condor_holdadvise"),
    (
        "As an administrator, list the jobs of all users that can be released:",
        "condor_holdadvise -allusers -af:j Owner Recommendation Band",
    ),
    ("Stay with a cluster, and look every five minutes:", "condor_holdadvise 1234 -watch:300"),
    ("Without a queue, from a job event log:", "condor_holdadvise -userlog job.log"),
    (
        "From saved job ads:",
        "condor_q -long -constraint 'JobStatus == 5' > held.ads\ncondor_holdadvise -jobads held.ads -json",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_outcomes_is_the_one_that_counts() {
        let outcomes = crate::model::LEAST_OUTCOMES;
        assert!(manual_page().contains(&format!("calibrated on {outcomes} outcomes")));
    }

    #[test]
    fn parts_stand_in_the_order_of_the_template() {
        let page = manual_page();
        let titles: Vec<&str> =
            page.lines().filter_map(|line| line.strip_prefix(".SH \"")).collect();
        assert_eq!(
            titles,
            [
                "NAME\"",
                "SYNOPSIS\"",
                "DESCRIPTION\"",
                "OPTIONS\"",
                "GENERAL REMARKS\"",
                "ATTRIBUTES\"",
                "HOLD CODES\"",
                "CONFIGURATION\"",
                "FILES\"",
                "EXIT STATUS\"",
                "EXAMPLES\"",
                "SEE ALSO\"",
                "AVAILABILITY\""
            ]
        );
    }

    #[test]
    fn the_page_in_the_tree_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/man/condor_holdadvise.1");
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert!(kept == manual_page(), "run: cargo run --example manual > man/condor_holdadvise.1");
    }
}
