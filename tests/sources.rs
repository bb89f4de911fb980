//! Less evidence never gives more confidence: recorded holds are judged with every source and with
//! each left out, and with each attribute of their ads.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use classads::ClassAd;
use eventlog::{EventKind, JobId, ReadOptions};
use flate2::read::MultiGzDecoder;
use holdadvise::advice::job_facts::JobFacts;
use holdadvise::advice::{
    Advice, Advisor, ByItself, FILE_ATTRIBUTES, Held, Policies, Recommendation, advise,
};
use holdadvise::history::{
    ATTRIBUTES, Coverage, Episode, History, HistoryBuilder, HoldInQueue, NotedActions, Outcome,
    epoch_class, epoch_written,
};
use holdadvise::metrics::Band;
use holdadvise::model::Model;
use jiff::tz::TimeZone;

/// A played pool: its event log and its epoch ads by cluster.
struct Play {
    name: &'static str,
    folder: tempfile::TempDir,
    ads: BTreeMap<i32, Vec<(i64, ClassAd)>>,
    holds: Vec<Episode>,
}

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Without {
    Nothing,
    EventLog,
    Logs,
    Ads,
    EpochAds,
}

fn unpacked(path: &Path) -> impl Read + use<> {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    MultiGzDecoder::new(file)
}

fn cluster(ad: &ClassAd) -> Option<i32> {
    i32::try_from(ad.integer("ClusterId")?).ok()
}

impl Play {
    fn open(name: &'static str) -> Self {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("EventLog");
        io::copy(&mut unpacked(&data.join("EventLog.gz")), &mut File::create(&log).unwrap())
            .unwrap();
        let mut ads: BTreeMap<i32, Vec<(i64, ClassAd)>> = BTreeMap::new();
        for ad in classads::read_ads(BufReader::new(unpacked(&data.join("epoch_history.gz")))) {
            let ad = ad.expect("a whole file");
            if epoch_class(&ad).is_some_and(|class| class != "EPOCH") {
                continue;
            }
            if let (Some(cluster), Some(written)) = (cluster(&ad), epoch_written(&ad)) {
                ads.entry(cluster).or_default().push((written, ad));
            }
        }
        let mut play = Self { name, folder, ads, holds: Vec::new() };
        let histories = play.histories(Without::EpochAds);
        let episodes = histories
            .values()
            .flat_map(|history| history.episodes(i64::MAX, &NotedActions::default()));
        // A third of them: neighbours of one cluster are much alike.
        play.holds = episodes
            .step_by(3)
            .filter(|hold| hold.released_at.is_some() && !matches!(hold.identity.code, 1 | 15 | 16))
            .collect();
        play
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("EventLog")
    }

    /// Everything, or for each cluster what its owner sees of it.
    fn histories(&self, without: Without) -> BTreeMap<Option<i32>, History> {
        let alone = matches!(without, Without::EventLog | Without::Logs);
        let coverage = if alone { Coverage::Jobs } else { Coverage::AccessPoint };
        let mut histories = BTreeMap::new();
        let begun = || {
            let mut history = HistoryBuilder::new();
            (history.add_source(coverage), history)
        };
        if without != Without::EpochAds {
            for (cluster, ads) in &self.ads {
                let (_, history) = histories.entry(alone.then_some(*cluster)).or_insert_with(begun);
                for (_, ad) in ads {
                    history.add_epoch(ad);
                }
            }
        }
        if without != Without::Logs {
            let options = ReadOptions::in_zone(TimeZone::UTC);
            let mut log = eventlog::open(self.log(), &options).expect("the recorded log");
            while let Some(event) = log.next_event() {
                let event = event.expect("a whole log");
                // The log of a job has no event 028 unless the job asks for it.
                if !alone || event.kind() != EventKind::JobAdInformation {
                    let of = alone.then_some(event.job.cluster);
                    let (source, history) = histories.entry(of).or_insert_with(begun);
                    history.add_event(*source, &event);
                }
            }
        }
        histories.into_iter().map(|(of, (_, history))| (of, history.build())).collect()
    }

    /// The job as its ad in the queue told it at the decision.
    fn held(&self, hold: &Episode, now: i64) -> Held {
        let job = hold.identity.job;
        let ads = self.ads.get(&job.cluster);
        let of_job = |ad: &ClassAd| ad.integer("ProcId") == Some(i64::from(job.proc));
        let last = ads
            .and_then(|ads| ads.iter().rev().find(|(written, ad)| *written <= now && of_job(ad)));
        let facts = last.map_or_else(|| JobFacts::of(job), |(_, ad)| JobFacts::of_ad(job, ad));
        let in_queue = HoldInQueue {
            entered_current_status: hold.held_at,
            num_holds: Some(hold.identity.num_holds),
            code: hold.identity.code,
            subcode: hold.identity.subcode,
            reason: hold.reason.clone(),
        };
        Held { in_queue: Some(in_queue), facts, by_itself: ByItself::Nothing, ..Held::of_log(job) }
    }

    /// The advice for each hold a second before its release.
    fn advices(&self, model: &Model, without: Without) -> Vec<Option<Advice>> {
        let alone = matches!(without, Without::EventLog | Without::Logs);
        let mut advices: HashMap<(JobId, i64), Advice> = HashMap::new();
        let mut clusters: BTreeMap<Option<i32>, Vec<&Episode>> = BTreeMap::new();
        for hold in &self.holds {
            let of = alone.then_some(hold.identity.job.cluster);
            clusters.entry(of).or_default().push(hold);
        }
        for (of, history) in self.histories(without) {
            let advisor = Advisor::new(history, model).unwrap();
            for hold in clusters.remove(&of).unwrap_or_default() {
                let now = (hold.released_at.expect("released") - 1).max(hold.held_at);
                let mut held = self.held(hold, now);
                if without == Without::Ads {
                    held = Held::of_log(hold.identity.job);
                }
                if let Some(advice) = advisor.advise(&held, now).unwrap() {
                    advices.insert((hold.identity.job, hold.held_at), advice);
                }
            }
        }
        let key = |hold: &Episode| (hold.identity.job, hold.held_at);
        self.holds.iter().map(|hold| advices.remove(&key(hold))).collect()
    }
}

fn as_is(advice: &Advice) -> f64 {
    advice.success.first().map_or(0.5, |(_, p)| *p)
}

/// Bands away from *as likely as not*.
fn sureness(p: f64) -> f64 {
    match Band::of(p) {
        Band::VeryUnlikely | Band::VeryLikely => 2.0,
        Band::Unlikely | Band::Likely => 1.0,
        Band::Even => 0.0,
    }
}

fn is_final(recommendation: Recommendation) -> bool {
    matches!(recommendation, Recommendation::Release | Recommendation::Remove)
}

#[test]
fn a_missing_source_gives_no_release_and_no_removal() {
    let model = Model::builtin_default().unwrap();
    for name in ["pool-faults-23.9", "pool-faults-25.14"] {
        let play = Play::open(name);
        let with = play.advices(&model, Without::Nothing);
        for without in [Without::EventLog, Without::Logs, Without::Ads, Without::EpochAds] {
            let left_out = play.advices(&model, without);
            let (mut jobs, mut sure, mut surer) = (0.0, 0.0, 0.0);
            let mut new: BTreeMap<String, [u32; 2]> = BTreeMap::new();
            let mut releases = [[0; 2]; 2];
            for ((hold, full), less) in play.holds.iter().zip(&with).zip(&left_out) {
                let (Some(full), Some(less)) = (full, less) else { continue };
                jobs += 1.0;
                sure += sureness(as_is(full));
                surer += sureness(as_is(less));
                let success = usize::from(hold.outcome == Some(Outcome::Success));
                for (at, advice) in [full, less].into_iter().enumerate() {
                    if advice.recommendation == Recommendation::Release {
                        releases[at][success] += 1;
                    }
                }
                if is_final(less.recommendation) && less.recommendation != full.recommendation {
                    let code = (hold.identity.code, hold.identity.subcode);
                    let what =
                        format!("{code:?} {:?} was {:?}", less.recommendation, full.recommendation);
                    new.entry(what).or_default()[success] += 1;
                }
            }
            println!(
                "{}, without {without:?}: {jobs} holds, bands from even {:.3} (with all {:.3}), releases [failed, \
                 succeeded] {:?} (with all {:?}), new {new:?}",
                play.name,
                surer / jobs,
                sure / jobs,
                releases[1],
                releases[0],
            );
            assert!(surer <= sure, "without {without:?}: bands from even {surer} after {sure}");
            assert!(new.is_empty(), "without {without:?}: {new:?}");
        }
    }
}

/// The queue of a recorded pool when it was asked: its held jobs, with all logs and ads of runs.
struct Queue {
    folder: PathBuf,
    now: i64,
    ads: Vec<ClassAd>,
}

impl Queue {
    fn open(pool: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(pool);
        let now = std::fs::read_to_string(folder.join("held.time")).unwrap();
        let ads = File::open(folder.join("held.long")).unwrap();
        let ads = classads::read_ads(BufReader::new(ads)).map(Result::unwrap).collect();
        Self { folder, now: now.trim().parse().unwrap(), ads }
    }

    /// The advice on each job, where no ad in the queue has this attribute.
    fn without(&self, attribute: &str, model: &Model, without: Without) -> Vec<Advice> {
        let mut history = HistoryBuilder::new();
        if !matches!(without, Without::EventLog | Without::Logs) {
            let options = ReadOptions::in_zone(TimeZone::UTC);
            let source = history.add_source(Coverage::AccessPoint);
            let mut log = eventlog::open_series(self.folder.join("EventLog"), &options).unwrap();
            while let Some((_, event)) = log.next_event() {
                history.add_event(source, &event.unwrap());
            }
        }
        if without != Without::EpochAds {
            history.note_epochs();
            let epochs = File::open(self.folder.join("epoch_history")).unwrap();
            for ad in classads::read_ads(BufReader::new(epochs)).map(Result::unwrap) {
                if epoch_written(&ad).is_some_and(|written| written <= self.now) {
                    history.add_epoch(&ad);
                }
            }
        }
        let mut ads = self.ads.clone();
        for ad in &mut ads {
            ad.remove(attribute);
        }
        advise(history, &ads, model, &Policies::unknown(), self.now).unwrap()
    }
}

#[test]
fn an_attribute_that_is_missing_makes_nothing_surer() {
    const READ: [&str; 6] = [
        "PeriodicHold",
        "PeriodicRelease",
        "PeriodicRemove",
        "OnExitHold",
        "ExitCode",
        "JobRunCount",
    ];
    let model = Model::builtin_default().unwrap();
    for pool in ["pool-23.9", "pool-25.14"] {
        let queue = Queue::open(pool);
        let full = queue.without("", &model, Without::Nothing);
        assert!(full.len() > 20);
        let is_of_job = |name: &&&str| !matches!(**name, "ClusterId" | "ProcId");
        let read = ATTRIBUTES.iter().chain(FILE_ATTRIBUTES).chain(&READ).filter(is_of_job);
        let is_there = |name: &&&str| queue.ads.iter().any(|ad| ad.contains(name));
        let names: BTreeSet<&str> = read.filter(is_there).copied().collect();
        assert!(names.contains("Iwd") && names.contains("HoldReasonSubCode"));
        let attributes = names.into_iter().map(|name| (name, Without::Nothing));
        let sources = [Without::EventLog, Without::EpochAds].map(|source| ("", source));
        for (attribute, source) in attributes.chain(sources) {
            let less = queue.without(attribute, &model, source);
            assert_eq!(less.len(), full.len(), "{attribute}");
            for (full, less) in full.iter().zip(&less) {
                let what = format!(
                    "{pool} {} without {attribute} {source:?}: {:?} {:.3}, {:?} {:.3}",
                    full.held.job,
                    full.recommendation,
                    as_is(full),
                    less.recommendation,
                    as_is(less)
                );
                let acts =
                    is_final(less.recommendation) || less.recommendation == Recommendation::Try;
                assert!(!acts || less.recommendation == full.recommendation, "{what}");
                // The edge of a band may lie between two answers that hardly differ.
                let moved = (as_is(less) - as_is(full)).abs() >= 0.05;
                assert!(!moved || sureness(as_is(less)) <= sureness(as_is(full)), "{what}");
            }
        }
    }
}
