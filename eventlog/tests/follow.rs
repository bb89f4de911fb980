//! A log that is written, rotated and followed at random: every event is seen once, in order, at
//! its time.

use std::collections::VecDeque;
use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;

use eventlog::*;
use jiff::tz::TimeZone;
use proptest::prelude::*;

/// 2022-12-01 00:00:00 UTC.
const BEGUN: i64 = 1_669_852_800;
/// Between two events, s: years go by.
const STEP: i64 = 13 * 86_400 + 3671;

#[derive(Clone, Debug)]
enum Act {
    /// The writer puts so many bytes more into the log.
    Write(usize),
    /// The log is rotated. An event that is half written is completed in the old file.
    Rotate,
    /// A writer is late and puts an event into the file that was rotated last.
    Late,
    /// Copied and cut in place.
    CopyAndCut,
    /// All that is there is read.
    Look,
    /// The reader stops and another goes on.
    Restart,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => (1_usize..300).prop_map(Act::Write),
        2 => Just(Act::Rotate),
        1 => Just(Act::Late),
        1 => Just(Act::CopyAndCut),
        3 => Just(Act::Look),
        2 => Just(Act::Restart),
    ]
}

/// An access point that writes a log.
struct Writer {
    log: PathBuf,
    /// Rotated files that are kept.
    keep: u32,
    with_headers: bool,
    /// Events begun and events whole in the log.
    begun: i64,
    whole: i64,
    /// What is still to be written of the last event.
    rest: VecDeque<u8>,
    sequence: u32,
    offset: u64,
    /// Events begun when the last file was rotated.
    rotated: i64,
    /// Times of the events of late writers.
    late: Vec<i64>,
}

impl Writer {
    fn date(number: i64) -> String {
        let stamp = jiff::Timestamp::from_second(BEGUN + number * STEP).unwrap();
        TimeZone::UTC.to_datetime(stamp).strftime("%m/%d %H:%M:%S").to_string()
    }

    fn name(&self, rotation: u32) -> PathBuf {
        let name = self.log.to_str().unwrap();
        match (rotation, self.keep) {
            (0, _) => self.log.clone(),
            (_, 1) => format!("{name}.old").into(),
            _ => format!("{name}.{rotation}").into(),
        }
    }

    /// So many events are whole. One is when its separator is there, before the blanks behind it.
    fn has_written(&self, events: i64) -> bool {
        events == self.whole || (events == self.begun && self.rest.len() <= 4)
    }

    fn write(&mut self, mut bytes: usize) {
        while bytes > 0 {
            if self.rest.is_empty() {
                self.begun += 1;
                let cluster = 1_000_000 + self.begun;
                let separator =
                    ["...\n", "...\n...\n", "...\r\n", "\n...\n\n"][cluster as usize % 4];
                self.rest.extend(
                    format!(
                        "013 ({cluster}.000.000) {} Job was released.\n\tvia condor_release (by user alice)\n{separator}",
                        Self::date(self.begun)
                    )
                    .into_bytes(),
                );
            }
            let now = bytes.min(self.rest.len());
            self.put(0, now);
            bytes -= now;
        }
    }

    /// Writes so much of the rest of the event to a file.
    fn put(&mut self, rotation: u32, bytes: usize) {
        let piece: Vec<u8> = self.rest.drain(..bytes).collect();
        let mut file =
            OpenOptions::new().append(true).create(true).open(self.name(rotation)).unwrap();
        file.write_all(&piece).unwrap();
        if self.rest.is_empty() {
            self.whole = self.begun;
        }
    }

    fn header(&self, ctime: i64, written: i64) -> String {
        let (sequence, offset) = (self.sequence, self.offset);
        let info = format!(
            "Global JobLog: ctime={} id=0.62.{sequence} sequence={sequence} size=0 events=0 offset={offset} event_off=0 max_rotation={} creator_name=<>",
            BEGUN + ctime * STEP,
            self.keep
        );
        format!("008 (-01.-01.-01) {} {info:<256}\n...\n", Self::date(written))
    }

    fn begin_file(&mut self) {
        let header =
            if self.with_headers { self.header(self.whole, self.whole) } else { String::new() };
        fs::write(&self.log, header).unwrap();
    }

    fn make_room(&self) {
        for rotation in (1..self.keep).rev() {
            if self.name(rotation).exists() {
                fs::rename(self.name(rotation), self.name(rotation + 1)).unwrap();
            }
        }
    }

    /// Writes a late event; `false` where no file was rotated.
    fn write_late(&mut self) -> bool {
        let Ok(mut file) = OpenOptions::new().append(true).open(self.name(1)) else { return false };
        self.late.push(BEGUN + self.rotated * STEP);
        let cluster = LATE + self.late.len() as i64;
        let date = Self::date(self.rotated);
        write!(file, "013 ({cluster}.000.000) {date} Job was released.\n...\n").unwrap();
        true
    }

    fn rotate(&mut self, ctime: i64) {
        if self.with_headers {
            // As HTCondor does, with the date of the rotation.
            let mut log = OpenOptions::new().write(true).open(&self.log).unwrap();
            log.seek(SeekFrom::Start(0)).unwrap();
            log.write_all(self.header(ctime, self.begun).as_bytes()).unwrap();
        }
        self.make_room();
        fs::rename(&self.log, self.name(1)).unwrap();
        if !self.rest.is_empty() {
            self.put(1, self.rest.len());
        }
        self.offset += fs::metadata(self.name(1)).unwrap().len();
        self.sequence += 1;
        self.rotated = self.begun;
        self.begin_file();
    }
}

/// The first cluster of late writers.
const LATE: i64 = 5_000_000;

/// Reads all that is there behind the event `seen`, and what is `late`.
fn look(
    follower: &mut Follower,
    seen: &mut i64,
    late: &mut VecDeque<i64>,
) -> Result<(), TestCaseError> {
    while let Some((path, event)) = follower.next_event() {
        let event = match event {
            Ok(event) => event,
            Err(damaged) => {
                return Err(TestCaseError::fail(format!("{}: {damaged}", path.display())));
            }
        };
        if event.kind() == EventKind::Generic {
            continue;
        }
        if i64::from(event.job.cluster) > LATE {
            prop_assert_eq!(Some(event.time.seconds), late.pop_front());
            continue;
        }
        *seen += 1;
        prop_assert_eq!(i64::from(event.job.cluster), 1_000_000 + *seen);
        prop_assert_eq!(event.time.seconds, BEGUN + *seen * STEP);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_event_is_seen_once(
        acts in prop::collection::vec(act(), 1..80),
        keep in 1_u32..4,
        with_headers in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("EventLog");
        let options =
            ReadOptions { year: YearHint::First(2022), ..ReadOptions::in_zone(TimeZone::UTC) };
        let mut follower = follow(&log, &options, None).unwrap();
        let mut writer = Writer {
            log: log.clone(),
            keep,
            with_headers,
            begun: 0,
            whole: 0,
            rest: VecDeque::new(),
            sequence: 1,
            offset: 0,
            rotated: 0,
            late: Vec::new(),
        };
        writer.begin_file();
        let (mut seen, mut late) = (0, VecDeque::new());
        let (mut unseen_rotations, mut ctime) = (0, 0);
        for act in acts.into_iter().chain([Act::Look]) {
            let looks = match act {
                Act::Write(bytes) => {
                    writer.write(bytes);
                    false
                }
                // What is written to a file that is removed at once is lost.
                Act::Late => {
                    if writer.write_late() {
                        late.extend(writer.late.last());
                        unseen_rotations = keep;
                    }
                    false
                }
                // A log is rotated for its size.
                Act::Rotate if fs::metadata(&log).unwrap().len() == 0 => false,
                Act::Rotate => {
                    if unseen_rotations == keep {
                        look(&mut follower, &mut seen, &mut late)?;
                        unseen_rotations = 0;
                    }
                    writer.rotate(ctime);
                    ctime = writer.whole;
                    unseen_rotations += 1;
                    false
                }
                // The copy is known by what of it was read, and the cut is seen before the log has
                // grown again.
                Act::CopyAndCut if !with_headers => {
                    writer.write(writer.rest.len().max(1));
                    writer.write(writer.rest.len());
                    look(&mut follower, &mut seen, &mut late)?;
                    writer.make_room();
                    fs::copy(&log, writer.name(1)).unwrap();
                    fs::write(&log, "").unwrap();
                    writer.rotated = writer.begun;
                    look(&mut follower, &mut seen, &mut late)?;
                    prop_assert!(writer.has_written(seen), "{} of {}", seen, writer.whole);
                    unseen_rotations = 1;
                    false
                }
                Act::CopyAndCut | Act::Look => true,
                Act::Restart => {
                    let kept = serde_json::to_string(&follower.position()).unwrap();
                    let position: Option<Position> = serde_json::from_str(&kept).unwrap();
                    prop_assert_eq!(&position, &follower.position());
                    follower = follow(&log, &options, position).unwrap();
                    false
                }
            };
            if looks {
                look(&mut follower, &mut seen, &mut late)?;
                prop_assert!(writer.has_written(seen), "{} of {}", seen, writer.whole);
                prop_assert!(late.is_empty(), "late: {:?}", late);
                // The reader stays in the old file while the new one is empty.
                unseen_rotations = u32::from(fs::metadata(&log).unwrap().len() == 0);
            }
        }
    }
}

/// Events of recorded logs but their headers: number, job, time, text.
type Seen = Vec<(u16, JobId, EventTime, Vec<u8>)>;

fn note(seen: &mut Seen, event: &Event<'_>) {
    if event.kind() != EventKind::Generic {
        seen.push((event.number, event.job, event.time, event.lines().to_vec()));
    }
}

#[test]
fn rotations_of_a_real_pool_are_followed() {
    for pool in ["pool-23.9", "pool-25.14"] {
        let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/data");
        if !data.exists() {
            println!("skipped: the logs are in the repository, not in the package");
            return;
        }
        let recorded = data.join(pool);
        let options = ReadOptions::in_zone(TimeZone::UTC);
        let mut expected = Seen::new();
        let mut series = open_series(recorded.join("EventLog"), &options).unwrap();
        while let Some((_, event)) = series.next_event() {
            note(&mut expected, &event.unwrap());
        }
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("EventLog");
        let name = |rotation: u32| folder.path().join(format!("EventLog.{rotation}"));
        let mut follower = follow(&log, &options, None).unwrap();
        let mut seen = Seen::new();
        for file in ["EventLog.3", "EventLog.2", "EventLog.1", "EventLog"] {
            for rotation in (1..3).rev() {
                let _ = fs::rename(name(rotation), name(rotation + 1));
            }
            let _ = fs::rename(&log, name(1));
            for piece in fs::read(recorded.join(file)).unwrap().chunks(7001) {
                let mut out = OpenOptions::new().append(true).create(true).open(&log).unwrap();
                out.write_all(piece).unwrap();
                while let Some((_, event)) = follower.next_event() {
                    note(&mut seen, &event.unwrap());
                }
                let kept = serde_json::to_string(&follower.position()).unwrap();
                follower = follow(&log, &options, serde_json::from_str(&kept).unwrap()).unwrap();
            }
        }
        assert_eq!(seen.len(), expected.len(), "{pool}");
        assert!(seen == expected, "{pool}");
    }
}
