//! `-catalogue`: what the catalogue of texts has, and which entry a text hits.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::RunError;
use super::output::say;
use crate::catalogue::{Catalogue, Ends, Entry, HoldText, check, current, parse};
use crate::inquiry::{Config, read_catalogue};
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
            match current().entries().iter().find(named) {
                Some(entry) if entry.of_site => whole(entry, out),
                // With its examples.
                Some(_) => Catalogue::shipped()
                    .entries()
                    .iter()
                    .find(named)
                    .map_or(Ok(()), |one| whole(one, out)),
                None => hit(text, out),
            }
        }
        About::File(path) => check_file(path, out),
    }
}

/// All of an entry.
fn whole(entry: &Entry, out: &mut dyn Write) -> Result<(), RunError> {
    let (file, line) = &entry.place;
    let of = if entry.of_site { "" } else { "shipped, " };
    writeln!(out, "{} ({of}{file}, line {line})", entry.name)?;
    for wording in &entry.text {
        writeln!(out, "  text:    {}", wording.source())?;
    }
    let faults: Vec<String> =
        entry.fault.iter().map(|(fault, weight)| format!("{fault} {weight}")).collect();
    writeln!(out, "  means:   {}", entry.means.source())?;
    writeln!(out, "  fault:   {}", faults.join(", "))?;
    writeln!(out, "  ends by: {}", entry.ends)?;
    if let Some(remedy) = &entry.remedy {
        writeln!(out, "  remedy:  {}", remedy.source())?;
    }
    writeln!(out, "  source:  {}", entry.source)?;
    for example in &entry.examples {
        writeln!(out, "  example: {}", printable(example))?;
    }
    Ok(())
}

/// Which entry a text hits, and why.
fn hit(text: &str, out: &mut dyn Write) -> Result<(), RunError> {
    let hold = HoldText { reason: text, ..HoldText::default() };
    let Some(reading) = current().read(&hold) else {
        let text = Foreign::from(text).quoted(TEXT);
        return Err(RunError::failed(format!("no entry of the catalogue fits {text}")));
    };
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
    Ok(())
}

/// A file of entries against its own examples, among those that are shipped.
fn check_file(path: &Path, out: &mut dyn Write) -> Result<(), RunError> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| RunError::failed(format!("cannot read {name}: {error}")))?;
    let (entries, mut problems) = parse(&name, &text);
    let names: Vec<String> = entries.iter().map(|entry| entry.name.clone()).collect();
    let entries = entries.into_iter().map(|entry| Entry { of_site: true, ..entry }).collect();
    let of_file = check(&Catalogue::with(entries));
    problems.extend(of_file.into_iter().filter(|problem| names.contains(&problem.entry)));
    for problem in &problems {
        writeln!(out, "{problem}")?;
    }
    match problems.len() {
        0 => Ok(writeln!(
            out,
            "{name}: {} in order",
            plural(names.len(), "entry").replace("entrys", "entries")
        )?),
        many => Err(RunError::failed(format!("{name}: {}", plural(many, "problem")))),
    }
}
