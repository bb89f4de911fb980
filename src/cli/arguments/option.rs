//! Options as HTCondor's tools have them, and the tools that have them.
//!
//! An option is one row: its names, what it takes and where that is put, its help, and which others
//! it needs or excludes. Reading, `-help`, manual page and completions go by these rows.
//! [`Tool::read`] reads: no crate takes any prefix of a name after a single dash from a length on
//! that each name sets.

use std::ffi::OsStr;

use super::value::{Value, Word};
use crate::inquiry::{CostChange, JobAds};
use crate::print::Style;

/// In the names of what an option excludes, the words that are no options.
pub(crate) const OPERANDS: &str = "";

/// Puts the text behind an option's colon, and the words behind the option, where they belong.
type Put<A> = Box<dyn Fn(&mut A, Option<&str>, &[&OsStr]) -> Result<(), String> + Send + Sync>;

/// One option of a tool whose arguments are an `A`.
pub(crate) struct OptionSpec<A> {
    /// The full name, without dashes.
    pub(crate) name: &'static str,
    /// The shortest prefix accepted, in characters; `condor_q`'s where it has the option.
    min: usize,
    /// Another name, and its shortest prefix.
    other_name: Option<(&'static str, usize)>,
    /// The words that it takes.
    pub(super) takes: Vec<Word>,
    /// It takes the last of these as often as no dash follows.
    pub(super) is_many: bool,
    /// The letters or the word that may stand after a colon, as the synopsis shows them.
    pub(super) colon: Option<&'static str>,
    /// One or more sentences.
    pub(super) help: &'static str,
    /// One of these must be given too, if there are any.
    pub(super) needs: &'static [&'static str],
    /// None of these can be given too, and why; no names: no other at all.
    pub(super) excludes: Vec<(Vec<&'static str>, &'static str)>,
    /// Prints something about the tool: what else is given does not matter.
    pub(super) ends: bool,
    pub(super) put: Put<A>,
}

/// A name of an option.
pub(crate) struct Name {
    pub(crate) name: &'static str,
    pub(crate) min: usize,
    /// What help says of it.
    pub(crate) help: String,
}

impl<A: 'static> OptionSpec<A> {
    /// An option that takes these words.
    pub(crate) fn new(
        name: &'static str,
        min: usize,
        takes: Vec<Word>,
        put: impl Fn(&mut A, Option<&str>, &[&OsStr]) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            min,
            other_name: None,
            takes,
            is_many: false,
            colon: None,
            help: "",
            needs: &[],
            excludes: Vec::new(),
            ends: false,
            put: Box::new(put),
        }
    }

    /// An option that takes nothing.
    pub(crate) fn flag(name: &'static str, min: usize, set: fn(&mut A)) -> Self {
        Self::new(name, min, Vec::new(), move |all, _, _| {
            set(all);
            Ok(())
        })
    }

    /// An option that takes a value; the last one counts.
    pub(crate) fn one<T: Value>(
        name: &'static str,
        min: usize,
        place: fn(&mut A) -> &mut Option<T>,
    ) -> Self {
        Self::new(name, min, vec![T::WORD], move |all, _, words| {
            *place(all) = Some(T::read(words[0])?);
            Ok(())
        })
    }

    /// An option that takes a value and may be given several times.
    pub(crate) fn each<T: Value>(
        name: &'static str,
        min: usize,
        place: fn(&mut A) -> &mut Vec<T>,
    ) -> Self {
        Self::new(name, min, vec![T::WORD], move |all, _, words| {
            place(all).push(T::read(words[0])?);
            Ok(())
        })
    }

    /// One or more sentences about it.
    pub(crate) fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

    /// What stands for its value, and is offered for it, where the type says too little.
    pub(crate) fn named(self, word: Word) -> Self {
        Self { takes: vec![word], ..self }
    }

    /// Takes its word as often as no dash follows.
    pub(crate) fn many(self) -> Self {
        Self { is_many: true, ..self }
    }

    /// Takes a text after a colon, named so in the synopsis.
    pub(crate) fn colon(self, shown: &'static str) -> Self {
        Self { colon: Some(shown), ..self }
    }

    /// Has another name.
    pub(crate) fn or(self, name: &'static str, min: usize) -> Self {
        Self { other_name: Some((name, min)), ..self }
    }

    /// Needs one of these options.
    pub(crate) fn needs(self, needs: &'static [&'static str]) -> Self {
        Self { needs, ..self }
    }

    /// Excludes these options.
    pub(crate) fn excludes(mut self, names: &[&[&'static str]], why: &'static str) -> Self {
        self.excludes.push((names.concat(), why));
        self
    }

    /// Prints something about the tool, and ends it.
    pub(crate) fn ends(self) -> Self {
        Self { ends: true, ..self }
    }

    /// Its names.
    pub(crate) fn names(&self) -> impl Iterator<Item = Name> {
        let own = Name { name: self.name, min: self.min, help: self.help.to_owned() };
        let help = format!("The same as -{}.", self.name);
        let other = self.other_name.map(|(name, min)| Name { name, min, help });
        std::iter::once(own).chain(other)
    }

    /// `-help`
    pub(crate) fn tool_help(set: fn(&mut A)) -> Self {
        Self::flag("help", 1, set).ends().help("Print usage information and exit.")
    }

    /// `-version`, of a tool that has nothing to say of a model.
    pub(crate) fn tool_version(set: fn(&mut A)) -> Self {
        Self::flag("version", 1, set).ends().help("Print the version and exit.")
    }

    /// `-name`
    pub(crate) fn schedd(place: fn(&mut A) -> &mut Option<String>) -> Self {
        let help = "Ask the condor_schedd with this name.";
        Self::one("name", 1, place).named(Word::Text("scheddname")).help(help)
    }

    /// `-pool`
    pub(crate) fn pool(place: fn(&mut A) -> &mut Option<String>) -> Self {
        let help = "Find the condor_schedd through the collector on this host.";
        Self::one("pool", 1, place).named(Word::Text("hostname[:portnumber]")).help(help)
    }

    /// `-jobads`
    pub(crate) fn job_ads(place: fn(&mut A) -> &mut Option<JobAds>) -> Self {
        Self::one("jobads", 1, place).help(
            "Read job ClassAds from a file instead of the queue, as condor_q -long, -json or -xml writes \
             them. A single dash reads standard input.",
        )
    }

    /// `-model`
    pub(crate) fn model(place: fn(&mut A) -> &mut Option<std::path::PathBuf>) -> Self {
        let help = "Judge with the model in this TorchScript archive.";
        Self::one("model", 2, place).help(help)
    }

    /// `-cost`
    pub(crate) fn cost(place: fn(&mut A) -> &mut Vec<CostChange>) -> Self {
        Self::each("cost", 3, place).help(
            "Decide with this cost of being wrong, in hours: failed, a failed release, besides what its run takes; delay, \
             leaving a job held that would succeed; keep, keeping one held that would not; work, removing a job that would \
             have succeeded, besides what its runs took; person, somebody looks at something or corrects it. The defaults \
             are 8, 8, 0.9, 8 and 1, or follow from the model's thresholds. May be given several times.",
        )
    }

    /// `-wide`
    pub(crate) fn wide(place: fn(&mut A) -> &mut Fit) -> Self {
        let put = move |all: &mut A, colon: Option<&str>, _: &[&OsStr]| {
            let number = |text: &str| text.parse().ok().filter(|columns: &u16| *columns >= 20);
            *place(all) = match colon.map(number) {
                None => Fit::Endless,
                Some(Some(columns)) => Fit::Columns(columns.into()),
                Some(None) => return Err("expected a number of columns, at least 20".to_owned()),
            };
            Ok(())
        };
        Self::new("wide", 1, Vec::new(), put).colon("N").help(
            "Do not fit lines to the terminal (text to 100 columns at most, everything to 80 where \
             there is no terminal). A number after a colon fits them to that many.",
        )
    }
}

/// The help of `-epochs`.
pub(crate) const EPOCHS: &str = "Read the ClassAds of earlier runs from this file, as condor_history -epochs -long or \
     -json writes them.";

/// What lines are fitted to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fit {
    #[default]
    Terminal,
    Columns(usize),
    Endless,
}

impl Fit {
    pub(crate) fn style(self) -> Style {
        match self {
            Self::Terminal => Style::of_terminal(),
            Self::Columns(columns) => {
                Style { columns: Some(columns), table: Some(columns), ..Style::default() }
            }
            Self::Endless => Style::default(),
        }
    }
}

/// A tool whose arguments are an `A`.
pub(crate) struct Tool<A> {
    pub(crate) name: &'static str,
    /// What follows the options in the synopsis, in words that the user chooses.
    pub(crate) operands: &'static str,
    /// Takes a word that is no option.
    pub(crate) operand: fn(&mut A, &str) -> Result<(), String>,
    /// What it does, in lines of 80 columns at most.
    pub(crate) brief: &'static str,
    /// Options of which one at most is given, and why.
    pub(crate) one_of: Vec<(&'static [&'static str], &'static str)>,
    /// The options, below the titles of `-help` and the manual page.
    pub(crate) sections: Vec<(&'static str, Vec<OptionSpec<A>>)>,
}

impl<A: 'static> Tool<A> {
    pub(crate) fn options(&self) -> impl Iterator<Item = &OptionSpec<A>> {
        self.sections.iter().flat_map(|(_, options)| options)
    }

    /// The option with this name.
    pub(crate) fn option(&self, name: &str) -> Option<&OptionSpec<A>> {
        self.options().find(|option| option.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<A: 'static> Tool<A> {
        /// What must hold of every table.
        pub(crate) fn check_table(&self) {
            let all: Vec<Name> = self.options().flat_map(OptionSpec::names).collect();
            for Name { name, min, help } in &all {
                assert!(*min <= name.len() && *min > 0 && !help.is_empty(), "{name}");
                for length in *min..=name.len() {
                    let prefix = &name[..length];
                    // A whole name means itself.
                    if length < name.len() && all.iter().any(|one| one.name == prefix) {
                        continue;
                    }
                    let is_whole = |one: &&Name| one.name == prefix || length < name.len();
                    let is_begun = |one: &&Name| one.name.starts_with(prefix) && length >= one.min;
                    let is_meant = |one: &&Name| is_whole(one) && is_begun(one);
                    let meant: Vec<_> = all.iter().filter(is_meant).map(|one| one.name).collect();
                    assert_eq!(meant, [*name], "-{prefix}");
                }
            }
            for option in self.options() {
                let excluded = option.excludes.iter().flat_map(|(names, _)| names);
                let mut others = option.needs.iter().chain(excluded);
                let is_named = |name: &&str| *name == OPERANDS || self.option(name).is_some();
                assert!(others.all(is_named), "{}", option.name);
            }
        }
    }
}
