//! Lines of an input, each of limited length.

use std::io::{self, BufRead};

/// The longest line kept, in bytes: far beyond any attribute; what is beyond it is dropped.
const LONGEST: usize = 4 * 1024 * 1024;

/// Reads lines into one buffer and counts them.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), number: 0 }
    }

    /// The number of the line last read, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The line last read, without its end.
    pub(super) fn current(&self) -> &[u8] {
        &self.buffer
    }

    /// Reads the next line; false at the end of the input.
    pub(super) fn advance(&mut self) -> io::Result<bool> {
        self.buffer.clear();
        let mut any = false;
        loop {
            let bytes = match self.input.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if bytes.is_empty() {
                break;
            }
            any = true;
            let end = memchr::memchr(b'\n', bytes);
            let part = &bytes[..end.unwrap_or(bytes.len())];
            let room = LONGEST.saturating_sub(self.buffer.len()).min(part.len());
            self.buffer.extend_from_slice(&part[..room]);
            let used = end.map_or(bytes.len(), |end| end + 1);
            self.input.consume(used);
            if end.is_some() {
                break;
            }
        }
        if self.buffer.last() == Some(&b'\r') {
            self.buffer.pop();
        }
        self.number += u64::from(any);
        Ok(any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_numbers() {
        let mut lines = Lines::new(&b"a\r\n\nb"[..]);
        let mut seen = Vec::new();
        while lines.advance().unwrap() {
            seen.push((lines.number(), lines.current().to_vec()));
        }
        assert_eq!(seen, [(1, b"a".to_vec()), (2, b"".to_vec()), (3, b"b".to_vec())]);
    }

    #[test]
    fn endless_lines_need_no_endless_memory() {
        let input = vec![b'x'; LONGEST + 100];
        let mut lines = Lines::new(&input[..]);
        assert!(lines.advance().unwrap());
        assert_eq!(lines.current().len(), LONGEST);
        assert!(!lines.advance().unwrap());
    }
}
