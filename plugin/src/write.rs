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

/// How long one transaction may take, in which the schedd answers nobody. Assumed: half of what
/// nobody minds.
const LONGEST: Duration = Duration::from_millis(500);

/// Jobs of the first transaction, and of one at least. Assumed.
const FIRST: usize = 50;
const LEAST: usize = 10;

/// Jobs of the next transaction at most, after one of so many.
fn fitted(most: usize, jobs: usize, took: Duration) -> usize {
    match took > LONGEST {
        true => (jobs / 2).max(LEAST).min(most),
        // A small one says nothing of a large one.
        false if jobs == most => (2 * most).min(BATCH),
        false => most,
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
    let (mut most, mut took) = (FIRST, Duration::ZERO);
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
            let (batch, later) = rest.split_at(most.min(rest.len()));
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
            most = fitted(most, batch.len(), took);
            match edited {
                Ok(()) => written.jobs += batch.len(),
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
        for (look, set) in [(0.01, 0.0001), (0.04, 0.004), (0.4, 0.0005)] {
            let mut most = FIRST;
            for number in 0..20 {
                let jobs = if number % 3 == 2 { 1 } else { most };
                let takes = look + jobs as f64 * set;
                let is_full = jobs == BATCH || takes > 0.2;
                assert!(takes < 1.0, "{look}: {jobs}");
                assert!(number < 8 || jobs == 1 || is_full, "{look}: {jobs}");
                most = fitted(most, jobs, Duration::from_secs_f64(takes));
            }
        }
        assert_eq!(fitted(LEAST, LEAST, 2 * LONGEST), LEAST);
    }
}
