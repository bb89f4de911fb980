//! Logs as files: compressed, cut, truncated while they are read, larger than wanted, or no files
//! at all.

use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use eventlog::input::Room;
use eventlog::{ChunkedLog, Damage, LogReader, ReadOptions};
use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::tz::TimeZone;

fn options() -> ReadOptions {
    ReadOptions::in_zone(TimeZone::UTC)
}

fn event(cluster: usize) -> String {
    format!(
        "013 ({cluster}.000.000) 2024-01-02 03:04:05 Job was released.\n\tvia condor_release\n...\n"
    )
}

fn events(clusters: impl IntoIterator<Item = usize>) -> String {
    clusters.into_iter().map(event).collect()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(text.as_bytes()).unwrap();
    out.finish().unwrap()
}

type Read = (Vec<i32>, Vec<Damage>);

fn all<R: std::io::Read>(log: &mut LogReader<R>) -> Read {
    let (mut clusters, mut damages) = (Vec::new(), Vec::new());
    while let Some(event) = log.next_event() {
        match event {
            Ok(event) => clusters.push(event.job.cluster),
            Err(damaged) => damages.push(damaged.damage),
        }
    }
    (clusters, damages)
}

fn in_chunks(path: &Path, options: &ReadOptions) -> Read {
    let mut read = Read::default();
    let _: ControlFlow<()> = ChunkedLog::open(path, options).unwrap().in_chunks_of(500).read(
        all,
        |(events, damages)| {
            read.0.extend(events);
            read.1.extend(damages);
            ControlFlow::Continue(())
        },
    );
    read
}

#[test]
fn a_compressed_log_is_read_whatever_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("job.log");
    let members = [gzip(&events(1..200)), gzip(&events(200..300))].concat();
    fs::write(&path, &members).unwrap();
    let expected: Read = ((1..300).collect(), Vec::new());
    assert_eq!(all(&mut eventlog::open(&path, &options()).unwrap()), expected);
    assert_eq!(in_chunks(&path, &options()), expected);
    assert!(
        eventlog::follow(&path, &options(), None).unwrap_err().to_string().contains("compressed")
    );
}

#[test]
fn a_cut_compressed_log_gives_what_is_before_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("job.log");
    let (first, second) = (gzip(&events(1..200)), gzip(&events(200..300)));
    // Between two events too, nothing is passed over in silence.
    fs::write(&path, [&first[..], &second[..2]].concat()).unwrap();
    for (clusters, damages) in
        [all(&mut eventlog::open(&path, &options()).unwrap()), in_chunks(&path, &options())]
    {
        assert_eq!(clusters, (1..200).collect::<Vec<_>>());
        assert!(matches!(&damages[..], [Damage::Packed(_)]), "{damages:?}");
    }
    fs::write(&path, &first[..first.len() / 2]).unwrap();
    let (clusters, damages) = all(&mut eventlog::open(&path, &options()).unwrap());
    assert!(clusters.len() < 199 && clusters.iter().zip(1..).all(|(one, other)| *one == other));
    assert!(matches!(damages.last(), Some(Damage::Packed(_))), "{damages:?}");
}

#[test]
fn a_compressed_log_is_unpacked_up_to_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("job.log");
    fs::write(&path, gzip(&events(1..100_000))).unwrap();
    let options = ReadOptions { room: Room::new(10_000), ..options() };
    let (clusters, damages) = all(&mut eventlog::open(&path, &options).unwrap());
    assert!((1..200).contains(&clusters.len()));
    assert!(matches!(damages.last(), Some(Damage::Packed(_))), "{damages:?}");
}

#[test]
fn compressed_logs_share_the_room_of_a_call() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("EventLog");
    for (name, text) in [
        ("EventLog.2.gz", gzip(&events(1..40))),
        ("EventLog.1.gz", gzip(&events(40..90))),
        ("EventLog", events(90..95).into_bytes()),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let room = events(1..60).len() as u64;
    let options = ReadOptions { room: Room::new(room), ..options() };
    let mut set = eventlog::open_series(&log, &options).unwrap();
    let (mut clusters, mut damages) = (Vec::new(), Vec::new());
    while let Some((path, event)) = set.next_event() {
        match event {
            Ok(event) => clusters.push(event.job.cluster),
            Err(damaged) => damages.push((path.to_owned(), damaged.damage)),
        }
    }
    // What is not compressed takes no room.
    assert_eq!(clusters, (1..60).chain(90..95).collect::<Vec<_>>());
    let [(path, Damage::Packed(why))] = &damages[..] else { panic!("{damages:?}") };
    assert!(path.ends_with("EventLog.1.gz") && why.contains("more bytes unpacked"), "{why}");
    assert_eq!(options.room.left(), 0);
}

#[test]
fn rotated_logs_may_be_compressed() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("EventLog");
    fs::write(folder.path().join("EventLog.2.gz"), gzip(&events(1..3))).unwrap();
    fs::write(folder.path().join("EventLog.1.gz"), gzip(&events(3..5))).unwrap();
    fs::write(&log, event(5)).unwrap();
    let read = |log: &Path| {
        let mut set = eventlog::open_series(log, &options()).unwrap();
        let mut clusters = Vec::new();
        while let Some((_, event)) = set.next_event() {
            clusters.push(event.unwrap().job.cluster);
        }
        assert!(set.unread.is_empty(), "{:?}", set.unread);
        clusters
    };
    assert_eq!(read(&log), [1, 2, 3, 4, 5]);
    let mut chunked = eventlog::open_chunked_series(&log, &options()).unwrap();
    assert_eq!((chunked.by_ref().count(), chunked.unread.len()), (3, 0));
    let alone = folder.path().join("Other");
    fs::write(folder.path().join("Other.old.gz"), gzip(&event(6))).unwrap();
    fs::write(&alone, event(7)).unwrap();
    assert_eq!(read(&alone), [6, 7]);
}

#[test]
fn of_a_large_log_the_newest_part_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("job.log");
    fs::write(&path, events(100..300)).unwrap();
    let most = event(100).len() as u64 * 7 + 11;
    let options = ReadOptions { newest: Some(most), ..options() };
    let mut log = eventlog::open(&path, &options).unwrap();
    assert_eq!(log.skipped(), event(100).len() as u64 * 200 - most);
    // What is written meanwhile is not waited for.
    fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap()
        .write_all(event(9).as_bytes())
        .unwrap();
    assert_eq!(all(&mut log), ((293..300).collect(), Vec::new()));
    // A hole of ten gigabytes is not walked through.
    let sparse = fs::File::create(&path).unwrap();
    sparse.set_len(10 << 30).unwrap();
    fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap()
        .write_all(events([8, 9]).as_bytes())
        .unwrap();
    let (clusters, damages) = all(&mut eventlog::open(&path, &options).unwrap());
    // What is glued to a hole may be the rest of a reason.
    assert_eq!(clusters, [9]);
    assert!(damages.iter().all(|damage| *damage == Damage::Nul), "{damages:?}");
}

/// Reads the log that the environment names, for
/// [`a_log_that_is_truncated_does_not_end_the_process`].
#[test]
fn reads_what_it_is_asked_to() {
    let Some(path) = std::env::var_os("USERLOG_FILES_LOG").map(std::path::PathBuf::from) else {
        return;
    };
    let log = ChunkedLog::open(&path, &options()).unwrap();
    let mut chunks = 0;
    let _: ControlFlow<()> = log.read(
        |chunk| {
            // Truncated by who reads it, once it is being read.
            let _ = chunk.next_event();
            fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(0).unwrap();
            all(chunk)
        },
        |_| {
            chunks += 1;
            ControlFlow::Continue(())
        },
    );
    println!("survived {chunks} chunks");
}

#[test]
fn a_log_that_is_truncated_does_not_end_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("EventLog");
    fs::write(&path, events(1..100_000)).unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "reads_what_it_is_asked_to", "--nocapture"])
        .env("USERLOG_FILES_LOG", &path)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && said.contains("survived"), "{child:?}");
}
