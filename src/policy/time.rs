//! The time that the policies of all jobs of a call may take.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A time, and the jobs that were left out because it was used up.
///
/// Each job's policies take a bounded number of steps; the clock is read between jobs only.
#[derive(Debug)]
pub struct PolicyTime {
    limit: Duration,
    started: Instant,
    left_out: AtomicUsize,
}

impl PolicyTime {
    /// Ten seconds.
    pub const DEFAULT: Duration = Duration::from_secs(10);

    /// The time begins now.
    pub fn new(limit: Duration) -> Self {
        Self { limit, started: Instant::now(), left_out: AtomicUsize::new(0) }
    }

    /// The value of `evaluate` for a job; `None`, and the job is counted, where the time is used
    /// up.
    pub fn within<T>(&self, evaluate: impl FnOnce() -> T) -> Option<T> {
        if self.started.elapsed() < self.limit {
            return Some(evaluate());
        }
        self.left_out.fetch_add(1, Ordering::Relaxed);
        None
    }

    /// Why policies were left out.
    pub fn reason(&self) -> String {
        let seconds = self.limit.as_secs();
        format!("not evaluated, the time for policies ({seconds} s) was used up")
    }

    /// The line about all jobs that were left out, if there are any.
    pub fn line(&self) -> Option<String> {
        let left_out = self.left_out.load(Ordering::Relaxed);
        let jobs = if left_out == 1 { "job" } else { "jobs" };
        (left_out > 0).then(|| {
            format!("policies of {left_out} {jobs}: {} (HOLDADVISE_POLICY_TIME)", self.reason())
        })
    }
}
