//! One round: each owner of held jobs has a process of its own, and what those wrote is put into
//! the folder.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, BufReader, PipeReader, PipeWriter, Read, pipe};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use holdadvise::checks::Ids;
use holdadvise::inquiry::{Config, SettingError, hosts, ids_now};
use rustix::event::{PollFd, PollFlags};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, geteuid, getpid, kill_process_group,
    set_child_subreaper, wait, waitid, waitpgid,
};
use rustix::thread::{Gid, set_thread_groups};

use super::folder::{Folder, Record};
use super::owner::arguments;
use super::{JOBS, LONGEST_RECORD, OWNERS};
use crate::account::is_account;
use crate::process::{LEFT_OUT, POLL, ProcessError, Running, next_line, read_from, reading, ready};
use crate::settings::Settings;

/// Owners whose processes run at the same time. Assumed.
const AT_ONCE: usize = 4;

/// How long one owner may take: looks have 5 s of that. Assumed.
const ONE_OWNER: Duration = Duration::from_secs(15);

/// After so long no process is started any more. Assumed: less than from round to round.
const ROUND: Duration = Duration::from_secs(90);

/// How long a process that was ended may take to be gone. Assumed: what takes longer waits for a
/// file system.
const GONE: Duration = Duration::from_millis(500);

/// How long owners may be looked up among the accounts in a round. Assumed: a third of it.
const ACCOUNTS: Duration = Duration::from_secs(30);

/// Names of owners that are looked up in a round at most. Assumed: of a queue of a hundred thousand
/// held jobs each may have one of its own.
const MOST_NAMES: usize = 100_000;

/// Names that are looked up at once. Assumed: arguments have room for a hundred times as many.
const TOGETHER: usize = 500;

/// How long what was found of an owner counts. Assumed: five rounds, since a name service may be
/// away for a while.
const KNOWN: Duration = Duration::from_secs(600);

/// True of held jobs whose owner is the account that they run as. What users may write is not
/// evaluated: `unparse` gives the text of an attribute.
const HELD: &str = "JobStatus == 5 && (unparse(OsUser) == \"\" || \
     unparse(OsUser) == strcat(\"\\\"\", Owner, \"\\\"\"))";

/// Why there was no round.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RoundError {
    /// Whoever runs it is not root.
    #[error("this is for root: it takes the rights of each owner of held jobs")]
    NotRoot,
    /// The account of HTCondor is not there.
    #[error("there is no account {0} but root's: HOLDADVISE_LOOKS_ACCOUNT names that of HTCondor")]
    NoAccount(String),
    /// A setting cannot be used.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The folder cannot be used.
    #[error("HOLDADVISE_LOOKS_DIR: {path}: {source}")]
    Folder {
        /// Its path.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// The owners are not known.
    #[error(transparent)]
    Owners(#[from] ProcessError),
}

/// What came of a round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Owners of held jobs.
    pub owners: usize,
    /// Those whose files were looked at.
    pub looked: usize,
    /// What went wrong, a line each.
    pub faults: Vec<String>,
}

/// Processes that were ended and are still there: they wait for a file system. As long as one of an
/// owner is there, no other is started for it.
#[derive(Debug, Default)]
pub struct LeftBehind(Mutex<HashMap<String, Group>>, Unanswered, Accounts);

/// Whether owners are accounts with files of their own, and when that was found.
type Accounts = Mutex<HashMap<String, (bool, Instant)>>;

/// Owners about whom condor_q did not answer, and when: each such query costs the schedd a process.
type Unanswered = Mutex<HashMap<String, Instant>>;

/// A process of an owner, with what it started.
#[derive(Debug)]
struct Group {
    child: Child,
    is_reaped: bool,
}

/// What is the same for all owners of a round.
struct Common<'a> {
    account: &'a Ids,
    hosts: Vec<String>,
    left_behind: &'a LeftBehind,
    until: Instant,
}

/// Makes a round.
///
/// # Errors
/// [`RoundError`]: nothing was looked at then.
pub fn round(config: &Config, left_behind: &LeftBehind) -> Result<Round, RoundError> {
    let begun = Instant::now();
    if !geteuid().is_root() {
        return Err(RoundError::NotRoot);
    }
    adopt();
    let (settings, mut faults) = Settings::of(config)?;
    let account = ids_now(&settings.looks_account).filter(|ids| ids.uid != 0);
    let account = account.ok_or_else(|| RoundError::NoAccount(settings.looks_account.clone()))?;
    let path = || settings.looks.display().to_string();
    let failed = |source| RoundError::Folder { path: path(), source };
    // Without CAP_CHOWN a file goes to a group that this thread and those it starts are in.
    set_thread_groups(&[Gid::from_raw(account.gid)]).map_err(|error| failed(error.into()))?;
    let folder = Folder::make(&settings.looks, 0, account.gid).map_err(failed)?;
    let owners = owners(&account, begun + settings.timeout.min(ROUND))?;
    let count = owners.len();
    let owners = left_behind.accounts(owners, &account, begun + ACCOUNTS);
    // Those first who have waited longest.
    let mut order: Vec<&String> = owners.iter().collect();
    order.sort_by_cached_key(|owner| folder.begun(owner).unwrap_or(0));
    order.truncate(OWNERS);
    let common =
        Common { account: &account, hosts: hosts(config), left_behind, until: begun + ROUND };
    let mut looked = 0;
    each(&order, &common, |owner, found| {
        let kept = match found {
            Ok(Some(record)) => {
                looked += 1;
                folder.write(owner, &record, account.gid)
            }
            Ok(None) => folder.remove(owner),
            Err(why) => {
                faults.push(format!("{owner}: {why}"));
                folder.remove(owner)
            }
        };
        if let Err(error) = kept {
            faults.push(format!("{owner}: {error}"));
        }
    });
    // What an owner has led out of its group.
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
    for gone in folder.owners().map_err(failed)?.iter().filter(|name| !owners.contains(*name)) {
        folder.remove(gone).map_err(failed)?;
    }
    Ok(Round { owners: count, looked, faults })
}

/// From now on this process is the parent of what its children leave behind: it sees whether that
/// has ended.
fn adopt() {
    if let Err(error) = set_child_subreaper(Some(getpid())) {
        log::info!("prctl(PR_SET_CHILD_SUBREAPER): {error}");
    }
}

/// A tool of HTCondor's, with the rights of its account.
fn tool(name: &str, account: &Ids) -> Command {
    let mut command = Command::new(name);
    // All groups but the account's own are left too.
    command.uid(account.uid).gid(account.gid).current_dir("/").stdin(Stdio::null());
    command
}

/// The owners of held jobs that may be accounts. Nothing else of a job is asked for.
fn owners(account: &Ids, deadline: Instant) -> Result<BTreeSet<String>, ProcessError> {
    let mut command = tool("condor_q", account);
    command.args(["-allusers", "-constraint", HELD, "-af", "Owner"]);
    read_from(&mut command, "condor_q", deadline, |output| {
        let mut names = BTreeSet::new();
        let mut output = BufReader::new(output);
        while let Some(line) = next_line(&mut output) {
            let name = line.and_then(|line| String::from_utf8(line).ok());
            let name = name.filter(|name| is_account(name) && names.len() < MOST_NAMES);
            names.extend(name);
        }
        names
    })
}

/// What was seen of the files of these owners, as it comes, some at a time; of those for whom there
/// is time.
fn each(
    owners: &[&String],
    common: &Common<'_>,
    take: impl FnMut(&str, Result<Option<Record>, ProcessError>) + Send,
) {
    let waiting = Mutex::new(owners.iter());
    let take = Mutex::new(take);
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next().copied();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(owners.len()) {
            scope.spawn(|| {
                while Instant::now() < common.until
                    && let Some(owner) = next()
                {
                    let found = one(owner, common);
                    take.lock().unwrap_or_else(PoisonError::into_inner)(owner, found);
                }
            });
        }
    });
}

/// Which of these names the name service may have ([`plain`]); `None` where it does not say so in time.
fn named(names: &[String], deadline: Instant) -> Option<HashSet<String>> {
    let mut command = Command::new("getent");
    command.arg("passwd").args(names);
    let (mut running, reader) = reading(&mut command, "getent", |mut output| {
        let mut text = Vec::new();
        let _ = output.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    })
    .ok()?;
    match running.wait(deadline) {
        // It fails where one of the names is none.
        Ok(()) | Err(ProcessError::Failed { .. }) => {}
        Err(_) => return None,
    }
    let text = reader.join().ok()?;
    Some(text.lines().filter_map(|line| line.split(':').next()).map(plain).collect())
}

/// A name of an account without its domain and case, which a name service may write in other ways.
fn plain(name: &str) -> String {
    let name = name.rsplit('\\').next().unwrap_or_default();
    name.split('@').next().unwrap_or_default().to_ascii_lowercase()
}

/// The numbers of an account with files of its own: not root's, nor HTCondor's.
fn ids_of_user(owner: &str, account: &Ids) -> Option<Ids> {
    ids_now(owner).filter(|ids| ids.uid != 0 && ids.uid != account.uid)
}

/// What was seen of the files of one owner; `None` for an account without files of its own: root's,
/// HTCondor's, and one that is not there.
fn one(owner: &str, common: &Common<'_>) -> Result<Option<Record>, ProcessError> {
    let Some(ids) = ids_of_user(owner, common.account) else { return Ok(None) };
    let what = "the process that looks";
    let failed = |said: &str| ProcessError::Failed { what: what.to_owned(), said: said.to_owned() };
    if common.left_behind.is_there(owner) {
        return Err(failed("an earlier one still waits for a file system"));
    }
    if common.left_behind.is_unanswered(owner) {
        return Err(failed("condor_q did not answer about this owner; it is not asked for 24 h"));
    }
    let deadline = Instant::now() + ONE_OWNER;
    let begun = jiff::Timestamp::now().as_second();
    let start = |source| ProcessError::Start { what: what.to_owned(), source };
    let (reader, writer) = pipe().map_err(start)?;
    let (output, child) = begin(owner, &ids, &common.hosts, reader).map_err(start)?;
    let mut group = Group { child, is_reaped: false };
    let read = feed(owner, common.account, writer).and_then(|mut asked| {
        let bytes = bounded(output, deadline);
        asked.wait(deadline)?;
        Ok(bytes)
    });
    // What has written all may still wait for a file system with a thread.
    let has_written = matches!(read, Ok(Some(_)));
    let until = if has_written { deadline.min(Instant::now() + GONE) } else { deadline };
    let has_failed = group.ends(until) == Some(false);
    if !group.is_gone() {
        common.left_behind.put(owner, group);
    } else if matches!(read, Err(ProcessError::Late { .. })) {
        common.left_behind.put_unanswered(owner);
    }
    match read? {
        Some(_) if has_failed => Err(failed("it failed")),
        Some(bytes) => Ok(Some(Record { begun, bytes })),
        None => Err(failed("it wrote too much, or took too long")),
    }
}

/// Starts the process of an owner, which leads a group of its own; and its output.
fn begin(
    owner: &str,
    ids: &Ids,
    hosts: &[String],
    input: PipeReader,
) -> io::Result<(PipeReader, Child)> {
    let (output, writer) = pipe()?;
    let child = Command::new(std::env::current_exe()?)
        .args(arguments(owner, hosts, ids))
        .env_clear()
        .current_dir("/")
        .stdin(input)
        .stdout(writer)
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    Ok((output, child))
}

/// Begins to write the held jobs of an owner to its process.
fn feed(owner: &str, account: &Ids, to: PipeWriter) -> Result<Running, ProcessError> {
    let constraint = format!("{HELD} && Owner =?= \"{owner}\"");
    let mut command = tool("condor_q", account);
    // No list of attributes: the schedd would follow what they refer to, however far that leads.
    command.args(["-allusers", "-long", "-limit", &JOBS.to_string()]);
    command.args(["-constraint", &constraint]);
    command.stdout(to).stderr(Stdio::piped());
    Running::start(&mut command, "condor_q")
}

/// All that is written until the deadline; `None` where it is too much or has no end by then.
fn bounded(mut output: PipeReader, deadline: Instant) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut piece = [0; 8192];
    while ready(PollFd::from_borrowed_fd(output.as_fd(), PollFlags::IN), deadline).ok()? {
        match output.read(&mut piece) {
            Ok(0) => return Some(bytes),
            Ok(length) if bytes.len() + length <= LONGEST_RECORD => {
                bytes.extend_from_slice(&piece[..length]);
            }
            _ => return None,
        }
    }
    None
}

impl Group {
    fn id(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Waits for its end until the deadline, and ends what is left of it: whether it ended well, if
    /// it did by itself.
    fn ends(&mut self, deadline: Instant) -> Option<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let has_ended = || !matches!(waitid(WaitId::Pid(self.id()), options), Ok(None));
        while !has_ended() && Instant::now() < deadline {
            thread::sleep(POLL);
        }
        let by_itself = has_ended();
        // It was not waited for: its number, which is the group's, is still its own.
        let _ = kill_process_group(self.id(), Signal::KILL);
        let until = Instant::now() + GONE;
        while !self.reap() && Instant::now() < until {
            thread::sleep(POLL);
        }
        let status = by_itself.then(|| self.child.try_wait());
        status.map(|status| status.is_ok_and(|status| status.is_some_and(|it| it.success())))
    }

    fn reap(&mut self) -> bool {
        self.is_reaped |= !matches!(self.child.try_wait(), Ok(None));
        self.is_reaped
    }

    /// Nothing of its group is there any more.
    fn reap_others(&self) -> bool {
        loop {
            match waitpgid(self.id(), WaitOptions::NOHANG) {
                Ok(Some(_)) => {}
                Ok(None) => return false,
                Err(_) => return true,
            }
        }
    }

    /// Waits a little for its processes to be gone.
    fn is_gone(&mut self) -> bool {
        let until = Instant::now() + GONE;
        loop {
            // Its own end is the first to be asked for: it says how it ended.
            let gone = self.reap() && self.reap_others();
            if gone || Instant::now() >= until {
                return gone;
            }
            thread::sleep(POLL);
        }
    }
}

/// How long an owner is not asked about whose query was not answered.
fn left_out() -> Duration {
    Duration::from_secs(LEFT_OUT.unsigned_abs())
}

impl LeftBehind {
    fn is_unanswered(&self, owner: &str) -> bool {
        let mut owners = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        owners.retain(|_, at| at.elapsed() < left_out());
        owners.contains_key(owner)
    }

    /// Those owners that are accounts with files of their own: nobody else takes a place. Who was
    /// not looked up in time stays, and is looked up in its turn.
    fn accounts(
        &self,
        mut owners: BTreeSet<String>,
        account: &Ids,
        until: Instant,
    ) -> BTreeSet<String> {
        let mut known = self.2.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|owner, (_, at)| owners.contains(owner) && at.elapsed() < KNOWN);
        let new = owners.iter().filter(|owner| !known.contains_key(*owner));
        let new: Vec<String> = new.cloned().collect();
        for some in new.chunks(TOGETHER) {
            let Some(named) = named(some, until) else { break };
            for owner in some.iter().filter(|_| Instant::now() < until) {
                let is_user =
                    named.contains(&plain(owner)) && ids_of_user(owner, account).is_some();
                known.insert(owner.clone(), (is_user, Instant::now()));
            }
        }
        owners.retain(|owner| known.get(owner).is_none_or(|(is_user, _)| *is_user));
        owners
    }

    fn put_unanswered(&self, owner: &str) {
        let mut owners = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        owners.insert(owner.to_owned(), Instant::now());
    }

    fn is_there(&self, owner: &str) -> bool {
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if groups.get_mut(owner).is_some_and(Group::is_gone) {
            groups.remove(owner);
        }
        groups.contains_key(owner)
    }

    fn put(&self, owner: &str, group: Group) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(owner.to_owned(), group);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn shell(script: &str) -> Group {
        adopt();
        let mut command = Command::new("sh");
        let child = command.args(["-c", script]).process_group(0).spawn().unwrap();
        Group { child, is_reaped: false }
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(100)
    }

    #[test]
    fn what_is_left_of_a_process_ends_with_it() {
        for (script, well) in
            [("sleep 600 & exit 0", Some(true)), ("exit 1", Some(false)), ("sleep 600", None)]
        {
            let mut group = shell(script);
            let until = if script == "sleep 600" { soon() } else { Instant::now() + ONE_OWNER };
            assert_eq!(group.ends(until), well, "{script}");
            assert!(group.is_gone(), "{script}");
        }
    }

    #[test]
    fn an_owner_whose_process_is_still_there_has_no_other() {
        let left_behind = LeftBehind::default();
        assert!(!left_behind.is_there("alice"));
        let group = shell("sleep 600");
        let id = group.id();
        left_behind.put("alice", group);
        assert!(left_behind.is_there("alice") && !left_behind.is_there("bob"));
        kill_process_group(id, Signal::KILL).unwrap();
        assert!(!left_behind.is_there("alice"));
        assert!(left_behind.0.lock().unwrap().is_empty());
    }

    #[test]
    fn an_owner_about_whom_there_was_no_answer_is_not_asked_about_again() {
        let left_behind = LeftBehind::default();
        left_behind.put_unanswered("mallory");
        assert!(left_behind.is_unanswered("mallory") && !left_behind.is_unanswered("alice"));
        if let Some(long_ago) = Instant::now().checked_sub(left_out()) {
            left_behind.1.lock().unwrap().insert("mallory".to_owned(), long_ago);
            assert!(!left_behind.is_unanswered("mallory"));
        }
    }

    #[test]
    fn output_has_an_end_and_a_length() {
        let written = |length: usize, ends: bool| {
            let (reader, mut writer) = pipe().unwrap();
            let filling = thread::spawn(move || {
                let _ = writer.write_all(&vec![b'x'; length]);
                (!ends).then_some(writer)
            });
            let until = if ends { Instant::now() + ONE_OWNER } else { soon() };
            let bytes = bounded(reader, until).map(|bytes| bytes.len());
            drop(filling.join());
            bytes
        };
        assert_eq!(written(0, true), Some(0));
        assert_eq!(written(LONGEST_RECORD, true), Some(LONGEST_RECORD));
        assert_eq!(written(LONGEST_RECORD + 1, true), None);
        assert_eq!(written(10, false), None);
    }
}
