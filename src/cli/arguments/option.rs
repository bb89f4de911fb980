//! Options as HTCondor's tools have them, and the tools that have them.

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

/// Where an option stands in `-help` and in the manual page, by its title.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Section(pub(crate) &'static str);

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

pub(crate) const fn flag(
    name: &'static str,
    min: usize,
    section: Section,
    help: &'static str,
) -> OptionSpec {
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

/// `-wide`, which [`style`](super::style) reads.
pub(crate) const fn wide(section: Section) -> OptionSpec {
    let help = "Do not fit lines to the terminal (text to 100 columns at most, everything to 80 where \
                there is no terminal). A number after a colon fits them to that many.";
    flag("wide", 1, section, help).qualifiers("N")
}

/// `-help`
pub(crate) const fn help(section: Section) -> OptionSpec {
    flag("help", 1, section, "Print usage information and exit.")
}

/// `-name`
pub(crate) const fn schedd_name(section: Section) -> OptionSpec {
    flag("name", 1, section, "Ask the condor_schedd with this name.")
        .takes(Takes::One("scheddname"))
}

/// `-pool`
pub(crate) const fn pool(section: Section) -> OptionSpec {
    let help = "Find the condor_schedd through the collector on this host.";
    flag("pool", 1, section, help).takes(Takes::One("hostname[:portnumber]"))
}

/// `-userlog`
pub(crate) const fn user_log(section: Section, help: &'static str) -> OptionSpec {
    flag("userlog", 1, section, help).takes(Takes::One("filename")).repeats()
}

/// `-eventlog`
pub(crate) const fn event_log(section: Section, help: &'static str) -> OptionSpec {
    flag("eventlog", 2, section, help).takes(Takes::One("filename")).repeats()
}

/// `-epochs`
pub(crate) const fn epochs(section: Section) -> OptionSpec {
    let help = "Read the ClassAds of earlier runs from this file, as condor_history -epochs -long or -json writes them.";
    flag("epochs", 2, section, help).takes(Takes::One("filename"))
}

/// `-model`
pub(crate) const fn model(section: Section) -> OptionSpec {
    flag("model", 2, section, "Judge with the model in this TorchScript archive.")
        .takes(Takes::One("filename"))
}

/// `-cost`
pub(crate) const fn cost(section: Section) -> OptionSpec {
    flag(
        "cost",
        3,
        section,
        "Decide with this cost of being wrong, in hours: failed, a failed release, besides what its run takes; delay, \
         leaving a job held that would succeed; keep, keeping one held that would not; work, removing a job that would \
         have succeeded, besides what its runs took; person, somebody looks at something or corrects it. The defaults \
         are 8, 8, 0.9, 8 and 1, or follow from the model's thresholds. May be given several times.",
    )
    .takes(Takes::One("name=hours"))
    .repeats()
}

/// `-jobads`
pub(crate) const fn job_ads(section: Section) -> OptionSpec {
    let help = "Read job ClassAds from a file instead of the queue, as condor_q -long, -json or -xml writes \
                them. A single dash reads standard input.";
    flag("jobads", 1, section, help).takes(Takes::One("filename"))
}

impl OptionSpec {
    pub(crate) const fn takes(self, takes: Takes) -> Self {
        Self { takes, ..self }
    }

    pub(crate) const fn repeats(self) -> Self {
        Self { repeats: true, ..self }
    }

    pub(crate) const fn qualifiers(self, letters: &'static str) -> Self {
        Self { qualifiers: Some(letters), ..self }
    }

    pub(crate) const fn alias_of(self, name: &'static str) -> Self {
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

/// A tool: its table of options feeds the reading of arguments, `-help` and the manual page.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// What follows the options in the synopsis, in words that the user chooses.
    pub(crate) operands: &'static str,
    /// What it does, in lines of 80 columns at most.
    pub(crate) brief: &'static str,
    pub(crate) sections: &'static [Section],
    pub(crate) options: &'static [OptionSpec],
    /// Options of which one at most can be given.
    pub(crate) exclusive: &'static [&'static str],
}

impl Tool {
    /// The option with this name.
    #[cfg(test)]
    pub(crate) fn option(&self, name: &str) -> Option<&'static OptionSpec> {
        self.options.iter().find(|option| option.name == name)
    }

    /// What must hold of every table.
    #[cfg(test)]
    pub(crate) fn check(&self) {
        for option in self.options {
            assert!(option.min <= option.name.len() && option.min > 0, "{}", option.name);
            assert!(self.sections.contains(&option.section), "{}", option.name);
            assert!(
                option.alias_of.is_none_or(|name| self.option(name).is_some()),
                "{}",
                option.name
            );
            for length in option.min..=option.name.len() {
                let prefix = &option.name[..length];
                let meant: Vec<_> = self
                    .options
                    .iter()
                    .filter(|other| other.name.starts_with(prefix) && length >= other.min)
                    .map(OptionSpec::id)
                    .collect();
                assert_eq!(meant, [option.id()], "-{prefix}");
            }
        }
        for name in self.exclusive {
            assert!(self.option(name).is_some(), "{name}");
        }
    }
}
