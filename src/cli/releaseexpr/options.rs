//! The options of `condor_releaseexpr`.

use crate::cli::arguments::{
    OptionSpec, Section, Takes, Tool, cost, epochs, event_log, flag, help, job_ads, model, pool,
    schedd_name, user_log, wide,
};

const WORK: Section = Section("What is done");
const SOURCES: Section = Section("Where jobs and policies are read from");
const RULES: Section = Section("By which rules");
const OUTPUT: Section = Section("What is printed");
const TOOL_ITSELF: Section = Section("The tool itself");

/// `condor_releaseexpr`
pub(in crate::cli) static TOOL: Tool = Tool {
    name: "condor_releaseexpr",
    operands: "[cluster | cluster.proc] ...",
    brief: "Says what is wrong with the release policies of jobs before they are switched\n\
            on, why they do not release a held job, and what they would have done with the\n\
            holds of the past; suggests better ones.\n",
    sections: &[WORK, SOURCES, RULES, OUTPUT, TOOL_ITSELF],
    options: OPTIONS,
    exclusive: &["lint", "explain", "replay", "suggest"],
};

const OPTIONS: &[OptionSpec] = &[
    flag(
        "lint",
        2,
        WORK,
        "Look at an expression, or at the policies in a submit description or a configuration file: whether they parse, what they \
         release, how often and how soon. A single dash reads a file from standard input. May be given several times.",
    )
    .takes(Takes::One("expression|filename"))
    .repeats(),
    flag(
        "explain",
        2,
        WORK,
        "Say of the held jobs named, or with -jobads of all held jobs of a file, why their policies do or do not release them: each \
         clause, its value, and when it becomes true.",
    ),
    flag(
        "replay",
        1,
        WORK,
        "Say what a release expression, or the release policies in a submit description or a configuration file, would have done with \
         the holds in job event logs: which it would have released, how those releases ended, hours saved and wasted. May \
         be given several times; all are put side by side, with the policies that were in force and with releases by people only.",
    )
    .takes(Takes::One("expression|filename"))
    .repeats(),
    flag(
        "suggest",
        1,
        WORK,
        "Suggest a release policy from how the holds in job event logs ended; for the hold reasons of the held jobs that \
         are named, or with -jobads of those of a file, else for all.",
    ),
    user_log(SOURCES, "Read holds from this job event log; a single dash reads standard input. May be given several times."),
    event_log(
        SOURCES,
        "Read holds from this event log of the access point and its rotated files, instead of the file that EVENT_LOG names. May be given \
         several times.",
    ),
    epochs(SOURCES).repeats(),
    schedd_name(SOURCES),
    pool(SOURCES),
    job_ads(SOURCES),
    flag(
        "config",
        4,
        SOURCES,
        "Read the policies of the access point from this file, a configuration file or what condor_config_val -dump wrote, instead of \
         the configuration here. A single dash reads standard input.",
    )
    .takes(Takes::One("filename")),
    flag(
        "now",
        3,
        SOURCES,
        "Explain as of this time, in Unix seconds. The default is the clock.",
    )
    .takes(Takes::One("time")),
    flag(
        "kind",
        1,
        RULES,
        "What an expression is for: release (the default), hold, remove, or exit for on_exit_hold and on_exit_remove. In a file the names \
         of the commands say it.",
    )
    .takes(Takes::One("release|hold|remove|exit")),
    flag(
        "condor",
        2,
        RULES,
        "By the rules of this version of HTCondor, 23.9 or 25. The default is the newest that is known, 25.",
    )
    .takes(Takes::One("version")),
    flag(
        "form",
        1,
        RULES,
        "Suggest a line of a submit description (submit, the default), knobs of the access point (system), or a job transform that sets it \
         for jobs that have none (transform).",
    )
    .takes(Takes::One("submit|system|transform")),
    flag(
        "advice",
        1,
        RULES,
        "Ask the model of condor_holdadvise about each hold ten minutes, an hour, six hours and a day after it. With -replay what it says is \
         put beside the expressions, with -suggest it counts instead of how other releases ended. Of more than 2,000 holds some are \
         taken.",
    ),
    model(RULES),
    cost(RULES),
    flag(
        "json",
        4,
        OUTPUT,
        "Print the findings or the explanations as one JSON array, what was replayed or suggested as one object.",
    ),
    flag(
        "jsonl",
        5,
        OUTPUT,
        "With -replay, print a JSON object for each hold on a line of its own: when each policy would have released it.",
    ),
    wide(OUTPUT),
    flag("rules", 2, OUTPUT, "Print the rules of -lint, their severities and where they are from, and exit."),
    help(TOOL_ITSELF),
    flag("version", 1, TOOL_ITSELF, "Print the version and exit."),
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_sound() {
        super::TOOL.check();
    }
}
