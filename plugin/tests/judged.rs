//! The judge by itself: recorded ads and an event log in, lines out that the writer believes.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

use holdadvise::advice::Recommendation;
use holdadvise_plugin::line::Line;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/pool-23.9");

/// What the judge says of these ads; it has the recorded event log, and no journal.
fn judge(ads: &[u8]) -> Output {
    judge_with(ads, &format!("{DATA}/EventLog"), "8760")
}

/// The same with so many hours of an event log.
fn judge_with(ads: &[u8], log: &str, hours: &str) -> Output {
    judge_set(ads, &[("EVENT_LOG", log), ("HOLDADVISE_LOG_HOURS", hours)])
}

/// What the judge says with these settings.
fn judge_set(ads: &[u8], settings: &[(&str, &str)]) -> Output {
    judged_by(ads, settings, &[])
}

/// The same in this environment.
fn judged_by(ads: &[u8], settings: &[(&str, &str)], environment: &[(&str, &str)]) -> Output {
    let home = tempfile::tempdir().unwrap();
    let settings = settings.iter().map(|(name, value)| (format!("_CONDOR_{name}"), value));
    let mut judge = Command::new(env!("CARGO_BIN_EXE_condor_holdadvise_advisor"))
        .args(["-judge", "-debug"])
        .env("HOME", home.path())
        .envs(settings)
        .envs(environment.iter().copied())
        .env("_CONDOR_HOLDADVISE_STATE_DIR", home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One that fails reads no further.
    let _ = judge.stdin.take().unwrap().write_all(ads);
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
        HoldAdvice = \"release\"\nHoldAdviceExpires = 1800000000\nHoldAdviceReason = error\n\
        HoldAdviceNumHolds = NumHolds\nHoldAdviceEntered = EnteredCurrentStatus\n\
        TransferInput = \"http://\u{e9}\u{202e}/x\"\n";
    let lines = lines(&judge(hostile.as_bytes()));
    let jobs: Vec<_> = lines.iter().filter(|line| matches!(line, Line::Job(_))).collect();
    let [Line::Job(job)] = jobs.as_slice() else { panic!("{lines:?}") };
    assert_eq!((job.job.cluster, job.shown.clone()), (7, None));
}

#[test]
fn no_secret_gets_into_an_ad() {
    let secret = "Ab12cd34Ef56";
    let urls = [
        format!("https://me:{secret}@data.example/x"),
        format!("https://data.example/x?X-Amz-Signature={secret}"),
        format!("https://data.example/x?token={secret}"),
    ];
    let reasons = |url: &str| {
        [
            (
                6,
                2,
                format!(
                    "Error from slot1@e1: Failed to execute '{url}': (errno=2: 'No such file')"
                ),
            ),
            (
                13,
                256,
                format!(
                    "Transfer input files failure at execution point e1. Details: Bearer {secret} ( URL file = {url} )|"
                ),
            ),
            (
                14,
                2,
                format!("Cannot access initial working directory {url}: No such file or directory"),
            ),
        ]
    };
    let all = urls.iter().flat_map(|url| reasons(url)).enumerate();
    let ads: String = all
        .map(|(proc, (code, subcode, reason))| {
            format!(
                "ClusterId = 7\nProcId = {proc}\nJobStatus = 5\nNumHolds = 1\nOwner = \"alice\"\n\
                 EnteredCurrentStatus = 1790000000\nHoldReasonCode = {code}\n\
                 HoldReasonSubCode = {subcode}\nHoldReason = \"{reason}\"\n\n"
            )
        })
        .collect();
    let output = judge(ads.as_bytes());
    let lines = lines(&output);
    let reasons = lines.iter().filter_map(|line| match line {
        Line::Job(job) => Some(job.reason.as_str()),
        _ => None,
    });
    let reasons: Vec<&str> = reasons.collect();
    assert_eq!(reasons.len(), 9, "{lines:?}");
    assert!(reasons.iter().any(|reason| reason.contains("data.example/x")), "{reasons:?}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains(secret), "{reasons:?}");
}

#[test]
fn input_that_is_no_ads_ends_in_no_line_of_a_job() {
    let long = vec![b'('; 1 << 20];
    for input in [&b""[..], b"\0\0\0", b"ClusterId = ", &long, b"[[[[{\"a\": 1"] {
        let output = judge(input);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(!said.contains("{\"job\"") && output.status.code().is_some(), "{said}");
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

/// The ad of a held job.
fn ad(owner: &str, cluster: i32, proc: i32, entered: i64, more: &str) -> String {
    format!(
        "ClusterId = {cluster}\nProcId = {proc}\nOwner = \"{owner}\"\nJobStatus = 5\nNumHolds = 1\n\
         EnteredCurrentStatus = {entered}\nHoldReasonCode = 15\nHoldReasonSubCode = 0\n\
         HoldReason = \"submitted on hold at user's request\"\n{more}\n\n"
    )
}

/// How many jobs of an owner were judged, and left out.
fn of(lines: &[Line], owner: &str) -> (usize, u64) {
    let judged = lines.iter().filter(|line| matches!(line, Line::Job(job) if job.owner == owner));
    let left_out = lines.iter().map(|line| match line {
        Line::LeftOut { owner: other, jobs } if other == owner => *jobs,
        _ => 0,
    });
    (judged.count(), left_out.sum())
}

#[test]
fn places_are_shared_by_owner() {
    let mut ads = String::new();
    // The newest holds are all of one owner.
    for proc in 0..100 {
        ads += &ad("mallory", 7, proc, 1_790_000_100, "");
    }
    for (owner, cluster) in [("alice", 8), ("bob", 9)] {
        for proc in 0..5 {
            ads += &ad(owner, cluster, proc, 1_790_000_000, "");
        }
    }
    let lines = lines(&judge_set(ads.as_bytes(), &[("HOLDADVISE_PASS_JOBS", "20")]));
    assert_eq!(of(&lines, "mallory"), (10, 90));
    assert_eq!((of(&lines, "alice"), of(&lines, "bob")), ((5, 0), (5, 0)));
    assert_eq!(lines.last(), Some(&Line::Done { seen: 110, judged: 20 }));
}

#[test]
fn an_owner_with_long_texts_leaves_the_others_advised() {
    let mut ads = String::new();
    for proc in 0..1_000 {
        let text = format!("{proc} {}", "x".repeat(200_000));
        ads += &ad("mallory", 7, proc, 1_790_000_100, &format!("Environment = \"{text}\""));
    }
    let longest = "x".repeat(3 << 20);
    ads += &ad("mallory", 8, 0, 1_790_000_100, &format!("TransferInput = \"{longest}\""));
    for proc in 0..10 {
        ads += &ad("alice", 9, proc, 1_790_000_000, "");
    }
    let lines = lines(&judge_set(ads.as_bytes(), &[("HOLDADVISE_JUDGE_MEMORY_MIB", "128")]));
    let (judged, left_out) = of(&lines, "mallory");
    assert!(judged > 10 && judged as u64 + left_out == 1_001, "{judged} {left_out}");
    assert_eq!(of(&lines, "alice"), (10, 0));
}

#[test]
fn an_owner_whose_events_name_many_files_leaves_the_others_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("EventLog");
    let at = jiff::Timestamp::from_second(jiff::Timestamp::now().as_second() - 3_600).unwrap();
    let at = at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string();
    let mut log = String::new();
    for job in 0..20_000 {
        let urls = (0..40).map(|url| format!("a://h{:x}", job * 40 + url)).collect::<Vec<_>>();
        log += &format!(
            "028 ({}.{:03}.000) {at} Job ad information event triggered.\nOwner = \"mallory\"\n\
             TransferInput = \"{}\"\n...\n",
            job / 1_000 + 1,
            job % 1_000,
            urls.join(",")
        );
    }
    std::fs::write(&path, log).unwrap();
    let log = path.to_str().unwrap();
    let settings = [
        ("EVENT_LOG", log),
        ("HOLDADVISE_JUDGE_MEMORY_MIB", "128"),
        ("HOLDADVISE_PASS_SECONDS", "600"),
        ("RAYON_NUM_THREADS", "2"),
    ];
    let lines = lines(&judge_set(ad("alice", 999, 0, 1_790_000_000, "").as_bytes(), &settings));
    assert_eq!(of(&lines, "alice"), (1, 0));
    let said = |line: &Line| matches!(line, Line::Note(note) if note.ends_with(" of mallory"));
    assert!(lines.iter().any(said), "{lines:?}");
}

/// The deadline of a pass is not looked at within an event.
#[test]
fn an_event_of_a_hundred_megabytes_is_left_out_and_all_are_advised() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("EventLog");
    let at = jiff::Timestamp::from_second(jiff::Timestamp::now().as_second() - 3_600).unwrap();
    // Dates without a year, of which the place in the log is asked for too.
    let at = at.to_zoned(jiff::tz::TimeZone::system()).strftime("%m/%d %H:%M:%S").to_string();
    let event = |cluster: i32, note: &str| {
        format!("000 ({cluster}.000.000) {at} Job submitted from host: <x>\n    {note}\n...\n")
    };
    let before = event(1, "a note").repeat(1_000);
    let log = format!("{before}{}{before}", event(7, &"n".repeat(120_000_000)));
    std::fs::write(&path, log).unwrap();
    let ads: String = (0..20).map(|proc| ad("alice", 9, proc, 1_790_000_000, "")).collect();
    let settings = [("EVENT_LOG", path.to_str().unwrap()), ("HOLDADVISE_PASS_SECONDS", "60")];
    let output = judge_set(ads.as_bytes(), &settings);
    let lines = lines(&output);
    assert_eq!(of(&lines, "alice"), (20, 0));
    let begins = format!("EVENT_LOG: byte {}: expected the end of the event within", before.len());
    let said = |line: &Line| match line {
        Line::Note(note) => note.starts_with(&begins) && note.contains("job 7.0"),
        _ => false,
    };
    assert!(lines.iter().any(said), "{lines:?}");
    // What is before it and behind is read.
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("event log: 2000 events, 1 damaged"), "{said}");
}

#[test]
fn a_log_that_is_too_long_for_its_hours_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("EventLog");
    let now = jiff::Timestamp::now().as_second();
    let log: String = (0..135)
        .map(|event| {
            let at = jiff::Timestamp::from_second(now - 2 * 86_400 + event * 1_000).unwrap();
            let (at, note) = (at.strftime("%Y-%m-%d %H:%M:%SZ"), "n".repeat(1_000_000));
            format!("000 (7.000.000) {at} Job submitted from host: <x>\n    {note}\n...\n")
        })
        .collect();
    std::fs::write(&path, log).unwrap();
    let ads = ad("alice", 9, 0, 1_790_000_000, "");
    for (hours, is_said) in [("24", false), ("72", true)] {
        let settings = [("EVENT_LOG", path.to_str().unwrap()), ("HOLDADVISE_LOG_HOURS", hours)];
        let lines = lines(&judge_set(ads.as_bytes(), &settings));
        let said = |line: &Line| {
            let said = "EVENT_LOG: its newest 128 MiB are read, older events too are wanted";
            matches!(line, Line::Note(note) if note == said)
        };
        assert_eq!(lines.iter().any(said), is_said, "{lines:?}");
    }
}

#[test]
fn policies_that_take_too_long_are_said_with_their_owner() {
    let mut ads = String::new();
    for proc in 0..40 {
        let text = format!("{proc}{}b", "a".repeat(60));
        let policy = "PeriodicRelease = regexp(\"(a+)+$\", Arguments)";
        ads += &ad("mallory", 7, proc, 1_790_000_100, &format!("Arguments = \"{text}\"\n{policy}"));
    }
    let plain = "PeriodicRelease = time() - EnteredCurrentStatus > 1000000000";
    ads += &ad("alice", 8, 0, 1_790_000_000, plain);
    let lines = lines(&judge_set(ads.as_bytes(), &[("HOLDADVISE_POLICY_SECONDS", "1")]));
    assert_eq!((of(&lines, "mallory"), of(&lines, "alice")), ((40, 0), (1, 0)));
    let said = |line: &Line| match line {
        Line::Note(note) => note.starts_with("policies of 40 jobs: ") && note.ends_with("mallory"),
        _ => false,
    };
    assert!(lines.iter().any(said), "{lines:?}");
}

/// A hold for a server that was away, which others have got through since, in the event log at
/// `folder`; the ad of the job.
fn got_through(folder: &std::path::Path) -> String {
    let now = jiff::Timestamp::now().as_second();
    let reason = "Transfer input files failure at execution point slot1@e1 using protocol http. \
                  Details: Failed to connect to d.example.org port 80: Connection refused ( URL \
                  file = http://d.example.org/x.dat )";
    let mut log = String::new();
    let mut all = |ago: i64, number: &str, jobs: std::ops::Range<i32>, text: &str| {
        let at = jiff::Timestamp::from_second(now - ago).unwrap();
        let at = at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S");
        for job in jobs {
            log.push_str(&format!("{number} ({job}.000.000) {at} {text}\n...\n"));
        }
    };
    all(4_000, "000", 1..10, "Job submitted from host: <192.0.2.1:9618?alias=ap.example.org>");
    all(3_600, "012", 1..10, &format!("Job was held.\n\t{reason}\n\tCode 13 Subcode 256"));
    all(900, "013", 2..9, "Job was released.\n\tvia condor_release (by user ana)");
    all(600, "001", 2..9, "Job executing on host: <192.0.2.7:9618>");
    all(300, "005", 2..9, "Job terminated.\n\t(1) Normal termination (return value 0)");
    std::fs::write(folder.join("EventLog"), log).unwrap();
    format!(
        "ClusterId = 1\nProcId = 0\nOwner = \"ana\"\nJobStatus = 5\nNumHolds = 1\n\
         NumJobStarts = 4\nEnteredCurrentStatus = {}\nHoldReasonCode = 13\n\
         HoldReasonSubCode = 256\nTransferInput = \"http://d.example.org/x.dat\"\n\
         HoldReason = \"{reason}\"\n",
        now - 3_600
    )
}

#[test]
fn what_a_policy_would_hold_again_at_once_is_not_released() {
    let folder = tempfile::tempdir().unwrap();
    let ad = got_through(folder.path());
    let advised = |more: &str| {
        let log = folder.path().join("EventLog");
        let lines =
            lines(&judge_with(format!("{ad}{more}").as_bytes(), log.to_str().unwrap(), "24"));
        let [Line::Job(job), _] = lines.as_slice() else { panic!("{lines:?}") };
        job.advice
    };
    assert_eq!(advised(""), Recommendation::Release);
    for policy in ["NumJobStarts > 3", "JobStatus == 2 && NumHolds > 0"] {
        let more = format!("PeriodicHold = {policy}\n");
        assert!(
            !matches!(advised(&more), Recommendation::Release | Recommendation::Try),
            "{policy}"
        );
    }
}

#[test]
fn entries_of_the_administrator_are_used() {
    let (folder, tools) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = folder.path().join("site.toml");
    let entry = "[site-scratch]\ntext = [\"scratch server {host} is offline\"]\n\
                 means = \"the scratch server is offline\"\nfault = { server = 1 }\n\
                 ends = \"time\"\nremedy = \"wait until {host} is back\"\nsource = \"site\"\n\
                 examples = [\"scratch server fs7 is offline\"]\n";
    // What is wrong with another one, the writer says.
    std::fs::write(&path, format!("{entry}[bad]\n")).unwrap();
    let tool = tools.path().join("condor_config_val");
    let script = format!("#!/bin/sh\necho 'HOLDADVISE_CATALOGUE = {}'\n", path.display());
    std::fs::write(&tool, script).unwrap();
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    let ad = "ClusterId = 7\nProcId = 0\nJobStatus = 5\nNumHolds = 1\nOwner = \"alice\"\n\
              EnteredCurrentStatus = 1790000000\nHoldReasonCode = 6\nHoldReasonSubCode = 0\n\
              HoldReason = \"Error from slot1@e1: scratch server fs7 is offline\"\n";
    let all = judged_by(ad.as_bytes(), &[], &[("PATH", tools.path().to_str().unwrap())]);
    let all = lines(&all);
    let Some(Line::Job(job)) = all.iter().find(|line| matches!(line, Line::Job(_))) else {
        panic!("{all:?}")
    };
    assert!(job.reason.contains("the scratch server is offline"), "{}", job.reason);
}
