//! Who could have been released first: of each hold when it was, and in what state the job.

use std::collections::HashMap;

use super::Simulation;
use super::held::Likeness;
use crate::oracle::Tried;
use crate::random::Dice;

/// What a person sees that may release one and look what comes of it: jobs of one owner held alike.
type Group = (Likeness, usize);

/// Holds of a group that are looked through for those of an instant, the latest first.
const LOOKED_THROUGH: usize = 512;

/// One hold.
#[derive(Debug)]
struct Spell {
    job: usize,
    from: i64,
    until: i64,
    edits: crate::life::Edits,
    peak: (i64, i64),
}

/// All holds so far, by the number of their record.
#[derive(Debug)]
pub(super) struct Tries {
    spells: Vec<Spell>,
    groups: HashMap<Group, Vec<usize>>,
    dice: Dice,
}

impl Tries {
    pub(super) fn new(seed: u64) -> Self {
        Self { spells: Vec::new(), groups: HashMap::new(), dice: Dice::new(seed, 7) }
    }

    /// The hold of a record is over.
    pub(super) fn end(&mut self, record: usize, now: i64) {
        self.spells[record].until = now;
    }

    /// Draws one of those held in a group at an instant, but the asked job.
    fn draw(&mut self, group: &Group, asked: usize, instant: i64) -> Option<usize> {
        let records = self.groups.get(group)?;
        let began = records.partition_point(|&record| self.spells[record].from <= instant);
        let others: Vec<usize> = records[began.saturating_sub(LOOKED_THROUGH)..began]
            .iter()
            .copied()
            .filter(|&record| {
                self.spells[record].until > instant && self.spells[record].job != asked
            })
            .collect();
        (!others.is_empty()).then(|| *self.dice.pick(&others))
    }
}

impl Simulation {
    fn group(&self, job: usize) -> Option<Group> {
        let hold = self.jobs[job].hold?;
        Some((self.likeness(job, &hold), self.clusters[self.jobs[job].cluster].owner))
    }

    /// A job went on hold, with the newest record.
    pub(super) fn note_hold(&mut self, job: usize) {
        let group = self.group(job);
        let (Some(tries), Some(group)) = (&mut self.tries, group) else { return };
        let state = &self.jobs[job];
        tries.groups.entry(group).or_default().push(tries.spells.len());
        tries.spells.push(Spell {
            job,
            from: self.now,
            until: i64::MAX,
            edits: state.edits,
            peak: (state.memory_usage, state.disk_usage),
        });
    }

    /// One of those that were held as the job is, as it was at an instant.
    pub(super) fn tried(&mut self, asked: usize, instant: i64) -> Option<Tried> {
        let group = self.group(asked)?;
        let tries = self.tries.as_mut()?;
        let record = tries.draw(&group, asked, instant)?;
        let Spell { job, edits, peak, .. } = tries.spells[record];
        let subject = crate::life::Subject { edits, peak, ..self.subject(job) };
        let (cluster, proc) = (subject.cluster.id, self.jobs[job].proc);
        Some(Tried { cluster, proc, subject })
    }
}
