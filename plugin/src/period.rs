//! How often passes begin: as it is set, and as it was seen.
//!
//! SCHEDD_CRON keeps the period of a program that ran when HTCondor was reconfigured. So what is
//! set may not be what is.

use rustix::process::getppid;
use serde::{Deserialize, Serialize};

/// Passes that are kept at most, and so many of one schedd that the period is taken from. Assumed.
const KEPT: usize = 16;
const LATEST: usize = 5;

/// Seconds of a period at most. Assumed: what is longer was a schedd that stood still.
const LONGEST: i64 = 86_400;

/// Seconds that SCHEDD_CRON is late at most. Seen on a busy pool: three.
const LATE: u64 = 10;

/// The schedd that started this process: its process id. `None` where somebody else did.
pub(crate) fn schedd() -> Option<u32> {
    let parent = getppid()?.as_raw_nonzero().get().unsigned_abs();
    let name = std::fs::read_to_string(format!("/proc/{parent}/comm")).ok()?;
    (name.trim_end() == "condor_schedd").then_some(parent)
}

/// When the last passes began, in order: the process id of their schedd, and Unix seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Passes(Vec<(u32, i64)>);

impl Passes {
    /// Those that can be true: a clock may have been set back since.
    pub(crate) fn until(mut self, now: i64) -> Self {
        self.0.retain(|(_, at)| (0..=now).contains(at));
        self.0.sort_by_key(|(_, at)| *at);
        self.0.drain(..self.0.len().saturating_sub(KEPT));
        self
    }

    pub(crate) fn add(&mut self, schedd: u32, now: i64) {
        self.0.push((schedd, now));
        *self = std::mem::take(self).until(now);
    }

    /// Seconds from pass to pass of the last schedd; `None` before its third. One that was late, or
    /// a clock that was set, does not count for more than the others.
    pub(crate) fn period(&self) -> Option<i64> {
        let (last, _) = self.0.last()?;
        let of_last = self.0.iter().rev().filter(|(schedd, _)| schedd == last);
        let begun: Vec<i64> = of_last.take(LATEST).map(|(_, at)| *at).collect();
        let mut gaps: Vec<i64> = begun.windows(2).map(|two| two[0] - two[1]).collect();
        gaps.sort_unstable();
        (gaps.len() > 1).then(|| gaps[gaps.len() / 2].clamp(1, LONGEST))
    }
}

/// Seconds from pass to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// As it is set.
    pub configured: i64,
    /// As it was seen, where it is known.
    pub observed: Option<i64>,
}

impl Period {
    /// After so long the next pass can be expected: advice has to count until then.
    pub fn longest(self) -> i64 {
        self.configured.max(self.observed.unwrap_or(0).min(LONGEST))
    }

    /// The two differ by more than a half, and by more than some passes are late.
    pub fn is_off(self) -> bool {
        let half = (self.configured.unsigned_abs() / 2).max(LATE);
        self.observed.is_some_and(|observed| observed.abs_diff(self.configured) > half)
    }

    /// Passes that take so long cannot begin as often as is set.
    pub fn is_slow(self, seconds: f64) -> bool {
        seconds >= self.configured as f64
    }

    /// What is wrong, and what to do. `seconds`: how long a pass takes.
    pub fn fault(self, seconds: f64) -> Option<String> {
        let observed = self.observed.filter(|_| self.is_off())?;
        let why = match self.is_slow(seconds) && observed > self.configured {
            true => "a pass takes longer: raise it",
            false => KEEPS,
        };
        let set = self.configured;
        Some(format!("{BEGINS}{observed} s, and HOLDADVISE_INTERVAL_SECONDS is {set}: {why}"))
    }
}

/// How [`Period::fault`] begins.
pub(crate) const BEGINS: &str = "a pass begins every ";

/// Seen on 23.9 and 25.14.
pub(crate) const KEEPS: &str =
    "condor_restart -schedd, as SCHEDD_CRON keeps the period that it began with";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn passes(all: &[(u32, i64)]) -> Passes {
        let mut passes = Passes::default();
        for (schedd, at) in all {
            passes.add(*schedd, *at);
        }
        passes
    }

    #[test]
    fn the_period_is_that_of_most_passes_of_the_last_schedd() {
        let period = |all: &[(u32, i64)]| passes(all).period();
        assert_eq!(period(&[(7, 1_000), (7, 1_600)]), None);
        assert_eq!(period(&[(7, 1_000), (7, 1_600), (7, 2_201)]), Some(601));
        // One was late.
        let late = [(7, 0), (7, 180), (7, 360), (7, 9_000), (7, 9_180)];
        assert_eq!(period(&late), Some(180));
        // The schedd was restarted.
        let restarted = [(7, 0), (7, 600), (7, 1_200), (8, 1_300), (8, 1_480), (8, 1_660)];
        assert_eq!(period(&restarted[..5]), None);
        assert_eq!(period(&restarted), Some(180));
        // The clock was set back: what was later is forgotten.
        assert_eq!(passes(&[(7, 5_000), (7, 5_600), (7, 100)]), Passes(vec![(7, 100)]));
    }

    #[test]
    fn advice_counts_for_the_longer_of_the_two() {
        let period = |configured, observed| Period { configured, observed };
        assert_eq!(period(180, None).longest(), 180);
        assert_eq!(period(180, Some(600)).longest(), 600);
        assert_eq!(period(600, Some(180)).longest(), 600);
        assert_eq!(period(180, Some(i64::MAX)).longest(), LONGEST);
    }

    #[test]
    fn more_than_a_half_is_a_fault() {
        let fault = |observed, seconds| Period { configured: 180, observed }.fault(seconds);
        assert_eq!(
            (fault(None, 0.0), fault(Some(270), 0.0), fault(Some(90), 0.0)),
            (None, None, None)
        );
        for observed in [89, 271] {
            assert!(fault(Some(observed), 5.0).unwrap().ends_with(KEEPS), "{observed}");
        }
        assert!(fault(Some(360), 190.0).unwrap().ends_with("raise it"));
    }

    proptest! {
        #[test]
        fn any_passes_have_a_period_within_bounds(
            all: Vec<(u32, i64)>, now in 0..i64::MAX, configured in 1..86_400_i64
        ) {
            let passes = Passes(all).until(now);
            prop_assert!(passes.0.len() <= KEPT);
            let observed = passes.period();
            prop_assert!(observed.is_none_or(|period| (1..=LONGEST).contains(&period)));
            let longest = Period { configured, observed }.longest();
            prop_assert!((configured..=LONGEST).contains(&longest));
        }
    }
}
