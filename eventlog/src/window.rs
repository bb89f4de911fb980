//! The newest part of a rotated log: from an instant on, and of so many bytes at most.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::Path;

use super::reader::{open_between, open_named};
use super::rotation::{Siblings, open_siblings};
use super::series::ChunkedSeries;
use super::{DISORDER, EventLogError, ReadOptions, YearHint, years};
use crate::input::is_packed;

/// The place of an instant is found up to so many bytes.
const NEAR: u64 = 256 << 10;

/// The open files of a rotated log, of which nothing has been read yet.
#[derive(Debug)]
pub struct LogFiles(Siblings);

impl LogFiles {
    /// Opens a log and its rotated siblings, as [`super::open_series`] finds them.
    ///
    /// # Errors
    /// `path` itself cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, EventLogError> {
        let path = path.as_ref();
        Ok(Self(open_siblings(path, Some(open_named(path)?))))
    }

    /// The same files once more, to be read a second time; without those that could not be opened.
    ///
    /// # Errors
    /// There can be no more open files.
    pub fn try_clone(&self) -> io::Result<Self> {
        let files = self.0.files.iter();
        let files = files.map(|(path, file)| Ok((path.clone(), file.try_clone()?)));
        Ok(Self(Siblings { files: files.collect::<io::Result<_>>()?, unread: Vec::new() }))
    }

    /// All of the log.
    #[must_use]
    pub fn whole(self, options: &ReadOptions) -> ChunkedSeries {
        let Siblings { files, unread } = self.0;
        let hints = years::hints(&files, options);
        let later = files.into_iter().zip(hints).map(|((path, file), hint)| (path, file, hint));
        ChunkedSeries {
            options: options.clone(),
            later: later.collect(),
            offset: 0,
            cut: false,
            unread,
        }
    }

    /// Bytes of the files that [`LogFiles::window`] reads; compressed ones are not among them.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let plain = |file: &File| !is_packed(file).unwrap_or(true);
        let files = self.0.files.iter().filter(|(_, file)| plain(file));
        files.map(|(_, file)| file.metadata().map_or(0, |metadata| metadata.len())).sum()
    }

    /// What the log tells from `since` (Unix seconds) on, and of that the last `most` bytes.
    /// Somewhat more may be read at the beginning.
    ///
    /// The place is found by bisection, a few reads for each file, so nothing has to be kept from
    /// one call to the next. Compressed files are left out.
    pub fn window(self, options: &ReadOptions, since: i64, most: u64) -> ChunkedSeries {
        let Siblings { mut files, unread } = self.0;
        files.retain(|(_, file)| !is_packed(file).unwrap_or(true));
        let hints = years::hints(&files, options);
        let mut later: VecDeque<_> =
            files.into_iter().zip(hints).map(|((path, file), hint)| (path, file, hint)).collect();
        let mut left = most;
        let (mut first, mut offset, mut cut) = (later.len(), 0, false);
        for (index, (_, file, year)) in later.iter().enumerate().rev() {
            if left == 0 {
                cut = true;
                break;
            }
            let length = file.metadata().map_or(0, |metadata| metadata.len());
            let options = ReadOptions { year: *year, ..options.clone() };
            first = index;
            (offset, cut) = place_of(file, &options, since, length.saturating_sub(left), length);
            if offset > 0 {
                break;
            }
            left = left.saturating_sub(length);
        }
        later.drain(..first);
        ChunkedSeries { options: options.clone(), later, offset, cut, unread }
    }
}

/// Where the first event from `since` on begins, up to a few; not before `from`. 0: the whole file
/// is to be read. And whether such events lie before `from`. Times of a log are in order, up to some
/// seconds. However long an event is, no byte is read for it more than a few times.
fn place_of(file: &File, options: &ReadOptions, since: i64, from: u64, length: u64) -> (u64, bool) {
    let (mut before, mut behind) = (from, length);
    let (mut found, mut cut) = (0, false);
    let mut options = options.clone();
    if from > 0 {
        match event_behind(file, &options, from, length) {
            Some((offset, time)) => (found, cut) = (offset, time >= since),
            // Nothing else keeps to the bound.
            None => return (length, true),
        }
    }
    while behind - before > NEAR {
        let middle = before + (behind - before) / 2;
        match event_behind(file, &options, middle, behind) {
            Some((offset, time)) if time < since => (before, found) = (middle, offset),
            Some((_, time)) => {
                behind = middle;
                options.year = YearHint::NotAfter(time.saturating_add(DISORDER));
            }
            None => behind = middle,
        }
    }
    (found, cut)
}

/// The event behind the first one that is whole between `at` and `until`: its place, and the time of
/// the one before it.
fn event_behind(file: &File, options: &ReadOptions, at: u64, until: u64) -> Option<(u64, i64)> {
    let mut log = open_between(file.try_clone().ok()?, options, at, until).ok()??;
    let time = std::iter::from_fn(|| Some(log.next_event()?.map(|event| event.time.seconds)));
    let time = time.filter_map(Result::ok).next();
    let offset = log.offset();
    // A clone shares the position.
    (&*file).seek(SeekFrom::Start(0)).ok()?;
    Some((offset, time?))
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;

    const FIRST: i64 = 1_700_000_000;

    /// A log of events 013, one a second from the first on, `bytes` long about.
    fn write(path: &Path, first: i64, events: i64) {
        let event = |at: i64| {
            let time = jiff::Timestamp::from_second(at).unwrap().to_zoned(jiff::tz::TimeZone::UTC);
            let time = time.strftime("%Y-%m-%d %H:%M:%S");
            format!(
                "013 ({}.000.000) {time} Job was released.\n\t{}\n...\n",
                at - FIRST,
                "x".repeat(900)
            )
        };
        std::fs::write(path, (first..first + events).map(event).collect::<String>()).unwrap();
    }

    fn read(path: &Path, since: i64, most: u64) -> Vec<i64> {
        let options = ReadOptions::in_zone(jiff::tz::TimeZone::UTC);
        let mut all = Vec::new();
        for (_, log) in LogFiles::open(path).unwrap().window(&options, since, most) {
            let _: ControlFlow<()> = log.read(
                |chunk| {
                    let mut clusters = Vec::new();
                    while let Some(event) = chunk.next_event() {
                        clusters.push(i64::from(event.unwrap().job.cluster));
                    }
                    clusters
                },
                |clusters| {
                    all.extend(clusters);
                    ControlFlow::Continue(())
                },
            );
        }
        all
    }

    #[test]
    fn a_window_has_all_from_an_instant_on_and_little_more() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("EventLog");
        write(&folder.path().join("EventLog.old"), FIRST, 3_000);
        write(&log, FIRST + 3_000, 3_000);
        let all: Vec<i64> = (0..6_000).collect();
        assert_eq!(read(&log, 0, u64::MAX), all);
        for since in [100, 2_000, 2_999, 3_000, 3_500, 5_999] {
            let found = read(&log, FIRST + since, u64::MAX);
            let begin = found[0];
            assert!(begin <= since && since - begin < 600, "{since}: {begin}");
            assert_eq!(found, all[begin as usize..]);
        }
    }

    #[test]
    fn damage_where_a_window_begins_costs_no_more_than_itself() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("EventLog");
        write(&log, FIRST, 3_000);
        let damaged = |event: &str| event.replacen("013", "x13", 1) + "\n...\n";
        let before = std::fs::read_to_string(&log).unwrap();
        let mut text = String::new();
        for (number, event) in before.split_terminator("\n...\n").enumerate() {
            match number {
                1_500..2_900 => text += &damaged(event),
                _ => text += &format!("{event}\n...\n"),
            }
        }
        std::fs::write(&log, text).unwrap();
        assert_eq!(read(&log, 0, 1 << 20), (2_901..3_000).collect::<Vec<_>>());
    }

    #[test]
    fn a_window_keeps_to_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("EventLog");
        write(&folder.path().join("EventLog.old"), FIRST, 3_000);
        write(&log, FIRST + 3_000, 3_000);
        let event = log.metadata().unwrap().len() / 3_000;
        for (most, least) in [(1 << 20, 1_000), (4 << 20, 4_000)] {
            let found = read(&log, 0, most);
            assert!(found.len() as u64 * event <= most, "{}", found.len());
            assert!(found.len() >= least && found.last() == Some(&5_999), "{}", found.len());
        }
    }
}
