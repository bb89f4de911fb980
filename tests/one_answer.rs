//! What is never in one answer, and that a verdict changes with evidence alone: on the recorded plays
//! that are to choose by, asked as on a pool every 20 s.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use eventlog::JobId;
use holdadvise::advice::{
    Advice, Advisor, AgainstChoice, Evidence, Held, LookAt, Policies, Recommendation,
};
use holdadvise::checks::{Finding, LocalFiles, Urls};
use holdadvise::history::HoldInQueue;
use holdadvise::model::Model;
use holdadvise::policy::PolicyTime;
use serde_json::Value;

use crate::pool_checks::reader::{Look, Play, folders};

/// Looks of a play from which on so many in a row are judged: tries are advised at some of them.
const FROM: [usize; 3] = [5, 27, 48];
const IN_A_ROW: usize = 3;

fn judged(play: &Play, look: &Look, model: &Model) -> Vec<Advice> {
    let now = look.ads_at.floor() as i64;
    let mut history = play.history_until(now).unwrap();
    let ads = look.ads().unwrap();
    ads.values().for_each(|ad| {
        history.add_queue_ad(ad, now);
    });
    let files = LocalFiles::recorded(look.recorded().unwrap()).with_urls(Urls::None);
    let time = PolicyTime::new(PolicyTime::DEFAULT);
    let policies = Policies { files: Some(files), time, ..Policies::unknown() };
    let held = ads.iter().filter(|(_, ad)| HoldInQueue::of(ad).is_some());
    let held: Vec<Held> =
        held.map(|(id, ad)| Held::of_ad(*id, ad, false, &policies, now)).collect();
    let advisor = Advisor::new(history.build(), model).unwrap();
    advisor.advise_all(&held, now).unwrap().into_iter().flatten().collect()
}

/// All looks that are judged, those in a row together.
fn answers() -> Vec<Vec<(i64, Vec<Advice>)>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let model = Model::builtin_default().unwrap();
    let mut all = Vec::new();
    for folder in folders(&data, &["choose"]).unwrap() {
        let play = Play::read(&folder).unwrap();
        for from in FROM {
            let looks = &play.looks[from..from + IN_A_ROW];
            let judged =
                looks.iter().map(|look| (look.ads_at.floor() as i64, judged(&play, look, &model)));
            all.push(judged.collect());
        }
    }
    assert!(!all.is_empty(), "no plays");
    all
}

/// What an answer says of evidence, without what changes with every second.
fn shown(advice: &Advice) -> Vec<Value> {
    fn still(value: Value) -> Value {
        let passes = |key: &str| {
            ["Seconds", "CheckedAt", "WrittenAt", "ChangedAt"].iter().any(|part| key.contains(part))
        };
        match value {
            Value::Object(fields) => {
                let kept = fields.into_iter().filter(|(key, _)| !passes(key));
                Value::Object(kept.map(|(key, value)| (key, still(value))).collect())
            }
            Value::Array(values) => values.into_iter().map(still).collect(),
            other => other,
        }
    }
    let of_time = |seen: &&Evidence| !matches!(seen, Evidence::NoneBeganSince { .. });
    let evidence = advice.evidence.iter().filter(of_time);
    evidence.map(|seen| still(serde_json::to_value(seen).unwrap())).collect()
}

/// A time that an answer stated, and that has come: of a wait, or of a try.
fn stated(advice: &Advice, now: i64) -> bool {
    let look_again = advice.wait.as_ref().map(|wait| wait.look_again);
    let until = advice.choices.choices.iter().filter_map(|choice| match choice.against {
        Some(AgainstChoice::TooEarly { until }) => Some(until),
        _ => None,
    });
    look_again.into_iter().chain(until).any(|at| at <= now)
}

#[test]
fn no_answer_contradicts_itself_and_verdicts_change_with_evidence() {
    let (mut tries, mut looks, mut same) = (0, 0, 0);
    let mut changed: Vec<String> = Vec::new();
    for in_a_row in answers() {
        let mut before: HashMap<(JobId, i64), &Advice> = HashMap::new();
        for (now, advices) in &in_a_row {
            let of: BTreeMap<JobId, Recommendation> =
                advices.iter().map(|one| (one.held.job, one.recommendation)).collect();
            let mut named: HashMap<(i32, Option<i32>), HashSet<JobId>> = HashMap::new();
            for advice in advices {
                let job = advice.held.job;
                if advice.recommendation == Recommendation::Try {
                    let tried = advice.try_one.expect("one of them").job;
                    // It is held for that cause, and nothing else is advised of it.
                    assert_eq!(of.get(&tried), Some(&Recommendation::Try), "{job}: {tried}");
                    named.entry((job.cluster, advice.held.code)).or_default().insert(tried);
                    tries += 1;
                }
                looks += usize::from(advice.look.is_some());
                for seen in &advice.evidence {
                    let Evidence::File { check } = seen else { continue };
                    let is_wrong = matches!(check.finding, Finding::StillThere { .. });
                    let is_fine = matches!(check.finding, Finding::Gone { .. });
                    if check.named && is_wrong && advice.releases(job) {
                        panic!("{job} is released beside {check:?}");
                    }
                    let asks = match &advice.look {
                        Some(LookAt::File { path } | LookAt::Url { url: path }) => {
                            *path == check.path
                        }
                        _ => false,
                    };
                    assert!(!(is_fine && asks), "{job} is looked at beside {check:?}");
                }
                if let Some(last) = before.insert((job, advice.held.held_since), advice) {
                    let is_other = last.recommendation != advice.recommendation;
                    same += usize::from(!is_other);
                    if is_other && shown(last) == shown(advice) && !stated(last, *now) {
                        changed.push(format!(
                            "{job}: {:?} to {:?}",
                            last.recommendation, advice.recommendation
                        ));
                    }
                }
            }
            for (cluster, jobs) in named {
                assert!(jobs.len() <= 2, "{cluster:?}: {jobs:?}");
            }
        }
    }
    assert!(tries > 5 && looks > 100 && same > 100, "{tries} {looks} {same}");
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}
