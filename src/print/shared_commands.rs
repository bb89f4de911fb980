//! Commands that do for several jobs, and for which of them.

use crate::advice::{Command, Target};

/// Commands that do the same for many jobs.
#[derive(Clone, Debug)]
struct Shared {
    /// The one with the smallest number, and the one with the largest.
    low: Command,
    high: Command,
}

impl Shared {
    fn of(command: &Command) -> Self {
        Self { low: command.clone(), high: command.clone() }
    }

    /// With a command of another job; `None` where none does for all.
    fn with(&self, command: &Command) -> Option<Self> {
        let high = self.high.for_both(command)?;
        let low = match self.low.for_both(command)? == self.low {
            true => command.clone(),
            false => self.low.clone(),
        };
        low.for_both(&high)?;
        Some(Self { low, high })
    }

    /// With those of another job, each with each.
    fn all_with(all: &[Self], commands: &[Command]) -> Option<Vec<Self>> {
        let is_long = all.len() == commands.len();
        let with = || all.iter().zip(commands).map(|(one, command)| one.with(command)).collect();
        is_long.then(with).flatten()
    }
}

/// Jobs for which the same commands do.
#[derive(Clone, Debug)]
pub(super) struct Part {
    shared: Vec<Shared>,
    /// The cluster of the first, and its DAG.
    family: (i32, Option<i32>),
    /// The holds of these jobs.
    pub(super) targets: Vec<Target>,
}

impl Part {
    /// What to paste.
    pub(super) fn commands(&self) -> Vec<Command> {
        self.shared.iter().map(|one| one.high.clone()).collect()
    }

    /// Lines to paste.
    pub(super) fn lines(&self) -> usize {
        self.shared.len()
    }

    /// Takes another job, if the same commands do for it. What another cluster needs is another
    /// number.
    fn takes(&mut self, commands: &[Command], target: Target, dag: Option<i32>) -> bool {
        let Some(shared) = Shared::all_with(&self.shared, commands) else { return false };
        let (cluster, of_dag) = self.family;
        let is_family = cluster == target.job.cluster || dag.is_some() && dag == of_dag;
        if !is_family && shared.iter().any(|one| one.low != one.high) {
            return false;
        }
        self.shared = shared;
        self.targets.push(target);
        true
    }
}

/// Parts that are kept of an incident.
const PARTS: usize = 16;

/// The jobs of an incident by the commands that do for them.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    parts: Vec<Part>,
    /// Jobs of none of the parts.
    pub(super) others: usize,
}

impl Parts {
    /// Adds a job, of a DAG or of none, with what to paste.
    pub(super) fn add(&mut self, commands: &[Command], target: Target, dag: Option<i32>) {
        if self.parts.iter_mut().any(|part| part.takes(commands, target, dag)) {
            return;
        }
        if self.parts.len() >= PARTS {
            self.others += 1;
            return;
        }
        let shared = commands.iter().map(Shared::of).collect();
        let family = (target.job.cluster, dag);
        self.parts.push(Part { shared, family, targets: vec![target] });
    }

    /// Jobs added.
    pub(super) fn jobs(&self) -> usize {
        self.others + self.parts.iter().map(|part| part.targets.len()).sum::<usize>()
    }

    /// The part of all jobs, where the same commands do for all.
    pub(super) fn of_all(&self) -> Option<&Part> {
        match self.parts.as_slice() {
            [part] if self.others == 0 => Some(part),
            _ => None,
        }
    }

    /// The parts, the one of the most jobs first.
    pub(super) fn largest_first(&self) -> Vec<&Part> {
        let mut parts: Vec<&Part> = self.parts.iter().collect();
        parts.sort_by_key(|part| std::cmp::Reverse(part.targets.len()));
        parts
    }

    /// There is nothing to paste.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| part.lines() == 0)
    }

    /// Whether some jobs are given more than they need.
    pub(super) fn differ(&self) -> bool {
        self.parts.iter().flat_map(|part| &part.shared).any(|shared| shared.low != shared.high)
    }
}
