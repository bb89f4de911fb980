//! C's `strftime` in the C locale.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::calendar::{self, Fields};

const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn name(names: &[&'static str], index: i64) -> &'static str {
    usize::try_from(index).ok().and_then(|index| names.get(index)).copied().unwrap_or("?")
}

/// The time in the given format, as glibc's `strftime` in the C locale.
fn format(fields: &Fields, pattern: &str, zone: &LocalZone) -> String {
    format_within(fields, pattern, zone, usize::MAX)
}

/// The time in the given format, as glibc's `strftime` in the C locale. Stops soon behind `limit`
/// bytes.
pub(crate) fn format_within(
    fields: &Fields,
    pattern: &str,
    zone: &LocalZone,
    limit: usize,
) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let conversion = Conversion::read(&rest[at..]);
        out.push_str(&conversion.write(fields, zone));
        rest = &rest[at + conversion.text.len()..];
        if out.len() > limit {
            return out;
        }
    }
    out + rest
}

/// The zone of the machine.
pub(crate) struct LocalZone {
    pub(crate) zone: TimeZone,
    pub(crate) now: i64,
}

impl LocalZone {
    /// `%Z` and its offset: standard time, whatever time it is: HTCondor does not tell `strftime`
    /// otherwise.
    fn standard(&self) -> (String, i64) {
        let now = Timestamp::from_second(self.now).unwrap_or_default();
        // It is winter now, or in half a year.
        let times = [Some(now), now.checked_add(SignedDuration::from_hours(24 * 183)).ok()];
        let mut times = times.into_iter().flatten();
        let standard = times.find(|time| !self.zone.to_offset_info(*time).dst().is_dst());
        let info = self.zone.to_offset_info(standard.unwrap_or(now));
        (info.abbreviation().to_owned(), info.offset().seconds().into())
    }

    /// `%s`: Unix time if the fields were of standard time.
    fn unix_time(&self, fields: &Fields) -> i64 {
        // Fields of an ad may be anything.
        let days = calendar::days_from_civil(fields.year, fields.month, fields.day);
        let time =
            fields.hour.saturating_mul(3600).saturating_add(fields.minute.saturating_mul(60));
        let time = time.saturating_add(fields.second).saturating_sub(self.standard().1);
        days.saturating_mul(86_400).saturating_add(time)
    }
}

/// `%`, flags, a width, `E` or `O`, and a letter, as glibc's `time/strftime_l.c` takes them.
struct Conversion<'t> {
    /// All of it.
    text: &'t str,
    /// What fills up: `_`, `0`, or nothing for `-`.
    padding: Option<char>,
    upper: bool,
    swapped: bool,
    width: usize,
    modifier: Option<char>,
    /// `None` at the end of the text.
    letter: Option<char>,
}

/// A width beyond this makes no time.
const WIDEST: usize = 1000;

/// What a conversion writes.
enum Piece {
    Text(String),
    /// In capitals with the flag `#` too.
    Name(&'static str),
    /// In small letters with the flag `#`.
    Small(String),
    /// With so many digits at least.
    Number(i64, usize),
    /// The same, filled up with spaces.
    Blank(i64, usize),
}

impl<'t> Conversion<'t> {
    /// The conversion that the text begins with.
    fn read(text: &'t str) -> Conversion<'t> {
        let mut conversion = Conversion {
            text,
            padding: None,
            upper: false,
            swapped: false,
            width: 0,
            modifier: None,
            letter: None,
        };
        let mut letters = text.char_indices().skip(1).peekable();
        while let Some((_, flag)) = letters.next_if(|(_, letter)| "_-0^#".contains(*letter)) {
            match flag {
                '^' => conversion.upper = true,
                '#' => conversion.swapped = true,
                padding => conversion.padding = Some(padding),
            }
        }
        while let Some(digit) = letters.peek().and_then(|(_, letter)| letter.to_digit(10)) {
            letters.next();
            conversion.width = (conversion.width * 10 + digit as usize).min(WIDEST);
        }
        conversion.modifier =
            letters.next_if(|(_, letter)| matches!(letter, 'E' | 'O')).map(|(_, letter)| letter);
        if let Some((at, letter)) = letters.next() {
            conversion.text = &text[..at + letter.len_utf8()];
            conversion.letter = Some(letter);
        }
        conversion
    }

    fn write(&self, at: &Fields, zone: &LocalZone) -> String {
        match self.piece(at, zone) {
            Some(piece) => self.filled(piece),
            None => self.unknown(),
        }
    }

    /// A conversion that is none stands for itself, up to a percent sign that ends it.
    fn unknown(&self) -> String {
        let text = if self.letter == Some('%') { "%" } else { self.text };
        // C looks at one byte of the last letter.
        let last = self.letter.map_or(0, |letter| letter.len_utf8() - 1);
        let fill = if self.padding == Some('0') { "0" } else { " " };
        let text = fill.repeat(self.width.saturating_sub(text.len() - last)) + text;
        // The names of months look at the flag before they look at the modifier.
        let is_upper =
            self.upper || self.swapped && self.letter.is_some_and(|it| "bhB".contains(it));
        if is_upper { text.to_ascii_uppercase() } else { text }
    }

    fn piece(&self, at: &Fields, zone: &LocalZone) -> Option<Piece> {
        use Piece::{Blank, Name, Number, Small, Text};
        let letter = self.letter?;
        let is_known = match self.modifier {
            None => true,
            Some('E') => "cCxXyYnpPRrTtuzZs".contains(letter),
            _ => "bhBCdeHIjklmMnpPRrSsTtuUVgGWwyzZ".contains(letter),
        };
        if !is_known {
            return None;
        }
        let part = |pattern| Text(format(at, pattern, zone));
        let twelve = |hour: i64| if hour % 12 == 0 { 12 } else { hour % 12 };
        Some(match letter {
            'a' => Name(short(name(&DAYS, at.weekday))),
            'A' => Name(name(&DAYS, at.weekday)),
            'b' | 'h' => Name(short(name(&MONTHS, at.month - 1))),
            'B' => Name(name(&MONTHS, at.month - 1)),
            'c' => part("%a %b %e %H:%M:%S %Y"),
            'C' => Number(at.year.div_euclid(100), 2),
            'd' => Number(at.day, 2),
            'D' | 'x' => part("%m/%d/%y"),
            'e' => Blank(at.day, 2),
            'F' => part("%Y-%m-%d"),
            'g' => Number(at.week_of_year().0.rem_euclid(100), 2),
            'G' => Number(at.week_of_year().0, 1),
            'H' => Number(at.hour, 2),
            'I' => Number(twelve(at.hour), 2),
            'j' => Number(at.yearday + 1, 3),
            'k' => Blank(at.hour, 2),
            'l' => Blank(twelve(at.hour), 2),
            'm' => Number(at.month, 2),
            'M' => Number(at.minute, 2),
            'n' => Text("\n".to_owned()),
            'p' => Small(if at.hour < 12 { "AM" } else { "PM" }.to_owned()),
            'P' => Small(if at.hour < 12 { "am" } else { "pm" }.to_owned()),
            'r' => part("%I:%M:%S %p"),
            'R' => part("%H:%M"),
            's' => Number(zone.unix_time(at), 1),
            'S' => Number(at.second, 2),
            't' => Text("\t".to_owned()),
            'T' | 'X' => part("%H:%M:%S"),
            'u' => Number(if at.weekday == 0 { 7 } else { at.weekday }, 1),
            'U' => Number((at.yearday + 7 - at.weekday) / 7, 2),
            'V' => Number(at.week_of_year().1, 2),
            'w' => Number(at.weekday, 1),
            'W' => Number((at.yearday + 7 - (at.weekday + 6) % 7) / 7, 2),
            'y' => Number(at.year.rem_euclid(100), 2),
            'Y' => Number(at.year, 1),
            // The sign and the number are filled up each for itself.
            'z' => Text(self.wide("+") + &self.filled(Number(0, 4))),
            'Z' => Small(zone.standard().0),
            '%' => Text("%".to_owned()),
            _ => return None,
        })
    }

    fn filled(&self, piece: Piece) -> String {
        let is_small = self.swapped || self.letter == Some('P');
        let text = match piece {
            Piece::Number(value, digits) => self.number(value, digits, self.padding),
            Piece::Blank(value, digits) => self.number(value, digits, self.padding.or(Some('_'))),
            Piece::Small(text) if is_small => text.to_ascii_lowercase(),
            Piece::Name(text) if self.swapped || self.upper => text.to_ascii_uppercase(),
            Piece::Text(text) | Piece::Small(text) if self.upper => text.to_ascii_uppercase(),
            Piece::Text(text) | Piece::Small(text) => text,
            Piece::Name(text) => text.to_owned(),
        };
        self.wide(&text)
    }

    fn number(&self, value: i64, digits: usize, padding: Option<char>) -> String {
        let mut text = value.to_string();
        let missing = digits.max(self.width).saturating_sub(text.len());
        match padding {
            Some('-') => {}
            Some('_') => text.insert_str(0, &" ".repeat(missing)),
            // A minus stands before the zeros.
            _ => text.insert_str(usize::from(value < 0), &"0".repeat(missing)),
        }
        text
    }

    /// The text filled up to the width.
    fn wide(&self, text: &str) -> String {
        let fill = if self.padding == Some('0') { "0" } else { " " };
        fill.repeat(self.width.saturating_sub(text.len())) + text
    }
}

/// The first three letters.
fn short(name: &'static str) -> &'static str {
    name.get(..3).unwrap_or(name)
}

impl Fields {
    /// Year and week of ISO 8601.
    fn week_of_year(&self) -> (i64, i64) {
        let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = |year| if leap(year) { 366 } else { 365 };
        // The Thursday of this week says which year it is of.
        let thursday = self.yearday - (self.weekday + 6) % 7 + 3;
        if thursday < 0 {
            (self.year - 1, (thursday + days(self.year - 1)) / 7 + 1)
        } else if thursday >= days(self.year) {
            (self.year + 1, (thursday - days(self.year)) / 7 + 1)
        } else {
            (self.year, thursday / 7 + 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// July 2024 in Chicago, where it is summer then.
    fn central() -> LocalZone {
        let zone = TimeZone::posix("CST6CDT,M3.2.0,M11.1.0").unwrap();
        LocalZone { zone, now: 1_719_858_896 }
    }

    #[test]
    fn formats_are_those_of_the_c_locale() {
        let epoch = Fields { year: 1970, month: 1, day: 1, weekday: 4, ..Fields::default() };
        assert_eq!(format(&epoch, "%c", &central()), "Thu Jan  1 00:00:00 1970");
        let text = format(&epoch, "%m/%d/%y %I %p %j 100%%", &central());
        assert_eq!(text, "01/01/70 12 AM 001 100%");
    }

    #[test]
    fn flags_widths_and_modifiers_are_glibc_s() {
        let monday = Fields {
            year: 2024,
            month: 7,
            day: 1,
            hour: 12,
            minute: 34,
            second: 56,
            weekday: 1,
            yearday: 182,
        };
        let text = format(&monday, "%G %g %V %-d %_d %05d %^a %Ey %Od %+ %E", &central());
        assert_eq!(text, "2024 24 27 1  1 00001 MON 24 01 %+ %E");
        assert_eq!(
            format(&monday, "%Q %k %l %P %L %s %Z %", &central()),
            "%Q 12 12 pm %L 1719858896 CST %"
        );
    }
}
