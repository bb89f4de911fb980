//! How far a figure, or the difference of two on the same rows, may be off: the jackknife that
//! leaves out a group of clusters at a time (delete-a-group jackknife, Kott 2001).
//!
//! What it keeps of a method is a number for each group. So methods can be compared in pairs later,
//! when their predictions are gone.

use super::scored::LANES;
use super::{Figures, Outcomes, Scored};

/// Groups, at most: clusters take turns in the order of the rows.
pub(super) const GROUPS: usize = 50;

/// Groups below which no error is said. Assumed.
const LEAST_GROUPS: usize = 10;

/// Half of a 95 % interval in standard errors: Student's t for 49 degrees of freedom.
const HALF_WIDTH: f64 = 2.01;

/// Group of a cluster by its number.
pub(super) fn group(cluster: usize) -> usize {
    cluster % GROUPS
}

/// Groups that so many clusters fill.
fn filled(outcomes: &Outcomes) -> usize {
    outcomes.clusters().min(GROUPS)
}

/// The figures on all rows but those of a group, for each group.
pub fn without_groups(outcomes: &Outcomes, scored: &Scored) -> Vec<Figures> {
    let groups: Vec<usize> = (0..filled(outcomes)).collect();
    let figures = groups.chunks(LANES).flat_map(|left_out| {
        let count = |cluster: usize| {
            let mut times = [1.0; LANES];
            for (lane, &left_out) in left_out.iter().enumerate() {
                times[lane] = if group(cluster) == left_out { 0.0 } else { 1.0 };
            }
            times
        };
        let times: Vec<[f32; LANES]> = (0..outcomes.clusters()).map(count).collect();
        scored.weighted(&times).into_iter().take(left_out.len())
    });
    figures.collect()
}

/// The rows of all groups but one, for each group.
pub fn rows_without_groups(outcomes: &Outcomes) -> impl Iterator<Item = Vec<usize>> {
    (0..filled(outcomes)).map(|left_out| outcomes.rows_outside(left_out))
}

/// Half of the 95 % interval of a figure, from its values without each group; `None` where there are
/// fewer than ten groups, or one of the values is not a number.
pub fn half_width(without: &[f64]) -> Option<f64> {
    if without.len() < LEAST_GROUPS {
        return None;
    }
    let groups = without.len() as f64;
    let mean = without.iter().sum::<f64>() / groups;
    let squares: f64 = without.iter().map(|value| (value - mean).powi(2)).sum();
    let half = HALF_WIDTH * ((groups - 1.0) / groups * squares).sqrt();
    half.is_finite().then_some(half)
}

/// Half of the 95 % interval of the difference of two methods on the same rows; `None` where they
/// have not the same groups.
pub fn half_width_of_difference(one: &[f64], other: &[f64]) -> Option<f64> {
    if one.len() != other.len() {
        return None;
    }
    let differences: Vec<f64> = one.iter().zip(other).map(|(one, other)| one - other).collect();
    half_width(&differences)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{NAMES, draw};
    use crate::random::Random;

    const BRIER: usize = 2;

    /// 120 clusters of three rows that succeed together, and two methods: the second knows more.
    fn drawn() -> (Outcomes, [Scored; 2]) {
        let mut random = Random::new(7);
        let (mut target, mut cluster, mut probability) = (Vec::new(), Vec::new(), [vec![], vec![]]);
        for number in 0..120 {
            let p = random.unit();
            let success = f64::from(u8::from(random.unit() < p));
            for _ in 0..3 {
                cluster.push(number);
                target.push(success);
                probability[0].push(0.3 + 0.4 * random.unit());
                probability[1].push(p.clamp(0.01, 0.99));
            }
        }
        let weight = vec![1.0; target.len()];
        let outcomes = Outcomes::new(target, weight, None, &cluster);
        let scored = probability.map(|probability| Scored::new(&outcomes, &probability, 0.5));
        (outcomes, scored)
    }

    #[test]
    fn the_interval_is_about_that_of_a_bootstrap() {
        assert_eq!(NAMES[BRIER], "brier");
        let (outcomes, scored) = drawn();
        let without = scored.each_ref().map(|scored| {
            let figures = without_groups(&outcomes, scored);
            figures.iter().map(|figures| figures.brier).collect::<Vec<f64>>()
        });
        assert_eq!(without[0].len(), GROUPS);
        let [first, second] = scored;
        let draws = draw(&[vec![first], vec![second]], outcomes.clusters(), 4000, 3);
        let half = |low: f64, high: f64| (high - low) / 2.0;
        let alone = draws.estimate(1, BRIER);
        let expected = half(alone.low, alone.high);
        let found = half_width(&without[1]).unwrap();
        assert!((0.8..1.25).contains(&(found / expected)), "{found} {expected}");
        let paired = draws.difference(0, 1, BRIER);
        let expected = half(paired.low, paired.high);
        let found = half_width_of_difference(&without[0], &without[1]).unwrap();
        assert!((0.8..1.25).contains(&(found / expected)), "{found} {expected}");
    }

    #[test]
    fn rows_of_a_group_are_left_out_together() {
        let (outcomes, [scored, _]) = drawn();
        let figures = without_groups(&outcomes, &scored);
        let rows: Vec<Vec<usize>> = rows_without_groups(&outcomes).collect();
        assert_eq!(rows.len(), figures.len());
        // Groups 0 to 19 have a third cluster.
        assert_eq!([rows[0].len(), rows[49].len()], [360 - 9, 360 - 6]);
    }

    #[test]
    fn few_groups_and_other_groups_have_no_interval() {
        assert_eq!(half_width(&[0.5; 9]), None);
        assert_eq!(half_width(&[0.5; 10]), Some(0.0));
        assert_eq!(half_width(&[f64::NAN; 10]), None);
        assert_eq!(half_width_of_difference(&[0.5; 10], &[0.5; 11]), None);
    }
}
