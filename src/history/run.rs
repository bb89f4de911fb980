//! How long programs ran, and how that ended.

use std::collections::{BTreeSet, HashMap};

use eventlog::JobId;

/// One run of a program: from event 001 until the job left its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The job.
    pub job: JobId,
    /// Seconds; the transfer of its output is part of them, that of its input is not.
    pub seconds: i64,
    /// What ended it.
    pub end: RunEnd,
}

/// What ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The program did, with whatever exit code (005).
    Exited,
    /// The job was put on hold (012).
    Held,
    /// The job was removed (009).
    Removed,
    /// The job lost its slot and is idle again (004, 007, 024).
    Stopped,
}

/// Whose runs are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RunsOf {
    /// Nobody's.
    #[default]
    None,
    /// Those of these clusters.
    Clusters(BTreeSet<i32>),
    /// All.
    All,
}

impl RunsOf {
    fn contains(&self, job: JobId) -> bool {
        match self {
            Self::None => false,
            Self::Clusters(clusters) => clusters.contains(&job.cluster),
            Self::All => true,
        }
    }
}

/// Puts runs together out of steps that come in the order of their times.
#[derive(Debug, Default)]
pub(super) struct Runs {
    of: RunsOf,
    /// When the programs that run were started, Unix seconds.
    began: HashMap<JobId, i64>,
    runs: Vec<Run>,
}

impl Runs {
    pub(super) fn new(of: RunsOf) -> Self {
        Self { of, ..Self::default() }
    }

    /// A program is started.
    pub(super) fn begin(&mut self, job: JobId, time: i64) {
        if self.of.contains(job) {
            self.began.entry(job).or_insert(time);
        }
    }

    /// The job leaves its slot, if it is in one.
    pub(super) fn end(&mut self, job: JobId, time: i64, end: RunEnd) {
        // Where no runs are wanted nothing is looked up.
        if !self.began.is_empty()
            && let Some(began) = self.began.remove(&job)
        {
            self.runs.push(Run { job, seconds: time.saturating_sub(began).max(0), end });
        }
    }

    /// The runs that ended, in the order of that.
    pub(super) fn into_runs(self) -> Vec<Run> {
        self.runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_of_the_clusters_wanted() {
        let (one, other) = (JobId::new(7, 0), JobId::new(8, 0));
        let mut runs = Runs::new(RunsOf::Clusters([7].into()));
        runs.end(one, 5, RunEnd::Held);
        runs.begin(one, 10);
        runs.begin(other, 10);
        // Told once more: it runs since it was told first.
        runs.begin(one, 12);
        runs.end(one, 30, RunEnd::Stopped);
        runs.begin(one, 40);
        runs.end(other, 50, RunEnd::Exited);
        // Clocks may go back.
        runs.end(one, 39, RunEnd::Exited);
        let expected = [(20, RunEnd::Stopped), (0, RunEnd::Exited)];
        assert_eq!(runs.into_runs(), expected.map(|(seconds, end)| Run { job: one, seconds, end }));
        let mut none = Runs::default();
        none.begin(one, 10);
        none.end(one, 20, RunEnd::Exited);
        assert_eq!(none.into_runs(), []);
    }
}
