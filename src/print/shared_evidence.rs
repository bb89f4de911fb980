//! What was seen of all jobs of a group, and where they ran.

use std::collections::BTreeMap;
use std::mem::{Discriminant, discriminant};

use crate::advice::Evidence;
use crate::sentences;
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

    /// Whether it has the evidence that says most.
    pub(super) fn has(&self, first: &Evidence) -> bool {
        self.0.first().is_some_and(|seen| seen.first == *first)
    }

    /// A sentence for each.
    pub(super) fn sentences(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|seen| sentences::evidence(&seen.joined))
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
