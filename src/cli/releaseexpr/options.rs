//! The options of `condor_releaseexpr`.

use crate::cli::arguments::{OptionSpec, Section, Takes, Tool, flag, help, wide};

const WORK: Section = Section("What is done");
const RULES: Section = Section("By which rules");
const OUTPUT: Section = Section("What is printed");
const TOOL_ITSELF: Section = Section("The tool itself");

/// `condor_releaseexpr`
pub(super) static TOOL: Tool = Tool {
    name: "condor_releaseexpr",
    operands: "",
    brief: "Says what is wrong with the release policies of jobs before they are switched\n\
            on.\n",
    sections: &[WORK, RULES, OUTPUT, TOOL_ITSELF],
    options: OPTIONS,
    exclusive: &[],
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
    flag("json", 2, OUTPUT, "Print the findings as one JSON array."),
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
