//! Advice is written into the ads of the queue.

use std::collections::HashSet;
use std::thread;
use std::time::{Duration, Instant};

use eventlog::JobId;
use holdadvise::queue::{QueueError, Schedd};

use crate::groups::{BATCH, Write};

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Transactions.
    pub calls: usize,
    /// Jobs of them, those that had left their hold among them.
    pub jobs: usize,
    /// Transactions that were true for none of their jobs.
    pub refused: usize,
    /// Jobs for which there was no time, or whose transaction failed.
    pub left: usize,
    /// What failed, a line each.
    pub faults: Vec<String>,
}

/// Faults that are named.
const FAULTS: usize = 5;

/// How long one transaction may take, in which the schedd answers nobody, where its look at the
/// queue alone does not take longer. Assumed: half of what nobody minds.
const LONGEST: Duration = Duration::from_millis(500);

/// Jobs of the first transaction, and of one at least. Assumed.
const FIRST: usize = 50;
const LEAST: usize = 10;

/// How large transactions are.
struct Pace {
    /// Jobs of the next one at most.
    most: usize,
    /// Jobs of the last one, and what it took.
    last: Option<(usize, f64)>,
    /// Seconds that one takes whatever its jobs: the schedd looks at its whole queue.
    look: f64,
}

impl Pace {
    fn new() -> Self {
        Self { most: FIRST, last: None, look: 0.0 }
    }

    /// After one of so many jobs. Where the look alone takes longer than one may, fewer jobs help
    /// nobody: then it may take half as long again as the look.
    fn next(&mut self, jobs: usize, took: Duration) {
        let this = (jobs, took.as_secs_f64());
        if let Some(before) = self.last.replace(this) {
            let [few, many] = if before.0 < jobs { [before, this] } else { [this, before] };
            if 2 * few.0 <= many.0 {
                let of_job = ((many.1 - few.1) / (many.0 - few.0) as f64).max(0.0);
                self.look = (few.1 - of_job * few.0 as f64).max(0.0);
            }
        }
        self.look = self.look.min(this.1);
        self.most = match this.1 > (1.5 * self.look).max(LONGEST.as_secs_f64()) {
            true => (jobs / 2).max(LEAST).min(self.most),
            // A small one says nothing of a large one.
            false if jobs == self.most => (2 * self.most).min(BATCH),
            false => self.most,
        };
    }
}

/// Writes, until the deadline; of that time a third is for what makes advice count. Before the next
/// transaction the schedd has as long for others as the last one took, a second at most. A
/// transaction for jobs of which none is in its hold any more did nothing, and is no failure.
pub fn write(writes: &[Write], schedd: &Schedd, deadline: Instant) -> Written {
    let mut written = Written::default();
    // What makes their advice count is not written for these.
    let mut failed: HashSet<JobId> = HashSet::new();
    let mut gone: HashSet<JobId> = HashSet::new();
    let (mut pace, mut took) = (Pace::new(), Duration::ZERO);
    let begun = Instant::now();
    let first = begun + deadline.saturating_duration_since(begun) * 2 / 3;
    for one in writes {
        let is_there = |job: &JobId| !failed.contains(job) && !gone.contains(job);
        let jobs: Vec<JobId> =
            one.jobs.iter().copied().filter(|job| !one.is_last || is_there(job)).collect();
        let until = if one.is_last { deadline } else { first };
        let values: Vec<(&str, &str)> =
            one.values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut rest = jobs.as_slice();
        while !rest.is_empty() {
            let (batch, later) = rest.split_at(pace.most.min(rest.len()));
            rest = later;
            let left = until.saturating_duration_since(Instant::now());
            thread::sleep(took.min(2 * LONGEST).min(left));
            let left = until.saturating_duration_since(Instant::now());
            if left < Duration::from_secs(1) {
                failed.extend(batch);
                continue;
            }
            let schedd = Schedd { timeout: schedd.timeout.min(left), ..schedd.clone() };
            written.calls += 1;
            let begun = Instant::now();
            let edited = schedd.edit(&one.constraint(batch), &values);
            took = begun.elapsed();
            match edited {
                Ok(()) => {
                    written.jobs += batch.len();
                    pace.next(batch.len(), took);
                }
                Err(QueueError::Failed { said, .. }) if is_of_nobody(&said) => {
                    log::info!("{} jobs have left their hold: {said}", batch.len());
                    written.refused += 1;
                    gone.extend(batch);
                }
                Err(error) => {
                    if written.faults.len() < FAULTS {
                        written.faults.push(error.to_string());
                    }
                    failed.extend(batch);
                }
            }
        }
    }
    written.left = failed.len();
    // One may be of jobs that left; all of several are not.
    if written.refused > 1 && written.refused == written.calls {
        written.faults.push(format!(
            "the schedd took none of {} edits; may this account edit all jobs (QUEUE_SUPER_USERS)?",
            written.calls
        ));
    }
    written
}

/// `condor_qedit` says so where the constraint is true for none of the jobs, and where it may not
/// edit them.
fn is_of_nobody(said: &str) -> bool {
    said.contains("Failed to set attribute") && said.contains("by constraint")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transactions_become_as_large_as_the_time_allows() {
        // Seconds of looking at all jobs, and of setting in one; some groups are small.
        for (look, set) in [(0.01, 0.0001), (0.04, 0.004), (0.4, 0.0005), (1.2, 0.001)] {
            let mut pace = Pace::new();
            for number in 0..24 {
                let jobs = if number % 3 == 2 { 1 } else { pace.most };
                let takes = look + jobs as f64 * set;
                let is_full = jobs == BATCH || takes > 0.2 && look < 1.0;
                assert!(takes < 1.0_f64.max(1.6 * look), "{look}: {jobs}");
                assert!(number < 16 || jobs == 1 || is_full, "{look}: {jobs}");
                pace.next(jobs, Duration::from_secs_f64(takes));
            }
        }
        let mut pace = Pace { most: LEAST, last: None, look: 0.0 };
        pace.next(LEAST, 2 * LONGEST);
        assert_eq!(pace.most, LEAST);
    }
}
