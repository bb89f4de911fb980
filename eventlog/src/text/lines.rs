//! Lines of an event and the small pieces its lines are made of.

use super::super::{CpuUsage, Text};
use super::block::{Block, equal_from};
use super::digits::{self, Word};

/// The lines of some bytes, without `\n` and `\r\n`.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    /// Where the next line begins.
    at: usize,
    /// Up to where newlines were looked for, and those behind `at` that were found: the lowest bit
    /// is 64 bytes before.
    looked: usize,
    found: u64,
}

impl<'a> Lines<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, looked: 0, found: 0 }
    }
}

impl Lines<'_> {
    /// Looks for the next newline; whether there is one.
    #[inline(never)]
    fn look(&mut self) -> bool {
        let (mut looked, mut found) = (self.looked, 0);
        while found == 0 && looked < self.bytes.len() {
            found = equal_from(self.bytes, looked, b'\n');
            looked += Block::SIZE;
        }
        (self.looked, self.found) = (looked, found);
        found != 0
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let end = if self.found != 0 || self.look() {
            self.looked - Block::SIZE + self.found.trailing_zeros() as usize
        } else if self.at < self.bytes.len() {
            self.bytes.len()
        } else {
            return None;
        };
        self.found &= self.found.wrapping_sub(1);
        let line = &self.bytes[self.at..end];
        self.at = end + 1;
        Some(match line {
            [line @ .., b'\r'] => line,
            line => line,
        })
    }
}

/// Bytes as text; what is not UTF-8 is replaced.
#[inline]
pub(crate) fn text(bytes: &[u8]) -> Text<'_> {
    // Asked first, since almost all text is.
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Text::Borrowed)
}

/// Bytes as text without the white space around, `None` when nothing is left.
#[inline]
pub(crate) fn trimmed(bytes: &[u8]) -> Option<Text<'_>> {
    let bytes = bytes.trim_ascii();
    (!bytes.is_empty()).then(|| text(bytes))
}

/// Bytes as text, `None` when they are white space.
#[inline]
pub(crate) fn unless_blank(bytes: &[u8]) -> Option<Text<'_>> {
    (!bytes.trim_ascii().is_empty()).then(|| text(bytes))
}

/// The text of a line that begins with a tab.
#[inline]
pub(crate) fn indented(line: &[u8]) -> Option<Text<'_>> {
    unless_blank(line.strip_prefix(b"\t").unwrap_or(line))
}

/// What follows `prefix`, as text.
#[inline]
pub(crate) fn after<'a>(line: &'a [u8], prefix: &[u8]) -> Option<Text<'a>> {
    line.strip_prefix(prefix).map(text)
}

/// A cursor over one line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a>(pub(crate) &'a [u8]);

impl<'a> Cursor<'a> {
    /// Steps over white space.
    #[inline]
    pub(crate) fn skip_blanks(&mut self) {
        let mut blanks = 0;
        while self.0.get(blanks).is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
            blanks += 1;
        }
        self.0 = &self.0[blanks..];
    }

    /// Steps over `token`, after white space.
    #[inline]
    pub(crate) fn token(&mut self, token: &[u8]) -> Option<()> {
        self.skip_blanks();
        self.0 = self.0.strip_prefix(token)?;
        Some(())
    }

    /// Reads decimal digits, after white space. `None` without a digit or above `u64::MAX`.
    #[inline]
    pub(crate) fn unsigned(&mut self) -> Option<u64> {
        self.skip_blanks();
        let (value, length) = digits::leading(self.0)?;
        self.0 = &self.0[length..];
        Some(value)
    }

    /// Reads an integer with an optional sign, after white space.
    #[inline]
    pub(crate) fn signed(&mut self) -> Option<i64> {
        self.skip_blanks();
        let negative = match self.0 {
            [b'-', rest @ ..] => {
                self.0 = rest;
                true
            }
            [b'+', rest @ ..] => {
                self.0 = rest;
                false
            }
            _ => false,
        };
        let value = i64::try_from(self.unsigned()?).ok()?;
        Some(if negative { -value } else { value })
    }

    /// Reads `Usr d hh:mm:ss, Sys d hh:mm:ss`.
    #[inline]
    pub(crate) fn usage(&mut self) -> Option<CpuUsage> {
        self.skip_blanks();
        if let Some((times, rest)) = usual_usage(self.0) {
            self.0 = rest;
            return Some(times);
        }
        self.token(b"Usr")?;
        let user = self.duration()?;
        self.token(b",")?;
        self.token(b"Sys")?;
        Some(CpuUsage { user, system: self.duration()? })
    }

    /// Reads `d hh:mm:ss`, in seconds.
    fn duration(&mut self) -> Option<u64> {
        let mut seconds = self.unsigned()?;
        for (unit, colon) in [(24, false), (60, true), (60, true)] {
            if colon {
                self.token(b":")?;
            }
            seconds = seconds.checked_mul(unit)?.checked_add(self.unsigned()?)?;
        }
        Some(seconds)
    }

    /// Reads an integer that fits `i32`.
    #[inline]
    pub(crate) fn int(&mut self) -> Option<i32> {
        i32::try_from(self.signed()?).ok()
    }
}

/// Times of less than ten days, as the lines of a run have them: what they say, and what is behind
/// them.
#[inline]
fn usual_usage(bytes: &[u8]) -> Option<(CpuUsage, &[u8])> {
    const USER: [Word; 2] = [Word::new(b"Usr 9 99"), Word::new(b":99:99, ")];
    const SYSTEM: [Word; 2] = [Word::new(b"Sys 9 99"), Word::new(b":99:99  ")];
    let seconds = |[hours, minutes]: [Word; 2], bytes: &[u8]| {
        let (hours, minutes) = (hours.digits(bytes)?, minutes.digits(&bytes[8..])?);
        let of = |digits, at, count| u64::from(digits::number(digits, at, count));
        let hours = of(hours, 4, 1) * 24 + of(hours, 6, 2);
        Some(hours * 3600 + of(minutes, 1, 2) * 60 + of(minutes, 4, 2))
    };
    let (user, rest) = bytes.split_at_checked(16)?;
    let (system, rest) = rest.split_at_checked(16)?;
    let times = CpuUsage { user: seconds(USER, user)?, system: seconds(SYSTEM, system)? };
    Some((times, rest))
}

/// A number of the `Partitionable Resources` table, `None` for an empty cell or an expression; and
/// the cell as written where HTCondor writes the number otherwise.
#[inline]
pub(crate) fn number(cell: &[u8]) -> (Option<f64>, Option<Text<'_>>) {
    if let Some(value) = digits::trailing(cell) {
        return (value.map(|value| value as f64), None);
    }
    other_number(cell)
}

/// The same of less usual cells.
#[inline(never)]
fn other_number(cell: &[u8]) -> (Option<f64>, Option<Text<'_>>) {
    let cell = cell.trim_ascii();
    // Below 2^53 the digits are the number.
    if cell.len() <= 15 && cell.iter().all(u8::is_ascii_digit) {
        if cell.is_empty() {
            return (None, None);
        }
        let value = cell.iter().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        return (Some(value as f64), (cell[0] == b'0' && cell.len() > 1).then(|| text(cell)));
    }
    let begins_as_number = matches!(cell[0], b'0'..=b'9' | b'-' | b'+' | b'.');
    let value = std::str::from_utf8(cell).ok().filter(|_| begins_as_number);
    let value: Option<f64> = value.and_then(|cell| cell.parse().ok());
    let is_usual = match cell {
        [whole @ .., b'.', tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => {
            let in_usual_form = match whole {
                [b'0'] => true,
                [b'1'..=b'9', rest @ ..] => rest.len() < 12 && rest.iter().all(u8::is_ascii_digit),
                _ => false,
            };
            in_usual_form && (*tens, *ones) != (b'0', b'0')
        }
        _ => false,
    };
    (value, (!is_usual).then(|| text(cell)))
}

/// `Code N Subcode N`, after white space.
pub(crate) fn codes(line: &[u8]) -> Option<(i32, i32)> {
    let mut cursor = Cursor(line);
    cursor.token(b"Code")?;
    let code = cursor.int()?;
    cursor.token(b"Subcode")?;
    Some((code, cursor.int()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lose_their_ends() {
        let lines: Vec<_> = Lines::new(b"a\r\nb\n\nc").collect();
        assert_eq!(lines, [&b"a"[..], b"b", b"", b"c"]);
    }

    #[test]
    fn codes_need_both_numbers() {
        assert_eq!(codes(b"\tCode 13 Subcode -2"), Some((13, -2)));
        assert_eq!(codes(b"\tCode 13"), None);
        assert_eq!(codes(b"\tCode 99999999999 Subcode 1"), None);
    }

    #[test]
    fn numbers_of_cells() {
        assert_eq!(number(b"  512 "), (Some(512.0), None));
        assert_eq!(number(b" 0.01"), (Some(0.01), None));
        assert_eq!(number(b" 1.00"), (Some(1.0), Some("1.00".into())));
        assert_eq!(number(b"0.5 "), (Some(0.5), Some("0.5".into())));
        assert_eq!(number(b"   "), (None, None));
        assert_eq!(number(b"undefined"), (None, Some("undefined".into())));
    }
}
