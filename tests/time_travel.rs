//! Whatever is appended to a log later changes no byte of an earlier decision's sample.

use eventlog::{Events, ReadOptions};
use holdadvise::features::{FeatureSchema, Holds, Sampler};
use holdadvise::history::{Action, Coverage, History, HistoryBuilder, NotedActions};
use jiff::tz::TimeZone;
use proptest::prelude::*;

/// 2026-01-01 00:00:00 UTC.
const START: i64 = 1_767_225_600;

/// One event: seconds after the one before, cluster, kind, and a choice within the kind.
type Told = (i64, i32, u8, usize);

const REASONS: [&str; 5] = [
    "Transfer input files failure at execution point slot1_1@e1.example.org using protocol http. Details: Error from slot1_1@e1.example.org: FILETRANSFER:1:non-zero exit (1) from curl_plugin: Could not connect to server (URL file = http://data.example.org/a.dat)",
    "Error from slot1_2@e2.example.org: The requested URL returned error: 404 (URL file = http://data.example.org/b.dat)",
    "Job has gone over memory limit of 128 megabytes. Peak usage: 131 megabytes.",
    "Failed to open '/home/alice/in.dat': No such file or directory",
    "via condor_hold (by user alice)",
];

fn event(time: i64, cluster: i32, kind: u8, choice: usize) -> String {
    let at = jiff::Timestamp::from_second(time).unwrap().strftime("%Y-%m-%d %H:%M:%S").to_string();
    let id = format!("({cluster:03}.{:03}.000)", choice % 3);
    let host = choice % 2 + 1;
    let body = match kind {
        0 => format!("000 {id} {at} Job submitted from host: <10.0.0.1:9618>\n"),
        1 => format!(
            "040 {id} {at} Started transferring input files\n\tTransferring to host: <10.0.0.{host}:9618>\n"
        ),
        2 => format!(
            "001 {id} {at} Job executing on host: <10.0.0.{host}:9618>\n\tSlotName: slot1_1@e{host}.example.org\n"
        ),
        3 => format!(
            "012 {id} {at} Job was held.\n\t{}\n\tCode {} Subcode {}\n",
            REASONS[choice % 5],
            [13, 13, 34, 13, 1][choice % 5],
            [256, 256, 102, 2, 0][choice % 5]
        ),
        4 => format!("013 {id} {at} Job was released.\n\tvia condor_release (by user alice)\n"),
        5 => format!(
            "005 {id} {at} Job terminated.\n\t(1) Normal termination (return value {})\n",
            choice % 2
        ),
        6 => format!("009 {id} {at} Job was aborted.\n\tvia condor_rm (by user alice)\n"),
        7 => format!("004 {id} {at} Job was evicted.\n\t(0) CPU times\n"),
        8 => format!(
            "028 {id} {at} Job ad information event triggered.\nTriggerEventTypeNumber = 1\nOwner = \"{}\"\nMachineAttrGLIDEIN_Site0 = \"Site{host}\"\nTransferInput = \"http://data.example.org/a.dat\"\n",
            ["alice", "bob"][choice % 2]
        ),
        _ => format!(
            "006 {id} {at} Image size of job updated: 100\n\t{}  -  MemoryUsage of job (MB)\n\t5000  -  ResidentSetSize of job (KB)\n",
            choice * 10
        ),
    };
    format!("{body}...\n")
}

fn history(text: &str) -> History {
    let mut history = HistoryBuilder::new();
    let source = history.add_source(Coverage::AccessPoint);
    for event in Events::with_options(text.as_bytes(), &ReadOptions::in_zone(TimeZone::UTC)) {
        history.add_event(source, &event.expect("the log is whole"));
    }
    history.build()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn later_events_change_no_earlier_sample(told in prop::collection::vec((0i64..400, 1i32..5, 0u8..10, 0usize..10), 1..120)) {
        let told: Vec<Told> = told;
        let mut time = START;
        let events: Vec<(i64, String)> = told.iter().map(|&(after, cluster, kind, choice)| {
            time += after;
            (time, event(time, cluster, kind, choice))
        }).collect();
        let all: String = events.iter().map(|(_, text)| text.as_str()).collect();
        let episodes = history(&all).episodes(i64::MAX, &NotedActions::default());
        let schema = FeatureSchema::current();
        let sampler = |text: &str| Sampler::for_schema(history(text), &schema, &Holds::All).unwrap();
        let afterwards = sampler(&all);
        for episode in episodes {
            let instant = episode.released_at.unwrap_or(episode.held_at + 700);
            let until: String = events.iter().filter(|(at, _)| *at <= instant).map(|(_, text)| text.as_str()).collect();
            let then = sampler(&until);
            let before = then.sample(&episode, instant, Action::AsIs, None);
            let after = afterwards.sample(&episode, instant, Action::AsIs, None);
            let differ: Vec<&String> = schema.statics.iter().zip(before.statics.iter().zip(&after.statics)).filter(|(_, (b, a))| b.to_bits() != a.to_bits()).map(|(name, _)| name).collect();
            prop_assert!(differ.is_empty(), "{differ:?} at {instant}");
            prop_assert_eq!(&before.states, &after.states);
            prop_assert_eq!(before.statics.iter().map(|value| value.to_bits()).collect::<Vec<_>>(), after.statics.iter().map(|value| value.to_bits()).collect::<Vec<_>>());
        }
    }
}
