//! Files as they are in life, read alike from memory, from a file and while they are written.

use std::io::Write;

use eventlog::*;
use jiff::tz::TimeZone;

fn options() -> ReadOptions {
    ReadOptions { year: YearHint::First(2024), ..ReadOptions::in_zone(TimeZone::UTC) }
}

fn held(job: &str, reason: &str) -> String {
    format!(
        "012 ({job}.000) 2024-01-31 23:59:59 Job was held.\n\t{reason}\n\tCode 13 Subcode 2\n...\n"
    )
}

type Read = (Vec<String>, Vec<(u64, Damage)>);

fn take(read: &mut Read, event: Result<Event<'_>, DamagedEvent>) {
    match event {
        Ok(event) => {
            let Body::Held(Held { reason, code: Some(13), subcode: Some(2) }) = event.body() else {
                panic!("{event:?}")
            };
            read.0.push(format!("{} {}", event.job, reason.unwrap_or_default()));
        }
        Err(damaged) => read.1.push((damaged.offset, damaged.damage)),
    }
}

/// Jobs with their hold reasons, and the damage.
fn read(bytes: &[u8]) -> Read {
    let mut read = Read::default();
    for event in Events::with_options(bytes, &options()) {
        take(&mut read, event);
    }
    let folder = tempfile::tempdir().unwrap();
    let (log, growing) = (folder.path().join("job.log"), folder.path().join("growing.log"));
    std::fs::write(&log, bytes).unwrap();
    let mut of_file = Read::default();
    let mut reader = open(&log, &options()).unwrap();
    while let Some(event) = reader.next_event() {
        take(&mut of_file, event);
    }
    assert_eq!(of_file, read);
    let mut followed = Read::default();
    let mut follower = follow(&growing, &options(), None).unwrap();
    let mut file = std::fs::File::create(&growing).unwrap();
    for piece in bytes.chunks(37.max(bytes.len() / 100)) {
        file.write_all(piece).unwrap();
        while let Some((_, event)) = follower.next_event() {
            take(&mut followed, event);
        }
    }
    assert!(read.0.starts_with(&followed.0) && read.1.starts_with(&followed.1), "{followed:?}");
    assert!(followed.0.len() + 1 >= read.0.len());
    read
}

fn whole(bytes: &[u8]) -> Vec<String> {
    let (events, damages) = read(bytes);
    assert_eq!(damages, []);
    events
}

#[test]
fn clusters_beyond_a_million_and_negative_procs() {
    let log = held("1234567.000", "a") + &held("2147483647.19999", "b") + &held("064.-01", "c");
    assert_eq!(whole(log.as_bytes()), ["1234567.0 a", "2147483647.19999 b", "64.-1 c"]);
}

#[test]
fn concatenations() {
    let one = held("001.000", "a");
    let headed =
        "008 (-01.-01.-01) 01/31 00:00:00 Global JobLog: ctime=1706745599 id=x sequence=1\n...\n";
    assert_eq!(whole((one.clone() + &one).as_bytes()), ["1.0 a", "1.0 a"]);
    // The second was begun before the first, and has its header.
    let log =
        one + headed + "012 (2.0.0) 02/01 00:00:00 Job was held.\n\tb\n\tCode 13 Subcode 2\n...\n";
    let times: Vec<_> = Events::with_options(log.as_bytes(), &options())
        .map(|event| event.unwrap().time.seconds)
        .collect();
    assert_eq!(times[2], 1_706_745_600);
    // The last event of the first was cut off.
    // What is glued to it may be its own text.
    let cut = "012 (002.000.000) 2024-01-31 23".to_owned() + &held("003.000", "c");
    let cut = held("001.000", "a") + &cut + &held("004.000", "d");
    let (events, damages) = read(cut.as_bytes());
    assert_eq!(events, ["1.0 a", "4.0 d"]);
    assert_eq!(damages.len(), 1);
}

#[test]
fn blank_and_doubled_separators() {
    for between in ["\n", "...\n", "\n\n...\n\n", "\r\n...\r\n"] {
        let log =
            between.to_owned() + &held("001.000", "a") + between + &held("002.000", "b") + between;
        assert_eq!(whole(log.as_bytes()), ["1.0 a", "2.0 b"], "{between:?}");
    }
}

#[test]
fn lines_that_end_as_on_windows() {
    let log = held("001.000", "a") + &held("002.000", "b");
    assert_eq!(whole(log.replace('\n', "\r\n").as_bytes()), ["1.0 a", "2.0 b"]);
    assert_eq!(
        whole((held("001.000", "a").replace('\n', "\r\n") + &held("002.000", "b")).as_bytes())
            .len(),
        2
    );
}

#[test]
fn text_of_eight_bits() {
    let mut log = held("001.000", "Datei fehlt: gr\u{fc}n").into_bytes();
    assert_eq!(whole(&log), ["1.0 Datei fehlt: grün"]);
    // The same in Latin-1.
    let at = log.windows(2).position(|bytes| bytes == "ü".as_bytes()).unwrap();
    log.splice(at..at + 2, [0xfc]);
    assert_eq!(whole(&log), ["1.0 Datei fehlt: gr\u{fffd}n"]);
    let event = Events::with_options(&log, &options()).next().unwrap().unwrap();
    assert!(event.lines().windows(3).any(|bytes| bytes == b"r\xfcn"));
}

#[test]
fn a_hole_of_a_crashed_file_system() {
    let (one, two) = (held("001.000", "a"), held("002.000", "b"));
    for size in [1, 512, 4096, 300_000] {
        let hole = "\0".repeat(size);
        // What is behind a hole may be the rest of a reason: one event more is lost.
        let three = held("003.000", "c");
        let (events, damages) = read((one.clone() + &hole + &two + &three).as_bytes());
        assert_eq!(events, ["1.0 a", "3.0 c"], "{size}");
        assert_eq!(damages, [(one.len() as u64, Damage::Nul)], "{size}");
        // The hole took the end of the first event with it.
        let (events, damages) = read((one[..60].to_owned() + &hole + &two + &three).as_bytes());
        assert_eq!(events, ["3.0 c"], "{size}");
        assert_eq!(damages, [(0, Damage::Nul)], "{size}");
    }
}

#[test]
fn half_events() {
    let (one, two) = (held("001.000", "a"), held("002.000", "b"));
    for cut in 1..one.len() - 4 {
        let three = held("003.000", "c");
        let (events, damages) = read((one[..cut].to_owned() + &two + &three).as_bytes());
        // A user can write what looks like the second.
        assert_eq!(events, ["3.0 c"], "{cut}");
        assert_eq!(damages.len(), 1, "{cut}: {damages:?}");
        let (events, damages) = read((one.clone() + &two[..cut]).as_bytes());
        assert_eq!((events.len(), damages.len()), (1, 1), "{cut}: {damages:?}");
    }
}

#[test]
fn several_writers_at_once() {
    let (one, two) = (held("001.000", "a"), held("002.000", "b"));
    for at in 1..one.len() - 4 {
        let log = one[..at].to_owned() + &two + &one[at..] + &held("003.000", "c");
        let (events, damages) = read(log.as_bytes());
        // The event that was broken into two is lost with the one within it, no other.
        assert_eq!(events, ["3.0 c"], "{at}: {damages:?}");
        assert!(damages.len() <= 2, "{at}: {damages:?}");
        assert_eq!(damages[0].0, 0, "{at}");
    }
}
