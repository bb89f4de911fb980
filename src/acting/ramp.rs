//! How many jobs that are held for one cause may be released at a time.
//!
//! A server that has come back is taken down again by a thousand jobs that ask it at once. Releases
//! for one cause therefore begin with one job. Where it gets through, five follow, then 25, each
//! after as many have got through as were allowed before. The first that fails ends it: after a
//! pause it begins with one job again, and becomes half as wide as it was. Where transfers become
//! slower it becomes as much narrower. From there on it grows by one job a stage. Failures of one
//! owner alone hold up that owner (`lone.rs`).
//!
//! What gets through of one owner shows that the server bears it, and little of the jobs of others:
//! they may name other files, or nothing that can fail. So each owner has stages too, of what counts
//! for that owner: own jobs that got through, and those of several others. Owners of whom nothing
//! got through have theirs together.

use std::collections::{HashMap, HashSet};

use super::lone::part;

/// Releases of the first stage.
const FIRST: usize = 1;

/// Each stage is so many times as wide as the one before. Assumed.
const WIDER: usize = 5;

/// Seconds after a failure until the next release, and times that after each further failure.
/// Assumed: as long as until a first try.
const PAUSE: i64 = 600;
const LONGER: i64 = 3;

/// Pauses become no longer than a day.
const LONGEST_PAUSE: i64 = 86_400;

/// Seconds after which a release that shows nothing does not hold up others: as for a try.
const MOST_OPEN: i64 = 3_600;

/// Seconds for which a release counts: a day.
const REMEMBERED: i64 = 86_400;

/// Seconds by which clocks may differ.
const AHEAD: i64 = 60;

/// Transfers that take so many times as long as those of narrower stages show that the server has
/// no more to give. Assumed.
const SLOWER: f64 = 1.5;

/// Transfers shorter than this are not compared, s: times are whole seconds.
const LEAST_TOOK: f64 = 5.0;

/// A release for a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// When, Unix seconds.
    pub at: i64,
    /// When it ended and whether it got through. `None`: it goes on.
    pub ended: Option<(i64, bool)>,
    /// Seconds that its input took to arrive, where that is known.
    pub took: Option<i64>,
    /// Whose job it was, as [`crate::journal::owner_of`] has it.
    pub owner: u64,
}

impl Attempt {
    /// Whether it took a turn of its owner within the last day, and nothing got through.
    pub(super) fn is_turn(&self, now: i64) -> bool {
        now.saturating_sub(self.at) < REMEMBERED && self.ended.is_none_or(|(_, through)| !through)
    }
}

/// The pauses after failures: the first is short, each further one longer.
#[derive(Debug, Default)]
pub(super) struct Pauses {
    /// Failures.
    count: u32,
    /// The end of the last pause, Unix seconds.
    pub(super) until: Option<i64>,
}

impl Pauses {
    /// Seconds of the first pause.
    pub(super) const FIRST: i64 = PAUSE;

    /// A failure at this time, not before those added earlier; whether it is one of its own: those
    /// that were on their way together are one.
    pub(super) fn add(&mut self, at: i64) -> bool {
        if self.until.is_some_and(|until| at < until) {
            return false;
        }
        let pause = LONGER.saturating_pow(self.count).saturating_mul(PAUSE).min(LONGEST_PAUSE);
        self.until = Some(at.saturating_add(pause));
        self.count += 1;
        true
    }
}

/// How many more may be released now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// How many may be on their way at a time.
    pub width: usize,
    /// How many are.
    pub open: usize,
    /// Nothing is released until then, Unix seconds: the last one failed.
    pub until: Option<i64>,
    /// Owners of whom nothing is released until then, Unix seconds: theirs alone failed.
    pub held_up: HashMap<u64, i64>,
    /// The releases that count, by their ends.
    attempts: Vec<Attempt>,
    /// How many may be on their way at a time, whatever came of them.
    most: usize,
    /// Owners of whom some got through since the last failure.
    through: HashSet<u64>,
}

impl Room {
    /// How many more may be released now.
    pub fn left(&self) -> usize {
        match self.until {
            Some(_) => 0,
            None => self.width.saturating_sub(self.open),
        }
    }

    /// Those with whom an owner shares stages: alone, or `None` with all of whom nothing got
    /// through.
    pub fn group_of(&self, owner: u64) -> Option<u64> {
        self.through.contains(&owner).then_some(owner)
    }

    /// How many jobs of such a group may be on their way at a time, and how many more that is now.
    pub fn of_group(&self, group: Option<u64>) -> (usize, usize) {
        let width = Stages::of(&self.attempts, self.most, |owner| Some(owner) == group).width();
        let is_open = |one: &&Attempt| one.ended.is_none() && self.group_of(one.owner) == group;
        (width, width.saturating_sub(self.attempts.iter().filter(is_open).count()))
    }
}

/// What the releases for a cause so far leave room for. `most`: how many of one cause may be on
/// their way at a time, whatever came of the others.
pub fn room(attempts: &[Attempt], most: usize, now: i64) -> Room {
    // What is older shows nothing of now, and what lies ahead is a clock's fault.
    let counts =
        |at: i64| (now.saturating_sub(REMEMBERED)..=now.saturating_add(AHEAD)).contains(&at);
    let is_known = |one: &&Attempt| counts(one.at) && one.ended.is_none_or(|(at, _)| counts(at));
    let attempts: Vec<Attempt> = attempts.iter().filter(is_known).copied().collect();
    let (mut attempts, mut held_up) = part(&attempts);
    held_up.retain(|_, until| *until > now);
    // One that shows nothing for long is no longer taken to be on its way.
    attempts.retain(|one| one.ended.is_some() || now.saturating_sub(one.at) < MOST_OPEN);
    // Of ends of one second a failure counts last.
    attempts.sort_by_key(|one| (one.ended.map(|(at, through)| (at, !through)), one.at));
    let open = attempts.iter().filter(|one| one.ended.is_none()).count();
    let most = most.max(1);
    let stages = Stages::of(&attempts, most, |_| true);
    let until = stages.pauses.until.filter(|until| *until > now);
    let (width, through) = (stages.width(), stages.owners);
    Room { width, open, until, held_up, attempts, most, through }
}

/// The stages that ends of releases make.
struct Stages {
    width: usize,
    /// How many got through since the stage began.
    through: Through,
    /// No stage becomes wider.
    most: usize,
    pauses: Pauses,
    /// Owners of whom some got through since the last failure.
    owners: HashSet<u64>,
}

impl Stages {
    /// Of releases in the order of their ends. `is_own`: whose releases count one by one.
    fn of(attempts: &[Attempt], bound: usize, is_own: impl Fn(u64) -> bool) -> Self {
        let mut stage = Self {
            width: FIRST,
            through: Through::default(),
            most: bound,
            pauses: Pauses::default(),
            owners: HashSet::new(),
        };
        let mut narrow = Times::default();
        for one in attempts {
            let Some((at, ok)) = one.ended else { continue };
            if !ok {
                // That one alone failed shows nothing of how many are too many.
                if stage.pauses.add(at) && stage.width > FIRST {
                    stage.most = (stage.width / 2).max(FIRST);
                }
                (stage.width, stage.through) = (FIRST, Through::default());
                stage.owners.clear();
                narrow.end_stage();
                continue;
            }
            stage.through.add(one.owner, is_own(one.owner));
            stage.owners.insert(one.owner);
            narrow.add(one.took);
            if stage.through.count() >= stage.width {
                match narrow.slower() {
                    Some(ratio) => stage.most = ((stage.width as f64 / ratio) as usize).max(FIRST),
                    None if stage.width == stage.most => stage.most = (stage.most + 1).min(bound),
                    None => {}
                }
                narrow.end_stage();
                stage.width = (stage.width.saturating_mul(WIDER)).min(stage.most);
                stage.through = Through::default();
            }
        }
        stage
    }

    fn width(&self) -> usize {
        self.width.min(self.most)
    }
}

/// What got through in a stage.
#[derive(Default)]
struct Through {
    own: usize,
    others: HashMap<u64, usize>,
    of_others: usize,
    /// The most of one other owner.
    most: usize,
}

impl Through {
    fn add(&mut self, owner: u64, is_own: bool) {
        if is_own {
            self.own += 1;
            return;
        }
        let of_owner = self.others.entry(owner).or_default();
        *of_owner += 1;
        self.of_others += 1;
        self.most = self.most.max(*of_owner);
    }

    /// How many count: one other owner for no more than all the remaining ones together.
    fn count(&self) -> usize {
        self.own + self.of_others.min(2 * (self.of_others - self.most))
    }
}

/// How long transfers took: in the stage that goes on, and at best in one before.
#[derive(Default)]
struct Times {
    now: Vec<i64>,
    best: Option<f64>,
}

impl Times {
    fn add(&mut self, took: Option<i64>) {
        self.now.extend(took);
    }

    fn median(&self) -> Option<f64> {
        let mut times = self.now.clone();
        times.sort_unstable();
        times.get(times.len() / 2).map(|time| (*time as f64).max(LEAST_TOOK))
    }

    /// By how much this stage is slower than the best one, where that is too much.
    fn slower(&self) -> Option<f64> {
        let ratio = self.median()? / self.best?;
        (ratio >= SLOWER).then_some(ratio)
    }

    fn end_stage(&mut self) {
        if let Some(median) = self.median() {
            self.best = Some(self.best.map_or(median, |best| best.min(median)));
        }
        self.now.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MOST: usize = 1_000;

    fn through(at: i64, took: i64) -> Attempt {
        Attempt { at, ended: Some((at.saturating_add(took), true)), took: Some(took), owner: 1 }
    }

    fn failed(at: i64) -> Attempt {
        Attempt { at, ended: Some((at.saturating_add(10), false)), took: None, owner: 1 }
    }

    fn open(at: i64) -> Attempt {
        Attempt { at, ended: None, took: None, owner: 1 }
    }

    fn left(attempts: &[Attempt], now: i64) -> usize {
        room(attempts, MOST, now).left()
    }

    #[test]
    fn stages_are_1_5_and_25_wide() {
        let mut attempts = Vec::new();
        assert_eq!(left(&attempts, 0), 1);
        attempts.push(open(0));
        assert_eq!(left(&attempts, 50), 0);
        attempts[0] = through(0, 20);
        assert_eq!(left(&attempts, 50), 5);
        attempts.extend((0..5).map(|_| open(50)));
        assert_eq!(left(&attempts, 60), 0);
        // Two have got through: two others take their places.
        attempts[1] = through(50, 20);
        attempts[2] = through(50, 20);
        assert_eq!(left(&attempts, 80), 2);
        for attempt in &mut attempts[1..] {
            *attempt = through(50, 20);
        }
        assert_eq!(left(&attempts, 80), 25);
        assert_eq!(room(&attempts, 8, 80).left(), 8);
    }

    #[test]
    fn the_first_failure_ends_it_for_a_while() {
        let mut attempts: Vec<Attempt> = vec![through(0, 20)];
        attempts.extend((0..4).map(|_| through(30, 20)));
        attempts.push(failed(45));
        let room = room(&attempts, MOST, 60);
        assert_eq!((room.left(), room.until), (0, Some(55 + PAUSE)));
        assert_eq!(left(&attempts, 55 + PAUSE), 1);
        // It failed at five: two are enough for now, then one more a stage.
        attempts.extend((0..3).map(|n| through(1_000 + n, 1)));
        assert_eq!(left(&attempts, 2_000), 3);
        attempts.extend((0..3).map(|n| through(1_100 + n, 1)));
        assert_eq!(left(&attempts, 2_000), 4);
        attempts.push(failed(2_000));
        assert_eq!(left(&attempts, 2_010 + LONGER * PAUSE - 1), 0);
        assert_eq!(left(&attempts, 2_010 + LONGER * PAUSE), 1);
    }

    #[test]
    fn a_first_one_that_failed_makes_nothing_narrower() {
        let attempts = [failed(0), through(1_000, 20)];
        assert_eq!(left(&attempts, 1_100), 5);
    }

    #[test]
    fn failures_of_one_stage_are_one() {
        let mut attempts = vec![through(0, 20)];
        attempts.extend((0..5).map(|n| failed(30 + n)));
        assert_eq!(room(&attempts, MOST, 60).until, Some(40 + PAUSE));
    }

    #[test]
    fn a_server_at_its_end_is_given_no_more() {
        let mut attempts = vec![through(0, 20)];
        attempts.extend((0..5).map(|_| through(50, 20)));
        attempts.extend((0..25).map(|_| through(100, 50)));
        assert_eq!(left(&attempts, 200), 10);
        // It is tried with one more at a time.
        attempts.extend((0..10).map(|_| through(200, 20)));
        assert_eq!(left(&attempts, 300), 11);
        attempts.extend((0..11).map(|_| through(300, 30)));
        assert_eq!(left(&attempts, 400), 7);
    }

    #[test]
    fn old_releases_and_those_of_the_future_show_nothing() {
        let all = |at: i64| vec![through(at, 1); 100];
        assert_eq!(left(&all(0), REMEMBERED + 10), 1);
        assert_eq!(left(&all(10_000), 100), 1);
        assert_eq!(left(&[failed(i64::MAX - 10)], 100), 1);
        assert_eq!(left(&all(i64::MIN), 100), 1);
    }

    #[test]
    fn what_shows_nothing_for_an_hour_holds_up_nobody() {
        assert_eq!(left(&[open(0)], MOST_OPEN - 1), 0);
        assert_eq!(left(&[open(0)], MOST_OPEN), 1);
    }

    proptest! {
        /// What one other owner shows counts for no more than all the remaining ones do.
        #[test]
        fn no_owner_widens_the_stages_of_others(
            ends in prop::collection::vec((0..5_u64, 0..9_u8), 0..200),
            mallorys in 0..400_usize,
            at in 0..200_usize,
        ) {
            const MALLORY: u64 = 9;
            let mut order: Vec<(u64, bool)> =
                ends.iter().map(|&(owner, end)| (owner, end > 0)).collect();
            let at = at.min(order.len());
            order.splice(at..at, std::iter::repeat_n((MALLORY, true), mallorys));
            let attempt = |(at, &(owner, ok)): (usize, &(u64, bool))| {
                let at = i64::try_from(at).unwrap();
                Attempt { at, ended: Some((at, ok)), took: None, owner }
            };
            let attempts: Vec<Attempt> = order.iter().enumerate().map(attempt).collect();
            let room = room(&attempts, MOST, 1_000);
            for owner in 0..6 {
                let group = room.group_of(owner);
                let shown: usize = order
                    .iter()
                    .map(|&(whose, ok)| match whose {
                        _ if !ok => 0,
                        MALLORY => 0,
                        whose if Some(whose) == group => 1,
                        _ => 2,
                    })
                    .sum();
                let (width, left) = room.of_group(group);
                // A stage is so many times as wide as what the one before took.
                let most = if shown == 0 { FIRST } else { WIDER * shown };
                prop_assert!(width <= most, "{owner}: {width} of {shown}");
                prop_assert!(left <= width);
            }
        }
    }
}
