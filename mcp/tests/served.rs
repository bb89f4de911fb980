//! What is asked and answered.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rmcp::model::{ClientRequest, ErrorCode, Request};
use rmcp::service::PeerRequestOptions;
use rmcp::{ClientLifecycleMode, ServiceError};
use serde_json::{Value, json};

use crate::place::{Place, SERVER, request, text};

/// A job of the recorded pool.
fn job() -> Value {
    json!({
        "jobs": ["21.0"], "job_ads": "held.long", "event_logs": ["EventLog"], "now": 1_795_278_400
    })
}

const POLICY: &str =
    "HoldReasonCode == 13 && NumHolds < 3 && (time() - EnteredCurrentStatus) > 600";

#[tokio::test]
async fn each_tool_answers_in_words_and_in_data_that_are_as_its_schema_says() {
    let place = Place::pool();
    let legacy = place.client_of(Path::new(SERVER), ClientLifecycleMode::Initialize).await;
    for client in [place.client().await, legacy] {
        let tools = client.tools().await;
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["advice", "evidence", "explain", "lint", "replay"]);
        for tool in &tools {
            let said = tool.annotations.as_ref().expect("annotations");
            assert_eq!((said.read_only_hint, said.open_world_hint), (Some(true), Some(false)));
        }
        for (tool, given, words, list) in [
            ("advice", job(), "Raise RequestMemory to 512 MiB", "Incidents"),
            ("evidence", job(), "\"ClusterId\": 21", "Jobs"),
            (
                "explain",
                json!({ "jobs": ["21.0"], "job_ads": "held.long", "now": 1_795_278_400 }),
                "A policy may release it.",
                "Jobs",
            ),
            (
                "lint",
                json!({ "policy": "NumHolds < 3", "kind": "exit" }),
                "1 expression",
                "Findings",
            ),
            ("lint", json!({ "policy": "-1 < NumHolds" }), "1 expression", "Findings"),
            ("lint", json!({ "policy": "-rules" }), "1 expression", "Findings"),
            (
                "replay",
                json!({ "policy": POLICY, "event_logs": ["EventLog"] }),
                "39 holds",
                "Policies",
            ),
        ] {
            let answer = client.call(tool, &given).await;
            assert!(text(&answer).contains(words), "{tool}: {answer:?}");
            let data = answer.structured_content.as_ref().expect("data");
            assert_eq!(data["SchemaVersion"], 3, "{tool}");
            assert!(data[list].is_array(), "{tool}: {data}");
            if tool == "evidence" {
                assert_eq!(serde_json::from_str::<Value>(text(&answer)).unwrap(), data[list]);
            }
        }
    }
}

#[tokio::test]
async fn words_are_those_that_the_tools_print() {
    let place = Place::pool();
    let client = place.client().await;
    let answer = client.call("advice", &job()).await;
    let words = "-wide -jobads held.long -eventlog EventLog -now 1795278400 21.0";
    let words: Vec<&str> = words.split(' ').collect();
    assert_eq!(text(&answer), place.printed("condor_holdadvise", &words));
    let answer =
        client.call("replay", &json!({ "policy": POLICY, "event_logs": ["EventLog"] })).await;
    let words = ["-replay", POLICY, "-eventlog", "EventLog", "-wide"];
    assert_eq!(text(&answer), place.printed("condor_releaseexpr", &words));
}

#[tokio::test]
async fn what_cannot_be_done_is_said_as_the_answer_of_a_tool() {
    let place = Place::new();
    place.file("pool_password", "hunter2hunter2\n");
    let client = place.client().await;
    for (tool, given, said) in [
        ("advice", json!({ "jobs": ["-apply"] }), "jobs: \"-apply\" cannot be used"),
        ("evidence", json!({ "apply": true }), "apply: unknown argument `apply`, expected one of"),
        (
            "advice",
            json!({ "now": "5" }),
            "now: invalid type: string \"5\", expected whole seconds since 1970",
        ),
        (
            "explain",
            json!({ "jobs": "1.0" }),
            "jobs: invalid type: string \"1.0\", expected a list",
        ),
        ("lint", json!({}), "arguments: missing argument `policy`"),
        ("replay", json!({ "policy": "/dev/zero" }), "\"/dev/zero\" is no regular file"),
        ("advice", json!({ "job_ads": "none.long" }), "cannot read none.long: No such file"),
        ("evidence", json!({ "job_ads": "none.long" }), "cannot read none.long: No such file"),
        ("replay", json!({ "policy": "(", "event_logs": ["none"] }), "is not an expression"),
        // What an assistant was led to name is not read to it.
        ("advice", json!({ "job_ads": "pool_password" }), ""),
        ("explain", json!({ "job_ads": "pool_password" }), ""),
        ("evidence", json!({ "job_ads": "pool_password", "epochs": ["pool_password"] }), ""),
        ("replay", json!({ "policy": "true", "user_logs": ["pool_password"] }), ""),
    ] {
        let answer = client.call(tool, &given).await;
        assert_eq!(answer.is_error, Some(true), "{tool} {given}: {answer:?}");
        assert!(text(&answer).starts_with("Error: ") && text(&answer).contains(said), "{answer:?}");
        assert!(!format!("{answer:?}").contains("hunter2"), "{answer:?}");
    }
    let Err(ServiceError::McpError(error)) = client.0.call_tool(request("apply", &json!({}))).await
    else {
        panic!("there is no such tool");
    };
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
}

#[test]
fn messages_that_are_none_do_not_keep_the_next_from_its_answer() {
    let long = "x".repeat(2 << 20);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let strange = format!("{{\n{long}\n[]\n3\n{{\"id\":2}}\n\n{{\"method\":\"x\"}}\n{ping}\n");
    let (said, status) = Place::new().served(&[], strange.as_bytes());
    let last: Value = serde_json::from_str(said.lines().last().expect("an answer")).unwrap();
    assert_eq!((&last["id"], status), (&json!(1), Some(0)), "{said}");
    for line in said.lines() {
        assert!(serde_json::from_str::<Value>(line).is_ok(), "{said}");
    }
}

#[test]
fn it_takes_no_word_but_help_and_version() {
    let place = Place::new();
    let (help, status) = place.served(&["-help"], b"");
    assert!(help.starts_with("Usage: condor_holdadvise_mcp") && status == Some(0), "{help}");
    let (version, _) = place.served(&["-version"], b"");
    assert_eq!(version, format!("$HoldadviseVersion: {} $\n", env!("CARGO_PKG_VERSION")));
    let (error, status) = place.served(&["-json"], b"");
    assert!(error.starts_with("Error: unrecognized argument \"-json\""), "{error}");
    assert_eq!(status, Some(1));
}

/// A place with a server beside programs that never end; the folder `begun` has their processes.
fn endless() -> Place {
    let place = Place::new();
    fs::copy(SERVER, place.path("server")).expect("a copy");
    place.script("condor_releaseexpr", "mkdir -p begun && : > begun/$$ && exec sleep 1000");
    place
}

/// The programs that were begun, and those of them that still run.
fn programs(place: &Place) -> (usize, usize) {
    let begun = fs::read_dir(place.path("begun")).into_iter().flatten().flatten();
    let begun: Vec<_> = begun.map(|entry| entry.file_name()).collect();
    let runs = |name: &&std::ffi::OsString| {
        let line = fs::read_to_string(Path::new("/proc").join(name).join("cmdline"));
        line.is_ok_and(|line| line.starts_with("sleep"))
    };
    (begun.len(), begun.iter().filter(runs).count())
}

async fn until(is_so: impl Fn() -> bool) {
    for _ in 0..600 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("it takes a minute");
}

#[tokio::test]
async fn a_program_that_nobody_waits_for_is_ended_and_the_next_call_is_answered() {
    let place = endless();
    let client = place.client_of(&place.path("server"), ClientLifecycleMode::Initialize).await;
    let call = || {
        ClientRequest::CallToolRequest(Request::new(request("lint", &json!({ "policy": "true" }))))
    };
    let options = PeerRequestOptions::no_options();
    let handle = client.0.send_cancellable_request(call(), options).await.expect("it is sent");
    until(|| programs(&place) == (2, 2)).await;
    handle.cancel(None).await.expect("it is sent");
    until(|| programs(&place) == (2, 0)).await;
    place.script("condor_releaseexpr", "echo '[]'");
    let answer = client.call("lint", &json!({ "policy": "true" })).await;
    assert_eq!(answer.structured_content, Some(json!({ "SchemaVersion": 3, "Findings": [] })));
    // Where the client leaves, too.
    let place = endless();
    let client = place.client_of(&place.path("server"), ClientLifecycleMode::Initialize).await;
    let options = PeerRequestOptions::no_options();
    let _handle = client.0.send_cancellable_request(call(), options).await.expect("it is sent");
    until(|| programs(&place) == (2, 2)).await;
    client.0.cancel().await.expect("it leaves");
    until(|| programs(&place) == (2, 0)).await;
}

#[tokio::test]
async fn what_is_too_long_or_fails_unforeseen_is_no_data() {
    let place = Place::new();
    fs::copy(SERVER, place.path("server")).expect("a copy");
    let client = place.client_of(&place.path("server"), ClientLifecycleMode::Initialize).await;
    let given = json!({ "policy": "true" });
    let answer = client.call("lint", &given).await;
    assert!(
        text(&answer).starts_with("Error: cannot begin condor_releaseexpr -json: "),
        "{answer:?}"
    );
    place.script("condor_releaseexpr", "head -c 5000000 /dev/zero | tr '\\0' x");
    let answer = client.call("lint", &given).await;
    assert!(text(&answer).ends_with("Error: the answer is too long: name fewer jobs\n"));
    assert!(text(&answer).len() < (4 << 20) + 100);
    place.script("condor_releaseexpr", "echo 'thread panicked: rm -rf' >&2; exit 101");
    let answer = client.call("lint", &given).await;
    assert_eq!(text(&answer), "Error: the tool failed; please report it\n");
    place.script("condor_releaseexpr", "echo '[]'; echo 'Warning: x' >&2; exit 1");
    let answer = client.call("lint", &given).await;
    assert_eq!((text(&answer), answer.is_error), ("[]\nWarning: x\n", Some(false)));
}
