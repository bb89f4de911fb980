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

/// Seconds of one transaction, in which the schedd answers nobody. Assumed: half of what nobody
/// minds.
const LONGEST: f64 = 0.5;

/// What a transaction takes: the schedd looks at all jobs of the queue for each attribute, and sets
/// it in some of them.
#[derive(Clone, Copy, Debug)]
struct Pace {
    /// Seconds for looking at all jobs for one attribute.
    look: f64,
    /// Seconds for setting it in one job.
    set: f64,
    /// Jobs of the next one at most: twice those of the last one.
    most: usize,
}

impl Pace {
    /// So many attributes of so many jobs take as long as a transaction may. The first one is small.
    fn room(pace: Option<Self>, attributes: usize) -> (usize, usize) {
        let Some(Self { look, set, most }) = pace else { return (1, 50) };
        let at_once = (LONGEST / 2.0 / look).clamp(1.0, attributes as f64).floor();
        let left = (LONGEST / at_once - look).max(look);
        (at_once as usize, ((left / set) as usize).clamp(10, most))
    }

    /// After a transaction of so many attributes of so many jobs.
    fn after(pace: Option<Self>, (attributes, jobs): (usize, usize), took: Duration) -> Self {
        let one = took.as_secs_f64() / attributes as f64;
        let look = pace.map_or(one, |pace| pace.look.min(one));
        // What the first one took beside looking is not known.
        let set = ((one - look) / jobs as f64).max(look / 1_000.0);
        Self { look, set, most: (2 * jobs).clamp(10, BATCH) }
    }
}

/// Writes, until the deadline; of that time a third is for what makes advice count. After each
/// transaction the schedd has as long for others. A transaction for jobs of which none is in its
/// hold any more did nothing, and is no failure.
pub fn write(writes: &[Write], schedd: &Schedd, deadline: Instant) -> Written {
    let mut written = Written::default();
    // What makes their advice count is not written for these.
    let mut failed: HashSet<JobId> = HashSet::new();
    let mut gone: HashSet<JobId> = HashSet::new();
    let mut pace = None;
    let begun = Instant::now();
    let first = begun + deadline.saturating_duration_since(begun) * 2 / 3;
    for one in writes {
        let is_there = |job: &JobId| !failed.contains(job) && !gone.contains(job);
        let jobs: Vec<JobId> =
            one.jobs.iter().copied().filter(|job| !one.is_last || is_there(job)).collect();
        let until = if one.is_last { deadline } else { first };
        let mut rest = jobs.as_slice();
        while !rest.is_empty() {
            let (attributes, most) = Pace::room(pace, one.values.len());
            let (batch, later) = rest.split_at(most.min(rest.len()));
            rest = later;
            let constraint = one.constraint(batch);
            let edited = one.values.chunks(attributes).try_for_each(|values| {
                let left = until.saturating_duration_since(Instant::now());
                if left < Duration::from_secs(1) {
                    return Err(None);
                }
                let schedd = Schedd { timeout: schedd.timeout.min(left), ..schedd.clone() };
                let values: Vec<(&str, &str)> =
                    values.iter().map(|(name, value)| (*name, value.as_str())).collect();
                written.calls += 1;
                let begun = Instant::now();
                let edited = schedd.edit(&constraint, &values);
                let took = begun.elapsed();
                if edited.is_ok() {
                    pace = Some(Pace::after(pace, (values.len(), batch.len()), took));
                }
                thread::sleep(took.min(until.saturating_duration_since(Instant::now())));
                edited.map_err(Some)
            });
            match edited {
                Ok(()) => written.jobs += batch.len(),
                Err(Some(QueueError::Failed { said, .. })) if is_of_nobody(&said) => {
                    log::info!("{} jobs have left their hold: {said}", batch.len());
                    written.refused += 1;
                    gone.extend(batch);
                }
                Err(error) => {
                    let room = FAULTS.saturating_sub(written.faults.len());
                    written.faults.extend(error.iter().take(room).map(ToString::to_string));
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
    fn a_transaction_takes_as_long_as_it_may() {
        // Seconds of looking at all jobs, and of setting in one.
        for (look, set) in [(0.001, 0.0001), (0.005, 0.0005), (0.05, 0.0005), (0.4, 0.0005)] {
            let mut pace = None;
            for number in 0..20 {
                let (attributes, jobs) = Pace::room(pace, 8);
                let takes = attributes as f64 * (look + jobs as f64 * set);
                let is_full = jobs == BATCH || takes > 0.2;
                assert!(takes < 0.8 && (number < 8 || is_full), "{look}: {attributes} of {jobs}");
                pace = Some(Pace::after(pace, (attributes, jobs), Duration::from_secs_f64(takes)));
            }
        }
    }
}
