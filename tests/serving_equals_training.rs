//! What is seen of a hold while it lasts, from the queue and the logs so far, is what training sees
//! of it afterwards, from the whole logs and the epoch ads: byte for byte, on every feature both
//! know.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use eventlog::{JobId, ReadOptions};
use holdadvise::features::{Column, FeatureSchema, Holds, Sample, Sampler};
use holdadvise::history::{
    Action, Coverage, Episode, History, HistoryBuilder, HoldInQueue, NotedActions, epoch_written,
};
use jiff::tz::TimeZone;

struct Recording {
    folder: PathBuf,
    /// When the queue was asked.
    instant: i64,
}

impl Recording {
    fn open(version: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(version);
        let time = std::fs::read_to_string(folder.join("held.time")).expect("the recording");
        Self { folder, instant: time.trim().parse().expect("Unix seconds") }
    }

    /// The event log, oldest part first.
    fn event_logs(&self) -> Vec<PathBuf> {
        let rotated = (1..10).rev().map(|number| self.folder.join(format!("EventLog.{number}")));
        rotated.filter(|path| path.exists()).chain([self.folder.join("EventLog")]).collect()
    }

    fn history(&self, until: i64) -> HistoryBuilder {
        let mut history = HistoryBuilder::new();
        let source = history.add_source(Coverage::AccessPoint);
        for path in self.event_logs() {
            let mut log = eventlog::open(&path, &ReadOptions::in_zone(TimeZone::UTC))
                .expect("the recorded log");
            while let Some(event) = log.next_event() {
                let event = event.expect("the recorded log is whole");
                if event.time.seconds <= until {
                    history.add_event(source, &event);
                }
            }
        }
        let epochs = File::open(self.folder.join("epoch_history")).expect("the recorded epoch ads");
        for ad in classads::read_ads(BufReader::new(epochs)) {
            let ad = ad.expect("the recorded epoch ads are whole");
            if epoch_written(&ad).is_some_and(|written| written <= until) {
                history.add_epoch(&ad);
            }
        }
        history
    }

    fn held(&self) -> Vec<(JobId, HoldInQueue, classads::ClassAd)> {
        let file = File::open(self.folder.join("held.long")).expect("the recorded queue");
        let ads = classads::read_ads(BufReader::new(file))
            .map(|ad| ad.expect("the recorded queue is whole"));
        ads.map(|ad| {
            let number = |name| i32::try_from(ad.integer(name).expect(name)).expect(name);
            let job = JobId::new(number("ClusterId"), number("ProcId"));
            let hold = HoldInQueue::of(&ad).expect("a held job");
            (job, hold, ad)
        })
        .collect()
    }
}

fn same_hold<'a>(episodes: &'a [Episode], job: JobId, hold: &HoldInQueue) -> Option<&'a Episode> {
    episodes
        .iter()
        .filter(|episode| {
            episode.identity.job == job
                && (episode.held_at - hold.entered_current_status).abs() <= 60
        })
        .min_by_key(|episode| (episode.held_at - hold.entered_current_status).abs())
}

fn compare(version: &str) {
    let recording = Recording::open(version);
    let schema = FeatureSchema::current();
    let mut then = recording.history(recording.instant);
    let held = recording.held();
    for (_, _, ad) in &held {
        then.add_ad(ad, recording.instant);
    }
    let episodes = {
        let afterwards = recording.history(i64::MAX).build();
        afterwards.episodes(i64::MAX, &NotedActions::default())
    };
    let sampler =
        |history: History| Sampler::for_schema(history, &schema, &Holds::All).expect("own columns");
    let afterwards = sampler(recording.history(i64::MAX).build());
    let serving = sampler(then.build());
    let mut differ: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut compared = 0;
    for (job, hold, _) in &held {
        let now =
            serving.history().held_at(*job, Some(hold), recording.instant).expect("it is held");
        let served = serving.sample(&now, recording.instant, Action::Unknown, None);
        let Some(episode) = same_hold(&episodes, *job, hold) else {
            assert_eq!(hold.code, 15, "the log tells of the hold of {job}");
            println!(
                "{job}: a job submitted on hold has no event 012, so training knows no such hold"
            );
            continue;
        };
        let trained = afterwards.sample(episode, recording.instant, Action::Unknown, None);
        assert_eq!(served.states, trained.states, "states of {job}");
        compared += differences(&schema, &served, &trained, *job, &mut differ);
    }
    let all = held.len() * schema.statics.len();
    println!("{version}: {} holds, {compared} of {all} statics compared", held.len());
    for (column, jobs) in &differ {
        println!("{column}: {}", jobs.join(", "));
    }
    assert!(differ.is_empty(), "{} columns differ", differ.len());
    assert!(compared * 10 >= all * 8, "{compared} of {all} statics compared: fewer than 80 %");
}

fn differences<'a>(
    schema: &'a FeatureSchema,
    served: &Sample,
    trained: &Sample,
    job: JobId,
    differ: &mut BTreeMap<&'a str, Vec<String>>,
) -> usize {
    let mut compared = 0;
    for (column, (now, then)) in
        schema.statics.iter().zip(served.statics.iter().zip(&trained.statics))
    {
        // Where only one side knows a column there is nothing to compare: the schedd clears
        // MemoryProvisioned and DiskProvisioned of a job whose shadow gave up before the start, the
        // epoch ad still has them.
        let of_ad = Column::named(column).filter(|column| column.goes_with("job-ad"));
        let mask = of_ad.and_then(|column| schema.column(column.row.mask?));
        if mask.is_some_and(|mask| served.statics[mask] != trained.statics[mask]) {
            println!("{job} {column}: only one side knows it ({now} then {then})");
            continue;
        }
        compared += 1;
        if now.to_bits() != then.to_bits() {
            differ.entry(column).or_default().push(format!("{job} {now} then {then}"));
        }
    }
    compared
}

#[test]
fn pool_of_23_9() {
    compare("pool-23.9");
}

#[test]
fn pool_of_25_14() {
    compare("pool-25.14");
}
