//! The options of `condor_holdadvise`.

use std::sync::LazyLock;

use super::apply::Apply;
use super::arguments::{Choice, EPOCHS, OPERANDS, OptionSpec, Tool, Word};
use super::request::{self, CountBy, Given};
use crate::inquiry::Checks;
use crate::print::{ATTRIBUTE_NAMES, PrintForm, TotalsBy};
use crate::queue::JobSpec;
use crate::workflow::By;

type Row = OptionSpec<Given>;

/// `condor_holdadvise`
pub(super) static TOOL: LazyLock<Tool<Given>> = LazyLock::new(|| Tool {
    name: "condor_holdadvise",
    operands: "[cluster | cluster.proc | owner] ...",
    operand: |all, word| {
        all.inquiry.selection.jobs.extend(JobSpec::list(word));
        Ok(())
    },
    brief: "Says of held jobs whether to release or to remove them, how sure that is, and\n\
            why. Without arguments it looks at one's own held jobs.\n",
    one_of: vec![
        (&["long", "json", "jsonl", "af", "format", "totals"], "one form is printed"),
        (OTHER_WORK, ONE_WORK),
    ],
    sections: vec![
        ("Which jobs", jobs()),
        ("Where they are read from", sources()),
        ("How they are judged", judging()),
        ("What is printed", output()),
        ("Carrying advice out", acting()),
        ("The tool itself", tool_itself()),
    ],
});

/// Work of which one is done in a call.
const OTHER_WORK: &[&str] = &["profile", "watch", "apply", "outcomes", "catalogue"];
const ONE_WORK: &str = "one is done in a call";

/// Forms for programs, but for `-json`.
const FOR_PROGRAMS: &[&str] = &["long", "jsonl", "af", "format"];

/// What of the advice is printed for people, and how.
const FOR_PEOPLE: &[&str] = &["advice", "nobatch", "incidents", "totals", "why"];

/// What jobs are judged by, and how many.
const JUDGED_BY: &[&str] = &["limit", "checks", "userlog", "eventlog", "epochs"];

/// A queue of another time.
const ANOTHER_QUEUE: &[&str] = &["jobads", "now"];

impl Choice for Apply {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("release", Self::Release),
        ("try", Self::Try),
        ("change", Self::Change),
        ("remove", Self::Remove),
    ];
}

impl Choice for Checks {
    const WORDS: &'static [(&'static str, Self)] =
        &[("own", Self::Own), ("local", Self::Local), ("all", Self::All), ("none", Self::None)];
}

impl Choice for CountBy {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("machine", Self::Places(By::Machine)),
        ("site", Self::Places(By::Site)),
        ("advice", Self::Totals(TotalsBy::Advice)),
        ("cause", Self::Totals(TotalsBy::Cause)),
        ("code", Self::Totals(TotalsBy::Code)),
        ("owner", Self::Totals(TotalsBy::Owner)),
    ];
}

fn jobs() -> Vec<Row> {
    vec![
        Row::flag("allusers", 2, |all| all.inquiry.selection.all_users = true)
            .or("all-users", 4)
            .help("Look at the held jobs of all users, not only at one's own."),
        Row::one("constraint", 1, |all| &mut all.inquiry.selection.constraint)
            .named(Word::Text("expression"))
            .help("Look only at jobs for which the ClassAd expression is true."),
        Row::flag("hold", 2, |_| {})
            .excludes(&[&["workflow", "dag", "profile"]], "it looks at jobs that are not held too")
            .help("Look at held jobs, as without it: a habit of condor_q."),
        Row::one("limit", 3, |all| &mut all.inquiry.limit).help("Judge at most this many jobs."),
        Row::one("advice", 2, |all| &mut all.printing.advice).help(
            "Print only jobs with this advice: release, try, change, wait, look, remove or \
             undecided, or several of them with commas between.",
        ),
    ]
}

fn sources() -> Vec<Row> {
    vec![
        Row::schedd(|all| &mut all.inquiry.schedd),
        Row::pool(|all| &mut all.inquiry.pool),
        Row::job_ads(|all| &mut all.inquiry.job_ads),
        Row::each("userlog", 1, |all| &mut all.inquiry.user_logs).help(
            "Read the job's history from this job event log. Given without -jobads, the jobs on \
             hold at the end of the log are judged and no queue is asked. A single dash reads \
             standard input. May be given several times.",
        ),
        Row::each("eventlog", 2, |all| &mut all.inquiry.event_logs).help(
            "Read what goes on around the job from this event log of the access point, instead of \
             the file that EVENT_LOG names. Given alone, the jobs on hold at its end are judged \
             and no queue is asked. May be given several times.",
        ),
        Row::one("epochs", 2, |all| &mut all.inquiry.epochs).help(EPOCHS),
    ]
}

fn judging() -> Vec<Row> {
    vec![
        Row::model(|all| &mut all.inquiry.model),
        Row::cost(|all| &mut all.inquiry.costs),
        Row::one("checks", 2, |all| &mut all.inquiry.checks).help(
            "What is looked at now on the access point: local, the files that the job needs; own \
             (the default), the http and https URLs of transfer_input_files of one's own jobs too, \
             of which the first byte is asked for from here, but not by root; all, also those that \
             a hold reason names, and of others; none, nothing. Only where the job's schedd runs here, as the job's owner \
             sees it, and not with -now.",
        ),
        Row::one("now", 3, |all| &mut all.inquiry.now).help(
            "Judge as of this time, and read nothing later: Unix seconds or a date, such as \
             2026-11-21T16:26:00, which is local where it names no zone. The default is the clock.",
        ),
    ]
}

/// Of attributes of a job's ad and of expressions nothing is offered.
fn attribute() -> Word {
    Word::Offered("attribute", || &ATTRIBUTE_NAMES)
}

fn output() -> Vec<Row> {
    vec![
        Row::flag("nobatch", 3, |all| all.print_people(PrintForm::Table)).help(
            "Print one line for each job. TO_DO \
             says in a few words what to change, to wait for or to look at. The hold reason is \
             printed where there is room for it.",
        ),
        Row::flag("totals", 3, |all| all.print_people(PrintForm::Totals(TotalsBy::Code))).help(
            "Print how many jobs there are for each advice and hold reason code, or what -by names, \
             in place of the jobs.",
        ),
        Row::flag("incidents", 2, |all| all.incidents = true)
            .excludes(&[FOR_PROGRAMS, &["nobatch", "totals"]], "one form is printed")
            .excludes(&[OTHER_WORK], ONE_WORK)
            .help(
            "Print what holds jobs, over users and clusters. Of each thing it has how many jobs, \
             users and clusters, since when, when the last of them was held, one of them, what to do \
             and what is wrong. With -json they are an array.",
        ),
        Row::flag("why", 2, |all| all.printing.style.why = true).help(
            "Print all that an advice rests on too: the whole hold reason, all evidence, what was \
             not read, the expected hours of each choice, how likely success is, what stands \
             against it, and which rule decided. -long and -json have it as Evidence, Missing and \
             Decision.",
        ),
        Row::new("watch", 2, Vec::new(), request::watch)
            .colon("seconds")
            .excludes(&[ANOTHER_QUEUE, &["userlog"]], "it asks the queue again and again")
            .excludes(&[&["limit"]], "others would be left out at each look")
            .excludes(
                &[&["long", "af", "format", "totals"]],
                "changes are printed as lines or JSON",
            )
            .excludes(&[&["advice"]], "a change to another advice would not be seen")
            .help(
                "Stay, ask the queue again every so many seconds (60, or the number after a \
                 colon), and print what changed: a new hold, another advice, a hold that is over. \
                 Ends when none of the jobs is in the queue any more, and with status 0 at an \
                 interrupt (Ctrl-C). Where the queue does not answer, that is said once. With \
                 -json or -jsonl each change is a JSON object on a line of its own.",
            ),
        Row::flag("workflow", 2, |all| {
            all.inquiry.places = all.inquiry.places.or(Some(By::Either));
        })
        .excludes(&[OTHER_WORK], ONE_WORK)
        .excludes(&[FOR_PROGRAMS], "it prints for people, or one object of JSON")
        .help(
            "Print what is wrong where, before the advice. That is the runs of the jobs asked \
                 about, held or not, by place and cause of failure, what to do about a workflow of \
                 which 10 to 1,000 runs failed, where that is likely enough, places that fail more \
                 of them than chance explains, and memory and disk that they should ask for. With \
                 -json it is one object, without the advice.",
        ),
        Row::one("dag", 3, |all| &mut all.dag)
            .excludes(&[OTHER_WORK], ONE_WORK)
            .excludes(&[FOR_PROGRAMS], "it prints for people, or one object of JSON")
            .help(
                "The same for the jobs of this DAG file, from the logs that its submit files name, \
                 else its nodes log (FILE.nodes.log). It also says how far its nodes are and which \
                 of them keep others waiting.",
            ),
        Row::one("by", 2, |all| &mut all.by).needs(&["workflow", "dag", "totals"]).help(
            "What -workflow and -totals count by. Of -workflow it is machine or site; the default \
             suits the jobs. Of -totals it is, besides the advice, code (the default), cause, owner \
             or, with advice, nothing.",
        ),
        Row::one("html", 2, |all| &mut all.printing.page)
            .excludes(&[OTHER_WORK], "a page is written of advice")
            .help(
                "Write the advice as a page too. It has what the advice rests on, what -incidents \
                 prints, and what -workflow prints if that is given. A page that it wrote before \
                 is replaced, no other file.",
            ),
        Row::flag("profile", 3, |all| all.profile = true)
            .excludes(
                &[FOR_PROGRAMS, FOR_PEOPLE, JUDGED_BY, &["model", "cost"]],
                "it prints what binds jobs, and no advice",
            )
            .help(
                "Print what binds scripts and jobs instead of advice: cpu, memory, disk or \
                 network. Arguments that are files are read as Python, shell or R scripts and not \
                 run. Of jobs, held or not, and finished ones, it is what they used, how long they \
                 waited and ran, and how long those of now may still. What is said of the script \
                 that they run is compared with that, and noted in the journal.",
            ),
        Row::flag("pairs", 3, |all| all.pairs = true)
            .needs(&["profile"])
            .help("With -profile, print which of the jobs may share a host."),
        Row::wide(|all| &mut all.fit),
        Row::flag("long", 1, |all| all.printing.output = PrintForm::Long)
            .help("Print each advice as a ClassAd."),
        Row::flag("json", 2, |all| all.printing.output = PrintForm::Json)
            .help("Print the advices as one JSON array."),
        Row::flag("jsonl", 5, |all| all.printing.output = PrintForm::JsonLines)
            .help("Print each advice as a JSON object on a line of its own."),
        Row::new("af", 2, vec![attribute()], request::auto_format)
            .many()
            .colon(request::LETTERS)
            .or("autoformat", 5)
            .help(
                "Print attributes of each advice or of its job's ad, or ClassAd expressions over \
                 both, separated by a space. A name that both have is that of the advice. The \
                 letters after the colon change that: j begins with the job id, l labels each \
                 value, h prints headings, V quotes strings, r prints values as ClassAd \
                 expressions and attributes of the job as they stand in its ad, T prints times as \
                 text, Y prints times as ISO 8601, a comma follows each value with a comma, t \
                 precedes it with a tab, n follows it with a line end, g separates advices by an \
                 empty line.",
            ),
        Row::new("format", 1, vec![Word::Text("format"), attribute()], request::format).help(
            "Print an attribute or expression, as -af takes them, through a printf(3) format. May \
             be given several times; no line end is added.",
        ),
    ]
}

fn acting() -> Vec<Row> {
    vec![
        Row::one("apply", 3, |all| &mut all.apply)
            .excludes(&[ANOTHER_QUEUE], "it acts on the queue as it is now")
            .excludes(
                &[FOR_PROGRAMS, FOR_PEOPLE, &["json"]],
                "it prints what it does, and no advice",
            )
            .help(
                "Carry the advice out instead of printing it, of one's own jobs, with -allusers of \
                 all. release: jobs that are to be released. try: these, and the one job of each \
                 cause that is to be tried. change: jobs of which attributes are to be edited, \
                 which are then released. remove: jobs that are to be removed. A job is acted on \
                 only in the hold that was judged. Releases for one file server or cause go one at \
                 first, then five, 25 and so on, each after as many got through; the first that \
                 fails ends it for ten minutes or more. What was done is kept in the journal.",
            ),
        Row::new(
            "dagnode",
            4,
            vec![Word::Text("node"), Word::Text("DAGManJobId")],
            request::dag_node,
        )
        .help(
            "Look only at the held jobs of this node of this DAG, for a HOLD script of DAGMan: \
             SCRIPT HOLD ALL_NODES /usr/bin/condor_holdadvise -apply try -yes -dagnode $NODE \
             $DAGID. With -apply it leaves a process behind that stays while they wait for \
             something that time may bring, for three days at most, acts once at most in each \
             hold, and prints nothing: the journal has what it did. Where a node has several \
             procs, let DAGMan run one HOLD script at a time (condor_submit_dag -MaxHold 1): two \
             of one node end DAGMan.",
        ),
        Row::flag("outcomes", 3, |all| all.outcomes = true)
            .excludes(
                &[&[OPERANDS, "allusers", "constraint", "dagnode"], ANOTHER_QUEUE, JUDGED_BY],
                "it is about all acts in the journal",
            )
            .excludes(&[FOR_PROGRAMS, FOR_PEOPLE], "it prints no advice")
            .help(
                "Print what came of the releases of the journal, by hold code, version of HTCondor \
                 and advice: how many succeeded, how many were expected to, and the hours that \
                 were lost.",
            ),
        Row::flag("dry-run", 3, |all| all.how.dry_run = true)
            .needs(&["apply"])
            .help("Print what -apply would do, and do nothing."),
        Row::one("max", 3, |all| &mut all.how.most)
            .needs(&["apply"])
            .help("Act on at most this many jobs."),
        Row::flag("yes", 3, |all| all.how.yes = true).needs(&["apply"]).help(
            "Do not ask before acting. Without it -apply asks at a terminal, and does nothing \
                 elsewhere.",
        ),
    ]
}

fn tool_itself() -> Vec<Row> {
    vec![
        Row::tool_help(|all| all.help = true),
        Row::new("catalogue", 3, Vec::new(), request::catalogue)
            .many()
            .excludes(
                &[FOR_PROGRAMS, FOR_PEOPLE, &["json", "jobads", "checks", "model", "cost"]],
                "it prints what the catalogue of texts has",
            )
            .help(
                "Print the entries of the catalogue of texts. With the name of one behind it, print \
                 it as it is written; with another text, a hold reason or a line of a program's \
                 output, the entries that it hits.",
            ),
        Row::one("check", 5, |all| &mut all.check).needs(&["catalogue"]).help(
            "With -catalogue, test the entries of this file with their own examples.",
        ),
        Row::flag("version", 1, |all| all.version = true).ends().help(
            "Print the version and what the model was trained on, and exit; with -model also \
                 the model's info sheet: what it is for, what it has not seen, and why its figures \
                 are not due to leakage.",
        ),
        Row::flag("debug", 3, |all| all.debug = true).help(
            "Write to standard error what is run and read. TOOL_DEBUG = D_FULLDEBUG says more.",
        ),
    ]
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_sound() {
        super::TOOL.check_table();
    }
}
