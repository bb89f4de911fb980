//! The one table of options: it feeds the reading of arguments, `-help` and the manual page.

/// What follows an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Nothing.
    Nothing,
    /// One word, named so in the synopsis.
    One(&'static str),
    /// Two words.
    Two(&'static str, &'static str),
    /// All words up to the next one that begins with a dash; at least one.
    Many(&'static str),
}

/// Where an option stands in `-help` and in the manual page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// Which jobs.
    Jobs,
    /// Where to read them and their history from.
    Sources,
    /// The model and the moment.
    Judging,
    /// What is printed.
    Output,
    /// About the tool itself.
    Tool,
}

impl Section {
    pub(crate) const ALL: [Self; 5] =
        [Self::Jobs, Self::Sources, Self::Judging, Self::Output, Self::Tool];

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Jobs => "Which jobs",
            Self::Sources => "Where they are read from",
            Self::Judging => "How they are judged",
            Self::Output => "What is printed",
            Self::Tool => "The tool itself",
        }
    }
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OptionSpec {
    /// The full name, without dashes.
    pub(crate) name: &'static str,
    /// The shortest prefix accepted, in characters; `condor_q`'s where it has the option.
    pub(crate) min: usize,
    /// What follows.
    pub(crate) takes: Takes,
    /// May be given more than once.
    pub(crate) repeats: bool,
    /// The letters or the word after a colon, as the synopsis shows them.
    pub(crate) qualifiers: Option<&'static str>,
    /// The option this is another name of.
    pub(crate) alias_of: Option<&'static str>,
    pub(crate) section: Section,
    /// One or more sentences.
    pub(crate) help: &'static str,
}

const fn flag(name: &'static str, min: usize, section: Section, help: &'static str) -> OptionSpec {
    OptionSpec {
        name,
        min,
        takes: Takes::Nothing,
        repeats: false,
        qualifiers: None,
        alias_of: None,
        section,
        help,
    }
}

impl OptionSpec {
    const fn takes(self, takes: Takes) -> Self {
        Self { takes, ..self }
    }

    const fn repeats(self) -> Self {
        Self { repeats: true, ..self }
    }

    const fn qualifiers(self, letters: &'static str) -> Self {
        Self { qualifiers: Some(letters), ..self }
    }

    const fn alias_of(self, name: &'static str) -> Self {
        Self { alias_of: Some(name), ..self }
    }

    /// The name results are kept under.
    pub(crate) const fn id(&self) -> &'static str {
        match self.alias_of {
            Some(name) => name,
            None => self.name,
        }
    }
}

/// All options.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    flag("allusers", 2, Section::Jobs, "Look at the held jobs of all users, not only at one's own."),
    flag("all-users", 4, Section::Jobs, "The same as -allusers.").alias_of("allusers"),
    flag(
        "constraint",
        1,
        Section::Jobs,
        "Look only at jobs for which the ClassAd expression is true.",
    )
    .takes(Takes::One("expression")),
    flag("limit", 3, Section::Jobs, "Judge at most this many jobs.").takes(Takes::One("number")),
    flag("name", 1, Section::Sources, "Ask the condor_schedd with this name.")
        .takes(Takes::One("scheddname")),
    flag("pool", 1, Section::Sources, "Find the condor_schedd through the collector on this host.")
        .takes(Takes::One("hostname[:portnumber]")),
    flag(
        "jobads",
        1,
        Section::Sources,
        "Read job ClassAds from a file instead of the queue, as condor_q -long, -json or -xml writes \
         them. A single dash reads standard input.",
    )
    .takes(Takes::One("filename")),
    flag(
        "userlog",
        1,
        Section::Sources,
        "Read the job's history from this job event log. Given without -jobads, the jobs on hold at \
         the end of the log are judged and no queue is asked. May be given several times.",
    )
    .takes(Takes::One("filename"))
    .repeats(),
    flag(
        "eventlog",
        2,
        Section::Sources,
        "Read what goes on around the job from this event log of the access point, instead of the \
         file that EVENT_LOG names. Given alone, the jobs on hold at its end are judged and no queue \
         is asked. May be given several times.",
    )
    .takes(Takes::One("filename"))
    .repeats(),
    flag(
        "epochs",
        2,
        Section::Sources,
        "Read the ClassAds of earlier runs from this file, as condor_history -epochs -long or -json \
         writes them.",
    )
    .takes(Takes::One("filename")),
    flag("model", 2, Section::Judging, "Judge with the model in this TorchScript archive.")
        .takes(Takes::One("filename")),
    flag(
        "engine",
        2,
        Section::Judging,
        "What runs the model: builtin (the default) for models of the shipped architecture, torch for \
         any TorchScript module, where the tool was built with libtorch.",
    )
    .takes(Takes::One("builtin|torch")),
    flag(
        "cost",
        3,
        Section::Judging,
        "Decide with this cost of being wrong, in hours: vain, a release in vain, besides what its run takes; delay, \
         leaving a job held that would succeed; keep, keeping one held that would not; work, removing a job that would \
         have succeeded, besides what its runs took. The defaults are 8, 8, 0.9 and 8, or follow from the model's \
         thresholds. May be given several times.",
    )
    .takes(Takes::One("name=hours"))
    .repeats(),
    flag(
        "now",
        3,
        Section::Judging,
        "Judge as of this time, in Unix seconds, and read nothing later. The default is the clock.",
    )
    .takes(Takes::One("time")),
    flag(
        "nobatch",
        3,
        Section::Output,
        "Print one line for each job instead of one block for each group of like jobs.",
    ),
    flag(
        "wide",
        1,
        Section::Output,
        "Do not fit lines to 80 columns. A number after a colon fits them to that many.",
    )
    .qualifiers("N"),
    flag("long", 1, Section::Output, "Print each advice as a ClassAd."),
    flag("json", 2, Section::Output, "Print the advices as one JSON array."),
    flag("jsonl", 5, Section::Output, "Print each advice as a JSON object on a line of its own."),
    flag(
        "af",
        2,
        Section::Output,
        "Print these attributes of each advice, separated by a space. The letters after the colon \
         change that: j begins with the job id, l labels each value, h prints headings, V quotes \
         strings, r prints values as ClassAd expressions, T prints times as text, Y prints times as \
         ISO 8601, a comma follows each value with a comma, t precedes it with a tab, n follows it \
         with a line end, g separates advices by an empty line.",
    )
    .takes(Takes::Many("attribute"))
    .qualifiers("jlhVrTY,tng")
    .repeats(),
    flag("autoformat", 5, Section::Output, "The same as -af.")
        .takes(Takes::Many("attribute"))
        .qualifiers("jlhVrTY,tng")
        .alias_of("af")
        .repeats(),
    flag(
        "format",
        1,
        Section::Output,
        "Print an attribute of each advice through a printf(3) format. May be given several times; no \
         line end is added.",
    )
    .takes(Takes::Two("format", "attribute"))
    .repeats(),
    flag("help", 1, Section::Tool, "Print usage information and exit."),
    flag(
        "version",
        1,
        Section::Tool,
        "Print the version and what the model was trained on, and exit; with -model also the model's info sheet: what it is for, \
         what it has not seen, and why its figures are not due to leakage.",
    ),
    flag(
        "debug",
        3,
        Section::Tool,
        "Write to standard error what is run and read. TOOL_DEBUG = D_FULLDEBUG says more.",
    ),
];

/// The option with this id.
#[cfg(test)]
pub(crate) fn option(name: &str) -> Option<&'static OptionSpec> {
    OPTIONS.iter().find(|option| option.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_accepted_prefix_means_one_option() {
        for option in OPTIONS {
            assert!(option.min <= option.name.len() && option.min > 0, "{}", option.name);
            for length in option.min..=option.name.len() {
                let prefix = &option.name[..length];
                let meant: Vec<_> = OPTIONS
                    .iter()
                    .filter(|other| other.name.starts_with(prefix) && length >= other.min)
                    .map(OptionSpec::id)
                    .collect();
                assert_eq!(meant, [option.id()], "-{prefix}");
            }
        }
    }

    #[test]
    fn aliases_name_options() {
        for spec in OPTIONS.iter().filter_map(|spec| spec.alias_of) {
            assert!(option(spec).is_some(), "{spec}");
        }
    }
}
