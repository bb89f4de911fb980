use proptest::prelude::*;

use super::*;
use crate::random::Random;

/// An outcome in a cluster of its own.
fn add(judged: &mut JudgedReleases, owner: u64, logit: f32, success: bool) {
    let number = judged.len() as i64;
    judged.logits.push(logit);
    judged.outcome.push(f32::from(u8::from(success)));
    judged.weight.push(1.0);
    judged.cluster.push(number);
    judged.owner.push(owner);
    judged.hold_time.push(number * 3_600);
    judged.decided.push(number * 3_600 + 60);
}

/// Outcomes of so many owners as a calibration says.
fn honest(count: usize, owners: u64, truth: Calibration, seed: u64) -> JudgedReleases {
    let mut random = Random::new(seed);
    let mut judged = JudgedReleases::default();
    for number in 0..count as u64 {
        let logit = (random.unit() * 8.0 - 4.0) as f32;
        add(&mut judged, 1 + number % owners, logit, random.unit() < truth.probability(logit));
    }
    judged
}

fn fitted(judged: &JudgedReleases) -> Calibration {
    judged.fit_near(Calibration::default(), Apart::default()).unwrap_or_default()
}

fn alone(judged: &JudgedReleases) -> Calibration {
    fitted(&JudgedReleases { owner: Vec::new(), ..judged.clone() })
}

fn without(judged: &JudgedReleases, owner: u64) -> JudgedReleases {
    let rest: Vec<usize> = (0..judged.len()).filter(|&at| judged.owner[at] != owner).collect();
    judged.some(&rest)
}

/// 200 clusters of one owner fail on purpose where the model is sure.
fn with_mallory(mut judged: JudgedReleases) -> JudgedReleases {
    (0..200).for_each(|_| add(&mut judged, 999, 2.0, false));
    judged
}

#[test]
fn two_hundred_failures_on_purpose_move_next_to_nothing() {
    for owners in [1, 5, 20] {
        let judged = honest(1_000, owners, Calibration::default(), 1);
        let attacked = with_mallory(judged.clone());
        let at_two = |of: Calibration| of.probability(2.0);
        let (before, unbounded, after) =
            (at_two(alone(&judged)), at_two(alone(&attacked)), at_two(fitted(&attacked)));
        println!("{owners} others: {before:.3}, without a bound {unbounded:.3}, with {after:.3}");
        assert!(unbounded < 0.7, "{unbounded}");
        let logit = |p: f64| (p / (1.0 - p)).ln();
        let most = MOST_OF_ONE / (owners + 1) as f64;
        // Between what was before, what the others show, and the bound.
        let least = logit(before).min(2.0) - most;
        assert!(logit(after) >= least, "{owners}: {before} {after}");
    }
}

#[test]
fn an_owner_who_is_alone_learns_and_several_learn_all_that_they_agree_on() {
    let truth = Calibration { a: 0.6, b: -1.5 };
    let at = |of: Calibration| ENDS.map(|logit| of.a * logit + of.b);
    let of_one = fitted(&honest(1_000, 1, truth, 2));
    let moved = at(of_one)[1] - ENDS[1];
    assert!((-1.0 - 1e-9..-0.9).contains(&moved), "{of_one:?}");
    for owners in [2, 3, 10, 100] {
        let judged = honest(1_000, owners, truth, 2);
        let (bounded, unbounded) = (fitted(&judged), alone(&judged));
        for (one, other) in at(bounded).into_iter().zip(at(unbounded)) {
            assert!((one - other).abs() < 0.1, "{owners}: {bounded:?} {unbounded:?}");
        }
    }
}

#[test]
fn without_owners_nothing_is_bounded() {
    let judged =
        JudgedReleases { owner: Vec::new(), ..honest(500, 1, Calibration { a: 0.5, b: -1.0 }, 3) };
    assert_eq!(fitted(&judged), alone(&judged));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever an owner's outcomes are, passes or failures, many or few.
    #[test]
    fn no_owner_moves_the_fit_beyond_the_bound(
        others in 1..12_u64,
        (a, b) in (0.3..1.6, -2.0..2.0),
        own in prop::collection::vec((-4.0..4.0_f32, any::<bool>()), 1..300),
        same: bool,
        seed: u64,
    ) {
        let honest = honest(400, others, Calibration { a, b }, seed);
        let mut judged = honest.clone();
        for &(logit, success) in &own {
            add(&mut judged, 999, logit, success || same);
        }
        let before = Calibration::default();
        let Some(fit) = judged.fit_near(before, Apart::default()) else { return Ok(()) };
        let most = MOST_OF_ONE / (others + 1) as f64 + 1e-9;
        for owner in (1..=others).chain([999]) {
            let rest = alone(&without(&judged, owner));
            for logit in ENDS {
                let at = |of: Calibration| of.a * logit + of.b;
                let (one, other) = (at(before).min(at(rest)), at(before).max(at(rest)));
                prop_assert!(
                    (one - most..=other + most).contains(&at(fit)),
                    "{owner} at {logit}: {} not in {one} to {other}", at(fit)
                );
            }
        }
    }
}
