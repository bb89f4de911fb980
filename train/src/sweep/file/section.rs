//! A mapping of the sweep file, whose keys are taken one by one; what is left over at its end is
//! unknown.

use std::fmt::Display;

use holdadvise::text::strip_control;

use super::node::{Content, Entry, Node};
use super::problems::Problems;

/// Edits by which an unknown key may differ from a known one that is offered in its place.
const NEAR: usize = 3;

/// A value, what it is called, and where to tell what is wrong with it.
#[derive(Clone)]
pub(super) struct Value<'a> {
    pub(super) node: &'a Node,
    /// Where in the file, with dots: `training.parameters`; empty for the file itself.
    pub(super) name: String,
    pub(super) problems: &'a Problems,
}

/// A mapping.
pub(super) struct Section<'a> {
    /// The value that it is.
    pub(super) value: Value<'a>,
    entries: &'a [Entry],
    /// The keys that were asked for.
    known: Vec<&'static str>,
}

impl<'a> Value<'a> {
    /// Tells what is wrong with it.
    pub(super) fn error(&self, text: impl Display) {
        self.problems.error(self.node.at, format!("{}: {text}", self.name));
    }

    /// The mapping that it is; an error where it is something else.
    pub(super) fn section(self) -> Option<Section<'a>> {
        if let Content::Mapping(entries) = &self.node.content {
            return Some(Section { value: self, entries, known: Vec::new() });
        }
        let whose = if self.name.is_empty() { "the file" } else { &self.name };
        let text = format!("{whose}: expected keys and values, not {}", describe(self.node));
        self.problems.error(self.node.at, text);
        None
    }

    /// What lies within it under a name.
    pub(super) fn within(&self, key: &str, node: &'a Node) -> Self {
        let name = match self.name.as_str() {
            "" => key.to_owned(),
            name => format!("{name}.{key}"),
        };
        Self { node, name, problems: self.problems }
    }
}

impl<'a> Section<'a> {
    /// The value of a key, unless there is none or it is null.
    pub(super) fn take(&mut self, key: &'static str) -> Option<Value<'a>> {
        self.known.push(key);
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        Some(self.value.within(key, &entry.value)).filter(|value| !value.node.is_null())
    }

    /// Reads the value of a key into its place, which keeps what it has where there is none.
    pub(super) fn set<T>(
        &mut self,
        key: &'static str,
        place: &mut T,
        read: impl FnOnce(&Value<'a>) -> Option<T>,
    ) {
        if let Some(read) = self.take(key).and_then(|value| read(&value)) {
            *place = read;
        }
    }

    /// The mapping under a key.
    pub(super) fn section(&mut self, key: &'static str) -> Option<Section<'a>> {
        self.take(key)?.section()
    }
}

impl Drop for Section<'_> {
    /// Tells of the keys that nobody took.
    fn drop(&mut self) {
        for entry in self.entries.iter().filter(|entry| !self.known.contains(&entry.key.as_str())) {
            unknown(&self.value.within(&entry.key, &entry.value), entry, &self.known);
        }
    }
}

/// What was read, if all of it could be. Each error is reported, not only the first.
pub(super) fn all<T>(read: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    read.collect::<Vec<_>>().into_iter().collect()
}

/// Tells of an unknown key, and of the nearest of those that are known.
pub(super) fn unknown(value: &Value<'_>, entry: &Entry, known: &[&'static str]) {
    let path = strip_control(&value.name);
    let nearest = nearest(&entry.key, known.iter().copied());
    let hint = match nearest {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("expected {}", listed(known)),
    };
    value.problems.error(entry.at, format!("{path}: unknown key; {hint}"));
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
