//! What an assistant says.

use std::io::BufReader;

use holdadvise::cli::serve_assistant;
use serde_json::Value;

/// Messages, one a line: each answer is JSON on a line, and no tool fails unforeseen. Jobs are not
/// asked for: there is no schedd to ask.
pub fn mcp(bytes: &[u8]) {
    let mut out = Vec::new();
    serve_assistant(&mut BufReader::new(bytes), &mut out).expect("memory takes it");
    let out = String::from_utf8(out).expect("text");
    assert!(out.lines().count() <= bytes.split(|byte| *byte == b'\n').count());
    for line in out.lines() {
        let answer: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(answer["jsonrpc"], "2.0", "{line}");
        assert!(!line.contains("the tool failed; please report it"), "{line}");
    }
}
