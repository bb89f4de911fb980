//! Episodes that leave one by one are those of a history that holds everything.

use std::fs::File;
use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use eventlog::{ChunkedLog, ReadOptions};
use holdadvise::history::{
    Coverage, Episode, EpisodeStream, HistoryBuilder, LogHolds, NotedActions,
};
use jiff::tz::TimeZone;

/// H of the tests, seconds.
const HORIZON: i64 = 48 * 3_600;

fn options() -> ReadOptions {
    ReadOptions::in_zone(TimeZone::UTC)
}

/// The time of the first event of a job.
fn first(path: &Path) -> i64 {
    let mut log = eventlog::open(path, &options()).unwrap();
    loop {
        let event = log.next_event().unwrap().unwrap();
        if event.job.cluster > 0 {
            return event.time.seconds;
        }
    }
}

fn sorted(mut episodes: Vec<Episode>) -> Vec<Episode> {
    episodes.iter_mut().for_each(|episode| episode.step = None);
    episodes.sort_by_key(|episode| (episode.held_at, episode.identity.job));
    episodes
}

/// Both ways over the same logs.
fn compare(logs: &[PathBuf], epochs: Option<&Path>, chunk: u64) -> usize {
    let mut ads = HistoryBuilder::new();
    let mut whole = HistoryBuilder::new();
    if let Some(epochs) = epochs {
        for history in [&mut ads, &mut whole] {
            history.read_epochs(BufReader::new(File::open(epochs).unwrap()));
        }
    }
    let ads = ads.build();
    for log in logs {
        whole.read_log(log, Coverage::AccessPoint, &options()).unwrap();
    }
    let whole = whole.build();
    let journal = NotedActions::default();
    let expected = sorted(whole.episodes(HORIZON, &journal));

    let mut logs: Vec<(i64, &PathBuf)> = logs.iter().map(|log| (first(log), log)).collect();
    logs.sort();
    let mut stream = EpisodeStream::new(&ads, &journal, HORIZON);
    let mut episodes = Vec::new();
    for (place, (_, log)) in logs.iter().enumerate() {
        let next = logs.get(place + 1).map(|(first, _)| *first);
        stream.begin_log();
        let log = ChunkedLog::open(log, &options()).unwrap().in_chunks_of(chunk);
        let _: ControlFlow<()> = log.read(LogHolds::read, |part| {
            stream.add(part, next, |episode| episodes.push(episode));
            ControlFlow::Continue(())
        });
    }
    stream.end(|episode| episodes.push(episode));
    assert_eq!(sorted(episodes), expected);
    expected.len()
}

fn pool(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(version)
}

fn logs(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut logs: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| wanted(&path.file_name().unwrap().to_string_lossy()))
        .collect();
    logs.sort();
    logs
}

#[test]
fn of_a_rotated_log() {
    for version in ["pool-23.9", "pool-25.14"] {
        let folder = pool(version);
        let series = logs(&folder, |name| name.starts_with("EventLog"));
        assert!(series.len() > 2);
        for chunk in [3_000, 1 << 20] {
            assert!(compare(&series, None, chunk) > 20);
            assert!(compare(&series, Some(&folder.join("epoch_history")), chunk) > 20);
        }
    }
}

#[test]
fn of_logs_that_tell_of_the_same_jobs() {
    for version in ["pool-23.9", "pool-25.14"] {
        let folder = pool(version);
        let mut all = logs(&folder, |name| name.starts_with("EventLog"));
        all.extend(logs(&folder.join("userlog"), |name| name.ends_with(".log")));
        assert!(compare(&all, Some(&folder.join("epoch_history")), 1 << 20) > 20);
    }
}
