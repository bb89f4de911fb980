//! When something is in trouble: intervals drawn beforehand, so that the truth at any instant is
//! known.

use crate::random::{Dice, Spread};

/// One stretch of trouble.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Trouble<K> {
    /// Unix seconds of its begin.
    pub(crate) start: i64,
    /// Unix seconds from which on it is in full force.
    pub(crate) full: i64,
    /// Unix seconds of its end; it is over then.
    pub(crate) end: i64,
    /// What is wrong.
    pub(crate) kind: K,
    /// Probability that what meets it in full force fails.
    pub(crate) severity: f64,
}

/// Share of its full force with which trouble begins.
const FORCE_AT_FIRST: f64 = 0.2;

impl<K> Trouble<K> {
    /// Probability that what meets it at an instant between its begin and its end fails: it grows
    /// as more and more hosts, requests or mounts are affected.
    fn severity_at(&self, instant: i64) -> f64 {
        if instant >= self.full {
            return self.severity;
        }
        let grown = (instant - self.start) as f64 / (self.full - self.start) as f64;
        self.severity * (FORCE_AT_FIRST + (1.0 - FORCE_AT_FIRST) * grown)
    }
}

/// How long trouble lasts, how often it comes, and how it grows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rhythm {
    /// Days without trouble on average.
    pub(crate) days_between: f64,
    pub(crate) hours: Spread,
    /// Share of its time in which it grows; 0: it is there all at once.
    pub(crate) grows: f64,
}

/// Stretches of trouble of one thing, in order, without overlap.
#[derive(Clone, Debug)]
pub(crate) struct Schedule<K>(Vec<Trouble<K>>);

impl<K> Default for Schedule<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Copy> Schedule<K> {
    /// Draws trouble between `from` and `to`.
    pub(crate) fn draw(
        dice: &mut Dice,
        (from, to): (i64, i64),
        rhythm: Rhythm,
        mut what: impl FnMut(&mut Dice) -> (K, f64),
    ) -> Self {
        let mut all = Vec::new();
        let mut now = from;
        let gap = rhythm.days_between * 86_400.0;
        while gap.is_finite() && gap > 0.0 {
            let start = now + dice.exponential(gap) as i64 + 1;
            if start >= to {
                break;
            }
            let length = ((dice.spread(rhythm.hours) * 3_600.0) as i64).max(120);
            let full = start + (length as f64 * rhythm.grows * dice.unit()) as i64;
            let (kind, severity) = what(dice);
            all.push(Trouble { start, full, end: start + length, kind, severity });
            now = start + length;
        }
        Self(all)
    }

    /// Takes over trouble that spread from elsewhere, unless there is trouble at that time already.
    fn take_over(&mut self, trouble: Trouble<K>) {
        let index = self.0.partition_point(|known| known.end <= trouble.start);
        if self.0.get(index).is_none_or(|next| next.start >= trouble.end) {
            self.0.insert(index, trouble);
        }
    }

    /// The trouble at an instant.
    #[inline]
    pub(crate) fn at(&self, instant: i64) -> Option<&Trouble<K>> {
        let index = self.0.partition_point(|trouble| trouble.end <= instant);
        self.0.get(index).filter(|trouble| trouble.start <= instant)
    }

    /// The trouble that something meeting it now fails by.
    #[inline]
    pub(crate) fn strikes(&self, instant: i64, dice: &mut Dice) -> Option<K> {
        let trouble = self.at(instant)?;
        dice.chance(trouble.severity_at(instant)).then_some(trouble.kind)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Trouble<K>> {
        self.0.iter()
    }
}

/// Lets trouble spread: with probability `spreads` each reaches one more of the schedules, some
/// minutes later, as those share a network, a storage or a software repository.
pub(crate) fn spread<K: Copy>(schedules: &mut [&mut Schedule<K>], spreads: f64, dice: &mut Dice) {
    if schedules.len() < 2 {
        return;
    }
    let sources: Vec<(usize, Trouble<K>)> = schedules
        .iter()
        .enumerate()
        .flat_map(|(from, schedule)| schedule.iter().map(move |trouble| (from, *trouble)))
        .collect();
    for (from, trouble) in sources {
        if !dice.chance(spreads) {
            continue;
        }
        let to = (from + 1 + dice.below(schedules.len() - 1)) % schedules.len();
        let length = trouble.end - trouble.start;
        let later = (length as f64 * (0.05 + 0.3 * dice.unit())) as i64;
        schedules[to].take_over(Trouble {
            start: trouble.start + later,
            full: trouble.full + later,
            end: trouble.end + (later as f64 * dice.unit()) as i64,
            ..trouble
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RHYTHM: Rhythm =
        Rhythm { days_between: 3.0, hours: Spread { median: 2.0, sigma: 1.0 }, grows: 0.4 };

    #[test]
    fn finds_the_trouble_of_an_instant() {
        let trouble = |start, end| Trouble { start, full: start, end, kind: (), severity: 1.0 };
        let schedule = Schedule(vec![trouble(10, 20), trouble(30, 40)]);
        let at = |instant| schedule.at(instant).map(|trouble| trouble.start);
        assert_eq!(
            [9, 10, 19, 20, 30, 39, 40].map(at),
            [None, Some(10), Some(10), None, Some(30), Some(30), None]
        );
    }

    #[test]
    fn drawn_trouble_is_in_order() {
        let mut dice = Dice::new(3, 0);
        let mut schedules = [RHYTHM; 2]
            .map(|rhythm| Schedule::draw(&mut dice, (0, 86_400 * 90), rhythm, |_| ((), 1.0)));
        let [mut first, mut second] = schedules.each_mut();
        let before = first.iter().count() + second.iter().count();
        spread(&mut [&mut first, &mut second], 0.5, &mut dice);
        let after = first.iter().count() + second.iter().count();
        assert!(before > 20 && after > before + 5, "{before} {after}");
        for schedule in &schedules {
            let mut last = 0;
            for trouble in schedule.iter() {
                assert!(trouble.start >= last && trouble.start < trouble.end);
                assert!(trouble.full >= trouble.start && trouble.full <= trouble.end);
                last = trouble.end;
            }
        }
    }

    #[test]
    fn trouble_grows() {
        let trouble = Trouble { start: 100, full: 200, end: 300, kind: (), severity: 0.5 };
        let severity = [100, 150, 200, 299].map(|at| trouble.severity_at(at));
        for (found, expected) in severity.into_iter().zip([0.1, 0.3, 0.5, 0.5]) {
            assert!((found - expected).abs() < 1e-9, "{severity:?}");
        }
    }
}
