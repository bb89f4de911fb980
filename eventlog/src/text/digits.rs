//! Decimal digits, eight at once.

use super::block::are_blanks;

/// Eight bytes or fewer: digits where the pattern has a `9`, and all else as it is there.
pub(crate) struct Word {
    text: u64,
    /// What brings a byte that is too large to 0x80.
    room: u64,
    mask: u64,
}

impl Word {
    pub(crate) const fn new(pattern: &[u8]) -> Self {
        let (mut text, mut room, mut at) = (0, 0, 0);
        while at < pattern.len() {
            let is_digit = pattern[at] == b'9';
            text |= (if is_digit { b'0' } else { pattern[at] } as u64) << (8 * at);
            room |= (if is_digit { 0x7f - 9 } else { 0x7f }) << (8 * at);
            at += 1;
        }
        Self { text, room, mask: u64::MAX >> (64 - 8 * pattern.len()) }
    }

    /// The digits of what the bytes begin with, if it fits: the first in the lowest byte, 0 where
    /// there is none.
    #[inline]
    pub(crate) fn digits(&self, bytes: &[u8]) -> Option<u64> {
        let word = bytes.first_chunk().copied().unwrap_or_else(|| padded(bytes));
        let digits = (u64::from_le_bytes(word) & self.mask) ^ self.text;
        ((digits.wrapping_add(self.room) | digits) & splat(0x80) == 0).then_some(digits)
    }
}

/// The number of `count` digits from one of [`Word::digits`] on.
#[inline]
pub(crate) fn number(digits: u64, first: usize, count: usize) -> u16 {
    (first..first + count).fold(0, |number, at| number * 10 + (digits >> (8 * at) & 0xff) as u16)
}

#[cold]
fn padded(bytes: &[u8]) -> [u8; 8] {
    let mut padded = [0; 8];
    padded[..bytes.len()].copy_from_slice(bytes);
    padded
}

/// The decimal digits that bytes begin with: their value and how many there are. `None` without one
/// or above `u64::MAX`.
#[inline]
pub(super) fn leading(bytes: &[u8]) -> Option<(u64, usize)> {
    let Some(word) = bytes.first_chunk::<8>() else { return one_by_one(bytes, 0, 0) };
    let (digits, others) = digits(*word);
    let length = others.trailing_zeros() / 8;
    match length {
        0 => None,
        8 => match bytes[8..] {
            // Bytes sent and received have more digits than eight.
            [next @ b'0'..=b'9', b' ', ..] => {
                Some((value(digits) * 10 + u64::from(next - b'0'), 9))
            }
            _ => one_by_one(bytes, value(digits), 8),
        },
        _ => Some((value(digits << (64 - 8 * length)), length as usize)),
    }
}

/// The number that ends bytes which are blank before it, or that there is none, where that shows at
/// once: it has eight digits at most, and does not begin with 0 unless it is 0.
#[inline]
pub(super) fn trailing(bytes: &[u8]) -> Option<Option<u64>> {
    let (before, word) = bytes.split_last_chunk::<8>()?;
    if !are_blanks(before) {
        return None;
    }
    let (digits, others) = digits(*word);
    // Bits of the digits, which are the upper ones, and of the blanks.
    let length = others.leading_zeros();
    let blanks = 64 - length;
    if (digits ^ splat(b' ' ^ b'0')).checked_shl(length).unwrap_or(0) != 0 {
        return None;
    }
    if length == 0 {
        return Some(None);
    }
    let first = digits >> blanks;
    if first & 0xff == 0 && length > 8 {
        return None;
    }
    Some(Some(value(first << blanks)))
}

/// A word with its digits as their values, and the highest bits of the bytes that are none. Behind
/// the first of those a digit may count as none too.
#[inline]
fn digits(word: [u8; 8]) -> (u64, u64) {
    // A digit becomes its value, all else something above.
    let digits = u64::from_le_bytes(word) ^ splat(b'0');
    // What carries out of a byte comes from one that is no digit, and spoils only those behind it.
    (digits, (digits.wrapping_add(splat(0x76)) | digits) & splat(0x80))
}

/// The number of eight digits, the first in the lowest byte.
#[inline]
fn value(digits: u64) -> u64 {
    // Neighbours are joined: to four numbers of two digits, to two of four, to one.
    let pairs = digits.wrapping_mul(10 << 8 | 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100 << 16 | 1) >> 16 & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000 << 32 | 1) >> 32
}

/// Goes on with a number of which `length` digits are read.
#[inline(never)]
fn one_by_one(bytes: &[u8], mut value: u64, mut length: usize) -> Option<(u64, usize)> {
    while let Some(digit @ b'0'..=b'9') = bytes.get(length) {
        value = value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
        length += 1;
    }
    (length > 0).then_some((value, length))
}

const fn splat(byte: u8) -> u64 {
    u64::MAX / 255 * byte as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_read_as_one_by_one(text in "[0-9]{0,22}[ -~\u{80}-\u{ff}]{0,10}") {
            prop_assert_eq!(leading(text.as_bytes()), one_by_one(text.as_bytes(), 0, 0));
        }

        #[test]
        fn any_bytes_are_read_as_one_by_one(bytes: Vec<u8>) {
            prop_assert_eq!(leading(&bytes), one_by_one(&bytes, 0, 0));
        }
    }

    proptest! {
        #[test]
        fn a_number_at_the_end_is_that_of_the_trimmed_bytes(bytes in " {0,12}([0-9]{0,10}|[ -~]{0,4}|.{0,3}) {0,1}") {
            if let Some(number) = trailing(bytes.as_bytes()) {
                prop_assert_eq!(number.map_or(String::new(), |number| number.to_string()), bytes.trim_matches(' '));
            }
        }
    }

    #[test]
    fn the_usual_cells_are_read_at_once() {
        for (cell, number) in [
            ("  6177725", Some(6_177_725)),
            (" 10485760", Some(10_485_760)),
            ("         1", Some(1)),
            ("        0", Some(0)),
            ("         ", None),
        ] {
            assert_eq!(trailing(cell.as_bytes()), Some(number), "{cell:?}");
        }
        for other in ["     0.01", "       01", "123456789", "   12 345", "  1", "       1 "] {
            assert_eq!(trailing(other.as_bytes()), None, "{other:?}");
        }
    }

    #[test]
    fn a_word_fits_its_pattern_alone() {
        let time = Word::new(b":99:99");
        let read = |text: &[u8]| {
            time.digits(text).map(|digits| (number(digits, 1, 2), number(digits, 4, 2)))
        };
        for text in [&b":03:59"[..], b":03:59 Job", b":03:59\xff\xff\xff"] {
            assert_eq!(read(text), Some((3, 59)), "{text:?}");
        }
        for at in 0..6 {
            for byte in 0..=u8::MAX {
                let mut text = *b":03:59 J";
                text[at] = byte;
                let fits = if at % 3 == 0 { byte == b':' } else { byte.is_ascii_digit() };
                assert_eq!(read(&text).is_some(), fits, "{text:?}");
            }
        }
        assert_eq!(read(b":03:5"), None);
        for other in [b"Usr : 01", b"\xd5sr 3 01", b"Usr 3 0/"] {
            assert_eq!(Word::new(b"Usr 9 99").digits(other), None, "{other:?}");
        }
        assert_eq!(number(Word::new(b"999.999)").digits(b"120.007) 2").unwrap(), 4, 3), 7);
    }

    #[test]
    fn numbers_end_where_they_end() {
        assert_eq!(leading(b"110828038.000"), Some((110_828_038, 9)));
        assert_eq!(leading(b"4101845.017.000"), Some((4_101_845, 7)));
        assert_eq!(leading(b"18446744073709551615"), Some((u64::MAX, 20)));
        assert_eq!(leading(b"18446744073709551616"), None);
        assert_eq!(leading(b"x1234567"), None);
        assert_eq!(leading(b""), None);
    }
}
