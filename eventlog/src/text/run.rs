//! Lines of a run.

use super::super::body::{CpuUsage, Text};
use super::lines::{Cursor, trimmed};
use super::parts::toe_line;
use super::table::Table;

/// The number in `Node 3 ...`.
pub(crate) fn node(title: &[u8]) -> Option<i32> {
    let mut cursor = Cursor(title);
    cursor.token(b"Node")?;
    cursor.int()
}

/// `Usr d hh:mm:ss, Sys d hh:mm:ss  -  LABEL`: the times and the label.
#[inline]
fn usage(line: &[u8]) -> Option<(CpuUsage, &[u8])> {
    let mut cursor = Cursor(line);
    let times = cursor.usage()?;
    cursor.token(b"-")?;
    Some((times, cursor.0.trim_ascii()))
}

/// `N  -  LABEL`: the number and the label.
#[inline]
pub(crate) fn amount(line: &[u8]) -> Option<(i64, &[u8])> {
    let mut cursor = Cursor(line.strip_prefix(b"\t").unwrap_or(line));
    let value = cursor.signed()?;
    match cursor.0.strip_prefix(b"  -  ") {
        Some(label) => cursor.0 = label,
        None => cursor.token(b"-")?,
    }
    Some((value, cursor.0.trim_ascii()))
}

/// `N  -  Run Bytes Sent By Job`: run or total, sent or received, and N.
#[inline]
pub(crate) fn bytes(line: &[u8]) -> Option<(Bytes, u64)> {
    let (value, label) = amount(line)?;
    let (label, total) = match label.strip_prefix(b"Run Bytes ") {
        Some(label) => (label, false),
        None => (label.strip_prefix(b"Total Bytes ")?, true),
    };
    let kind = match (label.starts_with(b"Sent By "), total) {
        (true, false) => Bytes::Sent,
        (true, true) => Bytes::TotalSent,
        (false, _) if !label.starts_with(b"Received By ") => return None,
        (false, false) => Bytes::Received,
        (false, true) => Bytes::TotalReceived,
    };
    Some((kind, u64::try_from(value).ok()?))
}

/// Which bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bytes {
    Sent,
    Received,
    TotalSent,
    TotalReceived,
}

/// How a job ended, of a line `(1) Normal termination ...` or the ones below it.
pub(crate) enum End<'a> {
    Return(Option<i32>),
    Signal(Option<i32>),
    Core(Option<Text<'a>>),
}

/// Reads such a line as `TerminatedEvent::readEventBody` of HTCondor does: white space, or none,
/// may be before the bracket, within it and behind it, and any number but 0 says that what follows
/// is `Normal termination`.
#[inline]
pub(crate) fn end(line: &[u8]) -> Option<End<'_>> {
    let mut cursor = Cursor(trim_space(line));
    cursor.token(b"(")?;
    cursor.0 = trim_space(cursor.0);
    let flag = cursor.int()?;
    let words = trim_space(cursor.0.strip_prefix(b")")?);
    if flag != 0 {
        if let Some(rest) = phrase(words, &[b"Normal", b"termination", b"(return", b"value"]) {
            return Some(End::Return(Cursor(trim_space(rest)).int()));
        }
        return words.strip_prefix(b"Corefile in:").map(|rest| End::Core(trimmed(rest)));
    }
    if let Some(rest) = phrase(words, &[b"Abnormal", b"termination", b"(signal"]) {
        return Some(End::Signal(Cursor(trim_space(rest)).int()));
    }
    words.starts_with(b"No core file").then_some(End::Core(None))
}

/// What follows these words, between which there may be any white space, or none, as `sscanf` has
/// it.
#[inline]
fn phrase<'a>(mut bytes: &'a [u8], words: &[&[u8]]) -> Option<&'a [u8]> {
    for word in words {
        bytes = trim_space(bytes).strip_prefix(*word)?;
    }
    Some(bytes)
}

/// Without the white space that C's `isspace` knows at its beginning.
#[inline]
pub(crate) fn trim_space(bytes: &[u8]) -> &[u8] {
    let blanks = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count();
    &bytes[blanks..]
}

/// Rows that room is made for at once: processors, disk, memory, and the times that HTCondor 23.5
/// and later write.
pub(crate) const USUAL_RESOURCES: usize = 5;

/// What a line of a run that has ended says.
pub(crate) enum RunLine<'a> {
    Usage(CpuUsage, &'a [u8]),
    Bytes(Bytes, u64),
    End(End<'a>),
    Table(Table),
    Toe(Text<'a>),
    Other,
}

impl<'a> RunLine<'a> {
    #[inline(always)]
    pub(crate) fn read(line: &'a [u8]) -> Self {
        // Two tabs are before times, one before all else.
        let words = match line {
            [b'\t', b'\t', words @ ..] => words,
            [b'\t', words @ ..] => words,
            words => words,
        };
        let words = if let [b' ' | b'\t'..=b'\r', ..] = words { trim_space(words) } else { words };
        match words.first() {
            Some(b'U') if let Some((times, label)) = usage(words) => Self::Usage(times, label),
            Some(b'0'..=b'9' | b'+' | b'-') if let Some((kind, count)) = bytes(words) => {
                Self::Bytes(kind, count)
            }
            Some(b'(') if let Some(end) = end(line) => Self::End(end),
            Some(b'P' | b'R') if let Some(table) = Table::header(line) => Self::Table(table),
            Some(b'J') if let Some(toe) = toe_line(line) => Self::Toe(toe),
            _ => Self::Other,
        }
    }
}
