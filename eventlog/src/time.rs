//! Dates of event headers to Unix time.
//!
//! HTCondor writes local civil time without a zone (`ULogEvent::formatHeader`), in old logs without
//! a year. The conversion is done once an hour of log: all events of an hour without a change of
//! offset share it.

use std::fmt;
use std::sync::Arc;

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

use super::EventTime;
use super::text::digits::{Word, number};

/// Where the year of a `MM/DD` date comes from, unless the log says it itself, in its header
/// (`Global JobLog: ctime=`) or with other dates, which have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum YearHint {
    /// No event is later than now.
    #[default]
    Now,
    /// The first event is of this year.
    First(i16),
    /// No event is later than this Unix time, the modification time of the file.
    NotAfter(i64),
}

/// A date within a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct MonthDay {
    pub(super) month: u8,
    pub(super) day: u8,
}

impl MonthDay {
    fn ordinal(self) -> i32 {
        i32::from(self.month) * 31 + i32::from(self.day)
    }

    /// By how many years the year changes between two events written one after the other.
    ///
    /// Logs go forward; two writers may swap events of neighbouring days, so a step back of up to
    /// two days is disorder and a larger one the next year.
    pub(super) fn years_to(self, next: Self) -> i16 {
        match next.ordinal() - self.ordinal() {
            ..-2 => 1,
            // 1 January and 31 December are 371 apart in this count.
            369.. => -1,
            _ => 0,
        }
    }
}

/// The date and time of a header as written.
#[derive(Clone, Copy, Debug)]
struct Hour {
    /// Civil seconds since 1970-01-01 00:00 at the start of the hour.
    civil: i64,
    /// Seconds east of UTC, where they are the same for the whole hour.
    offset: Option<i64>,
}

/// What a clock has seen, and dates that follow depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Seen {
    /// The year and date of the last date, with a year or without.
    date: Option<(i16, MonthDay)>,
    /// The last local time, to choose in the hour that occurs twice.
    last: Option<i64>,
}

impl Seen {
    /// As if no date had been seen.
    pub(super) fn without_year(self) -> Self {
        Self { date: None, ..self }
    }

    /// What comes behind depends on nothing before.
    pub(super) fn is_whole(self) -> bool {
        self.date.is_some() && self.last.is_some()
    }
}

/// Turns dates of headers into Unix time.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    zone: TimeZone,
    hint: YearHint,
    pub(super) seen: Seen,
    /// The first bytes of the last date, up to the hour, and what they mean.
    key: [u8; 13],
    key_len: usize,
    hour: Hour,
    /// Where the log is read from its middle on: what reading the part before would have shown.
    before: Option<Before>,
}

/// Asked once, and only by a date that means nothing by itself.
#[derive(Clone)]
pub(super) struct Before(pub(super) Arc<dyn Fn() -> Seen + Send + Sync>);

impl fmt::Debug for Before {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Before")
    }
}

/// What a date has to look like.
pub(super) const EXPECTED_DATE: &str = "a date such as 2024-01-31 23:59:59 or 01/31 23:59:59";

/// Events of one log written this much earlier than the one before are disorder, s.
pub const DISORDER: i64 = 600;

impl Clock {
    pub(super) fn new(zone: TimeZone, hint: YearHint) -> Self {
        let hour = Hour { civil: 0, offset: None };
        let (seen, before) = (Seen::default(), None);
        Self { zone, hint, seen, key: [0; 13], key_len: 0, hour, before }
    }

    /// A clock for a part of the log, which goes on from what the part before shows.
    pub(super) fn behind(&self, before: Before) -> Self {
        let clock = Self::new(self.zone.clone(), self.hint);
        Self { before: Some(before), ..clock }
    }

    /// The same from what was seen.
    pub(super) fn behind_seen(&self, seen: Seen) -> Self {
        Self { seen, ..Self::new(self.zone.clone(), self.hint) }
    }

    /// What was seen in all, the part before included.
    pub(super) fn seen_in_all(&mut self) -> Seen {
        if !self.seen.is_whole() {
            self.look_before();
        }
        self.seen
    }

    /// Fetches what the part before shows, if that is still to be done. What this part says itself
    /// counts more.
    #[cold]
    fn look_before(&mut self) {
        if let Some(before) = self.before.take() {
            let seen = (before.0)();
            self.seen.date = self.seen.date.or(seen.date);
            self.seen.last = self.seen.last.or(seen.last);
        }
    }

    /// The log was begun at this Unix time: dates go on from there.
    pub(super) fn begin(&mut self, unix: i64) {
        if let Some(date) = self.civil_date(unix) {
            self.go_on(Seen { date: Some(date), last: Some(unix) });
        }
    }

    /// Dates go on from what another clock has seen.
    pub(super) fn go_on(&mut self, seen: Seen) {
        self.seen = seen;
        self.key_len = 0;
    }

    /// The first date is of this year.
    pub(super) fn begin_in(&mut self, year: i16) {
        self.hint = YearHint::First(year);
    }

    /// The last instant a date without a year may mean, where the year is still to be found.
    pub(super) fn needs_year(&self) -> Option<i64> {
        match (self.seen.date, self.hint) {
            (Some(_), _) | (None, YearHint::First(_)) => None,
            (None, YearHint::NotAfter(unix)) => Some(unix),
            (None, YearHint::Now) => Some(jiff::Timestamp::now().as_second()),
        }
    }

    fn civil_date(&self, unix: i64) -> Option<(i16, MonthDay)> {
        let stamp = jiff::Timestamp::from_second(unix).ok()?;
        let civil = self.zone.to_datetime(stamp);
        let date = MonthDay { month: civil.month() as u8, day: civil.day() as u8 };
        Some((civil.year(), date))
    }

    /// The latest year in which `date` is not after `unix`, give or take a day.
    pub(super) fn latest_year(&self, unix: i64, date: MonthDay) -> i16 {
        let Some((year, end)) = self.civil_date(unix.saturating_add(86_400)) else { return 1970 };
        if date.ordinal() <= end.ordinal() { year } else { year - 1 }
    }

    /// Reads the date and time that `bytes` begin with: the time and the number of bytes read.
    #[inline]
    pub(super) fn read(&mut self, bytes: &[u8]) -> Option<(EventTime, usize)> {
        let is_same_hour = match self.key_len {
            0 => false,
            // Dates with four digits of a year: a comparison of known length.
            13 => bytes.first_chunk() == Some(&self.key),
            length => bytes.get(..length) == Some(&self.key[..length]),
        };
        if !is_same_hour {
            self.read_hour(bytes)?;
        }
        let key_len = self.key_len;
        const TIME: Word = Word::new(b":99:99");
        let digits = TIME.digits(&bytes[key_len..])?;
        // 60 is a leap second.
        let (minute, second) = (number(digits, 1, 2), number(digits, 4, 2));
        if minute > 59 || second > 60 {
            return None;
        }
        let mut at = key_len + 6;
        let mut microseconds = 0_u32;
        if bytes.get(at) == Some(&b'.') {
            at += 1;
            let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 {
                return None;
            }
            for index in 0..6 {
                let digit = if index < digits { bytes[at + index] - b'0' } else { 0 };
                microseconds = microseconds * 10 + u32::from(digit);
            }
            at += digits;
        }
        let civil = self.hour.civil + i64::from(minute) * 60 + i64::from(second);
        let (seconds, at) = match bytes.get(at) {
            Some(b'Z' | b'z') => (civil, at + 1),
            Some(sign @ (b'+' | b'-')) => {
                let [h1, h0, b':', m1, m0, ..] = bytes[at + 1..] else { return None };
                let east = i64::from(two(h1, h0)?) * 3600 + i64::from(two(m1, m0)?) * 60;
                (if *sign == b'+' { civil - east } else { civil + east }, at + 6)
            }
            _ => (self.local(civil)?, at),
        };
        Some((EventTime { seconds, microseconds }, at))
    }

    /// Local civil seconds to Unix time.
    #[inline]
    fn local(&mut self, civil: i64) -> Option<i64> {
        let seconds = match self.hour.offset {
            Some(offset) => civil - offset,
            None => match self.ambiguous(civil)? {
                AmbiguousOffset::Unambiguous { offset } => civil - i64::from(offset.seconds()),
                // A time the clocks skipped: it was written by the old offset.
                AmbiguousOffset::Gap { before, .. } => civil - i64::from(before.seconds()),
                // A time that came twice: the first time, unless the log is past it.
                AmbiguousOffset::Fold { before, after } => {
                    let first = civil - i64::from(before.seconds());
                    let second = civil - i64::from(after.seconds());
                    if self.seen.last.is_none() {
                        self.look_before();
                    }
                    let past = self.seen.last.is_some_and(|last| last > first + DISORDER);
                    if past { second } else { first }
                }
            },
        };
        self.seen.last = Some(seconds);
        Some(seconds)
    }

    fn ambiguous(&self, civil: i64) -> Option<AmbiguousOffset> {
        let civil = jiff::Timestamp::from_second(civil).ok()?;
        let civil: DateTime = TimeZone::UTC.to_datetime(civil);
        Some(self.zone.to_ambiguous_timestamp(civil).offset())
    }

    /// The offset of the hour beginning at `civil`, where it is one and the same.
    fn offset_of_hour(&self, civil: i64) -> Option<i64> {
        let begin = self.ambiguous(civil)?;
        let end = self.ambiguous(civil + 3599)?;
        match (begin, end) {
            (
                AmbiguousOffset::Unambiguous { offset: begin },
                AmbiguousOffset::Unambiguous { offset: end },
            ) if begin == end => Some(i64::from(begin.seconds())),
            _ => None,
        }
    }

    /// Reads a date up to the hour.
    fn read_hour(&mut self, bytes: &[u8]) -> Option<()> {
        let (year, date, hour_at) = civil_date(bytes)?;
        let hour = two(*bytes.get(hour_at)?, *bytes.get(hour_at + 1)?)?;
        if hour > 23 {
            return None;
        }
        let year = match year {
            Some(year) => year,
            None => self.year_of(date),
        };
        self.seen.date = Some((year, date));
        let day = jiff::civil::Date::new(year, date.month as i8, date.day as i8).ok()?;
        let days = day.duration_since(jiff::civil::date(1970, 1, 1)).as_hours() / 24;
        let civil = days * 86_400 + i64::from(hour) * 3600;
        self.key_len = hour_at + 2;
        self.key[..self.key_len].copy_from_slice(&bytes[..self.key_len]);
        self.hour = Hour { civil, offset: self.offset_of_hour(civil) };
        Some(())
    }

    /// The year of a date without one.
    fn year_of(&mut self, date: MonthDay) -> i16 {
        if self.seen.date.is_none() {
            self.look_before();
        }
        match (self.seen.date, self.hint) {
            (Some((year, last)), _) => year.saturating_add(last.years_to(date)),
            (None, YearHint::First(year)) => year,
            (None, YearHint::NotAfter(unix)) => self.latest_year(unix, date),
            (None, YearHint::Now) => self.latest_year(jiff::Timestamp::now().as_second(), date),
        }
    }
}

/// The date that `bytes` begin with: its year, where it has one, and where the hour is.
pub(super) fn civil_date(bytes: &[u8]) -> Option<(Option<i16>, MonthDay, usize)> {
    Some(match *bytes {
        [y3, y2, y1, y0, b'-', m1, m0, b'-', d1, d0, b' ' | b'T', ..] => {
            let year = i16::from(two(y3, y2)?) * 100 + i16::from(two(y1, y0)?);
            (Some(year), MonthDay { month: two(m1, m0)?, day: two(d1, d0)? }, 11)
        }
        [m1, m0, b'/', d1, d0, b' ', ..] => {
            (None, MonthDay { month: two(m1, m0)?, day: two(d1, d0)? }, 6)
        }
        [m1, m0, b'/', d1, d0, b'/', y1, y0, b' ', ..] => {
            let year = i16::from(two(y1, y0)?);
            // As strptime's %y: 69 to 99 are of the last century.
            let year = if year < 69 { 2000 + year } else { 1900 + year };
            (Some(year), MonthDay { month: two(m1, m0)?, day: two(d1, d0)? }, 9)
        }
        _ => return None,
    })
}

/// Two decimal digits.
#[inline]
fn two(tens: u8, ones: u8) -> Option<u8> {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    (tens < 10 && ones < 10).then(|| tens * 10 + ones)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(zone: &str, hint: YearHint) -> Clock {
        Clock::new(TimeZone::get(zone).unwrap(), hint)
    }

    fn read(clock: &mut Clock, text: &str) -> i64 {
        let (time, length) = clock.read(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(length, text.len(), "{text}");
        time.seconds
    }

    #[test]
    fn all_forms_mean_the_same_instant() {
        let mut clock = clock("America/Chicago", YearHint::First(2024));
        // 2024-07-01 12:34:56 CDT
        let unix = 1_719_855_296;
        for text in [
            "2024-07-01 12:34:56",
            "2024-07-01T12:34:56",
            "2024-07-01 17:34:56Z",
            "2024-07-01T19:34:56+02:00",
            "2024-07-01T10:34:56-07:00",
            "07/01 12:34:56",
            "07/01/24 12:34:56",
        ] {
            assert_eq!(read(&mut clock, text), unix, "{text}");
        }
    }

    #[test]
    fn parts_of_a_second() {
        let mut clock = clock("UTC", YearHint::First(2024));
        let read =
            |clock: &mut Clock, text: &[u8]| clock.read(text).map(|(time, _)| time.microseconds);
        assert_eq!(read(&mut clock, b"2024-07-01 12:34:56.789"), Some(789_000));
        assert_eq!(read(&mut clock, b"2024-07-01 12:34:56.000001Z"), Some(1));
        assert_eq!(read(&mut clock, b"2024-07-01 12:34:56.12345678"), Some(123_456));
        assert_eq!(read(&mut clock, b"2024-07-01 12:34:56."), None);
    }

    #[test]
    fn impossible_dates_are_refused() {
        let mut clock = clock("UTC", YearHint::First(2024));
        for text in [
            "2024-02-30 00:00:00",
            "2024-13-01 00:00:00",
            "2024-01-01 24:00:00",
            "2024-01-01 00:60:00",
            "00/10 00:00:00",
            "2024-01-01",
            "2024-01-01 0",
            "",
        ] {
            assert!(clock.read(text.as_bytes()).is_none(), "{text}");
        }
    }

    #[test]
    fn the_hour_that_comes_twice_goes_forward() {
        // Clocks went from 02:00 CDT back to 01:00 CST on 2023-11-05.
        let mut clock = clock("America/Chicago", YearHint::Now);
        let first = read(&mut clock, "2023-11-05 01:10:00");
        let end = read(&mut clock, "2023-11-05 01:59:59");
        let again = read(&mut clock, "2023-11-05 01:10:00");
        assert_eq!(end - first, 2999);
        assert_eq!(again - first, 3600);
        assert_eq!(read(&mut clock, "2023-11-05 02:00:00") - again, 3000);
    }

    #[test]
    fn years_go_on_over_new_year() {
        let mut clock = clock("UTC", YearHint::First(2023));
        let december = read(&mut clock, "12/31 23:59:59");
        let january = read(&mut clock, "01/01 00:00:00");
        assert_eq!(january - december, 1);
        // A late writer.
        assert_eq!(read(&mut clock, "12/31 23:59:58"), december - 1);
        assert_eq!(read(&mut clock, "01/01 00:00:01"), january + 1);
    }

    #[test]
    fn a_date_without_a_year_goes_on_from_one_with_a_year() {
        let mut clock = clock("UTC", YearHint::First(1999));
        let december = read(&mut clock, "2023-12-31 23:59:59");
        assert_eq!(read(&mut clock, "01/01 00:00:00"), december + 1);
        assert_eq!(read(&mut clock, "12/31/20 23:59:59"), december - 1095 * 86_400);
        assert_eq!(read(&mut clock, "12/31 23:59:58"), december - 1095 * 86_400 - 1);
    }

    #[test]
    fn a_log_is_not_of_the_future() {
        let new_year = 1_704_067_200; // 2024-01-01 00:00:00 UTC
        let mut late = clock("UTC", YearHint::NotAfter(new_year + 3600));
        assert_eq!(read(&mut late, "12/31 23:00:00"), new_year - 3600);
        let mut log = clock("UTC", YearHint::NotAfter(new_year + 3600));
        log.begin(new_year - 86_400 * 200);
        assert_eq!(read(&mut log, "12/31 23:00:00"), new_year - 3600);
        assert_eq!(read(&mut log, "01/01 00:00:00"), new_year);
    }

    #[test]
    fn a_log_begun_in_the_second_hour_stays_there() {
        // 01:05 CST, an hour and five minutes after the clocks went back from 02:00 CDT.
        let begun = 1_699_167_900;
        let mut clock = clock("America/Chicago", YearHint::Now);
        clock.begin(begun);
        assert_eq!(read(&mut clock, "2023-11-05 01:06:00"), begun + 60);
    }

    #[test]
    fn a_clock_goes_on_from_what_another_has_seen() {
        let mut first = clock("America/Chicago", YearHint::First(2023));
        read(&mut first, "11/05 01:59:59");
        let mut second = clock("America/Chicago", YearHint::First(1999));
        second.go_on(first.seen);
        for text in ["11/05 01:10:00", "12/31 23:00:00", "01/01 00:00:00"] {
            assert_eq!(read(&mut second, text), read(&mut first, text), "{text}");
        }
    }
}
