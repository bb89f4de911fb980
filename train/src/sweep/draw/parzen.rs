//! Densities over the unit interval, of points: Parzen estimators as in Bergstra et al. 2011.

use crate::random::Random;
use crate::sweep::normal;

/// A mixture of normal distributions cut off at 0 and 1: one around each point, and one for all of the interval.
#[derive(Debug)]
pub(super) struct Parzen {
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    centre: f64,
    width: f64,
    /// Probability below 0 before it is cut off.
    below: f64,
    /// Probability between 0 and 1 before it is cut off.
    within: f64,
}

/// Centre and width of the part that stands for the interval as a whole.
const PRIOR: (f64, f64) = (0.5, 1.0);

/// Least width of a part: a few points that lie close together do not end the search. Together with the good share in
/// `tpe.rs` chosen on functions with one valley, for some dozens of trials.
const LEAST_WIDTH: f64 = 0.15;

impl Parzen {
    /// The estimate of where points come from. The width of a part is the greater of the distances to its neighbours,
    /// within limits.
    pub(super) fn new(points: &[f64]) -> Self {
        let mut centres: Vec<(f64, bool)> = points.iter().map(|&point| (point, false)).collect();
        centres.push((PRIOR.0, true));
        centres.sort_by(|one, other| one.0.total_cmp(&other.0));
        let part = |(at, &(centre, is_prior)): (usize, &(f64, bool))| {
            let distance =
                |other: Option<&(f64, bool)>| other.map_or(0.0, |other| (other.0 - centre).abs());
            let before = distance(at.checked_sub(1).and_then(|at| centres.get(at)));
            let behind = distance(centres.get(at + 1));
            let width = match is_prior {
                true => PRIOR.1,
                false => before.max(behind).clamp(LEAST_WIDTH, PRIOR.1),
            };
            let below = normal::below(-centre / width);
            let within = normal::below((1.0 - centre) / width) - below;
            Part { centre, width, below, within }
        };
        Self { parts: centres.iter().enumerate().map(part).collect() }
    }

    /// Density at a point.
    pub(super) fn density(&self, x: f64) -> f64 {
        let of_part = |part: &Part| {
            normal::density((x - part.centre) / part.width) / (part.width * part.within)
        };
        self.mean(of_part)
    }

    /// Probability between two points.
    pub(super) fn mass(&self, from: f64, to: f64) -> f64 {
        let of_part = |part: &Part| {
            let below = |x: f64| normal::below((x - part.centre) / part.width);
            (below(to) - below(from)) / part.within
        };
        self.mean(of_part).max(0.0)
    }

    /// A point drawn from it.
    pub(super) fn draw(&self, random: &mut Random) -> f64 {
        let part = &self.parts[random.below(self.parts.len())];
        let p = part.below + random.unit() * part.within;
        (part.centre + part.width * normal::quantile(p)).clamp(0.0, 1.0)
    }

    fn mean(&self, of_part: impl Fn(&Part) -> f64) -> f64 {
        self.parts.iter().map(of_part).sum::<f64>() / self.parts.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn draws_follow_the_density() {
        let parzen = Parzen::new(&[0.8, 0.82, 0.9, 0.85]);
        let mut random = Random::new(1);
        let drawn: Vec<f64> = (0..20_000).map(|_| parzen.draw(&mut random)).collect();
        for (from, to) in [(0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0)] {
            let share = drawn.iter().filter(|x| (from..to).contains(*x)).count() as f64 / 20_000.0;
            assert!((share - parzen.mass(from, to)).abs() < 0.01, "{from} {share}");
        }
        assert!(parzen.mass(0.75, 1.0) > 0.5);
    }

    proptest! {
        #[test]
        fn the_density_is_one(points in proptest::collection::vec(0.0..=1.0_f64, 0..20)) {
            let parzen = Parzen::new(&points);
            prop_assert!((parzen.mass(0.0, 1.0) - 1.0).abs() < 1e-5);
            let steps = 2_000;
            let sum: f64 = (0..steps)
                .map(|at| parzen.density((f64::from(at) + 0.5) / f64::from(steps)))
                .sum();
            prop_assert!((sum / f64::from(steps) - 1.0).abs() < 1e-2, "{sum}");
            let drawn = parzen.draw(&mut Random::new(1));
            prop_assert!((0.0..=1.0).contains(&drawn));
        }
    }
}
