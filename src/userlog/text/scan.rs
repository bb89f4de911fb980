//! Finding events: header line, lines, separator.
//!
//! One walk over the lines of an event finds its end and what is wrong with it. A line `...` ends
//! an event; a header line before it means the separator was lost; NUL bytes mean that a crash left
//! a hole in the file. Where one look at 64 bytes after the other shows that there is nothing of
//! that kind, the walk is spared.

use memchr::{memchr, memchr_iter, memchr2};

use super::super::Damage;
use super::block::Block;
use super::header::{EXPECTED_NUMBER, Ids};

/// What stands at the beginning of some bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::userlog) enum Found {
    Event(Span),
    /// No event from `begin` to `end`.
    Damaged {
        begin: usize,
        end: usize,
        damage: Damage,
    },
    /// Nothing is decided before more bytes are there; those before `begin` are blank.
    More {
        begin: usize,
    },
    /// Nothing but blank lines.
    End,
}

/// An event: header line from `begin` to `lines`, its lines to `separator`, the next one from
/// `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::userlog) struct Span {
    pub(in crate::userlog) begin: usize,
    pub(in crate::userlog) lines: usize,
    pub(in crate::userlog) separator: usize,
    pub(in crate::userlog) end: usize,
}

/// Looks at the beginning of `bytes`. `last`: no more bytes follow them.
#[inline]
pub(in crate::userlog) fn find(bytes: &[u8], last: bool) -> Found {
    find_by(bytes, last, plain_event)
}

/// The same with any way to find an event without damage, or none.
#[inline]
fn find_by(bytes: &[u8], last: bool, plain: impl Fn(&[u8], usize) -> Option<Span>) -> Found {
    let begin = skip_blank(bytes);
    let rest = &bytes[begin..];
    if last && matches!(rest, b"" | b"..." | b"...\r") {
        return Found::End;
    }
    if rest.is_empty() {
        return Found::More { begin };
    }
    let shifted = |found| match found {
        Some((end, damage)) => Found::Damaged { begin, end: begin + end, damage },
        None => Found::More { begin },
    };
    if !rest[0].is_ascii_digit() {
        return shifted(find_garbage(rest, last));
    }
    if let Some(span) = plain(rest, begin) {
        return Found::Event(span);
    }
    let Some(mut at) = line_end(rest, last) else { return Found::More { begin } };
    let lines = begin + at;
    if let Err(expected) = Ids::read(rest) {
        let damage = Damage::Header { expected };
        return shifted(resync(rest, last).map(|end| (end, truncated(rest, end, last, damage))));
    }
    if rest[..at].contains(&0) {
        return shifted(resync(rest, last).map(|end| (end, Damage::Nul)));
    }
    loop {
        let line = &rest[at..];
        match line.first() {
            None => {
                return if last {
                    Found::Damaged { begin, end: bytes.len(), damage: Damage::Truncated }
                } else {
                    Found::More { begin }
                };
            }
            Some(b'.') => match separator(line, last) {
                Separator::Yes(length) => {
                    if let Some(end) = glued(&rest[..at]) {
                        let damage = Damage::Unterminated;
                        return Found::Damaged { begin, end: begin + end, damage };
                    }
                    let separator = begin + at;
                    return Found::Event(Span { begin, lines, separator, end: separator + length });
                }
                Separator::No => {}
                Separator::More => return Found::More { begin },
            },
            Some(b'0'..=b'9') if Ids::begins_event(line) => {
                return Found::Damaged { begin, end: begin + at, damage: Damage::Unterminated };
            }
            _ => {}
        }
        match memchr2(b'\n', 0, line) {
            Some(end) if line[end] == b'\n' => at += end + 1,
            Some(end) => {
                let hole =
                    resync(&line[end..], last).map(|length| (at + end + length, Damage::Nul));
                return shifted(hole);
            }
            None => at = rest.len(),
        }
    }
}

/// Bytes of an event in which its separator is searched; a larger one is walked, so that no byte is
/// searched again and again.
const PLAIN: usize = 8 << 10;

/// The event that begins the bytes, which are at `begin`, if nothing below its header line could be
/// damage. What that line says is not looked at.
#[inline]
fn plain_event(bytes: &[u8], begin: usize) -> Option<Span> {
    let bytes = &bytes[..bytes.len().min(PLAIN)];
    let (mut at, mut lines, mut newline_before) = (0, 0, 0);
    // The bracket of its own header is the fifth byte.
    let mut looked_at = !0x1f;
    loop {
        let block = Block::new(bytes.get(at..)?.first_chunk()?);
        let newlines = block.equal(b'\n');
        if lines == 0 && newlines != 0 {
            lines = at + newlines.trailing_zeros() as usize + 1;
        }
        let dots = block.equal(b'.') & (newlines << 1 | newline_before);
        let mut brackets = block.equal(b'(') & looked_at;
        if dots != 0 {
            // What is behind the separator is of the next event.
            brackets &= (dots & dots.wrapping_neg()) - 1;
        }
        while brackets != 0 {
            if begins(bytes, at + brackets.trailing_zeros() as usize) {
                return None;
            }
            brackets &= brackets - 1;
        }
        if block.has_nul() {
            return None;
        }
        if dots != 0 {
            let dots = at + dots.trailing_zeros() as usize;
            let Separator::Yes(length) = separator(&bytes[dots..], false) else { return None };
            let (lines, separator) = (begin + lines, begin + dots);
            return Some(Span { begin, lines, separator, end: separator + length });
        }
        (newline_before, looked_at) = (newlines >> 63, u64::MAX);
        at += Block::SIZE;
    }
}

/// Whether a bracket stands behind a digit and a blank, as in a header.
fn begins(event: &[u8], bracket: usize) -> bool {
    event[bracket - 1] == b' ' && event[bracket - 2].is_ascii_digit()
}

/// The length of blank lines and separators without an event.
#[inline]
fn skip_blank(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match bytes.get(at) {
            Some(b'\n' | b'\r') => at += 1,
            Some(b'.') => match separator(&bytes[at..], false) {
                Separator::Yes(length) => at += length,
                _ => return at,
            },
            // A byte order mark may begin the file.
            Some(0xef) if at == 0 && bytes.starts_with(b"\xef\xbb\xbf") => at += 3,
            _ => return at,
        }
    }
}

/// What begins with something else than a digit.
fn find_garbage(rest: &[u8], last: bool) -> Option<(usize, Damage)> {
    if !last && matches!(separator(rest, last), Separator::More) {
        return None;
    }
    let damage =
        if rest[0] == 0 { Damage::Nul } else { Damage::Header { expected: EXPECTED_NUMBER } };
    resync(rest, last).map(|end| (end, damage))
}

/// A header line cut by the end of the file is a truncated event.
fn truncated(rest: &[u8], end: usize, last: bool, damage: Damage) -> Damage {
    let cut = last && end == rest.len() && memchr(b'\n', rest).is_none();
    if cut { Damage::Truncated } else { damage }
}

/// The position, not the first, of a header that a writer put behind what another left unfinished.
#[inline]
pub(in crate::userlog) fn glued(bytes: &[u8]) -> Option<usize> {
    // Numbers of an event stand before the bracket: `... Run Bytes S012 (1234.000.000) 2024-01-31`.
    memchr_iter(b'(', bytes).find_map(|bracket| {
        let begin = bracket.checked_sub(4).filter(|begin| *begin > 0)?;
        Ids::begins_dated_event(&bytes[begin..]).then_some(begin)
    })
}

/// The position behind the next separator, or of the next header. `None`: more bytes are needed.
pub(in crate::userlog) fn resync(bytes: &[u8], last: bool) -> Option<usize> {
    let end = next_line(bytes, last)?;
    Some(glued(&bytes[..end]).unwrap_or(end))
}

/// The position behind the next separator, or of the next line that begins an event.
fn next_line(bytes: &[u8], last: bool) -> Option<usize> {
    let mut at = 0;
    while let Some(end) = memchr2(b'\n', 0, &bytes[at..]) {
        at += end + 1;
        at += bytes[at..].iter().take_while(|byte| **byte == 0).count();
        // A header right behind a hole counts as well as one at the beginning of a line.
        let line = &bytes[at..];
        match line.first() {
            Some(b'.') => match separator(line, last) {
                Separator::Yes(length) => return Some(at + length),
                Separator::No => {}
                Separator::More => return None,
            },
            Some(b'0'..=b'9') if Ids::begins_event(line) => return Some(at),
            _ => {}
        }
    }
    last.then_some(bytes.len())
}

/// The number of bytes that [`resync`] need not look at again once more are there.
pub(in crate::userlog) fn resynced(bytes: &[u8]) -> usize {
    // A header is recognized within its first 64 bytes.
    let tail = bytes.len().saturating_sub(64);
    match memchr::memrchr2(b'\n', 0, bytes) {
        // The byte before a line is kept: it is what tells that a line begins.
        Some(end) if end >= tail => end,
        _ => bytes.len(),
    }
}

enum Separator {
    Yes(usize),
    No,
    More,
}

/// Is this line `...`? A separator at the end of the file may lack its newline.
#[inline]
fn separator(line: &[u8], last: bool) -> Separator {
    match line {
        [b'.', b'.', b'.', b'\n', ..] => Separator::Yes(4),
        [b'.', b'.', b'.', b'\r', b'\n', ..] => Separator::Yes(5),
        [b'.', b'.', b'.'] | [b'.', b'.', b'.', b'\r'] if last => Separator::Yes(line.len()),
        [b'.'] | [b'.', b'.'] | [b'.', b'.', b'.'] | [b'.', b'.', b'.', b'\r'] if !last => {
            Separator::More
        }
        _ => Separator::No,
    }
}

/// The position behind the first newline. `None`: more bytes are needed.
#[inline]
fn line_end(bytes: &[u8], last: bool) -> Option<usize> {
    match memchr(b'\n', bytes) {
        Some(end) => Some(end + 1),
        None => last.then_some(bytes.len()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HELD: &str =
        "012 (1.000.000) 2024-01-02 03:04:05 Job was held.\n\tx\n\tCode 1 Subcode 0\n";

    fn damage(text: &str, last: bool) -> (usize, usize, Damage) {
        match find(text.as_bytes(), last) {
            Found::Damaged { begin, end, damage } => (begin, end, damage),
            other => panic!("{other:?} for {text:?}"),
        }
    }

    /// What the events of `bytes` come to, damage included.
    fn all(bytes: &[u8], find: impl Fn(&[u8]) -> Found) -> Vec<Found> {
        let (mut at, mut all) = (0, Vec::new());
        loop {
            let mut found = find(&bytes[at..]);
            let (begin, end) = match &mut found {
                Found::Event(span) => (span.begin, span.end),
                Found::Damaged { begin, end, .. } => (*begin, *end),
                _ => return all,
            };
            // A header line that cannot be read is told by whoever reads it.
            let header = Ids::read(&bytes[at + begin..at + end]);
            if let (Found::Event(_), Err(expected)) = (&found, header) {
                found = Found::Damaged { begin, end, damage: Damage::Header { expected } };
            }
            all.push(found);
            at += end;
        }
    }

    proptest! {
        #[test]
        fn searches_find_what_the_walk_finds(
            parts in prop::collection::vec(
                prop_oneof![
                    4 => Just(format!("{HELD}...\n")),
                    1 => Just(format!("{HELD}...\r\n")),
                    1 => Just(HELD.to_owned()),
                    2 => (0..HELD.len()).prop_map(|cut| HELD[..cut].to_owned()),
                    1 => (0..HELD.len()).prop_map(|cut| HELD[cut..].to_owned()),
                    1 => "[0-9. (\n\0]{0,12}",
                    1 => Just("0123 (1.0.0) 2024-01-02 03:04:05 x\n...\n".to_owned()),
                    1 => Just("\tvalue 12 (x)\n....\n".to_owned()),
                ],
                0..20,
            ),
        ) {
            let log = parts.concat();
            let walked = all(log.as_bytes(), |bytes| find_by(bytes, true, |_, _| None));
            prop_assert_eq!(all(log.as_bytes(), |bytes| find(bytes, true)), walked);
        }
    }

    #[test]
    fn an_event_ends_at_its_separator() {
        for separator in ["...\n", "...\r\n"] {
            for blank in ["", "\n", "...\n", "\r\n...\r\n\n"] {
                let text = format!("{blank}{HELD}{separator}rest");
                let begin = blank.len();
                let end = text.len() - 4;
                let lines = begin + HELD.find('\n').unwrap() + 1;
                let separator = end - separator.len();
                let found = Found::Event(Span { begin, lines, separator, end });
                assert_eq!(find(text.as_bytes(), false), found, "{text:?}");
            }
        }
    }

    #[test]
    fn every_cut_asks_for_more_or_is_truncated() {
        let text = format!("{HELD}...\n");
        for cut in 1..text.len() {
            let part = &text.as_bytes()[..cut];
            assert_eq!(find(part, false), Found::More { begin: 0 }, "{cut}");
            let found = find(part, true);
            if cut == text.len() - 1 {
                assert!(matches!(found, Found::Event(_)), "{cut}: {found:?}");
            } else {
                let truncated = Found::Damaged { begin: 0, end: cut, damage: Damage::Truncated };
                assert_eq!(found, truncated, "{cut}");
            }
        }
    }

    #[test]
    fn a_lost_separator_costs_one_event() {
        let text = format!("{HELD}{HELD}...\n");
        assert_eq!(damage(&text, false), (0, HELD.len(), Damage::Unterminated));
    }

    #[test]
    fn a_hole_costs_what_it_covers() {
        let text = format!("012 (1.000.000) 2024-01-02 03:04:05 Job\0\0\0\0{HELD}...\n");
        assert_eq!(damage(&text, false), (0, 43, Damage::Nul));
        let text = format!("\0\0\0\0{HELD}...\n");
        assert_eq!(damage(&text, false), (0, 4, Damage::Nul));
        let text = format!("{HELD}\0\0\0\0tail of another\n...\n{HELD}...\n");
        assert_eq!(damage(&text, false), (0, HELD.len() + 24, Damage::Nul));
    }

    #[test]
    fn a_half_event_costs_only_itself() {
        for half in [HELD.len() - 2, HELD.len() - 12, 44, 20, 6, 2] {
            let text = format!("{}{HELD}...\n", &HELD[..half]);
            let (begin, end, _) = damage(&text, false);
            assert_eq!((begin, end), (0, half));
        }
    }

    #[test]
    fn a_start_in_mid_event_is_skipped() {
        let text = format!("\tCode 1 Subcode 0\n...\n{HELD}...\n");
        let expected = Damage::Header { expected: EXPECTED_NUMBER };
        assert_eq!(damage(&text, false), (0, 22, expected));
    }

    #[test]
    fn blanks_are_no_events() {
        assert_eq!(find(b"", true), Found::End);
        assert_eq!(find(b"\n\n...\n...\r\n\n...", true), Found::End);
        assert_eq!(find(b"\n...\n..", false), Found::More { begin: 5 });
    }
}
