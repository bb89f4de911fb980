//! The calendar, for every year that C's `struct tm` can name.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// A broken-down time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fields {
    pub(crate) year: i64,
    /// 1 to 12.
    pub(crate) month: i64,
    /// 1 to 31.
    pub(crate) day: i64,
    pub(crate) hour: i64,
    pub(crate) minute: i64,
    pub(crate) second: i64,
    /// 0 is Sunday.
    pub(crate) weekday: i64,
    /// 0 is the first of January.
    pub(crate) yearday: i64,
}

/// Seconds of a day.
const DAY: i64 = 86_400;
/// The calendar repeats every 400 years.
const CYCLE: i64 = 146_097 * DAY;
/// Years that fit C's `int` counted from 1900.
const YEARS: std::ops::RangeInclusive<i64> = (i32::MIN as i64 + 1900)..=(i32::MAX as i64 + 1900);

/// Seconds east of UTC at a moment.
pub(crate) fn offset_at(seconds: i64, zone: &TimeZone) -> i32 {
    moment(seconds).map_or(0, |moment| zone.to_offset(moment).seconds())
}

/// Whether it is summer time at a moment.
pub(crate) fn is_summer(seconds: i64, zone: &TimeZone) -> bool {
    moment(seconds).is_some_and(|moment| zone.to_offset_info(moment).dst().is_dst())
}

/// The moment, or one whose date and weekday are the same in years that crate `jiff` knows.
fn moment(seconds: i64) -> Option<Timestamp> {
    Timestamp::from_second(seconds)
        .or_else(|_| {
            let cycles = if seconds < 0 { -20 } else { 12 };
            Timestamp::from_second(seconds.rem_euclid(CYCLE) + cycles * CYCLE)
        })
        .ok()
}

/// The fields of a moment where the clock is so many seconds before UTC's; `None` where the year
/// has no number.
pub(crate) fn fields(seconds: i64, offset: i32) -> Option<Fields> {
    let seconds = seconds.checked_add(offset.into())?;
    let (days, time) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    // Years that start in March put the leap day last. 1970-01-01 is day 719,468 from March of the
    // year 0.
    let days_from_march = days + 719_468;
    let (era, of_era) = (days_from_march.div_euclid(146_097), days_from_march.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    YEARS.contains(&year).then(|| Fields {
        year,
        month,
        day: of_year - (153 * from_march + 2) / 5 + 1,
        hour: time / 3600,
        minute: time / 60 % 60,
        second: time % 60,
        weekday: (days + 4).rem_euclid(7),
        yearday: days - days_from_civil(year, 1, 1),
    })
}

/// Days since 1970-01-01 of a date whose month or day may be out of range, as C's `mktime` takes
/// them.
pub(crate) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = year + (month - 1).div_euclid(12);
    let month = (month - 1).rem_euclid(12) + 1;
    // Years that start in March put the leap day last.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use jiff::tz::Offset;

    use super::*;

    #[test]
    fn days_count_as_mktime_counts_them() {
        assert_eq!(days_from_civil(1970, 1, 1), 0);
        assert_eq!(days_from_civil(2000, 3, 1), 11017);
        assert_eq!(days_from_civil(2000, 13, 1), days_from_civil(2001, 1, 1));
    }

    #[test]
    fn fields_are_those_of_another_calendar() {
        for seconds in (-377_000_000_000..253_000_000_000).step_by(86_399 * 977) {
            let other = Offset::UTC.to_datetime(Timestamp::from_second(seconds).unwrap());
            let at = fields(seconds, 0).unwrap();
            assert_eq!(
                (at.year, at.month, at.day, at.hour, at.minute, at.second),
                (
                    other.year().into(),
                    other.month().into(),
                    other.day().into(),
                    other.hour().into(),
                    other.minute().into(),
                    other.second().into()
                )
            );
            assert_eq!(at.weekday, i64::from(other.weekday().to_sunday_zero_offset()));
            assert_eq!(at.yearday, i64::from(other.day_of_year()) - 1);
        }
        assert!(fields(i64::MAX, 0).is_none());
        assert!(fields(i64::MIN, -1).is_none());
    }

    #[test]
    fn summer_comes_in_every_year() {
        let zone = TimeZone::posix("CST6CDT,M3.2.0,M11.1.0").unwrap();
        let july = 1_700_000_000 - 120 * DAY;
        for cycles in [-1_000, -50, -1, 0, 1, 50, 1_000] {
            assert_eq!(offset_at(july + cycles * CYCLE, &zone), -5 * 3600);
            assert_eq!(offset_at(july + 180 * DAY + cycles * CYCLE, &zone), -6 * 3600);
        }
    }
}
