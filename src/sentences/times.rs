//! Times and lengths of time as people read them.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// A length of time in its two largest units: `45s`, `12m`, `2h14m`, `3d04h`.
pub(crate) fn length(seconds: i64) -> String {
    let seconds = seconds.max(0);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h{:02}m", seconds / 3600, seconds % 3600 / 60),
        _ => format!("{}d{:02}h", seconds / 86_400, seconds % 86_400 / 3600),
    }
}

/// Local time of this year as `03-01 12:00`, of another as `2025-03-01`: the order of ISO 8601.
pub(crate) fn short(unix: i64, now: i64, zone: &TimeZone) -> String {
    let year = |unix| civil(unix, zone, "%Y");
    civil(unix, zone, if year(unix) == year(now) { "%m-%d %H:%M" } else { "%Y-%m-%d" })
}

/// Local time with its date: `2026-03-01 12:00`.
pub(crate) fn minute(unix: i64, zone: &TimeZone) -> String {
    civil(unix, zone, "%Y-%m-%d %H:%M")
}

/// Local time to the second: `2026-03-01 12:00:00`.
pub(crate) fn second(unix: i64, zone: &TimeZone) -> String {
    civil(unix, zone, "%Y-%m-%d %H:%M:%S")
}

/// Local time in ISO 8601: `2026-03-01T12:00:00`.
pub(crate) fn iso(unix: i64, zone: &TimeZone) -> String {
    civil(unix, zone, "%Y-%m-%dT%H:%M:%S")
}

fn civil(unix: i64, zone: &TimeZone, format: &str) -> String {
    match Timestamp::from_second(unix) {
        Ok(time) => time.to_zoned(zone.clone()).strftime(format).to_string(),
        Err(_) => unix.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        let shown: Vec<String> =
            [-5, 59, 60, 8040, 86_399, 270_000].into_iter().map(length).collect();
        assert_eq!(shown, ["0s", "59s", "1m", "2h14m", "23h59m", "3d03h"]);
    }

    #[test]
    fn times_in_a_zone() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        assert_eq!(short(1_772_366_400, 1_772_400_000, &zone), "03-01 14:00");
        assert_eq!(short(1_772_366_400, 1_803_902_400, &zone), "2026-03-01");
        assert_eq!(iso(1_772_366_400, &TimeZone::UTC), "2026-03-01T12:00:00");
        assert_eq!(minute(i64::MAX, &TimeZone::UTC), i64::MAX.to_string());
    }
}
