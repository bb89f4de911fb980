//! Times as text (HTCondor's src/classad/util.cpp and literals.cpp).

use jiff::tz::TimeZone;

use super::calendar::{self, days_from_civil};
use super::strings::is_space;
use crate::number;
use crate::value::Value;

/// `2026-01-31T09:00:00-06:00`
pub(crate) fn format_absolute(seconds: i64, offset: i32) -> String {
    let sign = if offset > 0 { '+' } else { '-' };
    let east = offset.unsigned_abs();
    let zone = format!("{sign}{:02}:{:02}", east / 3600, east / 60 % 60);
    match calendar::fields(seconds, offset) {
        // As C's %Y the year has no zeros before it.
        Some(at) => format!(
            "{}-{:02}-{:02}T{:02}:{:02}:{:02}{zone}",
            at.year, at.month, at.day, at.hour, at.minute, at.second
        ),
        // No calendar goes that far; the seconds themselves say when.
        None => format!("@{seconds}{zone}"),
    }
}

/// `1+02:03:04`, `02:03:04`, `03:04` or `04`, with a fraction of the seconds if there is one.
pub(crate) fn format_relative(seconds: f64) -> String {
    let sign = if seconds < 0.0 { "-" } else { "" };
    let size = seconds.abs();
    let fraction = size - size.floor();
    let whole = i64::from(number::truncate_i32(size));
    let (days, rest) = (whole / 86400, whole % 86400);
    let (hours, minutes, last) = (rest / 3600, rest % 3600 / 60, rest % 60);
    let last = if fraction == 0.0 {
        format!("{last:02}")
    } else {
        #[allow(clippy::cast_precision_loss)]
        let exact = last as f64 + fraction;
        format!("{:0>2}", number::format_short(exact))
    };
    if days != 0 {
        format!("{sign}{days}+{hours:02}:{minutes:02}:{last}")
    } else if hours != 0 {
        format!("{sign}{hours:02}:{minutes:02}:{last}")
    } else if minutes != 0 {
        format!("{sign}{minutes:02}:{last}")
    } else {
        format!("{sign}{last}")
    }
}

/// A time as it is written: `2003-01-25T09:00:00-06:00`.
pub(crate) struct Written {
    /// Seconds from 1970 as the clock on the wall shows them.
    civil: i64,
    offset: Option<i32>,
}

impl Written {
    /// The time, if its zone is written.
    pub(crate) fn value(&self) -> Option<Value> {
        let offset = self.offset?;
        Some(Value::AbsoluteTime { seconds: self.civil - i64::from(offset), offset })
    }

    /// The time, in the given zone if none is written.
    pub(crate) fn value_in(&self, zone: &TimeZone) -> Value {
        self.value().unwrap_or_else(|| {
            // The wall clock counts as standard time, also in summer, to find the offset.
            let near = self.civil - i64::from(calendar::offset_at(self.civil, zone));
            let summer = calendar::is_summer(near, zone);
            let standard = calendar::offset_at(near, zone) - if summer { 3600 } else { 0 };
            let offset = calendar::offset_at(self.civil - i64::from(standard), zone);
            Value::AbsoluteTime { seconds: self.civil - i64::from(offset), offset }
        })
    }
}

/// Reads `2003-01-25T09:00:00-06:00`, any non-digits between the parts.
pub(crate) fn parse_absolute(text: &str) -> Option<Written> {
    let (text, offset) = split_zone(text)?;
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut part = |digits: usize| {
        while bytes.get(at).is_some_and(|b| !b.is_ascii_digit()) {
            at += 1;
        }
        let end = at + digits;
        let found = bytes.get(at..end)?;
        // As C's atoi: digits up to the first other character.
        let number = found
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .fold(0, |sum: i64, b| sum * 10 + i64::from(b - b'0'));
        at = end;
        Some(number)
    };
    let year = part(4)?;
    let month = part(2).unwrap_or(1);
    let day = part(2).unwrap_or(0);
    let hour = part(2).unwrap_or(0);
    let minute = part(2).unwrap_or(0);
    let second = part(2).unwrap_or(0);
    if bytes.get(at..).is_some_and(|rest| rest.iter().any(u8::is_ascii_digit)) {
        return None;
    }
    let civil = days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
    Some(Written { civil, offset })
}

/// The text without its zone, and the zone in seconds east of UTC.
fn split_zone(text: &str) -> Option<(String, Option<i32>)> {
    let bytes = text.as_bytes();
    let last = bytes.iter().rposition(|b| !is_space(char::from(*b)));
    if let Some(last) = last.filter(|last| *last > 0)
        && matches!(bytes[last], b'z' | b'Z')
    {
        return Some((format!("{}{}", text.get(..last)?, text.get(last + 1..)?), Some(0)));
    }
    let length = bytes.len();
    let sign_at = |back: usize| length > back && matches!(bytes[length - back], b'+' | b'-');
    let mut text = text.to_owned();
    if sign_at(5) {
    } else if sign_at(6) && bytes[length - 3] == b':' {
        text.remove(length - 3);
    } else {
        return Some((text, None));
    }
    let Some(at) = text.len().checked_sub(5) else { return Some((text, None)) };
    let zone = text.get(at..).map(str::to_owned)?;
    let digits = zone.get(1..)?;
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Some((text, None));
    }
    let hours: i32 = digits.get(..2)?.parse().ok()?;
    let minutes: i32 = digits.get(2..)?.parse().ok()?;
    let offset = hours * 3600 + minutes * 60;
    text.truncate(at);
    // -1 second of offset is HTCondor's mark for "illegal"; whole minutes never are.
    Some((text, Some(if zone.starts_with('-') { -offset } else { offset })))
}

/// Reads `[-][days+]hh:mm:ss`, also with the letters d, h, m, s.
pub(crate) fn parse_relative(text: &str) -> Option<Value> {
    let mut left = trim_end(text);
    let mut seconds = 0.0;
    if let Some(unit) = left.chars().next_back()
        && (unit.is_ascii_digit() || matches!(unit, 's' | 'S'))
    {
        left = trim_end(left.strip_suffix(['s', 'S']).unwrap_or(left));
        let mut start = left.len() - trailing_digits(left);
        if left[..start].ends_with('.') {
            start -= 1;
            start -= trailing_digits(&left[..start]);
        }
        seconds = number::parse_prefix(&left[start..]).map_or(0.0, |(number, _)| number);
        left = trim_end(&left[..start]);
    }
    let (minutes, left) = unit(left, ['m', 'M', ':']);
    let (hours, left) = unit(left, ['h', 'H', ':']);
    let (days, left) = unit(left, ['d', 'D', '+']);
    let (sign, left) = match left.strip_suffix('-') {
        Some(left) => (-1.0, trim_end(left)),
        None => (1.0, left),
    };
    if !left.is_empty() {
        return None;
    }
    // HTCondor adds them up in 32 bits.
    let whole = [(days, 86400), (hours, 3600), (minutes, 60)]
        .into_iter()
        .fold(0_i32, |sum, (number, unit)| sum.wrapping_add(number.wrapping_mul(unit)));
    Some(Value::RelativeTime(sign * (f64::from(whole) + seconds)))
}

fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

fn trailing_digits(text: &str) -> usize {
    text.bytes().rev().take_while(u8::is_ascii_digit).count()
}

/// The number before one of the marks at the end of the text, 0 without a mark, and what is before
/// it.
fn unit(text: &str, marks: [char; 3]) -> (i32, &str) {
    let Some(before) = text.strip_suffix(marks) else { return (0, text) };
    let before = trim_end(before);
    let start = before.len() - trailing_digits(before);
    // A number that does not fit C's int is read as 0.
    let number = before[start..].parse::<i32>().unwrap_or(0);
    (number, trim_end(&before[..start]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_times_are_read_and_printed() {
        let value = parse_absolute("2003-01-25T09:00:00-06:00").and_then(|time| time.value());
        assert_eq!(value, Some(Value::AbsoluteTime { seconds: 1_043_506_800, offset: -21600 }));
        assert_eq!(format_absolute(1_043_506_800, -21600), "2003-01-25T09:00:00-06:00");
        assert_eq!(format_absolute(5, 0), "1970-01-01T00:00:05-00:00");
        assert!(parse_absolute("q").is_none());
    }

    #[test]
    fn relative_times_are_read_and_printed() {
        assert_eq!(parse_relative("1+00:02:00"), Some(Value::RelativeTime(86520.0)));
        assert_eq!(parse_relative("-2d 1h 3m 4.5s"), Some(Value::RelativeTime(-176_584.5)));
        assert_eq!(parse_relative("24856+00:00:00"), Some(Value::RelativeTime(-2_147_408_896.0)));
        assert_eq!(parse_relative("q"), None);
        assert_eq!(format_relative(86520.0), "1+00:02:00");
        assert_eq!(format_relative(-61.5), "-01:1.5");
        assert_eq!(format_relative(5.0), "05");
    }
}
