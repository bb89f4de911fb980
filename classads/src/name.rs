//! Attribute names: compared without regard to case, found by a hash.

/// A hash that is equal for names that differ only in case.
pub(crate) fn hash(name: &[u8]) -> u32 {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut state = name.len() as u64;
    let mut chunks = name.chunks_exact(8);
    for chunk in &mut chunks {
        state = mix(state, word(chunk), MULTIPLIER);
    }
    // What remains is read with some bytes before it, or in two parts that may overlap: copying it
    // costs more.
    let (length, rest) = (name.len(), chunks.remainder());
    if !rest.is_empty() {
        let last = match length {
            8.. => word(&name[length - 8..]),
            4.. => half(&name[..4]) << 32 | half(&name[length - 4..]),
            _ => rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
        };
        state = mix(state, last, MULTIPLIER);
    }
    (state >> 32) as u32
}

fn word(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

fn half(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u32::from_le_bytes).into()
}

fn mix(state: u64, word: u64, multiplier: u64) -> u64 {
    // Setting the case bit of every byte makes letters equal; other bytes that then collide are
    // told apart by `same`.
    let folded = word | 0x2020_2020_2020_2020;
    (state.rotate_left(23) ^ folded).wrapping_mul(multiplier)
}

/// Whether two names are the same attribute.
pub(crate) fn same(left: &[u8], right: &[u8]) -> bool {
    // Mostly they are written alike.
    left == right || left.eq_ignore_ascii_case(right)
}

/// A name with its hash, as the syntax tree keeps it.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: Box<str>,
    pub(crate) hash: u32,
}

impl Name {
    pub(crate) fn new(text: &str) -> Name {
        Name { text: text.into(), hash: hash(text.as_bytes()) }
    }

    pub(crate) fn is(&self, other: &str) -> bool {
        same(self.text.as_bytes(), other.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_does_not_change_the_hash() {
        for name in ["JobStatus", "EnteredCurrentStatus", "x", "Cmd", "HoldReasonSubCode"] {
            assert_eq!(hash(name.as_bytes()), hash(name.to_lowercase().as_bytes()));
            assert_eq!(hash(name.as_bytes()), hash(name.to_uppercase().as_bytes()));
        }
        assert_ne!(hash(b"JobStatus"), hash(b"JobStatus2"));
    }
}
