//! Places where more runs fail than chance explains, and those that fail them at once.

use std::collections::BTreeMap;

use serde::Serialize;

use super::matrix::{By, place, resolved};
use super::{Cause, End, Run};

/// Failed runs from which on a place is suspected. Assumed.
const LEAST_FAILED: usize = 3;

/// The share of its runs that fail from which on a place is suspected. Assumed.
const LEAST_SHARE: f64 = 0.5;

/// A failure counts as at once below this share of the time that successful runs take. Assumed.
const AT_ONCE: f64 = 0.1;

/// Below this probability, for all places together, so many failures are no chance.
const CHANCE: f64 = 0.01;

/// A place where runs fail and elsewhere they do not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suspect {
    /// Machine or site.
    pub place: String,
    /// It is a site.
    pub is_site: bool,
    /// The cause of most failures there.
    pub cause: Cause,
    /// Failed runs there, and runs that ended there.
    pub failed: usize,
    /// Runs that ended there.
    pub ended: usize,
    /// Failed runs elsewhere.
    pub failed_elsewhere: usize,
    /// Runs that ended elsewhere.
    pub ended_elsewhere: usize,
    /// It ends runs so soon that it draws more of them: median seconds of failed runs there and of
    /// successful ones anywhere.
    pub black_hole: Option<(i64, i64)>,
    /// The probability of as many failures there by chance (Fisher's exact test, one-sided), times
    /// the number of places.
    pub chance: f64,
}

/// Places that are suspected, the least likely first. `by`: machines or sites.
#[must_use]
pub fn suspects(runs: &[Run], by: By) -> Vec<Suspect> {
    let by = resolved(runs, by);
    let mut places: BTreeMap<&str, Vec<&Run>> = BTreeMap::new();
    let mut good = Vec::new();
    let (mut failed, mut ended) = (0, 0);
    for run in runs {
        let has_failed = match run.end {
            End::Succeeded => false,
            End::Failed(_) => true,
            End::Stopped | End::Running => continue,
        };
        if !has_failed {
            good.push(run.seconds);
        }
        failed += usize::from(has_failed);
        ended += 1;
        let name = place(run, by);
        if !name.is_empty() {
            places.entry(name).or_default().push(run);
        }
    }
    let usual = median(good);
    let tests = places.len() as f64;
    let mut found: Vec<Suspect> = Vec::new();
    for (name, here) in places {
        let mut causes: BTreeMap<Cause, usize> = BTreeMap::new();
        let mut short = Vec::new();
        for run in &here {
            if let End::Failed(cause) = run.end {
                *causes.entry(cause).or_default() += 1;
                short.push(run.seconds);
            }
        }
        let there: usize = causes.values().sum();
        let most = causes.iter().max_by_key(|&(cause, count)| (count, std::cmp::Reverse(cause)));
        let Some((&cause, _)) = most else { continue };
        if there < LEAST_FAILED || (there as f64) < LEAST_SHARE * here.len() as f64 {
            continue;
        }
        let chance = fisher(there, here.len(), failed, ended) * tests;
        if chance >= CHANCE {
            continue;
        }
        let black_hole = median(short).zip(usual).filter(|&(failure, success)| {
            success > 0 && (failure as f64) < AT_ONCE * success as f64
        });
        found.push(Suspect {
            place: name.to_owned(),
            is_site: by == By::Site,
            cause,
            failed: there,
            ended: here.len(),
            failed_elsewhere: failed - there,
            ended_elsewhere: ended - here.len(),
            black_hole,
            chance,
        });
    }
    found.sort_by(|one, other| one.chance.total_cmp(&other.chance));
    found
}

fn median(mut seconds: Vec<i64>) -> Option<i64> {
    seconds.sort_unstable();
    seconds.get(seconds.len() / 2).copied()
}

/// The probability that of `ended` runs with `failed` failures at least `there` failures lie among
/// `here` runs drawn at random (hypergeometric).
fn fisher(there: usize, here: usize, failed: usize, ended: usize) -> f64 {
    let choose = |n: usize, k: usize| log_factorial(n) - log_factorial(k) - log_factorial(n - k);
    let all = choose(ended, here);
    let most = here.min(failed);
    let least = there.max((here + failed).saturating_sub(ended));
    let terms =
        (least..=most).map(|k| (choose(failed, k) + choose(ended - failed, here - k) - all).exp());
    terms.sum::<f64>().min(1.0)
}

/// `ln n!` (Stirling's series above 20: its error is below 1e-10 there).
fn log_factorial(n: usize) -> f64 {
    if n <= 20 {
        return (2..=n).map(|k| (k as f64).ln()).sum();
    }
    let x = n as f64;
    x * x.ln() - x + 0.5 * (std::f64::consts::TAU * x).ln() + 1.0 / (12.0 * x)
        - 1.0 / (360.0 * x.powi(3))
        + 1.0 / (1260.0 * x.powi(5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use eventlog::JobId;

    fn runs(machine: &str, good: usize, bad: usize, seconds: i64) -> Vec<Run> {
        let run = |end, seconds| Run {
            job: JobId::new(1, 0),
            machine: Some(machine.to_owned()),
            site: None,
            began: 0,
            seconds,
            executed: true,
            end,
        };
        let fails = run(End::Failed(Cause::Exit(Some(75))), seconds);
        [vec![run(End::Succeeded, 1000); good], vec![fails; bad]].concat()
    }

    #[test]
    fn fisher_agrees_with_known_values() {
        // R: fisher.test(matrix(c(3, 1, 1, 3), 2), alternative = "greater")$p.value
        assert!((fisher(3, 4, 4, 8) - 0.242_857_142_857_142_9).abs() < 1e-9);
        // R: phyper(9, 10, 90, 10, lower.tail = FALSE)
        assert!((fisher(10, 10, 10, 100) - 5.776_904e-14).abs() < 1e-19);
        assert!((fisher(0, 5, 5, 50) - 1.0).abs() < 1e-12);
        assert!((log_factorial(21) - 45.380_138_898_476_91).abs() < 1e-9);
    }

    #[test]
    fn a_machine_that_fails_most_is_suspected() {
        let all =
            [runs("good", 40, 2, 900), runs("other", 30, 1, 900), runs("bad", 0, 8, 3)].concat();
        let found = suspects(&all, By::Either);
        let [bad] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((bad.place.as_str(), bad.failed, bad.ended), ("bad", 8, 8));
        assert_eq!((bad.failed_elsewhere, bad.ended_elsewhere), (3, 73));
        assert_eq!(bad.black_hole, Some((3, 1000)));
    }

    #[test]
    fn what_fails_everywhere_is_no_place() {
        let all = [runs("a", 0, 9, 5), runs("b", 0, 9, 5), runs("c", 1, 9, 5)].concat();
        assert_eq!(suspects(&all, By::Either), []);
        let few = [runs("a", 90, 0, 5), runs("b", 0, 2, 5)].concat();
        assert_eq!(suspects(&few, By::Either), []);
    }
}
