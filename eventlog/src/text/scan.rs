//! Finding events: header line, lines, separator.
//!
//! Users choose text of events (reasons, notes, messages), so a header line is believed only where
//! HTCondor's own reader believes it (`ReadUserLog::synchronize`): at the beginning of a log and
//! behind a line `...`. What stands before the next such line is one event or damage. A header line
//! among the lines of an event means that the separator was lost, or that a user wrote it; NUL
//! bytes mean that a crash left a hole in the file. In an event without text of users (a start, an
//! end, its image size) only the former can be, and the header ends it. Where looks at 64 bytes
//! at a time show nothing of that kind, the walk over the lines is spared.

use memchr::{memchr, memmem};

use super::super::Damage;
use super::block::Block;
use super::header::{EXPECTED_NUMBER, Ids};
use super::torn::{has_no_text, is_torn};

/// What stands at the beginning of some bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
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
pub(crate) struct Span {
    pub(crate) begin: usize,
    pub(crate) lines: usize,
    pub(crate) separator: usize,
    pub(crate) end: usize,
}

/// Looks at the beginning of `bytes`. `last`: no more bytes follow them.
#[inline]
pub(crate) fn find(bytes: &[u8], last: bool) -> Found {
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
    let ids = match Ids::read(rest) {
        Ok(ids) => ids,
        Err(expected) => {
            let damage = Damage::Header { expected };
            return shifted(
                resync(rest, last).map(|end| (end, truncated(rest, end, last, damage))),
            );
        }
    };
    // The worst that the lines show; nothing of them begins an event.
    let mut damage = rest[..at].contains(&0).then_some(Damage::Nul);
    loop {
        let line = &rest[at..];
        match line.first() {
            None => {
                return if last {
                    let damage = damage.unwrap_or(Damage::Truncated);
                    Found::Damaged { begin, end: bytes.len(), damage }
                } else {
                    Found::More { begin }
                };
            }
            Some(b'.') => match separator(line, last) {
                Separator::Yes(length) => {
                    let (separator, end) = (begin + at, begin + at + length);
                    let torn = || is_torn(&rest[..at]).then_some(Damage::Unterminated);
                    return match damage.or_else(torn) {
                        Some(damage) => Found::Damaged { begin, end, damage },
                        None => Found::Event(Span { begin, lines, separator, end }),
                    };
                }
                Separator::No => {}
                Separator::More => return Found::More { begin },
            },
            Some(b'0'..=b'9')
                if damage.is_none()
                    && has_no_text(ids.number)
                    && Ids::begins_dated_event(line)
                    && !is_torn(&rest[..at]) =>
            {
                return Found::Event(Span { begin, lines, separator: begin + at, end: begin + at });
            }
            Some(b'0'..=b'9') if damage.is_none() && Ids::begins_event(line) => {
                damage = Some(Damage::Unterminated);
            }
            _ => {}
        }
        let end = memchr(b'\n', line).map_or(line.len(), |end| end + 1);
        if memchr(0, &line[..end]).is_some() {
            damage = Some(Damage::Nul);
        }
        at += end;
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

/// The position behind the next line `...`; what begins the bytes is within a line. `None`: more
/// bytes are needed.
pub(crate) fn resync(bytes: &[u8], last: bool) -> Option<usize> {
    let mut at = 0;
    while let Some(dots) = memmem::find(&bytes[at..], b"\n...") {
        at += dots + 1;
        match separator(&bytes[at..], last) {
            Separator::Yes(length) => return Some(at + length),
            Separator::No => {}
            Separator::More => return None,
        }
    }
    last.then_some(bytes.len())
}

/// The number of bytes that [`resync`] need not look at again once more are there.
pub(crate) fn resynced(bytes: &[u8]) -> usize {
    // The longest separator that is cut, and the newline before it.
    let tail = bytes.len().saturating_sub("\n...\r".len());
    tail + memchr(b'\n', &bytes[tail..]).unwrap_or(bytes.len() - tail)
}

/// Whether bytes end behind a line `...`, blank lines aside.
pub(crate) fn ends_event(bytes: &[u8]) -> bool {
    let mut line = bytes;
    while let [rest @ .., b'\n' | b'\r'] = line {
        line = rest;
    }
    bytes[line.len()..].contains(&b'\n') && line.ends_with(b"\n...")
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
                    1 => Just(format!("{}\t{HELD}...\n", &HELD[..50])),
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

    /// A user can write a header at the beginning of a line (newlines in notes of 000).
    #[test]
    fn a_lost_separator_costs_both_events() {
        let text = format!("{HELD}{HELD}...\n{HELD}...\n");
        assert_eq!(damage(&text, false), (0, 2 * HELD.len() + 4, Damage::Unterminated));
        let text = format!("{HELD}{HELD}");
        assert_eq!(damage(&text, true), (0, text.len(), Damage::Unterminated));
        assert_eq!(find(text.as_bytes(), false), Found::More { begin: 0 });
    }

    /// No user writes a line of these.
    #[test]
    fn a_header_ends_an_event_without_text() {
        for title in [
            "001 (1.0.0) 2024-01-02 03:04:05 Job executing on host: <10.0.0.1:9618>\n\tSlotName: s@e\n",
            "006 (1.0.0) 01/02 03:04:05 Image size of job updated: 500\n\t500  -  MemoryUsage of job (MB)\n",
            "005 (1.0.0) 2024-01-02 03:04:05 Job terminated.\n\t(1) Normal termination (return value 0)\n",
        ] {
            let text = format!("{title}{HELD}...\n");
            let lines = title.find('\n').unwrap() + 1;
            let span = Span { begin: 0, lines, separator: title.len(), end: title.len() };
            for last in [false, true] {
                assert_eq!(find(text.as_bytes(), last), Found::Event(span));
            }
            // The header has to be there with its date, and the event must not be torn.
            assert_eq!(find(&text.as_bytes()[..title.len() + 20], false), Found::More { begin: 0 });
            let torn = format!("{}{HELD}{HELD}...\n", &title[..title.len() - 3]);
            assert_eq!(damage(&torn, false).2, Damage::Unterminated);
        }
    }

    /// What is behind a hole may be the rest of a reason.
    #[test]
    fn a_hole_costs_all_up_to_the_next_separator() {
        let text = format!("012 (1.000.000) 2024-01-02 03:04:05 Job\0\0\0\0{HELD}...\n");
        assert_eq!(damage(&text, false), (0, text.len(), Damage::Nul));
        let text = format!("\0\0\0\0{HELD}...\n");
        assert_eq!(damage(&text, false), (0, text.len(), Damage::Nul));
        let text = format!("{HELD}\0\0\0\0tail of another\n...\n{HELD}...\n");
        assert_eq!(damage(&text, false), (0, HELD.len() + 24, Damage::Nul));
    }

    /// No event is made of what may be the text of a user.
    #[test]
    fn a_half_event_costs_the_one_glued_to_it() {
        for half in [HELD.len() - 2, HELD.len() - 12, HELD.len() - 19, 44, 20, 6, 2] {
            let text = format!("{}{HELD}...\n{HELD}...\n", &HELD[..half]);
            let (begin, end, _) = damage(&text, false);
            assert_eq!((begin, end), (0, half + HELD.len() + 4));
        }
    }

    #[test]
    fn a_header_within_a_line_is_text() {
        let forged = "013 (100.000.000) 2026-11-24 13:04:00 Job was released.";
        for line in [format!("\t{forged}"), format!("\tx {forged}"), format!("\tx{forged}")] {
            let text = HELD.replace("\tx", &line);
            let lines = text.find('\n').unwrap() + 1;
            let span = Span { begin: 0, lines, separator: text.len(), end: text.len() + 4 };
            assert_eq!(find(format!("{text}...\n").as_bytes(), false), Found::Event(span));
        }
    }

    #[test]
    fn what_is_behind_a_separator_is_known() {
        for bytes in ["x\n...\n", "x\n...\r\n", "x\n...\n\n\r\n"] {
            assert!(ends_event(bytes.as_bytes()), "{bytes:?}");
        }
        for bytes in ["", "x\n", "x\n...", "x...\n", "\tx\n....\n", "x\n...\r", "...\nx"] {
            assert!(!ends_event(bytes.as_bytes()), "{bytes:?}");
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
