//! The judge's process, and the tools of HTCondor whose output it is fed with.
//!
//! This process passes the pipe on: what the tools write goes to the judge, and is not read here.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write, pipe};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use holdadvise::text::shown;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::pipe::{SpliceFlags, splice};

use crate::account::is_account;
use crate::line::{LONGEST_LINE, Line};

/// Seconds for which an owner is left out whose query was not answered. Assumed: two processes of
/// the schedd a day.
pub const LEFT_OUT: i64 = 86_400;

/// How often a process that ends is looked at.
pub(crate) const POLL: Duration = Duration::from_millis(5);

/// Characters of complaints that are kept.
const COMPLAINTS: usize = 400;

/// Threads of the judge at most.
const THREADS: usize = 4;

/// What the judge is called in errors.
const JUDGE: &str = "the judge";

/// Bytes of a short answer.
const MOST_ANSWERED: u64 = 1 << 20;

/// Owners that are counted at most. Assumed.
pub(crate) const MOST_OWNERS: usize = 10_000;

/// Lines of the judge that wait to be read at most.
const AHEAD: usize = 1_024;

/// Bytes that are passed on at once at most.
const AT_ONCE: usize = 1 << 20;

/// After so many lines its memory is looked at.
const LOOK: usize = 256;

/// Why the judge said nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// A process cannot be started.
    #[error("cannot start {what}: {source}")]
    Start {
        /// Which.
        what: String,
        /// Why.
        source: io::Error,
    },
    /// It failed.
    #[error("{what} failed: {said}")]
    Failed {
        /// Which.
        what: String,
        /// What it said.
        said: String,
    },
    /// It took too long.
    #[error("{what} took longer than it may, and was ended")]
    Late {
        /// Which.
        what: String,
    },
}

impl ProcessError {
    /// The judge failed on what it read.
    pub fn is_of_judge(&self) -> bool {
        matches!(self, Self::Failed { what, .. } if what == JUDGE)
    }
}

/// A process that is ended where this one does not wait for it.
pub(crate) struct Running {
    pub(crate) child: Child,
    what: String,
}

impl Running {
    pub(crate) fn start(command: &mut Command, what: &str) -> Result<Self, ProcessError> {
        let start = |source| ProcessError::Start { what: what.to_owned(), source };
        Ok(Self { child: command.spawn().map_err(start)?, what: what.to_owned() })
    }

    /// Waits until the deadline.
    pub(crate) fn wait(&mut self, deadline: Instant) -> Result<(), ProcessError> {
        let what = || self.what.clone();
        let complaints = self.child.stderr.take().map(|mut pipe| {
            thread::spawn(move || {
                let mut said = Vec::new();
                let _ = pipe.by_ref().take(16 << 10).read_to_end(&mut said);
                let _ = io::copy(&mut pipe, &mut io::sink());
                said
            })
        });
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if Instant::now() < deadline => thread::sleep(POLL),
                Ok(None) => return Err(ProcessError::Late { what: what() }),
                Err(source) => return Err(ProcessError::Start { what: what(), source }),
            }
        };
        // Its pipe may be held open by others: a process that ended well is not waited for.
        let said = complaints.filter(|reader| !status.success() || reader.is_finished());
        let said = said.and_then(|reader| reader.join().ok()).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        // Some versions of condor_q end well although no schedd answered.
        if status.success() && !said.contains("Failed to fetch ads") {
            return Ok(());
        }
        let said = match said.trim() {
            "" => status.to_string(),
            said => shown(said, COMPLAINTS),
        };
        Err(ProcessError::Failed { what: what(), said })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Where the ads for the judge go.
#[derive(Debug)]
pub struct Feed {
    pipe: PipeWriter,
    deadline: Instant,
}

/// How the output of a tool ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The tool ended well.
    Whole,
    /// It still wrote when its time was up: the last ad may be cut off.
    Cut,
}

impl Feed {
    /// Begins a section of ads.
    ///
    /// # Errors
    /// [`ProcessError::Failed`] where the judge reads no more.
    pub fn section(&mut self, name: &str, number: i64) -> Result<(), ProcessError> {
        self.pipe
            // The last ad may have been cut off.
            .write_all(format!("\n\n{name} = {number}\n\n").as_bytes())
            .map_err(|source| ProcessError::Start { what: JUDGE.to_owned(), source })
    }

    /// Runs a tool whose output the judge reads, for `most` at most.
    ///
    /// # Errors
    /// [`ProcessError`]; it took too long where it had said nothing for half of its time.
    pub fn run(
        &mut self,
        tool: &str,
        arguments: &[&str],
        most: Duration,
    ) -> Result<End, ProcessError> {
        let failed = |source| ProcessError::Start { what: tool.to_owned(), source };
        let begun = Instant::now();
        let deadline = self.deadline.min(begun + most);
        let (output, writer) = pipe().map_err(failed)?;
        let mut command = Command::new(tool);
        command.args(arguments).stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped());
        let mut running = Running::start(&mut command, tool)?;
        // Its end of the pipe is in there.
        drop(command);
        let last = self.pass_on(&output, deadline).map_err(failed)?;
        let ran = running.wait(deadline);
        log::info!("{tool}: {} ms", begun.elapsed().as_millis());
        match ran {
            Err(ProcessError::Late { .. }) if last.elapsed() < begun.elapsed() / 2 => Ok(End::Cut),
            ran => ran.map(|()| End::Whole),
        }
    }

    /// Passes on, unread, what comes until its end or the deadline; when the last of it came.
    fn pass_on(&self, output: &PipeReader, deadline: Instant) -> io::Result<Instant> {
        let mut last = Instant::now();
        loop {
            let room = PollFd::new(&self.pipe, PollFlags::OUT);
            let bytes = PollFd::new(output, PollFlags::IN);
            if !ready(bytes, deadline)? {
                return Ok(last);
            }
            // A judge that is slow is no tool that says nothing.
            if !ready(room, deadline)? {
                return Ok(Instant::now());
            }
            match splice(output, None, &self.pipe, None, AT_ONCE, SpliceFlags::NONBLOCK) {
                Ok(0) => return Ok(last),
                Ok(_) => last = Instant::now(),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Waits until there is something to do for a descriptor; false where there is not by the deadline.
pub(crate) fn ready(what: PollFd<'_>, deadline: Instant) -> io::Result<bool> {
    let mut what = [what];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).map_err(io::Error::other)?;
        match poll(&mut what, Some(&left)) {
            Ok(number) => return Ok(number > 0),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// What a tool answers whose answer is short and has nothing of users in it.
///
/// # Errors
/// [`ProcessError`]
pub fn answer(tool: &str, arguments: &[&str], deadline: Instant) -> Result<String, ProcessError> {
    read_from(Command::new(tool).args(arguments), tool, deadline, |output| {
        let mut text = Vec::new();
        let _ = output.take(MOST_ANSWERED).read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    })
}

/// How often a tool says each name of an account; other lines are not counted.
///
/// # Errors
/// [`ProcessError`]
pub fn counts(
    tool: &str,
    arguments: &[&str],
    deadline: Instant,
) -> Result<BTreeMap<String, u64>, ProcessError> {
    read_from(Command::new(tool).args(arguments), tool, deadline, |output| {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let mut output = BufReader::new(output);
        while let Some(line) = next_line(&mut output) {
            let Some(name) = line.and_then(|line| String::from_utf8(line).ok()) else { continue };
            if let Some(count) = counts.get_mut(&name) {
                *count += 1;
            } else if is_account(&name) && counts.len() < MOST_OWNERS {
                counts.insert(name, 1);
            }
        }
        counts
    })
}

/// What `read` makes of the output of a process that ends well until the deadline.
pub(crate) fn read_from<T: Default + Send + 'static>(
    command: &mut Command,
    what: &str,
    deadline: Instant,
    read: impl FnOnce(ChildStdout) -> T + Send + 'static,
) -> Result<T, ProcessError> {
    let (mut running, reader) = reading(command, what, read)?;
    running.wait(deadline)?;
    Ok(reader.join().unwrap_or_default())
}

/// Starts a process whose output a thread reads.
pub(crate) fn reading<T: Default + Send + 'static>(
    command: &mut Command,
    what: &str,
    read: impl FnOnce(ChildStdout) -> T + Send + 'static,
) -> Result<(Running, JoinHandle<T>), ProcessError> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running::start(command, what)?;
    let output = running.child.stdout.take();
    Ok((running, thread::spawn(move || output.map(read).unwrap_or_default())))
}

/// What the judge said.
#[derive(Debug, Default)]
pub struct Said {
    /// Its lines, in order.
    pub lines: Vec<Line>,
    /// Lines that do not fit.
    pub dropped: usize,
    /// Most memory that it had, KiB, where the kernel says.
    pub memory: u64,
}

impl Said {
    /// Adds what another judge said.
    pub fn add(&mut self, other: Self) {
        self.lines.extend(other.lines);
        self.dropped += other.dropped;
        self.memory = self.memory.max(other.memory);
    }
}

/// Starts the judge, has `feed` give it ads, and reads what it says, until the deadline. `word` says
/// what it is to do.
///
/// # Errors
/// [`ProcessError`] where it cannot be fed or fails: what it said until then does not count. Where
/// its time was up, what it said counts.
pub fn ask_judge(
    word: &str,
    deadline: Instant,
    debug: bool,
    feed: impl FnOnce(&mut Feed) -> Result<(), ProcessError> + Send,
) -> Result<Said, ProcessError> {
    let start = |source| ProcessError::Start { what: JUDGE.to_owned(), source };
    let (reader, writer) = pipe().map_err(start)?;
    let mut command = Command::new(std::env::current_exe().map_err(start)?);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS);
    command
        .arg(word)
        .args(debug.then_some("-debug"))
        .env("RAYON_NUM_THREADS", threads.to_string())
        // Each arena keeps memory of its own.
        .env("MALLOC_ARENA_MAX", "2")
        .stdin(reader)
        .stdout(Stdio::piped())
        .stderr(if debug { Stdio::inherit() } else { Stdio::piped() });
    let mut running = Running::start(&mut command, JUDGE)?;
    // Its end of the pipe is in there.
    drop(command);
    let output = running.child.stdout.take();
    let (sender, lines) = sync_channel(AHEAD);
    thread::scope(|scope| {
        let feeding = scope.spawn(move || feed(&mut Feed { pipe: writer, deadline }));
        thread::spawn(move || {
            let mut output = BufReader::new(output.into_iter().next()?);
            while let Some(line) = next_line(&mut output) {
                sender.send(line).ok()?;
            }
            Some(())
        });
        let mut said = Said::default();
        let mut is_late = false;
        loop {
            match lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let line = line.as_deref().and_then(Line::read);
                    if said.lines.len() % LOOK == 0 || matches!(line, Some(Line::Done { .. })) {
                        said.memory = said.memory.max(memory_of(running.child.id()));
                    }
                    match line {
                        Some(line) => said.lines.push(line),
                        None => said.dropped += 1,
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    is_late = true;
                    break;
                }
            }
        }
        let ended = match is_late {
            true => Ok(()),
            false => running.wait(deadline),
        };
        drop(running);
        let fed = feeding.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        // Where the judge failed the tools did because of it.
        ended?;
        fed?;
        Ok(said)
    })
}

/// The next line without its end; one that is too long is `Some(None)`. `None` at the end.
pub(crate) fn next_line(input: &mut impl BufRead) -> Option<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let most = LONGEST_LINE as u64 + 1;
    if input.by_ref().take(most).read_until(b'\n', &mut line).ok()? == 0 {
        return None;
    }
    if line.pop_if(|last| *last == b'\n').is_some() {
        return Some(Some(line));
    }
    // Without an end it is not whole.
    input.skip_until(b'\n').ok()?;
    Some(None)
}

/// VmHWM of a process that has not been waited for, KiB.
fn memory_of(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_too_long_or_not_whole_are_none() {
        let long = "x".repeat(3 * LONGEST_LINE);
        let text = format!("one\n{long}\ntwo\nrest");
        let mut input = text.as_bytes();
        let lines: Vec<_> = std::iter::from_fn(|| next_line(&mut input)).collect();
        assert_eq!(lines, [Some(b"one".to_vec()), None, Some(b"two".to_vec()), None]);
    }

    #[test]
    fn a_process_that_takes_too_long_is_ended() {
        let mut running = Running::start(Command::new("sleep").arg("600"), "sleep").unwrap();
        let until = Instant::now() + Duration::from_millis(50);
        assert!(matches!(running.wait(until), Err(ProcessError::Late { .. })));
    }
}
