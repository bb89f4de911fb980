//! What a simulation writes: the same for the same seed, legal, readable, and not too easy.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Command;

use eventlog::{Body, EventKind, FileTransferKind, JobId};
use holdadvise_simulate::{Cell, Preset, Settings, Summary, simulate};
use tempfile::TempDir;

fn settings(folder: &Path, seed: u64, days: u32) -> Settings {
    Settings::new(Preset::load("small").unwrap(), seed, days, folder)
}

fn simulated(seed: u64, days: u32) -> (TempDir, Summary) {
    let folder = tempfile::tempdir().unwrap();
    let summary = simulate(&settings(folder.path(), seed, days)).unwrap();
    (folder, summary)
}

#[test]
fn the_seed_decides_every_byte() {
    let (one, _) = simulated(3, 2);
    let (same, _) = simulated(3, 2);
    let (other, _) = simulated(4, 2);
    for name in ["EventLog", "epoch_history", "truth.jsonl"] {
        let read = |folder: &TempDir| std::fs::read(folder.path().join(name)).unwrap();
        assert!(!read(&one).is_empty(), "{name}");
        assert!(read(&one) == read(&same), "{name} differs");
        assert!(read(&one) != read(&other), "{name} is the same");
    }
}

/// Where a job is, as its events tell.
#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    Queue,
    Transfer,
    Program,
    Lost,
    Output,
    /// The run is over (007, 004), the job idle or about to be held.
    Over,
    Held,
    Gone,
}

fn next(at: Option<At>, body: &Body<'_>) -> Option<At> {
    let next = match (at, body) {
        (None, Body::Submit(_)) => At::Queue,
        (Some(At::Queue | At::Over), Body::FileTransfer(transfer))
            if matches!(
                transfer.kind,
                Some(FileTransferKind::InputQueued | FileTransferKind::InputStarted)
            ) =>
        {
            At::Transfer
        }
        (Some(At::Transfer), Body::FileTransfer(transfer))
            if matches!(
                transfer.kind,
                Some(FileTransferKind::InputStarted | FileTransferKind::InputFinished)
            ) =>
        {
            At::Transfer
        }
        (Some(At::Transfer), Body::Execute(_)) => At::Program,
        (Some(At::Program), Body::ImageSize(_)) => At::Program,
        (Some(At::Lost), Body::ImageSize(_)) => At::Lost,
        (Some(At::Program), Body::Disconnected(_)) => At::Lost,
        (Some(At::Lost), Body::Reconnected(_)) => At::Program,
        (Some(At::Lost), Body::ReconnectFailed(_)) => At::Over,
        (Some(At::Program), Body::FileTransfer(transfer))
            if transfer.kind == Some(FileTransferKind::OutputStarted) =>
        {
            At::Output
        }
        (Some(At::Output), Body::FileTransfer(transfer))
            if transfer.kind == Some(FileTransferKind::OutputFinished) =>
        {
            At::Output
        }
        (Some(at), Body::RemoteError(_)) if !matches!(at, At::Held | At::Gone) => at,
        (
            Some(At::Queue | At::Transfer | At::Program | At::Output | At::Over),
            Body::ShadowException(_),
        ) => At::Over,
        // A prepare hook may fail before anything is sent: in the first run, or in the one behind
        // an eviction.
        (
            Some(At::Queue | At::Over | At::Transfer | At::Program | At::Output | At::Lost),
            Body::Evicted(_),
        ) => At::Over,
        (Some(At::Program | At::Output), Body::Terminated(_)) => At::Gone,
        (Some(at), Body::Held(held)) if !matches!(at, At::Held | At::Gone) => {
            assert!(held.reason.is_some() && held.code.is_some());
            At::Held
        }
        (Some(At::Held), Body::Released(released)) => {
            assert!(released.reason.is_some());
            At::Queue
        }
        (Some(at), Body::Aborted(_)) if at != At::Gone => At::Gone,
        _ => return None,
    };
    Some(next)
}

/// Reads the log of a simulation, checks the life of each job, and counts events by number.
fn legal(folder: &TempDir, summary: &Summary) -> BTreeMap<u16, usize> {
    let bytes = std::fs::read(folder.path().join("EventLog")).unwrap();
    let mut at: HashMap<JobId, At> = HashMap::new();
    let mut last = 0;
    let mut holds = 0;
    let mut kinds: BTreeMap<u16, usize> = BTreeMap::new();
    for event in eventlog::Events::new(&bytes) {
        let event = event.unwrap_or_else(|damage| panic!("{damage:?}"));
        assert!(event.time.seconds >= last, "{:?} goes back", event.job);
        last = event.time.seconds;
        *kinds.entry(event.number).or_default() += 1;
        if matches!(event.kind(), EventKind::JobAdInformation | EventKind::Generic) {
            continue;
        }
        let body = event.body();
        holds += usize::from(matches!(body, Body::Held(_)));
        let before = at.get(&event.job).copied();
        let after = next(before, &body);
        assert!(after.is_some(), "{} at {before:?}: {body:?}", event.job);
        at.extend(after.map(|after| (event.job, after)));
    }
    assert_eq!(at.len(), summary.jobs);
    assert_eq!(holds, summary.cells.values().map(|cell| cell.holds).sum::<usize>());
    kinds
}

#[test]
fn every_job_lives_a_legal_life() {
    let (folder, summary) = simulated(7, 10);
    let kinds = legal(&folder, &summary);
    for number in [0, 1, 4, 5, 6, 7, 9, 12, 13, 21, 22, 23, 28, 40] {
        assert!(kinds.contains_key(&number), "no event {number:03}: {kinds:?}");
    }
}

#[test]
fn lives_are_legal_whatever_an_hour_takes() {
    for unit in [0.004, 24.0] {
        let folder = tempfile::tempdir().unwrap();
        let usual = settings(folder.path(), 7, 6);
        let layers = ["faults-3".to_owned()];
        let preset = Preset::load_with("small", &layers).unwrap().in_unit(unit);
        let summary = simulate(&Settings { preset, ..usual }).unwrap();
        legal(&folder, &summary);
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(6))]

    #[test]
    fn any_seed_gives_legal_lives(seed: u64, days in 1_u32..3) {
        let (folder, summary) = simulated(seed, days);
        legal(&folder, &summary);
    }
}

/// The cells of three access points together: one outage in the wrong week colours a single one.
fn cells_of_three() -> (BTreeMap<(i32, i32), Cell>, Cell) {
    let add = |to: &mut Cell, cell: &Cell| {
        to.holds += cell.holds;
        to.released += cell.released;
        to.successes += cell.successes;
        to.failures += cell.failures;
        to.as_is_successes += cell.as_is_successes;
        to.as_is_failures += cell.as_is_failures;
        to.transient += cell.transient;
    };
    let (mut cells, mut total): (BTreeMap<_, Cell>, _) = Default::default();
    for seed in [7, 8, 9] {
        let (_folder, summary) = simulated(seed, 28);
        println!("seed {seed}: {summary}");
        add(&mut total, &summary.total);
        for (key, cell) in &summary.cells {
            add(cells.entry(*key).or_default(), cell);
        }
    }
    (cells, total)
}

#[test]
fn the_same_code_has_transient_and_permanent_causes() {
    let (cells, all) = cells_of_three();
    assert!(all.holds > 6_000, "{all:?}");
    assert!(all.released * 10 >= all.holds * 3, "{all:?}");
    let rate = all.success_rate().unwrap();
    assert!((0.35..=0.65).contains(&rate), "{all:?}");
    let mixed = cells.values().filter(|cell| {
        cell.as_is_successes + cell.as_is_failures >= 60
            && cell.as_is_success_rate().is_some_and(|rate| (0.3..=0.7).contains(&rate))
    });
    assert!(mixed.count() >= 6, "{cells:?}");
    for key in [(13, 256), (13, 2), (12, 2), (34, 102), (3, 0)] {
        let cell = cells[&key];
        let share = cell.transient as f64 / cell.holds as f64;
        assert!((0.1..=0.9).contains(&share), "{key:?}: {cell:?}");
    }
}

#[test]
fn epoch_ads_tell_of_holds_and_of_edits() {
    let (folder, _) = simulated(7, 10);
    let file = File::open(folder.path().join("epoch_history")).unwrap();
    let mut requests: HashMap<(i64, i64), Vec<i64>> = HashMap::new();
    let (mut ads, mut held) = (0, 0);
    for ad in classads::read_ads(BufReader::new(file)) {
        let ad = ad.unwrap();
        assert_eq!(ad.errors().next(), None);
        ads += 1;
        let number = |name: &str| ad.integer(name).unwrap_or_else(|| panic!("no {name} in {ad:?}"));
        held += usize::from(ad.integer("HoldReasonCode").is_some());
        let job = (number("ClusterId"), number("ProcId"));
        requests.entry(job).or_default().push(number("RequestMemory"));
        assert!(number("MemoryProvisioned") >= number("RequestMemory"));
        assert!(number("NumShadowStarts") as usize >= requests[&job].len());
        assert_eq!(number("NumShadowStarts"), number("JobRunCount"));
    }
    assert!(ads > 1_000 && held > 100, "{ads} ads, {held} of holds");
    let edited = requests.values().filter(|all| all.windows(2).any(|two| two[0] != two[1]));
    assert!(edited.count() > 5);
}

#[test]
fn the_log_is_rotated_by_size() {
    let folder = tempfile::tempdir().unwrap();
    let rotated =
        Settings { largest_log: 200_000, most_rotations: 50, ..settings(folder.path(), 2, 1) };
    simulate(&rotated).unwrap();
    let whole = tempfile::tempdir().unwrap();
    simulate(&settings(whole.path(), 2, 1)).unwrap();
    let count = |path: PathBuf| {
        let bytes = std::fs::read(path).unwrap();
        let events = eventlog::Events::new(&bytes);
        let kinds: Vec<_> = events.map(|event| event.unwrap().kind()).collect();
        assert_eq!(kinds[0], EventKind::Generic);
        kinds.len() - 1
    };
    let names: Vec<PathBuf> = std::iter::once(folder.path().join("EventLog"))
        .chain((1..=50).map(|number| folder.path().join(format!("EventLog.{number}"))))
        .filter(|path| path.exists())
        .collect();
    assert!(names.len() > 2, "{names:?}");
    let events: usize = names.into_iter().map(count).sum();
    assert_eq!(events, count(whole.path().join("EventLog")));
}

/// Reads a log with HTCondor's own reader and counts events and holds.
const READ: &str = "
import sys, htcondor2
events = holds = 0
for event in htcondor2.JobEventLog(sys.argv[1]).events(stop_after=0):
    events += 1
    if event.type == htcondor2.JobEventType.JOB_HELD:
        holds += 1
        assert event['HoldReason'] and event['HoldReasonCode'] > 0
print(events, holds)
";

#[test]
fn htcondor_reads_the_log() {
    let python = std::env::var("HOLDADVISE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let found = Command::new(&python).args(["-c", "import htcondor2"]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        println!(
            "skipped: {python} cannot import htcondor2 (pip install htcondor; HOLDADVISE_PYTHON names another)"
        );
        return;
    }
    let (folder, summary) = simulated(7, 3);
    let path = folder.path().join("EventLog");
    let output = Command::new(&python).args(["-c", READ]).arg(&path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let bytes = std::fs::read(&path).unwrap();
    let events = eventlog::Events::new(&bytes).count();
    let holds: usize = summary.cells.values().map(|cell| cell.holds).sum();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), format!("{events} {holds}"));
}
