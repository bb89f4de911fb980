//! The judge by itself: recorded ads and an event log in, lines out that the writer believes.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use holdadvise_plugin::line::Line;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/pool-23.9");

/// What the judge says of these ads; it has the recorded event log, and no journal.
fn judge(ads: &[u8]) -> Output {
    judge_with(ads, &format!("{DATA}/EventLog"), "8760")
}

/// The same with so many hours of an event log.
fn judge_with(ads: &[u8], log: &str, hours: &str) -> Output {
    let home = tempfile::tempdir().unwrap();
    let mut judge = Command::new(env!("CARGO_BIN_EXE_condor_holdadvise_advisor"))
        .args(["-judge", "-debug"])
        .env("HOME", home.path())
        .env("_CONDOR_EVENT_LOG", log)
        .env("_CONDOR_HOLDADVISE_LOG_HOURS", hours)
        .env("_CONDOR_HOLDADVISE_STATE", home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    judge.stdin.take().unwrap().write_all(ads).unwrap();
    judge.wait_with_output().unwrap()
}

fn lines(output: &Output) -> Vec<Line> {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let read =
        |line: &[u8]| Line::read(line).ok_or_else(|| String::from_utf8_lossy(line).into_owned());
    lines.map(read).collect::<Result<_, _>>().unwrap()
}

#[test]
fn each_held_job_has_one_line_that_is_believed() {
    let ads = std::fs::read_to_string(format!("{DATA}/held.long")).unwrap();
    let held = ads.lines().filter(|line| line.starts_with("NumHolds = ")).count();
    let twice = format!("HoldAdviceSection = 1\n\n{ads}\n\nHoldAdviceSection = 2\n\n{ads}");
    let lines = lines(&judge(twice.as_bytes()));
    let jobs = lines.iter().filter(|line| matches!(line, Line::Job(_))).count();
    assert!(held > 10 && jobs == held, "{jobs} of {held}");
    assert_eq!(lines.last(), Some(&Line::Done { seen: held, judged: held }));
}

#[test]
fn what_users_wrote_breaks_no_line() {
    let hostile = "ClusterId = 7\nProcId = 0\nJobStatus = 5\nNumHolds = 1\nEnteredCurrentStatus = 1790000000\n\
        HoldReasonCode = 13\nHoldReasonSubCode = 256\nOwner = \"a\\nb\tjob\t1.0\"\n\
        HoldReason = \"x\\n\tjob\t1.0\t1\t1\\u001b[2J Transfer input files failure ( URL file = http://\tz/y )\"\n\
        HoldAdvice = \"release\\n\"\nHoldAdviceExpires = 1e99\nHoldAdviceReason = error\n\
        TransferInput = \"http://\u{e9}\u{202e}/x\"\n";
    let lines = lines(&judge(hostile.as_bytes()));
    let jobs: Vec<_> = lines.iter().filter(|line| matches!(line, Line::Job(_))).collect();
    let [Line::Job(job)] = jobs.as_slice() else { panic!("{lines:?}") };
    assert_eq!((job.job.cluster, job.shown.clone()), (7, None));
}

#[test]
fn input_that_is_no_ads_ends_in_no_line_of_a_job() {
    let long = vec![b'('; 1 << 20];
    for input in [&b""[..], b"\0\0\0", b"ClusterId = ", &long, b"[[[[{\"a\": 1"] {
        let output = judge(input);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(!said.contains("job\t") && output.status.code().is_some(), "{said}");
    }
}

/// Finding them takes another descriptor of the log, which a confined process may make.
#[test]
fn only_the_hours_that_are_asked_for_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("EventLog");
    let now = jiff::Timestamp::now().as_second();
    let mut log = String::new();
    let (jobs, recent) = (10_000, 1_000);
    for job in 1..=jobs {
        let ago = if job > jobs - recent { 3_600 } else { 3 * 86_400 };
        let at = jiff::Timestamp::from_second(now - ago).unwrap();
        let at = at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S");
        let host =
            "Job submitted from host: <192.0.2.1:9618?addrs=192.0.2.1-9618&alias=ap.example.org>";
        log.push_str(&format!("000 ({job}.000.000) {at} {host}\n...\n"));
    }
    std::fs::write(&path, &log).unwrap();
    let output = judge_with(b"", path.to_str().unwrap(), "24");
    let said = String::from_utf8_lossy(&output.stderr);
    let events =
        said.lines().find_map(|line| line.split_once("event log: ")?.1.split_once(" events"));
    let events: usize = events.expect(&said).0.parse().unwrap();
    // A quarter of a megabyte more may be read.
    assert!((recent..jobs / 2).contains(&events), "{events}");
}
