//! Lines of an event and the small pieces its lines are made of.

use super::super::time::two;
use super::super::{CpuUsage, Text};

/// The lines of a block of bytes, without `\n` and `\r\n`.
#[derive(Clone, Debug)]
pub(in crate::userlog) struct Lines<'a> {
    rest: &'a [u8],
}

impl<'a> Lines<'a> {
    pub(in crate::userlog) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What is left.
    pub(in crate::userlog) const fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let line = match memchr::memchr(b'\n', self.rest) {
            Some(end) => {
                let line = &self.rest[..end];
                self.rest = &self.rest[end + 1..];
                line
            }
            None => std::mem::take(&mut self.rest),
        };
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// The first place of a byte that stands some words of eight bytes from the beginning at most, for which a vector search is slow to
/// begin.
#[inline]
pub(in crate::userlog) fn find_short(byte: u8, line: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    let (words, rest) = line.as_chunks::<8>();
    for (place, word) in words.iter().enumerate() {
        // A byte that is zero borrows from its highest bit; the first such byte is told right.
        let differs = u64::from_le_bytes(*word) ^ (ONES * u64::from(byte));
        let found = differs.wrapping_sub(ONES) & !differs & (ONES << 7);
        if found != 0 {
            return Some(place * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let at = rest.iter().position(|other| *other == byte)?;
    Some(line.len() - rest.len() + at)
}

/// Bytes as text; what is not UTF-8 is replaced.
#[inline]
pub(in crate::userlog) fn text(bytes: &[u8]) -> Text<'_> {
    // Asked first, since almost all text is.
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Text::Borrowed)
}

/// Bytes as text without the white space around, `None` when nothing is left.
#[inline]
pub(in crate::userlog) fn trimmed(bytes: &[u8]) -> Option<Text<'_>> {
    let bytes = bytes.trim_ascii();
    (!bytes.is_empty()).then(|| text(bytes))
}

/// Bytes as text, `None` when they are white space.
#[inline]
pub(in crate::userlog) fn unless_blank(bytes: &[u8]) -> Option<Text<'_>> {
    (!bytes.trim_ascii().is_empty()).then(|| text(bytes))
}

/// The text of a line that begins with a tab.
#[inline]
pub(in crate::userlog) fn indented(line: &[u8]) -> Option<Text<'_>> {
    unless_blank(line.strip_prefix(b"\t").unwrap_or(line))
}

/// What follows `prefix`, as text.
#[inline]
pub(in crate::userlog) fn after<'a>(line: &'a [u8], prefix: &[u8]) -> Option<Text<'a>> {
    line.strip_prefix(prefix).map(text)
}

/// A cursor over one line.
#[derive(Clone, Copy, Debug)]
pub(in crate::userlog) struct Cursor<'a>(pub(in crate::userlog) &'a [u8]);

impl<'a> Cursor<'a> {
    /// Steps over white space.
    #[inline]
    pub(in crate::userlog) fn skip_blanks(&mut self) {
        while let [b' ' | b'\t', rest @ ..] = self.0 {
            self.0 = rest;
        }
    }

    /// Steps over `token`, after white space.
    #[inline]
    pub(in crate::userlog) fn token(&mut self, token: &[u8]) -> Option<()> {
        self.skip_blanks();
        self.0 = self.0.strip_prefix(token)?;
        Some(())
    }

    /// Reads decimal digits, after white space. `None` without a digit or above `u64::MAX`.
    #[inline]
    pub(in crate::userlog) fn unsigned(&mut self) -> Option<u64> {
        self.skip_blanks();
        let mut value = 0_u64;
        let mut rest = self.0;
        while let [digit @ b'0'..=b'9', after @ ..] = rest {
            value = value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
            rest = after;
        }
        if rest.len() == self.0.len() {
            return None;
        }
        self.0 = rest;
        Some(value)
    }

    /// Reads an integer with an optional sign, after white space.
    #[inline]
    pub(in crate::userlog) fn signed(&mut self) -> Option<i64> {
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
    pub(in crate::userlog) fn usage(&mut self) -> Option<CpuUsage> {
        self.token(b"Usr")?;
        let user = self.duration()?;
        self.token(b",")?;
        self.token(b"Sys")?;
        Some(CpuUsage { user, system: self.duration()? })
    }

    /// Reads `d hh:mm:ss`, in seconds.
    #[inline]
    fn duration(&mut self) -> Option<u64> {
        let mut seconds = self.unsigned()?;
        if let [b' ', h1, h0, b':', m1, m0, b':', s1, s0, rest @ ..] = self.0
            && let (Some(hours), Some(minutes), Some(last)) =
                (two(*h1, *h0), two(*m1, *m0), two(*s1, *s0))
            && !rest.first().is_some_and(u8::is_ascii_digit)
        {
            self.0 = rest;
            let time = u64::from(hours) * 3600 + u64::from(minutes) * 60 + u64::from(last);
            return seconds.checked_mul(86_400)?.checked_add(time);
        }
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
    pub(in crate::userlog) fn int(&mut self) -> Option<i32> {
        i32::try_from(self.signed()?).ok()
    }
}

/// A number of the `Partitionable Resources` table, `None` for an empty cell or an expression; and the cell as written
/// where HTCondor writes the number otherwise.
#[inline]
pub(in crate::userlog) fn number(cell: &[u8]) -> (Option<f64>, Option<Text<'_>>) {
    let cell = cell.trim_ascii();
    // Below 2^53 the digits are the number; most cells are such.
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
pub(in crate::userlog) fn codes(line: &[u8]) -> Option<(i32, i32)> {
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
    fn the_first_is_found_wherever_it_is() {
        for length in 0..40 {
            for other in [b'x', b'<', b'>', 0xbd, 0, 0xff] {
                let mut line = vec![other; length];
                assert_eq!(find_short(b'=', &line), None);
                for at in (0..length).rev() {
                    line[at] = b'=';
                    assert_eq!(find_short(b'=', &line), Some(at), "{line:?}");
                }
            }
        }
    }

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
