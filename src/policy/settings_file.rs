//! Submit descriptions and configuration files: what they set, and where in the file it stands.
//!
//! What both have in common is read: `name = value` lines, lines that go on behind a backslash,
//! comments, `name @=tag` up to `@tag`, and macros `$(name)` and `$(name:default)` that the same
//! file sets. `if`, `include` and their like are not followed: what stands in either branch is
//! seen.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Macros inside macros.
const MAX_DEPTH: usize = 16;

/// Bytes of a macro with its default; a longer one stays as it is written.
const MAX_MACRO: usize = 4096;

/// Bytes of the longest name between `$` and `(`, such as `RANDOM_CHOICE`.
const MAX_FUNCTION: usize = 32;

/// Macros resolved for one macro of a value.
const MAX_EXPANSIONS: usize = 1000;

/// Bytes of a value with its macros expanded; what is longer stays as it is written.
const MAX_VALUE: usize = 64 * 1024;

/// Bytes that macros add to all values of a file; macros behind that stay as they are written.
const MAX_ADDED: usize = 16 * 1024 * 1024;

/// Macros resolved for all values of a file.
const MAX_WORK: usize = 1_000_000;

/// Bytes of a file whose lines are counted at once.
const BLOCK: usize = 4096;

/// A file of settings.
#[derive(Clone, Debug, Default)]
pub struct SettingsFile {
    text: String,
    /// Lines that end before each block.
    ended: Vec<usize>,
    assignments: Vec<Assignment>,
}

/// One setting.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The name as it is written: `periodic_release`, `+Flag`, `SYSTEM_PERIODIC_RELEASE`.
    pub name: String,
    /// The value, macros of the same file expanded.
    pub value: Mapped,
}

impl Assignment {
    /// `Flag` of `+Flag` or `MY.Flag`, an attribute of the submission's own; `None` of others.
    pub fn own_attribute(&self) -> Option<&str> {
        let name = self.name.as_str();
        let my = name.get(..3).filter(|start| start.eq_ignore_ascii_case("MY."));
        name.strip_prefix('+').or_else(|| my.and_then(|_| name.get(3..)))
    }

    /// The name of a command, attribute or knob.
    pub fn setting(&self) -> &str {
        self.own_attribute().unwrap_or(&self.name)
    }
}

/// A text that knows where in the file each part of it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapped {
    /// The text.
    pub text: String,
    pieces: Vec<Piece>,
}

/// A part of a text, from here to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    /// Where it begins in the text.
    at: usize,
    /// Where it stands in the file.
    origin: Range<usize>,
    /// It is the value of the macro that stands there.
    is_macro: bool,
}

impl Mapped {
    fn push(&mut self, text: &str, origin: Range<usize>, is_macro: bool) {
        if !text.is_empty() {
            self.pieces.push(Piece { at: self.text.len(), origin, is_macro });
            self.text.push_str(text);
        }
    }

    /// Appends a part of another text, with its places.
    fn append(&mut self, of: &Self, span: Range<usize>) {
        let first = of.pieces.partition_point(|piece| piece.at <= span.start).saturating_sub(1);
        for (index, piece) in of.pieces.iter().enumerate().skip(first) {
            if piece.at >= span.end {
                break;
            }
            let next = of.pieces.get(index + 1).map_or(of.text.len(), |next| next.at);
            let (from, to) = (piece.at.max(span.start), next.min(span.end));
            if from < to {
                let origin = if piece.is_macro {
                    piece.origin.clone()
                } else {
                    piece.origin.start + from - piece.at..piece.origin.start + to - piece.at
                };
                self.push(&of.text[from..to], origin, piece.is_macro);
            }
        }
    }

    /// Bytes of the file that these bytes of the text come from.
    pub fn origin(&self, span: &Range<usize>) -> Range<usize> {
        let piece = |at: usize| {
            let behind = self.pieces.partition_point(|piece| piece.at <= at);
            self.pieces.get(behind.checked_sub(1)?)
        };
        let Some(first) = piece(span.start) else { return 0..0 };
        let last = piece(span.end.saturating_sub(1).max(span.start)).unwrap_or(first);
        let start = if first.is_macro {
            first.origin.start
        } else {
            (first.origin.start + span.start - first.at).min(first.origin.end)
        };
        let end = if last.is_macro {
            last.origin.end
        } else {
            (last.origin.start + span.end.saturating_sub(last.at)).min(last.origin.end)
        };
        start..end.max(start)
    }
}

impl SettingsFile {
    /// Reads the text of a file; lines that set nothing are passed over.
    pub fn read(text: &str) -> Self {
        let raw = assignments(text);
        // The last one holds, wherever it stands.
        let values: HashMap<String, &Mapped> =
            raw.iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
        let mut left = Left { bytes: MAX_ADDED, macros: MAX_WORK };
        let assignments = raw
            .iter()
            .map(|(name, value)| Assignment {
                name: name.clone(),
                value: expanded(value, &values, &mut left),
            })
            .collect();
        let blocks = text.as_bytes().chunks(BLOCK).scan(0, |ended, block| {
            let before = *ended;
            *ended += lines_ended(block);
            Some(before)
        });
        Self { text: text.to_owned(), ended: blocks.collect(), assignments }
    }

    /// All settings, in the order of the file.
    pub fn assignments(&self) -> &[Assignment] {
        &self.assignments
    }

    /// The last value of a setting, without regard to case.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found =
            self.assignments.iter().rev().find(|setting| setting.name.eq_ignore_ascii_case(name));
        found.map(|setting| setting.value.text.as_str())
    }

    /// The names in `$(name)`, `$INT(name)` and their like anywhere in the file, in small letters.
    pub fn macros(&self) -> HashSet<String> {
        let is_name = |c: char| c.is_alphanumeric() || "_.".contains(c);
        let mut names = HashSet::new();
        for (at, _) in self.text.match_indices('(') {
            let before =
                self.text[..at].trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '_');
            if before.ends_with('$') && at - before.len() <= MAX_FUNCTION {
                let rest = &self.text[at + 1..];
                let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
                names.insert(rest[..length].to_ascii_lowercase());
            }
        }
        names
    }

    /// Whether it configures HTCondor, rather than describing a submission.
    pub fn is_configuration(&self) -> bool {
        self.assignments.iter().any(|setting| {
            let name = setting.name.to_ascii_uppercase();
            name.starts_with("SYSTEM_PERIODIC_") || name.starts_with("DAEMON_LIST")
        })
    }

    /// Number, from 1, and text of the line with this byte, and where in the file the line begins.
    pub fn line(&self, byte: usize) -> (usize, &str, usize) {
        let byte = self.text.floor_char_boundary(byte);
        let start = self.text[..byte].rfind('\n').map_or(0, |at| at + 1);
        let end = self.text[start..].find('\n').map_or(self.text.len(), |length| start + length);
        let block = start / BLOCK;
        let before = self.ended.get(block).copied().unwrap_or_default();
        let number = before + lines_ended(&self.text.as_bytes()[block * BLOCK..start]) + 1;
        (number, self.text[start..end].trim_end_matches('\r'), start)
    }
}

fn lines_ended(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// Lines of a file with their places.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches(['\n', '\r']))
    })
}

fn assignments(text: &str) -> Vec<(String, Mapped)> {
    let mut out = Vec::new();
    let mut lines = lines(text).peekable();
    while let Some((start, line)) = lines.next() {
        let content = line.trim_start();
        let indent = line.len() - content.len();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let length = content
            .find(|c: char| !(c.is_alphanumeric() || "_.+-".contains(c)))
            .unwrap_or(content.len());
        let name = content[..length].to_owned();
        let behind = content[length..].trim_start();
        let value_at = start + indent + content.len() - behind.len();
        let mut value = Mapped::default();
        if let Some(tag) = behind.strip_prefix("@=") {
            let end = format!("@{}", tag.trim());
            for (at, line) in lines.by_ref() {
                if line.trim() == end {
                    break;
                }
                value.push(line, at..at + line.len(), false);
                value.push("\n", at + line.len()..at + line.len(), true);
            }
        } else if let Some(first) = behind.strip_prefix('=') {
            let (mut at, mut part) = (value_at + 1, first);
            loop {
                let goes_on = part.trim_end().strip_suffix('\\');
                let written = goes_on.unwrap_or(part);
                value.push(written, at..at + written.len(), false);
                if goes_on.is_none() {
                    break;
                }
                // Comments between the lines are passed over.
                while lines.next_if(|(_, line)| line.trim_start().starts_with('#')).is_some() {}
                let Some(next) = lines.next() else { break };
                (at, part) = next;
            }
        } else {
            continue;
        }
        if !name.is_empty() {
            out.push((name, trimmed(&value)));
        }
    }
    out
}

/// Without white space at the ends.
fn trimmed(value: &Mapped) -> Mapped {
    let start = value.text.len() - value.text.trim_start().len();
    let end = value.text.trim_end().len().max(start);
    let mut out = Mapped::default();
    out.append(value, start..end);
    out
}

/// `$(name)` or `$(name:default)` from here on: its place, name and default.
fn next_macro(text: &str, from: usize) -> Option<(Range<usize>, &str, Option<&str>)> {
    let mut at = from;
    loop {
        let start = at + text.get(at..)?.find("$(")?;
        // `$$(name)` is for the machine that runs the job.
        let is_late = text[..start].ends_with('$');
        let window = &text[start..text.ceil_char_boundary(start + MAX_MACRO)];
        let Some(length) = window.find(')') else {
            at = start + 2;
            continue;
        };
        let inside = &text[start + 2..start + length];
        let (name, default) = match inside.split_once(':') {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        let is_name =
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_.".contains(c));
        if is_name && !is_late {
            return Some((start..start + length + 1, name, default));
        }
        at = start + 2;
    }
}

/// What macros may still add to a file.
struct Left {
    bytes: usize,
    macros: usize,
}

/// The value with the macros that are known.
fn expanded(value: &Mapped, values: &HashMap<String, &Mapped>, left: &mut Left) -> Mapped {
    let mut out = Mapped::default();
    let mut from = 0;
    while let Some((span, name, default)) = next_macro(&value.text, from) {
        let most = MAX_EXPANSIONS.min(left.macros);
        let mut resolver = Resolver { values, open: vec![name.to_ascii_lowercase()], left: most };
        let replacement = (most > 0).then(|| resolver.resolved(name, default)).flatten();
        left.macros = left.macros.saturating_sub(most - resolver.left + 1);
        out.append(value, from..span.start);
        match replacement {
            Some(text) if out.text.len() + text.len() <= MAX_VALUE && text.len() <= left.bytes => {
                left.bytes -= text.len();
                out.push(&text, value.origin(&span), true);
            }
            _ => out.append(value, span.clone()),
        }
        from = span.end;
    }
    out.append(value, from..value.text.len());
    out
}

/// Finds what a macro stands for.
struct Resolver<'v> {
    values: &'v HashMap<String, &'v Mapped>,
    /// Macros being resolved.
    open: Vec<String>,
    /// Macros that may still be resolved.
    left: usize,
}

impl Resolver<'_> {
    /// The value; `None` where the file does not say, or it needs itself.
    fn resolved(&mut self, name: &str, default: Option<&str>) -> Option<String> {
        let text = match self.values.get(&name.to_ascii_lowercase()) {
            Some(value) => value.text.as_str(),
            None => default?,
        };
        let mut out = String::new();
        let mut from = 0;
        while let Some((span, name, default)) = next_macro(text, from) {
            out.push_str(&text[from..span.start]);
            self.left = self.left.checked_sub(1)?;
            let key = name.to_ascii_lowercase();
            if self.open.len() >= MAX_DEPTH || self.open.contains(&key) || out.len() > MAX_VALUE {
                return None;
            }
            self.open.push(key);
            let inside = self.resolved(name, default);
            self.open.pop();
            out.push_str(inside.as_deref().unwrap_or(&text[span.clone()]));
            from = span.end;
        }
        out.push_str(&text[from..]);
        (out.len() <= MAX_VALUE).then_some(out)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_know_their_places() {
        let text = "# job\nlimit = 4\nperiodic_release = (NumHolds < $(limit)) && \\\n  # why\n  (HoldReasonCode == 13)\n+Flag=true\nqueue 3\n";
        let file = SettingsFile::read(text);
        let names: Vec<&str> =
            file.assignments().iter().map(|setting| setting.name.as_str()).collect();
        assert_eq!(names, ["limit", "periodic_release", "+Flag"]);
        let value = &file.assignments()[1].value;
        assert_eq!(value.text, "(NumHolds < 4) &&   (HoldReasonCode == 13)");
        let place = |part: &str| {
            let at = value.text.find(part).unwrap();
            &text[value.origin(&(at..at + part.len()))]
        };
        assert_eq!(place("NumHolds"), "NumHolds");
        assert_eq!(place("4"), "$(limit)");
        assert_eq!(place("HoldReasonCode == 13"), "HoldReasonCode == 13");
        assert_eq!(place("< 4"), "< $(limit)");
        assert_eq!(file.line(value.origin(&(20..21)).start).0, 5);
        assert_eq!(file.get("FLAG"), None);
        assert_eq!(file.get("+flag"), Some("true"));
    }

    #[test]
    fn macros_end() {
        let file = SettingsFile::read(
            "a = $(b)\nb = $(a) x\nc = $(c) && $(none:5) + $(none) + $$(Cpus)\n",
        );
        assert_eq!(file.get("c"), Some("$(c) && 5 + $(none) + $$(Cpus)"));
        assert!(file.get("a").is_some_and(|text| text.contains("$(")));
        let many: String =
            (0..40).map(|level| format!("m{level} = $(m{0}) $(m{0})\n", level + 1)).collect();
        assert!(
            SettingsFile::read(&many)
                .assignments()
                .iter()
                .all(|setting| setting.value.text.len() <= MAX_VALUE)
        );
    }

    #[test]
    fn macros_add_a_bounded_text() {
        let long = "x".repeat(60_000);
        let text = format!("long = {long}\n{}", "a = 1 $(long)\n".repeat(1_000));
        let file = SettingsFile::read(&text);
        let length = |at: usize| file.assignments()[at].value.text.len();
        assert_eq!((length(1), length(1_000)), (60_002, "1 $(long)".len()));
        let added: usize = (1..=1_000).map(length).sum();
        assert!(added < MAX_ADDED + 10_000, "{added}");
        let text = format!("none =\n{}", "a = $(none)$(none)\n".repeat(MAX_WORK));
        let file = SettingsFile::read(&text);
        assert_eq!(file.assignments()[1].value.text, "");
        assert_eq!(file.get("a"), Some("$(none)$(none)"));
    }

    #[test]
    fn lines_are_counted() {
        let text = "é = 1\n\n".repeat(2_000) + "last";
        let file = SettingsFile::read(&text);
        for byte in [0, 5, 6, 7, 8, 4_095, 4_096, 4_097, 8_192, text.len() - 1, text.len()] {
            let (number, line, start) = file.line(byte);
            let at = text.floor_char_boundary(byte);
            assert_eq!(number, text[..at].matches('\n').count() + 1, "{byte}");
            assert!(text[start..].starts_with(line), "{byte}");
        }
        assert_eq!(SettingsFile::default().line(9), (1, "", 0));
    }

    #[test]
    fn configurations_are_told_from_submit_descriptions() {
        let file = SettingsFile::read(
            "SYSTEM_PERIODIC_RELEASE @=end\n NumHolds < 3 &&\n HoldReasonCode == 13\n@end\nX = 1\n",
        );
        assert!(file.is_configuration());
        assert_eq!(
            file.get("system_periodic_release"),
            Some("NumHolds < 3 &&\n HoldReasonCode == 13")
        );
        assert_eq!(file.get("x"), Some("1"));
        assert!(!SettingsFile::read("executable = x\nqueue").is_configuration());
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(\\PC|\n|\\$\\(a\\)|a = |@=e|@e|\\\\\n){0,60}") {
            let file = SettingsFile::read(&text);
            for setting in file.assignments() {
                let origin = setting.value.origin(&(0..setting.value.text.len()));
                prop_assert!(origin.end <= text.len() && origin.start <= origin.end);
                let _ = file.line(origin.start);
            }
        }
    }
}
