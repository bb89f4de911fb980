//! What the command line asks for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches};

use super::options::TOOL;
use crate::cli::arguments::{self, ArgumentError, ValueError};
use crate::policy::Version;
use crate::policy::lint::Role;
use crate::queue::JobSpec;
use crate::text::strip_control;

/// One call of the tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    pub(super) help: bool,
    pub(super) version: bool,
    /// `-rules`
    pub(super) rules: bool,
    /// `None` only where one of the above is asked for.
    pub(super) work: Option<Work>,
    pub(super) json: bool,
    /// Columns to fit lines to; none: no limit.
    pub(super) columns: Option<usize>,
}

/// What is to be done: one kind of work in a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Work {
    Lint(Lint),
    Explain(Explain),
}

/// `-lint`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lint {
    /// Expressions and names of files.
    pub(super) what: Vec<String>,
    /// `-kind`
    pub(super) role: Role,
    /// `-condor`
    pub(super) condor: Version,
}

/// `-explain`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Explain {
    /// Clusters and job ids; none: all held jobs of the file.
    pub(super) jobs: Vec<JobSpec>,
    /// `-jobads`; `-` is standard input.
    pub(super) job_ads: Option<PathBuf>,
    /// `-name`
    pub(super) schedd: Option<String>,
    /// `-pool`
    pub(super) pool: Option<String>,
    /// `-config`; `-` is standard input.
    pub(super) config: Option<PathBuf>,
    /// `-now`, Unix seconds.
    pub(super) now: Option<i64>,
}

/// Options that go with some kinds of work only.
const WORK_OF: [(&str, &[&str]); 7] = [
    ("kind", &["lint"]),
    ("condor", &["lint"]),
    ("jobads", &["explain"]),
    ("name", &["explain"]),
    ("pool", &["explain"]),
    ("config", &["explain"]),
    ("now", &["explain"]),
];

impl Request {
    /// Reads the words after the program's name.
    pub(super) fn read(words: &[OsString]) -> Result<Self, ArgumentError> {
        let matches = arguments::read(&TOOL, words, value)?;
        let flags = ["help", "version", "rules"].map(|name| matches.get_flag(name));
        let [help, version, rules] = flags;
        Ok(Self {
            help,
            version,
            rules,
            work: if flags.contains(&true) { None } else { Some(Work::read(&matches)?) },
            json: matches.get_flag("json"),
            columns: arguments::columns(&matches),
        })
    }
}

fn invalid(message: String) -> ArgumentError {
    ArgumentError::Invalid(message)
}

fn texts(matches: &ArgMatches, id: &str) -> Vec<String> {
    matches.get_many(id).into_iter().flatten().cloned().collect()
}

impl Work {
    fn read(matches: &ArgMatches) -> Result<Self, ArgumentError> {
        let work = if matches.contains_id("lint") {
            "lint"
        } else if matches.get_flag("explain") {
            "explain"
        } else {
            return Err(invalid(
                "nothing to do: give -lint and an expression or a file, or -explain and job ids"
                    .to_owned(),
            ));
        };
        for (option, works) in WORK_OF {
            if matches.contains_id(option) && !works.contains(&work) {
                let works = works.join(" and -");
                return Err(invalid(format!("-{option} goes with -{works}, not with -{work}")));
            }
        }
        match work {
            "lint" => Lint::read(matches).map(Self::Lint),
            _ => Explain::read(matches).map(Self::Explain),
        }
    }
}

impl Lint {
    fn read(matches: &ArgMatches) -> Result<Self, ArgumentError> {
        if let Some(word) = texts(matches, arguments::OPERANDS).first() {
            let word = strip_control(word);
            return Err(invalid(format!("unrecognized argument {word}; expressions follow -lint")));
        }
        Ok(Self {
            what: texts(matches, "lint"),
            role: matches.get_one("kind").copied().unwrap_or(Role::Release),
            condor: matches.get_one("condor").copied().unwrap_or(Version::NEWEST),
        })
    }
}

impl Explain {
    fn read(matches: &ArgMatches) -> Result<Self, ArgumentError> {
        let path = |id: &str| matches.get_one::<PathBuf>(id).cloned();
        let text = |id: &str| matches.get_one::<String>(id).cloned();
        let mut jobs = Vec::new();
        for word in texts(matches, arguments::OPERANDS) {
            match JobSpec::parse(&word) {
                JobSpec::Owner(_) => {
                    let word = strip_control(&word);
                    return Err(invalid(format!(
                        "{word} is no job id; -explain takes a cluster or cluster.proc"
                    )));
                }
                job => jobs.push(job),
            }
        }
        let explain = Self {
            jobs,
            job_ads: path("jobads"),
            schedd: text("name"),
            pool: text("pool"),
            config: path("config"),
            now: matches.get_one::<i64>("now").copied(),
        };
        if explain.jobs.is_empty() && explain.job_ads.is_none() {
            return Err(invalid(
                "-explain needs a job: a cluster or cluster.proc, or -jobads and a file".to_owned(),
            ));
        }
        if explain.job_ads.is_some() && (explain.schedd.is_some() || explain.pool.is_some()) {
            return Err(invalid("-name and -pool ask a queue, -jobads reads a file".to_owned()));
        }
        let is_stdin = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new("-"));
        if is_stdin(&explain.job_ads) && is_stdin(&explain.config) {
            return Err(invalid("-jobads and -config cannot both read standard input".to_owned()));
        }
        Ok(explain)
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
        assert_eq!((request.json, request.columns), (true, Some(100)));
        let Some(Work::Lint(lint)) = request.work else { panic!("{request:?}") };
        assert_eq!(lint.what, ["NumHolds < 3", "-"]);
        assert_eq!((lint.role, lint.condor.to_string().as_str()), (Role::Remove, "23.9"));
    }

    #[test]
    fn a_full_line_about_jobs() {
        let request =
            read(&["-ex", "7", "8.1", "-n", "ap1", "-po", "cm", "-conf", "-", "-now", "5"]);
        let expected = Explain {
            jobs: vec![JobSpec::parse("7"), JobSpec::parse("8.1")],
            job_ads: None,
            schedd: Some("ap1".to_owned()),
            pool: Some("cm".to_owned()),
            config: Some("-".into()),
            now: Some(5),
        };
        assert_eq!(request.unwrap().work, Some(Work::Explain(expected)));
        let request = read(&["-explain", "-j", "held.ads"]).unwrap();
        assert!(matches!(request.work, Some(Work::Explain(explain)) if explain.jobs.is_empty()));
    }

    #[test]
    fn wrong_words() {
        assert_eq!(
            read(&[]).unwrap_err(),
            "nothing to do: give -lint and an expression or a file, or -explain and job ids"
        );
        for (words, expected) in [
            (vec!["-lint", "x", "-explain", "7"], "-lint conflicts with -explain"),
            (
                vec!["-explain"],
                "-explain needs a job: a cluster or cluster.proc, or -jobads and a file",
            ),
            (
                vec!["-explain", "al\u{1b}[1mice"],
                "alice is no job id; -explain takes a cluster or cluster.proc",
            ),
            (vec!["-explain", "7", "-kind", "hold"], "-kind goes with -lint, not with -explain"),
            (vec!["-lint", "x", "-now", "7"], "-now goes with -explain, not with -lint"),
            (
                vec!["-explain", "-jobads", "f", "-name", "s"],
                "-name and -pool ask a queue, -jobads reads a file",
            ),
            (
                vec!["-explain", "-jobads", "-", "-config", "-"],
                "-jobads and -config cannot both read standard input",
            ),
        ] {
            assert_eq!(read(&words).unwrap_err(), expected, "{words:?}");
        }
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
