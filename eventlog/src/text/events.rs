//! The events of a slice.

use std::ops::ControlFlow;

use super::super::options::ReadOptions;
use super::super::time::{Clock, EXPECTED_DATE, MonthDay, civil_date};
use super::super::{Damage, DamagedEvent, Event, Form};
use super::header::Ids;
use super::lines::Lines;
use super::scan::{Found, Span, find};

/// The events of a log in text form that is in memory, in the order of the log.
///
/// ```
/// use eventlog::{Body, Events};
///
/// let log = b"012 (1234.000.000) 2024-01-31 23:59:59 Job was held.\n\
///             \tvia condor_hold (by user alice)\n\tCode 1 Subcode 0\n...\n";
/// let event = Events::new(log).next().unwrap().unwrap();
/// let Body::Held(held) = event.body() else { panic!() };
/// assert_eq!((event.job.cluster, held.code), (1234, Some(1)));
/// ```
#[derive(Clone, Debug)]
pub struct Events<'a> {
    bytes: &'a [u8],
    at: usize,
    base: u64,
    clock: Clock,
    other_form: Option<Form>,
}

impl<'a> Events<'a> {
    /// Reads with the system's time zone; years are found as
    /// [`YearHint::Now`](crate::YearHint::Now) says.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::with_options(bytes, &ReadOptions::default())
    }

    /// Reads with these options.
    pub fn with_options(bytes: &'a [u8], options: &ReadOptions) -> Self {
        let form = Form::detect(bytes);
        Self {
            bytes,
            at: 0,
            base: options.offset,
            clock: options.clock(),
            other_form: (form != Form::Text).then_some(form),
        }
    }

    /// The byte offset behind what was read so far.
    pub fn offset(&self) -> u64 {
        self.base + self.at as u64
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Result<Event<'a>, DamagedEvent>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(form) = self.other_form.take() {
            self.at = self.bytes.len();
            return Some(Err(Damage::OtherForm(form).at(self.base, self.bytes.len() as u64)));
        }
        let rest = &self.bytes[self.at..];
        let offset = self.offset();
        match find(rest, true) {
            Found::Event(span) => {
                self.at += span.end;
                Some(event(rest, span, offset, &mut self.clock, |clock, unix| {
                    find_year(clock, unix, &rest[span.begin..]);
                }))
            }
            Found::Damaged { begin, end, damage } => {
                self.at += end;
                Some(Err(damaged(rest, begin, end, offset, damage)))
            }
            Found::More { .. } | Found::End => {
                self.at = self.bytes.len();
                None
            }
        }
    }
}

/// The event at `span` of `bytes`, which begin at `offset` of the file.
///
/// `find_year` is called for the first date without a year, with the last instant it may mean.
#[inline]
pub(crate) fn event<'a>(
    bytes: &'a [u8],
    span: Span,
    offset: u64,
    clock: &mut Clock,
    find_year: impl FnOnce(&mut Clock, i64),
) -> Result<Event<'a>, DamagedEvent> {
    let header = &bytes[span.begin..span.lines];
    let lines = &bytes[span.lines..span.separator];
    let expected =
        |expected| damaged(bytes, span.begin, span.end, offset, Damage::Header { expected });
    let ids = Ids::read(header).map_err(expected)?;
    let date = &header[ids.date_at..];
    // The title of an event 008 of a job is text of its user (`condor_chirp ulog`).
    let is_header = ids.number == 8 && ids.job.cluster <= 0;
    let begun = if is_header { begun(date) } else { None };
    if let Some(begun) = begun {
        clock.begin(begun);
    } else if date.get(2) == Some(&b'/')
        && let Some(unix) = clock.needs_year()
    {
        find_year(clock, unix);
    }
    let (time, length) = clock.read(date).ok_or_else(|| expected(EXPECTED_DATE))?;
    if let Some(begun) = begun {
        // The header is written anew when the log is rotated, with the date of that.
        clock.begin(begun);
    }
    let title = match &date[length..] {
        [b' ', title @ ..] => title,
        title @ ([b'\n' | b'\r', ..] | []) => title,
        _ => return Err(expected(EXPECTED_DATE)),
    };
    let title = title.strip_suffix(b"\n").unwrap_or(title);
    let title = title.strip_suffix(b"\r").unwrap_or(title);
    Ok(Event {
        number: ids.number,
        job: ids.job,
        subproc: ids.subproc,
        time,
        offset: offset + span.begin as u64,
        title,
        lines,
        ad: None,
    })
}

/// `ctime` of the header that begins a global event log (`UserLogHeader` in HTCondor).
#[cold]
fn begun(date: &[u8]) -> Option<i64> {
    let at = memchr::memmem::find(date, b" Global JobLog: ctime=")?;
    super::lines::Cursor(&date[at + 22..]).signed().filter(|unix| *unix > 0)
}

/// A damaged part of `bytes`, which begin at `offset` of the file.
pub(crate) fn damaged(
    bytes: &[u8],
    begin: usize,
    end: usize,
    offset: u64,
    damage: Damage,
) -> DamagedEvent {
    let event = Ids::read(&bytes[begin..end]).ok().map(|ids| (ids.number, ids.job));
    DamagedEvent { offset: offset + begin as u64, length: (end - begin) as u64, event, damage }
}

/// Counts the new years of a log without years, up to the first date with one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Years {
    last: Option<MonthDay>,
    wraps: i16,
    /// The year of the last date, which the first date with a year tells.
    year: Option<i16>,
    /// The next line is of an event that has begun: it may hold the text of a user.
    within: bool,
}

impl Years {
    /// `within`: the first line is of an event that has begun.
    pub(crate) fn new(within: bool) -> Self {
        Self { within, ..Self::default() }
    }

    /// Takes note of a line. Breaks where no other matters.
    pub(crate) fn line(&mut self, line: &[u8]) -> ControlFlow<()> {
        if line == b"..." {
            self.within = false;
            return ControlFlow::Continue(());
        }
        if self.within || line.is_empty() {
            return ControlFlow::Continue(());
        }
        self.within = true;
        let date = Ids::read(line).ok().and_then(|ids| civil_date(&line[ids.date_at..]));
        let Some((year, date, _)) = date else { return ControlFlow::Continue(()) };
        let step = self.last.map_or(0, |last| last.years_to(date));
        if let Some(year) = year {
            self.year = Some(year.saturating_sub(step));
            return ControlFlow::Break(());
        }
        self.wraps = self.wraps.saturating_add(step);
        self.last = Some(date);
        ControlFlow::Continue(())
    }

    /// Tells the clock what was found. No event is later than `unix`.
    pub(crate) fn tell(self, clock: &mut Clock, unix: i64) {
        if let Some(last) = self.last {
            let year = self.year.unwrap_or_else(|| clock.latest_year(unix, last));
            clock.begin_in(year.saturating_sub(self.wraps));
        }
    }
}

/// The first event is without a year: looks through those that follow, since the first one that has
/// a year, or else the last one, is the one whose year is known.
#[cold]
fn find_year(clock: &mut Clock, unix: i64, bytes: &[u8]) {
    let mut years = Years::default();
    let _ = Lines::new(bytes).try_for_each(|line| years.line(line));
    years.tell(clock, unix);
}

#[cfg(test)]
mod tests {
    use super::super::super::YearHint;
    use super::*;

    #[test]
    fn years_are_counted_back_from_the_first_date_with_one() {
        let years = |dates: &[&str]| -> Vec<i16> {
            let event =
                |date: &&str| format!("013 (1.0.0) {date} 00:00:00 Job was released.\n...\n");
            let log: String = dates.iter().map(event).collect();
            let zone = jiff::tz::TimeZone::UTC;
            let year = YearHint::NotAfter(1_900_000_000);
            let options = ReadOptions { year, ..ReadOptions::in_zone(zone.clone()) };
            let year = |event: Result<Event<'_>, _>| {
                let time = jiff::Timestamp::from_second(event.unwrap().time.seconds).unwrap();
                zone.to_datetime(time).year()
            };
            Events::with_options(log.as_bytes(), &options).map(year).collect()
        };
        assert_eq!(years(&["11/30", "02/01"]), [2029, 2030]);
        assert_eq!(years(&["11/30", "02/01", "2020-02-02", "02/03"]), [2019, 2020, 2020, 2020]);
        assert_eq!(
            years(&["11/30", "12/31", "2020-01-01", "2028-01-01"]),
            [2019, 2019, 2020, 2028]
        );
    }
}
