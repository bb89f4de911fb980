//! What the command line asks for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};

use super::options::TOOL;
use crate::cli::arguments::{self, ArgumentError, ValueError};
use crate::cli::costs::{self, CostChange};
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
    Replay(Replay),
    Suggest(Suggest),
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

/// Held jobs that are named.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Jobs {
    /// Clusters and job ids; none: all held jobs of the file.
    pub(super) ids: Vec<JobSpec>,
    /// `-jobads`; `-` is standard input.
    pub(super) job_ads: Option<PathBuf>,
    /// `-name`
    pub(super) schedd: Option<String>,
    /// `-pool`
    pub(super) pool: Option<String>,
}

/// `-explain`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Explain {
    pub(super) jobs: Jobs,
    /// `-config`; `-` is standard input.
    pub(super) config: Option<PathBuf>,
    /// `-now`, Unix seconds.
    pub(super) now: Option<i64>,
}

/// Holds of the past that are read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Past {
    /// `-userlog`
    pub(super) user_logs: Vec<PathBuf>,
    /// `-eventlog`
    pub(super) event_logs: Vec<PathBuf>,
    /// `-epochs`
    pub(super) epochs: Vec<PathBuf>,
    /// `-config`; `-` is standard input.
    pub(super) config: Option<PathBuf>,
    /// `-cost`
    pub(super) costs: Vec<CostChange>,
    /// `-condor`
    pub(super) condor: Option<Version>,
    /// `-advice`
    pub(super) advice: bool,
    /// `-model`
    pub(super) model: Option<PathBuf>,
}

/// `-replay`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Replay {
    /// Expressions and names of files.
    pub(super) what: Vec<String>,
    pub(super) past: Past,
    /// `-jsonl`
    pub(super) each_hold: bool,
}

/// `-suggest`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Suggest {
    /// None: all reasons of the logs.
    pub(super) jobs: Jobs,
    pub(super) past: Past,
    /// `-form`
    pub(super) form: Form,
}

/// Where a suggested expression is to stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    #[default]
    Submit,
    System,
    Transform,
}

/// Options that go with some kinds of work only.
const WORK_OF: [(&str, &[&str]); 15] = [
    ("kind", &["lint"]),
    ("condor", &["lint", "replay", "suggest"]),
    ("jobads", &["explain", "suggest"]),
    ("name", &["explain", "suggest"]),
    ("pool", &["explain", "suggest"]),
    ("config", &["explain", "replay", "suggest"]),
    ("now", &["explain"]),
    ("userlog", &["replay", "suggest"]),
    ("eventlog", &["replay", "suggest"]),
    ("epochs", &["replay", "suggest"]),
    ("cost", &["replay", "suggest"]),
    ("advice", &["replay", "suggest"]),
    ("model", &["replay", "suggest"]),
    ("jsonl", &["replay"]),
    ("form", &["suggest"]),
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

fn all<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, id: &str) -> Vec<T> {
    matches.get_many(id).into_iter().flatten().cloned().collect()
}

/// Whether an option is there, with or without a value.
fn is_given(matches: &ArgMatches, name: &str) -> bool {
    matches.value_source(name) == Some(ValueSource::CommandLine)
}

fn path(matches: &ArgMatches, id: &str) -> Option<PathBuf> {
    matches.get_one(id).cloned()
}

fn is_stdin(path: Option<&PathBuf>) -> bool {
    path.is_some_and(|path| path == Path::new("-"))
}

impl Work {
    fn read(matches: &ArgMatches) -> Result<Self, ArgumentError> {
        let Some(work) = TOOL.exclusive.iter().copied().find(|work| is_given(matches, work)) else {
            return Err(invalid(
                "nothing to do: give -lint and an expression or a file, -explain and job ids, -replay and an expression, or -suggest"
                    .to_owned(),
            ));
        };
        for (option, works) in WORK_OF {
            if is_given(matches, option) && !works.contains(&work) {
                let works = works.join(" and -");
                return Err(invalid(format!("-{option} goes with -{works}, not with -{work}")));
            }
        }
        match work {
            "lint" => Lint::read(matches).map(Self::Lint),
            "explain" => Explain::read(matches).map(Self::Explain),
            "replay" => Replay::read(matches).map(Self::Replay),
            _ => Suggest::read(matches).map(Self::Suggest),
        }
    }
}

/// Expressions and files that follow an option; nothing may stand alone.
fn what(matches: &ArgMatches, option: &str) -> Result<Vec<String>, ArgumentError> {
    match all::<String>(matches, arguments::OPERANDS).first() {
        Some(word) => {
            let word = strip_control(word);
            Err(invalid(format!("unrecognized argument {word}; expressions follow -{option}")))
        }
        None => Ok(all(matches, option)),
    }
}

impl Lint {
    fn read(matches: &ArgMatches) -> Result<Self, ArgumentError> {
        Ok(Self {
            what: what(matches, "lint")?,
            role: matches.get_one("kind").copied().unwrap_or(Role::Release),
            condor: matches.get_one("condor").copied().unwrap_or(Version::NEWEST),
        })
    }
}

impl Jobs {
    fn read(matches: &ArgMatches, option: &str) -> Result<Self, ArgumentError> {
        let text = |id: &str| matches.get_one::<String>(id).cloned();
        let mut ids = Vec::new();
        for word in all::<String>(matches, arguments::OPERANDS) {
            match JobSpec::parse(&word) {
                JobSpec::Owner(_) => {
                    let word = strip_control(&word);
                    return Err(invalid(format!(
                        "{word} is no job id; -{option} takes a cluster or cluster.proc"
                    )));
                }
                job => ids.push(job),
            }
        }
        let jobs = Self {
            ids,
            job_ads: path(matches, "jobads"),
            schedd: text("name"),
            pool: text("pool"),
        };
        if jobs.job_ads.is_some() && (jobs.schedd.is_some() || jobs.pool.is_some()) {
            return Err(invalid("-name and -pool ask a queue, -jobads reads a file".to_owned()));
        }
        Ok(jobs)
    }

    /// No job is named, and no file of jobs.
    pub(super) const fn are_none(&self) -> bool {
        self.ids.is_empty() && self.job_ads.is_none()
    }

    /// They are those of the schedd here.
    pub(super) const fn are_here(&self) -> bool {
        self.job_ads.is_none() && self.schedd.is_none() && self.pool.is_none()
    }
}

impl Explain {
    fn read(matches: &ArgMatches) -> Result<Self, ArgumentError> {
        let explain = Self {
            jobs: Jobs::read(matches, "explain")?,
            config: path(matches, "config"),
            now: matches.get_one::<i64>("now").copied(),
        };
        if explain.jobs.are_none() {
            return Err(invalid(
                "-explain needs a job: a cluster or cluster.proc, or -jobads and a file".to_owned(),
            ));
        }
        one_stdin(&explain.jobs, explain.config.as_ref())?;
        Ok(explain)
    }
}

fn one_stdin(jobs: &Jobs, config: Option<&PathBuf>) -> Result<(), ArgumentError> {
    if is_stdin(jobs.job_ads.as_ref()) && is_stdin(config) {
        return Err(invalid("-jobads and -config cannot both read standard input".to_owned()));
    }
    Ok(())
}

impl Past {
    fn read(matches: &ArgMatches) -> Self {
        Self {
            user_logs: all(matches, "userlog"),
            event_logs: all(matches, "eventlog"),
            epochs: all(matches, "epochs"),
            config: path(matches, "config"),
            costs: costs::changes(matches),
            condor: matches.get_one("condor").copied(),
            advice: matches.get_flag("advice"),
            model: path(matches, "model"),
        }
    }

    fn model_is_asked(&self) -> Result<(), ArgumentError> {
        if self.model.is_some() && !self.advice {
            return Err(invalid("-model goes with -advice".to_owned()));
        }
        Ok(())
    }
}

impl Replay {
    fn read(matches: &ArgMatches) -> Result<Self, ArgumentError> {
        let replay = Self {
            what: what(matches, "replay")?,
            past: Past::read(matches),
            each_hold: matches.get_flag("jsonl"),
        };
        let stdins = replay.what.iter().filter(|what| *what == "-").count();
        if stdins + usize::from(is_stdin(replay.past.config.as_ref())) > 1 {
            return Err(invalid("standard input can be read once".to_owned()));
        }
        replay.past.model_is_asked()?;
        Ok(replay)
    }
}

impl Suggest {
    fn read(matches: &ArgMatches) -> Result<Self, ArgumentError> {
        let suggest = Self {
            jobs: Jobs::read(matches, "suggest")?,
            past: Past::read(matches),
            form: matches.get_one("form").copied().unwrap_or_default(),
        };
        suggest.past.model_is_asked()?;
        one_stdin(&suggest.jobs, suggest.past.config.as_ref())?;
        Ok(suggest)
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
        "submit|system|transform" => argument.value_parser(|text: &str| match text {
            "submit" => Ok(Form::Submit),
            "system" => Ok(Form::System),
            "transform" => Ok(Form::Transform),
            _ => Err(ValueError("none of submit, system, transform".to_owned())),
        }),
        "name=hours" => costs::argument(argument),
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
            "-json",
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
        let jobs = Jobs {
            ids: vec![JobSpec::parse("7"), JobSpec::parse("8.1")],
            job_ads: None,
            schedd: Some("ap1".to_owned()),
            pool: Some("cm".to_owned()),
        };
        let expected = Explain { jobs, config: Some("-".into()), now: Some(5) };
        assert_eq!(request.unwrap().work, Some(Work::Explain(expected)));
        let request = read(&["-explain", "-j", "held.ads"]).unwrap();
        assert!(
            matches!(request.work, Some(Work::Explain(explain)) if explain.jobs.ids.is_empty())
        );
    }

    #[test]
    fn wrong_words() {
        assert_eq!(
            read(&[]).unwrap_err(),
            "nothing to do: give -lint and an expression or a file, -explain and job ids, -replay and an expression, or -suggest"
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
            (vec!["-replay", "true", "-lint", "x"], "-replay conflicts with -lint"),
            (vec!["-replay", "-", "-config", "-"], "standard input can be read once"),
            (vec!["-replay", "true", "-model", "m"], "-model goes with -advice"),
            (vec!["-suggest", "-jsonl"], "-jsonl goes with -replay, not with -suggest"),
            (
                vec!["-lint", "x", "-advice"],
                "-advice goes with -replay and -suggest, not with -lint",
            ),
            (vec!["-suggest", "-form", "x"], "-form: \"x\" is none of submit, system, transform"),
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
