//! Reading one log on several cores.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use memchr::memmem;

use super::reader::{open_file, open_named};
use super::time::{Before, Clock, Seen};
use super::{EventLogError, Form, LogReader, ReadOptions};

/// Bytes of a chunk at most: enough that to begin one costs nothing beside reading it.
const LARGEST: u64 = 4 << 20;

/// Bytes of a chunk at least, where a log is small.
const SMALLEST: u64 = 256 << 10;

/// Bytes read at once in search of a separator.
const LOOK: usize = 8 << 10;

/// A log in a file that is read in chunks, on several cores.
///
/// A chunk begins behind a separator, so that its events, its damage and their offsets are those of
/// [`super::open`]: no chunk has to know of another. What is not in its own bytes, the year of a
/// date without one and which of two equal hours it is, is asked of the part before where it
/// matters. Each chunk is read with bounded memory, and a log that is truncated meanwhile ends
/// there. XML and JSON logs are one chunk. A compressed log is unpacked first, into the folder for
/// temporary files.
///
/// ```no_run
/// use std::ops::ControlFlow;
///
/// use eventlog::{ChunkedLog, EventKind, ReadOptions};
///
/// let log = ChunkedLog::open("EventLog", &ReadOptions::default())?;
/// let mut all = Vec::new();
/// let done = log.read(
///     |chunk| {
///         let mut held = Vec::new();
///         while let Some(event) = chunk.next_event() {
///             held.extend(event.ok().filter(|event| event.kind() == EventKind::JobHeld).map(|event| event.job));
///         }
///         held
///     },
///     |held| {
///         all.extend(held);
///         // In the order of the log, the first thousand.
///         if all.len() < 1000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
///     },
/// );
/// println!("{all:?}{}", if done.is_break() { "..." } else { "" });
/// # Ok::<(), eventlog::EventLogError>(())
/// ```
#[derive(Debug)]
pub struct ChunkedLog {
    bytes: Arc<Bytes>,
    options: ReadOptions,
    form: Option<Form>,
    /// It begins within an event.
    within: bool,
    /// The clock at the beginning of the log.
    clock: Clock,
    /// What is to be reported at its end.
    fault: Option<String>,
    skipped: u64,
}

/// The bytes of the file and where its chunks are.
#[derive(Debug)]
struct Bytes {
    file: File,
    begin: u64,
    end: u64,
    chunk: u64,
}

/// The bytes of one chunk.
#[derive(Debug)]
pub struct Chunk {
    bytes: Arc<Bytes>,
    at: u64,
    end: u64,
}

impl Read for Chunk {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let length = buffer.len().min(left);
        let read = read_at(&self.bytes.file, &mut buffer[..length], self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

impl ChunkedLog {
    /// Opens a log. What is appended to it later is not read.
    ///
    /// # Errors
    /// As [`super::open`].
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Self, EventLogError> {
        let path = path.as_ref();
        Self::of_file(path, open_named(path)?, options)
    }

    /// Of a file that is open.
    pub(super) fn of_file(
        path: &Path,
        file: File,
        options: &ReadOptions,
    ) -> Result<Self, EventLogError> {
        let failed = |source| EventLogError::Io { path: path.to_owned(), source };
        let reader = open_file(path, file, options)?;
        let (form, fault, within) = (reader.form(), reader.fault, reader.skipping);
        let (file, clock, skipped) = (reader.source, reader.clock, reader.skipped);
        let end = file.metadata().map_err(failed)?.len().min(reader.end);
        let begin = options.offset.saturating_add(skipped).min(end);
        let share = (end - begin) / (4 * threads() as u64);
        let chunk = share.clamp(SMALLEST, LARGEST);
        let bytes = Arc::new(Bytes { file, begin, end, chunk });
        Ok(Self { bytes, options: options.clone(), form, within, clock, fault, skipped })
    }

    /// Bytes of a chunk, about; 256 KiB to 4 MiB where it is not said.
    #[must_use]
    pub fn in_chunks_of(mut self, bytes: u64) -> Self {
        // No chunk is being read.
        if let Some(log) = Arc::get_mut(&mut self.bytes) {
            log.chunk = bytes.max(1);
        }
        self
    }

    /// Bytes that there are to read.
    pub fn len(&self) -> u64 {
        self.bytes.end - self.bytes.begin
    }

    /// Bytes at the beginning that are left out, see [`ReadOptions::newest`].
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// There is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The form of the log; `None` of an empty one.
    pub fn form(&self) -> Option<Form> {
        self.form
    }

    /// Calls `each` for every chunk, on as many threads as `RAYON_NUM_THREADS` says or there are
    /// processors, and `then` with what it made, on this thread and in the order of the log, until
    /// it breaks. Some chunks more than there are threads wait for `then` at most, so that memory
    /// does not grow with the log.
    ///
    /// # Panics
    /// Where `each` or `then` does.
    pub fn read<T: Send, B>(
        &self,
        each: impl Fn(&mut LogReader<Chunk>) -> T + Sync,
        mut then: impl FnMut(T) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let chunks = match self.form {
            Some(Form::Xml | Form::Json) => 1,
            _ => self.bytes.chunks(),
        };
        let clocks = Arc::new(Clocks {
            bytes: Arc::clone(&self.bytes),
            options: self.options.clone(),
            within: self.within,
            first: self.clock.clone(),
            seen: Mutex::default(),
        });
        let read = |number| {
            let (begin, end) = if chunks == 1 {
                (self.bytes.begin, self.bytes.end)
            } else {
                self.bytes.place(number)?
            };
            let clock = clocks.of(number);
            let mut reader = self.bytes.reader(&self.options, self.form, clock, begin, end);
            reader.skipping = number == 0 && self.within;
            reader.fault = self.fault.clone().filter(|_| end == self.bytes.end);
            let made = each(&mut reader);
            clocks.keep(number, &reader);
            Some(made)
        };
        let threads = threads().min(chunks);
        if threads < 2 {
            return (0..chunks).filter_map(read).try_for_each(then);
        }
        in_order(threads, chunks, read, |made| made.map_or(ControlFlow::Continue(()), &mut then))
    }
}

/// Threads to read with. Rayon's own are not begun for it.
fn threads() -> usize {
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|asked| asked.parse().ok());
    let asked = asked.filter(|asked| *asked > 0);
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

impl Bytes {
    fn chunks(&self) -> usize {
        usize::try_from((self.end - self.begin).div_ceil(self.chunk)).unwrap_or(usize::MAX).max(1)
    }

    fn reader(
        self: &Arc<Self>,
        options: &ReadOptions,
        form: Option<Form>,
        clock: Clock,
        begin: u64,
        end: u64,
    ) -> LogReader<Chunk> {
        let options = ReadOptions { offset: begin, follow: false, ..options.clone() };
        let chunk = Chunk { bytes: Arc::clone(self), at: begin, end };
        LogReader::with_clock(chunk, options, clock, form)
    }

    /// Where a chunk begins and ends; `None` if one before reaches over it.
    fn place(&self, number: usize) -> Option<(u64, u64)> {
        let begin = self.boundary(number)?;
        let end = (number + 1..self.chunks()).find_map(|next| self.boundary(next));
        let end = end.unwrap_or(self.end);
        (begin < end).then_some((begin, end))
    }

    /// The place behind the first separator of this chunk's bytes; `None` where they have none: they
    /// are the previous chunk's then, and however long an event is, they are searched for no other.
    fn boundary(&self, number: usize) -> Option<u64> {
        if number == 0 {
            return Some(self.begin);
        }
        let nominal = self.begin + number as u64 * self.chunk;
        let mut buffer = vec![0; LOOK];
        let mut at = nominal;
        let mut kept = 0;
        while at < self.end.min(nominal + self.chunk) {
            let read = match read_at(&self.file, &mut buffer[kept..], at) {
                // What cannot be read is told by the chunk before.
                Ok(0) | Err(_) => return None,
                Ok(read) => read,
            };
            let filled = kept + read;
            at += read as u64;
            if let Some(found) = behind_separator(&buffer[..filled]) {
                return Some(at - (filled - found) as u64);
            }
            // A separator may be cut.
            kept = filled.min(5);
            buffer.copy_within(filled - kept..filled, 0);
        }
        None
    }
}

/// The place behind the first line `...` that is behind another line.
fn behind_separator(bytes: &[u8]) -> Option<usize> {
    memmem::find_iter(bytes, b"\n...").find_map(|at| match &bytes[at + 4..] {
        [b'\n', ..] => Some(at + 5),
        [b'\r', b'\n', ..] => Some(at + 6),
        _ => None,
    })
}

/// What clocks have seen at the beginnings of chunks, found when a chunk asks for it.
#[derive(Debug)]
struct Clocks {
    bytes: Arc<Bytes>,
    options: ReadOptions,
    within: bool,
    first: Clock,
    /// By the number of the chunk, as far as it is known.
    seen: Mutex<BTreeMap<usize, Seen>>,
}

impl Clocks {
    fn of(self: &Arc<Self>, number: usize) -> Clock {
        if number == 0 {
            return self.first.clone();
        }
        let clocks = Arc::clone(self);
        self.first.behind(Before(Arc::new(move || clocks.before(number))))
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<usize, Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of what there is to see up to the end of a chunk that was read.
    fn keep(&self, number: usize, log: &LogReader<Chunk>) {
        let seen = log.clock.seen;
        if log.is_at_end() && seen.is_whole() {
            self.known().insert(number + 1, seen);
        }
    }

    /// What all that is before a chunk shows.
    fn before(&self, number: usize) -> Seen {
        let mut known = self.known();
        let mut at = number;
        let mut seen = loop {
            if at == 0 {
                break self.first.seen;
            }
            if let Some(seen) = known.get(&at).copied().or_else(|| self.alone(at - 1)) {
                break seen;
            }
            at -= 1;
        };
        for number in at..number {
            if let Some(mut log) = self.reader(number, self.first.behind_seen(seen)) {
                while log.next_event().is_some() {}
                seen = log.clock.seen_in_all();
            }
        }
        known.insert(number, seen);
        seen
    }

    /// What a chunk shows without what is before it; `None` where that matters.
    fn alone(&self, number: usize) -> Option<Seen> {
        let asked = Arc::new(AtomicBool::new(false));
        let ask = Arc::clone(&asked);
        let before = Before(Arc::new(move || {
            ask.store(true, Ordering::Relaxed);
            Seen::default()
        }));
        let mut log = self.reader(number, self.first.behind(before))?;
        while log.next_event().is_some() {
            if asked.load(Ordering::Relaxed) {
                return None;
            }
        }
        Some(log.clock.seen).filter(|seen| seen.is_whole())
    }

    fn reader(&self, number: usize, clock: Clock) -> Option<LogReader<Chunk>> {
        let (begin, end) = self.bytes.place(number)?;
        let mut log = self.bytes.reader(&self.options, Some(Form::Text), clock, begin, end);
        log.skipping = number == 0 && self.within;
        Some(log)
    }
}

/// Calls `each` for 0 to `count` on threads, and `then` with the results in order, until it breaks.
fn in_order<T: Send, B>(
    threads: usize,
    count: usize,
    each: impl Fn(usize) -> T + Sync,
    mut then: impl FnMut(T) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let (ticket, tickets) = mpsc::channel();
    let tickets = Mutex::new(tickets);
    let (result, results) = mpsc::channel();
    std::thread::scope(|scope| {
        // Dropped before the threads are waited for, also by a panic: it is what ends them.
        let ticket = ticket;
        for _ in 0..threads {
            let (result, tickets, each) = (result.clone(), &tickets, &each);
            scope.spawn(move || {
                loop {
                    let next = tickets.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(number) = next else { return };
                    let made = catch_unwind(AssertUnwindSafe(|| each(number)));
                    if result.send((number, made)).is_err() {
                        return;
                    }
                }
            });
        }
        let ahead = 2 * threads;
        for number in 0..count.min(ahead) {
            let _ = ticket.send(number);
        }
        let mut early = BTreeMap::new();
        for number in 0..count {
            let made = loop {
                if let Some(made) = early.remove(&number) {
                    break made;
                }
                let (other, made) = results.recv().expect("a thread ends after its tickets");
                early.insert(other, made);
            };
            if number + ahead < count {
                let _ = ticket.send(number + ahead);
            }
            match made {
                Ok(made) => then(made)?,
                Err(panic) => resume_unwind(panic),
            }
        }
        ControlFlow::Continue(())
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use jiff::tz::TimeZone;
    use proptest::prelude::*;

    use super::super::{DamagedEvent, EventTime, JobId, YearHint, open};
    use super::*;

    type Told = Vec<Result<(JobId, u16, EventTime, u64, Vec<u8>), DamagedEvent>>;

    fn all<R: io::Read>(log: &mut LogReader<R>) -> Told {
        let mut read = Vec::new();
        while let Some(event) = log.next_event() {
            read.push(event.map(|event| {
                (event.job, event.number, event.time, event.offset, event.lines().to_vec())
            }));
        }
        read
    }

    fn in_order(log: &ChunkedLog) -> Told {
        let mut read = Vec::new();
        let _: ControlFlow<()> = log.read(all, |part| {
            read.extend(part);
            ControlFlow::Continue(())
        });
        read
    }

    fn same_in_chunks(log: &[u8], options: &ReadOptions, sizes: &[u64]) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(log).unwrap();
        let Ok(mut whole) = open(file.path(), options) else { return };
        let whole = all(&mut whole);
        for &size in sizes {
            let chunked = ChunkedLog::open(file.path(), options).unwrap().in_chunks_of(size);
            assert_eq!(in_order(&chunked), whole, "chunks of {size} bytes");
        }
    }

    fn options(zone: &str) -> ReadOptions {
        ReadOptions { max_event: 300, ..ReadOptions::in_zone(TimeZone::get(zone).unwrap()) }
    }

    fn event(job: usize, date: &str, end: &str) -> String {
        format!("013 ({job}.000.000) {date} Job was released.\n\tvia condor_release\n{end}")
    }

    #[test]
    fn small_chunks_are_the_whole() {
        let log: String = (1..99).map(|job| event(job, "2024-01-02 03:04:05", "...\n")).collect();
        same_in_chunks(log.as_bytes(), &options("UTC"), &[1, 7, 80, 100, 1000, 100_000]);
    }

    #[test]
    fn the_newest_bytes_are_those_of_the_whole() {
        let log: String = (1..99).map(|job| event(job, "2024-01-02 03:04:05", "...\n")).collect();
        let json: String = (1..9)
            .map(|job| {
                format!(
                    "{{\n  \"MyType\": \"JobReleaseEvent\",\n  \"EventTypeNumber\": 13,\n  \"EventTime\": \
                     \"2024-01-02T03:04:05\",\n  \"Cluster\": {job},\n  \"Proc\": 0\n}}\n"
                )
            })
            .collect();
        for (log, most) in [(&log, 1000), (&log, 1001), (&log, 70), (&log, 9), (&json, 400)] {
            let options = ReadOptions { newest: Some(most), ..options("UTC") };
            same_in_chunks(log.as_bytes(), &options, &[1, 80, 1000]);
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), log).unwrap();
            let chunked = ChunkedLog::open(file.path(), &options).unwrap();
            let left_out = log.len() as u64 - most;
            assert_eq!((chunked.len(), chunked.skipped()), (most, left_out));
            assert_eq!(in_order(&chunked).is_empty(), most < 80);
        }
    }

    #[test]
    fn years_are_counted_over_all_chunks() {
        let dates = [
            "11/30 00:00:00",
            "12/31 23:00:00",
            "01/01 00:00:01",
            "06/01 00:00:00",
            "01/02 00:00:00",
            "2031-05-06 07:08:09",
            "01/03 00:00:00",
            "2030-12-31 00:00:00",
            "01/02 00:00:00",
            "02/02 00:00:00",
        ];
        let log: String =
            dates.iter().enumerate().map(|(job, date)| event(job + 1, date, "...\n")).collect();
        let begun = "008 (-01.-01.-01) 03/01 00:00:00 Global JobLog: ctime=1614556800 id=x\n...\n";
        let concatenated = format!("{log}{begun}{log}");
        for log in [&log, &concatenated] {
            same_in_chunks(log.as_bytes(), &options("UTC"), &[1, 60, 90, 200]);
            let now = ReadOptions { year: YearHint::First(1999), ..options("UTC") };
            same_in_chunks(log.as_bytes(), &now, &[1, 60, 90, 200]);
        }
    }

    #[test]
    fn the_hour_that_comes_twice_goes_on_over_all_chunks() {
        let times =
            ["00:59:00", "01:10:00", "01:30:00", "01:59:00", "01:05:00", "01:30:00", "02:00:00"];
        let log: String = times
            .iter()
            .enumerate()
            .map(|(job, time)| event(job + 1, &format!("2023-11-05 {time}"), "...\n"))
            .collect();
        same_in_chunks(log.as_bytes(), &options("America/Chicago"), &[1, 60, 90, 200]);
    }

    #[test]
    fn a_log_that_is_shorter_by_now_ends_there() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let event = event(1, "2024-01-02 03:04:05", "...\n");
        std::fs::write(file.path(), event.repeat(100)).unwrap();
        let log = ChunkedLog::open(file.path(), &options("UTC")).unwrap();
        file.as_file().set_len(event.len() as u64 * 3).unwrap();
        assert_eq!(in_order(&log).len(), 3);
    }

    #[test]
    fn a_panic_of_the_caller_is_passed_on() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), event(1, "2024-01-02 03:04:05", "...\n").repeat(100)).unwrap();
        let log = ChunkedLog::open(file.path(), &options("UTC")).unwrap().in_chunks_of(100);
        let go_on = |()| ControlFlow::<()>::Continue(());
        let read = || log.read(|_| panic!("on purpose"), go_on);
        assert!(catch_unwind(AssertUnwindSafe(read)).is_err());
    }

    #[test]
    fn it_stops_when_told_to() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), event(1, "2024-01-02 03:04:05", "...\n").repeat(100)).unwrap();
        let log = ChunkedLog::open(file.path(), &options("UTC")).unwrap().in_chunks_of(100);
        let mut parts = 0;
        let stopped = log.read(all, |_| {
            parts += 1;
            if parts < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(parts) }
        });
        assert_eq!((stopped, parts), (ControlFlow::Break(3), 3));
    }

    /// Else the time for one event grew with the square of its length.
    #[test]
    fn the_bytes_of_a_long_event_are_searched_for_their_own_chunks_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("EventLog");
        let event = |length| {
            let reason = "x".repeat(length);
            format!("009 (7.000.000) 2024-01-02 03:04:05 Job was aborted.\n\t{reason}\n...\n")
        };
        std::fs::write(&path, event(10) + &event(1_500_000) + &event(10)).unwrap();
        let log = ChunkedLog::open(&path, &options("UTC")).unwrap().in_chunks_of(64 << 10);
        let chunks = log.bytes.chunks();
        let begin = (0..chunks).filter_map(|number| log.bytes.boundary(number));
        let length = path.metadata().unwrap().len();
        let last = length - event(10).len() as u64;
        assert_eq!(begin.collect::<Vec<_>>(), [0, last]);
        assert_eq!(log.bytes.place(0), Some((0, last)));
    }

    proptest! {
        #[test]
        fn damage_is_that_of_the_whole(
            parts in prop::collection::vec(
                prop_oneof![
                    6 => (1..9_usize).prop_map(|job| event(job, "2024-01-02 03:04:05", "...\n")),
                    1 => (1..9_usize).prop_map(|job| event(job, "2024-01-02 03:04:05", "...\r\n")),
                    1 => (1..9_usize).prop_map(|job| event(job, "2024-01-02 03:04:05", "")),
                    1 => (1..9_usize).prop_map(|job| event(job, "01/02 03:04:05", "...\n")),
                    1 => (1..60_usize).prop_map(|cut| event(1, "2024-01-02 03:04:05", "...\n")[..cut].to_owned()),
                    1 => (1..9_usize).prop_map(|times| "\0".repeat(times)),
                    1 => (1..9_usize).prop_map(|times| "\tlong line\n".repeat(times)),
                    1 => Just("...\n".to_owned()),
                    1 => Just("\n...".to_owned()),
                    1 => Just("\r\n...\r\n".to_owned()),
                ],
                0..40,
            ),
            sizes in prop::collection::vec(1..500_u64, 3),
        ) {
            // Sizes of parts that are too large depend on how they were read.
            let options = ReadOptions { max_event: 4 << 20, ..options("UTC") };
            same_in_chunks(parts.concat().as_bytes(), &options, &sizes);
        }
    }
}
