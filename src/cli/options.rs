//! The options of `condor_holdadvise`.

use super::arguments::{
    OptionSpec, Section, Takes, Tool, cost, epochs, event_log, flag, help, job_ads, model, pool,
    schedd_name, user_log, wide,
};

const JOBS: Section = Section("Which jobs");
const SOURCES: Section = Section("Where they are read from");
const JUDGING: Section = Section("How they are judged");
const OUTPUT: Section = Section("What is printed");
const ACTING: Section = Section("Carrying advice out");
const TOOL_ITSELF: Section = Section("The tool itself");

/// `condor_holdadvise`
pub(crate) static TOOL: Tool = Tool {
    name: "condor_holdadvise",
    operands: "[cluster | cluster.proc | owner] ...",
    brief: "Says of held jobs whether to release or to remove them, how sure that is, and\n\
            why. Without arguments it looks at one's own held jobs.\n",
    sections: &[JOBS, SOURCES, JUDGING, OUTPUT, ACTING, TOOL_ITSELF],
    options: OPTIONS,
    exclusive: &["long", "json", "jsonl", "af", "format", "totals"],
};

const OPTIONS: &[OptionSpec] = &[
    flag("allusers", 2, JOBS, "Look at the held jobs of all users, not only at one's own."),
    flag("all-users", 4, JOBS, "The same as -allusers.").alias_of("allusers"),
    flag(
        "constraint",
        1,
        JOBS,
        "Look only at jobs for which the ClassAd expression is true.",
    )
    .takes(Takes::One("expression")),
    flag("limit", 3, JOBS, "Judge at most this many jobs.").takes(Takes::One("number")),
    flag(
        "advice",
        2,
        JOBS,
        "Print only jobs with this advice: release, try, change, wait, look, remove or undecided, or several \
         of them with commas between.",
    )
    .takes(Takes::One("advice,...")),
    schedd_name(SOURCES),
    pool(SOURCES),
    job_ads(SOURCES),
    user_log(
        SOURCES,
        "Read the job's history from this job event log. Given without -jobads, the jobs on hold at \
         the end of the log are judged and no queue is asked. A single dash reads standard input. May be \
         given several times.",
    ),
    event_log(
        SOURCES,
        "Read what goes on around the job from this event log of the access point, instead of the \
         file that EVENT_LOG names. Given alone, the jobs on hold at its end are judged and no queue \
         is asked. May be given several times.",
    ),
    epochs(SOURCES),
    model(JUDGING),
    flag(
        "engine",
        2,
        JUDGING,
        "What runs the model: builtin (the default) for models of the shipped architecture, torch for \
         any TorchScript module, where the tool was built with libtorch.",
    )
    .takes(Takes::One("builtin|torch")),
    cost(JUDGING),
    flag(
        "checks",
        2,
        JUDGING,
        "What is looked at now on the access point: local (the default), the files that the job needs; \
         all, its http and https URLs too, of which the first byte is asked for from here; none, \
         nothing. Only where the job's schedd runs here, as the job's owner sees it, and not with \
         -now.",
    )
    .takes(Takes::One("local|all|none")),
    flag(
        "now",
        3,
        JUDGING,
        "Judge as of this time, in Unix seconds, and read nothing later. The default is the clock.",
    )
    .takes(Takes::One("time")),
    flag(
        "nobatch",
        3,
        OUTPUT,
        "Print one line for each job instead of one block for each group of like jobs. TO_DO says in a few \
         words what to change, to wait for or to look at. The hold reason is printed where there is room for it.",
    ),
    flag(
        "totals",
        3,
        OUTPUT,
        "Print how many jobs there are for each advice and hold reason code, in place of the jobs.",
    ),
    flag(
        "removals",
        3,
        OUTPUT,
        "Print the command that removes a group of jobs, where removal is advised. Without it a removal is printed for one \
         job at a time.",
    ),
    flag(
        "explain-decision",
        2,
        OUTPUT,
        "Print a table of what can be done: the expected hours of each choice, how likely success is, \
         what stands against it, and which rule decided. -long and -json have it as Decision.",
    ),
    flag(
        "watch",
        2,
        OUTPUT,
        "Stay, ask the queue again every so many seconds (60, or the number after a colon), and print what changed: a \
         new hold, another advice, a hold that is over. Ends when none of the jobs is in the queue any more, and with \
         status 0 at an interrupt (Ctrl-C). Where the queue does not answer, that is said once. With -json or -jsonl \
         each change is a JSON object on a line of its own.",
    )
    .qualifiers("seconds"),
    flag(
        "workflow",
        2,
        OUTPUT,
        "Print what is wrong where, before the advice. That is the runs of the jobs asked about, held or not, by place and \
         cause of failure, what to do about a workflow of which 10 to 1,000 runs failed, where that is likely enough, places that \
         fail more of them than chance explains, and memory and disk that they should ask for. With -json it is one \
         object, without the advice.",
    ),
    flag(
        "dag",
        3,
        OUTPUT,
        "The same for the jobs of this DAG file, from the logs that its submit files name, else its nodes log \
         (FILE.nodes.log). It also says how far its nodes are and which of them keep others waiting.",
    )
    .takes(Takes::One("filename")),
    flag("by", 2, OUTPUT, "What -workflow counts by. The default suits the jobs.")
        .takes(Takes::One("machine|site")),
    flag(
        "html",
        2,
        OUTPUT,
        "Write what -workflow prints as a page too, with the table as a picture. A page that it wrote before is replaced, \
         no other file.",
    )
    .takes(Takes::One("filename")),
    flag(
        "profile",
        3,
        OUTPUT,
        "Print what binds scripts and jobs instead of advice: cpu, memory, disk or network. Arguments that are files are \
         read as Python, shell or R scripts and not run. Of jobs, held or not, and finished ones, it is what they used, \
         how long they waited and ran, and how long those of now may still. What is said of the script that they run is \
         compared with that, and noted in the journal.",
    ),
    flag("pairs", 3, OUTPUT, "With -profile, print which of the jobs may share a host."),
    wide(OUTPUT),
    flag("long", 1, OUTPUT, "Print each advice as a ClassAd."),
    flag("json", 2, OUTPUT, "Print the advices as one JSON array."),
    flag("jsonl", 5, OUTPUT, "Print each advice as a JSON object on a line of its own."),
    flag(
        "af",
        2,
        OUTPUT,
        "Print attributes of each advice or of its job's ad, or ClassAd expressions over both, separated by a space. \
         A name that both have is that of the advice. The letters after the colon \
         change that: j begins with the job id, l labels each value, h prints headings, V quotes \
         strings, r prints values as ClassAd expressions and attributes of the job as they stand in its ad, T prints times as text, Y prints times as \
         ISO 8601, a comma follows each value with a comma, t precedes it with a tab, n follows it \
         with a line end, g separates advices by an empty line.",
    )
    .takes(Takes::Many("attribute"))
    .qualifiers("jlhVrTY,tng")
    .repeats(),
    flag("autoformat", 5, OUTPUT, "The same as -af.")
        .takes(Takes::Many("attribute"))
        .qualifiers("jlhVrTY,tng")
        .alias_of("af")
        .repeats(),
    flag(
        "format",
        1,
        OUTPUT,
        "Print an attribute or expression, as -af takes them, through a printf(3) format. May be given several times; no \
         line end is added.",
    )
    .takes(Takes::Two("format", "attribute"))
    .repeats(),
    flag(
        "apply",
        3,
        ACTING,
        "Carry the advice out instead of printing it, of one's own jobs, with -allusers of all. release: \
         jobs that are to be released. try: these, and the one job of each cause that is to be tried. \
         change: jobs of which attributes are to be edited, which are then released. remove: jobs that \
         are to be removed. A job is acted on only in the hold that was judged. Releases for one file \
         server or cause go one at first, then five, 25 and so on, each after as many got through; the \
         first that fails ends it for ten minutes or more. What was done is kept in the journal.",
    )
    .takes(Takes::One("release|try|change|remove")),
    flag(
        "dagnode",
        4,
        ACTING,
        "Look only at the held jobs of this node of this DAG, for a HOLD script of DAGMan: SCRIPT HOLD \
         ALL_NODES /usr/bin/condor_holdadvise -apply try -yes -dagnode $NODE $DAGID. With -apply it leaves a \
         process behind that stays while they wait for something that time may bring, for three days at \
         most, acts once at most in each hold, and prints nothing: the journal has what it did. Where a node \
         has several procs, let DAGMan run one HOLD script at a time (condor_submit_dag -MaxHold 1): two of \
         one node end DAGMan.",
    )
    .takes(Takes::Two("node", "DAGManJobId")),
    flag(
        "outcomes",
        3,
        ACTING,
        "Print what came of the releases of the journal, by hold code, version of HTCondor and advice: how \
         many succeeded, how many were expected to, and the hours that were lost.",
    ),
    flag("dry-run", 3, ACTING, "Print what -apply would do, and do nothing."),
    flag("max", 3, ACTING, "Act on at most this many jobs.").takes(Takes::One("number")),
    flag("yes", 3, ACTING, "Do not ask before acting. Without it -apply asks at a terminal, and does nothing elsewhere."),
    help(TOOL_ITSELF),
    flag(
        "mcp",
        2,
        TOOL_ITSELF,
        "Serve an assistant: answer the Model Context Protocol on standard input and output, until that \
         ends. Its tools give advice, the evidence for it, and what is wrong with release policies; all of \
         them only read. No other option can be given.",
    ),
    flag(
        "version",
        1,
        TOOL_ITSELF,
        "Print the version and what the model was trained on, and exit; with -model also the model's info sheet: what it is for, \
         what it has not seen, and why its figures are not due to leakage.",
    ),
    flag(
        "debug",
        3,
        TOOL_ITSELF,
        "Write to standard error what is run and read. TOOL_DEBUG = D_FULLDEBUG says more.",
    ),
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_sound() {
        super::TOOL.check();
    }
}
