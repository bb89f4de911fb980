//! `-catalogue`: what the catalogue of texts has, and which entry a text hits.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::RunError;
use super::output::say;
use crate::catalogue::{Catalogue, Ends, Entry, HoldText, Problem, check, current, parse, sources};
use crate::inquiry::{Config, read_catalogue, read_entries as read};
use crate::text::{Foreign, plural, printable};

/// Characters of a text that are printed.
const TEXT: usize = 300;

/// What is asked of the catalogue.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum About {
    /// All entries.
    All,
    /// An entry by its name, else what a text hits.
    Text(String),
    /// A file with its own examples.
    File(PathBuf),
}

/// Prints it.
///
/// # Errors
/// [`RunError`] for a file that cannot be read or has a problem, and for a text that hits nothing.
pub(super) fn print(about: &About, config: &Config, out: &mut dyn Write) -> Result<(), RunError> {
    read_catalogue(config);
    config.faults().iter().for_each(|fault| say("Note", fault));
    match about {
        About::All => {
            for entry in current().entries() {
                let means = entry.means.source();
                writeln!(out, "{:<40} {:<15} {means}", entry.name, entry.ends.to_string())?;
            }
            Ok(())
        }
        About::Text(text) => {
            let named = |entry: &&Entry| entry.name == *text;
            match current().entries().find(named) {
                Some(entry) => whole(entry, out),
                None => hit(text, out),
            }
        }
        About::File(path) => check_file(path, out),
    }
}

/// An entry as it is written.
fn whole(entry: &Entry, out: &mut dyn Write) -> Result<(), RunError> {
    let (file, line) = &entry.place;
    let shipped = if entry.of_site { None } else { sources().remove(&entry.name) };
    let of = if entry.of_site { "" } else { "shipped, " };
    writeln!(out, "# {of}{file}, line {line}")?;
    for line in shipped.as_ref().unwrap_or(&entry.written).lines() {
        writeln!(out, "{}", printable(line))?;
    }
    Ok(())
}

/// Which entry a text hits, and why.
fn hit(text: &str, out: &mut dyn Write) -> Result<(), RunError> {
    let hold = HoldText { reason: text, ..HoldText::default() };
    let reading = current().read(&hold);
    let of_output = current().read_output(text);
    if let Some(reading) = &reading {
        let mut counts = current().counts(&hold).into_iter();
        let (_, letters) = counts.next().unwrap_or_default();
        writeln!(out, "{} (counts {letters})", reading.entry().name)?;
        writeln!(out, "  It means: {}.", reading.means())?;
        let ends = match reading.entry().ends {
            Ends::Change => "Nothing but a change ends it.",
            Ends::Person => "Somebody else has to end it.",
            Ends::Time => "It passes.",
            Ends::NextStart => "The next start ends it, anywhere.",
            Ends::Elsewhere => "A start on another machine ends it.",
        };
        writeln!(out, "  {ends}")?;
        if let Some(remedy) = reading.remedy() {
            writeln!(out, "  What helps: {remedy}.")?;
        }
        for (name, letters) in counts {
            writeln!(out, "  {name} fits too (counts {letters})")?;
        }
    }
    if let Some(reading) = &of_output {
        writeln!(out, "As a line of a program's output: {}", reading.entry().name)?;
        writeln!(out, "  It means: {}.", reading.means())?;
        for name in current().outputs(text).iter().skip(1) {
            writeln!(out, "  {name} fits too")?;
        }
    }
    match reading.is_none() && of_output.is_none() {
        true => {
            let text = Foreign::from(text).quoted(TEXT);
            Err(RunError::failed(format!("no entry of the catalogue fits {text}")))
        }
        false => Ok(()),
    }
}

/// A file of entries against its own examples, among those that are shipped and theirs.
fn check_file(path: &Path, out: &mut dyn Write) -> Result<(), RunError> {
    let name = path.display().to_string();
    let text = read(path, true)
        .map_err(|error| RunError::failed(format!("cannot read {name}: {error}")))?;
    let (entries, mut problems) = parse(&name, &text);
    let names: HashSet<String> = entries.iter().map(|entry| entry.name.clone()).collect();
    let of_site = entries.into_iter().map(|entry| Entry { of_site: true, ..entry });
    let mut shipped = sources();
    shipped.retain(|name, _| !names.contains(name));
    let written: String = shipped.into_values().map(|source| source + "\n").collect();
    let of_all = of_site.chain(parse("shipped", &written).0).collect();
    let (own, taken): (Vec<Problem>, Vec<Problem>) =
        check(&Catalogue::new(of_all)).into_iter().partition(|one| names.contains(&one.entry));
    problems.extend(own);
    for problem in &problems {
        writeln!(out, "{problem}")?;
    }
    for problem in &taken {
        say("Note", &format!("of the shipped entry {}, {}", problem.entry, problem.what));
    }
    match (problems.len(), names.len()) {
        (0, 0) => Err(RunError::failed(format!("{name}: it has no entry"))),
        (0, 1) => Ok(writeln!(out, "{name}: 1 entry in order")?),
        (0, many) => Ok(writeln!(out, "{name}: {many} entries in order")?),
        (many, _) => Err(RunError::failed(format!("{name}: {}", plural(many, "problem")))),
    }
}
