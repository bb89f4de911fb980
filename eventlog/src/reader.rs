//! Reading a log from a file or stream with bounded memory.

mod place;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::ad::{EventAd, find_json, find_xml, parse_json, parse_xml, write_as_text};
use super::text::events::{Years, damaged, event};
use super::text::header::{EXPECTED_NUMBER, Ids};
use super::text::lines::Lines;
use super::text::scan::{Found, Span, ends_event, find, resync, resynced};
use super::text::torn::quotes_header;
use super::time::{Clock, civil_date};
use super::{Damage, DamagedEvent, Event, EventLogError, Form, ReadOptions, YearHint};
use crate::input::{self, Unpacked};

pub(super) use place::{Place, check_is_log};

/// Bytes read at once.
const CHUNK: usize = 256 << 10;

/// Bytes read at first: many logs are no larger.
const FIRST: usize = 32 << 10;

/// Reads the events of a log one by one, holding no more than one event and one chunk in memory.
///
/// A log that is truncated while it is read simply ends there.
///
/// ```no_run
/// use eventlog::{ReadOptions};
///
/// let mut log = eventlog::open("job.log", &ReadOptions::default())?;
/// while let Some(event) = log.next_event() {
///     match event {
///         Ok(event) => println!("{} {:?}", event.job, event.kind()),
///         Err(damaged) => eprintln!("job.log: {damaged}"),
///     }
/// }
/// # Ok::<(), eventlog::EventLogError>(())
/// ```
#[derive(Debug)]
pub struct LogReader<R> {
    pub(super) source: R,
    options: ReadOptions,
    pub(super) clock: Clock,
    form: Option<Form>,
    buffer: Vec<u8>,
    /// What is still to be read: `buffer[at..filled]`.
    at: usize,
    filled: usize,
    /// Offset in the file of `buffer[0]`.
    base: u64,
    /// The source has no more bytes.
    last: bool,
    /// The text form of an event of another form.
    text: Vec<u8>,
    /// Its attributes.
    ad: EventAd<'static>,
    /// The rest begins within an event or damage that was reported: nothing is believed before the
    /// next separator.
    pub(super) skipping: bool,
    /// Offset in the file behind which nothing is read.
    pub(super) end: u64,
    /// Bytes at the beginning of the file that are left out.
    pub(super) skipped: u64,
    /// What is to be reported at the end of the log.
    pub(super) fault: Option<String>,
}

/// Where in the buffer an event is: at `span` behind `buffer[at]`, which is at offset `base` of the
/// file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Located {
    at: usize,
    base: u64,
    span: Span,
}

/// Opens a log, compressed with gzip or not. A year that its dates lack comes from the log or from
/// the modification time of the file.
///
/// # Errors
/// The file cannot be read, is no regular file, or its beginning is no job event log.
pub fn open(
    path: impl AsRef<Path>,
    options: &ReadOptions,
) -> Result<LogReader<File>, EventLogError> {
    let path = path.as_ref();
    open_file(path, open_named(path)?, options)
}

/// Whether a file is a job event log, as far as its beginning tells. An empty one is.
///
/// # Errors
/// As [`open`].
pub fn check(path: impl AsRef<Path>) -> Result<(), EventLogError> {
    let path = path.as_ref();
    check_is_log(path, &open_named(path)?, &ReadOptions::default())
}

/// The file of that name, which must be a regular one.
pub(super) fn open_named(path: &Path) -> Result<File, EventLogError> {
    input::open_regular(path).map_err(|source| EventLogError::Io { path: path.to_owned(), source })
}

/// As [`open`], of a file that is open. `path` is for messages.
pub(super) fn open_file(
    path: &Path,
    file: File,
    options: &ReadOptions,
) -> Result<LogReader<File>, EventLogError> {
    let failed = |source| EventLogError::Io { path: path.to_owned(), source };
    let Unpacked { mut file, fault } = input::unpack(file, &options.room).map_err(failed)?;
    let (place, end) = match options.newest {
        None => (Place::at_offset(options.offset), u64::MAX),
        Some(most) => newest(&mut file, options, most).map_err(failed)?,
    };
    let (mut reader, beginning) = begin(file, options, &place, end).map_err(failed)?;
    reader.skipped = place.offset - options.offset.min(place.offset);
    reader.fault = fault;
    match beginning {
        Beginning::NotALog => {
            Err(EventLogError::NotALog { path: path.to_owned(), looked_at: reader.filled })
        }
        _ => Ok(reader),
    }
}

/// Where the last `most` bytes of a file begin, and its end as it is now.
fn newest(file: &mut File, options: &ReadOptions, most: u64) -> io::Result<(Place, u64)> {
    let end = file.metadata()?.len();
    let offset = end.saturating_sub(most).max(options.offset);
    if offset == options.offset {
        return Ok((Place::at_offset(offset), end));
    }
    Ok((Place::within(offset, form_of(file)?), end))
}

fn form_of(file: &File) -> io::Result<Form> {
    Ok(Form::detect(&input::beginning(file, FIRST as u64)?))
}

/// Reads what of a file in text is between two offsets, from the first event on that begins there.
pub(super) fn open_between(
    file: File,
    options: &ReadOptions,
    at: u64,
    end: u64,
) -> io::Result<Option<LogReader<File>>> {
    if form_of(&file)? != Form::Text {
        return Ok(None);
    }
    begin(file, options, &Place::within(at, Form::Text), end).map(|(reader, _)| Some(reader))
}

/// Reads the first chunk from `place` on and finds out what it says. Nothing is read behind `end`.
fn begin(
    mut file: File,
    options: &ReadOptions,
    place: &Place,
    end: u64,
) -> io::Result<(LogReader<File>, Beginning)> {
    let mut options = ReadOptions { offset: place.offset, ..options.clone() };
    let metadata = file.metadata()?;
    let modified = jiff::Timestamp::try_from(metadata.modified()?).ok();
    // Of a log that has no event yet, the modification time says nothing.
    if let (YearHint::Now, Some(modified), 1..) = (options.year, modified, metadata.len()) {
        options.year = YearHint::NotAfter(modified.as_second());
    }
    let mut place = *place;
    if place.offset > 0 && place.form.is_none() {
        // What is at the offset may be the text of a user.
        let beginning = input::beginning(&file, FIRST as u64)?;
        place.form = (!beginning.is_empty()).then(|| Form::detect(&beginning));
    }
    place.skipping |= !is_behind_event(&mut file, &place)?;
    let mut reader = LogReader::new(file, &options);
    reader.end = end;
    reader.take_up(&place);
    reader.fill_chunk()?;
    let bytes = &reader.buffer[..reader.filled];
    let beginning = match reader.form {
        Some(Form::Text) => match Beginning::of(bytes, reader.skipping) {
            Beginning::NotALog if options.offset > 0 => Beginning::WithoutYear,
            beginning => beginning,
        },
        _ => Beginning::Log,
    };
    if let (Beginning::WithoutYear, Some(unix)) = (&beginning, reader.clock.needs_year()) {
        // Which year the first date means is known from the first that has one, or the last.
        let begin = reader.source.stream_position()?;
        let mut rest = reader.source.by_ref().take(end.saturating_sub(begin));
        years(&mut rest, bytes, reader.skipping)?.tell(&mut reader.clock, unix);
        reader.source.seek(SeekFrom::Start(begin))?;
    }
    Ok((reader, beginning))
}

/// Bytes before an offset that are looked at: a separator, and some blank lines.
const BEFORE: u64 = 64;

/// Whether an event may begin at this place of a log; reading goes on there.
fn is_behind_event(file: &mut File, place: &Place) -> io::Result<bool> {
    let length = place.offset.min(BEFORE);
    file.seek(SeekFrom::Start(place.offset - length))?;
    let mut bytes = Vec::with_capacity(BEFORE as usize + 2);
    file.by_ref().take(length + 2).read_to_end(&mut bytes)?;
    file.seek(SeekFrom::Start(place.offset))?;
    if place.offset == 0 {
        return Ok(true);
    }
    let Some((before, behind)) = bytes.split_at_checked(length as usize) else {
        // The file is shorter by now.
        return Ok(false);
    };
    Ok(match place.form {
        Some(Form::Xml | Form::Json) => before.ends_with(b"\n"),
        // The newline of a separator may have come since.
        _ => {
            let newlines = behind.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            ends_event(&bytes[..before.len() + newlines])
        }
    })
}

/// What the first bytes of a file say.
enum Beginning {
    Log,
    /// Its first date has no year, and no header says when the log was begun.
    WithoutYear,
    NotALog,
}

impl Beginning {
    /// `within`: they begin within an event.
    fn of(bytes: &[u8], within: bool) -> Self {
        // A file that ends within its first header line.
        let cut = bytes.len() < 5 || (bytes.len() < 64 && &bytes[3..5] == b" (");
        if bytes.iter().all(|byte| matches!(byte, 0 | b'\n' | b'\r' | b'.')) || cut {
            return Self::Log;
        }
        let lines = bytes.split(|byte| matches!(byte, b'\n' | 0));
        let line = lines.skip(usize::from(within)).find(|line| Ids::begins_event(line));
        match line.map(|line| (Ids::read(line), line)) {
            // A log of nothing but torn events.
            None if quotes_header(bytes) => Self::WithoutYear,
            None => Self::NotALog,
            Some((Ok(ids), line))
                if matches!(civil_date(&line[ids.date_at..]), Some((None, ..))) =>
            {
                let begun = memchr::memmem::find(line, b"Global JobLog: ctime=").is_some();
                if begun { Self::Log } else { Self::WithoutYear }
            }
            Some(_) => Self::Log,
        }
    }
}

/// Counts the new years of a log that begins with `bytes` and goes on with `source`, a chunk at a
/// time, up to the first date with a year. `within`: it begins within an event.
fn years(source: &mut impl Read, bytes: &[u8], within: bool) -> io::Result<Years> {
    let mut years = Years::new(within);
    let mut buffer = bytes.to_vec();
    buffer.resize(bytes.len() + CHUNK, 0);
    let mut kept = bytes.len();
    loop {
        let read = read_some(source, &mut buffer[kept..])?;
        let filled = kept + read;
        let whole = match memchr::memrchr(b'\n', &buffer[..filled]) {
            Some(end) if read > 0 => end + 1,
            _ if filled < buffer.len() && read > 0 => 0,
            // A line longer than a chunk is none that matters.
            _ => filled,
        };
        let ended = Lines::new(&buffer[..whole]).try_for_each(|line| years.line(line));
        if read == 0 || ended.is_break() {
            return Ok(years);
        }
        buffer.copy_within(whole..filled, 0);
        kept = filled - whole;
    }
}

/// Looks at the beginning of the bytes of a log of this form.
#[inline]
fn look(form: Option<Form>, bytes: &[u8], last: bool) -> Found {
    match form {
        Some(Form::Xml) => find_xml(bytes, last),
        Some(Form::Json) => find_json(bytes, last),
        _ => find(bytes, last),
    }
}

/// Where in the bytes of a log of this form, which begin within an event, reading goes on.
fn go_on(form: Option<Form>, bytes: &[u8], last: bool) -> Option<usize> {
    match form {
        // A value may quote what begins an event, but not at the beginning of a line.
        Some(Form::Xml | Form::Json) => match memchr::memchr(b'\n', bytes) {
            Some(end) => Some(end + 1),
            None => last.then_some(bytes.len()),
        },
        _ => resync(bytes, last),
    }
}

/// Reads until at least one byte is there or the end is reached.
fn read_some(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

impl<R: Read> LogReader<R> {
    /// Reads from `source`, which stands at [`ReadOptions::offset`] of the log.
    pub fn new(source: R, options: &ReadOptions) -> Self {
        Self::with_clock(source, options.clone(), options.clock(), None)
    }

    /// Reads a part of a log of that form, with a clock that goes on from the part before.
    pub(super) fn with_clock(
        source: R,
        options: ReadOptions,
        clock: Clock,
        form: Option<Form>,
    ) -> Self {
        Self {
            source,
            clock,
            form,
            buffer: Vec::new(),
            at: 0,
            filled: 0,
            base: options.offset,
            options,
            last: false,
            text: Vec::new(),
            ad: EventAd::default(),
            skipping: false,
            end: u64::MAX,
            skipped: 0,
            fault: None,
        }
    }

    /// Bytes at the beginning that are left out, see [`ReadOptions::newest`].
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Byte offset in the file behind the last event or damage that was returned. Reading may begin
    /// again there.
    pub fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// All that there is was read.
    pub(super) fn is_at_end(&self) -> bool {
        self.last && self.at == self.filled
    }

    /// The form of the log, known once reading has begun.
    pub fn form(&self) -> Option<Form> {
        self.form
    }

    /// The next event. `None`: the log ends, or with [`ReadOptions::follow`] nothing more is there
    /// yet.
    pub fn next_event(&mut self) -> Option<Result<Event<'_>, DamagedEvent>> {
        Some(match self.find_next()? {
            Ok(found) => self.event(found),
            Err(damaged) => Err(damaged),
        })
    }

    /// Goes to the next event and says where it is, for [`LogReader::event`].
    pub(super) fn find_next(&mut self) -> Option<Result<Located, DamagedEvent>> {
        loop {
            let rest = &self.buffer[self.at..self.filled];
            if self.skipping {
                match go_on(self.form, rest, self.last) {
                    Some(end) => {
                        self.at += end;
                        self.skipping = false;
                        continue;
                    }
                    None => self.at += resynced(rest),
                }
            } else {
                match look(self.form, rest, self.last) {
                    Found::Event(span) => {
                        let (at, base) = (self.at, self.offset());
                        self.at += span.end;
                        return Some(Ok(Located { at, base, span }));
                    }
                    Found::Damaged { begin, end, damage } => {
                        let damaged = damaged(rest, begin, end, self.offset(), damage);
                        self.at += end;
                        return Some(Err(damaged));
                    }
                    Found::End => {
                        self.at = self.filled;
                        let damage = Damage::Packed(self.fault.take()?);
                        return Some(Err(damage.at(self.offset(), 0)));
                    }
                    Found::More { begin } => self.at += begin,
                }
                if self.filled - self.at > self.options.max_event {
                    return Some(Err(self.too_large()));
                }
            }
            match self.fill() {
                Ok(0) if self.options.follow => return None,
                Ok(0) => self.last = true,
                Ok(_) => {}
                Err(error) => {
                    let offset = self.base + self.filled as u64;
                    self.at = self.filled;
                    self.last = true;
                    return Some(Err(Damage::Io(error.to_string()).at(offset, 0)));
                }
            }
        }
    }

    /// The event that was found.
    pub(super) fn event(&mut self, found: Located) -> Result<Event<'_>, DamagedEvent> {
        let Located { at, base, span } = found;
        let bytes = &self.buffer[at..self.filled];
        let ad = match self.form {
            Some(Form::Xml) => parse_xml(&bytes[span.begin..span.separator]),
            Some(Form::Json) => parse_json(&bytes[span.begin..span.separator]),
            _ => return event(bytes, span, base, &mut self.clock, |_, _| {}),
        };
        let (offset, length) = (base + span.begin as u64, (span.end - span.begin) as u64);
        self.text.clear();
        self.ad = ad
            .and_then(|ad| write_as_text(&ad, &mut self.text).map(|()| ad))
            .map_err(|expected| Damage::Ad { expected }.at(offset, length))?;
        let lines = memchr::memchr(b'\n', &self.text).map_or(0, |end| end + 1);
        let (separator, end) = (self.text.len() - "...\n".len(), self.text.len());
        let span = Span { begin: 0, lines, separator, end };
        let event = event(&self.text, span, offset, &mut self.clock, |_, _| {});
        let event = event.map_err(|wrong| wrong.damage.at(offset, length))?;
        Ok(Event { ad: Some(&self.ad), ..event })
    }

    /// Gives up on what does not end within the limit.
    fn too_large(&mut self) -> DamagedEvent {
        let rest = &self.buffer[self.at..self.filled];
        let is_text = !matches!(self.form, Some(Form::Xml | Form::Json));
        let damage = if rest[0] == 0 {
            Damage::Nul
        } else if !is_text || Ids::begins_event(rest) {
            Damage::TooLarge { limit: self.options.max_event }
        } else {
            Damage::Header { expected: EXPECTED_NUMBER }
        };
        let damaged = damaged(rest, 0, rest.len(), self.offset(), damage);
        self.at += resynced(rest);
        self.skipping = true;
        damaged
    }

    /// Reads a whole chunk, as far as it is there: damage may come before the first event.
    fn fill_chunk(&mut self) -> io::Result<()> {
        while self.filled < CHUNK && self.fill()? > 0 {}
        Ok(())
    }

    /// Reads on; the number of bytes read.
    fn fill(&mut self) -> io::Result<usize> {
        let buffer = &mut self.buffer;
        let was_full = self.filled == buffer.len();
        buffer.copy_within(self.at..self.filled, 0);
        self.base += self.at as u64;
        self.filled -= self.at;
        self.at = 0;
        if buffer.is_empty() {
            buffer.resize(FIRST, 0);
        } else if was_full && buffer.len() < CHUNK {
            buffer.resize(CHUNK, 0);
        } else if buffer.len() < self.filled + FIRST / 2 {
            buffer.resize((self.filled + CHUNK).next_power_of_two(), 0);
        }
        let left = usize::try_from(self.end.saturating_sub(self.base + self.filled as u64));
        let room = left.unwrap_or(usize::MAX).min(buffer.len() - self.filled);
        let read = read_some(&mut self.source, &mut buffer[self.filled..self.filled + room])?;
        self.filled += read;
        if self.form.is_none() && read > 0 {
            self.form = Some(Form::detect(&self.buffer[..self.filled]));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its bytes in small pieces.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(self.0.len()).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn options() -> ReadOptions {
        ReadOptions { year: YearHint::First(2024), ..ReadOptions::in_zone(jiff::tz::TimeZone::UTC) }
    }

    fn held(cluster: usize) -> String {
        format!(
            "012 ({cluster:03}.000.000) 2024-01-02 03:04:05 Job was held.\n\tx\n\tCode 1 Subcode 0\n...\n"
        )
    }

    /// Clusters of the events and offsets of the damage.
    fn read<R: Read>(mut reader: LogReader<R>) -> (Vec<i32>, Vec<(u64, Damage)>) {
        let (mut events, mut damages) = (Vec::new(), Vec::new());
        while let Some(event) = reader.next_event() {
            match event {
                Ok(event) => events.push(event.job.cluster),
                Err(damaged) => damages.push((damaged.offset, damaged.damage)),
            }
        }
        (events, damages)
    }

    #[test]
    fn pieces_of_any_size_read_the_same() {
        let tail = "005 (9.0.0) 2024";
        let lost = "\0\0\0".to_owned() + &held(9);
        let text = held(1) + "garbage\n...\n" + &held(2) + &lost + &held(3) + tail;
        for size in 1..text.len() {
            let (events, damages) = read(LogReader::new(Pieces(text.as_bytes(), size), &options()));
            assert_eq!(events, [1, 2, 3], "{size}");
            let damages: Vec<_> = damages.into_iter().map(|(at, _)| at as usize).collect();
            let garbage = held(1).len();
            let hole = garbage + 12 + held(2).len();
            assert_eq!(damages, [garbage, hole, text.len() - tail.len()], "{size}");
        }
    }

    #[test]
    fn a_large_event_is_skipped_with_bounded_memory() {
        let mut options = options();
        options.max_event = 1000;
        let text = held(1).replace("\tx", &"\tlong\n".repeat(200_000)) + &held(2);
        let mut reader = LogReader::new(text.as_bytes(), &options);
        let damaged = reader.next_event().unwrap().unwrap_err();
        assert_eq!(damaged.damage, Damage::TooLarge { limit: 1000 });
        assert_eq!(damaged.event, Some((12, super::super::JobId::new(1, 0))));
        assert_eq!(reader.next_event().unwrap().unwrap().job.cluster, 2);
        assert!(reader.next_event().is_none());
        assert!(reader.buffer.len() <= 4 * CHUNK);
    }

    #[test]
    fn following_waits_for_the_rest_of_an_event() {
        let mut options = options();
        options.follow = true;
        let text = held(1);
        let (begin, end) = text.as_bytes().split_at(30);
        let mut reader = LogReader::new(io::Cursor::new(begin.to_vec()), &options);
        assert!(reader.next_event().is_none());
        reader.source.get_mut().extend_from_slice(end);
        assert_eq!(reader.next_event().unwrap().unwrap().job.cluster, 1);
        assert!(reader.next_event().is_none());
    }

    #[test]
    fn a_log_truncated_while_it_is_read_ends_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job.log");
        let text: String = (0..40_000).map(|number| held(100 + number % 900)).collect();
        std::fs::write(&path, &text).unwrap();
        // Cut between two events, and within one.
        for length in [0, held(100).len() * 7, held(100).len() * 39_000 + 11] {
            std::fs::write(&path, &text).unwrap();
            let mut reader = open(&path, &options()).unwrap();
            assert_eq!(reader.next_event().unwrap().unwrap().job.cluster, 100);
            let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
            file.set_len(length as u64).unwrap();
            let (events, damages) = read(reader);
            assert!(events.len() < 39_999 && damages.len() <= 1, "{length}: {damages:?}");
            let told = (1..=events.len()).all(|at| events[at - 1] == (100 + at % 900) as i32);
            assert!(told, "{length}: what was read before is as it was");
        }
    }

    #[test]
    fn a_failing_read_is_reported_once() {
        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StaleNetworkFileHandle.into())
            }
        }
        let text = held(1);
        let mut reader = LogReader::new(text.as_bytes().chain(Fails), &options());
        assert!(reader.next_event().unwrap().is_ok());
        assert!(reader.next_event().unwrap().unwrap_err().is_io());
        assert!(reader.next_event().is_none());
    }

    const XML: &str = r#"<?xml version="1.0"?>
<!DOCTYPE classads SYSTEM "classads.dtd">
<classads>
<c>
    <a n="MyType"><s>JobHeldEvent</s></a>
    <a n="EventTypeNumber"><i>12</i></a>
    <a n="EventTime"><s>2024-01-02T03:04:05.250</s></a>
    <a n="Cluster"><i>7</i></a>
    <a n="Proc"><i>0</i></a>
    <a n="Subproc"><i>0</i></a>
    <a n="HoldReason"><s>a &lt;b&gt; &amp; &quot;c&quot;</s></a>
    <a n="HoldReasonCode"><i>13</i></a>
    <a n="HoldReasonSubCode"><i>2</i></a>
</c>
"#;

    const JSON: &str = r#"{
  "MyType": "JobHeldEvent",
  "EventTypeNumber": 12,
  "EventTime": "2024-01-02T03:04:05.250",
  "Cluster": 7,
  "Proc": 0,
  "Subproc": 0,
  "HoldReason": "a <b> & \"c\"",
  "HoldReasonCode": 13,
  "HoldReasonSubCode": 2
}
"#;

    #[test]
    fn other_forms_give_the_same_events() {
        for (text, form) in [(XML, Form::Xml), (JSON, Form::Json)] {
            for size in [1, 7, 10_000] {
                let twice = text.to_owned() + text;
                let mut reader = LogReader::new(Pieces(twice.as_bytes(), size), &options());
                for index in 0..2 {
                    let event = reader.next_event().unwrap().unwrap();
                    assert_eq!((event.number, event.job.cluster), (12, 7));
                    assert_eq!(event.time.seconds, 1_704_164_645);
                    assert_eq!(event.time.microseconds, 250_000);
                    if form == Form::Json {
                        assert_eq!(event.offset, (index * text.len()) as u64);
                    }
                    let super::super::Body::Held(held) = event.body() else { panic!() };
                    assert_eq!(held.reason.as_deref(), Some("a <b> & \"c\""));
                    assert_eq!((held.code, held.subcode), (Some(13), Some(2)));
                }
                assert!(reader.next_event().is_none());
                assert_eq!(reader.form(), Some(form));
            }
        }
    }

    #[test]
    fn a_large_ad_does_not_cost_the_next() {
        let mut options = options();
        options.max_event = 1000;
        for text in [XML, JSON] {
            let text = &text[text.find("<c>").unwrap_or(0)..];
            let log = text.replace("JobHeldEvent", &"long".repeat(100_000)) + text;
            let (events, damages) = read(LogReader::new(log.as_bytes(), &options));
            assert_eq!(events, [7]);
            assert_eq!(damages[0], (0, Damage::TooLarge { limit: 1000 }));
        }
    }

    #[test]
    fn other_forms_survive_damage() {
        for text in [XML, JSON] {
            let text = &text[text.find("<c>").unwrap_or(0)..];
            let cut = &text[..text.find("\"HoldReason\"").unwrap()];
            let cut = &cut[..=cut.rfind('\n').unwrap()];
            let wrong = text.replace("EventTypeNumber", "Number");
            for damage in [cut, &wrong, "garbage\n", "\0\0\0\n"] {
                let log = text.to_owned() + damage + text + cut;
                let (events, damages) = read(LogReader::new(log.as_bytes(), &options()));
                assert_eq!(events, [7, 7], "{damage:?}");
                assert_eq!(damages.len(), 2, "{damage:?}: {damages:?}");
                assert_eq!(damages[0].0, text.len() as u64, "{damage:?}");
                assert_eq!(damages[1].1, Damage::Truncated);
            }
        }
    }
}
