//! C's `strftime` in the C locale.

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

/// The time in the given format.
pub(crate) fn format(fields: &Fields, pattern: &str) -> String {
    let mut out = String::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character != '%' {
            out.push(character);
            continue;
        }
        match characters.next() {
            Some(conversion) => match piece(fields, conversion) {
                Some(text) => out.push_str(&text),
                None => out.extend(['%', conversion]),
            },
            None => out.push('%'),
        }
    }
    out
}

fn piece(at: &Fields, conversion: char) -> Option<String> {
    let twelve = |hour: i64| if hour % 12 == 0 { 12 } else { hour % 12 };
    Some(match conversion {
        'a' => name(&DAYS, at.weekday)[..3.min(name(&DAYS, at.weekday).len())].to_owned(),
        'A' => name(&DAYS, at.weekday).to_owned(),
        'b' | 'h' => {
            name(&MONTHS, at.month - 1)[..3.min(name(&MONTHS, at.month - 1).len())].to_owned()
        }
        'B' => name(&MONTHS, at.month - 1).to_owned(),
        'c' => format(at, "%a %b %e %H:%M:%S %Y"),
        'C' => format!("{:02}", at.year.div_euclid(100)),
        'd' => format!("{:02}", at.day),
        'D' | 'x' => format(at, "%m/%d/%y"),
        'e' => format!("{:2}", at.day),
        'F' => format(at, "%Y-%m-%d"),
        'H' => format!("{:02}", at.hour),
        'I' => format!("{:02}", twelve(at.hour)),
        'j' => format!("{:03}", at.yearday + 1),
        'k' => format!("{:2}", at.hour),
        'l' => format!("{:2}", twelve(at.hour)),
        'm' => format!("{:02}", at.month),
        'M' => format!("{:02}", at.minute),
        'n' => "\n".to_owned(),
        'p' => if at.hour < 12 { "AM" } else { "PM" }.to_owned(),
        'P' => if at.hour < 12 { "am" } else { "pm" }.to_owned(),
        'r' => format(at, "%I:%M:%S %p"),
        'R' => format(at, "%H:%M"),
        'S' => format!("{:02}", at.second),
        't' => "\t".to_owned(),
        'T' | 'X' => format(at, "%H:%M:%S"),
        'u' => (if at.weekday == 0 { 7 } else { at.weekday }).to_string(),
        'U' => format!("{:02}", (at.yearday + 7 - at.weekday) / 7),
        'w' => at.weekday.to_string(),
        'W' => format!("{:02}", (at.yearday + 7 - (at.weekday + 6) % 7) / 7),
        'y' => format!("{:02}", at.year.rem_euclid(100)),
        'Y' => at.year.to_string(),
        'z' => "+0000".to_owned(),
        'Z' => "GMT".to_owned(),
        '%' => "%".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_those_of_the_c_locale() {
        let epoch = Fields { year: 1970, month: 1, day: 1, weekday: 4, ..Fields::default() };
        assert_eq!(format(&epoch, "%c"), "Thu Jan  1 00:00:00 1970");
        assert_eq!(format(&epoch, "%m/%d/%y %I %p %j 100%%"), "01/01/70 12 AM 001 100%");
    }
}
