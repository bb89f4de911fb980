//! The recorded plays with checks (`docs/records/pool-checks.md`): truth, log, looks and ads agree,
//! most causes are what they should be, and how often a check is wrong.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use classads::ClassAd;
use eventlog::{JobId, ReadOptions};
use holdadvise::advice::{Held, Policies};
use holdadvise::checks::{Check, Finding, LocalFiles, Urls};
use holdadvise::history::{Coverage, Episode, HistoryBuilder, HoldInQueue, NotedActions, Outcome};
use holdadvise::policy::PolicyTime;
use jiff::tz::TimeZone;

#[allow(dead_code, reason = "the evaluation reads more of it")]
#[path = "../examples/plays/reader.rs"]
pub(crate) mod reader;

use reader::{KINDS, Look, Play, folders, probabilities};

/// Longer than any play, seconds.
const HORIZON: i64 = 86_400;
/// Who can see a cause.
const SEEN_BY: [&str; 4] = ["local", "url", "ad", "nothing"];
/// Looks are so far apart, seconds.
const EVERY: f64 = 20.0;
/// A look is this much late at most, seconds: then the queue or the checks were slow.
const LATE: f64 = 5.0;
/// A trouble is there below this probability of success as is, and over above the other.
const THERE: f64 = 0.05;
const OVER: f64 = 0.95;

fn data() -> PathBuf {
    std::env::var_os("HOLDADVISE_POOL_CHECKS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data"), PathBuf::from)
}

/// All plays, read once. What is printed of those that are opened once is nothing.
fn plays() -> &'static [Play] {
    static PLAYS: LazyLock<Vec<Play>> = LazyLock::new(|| {
        let folders = folders(&data(), &KINDS).unwrap();
        folders.iter().map(|folder| Play::read(folder).unwrap()).collect()
    });
    assert!(!PLAYS.is_empty(), "no plays in {}", data().display());
    &PLAYS
}

fn episodes(play: &Play) -> Vec<Episode> {
    let mut log = tempfile::NamedTempFile::new().unwrap();
    log.write_all(&play.log).unwrap();
    let mut history = HistoryBuilder::new();
    let options = ReadOptions::in_zone(TimeZone::UTC);
    let report = history.read_log(log.path(), Coverage::AccessPoint, &options).unwrap();
    assert_eq!(report.damaged, 0, "{}: {:?}", play.name, report.first_damage);
    let ads = history.read_epochs(play.epochs().unwrap());
    assert!(ads.problems.is_empty() && ads.ads > 0, "{}: {:?}", play.name, ads.problems);
    history.build().episodes(HORIZON, &NotedActions::default())
}

fn outcome(episode: &Episode) -> Option<&'static str> {
    episode.outcome.map(|outcome| match outcome {
        Outcome::Success => "success",
        Outcome::Failure => "failure",
        Outcome::Censored => "censored",
    })
}

fn ad(text: &str) -> ClassAd {
    classads::read_ads(text.as_bytes()).next().unwrap().unwrap()
}

#[test]
fn truth_and_log_tell_the_same() {
    for play in plays() {
        let episodes = episodes(play);
        assert_eq!(play.truth.len(), episodes.len(), "{}", play.name);
        let truth: HashMap<(JobId, i64), _> =
            play.truth.iter().map(|one| ((one.job(), one.num_holds), one)).collect();
        assert_eq!(truth.len(), play.truth.len(), "{}: a hold is there twice", play.name);
        for episode in &episodes {
            let identity = &episode.identity;
            let one = truth[&(identity.job, identity.num_holds)];
            assert_eq!(one.time, episode.held_at, "{}: {one:?}", play.name);
            assert_eq!((one.code, one.subcode), (identity.code, identity.subcode), "{one:?}");
            assert_eq!(Some(one.owner.as_str()), episode.owner.as_deref(), "{one:?}");
            assert_eq!(one.released, episode.released_at, "{}: {one:?}", play.name);
            assert_eq!(one.outcome.as_deref(), outcome(episode), "{}: {one:?}", play.name);
            assert!(SEEN_BY.contains(&one.seen_by.as_str()), "{one:?}");
        }
    }
}

#[test]
fn looks_are_on_a_grid_that_no_release_moves() {
    for play in plays() {
        let start = play.schedule["start"].as_f64().unwrap();
        let mut numbers = BTreeSet::new();
        for look in &play.looks {
            // Times are kept to a hundredth.
            let number = ((look.begun - start + 0.05) / EVERY).floor();
            let late = look.begun - start - number * EVERY;
            assert!(late < LATE, "{}: a look {late} s late", play.name);
            assert!(numbers.insert(number as i64), "{}: two looks at {number}", play.name);
            assert!(look.begun <= look.ads_at && look.ads_at <= look.ended, "{}", play.name);
        }
        let all = numbers.last().unwrap() - numbers.first().unwrap() + 1;
        // A machine that is busy may cost a place of the grid.
        assert!(numbers.len() as i64 * 10 >= all * 9, "{}: {} of {all}", play.name, numbers.len());
    }
}

#[test]
fn ads_at_a_look_tell_the_holds_of_the_log() {
    for play in plays() {
        let (mut known, mut all) = (0, 0);
        for look in &play.looks {
            for (job, text) in &look.ads {
                all += 1;
                let Some(at_look) = play.at_look(look, *job) else { continue };
                let truth = play.hold(*job, at_look.num_holds).unwrap();
                let hold = HoldInQueue::of(&ad(text)).unwrap();
                assert_eq!((hold.code, hold.subcode), (truth.code, truth.subcode), "{truth:?}");
                // The log is written some seconds later on a busy machine.
                let late = truth.time - hold.entered_current_status;
                assert!(late.abs() <= 5, "{late} s: {truth:?}");
                known += 1;
            }
        }
        println!("{}: {known} of {all} held jobs at looks have a truth", play.name);
        assert!(known * 50 >= all * 49, "{}: {known} of {all}", play.name);
    }
}

#[test]
fn truth_over_time_is_of_probabilities() {
    for play in plays() {
        for one in play.at_looks.values() {
            assert!(one.over.windows(2).all(|pair| pair[0].0 < pair[1].0), "{one:?}");
            for over in &one.over {
                let all = probabilities(over);
                assert!(all.iter().all(|p| (0.0..=1.0).contains(p)), "{one:?}");
            }
        }
    }
}

/// Probability that the oracle rates a success above a failure.
fn area(scores: &[(f64, bool)]) -> f64 {
    let of =
        |wanted: bool| scores.iter().filter(move |score| score.1 == wanted).map(|score| score.0);
    let points = |good: f64, bad: f64| match good.total_cmp(&bad) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    let won: f64 = of(true).flat_map(|good| of(false).map(move |bad| points(good, bad))).sum();
    won / (of(true).count() * of(false).count()) as f64
}

#[test]
fn oracle_is_right() {
    for play in plays() {
        let scores: Vec<(f64, bool)> = play
            .truth
            .iter()
            .filter_map(|one| {
                let success = match one.outcome.as_deref()? {
                    "success" => true,
                    "failure" => false,
                    _ => return None,
                };
                Some((one.success?, success))
            })
            .collect();
        let area = area(&scores);
        println!("{}: area under the curve of the oracle {area:.3}", play.name);
        assert!(area > 0.95, "{}: {area}", play.name);
    }
}

/// Of each play, causes that nobody at the access point can see, and causes of somebody else.
#[test]
fn many_causes_are_seen_by_nobody_and_a_third_is_of_others() {
    for play in plays() {
        let holds = play.truth.len();
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        play.truth.iter().for_each(|one| *seen.entry(&one.seen_by).or_default() += 1);
        let others = play.truth.iter().filter(|one| is_of_others(one.module.as_deref())).count();
        println!("{}: {holds} holds, seen by {seen:?}; {others} of others", play.name);
        let nothing = seen.get("nothing").copied().unwrap_or(0);
        assert!(nothing * 10 >= holds * 4, "{}: {nothing} of {holds}", play.name);
        let causes = |of_others: bool| {
            let these = play.truth.iter();
            let these = these.filter(|one| !of_others || is_of_others(one.module.as_deref()));
            these.map(|one| one.cause.as_str()).collect::<BTreeSet<_>>()
        };
        let (of_others, all) = (causes(true).len(), causes(false).len());
        // Some plays have a module of their own besides.
        let has_more =
            ["-once-5", "-once-6", "-once-7"].iter().any(|kind| play.name.ends_with(kind));
        let least = if has_more { 5 } else { 3 };
        assert!(of_others * least >= all, "{}: {of_others} of {all} causes", play.name);
    }
}

fn is_of_others(module: Option<&str>) -> bool {
    module == Some("causes_of_others")
}

/// What the checks of one held job said at a look.
fn checks(look: &Look, policies: &Policies, job: JobId) -> Vec<Check> {
    Held::of_ad(job, &ad(&look.ads[&job]), true, policies, look.time).checks
}

/// How often a check of what the hold is about is wrong, on the plays for measuring alone.
#[test]
fn checks_are_seldom_wrong() {
    let mut counts: BTreeMap<(String, &str, &str), usize> = BTreeMap::new();
    for play in plays().iter().filter(|play| play.name.ends_with("-measure")) {
        for look in play.looks.iter().filter(|look| !look.ads.is_empty()) {
            let files = LocalFiles::recorded(look.recorded().unwrap());
            let files = Some(files.with_urls(Urls::Asked));
            let time = PolicyTime::new(std::time::Duration::ZERO);
            let policies = Policies { files, time, ..Policies::unknown() };
            for &job in look.ads.keys() {
                let Some(at_look) = play.at_look(look, job) else { continue };
                let truth = play.hold(job, at_look.num_holds).unwrap();
                let really = match at_look.now()[0] {
                    p if p <= THERE => "there",
                    p if p >= OVER => "over",
                    _ => continue,
                };
                for check in checks(look, &policies, job).iter().filter(|check| check.named) {
                    let says = match check.finding {
                        Finding::StillThere { .. } => "still there",
                        Finding::Gone { .. } => "gone",
                        Finding::Unknown { .. } => "unknown",
                    };
                    let key = (format!("{:?} {}", check.thing, truth.cause), really, says);
                    *counts.entry(key).or_default() += 1;
                }
            }
        }
    }
    let (mut wrong, mut said) = (0, 0);
    for ((what, really, says), count) in &counts {
        println!("{what:<45} really {really:<6} said {says:<12} {count:>5}");
        let errs = matches!((*really, *says), ("there", "gone") | ("over", "still there"));
        said += if *says == "unknown" { 0 } else { *count };
        wrong += if errs { *count } else { 0 };
    }
    println!("{wrong} of {said} checks that say something are wrong");
    assert!(said > 0, "no check said anything");
    assert!(wrong * 4 <= said, "{wrong} of {said}");
}
