//! A mapping of the sweep file, whose keys are taken one by one; what is left over is unknown.

use holdadvise::text::strip_control;

use super::node::{Content, Entry, Node};
use super::problems::{Position, Problems};

/// Edits by which an unknown key may differ from a known one that is offered in its place.
const NEAR: usize = 3;

/// A mapping.
pub(super) struct Section<'a> {
    /// Where in the file, with dots: `training.parameters`; empty for the file itself.
    pub(super) name: String,
    /// Where its value begins.
    pub(super) at: Position,
    entries: &'a [Entry],
    /// The keys that were asked for.
    known: Vec<&'static str>,
}

impl<'a> Section<'a> {
    /// The mapping that a value is; an error where it is something else.
    pub(super) fn of(name: &str, node: &'a Node, problems: &mut Problems) -> Option<Self> {
        match &node.content {
            Content::Mapping(entries) => {
                Some(Self { name: name.to_owned(), at: node.at, entries, known: Vec::new() })
            }
            _ => {
                let whose = if name.is_empty() { "the file" } else { name };
                let found = describe(node);
                problems.error(node.at, format!("{whose}: expected keys and values, not {found}"));
                None
            }
        }
    }

    /// The value of a key, unless there is none or it is null.
    pub(super) fn take(&mut self, key: &'static str) -> Option<&'a Node> {
        self.known.push(key);
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        Some(&entry.value).filter(|value| !value.is_null())
    }

    /// The mapping under a key.
    pub(super) fn section(
        &mut self,
        key: &'static str,
        problems: &mut Problems,
    ) -> Option<Section<'a>> {
        let name = self.path(key);
        self.take(key).and_then(|node| Section::of(&name, node, problems))
    }

    /// The name of a key with all those it lies in.
    pub(super) fn path(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }

    /// Tells of the keys that nobody asked for.
    pub(super) fn finish(self, problems: &mut Problems) {
        for entry in self.entries.iter().filter(|entry| !self.known.contains(&entry.key.as_str())) {
            unknown(&self.path(&entry.key), entry, &self.known, problems);
        }
    }
}

/// Tells of an unknown key, and of the nearest of those that are known.
pub(super) fn unknown(path: &str, entry: &Entry, known: &[&'static str], problems: &mut Problems) {
    let path = strip_control(path);
    let nearest = nearest(&entry.key, known.iter().copied());
    let hint = match nearest {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("expected {}", listed(known)),
    };
    problems.error(entry.at, format!("{path}: unknown key; {hint}"));
}

/// The name that a word was probably meant to be.
pub(super) fn nearest(
    word: &str,
    names: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    let word = word.to_ascii_lowercase().replace('-', "_");
    let distance = |name: &str| strsim::damerau_levenshtein(&word, name);
    names
        .map(|name| (distance(name), name))
        .min()
        .filter(|&(distance, name)| {
            distance <= NEAR.min(name.len().div_ceil(2)) && distance < name.len()
        })
        .map(|(_, name)| name)
}

/// Names, for a sentence.
pub(super) fn listed(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [one] => format!("`{one}`"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|name| format!("`{name}`")).collect();
            format!("{} or `{last}`", first.join(", "))
        }
    }
}

/// What a value is, for a sentence.
pub(super) fn describe(node: &Node) -> String {
    match &node.content {
        Content::List(_) => "a list".to_owned(),
        Content::Mapping(_) => "keys and values".to_owned(),
        Content::Scalar { .. } if node.is_null() => "nothing".to_owned(),
        Content::Scalar { text, plain } => {
            let text = strip_control(text);
            let text = holdadvise::text::shorten(&text, 60);
            if *plain { format!("`{text}`") } else { format!("`\"{text}\"`") }
        }
    }
}
