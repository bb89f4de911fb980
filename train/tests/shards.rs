//! Data that are prepared in shards are those that are prepared at once, as a user calls it.

use std::fs;
use std::path::{Path, PathBuf};

use eventlog::{Events, ReadOptions};
use flate2::Compression;
use flate2::write::GzEncoder;
use holdadvise_train::data::dataset::Dataset;
use holdadvise_train::sweep::plan::{AccessPoint, Data, Setting};
use holdadvise_train::sweep::shards::{Shard, shards};
use jiff::tz::TimeZone;

use crate::common::{holdadvise_train, refused, text};

fn run(folder: &Path, arguments: &[impl AsRef<std::ffi::OsStr>]) -> String {
    let out = holdadvise_train(folder, arguments);
    assert!(out.status.success(), "{}", text(&out.stderr));
    text(&out.stderr) + &text(&out.stdout)
}

/// Cuts a log into as many of the same size, by event, under the names that rotation gives them;
/// the newest but one is compressed. Oldest first.
fn rotate(log: &Path, folder: &Path, parts: usize) -> Vec<PathBuf> {
    let bytes = fs::read(log).unwrap();
    let options = ReadOptions::in_zone(TimeZone::UTC);
    let offsets: Vec<usize> = Events::with_options(&bytes, &options)
        .map(|event| event.unwrap().offset as usize)
        .collect();
    let cut = |part: usize| match part {
        0 => 0,
        part => offsets.get(offsets.len() * part / parts).copied().unwrap_or(bytes.len()),
    };
    let name = |part: usize| match parts - 1 - part {
        0 => "EventLog".to_owned(),
        1 => "EventLog.1.gz".to_owned(),
        rotation => format!("EventLog.{rotation}"),
    };
    let part = |part: usize| {
        let path = folder.join(name(part));
        let events = &bytes[cut(part)..cut(part + 1)];
        if name(part).ends_with(".gz") {
            let mut file = GzEncoder::new(fs::File::create(&path).unwrap(), Compression::fast());
            std::io::Write::write_all(&mut file, events).unwrap();
            file.finish().unwrap();
        } else {
            fs::write(&path, events).unwrap();
        }
        path
    };
    (0..parts).map(part).collect()
}

fn file_name(shard: &Shard) -> String {
    format!("shard-{:03}.safetensors", shard.number)
}

/// Prepares each shard in a folder of its own, as on an execution point, and merges them, the last
/// first.
fn prepared(folder: &Path, shards: &[Shard], setting: &Setting, output: &str) -> String {
    let mut merge = vec!["merge".to_owned(), "-o".to_owned(), output.to_owned()];
    for shard in shards.iter().rev() {
        let sandbox = folder.join(format!("sandbox-{}", shard.number));
        let _ = fs::remove_dir_all(&sandbox);
        fs::create_dir(&sandbox).unwrap();
        for file in shard.files() {
            std::os::unix::fs::symlink(&file.path, sandbox.join(&file.name)).unwrap();
        }
        let mut arguments = shard.arguments(setting);
        arguments.extend(["-o".to_owned(), file_name(shard)]);
        run(&sandbox, &arguments);
        merge.push(sandbox.join(file_name(shard)).to_string_lossy().into_owned());
    }
    run(folder, &merge)
}

#[test]
fn shards_of_a_rotated_log_are_one_run_over_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    run(here, &"simulate --preset small --seed 3 --days 3 -o sim".split(' ').collect::<Vec<_>>());
    let logs = rotate(&here.join("sim/EventLog"), here, 5);
    let mut whole: Vec<String> =
        "tensors --epochs sim/epoch_history --time-zone UTC --origin ap1 --real --horizon 12 \
        --frames 10 --frame-length 300 --slots 17 -o whole"
            .split_whitespace()
            .map(str::to_owned)
            .collect();
    whole.extend(logs.iter().map(|log| log.to_string_lossy().into_owned()));
    run(here, &whole);
    let rows = Dataset::read(&here.join("whole")).unwrap();
    assert!(rows.len() > 50, "{}", rows.len());
    assert_eq!((rows.info.schema.frames(), rows.info.schema.slots), (10, 17));
    assert_eq!(rows.info.schema.frame_edges[..3], [0, 300, 600]);

    let mut access_point = AccessPoint {
        name: "ap1".to_owned(),
        logs,
        epochs: vec![here.join("sim/epoch_history")],
        time_zone: Some("UTC".to_owned()),
        ..AccessPoint::default()
    };
    access_point.logs.swap(0, 3);
    let data = |lookback, from, until| Data {
        access_points: vec![access_point.clone()],
        lookback,
        from,
        until,
        horizon: 12,
        ..Data::default()
    };
    let frame_edges = (0..=10).map(|edge| edge * 300).collect();
    let setting = Setting { number: 1, frame_edges, slots: 17 };
    let all = shards(&data(1_000_000_000, None, None)).unwrap();
    assert_eq!(all.len(), 5);
    let told = prepared(here, &all, &setting, "merged");
    assert!(told.contains(&format!("{} rows of 5 shards, schema ", rows.len())), "{told}");
    let whole = fs::read(here.join("whole")).unwrap();
    assert!(fs::read(here.join("merged")).unwrap() == whole, "the same rows in the same order");

    // An interval has the rows of the whole that begin in it; of a part of a second or of none
    // there is no other.
    let (from, until) = (rows.hold_time[rows.len() / 3], rows.hold_time[rows.len() / 2]);
    let some = shards(&data(1_000_000_000, Some(from), Some(until))).unwrap();
    prepared(here, &some, &setting, "some");
    let some = Dataset::read(&here.join("some")).unwrap();
    let within: Vec<usize> =
        (0..rows.len()).filter(|&row| (from..until).contains(&rows.hold_time[row])).collect();
    assert_eq!(some.gather(&(0..some.len()).collect::<Vec<_>>()), rows.gather(&within));
    assert_eq!(
        some.outcome_time,
        within.iter().map(|&row| rows.outcome_time[row]).collect::<Vec<_>>()
    );

    // With less to look back to, other logs are left out; which holds there are and what came of
    // them stays.
    let few = shards(&data(43_200, None, None)).unwrap();
    let logs: Vec<usize> = few.iter().map(|shard| shard.logs.len()).collect();
    assert!(logs[0] < 5 && logs[4] < 5, "{logs:?}");
    prepared(here, &few, &setting, "few");
    let few = Dataset::read(&here.join("few")).unwrap();
    let keys = |dataset: &Dataset| -> Vec<_> {
        (0..dataset.len())
            .map(|row| {
                (
                    dataset.hold_time[row],
                    dataset.cluster[row],
                    dataset.code[row],
                    dataset.label[row],
                )
            })
            .collect()
    };
    let (few, all) = (keys(&few), keys(&rows));
    let lost = all.iter().filter(|row| !few.contains(row)).count();
    assert!(few.iter().all(|row| all.contains(row)));
    assert!(
        lost * 50 < all.len(),
        "{lost} of {} holds took longer than half a day to be released",
        all.len()
    );
}

#[test]
fn simulations_and_logs_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, seed, days) in [("one", "1", "2"), ("two", "2", "1")] {
        run(here, &["simulate", "--preset", "small", "--seed", seed, "--days", days, "-o", name]);
    }
    let run = |arguments: &str| run(here, &arguments.split_whitespace().collect::<Vec<_>>());
    run("tensors --simulation one --simulation two -o whole");
    let simulations = vec![here.join("one"), here.join("two")];
    let data = Data { simulations, horizon: 48, ..Data::default() };
    let shards = shards(&data).unwrap();
    let default = Setting {
        number: 1,
        frame_edges: holdadvise::features::FrameEdges::default().edges().to_vec(),
        slots: 12,
    };
    prepared(here, &shards, &default, "merged");
    run("merge whole -o sorted");
    assert!(fs::read(here.join("merged")).unwrap() == fs::read(here.join("sorted")).unwrap());
    let merged = Dataset::read(&here.join("merged")).unwrap();
    assert_eq!(merged.info.simulations.len(), 2);
    assert!(merged.hold_time.is_sorted());

    let fails = |arguments: &str| refused(here, arguments.split_whitespace());
    assert!(fails("merge whole whole -o x").contains("whole is named twice"));
    fs::copy(here.join("whole"), here.join("copy")).unwrap();
    assert!(fails("merge whole copy -o x").contains("copy both have a hold of cluster"));
    run("tensors --simulation two --slots 13 -o slots");
    let error = fails("merge whole slots -o x");
    assert!(error.contains("12 slots, 404 statics), slots has "), "{error}");
}

#[test]
fn options_that_do_not_do_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let held =
        "012 (001.000.000) 2026-01-02 03:04:05 Job was held.\n\tx\n\tCode 13 Subcode 2\n...\n";
    fs::write(here.join("log"), held).unwrap();
    let fails = |arguments: &str| refused(here, arguments.split_whitespace());
    let error = fails("tensors log -o d --slots 4");
    assert!(error.contains("--slots: 4 job slots: expected 5 to 1024"), "{error}");
    assert!(fails("tensors log -o d --slots 1025").contains("1025 job slots"));
    assert!(fails("tensors log -o d --frames 3").contains("--frame-length <SECONDS>"));
    assert!(
        fails("tensors log -o d --frames 3 --frame-length 60 --frame-edges 0,60")
            .contains("cannot be used with")
    );
    let error = fails("tensors log -o d --frames 0 --frame-length 60");
    assert!(error.contains("--frames 0 --frame-length 60: both must be at least 1"), "{error}");
    let error = fails("tensors log -o d --frames 1025 --frame-length 60");
    assert!(error.contains("1025 frames: a model has 1024 at most"), "{error}");
    let error = fails("tensors log -o d --from yesterday");
    assert!(error.contains("expected an instant as Unix seconds or as ISO 8601"), "{error}");
    let error = fails("tensors log -o d --time-zone UTC --from 2026-01-03 --until 2026-01-02");
    assert!(error.contains("--from 1767398400 must lie before --until 1767312000"), "{error}");
    let error = fails("tensors log -o d --from 2026-01-02");
    assert!(error.contains("that began between --from and --until was released"), "{error}");
    assert!(!here.join("d").exists());
    run(here, &["tensors", "log", "-o", "d", "--allow-empty"]);
    assert_eq!(Dataset::read(&here.join("d")).unwrap().len(), 0);
    let error = fails("merge d -o x");
    assert!(error.contains("no hold of these logs was released and came to an outcome"), "{error}");
    assert!(error.contains("(no rows in d)"), "{error}");
}
