//! HTCondor writes and rotates, passes are made and killed, the disk is full: what is kept.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::ops::Range;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use tempfile::TempDir;

use super::source::unix;
use super::*;
use eventlog::{ReadOptions, is_header};

thread_local! {
    /// Steps until the pass is killed.
    static STEPS: Cell<Option<u32>> = const { Cell::new(None) };
    /// Bytes that there is room for.
    static ROOM: Cell<Option<usize>> = const { Cell::new(None) };
}

struct Killed;

pub(super) fn step() {
    match STEPS.get() {
        Some(0) => resume_unwind(Box::new(Killed)),
        Some(left) => STEPS.set(Some(left - 1)),
        None => {}
    }
}

pub(super) fn room_for(bytes: usize) -> io::Result<()> {
    let Some(room) = ROOM.get() else { return Ok(()) };
    let left = room.checked_sub(bytes).ok_or(io::ErrorKind::StorageFull)?;
    ROOM.set(Some(left));
    Ok(())
}

/// Seconds after which what was just written is compressed.
const LATER: i64 = 120;

/// A log and the folder.
struct World {
    place: TempDir,
    settings: Settings,
    series: Series,
    rotations: u32,
    /// Rotations so far.
    rotated: u32,
    /// Bytes of all files before the live one.
    offset: u64,
    /// Events or ads so far.
    written: i32,
    /// When the files were begun.
    begun: i64,
}

impl World {
    fn new(series: Series, rotations: u32, links: bool) -> Self {
        let place = TempDir::new().unwrap();
        let mut settings = Settings::of(place.path().join("kept"));
        settings.links = links;
        let (live, begun) = (Some(place.path().join("live")), unix(SystemTime::now()));
        match series {
            Series::EventLog => settings.event_log = live,
            Series::Epochs => settings.epochs = live,
        }
        Self { place, settings, series, rotations, rotated: 0, offset: 0, written: 0, begun }
    }

    fn live(&self) -> PathBuf {
        self.place.path().join("live")
    }

    fn header(&self, size: u64) -> String {
        let (sequence, offset, begun) = (self.rotated + 1, self.offset, self.begun);
        format!(
            "008 (-01.-01.-01) 2026-01-02 03:04:05 Global JobLog: ctime={begun} id=0.1.{sequence:04} \
             sequence={sequence:04} size={size:<9} events=0 offset={offset:<12} event_off=0 \
             max_rotation=1 creator_name=<>  \n...\n"
        )
    }

    fn write(&mut self, count: i32) {
        let mut live = File::options().append(true).create(true).open(self.live()).unwrap();
        if self.series == Series::EventLog && live.metadata().unwrap().len() == 0 {
            live.write_all(self.header(0).as_bytes()).unwrap();
        }
        for _ in 0..count {
            self.written += 1;
            live.write_all(text(self.series, self.written).as_bytes()).unwrap();
        }
    }

    fn rotate(&mut self) {
        let live = self.live();
        let name = |suffix: &str| self.place.path().join(format!("live.{suffix}"));
        let Ok(metadata) = fs::metadata(&live) else { return };
        self.rotated += 1;
        if self.series == Series::Epochs {
            // The oldest goes first, then there is one more (`RemoveExtraHistoryFiles`).
            let date = |at: u32| name(&format!("20260102T{at:06}"));
            if let Some(oldest) = self.rotated.checked_sub(self.rotations) {
                let _ = fs::remove_file(date(oldest));
            }
            return fs::rename(live, date(self.rotated)).unwrap();
        }
        self.rotated -= 1;
        let mut file = File::options().write(true).open(&live).unwrap();
        file.rewind().unwrap();
        file.write_all(self.header(metadata.len()).as_bytes()).unwrap();
        self.rotated += 1;
        self.offset += metadata.len();
        if self.rotations == 1 {
            return fs::rename(live, name("old")).unwrap();
        }
        for number in (1..self.rotations).rev() {
            let _ = fs::rename(name(&number.to_string()), name(&(number + 1).to_string()));
        }
        fs::rename(live, name("1")).unwrap();
    }

    fn pass_at(&self, after: i64) -> Report {
        let report = collect(&self.settings, unix(SystemTime::now()) + after).unwrap().unwrap();
        assert_eq!(report.deleted, []);
        report
    }

    fn pass(&self) {
        assert_eq!(self.pass_at(0).problems, [""; 0]);
    }

    /// A pass that ends after so many steps, or when the disk has so many bytes more.
    fn broken_pass(&self, after: i64, steps: Option<u32>, room: Option<usize>) {
        STEPS.set(steps);
        ROOM.set(room);
        let ended = catch_unwind(AssertUnwindSafe(|| self.pass_at(after)));
        STEPS.set(None);
        ROOM.set(None);
        if let Err(panic) = ended
            && !panic.is::<Killed>()
        {
            resume_unwind(panic);
        }
    }

    /// What each file has, by its number.
    fn kept(&self) -> BTreeMap<u64, Vec<i32>> {
        let (kept, problems) = kept::Kept::list(&self.settings.folder, self.series).unwrap();
        assert_eq!(problems, [""; 0]);
        let read = |kept: &kept::Kept| {
            (kept.number, numbers(self.series, &self.settings.folder.join(kept.name())))
        };
        kept.iter().map(read).collect()
    }

    /// Everything is there once and in order, but for what is in gaps; and those tell how much that
    /// is where they are certain.
    fn check(&self) -> Result<Vec<Range<i32>>, TestCaseError> {
        let gaps = gap::list(&self.settings.folder).unwrap();
        let (mut next, mut last, mut missing) = (1, None, Vec::new());
        // Since the last event; what was before the first pass is no gap.
        let mut passed: Vec<&Gap> = Vec::new();
        for (number, events) in self.kept() {
            if last.is_some_and(|last| last + 1 < number) {
                let at = |gap: &&Gap| (Some(gap.after), gap.before) == (last, number);
                let gap = gaps.iter().find(at);
                prop_assert!(gap.is_some(), "no gap before {number}: {gaps:?}");
                passed.extend(gap);
            }
            for event in events {
                prop_assert!(event >= next, "{event} is there twice, in {number}");
                if event > next {
                    prop_assert!(next == 1 || !passed.is_empty(), "{next} to {event}: {gaps:?}");
                    missing.push(next..event);
                }
                if next > 1 && passed.iter().all(|gap| gap.certain) {
                    let text = |lost| text(self.series, lost).len() as u64;
                    let lost: u64 = (next..event).map(text).sum();
                    let header = self.header(0).len() as u64;
                    let lost_in =
                        |gap: &&Gap| gap.bytes.unwrap_or(0) - gap.files.unwrap_or(0) * header;
                    prop_assert_eq!(passed.iter().map(lost_in).sum::<u64>(), lost);
                }
                passed.clear();
                next = event + 1;
            }
            last = Some(number);
        }
        prop_assert_eq!(next, self.written + 1, "the end is missing");
        Ok(missing)
    }
}

fn text(series: Series, number: i32) -> String {
    match series {
        Series::EventLog => {
            format!("013 ({number}.000.000) 2026-01-02 03:04:05 Job was released.\n...\n")
        }
        // Long enough for its end to be looked at.
        Series::Epochs => format!(
            "Args = \"{:2000}\"\nClusterId = {number}\nProcId = 0\nEpochWriteDate = 1767323045\n\
             *** EPOCH ClusterId={number} ProcId=0 RunInstanceId=0 Owner=\"a\" CurrentTime=1767323045\n",
            ""
        ),
    }
}

fn numbers(series: Series, path: &Path) -> Vec<i32> {
    if series == Series::Epochs {
        let ads = classads::read_ads(eventlog::input::reader(path).unwrap());
        return ads.map(|ad| ad.unwrap().integer("ClusterId").unwrap() as i32).collect();
    }
    let mut log = eventlog::open(path, &ReadOptions::in_zone(jiff::tz::TimeZone::UTC)).unwrap();
    let mut numbers = Vec::new();
    while let Some(event) = log.next_event() {
        let event = event.unwrap();
        if !is_header(&event) {
            numbers.push(event.job.cluster);
        }
    }
    numbers
}

fn each(check: impl Fn(World)) {
    for series in Series::ALL {
        for links in [true, false] {
            for rotations in [1, 3] {
                check(World::new(series, rotations, links));
            }
        }
    }
}

#[test]
fn everything_is_there_once_after_50_rotations() {
    each(|mut world| {
        for rotation in 0..50 {
            world.write(rotation % 7 + 1);
            world.pass_at(if rotation % 3 == 0 { LATER } else { 0 });
            world.write(rotation % 3);
            world.rotate();
        }
        world.write(1);
        let report = world.pass_at(LATER);
        assert_eq!((report.problems.len(), report.gaps.len()), (0, 0), "{report:?}");
        assert_eq!(world.check().unwrap(), []);
        assert_eq!((report.files, world.kept().len()), (51, 51));
        // All but the live one are compressed, and keep the time they were written.
        for number in 1..=51 {
            let file = File::open(world.settings.folder.join(world.series.file(number))).unwrap();
            assert_eq!(eventlog::input::is_packed(&file).unwrap(), number < 51);
            let age = file.metadata().unwrap().modified().unwrap().elapsed().unwrap();
            assert!(age < Duration::from_secs(100), "{age:?}");
        }
    });
}

#[test]
fn a_rotation_that_is_too_fast_is_a_gap() {
    each(|mut world| {
        world.write(2);
        world.pass();
        for _ in 0..6 {
            world.rotate();
            world.write(2);
        }
        let report = world.pass_at(0);
        let [gap] = &report.new_gaps[..] else { panic!("{report:?}") };
        assert_eq!(gap.after + 2, gap.before);
        let is_log = world.series == Series::EventLog;
        assert_eq!(gap.certain, is_log);
        let missing = world.check().unwrap();
        assert_eq!(missing.len(), 1);
        let files = (missing[0].end - missing[0].start) as u64 / 2;
        assert_eq!(gap.files, is_log.then_some(files));
        let sentence = gap.sentence();
        assert!(
            sentence.contains(if is_log { "bytes are missing" } else { "may have" }),
            "{sentence}"
        );
        // It is listed once, and read with the folder.
        assert_eq!(world.pass_at(LATER).new_gaps, []);
        if is_log {
            assert_eq!(Collected::of(&world.settings.folder).unwrap().gaps, report.gaps);
        }
    });
}

#[test]
fn what_is_old_or_too_much_goes_oldest_first_and_the_newest_stays() {
    let mut world = World::new(Series::EventLog, 3, true);
    for _ in 0..6 {
        world.write(50);
        world.pass();
        world.rotate();
    }
    world.write(50);
    world.pass_at(LATER);
    let now = unix(SystemTime::now());
    let old = File::open(world.settings.folder.join("EventLog.000002")).unwrap();
    old.set_modified(SystemTime::now() - Duration::from_secs(181 * 86_400)).unwrap();
    // The one before is not left behind.
    let first = File::open(world.settings.folder.join("EventLog.000001")).unwrap();
    first.set_modified(SystemTime::now() - Duration::from_secs(182 * 86_400)).unwrap();
    let report = collect(&world.settings, now).unwrap().unwrap();
    let names = |report: &Report| -> Vec<String> {
        report.deleted.iter().map(|deleted| deleted.name.clone()).collect()
    };
    assert_eq!(names(&report), ["EventLog.000001", "EventLog.000002"]);
    assert!(report.deleted[0].sentence().contains("it is older than is kept"));
    world.settings.keep_bytes = 1;
    let report = collect(&world.settings, now).unwrap().unwrap();
    assert_eq!(names(&report).len(), 4);
    assert!(report.deleted[0].sentence().contains("larger than is kept"));
    assert_eq!((report.files, report.new_gaps.len()), (1, 0));
    // HTCondor has still some of them: they are not taken again.
    assert_eq!(collect(&world.settings, now).unwrap().unwrap().taken, 0);
    assert_eq!(world.kept().into_keys().collect::<Vec<_>>(), [7]);
}

#[test]
fn a_full_disk_is_said_and_the_next_pass_goes_on() {
    each(|mut world| {
        world.write(40);
        world.pass();
        world.write(40);
        let links = world.settings.links;
        ROOM.set(Some(100));
        let report = world.pass_at(0);
        ROOM.set(None);
        assert_eq!(report.problems.is_empty(), links, "{report:?}");
        assert!(links || report.problems[0].contains("the next pass goes on"), "{report:?}");
        assert!(!world.settings.folder.join(".new").exists());
        world.rotate();
        world.write(1);
        assert_eq!(world.pass_at(0).problems, [""; 0]);
        assert_eq!(world.check().unwrap(), []);
    });
}

/// A pass that was killed left half an event or ad at the end of the copy of a live file.
fn half_copied(series: Series) -> World {
    let mut world = World::new(series, 1, false);
    world.write(1);
    world.pass();
    world.write(100);
    world.broken_pass(0, Some(3), None);
    let half = fs::read(world.settings.folder.join(series.file(1))).unwrap();
    let whole = fs::read(world.live()).unwrap();
    assert!(half.len() < whole.len() && whole.starts_with(&half) && !half.ends_with(b"\n"));
    world
}

#[test]
fn a_half_copy_whose_source_is_gone_ends_with_what_is_whole() {
    for series in Series::ALL {
        for settled in [0, LATER] {
            let mut world = half_copied(series);
            for _ in 0..2 {
                world.rotate();
                world.write(1);
            }
            let gaps = world.pass_at(settled).new_gaps;
            assert_eq!(gaps.len(), 1, "{gaps:?}");
            assert_eq!(world.pass_at(LATER).problems, [""; 0]);
            let missing = world.check().unwrap();
            let [Range { start: 2..102, end: 102 }] = missing[..] else { panic!("{missing:?}") };
        }
    }
}

#[test]
fn a_half_copy_is_completed_as_long_as_its_source_may_come_back() {
    for series in Series::ALL {
        for settled in [0, LATER] {
            let mut world = half_copied(series);
            let hidden = world.place.path().join("hidden");
            fs::rename(world.live(), &hidden).unwrap();
            world.pass_at(settled);
            fs::rename(&hidden, world.live()).unwrap();
            world.write(1);
            world.pass();
            assert_eq!(world.check().unwrap(), []);
        }
    }
}

#[test]
fn a_late_writer_and_a_log_begun_anew_lose_nothing() {
    for links in [true, false] {
        let mut world = World::new(Series::EventLog, 3, links);
        world.write(2);
        world.rotate();
        world.pass_at(LATER);
        let rotated = world.place.path().join("live.1");
        let mut late = File::options().append(true).open(rotated).unwrap();
        world.written += 1;
        late.write_all(text(world.series, world.written).as_bytes()).unwrap();
        world.pass();
        world.write(1);
        world.pass_at(LATER);
        assert_eq!(world.check().unwrap(), []);
        // Somebody removed the log: whether its end was seen nobody knows.
        fs::remove_file(world.live()).unwrap();
        (world.rotated, world.offset) = (0, 0);
        world.write(1);
        let report = world.pass_at(0);
        assert_eq!(report.new_gaps.len(), 0, "the file before is still there: {report:?}");
    }
}

#[test]
fn a_folder_of_others_and_links_in_it_are_not_used() {
    let mut world = World::new(Series::EventLog, 3, true);
    world.write(2);
    world.pass();
    let folder = world.settings.folder.clone();
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    // Links in the place of each name that is written.
    let victim = world.place.path().join("victim");
    fs::write(&victim, "untouched").unwrap();
    for name in [".new", "EventLog.000009", "gaps.jsonl"] {
        symlink(&victim, folder.join(name)).unwrap();
    }
    world.write(2);
    world.rotate();
    world.write(2);
    let report = world.pass_at(LATER);
    assert!(report.problems.iter().any(|line| line.contains("EventLog.000009")), "{report:?}");
    assert!(report.problems.iter().any(|line| line.contains("gaps.jsonl")), "{report:?}");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched");
    fs::remove_file(folder.join("lock")).unwrap();
    symlink(&victim, folder.join("lock")).unwrap();
    assert!(matches!(collect(&world.settings, 0), Err(FolderError::Io { .. })));
    fs::remove_file(folder.join("lock")).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o770)).unwrap();
    let error = collect(&world.settings, 0).unwrap_err().to_string();
    assert!(error.contains("others may write it (mode 770)"), "{error}");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    assert!(collect(&world.settings, 0).unwrap().is_none(), "another process is at it");
    world.settings.folder = world.place.path().join("link");
    symlink(&folder, &world.settings.folder).unwrap();
    assert!(matches!(collect(&world.settings, 0), Err(FolderError::Unsafe { .. })));
}

#[test]
fn files_that_others_put_there_are_no_harm() {
    let mut world = World::new(Series::EventLog, 3, true);
    world.write(2);
    world.pass();
    let folder = world.settings.folder.clone();
    // Damaged, empty, and compressed by somebody else.
    fs::write(folder.join("EventLog.000002"), [0x1f, 0x8b, 8, 0xff, 1]).unwrap();
    fs::write(folder.join("EventLog.000003"), "").unwrap();
    fs::write(folder.join("EventLog.000004"), [0xff; 5000]).unwrap();
    world.rotate();
    world.write(1);
    let report = world.pass_at(LATER);
    assert!(report.problems.iter().any(|line| line.contains("EventLog.000002")), "{report:?}");
    let last = numbers(Series::EventLog, &folder.join("EventLog.000006"));
    assert_eq!(last, [3], "the numbers of others are not taken");
}

/// What happens.
#[derive(Clone, Debug)]
enum Step {
    Write(i32),
    Rotate,
    Pass { after: i64, steps: Option<u32>, room: Option<usize> },
}

fn step_of_life() -> impl Strategy<Value = Step> {
    let broken = (prop::option::of(0_u32..30), prop::option::of(0_usize..4000));
    prop_oneof![
        3 => prop_oneof![1..20, 100..200].prop_map(Step::Write),
        3 => Just(Step::Rotate),
        1 => Just(Step::Pass { after: 0, steps: None, room: None }),
        3 => (prop::sample::select(vec![0, LATER]), broken)
            .prop_map(|(after, (steps, room))| Step::Pass { after, steps, room }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn whatever_happens_nothing_is_twice_and_what_is_missing_is_a_gap(
        steps in prop::collection::vec(step_of_life(), 0..60),
        (links, rotations, is_log) in (any::<bool>(), 1_u32..4, any::<bool>()),
    ) {
        let series = if is_log { Series::EventLog } else { Series::Epochs };
        let mut world = World::new(series, rotations, links);
        for step in steps {
            match step {
                Step::Write(count) => world.write(count),
                Step::Rotate => world.rotate(),
                Step::Pass { after, steps, room } => world.broken_pass(after, steps, room),
            }
        }
        world.write(20);
        let report = world.pass_at(LATER);
        prop_assert_eq!(&report.problems, &[""; 0]);
        world.check()?;
        let again = world.pass_at(LATER);
        prop_assert_eq!((again.taken, again.packed, again.new_gaps.len()), (0, 0, 0));
    }
}
