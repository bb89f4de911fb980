//! What people did before they released jobs: `condor_qedit` writes no event.

use std::collections::HashMap;

use super::Action;
use eventlog::JobId;

/// Seconds before the event of a release in which what was noted belongs to it: the schedd writes
/// the event once it has done what it was asked for.
const BEFORE: i64 = 120;

/// Seconds after it: clocks of two machines, and times of whole seconds.
const AFTER: i64 = 2;

/// Actions by job and time of the release.
#[derive(Clone, Debug, Default)]
pub struct NotedActions {
    entries: HashMap<JobId, Vec<(i64, Action)>>,
}

impl NotedActions {
    /// Notes what was done to `job` when it was released, at `time`, Unix seconds. Of two about the
    /// same time the later one counts.
    pub fn insert(&mut self, job: JobId, time: i64, action: Action) {
        self.entries.entry(job).or_default().push((time, action));
    }

    /// Adds what was noted elsewhere.
    pub fn extend(&mut self, other: Self) {
        for (job, actions) in other.entries {
            self.entries.entry(job).or_default().extend(actions);
        }
    }

    /// What was done to `job` before its release at `released_at`, Unix seconds: the nearest of what
    /// was noted from 120 s before until 2 s after it.
    pub fn action(&self, job: JobId, released_at: i64) -> Option<Action> {
        let near = |(time, _): &&(i64, Action)| {
            (released_at - BEFORE..=released_at + AFTER).contains(time)
        };
        let entries = self.entries.get(&job)?.iter().rev().filter(near);
        entries.min_by_key(|(time, _)| (released_at - time).abs()).map(|(_, action)| *action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_note_before_a_release_counts() {
        let job = JobId::new(1, 0);
        let mut noted = NotedActions::default();
        noted.insert(job, 1_000, Action::Memory);
        noted.insert(job, 1_060, Action::AsIs);
        noted.insert(job, 1_060, Action::Disk);
        assert_eq!(noted.action(job, 1_001), Some(Action::Memory));
        assert_eq!(noted.action(job, 1_060), Some(Action::Disk));
        assert_eq!(noted.action(job, 1_200), None);
        assert_eq!(noted.action(job, 990), None);
        assert_eq!(noted.action(JobId::new(1, 1), 1_000), None);
    }
}
