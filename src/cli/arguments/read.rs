//! Reads the words behind a tool's name.
//!
//! Rules of `is_dash_arg_prefix` and `is_dash_arg_colon_prefix` (HTCondor's `match_prefix.cpp`):
//! after one dash any prefix of the name from a minimum length on, after two dashes the full name
//! only, and letters behind a colon where the option has them.

use std::ffi::{OsStr, OsString};

use super::option::{Name, OPERANDS, OptionSpec, Tool};
use crate::text::{printable, strip_control};

/// Options that are named where an unknown one is like several, at most.
const NEAREST: usize = 3;

/// Why the arguments cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ArgumentError(pub(in crate::cli) String);

/// An option or another word that was given.
struct Given<'a> {
    /// The full name of the option.
    name: &'a str,
    /// The same for people.
    shown: String,
}

impl<A: Default + 'static> Tool<A> {
    /// Reads the words after the program's name.
    ///
    /// # Errors
    /// [`ArgumentError`] for an unknown option, a missing or wrong value, or options that exclude
    /// each other.
    pub(crate) fn read(&self, words: &[OsString]) -> Result<A, ArgumentError> {
        let mut all = A::default();
        let mut given = Vec::new();
        let mut rest = words.iter().map(OsString::as_os_str).peekable();
        while let Some(word) = rest.next() {
            if !begins_with_dash(word) {
                let text = word.to_str().ok_or("an argument is not UTF-8 text".to_owned());
                text.and_then(|text| (self.operand)(&mut all, text)).map_err(ArgumentError)?;
                given.push(Given {
                    name: OPERANDS,
                    shown: printable(&word.to_string_lossy()).into(),
                });
                continue;
            }
            let (option, name, behind_colon) = self.find(&word.to_string_lossy())?;
            given.push(Given { name: option.name, shown: format!("-{name}") });
            let wrong = |why: String| match &behind_colon {
                Some(text) => ArgumentError(format!("-{name}:{}: {why}", strip_control(text))),
                None => ArgumentError(format!("-{name}: {why}")),
            };
            if behind_colon.is_some() && option.colon.is_none() {
                return Err(wrong("this option takes nothing after a colon".to_owned()));
            }
            let mut behind = Vec::new();
            if option.is_many {
                while let Some(value) = rest.next_if(|word| !begins_with_dash(word)) {
                    behind.push(value);
                }
                // A single dash ends the list.
                rest.next_if(|word| *word == "-");
            } else {
                // Numbers and expressions may begin with a dash.
                let is_value = |word: &&OsStr| {
                    !begins_with_dash(word) || self.find(&word.to_string_lossy()).is_err()
                };
                behind.extend(option.takes.iter().map_while(|_| rest.next_if(is_value)));
            }
            if behind.len() < option.takes.len() {
                let names: Vec<String> = option.takes.iter().map(|word| word.name()).collect();
                let text = format!("-{name} requires another parameter: {}", names.join(" "));
                return Err(ArgumentError(text));
            }
            (option.put)(&mut all, behind_colon.as_deref(), &behind).map_err(wrong)?;
        }
        self.check(&given)?;
        Ok(all)
    }

    /// Whether what was given fits together.
    fn check<'a>(&'a self, given: &[Given<'a>]) -> Result<(), ArgumentError> {
        let options = || given.iter().filter_map(|one| Some((one, self.option(one.name)?)));
        if options().any(|(_, option)| option.ends) {
            return Ok(());
        }
        let others_of = |option: &'a OptionSpec<A>| {
            let groups = self.one_of.iter().filter(|(names, _)| names.contains(&option.name));
            let groups = groups.map(|(names, why)| (*names, *why));
            groups.chain(option.excludes.iter().map(|(names, why)| (names.as_slice(), *why)))
        };
        for (one, option) in options() {
            for (names, why) in others_of(option) {
                let is_excluded =
                    |other: &&Given<'_>| other.name != one.name && names.contains(&other.name);
                if let Some(other) = given.iter().find(is_excluded) {
                    let text = format!("{} excludes {}: {why}", one.shown, other.shown);
                    return Err(ArgumentError(text));
                }
            }
        }
        let is_given = |name: &&str| given.iter().any(|other| other.name == *name);
        let lacks = |(_, option): &(_, &OptionSpec<A>)| {
            !option.needs.is_empty() && !option.needs.iter().any(is_given)
        };
        let Some((Given { shown, .. }, option)) = options().find(lacks) else { return Ok(()) };
        // What is given where the needed would exclude it.
        let needed = option.needs.iter().filter_map(|name| self.option(name));
        let excluded: Vec<&str> = needed
            .flat_map(|option| others_of(option).flat_map(|(names, _)| names))
            .copied()
            .collect();
        let instead = given.iter().find(|other| excluded.contains(&other.name));
        Err(ArgumentError(match instead {
            Some(instead) => {
                let needs = option.needs.join(" and -");
                format!("{shown} goes with -{needs}, not with {}", instead.shown)
            }
            None => format!("{shown} needs -{}", option.needs.join(" or -")),
        }))
    }

    /// The option a word means, its name and what stands behind its colon.
    fn find(
        &self,
        word: &str,
    ) -> Result<(&OptionSpec<A>, &'static str, Option<String>), ArgumentError> {
        let is_exact = word.starts_with("--");
        let text = word.trim_start_matches('-');
        let (text, behind_colon) = match text.split_once(':') {
            Some((name, behind)) => (name, Some(behind.to_owned())),
            None => (text, None),
        };
        let names = || self.options().flat_map(|option| option.names().map(move |n| (option, n)));
        let begun = || names().filter(|(_, of)| !text.is_empty() && of.name.starts_with(text));
        let means = |(_, of): &(_, Name)| of.name == text || (!is_exact && text.len() >= of.min);
        let whole = || names().find(|(_, of)| of.name == text);
        if let Some((option, of)) = whole().or_else(|| begun().find(means)) {
            return Ok((option, of.name, behind_colon));
        }
        let given = strip_control(word);
        if !is_exact && begun().next().is_some() {
            let names: Vec<String> = begun().map(|(_, of)| format!("-{}", of.name)).collect();
            let names = names.join(", ");
            let text = format!("argument {given} is too short, write more of {names}");
            return Err(ArgumentError(text));
        }
        let nearest: Vec<String> =
            nearest(text, names()).into_iter().map(|name| format!("-{name}")).collect();
        Err(ArgumentError(match nearest.as_slice() {
            [] => format!("unrecognized argument {given} (-help lists all options)"),
            near => format!(
                "unrecognized argument {given}; did you mean {} (-help lists all options)?",
                near.join(" or ")
            ),
        }))
    }
}

/// The names that differ least from what was written, if that is in a third of its letters at most.
/// A name that is cut short differs in one more.
fn nearest<O>(text: &str, names: impl Iterator<Item = (O, Name)>) -> Vec<&'static str> {
    let most = (text.chars().count() / 3).max(1);
    let apart = |of: &Name| {
        let cut = of.name.len().min(text.len().max(of.min));
        let whole = strsim::damerau_levenshtein(text, of.name);
        whole.min(strsim::damerau_levenshtein(text, &of.name[..cut]) + 1)
    };
    let all: Vec<_> = names.map(|(_, of)| (apart(&of), of.name)).collect();
    let least = all.iter().map(|(apart, _)| *apart).min().filter(|apart| *apart <= most);
    let near = all.into_iter().filter(|(apart, _)| Some(*apart) == least);
    near.map(|(_, name)| name).take(NEAREST).collect()
}

fn begins_with_dash(word: &OsStr) -> bool {
    word.as_encoded_bytes().first() == Some(&b'-')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cli::options::TOOL;
    use crate::cli::request::Given;
    use crate::print::PrintForm;

    fn read(line: &str) -> Result<Given, ArgumentError> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        TOOL.read(&words)
    }

    #[test]
    fn prefixes_and_values() {
        let given = read("1234.0 -al -u a.log -userlog b.log alice --json").unwrap();
        assert!(given.inquiry.selection.all_users);
        assert_eq!(given.inquiry.selection.jobs.len(), 2);
        assert_eq!(given.inquiry.user_logs.len(), 2);
        assert_eq!(given.printing.output, PrintForm::Json);
        assert_eq!(read("-jsonl").unwrap().printing.output, PrintForm::JsonLines);
        assert!(read("-jobads - -js").unwrap().inquiry.job_ads.is_some());
        for (line, constraint) in [("-c A==-1", "A==-1"), ("-c -A==1 -now -5", "-A==1")] {
            let given = read(line).unwrap();
            assert_eq!(given.inquiry.selection.constraint.as_deref(), Some(constraint));
        }
    }

    #[test]
    fn lists_end_at_a_dash() {
        let list = |letters: &str, names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            PrintForm::AutoFormat(letters.to_owned(), names)
        };
        let given = read("-af:jh ClusterId Band -wide").unwrap();
        assert_eq!(given.printing.output, list("jh", &["ClusterId", "Band"]));
        let given = read("-autoformat Band - 12.0").unwrap();
        assert_eq!(given.printing.output, list("", &["Band"]));
        assert_eq!(given.inquiry.selection.jobs.len(), 1);
    }

    #[test]
    fn errors_say_what_to_write() {
        let error = |line: &str| read(line).unwrap_err().to_string();
        assert_eq!(
            error("-jsan"),
            "unrecognized argument -jsan; did you mean -json (-help lists all options)?"
        );
        assert_eq!(
            error("--allu"),
            "unrecognized argument --allu; did you mean -allusers (-help lists all options)?"
        );
        assert!(error("-aply").contains("unrecognized argument -aply"));
        assert_eq!(
            error("-ow"),
            "unrecognized argument -ow; did you mean -now (-help lists all options)?"
        );
        assert_eq!(
            error("-a"),
            "argument -a is too short, write more of -allusers, -all-users, -advice, -af, -autoformat, -apply"
        );
        assert_eq!(error("-userlog"), "-userlog requires another parameter: filename");
        assert_eq!(error("-af -long"), "-af requires another parameter: attribute");
        assert_eq!(error("-dag -html x"), "-dag requires another parameter: filename");
        assert_eq!(error("-limit -now -5"), "-limit requires another parameter: number");
        assert_eq!(error("-format %d -l"), "-format requires another parameter: format attribute");
        assert_eq!(error("-af:jx Band"), "-af:jx: expected letters out of jlhVrTY,tng");
        assert_eq!(error("-long:x"), "-long:x: this option takes nothing after a colon");
    }

    #[test]
    fn only_what_is_near_is_suggested() {
        for (word, near) in [
            ("-pol", "-pool"),
            ("-usrelog", "-userlog"),
            ("--user", "-userlog"),
            ("-evntlog", "-eventlog"),
            ("-constrain7", "-constraint"),
            ("-totls", "-totals"),
            ("-jsonx", "-json or -jsonl"),
            ("-incident-s", "-incidents"),
        ] {
            let expected = format!("; did you mean {near} (-help lists all options)?");
            let error = read(word).unwrap_err().to_string();
            assert!(error.ends_with(&expected), "{error}");
        }
        for word in
            ["-foo", "-xyz", "-quux", "-run", "-io", "-q", "-global", "-submitter", "-\u{e9}"]
        {
            let expected = format!("unrecognized argument {word} (-help lists all options)");
            assert_eq!(read(word).unwrap_err().to_string(), expected);
        }
    }

    proptest! {
        #[test]
        fn any_words_are_read(words in proptest::collection::vec("-{0,2}[a-z:]{0,8}|\\PC{0,6}", 0..6)) {
            let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
            let _ = TOOL.read(&words);
        }

        #[test]
        fn two_dashes_need_the_full_name(index in 0..TOOL.options().count(), cut in 1usize..20) {
            let name = TOOL.options().nth(index).unwrap().name;
            prop_assume!(cut < name.len());
            let prefix = &name[..cut];
            prop_assume!(TOOL.options().all(|option| option.name != prefix));
            let error = read(&format!("--{prefix}")).unwrap_err().to_string();
            prop_assert!(error.contains("unrecognized argument"), "{}", error);
        }
    }
}
