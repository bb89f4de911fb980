//! `condor_holdadvise_collect`, while a log is written and rotated as HTCondor does.

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use eventlog::{ReadOptions, is_header};
use holdadvise::collect::{Collected, Gap};
use jiff::tz::TimeZone;
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use tempfile::TempDir;

/// `EVENT_LOG_MAX_SIZE`
const MOST_BYTES: u64 = 20_000;

/// `EVENT_LOG_MAX_ROTATIONS`
const ROTATIONS: usize = 3;

/// Writes an event log (`WriteUserLog` in HTCondor).
struct Writer {
    log: PathBuf,
    sequence: u64,
    offset: u64,
    events: i32,
    bytes_of_event: usize,
}

impl Writer {
    fn new(log: PathBuf) -> Self {
        Self { log, sequence: 0, offset: 0, events: 0, bytes_of_event: 0 }
    }

    fn header(&self, size: u64) -> String {
        let (sequence, offset, now) = (self.sequence, self.offset, jiff::Timestamp::now());
        let (date, ctime) = (now.strftime("%Y-%m-%d %H:%M:%S"), now.as_second());
        let text = format!(
            "008 (-01.-01.-01) {date} Global JobLog: ctime={ctime} id=0.1.{sequence} sequence={sequence} \
             size={size} events=0 offset={offset} event_off=0 max_rotation={ROTATIONS} creator_name=<>"
        );
        format!("{text:250}\n...\n")
    }

    /// One event; the file is rotated before that when it is large enough. `true`: it was.
    fn write(&mut self, may_rotate: impl FnOnce()) -> bool {
        let size = fs::metadata(&self.log).map_or(0, |metadata| metadata.len());
        let is_over = size > MOST_BYTES;
        if is_over {
            may_rotate();
            self.rotate(size);
        }
        let mut file = File::options().append(true).create(true).open(&self.log).unwrap();
        if size == 0 || is_over {
            self.sequence += 1;
            file.write_all(self.header(0).as_bytes()).unwrap();
        }
        self.events += 1;
        let now = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M:%S").to_string();
        let reason = "x".repeat(self.events as usize * 37 % 500);
        let event = format!(
            "012 ({:03}.000.000) {now} Job was held.\n\t{reason}\n\tCode 13 Subcode 2\n...\n",
            self.events
        );
        self.bytes_of_event = event.len();
        file.write_all(event.as_bytes()).unwrap();
        is_over
    }

    fn rotate(&mut self, size: u64) {
        let mut file = File::options().write(true).open(&self.log).unwrap();
        file.rewind().unwrap();
        let begun = fs::read(&self.log).unwrap();
        // The date and the size are written anew, the rest stays.
        let header =
            String::from_utf8_lossy(&begun[..250]).replace("size=0 ", &format!("size={size} "));
        file.write_all(format!("{header:250.250}").as_bytes()).unwrap();
        for number in (1..ROTATIONS).rev() {
            let _ = fs::rename(self.rotated(number), self.rotated(number + 1));
        }
        fs::rename(&self.log, self.rotated(1)).unwrap();
        self.offset += size;
    }

    fn rotated(&self, number: usize) -> PathBuf {
        PathBuf::from(format!("{}.{number}", self.log.display()))
    }
}

fn command(log: &Path, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_condor_holdadvise_collect"));
    command.env_clear().arg("-eventlog").arg(log).arg("-folder").arg(folder);
    command
}

fn pass(log: &Path, folder: &Path) -> Output {
    command(log, folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The events of all files, in their order.
fn events(folder: &Path) -> Vec<i32> {
    let mut events = Vec::new();
    for log in Collected::of(folder).unwrap().logs {
        let mut log = eventlog::open(&log, &ReadOptions::in_zone(TimeZone::UTC)).unwrap();
        while let Some(event) = log.next_event() {
            let event = event.unwrap();
            if !is_header(&event) {
                events.push(event.job.cluster);
            }
        }
    }
    events
}

/// As if all that was rotated away had been left alone for two minutes.
fn let_settle(folders: [&Path; 2]) {
    for entry in folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()) {
        let file = File::open(entry.unwrap().path()).unwrap();
        if file.metadata().unwrap().is_file() {
            file.set_modified(SystemTime::now() - Duration::from_secs(120)).unwrap();
        }
    }
}

fn packed(folder: &Path) -> usize {
    let logs = Collected::of(folder).unwrap().logs;
    logs.iter().filter(|log| fs::read(log).unwrap().starts_with(&[0x1f, 0x8b])).count()
}

/// A small file system of its own, where this user may have one.
struct Small(PathBuf);

impl Small {
    fn mounted(at: PathBuf, size: &str) -> Option<Self> {
        fs::create_dir(&at).unwrap();
        let options = std::ffi::CString::new(format!("size={size}")).unwrap();
        match mount("none", &at, "tmpfs", MountFlags::empty(), options.as_c_str()) {
            Ok(()) => Some(Self(at)),
            Err(error) => {
                eprintln!("skipped: no file system can be mounted here: {error}");
                None
            }
        }
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = unmount(&self.0, UnmountFlags::DETACH);
    }
}

/// Passes are made, and some killed, while the log is rotated 50 times.
fn under_load(log: &Path, folder: &Path) {
    let (is_over, passes) = (AtomicBool::new(false), AtomicUsize::new(0));
    let mut writer = Writer::new(log.to_owned());
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0_u64.. {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let mut child = command(log, folder)
                    .stdout(Stdio::null())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap();
                if round % 3 == 0 {
                    thread::sleep(Duration::from_micros(round * 997 % 15_000));
                    child.kill().unwrap();
                    child.wait().unwrap();
                    continue;
                }
                let output = child.wait_with_output().unwrap();
                if output.status.success() {
                    passes.fetch_add(1, Ordering::Release);
                } else {
                    // A look that was too slow is made again.
                    let said = text(&output.stderr);
                    assert!(said.contains("it was rotated at each"), "{said}");
                }
            }
        });
        let mut seen = vec![0; ROTATIONS];
        while seen.len() < 50 + ROTATIONS {
            let rotation = seen.len();
            let was_rotated = writer.write(|| {
                // A pass lies wholly between this rotation and the one before which it deletes.
                let needed = seen[rotation - ROTATIONS] + 2;
                while passes.load(Ordering::Acquire) < needed {
                    thread::sleep(Duration::from_micros(100));
                }
            });
            if was_rotated {
                seen.push(passes.load(Ordering::Acquire));
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let last = pass(log, folder);
    assert!(last.status.success(), "{}", text(&last.stderr));
    assert_eq!(events(folder), (1..=writer.events).collect::<Vec<_>>());
    let_settle([log.parent().unwrap(), folder]);
    let last = pass(log, folder);
    assert!(last.status.success(), "{}", text(&last.stderr));
    assert!(text(&last.stdout).contains("HoldAdviceLogsGaps = 0\n"), "{}", text(&last.stdout));
    assert!(text(&last.stdout).contains("HoldAdviceLogsFiles = 51\n"), "{}", text(&last.stdout));
    assert_eq!(events(folder), (1..=writer.events).collect::<Vec<_>>());
    assert_eq!((packed(folder), Collected::of(folder).unwrap().logs.len()), (50, 51));
}

#[test]
fn fifty_rotations_under_load_give_every_event_once() {
    let place = TempDir::new().unwrap();
    under_load(&place.path().join("EventLog"), &place.path().join("kept"));
}

#[test]
fn fifty_rotations_onto_another_file_system_give_every_event_once() {
    let place = TempDir::new().unwrap();
    let Some(other) = Small::mounted(place.path().join("other"), "64m") else { return };
    under_load(&place.path().join("EventLog"), &other.0.join("kept"));
}

#[test]
fn a_rotation_that_is_too_fast_is_a_gap() {
    let place = TempDir::new().unwrap();
    let (log, folder) = (place.path().join("EventLog"), place.path().join("kept"));
    let mut writer = Writer::new(log.clone());
    while !writer.write(|| {}) {}
    assert!(pass(&log, &folder).status.success());
    let (mut rotations, mut first) = (0, Vec::new());
    // Every event with its bytes; those of the files behind the one that was linked go.
    let mut written = Vec::new();
    while rotations < ROTATIONS + 4 {
        if writer.write(|| {}) {
            rotations += 1;
            first.push(writer.events);
        }
        written.push((writer.events, writer.bytes_of_event));
    }
    let output = pass(&log, &folder);
    let said = text(&output.stderr);
    assert!(said.starts_with("Warning: the event log has a gap between 2"), "{said}");
    assert!(text(&output.stdout).contains("HoldAdviceLogsGaps = 1\n"), "{}", text(&output.stdout));
    // The linked file, then a gap, then what the rotations still hold.
    let kept = events(&folder);
    let gone = first[0]..first[rotations - ROTATIONS - 1];
    let expected: Vec<i32> = (1..gone.start).chain(gone.end..=writer.events).collect();
    assert_eq!(kept, expected);
    let gaps = Collected::of(&folder).unwrap().gaps;
    let [Gap { certain: true, files: Some(files), bytes: Some(bytes), .. }] = gaps[..] else {
        panic!("{gaps:?}")
    };
    let of_events: usize =
        written.iter().filter(|(event, _)| gone.contains(event)).map(|(_, bytes)| bytes).sum();
    assert_eq!(files as usize, rotations - ROTATIONS - 1);
    assert_eq!(bytes as usize, of_events + files as usize * writer.header(0).len());
}

#[test]
fn a_full_disk_keeps_what_is_there() -> io::Result<()> {
    let place = TempDir::new()?;
    let Some(small) = Small::mounted(place.path().join("small"), "256k") else { return Ok(()) };
    let (log, folder) = (place.path().join("EventLog"), small.0.join("kept"));
    let mut writer = Writer::new(log.clone());
    (0..20).for_each(|_| assert!(!writer.write(|| {})));
    assert!(pass(&log, &folder).status.success());
    let ballast = small.0.join("ballast");
    let mut file = File::create(&ballast)?;
    while file.write_all(&[0; 4096]).is_ok() {}
    drop(file);
    let mut rotations = 0;
    while rotations < 2 {
        rotations += i32::from(writer.write(|| {}));
    }
    let output = pass(&log, &folder);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the next pass goes on"), "{said}");
    let kept = events(&folder);
    assert!(kept.len() >= 20 && kept.iter().copied().eq(1..=kept.len() as i32), "{kept:?}");
    fs::remove_file(ballast)?;
    let output = pass(&log, &folder);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(events(&folder), (1..=writer.events).collect::<Vec<_>>());
    Ok(())
}

#[test]
fn what_cannot_be_used_is_said() {
    let place = TempDir::new().unwrap();
    let program = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_condor_holdadvise_collect"));
        command.env_clear().env("PATH", place.path()).env("HOME", place.path());
        command
    };
    let said = |command: &mut Command| {
        let output = command.output().unwrap();
        (output.status.code(), text(&output.stderr))
    };
    let (status, error) = said(&mut program());
    assert!(status == Some(1) && error.contains("neither EVENT_LOG nor"), "{error}");
    let (status, error) = said(program().arg("now"));
    assert!(status == Some(1) && error.contains("unrecognized argument now"), "{error}");
    let mut wrong = program();
    wrong.env("_CONDOR_EVENT_LOG", "/nowhere").env("_CONDOR_HOLDADVISE_KEEP_DAYS", "soon");
    let (status, error) = said(&mut wrong);
    assert!(status == Some(1) && error.contains("HOLDADVISE_KEEP_DAYS is \"soon\""), "{error}");
    let mut off = program();
    off.env("_CONDOR_EVENT_LOG", "/nowhere").env("_CONDOR_HOLDADVISE_COLLECT_DIR", "none");
    assert_eq!(said(&mut off), (Some(0), String::new()));
    // A log that is not there yet is nothing.
    let mut early = program();
    early.env("_CONDOR_EVENT_LOG", place.path().join("EventLog"));
    let (status, error) = said(early.arg("-folder").arg(place.path().join("kept")));
    assert_eq!((status, error.as_str()), (Some(0), ""));
}
