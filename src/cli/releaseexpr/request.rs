//! What the command line asks for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};

use super::options::TOOL;
use crate::cli::arguments::{self, ArgumentError, ValueError};
use crate::cli::piped::check_read_once;
use crate::inquiry::{CostChange, JobAds};
use crate::policy::Version;
use crate::policy::lint::Role;
use crate::queue::JobSpec;
use crate::text::printable;

/// One call of the tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    pub(super) work: Work,
    /// Expressions and names of files, of `-lint` and `-replay`.
    pub(super) what: Vec<String>,
    /// Clusters and job ids, of `-explain` and `-suggest`; none: all held jobs of the file, or all
    /// reasons of the logs.
    pub(super) jobs: Vec<JobSpec>,
    /// `-jobads`
    pub(super) job_ads: Option<JobAds>,
    /// `-name`
    pub(super) schedd: Option<String>,
    /// `-pool`
    pub(super) pool: Option<String>,
    /// `-config`; `-` is standard input.
    pub(super) config: Option<PathBuf>,
    /// `-now`, Unix seconds.
    pub(super) now: Option<i64>,
    /// `-userlog`
    pub(super) user_logs: Vec<PathBuf>,
    /// `-eventlog`
    pub(super) event_logs: Vec<PathBuf>,
    /// `-epochs`
    pub(super) epochs: Vec<PathBuf>,
    /// `-kind`
    pub(super) role: Role,
    /// `-condor`
    pub(super) condor: Option<Version>,
    /// `-form`
    pub(super) form: Form,
    /// `-advice`
    pub(super) advice: bool,
    /// `-model`
    pub(super) model: Option<PathBuf>,
    /// `-cost`
    pub(super) costs: Vec<CostChange>,
    pub(super) json: bool,
    /// `-jsonl`
    pub(super) each_hold: bool,
    /// Columns to fit lines to; none: no limit.
    pub(super) columns: Option<usize>,
}

/// What is to be done: one kind of work in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    Help,
    Version,
    Rules,
    Lint,
    Explain,
    Replay,
    Suggest,
}

/// The options that say what is to be done; the first that is given does.
const WORKS: [(&str, Work); 7] = [
    ("help", Work::Help),
    ("version", Work::Version),
    ("rules", Work::Rules),
    ("lint", Work::Lint),
    ("explain", Work::Explain),
    ("replay", Work::Replay),
    ("suggest", Work::Suggest),
];

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
        let matches = &arguments::read(&TOOL, words, value)?;
        let Some(&(name, work)) = WORKS.iter().find(|(name, _)| is_given(matches, name)) else {
            return Err(invalid(
                "nothing to do: give -lint and an expression or a file, -explain and job ids, -replay and an expression, or -suggest",
            ));
        };
        let takes_text = matches!(work, Work::Lint | Work::Replay);
        let operands: Vec<String> = all(matches, arguments::OPERANDS);
        let words = operands.iter().flat_map(|word| JobSpec::words(word));
        let operands: Vec<String> = words.map(str::to_owned).collect();
        let request = Self {
            work,
            what: if takes_text { all(matches, name) } else { Vec::new() },
            jobs: operands.iter().map(|word| JobSpec::parse(word)).collect(),
            job_ads: one(matches, "jobads").map(JobAds::File),
            schedd: one(matches, "name"),
            pool: one(matches, "pool"),
            config: one(matches, "config"),
            now: one(matches, "now"),
            user_logs: all(matches, "userlog"),
            event_logs: all(matches, "eventlog"),
            epochs: all(matches, "epochs"),
            role: one(matches, "kind").unwrap_or(Role::Release),
            condor: one(matches, "condor"),
            form: one(matches, "form").unwrap_or_default(),
            advice: matches.get_flag("advice"),
            model: one(matches, "model"),
            costs: all(matches, "cost"),
            json: matches.get_flag("json"),
            each_hold: matches.get_flag("jsonl"),
            columns: arguments::style(matches).columns,
        };
        if !matches!(work, Work::Help | Work::Version | Work::Rules) {
            only_of_work(matches, name)?;
            request.check(name, &operands)?;
        }
        Ok(request)
    }

    /// Whether what was given fits together.
    fn check(&self, name: &str, operands: &[String]) -> Result<(), ArgumentError> {
        let takes_jobs = matches!(self.work, Work::Explain | Work::Suggest);
        let is_job = |job: &JobSpec| takes_jobs && !matches!(job, JobSpec::Owner(_));
        if let Some((_, word)) = self.jobs.iter().zip(operands).find(|(job, _)| !is_job(job)) {
            let word = printable(word);
            return Err(if takes_jobs {
                invalid(format!("{word} is no job id; -{name} takes a cluster or cluster.proc"))
            } else {
                invalid(format!("unrecognized argument {word}; expressions follow -{name}"))
            });
        }
        let files = self.config.iter().chain(&self.user_logs).chain(&self.event_logs);
        let files = files.chain(&self.epochs).map(PathBuf::as_path);
        let files = files.chain(self.job_ads.as_ref().map(JobAds::name));
        let texts = self.what.iter().map(Path::new);
        let asks_queue = self.schedd.is_some() || self.pool.is_some();
        let faults = [
            (
                self.job_ads.is_some() && asks_queue,
                "-name and -pool ask a queue, -jobads reads a file",
            ),
            (
                self.work == Work::Explain && self.names_no_jobs(),
                "-explain needs a job: a cluster or cluster.proc, or -jobads and a file",
            ),
            (self.model.is_some() && !self.advice, "-model goes with -advice"),
        ];
        match faults.into_iter().find(|(is_so, _)| *is_so) {
            Some((_, fault)) => Err(invalid(fault)),
            None => check_read_once(files.chain(texts)),
        }
    }

    /// No job is named, and no file of jobs.
    pub(super) const fn names_no_jobs(&self) -> bool {
        self.jobs.is_empty() && self.job_ads.is_none()
    }

    /// The jobs are those of the schedd here.
    pub(super) const fn is_about_here(&self) -> bool {
        self.job_ads.is_none() && self.schedd.is_none() && self.pool.is_none()
    }
}

fn invalid(message: impl Into<String>) -> ArgumentError {
    ArgumentError::Invalid(message.into())
}

fn all<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, id: &str) -> Vec<T> {
    matches.get_many(id).into_iter().flatten().cloned().collect()
}

fn one<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, id: &str) -> Option<T> {
    matches.get_one(id).cloned()
}

/// Whether an option is there, with or without a value.
fn is_given(matches: &ArgMatches, name: &str) -> bool {
    matches.value_source(name) == Some(ValueSource::CommandLine)
}

/// Whether all options go with this kind of work.
fn only_of_work(matches: &ArgMatches, work: &str) -> Result<(), ArgumentError> {
    let other =
        |(option, works): &&(&str, &[&str])| is_given(matches, option) && !works.contains(&work);
    match WORK_OF.iter().find(other) {
        Some((option, works)) => {
            let works = works.join(" and -");
            Err(invalid(format!("-{option} goes with -{works}, not with -{work}")))
        }
        None => Ok(()),
    }
}

/// What follows the options whose values are no plain text.
fn value(argument: Arg, what: &str) -> Arg {
    match what {
        "version" => argument.value_parser(|text: &str| {
            text.parse::<Version>()
                .map_err(|_| ValueError("no version, as in 25, 25.14 or 25.14.1".to_owned()))
        }),
        "release|hold|remove|exit" => one_of(
            argument,
            &[
                ("release", Role::Release),
                ("hold", Role::Hold),
                ("remove", Role::Remove),
                ("exit", Role::OnExit),
            ],
        ),
        "submit|system|transform" => one_of(
            argument,
            &[("submit", Form::Submit), ("system", Form::System), ("transform", Form::Transform)],
        ),
        _ => argument,
    }
}

/// A value that is one of these words.
fn one_of<T: Copy + Send + Sync>(argument: Arg, words: &'static [(&str, T)]) -> Arg {
    argument.value_parser(move |text: &str| {
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        let all = || words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        found.ok_or_else(|| ValueError(format!("none of {}", all())))
    })
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
        assert_eq!((request.work, request.role), (Work::Lint, Role::Remove));
        assert_eq!(request.what, ["NumHolds < 3", "-"]);
        assert_eq!(request.condor.map(|version| version.to_string()).as_deref(), Some("23.9"));
    }

    #[test]
    fn a_full_line_about_jobs() {
        let request =
            read(&["-ex", "7", "8.1", "-n", "ap1", "-po", "cm", "-conf", "-", "-now", "5"]);
        let request = request.unwrap();
        assert_eq!(request.jobs, [JobSpec::parse("7"), JobSpec::parse("8.1")]);
        assert_eq!((request.work, request.job_ads), (Work::Explain, None));
        assert_eq!((request.schedd.as_deref(), request.pool.as_deref()), (Some("ap1"), Some("cm")));
        assert_eq!((request.config, request.now), (Some("-".into()), Some(5)));
        let request = read(&["-explain", "-j", "held.ads"]).unwrap();
        assert!(request.work == Work::Explain && request.jobs.is_empty());
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
            (
                vec!["-replay", "-", "-config", "-"],
                "a single dash is given twice: standard input can be read once",
            ),
            (vec!["-replay", "true", "-model", "m"], "-model goes with -advice"),
            (vec!["-suggest", "-jsonl"], "-jsonl goes with -replay, not with -suggest"),
            (
                vec!["-lint", "x", "-advice"],
                "-advice goes with -replay and -suggest, not with -lint",
            ),
            (vec!["-suggest", "-form", "x"], "-form: \"x\" is none of submit, system, transform"),
            (
                vec!["-explain", "-jobads", "-", "-config", "-"],
                "a single dash is given twice: standard input can be read once",
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
