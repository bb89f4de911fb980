//! What comes of tries: how many are made for one cause, how many fail, and whether what is said of
//! the other jobs before agrees with what is said after.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Display, Formatter};
use std::sync::{Arc, Mutex, PoisonError};

use eventlog::JobId;
use holdadvise::advice::{Advice, Curve, Recommendation, SharedCause};
use holdadvise::history::Action;
use holdadvise_simulate::{Course, Event};
use serde::Serialize;

use holdadvise::metrics::Estimate;

/// What was seen of the tries at one access point, as it runs.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Tries by cluster and cause, with when they were made, Unix seconds.
    tried: BTreeMap<(i32, SharedCause), Vec<(JobId, i64)>>,
    /// What was said of jobs that another is tried for, by the hold.
    others: HashMap<(JobId, i64), Others>,
    sums: Sums,
}

/// What was said of a release as it is, when another job was to be tried.
#[derive(Debug)]
struct Others {
    at: i64,
    success: f64,
    later: Curve,
}

/// Sums over one access point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Sums {
    /// Causes of a cluster for which a job was tried.
    groups: f64,
    /// More than one was.
    repeated: f64,
    tries: f64,
    /// Tries that were held again or ended in failure.
    failures: f64,
    /// Times that a job was asked about again.
    others: f64,
    /// Said of them when another was to be tried, for then.
    said: f64,
    /// Said then for the time at which they were asked about again.
    said_later: f64,
    /// Said at that time.
    said_after: f64,
}

impl Seen {
    /// Takes in what is said of a hold.
    pub(super) fn add(&mut self, (job, num_holds, now): (JobId, i64, i64), advice: &Advice) {
        let Some(success) = advice.success_of(Action::AsIs) else { return };
        let hold = (job, num_holds);
        self.add_again(hold, now, success);
        if advice.recommendation != Recommendation::Try {
            return;
        }
        if advice.releases(job) {
            let group = (job.cluster, advice.held.cause.clone());
            self.tried.entry(group).or_default().push((job, now));
        } else {
            self.others.insert(hold, Others { at: now, success, later: advice.later.clone() });
        }
    }

    /// Where another job was to be tried for this one: what is said of it now.
    fn add_again(&mut self, hold: (JobId, i64), now: i64, success: f64) {
        if let Some(Others { at, success: said, later }) = self.others.remove(&hold) {
            self.sums.others += 1.0;
            self.sums.said += said;
            self.sums.said_later += later.at(now - at).unwrap_or(said);
            self.sums.said_after += success;
        }
    }

    /// With what became of the jobs.
    fn sums(&self, courses: &[Course]) -> Sums {
        let events: HashMap<(i32, i32), &[(i64, Event)]> = courses
            .iter()
            .map(|course| ((course.cluster, course.proc), course.events.as_slice()))
            .collect();
        let failed = |(job, at): &(JobId, i64)| {
            let events = events.get(&(job.cluster, job.proc)).copied().unwrap_or_default();
            let after = events.iter().skip_while(|(time, event)| {
                time < at || !matches!(event, Event::Released { person: true })
            });
            let mut ends = after.map(|(_, event)| event);
            let end = ends.find(|it| matches!(it, Event::Held { .. } | Event::Ended { .. }));
            end.is_some_and(|end| !matches!(end, Event::Ended { success: true, .. }))
        };
        let mut sums = self.sums;
        for tries in self.tried.values() {
            sums.groups += 1.0;
            sums.repeated += f64::from(u8::from(tries.len() > 1));
            sums.tries += tries.len() as f64;
            sums.failures += tries.iter().filter(|of| failed(of)).count() as f64;
        }
        sums
    }
}

/// What an advisor in a simulation and the report share.
pub(super) type Shared = Arc<Mutex<Seen>>;

/// What was seen, with what became of the jobs.
pub(super) fn sums(seen: &Shared, courses: &[Course]) -> Sums {
    seen.lock().unwrap_or_else(PoisonError::into_inner).sums(courses)
}

impl std::ops::AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        self.groups += other.groups;
        self.repeated += other.repeated;
        self.tries += other.tries;
        self.failures += other.failures;
        self.others += other.others;
        self.said += other.said;
        self.said_later += other.said_later;
        self.said_after += other.said_after;
    }
}

/// The tries of an arm over all access points.
#[derive(Debug, Serialize)]
pub(super) struct Tries {
    sums: Sums,
    /// Tries for each cause of a cluster.
    a_group: Estimate,
    /// What is said after a try less what was said before, of the same time: the mean.
    difference: Estimate,
}

impl Tries {
    /// Of sums at each access point, and draws of these. `None` where nothing was tried.
    pub(super) fn of(at_each: &[Sums], draws: &[Vec<usize>]) -> Option<Self> {
        let sum = |drawn: &[usize]| {
            let mut sums = Sums::default();
            drawn.iter().for_each(|&at| sums += at_each[at]);
            sums
        };
        let sums = sum(&(0..at_each.len()).collect::<Vec<_>>());
        let estimate = |of: fn(&Sums) -> f64| {
            Estimate::new(of(&sums), draws.iter().map(|drawn| of(&sum(drawn))))
        };
        (sums.groups > 0.0).then(|| Self {
            sums,
            a_group: estimate(|sums| sums.tries / sums.groups),
            difference: estimate(|sums| (sums.said_after - sums.said_later) / sums.others),
        })
    }
}

impl Display for Tries {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { sums, a_group, difference } = self;
        let mean = |sum: f64| sum / sums.others;
        write!(
            f,
            "{} of {} failed; {} for each of {} causes of a cluster, more than one for {}",
            sums.failures,
            sums.tries,
            a_group.text(2),
            sums.groups,
            sums.repeated,
        )?;
        if sums.others == 0.0 {
            return Ok(());
        }
        write!(
            f,
            "; {} times another job was asked about again: {:.3} was said of its release, {:.3} \
             for the time of the next look, {:.3} then: {} more",
            sums.others,
            mean(sums.said),
            mean(sums.said_later),
            mean(sums.said_after),
            difference.text(3)
        )
    }
}

#[cfg(test)]
mod tests {
    use holdadvise_simulate::Cause;

    use super::*;

    #[test]
    fn tries_are_counted_by_cause_with_what_became_of_them() {
        let job = |proc| JobId::new(7, proc);
        let cause = SharedCause::of(13, 2, "file missing");
        let tried = BTreeMap::from([
            ((7, cause.clone()), vec![(job(0), 10), (job(1), 50)]),
            ((8, cause), vec![(JobId::new(8, 0), 10)]),
        ]);
        let mut seen = Seen { tried, ..Seen::default() };
        let later = Curve::new([(0, 0.2), (3_600, 0.6)]);
        seen.others.insert((job(2), 1), Others { at: 10, success: 0.2, later });
        // A later hold is none that it was said of.
        seen.add_again((job(2), 2), 3_610, 0.9);
        seen.add_again((job(2), 1), 3_610, 0.5);
        seen.add_again((job(2), 1), 7_000, 0.9);

        let held = |at| (at, Event::Held { cause: Cause::Bug, code: 13, subcode: 2, run: 0.0 });
        let released = |at| (at, Event::Released { person: true });
        let done = |at| (at, Event::Ended { success: true, run: 1.0 });
        let course = |cluster, proc, events: &[(i64, Event)]| Course {
            cluster,
            proc,
            submitted: 0,
            events: events.to_vec(),
        };
        let courses = [
            course(7, 0, &[held(1), released(10), held(20), released(90), done(99)]),
            course(7, 1, &[held(1), released(2), held(20), released(50), done(60)]),
            // Not yet known what becomes of it.
            course(8, 0, &[held(1), released(10)]),
        ];
        let sums = seen.sums(&courses);
        let expected = Sums {
            groups: 2.0,
            repeated: 1.0,
            tries: 3.0,
            failures: 1.0,
            others: 1.0,
            said: 0.2,
            said_later: 0.6,
            said_after: 0.5,
        };
        assert_eq!(sums, expected);

        assert!(Tries::of(&[Sums::default()], &[vec![0]]).is_none());
        let tries = Tries::of(&[sums, Sums::default()], &[vec![0, 1], vec![0, 0]]).unwrap();
        assert_eq!((tries.a_group.value, tries.sums.tries), (1.5, 3.0));
        assert!((tries.difference.value + 0.1).abs() < 1e-12);
    }
}
