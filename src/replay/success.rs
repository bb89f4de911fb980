//! How likely releases were to succeed, by hold reason and by the time on hold.

use std::collections::HashMap;

use super::past::{Fate, PastHold};

/// The ends of the intervals of time on hold that are told apart, s; the last interval has none.
const ENDS: [i64; 7] = [300, 1_200, 3_600, 4 * 3_600, 12 * 3_600, 86_400, 3 * 86_400];

/// Intervals.
const INTERVALS: usize = ENDS.len() + 1;

/// What is known of a code counts as much as so many clusters of the subcode; what is known of all holds as so many of the code.
const PRIOR: f64 = 2.0;

/// Without any release success and failure are as likely.
const EVEN: f64 = 0.5;

/// What the releases of some logs came to. Jobs of one cluster that were released in the same interval count together as one
/// release: they share their cause.
#[derive(Clone, Debug, Default)]
pub struct Successes {
    subcodes: HashMap<(i32, i32), Releases>,
    codes: HashMap<i32, Releases>,
    all: Releases,
}

/// Releases of one scope.
#[derive(Clone, Debug, Default)]
pub struct Releases {
    /// By interval of time on hold: clusters, and the sum of their shares of success.
    clusters: [(f64, f64); INTERVALS],
    /// Releases that were judged, and of these successes.
    count: (u64, u64),
    /// Seconds until releases in vain were held again, and seconds that their programs ran: sums and number.
    vain: (i64, i64, u64),
    /// The probability by interval, once it is worked out.
    curve: [f64; INTERVALS],
}

impl Releases {
    /// Releases whose outcome is known, and how many of them succeeded.
    pub const fn counted(&self) -> (u64, u64) {
        self.count
    }

    /// Clusters and intervals of time on hold with a release: what the probabilities rest on.
    pub fn clusters(&self) -> f64 {
        self.clusters.iter().map(|(clusters, _)| clusters).sum()
    }

    /// Releases and the share of successes before and after a time on hold, by clusters; s, rounded to an interval.
    pub fn around(&self, time_on_hold: i64) -> [(f64, f64); 2] {
        let at = interval(time_on_hold);
        let sum = |part: &[(f64, f64)]| {
            part.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
        };
        [sum(&self.clusters[..at]), sum(&self.clusters[at..])]
    }

    fn add(&mut self, hold: &PastHold, share: f64) {
        let (released_at, success) = match hold.fate {
            Fate::Success { released_at } => (released_at, true),
            Fate::Failure { released_at, failed_at } => {
                self.vain.0 += failed_at.saturating_sub(released_at).max(0);
                self.vain.1 += hold.ran;
                self.vain.2 += 1;
                (released_at, false)
            }
            _ => return,
        };
        let place = &mut self.clusters[interval(released_at - hold.held_at)];
        place.0 += share;
        place.1 += share * f64::from(u8::from(success));
        self.count.0 += 1;
        self.count.1 += u64::from(success);
    }

    /// Works the curve out: smoothed by what is known more widely, and never falling.
    fn fit(&mut self, prior: &[f64; INTERVALS]) {
        for ((place, &(clusters, successes)), prior) in
            self.curve.iter_mut().zip(&self.clusters).zip(prior)
        {
            *place = (successes + PRIOR * prior) / (clusters + PRIOR);
        }
        let weights = self.clusters.map(|(clusters, _)| clusters + PRIOR);
        self.curve = never_falling(self.curve, weights);
    }

    fn mean_of_vain(&self, sum: i64) -> Option<i64> {
        i64::try_from(self.vain.2).ok().filter(|count| *count > 0).map(|count| sum / count)
    }
}

fn interval(time_on_hold: i64) -> usize {
    ENDS.iter().position(|end| time_on_hold < *end).unwrap_or(ENDS.len())
}

/// The nearest sequence that never falls, by weighted squares (pool adjacent violators: Ayer et al. 1955).
fn never_falling(values: [f64; INTERVALS], weights: [f64; INTERVALS]) -> [f64; INTERVALS] {
    // Mean, weight and length of each level.
    let mut levels: Vec<(f64, f64, usize)> = Vec::with_capacity(INTERVALS);
    for (value, weight) in values.into_iter().zip(weights) {
        let mut level = (value, weight, 1);
        while let Some(&(mean, before, length)) = levels.last()
            && mean > level.0
        {
            levels.pop();
            let sum = before + level.1;
            level = ((mean * before + level.0 * level.1) / sum, sum, length + level.2);
        }
        levels.push(level);
    }
    let mut out = [0.0; INTERVALS];
    let all = levels.into_iter().flat_map(|(mean, _, length)| std::iter::repeat_n(mean, length));
    for (place, value) in out.iter_mut().zip(all) {
        *place = value;
    }
    out
}

impl Successes {
    /// Of the holds of some logs.
    pub fn of(holds: &[PastHold]) -> Self {
        let key = |hold: &PastHold| {
            let (Fate::Success { released_at } | Fate::Failure { released_at, .. }) = hold.fate
            else {
                return None;
            };
            let at = interval(released_at - hold.held_at);
            Some((hold.job.cluster, hold.code, hold.subcode, at))
        };
        let mut sizes: HashMap<_, u32> = HashMap::new();
        for key in holds.iter().filter_map(key) {
            *sizes.entry(key).or_default() += 1;
        }
        let mut this = Self::default();
        for hold in holds {
            let Some(size) = key(hold).and_then(|key| sizes.get(&key)) else { continue };
            let share = 1.0 / f64::from(*size);
            this.subcodes.entry((hold.code, hold.subcode)).or_default().add(hold, share);
            this.codes.entry(hold.code).or_default().add(hold, share);
            this.all.add(hold, share);
        }
        this.all.fit(&[EVEN; INTERVALS]);
        let all = this.all.curve;
        this.codes.values_mut().for_each(|code| code.fit(&all));
        for ((code, _), subcode) in &mut this.subcodes {
            subcode.fit(&this.codes.get(code).map_or(all, |code| code.curve));
        }
        this
    }

    /// The releases of holds with this code and subcode.
    pub fn of_reason(&self, code: i32, subcode: i32) -> Option<&Releases> {
        self.subcodes.get(&(code, subcode))
    }

    fn best(&self, code: i32, subcode: i32) -> &Releases {
        let subcode = self.subcodes.get(&(code, subcode));
        subcode.or_else(|| self.codes.get(&code)).unwrap_or(&self.all)
    }

    /// The probability that a release after so many seconds on hold succeeds: of such holds, as far as there were, else of those
    /// of the code, else of all.
    pub fn probability(&self, code: i32, subcode: i32, time_on_hold: i64) -> f64 {
        self.best(code, subcode).curve[interval(time_on_hold)]
    }

    /// Seconds from a release in vain until the job is held again, and seconds that its program runs meanwhile, on the average.
    pub fn of_vain(&self, code: i32, subcode: i32) -> (i64, i64) {
        let scopes = [self.subcodes.get(&(code, subcode)), self.codes.get(&code), Some(&self.all)];
        let found = scopes.into_iter().flatten().find_map(|releases| {
            let again = releases.mean_of_vain(releases.vain.0)?;
            Some((again, releases.mean_of_vain(releases.vain.1)?))
        });
        found.unwrap_or((600, 0))
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
        hold.fate = if success {
            Fate::Success { released_at }
        } else {
            Fate::Failure { released_at, failed_at: released_at + 120 }
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
        let at = |time: i64| successes.probability(13, 2, time);
        assert!(at(0) < 0.25, "{}", at(0));
        assert!(at(3_700) > 0.8, "{}", at(3_700));
        assert!(at(900) >= at(0) && at(90_000) >= at(3_700));
        assert_eq!(successes.of_vain(13, 2), (120, 0));
        let releases = successes.of_reason(13, 2).unwrap();
        assert_eq!(releases.counted(), (1_040, 1_020));
        assert!((releases.clusters() - 41.0).abs() < 1e-9);
        let [before, after] = releases.around(3_600);
        assert!((before.0 - 21.0).abs() < 1e-9 && (after.1 - 18.0).abs() < 1e-9);
    }

    #[test]
    fn reasons_that_were_never_released_are_like_their_code() {
        let holds: Vec<PastHold> = (0..50).map(|cluster| released(cluster, 100, false)).collect();
        let successes = Successes::of(&holds);
        assert!(successes.probability(13, 99, 100) < 0.1);
        assert!(successes.probability(6, 2, 100) < 0.1);
        assert!((Successes::of(&[]).probability(6, 2, 100) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_sequence_that_falls_is_pooled() {
        let values = [0.5, 0.1, 0.2, 0.4, 0.3, 0.9, 0.8, 1.0];
        let pooled = never_falling(values, [1.0; INTERVALS]);
        assert!(pooled.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12), "{pooled:?}");
        let sum = |values: [f64; INTERVALS]| values.iter().sum::<f64>();
        assert!((sum(pooled) - sum(values)).abs() < 1e-9);
    }
}
