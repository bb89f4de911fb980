//! What the layer `faults-3` brings into the data.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::OnceLock;

use holdadvise_simulate::{Preset, Settings, simulate};
use serde_json::Value;
use tempfile::TempDir;

const SEEDS: [u64; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// An access point with what is behind its holds.
struct Played {
    folder: TempDir,
    holds: Vec<Value>,
}

fn played(preset: &str, layers: &[&str], seed: u64, days: u32) -> Played {
    let folder = tempfile::tempdir().unwrap();
    let layers: Vec<String> = layers.iter().map(|&layer| layer.to_owned()).collect();
    let settings =
        Settings::new(Preset::load_with(preset, &layers).unwrap(), seed, days, folder.path());
    simulate(&settings).unwrap();
    let truth = std::fs::read_to_string(folder.path().join("truth.jsonl")).unwrap();
    let holds = truth.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    Played { folder, holds }
}

fn layered() -> &'static [Played] {
    static PLAYED: OnceLock<Vec<Played>> = OnceLock::new();
    PLAYED.get_or_init(|| SEEDS.map(|seed| played("small", &["faults-3"], seed, 21)).into())
}

fn plain() -> &'static [Played] {
    static PLAYED: OnceLock<Vec<Played>> = OnceLock::new();
    PLAYED.get_or_init(|| SEEDS.map(|seed| played("small", &[], seed, 21)).into())
}

fn holds(all: &[Played]) -> impl Iterator<Item = &Value> {
    all.iter().flat_map(|played| &played.holds)
}

fn is(hold: &Value, key: &str, any: &[&str]) -> bool {
    hold[key].as_str().is_some_and(|value| any.contains(&value))
}

fn job(hold: &Value) -> (i64, i64) {
    (hold["cluster"].as_i64().unwrap(), hold["proc"].as_i64().unwrap())
}

/// Share of successes among the releases of an action, by the number of the hold of such a cause of
/// the job, the third standing for all later ones; and how many.
fn by_hold(all: &[Played], causes: &[&str], action: &str) -> [(f64, usize); 3] {
    let mut counts = [(0, 0); 3];
    for played in all {
        let mut number: HashMap<(i64, i64), usize> = HashMap::new();
        for hold in played.holds.iter().filter(|hold| is(hold, "cause", causes)) {
            let number = number.entry(job(hold)).or_default();
            *number += 1;
            if is(hold, "action", &[action]) && is(hold, "outcome", &["success", "failure"]) {
                let count = &mut counts[(*number).min(3) - 1];
                count.0 += usize::from(is(hold, "outcome", &["success"]));
                count.1 += 1;
            }
        }
    }
    counts.map(|(successes, all)| (successes as f64 / all as f64, all))
}

const MEMORY: [&str; 2] = ["memory-too-small", "memory-varies"];
const DISK: [&str; 2] = ["disk-too-small", "disk-varies"];

#[test]
fn a_raise_by_what_was_used_often_does_not_suffice() {
    let rates = by_hold(layered(), &MEMORY, "memory");
    println!(
        "memory after memory: {rates:?}, without the layer {:?}",
        by_hold(plain(), &MEMORY, "memory")
    );
    assert!(rates.iter().all(|(_, count)| *count >= 150), "{rates:?}");
    assert!((0.45..=0.75).contains(&rates[0].0), "{rates:?}");
    assert!((0.55..=0.80).contains(&rates[2].0), "{rates:?}");
    let disk = by_hold(layered(), &DISK, "disk");
    println!("disk after disk: {disk:?}, without the layer {:?}", by_hold(plain(), &DISK, "disk"));
    assert!((0.35..=0.70).contains(&disk[0].0), "{disk:?}");
    let as_is = by_hold(layered(), &MEMORY, "as-is");
    println!(
        "as is after memory: {as_is:?}, without the layer {:?}",
        by_hold(plain(), &MEMORY, "as-is")
    );
    assert!(as_is[0].0 <= 0.30 && as_is[2].0 < as_is[0].0, "{as_is:?}");
    assert!(by_hold(plain(), &MEMORY, "memory")[0].0 > rates[0].0 + 0.1);
}

#[test]
fn no_more_than_the_limit_is_seen_where_a_cgroup_enforces_it() {
    let (mut capped, mut at_limit, mut polled, mut beyond) = (0, 0, 0, 0);
    for played in layered() {
        let file = File::open(played.folder.path().join("epoch_history")).unwrap();
        for ad in classads::read_ads(BufReader::new(file)) {
            let ad = ad.unwrap();
            let number = |name: &str| ad.integer(name).unwrap_or(0);
            let codes = (number("HoldReasonCode"), number("HoldReasonSubCode"));
            // The size of this run; MemoryUsage is the most of all runs.
            let (used, limit) = (number("ImageSize_RAW") / 1_024, number("MemoryProvisioned"));
            match codes {
                (34, 0 | 102) => {
                    assert!(used <= limit, "{used} of {limit}");
                    capped += 1;
                    at_limit += usize::from(used == limit);
                }
                (21 | 26, 102) => {
                    polled += 1;
                    beyond += usize::from(used > limit);
                }
                _ => {}
            }
        }
    }
    println!("{at_limit} of {capped} at the limit, {beyond} of {polled} polled beyond it");
    assert!(capped >= 500 && at_limit == capped, "{at_limit} of {capped}");
    assert!(polled >= 200 && beyond * 2 > polled, "{beyond} of {polled}");
}

/// Clusters of ten jobs and more with a hold of one of these causes, and in how many of them the
/// cause held a quarter of the jobs at most.
fn few_of_many(all: &[Played], causes: &[&str]) -> (usize, usize) {
    let (mut clusters, mut few) = (0, 0);
    for played in all {
        let bytes = std::fs::read(played.folder.path().join("EventLog")).unwrap();
        let mut size: HashMap<i64, usize> = HashMap::new();
        for event in eventlog::Events::new(&bytes) {
            let event = event.unwrap();
            *size.entry(event.job.cluster.into()).or_default() += usize::from(event.number == 0);
        }
        let mut held: BTreeMap<i64, HashSet<i64>> = BTreeMap::new();
        for hold in played.holds.iter().filter(|hold| is(hold, "cause", causes)) {
            let (cluster, proc) = job(hold);
            held.entry(cluster).or_default().insert(proc);
        }
        for (cluster, procs) in held.into_iter().filter(|(cluster, _)| size[cluster] >= 10) {
            clusters += 1;
            few += usize::from(procs.len() * 4 <= size[&cluster]);
        }
    }
    (clusters, few)
}

#[test]
fn faults_are_mostly_of_single_jobs_among_healthy_ones() {
    const FLAWS: [&str; 4] = ["deleted-input", "wrong-path", "unreadable-input", "wrong-url"];
    for causes in [&FLAWS[..], &["bug"]] {
        let (with, without) = (few_of_many(layered(), causes), few_of_many(plain(), causes));
        println!("{causes:?}: {with:?} of few jobs, without the layer {without:?}");
        let share = |(clusters, few): (usize, usize)| few as f64 / clusters as f64;
        assert!(with.0 >= 30 && share(with) > share(without) + 0.1 && share(with) > 0.55);
    }
}

#[test]
fn mistakes_are_put_right_without_an_edit() {
    const FIXED: [&str; 7] = [
        "bad-image",
        "bad-interpreter",
        "not-executable",
        "deleted-input",
        "wrong-path",
        "unreadable-input",
        "wrong-format",
    ];
    let as_is = |all: &[Played], outcome: &str| {
        let of = |hold: &&Value| is(hold, "action", &["as-is"]) && is(hold, "cause", &FIXED);
        holds(all).filter(of).filter(|hold| is(hold, "outcome", &[outcome])).count()
    };
    let (successes, failures) = (as_is(layered(), "success"), as_is(layered(), "failure"));
    println!("{successes} successes, {failures} failures");
    let share = successes as f64 / (successes + failures) as f64;
    assert!((0.08..=0.35).contains(&share) && failures > 200, "{successes} and {failures}");
    // Once put right it stays so: the oracle's curve of a hold rises and does not fall.
    let probabilities = |hold: &Value| -> Vec<f64> {
        let all = hold["oracle"].as_array().unwrap();
        all.iter().map(|at| at["as-is"].as_f64().unwrap()).collect()
    };
    let fixed: Vec<Vec<f64>> = holds(layered())
        .filter(|hold| is(hold, "cause", &["wrong-path", "bad-image"]))
        .map(probabilities)
        .filter(|all| all.iter().any(|p| *p > 0.3))
        .collect();
    assert!(fixed.len() >= 10, "{}", fixed.len());
    assert!(fixed.iter().any(|all| all[0] == 0.0));
    // The program is put right, the input of one job is not.
    let never = holds(plain()).filter(|hold| is(hold, "cause", &FIXED)).map(probabilities);
    assert_eq!(never.flatten().filter(|p| *p > 0.3).count(), 0);
}

/// Share of the releases by people that come later than so many seconds.
fn later(all: &[Played], seconds: i64) -> f64 {
    let delays: Vec<i64> = holds(all)
        .filter(|hold| is(hold, "released_by", &["owner", "facilitator", "periodic-release"]))
        .filter(|hold| !is(hold, "cause", &["person"]))
        .map(|hold| hold["released"].as_i64().unwrap() - hold["time"].as_i64().unwrap())
        .collect();
    delays.iter().filter(|delay| **delay > seconds).count() as f64 / delays.len() as f64
}

#[test]
fn half_of_the_releases_come_later_than_six_hours_after_the_hold() {
    let (six, days) = (later(layered(), 6 * 3_600), later(layered(), 2 * 86_400));
    println!(
        "{six:.2} after 6 h, {days:.2} after 2 days; without: {:.2}",
        later(plain(), 2 * 86_400)
    );
    assert!((0.4..=0.65).contains(&six), "{six}");
    assert!(days > later(plain(), 2 * 86_400), "{days}");
}

#[test]
fn limits_on_run_time_hold_runs_that_hang() {
    let hung: Vec<&Value> = holds(layered()).filter(|hold| is(hold, "cause", &["hung"])).collect();
    let codes: HashSet<i64> = hung.iter().map(|hold| hold["code"].as_i64().unwrap()).collect();
    assert!(hung.len() >= 100, "{}", hung.len());
    assert!([3, 21, 46, 47].iter().filter(|code| codes.contains(code)).count() >= 3, "{codes:?}");
    assert!(codes.iter().all(|code| [3, 21, 46, 47].contains(code)), "{codes:?}");
    assert!(hung.iter().all(|hold| hold["transient"] == true && hold["reach"] == "job"));
    let outcomes = |outcome| hung.iter().filter(|hold| is(hold, "outcome", &[outcome])).count();
    let (successes, failures) = (outcomes("success"), outcomes("failure"));
    assert!(successes > failures, "{successes} and {failures}");
    assert_eq!(holds(plain()).filter(|hold| is(hold, "cause", &["hung"])).count(), 0);
    // A host on which programs hang is a bad host.
    let on_host = holds(layered()).filter(|hold| {
        is(hold, "cause", &["bad-host"]) && [46, 47].contains(&hold["code"].as_i64().unwrap())
    });
    assert!(on_host.count() >= 3);
}

#[test]
fn a_layer_stands_in_the_description() {
    let read = |played: &Played| {
        std::fs::read_to_string(played.folder.path().join("simulation.json")).unwrap()
    };
    let with: Value = serde_json::from_str(&read(&layered()[0])).unwrap();
    assert_eq!(with["with"], serde_json::json!(["faults-3"]));
    assert!(!read(&plain()[0]).contains("with"));
    assert!(Path::new(&layered()[0].folder.path().join("EventLog")).exists());
}

#[test]
fn a_unit_of_time_changes_durations_and_nothing_else() {
    let of = |unit: f64| {
        let folder = tempfile::tempdir().unwrap();
        let settings =
            Settings::new(Preset::load("small").unwrap().in_unit(unit), 3, 4, folder.path());
        simulate(&settings).unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let truth: Vec<Value> =
            read("truth.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (truth, read("EventLog"), read("simulation.json"))
    };
    let (usual, log, described) = of(1.0);
    assert!(usual.len() > 100 && !described.contains("unit"));
    let start = 1_709_510_400.0;
    for unit in [0.02, 30.0] {
        let (scaled, scaled_log, described) = of(unit);
        assert!(described.contains(&format!("\"unit\":{unit:?}")), "{described}");
        let count = |log: &str| eventlog::Events::new(log.as_bytes()).count();
        assert_eq!(count(&log), count(&scaled_log));
        assert_eq!(usual.len(), scaled.len());
        for (usual, scaled) in usual.iter().zip(&scaled) {
            for key in ["cluster", "proc", "num_holds", "cause", "action", "outcome", "success"] {
                assert_eq!(usual[key], scaled[key], "{key}");
            }
            for key in ["time", "released"] {
                let (Some(usual), Some(scaled)) = (usual[key].as_i64(), scaled[key].as_i64())
                else {
                    assert_eq!(usual[key], scaled[key]);
                    continue;
                };
                let expected = start + (usual as f64 - start) * unit;
                assert!((scaled as f64 - expected).abs() <= unit.max(1.0), "{scaled}, {expected}");
            }
        }
    }
}

/// Share of successes among the releases as they are of such causes, and how many.
fn as_is(all: &[Played], causes: &[&str]) -> (f64, usize) {
    let [one, two, more] = by_hold(all, causes, "as-is");
    let count = one.1 + two.1 + more.1;
    let successes: f64 = [one, two, more]
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(share, count)| share * *count as f64)
        .sum();
    (successes / count as f64, count)
}

#[test]
fn an_overloaded_access_point_holds_jobs_of_any_owner_whatever_the_server() {
    const OVERLOADED: [&str; 1] = ["access-point-overloaded"];
    let of =
        |played: &'static Played| played.holds.iter().filter(|hold| is(hold, "cause", &OVERLOADED));
    assert_eq!(holds(plain()).filter(|hold| is(hold, "cause", &OVERLOADED)).count(), 0);
    // Holds of an hour: of how many owners.
    let mut most = 0;
    for played in layered() {
        let mut owners: BTreeMap<i64, HashSet<&str>> = BTreeMap::new();
        for hold in of(played) {
            assert!(hold["transient"] == true && hold["reach"] == "service");
            let codes = (hold["code"].as_i64().unwrap(), hold["subcode"].as_i64().unwrap());
            assert!([11, 12, 13, 18].contains(&codes.0) && [0, 1, 23].contains(&codes.1));
            let hour = hold["time"].as_i64().unwrap() / 3_600;
            owners.entry(hour).or_default().insert(hold["owner"].as_str().unwrap());
        }
        most = most.max(owners.values().map(HashSet::len).max().unwrap_or(0));
    }
    let (share, count) = as_is(layered(), &OVERLOADED);
    println!("{share:.3} of {count} releases, at most {most} owners in an hour");
    assert!(most >= 5, "{most}");
    assert!(count >= 500 && (0.33..=0.57).contains(&share), "{share} of {count}");
}

#[test]
fn quotas_are_of_owners_and_of_projects_of_bytes_and_of_files() {
    let full =
        |all: &'static [Played]| holds(all).filter(|hold| is(hold, "cause", &["quota-full"]));
    let subcodes = |all: &'static [Played]| -> HashSet<i64> {
        full(all).map(|hold| hold["subcode"].as_i64().unwrap()).collect()
    };
    assert_eq!(subcodes(plain()), HashSet::from([122]));
    assert_eq!(subcodes(layered()), HashSet::from([28, 122]));
    assert!(full(layered()).count() > full(plain()).count());
    // Members of a project are held together.
    let shared = layered().iter().any(|played| {
        let mut owners: BTreeMap<i64, HashSet<&str>> = BTreeMap::new();
        for hold in played.holds.iter().filter(|hold| is(hold, "cause", &["quota-full"])) {
            let hour = hold["time"].as_i64().unwrap() / 3_600;
            owners.entry(hour).or_default().insert(hold["owner"].as_str().unwrap());
        }
        owners.values().any(|owners| owners.len() >= 3)
    });
    assert!(shared);
}

#[test]
fn memory_is_no_more_than_a_fifth_of_the_holds_and_folders_seldom_come_back() {
    let all = holds(layered()).filter(|hold| !is(hold, "cause", &["person", "spooling"]));
    let (count, memory) = all.fold((0, 0), |(count, memory), hold| {
        (count + 1, memory + usize::from(is(hold, "cause", &MEMORY)))
    });
    let share = memory as f64 / f64::from(count);
    println!("memory is {share:.3} of {count}");
    assert!((0.08..=0.26).contains(&share), "{share}");
    let (folder, product) =
        (as_is(layered(), &["missing-folder"]), as_is(layered(), &["not-yet-produced"]));
    println!("folder {folder:?}, product {product:?}");
    assert!(folder.1 >= 50 && folder.0 < 0.35, "{folder:?}");
    assert!(product.1 >= 200 && (0.2..=0.55).contains(&product.0), "{product:?}");
    // Nobody puts a product there without the layer.
    assert!(product.0 > 0.1 + as_is(plain(), &["missing-folder"]).0);
}

#[test]
fn some_access_points_log_the_least_and_their_holds_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let layer = |share: &str| {
        let path = folder.path().join(format!("bare-{share}.toml"));
        std::fs::write(&path, format!("[logs]\nbare = {share}\n")).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (never, always) = (layer("0.0"), layer("1.0"));
    let usual = played("small", &["faults-3", &never], 3, 2);
    let bare = played("small", &["faults-3", &always], 3, 2);
    let read = |played: &Played, name: &str| {
        std::fs::read_to_string(played.folder.path().join(name)).unwrap()
    };
    assert!(usual.holds == bare.holds && !bare.holds.is_empty());
    assert!(read(&bare, "epoch_history").is_empty() && !read(&usual, "epoch_history").is_empty());
    let events = |played: &Played| -> Vec<(i64, u16)> {
        let log = read(played, "EventLog");
        let all = eventlog::Events::new(log.as_bytes());
        all.map(|event| event.unwrap()).map(|event| (event.time.seconds, event.number)).collect()
    };
    let without = events(&usual).into_iter().filter(|(_, number)| *number != 28);
    assert_eq!(without.collect::<Vec<_>>(), events(&bare));
    assert!(read(&bare, "simulation.json").contains("\"bare\":true"));
    assert!(!read(&usual, "simulation.json").contains("bare\":true"));
    // A share of them, by the seed.
    let is_bare = |seed| read(&played("small", &["faults-3"], seed, 1), "simulation.json");
    let drawn = (1..=24).filter(|&seed| is_bare(seed).contains("\"bare\":true")).count();
    assert!((1..=9).contains(&drawn), "{drawn} of 24");
}
