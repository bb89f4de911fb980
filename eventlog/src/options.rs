//! How a log is to be read.

use std::env::{VarError, var, var_os};
use std::fs::{read, read_link};
use std::path::Path;

use jiff::tz::TimeZone;

use super::YearHint;
use super::input::Room;
use super::time::Clock;

/// How a log is to be read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Zone of the access point that wrote the log. Default: the system's.
    pub time_zone: TimeZone,
    /// Where the year of dates without one comes from.
    pub year: YearHint,
    /// The largest event, bytes. A larger one is reported as damaged. Default: 4 MiB. Assumed, as
    /// HTCondor has no bound: the largest it writes by itself are ads (028), in which a list of
    /// 40,000 files of 100 bytes has room.
    pub max_event: usize,
    /// Byte offset in the file of the first byte read, where reading begins behind the start.
    pub offset: u64,
    /// Bytes that compressed logs may have unpacked, those of all readers with a clone of these
    /// options together; what is behind them is reported as damage.
    pub room: Room,
    /// Of a larger file only so many bytes at its end are read, from the first event that begins
    /// there on, and nothing that is written meanwhile. Default: all.
    pub newest: Option<u64>,
    /// The log is being written: an incomplete event at its end is not reported, the next call
    /// looks again. The file stays the same when the log is rotated; see [`super::follow`].
    pub follow: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            time_zone: system_zone(),
            year: YearHint::Now,
            max_event: 4 << 20,
            offset: 0,
            room: Room::default(),
            newest: None,
            follow: false,
        }
    }
}

/// [`TimeZone::system`], which lists all zones to find one by its name. This reads its file.
pub fn system_zone() -> TimeZone {
    let name = || match var("TZ") {
        Err(VarError::NotPresent) => {
            let link = read_link("/etc/localtime").ok()?;
            Some(link.to_str()?.rsplit_once("zoneinfo/")?.1.to_owned())
        }
        name => name.ok(),
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '+' | '-');
    let zone = || {
        let name = name().filter(|name| name.chars().all(is_plain) && !name.starts_with('/'))?;
        let data = read(Path::new("/usr/share/zoneinfo").join(&name)).ok()?;
        TimeZone::tzif(&name, &data).ok().filter(|_| var_os("TZDIR").is_none())
    };
    zone().unwrap_or_else(TimeZone::system)
}

impl ReadOptions {
    /// The defaults with this time zone.
    pub fn in_zone(time_zone: TimeZone) -> Self {
        Self { time_zone, ..Self::default() }
    }

    /// These, for the newest bytes of a log and as many of compressed ones; those of all readers
    /// with a clone together.
    #[must_use]
    pub fn newest(self, bytes: u64) -> Self {
        Self { newest: Some(bytes), room: Room::new(bytes), ..self }
    }

    pub(super) fn clock(&self) -> Clock {
        Clock::new(self.time_zone.clone(), self.year)
    }
}
