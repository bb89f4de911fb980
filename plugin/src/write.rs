//! Advice is written into the ads of the queue.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use eventlog::JobId;
use holdadvise::queue::{QueueError, Schedd};

use crate::groups::Write;

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

/// Writes, until the deadline; of that time a third is for what makes advice count. A transaction for jobs of which none is in its hold any more did
/// nothing, and is no failure.
pub fn write(writes: &[Write], schedd: &Schedd, deadline: Instant) -> Written {
    let mut written = Written::default();
    // What makes their advice count is not written for these.
    let mut failed: HashSet<JobId> = HashSet::new();
    let mut gone: HashSet<JobId> = HashSet::new();
    let begun = Instant::now();
    let first = begun + deadline.saturating_duration_since(begun) * 2 / 3;
    for one in writes {
        let jobs: Vec<JobId> = match one.is_last {
            true => {
                let is_there = |job: &JobId| !failed.contains(job) && !gone.contains(job);
                one.jobs.iter().copied().filter(is_there).collect()
            }
            false => one.jobs.clone(),
        };
        let until = if one.is_last { deadline } else { first };
        let left = until.saturating_duration_since(Instant::now());
        if jobs.is_empty() || left < Duration::from_secs(1) {
            failed.extend(jobs);
            continue;
        }
        let schedd = Schedd { timeout: schedd.timeout.min(left), ..schedd.clone() };
        let values: Vec<(&str, &str)> =
            one.values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        written.calls += 1;
        match schedd.edit(&one.constraint(&jobs), &values) {
            Ok(()) => written.jobs += jobs.len(),
            Err(QueueError::Failed { said, .. }) if is_of_nobody(&said) => {
                log::info!("{} jobs have left their hold: {said}", jobs.len());
                written.refused += 1;
                gone.extend(jobs);
            }
            Err(error) => {
                if written.faults.len() < FAULTS {
                    written.faults.push(error.to_string());
                }
                failed.extend(jobs);
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
