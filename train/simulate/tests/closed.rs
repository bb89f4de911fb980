//! A policy in the place of people: it is asked, what it says is done, and what it does not touch
//! stays as it is.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use holdadvise_simulate::{
    Cause, Course, Deed, Event, Fix, HeldNow, Loop, Policy, Preset, Settings, Spread, Thing,
    simulate_closed,
};

fn settings(seed: u64, folder: &Path) -> Settings {
    Settings::new(Preset::load_with("small", &["faults-3".to_owned()]).unwrap(), seed, 4, folder)
}

struct By<F>(F);

impl<F: FnMut(&HeldNow<'_>) -> Deed> Policy for By<F> {
    fn decide(&mut self, held: &HeldNow<'_>) -> Deed {
        (self.0)(held)
    }
}

fn played(how: Loop, policy: impl FnMut(&HeldNow<'_>) -> Deed + 'static) -> Vec<Course> {
    let folder = tempfile::tempdir().unwrap();
    simulate_closed(&settings(7, folder.path()), Box::new(By(policy)), how).unwrap()
}

type First = (i64, Event);

/// The first hold of each job.
fn firsts(courses: &[Course]) -> BTreeMap<(i32, i32), First> {
    let first = |course: &Course| ((course.cluster, course.proc), course.events[0].clone());
    courses.iter().map(first).collect()
}

#[test]
fn policies_meet_the_same_first_holds() {
    let left = played(Loop::default(), |_| Deed::Leave);
    let released = played(Loop::default(), |_| Deed::Release);
    let (left, released) = (firsts(&left), firsts(&released));
    let same = left.iter().filter(|(job, first)| released.get(job) == Some(first)).count();
    // Where one job's end makes another's input, or takes its slot, they differ.
    assert!(left.len() > 30, "{}", left.len());
    assert!(same * 100 >= left.len() * 90, "{same} of {}", left.len());
}

#[test]
fn the_same_policy_gives_the_same_courses() {
    let courses = || format!("{:?}", played(Loop::default(), |_| Deed::Release));
    assert_eq!(courses(), courses());
}

#[test]
fn a_person_comes_after_the_delay_and_again_after_a_wait() {
    let how = Loop { person: Spread { median: 2.0, sigma: 0.0 }, ..Loop::default() };
    let came = Rc::new(RefCell::new(Vec::new()));
    let seen = Rc::clone(&came);
    played(how, move |held| {
        seen.borrow_mut().push((held.came, held.now - held.held_at));
        match held.came {
            0 => Deed::Wait { until: held.held_at + 10 * 3_600 },
            _ => Deed::Leave,
        }
    });
    let came = came.borrow();
    assert!(came.iter().any(|(count, _)| *count == 1));
    for &(count, after) in came.iter() {
        assert_eq!(after, if count == 0 { 7_200 } else { 12 * 3_600 });
    }
}

/// Of holds with something to be put right, how many are held again for the same after the change.
fn again(change: impl Fn(Thing) -> Thing + 'static) -> (usize, usize) {
    let courses = played(Loop::default(), move |held| {
        let cause = held.hidden.cause().unwrap();
        // Those of sites cannot be raised.
        match Thing::of(cause).filter(|wrong| held.num_holds == 1 && *wrong != Thing::RunTime) {
            Some(wrong) => Deed::Change(vec![Fix::Thing(change(wrong))]),
            None => Deed::Remove,
        }
    });
    let mut counts = (0, 0);
    let cause = |event: Option<&(i64, Event)>| match event {
        Some((_, Event::Held { cause, .. })) => Some(*cause),
        _ => None,
    };
    for Course { events, .. } in &courses {
        if events.iter().any(|(_, event)| matches!(event, Event::Changed(_))) {
            counts.1 += 1;
            counts.0 += usize::from(cause(events.first()) == cause(events.get(4)));
        }
    }
    counts
}

#[test]
fn a_change_helps_only_where_it_is_of_what_is_wrong() {
    let (right, of) = again(|wrong| wrong);
    assert!(of >= 20 && right == 0, "{right} of {of}");
    let other = |wrong| if wrong == Thing::Image { Thing::Space } else { Thing::Image };
    let (wrong, of) = again(other);
    // The others pass, or somebody else puts them right.
    assert!(of >= 20 && wrong * 10 > of * 3, "{wrong} of {of}");
}

#[test]
fn a_limit_on_run_time_that_the_job_sets_itself_can_be_raised() {
    let own = |event: &Event| matches!(event, Event::Held { code: 46 | 47, .. });
    let courses = played(Loop::default(), |held| match held.code {
        46 | 47 => Deed::Change(vec![Fix::Thing(Thing::RunTime)]),
        _ => Deed::Remove,
    });
    let (mut changed, mut again) = (0, 0);
    for Course { events, .. } in &courses {
        if let [(_, Event::Held { cause: Cause::TooLong, .. }), rest @ ..] = &events[..] {
            changed += rest.iter().filter(|(_, event)| matches!(event, Event::Changed(_))).count();
            again += rest.iter().filter(|(_, event)| own(event)).count();
        }
    }
    assert!(changed > 0 && again == 0, "{again} of {changed}");
}

#[test]
fn what_is_foreseen_happens() {
    let said = Rc::new(RefCell::new(BTreeMap::new()));
    let noted = Rc::clone(&said);
    let courses = played(Loop::default(), move |held| {
        let ends = held.hidden.foresee(&[], held.now);
        noted.borrow_mut().insert((held.cluster, held.proc, held.now), ends);
        Deed::Release
    });
    let (mut right, mut of) = (0, 0);
    for Course { cluster, proc, events, .. } in &courses {
        for pair in events.windows(2) {
            let (at, Event::Released { person: true }) = &pair[0] else { continue };
            let foreseen = said.borrow()[&(*cluster, *proc, *at)];
            let became = match pair[1] {
                (end, Event::Ended { success: true, .. }) => Some(end),
                _ => None,
            };
            of += 1;
            right += usize::from(became == foreseen);
        }
    }
    assert!(of > 100, "{of}");
    // Slots that are taken, and inputs that others make, are not foreseen.
    assert!(right * 100 >= of * 95, "{right} of {of}");
}

#[test]
fn looks_are_given_where_they_are_asked_for() {
    let how = Loop { looks: true, ..Loop::default() };
    let count = Rc::new(RefCell::new((0, 0)));
    let seen = Rc::clone(&count);
    played(how, move |held| {
        let record: holdadvise::checks::Recorded =
            serde_json::from_str(held.looks.expect("asked for")).unwrap();
        assert_eq!(record.time, held.now);
        let mut count = seen.borrow_mut();
        count.0 += usize::from(!record.answers.is_empty());
        count.1 += 1;
        Deed::Leave
    });
    let (with, of) = *count.borrow();
    assert!(of > 30 && with == of, "{with} of {of}");
}
