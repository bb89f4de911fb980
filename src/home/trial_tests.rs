//! Worlds are drawn: clusters of one to a few dozen jobs that share a true probability in part, and
//! models that know it more or less well. The unit is the paired outcome of a release.

use super::*;
use crate::model::Calibration;
use crate::random::Random;

/// A release with its truth.
struct World {
    /// Cluster, true log-odds, success.
    releases: Vec<(i64, f64, bool)>,
}

fn normal(random: &mut Random) -> f64 {
    // The sum of twelve has variance 1.
    (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
}

fn sigmoid(log_odds: f64) -> f64 {
    Calibration { a: 1.0, b: log_odds }.probability(0.0)
}

fn world(random: &mut Random, clusters: i64) -> World {
    let mut releases = Vec::new();
    for cluster in 0..clusters {
        let shared = 1.6 * normal(random);
        let most = if random.unit() < 0.1 { 40 } else { 4 };
        let size = 1 + random.below(most);
        // Jobs of a cluster mostly fail together.
        let together = random.unit();
        for _ in 0..size {
            let log_odds = shared + 0.4 * normal(random);
            let drawn = if random.unit() < 0.7 { together } else { random.unit() };
            releases.push((cluster, log_odds, drawn < sigmoid(log_odds)));
        }
    }
    World { releases }
}

/// A model that knows the truth up to an error of this size.
fn knowing(world: &World, random: &mut Random, error: f64) -> Vec<f64> {
    world.releases.iter().map(|&(_, truth, _)| truth + error * normal(random)).collect()
}

fn pairs(world: &World, in_use: &[f64], challenger: &[f64]) -> Vec<TrialRelease> {
    let all = world.releases.iter().zip(in_use.iter().zip(challenger));
    all.map(|(&(cluster, _, success), (&one, &other))| TrialRelease {
        cluster,
        owner: cluster.unsigned_abs() % 40,
        // Twenty clusters a day.
        released: cluster * 4_320,
        in_use: sigmoid(one),
        challenger: sigmoid(other),
        success,
    })
    .collect()
}

/// Hours a cluster that a model loses by its decisions less those that another one does, by the true
/// probabilities.
fn truly_lost(world: &World, model: &[f64], less: &[f64]) -> f64 {
    let costs = Costs::default();
    let of = |said: f64, truth: f64| {
        let p = sigmoid(said);
        let truth = sigmoid(truth);
        if costs.released(p) < costs.left(p) { costs.released(truth) } else { costs.left(truth) }
    };
    let mut clusters: std::collections::BTreeMap<i64, (f64, f64)> = Default::default();
    for (&(cluster, truth, _), (&one, &other)) in world.releases.iter().zip(model.iter().zip(less))
    {
        let sum = clusters.entry(cluster).or_default();
        sum.0 += of(one, truth) - of(other, truth);
        sum.1 += 1.0;
    }
    clusters.values().map(|(hours, releases)| hours / releases).sum::<f64>() / clusters.len() as f64
}

/// Whether it would ever be installed, if it is looked at each day.
fn is_ever_better(number: u32, pairs: &[TrialRelease]) -> Option<i64> {
    let days = pairs.last().map_or(0, |pair| pair.released / 86_400 + 1).min(DAYS);
    (1..=days).find(|day| {
        let known: Vec<TrialRelease> =
            pairs.iter().copied().filter(|pair| pair.released < day * 86_400).collect();
        Trial::of(number, &known, &Costs::default()).is_better()
    })
}

/// How challengers of no use come about.
const WAYS: [&str; 5] =
    ["permuted labels", "shifted outcomes", "flattened", "no better, other errors", "worse errors"];

fn challenger(way: &str, world: &World, in_use: &[f64], random: &mut Random) -> Vec<f64> {
    match way {
        // What it says has nothing to do with the hold.
        "permuted labels" => {
            let mut said = knowing(world, random, 0.5);
            random.shuffle(&mut said);
            said
        }
        // Calibrated in a world in which releases succeeded more often.
        "shifted outcomes" => in_use.iter().map(|said| said + 1.5).collect(),
        "flattened" => in_use.iter().map(|said| 0.3 * said - 0.6).collect(),
        "no better, other errors" => knowing(world, random, 1.0),
        _ => knowing(world, random, 1.8),
    }
}

#[test]
fn no_challenger_that_is_worse_in_decisions_is_installed_in_20_trials() {
    let (mut installed, mut worse) = (Vec::new(), 0);
    for trial in 0..20_u32 {
        let mut random = Random::new(1_000 + u64::from(trial));
        let way = WAYS[trial as usize % WAYS.len()];
        let world = world(&mut random, 1_800);
        let in_use = knowing(&world, &mut random, 1.0);
        let said = challenger(way, &world, &in_use, &mut random);
        let lost = truly_lost(&world, &said, &in_use);
        worse += usize::from(lost > 0.0);
        // Each is the first challenger of an access point: with the most error that one may have.
        if let Some(day) = is_ever_better(1, &pairs(&world, &in_use, &said)) {
            installed.push((way, day, lost));
        }
    }
    assert!(worse >= 16, "{worse} of 20 are truly worse");
    assert!(installed.is_empty(), "{installed:?}");
}

#[test]
fn a_challenger_that_is_better_is_installed() {
    for number in 1..=3 {
        let mut random = Random::new(2_000 + u64::from(number));
        let world = world(&mut random, 1_800);
        let in_use = knowing(&world, &mut random, 1.8);
        let said = knowing(&world, &mut random, 0.3);
        assert!(truly_lost(&world, &said, &in_use) < 0.0);
        let pairs = pairs(&world, &in_use, &said);
        let day = is_ever_better(number, &pairs);
        assert!(day.is_some(), "{number}: {:?}", Trial::of(number, &pairs, &Costs::default()));
    }
}

#[test]
fn better_probabilities_with_the_same_decisions_do_not_suffice() {
    let mut random = Random::new(7);
    let world = world(&mut random, 1_800);
    let truth = knowing(&world, &mut random, 0.1);
    // The threshold is at log-odds of 0: too sure of itself, on the right side of it.
    let in_use: Vec<f64> = truth.iter().map(|said| 3.0 * said).collect();
    let pairs = pairs(&world, &in_use, &truth);
    let trial = Trial::of(1, &pairs, &Costs::default());
    assert!(trial.log_loss.mean() > 0.0 && trial.log_loss.wealth() > 5.0, "{trial:?}");
    assert!(!trial.is_better() && trial.hours.wealth() < 2.0, "{trial:?}");
}

/// One release in each cluster, of which the model in use was sure and wrong.
fn sure_and_wrong(clusters: i64, a_day: i64) -> Trial {
    let pair = |cluster: i64| TrialRelease {
        cluster,
        owner: 1,
        released: cluster * 86_400 / a_day,
        in_use: 0.01,
        challenger: 0.99,
        success: true,
    };
    Trial::of(1, &(0..clusters).map(pair).collect::<Vec<_>>(), &Costs::default())
}

#[test]
fn a_few_clusters_install_nothing() {
    let few = sure_and_wrong(29, 1);
    assert!(!few.is_better() && few.hours.rejects(error_of(1)), "{few:?}");
    assert!(sure_and_wrong(30, 1).is_better());
}

#[test]
fn an_outage_of_some_days_installs_nothing() {
    // However many clusters fail or succeed in them.
    let few = sure_and_wrong(1_000, 200);
    assert!(few.hours.count() == 5 && !few.is_better(), "{few:?}");
}

#[test]
fn more_hours_lost_a_release_install_nothing() {
    // Many small clusters gain, and a large one a day loses more.
    let mut pairs = Vec::new();
    for cluster in 0..600 {
        let is_large = cluster % 10 == 9;
        for _ in 0..if is_large { 40 } else { 1 } {
            let (released, success) = (cluster * 8_640, !is_large);
            pairs.push(TrialRelease {
                cluster,
                owner: 1,
                released,
                in_use: 0.2,
                challenger: 0.8,
                success,
            });
        }
    }
    let trial = Trial::of(1, &pairs, &Costs::default());
    assert!(trial.hours.rejects(error_of(1)) && trial.log_loss.rejects(error_of(1)), "{trial:?}");
    assert!(trial.hours_a_release < 0.0 && !trial.is_better(), "{trial:?}");
}

#[test]
fn a_later_challenger_has_less_error_left() {
    let mut random = Random::new(11);
    let world = world(&mut random, 1_800);
    let in_use = knowing(&world, &mut random, 1.8);
    let said = knowing(&world, &mut random, 0.3);
    let pairs = pairs(&world, &in_use, &said);
    let days = [1, 100].map(|number| is_ever_better(number, &pairs).unwrap_or(i64::MAX));
    assert!(days[0] < days[1], "{days:?}");
}

#[test]
fn one_owner_of_several_installs_nothing() {
    let of = |owners: u64| {
        let pair = |cluster: i64| TrialRelease {
            cluster,
            // Most are of one owner.
            owner: if cluster % 4 == 0 { cluster.unsigned_abs() % owners } else { 0 },
            released: cluster * 43_200,
            // What that owner does makes the challenger better, and the others' does not.
            in_use: 0.3,
            challenger: if cluster % 4 == 0 { 0.3 } else { 0.9 },
            success: true,
        };
        Trial::of(1, &(0..240).map(pair).collect::<Vec<_>>(), &Costs::default())
    };
    assert!(of(1).is_better());
    let several = of(5);
    assert!(several.hours.rejects(error_of(1)) && several.is_of_one && !several.is_better());
}
