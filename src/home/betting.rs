//! Tests that may be looked at every day: wealth that grows only where the hypothesis is wrong.
//!
//! A wealth that starts at 1 and, if the hypothesis holds, is expected never to grow reaches c with
//! a probability of at most 1/c, whenever it is looked at (Ville 1939).

use std::collections::{BTreeMap, HashMap};

use super::owners::holds;
use crate::model::Calibration;

/// Chance that any challenger is installed that is no better, over all challengers ever.
pub const ERROR: f64 = 0.05;

/// The most of the wealth that is staked at a time (Waudby-Smith and Ramdas 2024 truncate
/// likewise). Assumed.
const MOST_STAKED: f64 = 0.9;

/// What is tried first of a bet, as so many differences of size 0 seen before. Assumed.
const BEFORE: f64 = 2.0;

/// The error of the k-th challenger, from 1 on. The sum over all k is [`ERROR`], since 1 / (k (k +
/// 1)) sums to 1: so all of them together err with that chance at most (Bonferroni; spending as in
/// Foster and Stine 2008).
pub fn error_of(challenger: u32) -> f64 {
    let k = f64::from(challenger.max(1));
    ERROR / (k * (k + 1.0))
}

/// The wealth of one who bets that the mean of differences is above 0.
///
/// Hypothesis: each difference, known all before, has an expectation of 0 or less. Differences lie
/// from -1 to 1. The stake of each follows from those before alone: the wealth is a supermartingale
/// (Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting").
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bet {
    log_wealth: f64,
    sum: f64,
    squares: f64,
    count: u64,
}

impl Bet {
    /// Stakes on the next difference, and sees it. One beyond -1 to 1 counts as that.
    pub fn see(&mut self, difference: f64) {
        let difference = difference.clamp(-1.0, 1.0);
        // The stake of most expected growth where mean and square are those seen before.
        let stake = self.sum / (self.squares + BEFORE * self.spread());
        let stake = stake.clamp(0.0, MOST_STAKED);
        self.log_wealth += (stake * difference).ln_1p();
        self.sum += difference;
        self.squares += difference * difference;
        self.count += 1;
    }

    /// Mean square of what was seen, as if one of 0.05 had been seen before. Assumed.
    fn spread(&self) -> f64 {
        (self.squares + 0.05) / (self.count + 1) as f64
    }

    /// What it is now.
    pub fn wealth(&self) -> f64 {
        self.log_wealth.exp()
    }

    /// The mean of what was seen.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    /// How many were seen.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The hypothesis is rejected with this error, now: what was won and lost again does not count.
    pub fn rejects(&self, error: f64) -> bool {
        self.log_wealth >= -error.ln()
    }
}

/// A release and what was said of it: for [`Drift`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForecastRelease {
    /// Cluster.
    pub cluster: i64,
    /// Owner, as a number.
    pub owner: u64,
    /// When it was released, Unix seconds.
    pub released: i64,
    /// Log-odds of success, as they were served.
    pub log_odds: f64,
    /// It succeeded.
    pub success: bool,
}

/// Log-odds by which a probability may be off before it counts as drift: 0.5 is taken for 0.62.
/// Assumed.
pub const BOUND: f64 = 0.5;

/// Log-odds beyond that bound that are looked for. Assumed.
const BEYOND: f64 = 0.5;

/// Clusters between two false alarms, on average at least. A busy access point has some ten clusters
/// with releases a day, so that this is a year or more. Assumed.
pub const BETWEEN_FALSE_ALARMS: f64 = 5_000.0;

/// How log-odds may be off: too low, too high, too far from 0, too near to 0.
const WAYS: usize = 4;

/// Whether probabilities are off by more than [`BOUND`].
///
/// Hypothesis: given all before, each probability lies within the bound of the true one. For each
/// of four ways to be off, the ratio of the likelihoods of an outcome, farther off and at the bound,
/// is expected to be 1 at most; so is the mean over a cluster, however its outcomes depend on each
/// other. These are e-values, and their Shiryaev-Roberts sum is an e-detector: it reaches c after c
/// clusters at the earliest, on average (Shin, Ramdas and Rinaldo 2024, "E-detectors").
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    sums: [f64; WAYS],
    most: f64,
    clusters: u64,
    is_of_one: bool,
}

impl Drift {
    /// What came of releases, in any order. What a cluster shows after the day of its first release
    /// is left out: else what counts would change with each look.
    pub fn of(said: &[ForecastRelease]) -> Self {
        let mut drift = Self::of_all(said);
        let exceeds = |said: &[ForecastRelease]| Self::of_all(said).exceeds();
        drift.is_of_one = drift.exceeds() && !holds(said, |one| one.owner, exceeds);
        drift
    }

    fn of_all(said: &[ForecastRelease]) -> Self {
        let mut drift = Self::default();
        for cluster in by_cluster(said, |one| (one.cluster, one.released)) {
            drift.see(&cluster);
        }
        drift
    }

    fn see(&mut self, cluster: &[&ForecastRelease]) {
        let mut ratios = [0.0; WAYS];
        for said in cluster {
            let sign = if said.log_odds < 0.0 { -1.0 } else { 1.0 };
            for (ratio, way) in ratios.iter_mut().zip([1.0, -1.0, sign, -sign]) {
                *ratio += ratio_of(said, way) / cluster.len() as f64;
            }
        }
        for (sum, ratio) in self.sums.iter_mut().zip(ratios) {
            // A sum beyond all alarms says no more.
            *sum = ((*sum + 1.0) * ratio).min(1e300);
        }
        self.clusters += 1;
        self.most = self.most.max(self.sums.iter().sum::<f64>() / WAYS as f64);
    }

    /// Probabilities are off, and not for one owner of several alone: less is seen without an owner,
    /// so that false alarms become no more frequent.
    pub fn alarms(&self) -> bool {
        self.exceeds() && !self.is_of_one
    }

    fn exceeds(&self) -> bool {
        self.most >= BETWEEN_FALSE_ALARMS
    }

    /// Clusters seen.
    pub fn clusters(&self) -> u64 {
        self.clusters
    }
}

/// Likelihood of an outcome where the log-odds are off by more than the bound, in the way of this
/// sign, over that at the bound.
fn ratio_of(said: &ForecastRelease, way: f64) -> f64 {
    let at = |off: f64| {
        let p = Calibration { a: 1.0, b: said.log_odds + way * off }.probability(0.0);
        if said.success { p } else { 1.0 - p }
    };
    let bound = at(BOUND);
    // Where the bound says that this cannot be, it is no proof but a rounded probability.
    if bound < 1e-9 { 1.0 } else { at(BOUND + BEYOND) / bound }
}

/// Seconds of a day.
pub(super) const DAY: i64 = 86_400;

/// Rows of each cluster from the day of its first one, clusters in the order of that.
pub(super) fn by_cluster<T>(rows: &[T], of: impl Fn(&T) -> (i64, i64)) -> Vec<Vec<&T>> {
    let mut first: HashMap<i64, i64> = HashMap::new();
    for row in rows {
        let (cluster, at) = of(row);
        let day = first.entry(cluster).or_insert(at);
        *day = at.min(*day);
    }
    let mut order: BTreeMap<(i64, i64), Vec<&T>> = BTreeMap::new();
    for row in rows {
        let (cluster, at) = of(row);
        let first = first[&cluster];
        if at.div_euclid(DAY) == first.div_euclid(DAY) {
            order.entry((first, cluster)).or_default().push(row);
        }
    }
    order.into_values().collect()
}

#[cfg(test)]
#[path = "betting_tests.rs"]
mod tests;
