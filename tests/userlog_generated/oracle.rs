//! What HTCondor's own reader makes of logs.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Map, Value};

/// Where civil times are compared.
pub(crate) const ZONE: &str = "America/New_York";

/// Prints, for every log, a list of `[attributes, text]` or `[null, error]` for each of its events.
const HTCONDOR: &str = r#"
import classad2, htcondor2, json, sys
def plain(value):
    if isinstance(value, classad2.Value):
        return "/Expr(%s)/" % value.name.lower()
    if hasattr(value, "items"):
        return {name: plain(value[name]) for name in value.keys()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value if isinstance(value, (str, int, float, bool)) else "/Expr(%s)/" % value
for path in sys.stdin.read().splitlines():
    events, log = [], htcondor2.JobEventLog(path).events(stop_after=0)
    while True:
        try:
            event = next(log)
            events.append([{name: plain(event[name]) for name in event.keys()}, str(event)])
        except StopIteration:
            break
        except Exception as exception:
            events.append([None, str(exception)])
    print(json.dumps(events))
"#;

/// Attributes and text of an event, or what HTCondor says is wrong with it.
pub(crate) type Theirs = Result<(Map<String, Value>, String), String>;

/// The Python that has `htcondor2`, or a line that says there is none.
pub(crate) fn python() -> Option<OsString> {
    let python = std::env::var_os("HOLDADVISE_PYTHON");
    if python.is_none() {
        println!("skipped: HOLDADVISE_PYTHON is not set");
    }
    python
}

/// Reads the logs; HTCondor waits a second at each event that it cannot read, so that each is a process.
pub(crate) fn read(python: &OsString, logs: &[Vec<u8>]) -> Vec<Vec<Theirs>> {
    let folder = tempfile::tempdir().unwrap();
    let start = |(index, log): (usize, &Vec<u8>)| {
        let path: PathBuf = folder.path().join(format!("{index}.log"));
        std::fs::write(&path, log).unwrap();
        let list = folder.path().join(format!("{index}.list"));
        std::fs::write(&list, path.display().to_string()).unwrap();
        Command::new(python)
            .args(["-c", HTCONDOR])
            .env("TZ", ZONE)
            .stdin(std::fs::File::open(list).unwrap())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let running: Vec<_> = logs.iter().enumerate().map(start).collect();
    let read = running.into_iter().map(|process| {
        let output = process.wait_with_output().unwrap();
        let events: Vec<(Option<Map<String, Value>>, String)> =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
                panic!("{error}: {}", String::from_utf8_lossy(&output.stdout))
            });
        events
            .into_iter()
            .map(|(attributes, text)| attributes.map(|ad| (ad, text.clone())).ok_or(text))
            .collect()
    });
    read.collect()
}
