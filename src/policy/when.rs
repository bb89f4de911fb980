//! When a condition becomes true if nothing but time changes.

use std::cmp::Ordering;
use std::ops::Range;

/// Evaluations spent at a regular step on conditions that come and go: a day at one minute.
const STEPS: i64 = 1440;

/// The sign of a comparison over time: left side less right side.
pub(crate) trait Sign {
    /// At a time; `None` where it is no number.
    fn at(&self, time: i64) -> Option<Ordering>;

    /// About when both sides are equal, where that is known.
    fn equal(&self) -> Option<i64> {
        None
    }
}

impl<F: Fn(i64) -> Option<Ordering>> Sign for F {
    fn at(&self, time: i64) -> Option<Ordering> {
        self(time)
    }
}

/// The first of these times at which `at` gives something, rounded up to a `tick`, for what changes
/// only where the sign of one of its comparisons does.
pub(crate) fn first<'a, T>(
    signs: impl IntoIterator<Item = &'a (impl Sign + 'a)>,
    times: Range<i64>,
    tick: impl Fn(i64) -> i64,
    mut at: impl FnMut(i64) -> Option<T>,
) -> Option<(i64, T)> {
    let mut found = vec![times.start];
    for sign in signs {
        let next = next_change(sign, times.clone());
        // From below zero to zero, and from zero on.
        let second = next.and_then(|next| next_change(sign, next..times.end));
        let ticks = next.into_iter().chain(second).map(&tick);
        found.extend(ticks.filter(|tick| times.contains(tick)));
    }
    found.sort_unstable();
    found.dedup();
    found.into_iter().find_map(|time| Some((time, at(time)?)))
}

/// The first of the times from the first of these on, `step` apart, at which `at` gives something.
pub(crate) fn every<T>(
    times: Range<i64>,
    step: i64,
    mut at: impl FnMut(i64) -> Option<T>,
) -> Option<(i64, T)> {
    let mut time = times.start;
    while time < times.end {
        if let Some(found) = at(time) {
            return Some((time, found));
        }
        time = time.saturating_add(step);
    }
    None
}

/// The first time after the first of these at which the sign is another. Differences that only grow,
/// or only fall, however they are rounded, as those of `time() - x > c`, can be searched for.
fn next_change(sign: &impl Sign, times: Range<i64>) -> Option<i64> {
    let (from, last) = (times.start, times.end - 1);
    let now = sign.at(from);
    let is_other = |time: i64| sign.at(time) != now;
    if last <= from || !is_other(last) {
        return None;
    }
    let Some(equal) = sign.equal() else { return Some(bisect(from, last, is_other)) };
    let before = equal.saturating_sub(2).clamp(from, last);
    let after = before.saturating_add(4).min(last);
    Some(match (is_other(before), is_other(after)) {
        (false, true) => bisect(before, after, is_other),
        (false, false) => bisect(after, last, is_other),
        (true, _) => bisect(from, before, is_other),
    })
}

/// A condition over time.
pub(super) struct Condition<'a, S> {
    /// Whether it holds at a time, Unix seconds.
    pub(super) holds: &'a dyn Fn(i64) -> bool,
    /// Of each comparison in it.
    pub(super) signs: &'a [S],
    /// It may come and go (remainders, parts of dates).
    pub(super) periodic: bool,
}

impl<S: Sign> Condition<'_, S> {
    /// The first second from `now` to `now + horizon` at which it holds, as far as this search sees;
    /// it does hold at the second returned. Where it may come and go it is also tried every `step`
    /// seconds for a day's worth of minutes, as the schedd would try it.
    pub(super) fn first(&self, now: i64, horizon: i64, step: i64) -> Option<i64> {
        let end = now.saturating_add(horizon);
        let holds = |at: i64| (self.holds)(at).then_some(());
        let found = first(self.signs, now..end.saturating_add(1), |time| time, holds);
        let found = found.map(|(at, ())| at);
        if !self.periodic {
            return found;
        }
        let step = step.max(1);
        let last = found.unwrap_or(end).min(now.saturating_add(step.saturating_mul(STEPS)));
        let seen = every(now..last, step, |at| {
            let next = at.saturating_add(step).min(last);
            (self.holds)(next).then(|| bisect(at, next, self.holds))
        });
        seen.map(|(_, at)| at).or(found)
    }
}

/// The first second in `(from, to]` at which it holds, where it holds at `to`.
fn bisect(mut from: i64, mut to: i64, holds: impl Fn(i64) -> bool) -> i64 {
    while to - from > 1 {
        let middle = from + (to - from) / 2;
        if holds(middle) { to = middle } else { from = middle }
    }
    to
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn over(entered: i64, limit: i64) -> impl Fn(i64) -> Option<Ordering> {
        move |at| Some((at - entered).cmp(&limit))
    }

    const NONE: [fn(i64) -> Option<Ordering>; 0] = [];

    proptest! {
        #[test]
        fn delays_end_at_the_second(entered in 0_i64..1000, limit in 0_i64..5000, now in 0_i64..2000) {
            let holds = |at: i64| at - entered > limit;
            let sign = over(entered, limit);
            let condition = Condition { holds: &holds, signs: &[sign], periodic: false };
            prop_assert_eq!(condition.first(now, 100_000, 60), Some(now.max(entered + limit + 1)));
        }

        #[test]
        fn windows_are_found(open in 1_i64..5000, length in 1_i64..500) {
            // Two comparisons of opposite sense.
            let holds = |at: i64| at >= open && at < open + length;
            let (a, b) = (over(0, open), over(0, open + length));
            let condition = Condition { holds: &holds, signs: &[a, b], periodic: false };
            prop_assert_eq!(condition.first(0, 100_000, 60), Some(open));
        }

        #[test]
        fn remainders_are_found(period in 120_i64..5000) {
            let holds = |at: i64| at % period >= period - 61;
            let condition = Condition { holds: &holds, signs: &NONE, periodic: true };
            prop_assert_eq!(condition.first(0, 100_000, 60), Some(period - 61));
        }
    }

    #[test]
    fn equality_is_met_at_its_second() {
        let holds = |at: i64| at == 777;
        let sign = over(0, 777);
        let condition = Condition { holds: &holds, signs: &[sign], periodic: false };
        assert_eq!(condition.first(0, 1000, 60), Some(777));
    }

    #[test]
    fn never_is_none_and_ends() {
        let holds = |_: i64| false;
        let none = |_: i64| None::<Ordering>;
        let condition = Condition { holds: &holds, signs: &[none], periodic: true };
        assert_eq!(condition.first(i64::MAX - 5, i64::MAX, 0), None);
    }
}
