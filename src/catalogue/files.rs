//! Files of entries.

use std::collections::{BTreeMap, HashSet};

use super::{Entry, built};

/// What is wrong with an entry, or with what stands in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The name of the entry.
    pub entry: String,
    /// What is wrong, and what is expected.
    pub what: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { file, line, entry, what } = self;
        match entry.is_empty() {
            true => write!(f, "{file}, line {line}: {what}"),
            false => write!(f, "{file}, line {line}: entry {entry}: {what}"),
        }
    }
}

/// An entry that is shipped.
pub(super) fn shipped(number: usize) -> Entry {
    /// File, line, name, entry.
    type Row = (Box<str>, usize, String, Entry);
    let (file, line, name, entry): Row = serde_json::from_str(row(number))
        .unwrap_or_else(|error| unreachable!("the catalogue as it is built: {error}"));
    Entry { name, place: (file, line), ..entry }
}

/// The name of an entry that is shipped.
pub(super) fn name(number: usize) -> &'static str {
    row(number).split('"').nth(3).unwrap_or_default()
}

fn row(number: usize) -> &'static str {
    let text = include_str!(concat!(env!("OUT_DIR"), "/entries.json"));
    &text[built::BEGINS[number]..built::BEGINS[number + 1]]
}

/// The entries that are shipped as they are written, by name.
pub fn sources() -> BTreeMap<String, String> {
    let text = include_str!(concat!(env!("OUT_DIR"), "/sources.json"));
    serde_json::from_str(text)
        .unwrap_or_else(|error| unreachable!("the entries as they are written: {error}"))
}

/// Entries of a file that are in order, and what is wrong with the others.
pub fn parse(file: &str, text: &str) -> (Vec<Entry>, Vec<Problem>) {
    let (mut entries, mut problems): (Vec<Entry>, Vec<Problem>) = Default::default();
    let mut names = HashSet::new();
    let problem = |line, entry: &str, what: String| Problem {
        file: file.to_owned(),
        line,
        entry: entry.to_owned(),
        what,
    };
    for (name, line, body) in tables(text) {
        let Some(name) = name else {
            let is_text = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with('#');
            if body.lines().any(|line| is_text(&line)) {
                problems.push(problem(line, "", "an entry begins with [its-name]".to_owned()));
            }
            continue;
        };
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let made = match toml::from_str::<Entry>(&body) {
            _ if name.is_empty() || !name.chars().all(is_name) => {
                Err((line, "a name has lower-case letters, digits and hyphens".to_owned()))
            }
            _ if !names.insert(name) => Err((line, "there are two of this name".to_owned())),
            Ok(entry) => match entry.fault_of_form() {
                Some(what) => Err((line, what.to_owned())),
                None => Ok(entry),
            },
            Err(error) => {
                let before = error.span().map_or(0, |span| {
                    body.get(..span.start).unwrap_or_default().matches('\n').count()
                });
                Err((line + before, error.message().to_owned()))
            }
        };
        match made {
            Ok(entry) => {
                let lines = text.lines().skip(line - 1).take(body.lines().count());
                let mut lines: Vec<&str> = lines.collect();
                let is_between = |line: &&str| line.trim().is_empty() || line.starts_with('#');
                lines.truncate(
                    lines.len() - lines.iter().rev().take_while(|line| is_between(line)).count(),
                );
                let written = lines.join("\n");
                let place = (file.into(), line);
                entries.push(Entry { name: name.to_owned(), place, written, ..entry });
            }
            Err((line, what)) => problems.push(problem(line, name, what)),
        }
    }
    (entries, problems)
}

/// The tables of a file: name, line of the name, and body, which begins with a line for it. What
/// stands before the first has no name. `[name.fault]` is a table of the entry before it.
fn tables(text: &str) -> impl Iterator<Item = (Option<&str>, usize, String)> {
    let mut all: Vec<(Option<&str>, usize, String)> = vec![(None, 1, String::new())];
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let header = line.split('#').next().unwrap_or_default().trim_end();
        let header = header.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let (header, finer) = match header.and_then(|name| name.split_once('.')) {
            Some((name, finer)) => (Some(name), Some(finer.trim())),
            None => (header, None),
        };
        let header = header.map(|name| name.trim().trim_matches('"'));
        // A line of an array begins with a blank, or has more than one word.
        let name = header.filter(|name| !name.contains(['"', '\'', '[', ',', ' ']));
        let Some((last, _, body)) = all.last_mut() else { continue };
        let of_last = finer.filter(|_| name.is_some() && name == *last);
        match (name, of_last) {
            (Some(name), None) => all.push((Some(name), number + 1, "\n".to_owned())),
            (_, Some(of_last)) => body.push_str(&format!("[{of_last}]\n")),
            (None, None) => {
                body.push_str(line);
                body.push('\n');
            }
        }
    }
    all.into_iter()
}
