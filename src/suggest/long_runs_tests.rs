//! Limits of made-up runs, and of worlds with and without stuck ones.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;

/// Seconds.
const HOUR: i64 = 3_600;

fn run(cluster: i32, proc: i32, seconds: i64, end: RunEnd) -> Run {
    Run { job: JobId::new(cluster, proc), seconds, end }
}

/// Jobs of an hour to four; of each cluster the first is stuck so often, held after 20 hours, and
/// exits when it runs again.
fn runs(clusters: i32, stuck: i32) -> Vec<Run> {
    let mut runs = Vec::new();
    for cluster in 0..clusters {
        for proc in 0..20 {
            if proc < stuck {
                runs.push(run(cluster, proc, 20 * HOUR, RunEnd::Held));
            }
            runs.push(run(cluster, proc, (1 + i64::from(proc) % 4) * HOUR, RunEnd::Exited));
        }
    }
    runs
}

fn limit(runs: &[Run]) -> Option<LongRuns> {
    long_runs(runs, &Costs::default(), 60)
}

#[test]
fn stuck_runs_are_held_soon_after_the_others_have_ended() {
    let found = limit(&runs(20, 1)).unwrap();
    // Half as long again as the longest.
    assert_eq!((found.limit, found.exited, found.longest_exited), (6 * HOUR, 400, 4 * HOUR));
    assert_eq!((found.stuck, found.longest_stuck, found.stuck_clusters), (20, 20 * HOUR, 20));
    assert_eq!(found.saved, 20.0 * 14.0);
    assert_eq!((found.ran_again, found.exited_again, found.releases), (20, 20, true));
    assert!(found.gain > 0.0 && found.gain < 20.0 * 14.0 / 420.0, "{}", found.gain);
    for line in found.lines().iter().chain(&found.release()) {
        let expression = line.split_once(" = ").map_or(line.as_str(), |(_, value)| value);
        classads::Expr::parse_old(expression).unwrap();
    }
}

#[test]
fn jobs_of_one_cluster_count_each() {
    assert_eq!(limit(&runs(1, 8)), None, "a good run may be as long as one in eight");
    let mut many: Vec<Run> = (0..300).map(|proc| run(7, proc, HOUR, RunEnd::Exited)).collect();
    for proc in 0..12 {
        many.insert(0, run(7, proc, 30 * HOUR, RunEnd::Held));
    }
    let found = limit(&many).unwrap();
    assert_eq!(
        (found.limit, found.stuck, found.longest_stuck, found.stuck_clusters),
        (2 * HOUR, 12, 30 * HOUR, 1)
    );
}

#[test]
fn what_may_have_been_long_is_not_stuck() {
    let with = |end: RunEnd, again: Option<i64>| {
        let mut runs = runs(20, 0);
        for cluster in 0..20 {
            runs.push(run(cluster, 90, 20 * HOUR, end));
            runs.extend(again.map(|seconds| run(cluster, 90, seconds, RunEnd::Exited)));
        }
        limit(&runs)
    };
    assert!(with(RunEnd::Held, Some(2 * HOUR)).is_some());
    assert_eq!(with(RunEnd::Held, None), None);
    assert_eq!(with(RunEnd::Held, Some(20 * HOUR)), None);
    assert_eq!(with(RunEnd::Removed, None), None);
    assert_eq!(with(RunEnd::Stopped, Some(2 * HOUR)), None);
    assert_eq!(limit(&runs(20, 0)), None);
    assert_eq!(limit(&[]), None);
}

#[test]
fn a_rare_long_run_does_not_stand_in_the_way() {
    let mut many = Vec::new();
    for cluster in 0..30 {
        many.extend((0..100).map(|proc| run(cluster, proc, HOUR, RunEnd::Exited)));
        for proc in 0..10 {
            many.push(run(cluster, 100 + proc, 90 * HOUR, RunEnd::Held));
            many.push(run(cluster, 100 + proc, HOUR, RunEnd::Exited));
        }
    }
    many.push(run(3, 200, 40 * HOUR, RunEnd::Exited));
    assert_eq!(limit(&many).unwrap().limit, 2 * HOUR);
}

#[test]
fn what_gets_stuck_again_is_left_to_people() {
    let mut runs = runs(20, 0);
    for cluster in 0..20 {
        runs.extend((0..4).map(|_| run(cluster, 90, 30 * HOUR, RunEnd::Held)));
        runs.push(run(cluster, 90, HOUR, RunEnd::Exited));
    }
    let found = limit(&runs).unwrap();
    assert_eq!(
        (found.ran_again, found.exited_again, found.releases, found.release()),
        (80, 20, false, None)
    );
}

#[test]
fn shares_are_those_of_the_rule_of_succession() {
    // Mean and standard deviation of Beta(6, 6) and Beta(1, 1).
    let (half, deviation) = share(5, 10);
    assert!(half == 0.5 && (deviation - (1.0_f64 / 52.0).sqrt()).abs() < 1e-12, "{deviation}");
    let (unknown, deviation) = share(0, 0);
    assert!(unknown == 0.5 && (deviation - (1.0_f64 / 12.0).sqrt()).abs() < 1e-12);
}

proptest! {
    #[test]
    fn what_is_found_is_sound(
        runs in proptest::collection::vec((0..8_i32, 0..4_i32, 0..2_000_000_i64, 0..4_usize), 0..200),
        interval in 1..100_000_i64,
    ) {
        let ends = [RunEnd::Exited, RunEnd::Held, RunEnd::Removed, RunEnd::Stopped];
        let runs: Vec<Run> = runs
            .into_iter()
            .map(|(cluster, proc, seconds, end)| run(cluster, proc, seconds, ends[end]))
            .collect();
        if let Some(found) = long_runs(&runs, &Costs::default(), interval) {
            prop_assert!(found.limit >= interval && found.longest_stuck > found.limit);
            prop_assert!(found.gain > 0.0 && found.saved > 0.0);
            prop_assert!(found.exited_again <= found.ran_again && found.stuck_clusters <= found.stuck);
        }
    }
}

/// Jobs of one kind, as their owner could submit them week after week.
struct World {
    /// Hours of the median job, and the standard deviation of the logarithm: of clusters, and of
    /// the jobs of one.
    median: f64,
    spread: f64,
    /// Share of the runs that get stuck.
    stuck: f64,
    /// Hours after which the access point holds any run.
    most: f64,
    /// Clusters, and jobs of each.
    clusters: i32,
    jobs: i32,
}

/// How one run goes.
enum Course {
    Exits(f64),
    Stuck,
    /// Held for some other cause.
    Held(f64),
}

impl World {
    fn drawn(draw: &mut impl FnMut() -> f64) -> Self {
        let mut pick = |values: &[f64]| values[(draw() * values.len() as f64) as usize];
        Self {
            median: pick(&[0.2, 1.0, 5.0]),
            spread: pick(&[0.1, 0.4, 0.8, 1.2]),
            stuck: pick(&[0.0, 0.02, 0.1]),
            most: pick(&[20.0, 72.0]),
            clusters: pick(&[1.0, 4.0, 12.0, 40.0]) as i32,
            jobs: pick(&[5.0, 20.0, 60.0]) as i32,
        }
    }

    /// Hours of the median job of a cluster.
    fn cluster(&self, draw: &mut impl FnMut() -> f64) -> f64 {
        self.median * (self.spread * normal(draw)).exp()
    }

    /// Hours of a job.
    fn job(&self, cluster: f64, draw: &mut impl FnMut() -> f64) -> f64 {
        cluster * (self.spread * normal(draw)).exp()
    }

    /// A run of a job of so many hours: machines differ.
    fn run(&self, hours: f64, draw: &mut impl FnMut() -> f64) -> Course {
        let hours = hours * (0.8 + 0.4 * draw());
        if draw() < self.stuck {
            Course::Stuck
        } else if draw() < 0.05 {
            Course::Held(hours * draw())
        } else {
            Course::Exits(hours)
        }
    }

    /// What a log tells.
    fn runs(&self, draw: &mut impl FnMut() -> f64) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut of_cluster = 0.0;
        for (cluster, proc) in
            (0..self.clusters).flat_map(|cluster| (0..self.jobs).map(move |proc| (cluster, proc)))
        {
            if proc == 0 {
                of_cluster = self.cluster(draw);
            }
            let job = self.job(of_cluster, draw);
            for _ in 0..STARTS {
                let (hours, end) = match self.run(job, draw) {
                    Course::Exits(hours) if hours <= self.most => (hours, RunEnd::Exited),
                    Course::Held(hours) if hours <= self.most => (hours, RunEnd::Held),
                    _ => (self.most, RunEnd::Held),
                };
                runs.push(run(cluster, proc, (hours * HOUR as f64) as i64, end));
                if end == RunEnd::Exited {
                    break;
                }
            }
        }
        runs
    }

    /// Hours of slots and of waiting that a new job takes, with a limit or without.
    fn cost(&self, limit: Option<&LongRuns>, job: f64, draw: &mut impl FnMut() -> f64) -> f64 {
        let costs = Costs::default();
        let mut all = 0.0;
        let mut over = 0;
        for start in 1..=50 {
            // After that many somebody has seen that the limit is too low for it.
            let limit = limit.filter(|_| over < STARTS);
            let most = limit.map_or(self.most, |limit| hours(limit.limit).min(self.most));
            let (ran, is_over) = match self.run(job, draw) {
                Course::Exits(hours) if hours <= most => return all + hours,
                Course::Held(hours) if hours <= most => (hours, false),
                _ => (most, true),
            };
            over += u32::from(is_over);
            let by_itself = is_over && start < STARTS && limit.is_some_and(|limit| limit.releases);
            all += ran + if by_itself { 0.0 } else { costs.delay };
            if over == STARTS && limit.is_some() {
                all += costs.failed;
            } else if over >= 2 * STARTS {
                break;
            }
        }
        all
    }
}

/// Box and Muller's way to the normal distribution.
fn normal(draw: &mut impl FnMut() -> f64) -> f64 {
    let (one, other) = (draw().max(1e-12), draw());
    (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * other).cos()
}

#[test]
fn limits_save_hours_of_jobs_to_come() {
    let mut rng = TestRunner::deterministic().new_rng();
    let mut draw = || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let (mut limited, mut worse, mut without_cause, mut gains) = (0, 0, 0, 0.0);
    for _ in 0..600 {
        let world = World::drawn(&mut draw);
        let Some(found) = limit(&world.runs(&mut draw)) else { continue };
        let jobs = 500;
        let mut gain = 0.0;
        for _ in 0..jobs {
            let cluster = world.cluster(&mut draw);
            let job = world.job(cluster, &mut draw);
            gain += world.cost(None, job, &mut draw) - world.cost(Some(&found), job, &mut draw);
        }
        gain /= f64::from(jobs);
        limited += 1;
        worse += u32::from(gain < 0.0);
        without_cause += u32::from(world.stuck == 0.0);
        gains += gain;
    }
    println!(
        "{limited} limits, {worse} cost more, {without_cause} without cause, {:.2} h saved a job",
        gains / f64::from(limited)
    );
    assert!(
        limited > 100 && 20 * worse <= limited && 20 * without_cause <= limited,
        "{worse} {without_cause} of {limited}"
    );
}
