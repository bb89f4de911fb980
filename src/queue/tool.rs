//! Runs a tool of HTCondor for a limited time.

use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::QueueError;

/// As much of a tool's complaints as is kept, in bytes.
const COMPLAINTS: u64 = 16 * 1024;

/// How often an ending tool is looked at.
const POLL: Duration = Duration::from_millis(5);

/// Runs a tool and gives its standard output to `read` while it runs.
///
/// # Errors
/// [`QueueError::Start`], [`QueueError::TimedOut`], [`QueueError::Failed`] with the first line of its
/// complaints, or what `read` gives.
pub(super) fn stream_tool<T>(
    tool: &'static str,
    arguments: &[&str],
    limit: Duration,
    read: impl FnOnce(&mut dyn Read) -> Result<T, QueueError>,
) -> Result<T, QueueError> {
    let started = Instant::now();
    let deadline = started + limit;
    let start = |source| QueueError::Start { tool, source };
    let mut child = Command::new(tool)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(start)?;
    let stdout = child.stdout.take();
    let stderr = child.stderr.take();
    let complaints = thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut stderr) = stderr {
            let _ = (&mut stderr).take(COMPLAINTS).read_to_end(&mut text);
            let _ = io::copy(&mut stderr, &mut io::sink());
        }
        String::from_utf8_lossy(&text).into_owned()
    });
    let child = Arc::new(Mutex::new(child));
    let (done, watch) = mpsc::channel::<()>();
    let watched = Arc::clone(&child);
    let watchdog = thread::spawn(move || {
        let late = matches!(watch.recv_timeout(limit), Err(mpsc::RecvTimeoutError::Timeout));
        if late {
            let _ = lock(&watched).kill();
        }
        late
    });
    let result = match stdout {
        Some(mut stdout) => read(&mut stdout),
        None => read(&mut io::empty()),
    };
    // Whoever stops reading early does not want the rest.
    let status = end(&child, deadline, result.is_err());
    drop(done);
    let late = watchdog.join().unwrap_or(false);
    let status = status.map_err(start)?;
    if late || status.is_none() {
        return Err(QueueError::TimedOut { tool, after: limit });
    }
    let success = status.is_some_and(|status| status.success());
    let said = complaints.join().unwrap_or_default();
    log::info!(
        "{}: {} ms",
        crate::text::shell_command(std::iter::once(tool).chain(arguments.iter().copied())),
        started.elapsed().as_millis()
    );
    let result = result?;
    // Some versions of condor_q end well although no schedd answered.
    if success && !said.contains("Failed to fetch ads") {
        Ok(result)
    } else {
        Err(QueueError::Failed { tool, said: complaint(&said) })
    }
}

/// Waits until the tool has ended or the time is up; `None` when it had to be ended.
fn end(
    child: &Mutex<Child>,
    deadline: Instant,
    now: bool,
) -> io::Result<Option<std::process::ExitStatus>> {
    if now {
        let _ = lock(child).kill();
    }
    loop {
        if let Some(status) = lock(child).try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            let mut child = lock(child);
            let _ = child.kill();
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(POLL);
    }
}

fn lock(child: &Mutex<Child>) -> MutexGuard<'_, Child> {
    child.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The complaints on one line, without the frame of dashes some tools put around them.
fn complaint(said: &str) -> String {
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let text = crate::text::strip_control(&lines.join(" ")).into_owned();
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
    stream_tool(tool, arguments, limit, |output| {
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
        assert!(absent.is_not_installed());
        assert!(absent.to_string().contains("is HTCondor installed"));
    }

    #[test]
    fn time_is_limited() {
        let error = run_tool("sleep", &["600"], Duration::from_millis(50)).unwrap_err();
        assert!(error.is_timed_out());
        let quiet = ["-c", "exec >&-; exec sleep 600"];
        assert!(run_tool("sh", &quiet, Duration::from_millis(50)).unwrap_err().is_timed_out());
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
}
