//! Lines that several kinds of event have.

use super::super::body::Text;
use super::lines::{Cursor, Lines, after, indented, text, trimmed, unless_blank};

/// The first line, a reason.
pub(crate) fn reason(lines: &[u8]) -> Option<Text<'_>> {
    indented(Lines::new(lines).next()?)
}

/// The line of the ticket of execution, which stands behind an empty line.
pub(crate) fn toe(lines: Lines<'_>) -> Option<Text<'_>> {
    lines.skip_while(|line| !line.is_empty()).find_map(toe_line)
}

/// A line of the ticket of execution.
pub(crate) fn toe_line(line: &[u8]) -> Option<Text<'_>> {
    let line = line.strip_prefix(b"\t")?;
    line.starts_with(b"Job terminated ").then(|| text(line))
}

/// The lines below a submission.
#[derive(Default)]
pub(crate) struct Notes<'a> {
    pub(crate) log: Option<Text<'a>>,
    pub(crate) user: Option<Text<'a>>,
    pub(crate) warnings: Option<Text<'a>>,
    pub(crate) dag_node: Option<Text<'a>>,
}

/// The lines below a submission.
pub(crate) fn notes(lines: Lines<'_>) -> Notes<'_> {
    let mut notes = Notes::default();
    let mut structured = false;
    for (index, line) in lines.enumerate() {
        let written = line.strip_prefix(b"    ").unwrap_or(line.trim_ascii_start());
        let line = line.trim_ascii();
        if let Some(node) = line.strip_prefix(b"DAG Node: ") {
            notes.log = Some(text(written));
            notes.dag_node = trimmed(node);
            structured = true;
        } else if line.starts_with(b"[") && !structured {
            notes.log = Some(text(written));
            notes.dag_node = structured_node(line);
            structured = true;
        } else if line.starts_with(b"WARNING: ") {
            notes.warnings = Some(text(written));
        } else if index == 0 {
            notes.log = unless_blank(written);
        } else if index == 1 {
            notes.user = unless_blank(written);
        }
    }
    notes
}

/// `DAGNodeName` of `[ DAGNodeName = "..."; ... ]`.
fn structured_node(notes: &[u8]) -> Option<Text<'_>> {
    let at = memchr::memmem::find(notes, b"DAGNodeName = \"")?;
    let value = &notes[at + 15..];
    let mut end = 0;
    // DAGMan allows neither quotes nor backslashes in names of nodes; a backslash hides a quote all
    // the same.
    loop {
        match value.get(end)? {
            b'\\' => end += 2,
            b'"' => return trimmed(&value[..end]),
            _ => end += 1,
        }
    }
}

/// What follows `label` on the line that begins with it.
pub(crate) fn labelled<'a>(
    mut lines: impl Iterator<Item = &'a [u8]>,
    label: &[u8],
) -> Option<Text<'a>> {
    lines.find_map(|line| after(line.trim_ascii_start(), label))
}

/// The number that follows `label`.
pub(crate) fn labelled_number<'a>(
    mut lines: impl Iterator<Item = &'a [u8]>,
    label: &[u8],
) -> Option<i64> {
    let rest = lines.find_map(|line| line.trim_ascii_start().strip_prefix(label))?;
    Cursor(rest).signed()
}
