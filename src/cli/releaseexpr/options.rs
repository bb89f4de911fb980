//! The options of `condor_releaseexpr`.

use std::ffi::OsStr;
use std::sync::LazyLock;

use super::request::{Form, Given};
use crate::cli::arguments::{Choice, EPOCHS, OptionSpec, Tool, Value, Word, parsed};
use crate::policy::Version;
use crate::policy::lint::Role;
use crate::queue::JobSpec;

type Row = OptionSpec<Given>;

/// `condor_releaseexpr`
pub(in crate::cli) static TOOL: LazyLock<Tool<Given>> = LazyLock::new(|| Tool {
    name: "condor_releaseexpr",
    operands: "[cluster | cluster.proc] ...",
    operand: |all, word| {
        all.inquiry.selection.jobs.extend(JobSpec::list(word));
        Ok(())
    },
    brief: "Says what is wrong with the release policies of jobs before they are switched\n\
            on, why they do not release a held job, and what they would have done with the\n\
            holds of the past; suggests better ones.\n",
    one_of: vec![(&["lint", "explain", "replay", "suggest"], "one is done in a call")],
    sections: vec![
        ("What is done", work()),
        ("Where jobs and policies are read from", sources()),
        ("By which rules", rules()),
        ("What is printed", output()),
        (
            "The tool itself",
            vec![
                Row::tool_help(|all| all.help = true),
                Row::tool_version(|all| all.version = true),
            ],
        ),
    ],
});

/// Work with the holds of the past.
const PAST: &[&str] = &["replay", "suggest"];

impl Choice for Role {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("release", Self::Release),
        ("hold", Self::Hold),
        ("remove", Self::Remove),
        ("exit", Self::OnExit),
    ];
}

impl Choice for Form {
    const WORDS: &'static [(&'static str, Self)] =
        &[("submit", Self::Submit), ("system", Self::System), ("transform", Self::Transform)];
}

impl Value for Version {
    const WORD: Word = Word::Text("version");

    fn read(word: &OsStr) -> Result<Self, String> {
        parsed(word, "a version, as in 25, 25.14 or 25.14.1")
    }
}

fn work() -> Vec<Row> {
    vec![
        Row::each("lint", 2, |all| &mut all.lint).named(Word::File("expression|filename")).help(
            "Look at an expression, or at the policies in a submit description or a \
                 configuration file: whether they parse, what they release, how often and how \
                 soon. A single dash reads a file from standard input. May be given several times.",
        ),
        Row::flag("explain", 2, |all| all.explain = true).help(
            "Say of the held jobs named, or with -jobads of all held jobs of a file, why their \
             policies do or do not release them: each clause, its value, and when it becomes true.",
        ),
        Row::each("replay", 1, |all| &mut all.replay)
            .named(Word::File("expression|filename"))
            .help(
                "Say what a release expression, or the release policies in a submit description or \
                 a configuration file, would have done with the holds in job event logs: which it \
                 would have released, how those releases ended, hours saved and wasted. May be \
                 given several times; all are put side by side, with the policies that were in \
                 force and with releases by people only.",
            ),
        Row::flag("suggest", 1, |all| all.suggest = true).help(
            "Suggest a release policy from how the holds in job event logs ended; for the hold \
             reasons of the held jobs that are named, or with -jobads of those of a file, else for \
             all.",
        ),
    ]
}

fn sources() -> Vec<Row> {
    vec![
        Row::each("userlog", 1, |all| &mut all.past.user_logs).needs(PAST).help(
            "Read holds from this job event log; a single dash reads standard input. May be \
                 given several times.",
        ),
        Row::each("eventlog", 2, |all| &mut all.past.event_logs).needs(PAST).help(
            "Read holds from this event log of the access point and its rotated files, instead \
                 of the file that EVENT_LOG names. May be given several times.",
        ),
        Row::each("epochs", 2, |all| &mut all.past.epochs).needs(PAST).help(EPOCHS),
        Row::schedd(|all| &mut all.inquiry.schedd).needs(&["explain", "suggest"]),
        Row::pool(|all| &mut all.inquiry.pool).needs(&["explain", "suggest"]),
        Row::job_ads(|all| &mut all.inquiry.job_ads)
            .needs(&["explain", "suggest"])
            .excludes(&[&["name", "pool"]], "it reads a file, and they ask a queue"),
        Row::one("config", 4, |all| &mut all.past.config)
            .needs(&["explain", "replay", "suggest"])
            .help(
                "Read the policies of the access point from this file, a configuration file or \
                 what condor_config_val -dump wrote, instead of the configuration here. A single \
                 dash reads standard input.",
            ),
        Row::one("now", 3, |all| &mut all.now).needs(&["explain"]).help(
            "Explain as of this time: Unix seconds or a date, such as 2026-11-21T16:26:00, which \
             is local where it names no zone. The default is the clock.",
        ),
    ]
}

fn rules() -> Vec<Row> {
    vec![
        Row::one("kind", 1, |all| &mut all.role).needs(&["lint"]).help(
            "What an expression is for: release (the default), hold, remove, or exit for \
                 on_exit_hold and on_exit_remove. In a file the names of the commands say it.",
        ),
        Row::one("condor", 2, |all| &mut all.past.condor)
            .needs(&["lint", "replay", "suggest"])
            .help(
                "By the rules of this version of HTCondor, 23.9 or 25. The default is the newest \
                 that is known, 25.",
            ),
        Row::one("form", 1, |all| &mut all.form).needs(&["suggest"]).help(
            "Suggest a line of a submit description (submit, the default), knobs of the access \
                 point (system), or a job transform that sets it for jobs that have none \
                 (transform).",
        ),
        Row::flag("advice", 1, |all| all.past.asks_model = true).needs(PAST).help(
            "Ask the model of condor_holdadvise about each hold ten minutes, an hour, six \
                 hours and a day after it. With -replay what it says is put beside the \
                 expressions, with -suggest it counts instead of how other releases ended. Of more \
                 than 2,000 holds some are taken.",
        ),
        Row::model(|all| &mut all.past.model).needs(&["advice"]),
        Row::cost(|all| &mut all.past.costs).needs(PAST),
    ]
}

fn output() -> Vec<Row> {
    vec![
        Row::flag("json", 4, |all| all.print.json = true).help(
            "Print the findings or the explanations as one JSON array, what was replayed or \
             suggested as one object.",
        ),
        Row::flag("jsonl", 5, |all| all.each_hold = true).needs(&["replay"]).help(
            "With -replay, print a JSON object for each hold on a line of its own: when each \
                 policy would have released it.",
        ),
        Row::wide(|all| &mut all.fit),
        Row::flag("rules", 2, |all| all.rules = true)
            .ends()
            .help("Print the rules of -lint, their severities and where they are from, and exit."),
    ]
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_sound() {
        super::TOOL.check_table();
    }
}
