//! Checks of the files that jobs of this machine's schedd need.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use classads::ClassAd;

use super::asked::AskedUrls;
use super::look::{Sight, Use};
use super::looker::{Account, Looker, Wanted};
use super::{
    Check, Fault, Finding, Needed, Program, Recorded, Remark, ScriptSeen, Thing, Unread, Why,
    Words, urls,
};
use crate::rights::Ids;
use crate::text::Foreign;

/// Accounts whose numbers are asked for.
const ACCOUNTS: usize = 500;

/// Which URLs are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Urls {
    /// None.
    #[default]
    None,
    /// Those that TransferInput names of one's own jobs in the queue, where it can be kept that they
    /// were asked.
    Own,
    /// Those too that a hold reason names, and those of others, with a public address.
    Asked,
    /// Those with private addresses too, whosever the job is: on a network of one's own.
    Private,
}

/// Whose files can be looked at.
#[derive(Debug)]
enum Whose {
    /// Those of the account of this process.
    Own(String),
    /// Root's choice: everybody's, with the numbers that this finds for an account.
    All(fn(&str) -> Option<Ids>),
    /// Those of all accounts of a record.
    Recorded,
}

/// File systems that may not answer.
#[derive(Debug)]
pub struct FileSystems(Looker);

impl FileSystems {
    /// `program` looks.
    pub fn new(program: Program) -> Self {
        Self(Looker::new(program))
    }

    /// Whether a file can be opened and read within 2 s; all that do not answer may take 5 s
    /// together. `account` is whose rights are taken, with the numbers `ids`; `None` to keep those
    /// of this process.
    ///
    /// # Errors
    /// It did not answer ([`Why::NoAnswer`]), or there was no time left ([`Why::NoTime`]).
    pub fn answer(&self, account: &str, ids: Option<Ids>, path: &Path) -> Result<(), Why> {
        let Some(path) = path.to_str() else { return Ok(()) };
        self.0.begins(&Account { name: account.to_owned(), ids }, path)
    }
}

/// Checks of the files of jobs whose schedd runs on this machine.
#[derive(Debug)]
pub struct LocalFiles {
    looker: Looker,
    hosts: Vec<String>,
    whose: Whose,
    accounts: Mutex<HashMap<String, Option<Account>>>,
    now: i64,
    of_queue: bool,
    urls: Urls,
    asked: Option<AskedUrls>,
}

impl LocalFiles {
    /// Of the machine with these names. `program` looks. `me` is the account of this process;
    /// `None` for root, which looks with the rights of each job's owner, whose numbers `find`
    /// gives. `now`: the present, Unix seconds. `of_queue`: the ads are the schedd's, not a file's
    /// that somebody may have written.
    pub fn new(
        program: impl Into<Program>,
        hosts: Vec<String>,
        me: Option<String>,
        find: fn(&str) -> Option<Ids>,
        now: i64,
        of_queue: bool,
    ) -> Self {
        let looker = Looker::new(program.into());
        let whose = me.map_or(Whose::All(find), Whose::Own);
        let (accounts, urls) = (Mutex::default(), Urls::None);
        Self { looker, hosts, whose, accounts, now, of_queue, urls, asked: None }
    }

    /// The same, with these URLs.
    #[must_use]
    pub fn with_urls(self, urls: Urls) -> Self {
        Self { urls, ..self }
    }

    /// The same; in this folder is kept which URLs this account asked in the last minute.
    #[must_use]
    pub fn keeping_asked(self, folder: PathBuf) -> Self {
        Self { asked: Some(AskedUrls(folder)), ..self }
    }

    /// Answers from a record alone, as of its time, for all accounts in it and without this
    /// machine. [`LocalFiles::with_urls`] says whether URLs in it are answers too.
    pub fn recorded(record: Recorded) -> Self {
        let Recorded { time, hosts, answers } = record;
        let looker = Looker::recorded(answers);
        let accounts = Mutex::default();
        let (whose, urls) = (Whose::Recorded, Urls::None);
        Self { looker, hosts, whose, accounts, now: time, of_queue: true, urls, asked: None }
    }

    /// The raw answers of all looks so far, for [`LocalFiles::recorded`].
    pub fn record(&self) -> Recorded {
        Recorded { time: self.now, hosts: self.hosts.clone(), answers: self.looker.answers() }
    }

    /// What was found of the files that the job of this ad needs, in their order.
    pub fn check(&self, ad: &ClassAd, needed: Vec<Needed>) -> Vec<Check> {
        if needed.is_empty() {
            return Vec::new();
        }
        let account = self.account(ad);
        let check = |needed: Needed| match (&account, needed.thing) {
            (account, Thing::Url) => self.check_url(needed, account.as_ref().err().copied()),
            (Ok(account), _) => self.check_file(needed, account),
            (Err(why), _) => self.found(needed, Finding::Unknown { why: *why }),
        };
        let mut checks: Vec<Check> = needed.into_iter().map(check).collect();
        drop_contradicted(&mut checks);
        checks
    }

    fn found(&self, needed: Needed, finding: Finding) -> Check {
        let Needed { thing, path, named } = needed;
        let checked_at = self.now;
        Check {
            thing,
            path: path.into(),
            named,
            finding,
            checked_at,
            seen_as: None,
            ends_at: None,
            interpreter: None,
            remarks: Vec::new(),
        }
    }

    fn check_file(&self, needed: Needed, account: &Account) -> Check {
        let Sight { mut finding, ends_at, interpreter, mut remarks } =
            self.looker.look(account, &needed.path, needed.wanted());
        if ends_at.is_some_and(|at| at <= self.now) {
            finding = Finding::StillThere { fault: Fault::Expired };
        }
        // It may lie on another mount.
        if let Some(interpreter) = interpreter.clone() {
            let found = self.looker.look(account, &interpreter, Use::ExecuteHere).finding;
            if found == (Finding::StillThere { fault: Fault::Missing }) {
                remarks.push(Remark::NoInterpreter { interpreter: interpreter.into() });
            }
        }
        let seen_as = Some(account.name.clone().into());
        Check {
            seen_as,
            ends_at,
            interpreter: interpreter.map(Foreign::from),
            remarks,
            ..self.found(needed, finding)
        }
    }

    fn check_url(&self, needed: Needed, unknown: Option<Why>) -> Check {
        let why = unknown.or_else(|| urls::refused(&needed.path));
        let mut finding =
            why.map_or_else(|| self.looker.url(&needed.path), |why| Finding::Unknown { why });
        // A name service that knows no name at all shows nothing of this one.
        if finding == (Finding::Unknown { why: Why::NoName })
            && !self.looker.urls().iter().any(|(url, found)| urls::was_resolved(url, *found))
        {
            finding = Finding::Unknown { why: Why::Away };
        }
        self.found(needed, finding)
    }

    /// URLs are asked.
    pub(crate) fn asks_urls(&self) -> bool {
        self.urls != Urls::None
    }

    /// Of a URL that a job with this ad needs it is said what it answers, or why it is not asked.
    /// `is_input`: TransferInput names it.
    pub(crate) fn speaks_of(&self, ad: &ClassAd, url: &str, is_input: bool) -> bool {
        match self.urls {
            Urls::None => false,
            Urls::Own => {
                is_input
                    && self.is_own()
                    && self.account(ad).is_ok()
                    && urls::refused(url).is_none()
            }
            Urls::Asked | Urls::Private => true,
        }
    }

    /// The ads are of one's own jobs: what a hold reason or somebody's file of ads names is not the
    /// job owner's word.
    fn is_own(&self) -> bool {
        matches!(self.whose, Whose::Own(_)) && self.of_queue
    }

    /// Asks for URLs that jobs with these ads need: with each whether TransferInput names it. At
    /// most eight of four servers are asked in a call, those first that come first, and by all calls
    /// of this account in a minute. Gives back how many are asked.
    pub(crate) fn ask_urls<'a>(
        &self,
        needed: impl IntoIterator<Item = (&'a ClassAd, String, bool)>,
    ) -> usize {
        let known = self.asked.as_ref().map(|asked| asked.lately(self.now)).unwrap_or_default();
        let mut servers: BTreeSet<String> =
            known.iter().map(|asked| urls::server(&asked.url)).collect();
        self.looker.remember(known.iter().map(|asked| (asked.url.as_str(), asked.finding)));
        let mut wanted = Vec::<Wanted>::new();
        for (ad, url, is_input) in needed {
            let is_known = known.iter().any(|asked| asked.url == url);
            let is_full = known.len() + wanted.len() >= urls::URLS;
            if is_known || is_full || urls::refused(&url).is_some() {
                continue;
            }
            if !self.speaks_of(ad, &url, is_input) {
                continue;
            }
            let server = urls::server(&url);
            let is_late = servers.len() >= urls::SERVERS && !servers.contains(&server);
            if is_late || wanted.iter().any(|other| other.url == url) {
                continue;
            }
            let Ok(account) = self.account(ad) else { continue };
            let public = !(self.is_own() && is_input) && self.urls != Urls::Private;
            servers.insert(server);
            wanted.push(Wanted { url, account, public });
        }
        if wanted.is_empty() {
            return 0;
        }
        let begun = self.asked.as_ref().map(|asked| {
            let urls = wanted.iter().map(|wanted| wanted.url.as_str());
            asked.begin(urls, self.now).inspect_err(|error| {
                log::info!("cannot keep which URLs are asked in {}: {error}", asked.0.display());
            })
        });
        // Where that cannot be kept, nothing limits how often they would be asked.
        if self.urls == Urls::Own && !matches!(begun, Some(Ok(()))) {
            return 0;
        }
        let asked = wanted.len();
        self.looker.ask_urls(wanted);
        if let Some(kept) = &self.asked {
            kept.end(&self.looker.urls(), self.now);
        }
        asked
    }

    /// What these files say at their ends about why a program failed: the first with a wording that
    /// is known, else the first that speaks of an error. `None` for ads that root was handed: they
    /// may name any account.
    pub fn words(&self, ad: &ClassAd, paths: &[String]) -> Option<(String, Words)> {
        let account = self.reader(ad)?;
        let words = paths
            .iter()
            .filter_map(|path| Some((path.clone(), self.looker.words(&account, path).ok()??)));
        words.min_by_key(|(_, words)| words.says.vagueness())
    }

    /// These files were read, and nothing at their ends speaks of a failure.
    pub fn are_silent(&self, ad: &ClassAd, paths: &[String]) -> bool {
        let is_silent =
            |account: &Account, path: &String| matches!(self.looker.words(account, path), Ok(None));
        let reader = self.reader(ad).filter(|_| !paths.is_empty());
        reader.is_some_and(|account| paths.iter().all(|path| is_silent(&account, path)))
    }

    /// What is said of a script that this ad's job runs with these arguments.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn script(
        &self,
        ad: &ClassAd,
        path: &str,
        arguments: &[String],
    ) -> Result<ScriptSeen, Unread> {
        self.looker.script(&self.account(ad).map_err(Unread::Unseen)?, path, arguments)
    }

    /// The time that is left for [`LocalFiles::words`] of this ad's job; `None` where nothing may
    /// be read for it.
    pub(crate) fn time_for_words(&self, ad: &ClassAd) -> Option<Duration> {
        self.reader(ad).map(|account| self.looker.left(&account))
    }

    /// The account that reads the output of this ad's job.
    fn reader(&self, ad: &ClassAd) -> Option<Account> {
        let may_be_anybody = matches!(self.whose, Whose::All(_)) && !self.of_queue;
        self.account(ad).ok().filter(|_| !may_be_anybody)
    }

    /// The schedd of this ad's job runs on this machine.
    pub fn has(&self, ad: &ClassAd) -> bool {
        let id = ad.string("GlobalJobId").unwrap_or_default();
        let schedd = id.split('#').next().unwrap_or_default();
        let host = schedd.rsplit('@').next().unwrap_or_default();
        self.hosts.iter().any(|name| name.eq_ignore_ascii_case(host))
    }

    /// The account whose rights count for a job.
    fn account(&self, ad: &ClassAd) -> Result<Account, Why> {
        if !self.has(ad) {
            return Err(Why::NotThisMachine);
        }
        let owner = ad.string("OsUser").or_else(|| ad.string("Owner")).unwrap_or_default();
        match &self.whose {
            Whose::Own(me) if *me != owner => Err(Why::NotTheOwner),
            Whose::Own(_) | Whose::Recorded => Ok(Account { name: owner, ids: None }),
            Whose::All(find) => {
                let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
                if accounts.len() >= ACCOUNTS && !accounts.contains_key(&owner) {
                    return Err(Why::NoTime);
                }
                let account = accounts.entry(owner.clone()).or_insert_with(|| {
                    let ids = find(&owner).filter(|ids| ids.uid != 0);
                    ids.map(|ids| Account { name: owner, ids: Some(ids) })
                });
                account.clone().ok_or(Why::NotTheOwner)
            }
        }
    }
}

/// A directory in which something was found is there, whatever a look at itself found: a mount that
/// comes and goes answers both ways.
fn drop_contradicted(checks: &mut [Check]) {
    let directory = |check: &Check| match check.thing {
        thing if thing.is_written() => {
            check.path.as_given().rsplit_once('/').map_or("", |(up, _)| up).into()
        }
        _ => check.path.as_given().trim_end_matches('/').to_owned(),
    };
    let is_there = |check: &&Check| matches!(check.finding, Finding::Gone { .. });
    let found = checks.iter().filter(is_there).filter(|check| check.thing != Thing::Url);
    let found: Vec<String> = found.map(directory).collect();
    for check in checks {
        let of_directory = match check.finding {
            Finding::StillThere { fault: Fault::Missing } => check.thing != Thing::Url,
            Finding::StillThere { fault: Fault::Denied | Fault::NotDirectory } => {
                check.thing == Thing::WorkingDirectory
            }
            _ => false,
        };
        let missing = directory(check);
        let within = |path: &String| {
            path.strip_prefix(&missing).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if of_directory && found.iter().any(within) {
            check.finding = Finding::Unknown { why: Why::Contradicted };
        }
    }
}

impl Needed {
    /// How HTCondor uses it.
    fn wanted(&self) -> Use {
        match self.thing {
            Thing::WorkingDirectory => Use::Enter,
            Thing::Executable => Use::Execute,
            Thing::ExecutableInPlace => Use::ExecuteHere,
            Thing::InputFile if self.path.ends_with('/') => Use::ReadDirectory,
            Thing::StandardInput | Thing::InputFile | Thing::Url => Use::Read,
            Thing::OutputFile | Thing::EventLog => Use::Write,
            Thing::Proxy => Use::Proxy,
            Thing::Token => Use::Token,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MISSING: Finding = Finding::StillThere { fault: Fault::Missing };
    const THERE: Finding = Finding::Gone { changed_at: None };

    fn findings(found: &[(Thing, &str, Finding)]) -> Vec<Finding> {
        let files = LocalFiles::recorded(Recorded::default());
        let mut checks: Vec<Check> = found
            .iter()
            .map(|&(thing, path, finding)| {
                files.found(Needed { thing, path: path.to_owned(), named: false }, finding)
            })
            .collect();
        drop_contradicted(&mut checks);
        checks.iter().map(|check| check.finding).collect()
    }

    #[test]
    fn a_directory_in_which_a_file_is_there_is_not_missing() {
        let unknown = Finding::Unknown { why: Why::Contradicted };
        let found = [
            (Thing::WorkingDirectory, "/home/a/run", MISSING),
            (Thing::EventLog, "/home/a/run/log", MISSING),
            (Thing::InputFile, "/home/a/run/in/x", THERE),
            (Thing::InputFile, "/home/a/run/y", MISSING),
            (Thing::OutputFile, "/home/a/run/out/z", MISSING),
        ];
        let expected = [unknown, unknown, THERE, MISSING, MISSING];
        assert_eq!(findings(&found), expected);
    }

    #[test]
    fn a_like_name_and_a_directory_above_contradict_nothing() {
        let found = [
            (Thing::WorkingDirectory, "/home/a/run", MISSING),
            (Thing::InputFile, "/home/a/run-2/x", THERE),
            (Thing::Executable, "/home/a/program", THERE),
        ];
        assert_eq!(findings(&found), [MISSING, THERE, THERE]);
    }
}
