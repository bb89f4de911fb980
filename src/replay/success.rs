//! How likely releases were to succeed, by hold reason and by the time on hold.

use std::collections::HashMap;

use super::past::{HoldEnd, PastHold};
use crate::metrics::isotonic;

/// Times on hold at which people think of one thing rather than another, s.
pub const TIMES: [i64; 17] = [
    5, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400,
    172_800,
];

/// An interval between two of these is told apart where at least this share of the releases falls
/// into it.
const LEAST_SHARE: f64 = 0.1;

/// What is known of a code counts as much as so many clusters of the subcode; what is known of all
/// holds as so many of the code.
const PRIOR: f64 = 2.0;

/// Without any release success and failure are as likely.
const EVEN: f64 = 0.5;

/// How the releases of some logs went. Jobs of one cluster that were released in the same interval
/// count together as one release: they share their cause.
#[derive(Clone, Debug, Default)]
pub struct Successes {
    /// The ends of the intervals of time on hold that are told apart, s; the last interval has
    /// none.
    ends: Vec<i64>,
    subcodes: HashMap<(i32, i32), Releases>,
    codes: HashMap<i32, Releases>,
    all: Releases,
}

/// Releases of one scope.
#[derive(Clone, Debug, Default)]
pub struct Releases {
    /// By interval of time on hold: clusters, and the sum of their shares of success.
    clusters: Vec<(f64, f64)>,
    /// Releases that were judged, and of these successes.
    count: (u64, u64),
    /// Seconds until failed releases were held again, and seconds that their programs ran: sums and
    /// number.
    failed: (i64, i64, i64),
    /// The probability by interval, once it is worked out.
    curve: Vec<f64>,
}

impl Releases {
    /// Releases whose outcome is known, and how many of them succeeded.
    pub const fn counted(&self) -> (u64, u64) {
        self.count
    }

    /// Clusters and their successes in the intervals before one, and from it on.
    fn around(&self, at: usize) -> [(f64, f64); 2] {
        let at = at.min(self.clusters.len());
        let sum = |part: &[(f64, f64)]| {
            part.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
        };
        [sum(&self.clusters[..at]), sum(&self.clusters[at..])]
    }

    fn add(&mut self, hold: &PastHold, ends: &[i64], share: f64) {
        self.clusters.resize(ends.len() + 1, (0.0, 0.0));
        let (released_at, success) = match hold.hold_end {
            HoldEnd::Success { released_at } => (released_at, true),
            HoldEnd::Failure { released_at, failed_at } => {
                self.failed.0 += failed_at.saturating_sub(released_at).max(0);
                self.failed.1 += hold.ran;
                self.failed.2 += 1;
                (released_at, false)
            }
            _ => return,
        };
        let place = &mut self.clusters[interval(ends, released_at - hold.held_at)];
        place.0 += share;
        place.1 += share * f64::from(u8::from(success));
        self.count.0 += 1;
        self.count.1 += u64::from(success);
    }

    /// Works the curve out: smoothed by what is known more widely, and never falling.
    fn fit(&mut self, prior: &[f64]) {
        self.clusters.resize(prior.len(), (0.0, 0.0));
        let with_prior =
            self.clusters.iter().zip(prior).map(|(&(clusters, successes), prior)| {
                (successes + PRIOR * prior, clusters + PRIOR)
            });
        let levels = isotonic(with_prior).into_iter();
        self.curve = levels.flat_map(|(mean, count)| std::iter::repeat_n(mean, count)).collect();
    }

    /// Means of what [`failed`](Self::failed) sums up.
    fn means_of_failed(&self) -> Option<(i64, i64)> {
        let (again, ran, count) = self.failed;
        (count > 0).then(|| (again / count, ran / count))
    }
}

/// The interval that a time on hold falls into.
fn interval(ends: &[i64], time_on_hold: i64) -> usize {
    ends.partition_point(|end| *end <= time_on_hold)
}

/// Seconds from hold to release, where the outcome of that is known.
fn time_on_hold(hold: &PastHold) -> Option<i64> {
    match hold.hold_end {
        HoldEnd::Success { released_at } | HoldEnd::Failure { released_at, .. } => {
            Some(released_at.saturating_sub(hold.held_at))
        }
        _ => None,
    }
}

/// The ends of intervals with enough releases each.
fn ends(holds: &[PastHold]) -> Vec<i64> {
    let mut counts = [0.0_f64; TIMES.len() + 1];
    for time in holds.iter().filter_map(time_on_hold) {
        counts[interval(&TIMES, time)] += 1.0;
    }
    let least = LEAST_SHARE * counts.iter().sum::<f64>();
    let (mut ends, mut since) = (Vec::new(), 0.0);
    for (end, count) in TIMES.into_iter().zip(counts) {
        since += count;
        if since > least {
            ends.push(end);
            since = 0.0;
        }
    }
    ends
}

impl Successes {
    /// Of the holds of some logs.
    pub fn of(holds: &[PastHold]) -> Self {
        let mut this = Self { ends: ends(holds), ..Self::default() };
        let ends = this.ends.as_slice();
        let key = |hold: &PastHold| {
            let at = interval(ends, time_on_hold(hold)?);
            Some((hold.job.cluster, hold.code, hold.subcode, at))
        };
        let mut sizes: HashMap<_, u32> = HashMap::new();
        for key in holds.iter().filter_map(key) {
            *sizes.entry(key).or_default() += 1;
        }
        for hold in holds {
            let Some(size) = key(hold).and_then(|key| sizes.get(&key)) else { continue };
            let share = 1.0 / f64::from(*size);
            this.subcodes.entry((hold.code, hold.subcode)).or_default().add(hold, ends, share);
            this.codes.entry(hold.code).or_default().add(hold, ends, share);
            this.all.add(hold, ends, share);
        }
        this.all.fit(&vec![EVEN; ends.len() + 1]);
        let all = &this.all.curve;
        this.codes.values_mut().for_each(|code| code.fit(all));
        for ((code, _), subcode) in &mut this.subcodes {
            subcode.fit(this.codes.get(code).map_or(all, |code| &code.curve));
        }
        this
    }

    /// Of the releases of holds with this code and subcode: clusters that were released within a
    /// time on hold and later (rounded to intervals that are told apart), and the sum of their
    /// shares of success.
    pub fn around(&self, code: i32, subcode: i32, time_on_hold: i64) -> [(f64, f64); 2] {
        let releases = self.subcodes.get(&(code, subcode));
        releases
            .map_or([(0.0, 0.0); 2], |releases| releases.around(interval(&self.ends, time_on_hold)))
    }

    /// The releases of holds with this code and subcode.
    pub fn of_reason(&self, code: i32, subcode: i32) -> Option<&Releases> {
        self.subcodes.get(&(code, subcode))
    }

    /// Those that tell most of holds with this code and subcode.
    pub(super) fn best(&self, code: i32, subcode: i32) -> &Releases {
        let subcode = self.subcodes.get(&(code, subcode));
        subcode.or_else(|| self.codes.get(&code)).unwrap_or(&self.all)
    }

    /// The probability that a release after so many seconds on hold succeeds, by the releases of
    /// [`Successes::best`].
    pub(super) fn probability_of(&self, releases: &Releases, time_on_hold: i64) -> f64 {
        releases.curve.get(interval(&self.ends, time_on_hold)).copied().unwrap_or(EVEN)
    }

    /// Seconds from a failed release until the job is held again, and seconds that its program runs
    /// meanwhile, on the average.
    pub fn of_failed(&self, code: i32, subcode: i32) -> (i64, i64) {
        let scopes = [self.subcodes.get(&(code, subcode)), self.codes.get(&code), Some(&self.all)];
        scopes.into_iter().flatten().find_map(Releases::means_of_failed).unwrap_or((600, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::past::tests::hold;
    use super::*;

    fn released(cluster: i32, after: i64, success: bool) -> PastHold {
        let mut hold = hold();
        hold.job.cluster = cluster;
        let released_at = hold.held_at + after;
        hold.hold_end = if success {
            HoldEnd::Success { released_at }
        } else {
            HoldEnd::Failure { released_at, failed_at: released_at + 120 }
        };
        hold
    }

    #[test]
    fn later_releases_succeed_more_often() {
        let mut holds = Vec::new();
        for cluster in 0..20 {
            holds.push(released(cluster, 100, cluster % 10 == 0));
            holds.push(released(100 + cluster, 2 * 3_600, cluster % 10 != 0));
        }
        // One cluster of many jobs is one release.
        holds.extend((0..1_000).map(|_| released(999, 100, true)));
        let successes = Successes::of(&holds);
        let at = |time: i64| successes.probability_of(successes.best(13, 2), time);
        assert!(at(0) < 0.25, "{}", at(0));
        assert!(at(3_700) > 0.8, "{}", at(3_700));
        assert!(at(900) >= at(0) && at(90_000) >= at(3_700));
        assert_eq!(successes.of_failed(13, 2), (120, 0));
        let releases = successes.of_reason(13, 2).unwrap();
        assert_eq!(releases.counted(), (1_040, 1_020));
        let clusters: f64 = releases.clusters.iter().map(|(clusters, _)| clusters).sum();
        assert!((clusters - 41.0).abs() < 1e-9);
        let [before, after] = successes.around(13, 2, 3_600);
        assert!((before.0 - 21.0).abs() < 1e-9 && (after.1 - 18.0).abs() < 1e-9);
    }

    #[test]
    fn reasons_that_were_never_released_are_like_their_code() {
        let holds: Vec<PastHold> = (0..50).map(|cluster| released(cluster, 100, false)).collect();
        let successes = Successes::of(&holds);
        let of = |successes: &Successes, code, subcode| {
            successes.probability_of(successes.best(code, subcode), 100)
        };
        assert!(of(&successes, 13, 99) < 0.1);
        assert!(of(&successes, 6, 2) < 0.1);
        assert!((of(&Successes::of(&[]), 6, 2) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn intervals_are_those_that_releases_fall_into() {
        assert!(ends(&[]).is_empty());
        let fast: Vec<PastHold> = (0..100).map(|n| released(n, i64::from(n), true)).collect();
        assert_eq!(ends(&fast), [20, 60, 120]);
        assert_eq!(interval(&[20, 60], 19), 0);
        assert_eq!(interval(&[20, 60], 20), 1);
        assert_eq!(interval(&[20, 60], 60), 2);
    }
}
