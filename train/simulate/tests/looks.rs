//! What looks would have found: in the form of real ones, and as often right.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use classads::ClassAd;
use holdadvise::checks::{Finding, LocalFiles, Needed, Recorded, Thing, Urls};
use holdadvise_simulate::{Extras, Preset, Settings, simulate_with};
use serde_json::Value;

struct Played {
    looks: Vec<String>,
    /// By cluster, proc and NumHolds.
    truth: HashMap<(i64, i64, i64), Value>,
    /// Last ads of jobs, by cluster and proc.
    ads: HashMap<(i64, i64), ClassAd>,
}

fn lines(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

fn played(seed: u64) -> Played {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let layers = ["faults-3".to_owned()];
    let settings =
        Settings::new(Preset::load_with("small", &layers).unwrap(), seed, 14, folder.path());
    simulate_with(&settings, Extras { looks: true, ..Extras::default() }).unwrap();
    let number = |value: &Value, key: &str| value[key].as_i64().unwrap();
    let truth = lines(&at("truth.jsonl")).into_iter().map(|line| {
        let hold: Value = serde_json::from_str(&line).unwrap();
        let of = |key| number(&hold, key);
        ((of("cluster"), of("proc"), of("num_holds")), hold)
    });
    let ads = classads::read_ads(BufReader::new(File::open(at("epoch_history")).unwrap()));
    let ads = ads.map(|ad| {
        let ad = ad.unwrap();
        ((ad.integer("ClusterId").unwrap(), ad.integer("ProcId").unwrap()), ad)
    });
    Played { looks: lines(&at("looks.jsonl")), truth: truth.collect(), ads: ads.collect() }
}

/// One look, with the hold's truth and the probability of a release as it is at that instant.
struct Look<'a> {
    line: &'a str,
    look: Value,
    hold: &'a Value,
    as_is: f64,
    ad: Option<&'a ClassAd>,
}

impl Played {
    fn each(&self) -> impl Iterator<Item = Look<'_>> {
        self.looks.iter().map(|line| {
            let look: Value = serde_json::from_str(line).unwrap();
            let of = |key: &str| look[key].as_i64().unwrap();
            let job = (of("Cluster"), of("Proc"));
            let hold = &self.truth[&(job.0, job.1, of("NumHolds"))];
            let instants = hold["oracle"].as_array().unwrap();
            let at = instants.iter().find(|at| at["time"] == look["Time"]).unwrap();
            let as_is = at["as-is"].as_f64().unwrap();
            Look { line, hold, as_is, ad: self.ads.get(&job), look }
        })
    }
}

#[test]
fn looks_are_answered_as_real_ones_and_files_are_seen_as_they_are() {
    let mut seen: BTreeMap<(String, &str), (usize, f64)> = BTreeMap::new();
    let mut checked = 0;
    for seed in 1..=4 {
        let played = played(seed);
        let asked: usize =
            played.truth.values().map(|hold| hold["oracle"].as_array().unwrap().len()).sum();
        assert_eq!(asked, played.looks.len());
        // Instants repeat: the looks at a hold stand in the order of its oracle.
        let mut times: HashMap<(i64, i64, i64), Vec<i64>> = HashMap::new();
        for Look { look, .. } in played.each() {
            let of = |key: &str| look[key].as_i64().unwrap();
            let hold = (of("Cluster"), of("Proc"), of("NumHolds"));
            times.entry(hold).or_default().push(of("Time"));
        }
        for (hold, times) in times {
            let oracle = played.truth[&hold]["oracle"].as_array().unwrap();
            let asked = oracle.iter().map(|at| at["time"].as_i64().unwrap());
            assert_eq!(asked.collect::<Vec<_>>(), times, "{hold:?}");
        }
        for Look { line, look, hold, as_is, ad } in played.each() {
            let (Some(named), Some(ad)) = (look["Named"].as_str(), ad) else { continue };
            let record: Recorded = serde_json::from_str(line).unwrap();
            let files = LocalFiles::recorded(record).with_urls(Urls::Asked);
            let thing = match (hold["code"].as_i64().unwrap(), named.contains("://")) {
                (_, true) => Thing::Url,
                (14, _) => Thing::WorkingDirectory,
                (12, _) => Thing::OutputFile,
                (22, _) => Thing::EventLog,
                _ => Thing::InputFile,
            };
            let needed = vec![Needed { thing, path: named.to_owned(), named: true }];
            let check = files.check(ad, needed).remove(0);
            let found = match check.finding {
                Finding::StillThere { .. } => "StillThere",
                Finding::Gone { .. } => "Gone",
                Finding::Unknown { .. } => "Unknown",
            };
            assert_eq!(look["Finding"], found, "{line}");
            checked += 1;
            let what = if thing == Thing::Url { "Url" } else { "File" };
            let (count, sum) = seen.entry((what.to_owned(), found)).or_default();
            *count += 1;
            *sum += as_is;
        }
    }
    for ((what, found), (count, sum)) in &seen {
        println!("{what:<5} {found:<11} {count:>5} {:.3}", sum / *count as f64);
    }
    let mean = |what: &str, found: &str| {
        let (count, sum) = seen[&(what.to_owned(), found)];
        assert!(count >= 50, "{what} {found}: {count}");
        sum / count as f64
    };
    assert!(checked >= 1_000, "{checked}");
    assert!(mean("File", "StillThere") < 0.1 && mean("File", "Gone") > 0.5);
    assert!(mean("Url", "StillThere") < 0.15 && mean("Url", "Gone") > 0.4);
}

#[test]
fn the_right_line_of_an_output_is_found_as_often_as_on_a_pool() {
    let (mut right, mut all) = (0, 0);
    for seed in 1..=6 {
        let mut counted = HashSet::new();
        for Look { line, look, hold, ad, .. } in played(seed).each() {
            let cause = hold["cause"].as_str().unwrap();
            let Some(ad) = ad else { continue };
            let paths: Vec<String> = ["Err", "Out"]
                .map(|name| format!("{}/{}", ad.string("Iwd").unwrap(), ad.string(name).unwrap()))
                .into();
            let files = LocalFiles::recorded(serde_json::from_str(line).unwrap());
            let says = files.words(ad, &paths).map(|(_, words)| format!("{:?}", words.says));
            let expected: &[&str] = match cause {
                "bug" => &["Bug", "Usage", "Crash"],
                "site-software-outage" => &["Cvmfs"],
                "runtime-service" => &["Licence", "Network"],
                _ => continue,
            };
            if !line.contains("\"Words\"") {
                assert_eq!(says, None);
                continue;
            }
            // It says the same at every look.
            if !counted.insert((
                look["Cluster"].as_i64(),
                look["Proc"].as_i64(),
                look["NumHolds"].as_i64(),
            )) {
                continue;
            }
            all += 1;
            right += usize::from(says.is_some_and(|says| expected.contains(&says.as_str())));
        }
    }
    println!("{right} of {all}");
    let share = right as f64 / all as f64;
    assert!(all >= 300 && (0.78..=0.92).contains(&share), "{right} of {all}");
}

#[test]
fn looks_change_nothing_else() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    for (folder, looks) in folders.iter().zip([false, true]) {
        let settings = Settings::new(Preset::load("quick").unwrap(), 2, 1, folder.path());
        simulate_with(&settings, Extras { looks, ..Extras::default() }).unwrap();
        assert_eq!(folder.path().join("looks.jsonl").exists(), looks);
    }
    for name in ["EventLog", "epoch_history", "truth.jsonl", "simulation.json"] {
        let [one, other] =
            folders.each_ref().map(|at| std::fs::read(at.path().join(name)).unwrap());
        assert!(one == other, "{name}");
    }
}
