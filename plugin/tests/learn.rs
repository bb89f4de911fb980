//! Learning at home, with the real programs: what models said is kept, a calibration is fitted, a
//! challenger is tried, installed and taken back, and a training is submitted once.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use eventlog::JobId;
use holdadvise::journal::{
    Asked, Entry, EntryKind, HoldOf, Journal, Learned, ModelAnswer, VERSION,
};
use holdadvise::model::{Calibration, DEFAULT_ARCHIVE, Model};
use holdadvise::random::Random;
use holdadvise_plugin::line::Line;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/pool-23.9");

/// An access point that learns.
struct AccessPoint {
    folder: tempfile::TempDir,
}

impl AccessPoint {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["state", "home", "user", "sweeps", "bin"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn advisor(&self, word: &str, settings: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_condor_holdadvise_advisor"));
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .arg(word)
            .env("HOME", self.path("user"))
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .env("_CONDOR_HOLDADVISE_STATE_DIR", self.path("state"))
            .env("_CONDOR_HOLDADVISE_HOME_DIR", self.path("home"))
            .env("_CONDOR_HOLDADVISE_LEARN", "True")
            .env("_CONDOR_EVENT_LOG", self.path("EventLog"));
        for (name, value) in settings {
            command.env(format!("_CONDOR_{name}"), value);
        }
        command
    }

    fn said(&self, word: &str, settings: &[(&str, &str)]) -> String {
        let output = self.advisor(word, settings).output().unwrap();
        assert!(output.status.success(), "{word}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    /// Another day begins.
    fn next_day(&self) {
        let path = self.path("state/learned/home.json");
        let mut state: serde_json::Value =
            serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        state["Last"] = 0.into();
        fs::write(&path, state.to_string()).unwrap();
    }

    fn add(&self, name: &str, entries: &[Entry]) {
        let journal = Journal::open(&self.path("state").join(name)).unwrap();
        journal.lock().unwrap().add(entries).unwrap();
    }

    fn home_has(&self, name: &str) -> bool {
        self.path("home").join(name).exists()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

fn shipped() -> String {
    Model::builtin_default().unwrap().metadata.identity()
}

/// The shipped model with another number in its metadata, and its identity.
fn model(number: u64) -> (Vec<u8>, String) {
    let mut archive = zip::ZipArchive::new(Cursor::new(DEFAULT_ARCHIVE)).unwrap();
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).unwrap();
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored);
        let name = entry.name().unwrap().into_owned();
        out.start_file(name.as_str(), options).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        if name.ends_with("holdadvise.json") {
            let mut metadata: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            metadata["training"]["number"] = number.into();
            bytes = serde_json::to_vec(&metadata).unwrap();
        }
        out.write_all(&bytes).unwrap();
    }
    let bytes = out.finish().unwrap().into_inner();
    let identity = Model::from_bytes(&bytes).unwrap().metadata.identity();
    (bytes, identity)
}

fn asked(job: JobId, entered: i64, in_use: ModelAnswer, challenger: Option<ModelAnswer>) -> Asked {
    let hold = HoldOf { job, num_holds: Some(1), entered_current_status: Some(entered) };
    Asked { hold, owner: None, in_use, challenger }
}

/// Releases of the last 80 days that came out as `truth` makes of the logit; the model in use serves
/// the logit, a challenger the truth.
fn outcomes(count: i32, truth: Calibration, challenger: Option<&str>) -> Vec<Entry> {
    let mut random = Random::new(8);
    let (begin, in_use) = (now() - 80 * 86_400, shipped());
    let entry = |number: i32| {
        let logit = (random.unit() * 8.0 - 4.0) as f32;
        let p = truth.probability(logit);
        let success = random.unit() < p;
        let entered = begin + i64::from(number) * 70 * 86_400 / i64::from(count);
        let said =
            |model: &str, probability| ModelAnswer { model: model.to_owned(), logit, probability };
        let asked = asked(
            JobId::new(1 + number, 0),
            entered,
            said(&in_use, Calibration::default().probability(logit)),
            challenger.map(|model| said(model, p)),
        );
        let (released, at) = (entered + 600, entered + 1_200);
        let what = EntryKind::Learned(Learned { asked, released, at, success });
        Entry { version: VERSION, time: at, what }
    };
    (0..count).map(entry).collect()
}

fn journal_by_month(point: &AccessPoint, entries: &[Entry]) {
    for chunk in entries.chunk_by(|one, next| month(one.time) == month(next.time)) {
        point.add("learned", chunk);
    }
}

fn month(time: i64) -> String {
    let at = jiff::Timestamp::from_second(time).unwrap().to_zoned(jiff::tz::TimeZone::UTC);
    at.strftime("%Y-%m").to_string()
}

/// What the judge says of recorded jobs.
fn judged(point: &AccessPoint, settings: &[(&str, &str)]) -> Vec<Line> {
    let log = format!("{DATA}/EventLog");
    let all = [&[("EVENT_LOG", log.as_str()), ("HOLDADVISE_LOG_HOURS", "8760")], settings].concat();
    let mut child = point
        .advisor("-judge", &all)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let ads = fs::read(format!("{DATA}/held.long")).unwrap();
    child.stdin.take().unwrap().write_all(&ads).unwrap();
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    assert!(status.success(), "{}", text(&stderr));
    let lines = stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| Line::read(line).unwrap_or_else(|| panic!("{}", text(line)))).collect()
}

fn asked_in(lines: &[Line]) -> Vec<&Asked> {
    let asked = lines.iter().filter_map(|line| match line {
        Line::Asked(asked) => Some(asked),
        _ => None,
    });
    asked.collect()
}

#[test]
fn models_are_asked_about_each_hold_beside_the_advice() {
    let point = AccessPoint::new();
    let off = judged(&point, &[("HOLDADVISE_LEARN", "False")]);
    assert!(asked_in(&off).is_empty());
    let on = judged(&point, &[]);
    let jobs = |lines: &[Line]| -> Vec<Line> {
        lines.iter().filter(|line| matches!(line, Line::Job(_))).cloned().collect()
    };
    // The advice is the same.
    assert_eq!(jobs(&on), jobs(&off));
    let said = asked_in(&on);
    assert!(said.len() > 10, "{}", said.len());
    assert!(said.iter().all(|one| one.in_use.model == shipped() && one.challenger.is_none()));

    // What was kept is not asked again, until a challenger is there.
    let entries: Vec<Entry> = said
        .iter()
        .map(|one| {
            let asked = Asked { owner: None, challenger: None, ..(*one).clone() };
            Entry { version: VERSION, time: now(), what: EntryKind::Asked(asked) }
        })
        .collect();
    point.add("asked", &entries);
    assert!(asked_in(&judged(&point, &[])).is_empty());
    let (bytes, identity) = model(7);
    fs::create_dir(point.path("state/learned")).unwrap();
    fs::write(point.path("state/learned/challenger.pt"), &bytes).unwrap();
    let both = judged(&point, &[]);
    assert_eq!(jobs(&both), jobs(&off));
    assert_eq!(asked_in(&both).len(), said.len());
    for one in asked_in(&both) {
        let other = one.challenger.as_ref().unwrap();
        // The same network under another name.
        assert_eq!((&other.model, other.logit), (&identity, one.in_use.logit));
    }
    // A file that others may write is not asked.
    let path = point.path("state/learned/challenger.pt");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    let lines = judged(&point, &[]);
    assert!(lines.iter().any(|line| matches!(line, Line::Note(note) if note.contains("others"))));
}

#[test]
fn a_calibration_is_fitted_once_a_day_and_used_by_the_command() {
    let point = AccessPoint::new();
    journal_by_month(&point, &outcomes(700, Calibration { a: 0.3, b: -0.8 }, None));
    let said = point.said("-learn", &[]);
    assert!(said.contains("Outcomes = 700") && said.contains("by 700 outcomes"), "{said}");
    assert!(said.contains("Problem = \"") && said.contains("EventLog"), "{said}");
    let path = point.path("home/calibration.json");
    let kept = fs::read_to_string(&path).unwrap();
    assert!(kept.contains(&shipped()), "{kept}");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o644);

    // Once a day.
    fs::remove_file(&path).unwrap();
    assert_eq!(point.said("-learn", &[]), "");
    assert!(!path.exists());
    point.next_day();
    assert!(point.said("-learn", &[]).contains("by 700 outcomes"));
    assert_eq!(fs::read_to_string(&path).unwrap(), kept);

    // Advice is by it: the judge serves another probability for the same logit.
    let probability = |lines: &[Line]| asked_in(lines)[0].in_use.probability;
    let own = judged(&point, &[]);
    fs::remove_file(&path).unwrap();
    let shipped = judged(&point, &[]);
    assert_eq!(asked_in(&own)[0].in_use.logit, asked_in(&shipped)[0].in_use.logit);
    assert_ne!(probability(&own), probability(&shipped));
}

/// The logit that a calibration file makes of a logit of 2.
fn served_at_two(point: &AccessPoint) -> f64 {
    let kept = fs::read(point.path("home/calibration.json"));
    let Ok(kept) = kept else { return 2.0 };
    let kept: serde_json::Value = serde_json::from_slice(&kept).unwrap();
    let of = |name: &str| kept["Calibration"][name].as_f64().unwrap();
    of("a") * 2.0 + of("b")
}

#[test]
fn failures_on_purpose_of_one_user_move_no_calibration_of_others() {
    let served = |with_owners: bool| {
        let point = AccessPoint::new();
        // Of 20 users, as the model says.
        let mut entries = outcomes(1_000, Calibration::default(), None);
        let failed = outcomes(200, Calibration { a: 0.0, b: -99.0 }, None);
        entries.extend(failed.into_iter().map(|mut entry| {
            if let EntryKind::Learned(learned) = &mut entry.what {
                learned.asked.hold.job.cluster += 10_000;
                // Where the model is sure, they fail on purpose.
                learned.asked.in_use.logit = learned.asked.in_use.logit.abs();
            }
            entry
        }));
        entries.sort_by_key(|entry| entry.time);
        for (number, entry) in entries.iter_mut().enumerate() {
            if let EntryKind::Learned(learned) = &mut entry.what {
                let is_honest = learned.asked.hold.job.cluster < 10_000;
                let owner = if is_honest { format!("user{}", number % 20) } else { "m".to_owned() };
                learned.asked.owner = Some(owner).filter(|_| with_owners);
            }
        }
        journal_by_month(&point, &entries);
        let said = point.said("-learn", &[]);
        assert!(said.contains("Outcomes = 1200"), "{said}");
        assert!(!with_owners || said.contains("Drift = \"none"), "{said}");
        served_at_two(&point)
    };
    let (known, unknown) = (served(true), served(false));
    assert!((known - 2.0).abs() < 0.25, "{known}");
    // Files of before have no owners: all of it may be of one, who moves it by one at most.
    assert!((unknown - 2.0).abs() <= 1.0 + 1e-6, "{unknown}");
}

#[test]
fn a_calibration_that_is_worse_on_newer_outcomes_is_not_kept() {
    let point = AccessPoint::new();
    let mut entries = outcomes(900, Calibration { a: 0.2, b: 2.0 }, None);
    // Of the newest third the model is right as it is.
    let right = outcomes(900, Calibration::default(), None);
    entries.splice(600.., right.into_iter().skip(600));
    journal_by_month(&point, &entries);
    let said = point.said("-learn", &[]);
    assert!(said.contains("do not improve it"), "{said}");
    assert!(!point.home_has("calibration.json"));
}

#[test]
fn outcomes_are_learned_from_the_event_log() {
    let point = AccessPoint::new();
    let time = |at: i64| {
        let at = jiff::Timestamp::from_second(at).unwrap();
        at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
    };
    let (held, mut log, mut entries) = (now() - 3 * 86_400, String::new(), Vec::new());
    for cluster in 1..=30 {
        let event = |number: &str, at: i64, text: &str| {
            format!("{number} ({cluster}.000.000) {} {text}\n...\n", time(held + at))
        };
        log += &event("000", -900, "Job submitted from host: <192.0.2.1:9618>");
        log += &event("012", 0, "Job was held.\n\tno such file\n\tCode 13 Subcode 2");
        log += &event("013", 3_600, "Job was released.\n\tvia condor_release (by user alice)");
        log += &event("001", 3_660, "Job executing on host: <192.0.2.2:9618>");
        let status = i32::from(cluster % 3 == 0);
        let ended = format!("Job terminated.\n\t(1) Normal termination (return value {status})");
        log += &event("005", 3_900, &ended);
        let answer = ModelAnswer { model: shipped(), logit: 0.5, probability: 0.6 };
        let asked = asked(JobId::new(cluster, 0), held, answer, None);
        // Every second hold was asked about only after its release.
        let at = if cluster % 2 == 0 { held + 60 } else { held + 3_700 };
        entries.push(Entry { version: VERSION, time: at, what: EntryKind::Asked(asked) });
    }
    fs::write(point.path("EventLog"), log).unwrap();
    point.add("asked", &entries);
    let said = point.said("-learn", &[]);
    assert!(said.contains("New = 15\nOutcomes = 15\n"), "{said}");
    // They are learned once.
    point.next_day();
    let said = point.said("-learn", &[]);
    assert!(said.contains("New = 0\nOutcomes = 15\n"), "{said}");
}

/// The state of the second request, whose sweep has made a model.
fn with_sweep(point: &AccessPoint, number: u64) -> String {
    let (bytes, identity) = model(number);
    let request = r#"{"Request": {"Number": 2, "At": 1, "Why": "drift"}}"#;
    let learned = point.path("state/learned");
    fs::create_dir_all(&learned).unwrap();
    fs::set_permissions(&learned, fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(learned.join("home.json"), request).unwrap();
    let sweep = point.path("sweeps/sweep-2");
    fs::create_dir_all(&sweep).unwrap();
    fs::write(sweep.join("bestmodel.pt"), bytes).unwrap();
    identity
}

#[test]
fn a_better_challenger_is_installed_where_that_is_allowed_and_taken_back() {
    let point = AccessPoint::new();
    let identity = with_sweep(&point, 11);
    let file = point.path("sweeps/sweep.yaml").display().to_string();
    let retrain = [("HOLDADVISE_RETRAIN", file.as_str())];
    let said = point.said("-learn", &retrain);
    assert!(said.contains("number 1 is on trial"), "{said}");
    // Its trial began long ago.
    let state = point.path("state/learned/home.json");
    let begun = fs::read_to_string(&state).unwrap();
    let mut begun: serde_json::Value = serde_json::from_str(&begun).unwrap();
    begun["Challenger"]["Since"] = (now() - 85 * 86_400).into();
    fs::write(&state, begun.to_string()).unwrap();
    journal_by_month(&point, &outcomes(900, Calibration { a: 0.5, b: 1.5 }, Some(&identity)));

    point.next_day();
    let said = point.said("-learn", &retrain);
    assert!(said.contains("would be installed, HOLDADVISE_INSTALL is not True"), "{said}");
    assert!(!point.home_has("model.pt"));
    point.next_day();
    let allowed = [retrain[0], ("HOLDADVISE_INSTALL", "True")];
    let named = [allowed[0], allowed[1], ("HOLDADVISE_MODEL", "/nowhere.pt")];
    let refused = point.advisor("-learn", &named).output().unwrap();
    assert!(!refused.status.success() && text(&refused.stderr).contains("/nowhere.pt"));
    let said = point.said("-learn", &allowed);
    assert!(said.contains("Challenger = \"installed: number 1"), "{said}");
    assert_eq!(fs::read(point.path("home/model.pt")).unwrap(), model(11).0);
    // It judges now.
    assert_eq!(asked_in(&judged(&point, &[]))[0].in_use.model, identity);

    let said = point.said("-rollback", &[]);
    assert!(said.contains(&identity) && said.contains("the one before is in use"), "{said}");
    assert!(!point.home_has("model.pt"));
    assert!(!point.advisor("-rollback", &[]).output().unwrap().status.success());
    point.next_day();
    let said = point.said("-learn", &allowed);
    assert!(said.contains("it is not tried again"), "{said}");
    assert!(!point.home_has("model.pt"));
}

#[test]
fn a_challenger_that_is_worse_is_not_installed() {
    let point = AccessPoint::new();
    let identity = with_sweep(&point, 12);
    let file = point.path("sweeps/sweep.yaml").display().to_string();
    let allowed = [("HOLDADVISE_RETRAIN", file.as_str()), ("HOLDADVISE_INSTALL", "True")];
    point.said("-learn", &allowed);
    // The model in use is right; what this one says belongs to other holds.
    let mut entries = outcomes(900, Calibration::default(), Some(&identity));
    let said: Vec<Option<ModelAnswer>> = entries.iter().map(challenger_of).collect();
    for (at, entry) in entries.iter_mut().enumerate() {
        if let EntryKind::Learned(learned) = &mut entry.what {
            learned.asked.challenger = said[(at + 450) % 900].clone();
        }
    }
    journal_by_month(&point, &entries);
    let state = point.path("state/learned/home.json");
    let mut begun: serde_json::Value = serde_json::from_slice(&fs::read(&state).unwrap()).unwrap();
    begun["Challenger"]["Since"] = (now() - 89 * 86_400).into();
    fs::write(&state, begun.to_string()).unwrap();
    point.next_day();
    let said = point.said("-learn", &allowed);
    assert!(said.contains("\"number 1, 89 days on trial, 900 releases"), "{said}");
    // After three months it is given up.
    begun["Challenger"]["Since"] = (now() - 91 * 86_400).into();
    fs::write(&state, begun.to_string()).unwrap();
    point.next_day();
    let said = point.said("-learn", &allowed);
    assert!(said.contains("given up: number 1"), "{said}");
    assert!(!point.home_has("model.pt"));
}

fn challenger_of(entry: &Entry) -> Option<ModelAnswer> {
    match &entry.what {
        EntryKind::Learned(learned) => learned.asked.challenger.clone(),
        _ => None,
    }
}

#[test]
fn drift_asks_for_a_training_where_a_sweep_is_named() {
    let point = AccessPoint::new();
    journal_by_month(&point, &outcomes(600, Calibration { a: 1.0, b: -2.5 }, None));
    let said = point.said("-learn", &[]);
    assert!(said.contains("Drift = \"probabilities are off by more than 0.5"), "{said}");
    assert!(!point.home_has("retrain.json"));
    point.next_day();
    let file = point.path("sweeps/sweep.yaml").display().to_string();
    let said = point.said("-learn", &[("HOLDADVISE_RETRAIN", &file)]);
    assert!(said.contains("training 1 is asked for"), "{said}");
    assert!(point.home_has("retrain.json"));
}

/// A program that notes that it ran.
fn program(point: &AccessPoint, name: &str, script: &str) {
    let path = point.path("bin").join(name);
    let log = point.path("ran").display().to_string();
    let text = format!("#!/bin/sh\necho \"{name} $*\" >>'{log}'\n{script}\n");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn give(path: &Path, user: u32) {
    std::os::unix::fs::chown(path, Some(user), Some(user)).unwrap();
}

#[test]
fn a_training_is_submitted_once_by_a_service_account_and_never_by_root() {
    const SERVICE: u32 = 65_533;
    let point = AccessPoint::new();
    let file = point.path("sweeps/sweep.yaml").display().to_string();
    let retrain = [("HOLDADVISE_RETRAIN", file.as_str())];
    program(&point, "holdadvise-train", "mkdir -p \"$4\" && echo '{}' >\"$4/sweep.json\"");
    program(&point, "condor_submit_dag", "test -f sweep.json");
    let request = r#"{"Number": 3, "At": 1, "Why": "2000 new outcomes"}"#;
    fs::write(point.path("home/retrain.json"), request).unwrap();
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        let refused = point.advisor("-retrain", &retrain).output().unwrap();
        assert!(!refused.status.success());
        assert!(text(&refused.stderr).contains("not submitted as root"));
        assert!(!point.path("ran").exists());
        give(&point.path("sweeps"), SERVICE);
        give(point.folder.path(), SERVICE);
    }
    let run = |settings: &[(&str, &str)]| {
        let mut command = point.advisor("-retrain", settings);
        if is_root {
            command.uid(SERVICE).gid(SERVICE);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert!(run(&[]).contains("names no sweep file"));
    let said = run(&retrain);
    assert!(said.contains("sweep-3: submitted, since 2000 new outcomes"), "{said}");
    assert!(run(&retrain).contains("submitted already"));
    let ran = fs::read_to_string(point.path("ran")).unwrap();
    let sweep = point.path("sweeps/sweep-3").display().to_string();
    let expected = format!("holdadvise-train dag {file} -o {sweep}\ncondor_submit_dag sweep.dag\n");
    assert_eq!(ran, expected);
}
