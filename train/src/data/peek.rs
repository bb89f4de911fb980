//! The first and the last instant of a log, from its beginning and its end: what stands between is
//! not read.
//!
//! One case is slower: of a log without years in its dates and without HTCondor's header, which
//! would tell when it was begun, all lines are looked at, since only its end tells which year it
//! begins in.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use eventlog::input::is_packed;
use eventlog::{BEGINNING, Beginning, EventLogError, ReadOptions, is_header};
use jiff::tz::TimeZone;

/// Bytes at the end in which the last event is looked for; a second look takes [`BEGINNING`].
const END: u64 = 32 << 10;

/// What was seen of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peek {
    /// Time of the first event, Unix seconds. The header that HTCondor puts before it is none: its
    /// time is that of the rotation.
    pub(crate) first: i64,
    /// Latest time of the events at the end; `None` where it was not found: the log is compressed,
    /// or of another form than text.
    pub(crate) last: Option<i64>,
    /// Bytes of the file.
    pub(crate) size: u64,
    /// Bytes of the log once it is unpacked; of several gigabytes an estimate.
    pub(crate) unpacked: u64,
}

/// Looks at a log.
pub(crate) fn peek(path: &Path, zone: &TimeZone) -> Result<Peek, String> {
    let unread = |error: EventLogError| {
        format!("{error}; name the access point's job event logs, readable by you")
    };
    let failed = |source| unread(EventLogError::Io { path: path.to_owned(), source });
    let metadata = path.metadata().map_err(failed)?;
    let size = metadata.len();
    if size == 0 {
        return Err(format!(
            "log {} is empty: nothing was written to it yet, or it was truncated; leave it out",
            path.display()
        ));
    }
    let options = ReadOptions::in_zone(zone.clone());
    let first = first(Beginning::at(path, &options).map_err(unread)?, path)?;
    if is_packed(&File::open(path).map_err(failed)?).map_err(failed)? {
        let unpacked = unpacked_size(path, size).map_err(failed)?;
        return Ok(Peek { first, last: None, size, unpacked });
    }
    let last = [END, BEGINNING].into_iter().find_map(|bytes| last(path, &options, size, bytes));
    Ok(Peek { first, last, size, unpacked: size })
}

/// Time of the first event; that of HTCondor's header where nothing follows it.
fn first(beginning: Beginning, path: &Path) -> Result<i64, String> {
    let time = beginning.time();
    let Beginning { damage, looked_at, .. } = beginning;
    time.ok_or_else(|| {
        let damage = damage.map_or_else(String::new, |damage| format!(" ({damage})"));
        format!(
            "log {}: no event in its first {looked_at} bytes{damage}; leave it out, or restore it from a backup",
            path.display()
        )
    })
}

/// Latest time of the events in the last bytes; the first of them is cut, and left out.
fn last(path: &Path, options: &ReadOptions, size: u64, bytes: u64) -> Option<i64> {
    let offset = size.saturating_sub(bytes);
    let mut log = eventlog::open(path, &ReadOptions { offset, ..options.clone() }).ok()?;
    let mut last = None;
    while let Some(event) = log.next_event() {
        match event {
            Ok(event) if is_header(&event) => {}
            Ok(event) => last = last.max(Some(event.time.seconds)),
            Err(damaged) if damaged.is_io() => break,
            Err(_) => {}
        }
    }
    last
}

/// What the last bytes of a gzip file say, which is modulo 2^32.
fn unpacked_size(path: &Path, size: u64) -> io::Result<u64> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::End(-4))?;
    let mut said = [0; 4];
    file.read_exact(&mut said)?;
    let said = u64::from(u32::from_le_bytes(said));
    // Text never grows by it.
    Ok(if said < size { said + (1 << 32) } else { said })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn held(cluster: usize, time: &str) -> String {
        format!("012 ({cluster:03}.000.000) {time} Job was held.\n\tx\n\tCode 1 Subcode 0\n...\n")
    }

    fn seen(path: &Path) -> Result<Peek, String> {
        peek(path, &TimeZone::UTC)
    }

    fn message(path: &Path) -> String {
        let error = seen(path).unwrap_err().to_string();
        assert!(error.contains(&path.display().to_string()), "{error}");
        error
    }

    const FIRST: i64 = 1_767_323_045;

    #[test]
    fn beginning_and_end_are_enough() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("EventLog");
        let header =
            "008 (-01.-01.-01) 2026-01-09 00:00:00 Global JobLog: ctime=5 id=0 sequence=1\n...\n";
        let begin = header.to_owned() + &held(1, "2026-01-02 03:04:05");
        fs::write(&path, &begin).unwrap();
        let size = begin.len() as u64;
        assert_eq!(
            seen(&path).unwrap(),
            Peek { first: FIRST, last: Some(FIRST), size, unpacked: size }
        );
        // Damage in the middle is not met, nor is what is out of order there; the end may be out of
        // order a little.
        let middle = held(2, "2026-01-30 00:00:00") + &"\tlong line\n".repeat(100_000);
        let filler = held(3, "2026-01-02 03:04:06").repeat(4_000);
        let end = held(4, "2026-01-02 03:04:15") + &held(5, "2026-01-02 03:04:14");
        fs::write(&path, begin.clone() + &middle + &filler + &end).unwrap();
        let both = |peek: Peek| (peek.first, peek.last);
        assert_eq!(both(seen(&path).unwrap()), (FIRST, Some(FIRST + 10)));
        // The last events are more than one look away.
        fs::write(&path, begin + &filler + &end + &"\tlong line\n".repeat(100_000)).unwrap();
        assert_eq!(both(seen(&path).unwrap()), (FIRST, Some(FIRST + 10)));
    }

    #[test]
    fn a_log_with_a_header_alone_begins_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("EventLog");
        fs::write(
            &path,
            "008 (-01.-01.-01) 2026-01-02 03:04:05 Global JobLog: ctime=5 id=0\n...\n",
        )
        .unwrap();
        let peek = seen(&path).unwrap();
        assert_eq!((peek.first, peek.last), (FIRST, None));
    }

    #[test]
    fn recorded_rotations_follow_each_other() {
        for pool in ["pool-23.9", "pool-25.14"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(pool);
            let logs: Vec<Peek> = ["EventLog.3", "EventLog.2", "EventLog.1", "EventLog"]
                .iter()
                .map(|name| seen(&folder.join(name)).unwrap())
                .collect();
            let november_2026 = 1_793_491_200..1_796_083_200;
            for log in &logs {
                assert!(november_2026.contains(&log.first), "{pool}: {log:?}");
            }
            for pair in logs.windows(2) {
                assert!(pair[0].first < pair[1].first, "{pool}: {pair:?}");
                assert!(
                    (pair[0].first..=pair[1].first).contains(&pair[0].last.unwrap()),
                    "{pool}: {pair:?}"
                );
            }
        }
    }

    #[test]
    fn compressed_logs_tell_their_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("EventLog.gz");
        let text = held(1, "2026-01-02 03:04:05") + &held(2, "2026-01-02 03:04:06").repeat(50_000);
        let mut file = GzEncoder::new(File::create(&path).unwrap(), Compression::fast());
        file.write_all(text.as_bytes()).unwrap();
        file.finish().unwrap();
        let size = path.metadata().unwrap().len();
        let unpacked = text.len() as u64;
        assert_eq!(seen(&path).unwrap(), Peek { first: FIRST, last: None, size, unpacked });
        // The name says nothing.
        fs::write(&path, text).unwrap();
        assert_eq!(seen(&path).unwrap().first, FIRST);
    }

    #[test]
    fn what_is_no_log_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("EventLog");
        assert!(message(&path).contains("No such file or directory"));
        fs::write(&path, "").unwrap();
        assert!(message(&path).contains("is empty"));
        fs::write(&path, "\n\n\n...\n").unwrap();
        assert!(message(&path).contains("no event in its first"));
        fs::write(&path, "012 (001.000.000) 2026-01-02").unwrap();
        assert!(message(&path).contains("before the end of the log"));
        fs::write(&path, "not a log\n".repeat(100)).unwrap();
        assert!(message(&path).contains("is not a job event log"));
        assert!(message(folder.path()).contains("is a directory"));
    }
}
