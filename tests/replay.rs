//! Release expressions replayed on recorded holds come to what evaluating them at every tick on the
//! recorded ads does.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use classads::{ClassAd, EvalContext, Expr, Value};
use eventlog::JobId;
use holdadvise::advice::Costs;
use holdadvise::policy::{Truth, Version};
use holdadvise::replay::{
    ExpressionAnswer, PastHold, PastHolds, ReadError, Releaser, ReplayExpression, ReplayedJob,
    Rules, Sources, Successes, Ticks, replay,
};
use holdadvise::suggest::suggest;

const POOLS: [&str; 2] = ["pool-23.9", "pool-25.14"];

const FAULTS: [&str; 2] = ["pool-faults-23.9", "pool-faults-25.14"];

const TICKS: Ticks = Ticks { interval: 60, phase: 17 };

/// Some holds are looked at for that long, whatever became of them, s.
const LONG: i64 = 36 * 3_600;

/// One in so many holds.
const SAMPLE: usize = 5;

/// One in so many is looked at for long.
const LONG_SAMPLE: usize = 120;

/// All clauses that people write, on what a log tells of.
const EXPRESSIONS: [&str; 18] = [
    "true",
    "HoldReasonCode =?= 13 && NumHolds < 3",
    "NumJobStarts < 4 && (CurrentTime - EnteredCurrentStatus) > 10 * 60",
    "(HoldReasonCode == 12 || HoldReasonCode == 13) && time() - EnteredCurrentStatus >= 300",
    "HoldReasonCode != 1 && HoldReasonSubCode =!= 2 && time() > EnteredCurrentStatus + 600 * NumHolds",
    "(time() - EnteredCurrentStatus) / 3600 > 2 && JobStatus == 5",
    "(time() - EnteredCurrentStatus) / 3600.0 > 2.25 && JobStatus == 5",
    "(time() - QDate) / 600 >= 5 * NumHolds || time() - QDate < 90",
    "JobStatus == 5 && time() - QDate < 7 * 86400 && time() - EnteredCurrentStatus > 90.5",
    "stringListMember(string(HoldReasonCode), \"6,12,13,26\") && NumJobStarts <= 10",
    "regexp(\"no such file|errno\", HoldReason, \"i\") && time() - EnteredCurrentStatus > 120",
    "LastHoldReasonCode =?= HoldReasonCode && LastHoldReasonSubCode =?= HoldReasonSubCode",
    "isUndefined(LastHoldReasonCode) && time() - EnteredCurrentStatus > pow(2, NumHolds) * 60",
    "ifThenElse(HoldReasonCode =?= 34, NumHolds < 2, (time() - EnteredCurrentStatus) % 900 < 45)",
    "Owner == \"ALICE\" && !(HoldReasonCode =?= 1) && time() - LastHoldReasonCode > 0",
    "time() - EnteredCurrentStatus > (HoldReasonCode == 13 ? 600 : 7200)",
    "ClusterId % 2 == 0 && ProcId =?= 0 && 2 * (time() - EnteredCurrentStatus) >= 500",
    "NumHolds",
];

fn data(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(folder)
}

/// The log with dates in UTC that have their year, so that neither zone nor year of the machine
/// matter.
fn with_full_dates(log: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(log.len() + log.len() / 20);
    for line in log.split_inclusive(|byte| *byte == b'\n') {
        let text = std::str::from_utf8(line).unwrap_or_default();
        // 012 (025.000.000) 11/21 16:31:23 Job was held.
        let date = text.find(") ").map(|at| at + 2).filter(|at| {
            text.get(3..5) == Some(" (")
                && text.get(at + 2..at + 3) == Some("/")
                && text.get(at + 14..at + 15) == Some(" ")
        });
        match date {
            Some(at) => {
                let (month, day) = (&text[at..at + 2], &text[at + 3..at + 5]);
                let (head, time, rest) = (&text[..at], &text[at + 6..at + 14], &text[at + 14..]);
                out.extend(format!("{head}2026-{month}-{day} {time}Z{rest}").into_bytes());
            }
            None => out.extend(line),
        }
    }
    out
}

fn bytes_of(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    if path.extension().is_some_and(|end| end == "gz") {
        let mut unpacked = Vec::new();
        flate2::read::MultiGzDecoder::new(&*bytes).read_to_end(&mut unpacked).unwrap();
        return unpacked;
    }
    bytes
}

/// Writes the event logs of a pool: rotated as they are, in the folder.
fn event_log(pool: &str, to: &Path) -> PathBuf {
    for name in ["EventLog", "EventLog.1", "EventLog.2", "EventLog.3", "EventLog.gz"] {
        let from = data(pool).join(name);
        if from.exists() {
            let name = name.trim_end_matches(".gz");
            std::fs::write(to.join(name), with_full_dates(&bytes_of(&from))).unwrap();
        }
    }
    to.join("EventLog")
}

fn of_event_log(path: &Path) -> Sources {
    Sources { event_logs: vec![path.to_owned()], reasons: true, ..Sources::default() }
}

/// The holds of a pool's event log.
fn read(pool: &str) -> PastHolds {
    let folder = tempfile::tempdir().unwrap();
    let past = PastHolds::read(&of_event_log(&event_log(pool, folder.path()))).unwrap();
    assert_eq!(past.problems, [""; 0]);
    past
}

fn ads(path: &Path) -> HashMap<JobId, ClassAd> {
    let ads = classads::read_ads(BufReader::new(File::open(path).unwrap())).map(Result::unwrap);
    ads.map(|ad| {
        let number = |name| i32::try_from(integer(&ad, name).unwrap()).unwrap();
        (JobId::new(number("ClusterId"), number("ProcId")), ad)
    })
    .collect()
}

fn integer(ad: &ClassAd, name: &str) -> Option<i64> {
    ad.evaluate(name, &EvalContext::at(0)).as_integer()
}

fn text(ad: &ClassAd, name: &str) -> Option<String> {
    ad.evaluate(name, &EvalContext::at(0)).as_str().map(str::to_owned)
}

/// The ad of a held job, as the facts of the log say.
fn ad_of(hold: &PastHold) -> ClassAd {
    let mut text = format!(
        "[ ClusterId = {}; ProcId = {}; JobStatus = 5; EnteredCurrentStatus = {}; HoldReasonCode = {}; HoldReasonSubCode = {}",
        hold.job.cluster, hold.job.proc, hold.held_at, hold.code, hold.subcode
    );
    let numbers = [
        ("NumHolds", hold.num_holds),
        ("NumJobStarts", hold.starts),
        ("QDate", hold.submitted_at),
        ("LastHoldReasonCode", hold.before.map(|before| i64::from(before.0))),
        ("LastHoldReasonSubCode", hold.before.map(|before| i64::from(before.1))),
    ];
    for (name, value) in numbers {
        if let Some(value) = value {
            write!(text, "; {name} = {value}").unwrap();
        }
    }
    let mut ad = ClassAd::parse(&(text + " ]")).unwrap();
    for (name, value) in [("Owner", &hold.owner), ("HoldReason", &hold.reason)] {
        if let Some(value) = value {
            ad.insert_value(name, Value::from(&**value));
        }
    }
    ad
}

/// The first tick before `end` at which the expression is true, as the schedd goes about it.
fn at_every_tick(expr: &Expr, ad: &ClassAd, held_at: i64, end: i64) -> ExpressionAnswer {
    let ticks = (held_at + 1..end).filter(|time| (time - TICKS.phase) % TICKS.interval == 0);
    let mut ticks = ticks
        .filter(|time| Truth::of(&ad.evaluate_expr(expr, &EvalContext::at(*time))) == Truth::True);
    ticks.next().map_or(ExpressionAnswer::Holds, ExpressionAnswer::Releases)
}

#[test]
fn answers_are_those_of_an_evaluation_at_every_tick() {
    let mut expressions: Vec<(Expr, ReplayExpression)> = EXPRESSIONS
        .iter()
        .map(|text| (Expr::parse_old(text).unwrap(), ReplayExpression::parse(text).unwrap()))
        .collect();
    let mut fired = [0; EXPRESSIONS.len()];
    let (mut of_ads, mut compared) = (0, 0);
    for pool in POOLS.into_iter().chain(FAULTS) {
        let past = read(pool);
        let recorded = data(pool).join("held.long");
        let recorded = if recorded.exists() { ads(&recorded) } else { HashMap::new() };
        let sample = if recorded.is_empty() { SAMPLE } else { 1 };
        for (number, hold) in past.holds.iter().enumerate().step_by(sample) {
            // The ad that the schedd had, where it was recorded and counts the holds as the log
            // does.
            let ad = recorded.get(&hold.job).filter(|ad| {
                integer(ad, "EnteredCurrentStatus") == Some(hold.held_at)
                    && integer(ad, "NumHolds") == hold.num_holds
            });
            of_ads += u32::from(ad.is_some());
            let ad = ad.cloned().unwrap_or_else(|| ad_of(hold));
            let mut end = hold.hold_end.left_at().unwrap_or(past.end);
            if number % LONG_SAMPLE == 0 {
                end = hold.held_at + LONG;
            }
            for ((expr, expression), fired) in expressions.iter_mut().zip(&mut fired) {
                let expected = at_every_tick(expr, &ad, hold.held_at, end);
                let answer = expression.answer(&ReplayedJob::new(hold), TICKS, end);
                assert_eq!(answer, expected, "{pool} {hold:?}: {expr}");
                *fired += u32::from(answer != ExpressionAnswer::Holds);
                compared += 1;
            }
        }
    }
    assert!(of_ads > 35 && compared > 10_000, "{of_ads} {compared}");
    assert!(fired.iter().all(|fired| *fired > 0), "{fired:?}");
}

/// Jobs whose ads count more holds than the log tells: a policy that holds a running job is counted
/// at each evaluation until the shadow is gone (codes 3 of a submit description and 26), and no
/// event tells of a submission on hold.
fn counts_more(hold: &PastHold, ad: &ClassAd) -> bool {
    let by_reason = ad.get("NumHoldsByReason").map(ToString::to_string).unwrap_or_default();
    ["JobPolicy", "SystemPolicy", "SubmittedOnHold"].iter().any(|name| by_reason.contains(name))
        && integer(ad, "NumHolds") > hold.num_holds
}

#[test]
fn what_a_log_tells_is_what_the_ads_say() {
    for pool in POOLS {
        let past = read(pool);
        let held = ads(&data(pool).join("held.long"));
        let (mut compared, mut more) = (0, 0);
        for (job, ad) in &held {
            let entered = integer(ad, "EnteredCurrentStatus").unwrap();
            let near = |hold: &&PastHold| hold.job == *job && (hold.held_at - entered).abs() <= 5;
            let Some(hold) = past.holds.iter().find(near) else {
                // No event tells of a submission on hold.
                assert_eq!(integer(ad, "HoldReasonCode"), Some(15), "{pool} {job:?}");
                continue;
            };
            compared += 1;
            let who = format!("{pool} {hold:?}");
            assert_eq!(integer(ad, "HoldReasonCode"), Some(hold.code.into()), "{who}");
            assert_eq!(integer(ad, "HoldReasonSubCode"), Some(hold.subcode.into()), "{who}");
            assert_eq!(text(ad, "HoldReason").as_deref(), hold.reason.as_deref(), "{who}");
            assert_eq!(text(ad, "Owner").as_deref(), hold.owner.as_deref(), "{who}");
            assert_eq!(integer(ad, "QDate"), hold.submitted_at, "{who}");
            assert_eq!(integer(ad, "NumJobStarts"), hold.starts, "{who}");
            if counts_more(hold, ad) {
                more += 1;
                continue;
            }
            assert_eq!(integer(ad, "NumHolds"), hold.num_holds, "{who}");
            let before = hold.before.map(|(code, _)| i64::from(code));
            assert_eq!(integer(ad, "LastHoldReasonCode"), before, "{who}");
            let before = hold.before.map(|(_, subcode)| i64::from(subcode));
            assert_eq!(integer(ad, "LastHoldReasonSubCode"), before, "{who}");
        }
        assert!(compared >= 23 && more <= 3, "{pool}: {compared} {more}");

        // Of jobs that have ended: what the last hold came to.
        let ended = ads(&data(pool).join("history.long"));
        let mut compared = 0;
        for (job, ad) in &ended {
            let Some(hold) = past.holds.iter().rfind(|hold| hold.job == *job) else {
                assert!(matches!(integer(ad, "LastHoldReasonCode"), None | Some(15)), "{job:?}");
                continue;
            };
            compared += 1;
            let who = format!("{pool} {hold:?}");
            assert_eq!(integer(ad, "LastHoldReasonCode"), Some(hold.code.into()), "{who}");
            assert_eq!(integer(ad, "LastHoldReasonSubCode"), Some(hold.subcode.into()), "{who}");
            assert_eq!(integer(ad, "QDate"), hold.submitted_at, "{who}");
            if !counts_more(hold, ad) {
                assert_eq!(integer(ad, "NumHolds"), hold.num_holds, "{who}");
            }
        }
        assert!(compared > 20, "{pool}: {compared}");
    }
}

/// The holds as text, all of them.
fn told(past: &PastHolds) -> Vec<String> {
    past.holds.iter().map(|hold| format!("{hold:?}")).collect()
}

#[test]
fn rotated_logs_and_logs_of_users_tell_the_same() {
    for pool in POOLS {
        let folder = tempfile::tempdir().unwrap();
        let log = event_log(pool, folder.path());
        let rotated = PastHolds::read(&of_event_log(&log)).unwrap();

        let mut bytes = Vec::new();
        for name in ["EventLog.3", "EventLog.2", "EventLog.1", "EventLog"] {
            bytes.extend(std::fs::read(folder.path().join(name)).unwrap());
        }
        let whole = folder.path().join("whole");
        std::fs::write(&whole, bytes).unwrap();
        let whole = PastHolds::read(&of_event_log(&whole)).unwrap();
        assert_eq!(told(&whole), told(&rotated));
        assert_eq!((whole.end, whole.events), (rotated.end, rotated.events));

        // A file named twice, or as a log of a user too, tells nothing new.
        let both = Sources { user_logs: vec![log.clone()], ..of_event_log(&log) };
        assert_eq!(told(&PastHolds::read(&both).unwrap()), told(&rotated));

        let logs = folder.path().join("userlog");
        std::fs::create_dir(&logs).unwrap();
        let mut user_logs = Vec::new();
        for entry in std::fs::read_dir(data(pool).join("userlog")).unwrap() {
            let entry = entry.unwrap();
            let to = logs.join(entry.file_name());
            std::fs::write(&to, with_full_dates(&bytes_of(&entry.path()))).unwrap();
            user_logs.push(to);
        }
        let sources = Sources { user_logs, reasons: true, ..Sources::default() };
        let of_users = PastHolds::read(&sources).unwrap();
        assert!(of_users.holds.len() > 30, "{}", of_users.holds.len());
        for hold in &of_users.holds {
            let same = rotated
                .holds
                .iter()
                .find(|other| (other.job, other.held_at) == (hold.job, hold.held_at));
            // Who owns a job is in event 028, which logs of users do not have.
            let same = PastHold { owner: None, ..same.unwrap().clone() };
            assert_eq!(format!("{hold:?}"), format!("{same:?}"));
        }
    }
}

/// Told of by a process of its own, which reads with as many threads as it is told to.
const DIGEST: &str = "HOLDADVISE_TEST_DIGEST";

#[test]
fn threads_change_nothing() {
    if let Some(log) = std::env::var_os(DIGEST) {
        let past = PastHolds::read(&of_event_log(Path::new(&log))).unwrap();
        let successes = Successes::of(&past.holds);
        let rules = rules(&past);
        let replayed = replay(&past.holds, &successes, &releasers(), &rules);
        let suggestion = suggest(&past.holds, &successes, None, &rules, Version::NEWEST);
        std::fs::write(
            Path::new(&log).with_extension(std::env::var("RAYON_NUM_THREADS").unwrap()),
            format!("{:?} {replayed:?} {suggestion:?}", told(&past)),
        )
        .unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let log = event_log(FAULTS[1], folder.path());
    for threads in ["1", "2", "5"] {
        let run = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "threads_change_nothing"])
            .envs([(DIGEST, log.as_os_str()), ("RAYON_NUM_THREADS", threads.as_ref())])
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
    }
    let of = |threads: &str| std::fs::read_to_string(log.with_extension(threads)).unwrap();
    assert!(of("1").len() > 100_000);
    assert!(of("1") == of("2") && of("2") == of("5"), "another number of threads, other sums");
}

fn rules(past: &PastHolds) -> Rules {
    Rules { ticks: TICKS, max_releases: None, costs: Costs::default(), end: past.end }
}

fn releasers() -> Vec<Releaser> {
    let expressions = EXPRESSIONS.iter().map(|text| ReplayExpression::parse(text).unwrap());
    expressions.map(|expression| Releaser::Expression(Box::new(expression))).collect()
}

#[test]
fn damage_is_told_of_and_costs_no_more_than_it_touches() {
    let folder = tempfile::tempdir().unwrap();
    let log = event_log(POOLS[1], folder.path());
    let sound = PastHolds::read(&of_event_log(&log)).unwrap();

    // Bytes of no event in the middle of a file.
    let path = folder.path().join("EventLog.2");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    let event =
        middle + bytes[middle..].windows(5).position(|five| five == b"\n...\n").unwrap() + 5;
    bytes.splice(event..event, *b"\0\xff no event\n...\n");
    std::fs::write(&path, &bytes).unwrap();
    let past = PastHolds::read(&of_event_log(&log)).unwrap();
    assert_eq!(past.problems.len(), 1, "{:?}", past.problems);
    assert!(past.problems[0].contains("EventLog.2: byte "), "{}", past.problems[0]);
    assert_eq!(told(&past), told(&sound));

    // Cut in the middle of the last event of an older file: nothing but that is lost.
    let path = folder.path().join("EventLog.1");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 6]).unwrap();
    let past = PastHolds::read(&of_event_log(&log)).unwrap();
    assert_eq!(past.problems.len(), 2, "{:?}", past.problems);
    assert_eq!(past.holds.len(), sound.holds.len());
}

#[test]
fn files_that_are_no_logs() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let missing = folder.path().join("missing");
    let sources = |event_log: Option<&Path>, user_log: Option<&Path>| Sources {
        event_logs: event_log.into_iter().map(Path::to_owned).collect(),
        user_logs: user_log.into_iter().map(Path::to_owned).collect(),
        ..Sources::default()
    };
    for sources in [sources(Some(&missing), None), sources(None, Some(&missing))] {
        let problem = PastHolds::read(&sources).unwrap_err().to_string();
        assert!(problem.contains("missing"), "{problem}");
    }
    let no_ads = Sources { epochs: vec![missing.clone()], ..Sources::default() };
    let problem = PastHolds::read(&no_ads).unwrap_err();
    assert!(matches!(&problem, ReadError::Ads { path, .. } if *path == missing), "{problem}");

    let empty = write("empty", b"");
    let past = PastHolds::read(&sources(Some(&empty), Some(&empty))).unwrap();
    assert!(past.holds.is_empty() && past.problems.is_empty(), "{:?}", past.problems);

    let none = write("none", b"periodic_release = true\nqueue\n");
    // A log that was named has to be one.
    let problem = PastHolds::read(&sources(Some(&none), None)).unwrap_err().to_string();
    assert!(problem.contains("none is not a job event log"), "{problem}");
    let log = event_log(POOLS[0], folder.path());
    let problem = PastHolds::read(&sources(Some(&log), Some(&none))).unwrap_err().to_string();
    assert!(problem.contains("none is not a job event log"), "{problem}");
}
