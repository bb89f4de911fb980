//! What the command line asks for.

use std::ffi::OsString;

use clap::Arg;

use super::options::TOOL;
use crate::cli::arguments::{self, ArgumentError, ValueError};
use crate::policy::Version;
use crate::policy::lint::Role;

/// One call of the tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    pub(super) help: bool,
    pub(super) version: bool,
    /// `-rules`
    pub(super) rules: bool,
    /// `-lint`: expressions and names of files.
    pub(super) lint: Vec<String>,
    /// `-kind`
    pub(super) role: Role,
    /// `-condor`
    pub(super) condor: Version,
    pub(super) json: bool,
    /// Columns to fit lines to; none: no limit.
    pub(super) columns: Option<usize>,
}

impl Request {
    /// Reads the words after the program's name.
    pub(super) fn read(words: &[OsString]) -> Result<Self, ArgumentError> {
        let matches = arguments::read(&TOOL, words, value)?;
        let mut operands = matches.get_many::<String>(arguments::OPERANDS).into_iter().flatten();
        if let Some(word) = operands.next() {
            let word = crate::text::strip_control(word);
            return Err(ArgumentError::Invalid(format!(
                "unrecognized argument {word}; expressions follow -lint"
            )));
        }
        let lint: Vec<String> = matches.get_many("lint").into_iter().flatten().cloned().collect();
        let flags = ["help", "version", "rules"].map(|name| matches.get_flag(name));
        let [help, version, rules] = flags;
        if lint.is_empty() && !flags.contains(&true) {
            return Err(ArgumentError::Invalid(
                "nothing to do: give -lint and an expression or a file".to_owned(),
            ));
        }
        Ok(Self {
            help,
            version,
            rules,
            lint,
            role: matches.get_one("kind").copied().unwrap_or(Role::Release),
            condor: matches.get_one("condor").copied().unwrap_or(Version::NEWEST),
            json: matches.get_flag("json"),
            columns: arguments::columns(&matches),
        })
    }
}

/// What follows the options whose values are no plain text.
fn value(argument: Arg, what: &str) -> Arg {
    match what {
        "version" => argument.value_parser(|text: &str| {
            text.parse::<Version>()
                .map_err(|_| ValueError("no version, as in 25, 25.14 or 25.14.1".to_owned()))
        }),
        "release|hold|remove|exit" => argument.value_parser(|text: &str| match text {
            "release" => Ok(Role::Release),
            "hold" => Ok(Role::Hold),
            "remove" => Ok(Role::Remove),
            "exit" => Ok(Role::OnExit),
            _ => Err(ValueError("none of release, hold, remove, exit".to_owned())),
        }),
        _ => argument,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Request, String> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        Request::read(&words).map_err(|error| error.to_string())
    }

    #[test]
    fn a_full_line() {
        let request = read(&[
            "-li",
            "NumHolds < 3",
            "-k",
            "remove",
            "-co",
            "23.9",
            "-js",
            "-lint",
            "-",
            "-w:100",
        ])
        .unwrap();
        assert_eq!(request.lint, ["NumHolds < 3", "-"]);
        assert_eq!((request.role, request.json, request.columns), (Role::Remove, true, Some(100)));
        assert_eq!(request.condor.to_string(), "23.9");
    }

    #[test]
    fn wrong_words() {
        assert_eq!(read(&[]).unwrap_err(), "nothing to do: give -lint and an expression or a file");
        assert_eq!(
            read(&["x", "-lint", "y"]).unwrap_err(),
            "unrecognized argument x; expressions follow -lint"
        );
        assert_eq!(
            read(&["-lint", "y", "-kind", "z"]).unwrap_err(),
            "-kind: \"z\" is none of release, hold, remove, exit"
        );
        assert_eq!(
            read(&["-lint", "y", "-condor", "new"]).unwrap_err(),
            "-condor: \"new\" is no version, as in 25, 25.14 or 25.14.1"
        );
    }
}
