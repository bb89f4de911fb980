//! When a condition becomes true if nothing but time changes.

/// Evaluations spent at a regular step on conditions that come and go: a day at one minute.
const STEPS: i64 = 1440;

/// A condition over time.
pub(super) struct Condition<'a> {
    /// Whether it holds at a time, Unix seconds.
    pub(super) holds: &'a dyn Fn(i64) -> bool,
    /// For each comparison in it, left side less right side at a time. `None` where one is no
    /// number.
    pub(super) differences: &'a [&'a dyn Fn(i64) -> Option<f64>],
    /// It may come and go (remainders, parts of dates).
    pub(super) periodic: bool,
}

/// The first second from `now` to `now + horizon` at which the condition holds, as far as this
/// search sees; it does hold at the second returned.
///
/// A condition changes only where one of its comparisons does. For each comparison whose sign at
/// the two ends differs the second of the change is found by bisection, which is exact for
/// differences that only grow or only fall, as those of `time() - x > c`. Where the condition may
/// come and go it is also tried every `step` seconds for a day's worth of minutes, as the schedd
/// would try it.
pub(super) fn first(condition: &Condition<'_>, now: i64, horizon: i64, step: i64) -> Option<i64> {
    if (condition.holds)(now) {
        return Some(now);
    }
    let end = now.saturating_add(horizon);
    let mut found: Option<i64> = None;
    for difference in condition.differences {
        for change in changes(*difference, now, end) {
            // A comparison for equality holds at the second of the change only, one by order from
            // there on.
            for at in [change, change.saturating_add(1)] {
                if at <= end && found.is_none_or(|best| at < best) && (condition.holds)(at) {
                    found = Some(at);
                }
            }
        }
    }
    if condition.periodic {
        let step = step.max(1);
        let last = found.unwrap_or(end).min(now.saturating_add(step.saturating_mul(STEPS)));
        let mut at = now;
        while at < last {
            let next = at.saturating_add(step).min(last);
            if (condition.holds)(next) {
                return Some(bisect(at, next, condition.holds));
            }
            at = next;
        }
    }
    found
}

/// The seconds at which the sign of a difference changes: from below zero to zero and from zero on.
fn changes(difference: &dyn Fn(i64) -> Option<f64>, now: i64, end: i64) -> Vec<i64> {
    let sign = |at: i64| difference(at).and_then(|value| value.partial_cmp(&0.0));
    let (Some(first), Some(last)) = (sign(now), sign(end)) else { return Vec::new() };
    if first == last {
        return Vec::new();
    }
    vec![
        bisect(now, end, |at| sign(at) != Some(first)),
        bisect(now, end, |at| sign(at) == Some(last)),
    ]
}

/// The first second in `(from, to]` at which it holds, where it holds at `to`.
pub(crate) fn bisect(mut from: i64, mut to: i64, holds: impl Fn(i64) -> bool) -> i64 {
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

    fn over(entered: i64, limit: i64) -> impl Fn(i64) -> Option<f64> {
        move |at| Some((at - entered - limit) as f64)
    }

    proptest! {
        #[test]
        fn delays_end_at_the_second(entered in 0_i64..1000, limit in 0_i64..5000, now in 0_i64..2000) {
            let holds = |at: i64| at - entered > limit;
            let difference = over(entered, limit);
            let condition = Condition { holds: &holds, differences: &[&difference], periodic: false };
            prop_assert_eq!(first(&condition, now, 100_000, 60), Some(now.max(entered + limit + 1)));
        }

        #[test]
        fn windows_are_found(open in 1_i64..5000, length in 1_i64..500) {
            // Two comparisons of opposite sense.
            let holds = |at: i64| at >= open && at < open + length;
            let (a, b) = (over(0, open), over(0, open + length));
            let condition = Condition { holds: &holds, differences: &[&a, &b], periodic: false };
            prop_assert_eq!(first(&condition, 0, 100_000, 60), Some(open));
        }

        #[test]
        fn remainders_are_found(period in 120_i64..5000) {
            let holds = |at: i64| at % period >= period - 61;
            let condition = Condition { holds: &holds, differences: &[], periodic: true };
            prop_assert_eq!(first(&condition, 0, 100_000, 60), Some(period - 61));
        }
    }

    #[test]
    fn equality_is_met_at_its_second() {
        let holds = |at: i64| at == 777;
        let difference = over(0, 777);
        let condition = Condition { holds: &holds, differences: &[&difference], periodic: false };
        assert_eq!(first(&condition, 0, 1000, 60), Some(777));
    }

    #[test]
    fn never_is_none_and_ends() {
        let holds = |_: i64| false;
        let none = |_: i64| None;
        let condition = Condition { holds: &holds, differences: &[&none], periodic: true };
        assert_eq!(first(&condition, i64::MAX - 5, i64::MAX, 0), None);
    }
}
