//! C's `strftime` in the C locale.

use super::calendar::Fields;

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
pub(crate) fn format(fields: &Fields, pattern: &str, zone: &dyn LocalZone) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let conversion = &rest[at..];
        let (written, length) = Conversion::read(conversion)
            .and_then(|(conversion, length)| Some((conversion.write(fields, zone)?, length)))
            .unwrap_or_else(|| (conversion[..1].to_owned(), 1));
        out.push_str(&written);
        rest = &conversion[length..];
    }
    out + rest
}

/// What depends on the zone of the machine.
pub(crate) trait LocalZone {
    /// `%Z`: the name of standard time, whatever time it is: HTCondor does not tell `strftime` otherwise.
    fn standard_name(&self) -> String;

    /// `%s`: Unix time if the fields were of standard time.
    fn unix_time(&self, fields: &Fields) -> i64;
}

/// `%`, flags, a width, `E` or `O`, and a letter.
struct Conversion {
    /// What fills up: `_`, `0`, or nothing for `-`.
    padding: Option<char>,
    upper: bool,
    swapped: bool,
    width: usize,
    letter: char,
}

/// A width beyond this makes no time.
const WIDEST: usize = 1000;

impl Conversion {
    /// The conversion that the text begins with, and its length.
    fn read(text: &str) -> Option<(Self, usize)> {
        let mut conversion =
            Self { padding: None, upper: false, swapped: false, width: 0, letter: '%' };
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
        letters.next_if(|(_, letter)| matches!(letter, 'E' | 'O'));
        let (at, letter) = letters.next()?;
        conversion.letter = letter;
        Some((conversion, at + letter.len_utf8()))
    }

    fn write(&self, at: &Fields, zone: &dyn LocalZone) -> Option<String> {
        let part = |pattern| Piece::Text(format(at, pattern, zone));
        let twelve = |hour: i64| if hour % 12 == 0 { 12 } else { hour % 12 };
        let number = |value, width| Piece::Number { value, width, padding: '0' };
        let blank = |value, width| Piece::Number { value, width, padding: ' ' };
        let text = |text: &str| Piece::Text(text.to_owned());
        let piece = match self.letter {
            'a' => text(short(name(&DAYS, at.weekday))),
            'A' => text(name(&DAYS, at.weekday)),
            'b' | 'h' => text(short(name(&MONTHS, at.month - 1))),
            'B' => text(name(&MONTHS, at.month - 1)),
            'c' => part("%a %b %e %H:%M:%S %Y"),
            'C' => number(at.year.div_euclid(100), 2),
            'd' => number(at.day, 2),
            'D' | 'x' => part("%m/%d/%y"),
            'e' => blank(at.day, 2),
            'F' => part("%Y-%m-%d"),
            'g' => number(at.week_of_year().0.rem_euclid(100), 2),
            'G' => number(at.week_of_year().0, 1),
            'H' => number(at.hour, 2),
            'I' => number(twelve(at.hour), 2),
            'j' => number(at.yearday + 1, 3),
            'k' => blank(at.hour, 2),
            'l' => blank(twelve(at.hour), 2),
            'm' => number(at.month, 2),
            'M' => number(at.minute, 2),
            'n' => text("\n"),
            'p' if self.swapped => text(if at.hour < 12 { "am" } else { "pm" }),
            'p' => text(if at.hour < 12 { "AM" } else { "PM" }),
            'P' => text(if at.hour < 12 { "am" } else { "pm" }),
            'r' => part("%I:%M:%S %p"),
            'R' => part("%H:%M"),
            's' => number(zone.unix_time(at), 1),
            'S' => number(at.second, 2),
            't' => text("\t"),
            'T' | 'X' => part("%H:%M:%S"),
            'u' => number(if at.weekday == 0 { 7 } else { at.weekday }, 1),
            'U' => number((at.yearday + 7 - at.weekday) / 7, 2),
            'V' => number(at.week_of_year().1, 2),
            'w' => number(at.weekday, 1),
            'W' => number((at.yearday + 7 - (at.weekday + 6) % 7) / 7, 2),
            'y' => number(at.year.rem_euclid(100), 2),
            'Y' => number(at.year, 1),
            'z' => text("+0000"),
            'Z' if self.swapped => Piece::Text(zone.standard_name().to_lowercase()),
            'Z' => Piece::Text(zone.standard_name()),
            '%' => text("%"),
            _ => return None,
        };
        Some(self.padded(piece))
    }

    fn padded(&self, piece: Piece) -> String {
        let (mut text, width, padding) = match piece {
            Piece::Text(text) => (text, 0, ' '),
            Piece::Number { value, width, padding } => (value.to_string(), width, padding),
        };
        let padding = match self.padding {
            Some('-') => None,
            Some('_') => Some(' '),
            Some(zero) => Some(zero),
            None => Some(padding),
        };
        if let Some(padding) = padding {
            let width = if self.width > 0 { self.width } else { width };
            let missing = width.saturating_sub(text.chars().count());
            // A minus stands before the zeros.
            let sign = usize::from(padding == '0' && text.starts_with('-'));
            text.insert_str(sign, &padding.to_string().repeat(missing));
        }
        let swapped = self.swapped && !matches!(self.letter, 'p' | 'Z');
        if self.upper || swapped { text.to_uppercase() } else { text }
    }
}

/// What a conversion writes.
enum Piece {
    Text(String),
    Number { value: i64, width: usize, padding: char },
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

    struct Standard;

    impl LocalZone for Standard {
        fn standard_name(&self) -> String {
            "CST".to_owned()
        }

        fn unix_time(&self, _: &Fields) -> i64 {
            1_719_858_896
        }
    }

    #[test]
    fn formats_are_those_of_the_c_locale() {
        let epoch = Fields { year: 1970, month: 1, day: 1, weekday: 4, ..Fields::default() };
        assert_eq!(format(&epoch, "%c", &Standard), "Thu Jan  1 00:00:00 1970");
        let text = format(&epoch, "%m/%d/%y %I %p %j 100%%", &Standard);
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
        let text = format(&monday, "%G %g %V %-d %_d %05d %^a %Ey %Od %+ %E", &Standard);
        assert_eq!(text, "2024 24 27 1  1 00001 MON 24 01 %+ %E");
        assert_eq!(
            format(&monday, "%Q %k %l %P %L %s %Z %", &Standard),
            "%Q 12 12 pm %L 1719858896 CST %"
        );
    }
}
