//! A fresh folder, the server run in it, and a client.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion, Tool};
use rmcp::service::RunningService;
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The moment the tests judge at: half an hour after the hold.
pub(crate) const NOW: i64 = 1_772_361_000;

pub(crate) const SERVER: &str = env!("CARGO_BIN_EXE_condor_holdadvise_mcp");

/// A program beside the server, of another package: it is there where all of them were built.
fn program(name: &str) -> PathBuf {
    let path = Path::new(SERVER).with_file_name(name);
    assert!(path.exists(), "{}: run: cargo build --bins", path.display());
    path
}

/// A folder of its own: the home of the user, and the place of all files.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(name).parent().unwrap()).expect("folders");
        fs::write(self.path(name), text).expect("a file");
    }

    /// Writes a shell script.
    pub(crate) fn script(&self, name: &str, text: &str) {
        self.file(name, format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).expect("rights");
    }

    /// The recorded pool, as files.
    pub(crate) fn pool() -> Self {
        let place = Self::new();
        let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/pool-23.9");
        for name in ["held.long", "EventLog", "EventLog.1", "EventLog.2", "EventLog.3"] {
            place.file(name, fs::read(recorded.join(name)).expect("a recorded file"));
        }
        place
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.0.path())
            .env_clear()
            .env("HOME", self.0.path())
            .env("PATH", "/usr/bin:/bin")
            .env("TZ", "UTC")
            .env("LC_ALL", "C.UTF-8");
        command
    }

    /// What a tool prints, and what it says.
    pub(crate) fn printed(&self, tool: &str, words: &[&str]) -> String {
        let output = self.command(&program(tool)).args(words).output().expect("the tool runs");
        String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8")
    }

    /// What the server says to these bytes.
    pub(crate) fn served(&self, words: &[&str], bytes: &[u8]) -> (String, Option<i32>) {
        self.file("messages", bytes);
        let messages = fs::File::open(self.path("messages")).expect("messages");
        let mut command = self.command(Path::new(SERVER));
        let output = command.args(words).stdin(messages).output().expect("the server runs");
        let text = [output.stdout, output.stderr].concat();
        (String::from_utf8(text).expect("UTF-8"), output.status.code())
    }

    /// A client of a server, in the newest revision of the protocol.
    pub(crate) async fn client(&self) -> Client {
        let newest = vec![ProtocolVersion::LATEST];
        self.client_of(
            Path::new(SERVER),
            ClientLifecycleMode::Discover { preferred_versions: newest },
        )
        .await
    }

    pub(crate) async fn client_of(&self, server: &Path, mode: ClientLifecycleMode) -> Client {
        program("condor_holdadvise");
        let mut command = self.command(server);
        command.stderr(Stdio::inherit());
        let server = TokioChildProcess::new(tokio::process::Command::from(command));
        let server = server.expect("the server begins");
        Client(().serve_with_lifecycle(server, mode).await.expect("the server answers"))
    }
}

/// What an assistant has.
pub(crate) struct Client(pub(crate) RunningService<RoleClient, ()>);

impl Client {
    pub(crate) async fn tools(&self) -> Vec<Tool> {
        self.0.list_all_tools().await.expect("tools")
    }

    /// The answer of a tool; data are as the tool says that they are.
    pub(crate) async fn call(&self, tool: &str, arguments: &Value) -> CallToolResult {
        let answer = self.0.call_tool(request(tool, arguments)).await.expect("an answer");
        let tools = self.tools().await;
        let listed = tools.iter().find(|one| one.name == tool).expect("the tool");
        let schema = Value::Object((**listed.output_schema.as_ref().expect("a schema")).clone());
        assert_eq!(answer.is_error, Some(answer.structured_content.is_none()), "{answer:?}");
        if let Some(data) = &answer.structured_content {
            let validator = jsonschema::validator_for(&schema).expect("a schema");
            let faults: Vec<_> = validator.iter_errors(data).map(|one| one.to_string()).collect();
            assert!(faults.is_empty(), "{tool}: {faults:?}\n{data:#}");
        }
        answer
    }
}

pub(crate) fn request(tool: &str, arguments: &Value) -> CallToolRequestParams {
    let arguments = arguments.as_object().expect("an object").clone();
    CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)
}

/// The first text of an answer.
pub(crate) fn text(answer: &CallToolResult) -> &str {
    &answer.content[0].as_text().expect("a text").text
}

/// What is given for jobs of a file.
pub(crate) fn of_file(ads: &str) -> Value {
    json!({ "job_ads": ads, "now": NOW })
}
