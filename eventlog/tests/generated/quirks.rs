//! The differences of `docs/developing/quirks.md`: what HTCondor makes of an event, and what is
//! read here.

use eventlog::*;
use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};

use crate::compare::compare;
use crate::event::{as_json, log, read_back, spelled, written};
use crate::oracle::{self, Theirs};
use crate::{bodies, count, draw, options, spellings, zone};

/// What HTCondor writes and does not read is read here, and comes back byte for byte.
#[test]
fn events_that_htcondor_cannot_read() {
    let mut draw = draw(7);
    let date = DateForm::iso(zone());
    let mut made = Vec::new();
    for _ in 0..count() / 40 {
        for number in bodies::UNREADABLE {
            made.push(written(&mut draw, number, &date));
        }
        for number in spellings::UNREADABLE {
            made.push(spelled(&mut draw, number, &date));
        }
    }
    read_back(log(&made), &made);
    let Some(python) = oracle::python() else { return };
    let logs: Vec<Vec<u8>> = made[..7].iter().map(|made| log(std::slice::from_ref(made))).collect();
    for (made, theirs) in made.iter().zip(oracle::read_apart(&python, &logs)) {
        assert_eq!(theirs, [Err("ULOG_RD_ERROR".to_owned())], "{}", made.text);
    }
}

/// A log, and some attributes as they are read here and by HTCondor; `null` stands for one that is
/// not there.
struct Quirk {
    log: Vec<u8>,
    ours: Vec<Value>,
    /// Empty: HTCondor reads no event.
    theirs: Vec<Value>,
}

fn quirk(log: impl Into<Vec<u8>>, ours: Vec<Value>, theirs: Vec<Value>) -> Quirk {
    Quirk { log: log.into(), ours, theirs }
}

fn header(number: u16) -> String {
    format!("{number:03} (001.000.000) 2024-07-02 03:04:05 ")
}

fn event(number: u16, text: &str) -> String {
    format!("{}{text}...\n", header(number))
}

const RELEASED: &str = "Job was released.\n\tr\n";

fn terminated(lines: &str) -> String {
    let usage = |label: &str| format!("\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  {label} Usage\n");
    let usages: String =
        ["Run Remote", "Run Local", "Total Remote", "Total Local"].map(usage).concat();
    event(
        5,
        &format!("Job terminated.\n\t(1) Normal termination (return value 0)\n{usages}{lines}"),
    )
}

fn quirks() -> Vec<Quirk> {
    let table = "\tPartitionable Resources :    Usage  Request Allocated \n";
    let evicted = "Job was evicted.\n\t(0) CPU times\n\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Remote Usage\n\t\tUsr 0 \
                   00:00:00, Sys 0 00:00:00  -  Run Local Usage\n\t0  -  Run Bytes Sent By Job\n\t0  -  Run Bytes \
                   Received By Job\n";
    let host = format!("<{}>", "x".repeat(1100));
    let long = "y".repeat(9000);
    let released = || json!({"Reason": "r"});
    vec![
        // Tables of resources.
        quirk(
            event(
                4,
                &format!(
                    "{evicted}{table}\t   Memory (MB)          :       81       64       128 \n"
                ),
            ),
            vec![json!({"MemoryUsage": 81, "RequestMemory": 64, "Memory": 128})],
            vec![json!({"MemoryUsage": null, "RequestMemory": null, "Memory": null})],
        ),
        quirk(
            r#"{"EventTypeNumber": 5, "EventTime": "2024-07-02T03:04:05", "TimeExecuteUsage": 12, "CpusUsage": 0.5, "RequestCpus": 1, "Cpus": 1}"#,
            vec![json!({"TimeExecuteUsage": 12, "CpusUsage": 0.5})],
            vec![json!({"TimeExecuteUsage": null, "CpusUsage": 0.5})],
        ),
        // Counts of bytes.
        quirk(
            terminated("\t16777217  -  Run Bytes Sent By Job\n"),
            vec![json!({"SentBytes": 16_777_217.0})],
            vec![json!({"SentBytes": 16_777_216.0})],
        ),
        // Lines that its reader takes apart in another way than its writer put them together.
        quirk(
            event(33, "Changing job attribute A from \"x y\" to \"z y\"\n"),
            vec![json!({"Attribute": "A", "Value": "\"z y\""})],
            vec![json!({"Attribute": "A", "Value": ""})],
        ),
        quirk(
            event(33, "Setting job attribute A to 5\n"),
            vec![json!({"Attribute": "A", "Value": "5"})],
            vec![json!({"Attribute": "", "Value": ""})],
        ),
        quirk(
            event(37, "Job Materialization Paused\n\tHoldCode 26\n"),
            vec![json!({"Reason": null, "HoldCode": 26})],
            vec![json!({"Reason": "HoldCode 26", "HoldCode": 0})],
        ),
        quirk(
            event(0, "Job submitted from host: h\n    DAG Node: A\n    [ user notes ]\n"),
            vec![json!({"LogNotes": "DAG Node: A", "UserNotes": "[ user notes ]"})],
            vec![json!({"LogNotes": "DAG Node: A", "UserNotes": null})],
        ),
        quirk(
            event(21, "Message from starter on slot1@ep:\n\tm\n"),
            vec![json!({"CriticalError": 0})],
            vec![json!({"CriticalError": null})],
        ),
        // Long lines.
        quirk(
            event(1, &format!("Job executing on host: {host}\n\tSlotName: s\n")),
            vec![json!({"ExecuteHost": host, "SlotName": "s"})],
            vec![
                json!({"ExecuteHost": host[..1023 - header(1).len() - "Job executing on host: ".len()], "SlotName": null}),
            ],
        ),
        quirk(
            event(38, &format!("Job Materialization Resumed\n\t{long}\n")),
            vec![json!({"Reason": long})],
            vec![json!({"Reason": null})],
        ),
        // Unknown events.
        quirk(
            event(99, "Head\nA = 1\n\tsome text\nmore\n"),
            vec![json!({"EventHead": "Head", "A": 1, "EventPayloadLines": "some text\nmore"})],
            vec![json!({"EventHead": "Head", "A": 1, "EventPayloadLines": null})],
        ),
        // A newline in a hold reason.
        quirk(
            event(12, "Job was held.\n\tone\n\ttwo\n\tCode 13 Subcode 2\n"),
            vec![json!({"HoldReason": "one|two", "HoldReasonCode": 13, "HoldReasonSubCode": 2})],
            vec![json!({"HoldReason": "one", "HoldReasonCode": 0, "HoldReasonSubCode": 0})],
        ),
        // An offset from UTC.
        quirk(
            format!("013 (001.000.000) 2024-07-02T03:04:05+02:00 {RELEASED}...\n"),
            vec![json!({"EventTime": "2024-07-01T21:04:05"})],
            vec![json!({"EventTime": "2024-07-02T03:04:05"})],
        ),
        // Damage.
        quirk(
            format!(
                "{}Job was held.\n\tx\n{}{}",
                header(12),
                event(13, RELEASED),
                event(13, RELEASED)
            ),
            vec![released()],
            vec![json!({"HoldReason": "x"}), released()],
        ),
        quirk(
            format!("{}{}...\n\n{}", "\0".repeat(9), event(13, RELEASED), event(13, RELEASED)),
            vec![released()],
            vec![],
        ),
        quirk(
            format!("{}...\n\n{}", event(13, RELEASED), event(13, RELEASED)),
            vec![released(), released()],
            vec![released()],
        ),
        // Text that is not UTF-8; to Python it is an error.
        quirk(
            [
                event(13, "Job was released.\n\tr").trim_end_matches("...\n").as_bytes(),
                b"\xe9\n...\n",
            ]
            .concat(),
            vec![json!({"Reason": "r\u{fffd}"})],
            vec![Value::Null],
        ),
    ]
}

/// The attributes that `expected` names.
fn named(ad: &Map<String, Value>, expected: &Value) -> Value {
    let names = expected.as_object().unwrap().keys();
    names.map(|name| (name.clone(), ad.get(name).cloned().unwrap_or(Value::Null))).collect()
}

#[test]
fn differences() {
    let quirks = quirks();
    for quirk in &quirks {
        let mut reader = LogReader::new(&quirk.log[..], &options());
        let mut ours = Vec::new();
        while let Some(event) = reader.next_event() {
            ours.extend(event.ok().map(|event| as_json(&event)));
        }
        let text = String::from_utf8_lossy(&quirk.log);
        assert_eq!(ours.len(), quirk.ours.len(), "{text}");
        for (ad, expected) in ours.iter().zip(&quirk.ours) {
            assert_eq!(&named(ad, expected), expected, "{text}");
        }
    }
    let Some(python) = oracle::python() else { return };
    let logs: Vec<Vec<u8>> = quirks.iter().map(|quirk| quirk.log.clone()).collect();
    for (quirk, theirs) in quirks.iter().zip(oracle::read(&python, &logs)) {
        let text = String::from_utf8_lossy(&quirk.log);
        assert_eq!(theirs.len(), quirk.theirs.len(), "{text}: {theirs:?}");
        for (event, expected) in theirs.iter().zip(&quirk.theirs) {
            match event {
                Ok((ad, _)) => assert_eq!(&named(ad, expected), expected, "{text}"),
                Err(error) => assert!(expected.is_null(), "{error}: {text}"),
            }
        }
    }
}

/// A header line in the text of a user is no event to HTCondor's reader either, and reads as it was
/// written.
#[test]
fn forged_reasons() {
    let logs: Vec<Vec<u8>> = [1, 5, 9, 12, 13]
        .iter()
        .map(|number| format!("x {number:03} (100.000.000) 2026-11-24 13:04:00 Job was released."))
        .flat_map(|text| {
            [
                event(12, &format!("Job was held.\n\t{text}\n\tCode 3 Subcode 0\n")),
                event(9, &format!("Job was aborted.\n\t{text}\n")),
                event(13, &format!("Job was released.\n\t{text}\n")),
                event(7, &format!("Shadow exception!\n\t{text}\n\t0  -  Run Bytes Sent By Job\n\t0  -  Run Bytes Received By Job\n")),
                event(8, &format!("{text}\n")),
                event(21, &format!("Error from starter on slot1@ep:\n\t{text}\n\tCode 12 Subcode 2\n")),
                event(28, &format!("Job ad information event triggered.\nNote = \"{text}\"\n")),
                event(0, &format!("Job submitted from host: h\n    {text}\n    {text}\n")),
            ]
        })
        .map(|forged| (forged + &event(13, RELEASED)).into_bytes())
        .collect();
    let ours: Vec<Vec<_>> = logs
        .iter()
        .map(|log| {
            Events::with_options(log, &options()).map(|event| as_json(&event.unwrap())).collect()
        })
        .collect();
    for (ours, log) in ours.iter().zip(&logs) {
        assert_eq!(ours.len(), 2, "{}", String::from_utf8_lossy(log));
        assert!(ours.iter().all(|ad| ad["Cluster"] == 1));
    }
    let Some(python) = oracle::python() else { return };
    for ((ours, theirs), log) in ours.into_iter().zip(oracle::read(&python, &logs)).zip(&logs) {
        assert_eq!(theirs.len(), 2, "{}", String::from_utf8_lossy(log));
        for (ours, theirs) in ours.into_iter().zip(theirs) {
            let number = ours["EventTypeNumber"].as_u64().unwrap() as u16;
            assert_eq!(compare(number, ours, theirs.unwrap().0, true), None);
        }
    }
}

/// Dates without a year: HTCondor takes the current one.
#[test]
fn years() {
    let log = format!("013 (001.000.000) 07/02 03:04:05 {RELEASED}...\n").into_bytes();
    let last_year = ReadOptions { year: YearHint::First(2023), ..options() };
    let event = LogReader::new(&log[..], &last_year).next_event().unwrap().unwrap().time;
    assert_eq!(event.seconds, 1_688_281_445);
    let Some(python) = oracle::python() else { return };
    let theirs: Vec<Theirs> = oracle::read(&python, &[log]).remove(0);
    let now = TimeZone::UTC.to_datetime(jiff::Timestamp::now()).year();
    let time = theirs[0].as_ref().unwrap().0["EventTime"].as_str().unwrap().to_owned();
    assert_eq!(time, format!("{now}-07-02T03:04:05"));
}
