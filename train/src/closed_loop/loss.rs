//! What the courses of jobs cost, in hours: the costs of `docs/developing/advice.md`, with the
//! delays that came.

use std::collections::{BTreeSet, HashMap};
use std::ops::AddAssign;

use holdadvise::advice::Costs;
use holdadvise_simulate::{Course, Event, Fix, Thing};

/// Hours after its first hold at which a job that has not ended is removed.
pub(super) const HORIZON: f64 = 168.0;

/// Hours within which one look of a person serves all like jobs of a cluster: a working day.
const DAY: f64 = 8.0;

/// ClusterId and ProcId.
pub(super) type Job = (i32, i32);

/// It ends in success before the horizon.
fn finishes(course: &Course) -> bool {
    let Some((first, _)) = course.events.first() else { return false };
    course.events.iter().any(|(at, event)| {
        hours(*first, *at) <= HORIZON && matches!(event, Event::Ended { success: true, .. })
    })
}

fn hours(from: i64, to: i64) -> f64 {
    (to - from) as f64 / 3_600.0
}

/// The jobs that do not finish under the clairvoyant.
pub(super) fn lost(clairvoyant: &[Course], before: i64) -> BTreeSet<Job> {
    counted(clairvoyant, before).filter(|course| !finishes(course)).map(job).collect()
}

fn job(course: &Course) -> Job {
    (course.cluster, course.proc)
}

/// Courses of jobs that were submitted before an instant.
fn counted(courses: &[Course], before: i64) -> impl Iterator<Item = &Course> {
    courses.iter().filter(move |course| course.submitted < before)
}

/// Hours and counts of some jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Loss {
    /// Releases by persons, and how many of them failed.
    pub(super) releases: f64,
    pub(super) failures: f64,
    pub(super) finished: f64,
    /// Hours of failed releases.
    pub(super) failed: f64,
    /// Hours that jobs were held that could finish.
    pub(super) delay: f64,
    /// Hours of keeping jobs that could not.
    pub(super) keep: f64,
    /// Hours of getting jobs again that could have finished.
    pub(super) work: f64,
    /// Times that a person looked, or changed something: an hour each.
    pub(super) person: f64,
}

impl AddAssign for Loss {
    fn add_assign(&mut self, other: Self) {
        self.releases += other.releases;
        self.failures += other.failures;
        self.finished += other.finished;
        self.failed += other.failed;
        self.delay += other.delay;
        self.keep += other.keep;
        self.work += other.work;
        self.person += other.person;
    }
}

impl Loss {
    /// All hours.
    pub(super) fn hours(&self) -> f64 {
        self.failed + self.delay + self.keep + self.work + self.person
    }
}

/// The loss at one access point; `lost` are the jobs that cannot finish.
pub(super) fn of_access_point(
    courses: &[Course],
    lost: &BTreeSet<Job>,
    costs: Costs,
    (before, end): (i64, i64),
) -> Loss {
    let mut all = Loss::default();
    let mut person = Shared::default();
    // In the order of what a person did first, so that who pays does not depend on the number.
    let mut courses: Vec<&Course> = counted(courses, before).collect();
    courses.sort_by_key(|course| course.events.first().map(|(at, _)| *at));
    for course in courses {
        all += of_job(course, !lost.contains(&job(course)), costs, end, &mut person);
    }
    all
}

/// When a person last dealt with like jobs of a cluster.
#[derive(Default)]
struct Shared(HashMap<(i32, i32, i32, BTreeSet<Kind>), i64>);

/// What a person does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Kind {
    Look,
    Memory,
    Disk,
    Site,
    Thing(Thing),
}

impl Kind {
    fn of(fix: &Fix) -> Self {
        match fix {
            Fix::Memory(_) => Self::Memory,
            Fix::Disk(_) => Self::Disk,
            Fix::Site(_) => Self::Site,
            Fix::Thing(thing) => Self::Thing(*thing),
        }
    }
}

impl Shared {
    /// Adds a person's look, unless one of the same day served this job too.
    fn add(&mut self, loss: &mut Loss, like: (i32, i32, i32), kinds: BTreeSet<Kind>, at: i64) {
        let last = self.0.entry((like.0, like.1, like.2, kinds)).or_insert(i64::MIN / 2);
        if hours(*last, at).abs() < DAY {
            return;
        }
        *last = at;
        loss.person += 1.0;
    }
}

fn of_job(course: &Course, can_finish: bool, costs: Costs, end: i64, shared: &mut Shared) -> Loss {
    let mut loss = Loss::default();
    let Some((first, _)) = course.events.first() else { return loss };
    let end = end.min(first + (HORIZON * 3_600.0) as i64);
    let mut like = (course.cluster, 0, 0);
    let (mut held_since, mut by_person, mut used) = (None, false, 0.0);
    let held = |loss: &mut Loss, since: i64, until: i64| {
        let held = hours(since, until);
        match can_finish {
            true => loss.delay += held,
            false => loss.keep += costs.keep * held / costs.delay.max(1.0),
        }
    };
    // What has not finished by then is removed, and has to be submitted again.
    let mut is_open = true;
    for (at, event) in course.events.iter().take_while(|(at, _)| *at < end) {
        match event {
            Event::Held { code, subcode, run, .. } => {
                if by_person {
                    loss.failures += 1.0;
                    loss.failed += costs.failed + run;
                }
                used += run;
                like = (course.cluster, *code, *subcode);
                (held_since, by_person) = (Some(*at), false);
            }
            Event::Looked => shared.add(&mut loss, like, [Kind::Look].into(), *at),
            Event::Changed(fixes) if fixes.is_empty() => {}
            Event::Changed(fixes) => {
                shared.add(&mut loss, like, fixes.iter().map(Kind::of).collect(), *at);
            }
            Event::Released { person } => {
                held_since.take().into_iter().for_each(|since| held(&mut loss, since, *at));
                by_person = *person;
                loss.releases += f64::from(u8::from(*person));
            }
            Event::Removed { used: all } => {
                held_since.take().into_iter().for_each(|since| held(&mut loss, since, *at));
                used = *all;
                break;
            }
            Event::Ended { success: true, .. } => {
                loss.finished += 1.0;
                is_open = false;
                break;
            }
            Event::Ended { run, .. } => {
                if by_person {
                    loss.failures += 1.0;
                    loss.failed += costs.failed + run;
                }
                used += run;
                break;
            }
        }
    }
    held_since.into_iter().for_each(|since| held(&mut loss, since, end));
    if is_open && can_finish {
        loss.work += costs.delay + costs.work + used;
    }
    loss
}

#[cfg(test)]
mod tests {
    use holdadvise_simulate::Cause;

    use super::*;

    const HOUR: i64 = 3_600;

    fn hold(run: f64) -> Event {
        Event::Held { cause: Cause::Bug, code: 34, subcode: 102, run }
    }

    fn course(events: &[(i64, Event)]) -> Course {
        let events = events.iter().map(|(at, event)| (at * HOUR, event.clone())).collect();
        Course { cluster: 1, proc: 0, submitted: 0, events }
    }

    fn loss(events: &[(i64, Event)], can_finish: bool) -> Loss {
        let costs = Costs { keep: 0.8, ..Costs::default() };
        of_job(&course(events), can_finish, costs, 1_000 * HOUR, &mut Shared::default())
    }

    const DONE: Event = Event::Ended { success: true, run: 1.0 };
    const RELEASED: Event = Event::Released { person: true };

    #[test]
    fn a_failed_release_costs_its_run_and_the_delay_counts() {
        let events = [(0, hold(0.0)), (2, RELEASED), (5, hold(3.0)), (9, RELEASED), (10, DONE)];
        let loss = loss(&events, true);
        assert_eq!((loss.failed, loss.delay, loss.work), (11.0, 6.0, 0.0));
        assert_eq!((loss.releases, loss.failures, loss.finished), (2.0, 1.0, 1.0));
    }

    #[test]
    fn what_htcondor_releases_is_nobodys_failure() {
        let released = Event::Released { person: false };
        let loss = loss(&[(0, hold(0.0)), (1, released), (2, hold(1.0))], true);
        assert_eq!((loss.failed, loss.failures, loss.releases), (0.0, 0.0, 0.0));
    }

    #[test]
    fn what_could_finish_costs_its_work_and_what_could_not_is_cheap_to_keep() {
        let left = [(0, hold(0.5))];
        let (able, lost) = (loss(&left, true), loss(&left, false));
        assert_eq!((able.delay, able.work, able.keep), (HORIZON, 16.5, 0.0));
        assert_eq!((lost.delay, lost.work), (0.0, 0.0));
        assert!((lost.keep - 16.8).abs() < 1e-9, "{lost:?}");
        let removed = [(0, hold(0.5)), (2, Event::Removed { used: 4.0 })];
        assert_eq!(loss(&removed, true).hours(), 2.0 + 20.0);
    }

    #[test]
    fn like_jobs_of_a_day_share_a_person() {
        let changed = Event::Changed(vec![Fix::Memory(1)]);
        let events = [(0, hold(0.0)), (1, changed.clone()), (1, RELEASED), (2, DONE)];
        let (mut shared, costs) = (Shared::default(), Costs::default());
        let of = |events: &[(i64, Event)], shared: &mut Shared| {
            of_job(&course(events), true, costs, 1_000 * HOUR, shared).person
        };
        assert_eq!((of(&events, &mut shared), of(&events, &mut shared)), (1.0, 0.0));
        let later = events.map(|(at, event)| (at + 9, event));
        assert_eq!(of(&later, &mut shared), 1.0);
    }

    #[test]
    fn what_does_not_end_in_success_is_lost() {
        let held = (0, hold(0.0));
        assert!(finishes(&course(&[held.clone(), (2, RELEASED), (3, DONE)])));
        assert!(!finishes(&course(&[held.clone(), (2, RELEASED), (169, DONE)])));
        assert!(!finishes(&course(&[held])));
    }
}
