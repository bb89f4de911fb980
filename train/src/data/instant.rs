//! An instant as people write it: Unix seconds, or a date of ISO 8601.

use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// An instant, or a local date and time that is one in a time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instant {
    /// Unix seconds.
    Unix(i64),
    /// Local time.
    Local(DateTime),
}

impl FromStr for Instant {
    type Err = String;

    /// Unix seconds; else a date and time with an offset or Z; else local time, of a date alone its
    /// midnight.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(unix) = text.parse() {
            return Ok(Self::Unix(unix));
        }
        if let Ok(instant) = text.parse::<Timestamp>() {
            return Ok(Self::Unix(instant.as_second()));
        }
        let local = text.parse::<Date>().map(|date| date.at(0, 0, 0, 0));
        // A date and time reads as a date too, its time left out.
        let local = text.parse::<DateTime>().or(local);
        local.map(Self::Local).map_err(|_| {
            format!(
                "{text:?}: expected an instant as Unix seconds or as ISO 8601, such as 1767323045, 2026-01-02, \
                 2026-01-02T03:04:05 or 2026-01-02T03:04:05Z"
            )
        })
    }
}

impl Instant {
    /// Unix seconds of it, local time read in this zone. Of a time that a clock shows twice the
    /// first, of one that it skips the instant as far behind the jump.
    ///
    /// # Errors
    /// When it lies outside of what dates can say.
    pub fn unix(self, zone: &TimeZone) -> Result<i64, String> {
        match self {
            Self::Unix(unix) => Ok(unix),
            Self::Local(local) => zone
                .to_timestamp(local)
                .map(Timestamp::as_second)
                .map_err(|_| format!("{local}: too far from now to be an instant")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unix(text: &str, zone: &str) -> i64 {
        text.parse::<Instant>().unwrap().unix(&TimeZone::get(zone).unwrap()).unwrap()
    }

    #[test]
    fn instants_are_unix_seconds_or_dates() {
        assert_eq!(unix("-5", "UTC"), -5);
        assert_eq!(unix("1767323045", "America/Chicago"), 1_767_323_045);
        assert_eq!(unix("2026-01-02T03:04:05", "UTC"), 1_767_323_045);
        assert_eq!(unix("2026-01-02 03:04:05", "UTC"), 1_767_323_045);
        assert_eq!(unix("2026-01-02T03:04:05Z", "America/Chicago"), 1_767_323_045);
        assert_eq!(unix("2026-01-02T04:04:05+01:00", "America/Chicago"), 1_767_323_045);
        assert_eq!(unix("2026-01-02", "UTC"), 1_767_312_000);
        assert_eq!(unix("2026-01-02", "America/Chicago"), 1_767_312_000 + 6 * 3_600);
    }

    #[test]
    fn what_is_none_is_named() {
        for wrong in ["", "yesterday", "2026-13-01", "1e9", "2026-01-02T25:00:00"] {
            let error = wrong.parse::<Instant>().unwrap_err().to_string();
            assert!(error.contains(&format!("{wrong:?}: expected an instant")), "{error}");
        }
    }
}
