//! `condor_holdadvise_mcp`: a server for assistants, in the Model Context Protocol on standard
//! input and output.
//!
//! Its tools are `condor_holdadvise` and `condor_releaseexpr`, in the same folder. They only read:
//! what can be passed is a list of names and files, and no option that acts is among them.
//!
//! - `arguments`: what the tools may be given.
//! - `call`: runs them.
//! - `tools`: what assistants read of them.

mod arguments;
mod call;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Mutex;
use tokio::time::timeout;

use call::{answer, failed};
use tools::{OF_OTHERS, TOOLS, Tool};

/// Bytes of a message that is read.
const LONGEST: usize = 1 << 20;

/// How long a call is waited for: clients wait for 60 s (`DEFAULT_REQUEST_TIMEOUT_MSEC` of the
/// protocol's TypeScript SDK).
const LONGEST_CALL: Duration = Duration::from_secs(50);

/// What an assistant reads of the server as a whole.
const INSTRUCTIONS: &str = "Advice about jobs that HTCondor put on hold: whether to release, \
     change or remove them, or to wait, from their job ads and job event logs on this access \
     point. Every tool only reads. Commands in the answers are for the person to run. ";

const USAGE: &str = "\
Usage: condor_holdadvise_mcp [-help | -version]

Serves an assistant in the Model Context Protocol, on standard input and output.
";

struct Server {
    /// Where the programs lie.
    folder: PathBuf,
    limit: Duration,
    /// Calls are answered one at a time: each takes all processors.
    turn: Mutex<()>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let server = Implementation::new("condor_holdadvise", env!("CARGO_PKG_VERSION"))
            .with_title("Advice about held HTCondor jobs");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server)
            .with_instructions(format!("{INSTRUCTIONS}{OF_OTHERS}"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(Tool::listed).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = TOOLS.iter().find(|tool| tool.name == request.name).ok_or_else(|| {
            ErrorData::invalid_params(format!("there is no tool {:?}", request.name), None)
        })?;
        let words = match (tool.words)(request.arguments.unwrap_or_default()) {
            Ok(words) => words,
            Err(why) => return Ok(failed(&why).into()),
        };
        let answer = tokio::select! {
            answer = self.answered(tool, &words) => answer,
            () = context.ct.cancelled() => failed("nobody waits for the answer any more"),
        };
        Ok(answer.into())
    }
}

impl Server {
    /// The answer of a tool, as long as is waited for that.
    async fn answered(&self, tool: &Tool, words: &[String]) -> CallToolResult {
        let answered = timeout(self.limit, async {
            let _turn = self.turn.lock().await;
            answer(tool, &self.folder, words).await
        });
        answered.await.unwrap_or_else(|_| {
            failed(&format!(
                "given up after {} s: name fewer jobs, smaller logs or a simpler expression",
                self.limit.as_secs()
            ))
        })
    }
}

fn main() -> ExitCode {
    let done = match std::env::args().nth(1).as_deref() {
        None => serve().map(|()| String::new()).map_err(|error| error.to_string()),
        Some("-help" | "-h" | "--help") => Ok(USAGE.to_owned()),
        Some("-version") => Ok(format!("$HoldadviseVersion: {} $\n", env!("CARGO_PKG_VERSION"))),
        Some(word) => Err(format!("unrecognized argument {word:?}: an assistant asks by messages")),
    };
    match done {
        Ok(said) => {
            print!("{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Answers messages until standard input ends, or it is asked to end. Programs that run end too.
fn serve() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::current_exe()?.with_file_name("");
    let server = Server { folder, limit: LONGEST_CALL, turn: Mutex::default() };
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let (input, output) = stdio_pipes();
        let messages = AsyncRwTransport::new_server(input, output).with_max_line_length(LONGEST);
        let mut terminate = signal(SignalKind::terminate())?;
        let served = async {
            match server.serve(messages).await {
                Ok(running) => running.waiting().await.map(drop).map_err(Into::into),
                Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
                Err(error) => Err(error.into()),
            }
        };
        tokio::select! {
            served = served => served,
            _ = terminate.recv() => Ok(()),
        }
    });
    // A read of standard input cannot be given up.
    runtime.shutdown_background();
    served
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_that_does_not_end_is_given_up() {
        let lint = TOOLS.iter().find(|tool| tool.name == "lint").unwrap();
        let tool = Tool { text: None, data: "tail -f /dev/null", ..*lint };
        let folder = PathBuf::from("/usr/bin");
        let server = Server { folder, limit: Duration::ZERO, turn: Mutex::default() };
        let answer = server.answered(&tool, &[]).await;
        let said = &answer.content[0].as_text().unwrap().text;
        assert!(said.starts_with("Error: given up after 0 s"), "{said}");
        assert!(server.turn.try_lock().is_ok(), "the next call has its turn");
    }
}
