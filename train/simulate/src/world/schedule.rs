//! When something is in trouble: intervals drawn beforehand, so that the truth at any instant is known.

use crate::random::{Dice, Spread};

/// One stretch of trouble.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Trouble<K> {
    /// Unix seconds of its begin.
    pub(crate) start: i64,
    /// Unix seconds of its end; it is over then.
    pub(crate) end: i64,
    /// What is wrong.
    pub(crate) kind: K,
    /// Probability that what meets it fails.
    pub(crate) severity: f64,
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
    /// Draws trouble between `from` and `to`: `gap` days without on average, each of `hours`.
    pub(crate) fn draw(
        dice: &mut Dice,
        (from, to): (i64, i64),
        gap_days: f64,
        hours: Spread,
        mut what: impl FnMut(&mut Dice) -> (K, f64),
    ) -> Self {
        let mut all = Vec::new();
        let mut now = from;
        while gap_days.is_finite() && gap_days > 0.0 {
            let start = now + dice.exponential(gap_days * 86_400.0) as i64 + 1;
            if start >= to {
                break;
            }
            let end = start + ((dice.spread(hours) * 3_600.0) as i64).max(120);
            let (kind, severity) = what(dice);
            all.push(Trouble { start, end, kind, severity });
            now = end;
        }
        Self(all)
    }

    /// The trouble at an instant.
    pub(crate) fn at(&self, instant: i64) -> Option<&Trouble<K>> {
        let index = self.0.partition_point(|trouble| trouble.end <= instant);
        self.0.get(index).filter(|trouble| trouble.start <= instant)
    }

    /// The trouble that something meeting it now fails by.
    pub(crate) fn strikes(&self, instant: i64, dice: &mut Dice) -> Option<K> {
        self.at(instant).filter(|trouble| dice.chance(trouble.severity)).map(|trouble| trouble.kind)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Trouble<K>> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_trouble_of_an_instant() {
        let trouble = |start, end| Trouble { start, end, kind: (), severity: 1.0 };
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
        let hours = Spread { median: 2.0, sigma: 1.0 };
        let schedule = Schedule::draw(&mut dice, (0, 86_400 * 90), 3.0, hours, |_| ((), 1.0));
        assert!(schedule.iter().count() > 10);
        let mut last = 0;
        for trouble in schedule.iter() {
            assert!(trouble.start >= last && trouble.start < trouble.end);
            last = trouble.end;
        }
    }
}
