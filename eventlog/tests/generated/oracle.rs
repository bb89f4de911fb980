//! What HTCondor's own reader makes of logs.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use serde_json::{Map, Value};

/// Where civil times are compared.
pub(crate) const ZONE: &str = "America/New_York";

/// Prints, for every log, a list of `[attributes, text]` or `[null, error]` for each of its events.
const HTCONDOR: &str = concat!(
    include_str!("../htcondor/plain.py"),
    r#"
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
"#
);

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

/// Reads the logs.
pub(crate) fn read(python: &OsString, logs: &[Vec<u8>]) -> Vec<Vec<Theirs>> {
    start(python, logs)()
}

/// Reads the logs side by side, as HTCondor waits for a second at each event that it cannot read.
pub(crate) fn read_apart(python: &OsString, logs: &[Vec<u8>]) -> Vec<Vec<Theirs>> {
    let running: Vec<_> = logs.iter().map(|log| start(python, std::slice::from_ref(log))).collect();
    running.into_iter().flat_map(|read| read()).collect()
}

/// Starts to read the logs.
fn start(python: &OsString, logs: &[Vec<u8>]) -> impl FnOnce() -> Vec<Vec<Theirs>> {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = String::new();
    for (index, log) in logs.iter().enumerate() {
        let path = folder.path().join(format!("{index}.log"));
        std::fs::write(&path, log).unwrap();
        paths.push_str(&format!("{}\n", path.display()));
    }
    let list = folder.path().join("list");
    std::fs::write(&list, paths).unwrap();
    let process = Command::new(python)
        .args(["-c", HTCONDOR])
        .env("TZ", ZONE)
        .stdin(std::fs::File::open(list).unwrap())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    move || {
        let output = process.wait_with_output().unwrap();
        drop(folder);
        let lines = std::str::from_utf8(&output.stdout).unwrap().lines();
        let event = |(attributes, text): (Option<Map<String, Value>>, String)| match attributes {
            Some(ad) => Ok((ad, text)),
            None => Err(text),
        };
        let logs = lines.map(|line| {
            let events: Vec<_> = serde_json::from_str(line).unwrap();
            events.into_iter().map(event).collect()
        });
        logs.collect()
    }
}
