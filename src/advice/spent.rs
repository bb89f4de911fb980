//! The slot hours that a job has used so far.

use super::job_facts::JobFacts;
use crate::history::{JobHistory, Step, What};

/// Slot hours that a job has used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Of a run until it is held as it is now, on the average; 0 for a hold before it began, and of
    /// a job that writes checkpoints: it goes on from the last one. `None` where nothing tells.
    pub run: Option<f64>,
    /// Of all its runs.
    pub total: f64,
}

/// Seconds in an hour.
const HOUR: f64 = 3_600.0;

/// Seconds before a hold within which an eviction is the same end of a run (the starter's failure
/// writes both).
const WITH_HOLD: i64 = 10;

impl Spent {
    /// From the ad, and from the job's steps up to its hold.
    ///
    /// The ad has CumulativeSlotTime (RemoteWallClockTime weighted by SlotWeight; both count input
    /// transfer and all runs, manual: job ClassAd attributes) and JobRunCount. The log tells which
    /// runs ended in a hold for the same code as this one, and how long each took from when it
    /// began to execute.
    pub(super) fn of(facts: &JobFacts, job: Option<&JobHistory>, held_step: Option<usize>) -> Self {
        let steps = job.map_or(&[][..], |job| {
            &job.steps[..held_step.map_or(0, |step| (step + 1).min(job.steps.len()))]
        });
        let runs = Runs::of(steps);
        let known = |value: Option<f64>| value.filter(|value| value.is_finite() && *value > 0.0);
        let (wall, slot) = (known(facts.remote_wall_clock), known(facts.cumulative_slot_time));
        // Cores, as the access point weighs them.
        let weight = slot.zip(wall).map_or(1.0, |(slot, wall)| slot / wall);
        let total = slot.or(wall).unwrap_or(runs.seconds as f64);
        let each = |seconds: f64, count: i64| (count > 0).then(|| seconds / count as f64);
        let of_log = each(runs.held_seconds as f64 * weight, runs.held);
        let of_ad =
            each(total, facts.job_run_count.unwrap_or(0)).filter(|_| slot.or(wall).is_some());
        let lost = if facts.writes_checkpoints { Some(0.0) } else { of_log.or(of_ad) };
        Self { run: lost.map(|seconds| seconds / HOUR), total: total / HOUR }
    }
}

/// Runs that a log tells of.
#[derive(Debug, Default, PartialEq)]
struct Runs {
    seconds: i64,
    /// How many holds there were for the code of the last one, and the seconds of the runs that
    /// they ended.
    held: i64,
    held_seconds: i64,
}

impl Runs {
    fn of(steps: &[Step]) -> Self {
        let code = steps.iter().rev().find_map(|step| hold_code_of(step.what));
        let mut runs = Self::default();
        let mut began: Option<i64> = None;
        // When the last run ended, and its length, where nothing happened since.
        let mut ended: Option<(i64, i64)> = None;
        for step in steps {
            match step.what {
                What::Executing(_) => {
                    began = began.or(Some(step.time));
                    ended = None;
                }
                What::Evicted(_)
                | What::ShadowException
                | What::Terminated(_)
                | What::Removed
                | What::Held(_) => {
                    if let Some(began) = began.take() {
                        let length = step.time.saturating_sub(began).max(0);
                        runs.seconds = runs.seconds.saturating_add(length);
                        ended = Some((step.time, length));
                    }
                }
                _ => {}
            }
            if hold_code_of(step.what).is_some() {
                let with_hold = ended.take().filter(|(end, _)| step.time - end <= WITH_HOLD);
                if hold_code_of(step.what) == code {
                    runs.held += 1;
                    let length = with_hold.map_or(0, |(_, length)| length);
                    runs.held_seconds = runs.held_seconds.saturating_add(length);
                }
            }
        }
        runs
    }
}

fn hold_code_of(what: What) -> Option<i32> {
    match what {
        What::Held(hold) => Some(hold.code),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Hold;
    use eventlog::JobId;

    fn steps(told: &[(i64, What)]) -> JobHistory {
        let steps = told.iter().map(|&(time, what)| Step { time, what }).collect();
        JobHistory { steps, ..JobHistory::default() }
    }

    fn held(code: i32) -> What {
        What::Held(Hold { code, subcode: 0, reason: None })
    }

    #[test]
    fn runs_that_ended_in_such_a_hold_are_told_from_others() {
        let job = steps(&[
            (0, What::Submitted),
            (100, What::Executing(None)),
            (3_700, What::Evicted(None)),
            (4_000, What::Executing(None)),
            (11_200, What::Evicted(None)),
            (11_202, held(34)),
            (12_000, What::Released { by_person: true }),
            (12_500, held(13)),
            (12_600, What::Released { by_person: true }),
            (13_000, What::Executing(None)),
            (27_400, held(34)),
        ]);
        let facts = JobFacts::of(JobId::new(1, 0));
        let at = |step| Spent::of(&facts, Some(&job), Some(step));
        assert_eq!(at(5), Spent { run: Some(2.0), total: 3.0 });
        // It was held before it began.
        assert_eq!(at(7), Spent { run: Some(0.0), total: 3.0 });
        assert_eq!(at(10), Spent { run: Some(3.0), total: 7.0 });
        assert_eq!(Spent::of(&facts, Some(&job), None), Spent::default());
    }

    #[test]
    fn the_ad_weighs_cores_and_counts_all_runs() {
        let facts = JobFacts {
            cumulative_slot_time: Some(8.0 * 7_200.0),
            remote_wall_clock: Some(7_200.0),
            job_run_count: Some(4),
            ..JobFacts::of(JobId::new(1, 0))
        };
        assert_eq!(Spent::of(&facts, None, None), Spent { run: Some(4.0), total: 16.0 });
        let job = steps(&[(0, What::Executing(None)), (3_600, held(6))]);
        assert_eq!(Spent::of(&facts, Some(&job), Some(1)), Spent { run: Some(8.0), total: 16.0 });
        let kept = JobFacts { writes_checkpoints: true, ..facts };
        assert_eq!(Spent::of(&kept, Some(&job), Some(1)), Spent { run: Some(0.0), total: 16.0 });
        let hostile = JobFacts {
            cumulative_slot_time: Some(f64::INFINITY),
            job_run_count: Some(-3),
            ..JobFacts::of(JobId::new(1, 0))
        };
        assert_eq!(Spent::of(&hostile, None, None), Spent::default());
    }
}
