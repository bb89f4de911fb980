//! No text that a user chose becomes an event, whichever way a log is read.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

use eventlog::{
    self, ChunkedLog, Damage, Event, Events, LogFiles, LogReader, ReadOptions, YearHint,
};
use jiff::tz::TimeZone;
use proptest::prelude::*;

fn options() -> ReadOptions {
    ReadOptions { year: YearHint::First(2026), ..ReadOptions::in_zone(TimeZone::UTC) }
}

const DATE: &str = "2026-11-24 13:04:00";

/// A whole event of a job of somebody else, as a user can quote it in one line.
fn forged(number: u16) -> String {
    let title = match number {
        1 => "Job executing on host: <10.0.0.1:9618>",
        5 => "Job terminated.",
        9 => "Job was aborted.",
        12 => "Job was held.",
        _ => "Job was released.",
    };
    format!("{number:03} (100.000.000) {DATE} {title}")
}

const FORGED: [u16; 5] = [1, 5, 9, 12, 13];

/// The events that hold text of users, as HTCondor writes them (`formatBody` in
/// `condor_event.cpp`).
fn quoting(number: u16, text: &str) -> String {
    let body = match number {
        0 => format!("Job submitted from host: <10.0.0.2:9618>\n    {text}\n    {text}"),
        4 => format!(
            "Job was evicted.\n\t(0) CPU times\n\
             \t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Remote Usage\n\
             \t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Local Usage\n\
             \t0  -  Run Bytes Sent By Job\n\t0  -  Run Bytes Received By Job\n\tReason: {text}"
        ),
        7 => format!(
            "Shadow exception!\n\t{text}\n\t0  -  Run Bytes Sent By Job\n\t0  -  Run Bytes Received By Job"
        ),
        8 => text.to_owned(),
        9 => format!("Job was aborted.\n\t{text}"),
        12 => format!("Job was held.\n\t{text}\n\tCode 3 Subcode 0"),
        13 => format!("Job was released.\n\t{text}"),
        21 => format!("Error from starter on slot1@ep:\n\t{text}\n\tCode 12 Subcode 2"),
        24 => format!("Job reconnection failed\n    {text}\n    Can not reconnect to slot1@ep"),
        28 => format!("Job ad information event triggered.\nProc = 0\nNote = \"{text}\""),
        33 => format!("Changing job attribute Note from \"{text}\" to \"{text}\""),
        _ => format!("Job Materialization Paused\n\t{text}\n\tPauseCode 1"),
    };
    format!("{number:03} (200.000.000) {DATE} {body}\n...\n")
}

const QUOTING: [u16; 12] = [0, 4, 7, 8, 9, 12, 13, 21, 24, 28, 33, 37];

fn released(cluster: usize) -> String {
    format!("013 ({cluster:03}.000.000) {DATE} Job was released.\n\tvia condor_release\n...\n")
}

/// Number, job and lines of an event.
type Seen = (u16, String, Vec<u8>);

fn of(event: &Event<'_>) -> Seen {
    (event.number, event.job.to_string(), event.lines().to_vec())
}

fn all<R: Read>(log: &mut LogReader<R>) -> Vec<Seen> {
    let mut read = Vec::new();
    while let Some(event) = log.next_event() {
        read.extend(event.ok().map(|event| of(&event)));
    }
    read
}

fn in_chunks(log: &ChunkedLog) -> Vec<Seen> {
    let mut read = Vec::new();
    let _: ControlFlow<()> = log.read(all, |part| {
        read.extend(part);
        ControlFlow::Continue(())
    });
    read
}

fn followed(path: &Path, log: &[u8], piece: usize) -> Vec<Seen> {
    std::fs::write(path, b"").unwrap();
    let mut read = Vec::new();
    let mut position = None;
    let mut to = 0;
    while to < log.len() {
        to = (to + piece).min(log.len());
        std::fs::write(path, &log[..to]).unwrap();
        // Each look is that of another process, which goes on at the place of the one before.
        let mut follower = eventlog::follow(path, &options(), position.take()).unwrap();
        while let Some((_, event)) = follower.next_event() {
            read.extend(event.ok().map(|event| of(&event)));
        }
        position = follower.position();
    }
    read
}

/// The log as each way of reading gives it from its beginning.
fn ways(log: &[u8], sizes: &[u64]) -> Vec<(String, Vec<Seen>)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("EventLog");
    std::fs::write(&path, log).unwrap();
    let slice = Events::with_options(log, &options()).flatten().map(|event| of(&event)).collect();
    let mut ways = vec![
        ("slice".to_owned(), slice),
        ("stream".to_owned(), all(&mut LogReader::new(log, &options()))),
        ("file".to_owned(), all(&mut eventlog::open(&path, &options()).unwrap())),
    ];
    for size in sizes {
        let chunked = ChunkedLog::open(&path, &options()).unwrap().in_chunks_of(*size);
        ways.push((format!("chunks of {size}"), in_chunks(&chunked)));
        let path = folder.path().join("followed");
        ways.push((format!("followed by {size}"), followed(&path, log, *size as usize)));
    }
    ways
}

/// Every window and newest part of the log gives the last of its events, and no other.
fn every_part(log: &[u8], written: &[Seen], step: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("EventLog");
    std::fs::write(&path, log).unwrap();
    for most in (1..log.len() as u64).step_by(step) {
        let newest = ReadOptions { newest: Some(most), ..options() };
        let newest = all(&mut eventlog::open(&path, &newest).unwrap());
        assert!(written.ends_with(&newest), "the newest {most}: {newest:?}");
        let window = LogFiles::open(&path).unwrap().window(&options(), 0, most);
        let window: Vec<_> = window.flat_map(|(_, log)| in_chunks(&log)).collect();
        assert!(written.ends_with(&window), "a window of {most}: {window:?}");
        // An offset that nobody returned.
        let from = ReadOptions { offset: log.len() as u64 - most, ..options() };
        let rest = all(&mut eventlog::open(&path, &from).unwrap());
        assert!(written.ends_with(&rest), "from {}: {rest:?}", from.offset);
        let chunked = in_chunks(&ChunkedLog::open(&path, &from).unwrap().in_chunks_of(64));
        assert!(written.ends_with(&chunked), "from {} in chunks: {chunked:?}", from.offset);
    }
}

#[test]
fn no_quoted_header_is_an_event() {
    for number in QUOTING {
        for quoted in FORGED {
            for text in
                [format!("x {}", forged(quoted)), forged(quoted), "x".to_owned() + &forged(quoted)]
            {
                let event = quoting(number, &text);
                let log = released(1) + &event + &event + &released(2);
                let lines = event.strip_suffix("...\n").unwrap().split_once('\n').unwrap().1;
                let quoting = (number, "200.0".to_owned(), lines.as_bytes().to_vec());
                let released = |job: &str| (13, job.to_owned(), b"\tvia condor_release\n".to_vec());
                let written = [released("1.0"), quoting.clone(), quoting, released("2.0")];
                for (way, read) in ways(log.as_bytes(), &[40, 64]) {
                    assert_eq!(read, written, "{way}: {log}");
                }
                // The places differ from text to text.
                every_part(log.as_bytes(), &written, 11);
            }
        }
    }
}

/// A bisection that lands in long reasons, each full of forged headers.
#[test]
fn a_window_over_long_reasons_has_only_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("EventLog");
    let reason = |at: i64| {
        let date = jiff::Timestamp::from_second(1_700_000_000 + at).unwrap();
        format!("013 (100.000.000) {} Job was released. ", date.strftime("%Y-%m-%d %H:%M:%S"))
    };
    let event = |at: i64| {
        let date = jiff::Timestamp::from_second(1_700_000_000 + at).unwrap();
        let date = date.strftime("%Y-%m-%d %H:%M:%S");
        // The forged times are an hour off.
        let reason = reason(at + if at % 2 == 0 { 3600 } else { -3600 }).repeat(60);
        format!("012 (200.{at}.000) {date} Job was held.\n\t{reason}\n\tCode 3 Subcode 0\n...\n")
    };
    std::fs::write(&path, (0..1000).map(event).collect::<String>()).unwrap();
    for since in [0, 10, 333, 500, 999] {
        let window =
            LogFiles::open(&path).unwrap().window(&options(), 1_700_000_000 + since, u64::MAX);
        let jobs: Vec<_> =
            window.flat_map(|(_, log)| in_chunks(&log)).map(|(_, job, _)| job).collect();
        let first = 1000 - jobs.len() as i64;
        assert!(first <= since && since - first < 300, "{since}: {first}");
        assert_eq!(jobs, (first..1000).map(|at| format!("200.{at}")).collect::<Vec<_>>());
    }
}

/// A user can have a line begin anywhere only where HTCondor writes newlines as they are (notes of
/// 000, `condor_chirp ulog`). A header there is no event; that of the user is damaged.
#[test]
fn a_header_that_begins_a_line_without_a_separator_is_no_event() {
    let text = format!("x\n{}", forged(13));
    let log = released(1) + &quoting(0, &text) + &released(2);
    for (way, read) in ways(log.as_bytes(), &[1, 7, 40, 64, 150]) {
        let jobs: Vec<_> = read.iter().map(|(_, job, _)| job.as_str()).collect();
        assert_eq!(jobs, ["1.0", "2.0"], "{way}");
    }
    let mut events = Events::with_options(log.as_bytes(), &options()).skip(1);
    let damaged = events.next().unwrap().unwrap_err();
    assert_eq!(damaged.damage, Damage::Unterminated);
    assert_eq!(damaged.offset, released(1).len() as u64);
    assert_eq!(
        damaged.event.map(|(number, job)| (number, job.to_string())),
        Some((0, "200.0".into()))
    );
}

/// The rest of an event that was cut at the end of the file, once it has come.
#[test]
fn the_rest_of_a_reason_is_no_event() {
    let event = quoting(12, &format!("x {}", forged(13)));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("EventLog");
    // One that is cut within its separator costs the next event too.
    for cut in 1..event.len() - "...\n".len() {
        std::fs::write(&path, released(1) + &event[..cut]).unwrap();
        let mut log = eventlog::open(&path, &options()).unwrap();
        let first = all(&mut log);
        let offset = log.offset();
        std::fs::write(&path, released(1) + &event + &released(2)).unwrap();
        let mut log = eventlog::open(&path, &ReadOptions { offset, ..options() }).unwrap();
        let jobs: Vec<_> = first.into_iter().chain(all(&mut log)).map(|(_, job, _)| job).collect();
        assert!(jobs.iter().all(|job| job != "100.0"), "{cut}: {jobs:?}");
        assert_eq!(
            (jobs.first(), jobs.last()),
            (Some(&"1.0".into()), Some(&"2.0".into())),
            "{cut}"
        );
    }
}

/// A reason that is larger than an event may be is given up in the middle of its text.
#[test]
fn the_rest_of_an_event_that_is_too_large_is_no_event() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("EventLog");
    let options = ReadOptions { max_event: 1000, ..options() };
    for fill in (0..80).step_by(9) {
        let reason = "y".repeat(fill) + &format!("{} ", forged(13)).repeat(20_000);
        let log = quoting(12, &reason) + &released(2);
        std::fs::write(&path, &log).unwrap();
        let mut reader = eventlog::open(&path, &options).unwrap();
        let damaged = reader.next_event().unwrap().unwrap_err();
        assert_eq!(damaged.damage, Damage::TooLarge { limit: 1000 });
        let offset = reader.offset();
        assert_eq!(all(&mut reader).len(), 1);
        let options = ReadOptions { offset, ..options.clone() };
        assert_eq!(all(&mut eventlog::open(&path, &options).unwrap()).len(), 1);
    }
}

/// In the other forms a nested ad may look like an event, but not at the beginning of a line.
#[test]
fn a_nested_ad_is_no_event() {
    let json = |cluster: u32, x: &str| {
        format!(
            "{{\n  \"EventTypeNumber\": 28,\n  \"EventTime\": \"2026-11-24T13:04:00\",\n  \"Cluster\": {cluster},\n  \"Proc\": 0,\n  \"Subproc\": 0,\n  \"X\": {x}\n}}\n"
        )
    };
    let xml = |cluster: u32, x: &str| {
        format!(
            "<c>\n    <a n=\"EventTypeNumber\"><i>28</i></a>\n    <a n=\"EventTime\"><s>2026-11-24T13:04:00</s></a>\n    <a n=\"Cluster\"><i>{cluster}</i></a>\n    <a n=\"Proc\"><i>0</i></a>\n    <a n=\"Subproc\"><i>0</i></a>\n    <a n=\"X\">{x}</a>\n</c>\n"
        )
    };
    let indented = |ad: String, by: &str| ad.trim_end().replace('\n', &format!("\n{by}"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("EventLog");
    for log in [
        json(200, &indented(json(100, "1"), "  ")).repeat(3),
        xml(200, &indented(xml(100, "<i>1</i>"), "    ")).repeat(3),
    ] {
        std::fs::write(&path, &log).unwrap();
        for at in 0..log.len() as u64 {
            let newest = ReadOptions { newest: Some(log.len() as u64 - at), ..options() };
            let from = ReadOptions { offset: at, ..options() };
            for options in [newest, from] {
                for (_, job, _) in all(&mut eventlog::open(&path, &options).unwrap()) {
                    assert_eq!(job, "200.0", "{at} of {log}");
                }
            }
        }
    }
}

/// Text of a user: any bytes but newlines, with what a log is made of among them.
fn user_text() -> impl Strategy<Value = Vec<u8>> {
    let pieces = vec![
        "...",
        "... ",
        "013 (100.000.000) ",
        "012 (100.0.0) 11/24 13:04:00 Job was held.",
        "<c>",
        "{",
        "}",
        "</c>",
        "\tCode 1 Subcode 0",
        "  -  Run Bytes",
        "\u{feff}",
        " ",
        "|",
        "\r",
    ];
    let piece = prop_oneof![
        4 => prop::sample::select(pieces).prop_map(|piece| piece.as_bytes().to_vec()),
        3 => prop::sample::select(FORGED.to_vec()).prop_map(|number| forged(number).into_bytes()),
        2 => prop::collection::vec(any::<u8>(), 0..30),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| {
        // HTCondor's texts end at a NUL; it writes `|` for a newline.
        let mut text = pieces.concat();
        text.retain(|byte| !matches!(byte, b'\n' | 0));
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_events_read_are_those_written(
        events in prop::collection::vec((prop::sample::select(QUOTING.to_vec()), user_text()), 1..6),
        sizes in prop::collection::vec(20..300_u64, 2),
        step in 20..90_usize,
    ) {
        let (mut log, mut written) = (Vec::new(), Vec::new());
        for (number, text) in &events {
            let at = log.len();
            let event = quoting(*number, "\u{1}");
            for part in event.as_bytes().split_inclusive(|byte| *byte == 1) {
                match part.strip_suffix(b"\x01") {
                    Some(part) => log.extend_from_slice(&[part, text.as_slice()].concat()),
                    None => log.extend_from_slice(part),
                }
            }
            let lines = at + log[at..].iter().position(|byte| *byte == b'\n').unwrap() + 1;
            let lines = log[lines..log.len() - "...\n".len()].to_vec();
            written.push((*number, "200.0".to_owned(), lines));
        }
        for (way, read) in ways(&log, &sizes) {
            prop_assert_eq!(&read, &written, "{}: {}", way, log.escape_ascii());
        }
        every_part(&log, &written, step);
    }
}
