//! The header line.

use std::io::{self, Write};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::super::{EventTime, JobId};

/// How dates are written (`EVENT_LOG_FORMAT_OPTIONS`, `DEFAULT_USERLOG_FORMAT_OPTIONS`).
#[derive(Clone, Debug)]
pub struct DateForm {
    /// `2024-01-31` (`ISO_DATE`), not `01/31`.
    pub with_year: bool,
    /// Milliseconds behind the seconds (`SUB_SECOND`).
    pub sub_second: bool,
    /// The time is UTC and ends in `Z` (`UTC`); the time zone does not count.
    pub utc: bool,
    /// Zone of the local time.
    pub time_zone: TimeZone,
}

impl DateForm {
    /// `2024-01-31 23:59:59`, what job logs have since HTCondor 8.9.
    pub const fn iso(time_zone: TimeZone) -> Self {
        Self { with_year: true, sub_second: false, utc: false, time_zone }
    }

    /// `01/31 23:59:59`, what older logs and global event logs have.
    pub const fn month_day(time_zone: TimeZone) -> Self {
        Self { with_year: false, sub_second: false, utc: false, time_zone }
    }
}

/// What the header line of an event says beside its number.
#[derive(Clone, Copy, Debug)]
pub struct EventHeader<'a> {
    /// The job it happened to.
    pub job: JobId,
    /// The third number, 0 but for parallel universe nodes.
    pub subproc: i32,
    /// When it happened.
    pub time: EventTime,
    /// How the time is written.
    pub date: &'a DateForm,
}

impl EventHeader<'_> {
    /// Writes the line up to the title.
    pub(super) fn write(&self, out: &mut impl Write, number: u16) -> io::Result<()> {
        let stamp = Timestamp::from_second(self.time.seconds)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let zone = if self.date.utc { &TimeZone::UTC } else { &self.date.time_zone };
        let civil = zone.to_datetime(stamp);
        let mut line = Line::default();
        line.numbers([(i32::from(number), 3, b" ("), (self.job.cluster, 3, b".")]);
        line.numbers([(self.job.proc, 3, b"."), (self.subproc, 3, b") ")]);
        let (year, month, day) = (civil.year().into(), civil.month().into(), civil.day().into());
        if self.date.with_year {
            line.numbers([(year, 4, b"-"), (month, 2, b"-")]);
        } else {
            line.numbers([(month, 2, b"/")]);
        }
        line.numbers([(day, 2, b" "), (civil.hour().into(), 2, b":")]);
        line.numbers([(civil.minute().into(), 2, b":"), (civil.second().into(), 2, b"")]);
        if self.date.sub_second {
            line.text(b".");
            line.numbers([((self.time.microseconds / 1000) as i32, 3, b"")]);
        }
        if self.date.utc {
            line.text(b"Z");
        }
        line.text(b" ");
        out.write_all(&line.bytes[..line.length])
    }
}

/// The line being put together: at most 85 bytes, without the formatting machinery, as every event
/// has one.
struct Line {
    bytes: [u8; 96],
    length: usize,
}

impl Default for Line {
    fn default() -> Self {
        Self { bytes: [0; 96], length: 0 }
    }
}

impl Line {
    fn text(&mut self, text: &[u8]) {
        self.bytes[self.length..][..text.len()].copy_from_slice(text);
        self.length += text.len();
    }

    /// Numbers, their widths, and what is behind each.
    #[inline]
    fn numbers<const N: usize>(&mut self, numbers: [(i32, usize, &[u8]); N]) {
        for (value, width, behind) in numbers {
            self.number(value, width);
            self.text(behind);
        }
    }

    /// As `{:0width$}` prints it: the sign counts.
    fn number(&mut self, value: i32, mut width: usize) {
        if value < 0 {
            self.text(b"-");
            width -= 1;
        }
        let mut rest = value.unsigned_abs();
        let digits = rest.checked_ilog10().map_or(1, |power| power as usize + 1).max(width);
        for byte in self.bytes[self.length..][..digits].iter_mut().rev() {
            *byte = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        self.length += digits;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_padded_with_zeros() {
        for value in [0, 7, 42, 999, 1_000, -1, -42, -999, -1_000, i32::MAX, i32::MIN] {
            for width in [2, 3, 4] {
                let mut line = Line::default();
                line.number(value, width);
                let text = std::str::from_utf8(&line.bytes[..line.length]).unwrap();
                assert_eq!(text, format!("{value:0width$}"));
            }
        }
    }
}
