//! The trial of a challenger: what it said of the same holds as the model in use, before anybody
//! knew what came of them.

use super::betting::{Bet, DAY, by_cluster, error_of};
use super::owners::holds;
use crate::advice::Costs;

/// Probabilities are held this far from 0 and 1 in the log loss, so that a difference has a bound.
/// Assumed.
const MARGIN: f64 = 0.1;

/// Clusters below which nothing is installed, however clear it looks. Assumed.
pub const LEAST_CLUSTERS: usize = 30;

/// Days after which a challenger that is not better is given up. Assumed.
pub const DAYS: i64 = 90;

/// A release as it was, with what both models had said of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrialRelease {
    /// Cluster.
    pub cluster: i64,
    /// Owner, as a number.
    pub owner: u64,
    /// When it was released, Unix seconds.
    pub released: i64,
    /// Probability of success by the model in use, 0 to 1.
    pub in_use: f64,
    /// By the challenger.
    pub challenger: f64,
    /// It succeeded.
    pub success: bool,
}

/// How a challenger stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// Which one it is, from 1 on: later ones have less error left.
    pub number: u32,
    /// Log loss of the model in use less that of the challenger, a share of the most that it can be.
    pub log_loss: Bet,
    /// Hours lost by decisions of the model in use less those of the challenger, likewise.
    pub hours: Bet,
    /// The same, hours a release.
    pub hours_a_release: f64,
    /// Releases that were counted.
    pub releases: usize,
    /// Their clusters.
    pub clusters: usize,
    /// It is better for one owner of several alone.
    pub is_of_one: bool,
}

impl Trial {
    /// What came of releases, in any order. A bet is on a day: the mean over the clusters that had
    /// their first release on it, each cluster being the mean over its releases of that day. So
    /// neither jobs of a cluster nor clusters of one outage count as independent.
    pub fn of(number: u32, pairs: &[TrialRelease], costs: &Costs) -> Self {
        let mut trial = Self::of_all(number, pairs, costs);
        let is_better = |pairs: &[TrialRelease]| Self::of_all(number, pairs, costs).is_better();
        trial.is_of_one = trial.is_better() && !holds(pairs, |pair| pair.owner, is_better);
        trial
    }

    fn of_all(number: u32, pairs: &[TrialRelease], costs: &Costs) -> Self {
        let mut trial = Self {
            number,
            log_loss: Bet::default(),
            hours: Bet::default(),
            hours_a_release: 0.0,
            releases: 0,
            clusters: 0,
            is_of_one: false,
        };
        let most = most_hours(costs);
        let gained = |pair: &TrialRelease| {
            let loss = loss(pair.in_use, pair) - loss(pair.challenger, pair);
            let hours = lost(pair.in_use, pair, costs) - lost(pair.challenger, pair, costs);
            (loss / loss_range(), hours / most)
        };
        let clusters = by_cluster(pairs, |pair| (pair.cluster, pair.released));
        let day = |cluster: &Vec<&TrialRelease>| {
            cluster.first().map(|pair| pair.released.div_euclid(DAY))
        };
        for day in clusters.chunk_by(|one, next| day(one) == day(next)) {
            let (mut log_loss, mut hours) = (0.0, 0.0);
            for cluster in day {
                let sums = cluster.iter().fold((0.0, 0.0), |sums, pair| {
                    let (loss, hours) = gained(pair);
                    (sums.0 + loss, sums.1 + hours)
                });
                log_loss += sums.0 / cluster.len() as f64;
                hours += sums.1 / cluster.len() as f64;
                trial.hours_a_release += sums.1 * most;
                trial.releases += cluster.len();
            }
            trial.clusters += day.len();
            trial.log_loss.see(log_loss / day.len() as f64);
            trial.hours.see(hours / day.len() as f64);
        }
        trial.hours_a_release /= trial.releases.max(1) as f64;
        trial
    }

    /// It is better by log loss and by decisions, each beyond the error that is left for it. Where
    /// it is no better by one of them, both are found with that error at most. It has to be so
    /// without any one owner too.
    pub fn is_better(&self) -> bool {
        let error = error_of(self.number);
        !self.is_of_one
            && self.clusters >= LEAST_CLUSTERS
            && self.log_loss.mean() > 0.0
            && self.hours.mean() > 0.0
            && self.hours_a_release > 0.0
            && self.log_loss.rejects(error)
            && self.hours.rejects(error)
    }
}

fn loss_range() -> f64 {
    ((1.0 - MARGIN) / MARGIN).ln()
}

fn loss(p: f64, pair: &TrialRelease) -> f64 {
    let p = p.clamp(MARGIN, 1.0 - MARGIN);
    if pair.success { -p.ln() } else { -(1.0 - p).ln() }
}

/// Hours lost by the cheaper of a release and leaving it held, by this probability: what
/// `holdadvise-train evaluate` counts on real logs.
fn lost(p: f64, pair: &TrialRelease, costs: &Costs) -> f64 {
    let success = f64::from(u8::from(pair.success));
    if costs.released(p) < costs.left(p) { costs.released(success) } else { costs.left(success) }
}

/// The most by which two decisions can differ.
fn most_hours(costs: &Costs) -> f64 {
    costs.delay.max(costs.failed).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
#[path = "trial_tests.rs"]
mod tests;
