use super::*;
use crate::random::Random;

/// One release in a cluster of its own, a day apart, with log-odds from -3 to 3.
fn release(number: i64, random: &mut Random, truth: impl Fn(f64) -> f64) -> ForecastRelease {
    let log_odds = random.unit() * 6.0 - 3.0;
    let p = Calibration { a: 1.0, b: truth(log_odds) }.probability(0.0);
    let success = random.unit() < p;
    let (owner, released) = (number.unsigned_abs(), number * DAY);
    ForecastRelease { cluster: number, owner, released, log_odds, success }
}

fn drift(seed: u64, clusters: i64, truth: impl Fn(f64) -> f64) -> Drift {
    let mut random = Random::new(seed);
    let said: Vec<ForecastRelease> =
        (0..clusters).map(|at| release(at, &mut random, &truth)).collect();
    Drift::of(&said)
}

#[test]
fn the_errors_of_all_challengers_are_spent_once() {
    let spent: f64 = (1..100_000).map(error_of).sum();
    assert!(spent < ERROR && spent > 0.999 * ERROR, "{spent}");
    assert_eq!(error_of(1), ERROR / 2.0);
}

#[test]
fn a_bet_on_nothing_is_seldom_won() {
    // 400 series of 500 differences of mean 0: 5 % may win at some time.
    let won = (0..400).filter(|&seed| {
        let mut random = Random::new(seed);
        let mut bet = Bet::default();
        // Looked at each time.
        (0..500).any(|_| {
            bet.see(if random.unit() < 0.5 { 0.4 } else { -0.4 });
            bet.rejects(0.05)
        })
    });
    let won = won.count();
    assert!(won <= 20, "{won}");
}

#[test]
fn a_bet_on_a_gain_is_won_and_one_on_a_loss_is_not() {
    let bet = |gain: f64| {
        let mut random = Random::new(9);
        let mut bet = Bet::default();
        (0..400).for_each(|_| bet.see(random.unit() - 0.5 + gain));
        bet
    };
    assert!(bet(0.1).rejects(0.001) && (bet(0.1).mean() - 0.1).abs() < 0.05);
    assert!(!bet(-0.1).rejects(0.5), "{}", bet(-0.1).wealth());
    // A difference that cannot be bounds itself.
    let mut wild = Bet::default();
    [f64::INFINITY, -1e9, 3.0].into_iter().for_each(|difference| wild.see(difference));
    assert!(wild.wealth().is_finite());
}

#[test]
fn probabilities_within_the_bound_are_no_drift() {
    let alarms = |clusters: i64, truth: &dyn Fn(f64) -> f64| {
        (0..50).filter(|&seed| drift(seed, clusters, truth).alarms()).count()
    };
    // On average one alarm in 5,000 clusters at most: 10 in 50 times 1,000.
    for off in [0.0, 0.4, -0.4] {
        assert!(alarms(1_000, &|l| l + off) <= 2, "{off}");
    }
    assert!(alarms(1_000, &|l| l + BOUND) <= 10);
}

#[test]
fn probabilities_beyond_the_bound_are_found_whichever_way_they_are_off() {
    let ways: [&dyn Fn(f64) -> f64; 4] = [&|l| l + 1.5, &|l| l - 1.5, &|l| l * 0.2, &|l| l * 2.5];
    for (way, truth) in ways.iter().enumerate() {
        let found = (0..20).filter(|&seed| drift(seed, 600, truth).alarms()).count();
        assert!(found >= 18, "way {way}: {found} of 20");
    }
}

#[test]
fn drift_after_a_long_good_time_is_found() {
    let mut random = Random::new(4);
    let mut said: Vec<ForecastRelease> =
        (0..2_000).map(|at| release(at, &mut random, |l| l)).collect();
    assert!(!Drift::of(&said).alarms());
    said.extend((2_000..2_400).map(|at| release(at, &mut random, |l| l - 1.5)));
    assert!(Drift::of(&said).alarms());
}

#[test]
fn a_large_cluster_is_one_piece_of_evidence() {
    // All jobs of a cluster fail together: one outcome, a hundred times over.
    let cluster = |number: i64, success: bool| {
        (0..100).map(move |_| ForecastRelease {
            cluster: number,
            owner: 1,
            released: number,
            log_odds: 2.0,
            success,
        })
    };
    let said: Vec<ForecastRelease> = (0..3).flat_map(|at| cluster(at, false)).collect();
    let drift = Drift::of(&said);
    assert!(drift.clusters() == 3 && !drift.alarms(), "{drift:?}");
}

#[test]
fn what_a_cluster_shows_on_later_days_changes_nothing() {
    let mut random = Random::new(5);
    let said: Vec<ForecastRelease> = (0..50).map(|at| release(at, &mut random, |l| l)).collect();
    let later = ForecastRelease {
        released: said[7].released + 3 * DAY,
        success: !said[7].success,
        ..said[7]
    };
    let more: Vec<ForecastRelease> = said.iter().copied().chain([later]).collect();
    assert_eq!(Drift::of(&said), Drift::of(&more));
}

#[test]
fn one_owner_of_several_alarms_nobody() {
    let mut random = Random::new(6);
    let mut said: Vec<ForecastRelease> =
        (0..600).map(|at| release(at, &mut random, |l| l)).collect();
    // 200 clusters that fail on purpose.
    let failed = |at: i64| ForecastRelease {
        cluster: 10_000 + at,
        owner: 7_777,
        released: at * DAY,
        log_odds: 2.0,
        success: false,
    };
    let of_one: Vec<ForecastRelease> = (0..200).map(failed).collect();
    said.extend(of_one.iter().copied());
    assert!(!Drift::of(&said).alarms());
    // Who alone has releases is not outvoted.
    assert!(Drift::of(&of_one).alarms());
    // Others see it too.
    let of_two = of_one
        .iter()
        .map(|one| ForecastRelease { owner: one.owner + one.cluster as u64 % 2, ..*one });
    assert!(Drift::of(&of_two.collect::<Vec<_>>()).alarms());
}
