//! Events of a run.

use super::super::super::body::*;
use super::super::lines::{Cursor, Lines, after, codes, indented, text, trimmed, unless_blank};
use super::attributes::attributes;
use super::table::Table;
use super::toe_line;

pub(super) fn execute<'a>(title: &'a [u8], lines: &'a [u8]) -> Execute<'a> {
    let host = after(title, b"Job executing on host: ").unwrap_or_default();
    slot(host, lines)
}

pub(super) fn node_execute<'a>(title: &'a [u8], lines: &'a [u8]) -> NodeExecute<'a> {
    let host = memchr::memchr(b':', title).map_or(&b""[..], |at| &title[at + 1..]);
    NodeExecute { node: node(title), execute: slot(text(host.trim_ascii()), lines) }
}

/// The number in `Node 3 ...`.
pub(super) fn node(title: &[u8]) -> Option<i32> {
    let mut cursor = Cursor(title);
    cursor.token(b"Node")?;
    cursor.int()
}

fn slot<'a>(execute_host: Text<'a>, lines: &'a [u8]) -> Execute<'a> {
    let mut execute = Execute { execute_host, ..Execute::default() };
    execute.properties = attributes(lines, |line| {
        let Some(name) = line.strip_prefix(b"\tSlotName:") else { return false };
        let name = name.trim_ascii();
        let quoted = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\""));
        execute.slot_name = Some(text(quoted.unwrap_or(name)));
        true
    });
    execute
}

pub(super) fn executable_error(title: &[u8]) -> ExecutableError {
    let mut cursor = Cursor(title);
    ExecutableError { error_type: cursor.token(b"(").and_then(|()| cursor.int()) }
}

pub(super) fn suspended(mut lines: Lines<'_>) -> Suspended {
    let processes = lines.next().and_then(|line| {
        let mut cursor = Cursor(line);
        cursor.token(b"Number of processes actually suspended:")?;
        cursor.int()
    });
    Suspended { processes }
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
fn amount(line: &[u8]) -> Option<(i64, &[u8])> {
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
fn bytes(line: &[u8]) -> Option<(Bytes, u64)> {
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bytes {
    Sent,
    Received,
    TotalSent,
    TotalReceived,
}

/// How a job ended, of a line `(1) Normal termination ...` or the ones below it.
pub(super) enum End<'a> {
    Return(Option<i32>),
    Signal(Option<i32>),
    Core(Option<Text<'a>>),
}

/// Reads such a line as `TerminatedEvent::readEventBody` of HTCondor does: white space, or none,
/// may be before the bracket, within it and behind it, and any number but 0 says that what follows
/// is `Normal termination`.
#[inline]
pub(super) fn end(line: &[u8]) -> Option<End<'_>> {
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
fn trim_space(bytes: &[u8]) -> &[u8] {
    let blanks = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count();
    &bytes[blanks..]
}

/// Rows that room is made for at once: processors, disk, memory, and the times that HTCondor 23.5
/// and later write.
const USUAL_RESOURCES: usize = 5;

/// What a line of a run that has ended says.
enum RunLine<'a> {
    Usage(CpuUsage, &'a [u8]),
    Bytes(Bytes, u64),
    End(End<'a>),
    Table(Table),
    Toe(Toe<'a>),
    Other,
}

impl<'a> RunLine<'a> {
    #[inline(always)]
    fn read(line: &'a [u8]) -> Self {
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

pub(super) fn checkpointed(lines: Lines<'_>) -> Checkpointed {
    let mut checkpointed = Checkpointed::default();
    for line in lines {
        match RunLine::read(line) {
            RunLine::Usage(times, b"Run Remote Usage") => checkpointed.run_remote = times,
            RunLine::Usage(times, b"Run Local Usage") => checkpointed.run_local = times,
            RunLine::Bytes(Bytes::Sent, count) => checkpointed.bytes_sent = Some(count),
            _ => {}
        }
    }
    checkpointed
}

pub(super) fn evicted<'a>(title: &'a [u8], mut lines: Lines<'a>) -> Evicted<'a> {
    let mut evicted = Evicted::default();
    if let Some((code, subcode)) = title.strip_prefix(b"Job was evicted.").and_then(codes) {
        evicted.code = Some(code);
        evicted.subcode = Some(subcode);
    }
    let mut table: Option<Table> = None;
    if let Some(line) = lines.next() {
        let mut cursor = Cursor(line);
        cursor.0 = trim_space(cursor.0);
        evicted.checkpointed =
            cursor.token(b"(").and_then(|()| cursor.int()).is_some_and(|flag| flag != 0);
        let words = trim_space(cursor.0.strip_prefix(b")").unwrap_or_default());
        evicted.terminated_and_requeued = words.starts_with(b"Job terminated and was requeued");
        evicted.says_not_checkpointed = words.starts_with(b"Job was not checkpointed");
    }
    for line in lines {
        if let Some(table) = &table {
            if let Some(row) = table.row(line) {
                evicted.resources.push(row);
            }
            continue;
        }
        match RunLine::read(line) {
            RunLine::Usage(times, b"Run Remote Usage") => evicted.run_remote = times,
            RunLine::Usage(times, b"Run Local Usage") => evicted.run_local = times,
            RunLine::Bytes(Bytes::Sent, count) => evicted.bytes_sent = Some(count),
            RunLine::Bytes(Bytes::Received, count) => evicted.bytes_received = Some(count),
            RunLine::End(end) if evicted.terminated_and_requeued => match end {
                End::Return(value) => evicted.return_value = value,
                End::Signal(value) => evicted.signal = value,
                End::Core(file) => evicted.core_file = file,
            },
            RunLine::Table(found) => {
                evicted.resources.reserve(USUAL_RESOURCES);
                evicted.plain_table = found.plain;
                table = Some(found);
            }
            RunLine::Usage(..) | RunLine::Bytes(..) => {}
            _ if evicted.reason.is_none() => {
                let labelled = line.strip_prefix(b"\tReason: ");
                evicted.plain_reason = labelled.is_none() && !evicted.terminated_and_requeued;
                evicted.reason = labelled.map(text).or_else(|| indented(line));
            }
            _ => {}
        }
    }
    evicted
}

pub(super) fn terminated(lines: Lines<'_>) -> Terminated<'_> {
    let mut terminated = Terminated::default();
    let mut table: Option<Table> = None;
    for line in lines {
        if let Some(open) = &table {
            if let Some(row) = open.row(line) {
                terminated.resources.push(row);
                continue;
            }
            table = None;
        }
        match RunLine::read(line) {
            RunLine::Usage(times, label) => match label {
                b"Run Remote Usage" => terminated.run_remote = times,
                b"Run Local Usage" => terminated.run_local = times,
                b"Total Remote Usage" => terminated.total_remote = times,
                b"Total Local Usage" => terminated.total_local = times,
                _ => {}
            },
            RunLine::Bytes(kind, count) => {
                let field = match kind {
                    Bytes::Sent => &mut terminated.bytes_sent,
                    Bytes::Received => &mut terminated.bytes_received,
                    Bytes::TotalSent => &mut terminated.total_bytes_sent,
                    Bytes::TotalReceived => &mut terminated.total_bytes_received,
                };
                *field = Some(count);
            }
            RunLine::End(End::Return(value)) => terminated.return_value = value,
            RunLine::End(End::Signal(value)) => terminated.signal = value,
            RunLine::End(End::Core(file)) => terminated.core_file = file,
            RunLine::Table(found) => {
                terminated.resources.reserve(USUAL_RESOURCES);
                terminated.plain_table = found.plain;
                table = Some(found);
            }
            RunLine::Toe(toe) => terminated.toe = Some(toe),
            RunLine::Other => {}
        }
    }
    terminated
}

pub(super) fn image_size(title: &[u8], lines: Lines<'_>) -> ImageSize {
    let mut size = ImageSize {
        image_size_kb: title
            .strip_prefix(b"Image size of job updated:")
            .and_then(|rest| Cursor(rest).signed()),
        ..ImageSize::default()
    };
    for line in lines {
        let Some((value, label)) = amount(line) else { break };
        if label.starts_with(b"MemoryUsage") {
            size.memory_usage_mb = Some(value);
        } else if label.starts_with(b"ResidentSetSize") {
            size.resident_set_size_kb = Some(value);
        } else if label.starts_with(b"ProportionalSetSize") {
            size.proportional_set_size_kb = Some(value);
        } else {
            break;
        }
    }
    size
}

pub(super) fn shadow_exception(mut lines: Lines<'_>) -> ShadowException<'_> {
    let message = lines.next().and_then(indented).unwrap_or_default();
    let mut exception = ShadowException { message, ..ShadowException::default() };
    for line in lines {
        match bytes(line) {
            Some((Bytes::Sent, count)) => exception.bytes_sent = Some(count),
            Some((Bytes::Received, count)) => exception.bytes_received = Some(count),
            _ => {}
        }
    }
    exception
}

pub(super) fn remote_error<'a>(title: &'a [u8], lines: Lines<'a>) -> RemoteError<'a> {
    let mut error = RemoteError::default();
    let title = title.trim_ascii();
    let (severity, mut rest) = match memchr::memmem::find(title, b" from ") {
        Some(at) => (title[..at].trim_ascii(), title[at + 6..].trim_ascii()),
        None => (&b"Error"[..], title),
    };
    error.critical = !matches!(severity, b"Warning" | b"Message");
    error.says_warning = severity == b"Warning";
    if let Some(at) = memchr::memmem::find(rest, b" on ").filter(|at| *at > 0) {
        error.daemon = text(rest[..at].trim_ascii());
        rest = rest[at + 4..].trim_ascii();
    }
    error.execute_host = text(rest.strip_suffix(b":").unwrap_or(rest));
    let (mut is_first, mut ends_empty) = (true, false);
    for line in lines {
        let line = line.strip_prefix(b"\t").unwrap_or(line);
        if let Some((code, subcode)) = codes(line).filter(|_| line.starts_with(b"C")) {
            error.code = Some(code);
            error.subcode = Some(subcode);
            break;
        }
        ends_empty = line.is_empty();
        let line = text(line);
        if std::mem::take(&mut is_first) {
            error.message = line;
        } else {
            let message = error.message.to_mut();
            message.push('\n');
            message.push_str(&line);
        }
    }
    // An empty line at the end is one of two newlines.
    if ends_empty {
        error.message.to_mut().push('\n');
    }
    error
}

pub(super) fn disconnected(lines: Lines<'_>) -> Disconnected<'_> {
    let mut disconnected = Disconnected::default();
    for line in lines {
        if let Some(rest) = line.strip_prefix(b"    Trying to reconnect to ") {
            disconnected.name_and_address(rest);
        } else if let Some(rest) = line.strip_prefix(b"    Can not reconnect to ") {
            disconnected.name_and_address(rest);
            disconnected.no_reconnect_reason = Some(Text::default());
        } else if disconnected.no_reconnect_reason.as_deref() == Some("") {
            disconnected.no_reconnect_reason =
                Some(text(line.strip_prefix(b"    ").unwrap_or(line)));
        } else if disconnected.reason.is_empty() {
            disconnected.reason = text(line.strip_prefix(b"    ").unwrap_or(line));
        }
    }
    disconnected
}

impl<'a> Disconnected<'a> {
    fn name_and_address(&mut self, text: &'a [u8]) {
        let end = memchr::memchr(b' ', text).unwrap_or(text.len());
        self.startd_name = trimmed(&text[..end]);
        self.startd_address = text.get(end + 1..).and_then(unless_blank);
    }
}

pub(super) fn reconnected<'a>(title: &'a [u8], lines: Lines<'a>) -> Reconnected<'a> {
    let startd_name = after(title, b"Job reconnected to ").unwrap_or_default();
    let mut reconnected = Reconnected { startd_name, ..Reconnected::default() };
    for line in lines {
        if let Some(address) = line.strip_prefix(b"    startd address: ") {
            reconnected.startd_address = unless_blank(address);
        } else if let Some(address) = line.strip_prefix(b"    starter address: ") {
            reconnected.starter_address = unless_blank(address);
        }
    }
    reconnected
}

pub(super) fn reconnect_failed(lines: Lines<'_>) -> ReconnectFailed<'_> {
    let mut failed = ReconnectFailed::default();
    for line in lines {
        if let Some(rest) = line.strip_prefix(b"    Can not reconnect to ") {
            let end = memchr::memchr(b',', rest).unwrap_or(rest.len());
            failed.startd_name = unless_blank(&rest[..end]);
        } else if failed.reason.is_empty() {
            failed.reason = text(line.strip_prefix(b"    ").unwrap_or(line));
        }
    }
    failed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_before_the_ending_is_any() {
        for before in ["\t", "    ", "", " \t ", "\x0b", "\x0c\t"] {
            let log = format!("{before}(1) Normal termination (return value 3)\n");
            let ended = terminated(Lines::new(log.as_bytes()));
            assert_eq!((ended.return_value, ended.signal), (Some(3), None), "{log:?}");
            let log = format!(
                "{before}( 0)\tAbnormal  termination(signal 9)\n{before}(1) Corefile in: /c\n"
            );
            let ended = terminated(Lines::new(log.as_bytes()));
            assert_eq!((ended.return_value, ended.signal), (None, Some(9)), "{log:?}");
            assert_eq!(ended.core_file.as_deref(), Some("/c"), "{log:?}");
            let log = format!(
                "{before}(0)  Job terminated and was requeued\n{before}(1) Normal termination (return value 7)\n"
            );
            let evicted = evicted(b"Job was evicted.", Lines::new(log.as_bytes()));
            assert!(evicted.terminated_and_requeued, "{log:?}");
            assert_eq!(evicted.return_value, Some(7), "{log:?}");
        }
    }
}
