//! A call: the program is run, and what it prints is the answer.

use std::io;
use std::path::Path;
use std::process::Stdio;

use rmcp::model::{CallToolResult, ContentBlock};
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::try_join;

use crate::tools::Tool;

/// Bytes of an answer that are given.
const LONGEST_ANSWER: u64 = 4 << 20;

/// What the tools begin a line on standard error with.
const SAID: [&str; 3] = ["Error: ", "Warning: ", "Note: "];

/// What a program printed.
#[derive(Default)]
struct Printed {
    out: String,
    /// More was printed.
    is_cut: bool,
    /// Lines on standard error.
    said: Vec<String>,
    has_failed: bool,
}

/// A program that is asked to end where nobody waits for it any more: it ends what it began.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let pid = self.0.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        pid.map(|pid| kill_process(pid, Signal::TERM));
    }
}

/// The answer of a tool whose programs lie in this folder.
pub(crate) async fn answer(tool: &Tool, folder: &Path, words: &[String]) -> CallToolResult {
    let run = |form| printed(folder, form, words);
    let ended = match tool.text {
        Some(text) => try_join!(run(text), run(tool.data)),
        None => run(tool.data).await.map(|data| (Printed::default(), data)),
    };
    let (text, data) = match ended {
        Ok(ended) => ended,
        Err(error) => return failed(&format!("cannot begin {}: {error}", tool.data)),
    };
    let structured = tool.structured(&data.out).filter(|_| !data.is_cut && !data.has_failed);
    let is_error = text.has_failed || structured.is_none();
    let mut said = text.said;
    if is_error || tool.text.is_none() {
        let known = said.clone();
        said.extend(data.said.into_iter().filter(|line| !known.contains(line)));
    }
    if is_error && said.is_empty() {
        said.push("Error: the tool failed; please report it".to_owned());
    }
    if text.is_cut || data.is_cut {
        said.push("Error: the answer is too long: name fewer jobs".to_owned());
    }
    let said: String = said.into_iter().map(|line| unquoted(line) + "\n").collect();
    // A part of a table is of use, a part of an object is not. What is said stands beside data.
    let mut texts = match tool.text {
        Some(_) => vec![text.out + &said],
        None if is_error => vec![said],
        None => vec![data.out, said],
    };
    texts.retain(|text| !text.is_empty());
    let mut answer = CallToolResult::success(texts.into_iter().map(ContentBlock::text).collect());
    answer.is_error = Some(is_error);
    answer.structured_content = structured.filter(|_| !is_error);
    answer
}

/// The answer where nothing could be done.
pub(crate) fn failed(why: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!("Error: {why}\n"))])
}

/// Runs a program in this form.
async fn printed(folder: &Path, form: &str, words: &[String]) -> io::Result<Printed> {
    let (program, options) = form.split_once(' ').unwrap_or((form, ""));
    let mut command = Command::new(folder.join(program));
    command.args(words).args(options.split(' ')).env("LC_ALL", "C.UTF-8").env("NO_COLOR", "1");
    command.env_remove("CLICOLOR_FORCE");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running(command.spawn()?);
    let (out, err) = (running.0.stdout.take(), running.0.stderr.take());
    let ((out, is_cut), (err, _)) = try_join!(read(out), read(err))?;
    let status = running.0.wait().await?;
    let is_said = |line: &&str| SAID.iter().any(|begin| line.starts_with(begin));
    Ok(Printed {
        is_cut,
        said: err.lines().filter(is_said).map(str::to_owned).collect(),
        // Of `-lint` 1 says that there are warnings.
        has_failed: !status.success()
            && (status.code() != Some(1) || !form.contains("releaseexpr")),
        out,
    })
}

/// What stands on a pipe, and whether more was left there.
async fn read(pipe: Option<impl AsyncRead + Unpin>) -> io::Result<(String, bool)> {
    let (mut bytes, Some(pipe)) = (Vec::new(), pipe) else { return Ok(Default::default()) };
    pipe.take(LONGEST_ANSWER + 1).read_to_end(&mut bytes).await?;
    let is_cut = bytes.len() as u64 > LONGEST_ANSWER;
    Ok((String::from_utf8_lossy(&bytes).into_owned(), is_cut))
}

/// A line about a file that is not what it was taken for, without what stands in it: an assistant
/// may have been led to name any file.
fn unquoted(line: String) -> String {
    match line.find("found '") {
        Some(at) => format!("{}found something else", &line[..at]),
        None => line,
    }
}
