//! Files of entries.

use super::{Entry, template};

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

/// The text of a shipped file without its examples: most of it, which only a check reads.
pub(super) fn without_examples(text: &str) -> String {
    let mut is_example = false;
    let mut kept = String::with_capacity(text.len() / 2);
    for line in text.lines() {
        let begins = line.starts_with("examples = [") || line.starts_with("near = [");
        is_example |= begins;
        let ends = line == "]" || begins && line.ends_with(']');
        // The lines of what follows stay what they are.
        kept.push_str(if is_example { "" } else { line });
        kept.push('\n');
        is_example &= !ends;
    }
    kept
}

/// Entries of a file that are in order, and what is wrong with the others.
pub fn parse(file: &str, text: &str) -> (Vec<Entry>, Vec<Problem>) {
    let (mut entries, mut problems) = read(file, text);
    entries.retain(|entry| {
        let line = entry.place.1;
        let has_example = !entry.examples.is_empty();
        if !has_example {
            let (entry, what) = (entry.name.clone(), "it has no example".to_owned());
            problems.push(Problem { file: file.to_owned(), line, entry, what });
        }
        has_example
    });
    (entries, problems)
}

/// The same, where no entry needs an example.
pub(super) fn read(file: &str, text: &str) -> (Vec<Entry>, Vec<Problem>) {
    let (mut entries, mut problems): (Vec<Entry>, Vec<Problem>) = Default::default();
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
            _ if entries.iter().any(|known| known.name == name) => {
                Err((line, "there are two of this name".to_owned()))
            }
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
                let clauses = [Some(&entry.means), entry.remedy.as_ref()];
                let named = template::names()
                    .filter(|name| clauses.iter().flatten().any(|clause| clause.names(name)))
                    .collect();
                let place = (file.to_owned(), line);
                entries.push(Entry { name: name.to_owned(), named, place, ..entry });
            }
            Err((line, what)) => problems.push(problem(line, name, what)),
        }
    }
    (entries, problems)
}

/// The tables of a file: name, line of the name, and body, which begins with a line for it. What
/// stands before the first has no name.
fn tables(text: &str) -> impl Iterator<Item = (Option<&str>, usize, String)> {
    let mut all = vec![(None, 1, String::new())];
    for (number, line) in text.lines().enumerate() {
        let header = line.split('#').next().unwrap_or_default().trim_end();
        let header = header.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        // A line of an array begins with a quotation mark or a blank.
        match header.filter(|name| !name.contains(['"', '\'', '[', ',', ' '])) {
            Some(name) => all.push((Some(name), number + 1, "\n".to_owned())),
            None => {
                if let Some((.., body)) = all.last_mut() {
                    body.push_str(line);
                    body.push('\n');
                }
            }
        }
    }
    all.into_iter()
}
