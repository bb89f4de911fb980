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
        let JobId { cluster, proc } = self.job;
        write!(out, "{number:03} ({cluster:03}.{proc:03}.{:03}) ", self.subproc)?;
        let stamp = Timestamp::from_second(self.time.seconds)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let zone = if self.date.utc { &TimeZone::UTC } else { &self.date.time_zone };
        let civil = zone.to_datetime(stamp);
        if self.date.with_year {
            write!(out, "{:04}-{:02}-{:02}", civil.year(), civil.month(), civil.day())?;
        } else {
            write!(out, "{:02}/{:02}", civil.month(), civil.day())?;
        }
        write!(out, " {:02}:{:02}:{:02}", civil.hour(), civil.minute(), civil.second())?;
        if self.date.sub_second {
            write!(out, ".{:03}", self.time.microseconds / 1000)?;
        }
        out.write_all(if self.date.utc { b"Z " } else { b" " })
    }
}
