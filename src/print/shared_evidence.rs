//! What was seen of all jobs of an incident.

use std::mem::{Discriminant, discriminant};

use crate::advice::Evidence;
use crate::text::Foreign;
use eventlog::JobId;

/// Evidence that the jobs added so far have in common, in the order of the first one.
#[derive(Clone, Debug)]
pub(super) struct SharedEvidence(Vec<Seen>);

#[derive(Clone, Debug)]
struct Seen {
    /// That of the first job, and the how many-th of its kind it is.
    first: Evidence,
    nth: usize,
    /// What all have in common.
    joined: Evidence,
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
        let seen = |(first, nth): (&Evidence, usize)| Seen {
            first: first.clone(),
            nth,
            joined: first.clone(),
        };
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
            let other = others.iter().find(like).map(|(other, _)| *other);
            if other != Some(&seen.joined) {
                let Some(joined) = other.and_then(|other| seen.joined.join(other)) else {
                    return false;
                };
                seen.joined = joined;
            }
            true
        });
    }

    /// What all have in common.
    pub(super) fn of_all(&self) -> impl Iterator<Item = &Evidence> {
        self.0.iter().map(|seen| &seen.joined)
    }
}

/// Names that are printed.
const NAMED: usize = 3;

/// What the jobs of an incident are to change, each its own.
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

    /// Whether they have several.
    pub(super) fn differ(&self) -> bool {
        self.named.len() > 1
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
