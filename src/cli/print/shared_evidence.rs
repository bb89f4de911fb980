//! What was seen of all jobs of a group, and where they ran.
//!
//! Sentences of the same kind are put on top of each other word by word: figures become ranges, of
//! paths and quoted texts `[...]` stands for what differs. Where anything else differs, the evidence
//! is not that of all.

use std::collections::BTreeMap;
use std::mem::{Discriminant, discriminant};

use super::shared_words::{DIFFERS, shared_letters};
use crate::advice::Evidence;
use crate::cli::sentences;
use crate::text::{Foreign, plural};
use eventlog::JobId;

/// Evidence that the jobs added so far have in common, in the order of the first one.
#[derive(Clone, Debug)]
pub(super) struct SharedEvidence(Vec<Seen>);

#[derive(Clone, Debug)]
struct Seen {
    /// That of the first job, and the how many-th of its kind it is.
    first: Evidence,
    nth: usize,
    /// `None` while all are the same.
    words: Option<Vec<Word>>,
}

/// The evidence of each kind, with the how many-th of its kind it is.
fn numbered(evidence: &[Evidence]) -> impl Iterator<Item = (&Evidence, usize)> {
    let mut counts: Vec<(Discriminant<Evidence>, usize)> = Vec::new();
    evidence.iter().map(move |seen| {
        let kind = discriminant(seen);
        let at = counts.iter().position(|(other, _)| *other == kind).unwrap_or(counts.len());
        if at == counts.len() {
            counts.push((kind, 0));
        }
        let nth = counts[at].1;
        counts[at].1 += 1;
        (seen, nth)
    })
}

impl SharedEvidence {
    /// That of the first job.
    pub(super) fn new(evidence: &[Evidence]) -> Self {
        let seen =
            |(first, nth): (&Evidence, usize)| Seen { first: first.clone(), nth, words: None };
        Self(numbered(evidence).map(seen).collect())
    }

    /// Leaves out what another job does not have.
    pub(super) fn add(&mut self, evidence: &[Evidence]) {
        let others: Vec<(&Evidence, usize)> = numbered(evidence).collect();
        self.0.retain_mut(|seen| {
            let kind = discriminant(&seen.first);
            let like = |(other, nth): &&(&Evidence, usize)| {
                discriminant(*other) == kind && *nth == seen.nth
            };
            others.iter().find(like).is_some_and(|(other, _)| seen.takes(other))
        });
    }

    /// Whether it has the evidence that says most.
    pub(super) fn has(&self, first: &Evidence) -> bool {
        self.0.first().is_some_and(|seen| seen.first == *first)
    }

    /// A sentence for each.
    pub(super) fn sentences(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|seen| match &seen.words {
            None => sentences::evidence(&seen.first),
            Some(words) => words.iter().map(Word::text).collect::<Vec<_>>().join(" "),
        })
    }
}

impl Seen {
    fn takes(&mut self, other: &Evidence) -> bool {
        if self.words.is_none() && self.first == *other {
            return true;
        }
        let mut words =
            self.words.take().unwrap_or_else(|| words(&sentences::evidence(&self.first)));
        let others = self::words(&sentences::evidence(other));
        let fits = words.len() == others.len()
            && words.iter_mut().zip(&others).all(|(word, other)| word.takes(other).is_some());
        let (mut quoted, mut differ) = (0, 0);
        for word in words.iter().filter(|word| word.is_quoted) {
            quoted += 1;
            differ += usize::from(word.least.1.contains(DIFFERS));
        }
        self.words = Some(words);
        // Of a quoted text most has to be the same.
        fits && differ * 2 <= quoted
    }
}

/// A word, or a figure with its unit; of several jobs the least and the most.
#[derive(Clone, Debug, PartialEq)]
struct Word {
    /// Value and text. Without a value both are the same.
    least: (Option<f64>, String),
    most: (Option<f64>, String),
    /// What stands before and behind it, such as a bracket and a full stop.
    around: (String, String),
    /// It stands in a text that others wrote.
    is_quoted: bool,
}

/// Units of time, in seconds.
const UNITS: [(&str, f64); 4] =
    [("second", 1.0), ("minute", 60.0), ("hour", 3_600.0), ("day", 86_400.0)];

fn words(text: &str) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::new();
    let mut is_quoted = false;
    for token in text.split_whitespace() {
        let core = token.trim_start_matches('(').trim_end_matches([',', '.', ';', ':', ')', '%']);
        let at = token.find(core).filter(|_| !core.is_empty()).unwrap_or(0);
        let core = if core.is_empty() { token } else { core };
        let behind = token[at + core.len()..].to_owned();
        let was_quoted = is_quoted;
        is_quoted ^= marks(token) % 2 == 1;
        let in_quotes = was_quoted || token.contains('"');
        let unit = UNITS.iter().find(|(unit, _)| core.strip_suffix('s').unwrap_or(core) == *unit);
        let span = out
            .last_mut()
            .filter(|last| !in_quotes && last.least.0.is_some() && last.around.1.is_empty());
        if let Some(((_, seconds), last)) = unit.zip(span) {
            let value = last.least.0.map(|value| value * seconds);
            last.least = (value, format!("{} {core}", last.least.1));
            last.most = last.least.clone();
            last.around.1 = behind;
            continue;
        }
        let is_number = !in_quotes && core.starts_with(|c: char| c.is_ascii_digit());
        let value = core.parse::<f64>().ok().filter(|value| is_number && value.is_finite());
        let one = (value, core.to_owned());
        let around = (token[..at].to_owned(), behind);
        out.push(Word { least: one.clone(), most: one, around, is_quoted: in_quotes });
    }
    out
}

/// Quotation marks of a word, without those of a text in them ([`Foreign::quoted`]).
fn marks(word: &str) -> usize {
    let mut is_escaped = false;
    let is_mark = |c: &char| {
        let is_mark = *c == '"' && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        is_mark
    };
    word.chars().filter(is_mark).count()
}

impl Word {
    /// Takes that of another job; `None` where the two say something else.
    fn takes(&mut self, other: &Self) -> Option<()> {
        // A figure with a unit is of another kind than one without.
        let has_unit = |word: &Self| word.least.0.is_some() && word.least.1.contains(' ');
        let kind = |word: &Self| (word.is_quoted, has_unit(word));
        if self.around != other.around || kind(self) != kind(other) {
            return None;
        }
        match (self.least.0, self.most.0, other.least.0) {
            (Some(least), Some(most), Some(value)) => {
                if value < least {
                    self.least = other.least.clone();
                }
                if value > most {
                    self.most = other.most.clone();
                }
            }
            (None, None, None) => {
                let word = self.shared(&other.least.1)?;
                self.least.1.clone_from(&word);
                self.most.1 = word;
            }
            _ => return None,
        }
        Some(())
    }

    /// What two words have in common.
    fn shared(&self, other: &str) -> Option<String> {
        let own = self.least.1.as_str();
        let is_plural = |one: &str, many: &str| {
            many.strip_suffix('s') == Some(one) || (one, many) == ("is", "are")
        };
        let is_path = own.contains('/') && other.contains('/');
        match () {
            () if own == other || is_plural(other, own) => Some(own.to_owned()),
            () if is_plural(own, other) => Some(other.to_owned()),
            () if self.is_quoted => Some(shared_letters(own, other)),
            () if is_path => {
                Some(shared_letters(own, other)).filter(|shared| !shared.starts_with(DIFFERS))
            }
            () => None,
        }
    }

    /// `12`, `2-5`, `3-9 minutes`, `50 seconds to 2 minutes`.
    fn text(&self) -> String {
        let (least, most) = (&self.least.1, &self.most.1);
        let unit = |text: &str| {
            let unit = text.split_once(' ').map_or("", |(_, unit)| unit);
            unit.strip_suffix('s').unwrap_or(unit).to_owned()
        };
        let core = match least == most {
            true => least.clone(),
            false if unit(least) == unit(most) => {
                let number = least.split_once(' ').map_or(least.as_str(), |(number, _)| number);
                format!("{number}-{most}")
            }
            false => format!("{least} to {most}"),
        };
        format!("{}{core}{}", self.around.0, self.around.1)
    }
}

/// Where the last runs of held jobs were.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    jobs: BTreeMap<Foreign, usize>,
    unknown: usize,
}

/// Places that are named.
const NAMED: usize = 3;

/// Characters of the name of a place.
const NAME: usize = 60;

impl Places {
    /// Adds a job.
    pub(super) fn add(&mut self, place: Option<&Foreign>) {
        match place {
            None => self.unknown += 1,
            Some(place) => match self.jobs.get_mut(place) {
                Some(jobs) => *jobs += 1,
                None => drop(self.jobs.insert(place.clone(), 1)),
            },
        }
    }

    /// `e1 (12 jobs), e3 (3 jobs), 2 others (4 jobs); not known of 1 job`; empty where none is
    /// known.
    pub(super) fn text(&self) -> String {
        let mut places: Vec<(&Foreign, usize)> =
            self.jobs.iter().map(|(place, jobs)| (place, *jobs)).collect();
        places.sort_by_key(|(_, jobs)| std::cmp::Reverse(*jobs));
        let (named, others) = places.split_at(NAMED.min(places.len()));
        let one = |(place, jobs): &(&Foreign, usize)| {
            format!("{} ({})", place.named(NAME), plural(jobs, "job"))
        };
        let mut out = named.iter().map(one).collect::<Vec<_>>().join(", ");
        if !others.is_empty() {
            let jobs: usize = others.iter().map(|(_, jobs)| jobs).sum();
            out.push_str(&format!(", {} ({})", plural(others.len(), "other"), plural(jobs, "job")));
        }
        if self.unknown > 0 && !out.is_empty() {
            out.push_str(&format!("; not known of {}", plural(self.unknown, "job")));
        }
        out
    }
}

/// What the jobs of a group are to change, each its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// The first few, with the job that has it first.
    named: Vec<(JobId, Foreign)>,
    /// Jobs with other names.
    others: usize,
}

/// Characters of a name of a file.
const FILE: usize = 200;

impl Names {
    /// Adds the name that a job has.
    pub(super) fn add(&mut self, job: JobId, name: Option<&Foreign>) {
        let Some(name) = name else { return };
        if self.named.iter().any(|(_, known)| known == name) {
            return;
        }
        match self.named.len() < NAMED {
            true => self.named.push((job, name.clone())),
            false => self.others += 1,
        }
    }

    /// ` Each has its own: 5.0 has /in/1.dat, 5.1 has /in/2.dat; 12 more jobs have others.`
    pub(super) fn text(&self) -> String {
        let one = |(job, name): &(JobId, Foreign)| format!("{job} has {}", name.named(FILE));
        let named = self.named.iter().map(one).collect::<Vec<_>>().join(", ");
        let others = match self.others {
            0 => String::new(),
            1 => "; 1 more job has another".to_owned(),
            n => format!("; {n} more jobs have others"),
        };
        format!(" Each has its own: {named}{others}.")
    }
}

#[cfg(test)]
#[path = "shared_evidence_tests.rs"]
mod tests;
