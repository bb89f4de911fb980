//! `-mcp`: an assistant asks by messages.

use std::path::Path;

use serde_json::Value;

use crate::harness::Place;

/// What the client of the protocol's own Python package (`mcp` 2.3.0) wrote, asked for the tools one
/// after the other: `tests/data/mcp/client.jsonl`.
fn client() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mcp/client.jsonl");
    std::fs::read_to_string(path).unwrap()
}

/// A log of the job that is asked about.
const ALICE: &str = "userlog/alice-memory-access-point.log";

/// The recorded pool, as files of the folder that the server runs in.
fn pool() -> Place {
    let place = Place::new();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pool-23.9");
    for name in
        ["held.long", "EventLog", "EventLog.1", "EventLog.2", "EventLog.3", "epoch_history", ALICE]
    {
        place.file(name, std::fs::read(recorded.join(name)).unwrap());
    }
    place
}

#[test]
fn a_recorded_client_is_answered() {
    let said = pool().run(&["-mcp"], &client());
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
    let answers: Vec<Value> =
        said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // One for each message but the notification, in their order.
    let ids: Vec<i64> = answers.iter().filter_map(|answer| answer["id"].as_i64()).collect();
    let asked = client();
    let asked = asked.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let asked: Vec<i64> = asked.filter_map(|message| message["id"].as_i64()).collect();
    assert_eq!(ids, asked);
    let mut shown = String::new();
    for answer in &answers {
        let result = &answer["result"];
        match result["content"][0]["text"].as_str() {
            // Its data is the text: what `-json` prints has tests of its own.
            Some(text) if !result["structuredContent"].is_null() => {
                let jobs: Value = serde_json::from_str(text).unwrap();
                assert_eq!(result["structuredContent"]["Jobs"], jobs);
                assert_eq!(jobs[0]["ClusterId"], 21);
            }
            Some(text) => shown.push_str(&format!("--- isError {}\n{text}\n", result["isError"])),
            None => {
                let text = serde_json::to_string_pretty(answer).unwrap();
                shown.push_str(&format!("--- {text}\n"));
            }
        }
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn the_advice_is_what_the_tool_prints() {
    let place = pool();
    let message = serde_json::json!({
        "jsonrpc": "2.0", "id": "a", "method": "tools/call",
        "params": { "name": "advice", "arguments": { "job_ads": "held.long", "event_logs": ["EventLog"], "now": 1795278400 } },
    });
    let served = place.run(&["-mcp"], &format!("{message}\n"));
    let answer: Value = serde_json::from_str(&served.stdout).unwrap();
    let printed = place.advise("-wide -jobads held.long -eventlog EventLog -now 1795278400");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(text, format!("{}{}", printed.stdout, printed.stderr));
    assert_eq!(answer["id"], "a");
}

#[test]
fn it_takes_no_other_option() {
    Place::new()
        .run(&["-mcp", "-json"], "")
        .is_error(&["-mcp excludes -json: it serves an assistant"]);
    Place::new()
        .run(&["-mcp", "1.0"], "")
        .is_error(&["-mcp excludes 1.0: ", "which asks by messages"]);
}
