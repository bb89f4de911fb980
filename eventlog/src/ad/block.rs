//! Finding the events of the XML and JSON forms: blocks of lines with an opening and a closing
//! line.

use memchr::memchr;

use super::super::Damage;
use super::super::text::scan::{Found, Span};

/// What a line is to the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Begins an event.
    Begin,
    /// Ends an event.
    End,
    /// Is a whole event.
    Whole,
    /// Belongs to the form, to no event.
    Between,
    /// Part of an event, or damage.
    Other,
}

/// Looks at the beginning of `bytes`, as [`super::super::text::scan::find`] does for text.
pub(super) fn find(
    bytes: &[u8],
    last: bool,
    what: impl Fn(&[u8]) -> Line,
    expected: &'static str,
) -> Found {
    // Damage is told by its first byte, an event by the line that begins it.
    let (mut begin, mut open, mut damage) = (0, false, None);
    let mut at = 0;
    while at < bytes.len() {
        let (end, line) = match memchr(b'\n', &bytes[at..]) {
            Some(end) => (at + end + 1, &bytes[at..at + end]),
            None if last => (bytes.len(), &bytes[at..]),
            None => break,
        };
        // What is behind a hole may be the rest of a value.
        if memchr(0, line).is_some() {
            if !open && damage.is_none() {
                begin = at;
            }
            damage = Some(Damage::Nul);
            at = end;
            continue;
        }
        let line = what(line.trim_ascii_end());
        let starts = matches!(line, Line::Begin | Line::Whole);
        if starts && (open || damage.is_some()) {
            let damage = damage.unwrap_or(Damage::Unterminated);
            return Found::Damaged { begin, end: at, damage };
        }
        match line {
            Line::Whole => return Found::Event(Span { begin: at, lines: at, separator: end, end }),
            Line::Begin => (begin, open) = (at, true),
            Line::End if open && damage.is_none() => {
                return Found::Event(Span { begin, lines: begin, separator: end, end });
            }
            Line::End if open => {
                return Found::Damaged { begin, end, damage: damage.unwrap_or(Damage::Nul) };
            }
            Line::Between if !open && damage.is_none() => begin = end,
            _ if !open && damage.is_none() => {
                begin = at;
                damage = Some(Damage::Ad { expected: expected.to_owned() });
            }
            _ => {}
        }
        at = end;
    }
    if !last {
        return Found::More { begin };
    }
    match (open, damage) {
        (_, Some(damage)) => Found::Damaged { begin, end: bytes.len(), damage },
        (true, None) => Found::Damaged { begin, end: bytes.len(), damage: Damage::Truncated },
        (false, None) => Found::End,
    }
}
