//! Looks made by another process, which may hang in a file system and is then left behind.
//!
//! There is one such process for each account and mount, so that at most one look waits for a
//! mount, and one for each server of URLs. A process that has the rights of the account already,
//! and ends soon, has threads in their place. Questions and answers are a JSON value a line.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write, pipe};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Resource;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, to_string as to_json};

use super::look::{Sight, Use, look};
use super::mounts::Mounts;
use super::{
    CheckAnswer, Fault, Finding, Program, SERVE, ScriptSeen, Unread, Why, Words, script, urls,
    words,
};
use crate::rights::{self, Ids};
use eventlog::input;

/// How long one look may take.
const ONE_LOOK: Duration = Duration::from_secs(2);

/// How long all looks together may take.
const ALL_LOOKS: Duration = Duration::from_secs(5);

/// Limits of a process which looks: no files of its own, and seconds of processor time.
const LIMITS: [(Resource, u64); 3] =
    [(Resource::Core, 0), (Resource::Fsize, 0), (Resource::Cpu, 10)];

/// Bytes of the longest answer.
const LONGEST: u64 = 64 << 10;

/// An account of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) name: String,
    /// Its numbers, where this process has to take its rights.
    pub(super) ids: Option<Ids>,
}

/// A question about a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Question {
    /// Can it be used so? The answer is a [`Sight`].
    Look { path: String, wanted: Use },
    /// What does it say at its end? The answer are [`Words`], or none.
    Words { path: String },
    /// What binds this script, called with these arguments? The answer is a [`ScriptSeen`], or why
    /// there is none.
    Script { path: String, arguments: Vec<String> },
    /// Does it answer? The answer is a [`Finding`].
    Url { url: String },
    /// The same, of a server of the public internet alone. Never kept.
    PublicUrl { url: String },
    /// Can it be opened and its first byte be read? Whether so or not, the answer is true. Never
    /// kept.
    Begins { path: String },
}

/// What one process is asked about: a mount, or a server of URLs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    Mount(u32),
    Server(String),
}

/// A URL to ask.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) url: String,
    /// Whose rights the process takes.
    pub(super) account: Account,
    /// Only of the public internet.
    pub(super) public: bool,
}

/// Looks at paths, each once.
#[derive(Debug)]
pub(super) struct Looker {
    /// `None`: only what is known is answered.
    program: Option<Program>,
    mounts: Mounts,
    /// Answers by account.
    known: Mutex<HashMap<(String, Question), Result<Value, Why>>>,
    servers: Mutex<HashMap<(String, Place), SharedServer>>,
    /// Time that looks took, by account.
    spent: Mutex<HashMap<String, Duration>>,
}

type SharedServer = Arc<Mutex<Server>>;

/// A process that looks, or a thread, which is no child.
#[derive(Debug)]
enum Server {
    NotStarted,
    Runs { child: Option<Child>, questions: PipeWriter, answers: BufReader<PipeReader> },
    Gone(Why),
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Looker {
    pub(super) fn new(program: Program) -> Self {
        Self { program: Some(program), mounts: Mounts::here(), ..Self::recorded(Vec::new()) }
    }

    /// Answers from these alone.
    pub(super) fn recorded(answers: Vec<CheckAnswer>) -> Self {
        let known = answers
            .into_iter()
            .map(|CheckAnswer { account, question, answer }| ((account, question), answer));
        Self {
            program: None,
            mounts: Mounts::default(),
            known: Mutex::new(known.collect()),
            servers: Mutex::default(),
            spent: Mutex::default(),
        }
    }

    /// All answers so far, by account and question.
    pub(super) fn answers(&self) -> Vec<CheckAnswer> {
        let known = locked(&self.known);
        let mut all: Vec<_> = known.iter().collect();
        all.sort_by_key(|(key, _)| *key);
        let answer = |((account, question), answer): (&(String, Question), &Result<Value, Why>)| {
            let (account, question) = (account.clone(), question.clone());
            CheckAnswer { account, question, answer: answer.clone() }
        };
        all.into_iter().map(answer).collect()
    }

    /// What is true of a path, as the account sees it.
    pub(super) fn look(&self, account: &Account, path: &str, wanted: Use) -> Sight {
        let question = Question::Look { path: path.to_owned(), wanted };
        let found = self.ask(account, path, question);
        found.unwrap_or_else(|why| Finding::Unknown { why }.into())
    }

    /// What a file says at its end of a failure.
    ///
    /// # Errors
    /// Why it was not read.
    pub(super) fn words(&self, account: &Account, path: &str) -> Result<Option<Words>, Why> {
        self.ask(account, path, Question::Words { path: path.to_owned() })
    }

    /// What is said of a script, as far as the account may read it.
    ///
    /// # Errors
    /// Why it cannot be read, as far as that is known.
    pub(super) fn script(
        &self,
        account: &Account,
        path: &str,
        arguments: &[String],
    ) -> Result<ScriptSeen, Unread> {
        let arguments = arguments.to_vec();
        let question = Question::Script { path: path.to_owned(), arguments };
        let answer = self.ask::<Result<ScriptSeen, String>>(account, path, question);
        answer.map_err(Unread::Unseen)?.map_err(Unread::Failed)
    }

    /// Whether a file can be opened and read without waiting long for its file system.
    ///
    /// # Errors
    /// It did not answer, or there was no time to find out.
    pub(super) fn begins(&self, account: &Account, path: &str) -> Result<(), Why> {
        match self.ask::<bool>(account, path, Question::Begins { path: path.to_owned() }) {
            Err(why @ (Why::NoAnswer | Why::NoTime)) => Err(why),
            // What cannot be looked at is left to whoever opens it.
            _ => Ok(()),
        }
    }

    fn ask<T: DeserializeOwned>(
        &self,
        account: &Account,
        path: &str,
        question: Question,
    ) -> Result<T, Why> {
        let key = (account.name.clone(), question);
        let known = locked(&self.known).get(&key).cloned();
        let answer = known.unwrap_or_else(|| {
            let Some(program) = &self.program else { return Err(Why::NotRecorded) };
            let (mount, by_credentials) = self.mounts.of(Path::new(path));
            let left = || self.left(account);
            let answer = match self.ask_server(program, account, Place::Mount(mount), &key.1, left)
            {
                Ok(answer) if by_credentials && is_denied(&answer) => Err(Why::Credentials),
                answer => answer,
            };
            if answer != Err(Why::NoTime) {
                locked(&self.known).insert(key, answer.clone());
            }
            answer
        });
        serde_json::from_value(answer?).map_err(|_| Why::Failed)
    }

    /// The time that is left for looks as an account: where there are several, each has half of all.
    pub(super) fn left(&self, account: &Account) -> Duration {
        let spent = locked(&self.spent);
        let all = ALL_LOOKS.saturating_sub(spent.values().sum());
        let own = spent.get(&account.name).copied().unwrap_or_default();
        match account.ids {
            Some(_) => all.min((ALL_LOOKS / 2).saturating_sub(own)),
            None => all,
        }
    }

    fn ask_server(
        &self,
        program: &Program,
        account: &Account,
        place: Place,
        question: &Question,
        left: impl FnOnce() -> Duration,
    ) -> Result<Value, Why> {
        let is_mount = matches!(place, Place::Mount(_));
        let server = {
            let mut servers = locked(&self.servers);
            let server = servers.entry((account.name.clone(), place));
            Arc::clone(server.or_insert_with(|| Arc::new(Mutex::new(Server::NotStarted))))
        };
        // Other threads may have asked it meanwhile.
        let mut server = locked(&server);
        let left = left();
        if left.is_zero() {
            return Err(Why::NoTime);
        }
        let started = Instant::now();
        let answer = server.answer(program, account, question, left.min(ONE_LOOK));
        if is_mount {
            *locked(&self.spent).entry(account.name.clone()).or_default() += started.elapsed();
        }
        answer.inspect_err(|why| server.end(*why))
    }

    /// What a URL answered; [`Looker::ask_urls`] asks.
    pub(super) fn url(&self, url: &str) -> Finding {
        let known = locked(&self.known).get(&of_url(url)).cloned();
        let answer = match (known, &self.program) {
            (Some(answer), _) => answer,
            (None, Some(_)) => Err(Why::NotAsked),
            (None, None) => Err(Why::NotRecorded),
        };
        of_answer(answer)
    }

    /// Knows what these URLs answered.
    pub(super) fn remember<'a>(&self, found: impl Iterator<Item = (&'a str, Finding)>) {
        let mut known = locked(&self.known);
        let answer = |finding| serde_json::to_value(finding).map_err(|_| Why::Failed);
        known.extend(found.map(|(url, finding)| (of_url(url), answer(finding))));
    }

    /// What all URLs answered that were asked.
    pub(super) fn urls(&self) -> Vec<(String, Finding)> {
        let known = locked(&self.known);
        let urls = known.iter().filter_map(|((_, question), answer)| match question {
            Question::Url { url } => Some((url.clone(), of_answer(answer.clone()))),
            _ => None,
        });
        urls.collect()
    }

    /// Asks these URLs, all their servers at the same time, each server its URLs one by one.
    pub(super) fn ask_urls(&self, wanted: Vec<Wanted>) {
        let Some(program) = &self.program else { return };
        let until = Instant::now() + ALL_LOOKS;
        let mut by_server: BTreeMap<String, Vec<Wanted>> = BTreeMap::new();
        for wanted in wanted {
            by_server.entry(urls::server(&wanted.url)).or_default().push(wanted);
        }
        thread::scope(|scope| {
            for (server, wanted) in by_server {
                scope.spawn(move || self.ask_one_server(program, &server, wanted, until));
            }
        });
    }

    fn ask_one_server(&self, program: &Program, server: &str, all: Vec<Wanted>, until: Instant) {
        let mut away = None;
        for Wanted { url, account, public } in all {
            let question = match public {
                true => Question::PublicUrl { url: url.clone() },
                false => Question::Url { url: url.clone() },
            };
            let answer = away.clone().unwrap_or_else(|| {
                let left = || until.saturating_duration_since(Instant::now());
                let place = Place::Server(server.to_owned());
                self.ask_server(program, &account, place, &question, left)
            });
            // What did not answer once is not waited for again.
            if is_away(&answer) {
                away = Some(answer.clone());
            }
            locked(&self.known).insert(of_url(&url), answer);
        }
    }
}

fn of_answer(answer: Result<Value, Why>) -> Finding {
    let found = answer.and_then(|answer| serde_json::from_value(answer).map_err(|_| Why::Failed));
    found.unwrap_or_else(|why| Finding::Unknown { why })
}

/// What an answer about a URL is kept under: it is the same for all accounts.
fn of_url(url: &str) -> (String, Question) {
    (String::new(), Question::Url { url: url.to_owned() })
}

/// The server did not answer.
fn is_away(answer: &Result<Value, Why>) -> bool {
    match answer {
        Ok(answer) => matches!(
            Finding::deserialize(answer),
            Ok(Finding::Unknown { why: Why::NoAnswer | Why::Away | Why::NoName })
        ),
        Err(_) => true,
    }
}

fn is_denied(answer: &Value) -> bool {
    let denied = Finding::StillThere { fault: Fault::Denied };
    Finding::deserialize(answer).is_ok_and(|finding| finding == denied)
}

impl Server {
    fn answer(
        &mut self,
        program: &Program,
        account: &Account,
        question: &Question,
        limit: Duration,
    ) -> Result<Value, Why> {
        let failed = |error: io::Error| {
            log::info!("cannot look at files: {error}");
            Why::Failed
        };
        if matches!(self, Self::NotStarted) {
            *self = Self::start(program, account).map_err(failed)?;
        }
        let (questions, answers) = match self {
            Self::Runs { questions, answers, .. } => (questions, answers),
            Self::Gone(why) => return Err(*why),
            Self::NotStarted => return Err(Why::Failed),
        };
        let mut line = to_json(question).map_err(|error| failed(error.into()))?;
        line.push('\n');
        questions.write_all(line.as_bytes()).map_err(failed)?;
        let limit = Timespec::try_from(limit).map_err(|_| Why::Failed)?;
        let mut waits = [PollFd::from_borrowed_fd(answers.get_ref().as_fd(), PollFlags::IN)];
        if poll(&mut waits, Some(&limit)).map_err(|error| failed(error.into()))? == 0 {
            return Err(Why::NoAnswer);
        }
        line.clear();
        match answers.by_ref().take(LONGEST).read_line(&mut line).map_err(failed)? {
            0 => Err(failed(io::ErrorKind::UnexpectedEof.into())),
            _ => serde_json::from_str(&line).map_err(|error| failed(error.into())),
        }
    }

    fn start(program: &Program, account: &Account) -> io::Result<Self> {
        let (asked, questions) = pipe()?;
        let (answers, answered) = pipe()?;
        let child = match program {
            Program::OwnThreads => {
                let serve = move || answer_all(BufReader::new(asked), answered);
                thread::Builder::new().spawn(serve)?;
                None
            }
            Program::Other { path, arguments } => {
                let mut command = Command::new(path);
                command.args(arguments).arg(SERVE).env_clear().current_dir("/");
                if let Some(ids) = &account.ids {
                    command.args(ids.list().map(|id| id.to_string()));
                }
                Some(command.stdin(asked).stdout(answered).stderr(Stdio::null()).spawn()?)
            }
        };
        Ok(Self::Runs { child, questions, answers: BufReader::new(answers) })
    }

    /// Ends it without waiting: a process that hangs in a file system ends when that answers.
    fn end(&mut self, why: Why) {
        if let Self::Runs { child: Some(child), .. } = self {
            let _ = child.kill();
        }
        *self = Self::Gone(why);
    }
}

/// Looks at the paths that standard input names, and writes what it finds to standard output.
/// `arguments`: uid, gid and groups of the account whose rights it takes for good; none to keep its
/// own, which root may not.
pub fn serve(arguments: &[OsString]) -> ExitCode {
    let ids = arguments.iter().map(|id| id.to_str()?.parse::<u32>().ok());
    let served = match ids.collect::<Option<Vec<u32>>>() {
        Some(ids) if ids.len() != 1 => rights::take(Ids::of_list(&ids).as_ref(), &LIMITS)
            .and_then(|()| answer_all(io::stdin().lock(), io::stdout().lock())),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    };
    if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn answer_all(questions: impl BufRead, mut answers: impl Write) -> io::Result<()> {
    for line in questions.lines() {
        let line = line?;
        let answer = match serde_json::from_str(&line)? {
            Question::Look { path, wanted } => to_json(&look(Path::new(&path), wanted)),
            Question::Words { path } => match words::of_file(Path::new(&path)) {
                Ok(words) => to_json(&words),
                Err(_) => to_json(&Why::Failed),
            },
            Question::Script { path, arguments } => {
                to_json(&script::judge(Path::new(&path), &arguments))
            }
            Question::Url { url } => to_json(&urls::ask(&url, false)),
            Question::PublicUrl { url } => to_json(&urls::ask(&url, true)),
            Question::Begins { path } => {
                let file = input::open_regular(Path::new(&path));
                let _ = file.and_then(|mut file| file.read(&mut [0]));
                to_json(&true)
            }
        };
        writeln!(answers, "{}", answer?)?;
        answers.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(folder: &Path, text: &str) -> Looker {
        let path = folder.join("looker");
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        Looker::new(path.into())
    }

    fn me() -> Account {
        Account { name: "me".to_owned(), ids: None }
    }

    #[test]
    fn a_file_system_that_does_not_answer_is_left_after_two_seconds_and_not_asked_again() {
        let folder = tempfile::tempdir().unwrap();
        let looker = program(folder.path(), "exec sleep 600");
        let started = Instant::now();
        let first = looker.look(&me(), "/data/x", Use::Read);
        assert_eq!(first.finding, Finding::Unknown { why: Why::NoAnswer });
        let took = started.elapsed();
        assert!(took >= ONE_LOOK, "{took:?}");
        let again = Instant::now();
        assert_eq!(looker.look(&me(), "/data/y", Use::Read), first);
        assert!(again.elapsed() < ONE_LOOK, "its process is not waited for a second time");
    }

    #[test]
    fn a_file_is_left_to_whoever_opens_it_unless_its_file_system_does_not_answer() {
        let folder = tempfile::tempdir().unwrap();
        for (text, expected) in [
            ("exec sleep 600", Err(Why::NoAnswer)),
            ("exit 1", Ok(())),
            ("echo true; cat >/dev/null", Ok(())),
        ] {
            let looker = program(folder.path(), text);
            assert_eq!(looker.begins(&me(), "/data/job.log"), expected, "{text}");
        }
    }

    #[test]
    fn whatever_a_process_answers_is_an_answer_or_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let failed = Finding::Unknown { why: Why::Failed };
        for (text, expected) in [
            ("exit 1", failed),
            ("echo nonsense; cat >/dev/null", failed),
            ("head -c 9 /dev/zero; echo; cat >/dev/null", failed),
            (
                "echo '{\"Result\":\"StillThere\",\"Fault\":\"Missing\"}'; cat >/dev/null",
                Finding::StillThere { fault: Fault::Missing },
            ),
        ] {
            let looker = program(folder.path(), text);
            assert_eq!(looker.look(&me(), "/data/x", Use::Read).finding, expected, "{text}");
        }
        let none = Looker::new(folder.path().join("none").into());
        assert_eq!(none.look(&me(), "/x", Use::Read).finding, failed);
    }
}
