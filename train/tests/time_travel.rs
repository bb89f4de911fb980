//! No row of a dataset knows its future: the sample of each is made once more of what log and epoch
//! ads held at its decision instant, and is the same to the last bit.

use std::collections::BTreeMap;
use std::ops::Range;

use classads::ClassAd;
use eventlog::{Events, ReadOptions};
use holdadvise::features::{Holds, Sampler};
use holdadvise::history::{Action, Coverage, History, HistoryBuilder, NotedActions, epoch_written};
use holdadvise::model::Dimensions;
use holdadvise_train::data::dataset::Dataset;
use jiff::tz::TimeZone;
use rayon::prelude::*;

use crate::common::{holdadvise_train, text};

/// What the access point had written, piece by piece.
struct Written {
    log: Vec<u8>,
    /// Time and place of each event, in the order of both.
    events: Vec<(i64, usize)>,
    epochs: Vec<(i64, ClassAd)>,
}

impl Written {
    fn of(log: Vec<u8>, epochs: &[u8]) -> Self {
        let events: Vec<(i64, usize)> = events(&log)
            .map(|event| event.expect("the simulator writes whole events"))
            .map(|event| (event.time.seconds, event.offset as usize))
            .collect();
        assert!(events.is_sorted(), "what was written later stands later in the log");
        let epochs = classads::read_ads(epochs)
            .map(|ad| ad.expect("the simulator writes whole ads"))
            .map(|ad| (epoch_written(&ad).expect("the banner has a time"), ad))
            .collect();
        Self { log, events, epochs }
    }

    /// All of it that was there at `instant`.
    fn until(&self, instant: i64) -> History {
        let later = self.events.partition_point(|&(time, _)| time <= instant);
        let end = self.events.get(later).map_or(self.log.len(), |&(_, offset)| offset);
        let mut history = HistoryBuilder::new();
        let source = history.add_source(Coverage::AccessPoint);
        for event in events(&self.log[..end]) {
            history.add_event(source, &event.expect("cut between events"));
        }
        for (_, ad) in self.epochs.iter().filter(|(written, _)| *written <= instant) {
            history.add_epoch(ad);
        }
        history.build()
    }
}

fn events(log: &[u8]) -> Events<'_> {
    Events::with_options(log, &ReadOptions::in_zone(TimeZone::UTC))
}

/// The bits of a sample.
type Bits = (Vec<u8>, Vec<u32>);

fn bits(states: &[u8], statics: &[f32]) -> Bits {
    (states.to_vec(), statics.iter().map(|value| value.to_bits()).collect())
}

#[test]
fn every_row_is_what_was_known_at_its_decision_instant() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let out = holdadvise_train(folder.path(), arguments);
        assert!(out.status.success(), "{}", text(&out.stderr));
    };
    run(&["simulate", "--preset", "small", "--seed", "5", "--days", "2", "-o", "sim"]);
    run(&["tensors", "--simulation", "sim", "-o", "holds.safetensors"]);
    let dataset = Dataset::read(&folder.path().join("holds.safetensors")).unwrap();
    let read = |name: &str| std::fs::read(folder.path().join("sim").join(name)).unwrap();
    let written = Written::of(read("EventLog"), &read("epoch_history"));

    let mut rows: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (row, &instant) in dataset.decision_instant.iter().enumerate() {
        rows.entry(instant).or_default().push(row);
    }
    let last = written.events.last().unwrap().0;
    let with_a_future = rows.range(..last - 3600).map(|(_, rows)| rows.len()).sum::<usize>();
    assert!(rows.len() > 300 && with_a_future > 1000, "{} {with_a_future}", rows.len());

    let wrong: Vec<String> = rows
        .into_par_iter()
        .flat_map_iter(|(instant, rows)| differing(&dataset, &written, instant, rows))
        .collect();
    assert!(wrong.is_empty(), "{} rows know their future: {:?}", wrong.len(), wrong.first());
}

/// The rows of one instant that are none of the samples the holds at that instant have.
fn differing(dataset: &Dataset, written: &Written, instant: i64, rows: Vec<usize>) -> Vec<String> {
    let history = written.until(instant);
    let holds = history.episodes(i64::MAX, &NotedActions::default());
    let sampler = Sampler::for_schema(history, &dataset.info.schema, &Holds::All).unwrap();
    let d = Dimensions::of(&dataset.info.schema);
    let of = |row: usize, width: usize| -> Range<usize> { row * width..(row + 1) * width };
    let known = |row: usize| -> Vec<Bits> {
        // A row names the cluster of its job alone, so that holds of a cluster at one second are
        // told apart by their samples.
        let same = holds.iter().filter(|hold| {
            i64::from(hold.identity.job.cluster) == dataset.cluster[row] & 0xffff_ffff
                && hold.held_at == dataset.hold_time[row]
                && hold.identity.code == dataset.code[row]
        });
        let action = Action::ALL[usize::from(dataset.action[row])];
        same.map(|hold| sampler.sample(hold, instant, action, None))
            .map(|sample| bits(&sample.states, &sample.statics))
            .collect()
    };
    rows.into_iter()
        .filter_map(|row| {
            let states = &dataset.states[of(row, d.m * d.j)];
            let statics = &dataset.statics[of(row, d.k)];
            let known = known(row);
            (!known.contains(&bits(states, statics)))
                .then(|| format!("row {row} at {instant}, one of {} holds", known.len()))
        })
        .collect()
}
