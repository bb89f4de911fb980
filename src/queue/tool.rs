//! Runs a tool of HTCondor for a limited time and reads a limited part of what it writes.
//!
//! The tool is the leader of a process group of its own, which ends as a whole: at the deadline,
//! where nobody reads on, and with this program. Reading ends at the deadline whoever holds the
//! pipe open.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::QueueError;

/// As much of a tool's complaints as is kept, in bytes.
const COMPLAINTS: usize = 16 * 1024;

/// Bytes of an answer that is kept as a whole.
const SHORT_ANSWER: u64 = 64 << 20;

/// How often an ending tool is looked at.
const POLL: Duration = Duration::from_millis(5);

/// The process groups that were started and have not ended.
static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// Runs a tool and gives its standard output to `read` while it runs, `most` bytes of it.
///
/// # Errors
/// [`QueueError::Start`], [`QueueError::TimedOut`], [`QueueError::TooLong`], [`QueueError::Failed`]
/// with the first line of its complaints, or what `read` gives.
pub(super) fn stream_tool<T>(
    tool: &'static str,
    arguments: &[&str],
    limit: Duration,
    most: u64,
    read: impl FnOnce(&mut dyn Read) -> Result<T, QueueError>,
) -> Result<T, QueueError> {
    let started = Instant::now();
    let start = |source| QueueError::Start { tool, source };
    let (mut running, mut output) =
        Running::start(tool, arguments, started + limit, most).map_err(start)?;
    let result = read(&mut output);
    // Whoever stops reading early does not want the rest.
    let status = match &result {
        Ok(_) => running.wait(&mut output).map_err(start)?,
        Err(_) => None,
    };
    drop(running);
    if output.is_cut {
        return Err(QueueError::TooLong { tool, most });
    }
    if output.is_late {
        return Err(QueueError::TimedOut { tool, after: limit });
    }
    let result = result?;
    log::info!(
        "{}: {} ms",
        crate::text::shell_command(std::iter::once(tool).chain(arguments.iter().copied())),
        started.elapsed().as_millis()
    );
    let said = String::from_utf8_lossy(&output.said);
    // Some versions of condor_q end well although no schedd answered.
    if status.is_some_and(|status| status.success()) && !said.contains("Failed to fetch ads") {
        Ok(result)
    } else {
        Err(QueueError::Failed { tool, said: complaint(&said) })
    }
}

/// A tool that runs. Dropped before it has ended, it is ended with its group.
struct Running {
    child: Child,
    group: Pid,
    has_ended: bool,
}

impl Running {
    fn start(
        tool: &str,
        arguments: &[&str],
        deadline: Instant,
        most: u64,
    ) -> io::Result<(Self, Output)> {
        end_groups_on_signals();
        let mut groups = groups();
        let mut child = Command::new(tool)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let output = Output {
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            said: Vec::new(),
            deadline,
            left: most,
            is_cut: false,
            is_late: false,
        };
        let group = Pid::from_child(&child);
        groups.push(group);
        Ok((Self { child, group, has_ended: false }, output))
    }

    /// How the tool ended, if it has. Its number may then be another process's.
    fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        let mut groups = groups();
        let status = self.child.try_wait()?;
        if status.is_some() {
            self.has_ended = true;
            groups.retain(|group| *group != self.group);
        }
        Ok(status)
    }

    /// Waits for the end of a tool that has closed its output; `None` where the time is up before.
    fn wait(&mut self, output: &mut Output) -> io::Result<Option<ExitStatus>> {
        loop {
            // What else holds the pipe of complaints open is not waited for.
            let status = self.ended()?;
            output.hear(if status.is_some() { Duration::ZERO } else { POLL })?;
            if status.is_some() || output.is_late {
                return Ok(status);
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        let mut groups = groups();
        // The leader was not waited for: its number, which is the group's, is still its own.
        let _ = kill_process_group(self.group, Signal::KILL);
        let _ = self.child.wait();
        groups.retain(|group| *group != self.group);
    }
}

/// What a tool writes, until the deadline.
struct Output {
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// The beginning of its complaints.
    said: Vec<u8>,
    deadline: Instant,
    /// Bytes that may still be read.
    left: u64,
    /// There were more.
    is_cut: bool,
    is_late: bool,
}

impl Output {
    /// Waits for output or complaints, and takes the complaints; whether there is output.
    fn wait(&mut self, time: Duration) -> io::Result<bool> {
        let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(2);
        fds.extend(self.stdout.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        fds.extend(self.stderr.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        let time = Timespec::try_from(time).map_err(io::Error::other)?;
        match poll(&mut fds, Some(&time)) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        let mut ready = fds.iter().map(|fd| !fd.revents().is_empty());
        let output = self.stdout.is_some() && ready.next().unwrap_or(false);
        if ready.next().unwrap_or(false) {
            self.take_complaints()?;
        }
        Ok(output)
    }

    /// Takes complaints that are there, so that who writes them need not wait.
    fn take_complaints(&mut self) -> io::Result<()> {
        let Some(stderr) = &mut self.stderr else { return Ok(()) };
        let mut piece = [0; 8192];
        let length = stderr.read(&mut piece)?;
        let room = COMPLAINTS.saturating_sub(self.said.len());
        self.said.extend_from_slice(&piece[..length.min(room)]);
        if length == 0 {
            self.stderr = None;
        }
        Ok(())
    }

    /// Waits for complaints only.
    fn hear(&mut self, time: Duration) -> io::Result<()> {
        self.stdout = None;
        self.is_late = Instant::now() >= self.deadline;
        if self.stderr.is_none() {
            thread::sleep(time);
            return Ok(());
        }
        loop {
            let before = (self.said.len(), self.stderr.is_some());
            self.wait(time)?;
            // What has been written by now is taken, not what is written forever.
            let is_more = before != (self.said.len(), self.stderr.is_some());
            if !time.is_zero() || !is_more {
                return Ok(());
            }
        }
    }
}

impl Read for Output {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let time = self.deadline.saturating_duration_since(Instant::now());
            if time.is_zero() {
                self.is_late = true;
                return Err(io::ErrorKind::TimedOut.into());
            }
            if !self.wait(time)? {
                continue;
            }
            let Some(stdout) = &mut self.stdout else { return Ok(0) };
            let read = stdout.read(buffer)?;
            self.is_cut = read as u64 > self.left;
            self.left = self.left.saturating_sub(read as u64);
            if self.is_cut {
                // No end of input: what is cut in the middle is not taken for whole.
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            return Ok(read);
        }
    }
}

fn groups() -> MutexGuard<'static, Vec<Pid>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An interrupt is how this program is meant to end.
static ENDS_AT_INTERRUPT: AtomicBool = AtomicBool::new(false);

/// From now on SIGINT ends this program with status 0, unless it is ignored.
pub(crate) fn end_well_at_interrupt() {
    ENDS_AT_INTERRUPT.store(true, Ordering::Relaxed);
    end_groups_on_signals();
}

/// The program that this is a part of handles signals itself.
static LEAVES_SIGNALS: AtomicBool = AtomicBool::new(false);

/// Leaves signals to the program that this library is a part of; to be called before anything else.
/// A tool of HTCondor that runs when a signal ends the program then goes on until its time is up.
pub fn leave_signals() {
    LEAVES_SIGNALS.store(true, Ordering::Relaxed);
}

/// From now on a signal that ends this program first ends what it has started. What is ignored
/// stays ignored (`nohup`).
fn end_groups_on_signals() {
    if LEAVES_SIGNALS.load(Ordering::Relaxed) {
        return;
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let ignored = ignored_signals();
        let signals = [SIGINT, SIGTERM, SIGHUP].into_iter();
        let signals = signals.filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let Ok(mut signals) = Signals::new(signals) else { return };
        thread::spawn(move || {
            for signal in signals.forever() {
                // Nothing is started any more while this is held.
                let groups = groups();
                for group in groups.iter() {
                    let _ = kill_process_group(*group, Signal::KILL);
                }
                if signal == SIGINT && ENDS_AT_INTERRUPT.load(Ordering::Relaxed) {
                    std::process::exit(0);
                }
                let _ = emulate_default_handler(signal);
            }
        });
    });
}

/// The signals that are ignored, a bit each; none where the system does not say.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// The complaints on one line, without the frame of dashes some tools put around them.
pub(super) fn complaint(said: &str) -> String {
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let text = crate::text::printable(&lines.join(" ")).into_owned();
    let text = text.trim_start_matches(['-', ' ']).trim_start_matches("Error:").trim();
    if text.is_empty() {
        "it ended with a failure and said nothing".to_owned()
    } else {
        crate::text::shorten(text, 400).into_owned()
    }
}

/// Runs a tool whose output is short and returns it.
///
/// # Errors
/// As [`stream_tool`].
pub(crate) fn run_tool(
    tool: &'static str,
    arguments: &[&str],
    limit: Duration,
) -> Result<String, QueueError> {
    stream_tool(tool, arguments, limit, SHORT_ANSWER, |output| {
        let mut bytes = Vec::new();
        output
            .read_to_end(&mut bytes)
            .map_err(|source| QueueError::Read { path: tool.into(), source })?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(20);

    fn is_timed_out(error: &QueueError) -> bool {
        matches!(error, QueueError::TimedOut { .. })
    }

    #[test]
    fn output_and_complaints() {
        assert_eq!(run_tool("sh", &["-c", "echo 1; echo 2 >&2"], LIMIT).unwrap(), "1\n");
        let failed = run_tool("sh", &["-c", "echo '-- Error: no schedd' >&2; exit 1"], LIMIT);
        assert_eq!(failed.unwrap_err().to_string(), "sh failed: no schedd");
        let silent = run_tool("sh", &["-c", "exit 3"], LIMIT).unwrap_err();
        assert!(silent.to_string().contains("said nothing"));
    }

    #[test]
    fn absent_tools_are_told_from_failing_ones() {
        let absent = run_tool("condor_no_such_tool", &[], LIMIT).unwrap_err();
        assert!(matches!(absent, QueueError::Start { .. }));
        assert!(absent.to_string().contains("is HTCondor installed"));
    }

    #[test]
    fn time_is_limited() {
        let error = run_tool("sleep", &["600"], Duration::from_millis(50)).unwrap_err();
        assert!(is_timed_out(&error));
        let quiet = ["-c", "exec >&-; exec sleep 600"];
        let error = run_tool("sh", &quiet, Duration::from_millis(50)).unwrap_err();
        assert!(is_timed_out(&error));
    }

    #[test]
    fn more_output_than_a_pipe_holds() {
        let text = run_tool(
            "sh",
            &["-c", "head -c 300000 /dev/zero | tr '\\0' x; head -c 300000 /dev/zero >&2"],
            LIMIT,
        );
        assert_eq!(text.unwrap().len(), 300_000);
    }

    #[test]
    fn what_outlives_a_tool_does_not_hold_up_the_answer() {
        // One that leaves the group and keeps both pipes.
        let script = ["-c", "setsid sleep 600 & echo 1; exit 0"];
        let error = run_tool("sh", &script, Duration::from_millis(300)).unwrap_err();
        assert!(is_timed_out(&error), "{error}");
        // The pipe of complaints alone is nothing to wait for.
        let script = ["-c", "sleep 600 >&- & echo $!; echo late >&2; exit 0"];
        let sleeper = run_tool("sh", &script, LIMIT).unwrap();
        let sleeper = Pid::from_raw(sleeper.trim().parse().unwrap()).unwrap();
        rustix::process::kill_process(sleeper, Signal::KILL).unwrap();
    }

    #[test]
    fn an_answer_has_an_end() {
        let mut read = 0;
        let error = stream_tool("yes", &[], LIMIT, 1 << 20, |output| {
            let mut buffer = [0; 4096];
            loop {
                let length = output.read(&mut buffer);
                read += length.map_err(|source| QueueError::Read { path: "yes".into(), source })?;
            }
            #[allow(unreachable_code)]
            Ok(())
        })
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "yes wrote more than 1 MiB; what came behind that was not read"
        );
        assert!(read <= 1 << 20, "{read}");
    }
}
