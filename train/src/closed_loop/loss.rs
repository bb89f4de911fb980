//! What the courses of jobs cost, in hours: the costs of `docs/developing/advice.md`, with the
//! delays that came.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::AddAssign;

use holdadvise::advice::Costs;
use holdadvise_simulate::{Course, Event, Fix, Thing};
use serde::Serialize;

/// Hours after its first hold at which a job that has not ended is removed.
pub(super) const HORIZON: f64 = 168.0;

/// Hours within which one look of a person serves all like jobs of a cluster: a working day.
const DAY: f64 = 8.0;

/// ClusterId and ProcId.
pub(super) type Job = (i32, i32);

/// What a held job needs, by what the clairvoyant did about its first hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Need {
    /// It was held for memory or disk: a larger request, or a run that needs less.
    Size,
    /// Something else is changed.
    Change,
    /// It is released as it is, later than when a person comes.
    Time,
    /// It is released as it is, at once.
    Nothing,
    /// It does not finish.
    Lost,
}

impl Need {
    pub(super) const ALL: [Self; 5] =
        [Self::Size, Self::Change, Self::Time, Self::Nothing, Self::Lost];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Change => "change",
            Self::Time => "time",
            Self::Nothing => "nothing",
            Self::Lost => "lost",
        }
    }

    /// Of a course under the clairvoyant.
    fn of(course: &Course) -> Self {
        let events = &course.events;
        let time = |wanted: fn(&Event) -> bool| {
            events.iter().find(|(_, event)| wanted(event)).map(|(at, _)| *at)
        };
        if !finishes(course) {
            return Self::Lost;
        }
        if let Some((_, Event::Held { cause, .. })) = events.first()
            && cause.is_of_size()
        {
            return Self::Size;
        }
        let came = time(|event| *event == Event::Came);
        let released = time(|event| matches!(event, Event::Released { .. }));
        let changed = time(|event| matches!(event, Event::Changed(_)));
        match (came, released, changed) {
            (_, Some(released), Some(changed)) if changed <= released => Self::Change,
            (Some(came), Some(released), _) if came < released => Self::Time,
            _ => Self::Nothing,
        }
    }
}

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

/// What each job needs.
pub(super) fn needs(clairvoyant: &[Course], before: i64) -> BTreeMap<Job, Need> {
    counted(clairvoyant, before).map(|course| (job(course), Need::of(course))).collect()
}

fn job(course: &Course) -> Job {
    (course.cluster, course.proc)
}

/// Courses of jobs that were submitted before an instant.
fn counted(courses: &[Course], before: i64) -> impl Iterator<Item = &Course> {
    courses.iter().filter(move |course| course.submitted < before)
}

/// Hours and counts of some jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Loss {
    /// Jobs that were held.
    pub(super) jobs: f64,
    /// Releases by persons, and how many of them failed.
    pub(super) releases: f64,
    pub(super) failures: f64,
    pub(super) removals: f64,
    pub(super) finished: f64,
    /// Hours of failed releases.
    pub(super) failed: f64,
    /// Hours that jobs were held that could finish.
    pub(super) delay: f64,
    /// Hours of keeping jobs that could not.
    pub(super) keep: f64,
    /// Hours of getting jobs again that could have finished.
    pub(super) work: f64,
    /// Times that a person changed something by commands.
    pub(super) commands: f64,
    /// Times that a person looked, or changed something by hand.
    pub(super) by_hand: f64,
}

impl AddAssign for Loss {
    fn add_assign(&mut self, other: Self) {
        self.jobs += other.jobs;
        self.releases += other.releases;
        self.failures += other.failures;
        self.removals += other.removals;
        self.finished += other.finished;
        self.failed += other.failed;
        self.delay += other.delay;
        self.keep += other.keep;
        self.work += other.work;
        self.commands += other.commands;
        self.by_hand += other.by_hand;
    }
}

/// Hours of a person, for a change by commands, and for a look or a change by hand.
pub(super) type Person = (f64, f64);

impl Loss {
    /// All hours.
    pub(super) fn hours(&self, (commands, by_hand): Person) -> f64 {
        let person = self.commands * commands + self.by_hand * by_hand;
        self.failed + self.delay + self.keep + self.work + person
    }
}

/// The loss at one access point by what jobs need.
pub(super) fn of_access_point(
    courses: &[Course],
    needs: &BTreeMap<Job, Need>,
    costs: Costs,
    (before, end): (i64, i64),
) -> BTreeMap<Need, Loss> {
    let mut all: BTreeMap<Need, Loss> = BTreeMap::new();
    let mut person = Shared::default();
    // In the order of what a person did first, so that who pays does not depend on the number.
    let mut courses: Vec<&Course> = counted(courses, before).collect();
    courses.sort_by_key(|course| course.events.first().map(|(at, _)| *at));
    for course in courses {
        let need = needs.get(&job(course)).copied().unwrap_or(Need::Nothing);
        *all.entry(need).or_default() +=
            of_job(course, need != Need::Lost, costs, end, &mut person);
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

    fn is_by_hand(self) -> bool {
        match self {
            Self::Memory | Self::Disk | Self::Site | Self::Thing(Thing::RunTime) => false,
            Self::Look | Self::Thing(_) => true,
        }
    }
}

impl Shared {
    /// Adds a person's look, unless one of the same day served this job too.
    fn add(&mut self, loss: &mut Loss, like: (i32, i32, i32), kinds: BTreeSet<Kind>, at: i64) {
        let by_hand = kinds.iter().any(|kind| kind.is_by_hand());
        let last = self.0.entry((like.0, like.1, like.2, kinds)).or_insert(i64::MIN / 2);
        if hours(*last, at).abs() < DAY {
            return;
        }
        *last = at;
        if by_hand {
            loss.by_hand += 1.0;
        } else {
            loss.commands += 1.0;
        }
    }
}

fn of_job(course: &Course, can_finish: bool, costs: Costs, end: i64, shared: &mut Shared) -> Loss {
    let mut loss = Loss { jobs: 1.0, ..Loss::default() };
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
            Event::Came => {}
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
                loss.removals += 1.0;
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
        assert_eq!(loss(&removed, true).hours((1.0, 1.0)), 2.0 + 20.0);
    }

    #[test]
    fn like_jobs_of_a_day_share_a_person() {
        let changed = Event::Changed(vec![Fix::Memory(1)]);
        let events = [(0, hold(0.0)), (1, changed.clone()), (1, RELEASED), (2, DONE)];
        let (mut shared, costs) = (Shared::default(), Costs::default());
        let of = |events: &[(i64, Event)], shared: &mut Shared| {
            of_job(&course(events), true, costs, 1_000 * HOUR, shared).commands
        };
        assert_eq!((of(&events, &mut shared), of(&events, &mut shared)), (1.0, 0.0));
        let later = events.map(|(at, event)| (at + 9, event));
        assert_eq!(of(&later, &mut shared), 1.0);
    }

    #[test]
    fn what_a_job_needs_is_what_the_clairvoyant_does() {
        let need = |events: &[(i64, Event)]| Need::of(&course(events));
        let changed = (2, Event::Changed(Vec::new()));
        let came = (2, Event::Came);
        let held = (0, hold(0.0));
        let at_once = [held.clone(), came.clone(), (2, RELEASED), (3, DONE)];
        let later = [held.clone(), came.clone(), (7, RELEASED), (8, DONE)];
        let after = [held.clone(), came, changed, (2, RELEASED), (3, DONE)];
        assert_eq!(
            [need(&at_once), need(&later), need(&after)],
            [Need::Nothing, Need::Time, Need::Change]
        );
        assert_eq!(need(&[held]), Need::Lost);
        let size = Event::Held { cause: Cause::DiskVaries, code: 34, subcode: 104, run: 1.0 };
        assert_eq!(need(&[(0, size.clone()), (2, RELEASED), (3, DONE)]), Need::Size);
        assert_eq!(need(&[(0, size)]), Need::Lost);
    }
}
