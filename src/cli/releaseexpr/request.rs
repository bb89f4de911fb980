//! What the command line asks for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::options::TOOL;
use crate::cli::arguments::{ArgumentError, Fit};
use crate::cli::piped::check_read_once;
use crate::inquiry::{CostChange, Inquiry, JobAds};
use crate::policy::Version;
use crate::policy::lint::Role;
use crate::queue::JobSpec;

/// What is to be done: one kind of work in a call.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) enum Work {
    Help,
    Version,
    /// With the columns to fit lines to.
    Rules(Option<usize>),
    Lint(Lint),
    Explain(Explain),
    Replay(Replay),
    Suggest(Suggest),
}

/// `-lint`
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) struct Lint {
    /// Expressions and names of files.
    pub(super) what: Vec<String>,
    /// `-kind`: what an expression is for.
    pub(super) role: Role,
    /// The HTCondor that evaluates the policies.
    pub(super) version: Version,
    pub(super) print: Print,
}

/// `-explain`
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) struct Explain {
    /// The jobs, and whom to ask; none named: all held jobs of a file.
    pub(super) inquiry: Inquiry,
    /// `-config`; `-` is standard input.
    pub(super) config: Option<PathBuf>,
    /// `-now`, Unix seconds.
    pub(super) now: Option<i64>,
    pub(super) print: Print,
}

/// `-replay`
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) struct Replay {
    /// Expressions and names of files.
    pub(super) what: Vec<String>,
    pub(super) past: Past,
    /// `-jsonl`
    pub(super) each_hold: bool,
    pub(super) print: Print,
}

/// `-suggest`
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) struct Suggest {
    /// The jobs, and whom to ask; none named: all reasons of the logs.
    pub(super) inquiry: Inquiry,
    pub(super) past: Past,
    pub(super) form: Form,
    pub(super) print: Print,
}

/// The holds of the past, and by which rules they are looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::cli) struct Past {
    /// `-userlog`
    pub(super) user_logs: Vec<PathBuf>,
    /// `-eventlog`
    pub(super) event_logs: Vec<PathBuf>,
    /// `-epochs`
    pub(super) epochs: Vec<PathBuf>,
    /// `-config`; `-` is standard input.
    pub(super) config: Option<PathBuf>,
    /// `-condor`
    pub(super) condor: Option<Version>,
    /// `-cost`
    pub(super) costs: Vec<CostChange>,
    /// `-advice`
    pub(super) asks_model: bool,
    /// `-model`
    pub(super) model: Option<PathBuf>,
}

/// How the answer is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct Print {
    pub(super) json: bool,
    /// Columns to fit lines to; none: no limit.
    pub(super) columns: Option<usize>,
}

/// Where a suggested expression is to stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) enum Form {
    #[default]
    Submit,
    System,
    Transform,
}

/// What the options say, each for itself.
#[derive(Debug, Default)]
pub(in crate::cli) struct Given {
    pub(super) help: bool,
    pub(super) version: bool,
    pub(super) rules: bool,
    pub(super) lint: Vec<String>,
    pub(super) explain: bool,
    pub(super) replay: Vec<String>,
    pub(super) suggest: bool,
    pub(super) inquiry: Inquiry,
    pub(super) past: Past,
    pub(super) now: Option<i64>,
    pub(super) role: Option<Role>,
    pub(super) form: Option<Form>,
    pub(super) each_hold: bool,
    pub(super) fit: Fit,
    pub(super) print: Print,
}

impl Given {
    /// Reads the words after the program's name.
    ///
    /// # Errors
    /// [`ArgumentError`] for an unknown option, a missing or wrong value, or options that exclude
    /// each other.
    pub(super) fn read(words: &[OsString]) -> Result<Self, ArgumentError> {
        TOOL.read(words)
    }

    /// The work that is asked for.
    ///
    /// # Errors
    /// [`ArgumentError`] where none is, or what was given does not fit together.
    pub(super) fn work(mut self) -> Result<Work, ArgumentError> {
        self.print.columns = self.fit.style().columns;
        if self.help {
            return Ok(Work::Help);
        }
        if self.version {
            return Ok(Work::Version);
        }
        if self.rules {
            return Ok(Work::Rules(self.print.columns));
        }
        let Self { inquiry, past, print, .. } = self;
        let named = &inquiry.selection.jobs;
        let files = past.config.iter().chain(&past.user_logs).chain(&past.event_logs);
        let files = files.chain(&past.epochs).map(PathBuf::as_path);
        let files = files.chain(inquiry.job_ads.as_ref().map(JobAds::name));
        check_read_once(files.chain(self.lint.iter().chain(&self.replay).map(Path::new)))?;
        let no_jobs = |name: &str| match named.first() {
            Some(word) => {
                Err(invalid(format!("unrecognized argument {word}; expressions follow -{name}")))
            }
            None => Ok(()),
        };
        let no_owners = |name: &str| match named.iter().find(|job| matches!(job, JobSpec::Owner(_)))
        {
            Some(word) => Err(invalid(format!(
                "{word} is no job id; -{name} takes a cluster or cluster.proc"
            ))),
            None => Ok(()),
        };
        if !self.lint.is_empty() {
            no_jobs("lint")?;
            let version = past.condor.unwrap_or(Version::NEWEST);
            let role = self.role.unwrap_or(Role::Release);
            Ok(Work::Lint(Lint { what: self.lint, role, version, print }))
        } else if self.explain {
            no_owners("explain")?;
            if names_no_jobs(&inquiry) {
                let text = "-explain needs a job: a cluster or cluster.proc, or -jobads and a file";
                return Err(invalid(text));
            }
            Ok(Work::Explain(Explain { inquiry, config: past.config, now: self.now, print }))
        } else if !self.replay.is_empty() {
            no_jobs("replay")?;
            let (what, each_hold) = (self.replay, self.each_hold);
            Ok(Work::Replay(Replay { what, past, each_hold, print }))
        } else if self.suggest {
            no_owners("suggest")?;
            let form = self.form.unwrap_or_default();
            Ok(Work::Suggest(Suggest { inquiry, past, form, print }))
        } else {
            Err(invalid(
                "nothing to do: give -lint and an expression or a file, -explain and job ids, \
                 -replay and an expression, or -suggest",
            ))
        }
    }
}

/// No job is named, and no file of jobs.
pub(super) const fn names_no_jobs(inquiry: &Inquiry) -> bool {
    inquiry.selection.jobs.is_empty() && inquiry.job_ads.is_none()
}

fn invalid(message: impl Into<String>) -> ArgumentError {
    ArgumentError(message.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Work, String> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        Given::read(&words).and_then(Given::work).map_err(|error| error.to_string())
    }

    #[test]
    fn a_full_line() {
        let words = ["-li", "NumHolds < 3", "-k", "remove", "-co", "23.9", "-json", "-lint", "-"];
        let Work::Lint(lint) = read(&[&words[..], &["-w:100"]].concat()).unwrap() else { panic!() };
        assert_eq!(lint.print, Print { json: true, columns: Some(100) });
        assert_eq!(lint.role, Role::Remove);
        assert_eq!(lint.what, ["NumHolds < 3", "-"]);
        assert_eq!(lint.version.to_string(), "23.9");
    }

    #[test]
    fn a_full_line_about_jobs() {
        let work = read(&["-ex", "7", "8.1", "-n", "ap1", "-po", "cm", "-conf", "-", "-now", "5"]);
        let Work::Explain(Explain { inquiry, config, now, .. }) = work.unwrap() else { panic!() };
        assert_eq!(inquiry.selection.jobs, [JobSpec::parse("7"), JobSpec::parse("8.1")]);
        assert_eq!((inquiry.schedd.as_deref(), inquiry.pool.as_deref()), (Some("ap1"), Some("cm")));
        assert_eq!((config, now, inquiry.job_ads), (Some("-".into()), Some(5), None));
        let work = read(&["-explain", "-j", "held.ads"]).unwrap();
        assert!(
            matches!(work, Work::Explain(Explain { inquiry, .. }) if inquiry.job_ads.is_some())
        );
    }

    #[test]
    fn wrong_words() {
        assert_eq!(
            read(&[]).unwrap_err(),
            "nothing to do: give -lint and an expression or a file, -explain and job ids, -replay and an expression, or -suggest"
        );
        for (words, expected) in [
            (vec!["-lint", "x", "-explain", "7"], "-lint excludes -explain: one is done in a call"),
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
                "-jobads excludes -name: it reads a file, and they ask a queue",
            ),
            (
                vec!["-replay", "true", "-lint", "x"],
                "-replay excludes -lint: one is done in a call",
            ),
            (
                vec!["-replay", "-", "-config", "-"],
                "a single dash is given twice: standard input can be read once",
            ),
            (vec!["-replay", "true", "-model", "m"], "-model needs -advice"),
            (vec!["-suggest", "-jsonl"], "-jsonl goes with -replay, not with -suggest"),
            (
                vec!["-lint", "x", "-advice"],
                "-advice goes with -replay and -suggest, not with -lint",
            ),
            (
                vec!["-suggest", "-form", "x"],
                "-form: \"x\" is not one of submit, system, transform",
            ),
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
            "-kind: \"z\" is not one of release, hold, remove, exit"
        );
        assert_eq!(
            read(&["-lint", "y", "-condor", "new"]).unwrap_err(),
            "-condor: \"new\" is not a version, as in 25, 25.14 or 25.14.1"
        );
    }
}
