//! Which of 64 bytes are what, asked of all of them at once.

use wide::u8x16;

/// 64 bytes. What is asked is answered by a bit for each, the lowest for the first.
#[derive(Clone, Copy)]
pub(super) struct Block([u8x16; 4]);

impl Block {
    pub(super) const SIZE: usize = 64;

    #[inline]
    pub(super) fn new(bytes: &[u8; Self::SIZE]) -> Self {
        let (parts, _) = bytes.as_chunks::<16>();
        // One by one: `map` of an array is not always unrolled.
        Self([
            u8x16::new(parts[0]),
            u8x16::new(parts[1]),
            u8x16::new(parts[2]),
            u8x16::new(parts[3]),
        ])
    }

    /// The bytes that are `byte`.
    #[inline]
    pub(super) fn equal(self, byte: u8) -> u64 {
        let [a, b, c, d] = self.0;
        let first = equal(a, byte) | equal(b, byte) << 16;
        first | equal(c, byte) << 32 | equal(d, byte) << 48
    }

    /// One of the bytes is NUL.
    #[inline]
    pub(super) fn has_nul(self) -> bool {
        let [a, b, c, d] = self.0;
        equal(a.min(b).min(c.min(d)), 0) != 0
    }
}

#[inline]
fn equal(part: u8x16, byte: u8) -> u64 {
    u64::from(part.simd_eq(u8x16::splat(byte)).to_bitmask())
}

/// Which of the 64 bytes from `at` on, or as many as there are, are `byte`. There is at least one.
#[inline]
pub(super) fn equal_from(bytes: &[u8], at: usize, byte: u8) -> u64 {
    let rest = &bytes[at..];
    match rest.first_chunk() {
        Some(block) => Block::new(block).equal(byte),
        None => equal_at_end(bytes, rest, byte),
    }
}

/// Which bytes of `rest`, less than 64 at the end of `bytes`, are `byte`.
#[inline(never)]
fn equal_at_end(bytes: &[u8], rest: &[u8], byte: u8) -> u64 {
    let (parts, rest) = rest.as_chunks::<16>();
    let mut found = 0;
    for (place, part) in parts.iter().enumerate() {
        found |= equal(u8x16::new(*part), byte) << (16 * place);
    }
    if rest.is_empty() {
        return found;
    }
    // The last 16 bytes reach back over some that were looked at, or there are not as many.
    let last = match bytes.last_chunk() {
        Some(last) => equal(u8x16::new(*last), byte) >> (16 - rest.len()),
        None => {
            let mut padded = [!byte; 16];
            padded[..rest.len()].copy_from_slice(rest);
            equal(u8x16::new(padded), byte)
        }
    };
    found | last << (16 * parts.len())
}

/// The first place of a byte that stands near the beginning, for which a search of long texts is
/// slow to begin.
#[inline]
pub(super) fn find_short(byte: u8, bytes: &[u8]) -> Option<usize> {
    let (parts, rest) = bytes.as_chunks::<16>();
    for (place, part) in parts.iter().enumerate() {
        let found = equal(u8x16::new(*part), byte);
        if found != 0 {
            return Some(16 * place + found.trailing_zeros() as usize);
        }
    }
    let at = rest.iter().position(|other| *other == byte)?;
    Some(16 * parts.len() + at)
}

/// All bytes are blanks.
#[inline]
pub(super) fn are_blanks(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().all(|word| word == b"        ") && rest.iter().all(|byte| *byte == b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_found_at_its_place() {
        let bytes: Vec<u8> = (0..200).map(|at| if at % 7 == 0 { b'\n' } else { at }).collect();
        for end in 1..bytes.len() {
            for at in 0..end {
                let expected = bytes[at..end].iter().take(64).rev();
                let expected =
                    expected.fold(0, |found, byte| found << 1 | u64::from(*byte == b'\n'));
                assert_eq!(equal_from(&bytes[..end], at, b'\n'), expected, "{at} {end}");
            }
        }
    }

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
    fn a_nul_is_seen_wherever_it_is() {
        let mut bytes = [0xff; 64];
        assert!(!Block::new(&bytes).has_nul());
        for at in 0..64 {
            bytes[at] = 0;
            assert!(Block::new(&bytes).has_nul());
            bytes[at] = 1;
        }
    }
}
